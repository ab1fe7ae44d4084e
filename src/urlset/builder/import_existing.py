"""A set that is published and of which no ledger knows: read back, and written into a new ledger.

So a lost ledger is rebuilt from files that bear the mark of a build, and sitemaps that another tool
made are taken over on request. Their dates are kept where nothing else is known: they are evidence
of nothing but themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from urlset.arrow import open_stream
from urlset.builder.file_mark import is_marked
from urlset.builder.ingest import Ingest
from urlset.builder.ledger import Ledger
from urlset.builder.names import FileNames
from urlset.builder.options import BuildOptions
from urlset.builder.render import digest_of
from urlset.document import Document, parse
from urlset.engine import Engine
from urlset.protocol import MAX_BYTES
from urlset.publisher import Target
from urlset.store import ScratchDatabase
from urlset.writer.file_names import FileNaming
from urlset.writer.index import read_index

__all__ = ["adopt"]

ENTRANCES = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "sitemap.xml.gz",
    "sitemap.txt",
)
"""What other tools call the file that robots.txt names."""

LEAST_ALIKE = 10
SHARE_ALIKE = 0.5
LEAST_OF_A_DAY = 5
SHARE_OF_A_DAY = 0.8
"""Of so many dates this share at one instant, or on one day, tells when a tool ran or everything
was imported, not when pages changed."""


@dataclass
class _Child:
    """A file of the set that was found; a source of the entries in it, read when it is asked."""

    name: str
    lastmod: datetime | None
    target: Target
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: tuple[int, int, int, str] = (0, 0, 0, "")
    """URLs, bytes, packed bytes and the digest; known once it was read."""

    def document(self) -> Document:
        """Read it."""
        data = self.target.read(self.name) or b""
        document = parse(data, source=self.name)
        self.facts = (len(document.entries), document.size, len(data), digest_of(data))
        return document

    def batches(self) -> Iterator[Any]:
        """The entries."""
        yield from open_stream(self.document().entries)


def adopt(
    bench: ScratchDatabase,
    ledger: Ledger,
    intake: Ingest,
    settings: BuildOptions,
    engine: Engine,
    target: Target,
) -> str | None:
    """Fill a new ledger from what is published; tells in a sentence what was found, or None."""
    names = FileNames(settings)
    children = _own(names, settings, engine, target)
    is_foreign = not children and settings.adopt
    indexes: list[str] = []
    if is_foreign:
        indexes, children = _foreign(settings, target)
    if not children:
        return "nothing to adopt was found" if settings.adopt else _replaced(settings, target)
    for child in children:
        for _ in intake.take(child, is_published=True):
            pass
    with bench.transaction():
        _remember(bench, ledger, children, indexes, None if is_foreign else names)
    bulk = _disbelieve_bulk(bench, ledger)
    intake.clear()
    urls = sum(file.urls for file in ledger.files())
    files = "1 published file" if len(children) == 1 else f"{len(children):,} published files"
    many = "1 URL" if urls == 1 else f"{urls:,} URLs"
    return f"no ledger of this set: {many} in {files} adopted{bulk}"


def _replaced(settings: BuildOptions, target: Target) -> str | None:
    """What is to be said where another tool's file has the name that one of ours will have."""
    name = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    if target.read(name) is None:
        return None
    if settings.is_text:
        return (
            f"{name} is there already, and no ledger tells who wrote it: it is replaced; "
            "--adopt takes over its URLs"
        )
    return f"{name} is of another tool, and is replaced; --adopt takes over its URLs and dates"


def _own(names: FileNames, settings: BuildOptions, engine: Engine, target: Target) -> list[_Child]:
    """The files of a set whose ledger is lost; only what bears the mark of a build is one."""
    there = set(target.names())
    children: dict[str, _Child] = {}
    for entrance in names.entrances(there):
        if (text := _unpacked(entrance, settings, engine, target)) is None or not is_marked(text):
            continue
        for sitemap in read_index(text, engine, is_packed=False) or ():
            name = sitemap.loc.rpartition("/")[2]
            if name in children or name not in there or names.place(name) is None:
                continue
            if settings.is_text or is_marked(_unpacked(name, settings, engine, target) or b""):
                children[name] = _Child(name, sitemap.lastmod, target)
    return list(children.values()) or _alone(settings, engine, target)


