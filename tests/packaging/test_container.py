"""The Dockerfile, line by line, and the check of its images; no container engine is needed."""

import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.packaging.scripts import ROOT, load
from urlset.engine import available

contents = load("contents")
image_check = load("image_check")

try:
    TRACKED = contents.tracked()
except (OSError, subprocess.CalledProcessError):
    pytest.skip("no git, or no repository: an sdist lists no files", allow_module_level=True)


class Stage(NamedTuple):
    """A stage of the build: its image, its name, and its instructions."""

    image: str
    name: str
    steps: list[tuple[str, str]]

    def last(self, instruction: str) -> str:
        """Return the arguments of the last instruction of a kind, or an empty string."""
        return next((text for name, text in reversed(self.steps) if name == instruction), "")


def stages() -> list[Stage]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    found: list[Stage] = []
    for line in filter(None, lines):
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append(Stage(image, name, []))
        elif found:
            found[-1].steps.append((instruction, rest.strip()))
        else:
            assert instruction == "ARG", line
    return found


STAGES = stages()
FINAL = [stage for stage in STAGES if stage.last("ENTRYPOINT")]


def in_context(name: str) -> bool:
    """Return whether a file is sent to the builder: the last matching line decides."""
    is_sent = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        parts = name.split("/")
        heads = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        if pattern.startswith("**/"):
            matches = any(fnmatchcase(part, pattern[3:]) for part in parts)
        else:
            matches = any(fnmatchcase(head, pattern) for head in heads)
        if matches:
            is_sent = line.startswith("!")
    return is_sent


def test_wheel_can_be_built_from_the_context():
    needed = [
        name
        for name in TRACKED
        if name.startswith(("src/", "rust/", "packaging/"))
        or name in ("LICENSE", "README.md", "pyproject.toml", "setup.py", "requirements/base.txt")
    ]

    assert [name for name in needed if not in_context(name)] == []


@pytest.mark.parametrize(
    "name",
    [".git/config", ".venv/bin/python", "rust/target/release/x",
     "src/urlset/engine/_native.abi3.so", "src/urlset/__pycache__/x.pyc",
     "tests/conftest.py", "dist/x.whl", ".env"],
)  # fmt: skip
def test_secrets_and_built_files_stay_outside(name):
    assert not in_context(name)


def test_copied_files_exist():
    names = {stage.name for stage in STAGES}
    for stage in STAGES:
        for instruction, text in stage.steps:
            if instruction == "COPY":
                *sources, _ = (word for word in shlex.split(text) if not word.startswith("--"))
                if origin := re.search(r"--from=(\S+)", text):
                    assert origin[1] in names
                else:
                    assert all((ROOT / source).exists() for source in sources), text


def test_images_have_versions():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    images = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))

    assert {stage.image for stage in STAGES} == {f"${{{name}}}" for name in images}
    for image in images.values():
        assert re.fullmatch(r"\S+:\S+", image), image
        assert not image.endswith(":latest")


def test_every_python_has_the_version_of_the_copied_packages():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert "python:3.13-" in text
    assert "/opt/urlset/lib/python3.13/site-packages" in text


@pytest.mark.parametrize("stage", FINAL, ids=[stage.name or "default" for stage in FINAL])
def test_image_runs_urlset_as_a_user_without_rights(stage):
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", stage.last("USER"))
    assert "urlset" in stage.last("ENTRYPOINT")
    assert stage.last("ENTRYPOINT").startswith("[")  # no shell, so that signals arrive
    environment = " ".join(text for name, text in stage.steps if name == "ENV")
    # A read-only root: nothing is written but in /work and /tmp.
    assert "PYTHONDONTWRITEBYTECODE=1" in environment
    assert "HOME=/tmp" in environment
    assert stage.last("WORKDIR") == "/work"


def test_last_stage_is_an_image_to_run():
    assert STAGES[-1] in FINAL


@pytest.mark.parametrize("stage", STAGES, ids=[stage.name or "default" for stage in STAGES])
def test_commands_are_shell(stage):
    for instruction, text in stage.steps:
        if instruction == "RUN":
            subprocess.run(["sh", "-n", "-c", text], check=True)
            assert "curl" not in text
            assert "sudo" not in text


ENGINE = """
import os, subprocess, sys
words = sys.argv[1:]
if words[:2] == ["image", "inspect"]:
    print('[{"Config": {"User": "%s:%s"}}]' % (os.environ["IMAGE_USER"], os.environ["IMAGE_USER"]))
else:
    name = words.index("image")
    folder = words[words.index("--volume") + 1].removesuffix(":/work")
    command = [sys.executable, "-m", "urlset", *(words[name + 1 :] or ["--help"])]
    sys.exit(subprocess.run(command, cwd=folder).returncode)
"""


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """A stand-in for docker: it runs this installation, without a container."""
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'engine.py'))}"


@pytest.mark.slow  # eight commands
def test_check_of_an_image_uses_commands_that_exist(engine, tmp_path, monkeypatch, capsys):
    if "native" not in available():
        pytest.skip("the native engine is not built")
    monkeypatch.setattr(image_check, "USER", os.getuid())
    folder = tmp_path / "work"
    folder.mkdir()

    image_check.use(image_check.Image(engine, "image"), folder)

    assert capsys.readouterr().out.count("exit code 0") == 6


def test_image_with_another_user_is_refused(engine, monkeypatch):
    monkeypatch.setenv("IMAGE_USER", "0")
    monkeypatch.setattr("sys.argv", ["image_check.py", "--engine", engine, "image"])

    with pytest.raises(SystemExit, match="another user"):
        image_check.main()


def test_containers_of_the_check_are_limited():
    options = " ".join(image_check.LIMITS)

    for limit in ("--read-only", "--network none", "--cap-drop ALL", "no-new-privileges"):
        assert limit in options
