"""Result of a build: files, changed URLs, excluded URLs with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from urlset.builder.ledger import File
from urlset.builder.reports import Excluded
from urlset.dates import format_date
from urlset.notebook import html_table
from urlset.terminal_text import pluralize
from urlset.writer import Rejection

__all__ = ["Build", "BuiltFile"]


@dataclass(frozen=True)
class BuiltFile:
    """File of the set; for an index, ``urls`` counts the listed sitemaps.

    ``bytes`` is the uncompressed size, as the protocol counts it, ``packed_bytes`` the published
    size. ``lastmod`` is when its bytes changed; ``changed`` says whether this build changed them.
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
        """Return the result for a file of the ledger."""
        assert file.lastmod is not None  # a published file has it
        return cls(
            file.name,
            file.urls,
            file.bytes,
            file.packed_bytes,
            format_date(file.lastmod),
            changed,
            file.section,
        )


@dataclass(frozen=True, repr=False)
class Build:
    """Result of a build.

    ``added``, ``changed`` and ``removed`` count URLs, compared with the ledger. ``rejected`` has
    the rows that cannot be written. ``excluded_counts`` counts excluded URLs by reason
    (``noindex``, ``filter 1: drop:/private/``), and ``excluded`` has the first of each reason
    (option ``excluded`` writes all of them to a file). ``undated`` counts URLs without a
    ``lastmod``; ``duplicates`` counts repeated rows. ``removed_files`` were removed, ``notes`` has
    further remarks, ``failures`` the inputs that could not be read. ``sources`` has the name and
    the type (``html``, ``table``, ``log``, …) of each source.
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
    excluded_counts: Mapping[str, int] | None = None
    duplicates: int = 0
    removed_files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    undated: int = 0
    sources: tuple[tuple[str, str | None], ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs to list in robots.txt: of the indexes, or else of the only file."""
        base = self.base_url if self.base_url.endswith("/") else f"{self.base_url}/"
        return tuple(base + file.name for file in self.indexes or self.files)

    @property
    def changed_files(self) -> tuple[BuiltFile, ...]:
        """The files and indexes whose bytes changed."""
        return tuple(file for file in (*self.files, *self.indexes) if file.changed)

    def __repr__(self) -> str:
        return f"<Build {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return the counts and the first files as an HTML table, for notebooks."""
        columns = ("name", "urls", "bytes", "lastmod", "changed", "section")
        rows = ([getattr(file, name) for name in columns] for file in (*self.indexes, *self.files))
        return html_table(f"Build {self._summary()}", columns, rows)

    def _summary(self) -> str:
        counts = f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed"
        files = len(self.files) + len(self.indexes)
        excluded = sum((self.excluded_counts or {}).values()) + len(self.rejected)
        return (
            f"in {self.target!r}: {pluralize(self.urls, 'URL')} in {pluralize(files, 'file')}; "
            f"{counts}, {excluded:,} excluded"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        return {
            "urls": self.urls,
            "files": [_file(file, "urls") for file in self.files],
            "indexes": [_file(index, "sitemaps") for index in self.indexes],
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "removed_files": list(self.removed_files),
            "rejected": [rejection._asdict() for rejection in self.rejected],
            "excluded_counts": dict(self.excluded_counts or {}),
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
