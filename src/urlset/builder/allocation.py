"""Assign URLs to sitemap files: a published URL keeps its file, new URLs go last.

A file is full at the first limit that it reaches: number of URLs, bytes with header and footer,
or number of news articles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from urlset.builder.file_mark import MARK
from urlset.builder.incremental import partition_count
from urlset.builder.ledger import File, Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import changed_sql, sort_key
from urlset.builder.working_tables import (
    NEW_ROWS,
    OVERFLOW,
    SECTION_STARTS,
    SORT_BOUNDS,
    SORTED_ROWS,
)
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.fields import EXTENSIONS
from urlset.protocol import MAX_NEWS, PREFIXES, URIS
from urlset.store import ScratchDatabase, quoted

_OLD = "old_size + if(old_lastmod IS NULL, 0, 19 + strlen(old_lastmod))"

# The runs of new rows if only URLs were counted. One query for all: a query for each section takes
# 3 ms, and there may be thousands of sections.
_RUNS = """
SELECT section, min(n), max(n) + 1, sum(bytes)::BIGINT, count(*) FILTER (news)
FROM new_rows JOIN section_starts USING (section)
GROUP BY section, (n - start) // {most} ORDER BY section, 2"""


@dataclass
class _Run:
    """Consecutive rows of ``new_rows`` for one file, from ``next`` up to before ``end``.

    ``bytes`` and ``news`` are the totals of these rows. The rows may still exceed a limit.
    """

    section: str
    next: int
    end: int
    bytes: int
    news: int

    def advance(self, urls: int, content: int, news: int) -> None:
        """Remove the first ``urls`` rows from the run; subtract their bytes and news articles."""
        self.next += urls
        self.bytes -= content
        self.news -= news


