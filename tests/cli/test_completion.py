"""Completion in real shells: bash, zsh and fish get the script that the command prints."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.forks import forked
from urlset.checker import CATALOGUE
from urlset.cli.app import COMMANDS
from urlset.cli.command_model import describe_commands
from urlset.cli.completion_scripts import LISTS, completion_script
from urlset.option_schema import options_of

ROOT = Path(__file__).parents[2]
INSTALLED = {"bash": "bash/urlset", "zsh": "zsh/_urlset", "fish": "fish/urlset.fish"}
CASES = [
    ("ch", {"check"}),
    ("check --fix", {"--fix"}),
    ("read --format pa", {"parquet"}),
    ("read --format=pa", {"parquet"}),
    ("read --fo", {"--format", "--follow", "--follow-only"}),
    ("rules lastmod-f", {"lastmod-future"}),
    ("check --select lastmod-f", {"lastmod-future"}),
    ("completion ", {"bash", "zsh", "fish"}),
    ("--color n", {"never"}),
    ("check --color n", {"never"}),
    ("build --force sh", {"shrunk"}),
    ("build --with im", {"images"}),
    ("build --lastmod no", {"none"}),
    ("submit --to g", {"google"}),
    ("check --select G053", {"G053"}),
    ("rules U01", {f"U01{n}" for n in range(10) if f"U01{n}" in CATALOGUE}),
    ("read here", {"here.xml"}),
    ("read --output here", {"here.xml"}),
]


@pytest.fixture
def folder(tmp_path):
    """A folder with a file, and the scripts of all shells."""
    (tmp_path / "here.xml").touch()
    for shell in INSTALLED:
        (tmp_path / f"urlset.{shell}").write_text(completion_script(shell), encoding="utf-8")
    return tmp_path


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_bash_completes(line, expected, folder):
    """The words are split as bash does: = and : are words of their own."""
    words = [part for word in ["urlset", *line.split(" ")] for part in re.split("(=)", word)]
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        f"source ./urlset.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _urlset; "
        # What `complete -o default` does without a match:
        '[[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"));'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )

    ran = subprocess.run(
        [program("bash"), "--norc", "-c", script],
        cwd=folder, capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip

    assert set(ran.stdout.split()) == expected
    assert ran.stderr == ""


@pytest.mark.parametrize(
    ("option", "typed", "expected"),
    [
        ("check --ignore", "X003,utf8-b", "X003,utf8-bom"),
        ("check --ignore", "utf8-bom,X003", "utf8-bom,X003"),
        ("build --lastmod", "given,pa", "given,page"),
        ("build --with", "images,vi", "images,videos"),
    ],
)
def test_bash_completes_the_last_value_of_a_list(option, typed, expected, folder):
    script = (
        f"source ./urlset.bash; COMP_WORDS=(urlset {option} {typed}); COMP_CWORD=3; "
        'COMPREPLY=(); _urlset; printf "%s\\n" "${COMPREPLY[@]}"'
    )

    ran = subprocess.run(
        [program("bash"), "--norc", "-c", script],
        cwd=folder, capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip

    assert ran.stdout.split() == [expected]


def test_the_values_of_lists_are_those_that_the_commands_accept():
    for option in ("force", "lastmod", "with"):
        values = LISTS[f"build --{option}"]
        name = "with_" if option == "with" else option
        for value in values:
            assert value in next(each.help for each in options_of("build") if each.name == name)
    channels = next(each.help for each in options_of("submit") if each.name == "to")
    assert all(value in channels for value in LISTS["submit --to"])


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish_completes(line, expected, folder):
    script = f"source ./urlset.fish; complete -C 'urlset {line}'"

    ran = subprocess.run(
        [program("fish"), "--no-config", "-c", script],
        cwd=folder, capture_output=True, text=True, check=True, timeout=30,
        env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip

    found = {row.partition("\t")[0].removeprefix("--format=") for row in ran.stdout.splitlines()}
    assert found == expected
    assert ran.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of POSIX")
@pytest.mark.parametrize(
    ("shell", "typed", "expected"),
    [
        ("zsh", "urlset subm\t", "urlset submit "),
        ("zsh", "urlset check --unsa\t", "urlset check --unsafe-fixes "),
        ("zsh", "urlset read --format pa\t", "urlset read --format parquet "),
        ("zsh", "urlset rules lastmod-fu\t", "urlset rules lastmod-future"),
        ("zsh", "urlset read her\t", "urlset read here.xml "),
        ("bash", "urlset subm\t", "urlset submit "),
        ("bash", "urlset read --format=pa\t", "urlset read --format=parquet "),
        ("bash", "urlset read --output her\t", "urlset read --output here.xml "),
    ],
)
def test_tab_completes_in_a_terminal(shell, typed, expected, folder):
    load = {
        "zsh": "autoload -Uz compinit; compinit -u -D; source ./urlset.zsh; PS1='ready> '\n",
        "bash": "source ./urlset.bash; PS1='ready> '\n",
    }[shell]
    words = {"zsh": ["-f", "-i"], "bash": ["--norc", "--noprofile", "-i"]}[shell]

    shown = typed_into([program(shell), *words], load, typed, expected, folder)

    assert expected in shown


def typed_into(words, load: str, typed: str, expected: str, folder: Path) -> str:
    """Return what a terminal shows after a shell has loaded a script and a line was typed."""
    pid, terminal = forked(pty.fork)
    if pid == 0:
        os.chdir(folder)
        environment = {
            "HOME": str(folder),
            "TERM": "dumb",
            "PATH": os.environ["PATH"],
            "LC_ALL": "C",
        }
        os.execve(words[0], words, environment)
    shown = ""
    try:
        os.write(terminal, load.encode())
        prompt = "ready> (?!')"  # not that of the command that sets it
        for wanted, then in ((prompt, typed), (re.escape(expected), "")):
            deadline = time.monotonic() + 30
            while not re.search(wanted, shown) and time.monotonic() < deadline:
                if select.select([terminal], [], [], 1)[0]:
                    shown += plain(os.read(terminal, 4_096).decode(errors="replace"))
            os.write(terminal, then.encode())
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
    return shown


def plain(text: str) -> str:
    """Text of a terminal without control sequences; a backspace removes a character."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07|\r", "", text)
    while "\b" in text:
        text = re.sub("[^\b]?\b", "", text, count=1)
    return text


@pytest.mark.parametrize("shell", INSTALLED)
def test_script_knows_every_command_and_option(shell):
    script = completion_script(shell)

    root, *commands = describe_commands()
    assert [command.name for command in commands] == list(COMMANDS)
    for command in (root, *commands):
        assert len(command.options) > 2
        for name in (name for option in command.options for name in option.names):
            shown = (
                name
                if shell != "fish"
                else f" -l {name[2:]} "
                if "--" in name
                else f" -s {name[1:]} "
            )
            assert shown in script
    assert all(rule.name in script for rule in CATALOGUE.values())


def test_command_prints_the_script():
    ran = subprocess.run(
        [sys.executable, "-m", "urlset", "completion", "bash"], capture_output=True, check=True
    )

    assert ran.stdout.decode() == completion_script("bash")
    assert ran.stderr == b""
