"""Django's own tests of its sitemaps, with one import changed, in the oldest and newest version.

They are taken from Django's source distribution, not copied.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

django = pytest.importorskip("django", reason="Django is not installed")

VERSIONS = {"oldest": "4.2", "newest": django.get_version()}

# A test of Django that fails, with the reason why urlset answers otherwise. A test that is not
# here must pass; one that is here must fail.
NAIVE = "a naive time is in TIME_ZONE of the settings (here America/Chicago), and is written in UTC"
TIME = "lastmod is written with its time and zone, not as a day of the local time zone"
DIFFERENCES = {
    "test_sitemap_last_modified": NAIVE,
    "test_sitemap_get_latest_lastmod": NAIVE,
    "test_sitemaps_lastmod_ascending": NAIVE,
    "test_sitemaps_lastmod_descending": NAIVE,
    "test_generic_sitemap_index": NAIVE,
    "test_callable_sitemod_full": NAIVE,
    "test_callable_sitemod_partial": TIME,
    "test_generic_sitemap_lastmod": TIME,
    "test_sitemap_without_entries": "a document without entries has no empty line",
    "test_sitemap_latest_lastmod_timezone": "dates are written in UTC: the same instant",
}
# In some versions only.
REMOVED = {
    "sitemaps_tests.test_utils": "ping_google is for an address that Google switched off in 2023"
}

# The namespace of alternates is declared only in documents that have some.
UNUSED_NAMESPACE = """

_XHTML = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
_assert_equal = SitemapTestsBase.assertXMLEqual


def _assert_without_unused_namespace(self, found, expected, msg=None):
    if "<xhtml:" not in expected:
        expected = expected.replace(_XHTML, "")
    _assert_equal(self, found, expected, msg)


SitemapTestsBase.assertXMLEqual = _assert_without_unused_namespace
"""
MEMBERS = re.compile(r"[^/]+/tests/(?:[^/]+\.py|templates/.*|sitemaps_tests/.*)")
CHANGED = re.compile(r"^from django\.contrib\.sitemaps import", re.MULTILINE)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        pytest.skip(f"pip cannot fetch Django from the package index: {last[0]}")


def suite(folder: Path, version: str) -> Path:
    """The tests of a version of Django, unpacked in a folder that later runs find again."""
    tests = folder / version
    if not tests.is_dir():
        parts = folder / f"{version}.part"
        shutil.rmtree(parts, ignore_errors=True)
        pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(parts),
            f"django=={version}.*" if version.count(".") < 2 else f"django=={version}")  # fmt: skip
        (archive,) = parts.glob("*.tar.gz")
        with tarfile.open(archive) as file:
            members = [member for member in file if MEMBERS.fullmatch(member.name)]
            file.extractall(parts, members, filter="data")
        (unpacked,) = parts.glob("*/tests")
        unpacked.rename(tests)
        shutil.rmtree(parts)
    return tests


def libraries(folder: Path, version: str) -> list[str]:
    """The path of a Django that is not the installed one."""
    if version == django.get_version():
        return []
    target = folder / f"{version}-site"
    if not (target / "django").is_dir():
        pip("install", "--target", str(target), f"django=={version}.*")
    return [str(target)]


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
def test_djangos_own_tests_pass_but_for_listed_differences(version, tmp_path, pytestconfig):
    folder = Path(pytestconfig.cache.mkdir("urlset-django"))
    path = libraries(folder, version)
    tests = tmp_path / "tests"
    shutil.copytree(suite(folder, version), tests)
    changed = 0
    for file in (tests / "sitemaps_tests").rglob("*.py"):
        text, count = CHANGED.subn("from urlset.integrations.django import", file.read_text())
        changed += count
        file.write_text(text + (UNUSED_NAMESPACE if file.name == "base.py" else ""))
    assert changed >= 4

    done = subprocess.run(
        [sys.executable, "runtests.py", "sitemaps_tests", "--parallel", "1"],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=300,
    )

    ran = re.search(r"^Ran (\d+) tests", done.stderr, re.MULTILINE)
    assert ran is not None, done.stderr[-3000:]
    assert int(ran[1]) >= 50
    failed = set(re.findall(r"^(?:FAIL|ERROR): (\S+) ", done.stderr, re.MULTILINE))
    assert failed - set(DIFFERENCES) - set(REMOVED) == set(), done.stderr[-6000:]
    has_ping = (tests / "sitemaps_tests" / "test_utils.py").is_file()
    assert ("sitemaps_tests.test_utils" in failed) == has_ping
    assert set(DIFFERENCES) - failed == set(), "these are no differences any more"
