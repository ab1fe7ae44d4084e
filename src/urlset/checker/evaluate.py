"""Evaluate rules against the tables of a store: count all findings, keep the first of each rule.

One pass over a view tests all rules over that view. Only rules with a match are queried for their
rows.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from math import inf
from string import Formatter
from threading import Lock
from typing import NamedTuple

from urlset.checker.macros import ascii_hosts, sql_map
from urlset.checker.planner import Task, plan, run_tasks
from urlset.checker.rule import Basis, Rule
from urlset.checker.working_tables import ACCESS_RULES, FINDING_ROWS
from urlset.errors import QueryError, StoreError
from urlset.model import Level
from urlset.store import RULE_S, SESSION_MB, StoreSession, TimeLimitError, quoted

MAX_ROWS = 10_000
"""Maximum number of findings of one rule that are yielded; the rest is only counted."""

OWN_RULE_S = 600.0
"""Seconds of a rule of urlset, or of all rules over one view; more if `rule_timeout_s` is more."""

CUSTOM_RULES_FACTOR = 10
"""Limit of all custom rules together, as a multiple of that of one: a file can have thousands."""

MEMORY_ENTRIES = 20_000_000
"""Entries for which the memory limit of a session is enough; each million more adds 8 MB."""

MAX_PARALLEL_ENTRIES = 500_000
"""Above this number of entries, queries run one after another: DuckDB uses all cores for each of
them, and two at once would need twice the memory."""

_MAX_LOC = 2_500  # characters of a loc that a finding carries; longer than any valid one
_MAX_VALUE = 2_000  # characters of a value in a message
_COLUMNS = ("document", "source", "offset", "line", "column", "loc", "nth")
_ORDER = ("document", "source", "offset", "nth")


class FindingKey(NamedTuple):
    """Key by which findings are counted: rule, level and document."""

    code: str
    level: Level
    source: str | None


Tally = Counter[FindingKey]


class Row(NamedTuple):
    """Finding as a row of SQL.

    Problems of the engine have their exact position, with a ``column``. Other rows have the
    position of their entry, and ``nth`` to select one of several elements; ``offset`` is None for
    the whole document. ``document`` is None for a robots.txt, which ``source`` names.
    ``parameters`` are the values in the message, in the order of :attr:`Rule.parameters`, and
    ``basis`` is that of a finding of an audit.
    """

    document: int | None
    source: str | None
    offset: int | None
    line: int | None
    column: int | None
    loc: str | None
    nth: int | None
    code: str
    level: Level
    message: str
    parameters: list[str | None]
    basis: Basis | None


class Evaluation(NamedTuple):
    """Counts of the findings, and the store that holds their rows."""

    counts: Tally
    store: StoreSession

    def rows(self) -> Iterator[Row]:
        """Yield the findings by document and position; at most 10,000 of each rule."""
        if not self.counts:
            return
        query = """
            SELECT document, coalesce(f.source, d.source, getvariable('checked')), "offset", line,
                "column", f.loc, nth, code, f.level, f.message, f.parameters, f.basis
            FROM finding_rows f LEFT JOIN documents d USING (document)
            ORDER BY document NULLS FIRST, f.source, "offset" NULLS FIRST, line, code, nth,
                message"""
        yield from map(Row._make, self.store.rows(query))


def evaluate(
    store: StoreSession,
    rules: Iterable[Rule],
    *,
    now: datetime,
    profile: str | None = None,
    source: str | None = None,
    rule_timeout_s: float | None = RULE_S,
    given: Set[str] = frozenset(),
    bucket: tuple[int, int] | None = None,
    memory_mb: int = SESSION_MB,
    levels: Collection[Level] | None = None,
) -> Evaluation:
    """Evaluate rules on a store.

    The store is sealed first, so no rule has access to anything but its tables. Findings about no
    particular document are attributed to ``source``.

    Args:
        rule_timeout_s: The time limit of a custom rule in seconds, None for no limit. All of them
            together have ten times as much. Other rules have 600 seconds, or this if it is more.
        given: Views that exist as tables.
        bucket: Number of the part of a divided check, from 0, and the number of parts.
        memory_mb: Memory limit of DuckDB for at most :data:`MEMORY_ENTRIES`, in megabytes.
        levels: Levels of the findings; others are neither counted nor stored. None for all.

    Raises:
        urlset.QueryError: The SQL of a rule, which the message names, fails or takes too long.
    """
    ((entries,),) = store.rows("SELECT count(*) FROM entries")
    if not store.is_sealed:
        store.limit_memory(memory_mb + max(0, entries - MEMORY_ENTRIES) // 125_000)
    store.seal()
    if source is not None:  # a file name may be invalid Unicode
        source = source.encode(errors="replace").decode()
    settings: tuple[str, ...] = (
        f"SET VARIABLE now = {quoted(now.isoformat())}::TIMESTAMPTZ",
        f"SET VARIABLE profile = {quoted(profile) if profile else 'NULL'}",
        f"SET VARIABLE checked = {quoted(source) if source else 'NULL'}",
    )
    if bucket is not None:
        numbers = zip(("bucket", "buckets"), bucket, strict=True)
        settings += tuple(f"SET VARIABLE {name} = {n}::UBIGINT" for name, n in numbers)
    with ExitStack() as other_sessions:
        sessions = [store]
        if entries <= MAX_PARALLEL_ENTRIES:
            sessions.append(other_sessions.enter_context(store.clone()))
        hosts = ascii_hosts(store)
        for session in sessions:
            for setting in settings:
                session.run(setting)
            if hosts:
                session.run(f"SET VARIABLE ascii_hosts = {sql_map(hosts)}")
        chosen = plan(sessions, rules, is_ascii=not hosts, given=given)
        store.run(FINDING_ROWS.create_empty())
        if access := [rule for rule in chosen if rule.code in ACCESS_RULES]:
            from urlset.checker import robots_access  # most sites disallow no listed URL

            with _time_limit(store, access, _own_limit(rule_timeout_s)):
                robots_access.compute(store, profile)
        counts: Tally = Counter()
        for partial_counts in run_tasks(sessions, _tasks(chosen, rule_timeout_s, levels)).values():
            counts += partial_counts
    # The rules of which more was found than is stored are counted already.
    counted = ", ".join(map(quoted, sorted({key.code for key in counts}))) or "NULL"
    stored = _count(store, f"FROM finding_rows WHERE (code IN ({counted})) IS NOT TRUE")
    return Evaluation(counts + stored, store)


def _tasks(
    rules: Sequence[Rule], timeout_s: float | None, levels: Collection[Level] | None
) -> dict[str, Task[Tally]]:
    """Return the tasks that evaluate the rules: one for each view, others for single rules."""
    own_s = _own_limit(timeout_s)
    by_view: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.view is not None and not rule.is_custom:
            by_view[rule.view].append(rule)
    tasks: dict[str, Task[Tally]] = {
        view: partial(_run_view_rules, view=view, rules=its, timeout_s=own_s, levels=levels)
        for view, its in by_view.items()
    }
    budget = _Budget(timeout_s)
    for rule in rules:
        if rule.is_custom:
            tasks[rule.code] = partial(_run_custom_rule, rule=rule, budget=budget, levels=levels)
        elif rule.sql is not None:
            tasks[rule.code] = partial(_run_sql_rule, rule=rule, timeout_s=own_s, levels=levels)
    engine_rules = [rule for rule in rules if rule.is_engine_rule]
    return tasks | {"engine": partial(_store_problems, rules=engine_rules, levels=levels)}


FOREIGN_TEXTS = (
    "SELECT document FROM documents "
    "WHERE coalesce(kind, 'unknown') IN ('unknown', 'text') AND entry_count = 0"
)
"""SQL: documents that are no sitemaps, such as a file that a link leads to."""


def _store_problems(
    store: StoreSession, rules: Sequence[Rule], levels: Collection[Level] | None
) -> Tally:
    """Count the problems of the engine with these rules, and store the first rows of each."""
    if not rules:
        return Counter()
    codes = ", ".join(quoted(rule.code) for rule in rules)
    cases = "".join(f" WHEN {quoted(r.code)} THEN {r.level_sql}" for r in rules if r.level_sql)
    level = f"CASE code{cases} ELSE level END" if cases else "level"
    # A file without a URL is not a sitemap: its text, which may be secret, is not quoted.
    foreign = f"code = 'T001' AND document IN ({FOREIGN_TEXTS})"
    message = f"CASE WHEN {foreign} THEN 'Line is not a URL' ELSE message END"
    problems = (
        f"(SELECT * REPLACE ({level} AS level, {message} AS message) FROM reported "
        f"WHERE code IN ({codes}) AND {_is_of(levels, level)})"
    )
    query = f"SELECT code, level, source, count(*) FROM {problems} GROUP BY ALL ORDER BY ALL"
    counts = _tally(store, query)
    if counts:
        detail = "detail" if "detail" in store.columns("SELECT * FROM problems") else "NULL"
        detail = f"CASE WHEN NOT ({foreign}) THEN {detail} END"
        store.run(
            'INSERT INTO finding_rows SELECT document, source, "offset", line, "column", loc, '
            f"NULL, code, level, message, [{detail}], NULL FROM {problems} "
            'QUALIFY row_number() OVER (PARTITION BY code ORDER BY document, "offset") '
            f"<= {MAX_ROWS}"
        )
    return counts


def _is_of(levels: Collection[Level] | None, level: str) -> str:
    """Return the SQL condition for some levels; ``level`` is the SQL for that of a row."""
    return "true" if levels is None else f"({level}) IN ({', '.join(map(quoted, levels))})"


def _rules_with_matches(store: StoreSession, view: str, rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that match any row, found in one pass over their view."""
    tests = ", ".join(
        f"coalesce(bool_or(true) FILTER (WHERE {rule.where}), false)" for rule in rules
    )
    query = f"SELECT {tests} FROM {view}"
    if len(rules) == 1:  # so DuckDB computes only the columns that it uses
        query = f"SELECT count(*) > 0 FROM (FROM {view} WHERE {rules[0].where} LIMIT 1)"
    try:
        results = next(iter(store.rows(query)))
    except StoreError:
        for rule in rules:  # find the rule that fails
            with _name_in_errors(rule):
                list(store.rows(f"SELECT count(*) FROM {view} WHERE {rule.where}"))
        raise
    return [rule for rule, is_hit in zip(rules, results, strict=True) if is_hit]


