"""Makes what rules ask: the views that may have rows, and leaves out the rules over all others.

What is cheap to see comes first, for planning a query that nothing comes of takes as long as
reading thousands of entries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from urlset.checker.parallel import run_tasks
from urlset.checker.rule import Rule
from urlset.checker.views import FEW, FIRST, KEPT, LONGEST, making, named
from urlset.store import StoreSession

__all__ = ["plan"]


def plan(
    askings: Sequence[StoreSession], rules: Iterable[Rule], *, is_ascii: bool = True
) -> list[Rule]:
    """Make what rules ask, as far as it may have rows; gives the rules that may find something.

    ``is_ascii`` tells that all names of hosts are ASCII.
    """
    nothing = _empty_views(askings[0])
    chosen = _promising(rules, nothing)
    made = _make(askings, chosen, is_ascii=is_ascii)
    nothing |= {FIRST[name] for name in FIRST.keys() & made.keys() if not made[name]}
    nothing |= {name for name in KEPT & made.keys() if not made[name]}
    return _promising(chosen, nothing)


def _promising(rules: Iterable[Rule], nothing: set[str]) -> list[Rule]:
    """The rules of which all views that they need may have rows."""
    return [
        rule
        for rule in rules
        if ("told" if rule.is_of_engine else rule.over) not in nothing
        and not (rule.given and nothing.issuperset(rule.given.split()))
    ]


def _make(
    askings: Sequence[StoreSession], rules: Sequence[Rule], *, is_ascii: bool
) -> dict[str, int]:
    """Make the views and macros that rules mention; gives how many rows the tables have.

    What is of no use, because a table that comes first is empty, is not made, and has none.
    """
    made: dict[str, int] = {}
    views = dict(making(_queries(rules), is_ascii=is_ascii))
    tables = dict(making(_queries(rules), KEPT | {"odd"}, is_ascii=is_ascii))
    firsts = _firsts(rules)

    def make(asking: StoreSession, name: str) -> None:
        is_useful = all(made[first] for first in firsts[name])
        is_small = name != "odd" or made["odd_ones"] <= FEW
        made[name] = asking.run((tables if is_small else views)[name]) if is_useful else 0

    needs = {name: (named([text]) | firsts[name]) - {name} for name, text in views.items()}
    # First those that take longest, and what they need; then tables before what is made at once.
    urgent = {name for name, _ in making(LONGEST)}
    order = sorted(views, key=lambda name: (name not in urgent, name not in KEPT))
    run_tasks(askings, {name: partial(make, name=name) for name in order}, needs)
    return made


def _firsts(rules: Sequence[Rule]) -> dict[str, set[str]]:
    """The tables that have to have rows, or a view or macro is of no use, by the name of that."""
    firsts: dict[str, set[str]] = defaultdict(set)
    names = {name for name, _ in making(_queries(rules))}
    for first, view in FIRST.items():
        rest = {name for name, _ in making(_queries(_promising(rules, {view})))}
        for name in names - rest - {name for name, _ in making([first])}:
            firsts[name].add(first)
    return firsts


_ALWAYS = (
    "told declared origin_of"  # of urlset.checker.evaluate, and of urlset.checker.robots_access
)
_HAS = {
    "told": "(SELECT count(*) > 0 FROM problems)",
    "extended": "bool_or(extra IS NOT NULL)",
    "images": "bool_or(len(images) > 0)",
    "videos": "bool_or(len(videos) > 0)",
    "articles": "bool_or(news IS NOT NULL)",
    **dict.fromkeys(
        ("alternates", "versions", "doubtful", "crossings"), "bool_or(len(alternates) > 0)"
    ),
    **dict.fromkeys(("listed", "nestings"), "(SELECT count(*) > 0 FROM sitemaps)"),
    "declared": "(SELECT count(*) > 0 FROM robots)",
    "failed": "(SELECT count(*) > 0 FROM failures)",
}
"""How to see cheaply whether a view may have rows at all; most sitemaps have none of these."""


def _queries(rules: Iterable[Rule]) -> Iterator[str]:
    """All that rules ask."""
    yield _ALWAYS
    for rule in rules:
        yield from filter(None, (rule.over, rule.where, rule.sql, rule.given, rule.level_sql))
        yield from rule.values.values()


def _empty_views(store: StoreSession) -> set[str]:
    asked = ", ".join(f"coalesce({query}, false)" for query in _HAS.values())
    answers = next(iter(store.rows(f"SELECT {asked} FROM entries")))
    return {name for name, has_rows in zip(_HAS, answers, strict=True) if not has_rows}
