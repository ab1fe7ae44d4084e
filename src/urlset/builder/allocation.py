"""Which URL lies in which file. One that is published stays where it is; new ones fill the last.

A file is full at whichever limit comes first: entries, bytes with header and footer, news.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from urlset.builder.file_mark import MARK
from urlset.builder.incremental import portions
from urlset.builder.ledger import File, Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import IS_CHANGED, sort_key
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.protocol import MAX_NEWS, URIS, Ns
from urlset.store import ScratchDatabase, quoted

__all__ = ["DATED", "Allocator", "sort_new_rows"]

_PREFIXES = {"image": Ns.IMAGE, "video": Ns.VIDEO, "news": Ns.NEWS, "xhtml": Ns.XHTML}
_OLD = "old_size + if(old_lastmod IS NULL, 0, 19 + strlen(old_lastmod))"

# What files would take of the queue if URLs were counted alone: one query for all, for a query for
# each takes 3 ms, and there may be thousands of sections.
_PILES = """
SELECT section, min(n), max(n) + 1, sum(bytes)::BIGINT, count(*) FILTER (news)
FROM queue JOIN starts USING (section)
GROUP BY section, (n - start) // {most} ORDER BY section, 2"""


@dataclass
class _Pile:
    """Rows of the queue that lie in one file, if they fit: from ``next`` on, before ``end``.

    ``bytes`` and ``news`` are those of these rows.
    """

    section: str
    next: int
    end: int
    bytes: int
    news: int

    def take(self, urls: int, content: int, news: int) -> None:
        """Let so many rows go, with their bytes and news."""
        self.next += urls
        self.bytes -= content
        self.news -= news


