"""Result of `write`: the files, the changes, and the rejected entries with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

from urlset.dates import format_date
from urlset.notebook import html_table
from urlset.result import Result, ResultJson
from urlset.terminal_text import pluralize


class Rejection(NamedTuple):
    """Rejected entry: its row in the input, the invalid field, and the reason.

    Attributes:
        row: Its row in the input, from 1.
        loc: Its URL; None if it has none.
        field: The invalid field.
        value: Its value.
        reason: What is wrong with it.
        is_duplicate: Whether its URL was listed before, and nothing else is wrong.
        source: File, URL or table in which a build found it.
        line: Its line in ``source``, if known.
    """

    row: int
    loc: str | None
    field: str
    value: str
    reason: str
    is_duplicate: bool = False
    source: str | None = None
    line: int | None = None


class PublishedFileJson(TypedDict):
    """What the JSON of a file with URLs and of an index has.

    Attributes:
        name: File name.
        bytes: Decompressed size, as the protocol counts it.
        packed_bytes: Published size.
        lastmod: When its bytes changed.
        changed: Whether this run changed them.
    """

    name: str
    bytes: int
    packed_bytes: int
    lastmod: str
    changed: bool


class FileJson(PublishedFileJson):
    """File with URLs.

    Attributes:
        urls: Number of URLs in it.
    """

    urls: int


class IndexJson(PublishedFileJson):
    """Index file.

    Attributes:
        sitemaps: Number of sitemaps that it lists.
    """

    sitemaps: int


class PublicationJson(ResultJson):
    """Result of :func:`urlset.write`.

    Attributes:
        urls: Number of entries written.
        files: Files with URLs.
        indexes: Index files; empty if one file is enough.
        added: Always null: only a build counts added URLs.
        changed: Always null: only a build counts changed URLs.
        removed: Always null: only a build counts removed URLs.
        removed_files: Names of files that were removed.
        rejected: Rejected entries.
    """

    urls: int
    files: list[FileJson]
    indexes: list[IndexJson]
    added: None
    changed: None
    removed: None
    removed_files: list[str]
    rejected: list[Annotated[dict[str, Any], Rejection]]


@dataclass(frozen=True)
class WrittenFile:
    """File of a publication.

    Attributes:
        name: File name.
        path: Path of the file.
        urls: Number of URLs; of an index, the number of sitemaps that it lists.
        bytes: Decompressed size, as the protocol counts it.
        packed_bytes: Size on disk.
        lastmod: When the bytes changed.
        changed: Whether this publication changed them.
    """

    name: str
    path: Path
    urls: int
    bytes: int
    packed_bytes: int
    lastmod: datetime
    changed: bool


@dataclass(frozen=True, repr=False)
class Publication(Result):
    """Published set of sitemaps.

    Attributes:
        folder: Folder of the files.
        urls: Number of entries written.
        files: Files with the entries.
        indexes: Index files; empty if one file was enough.
        removed: Names of files of the previous set that were removed.
        rejected: Rejected entries in input order, including duplicates.
        base_url: URL of the folder.
        incomplete: What the entries lack, if they are those of :func:`urlset.read`: documents that
            could not be read.
    """

    folder: Path
    urls: int
    files: tuple[WrittenFile, ...]
    indexes: tuple[WrittenFile, ...] = ()
    removed: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    base_url: str | None = None
    incomplete: tuple[str, ...] = ()

    @property
    def entrances(self) -> tuple[WrittenFile, ...]:
        """The files that robots.txt should list: the indexes, or the only file."""
        return self.indexes or self.files

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs of the entrances; empty without a ``base_url``."""
        if self.base_url is None:
            return ()
        return tuple(self.base_url + file.name for file in self.entrances)

    @property
    def duplicates(self) -> int:
        """Number of entries that were rejected because their ``loc`` is a duplicate."""
        return sum(rejection.is_duplicate for rejection in self.rejected)

    def _repr_html_(self) -> str:
        """Return the counts and the first files as an HTML table, for notebooks."""
        columns = ("name", "urls", "bytes", "lastmod", "changed")
        rows = ([getattr(file, name) for name in columns] for file in (*self.indexes, *self.files))
        return html_table(self.caption, columns, rows)

    @property
    def subject(self) -> str:
        """The folder, as the end of a phrase."""
        return f"in {str(self.folder)!r}"

    @property
    def _totals(self) -> str:
        """Numbers of URLs and files."""
        files = pluralize(len(self.files) + len(self.indexes), "file")
        rejected = f", {len(self.rejected):,} rejected" if self.rejected else ""
        return f"{pluralize(self.urls, 'URL')} in {files}{rejected}"

    def to_dict(self) -> PublicationJson:
        """Return the result as plain data for JSON.

        ``added``, ``changed`` and ``removed`` count URLs. Only the ledger of a build records
        those, so they are None here. Each file has its own ``changed``.
        """
        return {
            **super().to_dict(),
            "urls": self.urls,
            "files": [{**_file(file), "urls": file.urls} for file in self.files],
            "indexes": [{**_file(index), "sitemaps": index.urls} for index in self.indexes],
            "added": None,
            "changed": None,
            "removed": None,
            "removed_files": list(self.removed),
            "rejected": [rejection._asdict() for rejection in self.rejected],
        }


def _file(file: WrittenFile) -> PublishedFileJson:
    return {
        "name": file.name,
        "bytes": file.bytes,
        "packed_bytes": file.packed_bytes,
        "lastmod": format_date(file.lastmod),
        "changed": file.changed,
    }
