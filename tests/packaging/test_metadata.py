"""Version, changelog, lock files: each is stated once, or agrees with its source."""

import json
import re
import tomllib
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

import urlset
from tests.packaging.scripts import ROOT, load

versions = load("versions")
lock = load("lock")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("place", versions.stated())
def test_version_is_the_same_everywhere(place):
    assert versions.stated()[place] == PROJECT["version"]


def test_server_of_agents_is_what_the_registry_expects():
    """https://modelcontextprotocol.io/registry: one slash in the name, which the README repeats."""
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (package,) = server["packages"]

    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert f"mcp-name: {server['name']}\n" in readme
    assert len(server["description"]) <= 100
    assert (package["identifier"], package["version"]) == (PROJECT["name"], PROJECT["version"])
    assert package["runtimeArguments"][0]["value"] == f"urlset[mcp]=={PROJECT['version']}"
    words = {each.get("value") or each["name"] for each in package["packageArguments"]}
    assert words == {"mcp", "--root"}


def test_version_of_the_package_is_that_of_the_metadata():
    assert urlset.__version__ == PROJECT["version"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that state the version."""
    for name in ("pyproject.toml", *versions.stated()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


def test_tag_of_another_version_is_refused(project):
    tag = f"v{PROJECT['version']}1"

    assert versions.problems(project, tag) != []


def test_tag_needs_a_date_in_the_changelog(project):
    tag, changelog = f"v{PROJECT['version']}", project / "CHANGELOG.md"
    heading = f"## [{PROJECT['version']}] - "
    before, _, after = CHANGELOG.partition(heading)
    rest = after.partition("\n")[2]

    changelog.write_text(f"{before}{heading}Unreleased\n{rest}", encoding="utf-8")
    assert versions.problems(project, tag) == [
        f"CHANGELOG.md: expected a date for version {PROJECT['version']}, found 'Unreleased'"
    ]
    changelog.write_text(f"{before}{heading}2026-12-01\n{rest}", encoding="utf-8")
    assert versions.problems(project, tag) == []


def test_changelog_has_the_form_of_keep_a_changelog():
    """https://keepachangelog.com/en/1.1.0/: newest first, a date each, changes by kind."""
    headings = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    known = [
        re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d|Unreleased)", heading)
        for heading in headings
    ]

    assert all(known), headings
    found = [Version(heading[1]) for heading in known if heading]
    assert found == sorted(found, reverse=True)
    assert [heading[2] for heading in known if heading].count("Unreleased") <= 1
    kinds = re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)
    assert set(kinds) <= KINDS


def test_newest_changes_have_a_kind():
    newest = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1]
    before, _, rest = newest.partition("\n### ")

    assert not re.search(r"^- ", before, re.MULTILINE), "put each change below a kind: ### Added"
    assert rest


def pinned(name: str) -> dict[str, list[Version]]:
    """Return the versions in a lock file; markers may choose among several."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    found: dict[str, list[Version]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(package, []).append(Version(version))
    return found


@pytest.mark.parametrize("name", ["base", "dev", "site"])
def test_lock_file_satisfies_the_project(name):
    versions_of = pinned(name)
    wanted = [Requirement(line) for line in lock.requirements()[name]]

    for requirement in wanted:
        package = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert package in versions_of, f"{package} is not locked: run `make lock`"
        for version in versions_of[package]:
            assert version in requirement.specifier, f"{requirement}: run `make lock`"


@pytest.mark.parametrize("name", ["base", "dev", "site"])
def test_lock_file_has_hashes_and_no_addresses(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.rstrip().partition("\n")[2])

    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "--find-links" not in text


def test_lock_files_agree():
    base, dev = pinned("base"), pinned("dev")

    assert {name: dev.get(name) for name in base} == base


def test_lock_file_is_for_each_supported_python():
    """uv ignores upper bounds of Python, but pip refuses a version that has one."""
    pythons = re.findall(r":: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    text = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    locked = [Requirement(line) for line in re.findall(r"(?m)^(\w.*==.*?) *\\$", text)]
    unfit = []
    for wanted in locked:
        with suppress(metadata.PackageNotFoundError):  # of another platform
            found = metadata.distribution(wanted.name)
            allowed = SpecifierSet(str(found.metadata.json.get("requires_python", "")))
            for python in pythons if found.version in wanted.specifier else ():
                version = {"python_version": python, "python_full_version": f"{python}.0"}
                is_wanted = wanted.marker is None or wanted.marker.evaluate(version)
                if is_wanted and f"{python}.0" not in allowed:
                    unfit.append(f"{wanted} does not support Python {python}: {allowed}")
    assert pythons
    assert locked
    assert not unfit