class Allocator:
    """Assigns every URL of a build to a file; has the files and their totals.

    ``files`` are the files of the set after :meth:`allocate`. ``dirty`` has the numbers of the
    files whose entries changed. ``ranges`` maps the number of a file to its first and last row in
    ``new_rows``.
    """

    def __init__(
        self,
        db: ScratchDatabase,
        ledger: Ledger,
        settings: BuildOptions,
        engine: Engine,
        *,
        extensions: Collection[str],
    ):
        self.ranges: dict[int, tuple[int, int]] = {}
        self.dirty: set[int] = set()
        self._db = db
        self._ledger = ledger
        self._settings = settings
        self._capacity = settings.max_bytes - _overhead(settings, engine, extensions)
        self._has_news = "news" in extensions
        self._is_changed = changed_sql(ledger, settings)
        files = [] if settings.compact else ledger.files()
        self.files: dict[int, File] = {file.number: file for file in files}
        self._next_number = max(self.files, default=0) + 1
        # Number of the last file of each section; computed once for thousands of sections.
        in_order = sorted(self.files.values(), key=lambda file: file.position)
        self._last = {file.section: file.number for file in in_order}

    def allocate(self) -> None:
        """Assign all new and moved URLs to files."""
        self._release()
        self._move_overflow()
        sort_new_rows(self._db, self._settings, has_news=self._has_news)
        for run in self._runs():
            while run.next < run.end:
                self._fill(run)
        self.files = {n: file for n, file in self.files.items() if file.urls}

    def _release(self) -> None:
        """Update the totals of files for entries that were removed, moved or resized."""
        if self._settings.compact or not self.files:
            return
        is_released = "state IN ('removed', 'moved')"
        rows = self._db.rows(f"""
            SELECT old_file, count(*) FILTER ({is_released}),
                coalesce(sum(if({is_released}, 0, {DATED})) - sum({_OLD}), 0)::BIGINT
            FROM diff WHERE old_file IS NOT NULL AND (state <> 'metadata') GROUP BY old_file""")
        released = list(rows)
        self._read_contents(number for number, *_ in released)
        for number, count, grown in released:
            file = self.files[number]
            self.files[number] = replace(file, urls=file.urls - count, content=file.content + grown)
            self.dirty.add(number)

    def _read_contents(self, changed: Iterable[int]) -> None:
        """Read the content of the files that change, may get URLs, or may exceed the capacity.

        That of all files would need all URLs of the ledger.
        """
        large = (n for n, file in self.files.items() if file.bytes > self._capacity)
        contents = self._ledger.contents({*changed, *self._last.values(), *large})
        for number, content in contents.items():
            self.files[number] = replace(self.files[number], content=content)

    def _move_overflow(self) -> None:
        """Move the last entries of each file that exceeds a limit to other files."""
        for file in list(self.files.values()):
            if file.urls <= self._settings.max_urls and file.content <= self._capacity:
                continue
            self._db.run(f"""
                {OVERFLOW.create_table}
                SELECT * FROM (
                    SELECT *, row_number() OVER w AS n, sum({DATED}) OVER w AS content
                    FROM resolved WHERE old_file = {file.number} AND loc NOT IN
                        (SELECT loc FROM diff WHERE state = 'moved')
                    WINDOW w AS (ORDER BY {sort_key(self._settings)}))
                WHERE n > {self._settings.max_urls} OR content > {self._capacity}""")
            count, size = self._db.fetch_one(
                f"SELECT count(*), coalesce(sum({DATED}), 0)::BIGINT FROM overflow"
            )
            self._db.run("DELETE FROM diff WHERE loc IN (SELECT loc FROM overflow)")
            self._db.run(f"""
                INSERT INTO diff BY NAME SELECT * EXCLUDE (n, content), 'moved' AS state,
                    {self._is_changed} AS is_changed FROM overflow""")
            self.files[file.number] = replace(
                file, urls=file.urls - count, content=file.content - size
            )
            self.dirty.add(file.number)

    def _runs(self) -> Iterator[_Run]:
        """Return the new rows as runs, which end where a file reaches its limit of URLs."""
        rows = self._db.rows("SELECT section, min(n) FROM new_rows GROUP BY section")
        open_urls = {section: self.files[number].urls for section, number in self._last.items()}
        self._db.run(SECTION_STARTS.create_empty("section VARCHAR, start BIGINT"))
        self._db.insert_rows(
            SECTION_STARTS.name,
            [(section, first - open_urls.get(section, 0)) for section, first in rows],
        )
        query = _RUNS.format(most=self._settings.max_urls)
        return (_Run(*row) for row in self._db.rows(query))

    def _fill(self, run: _Run) -> None:
        """Assign rows of a run to the last file of the section while they fit, or to a new one."""
        number = self._last.get(run.section)
        file = self._start_file(run.section) if number is None else self.files[number]
        urls, content, news = self._count_fitting(file, run)
        if not urls:  # the file is full: the next iteration fills a new one
            if not file.urls:
                message = f"expected an entry that fits into {self._settings.max_bytes:,} bytes"
                raise TargetError(f"{message}, found one that does not; nothing was published")
            self._start_file(run.section)
            return
        self.files[file.number] = replace(
            file, urls=file.urls + urls, content=file.content + content, news=file.news + news
        )
        self.dirty.add(file.number)
        first, last = run.next, run.next + urls - 1
        self.ranges[file.number] = (self.ranges.get(file.number, (first, last))[0], last)
        run.advance(urls, content, news)

    def _count_fitting(self, file: File, run: _Run) -> tuple[int, int, int]:
        """Return the number of rows that fit into a file, with their bytes and news articles."""
        urls = min(self._settings.max_urls - file.urls, run.end - run.next)
        if urls <= 0:
            return 0, 0, 0
        rows = f"FROM new_rows WHERE n >= {run.next} AND n < {run.next + urls}"
        content, news = run.bytes, run.news
        if urls < run.end - run.next:
            content, news = self._db.fetch_one(
                f"SELECT sum(bytes)::BIGINT, count(*) FILTER (news) {rows}"
            )
        if file.content + content <= self._capacity and file.news + news <= MAX_NEWS:
            return urls, content, news
        found = self._db.rows(f"""
            SELECT * FROM (
                SELECT row_number() OVER w, sum(bytes) OVER w AS content,
                    count(*) FILTER (news) OVER w AS news
                {rows} WINDOW w AS (ORDER BY n))
            WHERE content <= {self._capacity - file.content} AND news <= {MAX_NEWS - file.news}
            ORDER BY 1 DESC LIMIT 1""")
        return found[0] if found else (0, 0, 0)

    def _start_file(self, section: str) -> File:
        last = self._last.get(section)
        position = 0 if last is None else self.files[last].position
        file = File(self._next_number, section, position + 1)
        self._last[section] = file.number
        self._next_number += 1
        self.files[file.number] = file
        return file


def _overhead(settings: BuildOptions, engine: Engine, extensions: Collection[str]) -> int:
    """Return the bytes of the header and footer of a file, with all namespaces in use."""
    if settings.is_text:
        return 0
    overhead = len(engine.renderer("urlset", 1, 1, 1, settings.stylesheet).finish()) + len(MARK)
    return overhead + sum(
        len(f' xmlns:{field.prefix}="{URIS[PREFIXES[field.prefix]]}"')
        for field in EXTENSIONS
        if field.prefix and field.name in extensions
    )


SAMPLE = 10_000
"""Rows that are sampled to find the bounds between the parts of a large sort."""

SORTED_BY_PATH = 2_000_000
"""Largest number of rows that are sorted by their path: their URLs are in memory twice."""

DATED = "size + if(lastmod IS NULL, 0, 19 + strlen(lastmod))"
"""Bytes of an entry; 19 of them are those of <lastmod></lastmod>."""

