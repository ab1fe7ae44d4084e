"""Files of a sitemap set: their names, and the indexes that list them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from urlset.dates import format_date
from urlset.document import parse
from urlset.engine import Engine
from urlset.engine.reference.render import declaration
from urlset.engine.reference.values import escape
from urlset.model import Sitemap
from urlset.option_names import option
from urlset.option_schema import FileFormat
from urlset.protocol import MAX_BYTES, MAX_URLS, SITEMAP_NS

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._~-]*")
_SUFFIX = re.compile(r"\.(?:xml|txt|gz)$", re.IGNORECASE)


@dataclass(frozen=True)
class FileNaming:
    """Naming scheme of the files of one set.

    XML: ``sitemap.xml`` if one file is enough; else it is the index of ``sitemap-1.xml``,
    ``sitemap-2.xml``, … Text: ``sitemap.txt``, ``sitemap-2.txt``, … and ``sitemap-index.xml``:
    the first file keeps its name. Further indexes are ``sitemap-index-2.xml``, …

    >>> FileNaming("sitemap", "xml", is_packed=True).child(2)
    'sitemap-2.xml.gz'
    """

    name: str
    format: FileFormat
    is_packed: bool

    def single(self) -> str:
        """Return the name of the only file of a set without an index."""
        return f"{self.name}{self._ending}"

    def child(self, number: int) -> str:
        """Return the name of a file by number, from 1, in a set with an index."""
        if self.format == "text" and number == 1:
            return self.single()
        return f"{self.name}-{number}{self._ending}"

    def index(self, number: int) -> str:
        """Return the name of an index by number, from 1."""
        gz = ".gz" if self.is_packed else ""
        if number > 1:
            return f"{self.name}-index-{number}.xml{gz}"
        return f"{self.name}{'-index' if self.format == 'text' else ''}.xml{gz}"

    def is_child(self, name: str) -> bool:
        """Return whether a file name is one that :meth:`child` can return."""
        pattern = rf"{re.escape(self.name)}-([1-9][0-9]*){re.escape(self._ending)}"
        found = re.fullmatch(pattern, name)
        return self.child(int(found[1]) if found else 1) == name

    @property
    def _ending(self) -> str:
        return (".xml" if self.format == "xml" else ".txt") + (".gz" if self.is_packed else "")

    @classmethod
    def of(cls, name: str, format_: str, is_packed: bool) -> FileNaming:
        """Create the naming scheme; raise ``ValueError`` for a name that URLs must escape."""
        if format_ not in ("xml", "text"):
            raise ValueError(f'expected format "xml" or "text", found {format_!r}')
        if not _NAME.fullmatch(name) or _SUFFIX.search(name):
            raise ValueError(
                f"expected a name of letters, digits and ._~- without its ending, found {name!r}; "
                f"{option('name', 'sitemap')} results in sitemap.xml"
            )
        return cls(name, "text" if format_ == "text" else "xml", is_packed)


_ROOT = f'<sitemapindex xmlns="{SITEMAP_NS}">\n'.encode()
_FOOTER = b"</sitemapindex>\n"
_HEADER = re.compile(
    re.escape(declaration(None))
    + rb"(?:<!--[^<>]*-->\n)?(?:<\?xml-stylesheet [^<>]*\?>\n)?"
    + re.escape(_ROOT)
)


class PublishedSet(NamedTuple):
    """Published set: its indexes, and the files that they list with their lastmod.

    Only files that an index of this layout lists, under a name of the naming scheme, belong to it.
    """

    indexes: tuple[str, ...]
    files: dict[str, datetime | None]

    @classmethod
    def of(
        cls, naming: FileNaming, read: Callable[[str], bytes | None], engine: Engine
    ) -> PublishedSet:
        """Read the indexes of a folder; ``read`` returns a file by name, or None."""
        indexes: list[str] = []
        files: dict[str, datetime | None] = {}
        while (data := read(name := naming.index(len(indexes) + 1))) is not None:
            sitemaps = read_index(data, engine, is_packed=naming.is_packed)
            if sitemaps is None:
                break
            indexes.append(name)
            for sitemap in sitemaps:
                child = sitemap.loc.rpartition("/")[2]
                if naming.is_child(child):
                    files[child] = sitemap.lastmod
        return cls(tuple(indexes), files)


def read_index(data: bytes, engine: Engine, *, is_packed: bool) -> Sequence[Sitemap] | None:
    """Parse an index; return the sitemaps that it lists, or None for other documents."""
    text = engine.gunzip(data, MAX_BYTES) if is_packed else data
    if text is None or not (_HEADER.match(text) and text.endswith(_FOOTER)):
        return None
    return parse(text, engine=engine.name).sitemaps


def render_indexes(
    files: Iterable[tuple[str, datetime | None]],
    base: str,
    stylesheet: str | None = None,
    *,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[tuple[bytes, int]]:
    """Render the indexes that list files; yield the bytes and the number of files of each.

    Without files there is one empty index.

    Args:
        files: Names, each with the time when its bytes changed, or None to write no lastmod.
        base: URL of the folder, with a trailing slash.
        stylesheet: URL of the style sheet with which browsers show the index.
        max_urls: Limit of files in one index; 50,000 by sitemaps.org.
        max_bytes: Limit of its bytes; 52,428,800 by sitemaps.org.

    >>> list(render_indexes([("a.xml", None), ("b.xml", None)], "https://example.com/"))[0][1]
    2
    """
    header = declaration(stylesheet) + _ROOT
    lines: list[bytes] = []
    frame = len(header) + len(_FOOTER)
    size = frame
    for name, lastmod in files:
        line = _line(base + name, lastmod)
        if lines and (len(lines) == max_urls or size + len(line) > max_bytes):
            yield b"".join((header, *lines, _FOOTER)), len(lines)
            lines, size = [], frame
        lines.append(line)
        size += len(line)
    yield b"".join((header, *lines, _FOOTER)), len(lines)


def _line(loc: str, lastmod: datetime | None) -> bytes:
    date = "" if lastmod is None else f"<lastmod>{format_date(lastmod)}</lastmod>"
    return f"<sitemap><loc>{escape(loc)}</loc>{date}</sitemap>\n".encode()
