"""Find rows identical to published ledger rows, so that only the other rows are processed.

A row that the ledger has was verified when it was published, and is not verified again. If nothing
else can change the result for it (same rules, no further evidence), it is not resolved again
either: ``unchanged_rows`` has these, ``changed_rows`` the rest. Large tables are joined in
partitions, because DuckDB joins and sorts only so many rows in the memory of a build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.sections import section_of
from urlset.builder.staged_rows import StagedRows
from urlset.builder.working_tables import (
    CHANGED_ROWS,
    KNOWN_ROWS,
    LEDGER_MATCHES,
    STAGED_RAW,
    STAGED_WIDE,
    UNCHANGED_ROWS,
    UNMATCHED_ROWS,
)
from urlset.sources import EVIDENCE
from urlset.store import SCRATCH_MB, ScratchDatabase

_CORE = ("loc", "lastmod", "lastmod_text", "changefreq", "priority")
_PLAIN = {*_CORE, "source", "line", "offset"}

# A timestamp is formatted as the engine writes it; another format only costs time, because the row
# is then not found in the ledger.
_TEXT = "replace(make_timestamp(epoch_us(lastmod))::VARCHAR, ' ', 'T') || 'Z'"
# Note: with columns of the ledger in the result, the join takes twice as long.
_MATCHED = """
SELECT g.id, u.rowid AS ledger_row, {is_unchanged} AS is_unchanged
FROM {staged} g LEFT JOIN {urls} u ON g.loc = u.loc AND u.more IS NULL
    AND coalesce(g.lastmod_text = u.lastmod, g.lastmod_text IS NULL)
    AND {changefreq} AND {priority}
WHERE g.size IS NULL"""
_SAME_DATE = """(u.rowid IS NOT NULL AND g.lastmod_text IS NOT DISTINCT FROM u.lastmod
    AND (u.lastmod IS NULL OR u.lastmod_from = 'given'))"""
_UNMATCHED = f"""
{UNMATCHED_ROWS.create_table}
SELECT * FROM {STAGED_WIDE}
WHERE id IN (SELECT id FROM {LEDGER_MATCHES} WHERE ledger_row IS NULL)"""


def core_columns(entries: Any) -> Any | None:
    """Return the non-empty columns of entries if all are core elements, such as loc; else None."""
    filled = [n for n in entries.schema.names if n == "loc" or batches.has_values(entries, n)]
    if not _PLAIN.issuperset(filled) or {"lastmod", "lastmod_text"} <= set(filled):
        return None
    return batches.batch_of({name: entries.column(name) for name in filled if name != "offset"})


def stage_unverified(
    staging: StagedRows, source: int, entries: Any, columns: Mapping[str, Any]
) -> None:
    """Stage plain entries without verification and without a size: the ledger has their size."""
    core = {n: entries.column(n) for n in _CORE if n in entries.schema.names}
    result = batches.batch_of({**core, **columns})
    values = [(name, f'"{name}"') for name in result.schema.names if name != "lastmod"]
    if "lastmod" in core:
        values += [("instant", "lastmod"), ("lastmod_text", _TEXT)]
    staging.insert(result, [("source", str(source)), *values])


def match_ledger(
    db: ScratchDatabase, urls: str, settings: BuildOptions, provenance: str | None = None
) -> None:
    """Create ``ledger_matches``: for each staged row, the identical row of the ledger.

    ``provenance`` is SQL for the number of its source in the ledger, if that is to be compared.
    """
    columns = db.columns(f"FROM {STAGED_RAW}")
    is_unchanged = _SAME_DATE
    if settings.kept_columns or (settings.sections and "section" in columns):
        is_unchanged += f" AND {section_of(settings)} = u.section"
    if provenance is not None:
        is_unchanged += f" AND {provenance} IS NOT DISTINCT FROM u.source"
    statement = LEDGER_MATCHES.create_table
    with db.unordered():
        for staged_part, urls_part in partitions(db, STAGED_WIDE.name, urls):
            query = _MATCHED.format(
                staged=staged_part,
                urls=urls_part,
                is_unchanged=is_unchanged,
                changefreq=_same_value_sql("changefreq", columns),
                priority=_same_value_sql("priority", columns),
            )
            db.run(f"{statement} {query}")
            statement = f"INSERT INTO {LEDGER_MATCHES}"


def _same_value_sql(name: str, columns: Sequence[str]) -> str:
    """Return SQL that is true if a column equals that of the ledger, or is empty in both."""
    return f"g.{name} IS NOT DISTINCT FROM u.{name}" if name in columns else f"u.{name} IS NULL"


def unmatched(db: ScratchDatabase, extra: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Remove the rows without a ledger match from ``staged``; yield them as (source, batch)."""
    db.run(_UNMATCHED)
    db.run(f"DELETE FROM {STAGED_RAW} WHERE id IN (SELECT id FROM unmatched_rows)")
    others = "".join(f', "{name}"' for name in extra)
    for (source,) in db.rows("SELECT DISTINCT source FROM unmatched_rows ORDER BY 1"):
        rows = db.batches(
            f"""SELECT id, loc, instant AS lastmod, if(instant IS NULL, lastmod_text, NULL)
                AS lastmod_text, changefreq, priority, source_document AS source, line{others}
            FROM unmatched_rows WHERE source = {source}"""
        )
        for batch in rows:
            yield source, batch
    db.run(f"DROP TABLE {UNMATCHED_ROWS}")


