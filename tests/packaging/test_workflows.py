"""The workflows of GitHub: permissions, order of publication, targets that exist."""

import re
from typing import Any

import pytest

from tests.packaging.scripts import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(name: str) -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


RELEASE = load("release")["jobs"]


def uses(job: dict[str, Any]) -> list[str]:
    return [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]


def test_pure_wheel_and_sdist_are_published_before_native_wheels():
    assert set(RELEASE["publish-source"]["needs"]) == {"source", "native"}
    assert RELEASE["publish-native"]["needs"] == "publish-source"


@pytest.mark.parametrize("name", ["publish-source", "publish-native"])
def test_publication_is_trusted_and_attested(name):
    """https://docs.pypi.org/trusted-publishers/using-a-publisher/: id-token, an environment."""
    job = RELEASE[name]

    assert job["permissions"] == {"id-token": "write", "attestations": "write"}
    assert job["environment"] == "release"
    assert uses(job)[-2:] == ["actions/attest-build-provenance", "pypa/gh-action-pypi-publish"]
    assert "secrets." not in str(job)


def test_native_wheels_are_built_from_the_sdist():
    scripts = [step.get("run", "") for step in RELEASE["native"]["steps"]]

    assert RELEASE["native"]["needs"] == "source"
    assert any("cibuildwheel dist/*.tar.gz" in script for script in scripts)
    assert not any("checkout" in action for action in uses(RELEASE["native"]))


def test_release_checks_tag_and_files():
    scripts = [step.get("run", "") for step in RELEASE["source"]["steps"]]

    assert scripts.index('python packaging/versions.py "$GITHUB_REF_NAME"') < scripts.index(
        "python packaging/release_check.py"
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_workflow_has_least_rights_and_limits(file):
    workflow = load(file.stem)

    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("timeout-minutes"), f"{name} has no limit of time"
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name
            # Text of a stranger, such as a title or a branch, must not become a command.
            assert "${{ github.event" not in step.get("run", ""), name


@pytest.mark.parametrize("file", [*FILES, ROOT / "action.yml"], ids=lambda file: file.name)
def test_actions_are_pinned_by_the_hash_of_a_commit(file):
    """A tag can be moved to other code, a commit cannot. The comment names the tag."""
    lines = re.findall(r"^ *(?:- )?(uses: .*)$", file.read_text(encoding="utf-8"), re.MULTILINE)

    assert lines
    for line in lines:
        assert re.fullmatch(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_each_action_has_one_version():
    files = [*FILES, ROOT / "action.yml"]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    pins = set(re.findall(r"uses: (\S+)@(\S+ # \S+)", text))

    assert len(pins) == len({action for action, _ in pins}), sorted(pins)


def test_site_is_checked_before_it_is_published():
    jobs = load("ci")["jobs"]
    scripts = [step.get("run", "").partition(" PYTHONS")[0] for step in jobs["site"]["steps"]]

    assert scripts.index("make site-check") < scripts.index("make site")
    assert {"site", "test"} <= set(jobs["publish-site"]["needs"])
    assert jobs["publish-site"]["permissions"] == {"id-token": "write", "pages": "write"}
    # Not for a pull request, which may come from a fork.
    assert "github.event_name == 'push'" in jobs["publish-site"]["if"]


def test_release_keeps_the_recipes():
    paths = [str(step.get("with", {}).get("path")) for step in RELEASE["source"]["steps"]]

    assert "build/recipes/" in paths


def test_workflows_use_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = "".join(file.read_text(encoding="utf-8") for file in FILES)

    used = set(re.findall(r"run: make ([a-z-]+)", text))

    assert used
    assert used <= targets


def test_lowest_and_newest_requirements_are_tested():
    text = str(load("ci")["jobs"])

    assert "--resolution lowest-direct" in text
    assert "LOCK=no" in text
