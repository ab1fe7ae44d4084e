"""Refuse output files that would replace a source of the same command, or each other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from urlset.temp_files import is_special
from urlset.terminal_text import printable

_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")

StrPath = str | os.PathLike[str]


def expect_own_files(
    outputs: Mapping[str, StrPath | None],
    inputs: Iterable[StrPath],
    folder: StrPath | None = None,
    names: Iterable[str] = (),
) -> None:
    """Raise ``ValueError`` for an output that is a source, a sitemap of the set, or another output.

    Files are compared by what they are, not by their spelling. Devices and pipes are no files.

    Args:
        outputs: Paths of the outputs, by the names of their options; None and ``-`` are ignored.
        inputs: Paths of the sources; URLs and ``-`` are ignored.
        folder: Folder of the set that is published.
        names: Those names of the outputs in that folder that the set may write.

    >>> expect_own_files({"changes": "a.jsonl", "excluded": "b.jsonl"}, ["a.txt"])
    >>> expect_own_files({"changes": "./a.txt"}, ["a.txt"])
    Traceback (most recent call last):
    ValueError: changes: expected a file of its own, found './a.txt', which is a source; name \
another file
    """
    files = {name: path for name, path in outputs.items() if path is not None and is_file(path)}
    if not files:
        return
    sources = [path for path in inputs if "://" not in os.fspath(path) and is_file(path)]
    published = {*names}
    earlier: dict[str, StrPath] = {}
    for name, path in files.items():
        other = next((one for one, its in earlier.items() if _is_same(path, its)), None)
        if any(_is_same(path, source) for source in sources):
            what = "a source"
        elif other is not None:
            what = f"the file of {other}, too"
        elif folder is not None and is_directly_in(path, folder) and _name(path) in published:
            what = "a sitemap of the set"
        else:
            earlier[name] = path
            continue
        shown = printable(os.fspath(path))
        raise ValueError(
            f"{name}: expected a file of its own, found {shown!r}, which is {what}; "
            "name another file"
        )


def is_file(path: StrPath) -> bool:
    """Return whether a path is that of a file, which may not exist yet.

    >>> is_file("sitemap.xml"), is_file("/dev/null"), is_file("-")
    (True, False, False)
    """
    text = os.fspath(path)
    try:
        return text != "-" and not text.startswith(_STREAMS) and not is_special(Path(text))
    except (OSError, ValueError):  # ValueError: a NUL in it
        return False


def is_directly_in(path: StrPath, folder: StrPath) -> bool:
    """Return whether a file is in a folder, not below it."""
    return _is_same(os.path.dirname(os.path.abspath(path)), folder)


def _name(path: StrPath) -> str:
    return os.path.basename(os.path.abspath(path))


def _is_same(one: StrPath, other: StrPath) -> bool:
    try:
        return os.path.samefile(one, other)
    except FileNotFoundError:
        return os.path.realpath(one) == os.path.realpath(other)
    except OSError:
        return False
