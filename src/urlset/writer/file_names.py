"""What the files of a set are called, so that the address in robots.txt need never change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["FileNaming", "Format"]

Format = Literal["xml", "text"]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._~-]*")
_SUFFIX = re.compile(r"\.(?:xml|txt|gz)$", re.IGNORECASE)


@dataclass(frozen=True)
class FileNaming:
    """The names of one set.

    XML: ``sitemap.xml`` while one file is enough; else it is the index, of ``sitemap-1.xml``,
    ``sitemap-2.xml``, … Text: ``sitemap.txt``, ``sitemap-2.txt``, … and ``sitemap-index.xml``:
    the first file keeps its name and stays true. Further indexes are ``sitemap-index-2.xml``, …

    >>> FileNaming("sitemap", "xml", is_packed=True).child(2)
    'sitemap-2.xml.gz'
    """

    name: str
    format: Format
    is_packed: bool

    def single(self) -> str:
        """The file of a set that needs no index."""
        return f"{self.name}{self._ending}"

    def child(self, number: int) -> str:
        """The file of that number, from 1, of a set that has an index."""
        if self.format == "text" and number == 1:
            return self.single()
        return f"{self.name}-{number}{self._ending}"

    def index(self, number: int) -> str:
        """The index of that number, from 1."""
        gz = ".gz" if self.is_packed else ""
        if number > 1:
            return f"{self.name}-index-{number}.xml{gz}"
        return f"{self.name}{'-index' if self.format == 'text' else ''}.xml{gz}"

    def is_child(self, name: str) -> bool:
        """Tell whether a file name is one that :meth:`child` gives."""
        pattern = rf"{re.escape(self.name)}-([1-9][0-9]*){re.escape(self._ending)}"
        found = re.fullmatch(pattern, name)
        return self.child(int(found[1]) if found else 1) == name

    @property
    def _ending(self) -> str:
        return (".xml" if self.format == "xml" else ".txt") + (".gz" if self.is_packed else "")

    @classmethod
    def of(cls, name: str, format_: str, is_packed: bool) -> FileNaming:
        """Make the scheme, or raise ``ValueError`` for a name that would not stand in a URL."""
        if format_ not in ("xml", "text"):
            raise ValueError(f'expected format "xml" or "text", found {format_!r}')
        if not _NAME.fullmatch(name) or _SUFFIX.search(name):
            raise ValueError(
                f"expected a name of letters, digits and ._~- without its ending, found {name!r}; "
                'name="sitemap" makes sitemap.xml'
            )
        return cls(name, "text" if format_ == "text" else "xml", is_packed)