class Allocator:
    """Gives every URL its file; ``files`` are those of the set afterwards.

    ``dirty`` are the numbers of those whose entries are not what they were; ``ranges`` which rows
    of ``queue`` lie in a file: its number, the first and the last row.
    """

    def __init__(
        self,
        bench: ScratchDatabase,
        ledger: Ledger,
        settings: BuildOptions,
        engine: Engine,
        *,
        has_more: bool,
    ):
        self.ranges: dict[int, tuple[int, int]] = {}
        self.dirty: set[int] = set()
        self._bench = bench
        self._settings = settings
        self._room = settings.max_bytes - _frame(bench, settings, engine, has_more=has_more)
        self._has_more = has_more
        files = [] if settings.compact else ledger.files()
        self.files = {file.number: file for file in files}
        self._next_number = max(self.files, default=0) + 1
        # The last file of each section, by its number: there may be thousands of sections.
        in_order = sorted(self.files.values(), key=lambda file: file.position)
        self._last = {file.section: file.number for file in in_order}

    def place(self) -> None:
        """Place all that is new or has moved."""
        self._subtract()
        self._evict()
        sort_new_rows(self._bench, self._settings, has_more=self._has_more)
        for pile in self._piles():
            while pile.next < pile.end:
                self._fill(pile)
        self.files = {n: file for n, file in self.files.items() if file.urls}

    def _subtract(self) -> None:
        """Take what is gone, and what has another size, off the account of the files it lies in."""
        if self._settings.compact:
            return
        gone = "state IN ('removed', 'moved')"
        rows = self._bench.rows(f"""
            SELECT old_file, count(*) FILTER ({gone}),
                coalesce(sum(if({gone}, 0, {DATED})) - sum({_OLD}), 0)::BIGINT
            FROM differing WHERE old_file IS NOT NULL AND (state <> 'noted') GROUP BY old_file""")
        for number, count, grown in rows:
            file = self.files[number]
            self.files[number] = replace(file, urls=file.urls - count, content=file.content + grown)
            self.dirty.add(number)

    def _evict(self) -> None:
        """Let those at the end of a file that has outgrown the limits move to another."""
        for file in list(self.files.values()):
            if file.urls <= self._settings.max_urls and file.content <= self._room:
                continue
            self._bench.run(f"""
                CREATE OR REPLACE TABLE evicted AS
                SELECT * FROM (
                    SELECT *, row_number() OVER w AS n, sum({DATED}) OVER w AS content
                    FROM decided WHERE old_file = {file.number} AND loc NOT IN
                        (SELECT loc FROM differing WHERE state = 'moved')
                    WINDOW w AS (ORDER BY {sort_key(self._settings)}))
                WHERE n > {self._settings.max_urls} OR content > {self._room}""")
            count, size = self._bench.fetch_one(
                f"SELECT count(*), coalesce(sum({DATED}), 0)::BIGINT FROM evicted"
            )
            self._bench.run("DELETE FROM differing WHERE loc IN (SELECT loc FROM evicted)")
            self._bench.run(f"""
                INSERT INTO differing BY NAME SELECT * EXCLUDE (n, content), 'moved' AS state,
                    {IS_CHANGED} AS is_changed FROM evicted""")
            self.files[file.number] = replace(
                file, urls=file.urls - count, content=file.content - size
            )
            self.dirty.add(file.number)

    def _piles(self) -> Iterator[_Pile]:
        """The queue, cut where a file is full of URLs."""
        rows = self._bench.rows("SELECT section, min(n) FROM queue GROUP BY section")
        self._bench.run("CREATE TABLE starts (section VARCHAR, start BIGINT)")
        self._bench.insert_rows(
            "starts", [(section, first - self._begun(section)) for section, first in rows]
        )
        query = _PILES.format(most=self._settings.max_urls)
        return (_Pile(*row) for row in self._bench.rows(query))

    def _begun(self, section: str) -> int:
        """How many URLs are in the open file of a section."""
        number = self._last.get(section)
        return 0 if number is None else self.files[number].urls

    def _fill(self, pile: _Pile) -> None:
        """Put as many rows as there is room for into the open file of a section, or a new one."""
        file = self._open_file(pile.section)
        taken, content, news = self._fitting(file, pile)
        if not taken:  # it is full: the next round fills a new one
            if not file.urls:
                words = f"expected an entry that fits into {self._settings.max_bytes:,} bytes"
                raise TargetError(f"{words}, found one that does not; nothing was published")
            self._begin(pile.section)
            return
        self.files[file.number] = replace(
            file,
            urls=file.urls + taken,
            content=file.content + content,
            news=file.news + news,
        )
        self.dirty.add(file.number)
        first, last = pile.next, pile.next + taken - 1
        self.ranges[file.number] = (self.ranges.get(file.number, (first, last))[0], last)
        pile.take(taken, content, news)

    def _fitting(self, file: File, pile: _Pile) -> tuple[int, int, int]:
        """How many rows fit, with their bytes and news."""
        urls = min(self._settings.max_urls - file.urls, pile.end - pile.next)
        if urls <= 0:
            return 0, 0, 0
        rows = f"FROM queue WHERE n >= {pile.next} AND n < {pile.next + urls}"
        content, news = pile.bytes, pile.news
        if urls < pile.end - pile.next:
            content, news = self._bench.fetch_one(
                f"SELECT sum(bytes)::BIGINT, count(*) FILTER (news) {rows}"
            )
        if file.content + content <= self._room and file.news + news <= MAX_NEWS:
            return urls, content, news
        found = self._bench.rows(f"""
            SELECT * FROM (
                SELECT row_number() OVER w, sum(bytes) OVER w AS content,
                    count(*) FILTER (news) OVER w AS news
                {rows} WINDOW w AS (ORDER BY n))
            WHERE content <= {self._room - file.content} AND news <= {MAX_NEWS - file.news}
            ORDER BY 1 DESC LIMIT 1""")
        return found[0] if found else (0, 0, 0)

    def _open_file(self, section: str) -> File:
        number = self._last.get(section)
        return self._begin(section) if number is None else self.files[number]

    def _begin(self, section: str) -> File:
        last = self._last.get(section)
        position = 0 if last is None else self.files[last].position
        file = File(self._next_number, section, position + 1)
        self._last[section] = file.number
        self._next_number += 1
        self.files[file.number] = file
        return file


def _frame(
    bench: ScratchDatabase, settings: BuildOptions, engine: Engine, *, has_more: bool
) -> int:
    """Bytes of the header and the footer, with the namespaces that any entry needs."""
    if settings.is_text:
        return 0
    frame = len(engine.renderer("urlset", 1, 1, 1, settings.stylesheet).finish()) + len(MARK)
    if not has_more:
        return frame
    used = bench.fetch_one("""
        SELECT bool_or(len(images) > 0), bool_or(len(videos) > 0), bool_or(news IS NOT NULL),
            bool_or(len(alternates) > 0) FROM extended""")
    return frame + sum(
        len(f' xmlns:{prefix}="{URIS[namespace]}"')
        for is_used, (prefix, namespace) in zip(used, _PREFIXES.items(), strict=True)
        if is_used
    )


