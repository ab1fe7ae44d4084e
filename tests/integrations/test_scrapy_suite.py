"""Scrapy's own tests of its sitemap spider, with one import changed.

They are taken from Scrapy's source distribution, not copied.
"""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

scrapy = pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")

# A test of Scrapy that fails, with the reason. A test that is not here must pass, and conversely.
DIFFERENCES = {
    "test_get_sitemap_urls_from_robotstxt_skips_invalid_utf8_urls": (
        "bytes that are not UTF-8 are read as cp1252, and the URL is percent-encoded"
    ),
}
NO_SERVER = "assert port is not None"
OLD, NEW = (
    "from scrapy.spiders import SitemapSpider",
    "from urlset.integrations.scrapy import SitemapSpider",
)


def source(folder: Path) -> Path:
    """The source distribution of the installed Scrapy, unpacked where later runs find it."""
    version = scrapy.__version__
    unpacked = folder / f"scrapy-{version}"
    if not unpacked.is_dir():
        command = [sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary",
                   ":all:", "--dest", str(folder), f"scrapy=={version}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            pytest.skip(f"pip cannot fetch Scrapy from the package index: {last[0]}")
        (archive,) = folder.glob("scrapy-*.tar.gz")
        with tarfile.open(archive) as file:
            file.extractall(folder / "part", filter="data")
        (folder / "part" / unpacked.name).rename(unpacked)
        archive.unlink()
    return unpacked


def run(folder: Path, tests: Path) -> tuple[set[str], str]:
    """Run tests of Scrapy; return the names of those that failed, and the end of the output."""
    root = Path(__file__).parents[2]
    # Other tests of this process may have changed the environment.
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-p", "asyncio_tests", "--reactor=none", "-rf", str(tests)],
        cwd=folder,
        env={**kept, "PYTHONPATH": f"{root / 'tests' / 'integrations'}"},
        capture_output=True,
        text=True,
        timeout=300,
    )  # fmt: skip

    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None, done.stdout[-3000:]
    assert int(passed[1]) >= 30
    failed = set(re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", done.stdout, re.MULTILINE))
    return failed, done.stdout[-6000:]


@pytest.mark.slow
def test_scrapys_own_tests_pass_but_for_listed_differences(pytestconfig):
    folder = source(Path(pytestconfig.cache.mkdir("urlset-scrapy")))
    text = (folder / "tests" / "test_spider_sitemap.py").read_text()
    assert text.count(OLD) == 1
    changed = folder / "tests" / "test_spider_sitemap_of_urlset.py"
    changed.write_text(text.replace(OLD, NEW))
    failed, told = run(folder, changed)
    for _ in range(2):
        if failed != set(DIFFERENCES):
            again, told = run(folder, changed)
            failed &= again
    without_server = set(re.findall(r"def (test_\w+)\(self, mockserver", text))
    if NO_SERVER in told:  # their mock server may fail to start on a busy machine
        assert failed - without_server == set(DIFFERENCES), told
        pytest.skip(f"Scrapy's mock server did not start: {', '.join(sorted(without_server))}")
    assert failed == set(DIFFERENCES), told
