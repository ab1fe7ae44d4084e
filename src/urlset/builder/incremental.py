"""What the ledger has exactly as it is given: that was read back once, and need not be again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.sections import section_of
from urlset.builder.tables import TAKEN, StagedRows
from urlset.sources import EVIDENCE
from urlset.store import ScratchDatabase

__all__ = [
    "FAMILIAR",
    "TOGETHER",
    "find_familiar",
    "plain_part",
    "portions",
    "portions_of",
    "split",
    "stage_unverified",
    "unmatched",
]

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
    filled = [n for n in entries.schema.names if n == "loc" or batches.has_values(entries, n)]
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


MAX_BITS = 1_000_000_000
"""The longest string of bits that DuckDB makes."""

_FRESH = f"""
CREATE TABLE fresh AS SELECT * FROM staged WHERE size IS NOT NULL OR reason IS NOT NULL
    OR id IN (SELECT id FROM {FAMILIAR} WHERE NOT is_same)"""
_SAME = f"""
CREATE VIEW same AS SELECT known FROM {FAMILIAR} WHERE is_same AND id NOT IN
    (SELECT id FROM fresh WHERE reason IS NOT NULL)"""
# Beware: count(DISTINCT …) takes ten times as long as to mark each in a string of bits.
_TWINS = """
SELECT (SELECT count(*) - {distinct} FROM same)
    + (SELECT count(*) - count(DISTINCT loc) FROM fresh)
    + (SELECT count(*) FROM fresh f JOIN {urls} u ON f.loc = u.loc JOIN same s ON s.known = u.rowid)
"""


def split(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions, rules: str) -> int | None:
    """Make the view ``same`` and the table ``fresh``; how many are the same, or None for neither.

    So it is where the rules are others, where a source says more than sitemaps do, or where a URL
    is listed twice.
    """
    if settings.compact or ledger.rules != rules or _has_evidence(bench, settings):
        return None
    bench.run(_FRESH)
    bench.run(_SAME)
    count, last = bench.fetch_one("SELECT count(*), max(known) FROM same")
    marked = f"bit_count(bitstring_agg(known, 0, {last}))" if count else "0"
    distinct = marked if (last or 0) < MAX_BITS else "count(DISTINCT known)"
    (twins,) = bench.fetch_one(_TWINS.format(urls=ledger.table("urls"), distinct=distinct))
    if twins:
        bench.run("DROP VIEW same")
        bench.run("DROP TABLE fresh")
        return None
    return int(count)


def _has_evidence(bench: ScratchDatabase, settings: BuildOptions) -> bool:
    """Whether there is a date, a fingerprint … of a page: `reason` and sections are looked at."""
    evidence = set(EVIDENCE) - {"reason", "section"} - set(settings.kept_columns)
    return not evidence.isdisjoint(bench.columns(TAKEN))


TOGETHER = 12_500_000
"""Rows that are sorted or joined together; fifty million want more memory than a build takes."""


def portions(rows: int) -> int:
    """Into how many portions so many rows are to be cut.

    >>> portions(0), portions(TOGETHER), portions(50_000_000)
    (1, 1, 4)
    """
    return max(1, -(-rows // TOGETHER))


def portions_of(bench: ScratchDatabase, one: str, other: str) -> Iterator[tuple[str, str]]:
    """Two tables with a column ``loc``, cut so that what has the same one is in the same portion.

    They are for the FROM of a query, and have their ``rowid``.
    """
    ((rows,), (others,)) = (
        bench.fetch_one(f"SELECT count(*) FROM {name}") for name in (one, other)
    )
    count = portions(max(rows, others))
    if count == 1:
        yield one, other
        return
    for number in range(count):
        its = f"WHERE hash(loc) % {count} = {number}"
        yield f"(SELECT * FROM {one} {its})", f"(SELECT rowid, * FROM {other} {its})"
