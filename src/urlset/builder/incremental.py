"""What the ledger has exactly as it is given: that was read back once, and need not be again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.options import BuildOptions
from urlset.builder.partitions import portions_of
from urlset.builder.section_sql import section_of
from urlset.builder.tables import TAKEN, StagedRows
from urlset.store import ScratchDatabase

__all__ = ["FAMILIAR", "find_familiar", "plain_part", "stage_unverified", "unmatched"]

FAMILIAR = "familiar"
"""The table of them: ``id`` of a row of ``staged``, ``known`` of which row of the ledger, and
whether it ``is_same``: its date and its section, too, are those that were published."""

_CORE = ("loc", "lastmod", "lastmod_text", "changefreq", "priority")
_PLAIN = {*_CORE, "source", "line", "offset"}

# An instant is told as the engine writes it; where it does not, nobody knows it, which costs time.
_TEXT = "replace(make_timestamp(epoch_us(lastmod))::VARCHAR, ' ', 'T') || 'Z'"
# Beware: with the columns of the ledger in what comes of the join it takes twice as long.
_FAMILIAR = """
SELECT g.id, u.rowid AS known, {is_same} AS is_same
FROM {staged} g LEFT JOIN {urls} u ON g.loc = u.loc AND u.more IS NULL
    AND coalesce(g.lastmod_text = u.lastmod, g.lastmod_text IS NULL)
    AND {changefreq} AND {priority}
WHERE g.size IS NULL"""
_SAME_DATE = """(u.rowid IS NOT NULL AND g.lastmod_text IS NOT DISTINCT FROM u.lastmod
    AND (u.lastmod IS NULL OR u.lastmod_from = 'given'))"""
_STRANGERS = f"""
CREATE TABLE strangers AS
SELECT * FROM staged WHERE id IN (SELECT id FROM {FAMILIAR} WHERE known IS NULL)"""


def plain_part(entries: Any) -> Any | None:
    """The columns of entries that hold anything, where those are core elements; else None."""
    filled = [n for n in entries.schema.names if n == "loc" or batches.is_filled(entries, n)]
    if not _PLAIN.issuperset(filled) or {"lastmod", "lastmod_text"} <= set(filled):
        return None
    return batches.batch_of({name: entries.column(name) for name in filled if name != "offset"})


def stage_unverified(
    staging: StagedRows, source: int, entries: Any, columns: Mapping[str, Any]
) -> None:
    """Lay plain entries into ``staged`` as they are, without a size: it is that of the ledger."""
    core = {n: entries.column(n) for n in _CORE if n in entries.schema.names}
    made = batches.batch_of({**core, **columns})
    values = [(name, f'"{name}"') for name in made.schema.names if name != "lastmod"]
    if "lastmod" in core:
        values += [("instant", "lastmod"), ("lastmod_text", _TEXT)]
    staging.insert(made, [("source", str(source)), *values])


def find_familiar(bench: ScratchDatabase, urls: str, settings: BuildOptions) -> None:
    """Make the table of those that a table of the ledger has."""
    there = bench.columns(TAKEN)
    is_same = _SAME_DATE
    if settings.kept_columns or (settings.sections and "section" in there):
        is_same += f" AND {section_of(settings)} = u.section"
    made = f"CREATE TABLE {FAMILIAR} AS"
    with bench.unordered():
        for its_staged, its_urls in portions_of(bench, "staged", urls):
            query = _FAMILIAR.format(
                staged=its_staged,
                urls=its_urls,
                is_same=is_same,
                changefreq=_alike("changefreq", there),
                priority=_alike("priority", there),
            )
            bench.run(f"{made} {query}")
            made = f"INSERT INTO {FAMILIAR}"


def _alike(name: str, there: Sequence[str]) -> str:
    """Whether a column is that of the ledger; where there is none, it costs no join."""
    return f"g.{name} IS NOT DISTINCT FROM u.{name}" if name in there else f"u.{name} IS NULL"


def unmatched(bench: ScratchDatabase, beside: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Take those out of ``staged`` that are not familiar; yields them, by their source."""
    bench.run(_STRANGERS)
    bench.run(f"DELETE FROM {TAKEN} WHERE id IN (SELECT id FROM strangers)")
    others = "".join(f', "{name}"' for name in beside)
    for (source,) in bench.rows("SELECT DISTINCT source FROM strangers ORDER BY 1"):
        rows = bench.batches(
            f"""SELECT id, loc, instant AS lastmod, if(instant IS NULL, lastmod_text, NULL)
                AS lastmod_text, changefreq, priority, place AS source, line{others}
            FROM strangers WHERE source = {source}"""
        )
        for batch in rows:
            yield source, batch
    bench.run("DROP TABLE strangers")
