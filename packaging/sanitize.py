"""Run tests of the native engine with the engine built under AddressSanitizer.

python packaging/sanitize.py [PYTEST ARGUMENTS]

The engine is built in build/sanitize, next to a copy of the package; .venv stays as it is. The
interpreter itself is not instrumented: its memory comes from malloc, so that the sanitizer knows
it, and the runtime library of the sanitizer, that of gcc, is loaded before everything else.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "sanitize"

TESTS = ("tests/engine", "tests/arrow", "tests/writer", "tests/hostile")
# The interpreter frees little at its end. A refused allocation is an error of Python.
_OPTIONS = "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1"


def build() -> Path:
    """Build the engine; return the folder of a package that has it."""
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    triple = re.search(r"host: (\S+)", host)
    assert triple, host
    target = BUILD / "target"
    environment = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",  # the stable compiler accepts -Z
        "RUSTFLAGS": "-Zsanitizer=address",
        "CARGO_TARGET_DIR": str(target),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only",
    }
    manifest = ROOT / "rust" / "binding" / "Cargo.toml"
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--target", triple[1],
         "--manifest-path", str(manifest), "--features", "pyo3/extension-module"],
        env=environment, check=True,
    )  # fmt: skip
    folder = BUILD / "package"
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "_native*.so")
    shutil.copytree(ROOT / "src" / "urlset", folder / "urlset", ignore=ignored)
    library = target / triple[1] / "release" / "lib_native.so"
    shutil.copy(library, folder / "urlset" / "engine" / "_native.abi3.so")
    return folder


def runtime() -> str:
    """Return the paths of the runtime libraries of gcc to load first.

    That of C++ must be there when the sanitizer looks for the function that throws exceptions,
    because DuckDB throws some.
    """
    paths = []
    for name, package in (("libasan.so", "libgcc-NN-dev"), ("libstdc++.so.6", "libstdc++6")):
        command = ["gcc", f"-print-file-name={name}"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        if not Path(found).is_absolute():
            raise SystemExit(f"gcc has no {name}; install the package {package}")
        paths.append(found)
    return " ".join(paths)


def main() -> int:
    """Build the engine and run the tests; return the exit code of pytest."""
    folder = build()
    environment = {
        **os.environ,
        "ASAN_OPTIONS": _OPTIONS,
        "CI": "1",
        "LD_PRELOAD": runtime(),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "URLSET_NATIVE": "1",
    }
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    start = time.monotonic()
    tests = sys.argv[1:] or ["-m", "not slow", *TESTS]
    done = subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False)
    print(f"AddressSanitizer: {time.monotonic() - start:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
