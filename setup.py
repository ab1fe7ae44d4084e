"""Builds the native engine where that is possible, and says in one line where it is not.

Everything else about the package stands in pyproject.toml. `URLSET_NATIVE` decides:

- unset: try; without cargo, or when cargo fails, install without it: the reference engine serves.
- `0`: do not even try.
- `1`: the native engine or an error.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build import build
from setuptools_rust import Binding, RustExtension
from setuptools_rust import build_rust as cargo_build

choice = os.environ.get("URLSET_NATIVE", "")
if choice not in ("", "0", "1"):
    sys.exit(f"URLSET_NATIVE is {choice!r}: expected 0 (without), 1 (required) or nothing (try).")
required = choice == "1"


def why_not() -> str | None:
    """The reason not to ask cargo at all, or None."""
    if choice == "0":
        return "URLSET_NATIVE=0"
    cargo = os.environ.get("CARGO", "cargo")
    if shutil.which(cargo) is None:
        return "cargo is not on PATH"
    # Beware: rustup's cargo is on PATH even where no toolchain is installed.
    if subprocess.run([cargo, "--version"], capture_output=True, check=False).returncode:
        return "cargo has no toolchain"
    return None


reason = None if required else why_not()


class BuildRust(cargo_build):
    """Builds the extension, or tells why not and goes on."""

    editable_mode = False  # set by setuptools for `pip install -e`

    def run(self) -> None:
        # A library left from an earlier build would be taken for the one that failed now.
        root = "src" if self.inplace or self.editable_mode else self.build_lib()
        engine = Path(root, "urlset", "engine")
        for old in (*engine.glob("_native*.so"), *engine.glob("_native*.pyd")):
            old.unlink()
        if reason is not None:
            tell(reason)
            return
        try:
            super().run()
        except Exception:
            # Whatever it was (no network, no linker, an old rustc), cargo has told it above.
            if required:
                raise
            tell("cargo could not build it")

    def build_lib(self) -> str:
        return str(self.get_finalized_command("build").build_lib)


class Build(build):
    """Runs `build_rust` also where there is no extension to build, for it tells so."""

    sub_commands = (*build.sub_commands, ("build_rust", lambda _: reason is not None))


def tell(why: str) -> None:
    print(
        f"urlset: no native engine ({why}); the reference engine will serve.",
        file=sys.stderr,
        flush=True,
    )


native = RustExtension(
    "urlset.engine._native",
    path="rust/binding/Cargo.toml",
    binding=Binding.PyO3,
    py_limited_api=True,
    debug=False,  # `pip install -e` would otherwise build it without optimisation
)

setup(
    # Without an extension the wheel is pure, and says so in its name.
    rust_extensions=[] if reason is not None else [native],
    cmdclass={"build": Build, "build_rust": BuildRust},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
