"""What only the name of a file tells; its content never depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.document import Document
from urlset.model import Level, Problem
from urlset.rules import RULES
from urlset.urls import split_origin

__all__ = ["name_problems"]


def name_problems(document: Document) -> Iterator[Problem]:
    """Compare the name of a document with what it is; none for a stream, which has no name."""
    if document.source in (None, "-"):
        return
    name = _file_name(document.source or "").lower()
    if name.endswith(".gz") and not document.layers and document.kind != "empty":
        yield _problem("X027", f"Name {name!r} ends in .gz but the file is not gzip")
    elif document.layers and not name.endswith((".gz", ".gzip")):
        yield _problem("X027", f"File is gzip but its name {name!r} does not end in .gz", "info")
    if document.kind == "text" and not name.removesuffix(".gz").endswith(".txt"):
        # Google takes text sitemaps only by that name; sitemaps.org "anything you wish".
        yield _problem("T005", repr(name))


def _file_name(source: str) -> str:
    if source.lower().startswith(("http://", "https://")):
        source = split_origin(source)[2].partition("#")[0].partition("?")[0]
    return source.replace("\\", "/").rpartition("/")[2]


def _problem(code: str, detail: str, level: Level | None = None) -> Problem:
    rule = RULES[code]
    message = rule.message.replace("{}", detail)
    return Problem(rule.name, code, level or rule.level, message, 0, 0, 1, 1)