SAMPLE = 10_000
"""Rows of which it is guessed where to part all of them."""

DATED = "size + if(lastmod IS NULL, 0, 19 + strlen(lastmod))"
"""Bytes of an entry, of which 19 are those of <lastmod></lastmod>."""

_NEW = "FROM differing WHERE state IN ('added', 'moved')"
_ALWAYS = ("loc", "lastmod", "size", "id")
_OFTEN_ALIKE = {
    "section": "VARCHAR",
    "lastmod_from": "VARCHAR",
    "changefreq": "VARCHAR",
    "priority": "DOUBLE",
    "more": "VARCHAR",
    "fingerprint": "VARCHAR",
    "content_lastmod": "VARCHAR",
    "adopted_lastmod": "VARCHAR",
    "first_seen": "TIMESTAMPTZ",
}
# Sorting costs by the width of a row, the half of it where what is alike in all is not carried.
_SORTED = f"SELECT {{carried}} {_NEW}"
_QUEUE = """
CREATE VIEW queue AS SELECT rowid AS n, *, {alike}({dated})::UINTEGER AS bytes FROM sorted"""
_BOUNDS = f"""
CREATE TABLE bounds AS
SELECT (r * {{parts}}) // total AS part, min(key) AS key FROM (
    SELECT key, row_number() OVER (ORDER BY key) - 1 AS r, count(*) OVER () AS total
    FROM (SELECT row({{order}}) AS key {_NEW} USING SAMPLE {SAMPLE} ROWS))
GROUP BY part"""


class _Facts(NamedTuple):
    """What is known of all rows: how many, whether all URLs have the base, what is ``alike``."""

    rows: int
    is_within: bool
    alike: dict[str, str]


def sort_new_rows(bench: ScratchDatabase, settings: BuildOptions, *, has_more: bool) -> None:
    """Make ``queue``: what is to be placed, in its order, numbered ``n`` from 0."""
    facts = _facts(bench, settings)
    alike = facts.alike
    carried = [*_ALWAYS, *(name for name in _OFTEN_ALIKE if name not in alike)]
    if has_more:
        carried.append("id IN (SELECT id FROM extended WHERE news IS NOT NULL) AS news")
    else:
        alike["news"] = "false"
    key = "loc" if facts.is_within else sort_key(settings)
    order = f"section, {key}" if "section" in carried else key
    _sort(bench, _SORTED.format(carried=", ".join(carried)), order, portions(facts.rows))
    values = "".join(f"{value} AS {name}, " for name, value in alike.items())
    bench.run(_QUEUE.format(alike=values, dated=DATED))


def _sort(bench: ScratchDatabase, rows: str, order: str, parts: int) -> None:
    """Make ``sorted``: one part after the other, each of the rows between two bounds."""
    if parts > 1:
        bench.run(_BOUNDS.format(order=order, parts=parts))
    if parts <= 1 or bench.fetch_one("SELECT count(*) FROM bounds") != (parts,):  # of very few rows
        bench.run(f"CREATE TABLE sorted AS {rows} ORDER BY {order}")
        return
    bench.run(f"CREATE TABLE sorted AS {rows} LIMIT 0")
    for part in range(parts):
        least, beyond = (f"(SELECT key FROM bounds WHERE part = {n})" for n in (part, part + 1))
        within = [f"row({order}) >= {least}"] if part else []
        within += [f"row({order}) < {beyond}"] if part + 1 < parts else []
        bench.run(f"INSERT INTO sorted {rows} AND {' AND '.join(within)} ORDER BY {order}")


def _facts(bench: ScratchDatabase, settings: BuildOptions) -> _Facts:
    """Look at all rows: columns with no value in them, or one text in all, are ``alike``."""
    facts = ", ".join(f"count({c}), min({c})::VARCHAR, max({c})::VARCHAR" for c in _OFTEN_ALIKE)
    base = quoted(settings.base)
    count, is_within, *found = bench.fetch_one(
        f"SELECT count(*), bool_and(starts_with(loc, {base})), {facts} {_NEW}"
    )
    alike = {}
    for at, (name, kind) in enumerate(_OFTEN_ALIKE.items()):
        filled, least, greatest = found[3 * at : 3 * at + 3]
        if not filled:
            alike[name] = f"NULL::{kind}"
        elif filled == count and least == greatest and kind == "VARCHAR":
            alike[name] = quoted(least)
    return _Facts(count, bool(is_within), alike)
