"""Digests of entries with extensions, by which a build notices that one changed."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import pairwise

from urlset.fields import EXTENSIONS
from urlset.model import Entry

_TAGS = tuple(f"<{field.prefix}:".encode() for field in EXTENSIONS if field.prefix)
_DATE = b"<lastmod>"
_DATE_END = b"</lastmod>"


def entry_digests(text: bytes, entries: Iterable[Entry], end: int) -> list[str | None]:
    """Return a digest of the bytes of each entry with extensions; None for the others."""
    found = list(entries)
    offsets = [*(entry.offset or 0 for entry in found), end]
    return [
        _digest(text[start:after], has_extra=entry.extra is not None)
        for entry, (start, after) in zip(found, pairwise(offsets), strict=True)
    ]


def _digest(line: bytes, *, has_extra: bool) -> str | None:
    if not has_extra and not any(tag in line for tag in _TAGS):
        return None
    start = line.find(_DATE)
    if start >= 0:
        line = line[:start] + line[line.index(_DATE_END, start) + len(_DATE_END) :]
    return blake2b(line, digest_size=16).hexdigest()
