"""What a build came to: the files, what changed among the URLs, and what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from urlset.builder.ledger import File
from urlset.builder.reports import Excluded
from urlset.dates import format_date
from urlset.writer import Rejection

__all__ = ["Build", "BuiltFile"]


@dataclass(frozen=True)
class BuiltFile:
    """One file of the set; of an index, ``urls`` counts the sitemaps that it lists.

    ``bytes`` are counted unpacked, as the protocol does, ``packed_bytes`` as it was published.
    ``lastmod`` is the moment its bytes changed; ``changed`` tells whether that was this time.
    """

    name: str
    urls: int
    bytes: int
    packed_bytes: int
    lastmod: str
    changed: bool
    section: str = ""

    @classmethod
    def of(cls, file: File, *, changed: bool) -> BuiltFile:
        """A file of the ledger, as it is told."""
        assert file.lastmod is not None  # it was published
        return cls(
            file.name,
            file.urls,
            file.bytes,
            file.packed_bytes,
            format_date(file.lastmod),
            changed,
            file.section,
        )


@dataclass(frozen=True)
class Build:
    """A set of sitemaps as a build left it.

    ``added``, ``changed`` and ``removed`` count URLs, by the ledger. ``rejected`` may not be
    written; ``left_out`` counts what was not wanted, by the reason (``noindex``,
    ``filter 1: drop:/private/``), and ``excluded`` has the first of each reason (option
    ``excluded`` writes all of them to a file); ``undated`` counts URLs without a ``lastmod``;
    ``duplicates`` were listed before. ``removed_files`` are
    taken away, ``notes`` what else there is to say, ``failures`` what could not be read.
    """

    target: str
    base_url: str
    urls: int
    files: tuple[BuiltFile, ...]
    indexes: tuple[BuiltFile, ...]
    added: int
    changed: int
    removed: int
    rejected: tuple[Rejection, ...] = ()
    left_out: Mapping[str, int] | None = None
    duplicates: int = 0
    removed_files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    undated: int = 0

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs that robots.txt should name: of the indexes, or else of the only file."""
        base = self.base_url if self.base_url.endswith("/") else f"{self.base_url}/"
        return tuple(base + file.name for file in self.indexes or self.files)

    @property
    def changed_files(self) -> tuple[BuiltFile, ...]:
        """The files, and indexes, whose bytes are new."""
        return tuple(file for file in (*self.files, *self.indexes) if file.changed)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        return {
            "urls": self.urls,
            "files": [_file(file, "urls") for file in self.files],
            "indexes": [_file(index, "sitemaps") for index in self.indexes],
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "removed_files": list(self.removed_files),
            "rejected": [rejection._asdict() for rejection in self.rejected],
            "left_out": dict(self.left_out or {}),
            "undated": self.undated,
            "duplicates": self.duplicates,
            "notes": list(self.notes),
            "failures": list(self.failures),
        }


def _file(file: BuiltFile, counted: str) -> dict[str, Any]:
    return {
        "name": file.name,
        counted: file.urls,
        "bytes": file.bytes,
        "packed_bytes": file.packed_bytes,
        "lastmod": file.lastmod,
        "changed": file.changed,
    }
