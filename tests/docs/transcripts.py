"""Runs what a page of documentation shows a person typing, and compares what it says comes of it.

A section (from one ``##`` to the next) is run in a folder of its own, from top to bottom:

- a ``console`` block: each line after ``$`` is run, and what stands below must come of it, on
  stdout and stderr together. ``…`` stands for any words, alone on a line for any lines. A command
  that fails is followed by ``$ echo $?``;
- any block after ``<!-- file: NAME -->`` is written to that file;
- ``<!-- run … -->`` is a script that readers do not see, ``<!-- needs: NAME -->`` a server.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from urlset.cli import main

__all__ = ["Block", "Section", "Step", "read_sections", "run_command"]

_PART = re.compile(
    r"^<!-- (?P<word>run|needs:)(?P<body>.*?)-->$"
    r"|(?:^<!-- file: (?P<file>\S+) -->\n+)?"
    r"^(?P<indent> *)```(?P<kind>\w*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_TIMEOUT_S = 120


class Step(NamedTuple):
    """A command, the text that is to come of it, and the line where it stands."""

    command: str
    expected: str
    line: int


class Block(NamedTuple):
    """A part of a section: ``console``, ``file``, ``run``, ``needs`` or ``other``."""

    what: str
    name: str
    text: str
    line: int

    def steps(self) -> Iterator[Step]:
        """The commands of a console."""
        expected: list[str] = []
        command, start = "", self.line
        for number, line in enumerate(self.text.splitlines(), self.line):
            if line.startswith("$ "):
                if command:
                    yield Step(command, "\n".join(expected), start)
                command, expected, start = line[2:], [], number
            elif not expected and (command.endswith("\\") or _is_open(command)):
                command = f"{command}\n{line}"
            else:
                expected.append(line)
        if command:
            yield Step(command, "\n".join(expected), start)


class Section(NamedTuple):
    """A part of a page under one heading."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """The servers that it needs."""
        return tuple(block.name for block in self.blocks if block.what == "needs")


def read_sections(page: Path) -> list[Section]:
    """Cut a page into its sections; those without a block are left out."""
    text = page.read_text(encoding="utf-8")
    starts = [found.start() for found in re.finditer(r"^## ", text, re.MULTILINE)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        title = text[start + 3 :].partition("\n")[0]
        blocks = tuple(_blocks(text, start, end))
        if blocks:
            found.append(Section(title, blocks))
    return found


def _blocks(text: str, start: int, end: int) -> Iterator[Block]:
    for found in _PART.finditer(text, start, end):
        if found["word"]:
            word = found["word"].removesuffix(":")
            yield Block(
                word, found["body"].strip(), found["body"], text.count("\n", 0, found.start())
            )
            continue
        line = text.count("\n", 0, found.start("text")) + 1
        body = re.sub(f"(?m)^{found['indent']}", "", found["text"])
        what = "file" if found["file"] else found["kind"] if found["kind"] == "console" else "other"
        yield Block(what, found["file"] or found["kind"], body, line)


# What a slow machine tells while it is at work.
_PROGRESS = re.compile(r"^(?:[\d,]+ URLs|[\d,]+ of [\d,]+ files)\n", re.MULTILINE)


def matches(told: str, expected: str) -> bool:
    """Tell whether a text is the expected one, in which … stands for anything."""
    told = f"{told.rstrip()}\n".lstrip("\n").replace("\r\n", "\n")
    told = _PROGRESS.sub("", told)
    pattern = "".join(map(_line, expected.splitlines()))
    return re.fullmatch(pattern, told) is not None


def _line(text: str) -> str:
    if text.strip() == "…":
        return r"(?:.*\n)*?"
    return ".*?".join(map(re.escape, text.split("…"))) + r"\n"


def _is_open(command: str) -> bool:
    """Tell whether a quotation goes on in the next line."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def run_command(command: str, programs: Path, *, in_process: bool = True) -> tuple[int, str]:
    """Run a command: urlset alone in this process, which is quicker, all else in a shell."""
    bare = _QUOTED.sub("", command)
    if in_process and command.startswith("urlset ") and not re.search(r"[|<>;&*$`~#]", bare):
        return _in_process(shlex.split(command.replace("\\\n", " "))[1:])
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIMEOUT_S,
        env=environment,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _in_process(arguments: list[str]) -> tuple[int, str]:
    kept = sys.stdout, sys.stderr
    taken = io.BytesIO()
    stream = io.TextIOWrapper(taken, encoding="utf-8", write_through=True)
    sys.stdout = sys.stderr = stream
    try:
        code = main(arguments)
    finally:
        sys.stdout, sys.stderr = kept
    stream.flush()
    return code, taken.getvalue().decode()
