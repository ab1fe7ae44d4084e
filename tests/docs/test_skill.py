"""The skill for agents: its front matter, its length, and each command line in it, on a server."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.test_commands import command
from tests.docs.test_home_page import SITE, located, site
from urlset.cli.app import COMMANDS
from urlset.cli.command_model import describe_commands

__all__ = ["site"]

SKILL = Path(__file__).parents[2] / "skills" / "urlset" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]
INLINE = [text for text in re.findall(r"`(urlset [^`]+)`", TEXT) if "COMMAND" not in text]


def test_front_matter_has_what_agents_read():
    """https://agentskills.io/specification: a name of up to 64 characters, as its folder; a
    description of up to 1,024."""
    front = re.match(r"---\nname: ([a-z0-9-]{1,64})\ndescription: (.{1,1024})\n---\n\n", TEXT)

    assert front is not None
    assert front[1] == SKILL.parent.name
    assert ": " not in front[2], "YAML would read a mapping"


def test_it_is_short():
    assert len(TEXT.splitlines()) < 200


@pytest.mark.skipif(os.name == "nt", reason="the page speaks to a POSIX shell")
@pytest.mark.slow
def test_each_command_line_runs(site, capsys, monkeypatch):
    folder = Path.cwd()
    Path("maps").mkdir()
    Path("public/sitemap.xml").write_bytes(Path("released/sitemap.xml").read_bytes())
    Path("maps/sitemap.xml").write_bytes(Path("released/sitemap.xml").read_bytes())
    run = command(capsys, monkeypatch, folder)
    monkeypatch.setenv("no_proxy", "*")

    for line in LINES:
        program, *words = shlex.split(located(line, site))
        ran = run(*words)

        assert program == "urlset"
        assert ran.code in (0, 1), f"{line}\n{ran.err}"
        assert len(ran.out) < 30_000, line
        if "jsonl" in words and "--output" not in words:
            assert [json.loads(row) for row in ran.out.splitlines()] or "HAVING" in line, line
        elif "--format json" in line and "-o" not in words:
            assert json.loads(ran.out)["is_complete"] in (True, False), line
    assert LINES


@pytest.mark.parametrize("text", INLINE)
def test_each_command_and_option_exists(text):
    _, name, *words = text.replace("`", "").split()
    known = {info.name: info for info in describe_commands()}

    assert name in COMMANDS
    flags = {flag for option in known[name].options for flag in option.names}
    assert {word for word in words if word.startswith("-") and word != "-"} <= flags


def test_each_flag_that_it_names_exists():
    flags = {flag for info in describe_commands() for each in info.options for flag in each.names}

    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", TEXT))
    assert named <= flags, named - flags
    assert SITE in TEXT
