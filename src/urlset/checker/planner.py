"""Create the views that rules query, and remove rules that cannot match any row.

Cheap tests come first: planning a query that returns nothing takes as long as reading thousands of
entries, and most sitemaps have no images, no hreflang and no unusual URLs.

Queries run on several connections: a check of one document is a hundred of them, and planning them
takes longer than running them. DuckDB plans a query on one core.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Condition
from types import MappingProxyType
from typing import Generic, TypeVar

from urlset.checker import views
from urlset.checker.macros import PARAMETERIZED
from urlset.checker.rule import Rule
from urlset.store import StoreSession

MAX_PART_ENTRIES = 10_000_000
"""Entries whose documents are grouped at a time, for tables with lists of all rows."""

T = TypeVar("T")
Task = Callable[[StoreSession], T]
"""Function that uses a connection exclusively until it returns."""

_NO_NEEDS: Mapping[str, Collection[str]] = MappingProxyType({})


def run_tasks(
    sessions: Sequence[StoreSession],
    tasks: Mapping[str, Task[T]],
    needs: Mapping[str, Collection[str]] = _NO_NEEDS,
) -> dict[str, T]:
    """Run tasks in parallel sessions, each after the tasks it needs; return their results.

    Each session runs one task at a time. Names in ``needs`` that are not tasks count as done. Two
    tasks must not need each other. Of those that fail, the error of the first one is raised.
    """
    scheduler = _Scheduler(tasks, needs)
    with ThreadPoolExecutor(len(sessions), thread_name_prefix="urlset-rules") as pool:
        for session in sessions[1:]:
            pool.submit(scheduler.run_worker, session)
        try:
            scheduler.run_worker(sessions[0])
        except BaseException:
            scheduler.stop()
            raise
    for name in tasks:
        if name in scheduler.failures:
            raise scheduler.failures[name]
    return {name: scheduler.results[name] for name in tasks}


class _Scheduler(Generic[T]):
    """Scheduler of tasks for several threads: pending ones, and results of finished ones."""

    def __init__(self, tasks: Mapping[str, Task[T]], needs: Mapping[str, Collection[str]]):
        self.results: dict[str, T] = {}
        self.failures: dict[str, BaseException] = {}
        self._pending = dict(tasks)
        self._needs = {name: tasks.keys() & needs.get(name, ()) for name in tasks}
        self._changed = Condition()

    def run_worker(self, session: StoreSession) -> None:
        """Run pending tasks in one session, one by one, until none is left or one has failed."""
        while (found := self._next()) is not None:
            name, task = found
            try:
                self.results[name] = task(session)
            except BaseException as error:  # noqa: BLE001 - `run_tasks` raises it
                self.failures[name] = error
            with self._changed:
                self._changed.notify_all()

    def stop(self) -> None:
        """Drop the pending tasks."""
        with self._changed:
            self._pending.clear()
            self._changed.notify_all()

    def _next(self) -> tuple[str, Task[T]] | None:
        """Wait for a task whose needs are done and return it; None if no task is left."""
        with self._changed:
            while self._pending and not self.failures:
                for name in self._pending:
                    if self._needs[name] <= self.results.keys():
                        return name, self._pending.pop(name)
                self._changed.wait()
            return None


def plan(
    sessions: Sequence[StoreSession],
    rules: Iterable[Rule],
    *,
    is_ascii: bool = True,
    given: Set[str] = frozenset(),
) -> list[Rule]:
    """Create the non-empty views that rules query; return the rules that may match.

    Views are created in rounds: what depends on the row count of a probe waits for the next round,
    where it may not be needed. The first round has only probes for which the slowest views wait.
    ``is_ascii`` is whether all host names are ASCII; ``given`` views exist as tables.
    """
    empty = _empty_views(sessions)
    row_counts: dict[str, int] = {}
    while True:
        rules = _possible(rules, empty)
        statements = _missing_views(rules, empty, row_counts, given, is_ascii=is_ascii)
        if not statements:
            return rules
        if first := views.FIRST & statements.keys():
            names = first | views.used_names(first)
            statements = {name: sql for name, sql in statements.items() if name in names}
        row_counts |= _run_statements(sessions, statements)
        empty |= {name for name in views.MATERIALIZED if row_counts.get(name) == 0}
        for probe, seen in views.PROBES.items():
            empty |= {*seen} if probe in empty else set()


def _possible(rules: Iterable[Rule], empty: Set[str]) -> list[Rule]:
    """Return the rules that do not depend on one of the empty views."""
    return [
        rule
        for rule in rules
        if ("reported" if rule.is_engine_rule else rule.view) not in empty
        and not (rule.requires_rows and empty >= set(rule.requires_rows.split()))
    ]


def _missing_views(
    rules: Sequence[Rule],
    empty: set[str],
    row_counts: Mapping[str, int],
    given: Set[str],
    *,
    is_ascii: bool,
) -> dict[str, str]:
    """Return the statements of the next round, by the name of the view or macro that they create.

    Empty tables do not replace views that custom rules use: these may read any column.
    """
    empty = empty - views.used_names(_queries(rule for rule in rules if rule.is_custom))
    empty &= views.EMPTY_TABLES.keys()
    materialized = set(views.MATERIALIZED)
    if row_counts.get("unusual_locs", 0) <= views.MAX_UNUSUAL_ROWS:
        materialized.add("unusual_urls")
    undecided = {
        view: probe
        for probe, seen in views.PROBES.items()
        for view in seen
        if probe not in row_counts and view not in empty
    }
    leaves = empty | undecided.keys() | given
    used = views.used_names(_queries(rules), leaves)
    certain = _possible(rules, undecided.keys())  # those that do not wait for a probe
    probes: set[str] = set()
    while more := {undecided[view] for view in undecided if view in used} - probes:
        probes |= more  # they may wait for other probes
        used |= views.used_names(more, leaves)
    names = views.used_names([*_queries(certain), *probes], leaves)
    statements = views.creation_order(names, materialized, is_ascii=is_ascii, empty=empty)
    return {
        name: statement
        for name, statement in statements
        if name in names
        and name not in given
        and name not in row_counts
        and undecided.keys().isdisjoint(views.used_names([name], empty))
    }


def _run_statements(
    sessions: Sequence[StoreSession], statements: Mapping[str, str]
) -> dict[str, int]:
    """Create views and macros, each after those that it uses; return the row counts of tables."""

    def create(session: StoreSession, name: str) -> int:
        if name in views.BY_DOCUMENT:
            return _create_in_parts(session, name, statements[name])
        return session.run(statements[name])

    needs = {name: views.names_in(text) - {name} for name, text in statements.items()}
    # The slowest views and their dependencies first, then tables before views.
    urgent = views.used_names(views.SLOWEST)
    order = sorted(
        statements, key=lambda name: (name not in urgent, name not in views.MATERIALIZED)
    )
    return run_tasks(sessions, {name: partial(create, name=name) for name in order}, needs)


def _create_in_parts(session: StoreSession, name: str, statement: str) -> int:
    """Create a table for at most ``MAX_PART_ENTRIES`` entries at a time; return its row count."""
    ((entries,),) = session.rows("SELECT count(*) FROM entries")
    if entries <= MAX_PART_ENTRIES:
        return session.run(statement)
    parts = session.rows(f"""
        SELECT min(document), max(document) FROM (
            SELECT document, sum(count(*)) OVER (ORDER BY document) // {MAX_PART_ENTRIES} AS part
            FROM entries GROUP BY document)
        GROUP BY part ORDER BY 1""")
    start = f"CREATE TABLE {name} AS "
    count = 0
    for first, last in list(parts):
        session.run(f"SET VARIABLE first_document = {first}")
        session.run(f"SET VARIABLE last_document = {last}")
        count += session.run(statement)
        statement = statement.replace(start, f"INSERT INTO {name} ", 1)
    session.run("RESET VARIABLE first_document")
    session.run("RESET VARIABLE last_document")
    return count


_HAS_ROWS = {
    "problems": dict.fromkeys(("broken", "reported"), "count(*) > 0"),
    "sitemaps": {
        **dict.fromkeys(("listed", "nested_indexes", "sitemaps"), "count(*) > 0"),
        **dict.fromkeys(("lastmods", "clustered_dates"), "count(lastmod_text) > 0"),
    },
    "robots": dict.fromkeys(("declared", "declaring_hosts", "robots"), "count(*) > 0"),
    "failures": {"failed": "count(*) > 0"},
    "markup_facts": {"unused_namespaces": "bool_or(fact = 'unused')"},
    "documents": {
        "declaring_hosts": "count(declared_by) > 0",
        "unlisted_feeds": "bool_or(kind IN ('rss', 'atom'))",
        "generation_times": "count(last_modified) + count(status) + count(lastmod) > 0",
        "site_mixes": "bool_or(entry_count IS DISTINCT FROM 1)",
        **dict.fromkeys(("url_scopes", "urls_of_documents"), "count(url) > 0"),
        "texts": "bool_or(kind = 'text')",
        "gzip_files": "bool_or(layers > 0 OR contains(lower(source), '.gz'))",
        "large_documents": "max(greatest(size // 1048576, entry_count // 45000, "
        "sitemap_count // 45000)) > 0",
        "many_indexes": "count_if(kind = 'index') > 500",
    },
    f"(SELECT 1 FROM {PARAMETERIZED} LIMIT 1)": {"parameterized": "count(*) > 0"},
    "entries": {
        "extended": "count(extra) > 0",
        "images": "bool_or(len(images) > 0)",
        "videos": "bool_or(len(videos) > 0)",
        "articles": "bool_or(news IS NOT NULL)",
        **dict.fromkeys(
            ("alternates", "hreflang_sets", "suspect_links", "suspect_link_details"),
            "bool_or(len(alternates) > 0)",
        ),
        "duplicates": "count(*) > 1",
        "clustered_dates": "bool_or(entry >= 10)",
        "style_mixes": "bool_or(entry >= 20)",
        "lastmods": "count(lastmod_text) > 0",
        "undated_entries": "count(lastmod_text) < count(*)",
        "hinted_entries": "count(changefreq) + count(priority) > 0",
    },
}
"""Cheap tests, as SQL over tables, whether a view can have rows: one of its tests is true then.

