"""Test adapters with the oldest and the newest version of their hosts: ``make test-hosts``.

Each version gets an environment of its own in ``build/hosts``, with the pure wheel of urlset and
what the host requires today, and runs the tests of the adapter there. The result is a table of
versions. A host fails if a test fails, or if no test ran.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import contents

ROOT = Path(__file__).parents[1]
TOOLS = ("pytest>=9.2", "hypothesis>=6.170")
"""What the tests require in addition to their host."""

TIMEOUT_S = 1_800


class Host(NamedTuple):
    """Host of an adapter.

    Attributes:
        name: Name as in the documentation.
        package: Distribution that has the version.
        oldest: Requirements of the oldest version that is supported.
        newest: Requirements of the newest version.
        tests: Arguments of pytest.
        guide: Document in ``docs/`` that states the versions.
    """

    name: str
    package: str
    oldest: tuple[str, ...]
    newest: tuple[str, ...]
    tests: tuple[str, ...]
    guide: str


def _host(
    name: str,
    package: str,
    oldest: str,
    *tests: str,
    guide: str,
    more: tuple[str, ...] = (),
    old: tuple[str, ...] = (),
) -> Host:
    oldest_requirements = (f"{package}=={oldest}", *more, *old)
    return Host(name, package, oldest_requirements, (package, *more), tests, guide)


_ASGI = "tests/integrations/test_asgi.py"
_GUIDES = "tests/docs/test_adapter_guides.py"
_LOADERS = "tests/integrations/test_document_loaders.py"
_WEB = ("uvicorn>=0.30", "gunicorn>=22")
HOSTS = [
    _host(
        "Django", "django", "4.2", "tests/integrations/test_django.py",
        "tests/integrations/test_django_command.py", "tests/docs/test_django_guide.py",
        guide="django.md", more=_WEB,
    ),
    _host("Wagtail", "wagtail", "5.2", "tests/integrations/test_wagtail.py", guide="django.md"),
    _host("Starlette", "starlette", "0.37.0", _ASGI, "-k", "starlette", guide="asgi.md", more=_WEB),
    _host("FastAPI", "fastapi", "0.100.0", _ASGI, "-k", "fastapi", guide="asgi.md", more=_WEB),
    _host(
        "Litestar", "litestar", "2.10.0", _ASGI, "-k", "litestar", guide="asgi.md", more=_WEB,
        old=("sniffio",),  # it imports what anyio does not require any more
    ),
    _host("Flask", "flask", "3.0.0", "tests/integrations/test_wsgi.py", guide="asgi.md", more=_WEB),
    _host(
        "Scrapy", "scrapy", "2.11.0", "tests/integrations/test_scrapy.py",
        "tests/integrations/test_scrapy_sites.py", _GUIDES, "-k", "scrapy",
        guide="scrapy.md", old=("w3lib<2.3",),  # Scrapy before 2.13 imports private names of it
    ),
    _host(
        "MkDocs", "mkdocs", "1.5.0", "tests/integrations/test_mkdocs.py", _GUIDES, "-k", "mkdocs",
        guide="docs-generators.md",
    ),
    _host(
        "Sphinx", "sphinx", "7.0.0", "tests/integrations/test_sphinx.py", _GUIDES, "-k", "sphinx",
        guide="docs-generators.md",
    ),
    _host(
        "Pelican", "pelican", "4.8.0", "tests/integrations/test_pelican.py", _GUIDES, "-k",
        "pelican", guide="docs-generators.md", more=("markdown",),
    ),
    _host("polars", "polars", "1.33.1", "tests/integrations/test_polars.py", guide="dataframes.md"),
    _host(
        "Spark", "pyspark", "4.0.0", "tests/integrations/test_spark.py", guide="scale.md",
        more=("pyarrow>=26.0",),
    ),
    _host("LangChain", "langchain-core", "0.3.0", _LOADERS, "-k", "langchain", guide="sync.md"),
    _host("LlamaIndex", "llama-index-core", "0.12.0", _LOADERS, "-k", "llama", guide="sync.md"),
]  # fmt: skip


class Result(NamedTuple):
    """Result of one version of a host.

    Attributes:
        version: Version that was installed; empty if the installation failed.
        passed: Number of tests that passed.
        skipped: Number of tests that were skipped.
        problem: What failed; empty if nothing did.
        seconds: Duration, with the installation.
    """

    version: str
    passed: int
    skipped: int
    problem: str
    seconds: float


def main() -> int:
    """Test each host twice; return 1 if a test of one fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="hosts whose name contains this")
    parser.add_argument("--which", choices=("oldest", "newest"), help="one version of each")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environments")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "hosts")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    uv = _uv(options.folder)
    wheel = _wheel(uv, options.folder)
    rows = [("host", "oldest", "newest"), ("---", "---", "---")]
    failed = 0
    for host in HOSTS:
        if options.only.lower() not in host.name.lower():
            continue
        cells = []
        for which in ("oldest", "newest"):
            if options.which not in (None, which):
                cells.append("–")
                continue
            result = test(host, which, wheel, uv=uv, python=options.python, folder=options.folder)
            failed += bool(result.problem)
            cells.append(f"{result.version}: {result.problem or f'{result.passed} passed'}")
            print(
                f"{host.name} {result.version} ({which}): {result.passed} passed, "
                f"{result.skipped} skipped, {result.seconds:.0f} s"
                + (f": FAILED\n{result.problem}" if result.problem else ""),
                flush=True,
            )
        rows.append((host.name, *(cell.partition("\n")[0] for cell in cells)))
    print()
    for row in rows:
        print(f"| {' | '.join(row)} |")
    return 1 if failed else 0


