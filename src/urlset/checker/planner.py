"""Create the views that rules query, and remove rules that cannot match any row.

Cheap tests come first: planning a query that returns nothing takes as long as reading thousands of
entries, and most sitemaps have no images, no hreflang and no unusual URLs.

Queries run on several connections: a check of one document is a hundred of them, and planning them
takes longer than running them. DuckDB plans a query on one core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Condition
from types import MappingProxyType
from typing import Generic, TypeVar

from urlset.checker.rule import Rule
from urlset.checker.views import (
    MATERIALIZED,
    MAX_UNUSUAL_ROWS,
    PROBES,
    SLOWEST,
    creation_order,
    referenced_names,
)
from urlset.store import StoreSession

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

    Args:
        sessions: The connections; each runs one task at a time.
        tasks: The tasks by name.
        needs: The names that a task needs. Names that are not tasks count as done. Two tasks must
            not need each other.

    Returns:
        The results by name, in the order of ``tasks``.

    Raises:
        BaseException: The error of the first task, in the order of ``tasks``, among those started.
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
    sessions: Sequence[StoreSession], rules: Iterable[Rule], *, is_ascii: bool = True
) -> list[Rule]:
    """Create the non-empty views that rules query; return the rules that may match.

    Args:
        sessions: The connections to the store.
        rules: The selected rules.
        is_ascii: Whether all host names are ASCII.

    Returns:
        The rules that may find something.
    """
    empty = _empty_views(sessions[0])
    candidates = _possible(rules, empty)
    row_counts = _create_views(sessions, candidates, is_ascii=is_ascii)
    empty |= {PROBES[name] for name in PROBES.keys() & row_counts.keys() if not row_counts[name]}
    empty |= {name for name in MATERIALIZED & row_counts.keys() if not row_counts[name]}
    return _possible(candidates, empty)


def _possible(rules: Iterable[Rule], empty: set[str]) -> list[Rule]:
    """Return the rules that do not depend on one of the empty views."""
    return [
        rule
        for rule in rules
        if ("reported" if rule.is_engine_rule else rule.view) not in empty
        and not (rule.requires_rows and empty.issuperset(rule.requires_rows.split()))
    ]


def _create_views(
    sessions: Sequence[StoreSession], rules: Sequence[Rule], *, is_ascii: bool
) -> dict[str, int]:
    """Create the views and macros that rules use; return the row counts of the tables.

    Views over an empty table are skipped; their count is 0.
    """
    row_counts: dict[str, int] = {}
    views = dict(creation_order(_queries(rules), is_ascii=is_ascii))
    tables = dict(
        creation_order(_queries(rules), MATERIALIZED | {"unusual_urls"}, is_ascii=is_ascii)
    )
    probes = _required_probes(rules)

    def create(session: StoreSession, name: str) -> None:
        is_needed = all(row_counts[probe] for probe in probes[name])
        is_small = name != "unusual_urls" or row_counts["unusual_locs"] <= MAX_UNUSUAL_ROWS
        statement = (tables if is_small else views)[name]
        row_counts[name] = session.run(statement) if is_needed else 0

    needs = {
        name: (referenced_names([text]) | probes[name]) - {name} for name, text in views.items()
    }
    # The slowest views and their dependencies first, then tables before views.
    urgent = {name for name, _ in creation_order(SLOWEST)}
    order = sorted(views, key=lambda name: (name not in urgent, name not in MATERIALIZED))
    run_tasks(sessions, {name: partial(create, name=name) for name in order}, needs)
    return row_counts


def _required_probes(rules: Sequence[Rule]) -> dict[str, set[str]]:
    """Return, by view and macro, the tables that must have rows for it to have rows."""
    probes: dict[str, set[str]] = defaultdict(set)
    names = {name for name, _ in creation_order(_queries(rules))}
    for probe, view in PROBES.items():
        rest = {name for name, _ in creation_order(_queries(_possible(rules, {view})))}
        for name in names - rest - {name for name, _ in creation_order([probe])}:
            probes[name].add(probe)
    return probes


_ALWAYS = (
    "reported declared origin_of"  # of urlset.checker.evaluate and urlset.checker.robots_access
)
_HAS_ROWS = {
    "reported": "(SELECT count(*) > 0 FROM problems)",
    "extended": "bool_or(extra IS NOT NULL)",
    "images": "bool_or(len(images) > 0)",
    "videos": "bool_or(len(videos) > 0)",
    "articles": "bool_or(news IS NOT NULL)",
    **dict.fromkeys(
        ("alternates", "hreflang_sets", "suspect_links", "suspect_link_details"),
        "bool_or(len(alternates) > 0)",
    ),
    **dict.fromkeys(("listed", "nested_indexes"), "(SELECT count(*) > 0 FROM sitemaps)"),
    "declared": "(SELECT count(*) > 0 FROM robots)",
    "failed": "(SELECT count(*) > 0 FROM failures)",
}
"""Cheap tests, as SQL over ``entries``, whether a view can have rows."""


def _queries(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield all SQL of the rules."""
    yield _ALWAYS
    for rule in rules:
        yield from filter(
            None, (rule.view, rule.where, rule.sql, rule.requires_rows, rule.level_sql)
        )
        yield from rule.values.values()


def _empty_views(store: StoreSession) -> set[str]:
    """Return the names of views that cheap tests show to be empty."""
    tests = ", ".join(f"coalesce({query}, false)" for query in _HAS_ROWS.values())
    results = next(iter(store.rows(f"SELECT {tests} FROM entries")))
    return {name for name, has_rows in zip(_HAS_ROWS, results, strict=True) if not has_rows}