The other names are conditions for rules (:attr:`Rule.requires_rows`). DuckDB plans the tests in one
statement much slower than in one for each table."""


def _queries(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield all SQL of the rules."""
    for rule in rules:
        if rule.is_engine_rule:
            yield "reported"  # of urlset.checker.evaluate
        if "robots" in rule.needs:
            yield "origin_of"  # of urlset.checker.robots_access
        yield from filter(
            None, (rule.view, rule.where, rule.sql, rule.requires_rows, rule.level_sql)
        )
        yield from rule.values.values()


def _empty_views(sessions: Sequence[StoreSession]) -> set[str]:
    """Return the names of views that cheap tests show to be empty."""

    def filled_views(session: StoreSession, table: str, tests: Mapping[str, str]) -> set[str]:
        columns = ", ".join(f"coalesce({test}, false)" for test in tests.values())
        results = next(iter(session.rows(f"SELECT {columns} FROM {table}")))
        return {name for name, has_rows in zip(tests, results, strict=True) if has_rows}

    tasks = {
        table: partial(filled_views, table=table, tests=tests)
        for table, tests in reversed(_HAS_ROWS.items())  # the slowest one first
    }
    filled = run_tasks(sessions, tasks).values()
    return {name for tests in _HAS_ROWS.values() for name in tests}.difference(*filled)
