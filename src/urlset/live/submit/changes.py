"""Read changes to announce: JSON lines of ``build --changes``, ``diff`` or ``sync``, or objects."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, TextIO

from urlset.dates import format_date
from urlset.errors import SourceError

KINDS = ("added", "changed", "removed", "moved", "unknown")

MAX_LINE = 1_048_576
"""Characters of a line; a longer one is not a change."""


class ChangedUrl(NamedTuple):
    """Changed URL: the kind of the change, and the date or fingerprint that identifies it.

    Attributes:
        change: ``added``, ``changed`` or ``removed``.
        loc: The URL.
        lastmod: Its date after the change, as text.
        fingerprint: Fingerprint of its content after the change.
    """

    change: str
    loc: str
    lastmod: str | None = None
    fingerprint: str | None = None


def changes_of(items: Iterable[Any], name: str = "changes") -> Iterator[ChangedUrl]:
    """Convert objects with ``change`` and ``loc``, as build, diff and sync write, to changes.

    ``moved`` is a removed and an added URL. ``unknown`` is no change: a sitemap could not be read.
    Only a date or a fingerprint that is not the same as before identifies the change; they are in
    ``before`` and ``after``, or those after the change in the object itself.

    Raises:
        SourceError: An object is not a change.

    >>> list(changes_of([{"change": "removed", "loc": "https://example.com/a"}]))
    [ChangedUrl(change='removed', loc='https://example.com/a', lastmod=None, fingerprint=None)]
    """
    for number, item in enumerate(items, 1):
        if isinstance(item, ChangedUrl):
            item = {**item._asdict(), "after": item._asdict()}
        yield from _changes(item, f"{name}:{number}")


def _changes(item: Any, where: str) -> Iterator[ChangedUrl]:
    if hasattr(item, "_asdict"):  # a named tuple, such as a row of a diff
        item = item._asdict()
    elif hasattr(item, "to_dict"):  # an update of a synchronization
        item = item.to_dict()
    if not isinstance(item, Mapping):
        raise SourceError(f"{where}: expected an object with change and loc, found {_shown(item)}")
    kind, loc = item.get("change"), item.get("loc")
    if kind not in KINDS:
        raise SourceError(
            f"{where}: expected a change ({', '.join(KINDS)}), found {_shown(kind)}; "
            "name the file of `build --changes`, of `diff --format jsonl` or of `sync`"
        )
    if not isinstance(loc, str):
        raise SourceError(f"{where}: expected loc, the URL that changed, found {_shown(loc)}")
    before, after = item.get("before"), item.get("after")
    if before is None and after is None:  # a row of sync: the page after the change
        fingerprint = _text(item, "fingerprint")
        is_same = fingerprint is not None and fingerprint == item.get("previous_fingerprint")
        before, after = (item if is_same else None), item
    if kind == "unknown":
        return
    if kind == "moved":
        old, new = _loc(before, loc), _loc(after, loc)
        if old == new:
            raise SourceError(
                f"{where}: expected before.loc and after.loc of a move, found one URL"
            )
        yield ChangedUrl("removed", old)
        yield ChangedUrl("added", new, _text(after, "lastmod"), _text(after, "fingerprint"))
        return
    if kind == "removed":
        yield ChangedUrl("removed", loc)
        return
    is_same = kind == "changed" and _evidence(before) == _evidence(after)
    lastmod, fingerprint = (None, None) if is_same else _evidence(after)
    yield ChangedUrl(kind, loc, lastmod, fingerprint)


def _evidence(state: Any) -> tuple[str | None, str | None]:
    return _text(state, "lastmod"), _text(state, "fingerprint")


def _loc(state: Any, default: str) -> str:
    return state if isinstance(state, str) else _text(state, "loc") or default


def _text(state: Any, name: str) -> str | None:
    state = state._asdict() if hasattr(state, "_asdict") else state
    value = state.get(name) if isinstance(state, Mapping) else None
    if isinstance(value, datetime):
        return format_date(value)
    return None if value is None or value == "" else str(value)


def read_changes(path: str) -> Iterator[ChangedUrl]:
    """Yield the changes of a file of JSON lines; ``-`` is stdin.

    Raises:
        SourceError: The file cannot be read, or a line is not a change.
    """
    name = "stdin" if path == "-" else path
    try:
        with _opened(path) as file:
            yield from changes_of(_objects(file, name), name)
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, SourceError):
            raise
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise SourceError(f"cannot read {name!r}: {reason}") from error


def _objects(file: TextIO, name: str) -> Iterator[Any]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise SourceError(
                f"{name}:{number}: expected a change, found a line over 1 MiB; `urlset sync "
                "--no-text` writes lines without the texts of pages"
            )
        if line.isspace():
            continue
        if line.lstrip().startswith("<"):
            raise SourceError(
                f"{name}: expected changes, found XML; `urlset build --changes FILE` or `urlset "
                "diff OLD NEW --format jsonl` writes those of a sitemap"
            )
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            # Note: without the text, as the file may be anything, such as one with secrets.
            raise SourceError(
                f"{name}:{number}: expected a JSON object with change and loc, found other text"
            ) from error


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    if path == "-":
        yield sys.stdin
        return
    with open(path, encoding="utf-8-sig") as file:
        yield file


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
