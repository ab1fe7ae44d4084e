"""SQL tables of a comparison: the rows of both states, and pairs of rows that differ."""

from __future__ import annotations

import glob
import os

from urlset.arrow.batches import as_table, batch_of, column_values, unsigned_array
from urlset.checker.macros import sql_map
from urlset.checker.views import creation_order
from urlset.http import request_url
from urlset.live.diff.rows import MovePattern
from urlset.live.diff.states import State
from urlset.live.working_tables import SELECTED_ROWS
from urlset.option_names import option
from urlset.reader.filters import UrlPatterns
from urlset.store import ScratchDatabase, quoted
from urlset.terminal_text import printable
from urlset.urls import split_origin

SIDES = ("before", "after")

STATE_FIELDS = (
    "lastmod", "changefreq", "priority", "images", "videos", "news", "alternates", "title",
    "fingerprint",
)  # fmt: skip
"""Fields that are compared, if both states have a value of it for any URL."""

_NUMBERS = ("lastmod", "priority")
_LISTS = ("images", "videos", "alternates")
_LISTED = tuple(name for name in STATE_FIELDS if name not in ("title", "fingerprint"))
"""Those of an entry; the others are known of visited pages only."""

MAX_COLUMNS = 10
"""Columns that a note names; the rest is counted."""

_MACROS = "text_hash normal_of duplicate_key host_of path_of is_web"
_ENTRY = "loc lastmod lastmod_text changefreq priority images videos news alternates".split()
_HOST = "lower(regexp_extract(loc, '^[^:]*://(?:[^/?#@]*@)?([^/?#:]*)', 1))"


