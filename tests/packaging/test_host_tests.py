"""The versions of hosts that are tested are those that the documentation states."""

from __future__ import annotations

import sys

import pytest

from tests.packaging.scripts import ROOT, load

sys.path.insert(0, str(ROOT / "packaging"))
try:
    script = load("host_tests")
finally:
    sys.path.pop(0)


def oldest(host) -> str:
    """Return the oldest version as documents state it, such as ``Django 4.2``."""
    requirement = next(each for each in host.oldest if each.startswith(f"{host.package}=="))
    return ".".join(requirement.partition("==")[2].split(".")[:2])


@pytest.mark.parametrize("host", script.HOSTS, ids=lambda host: host.name)
def test_guides_state_the_oldest_version(host):
    text = (ROOT / "docs" / host.guide).read_text(encoding="utf-8")
    name = host.package if host.package.endswith("-core") else host.name

    assert f"{name} {oldest(host)}" in text


@pytest.mark.parametrize("host", script.HOSTS, ids=lambda host: host.name)
def test_table_of_versions_has_the_oldest(host):
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")

    (row,) = [line for line in text.splitlines() if line.startswith(f"| {host.name} |")]
    assert row.split("|")[2].strip().startswith(oldest(host))


def test_tests_of_hosts_exist():
    for host in script.HOSTS:
        for argument in host.tests:
            assert not argument.startswith("tests/") or (ROOT / argument).is_file()


def test_a_report_without_tests_counts_nothing(tmp_path):
    report = tmp_path / "report.xml"
    assert script._counts(report) == (0, 0)
    report.write_text(
        '<testsuites><testsuite tests="9" skipped="2" failures="1" errors="1"/></testsuites>'
    )
    assert script._counts(report) == (5, 2)
