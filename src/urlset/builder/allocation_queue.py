"""The queue: all that is to be placed, sorted as files list it, in as little memory as it needs."""

from __future__ import annotations

from typing import NamedTuple

from urlset.builder.options import BuildOptions
from urlset.builder.partitions import portions
from urlset.builder.resolve import sort_key
from urlset.store import ScratchDatabase, quoted

__all__ = ["DATED", "sort_new_rows"]

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
    if parts <= 1 or bench.one("SELECT count(*) FROM bounds") != (parts,):  # of very few rows
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
    count, is_within, *found = bench.one(
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
