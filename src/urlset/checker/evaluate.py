"""Puts rules to the tables of a store: counts of every finding, and rows of the first ones.

Rules over the same view are counted in one pass over it; only those that found something are
asked for their rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from string import Formatter
from typing import NamedTuple

from urlset.checker import robots_access
from urlset.checker.ascii_hosts import as_map, ascii_hosts
from urlset.checker.parallel import Task, run_tasks
from urlset.checker.planner import plan
from urlset.checker.rule import Rule
from urlset.errors import QueryError, StoreError
from urlset.model import Level
from urlset.store import RULE_S, StoreSession, quoted

__all__ = ["MAX_ROWS", "FindingKey", "Result", "Row", "Tally", "evaluate", "verified_query"]

MAX_ROWS = 10_000
"""Findings of one rule that are given; the others are counted."""

FEW_ENTRIES = 500_000
"""With more, queries are put one after another: DuckDB shares each among all cores by itself, and
two at once would want twice the memory."""

_MAX_VALUE = 2_000  # characters of a value in a message
_COLUMNS = ("document", "source", "offset", "line", "column", "loc", "nth")
_ORDER = ("document", "source", "offset", "nth")
_FOUND = """
CREATE TABLE found (document UINTEGER, source VARCHAR, "offset" UBIGINT,
    line UINTEGER, "column" UINTEGER, loc VARCHAR, nth UINTEGER, code VARCHAR, level VARCHAR,
    message VARCHAR, parameters VARCHAR[])"""


class FindingKey(NamedTuple):
    """What findings are counted by: their rule, their level, and the document they are about."""

    code: str
    level: Level
    source: str | None


Tally = Counter[FindingKey]


class Row(NamedTuple):
    """A finding as SQL gives it.

    What the engine tells has its exact place, with a ``column``. Other rows have the place of
    their entry, and ``nth`` where one of several elements is meant; ``offset`` is None for the
    whole document. ``document`` is None for a robots.txt, which ``source`` names. ``parameters``
    are the values in the message, in the order of :attr:`Rule.parameters`.
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


class Result(NamedTuple):
    """What rules found: how many there are, and the rows in the order of places."""

    counts: Tally
    store: StoreSession

    def rows(self) -> Iterator[Row]:
        """The findings by document and place; of a rule, the first 10,000."""
        query = """
            SELECT document, coalesce(f.source, d.source, getvariable('checked')), "offset", line,
                "column", f.loc, nth, code, f.level, f.message, f.parameters
            FROM found f LEFT JOIN documents d USING (document)
            ORDER BY document NULLS FIRST, f.source, "offset" NULLS FIRST, line, code, nth,
                message"""
        yield from map(Row._make, self.store.rows(query))


def evaluate(
    store: StoreSession,
    rules: Iterable[Rule],
    *,
    moment: datetime,
    profile: str | None = None,
    source: str | None = None,
    rule_timeout_s: float | None = RULE_S,
) -> Result:
    """Put rules to a store; ``moment`` is the time that they take for now.

    ``source`` is what was checked: findings about no document in particular are about that.

    The store is sealed first: no rule reaches more than its tables. Raises
    :class:`urlset.QueryError` for a rule whose SQL cannot be run, with its name, and for one that
    is not of the catalogue and runs longer than ``rule_timeout_s`` seconds.
    """
    store.seal()
    if source is not None:  # a name of a file may be no text
        source = source.encode(errors="replace").decode()
    settings = (
        f"SET VARIABLE moment = {quoted(moment.isoformat())}::TIMESTAMPTZ",
        f"SET VARIABLE profile = {quoted(profile) if profile else 'NULL'}",
        f"SET VARIABLE checked = {quoted(source) if source else 'NULL'}",
    )
    with ExitStack() as others:
        askings = [store]
        if _entry_count(store) <= FEW_ENTRIES:
            askings.append(others.enter_context(store.clone()))
        hosts = ascii_hosts(store)
        for asking in askings:
            for setting in settings:
                asking.run(setting)
            if hosts:
                asking.run(f"SET VARIABLE ascii_hosts = {as_map(hosts)}")
        chosen = plan(askings, rules, is_ascii=not hosts)
        store.run(_FOUND)
        if any(rule.code in robots_access.CODES for rule in chosen):
            robots_access.compute(store, profile)
        counts: Tally = Counter()
        for its in run_tasks(askings, _tasks(chosen, rule_timeout_s)).values():
            counts += its
    return Result(counts + _count_found(store, {told.code for told in counts}), store)


