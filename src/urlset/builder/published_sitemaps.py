"""Rebuild a lost ledger from published sitemaps, or adopt sitemaps of another tool.

A ledger that is lost is rebuilt from files with the mark of a build. Sitemaps of another tool are
adopted on request. Their dates are kept where no other evidence exists: they are evidence only of
themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from urlset.arrow import open_stream
from urlset.builder.file_mark import digest_of, is_marked
from urlset.builder.included_sitemaps import is_in_folder
from urlset.builder.ingest import Ingest
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.sections import FileNames
from urlset.document import Document, parse
from urlset.engine import Engine
from urlset.option_names import option
from urlset.protocol import MAX_BYTES
from urlset.publisher import Target
from urlset.store import ScratchDatabase
from urlset.terminal_text import pluralize
from urlset.writer.file_set import FileNaming, read_index

COMMON_NAMES = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "sitemap.xml.gz",
    "sitemap.txt",
)
"""File names that other tools use for the sitemap that robots.txt lists."""

LEAST_ALIKE = 10
SHARE_ALIKE = 0.5
LEAST_OF_A_DAY = 5
SHARE_OF_A_DAY = 0.8
"""If this share of that many dates is one instant or one day, it is the time of a run or an import.

Such dates do not say when pages changed."""


@dataclass
class _PublishedFile:
    """Source of the entries in a published file of the set, which is read on request."""

    name: str
    lastmod: datetime | None
    target: Target
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: tuple[int, int, int, str] = (0, 0, 0, "")
    """URLs, bytes, packed bytes and the digest; known once it was read."""

    def document(self) -> Document:
        """Read and parse the file."""
        data = self.target.read(self.name) or b""
        document = parse(data, source=self.name)
        self.facts = (len(document.entries), document.size, len(data), digest_of(data))
        return document

    def batches(self) -> Iterator[Any]:
        """Yield the entries as Arrow batches."""
        yield from open_stream(self.document().entries)


def import_published(
    db: ScratchDatabase,
    ledger: Ledger,
    ingest: Ingest,
    settings: BuildOptions,
    engine: Engine,
    target: Target,
) -> str | None:
    """Fill a new ledger from published files; return a note for the user, or None."""
    names = FileNames(settings)
    children = _own_files(names, settings, engine, target)
    is_other_tool = not children and settings.adopt
    indexes: list[str] = []
    if is_other_tool:
        indexes, children = _other_tool_files(settings, target)
    if not children:
        return (
            "nothing to adopt was found" if settings.adopt else _replacement_note(settings, target)
        )
    for child in children:
        for _ in ingest.add(child, is_published=True):
            pass
    with db.transaction():
        _record(db, ledger, children, indexes, None if is_other_tool else names)
        bulk = _drop_bulk_dates(db, ledger)
    ingest.clear()
    urls = sum(file.urls for file in ledger.files())
    files = pluralize(len(children), "published file")
    return f"no ledger of this set: {pluralize(urls, 'URL')} in {files} adopted{bulk}"


def _replacement_note(settings: BuildOptions, target: Target) -> str | None:
    """Return a note if a file of another tool has the name of a file of this set."""
    name = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    if target.read(name) is None:
        return None
    adopt = option("adopt", True)
    if settings.is_text:
        return (
            f"{name} exists already, and no ledger lists it: it is replaced; {adopt} keeps its URLs"
        )
    return f"{name} was written by another tool and is replaced; {adopt} keeps its URLs and dates"


def _own_files(
    names: FileNames, settings: BuildOptions, engine: Engine, target: Target
) -> list[_PublishedFile]:
    """Return the files of a set whose ledger is lost; only files with the mark of a build count."""
    existing = set(target.names())
    children: dict[str, _PublishedFile] = {}
    for first in names.index_candidates(existing):
        if (text := _unpacked(first, settings, engine, target)) is None or not is_marked(text):
            continue
        for sitemap in read_index(text, engine, is_packed=False) or ():
            name = sitemap.loc.rpartition("/")[2]
            if not is_in_folder(sitemap.loc, settings.base):
                continue  # of another system: include_sitemaps
            if name in children or name not in existing or names.parse(name) is None:
                continue
            if settings.is_text or is_marked(_unpacked(name, settings, engine, target) or b""):
                children[name] = _PublishedFile(name, sitemap.lastmod, target)
    if children or settings.is_text:  # the origin of a single list of URLs is unknown
        return list(children.values())
    name = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    is_ours = is_marked(_unpacked(name, settings, engine, target) or b"")
    return [_PublishedFile(name, None, target)] if is_ours else []


def _unpacked(name: str, settings: BuildOptions, engine: Engine, target: Target) -> bytes | None:
    data = target.read(name)
    return engine.gunzip(data, MAX_BYTES) if data and settings.gzip else data


def _other_tool_files(
    settings: BuildOptions, target: Target
) -> tuple[list[str], list[_PublishedFile]]:
    """Return the indexes and files of a set that another tool wrote."""
    existing = set(target.names())
    single = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    for name in dict.fromkeys((single, f"{settings.name}.xml", *COMMON_NAMES)):
        if name not in existing:
            continue
        first = _PublishedFile(name, None, target)
        document = first.document()
        if document.kind != "index":
            return [], [first]
        listed = {s.loc.rpartition("/")[2]: s.lastmod for s in document.sitemaps}
        listed_files = [
            (child, date) for child, date in listed.items() if child in existing - {name}
        ]
        return [name], [_PublishedFile(child, date, target) for child, date in listed_files]
    return [], []


def _record(
    db: ScratchDatabase,
    ledger: Ledger,
    children: list[_PublishedFile],
    indexes: list[str],
    names: FileNames | None,
) -> None:
    for number, child in enumerate(children, 1):
        section, position = (names and names.parse(child.name)) or ("", number)
        urls, size, packed, digest = child.facts
        values = [number, section, position, child.name, urls]
        values += [size, packed, 0, digest, child.lastmod]
        db.run(
            f"INSERT INTO {ledger.table('files')} VALUES ({', '.join('?' for _ in values)})", values
        )
        db.run(
            f"""INSERT INTO {ledger.table("urls")} BY NAME
            SELECT loc, {number} AS file, ? AS section, min(lastmod_text) AS lastmod,
                any_value(changefreq) AS changefreq, any_value(priority) AS priority,
                any_value(more) AS more, any_value(size) AS size,
                min(lastmod_text) AS adopted_lastmod,
                if(min(lastmod_text) IS NULL, NULL, 'adopted') AS lastmod_from
            FROM staged WHERE source = ? GROUP BY loc""",
            [section, number],
        )
    # A URL that two files list remains in the first one.
    db.run(f"""
        DELETE FROM {ledger.table("urls")} u WHERE EXISTS (
            SELECT 1 FROM {ledger.table("urls")} o WHERE o.loc = u.loc AND o.file < u.file)""")
    # Duplicate and invalid entries do not count as URLs of a file.
    db.run(f"""
        UPDATE {ledger.table("files")} f SET urls =
            (SELECT count(*) FROM {ledger.table("urls")} u WHERE u.file = f.file)""")
    for name in indexes:
        db.run(f"INSERT INTO {ledger.table('indexes')} (name) VALUES (?)", [name])


def _drop_bulk_dates(db: ScratchDatabase, ledger: Ledger) -> str:
    """Clear imported dates if most are identical or of one day; return a note about it."""
    urls = ledger.table("urls")
    for text, least, share in (
        ("lastmod", LEAST_ALIKE, SHARE_ALIKE),
        ("left(lastmod, 10)", LEAST_OF_A_DAY, SHARE_OF_A_DAY),
    ):
        found = db.rows(f"""
            SELECT {text} AS date, count(*) AS n, (SELECT count(lastmod) FROM {urls}) AS all_dates
            FROM {urls} WHERE lastmod IS NOT NULL GROUP BY date ORDER BY n DESC, date LIMIT 1""")
        if not found or found[0][2] < least or found[0][1] < found[0][2] * share:
            continue
        date, count, _ = found[0]
        db.run(
            f"UPDATE {urls} SET adopted_lastmod = NULL, lastmod_from = NULL WHERE {text} = ?",
            [date],
        )
        return f"; the date of {count:,} of them, {date}, is when a tool ran, and is ignored"
    return ""
