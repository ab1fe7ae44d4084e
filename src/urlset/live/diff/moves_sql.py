"""SQL that the searches of moved URLs share."""

from __future__ import annotations

from urlset.live.diff.tables import Tables

LEFT = "(FROM {side}_urls u ANTI JOIN moves m ON m.{side} = u.h)"
"""Rows of URLs of a side that have no pair so far."""


def best_pairs(candidates: str, margin: float = 0.05) -> str:
    """Return SQL that selects the candidate pairs of a ``FROM`` clause that are best for both URLs.

    ``margin`` is the least distance of the confidence to that of the next best pair.
    """
    rank = (
        "row_number() OVER (PARTITION BY {0} ORDER BY confidence DESC) AS {0}_rank, "
        "coalesce(lead(confidence) OVER (PARTITION BY {0} ORDER BY confidence DESC), 0) "
        "AS {0}_next"
    )
    return (
        f"SELECT * FROM (SELECT *, {rank.format('before')}, {rank.format('after')} {candidates}) "
        "WHERE before_rank = 1 AND after_rank = 1 "
        f"AND confidence - before_next >= {margin} AND confidence - after_next >= {margin}"
    )


def date_evidence(tables: Tables) -> str:
    """Return SQL for the change of the confidence by equal or different dates of a pair."""
    if not tables.dates_identify:
        return "0"
    return "coalesce(CASE WHEN same_date THEN 0.1 ELSE -0.2 END, 0)"


def unique_values(side: str, value: str, columns: str = "") -> str:
    """Return SQL that selects values which only one URL of a side has, among URLs without a pair.

    ``value`` is the SQL of the value; ``columns`` are further columns of the result.
    """
    kept = "".join(f", any_value({name}) AS {name}" for name in columns.split())
    return (
        f"SELECT value, any_value(h) AS h{kept} FROM (SELECT *, {value} AS value "
        f"FROM {LEFT.format(side=side)}) WHERE value IS NOT NULL GROUP BY value HAVING count(*) = 1"
    )