def _run_sql_rule(
    store: StoreSession, rule: Rule, timeout_s: float | None, levels: Collection[Level] | None
) -> Tally:
    """Store the rows that the SQL of a rule returns; return their counts if not all are stored."""
    with _name_in_errors(rule), store.limited(timeout_s):
        # A table, so that a slow query runs only once.
        count = store.run(f"CREATE OR REPLACE TEMP TABLE rule_matches AS {rule.sql}")
        return _store_matches(store, rule, levels) if count else Counter()


def _store_matches(store: StoreSession, rule: Rule, levels: Collection[Level] | None) -> Tally:
    columns = store.columns("SELECT * FROM rule_matches")
    return _store_findings(store, rule, "rule_matches", columns, levels)


class _Budget:
    """Seconds that the custom rules may take: each of them, and all together. Threads share it."""

    def __init__(self, rule_s: float | None):
        self._rule_s = rule_s
        self._total_s = inf if rule_s is None else rule_s * CUSTOM_RULES_FACTOR
        self._spent_s = 0.0
        self._lock = Lock()

    @contextmanager
    def spending(self) -> Iterator[float | None]:
        """Yield the seconds for the next rule, None for no limit; raise QueryError without any."""
        left = self._total_s - self._spent_s
        if left <= 0:
            raise QueryError(
                "the query was not run: the rules of the configuration ran longer than "
                f"{self._total_s:g} seconds together"
            )
        began = time.monotonic()
        try:
            yield None if self._rule_s is None else min(self._rule_s, left)
        finally:
            with self._lock:
                self._spent_s += time.monotonic() - began