MAX_BITS = 1_000_000_000
"""Maximum length of a DuckDB bit string."""

_CHANGED_ROWS = f"""
{CHANGED_ROWS.create_table} SELECT *, source AS only_source FROM {STAGED_WIDE}
    WHERE size IS NOT NULL OR reason IS NOT NULL
    OR id IN (SELECT id FROM {LEDGER_MATCHES} WHERE NOT is_unchanged)"""
_UNCHANGED_MATCHES = f"""
SELECT ledger_row FROM {LEDGER_MATCHES} WHERE is_unchanged
    AND id NOT IN (SELECT id FROM changed_rows WHERE reason IS NOT NULL)"""
_KNOWN = f" UNION ALL SELECT ledger_row FROM {KNOWN_ROWS}"
# Note: count(DISTINCT …) takes ten times as long as counting the bits of a bit string.
_DUPLICATES = """
SELECT (SELECT count(*) - {distinct} FROM ({matches}))
    + {known_twice} + (SELECT count(*) - count(DISTINCT loc) FROM changed_rows)
    + (SELECT count(*) FROM changed_rows f JOIN {urls} u ON f.loc = u.loc
        JOIN unchanged_rows s ON s.ledger_row = u.rowid),
    (SELECT count(*) FROM unchanged_rows)
"""


_KNOWN_TWICE = f"""
(SELECT count(*) FROM ({_UNCHANGED_MATCHES}) m
    JOIN {KNOWN_ROWS} k ON k.ledger_row = m.ledger_row)"""


def split(
    db: ScratchDatabase, ledger: Ledger, settings: BuildOptions, rules: str, *, has_known: bool
) -> int | None:
    """Split the rows of the sources into ``unchanged_rows`` and ``changed_rows``; count the first.

    ``rules`` is the digest of the current rules; ``has_known`` states that ``known_rows`` exists,
    whose rows are unchanged. Return None, and create neither, if the rules
    changed, if a source has evidence that sitemaps do not have, or if a URL is listed twice.
    """
    # `match_ledger` and `changed_rows` compare the reason and the columns of sections.
    evidence = set(EVIDENCE) - {"reason", "section"} - set(settings.kept_columns)
    has_evidence = not evidence.isdisjoint(db.columns(f"FROM {STAGED_RAW}"))
    if settings.compact or ledger.rules != rules or has_evidence:
        return None
    db.run(_CHANGED_ROWS)
    unchanged = _UNCHANGED_MATCHES + _KNOWN * has_known
    db.run(f"{UNCHANGED_ROWS.create_view} {unchanged}")
    count, last = db.fetch_one(f"SELECT count(*), max(ledger_row) FROM ({_UNCHANGED_MATCHES})")
    distinct_bits = f"bit_count(bitstring_agg(ledger_row, 0, {last}))" if count else "0"
    distinct = distinct_bits if (last or 0) < MAX_BITS else "count(DISTINCT ledger_row)"
    duplicates, count = db.fetch_one(
        _DUPLICATES.format(
            urls=ledger.table("urls"),
            distinct=distinct,
            matches=_UNCHANGED_MATCHES,
            known_twice=_KNOWN_TWICE if has_known and count else 0,
        )
    )
    if duplicates:
        db.run(f"DROP VIEW {UNCHANGED_ROWS}")
        db.run(f"DROP TABLE {CHANGED_ROWS}")
        return None
    return int(count)


PARTITION_ROWS = 12_500_000
"""Maximum rows to sort or join together; 50 million need more memory than a build uses."""

MEMORY_ROWS = 20_000_000
"""Rows for which the memory limit of a temporary database is enough."""

_MB_PER_MILLION = 5


def memory_limit(rows: int) -> int:
    """Return the memory limit of DuckDB for a number of rows, in megabytes.

    The rows are on disk, but what DuckDB keeps for each of their blocks is not.

    >>> memory_limit(1_000), memory_limit(100_000_000)
    (300, 700)
    """
    return SCRATCH_MB + max(0, rows - MEMORY_ROWS) * _MB_PER_MILLION // 1_000_000


def partition_count(rows: int) -> int:
    """Return the number of partitions into which a join of ``rows`` rows is split.

    >>> partition_count(0), partition_count(PARTITION_ROWS), partition_count(50_000_000)
    (1, 1, 4)
    """
    return max(1, -(-rows // PARTITION_ROWS))


def partitions(db: ScratchDatabase, one: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of partitions of two tables; rows with the same ``loc`` are in the same pair.

    Each is usable in the FROM of a query, and has its ``rowid``.
    """
    ((rows,), (others,)) = (db.fetch_one(f"SELECT count(*) FROM {name}") for name in (one, other))
    count = partition_count(max(rows, others))
    if count == 1:
        yield one, other
        return
    for number in range(count):
        condition = f"WHERE hash(loc) % {count} = {number}"
        yield f"(SELECT * FROM {one} {condition})", f"(SELECT rowid, * FROM {other} {condition})"