class Tables:
    """Tables of one comparison, in a temporary database.

    Attributes:
        known: The fields that are compared.
        dates_identify: Whether moved pages kept their ``lastmod``, and few pages share one.
        patterns: Patterns of moves.
        notes: Remarks on the states.
        faults: Documents of both states that could not be read, each with the reason.
        before: Number of URLs in the earlier state.
        after: Number of URLs in the later state.
        both: Number of URLs in both.
        is_none_selected: Whether URLs are listed, and the patterns select none of either state.
        live: For each side, the names of the live tables of its store.
        stores: Names of the attached stores by side; a Parquet file has none.
    """

    def __init__(
        self, db: ScratchDatabase, states: dict[str, State], patterns: UrlPatterns | None = None
    ):
        self.db = db
        self.states = states
        self._url_patterns = patterns or UrlPatterns()
        self.live: dict[str, frozenset[str]] = dict.fromkeys(SIDES, frozenset())
        self.is_crawl: dict[str, bool] = dict.fromkeys(SIDES, False)
        self.known: frozenset[str] = frozenset()
        self.dates_identify = False
        self.before: int = 0
        self.after: int = 0
        self.both: int = 0
        self.is_none_selected: bool = False
        self.patterns: list[MovePattern] = []
        self.faults: list[str] = []
        self.notes = [text for each in states.values() for text in each.faults.messages]

    def create(self) -> None:
        """Create the tables of both states, and that of changed URLs in both."""
        self._attach()
        self._create_macros()
        for side in SIDES:
            self._create_listed(side)
            self._create_rows(side)
        self.known = self._known_fields()
        self._create_keys()
        for side in SIDES:
            self._create_diff(side)
        self._create_pairs()
        self._note_columns()
        if self._url_patterns:
            self._note_selection()

    def count(self, query: str) -> int:
        """Run a query that returns one number, and return it."""
        return int(self.db.fetch_one(query)[0] or 0)

    def has_duplicates(self, side: str) -> bool:
        """Return whether a state lists a URL twice."""
        return bool(
            self.count(f"SELECT count(*) FROM (FROM url_keys WHERE {side}_rows > 1 LIMIT 1)")
        )

    def _attach(self) -> None:
        """Attach the stores; DuckDB opens a file only once."""
        self.stores: dict[str, str] = {}
        attached: dict[str, str] = {}
        for side, state in self.states.items():
            if state.form != "store":
                continue
            path = os.path.realpath(state.path)
            if path not in attached:
                attached[path] = f"{side}_store"
                self.live[side] = self.db.attach_store(
                    state.path, attached[path], is_own=state.is_own
                )
            else:
                self.live[side] = self.live["before"]
            self.stores[side] = attached[path]

    def _create_macros(self) -> None:
        hosts = self._ascii_hosts()
        if hosts:
            self.db.run(f"SET VARIABLE ascii_hosts = {sql_map(hosts)}")
        for _, statement in creation_order([_MACROS], is_ascii=not hosts):
            self.db.run(statement)

    def _ascii_hosts(self) -> dict[str, str]:
        """Map the host names that are not ASCII to their ASCII form; most sites have none."""
        found = {}
        for side in SIDES:
            # Materialized: DuckDB would evaluate the second condition, with the regular expression,
            # for all rows.
            rows = self.db.rows(
                f"WITH hosts AS MATERIALIZED (SELECT DISTINCT {_HOST} AS host "
                f"FROM {self._relation(side)} WHERE strlen(loc) > length(loc)) "
                "SELECT host FROM hosts WHERE strlen(host) > length(host)"
            )
            for (host,) in rows:
                if (url := request_url(f"https://{host}/")) is not None:
                    found[host] = split_origin(url)[1]
        return found

    def _relation(self, side: str) -> str:
        store = self.stores.get(side)
        if store is not None:
            return f"{store}.entries"
        path = glob.escape(os.path.abspath(self.states[side].path))
        return f"read_parquet({quoted(path)}, hive_partitioning = false, file_row_number = true)"

    def _create_listed(self, side: str) -> None:
        store = self.stores.get(side)
        fields = ", ".join(f"e.{name}" for name in _ENTRY)
        pages = "NULL::VARCHAR AS title, NULL::VARCHAR AS fingerprint"
        source, place = self.shown(side, "e.source"), "(e.document::UBIGINT << 32) + e.entry"
        end = ""
        if store is None:
            place, end = "e.file_row_number", " WHERE e.loc IS NOT NULL"
        elif "pages" in self.live[side]:
            visited = f"FROM {store}.pages WHERE verdict = 'ok'"
            if not self.count(f"SELECT count(*) FROM (FROM {store}.entries LIMIT 1)"):
                self._create_crawled(side, visited)
                return
            self.db.run_long(
                f"CREATE TABLE {side}_pages AS SELECT text_hash(normal_of(url)) AS h, "
                "any_value(title) AS title, any_value(fingerprint) AS fingerprint "
                f"{visited} GROUP BY h"
            )
            pages = "p.title, p.fingerprint"
            end = f" LEFT JOIN {side}_pages p ON p.h = text_hash(normal_of(e.loc))"
        self.db.run(
            f"CREATE VIEW {side}_listed AS SELECT {fields}, {pages}, {source} AS source, "
            f"{place} AS place FROM {self._relation(side)} e{end}"
        )

    def _create_crawled(self, side: str, visited: str) -> None:
        """Create the view of the URLs of a state of a crawl, which has no entries."""
        self.is_crawl[side] = True
        empty = ", ".join(
            f"NULL::{kind} AS {name}"
            for name, kind, *_ in self.db.rows(f"DESCRIBE {self._relation(side)}")
            if name in _ENTRY[3:]
        )
        self.db.run(
            f"CREATE VIEW {side}_listed AS SELECT url AS loc, lastmod, lastmod_text, {empty}, "
            "title, fingerprint, NULL::VARCHAR AS source, rowid::UBIGINT AS place "
            f"{visited}"
        )

    def _create_rows(self, side: str) -> None:
        """Create the view of the URLs that are compared: those that the patterns select."""
        query = f"SELECT * FROM {side}_listed"
        if self._url_patterns:
            self._select(side)
            query += f" SEMI JOIN {side}_selected USING (place)"
        self.db.run(f"CREATE VIEW {side}_rows AS {query}")

    def _select(self, side: str) -> None:
        """Create ``{side}_selected``: in Python, because DuckDB has other regular expressions."""
        self.db.run(SELECTED_ROWS.create_empty(side=side))
        reason_against = self._url_patterns.reason_against
        for batch in self.db.batches(f"SELECT place, loc FROM {side}_listed"):
            places, locs = (column_values(batch, name) for name in ("place", "loc"))
            rows = zip(places, locs, strict=True)
            selected = [place for place, loc in rows if reason_against(loc) is None]
            self.db.insert(
                f"INSERT INTO {side}_selected SELECT place FROM incoming",
                as_table(batch_of({"place": unsigned_array(selected)})),
            )

    def _note_selection(self) -> None:
        options = f"{option('include')} and {option('exclude')}"
        if self.before or self.after:
            self.notes.append(f"Only URLs that {options} select are compared.")
            return
        self.is_none_selected = any(
            self.count(f"SELECT count(*) FROM (FROM {side}_listed LIMIT 1)") for side in SIDES
        )

    def _note_columns(self) -> None:
        """Note which columns of tables, and which fields of an entry, are not compared."""
        states = [self.states[side] for side in SIDES]
        unused = dict.fromkeys(name for state in states for name in state.faults.unused_columns)
        if unused:
            names = [*unused][:MAX_COLUMNS]
            more = f" and {len(unused) - MAX_COLUMNS:,} more" if len(unused) > MAX_COLUMNS else ""
            self.notes.append(
                f"Columns that are not compared, because entries have no such field: "
                f"{printable(', '.join(names))}{more}."
            )
        for state, names in zip(states, self._only_known, strict=True):
            if names and self.before and self.after:
                self.notes.append(
                    f"Not compared, because only {state.name} has values: {', '.join(names)}."
                )

    def shown(self, side: str, column: str) -> str:
        """Return SQL for the document name in a column, without the path of a temporary folder."""
        replaced = self.states[side].replaced
        if replaced is None:
            return column
        old, new = map(quoted, replaced)
        rest = f"substr({column}, {len(replaced[0]) + 1})"
        if replaced[1].endswith(("/", ":")):
            rest = f"ltrim({rest}, '/')"
        return f"CASE WHEN starts_with({column}, {old}) THEN {new} || {rest} ELSE {column} END"

    def _known_fields(self) -> frozenset[str]:
        tests = ", ".join(f"bool_or({_has_value(name)}) AS {name}" for name in STATE_FIELDS)
        known = []
        for side in SIDES:
            row = self.db.fetch_one(f"SELECT {tests} FROM {side}_rows")
            known.append({name for name, has in zip(STATE_FIELDS, row, strict=True) if has})
        self._only_known = [
            [name for name in _LISTED if name in one and name not in other]
            for one, other in (known, reversed(known))
        ]
        if self.states["after"].is_last_known:  # one reader, so no field is missing by chance
            return frozenset(known[0] | known[1])
        return frozenset(known[0] & known[1])

    def _create_keys(self) -> None:
        rows = [self.count(f"SELECT count(*) FROM {side}_rows") for side in SIDES]
        # In a join, a URL with 10,000 rows in each state would have 100,000,000.
        if not (any(map(self._has_single_rows, SIDES, rows)) and self._join_rows() == rows):
            self._group_rows()
        # A URL that is not in the table has one row in each state.
        same = rows[0] - self.count("SELECT sum(before_rows) FROM url_keys")
        counts = self.db.fetch_one(
            "SELECT count_if(before_rows > 0), count_if(after_rows > 0), "
            "count_if(before_rows > 0 AND after_rows > 0) FROM url_keys"
        )
        self.before, self.after, self.both = (int(count or 0) + same for count in counts)

    def _has_single_rows(self, side: str, count: int) -> bool:
        """Return whether each URL of a state has one row; false if two have the same hash."""
        query = f"SELECT count(DISTINCT hash(normal_of(loc))) FROM {side}_rows"
        return self.count(query) == count

    def _join_rows(self) -> list[int]:
        """Create ``url_keys``, and return the number of joined rows of each state.

        It is right if these are the rows of the states: a URL with one row in a state, and with
        several in the other one, is joined several times.
        """
        texts, numbers = self._compared()
        # Most URLs are in normal form, and have no other texts: these need no hash of texts.
        has_text = " OR ".join(["loc <> key", *(f"({text}) IS NOT NULL" for text in texts[1:])])
        stamp = ", ".join([f"CASE WHEN {has_text} THEN {_joined(texts)} END", *numbers])
        before, after = (
            f"(SELECT key, place, hash({stamp}) AS stamp "
            f"FROM (SELECT *, normal_of(loc) AS key FROM {side}_rows))"
            for side in SIDES
        )
        self.db.run_long(
            f"""CREATE TABLE url_keys AS
            SELECT CASE WHEN may_differ THEN text_hash(any_value(key)) END AS h,
                count(before_place) AS before_rows, count(after_place) AS after_rows, may_differ,
                min(before_place) AS before_place, min(after_place) AS after_place
            FROM (SELECT key, b.place AS before_place, a.place AS after_place,
                    b.stamp IS DISTINCT FROM a.stamp AS may_differ
                FROM {before} b FULL JOIN {after} a USING (key))
            GROUP BY may_differ, CASE WHEN may_differ THEN key END"""
        )
        joined = self.db.fetch_one("SELECT sum(before_rows), sum(after_rows) FROM url_keys")
        self.db.run("DELETE FROM url_keys WHERE NOT may_differ")
        return [int(count or 0) for count in joined]

    def _group_rows(self) -> None:
        """Create ``url_keys`` if URLs have several rows."""
        texts, numbers = self._compared()
        stamp = ", ".join([_joined(texts), *numbers])
        parts = " UNION ALL ".join(
            f"SELECT text_hash(normal_of(loc)) AS h, place, hash({stamp}) AS stamp, "
            f"{side == 'after'} AS is_after FROM {side}_rows"
            for side in SIDES
        )
        mine, other = "FILTER (NOT is_after)", "FILTER (is_after)"
        self.db.run_long(
            f"""CREATE OR REPLACE TABLE url_keys AS FROM (
            SELECT h, count(*) {mine} AS before_rows, count(*) {other} AS after_rows,
                min(stamp) {mine} IS DISTINCT FROM min(stamp) {other}
                OR max(stamp) {mine} IS DISTINCT FROM max(stamp) {other} AS may_differ,
                min(place) {mine} AS before_place, min(place) {other} AS after_place
            FROM ({parts}) GROUP BY h)
            WHERE may_differ OR before_rows > 1 OR after_rows > 1"""
        )

    def _compared(self) -> tuple[list[str], list[str]]:
        """Return SQL for the texts of a row that are compared, ``loc`` first, and for numbers."""
        known = [name for name in STATE_FIELDS if name in self.known]
        texts = ["loc", *(_text(name) for name in known if name != "priority")]
        return texts, [name for name in known if name in _NUMBERS]

    def _create_diff(self, side: str) -> None:
        """Create ``{side}_diff``; of a URL with several rows, the first one is compared."""
        columns = ["h", "loc", "lastmod", "lastmod_text", "changefreq", "priority", "title"]
        columns += ["fingerprint", "source", "place", "is_only"]
        columns += [
            f"text_hash({_text(name)}) AS {name}"
            for name in ("images", "videos", "news", "alternates")
            if name in self.known
        ]
        self.db.run_long(
            f"""CREATE TABLE {side}_diff AS SELECT {", ".join(columns)}
            FROM {side}_rows JOIN (
                SELECT h, {side}_place AS place, before_rows = 0 OR after_rows = 0 AS is_only
                FROM url_keys WHERE may_differ AND {side}_rows > 0) USING (place)"""
        )

    def _create_pairs(self) -> None:
        """Create ``changed_pairs``: URLs in both states, with the names of changed fields."""
        is_content = "b.fingerprint <> a.fingerprint" if "fingerprint" in self.known else "NULL"
        tests = {"spelling": "a.loc <> b.loc"}
        for name in STATE_FIELDS:
            if name in self.known and name not in ("lastmod", "fingerprint"):
                # The title of a page that was not visited is null.
                is_other = "<>" if name == "title" else "IS DISTINCT FROM"
                tests[name] = f"a.{name} {is_other} b.{name}"
        is_moved = "false"
        if "lastmod" in self.known:
            is_moved = (
                "(a.lastmod IS DISTINCT FROM b.lastmod OR (a.lastmod IS NULL "
                "AND a.lastmod_text IS DISTINCT FROM b.lastmod_text))"
            )
        reasons = ", ".join(f"CASE WHEN {test} THEN '{name}' END" for name, test in tests.items())
        lastmod = (
            "CASE WHEN is_moved THEN CASE is_content WHEN true THEN 'lastmod-with-content' "
            "WHEN false THEN 'lastmod-without-content' ELSE 'lastmod' END "
            "WHEN is_content THEN CASE WHEN has_lastmod THEN 'content-without-lastmod' "
            "ELSE 'content' END END"
        )
        self.db.run_long(
            f"""CREATE TABLE changed_pairs AS
            SELECT h, list_filter(list_prepend({lastmod}, others),
                lambda r: r IS NOT NULL) AS reasons
            FROM (SELECT a.h, {is_moved} AS is_moved, {is_content} AS is_content,
                    a.lastmod IS NOT NULL AND b.lastmod IS NOT NULL AS has_lastmod,
                    [{reasons}]::VARCHAR[] AS others
                FROM before_diff a JOIN after_diff b USING (h) WHERE NOT a.is_only)
            WHERE is_moved OR coalesce(is_content, false)
                OR len(list_filter(others, lambda r: r IS NOT NULL)) > 0"""
        )


def _joined(texts: list[str]) -> str:
    """Return SQL for a hash of several texts."""
    return f"text_hash(concat_ws(chr(1), {', '.join(f'coalesce({t}, chr(2))' for t in texts)}))"


def _text(name: str) -> str:
    """Return SQL for the text of a field as it is compared: an empty list equals NULL."""
    if name in _LISTS:
        return f"CASE WHEN len({name}) > 0 THEN {name}::VARCHAR END"
    if name == "lastmod":  # two spellings of an instant are equal
        return "CASE WHEN lastmod IS NULL THEN lastmod_text END"
    return f"{name}::VARCHAR"


def _has_value(name: str) -> str:
    if name in _LISTS:
        return f"len({name}) > 0"
    if name == "lastmod":
        return "lastmod_text IS NOT NULL OR lastmod IS NOT NULL"
    return f"{name} IS NOT NULL"