def _run_custom_rule(
    store: StoreSession, rule: Rule, budget: _Budget, levels: Collection[Level] | None
) -> Tally:
    """Store the rows of a custom rule, read-only and with a time limit; return their counts."""
    query = verified_query(store, rule)
    with _name_in_errors(rule), budget.spending() as seconds:
        count = store.materialize("rule_matches", query, seconds=seconds)
        return _store_matches(store, rule, levels) if count else Counter()


def verified_query(store: StoreSession, rule: Rule) -> str:
    """Return the SQL query of a custom rule, after the parser of DuckDB has verified it.

    Raises QueryError, with the name of the rule, if the SQL does anything but select.
    """
    with _name_in_errors(rule):
        if rule.sql is not None:
            return store.verified(rule.sql)
        condition = store.verified_condition(rule.where or "")
        return f"SELECT * FROM {rule.view} WHERE {condition}"


def _run_view_rules(
    store: StoreSession,
    view: str,
    rules: Sequence[Rule],
    timeout_s: float | None,
    levels: Collection[Level] | None,
) -> Tally:
    """Store the rows of all rules over one view; return their counts if not all are stored."""
    counts: Tally = Counter()
    with _time_limit(store, rules, timeout_s):
        matching = _rules_with_matches(store, view, rules)
        columns = store.columns(f"SELECT * FROM {view}") if matching else ()
        for rule in matching:
            with _name_in_errors(rule):
                query = f"(SELECT * FROM {view} WHERE {rule.where})"
                counts += _store_findings(store, rule, query, columns, levels)
    return counts


