"""What the ledger has exactly as it is given: that was read back once, and need not be again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import batches
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


def lay_as_given(bench: Workbench, source: int, entries: Any, columns: Mapping[str, Any]) -> None:
    """Lay plain entries into ``staged`` as they are, without a size: it is that of the ledger."""
    core = {name: entries.column(name) for name in _CORE if name in entries.schema.names}
    made = batches.batch_of({**core, **columns})
    names = ", ".join(f'"{name}"' for name in made.schema.names if name != "lastmod")
    instant = f", lastmod AS instant, {_TEXT} AS lastmod_text" if "lastmod" in core else ""
    bench.insert(
        batches.as_table(made),
        f"INSERT INTO staged BY NAME SELECT {source} AS source, {names}{instant} FROM batch",
    )


def strangers(bench: Workbench, urls: str, beside: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Take those out of ``staged`` that the ledger has not; yields them, by their source."""
    bench.run(_STRANGERS.format(urls=urls))
    bench.run("DELETE FROM staged WHERE id IN (SELECT id FROM strangers)")
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