def _entry_count(store: StoreSession) -> int:
    return int(next(iter(store.rows("SELECT count(*) FROM entries")))[0])


def _tasks(rules: Sequence[Rule], timeout_s: float | None) -> dict[str, Task[Tally]]:
    """What there is to ask: first of the views, each of which many rules are about."""
    by_view: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.over is not None and not rule.is_custom:
            by_view[rule.over].append(rule)
    tasks: dict[str, Task[Tally]] = {
        view: partial(_ask_view, view=view, rules=its) for view, its in by_view.items()
    }
    for rule in rules:
        if rule.is_custom:
            tasks[rule.code] = partial(_ask_custom, rule=rule, timeout_s=timeout_s)
        elif rule.sql is not None:
            tasks[rule.code] = partial(_ask, rule=rule)
    told = [rule for rule in rules if rule.is_of_engine]
    return tasks | {"engine": partial(_tell_problems, rules=told)}


def _tell_problems(store: StoreSession, rules: Sequence[Rule]) -> Tally:
    """Count what the engine has told by these rules, and keep the rows of the first ones."""
    counts: Tally = Counter()
    if not rules:
        return counts
    named = ", ".join(quoted(rule.code) for rule in rules)
    cases = "".join(f" WHEN {quoted(r.code)} THEN {r.level_sql}" for r in rules if r.level_sql)
    level = f"CASE code{cases} ELSE level END" if cases else "level"
    told = f"(SELECT * REPLACE ({level} AS level) FROM told WHERE code IN ({named}))"
    query = f"SELECT code, level, source, count(*) FROM {told} GROUP BY ALL ORDER BY ALL"
    for code, its, source, count in store.rows(query):
        counts[FindingKey(code, its, source)] += count
    if counts:
        store.run(
            'INSERT INTO found SELECT document, source, "offset", line, "column", loc, NULL, code, '
            f"level, message, [detail] FROM {told} "
            'QUALIFY row_number() OVER (PARTITION BY code ORDER BY document, "offset") '
            f"<= {MAX_ROWS}"
        )
    return counts


def _hitting(store: StoreSession, view: str, rules: Sequence[Rule]) -> list[Rule]:
    """The rules that find anything at all, told in one pass over their view."""
    asked = ", ".join(
        f"coalesce(bool_or(true) FILTER (WHERE {rule.where}), false)" for rule in rules
    )
    query = f"SELECT {asked} FROM {view}"
    if len(rules) == 1:  # then what it does not ask is not worked out either
        query = f"SELECT count(*) > 0 FROM (FROM {view} WHERE {rules[0].where} LIMIT 1)"
    try:
        answers = next(iter(store.rows(query)))
    except StoreError:
        for rule in rules:  # which one is it?
            with _named(rule):
                list(store.rows(f"SELECT count(*) FROM {view} WHERE {rule.where}"))
        raise
    return [rule for rule, is_hit in zip(rules, answers, strict=True) if is_hit]


def _ask(store: StoreSession, rule: Rule) -> Tally:
    """Keep the rows of what a rule of SQL finds, and count them where not all are kept."""
    with _named(rule):
        # Once: it may be long.
        if not store.run(f"CREATE OR REPLACE TEMP TABLE asked AS {rule.sql}"):
            return Counter()
        return _tell(store, rule, "asked", store.columns("SELECT * FROM asked"))


def _ask_custom(store: StoreSession, rule: Rule, timeout_s: float | None) -> Tally:
    """The same for a rule that is not of the catalogue: alone, read-only, within limits."""
    with _named(rule):
        if not store.materialize("asked", _verified(store, rule), seconds=timeout_s):
            return Counter()
        columns = store.columns("SELECT * FROM asked")
        return _tell(store, rule, "asked", columns)


