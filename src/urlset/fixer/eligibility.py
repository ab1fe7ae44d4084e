"""Decide whether a file may be fixed at all: only a sitemap whose every byte is text."""

from __future__ import annotations

import os

from urlset.document import Document
from urlset.fixer.container import Container
from urlset.reader.detection import has_sitemap_ending, rejection_reason
from urlset.reader.locations import Location

__all__ = ["objection_to_fixing", "objection_to_name"]

_REPLACEMENT = "\ufffd".encode()
"""It stands for bytes that could not be decoded, such as those of an unknown encoding."""


def objection_to_name(place: Location) -> str | None:
    """Say why the file at a place may not be fixed: an index leads to any file of its folder."""
    key = place.key
    is_file = isinstance(key, str) and os.path.isabs(key)
    if is_file and not place.is_named and not has_sitemap_ending(os.path.basename(str(key))):
        return "no sitemap ends like this; to fix it nevertheless, name the file itself"
    return None


def objection_to_fixing(container: Container, document: Document) -> str | None:
    r"""Say why no fix may touch a document; None for one that may be fixed.

    A rule may find something in any file that somebody names, or that an index lists: an image,
    an archive, a program. What is not a sitemap, or was not decoded as it was written, stays as
    it is, also with unsafe fixes.

    >>> from urlset import parse
    >>> from urlset.fixer.container import open_container
    >>> data = b"<urlset><url><loc>https://e.com/\xff</loc></url></urlset>"
    >>> objection_to_fixing(open_container(data, 1_000, None), parse(data))
    'it has bytes that are not valid in its encoding; save it as UTF-8 first'
    """
    if container.is_cut:
        return "a part of the document could not be read"
    if (why := rejection_reason(document)) is not None:
        return f"it is no sitemap: {why}"
    if b"\0" in document.text:
        return "it contains NUL bytes"
    is_replaced = bool(document.runs) and _REPLACEMENT in document.text
    if is_replaced or any(problem.code == "X010" for problem in document.problems):
        return "it has bytes that are not valid in its encoding; save it as UTF-8 first"
    return None
