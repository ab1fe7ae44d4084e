"""What a writing came to: the files, what changed, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from urlset.dates import format_date
from urlset.notebook import html_table
from urlset.terminal_text import pluralize

__all__ = ["Publication", "Rejection", "WrittenFile"]


class Rejection(NamedTuple):
    """An entry that was left out: its row in the input (from 1), the field at fault, and why."""

    row: int
    loc: str | None
    field: str
    value: str
    reason: str
    is_duplicate: bool = False


@dataclass(frozen=True)
class WrittenFile:
    """One file of a publication; of an index, ``urls`` counts the sitemaps that it lists.

    ``bytes`` are counted unpacked, as the protocol does, ``packed_bytes`` as they lie on the
    disk. ``lastmod`` is the moment the bytes changed; ``changed`` tells whether that was this time.
    """

    name: str
    path: Path
    urls: int
    bytes: int
    packed_bytes: int
    lastmod: datetime
    changed: bool


@dataclass(frozen=True, repr=False)
class Publication:
    """A set of sitemaps as it lies in its folder.

    ``urls`` counts the entries written; ``files`` hold them; ``indexes`` are empty where one
    file was enough; ``removed`` names files of an earlier set that are gone; ``rejected`` is in
    the order of the input, duplicates included.
    """

    folder: Path
    urls: int
    files: tuple[WrittenFile, ...]
    indexes: tuple[WrittenFile, ...] = ()
    removed: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    base_url: str | None = None

    @property
    def entrances(self) -> tuple[WrittenFile, ...]:
        """The files that robots.txt should name: the indexes, or else the only file."""
        return self.indexes or self.files

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs of the entrances; empty where no ``base_url`` was given."""
        if self.base_url is None:
            return ()
        return tuple(self.base_url + file.name for file in self.entrances)

    @property
    def duplicates(self) -> int:
        """How many of the rejected were left out because their ``loc`` is already there."""
        return sum(rejection.is_duplicate for rejection in self.rejected)

    def __repr__(self) -> str:
        return f"<Publication {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return the counts and the first files as an HTML table, for notebooks."""
        columns = ("name", "urls", "bytes", "lastmod", "changed")
        rows = ([getattr(file, name) for name in columns] for file in (*self.indexes, *self.files))
        return html_table(f"Publication {self._summary()}", columns, rows)

    def _summary(self) -> str:
        files = pluralize(len(self.files) + len(self.indexes), "file")
        rejected = f", {len(self.rejected):,} rejected" if self.rejected else ""
        return f"in {str(self.folder)!r}: {pluralize(self.urls, 'URL')} in {files}{rejected}"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON.

        ``added``, ``changed`` and ``removed`` count URLs, which only the ledger of a build
        knows: they are None here. What changed among the files is told file by file.
        """
        return {
            "urls": self.urls,
            "files": [_file(file, "urls") for file in self.files],
            "indexes": [_file(index, "sitemaps") for index in self.indexes],
            "added": None,
            "changed": None,
            "removed": None,
            "removed_files": list(self.removed),
            "rejected": [rejection._asdict() for rejection in self.rejected],
        }


def _file(file: WrittenFile, counted: str) -> dict[str, Any]:
    return {
        "name": file.name,
        counted: file.urls,
        "bytes": file.bytes,
        "packed_bytes": file.packed_bytes,
        "lastmod": format_date(file.lastmod),
        "changed": file.changed,
    }