def verified_query(store: StoreSession, rule: Rule) -> str:
    """Return the query of a rule that is not of the catalogue, verified by the parser of DuckDB.

    Raises :class:`urlset.QueryError` for SQL that does anything but select, with the rule's name.
    """
    with _named(rule):
        return _verified(store, rule)


def _verified(store: StoreSession, rule: Rule) -> str:
    if rule.sql is not None:
        return store.verified(rule.sql)
    condition = store.verified_condition(rule.where or "")
    return f"SELECT * FROM {rule.over} WHERE {condition}"


def _ask_view(store: StoreSession, view: str, rules: Sequence[Rule]) -> Tally:
    """The same for rules over one view."""
    counts: Tally = Counter()
    if hitting := _hitting(store, view, rules):
        columns = store.columns(f"SELECT * FROM {view}")
        for rule in hitting:
            with _named(rule):
                asked = f"(SELECT * FROM {view} WHERE {rule.where})"
                counts += _tell(store, rule, asked, columns)
    return counts


@contextmanager
def _named(rule: Rule) -> Iterator[None]:
    """Say which rule it was that failed."""
    try:
        yield
    except StoreError as error:
        words = error.detail or error
        raise QueryError(f"the SQL of rule {rule.code} ({rule.name}) fails: {words}") from error
    except QueryError as error:
        raise QueryError(f"the SQL of rule {rule.code} ({rule.name}): {error}") from error


def _tell(store: StoreSession, rule: Rule, asked: str, columns: Sequence[str]) -> Tally:
    """Keep the first rows of these; gives their counts where there may be more."""
    level = rule.level_sql or ("level" if "level" in columns else quoted(rule.level))
    place = ", ".join(f'"{name}"' if name in columns else "NULL" for name in _COLUMNS)
    values = "".join(f", {value} AS {name}" for name, value in rule.values.items())
    # Beware: without an order, several threads would take those that they come upon first.
    ordered = [f'"{name}" NULLS FIRST' for name in _ORDER if name in columns]
    order = f" ORDER BY {', '.join(ordered)}" if ordered else ""
    kept = store.run(
        f"INSERT INTO found SELECT {place}, {quoted(rule.code)}, {level}, {_words(rule.says)}, "
        f"{_parameters(rule)} "
        f"FROM (SELECT *{values} FROM (FROM {asked}{order} LIMIT {MAX_ROWS}))"
    )
    if kept < MAX_ROWS:
        return Counter()
    by = ", ".join(
        name if name in columns else f"NULL AS {name}" for name in ("document", "source")
    )
    return _counted(
        store, f"SELECT {quoted(rule.code)} AS code, {level} AS level, {by} FROM {asked}"
    )


def _count_found(store: StoreSession, counted: Set[str]) -> Tally:
    """Count the findings that are kept, but for those of rules that are counted already."""
    codes = ", ".join(map(quoted, sorted(counted))) or "NULL"
    return _counted(store, f"FROM found WHERE (code IN ({codes})) IS NOT TRUE")


def _counted(store: StoreSession, findings: str) -> Tally:
    """Count findings by their rule, level and document."""
    query = f"""
        SELECT code, f.level, coalesce(CASE WHEN document IS NULL THEN f.source ELSE d.source END,
            getvariable('checked')), count(*)
        FROM ({findings}) f LEFT JOIN documents d USING (document) GROUP BY ALL ORDER BY ALL"""
    counts: Tally = Counter()
    for code, level, source, count in store.rows(query):
        counts[FindingKey(code, level, source)] += count
    return counts


def _parameters(rule: Rule) -> str:
    """Return the values in the message of a rule as a list of SQL."""
    return f"[{', '.join(f'left({name}::VARCHAR, {_MAX_VALUE})' for name in rule.parameters)}]"


def _words(says: str) -> str:
    """The words of a rule as SQL: ``{n:,}`` and the like put in."""
    parts = []
    for text, column, form, _ in Formatter().parse(says):
        if text:
            parts.append(quoted(text))
        if column is not None:
            text = f"format({quoted(f'{{:{form}}}')}, {column})" if form else f"{column}::VARCHAR"
            parts.append(f"left({text}, {_MAX_VALUE})")
    return f"concat({', '.join(parts)})"
