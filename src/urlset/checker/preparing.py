"""Makes what rules ask: the views that may have rows, and leaves out the rules over all others.

What is cheap to see comes first, for planning a query that nothing comes of takes as long as
reading thousands of entries.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial

from urlset.checker.declaring import Rule
from urlset.checker.sharing import share
from urlset.checker.views import FEW, FIRST, KEPT, making, mentioned, named
from urlset.store import Asking

__all__ = ["prepare"]


def prepare(askings: Sequence[Asking], rules: Iterable[Rule]) -> list[Rule]:
    """Make what rules ask, as far as it may have rows; gives the rules that may find something."""
    nothing = _empty_views(askings[0])
    made: dict[str, int] = {}
    chosen = _promising(rules, nothing)
    first = FIRST.keys() & mentioned(_queries(chosen))
    _make(askings, first, made)
    nothing |= {FIRST[name] for name in first if not made[name]}
    kept = KEPT | {"odd"} if made.get("odd_ones", 0) <= FEW else KEPT
    chosen = _promising(chosen, nothing)
    _make(askings, _queries(chosen), made, kept)
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
    askings: Sequence[Asking],
    texts: Iterable[str],
    made: dict[str, int],
    kept: Container[str] = KEPT,
) -> None:
    """Make the views and macros that are mentioned, and are not there yet; notes rows of tables."""
    statements = dict(making(texts, made, kept))
    needs = {name: named([statement]) - {name} for name, statement in statements.items()}
    tasks = {name: partial(Asking.run, statement=text) for name, text in statements.items()}
    made.update(share(askings, tasks, needs))


_ALWAYS = "told declared origin_of"  # of urlset.checker.judging, and of urlset.checker.disallowed
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
}
"""How to see cheaply whether a view may have rows at all; most sitemaps have none of these."""


def _queries(rules: Iterable[Rule]) -> Iterator[str]:
    """All that rules ask."""
    yield _ALWAYS
    for rule in rules:
        yield from filter(None, (rule.over, rule.where, rule.sql, rule.given, rule.level_sql))
        yield from rule.values.values()


def _empty_views(store: Asking) -> set[str]:
    asked = ", ".join(f"coalesce({query}, false)" for query in _HAS.values())
    answers = next(iter(store.rows(f"SELECT {asked} FROM entries")))
    return {name for name, has_rows in zip(_HAS, answers, strict=True) if not has_rows}
