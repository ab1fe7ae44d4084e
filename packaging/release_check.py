"""Build every file of a release and check it: ``make release-check``. Nothing is uploaded.

Builds the sdist, the pure wheel and the native wheel of this machine, each one twice from copies in
two folders. Checks that

- the version is the same in pyproject.toml, rust/Cargo.toml and CHANGELOG.md;
- both builds result in the same bytes;
- the tags are right: the pure wheel is for any machine, the native one for CPython 3.11 and newer;
- the native wheel is smaller than 4 MB and has the licences of its crates;
- the metadata are accepted by ``twine check --strict``;
- each file, installed into an empty environment without cargo and without a compiler on PATH, reads
  and checks a sitemap with the engine that it promises.

The files are left in ``dist/``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

import crate_licenses

ROOT = Path(__file__).parents[1]
MAX_NATIVE_BYTES = 4_000_000
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""


class Failure(Exception):
    """A check that did not pass."""


def main() -> int:
    """Build and check; return 1 if a check does not pass."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--without-native", action="store_true", help="skip the native wheel")
    options = parser.parse_args()
    try:
        version = checked_version()
        with tempfile.TemporaryDirectory(prefix="urlset-release-") as folder:
            tools = environment(Path(folder, "tools"), "build", "twine")
            built = build(Path(folder), tools, is_native=not options.without_native)
            for file in built:
                check_name(file, version)
            run(tools, "-m", "twine", "check", "--strict", *map(str, built))
            say("twine check --strict passes")
            for file in built:
                check_installed(Path(folder, f"env-{file.name}"), file)
    except (Failure, subprocess.CalledProcessError) as error:
        print(f"release-check: {error}", file=sys.stderr)
        return 1
    return 0


def say(text: str) -> None:
    """Print a result."""
    print(f"  {text}", flush=True)


def checked_version() -> str:
    """Return the version, which three files have to agree on."""
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rust = tomllib.loads(Path(ROOT, "rust", "Cargo.toml").read_text(encoding="utf-8"))
    changes = Path(ROOT, "CHANGELOG.md").read_text(encoding="utf-8")
    version = str(project["version"])
    if (other := rust["workspace"]["package"]["version"]) != version:
        raise Failure(f"pyproject.toml has version {version}, rust/Cargo.toml {other}")
    if not re.search(rf"^## \[?{re.escape(version)}\]?", changes, re.MULTILINE):
        raise Failure(f"CHANGELOG.md has no section for version {version}")
    say(f"version {version} everywhere")
    return version


def environment(folder: Path, *packages: str) -> Path:
    """Create a virtual environment with packages; return its interpreter."""
    venv.create(folder, with_pip=True)
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
        **options,  # type: ignore[call-overload]
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise Failure(
            f"{Path(program).name} {' '.join(arguments[:4])} ended with {done.returncode}"
        )
    return str(done.stdout)


def sources() -> list[str]:
    """Return the files of the project, as git lists them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and Path(ROOT, name).is_file()]


def build(folder: Path, tools: Path, *, is_native: bool) -> list[Path]:
    """Build all files twice, compare them, and leave them in ``dist/``."""
    kinds = {"sdist": ["--sdist"], "pure": ["--wheel"]}
    if is_native:
        kinds["native"] = ["--wheel"]
    first, second = (build_all(folder / name, tools, kinds) for name in ("one", "two"))
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for mine, other in zip(first, second, strict=True):
        if mine.read_bytes() != other.read_bytes():
            raise Failure(f"{mine.name} differs between two builds: {differences(mine, other)}")
        shutil.copy(mine, dist)
        digest = hashlib.sha256(mine.read_bytes()).hexdigest()
        say(f"{mine.name}: {mine.stat().st_size:,} bytes, the same twice, sha256 {digest[:16]}…")
    return [dist / file.name for file in first]


def build_all(folder: Path, tools: Path, kinds: dict[str, list[str]]) -> list[Path]:
    """Build the files from a copy of the sources."""
    copy = folder / "urlset"
    for name in sources():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    built = []
    for kind, arguments in kinds.items():
        out = folder / kind
        if kind == "native":
            crate_licenses_file = copy / "LICENSE-crates"
            crate_licenses_file.write_text(
                crate_licenses.document(crate_licenses.crates(copy / "rust" / "Cargo.toml")),
                encoding="utf-8",
            )
        run(
            tools,
            "-m",
            "build",
            *arguments,
            "--outdir",
            str(out),
            cwd=copy,
            env=settings(kind, copy),
        )
        for file in sorted(out.iterdir()):
            if file.name.endswith(".tar.gz"):
                normalize(file, int(settings(kind, copy)["SOURCE_DATE_EPOCH"]))
            built.append(file)
    return built


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


def check_name(file: Path, version: str) -> None:
    """Check the tags, the size and the licences of a file."""
    if not file.name.startswith(f"urlset-{version}"):
        raise Failure(f"{file.name} is not of version {version}")
    if file.suffix != ".whl":
        return
    with zipfile.ZipFile(file) as wheel:
        names = wheel.namelist()
    has_engine = any("/_native." in name and name.endswith((".so", ".pyd")) for name in names)
    if file.name.endswith("-py3-none-any.whl"):
        if has_engine:
            raise Failure(f"{file.name} contains the native engine")
        return
    if "-cp311-abi3-" not in file.name:
        raise Failure(f"{file.name}: expected the tags py3-none-any or cp311-abi3")
    if not has_engine:
        raise Failure(f"{file.name} has no native engine")
    if not any(name.endswith("/LICENSE-crates") for name in names):
        raise Failure(f"{file.name} has no licences of its crates")
    if (size := file.stat().st_size) > MAX_NATIVE_BYTES:
        raise Failure(f"{file.name} has {size:,} bytes, more than {MAX_NATIVE_BYTES:,}")


def check_installed(folder: Path, file: Path) -> None:
    """Install a file into an empty environment, and use it there."""
    begin = time.monotonic()
    python = environment(folder)
    empty = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("CARGO", "RUST", "PYTHON", "VIRTUAL_ENV", "URLSET_"))
    }
    empty["PATH"] = str(python.parent)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(python, *pip, str(file), env=empty)
    sitemap = folder / "sitemap.xml"
    sitemap.write_text(SITEMAP, encoding="utf-8")
    command = python.parent / "urlset"
    shown = run(command, "--version", env=empty)
    expected = "native engine" if "abi3" in file.name else "reference engine"
    if expected not in shown:
        raise Failure(f"{file.name}: expected the {expected}, found {shown.strip()!r}")
    if "https://example.com/?a=1&b=2" not in run(command, "read", str(sitemap), env=empty):
        raise Failure(f"{file.name}: urlset read did not print the URL of a sitemap")
    run(command, "check", str(sitemap), "--base-url", "https://example.com/", env=empty)
    seconds = time.monotonic() - begin
    say(f"{file.name}: installed and used without cargo in {seconds:.0f} s, {expected}")


if __name__ == "__main__":
    sys.exit(main())
