"""Build the native engine if possible, and report in one line if not.

Everything else about the package is in pyproject.toml. `URLSET_NATIVE` decides:

- unset: try; without cargo, or if cargo fails, install the reference engine only.
- `0`: do not try.
- `1`: fail if the native engine cannot be built.
"""

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools_rust import Binding, RustExtension
from setuptools_rust import build_rust as cargo_build

choice = os.environ.get("URLSET_NATIVE", "")
if choice not in ("", "0", "1"):
    sys.exit(f"URLSET_NATIVE is {choice!r}: expected 0 (without), 1 (required) or nothing (try).")
required = choice == "1"


def skip_reason() -> str | None:
    """Return the reason for not running cargo, or None."""
    if choice == "0":
        return "URLSET_NATIVE=0"
    cargo = os.environ.get("CARGO", "cargo")
    if shutil.which(cargo) is None:
        return "cargo is not on PATH"
    # Note: rustup's cargo is on PATH even without a toolchain.
    if subprocess.run([cargo, "--version"], capture_output=True, check=False).returncode:
        return "cargo has no toolchain"
    return None


reason = None if required else skip_reason()


class BuildRust(cargo_build):
    """Build the extension, or report why not and continue."""

    editable_mode = False  # set by setuptools for `pip install -e`

    def run(self) -> None:
        # After a failure, a library of an earlier build would be used as if it were the new one.
        root = "src" if self.inplace or self.editable_mode else self.build_lib()
        for old in engines_in(root):
            old.unlink()
        if reason is not None:
            report(reason)
            return
        try:
            super().run()
        except Exception:
            # cargo has already printed the error (no network, no linker, an old rustc).
            if required:
                raise
            report("cargo could not build it")

    def build_lib(self) -> str:
        return str(self.get_finalized_command("build").build_lib)


class Build(build):
    """Run `build_rust` also without an extension to build, because it reports that."""

    sub_commands = (*build.sub_commands, ("build_rust", lambda _: reason is not None))


class BdistWheel(bdist_wheel):
    """Add the bill of materials of the crates to a wheel that contains the native engine."""

    def write_wheelfile(self, wheelfile_base: str, *arguments: str) -> None:
        super().write_wheelfile(wheelfile_base, *arguments)
        if engines_in(self.bdist_dir):
            # By its path: the folder has the name of a library.
            sbom = runpy.run_path(str(Path(__file__).with_name("packaging") / "sbom.py"))
            file = Path(wheelfile_base, sbom["FILE"])
            file.parent.mkdir()
            file.write_bytes(sbom["document"]().encode())


def engines_in(root: str) -> list[Path]:
    """Return the files of the native engine in a folder with the package."""
    engine = Path(root, "urlset", "engine")
    return [*engine.glob("_native*.so"), *engine.glob("_native*.pyd")]


def report(why: str) -> None:
    print(
        f"urlset: no native engine ({why}); the reference engine will be used.",
        file=sys.stderr,
        flush=True,
    )


# A free-threaded interpreter before 3.15 has no stable ABI: its wheel is for its version only.
has_stable_abi = not sysconfig.get_config_var("Py_GIL_DISABLED")

native = RustExtension(
    "urlset.engine._native",
    path="rust/binding/Cargo.toml",
    binding=Binding.PyO3,
    py_limited_api=has_stable_abi,
    debug=False,  # otherwise `pip install -e` builds without optimisation
)

setup(
    # Without an extension the wheel is a pure Python wheel.
    rust_extensions=[] if reason is not None else [native],
    cmdclass={"build": Build, "build_rust": BuildRust, "bdist_wheel": BdistWheel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if has_stable_abi else {},
)
