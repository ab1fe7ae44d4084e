"""File names of a sitemap set, chosen so that the URL in robots.txt never changes."""

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
    """Naming scheme of the files of one set.

    XML: ``sitemap.xml`` if one file is enough; else it is the index of ``sitemap-1.xml``,
    ``sitemap-2.xml``, … Text: ``sitemap.txt``, ``sitemap-2.txt``, … and ``sitemap-index.xml``:
    the first file keeps its name. Further indexes are ``sitemap-index-2.xml``, …

    >>> FileNaming("sitemap", "xml", is_packed=True).child(2)
    'sitemap-2.xml.gz'
    """

    name: str
    format: Format
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
        """Return whether :meth:`child` returns a file name."""
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
                'name="sitemap" results in sitemap.xml'
            )
        return cls(name, "text" if format_ == "text" else "xml", is_packed)
