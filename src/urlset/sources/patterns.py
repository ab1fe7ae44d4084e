"""Gathers the sources that were named: by a pattern (``data/*.csv``), and all logs as one."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from urlset.errors import SourceError
from urlset.sources.candidates import Source

__all__ = ["Unread", "expanded", "split_kind", "with_logs_together"]

_KIND = re.compile(r"[a-z]{2,}:")


def split_kind(text: str) -> tuple[str, str | None]:
    """Split what a person says of the kind of a source from its path; None where it is no path.

    >>> split_kind("csv:data/*.txt"), split_kind("https://example.com/"), split_kind("env:DATABASE")
    (('csv:', 'data/*.txt'), ('', None), ('', None))
    """
    if "://" in text or text == "-" or text.startswith("env:"):
        return "", None
    kind = _KIND.match(text)
    prefix = kind[0] if kind is not None else ""
    return prefix, text[len(prefix) :]


def expanded(source: str | Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The sources that a pattern names, in the order of their names; or the one that it is.

    ``*``, ``?`` and ``[…]`` stand for what they do in a shell, ``**`` for any folders. A file that
    has them in its own name is that file. Raises :class:`urlset.SourceError` for a pattern that
    fits nothing.
    """
    table = source if isinstance(source, Mapping) else {"path": source}
    text = table["path"]
    kind, path = split_kind(text)
    if path is None or not glob.has_magic(path) or os.path.exists(path):
        yield table
        return
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise SourceError(
            f"expected sources, found nothing that fits {text!r}; check the pattern, and the "
            f"folder that it begins in ({os.path.abspath(_root(path))})"
        )
    for name in found:
        yield {**table, "path": kind + name}


def _root(path: str) -> str:
    """The folder of a pattern that is none itself."""
    folder = os.path.dirname(path)
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder or "."


class Unread:
    """A source that cannot be opened, where the others are to be built without it."""

    def __init__(self, name: str, error: str):
        self.name = name
        self.failures = [error]
        self.notes: list[str] = []

    def batches(self) -> Iterator[Any]:
        """Nothing."""
        return iter(())


def with_logs_together(sources: Iterable[Source]) -> Iterator[Source]:
    """Make one source of all logs: what the old one had is gone by the word of the new one."""
    log: Any = None
    for source in sources:
        if type(source).__name__ != "AccessLog":
            yield source
        elif log is None:
            log = source
            yield log
        else:
            log.merge(source)