def _alone(settings: BuildOptions, engine: Engine, target: Target) -> list[_Child]:
    """The only file of a set that has no index; nothing tells whose a list of URLs is."""
    name = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    is_ours = not settings.is_text and is_marked(_unpacked(name, settings, engine, target) or b"")
    return [_Child(name, None, target)] if is_ours else []


def _unpacked(name: str, settings: BuildOptions, engine: Engine, target: Target) -> bytes | None:
    data = target.read(name)
    return engine.gunzip(data, MAX_BYTES) if data and settings.gzip else data


def _foreign(settings: BuildOptions, target: Target) -> tuple[list[str], list[_Child]]:
    """The indexes and files of a set that another tool made."""
    there = set(target.names())
    single = FileNaming.of(settings.name, settings.format, settings.gzip).single()
    for name in dict.fromkeys((single, f"{settings.name}.xml", *ENTRANCES)):
        if name not in there:
            continue
        entrance = _Child(name, None, target)
        document = entrance.document()
        if document.kind != "index":
            return [], [entrance]
        listed = {s.loc.rpartition("/")[2]: s.lastmod for s in document.sitemaps}
        wanted = [(child, date) for child, date in listed.items() if child in there - {name}]
        return [name], [_Child(child, date, target) for child, date in wanted]
    return [], []


def _remember(
    bench: ScratchDatabase,
    ledger: Ledger,
    children: list[_Child],
    indexes: list[str],
    names: FileNames | None,
) -> None:
    for number, child in enumerate(children, 1):
        section, position = (names and names.place(child.name)) or ("", number)
        urls, size, packed, digest = child.facts
        values = [number, section, position, child.name, urls]
        values += [size, packed, 0, digest, child.lastmod]
        bench.run(
            f"INSERT INTO {ledger.table('files')} VALUES ({', '.join('?' for _ in values)})", values
        )
        bench.run(
            f"""INSERT INTO {ledger.table("urls")} BY NAME
            SELECT loc, {number} AS file, ? AS section, min(lastmod_text) AS lastmod,
                any_value(changefreq) AS changefreq, any_value(priority) AS priority,
                any_value(more) AS more, any_value(size) AS size,
                min(lastmod_text) AS adopted_lastmod,
                if(min(lastmod_text) IS NULL, NULL, 'adopted') AS lastmod_from
            FROM staged WHERE source = ? GROUP BY loc""",
            [section, number],
        )
    # A URL that two files list is taken out of the later one.
    bench.run(f"""
        DELETE FROM {ledger.table("urls")} u WHERE EXISTS (
            SELECT 1 FROM {ledger.table("urls")} o WHERE o.loc = u.loc AND o.file < u.file)""")
    # What was listed twice, or may not be published, is not counted among what stays.
    bench.run(f"""
        UPDATE {ledger.table("files")} f SET urls =
            (SELECT count(*) FROM {ledger.table("urls")} u WHERE u.file = f.file)""")
    for name in indexes:
        bench.run(f"INSERT INTO {ledger.table('indexes')} (name) VALUES (?)", [name])


def _disbelieve_bulk(bench: ScratchDatabase, ledger: Ledger) -> str:
    """Forget dates of which most are one and the same, or of one day."""
    urls = ledger.table("urls")
    for text, least, share in (
        ("lastmod", LEAST_ALIKE, SHARE_ALIKE),
        ("left(lastmod, 10)", LEAST_OF_A_DAY, SHARE_OF_A_DAY),
    ):
        found = bench.rows(f"""
            SELECT {text} AS date, count(*) AS n, (SELECT count(lastmod) FROM {urls}) AS all_dates
            FROM {urls} WHERE lastmod IS NOT NULL GROUP BY date ORDER BY n DESC, date LIMIT 1""")
        if not found or found[0][2] < least or found[0][1] < found[0][2] * share:
            continue
        date, count, _ = found[0]
        bench.run(
            f"UPDATE {urls} SET adopted_lastmod = NULL, lastmod_from = NULL WHERE {text} = ?",
            [date],
        )
        return (
            f"; the date of {count:,} of them, {date}, tells when a tool ran, and is not believed"
        )
    return ""
