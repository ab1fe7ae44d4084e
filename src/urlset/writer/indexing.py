"""Sitemap indexes: what the last one said of its files, and the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from urlset.dates import format_date
from urlset.document import parse
from urlset.engine import Engine
from urlset.engine.reference.values import escape
from urlset.protocol import MAX_BYTES, MAX_URLS, SITEMAP_NS
from urlset.writer.naming import Scheme
from urlset.writer.publication import WrittenFile

__all__ = ["Previous", "render_indexes"]

_HEADER = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{SITEMAP_NS}">\n'.encode()
_FOOTER = b"</sitemapindex>\n"


class Previous(NamedTuple):
    """The set that lies in the folder: its indexes, and the files they list with their dates.

    Only what an index of this layout lists, under a name of the scheme, is known to be ours.
    """

    indexes: tuple[str, ...]
    files: dict[str, datetime | None]

    @classmethod
    def of(cls, scheme: Scheme, read: Callable[[str], bytes | None], engine: Engine) -> Previous:
        """Read the indexes of a folder, if there are any; ``read`` gives a file by its name."""
        indexes: list[str] = []
        files: dict[str, datetime | None] = {}
        while (data := read(name := scheme.index(len(indexes) + 1))) is not None:
            text = engine.gunzip(data, MAX_BYTES) if scheme.is_packed else data
            if text is None or not (text.startswith(_HEADER) and text.endswith(_FOOTER)):
                break
            indexes.append(name)
            for sitemap in parse(text, engine=engine.name).sitemaps:
                child = sitemap.loc.rpartition("/")[2]
                if scheme.is_child(child):
                    files[child] = sitemap.lastmod
        return cls(tuple(indexes), files)


def render_indexes(
    files: Iterable[WrittenFile],
    base: str,
    *,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[tuple[bytes, int]]:
    """The bytes of as many indexes as the files need, each with the number of files it lists."""
    lines: list[bytes] = []
    frame = len(_HEADER) + len(_FOOTER)
    size = frame
    for file in files:
        line = _line(base + file.name, file.lastmod)
        if lines and (len(lines) == max_urls or size + len(line) > max_bytes):
            yield b"".join((_HEADER, *lines, _FOOTER)), len(lines)
            lines, size = [], frame
        lines.append(line)
        size += len(line)
    yield b"".join((_HEADER, *lines, _FOOTER)), len(lines)


def _line(loc: str, lastmod: datetime) -> bytes:
    date = format_date(lastmod)
    return f"<sitemap><loc>{escape(loc)}</loc><lastmod>{date}</lastmod></sitemap>\n".encode()
