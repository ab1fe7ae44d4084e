"""Puts rules to the tables of a store: counts of every finding, and rows of the first ones.

Rules over the same view are counted in one pass over it; only those that found something are
asked for their rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from string import Formatter
from typing import NamedTuple

from urlset.checker.declaring import Rule
from urlset.checker.views import statements
from urlset.model import Level
from urlset.store import Asking, quoted

__all__ = ["MAX_ROWS", "Row", "judge"]

MAX_ROWS = 10_000
"""Findings of one rule that are given; the others are counted."""

_COLUMNS = ("document", "source", "offset", "line", "column", "loc", "nth")
_FOUND = """
CREATE OR REPLACE TEMP TABLE found (document UINTEGER, source VARCHAR, "offset" UBIGINT,
    line UINTEGER, "column" UINTEGER, loc VARCHAR, nth UINTEGER, code VARCHAR, level VARCHAR,
    message VARCHAR)"""


class Row(NamedTuple):
    """A finding as SQL gives it.

    What the engine tells has its exact place, with a ``column``. Other rows have the place of
    their entry, and ``nth`` where one of several elements is meant; ``offset`` is None for the
    whole document. ``document`` is None for a robots.txt, which ``source`` names.
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


class Verdict(NamedTuple):
    """What rules found: how many of each code and level, and the rows in the order of places."""

    counts: Counter[tuple[str, Level]]
    store: Asking

    def rows(self) -> Iterator[Row]:
        """The findings by document and place; of a rule, the first 10,000."""
        query = """
            SELECT document, coalesce(f.source, d.source), "offset", line, "column", f.loc, nth, code,
                f.level, f.message
            FROM found f LEFT JOIN documents d USING (document)
            ORDER BY document NULLS FIRST, f.source, "offset" NULLS FIRST, line, code, nth"""
        yield from map(Row._make, self.store.rows(query))


def judge(
    store: Asking, rules: Iterable[Rule], *, moment: datetime, profile: str | None = None
) -> Verdict:
    """Put rules to a store; ``moment`` is the time that they take for now.

    Raises :class:`urlset.QueryError` for a rule whose SQL cannot be run, with its name.
    """
    store.run(f"SET VARIABLE moment = {quoted(moment.isoformat())}::TIMESTAMPTZ")
    store.run(f"SET VARIABLE profile = {quoted(profile) if profile else 'NULL'}")
    for statement in (*statements(), _FOUND):
        store.run(statement)
    chosen = list(rules)
    counts = _tell_problems(store, [rule.code for rule in chosen if rule.is_of_engine])
    by_view: dict[str, list[Rule]] = defaultdict(list)
    for rule in chosen:
        if rule.over is not None:
            by_view[rule.over].append(rule)
        elif rule.sql is not None:
            counts += _ask(store, rule)
    for view, its in by_view.items():
        for rule in _hitting(store, view, its):
            counts += _ask(store, rule)
    return Verdict(counts, store)


def _tell_problems(store: Asking, codes: Sequence[str]) -> Counter[tuple[str, Level]]:
    """Count what the engine has told by these codes, and keep the rows of the first ones."""
    named = ", ".join(map(quoted, codes)) or "NULL"
    counts: Counter[tuple[str, Level]] = Counter()
    query = f"SELECT code, level, count(*) FROM told WHERE code IN ({named}) GROUP BY ALL"
    for code, level, count in store.rows(query):
        counts[code, level] += count
    if counts:
        store.run(
            'INSERT INTO found SELECT document, source, "offset", line, "column", loc, NULL, code, '
            f"level, message FROM told WHERE code IN ({named}) "
            f"QUALIFY row_number() OVER (PARTITION BY code) <= {MAX_ROWS}"
        )
    return counts


def _hitting(store: Asking, view: str, rules: Sequence[Rule]) -> list[Rule]:
    """The rules that find anything at all, told in one pass over their view."""
    asked = ", ".join(f"coalesce(bool_or({rule.where}), false)" for rule in rules)
    answers = next(iter(store.rows(f"SELECT {asked} FROM {view}")))
    return [rule for rule, is_hit in zip(rules, answers, strict=True) if is_hit]


def _ask(store: Asking, rule: Rule) -> Counter[tuple[str, Level]]:
    """Count what a rule finds, and keep the rows of the first findings."""
    source = f"({rule.sql})" if rule.sql else f"(SELECT * FROM {rule.over} WHERE {rule.where})"
    columns = store.columns(f"SELECT * FROM {source}")
    level = rule.level_sql or ("level" if "level" in columns else quoted(rule.level))
    counts: Counter[tuple[str, Level]] = Counter()
    for its, count in store.rows(f"SELECT {level} AS l, count(*) FROM {source} GROUP BY l"):
        counts[rule.code, its] += count
    if counts:
        place = ", ".join(f'"{name}"' if name in columns else "NULL" for name in _COLUMNS)
        values = "".join(f", {value} AS {name}" for name, value in rule.values.items())
        store.run(
            f"INSERT INTO found SELECT {place}, {quoted(rule.code)}, {level}, {_words(rule.says)} "
            f"FROM (SELECT *{values} FROM {source}) LIMIT {MAX_ROWS}"
        )
    return counts


def _words(says: str) -> str:
    """The words of a rule as SQL: ``{n:,}`` and the like put in."""
    parts = []
    for text, column, form, _ in Formatter().parse(says):
        if text:
            parts.append(quoted(text))
        if column is not None:
            parts.append(f"format('{{:{form}}}', {column})" if form else f"{column}::VARCHAR")
    return f"concat({', '.join(parts)})"