_IS_NEW = "WHERE state IN ('added', 'moved')"
_ALWAYS = ("loc", "lastmod", "size", "id")
_OFTEN_CONSTANT = {
    "section": "VARCHAR",
    "lastmod_from": "VARCHAR",
    "changefreq": "VARCHAR",
    "priority": "DOUBLE",
    "more": "VARCHAR",
    "fingerprint": "VARCHAR",
    "content_lastmod": "VARCHAR",
    "adopted_lastmod": "VARCHAR",
    "first_seen": "TIMESTAMPTZ",
    "provenance": "USMALLINT",
}
_NEW_ROWS = (
    f"{NEW_ROWS.create_view} "
    + """
SELECT rowid AS n, *, {constant}({dated})::UINTEGER AS bytes FROM sorted_rows"""
)
_SORT_BOUNDS = f"""
{SORT_BOUNDS.create_table}
SELECT (r * {{parts}}) // total AS part, min(key) AS key FROM (
    SELECT key, row_number() OVER (ORDER BY key) - 1 AS r, count(*) OVER () AS total
    FROM (SELECT row({{order}}) AS key {{new}} USING SAMPLE {SAMPLE} ROWS))
GROUP BY part"""


class _RowFacts(NamedTuple):
    """Facts about all new rows: their number, a common base URL, columns with one value."""

    rows: int
    is_within: bool
    constant: dict[str, str]


def sort_new_rows(db: ScratchDatabase, settings: BuildOptions, *, has_news: bool) -> None:
    """Create the view ``new_rows``: rows without a file, sorted for files, numbered from 0."""
    facts = _row_facts(db, settings)
    constant = facts.constant
    carried = [*_ALWAYS, *(name for name in _OFTEN_CONSTANT if name not in constant)]
    if has_news:
        carried.append("id IN (SELECT id FROM extended_rows WHERE news IS NOT NULL) AS news")
    else:
        constant["news"] = "false"
    rows, key = "diff", "loc" if facts.is_within else sort_key(settings)
    if facts.is_within and facts.rows <= SORTED_BY_PATH:
        # The first bytes of a text are compared fast, and those of the base are equal.
        rest = f"substr(loc, {len(settings.base) + 1})"
        rows, key = f"(SELECT *, {rest} AS path FROM diff)", "path"
        carried[0] = f"{quoted(settings.base)} || path AS loc"
    order = f"section, {key}" if "section" in carried else key
    _sort(db, carried, f"FROM {rows} {_IS_NEW}", order, partition_count(facts.rows))
    values = "".join(f"{value} AS {name}, " for name, value in constant.items())
    db.run(_NEW_ROWS.format(constant=values, dated=DATED))


def _sort(db: ScratchDatabase, carried: list[str], new: str, order: str, parts: int) -> None:
    """Create the table ``sorted_rows`` in parts; each part has the rows between two bounds.

    The cost of sorting depends on the width of a row: without constant columns it is half.
    """
    rows = f"SELECT {', '.join(carried)} {new}"
    if parts > 1:
        db.run(_SORT_BOUNDS.format(order=order, parts=parts, new=new))
    # There may be too few rows for that many bounds.
    if parts <= 1 or db.fetch_one("SELECT count(*) FROM sort_bounds") != (parts,):
        db.run(f"{SORTED_ROWS.create_table} {rows} ORDER BY {order}")
        return
    db.run(f"{SORTED_ROWS.create_table} {rows} LIMIT 0")
    for part in range(parts):
        least, beyond = (
            f"(SELECT key FROM sort_bounds WHERE part = {n})" for n in (part, part + 1)
        )
        within = [f"row({order}) >= {least}"] if part else []
        within += [f"row({order}) < {beyond}"] if part + 1 < parts else []
        db.run(f"INSERT INTO sorted_rows {rows} AND {' AND '.join(within)} ORDER BY {order}")


def _row_facts(db: ScratchDatabase, settings: BuildOptions) -> _RowFacts:
    """Query the facts about all new rows that decide how they are sorted.

    A column that is empty, or has the same text in all rows, is constant.
    """
    facts = ", ".join(f"count({c}), min({c})::VARCHAR, max({c})::VARCHAR" for c in _OFTEN_CONSTANT)
    base = quoted(settings.base)
    count, is_within, *found = db.fetch_one(
        f"SELECT count(*), bool_and(starts_with(loc, {base})), {facts} FROM diff {_IS_NEW}"
    )
    constant = {}
    for at, (name, kind) in enumerate(_OFTEN_CONSTANT.items()):
        filled, least, greatest = found[3 * at : 3 * at + 3]
        if not filled:
            constant[name] = f"NULL::{kind}"
        elif filled == count and least == greatest and kind != "TIMESTAMPTZ":
            constant[name] = f"{quoted(least)}::{kind}"
    return _RowFacts(count, bool(is_within), constant)