@contextmanager
def _time_limit(
    store: StoreSession, rules: Sequence[Rule], timeout_s: float | None
) -> Iterator[None]:
    """Limit the time of the statements for some rules; name the rules in the error."""
    names = ", ".join(f"{rule.code} ({rule.name})" for rule in rules)
    try:
        with store.limited(timeout_s):
            yield
    except TimeLimitError as error:
        raise QueryError(f"the SQL of the rules {names}: {error}") from error


def _own_limit(timeout_s: float | None) -> float | None:
    return None if timeout_s is None else max(timeout_s, OWN_RULE_S)


@contextmanager
def _name_in_errors(rule: Rule) -> Iterator[None]:
    """Add the code and name of a rule to errors raised in a ``with`` block."""
    try:
        yield
    except StoreError as error:
        detail = error.detail or error
        raise QueryError(f"the SQL of rule {rule.code} ({rule.name}) fails: {detail}") from error
    except QueryError as error:
        raise QueryError(f"the SQL of rule {rule.code} ({rule.name}): {error}") from error


def _store_findings(
    store: StoreSession,
    rule: Rule,
    matches: str,
    columns: Sequence[str],
    levels: Collection[Level] | None,
) -> Tally:
    """Store the first findings of a query; return the counts of all if there may be more."""
    level = rule.level_sql or ("level" if "level" in columns else quoted(rule.level))
    if levels is not None:
        matches = f"(SELECT * FROM {matches} WHERE {_is_of(levels, level)})"
    basis = "basis" if "basis" in columns else quoted(rule.basis) if rule.basis else "NULL"
    values_of = {name: f'"{name}"' for name in columns} | {"loc": f"left(loc::VARCHAR, {_MAX_LOC})"}
    place = ", ".join(values_of[name] if name in columns else "NULL" for name in _COLUMNS)
    values = "".join(f", {value} AS {name}" for name, value in rule.values.items())
    parameters = [f"left({name}::VARCHAR, {_MAX_VALUE})" for name in rule.parameters]
    # Without an order, several threads would keep arbitrary rows.
    ordered = [f'"{name}" NULLS FIRST' for name in _ORDER if name in columns]
    order = f" ORDER BY {', '.join(ordered)}" if ordered else ""
    stored = store.run(
        f"INSERT INTO finding_rows SELECT {place}, {quoted(rule.code)}, {level}, "
        f"{_message_sql(rule.message)}, [{', '.join(parameters)}], {basis} "
        f"FROM (SELECT *{values} FROM (FROM {matches}{order} LIMIT {MAX_ROWS}))"
    )
    if stored < MAX_ROWS:
        return Counter()
    by = ", ".join(
        name if name in columns else f"NULL AS {name}" for name in ("document", "source")
    )
    return _count(
        store, f"SELECT {quoted(rule.code)} AS code, {level} AS level, {by} FROM {matches}"
    )


def _count(store: StoreSession, findings: str) -> Tally:
    """Count findings by rule, level and document."""
    query = f"""
        SELECT code, f.level, coalesce(CASE WHEN document IS NULL THEN f.source ELSE d.source END,
            getvariable('checked')), count(*)
        FROM ({findings}) f LEFT JOIN documents d USING (document) GROUP BY ALL ORDER BY ALL"""
    return _tally(store, query)


def _tally(store: StoreSession, query: str) -> Tally:
    """Return the counts that a query has for each rule, level and document."""
    counts: Tally = Counter()
    for code, level, source, count in store.rows(query):
        counts[FindingKey(code, level, source)] += count
    return counts


def _message_sql(message: str) -> str:
    """Return the message of a rule as an SQL expression, with ``{n:,}`` and the like filled in."""
    parts = []
    for text, column, form, _ in Formatter().parse(message):
        if text:
            parts.append(quoted(text))
        if column is not None:
            text = f"format({quoted(f'{{:{form}}}')}, {column})" if form else f"{column}::VARCHAR"
            parts.append(f"left({text}, {_MAX_VALUE})")
    return f"concat({', '.join(parts)})"
