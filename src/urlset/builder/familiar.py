"""What the ledger has exactly as it is given: that was read back once, and need not be again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.staging import TAKEN, Staging
from urlset.store import Workbench

__all__ = ["is_plain", "lay_as_given", "strangers"]

_CORE = ("loc", "lastmod", "lastmod_text", "changefreq", "priority")
_PLAIN = {*_CORE, "source", "line"}

# An instant is told as the engine writes it; where it does not, nobody knows it, which costs time.
_TEXT = "replace(make_timestamp(epoch_us(lastmod))::VARCHAR, ' ', 'T') || 'Z'"
# Beware: as NOT EXISTS it takes four times as long, and twice with all columns in the join.
_STRANGERS = """
CREATE OR REPLACE TABLE strangers AS
SELECT * FROM staged WHERE id IN (
    SELECT s.id FROM staged s LEFT JOIN {urls} u ON s.loc = u.loc AND u.more IS NULL
        AND coalesce(s.lastmod_text = u.lastmod, s.lastmod_text IS NULL)
        AND s.changefreq IS NOT DISTINCT FROM u.changefreq
        AND s.priority IS NOT DISTINCT FROM u.priority
    WHERE s.size IS NULL AND u.loc IS NULL)"""


def is_plain(entries: Any) -> bool:
    """Whether entries have nothing but core elements."""
    names = set(entries.schema.names)
    return names <= _PLAIN and not {"lastmod", "lastmod_text"} <= names


def lay_as_given(staging: Staging, source: int, entries: Any, columns: Mapping[str, Any]) -> None:
    """Lay plain entries into ``staged`` as they are, without a size: it is that of the ledger."""
    names = set(entries.schema.names)
    core = {n: entries.column(n) for n in _CORE if n in names and batches.is_filled(entries, n)}
    made = batches.batch_of({**core, **columns})
    values = [(name, f'"{name}"') for name in made.schema.names if name != "lastmod"]
    if "lastmod" in core:
        values += [("instant", "lastmod"), ("lastmod_text", _TEXT)]
    staging.insert(batches.as_table(made), [("source", str(source)), *values])


def strangers(bench: Workbench, urls: str, beside: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Take those out of ``staged`` that the ledger has not; yields them, by their source."""
    bench.run(_STRANGERS.format(urls=urls))
    bench.run(f"DELETE FROM {TAKEN} WHERE id IN (SELECT id FROM strangers)")
    others = "".join(f', "{name}"' for name in beside)
    for (source,) in bench.rows("SELECT DISTINCT source FROM strangers ORDER BY 1"):
        rows = bench.batches(
            f"""SELECT loc, instant AS lastmod, if(instant IS NULL, lastmod_text, NULL)
                AS lastmod_text, changefreq, priority, place AS source, line{others}
            FROM strangers WHERE source = {source}"""
        )
        for batch in rows:
            yield source, batch
    bench.run("DROP TABLE strangers")
