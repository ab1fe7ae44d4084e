"""Run tests of the native engine with the engine built under a sanitizer of the compiler.

python packaging/sanitize.py [--sanitizer address|thread] [-- PYTEST ARGUMENTS]

The engine is built in build/sanitize, next to a copy of the package; .venv stays as it is. The
interpreter itself is not instrumented: its memory comes from malloc, so that the sanitizer knows
it, and the runtime library of the sanitizer, that of gcc, is loaded before everything else.
"""

from __future__ import annotations

import argparse
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
_LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}
_OPTIONS = {
    # The interpreter frees little at its end. A refused allocation is an error of Python.
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
    "TSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:report_signal_unsafe=0",
}


def build(sanitizer: str) -> Path:
    """Build the engine; return the folder of a package that has it."""
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    triple = re.search(r"host: (\S+)", host)
    assert triple, host
    target = BUILD / sanitizer
    environment = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",  # the stable compiler accepts -Z
        # The standard library is not instrumented by a thread sanitizer, and need not be.
        "RUSTFLAGS": f"-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer",
        "CARGO_TARGET_DIR": str(target),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only",
    }
    if sanitizer == "address":
        environment["RUSTFLAGS"] = f"-Zsanitizer={sanitizer}"
    manifest = ROOT / "rust" / "binding" / "Cargo.toml"
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--target", triple[1],
         "--manifest-path", str(manifest), "--features", "pyo3/extension-module"],
        env=environment, check=True,
    )  # fmt: skip
    folder = BUILD / f"{sanitizer}-package"
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "_native*.so")
    shutil.copytree(ROOT / "src" / "urlset", folder / "urlset", ignore=ignored)
    library = target / triple[1] / "release" / "lib_native.so"
    shutil.copy(library, folder / "urlset" / "engine" / "_native.abi3.so")
    return folder


def runtime(sanitizer: str) -> str:
    """Return the path of the runtime library of gcc."""
    command = ["gcc", f"-print-file-name={_LIBRARIES[sanitizer]}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit(f"gcc has no {_LIBRARIES[sanitizer]}; install the package libgcc-*-dev")
    return found


def main() -> int:
    """Build the engine and run the tests; return the exit code of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanitizer", choices=_LIBRARIES, default="address")
    parser.add_argument("pytest", nargs="*", help="arguments; those of all tests of the engine")
    options = parser.parse_args()
    folder = build(options.sanitizer)
    environment = {
        **os.environ,
        **_OPTIONS,
        "CI": "1",
        "LD_PRELOAD": runtime(options.sanitizer),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "URLSET_NATIVE": "1",
        "URLSET_SANITIZER": options.sanitizer,
    }
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    start = time.monotonic()
    tests = options.pytest or ["-m", "not slow", *TESTS]
    done = subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False)
    print(f"{options.sanitizer} sanitizer: {time.monotonic() - start:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
