"""The workflows of GitHub: permissions, order of publication, targets that exist."""

import json
import os
import re
import shutil
import subprocess
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

    assert scripts.index("make site-check") < scripts.index("make site-versions")
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


def scripts_of(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_version_tags_start_a_release_and_the_floating_tag_does_not():
    """YAML reads the key `on` as true."""
    workflow: dict[Any, Any] = load("release")

    assert workflow[True]["push"] == {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}


def test_image_is_pushed_after_its_checks_and_attested():
    job = RELEASE["publish-image"]
    scripts = [step.get("run", "") for step in job["steps"]]
    attested = [step["with"] for step in job["steps"] if "attest" in step.get("uses", "")]

    assert job["needs"] == "publish-native"
    assert scripts.index("make image") < next(i for i, s in enumerate(scripts) if "push" in s)
    assert job["permissions"] == {
        "contents": "read",
        "packages": "write",
        "id-token": "write",
        "attestations": "write",
    }
    assert [each["subject-digest"] for each in attested] == [
        "${{ steps.push.outputs.debian }}",
        "${{ steps.push.outputs.distroless }}",
    ]


def test_release_on_github_has_notes_and_all_files():
    job = RELEASE["release"]
    script = scripts_of(job)
    (download,) = (step["with"] for step in job["steps"] if "download" in step.get("uses", ""))

    assert job["permissions"] == {"contents": "write"}
    assert set(job["needs"]) == {"publish-native", "publish-image"}
    assert "pattern" not in download
    assert script.index("packaging/release_notes.py") < script.index("gh release create")


FAKE_GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in
  *matching-refs*) printf 'refs/tags/v1.9.0\\nrefs/tags/v1.10.0\\nrefs/tags/v1.2.0\\n' ;;
  *PATCH*) exit "$NO_TAG" ;;
esac
"""


@pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="the workflow runs in bash"
)
@pytest.mark.parametrize(
    ("version", "no_tag", "verbs"),
    [("v1.10.0", "0", ["PATCH"]), ("v1.10.0", "1", ["PATCH", "POST"]), ("v1.9.0", "0", [])],
    ids=["moved", "new", "older"],
)
def test_floating_tag_moves_to_the_newest_version_only(version, no_tag, verbs, tmp_path):
    (tmp_path / "gh").write_text(FAKE_GH, encoding="utf-8")
    (tmp_path / "gh").chmod(0o755)
    log = tmp_path / "log"
    variables = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GH_LOG": str(log),
        "NO_TAG": no_tag,
        "GITHUB_REF_NAME": version,
        "GITHUB_REPOSITORY": "owner/urlset",
        "GITHUB_SHA": "f" * 40,
    }

    script = RELEASE["release"]["steps"][-1]["run"]
    subprocess.run(["bash", "-e", "-c", script], env=variables, check=True)

    calls = log.read_text(encoding="utf-8").splitlines()[1:]
    assert [re.findall(r"PATCH|POST", call)[0] for call in calls] == verbs
    assert all("v1 " in call and "f" * 40 in call for call in calls)


def test_server_of_agents_is_published_by_its_owner_with_a_pinned_program():
    job = RELEASE["publish-server"]
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    owner = server["name"].removeprefix("io.github.").partition("/")[0]

    assert job["needs"] == "publish-native"
    assert job["if"] == f"github.repository_owner == '{owner}'"
    assert job["permissions"] == {"contents": "read", "id-token": "write"}
    assert re.search(r"go install \S+/cmd/publisher@v\d+\.\d+\.\d+\n", scripts_of(job))
    assert scripts_of(job).index("login github-oidc") < scripts_of(job).index('publisher" publish')


def test_requirements_of_three_kinds_are_updated_after_a_week():
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    updates = yaml.safe_load(text)["updates"]

    assert {each["package-ecosystem"] for each in updates} == {"github-actions", "cargo", "pip"}
    assert all(each["cooldown"]["default-days"] >= 7 for each in updates)
    assert all((ROOT / each["directory"].lstrip("/")).is_dir() for each in updates)


def test_action_has_what_the_marketplace_asks_for():
    """https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    colors = {"white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"}

    assert {"name", "author", "description", "branding"} <= set(action)
    assert len(action["description"]) < 125
    assert action["branding"]["color"] in colors
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", action["branding"]["icon"])
    assert all(each["description"] for each in (*action["inputs"].values(),))
    assert all(each["description"] for each in (*action["outputs"].values(),))


@pytest.mark.parametrize("command", [("zizmor", "--offline", "--quiet"), ("actionlint",)])
def test_linters_of_workflows_find_nothing(command):
    """CI installs both, in exact versions."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    files = [*FILES, ROOT / "action.yml", ROOT / ".github" / "dependabot.yml"]
    files = FILES if command[0] == "actionlint" else files

    done = subprocess.run(
        [*command, *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"\b{command[0]}(==|/cmd/actionlint@v)\d+\.\d+\.\d+", str(load("ci")))