def test(host: Host, which: str, wheel: Path, *, uv: Path, python: str, folder: Path) -> Result:
    """Install one version of a host, and run the tests of its adapter."""
    start = time.monotonic()
    name = f"{host.package}-{which}"
    environment = folder / name
    scripts = "Scripts" if os.name == "nt" else "bin"
    inside = environment / scripts / "python"
    requirements = host.oldest if which == "oldest" else host.newest
    install = (uv, "pip", "install", "--quiet", "--python", inside)
    log = folder / f"{name}.txt"
    with log.open("w", encoding="utf-8") as output:

        def run(*command: str | Path, **variables: str) -> bool:
            done = subprocess.run(
                [*map(str, command)], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, **variables}, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
            return done.returncode == 0

        is_installed = (
            run(uv, "venv", "--quiet", "--clear", "--seed", "--python", python, environment)
            and run(*install, *TOOLS, *requirements)
            and run(*install, wheel)
        )
        if not is_installed:
            return Result("", 0, 0, _end_of(log), time.monotonic() - start)
        version = _version(inside, host.package)
        report = folder / f"{name}.xml"
        report.unlink(missing_ok=True)
        # Old versions use what newer libraries deprecate: that is no error of the adapter.
        is_passed = run(
            *(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default"),
            *("--override-ini", "addopts=-rfEs", f"--junit-xml={report}", *host.tests),
            PATH=os.pathsep.join((str(environment / scripts), os.environ.get("PATH", ""))),
        )
    passed, skipped = _counts(report)
    problem = "" if is_passed and passed else _end_of(log)
    return Result(version, passed, skipped, problem, time.monotonic() - start)


def _uv(folder: Path) -> Path:
    """Return uv, which installs many environments quickly; install it if it is missing."""
    place = folder / "uv"
    program = place / ("Scripts/uv.exe" if os.name == "nt" else "bin/uv")
    if not program.exists():
        venv.create(place, with_pip=True, clear=True)
        pip = program.with_name("python.exe" if os.name == "nt" else "python")
        subprocess.run([pip, "-m", "pip", "install", "--quiet", "uv"], check=True)
    return program


def _wheel(uv: Path, folder: Path) -> Path:
    """Build the pure wheel of urlset from a copy: a build here would remove the native engine."""
    wheels = folder / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for name in contents.tracked(ROOT):
        if not name.startswith(("tests/", "docs/", "benches/")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    subprocess.run(
        [uv, "build", "--quiet", "--wheel", "--out-dir", wheels, copy],
        env={**os.environ, "URLSET_NATIVE": "0"}, check=True,
    )  # fmt: skip
    (wheel,) = wheels.glob("*.whl")
    return wheel


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _counts(report: Path) -> tuple[int, int]:
    """Return the numbers of tests in a report of pytest that passed, and that were skipped."""
    if not report.exists():
        return 0, 0
    suites = list(ElementTree.parse(report).iter("testsuite"))
    total, skipped, wrong = (
        sum(int(suite.get(name, 0)) for suite in suites for name in names)
        for names in (("tests",), ("skipped",), ("failures", "errors"))
    )
    return total - skipped - wrong, skipped


def _end_of(log: Path) -> str:
    text = re.sub(r"\x1b\[[\d;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
    lines = text.strip().splitlines()
    return "\n".join(["see " + str(log), *lines[-12:]])


if __name__ == "__main__":
    sys.exit(main())
