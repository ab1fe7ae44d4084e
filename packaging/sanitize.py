"""Run tests of the native engine with the engine built under a sanitizer.

python packaging/sanitize.py [--thread] [PYTEST ARGUMENTS]

By default it is AddressSanitizer, with --thread ThreadSanitizer, which needs the sources of Rust's
library (`rustup component add rust-src`): where that is not instrumented, each wait for a lock
would be reported. The engine is built in build/sanitize, next to a copy of the package; .venv stays
as it is. The interpreter itself is not instrumented: its memory comes from malloc, so that the
sanitizer knows it, and the runtime library of the sanitizer, that of gcc, is loaded before
everything else.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "sanitize"


class Sanitizer(NamedTuple):
    """A sanitizer: its name for the compiler, its runtime library, its options, and its tests."""

    name: str
    library: str
    options: dict[str, str]
    flags: tuple[str, ...]
    tests: tuple[str, ...]


ADDRESS = Sanitizer(
    "address",
    "libasan.so",
    # The interpreter frees little at its end. A refused allocation is an error of Python.
    {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1"},
    (),
    ("-m", "not slow", "tests/engine", "tests/arrow", "tests/writer", "tests/hostile"),
)
THREAD = Sanitizer(
    "thread",
    "libtsan.so",
    # The interpreter and other extensions are not instrumented: what they do is not known. The
    # detector of deadlocks ends the process where a thread holds more than 64 locks.
    {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=66:detect_deadlocks=0"},
    ("-Zbuild-std",),
    # Reports and output have the same descriptor. Tests of time are left out.
    ("--capture=no", "-m", "not slow", "-k", "not linear_time", "tests/engine"),
)

# The compiler of Rust calls these, which the runtime library of gcc does not have.
_SHIM = """
#include <string.h>
void *__tsan_memcpy(void *d, const void *s, size_t n) { return memcpy(d, s, n); }
void *__tsan_memmove(void *d, const void *s, size_t n) { return memmove(d, s, n); }
void *__tsan_memset(void *d, int c, size_t n) { return memset(d, c, n); }
"""
_RACE = """
static volatile long total;
void add(void) { for (int i = 0; i < 10000000; i++) total++; }
"""
_TWO_THREADS = """
import ctypes, sys, threading
add = ctypes.CDLL(sys.argv[1]).add
threads = [threading.Thread(target=add) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def build(sanitizer: Sanitizer) -> Path:
    """Build the engine; return the folder of a package that has it."""
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    triple = re.search(r"host: (\S+)", host)
    assert triple, host
    target = BUILD / sanitizer.name / "target"
    environment = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",  # the stable compiler accepts -Z
        "RUSTFLAGS": f"-Zsanitizer={sanitizer.name}",
        "CARGO_TARGET_DIR": str(target),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only",
    }
    manifest = ROOT / "rust" / "binding" / "Cargo.toml"
    subprocess.run(
        ["cargo", "build", *sanitizer.flags, "--quiet", "--release", "--target", triple[1],
         "--manifest-path", str(manifest), "--features", "pyo3/extension-module"],
        env=environment, check=True,
    )  # fmt: skip
    folder = BUILD / sanitizer.name / "package"
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "_native*.so")
    shutil.copytree(ROOT / "src" / "urlset", folder / "urlset", ignore=ignored)
    library = target / triple[1] / "release" / "lib_native.so"
    shutil.copy(library, folder / "urlset" / "engine" / "_native.abi3.so")
    return folder


def runtime(sanitizer: Sanitizer) -> str:
    """Return the paths of the runtime libraries to load first.

    That of C++ must be there when the sanitizer looks for the function that throws exceptions,
    because DuckDB throws some.
    """
    paths = []
    for name, package in ((sanitizer.library, "libgcc-NN-dev"), ("libstdc++.so.6", "libstdc++6")):
        command = ["gcc", f"-print-file-name={name}"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        if not Path(found).is_absolute():
            raise SystemExit(f"gcc has no {name}; install the package {package}")
        paths.append(found)
    if sanitizer is THREAD:
        paths.append(str(compiled("shim", _SHIM, "-fno-builtin")))
    return " ".join(paths)


def compiled(name: str, code: str, *flags: str) -> Path:
    """Compile C code to a library; return its path."""
    library = BUILD / f"{name}.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", *flags, "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=code, text=True, check=True)
    return library


def expect_report(environment: dict[str, str]) -> None:
    """Stop unless a race of two threads is reported and fails the process."""
    library = compiled("race", _RACE, "-fsanitize=thread")
    command = [sys.executable, "-c", _TWO_THREADS, str(library)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 66 or "data race" not in done.stderr:
        raise SystemExit(
            f"ThreadSanitizer does not report a race ({done.returncode}): {done.stderr}"
        )


def main() -> int:
    """Build the engine and run the tests; return the exit code of pytest."""
    arguments = sys.argv[1:]
    sanitizer = THREAD if "--thread" in arguments else ADDRESS
    folder = build(sanitizer)
    environment = {
        **os.environ,
        **sanitizer.options,
        "CI": "1",
        "LD_PRELOAD": runtime(sanitizer),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "URLSET_NATIVE": "1",
    }
    if sanitizer is THREAD:
        expect_report(environment)
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    start = time.monotonic()
    tests = [argument for argument in arguments if argument != "--thread"] or sanitizer.tests
    done = subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False)
    print(f"Sanitizer of {sanitizer.name}: {time.monotonic() - start:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
