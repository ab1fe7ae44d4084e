"""Tables among the sources of ``urlset read``: CSV, JSON lines, Arrow, SQLite, as builds take them.

Their rows go into a file of Parquet first: so they are counted, and can be read more than once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from urlset.arrow import ENTRY, ListOf, array_of
from urlset.arrow.batches import as_table, column_values, replace_column, take_rows
from urlset.arrow.streams import rows_to_batch
from urlset.cli.console import count_of
from urlset.dates import parse_date
from urlset.errors import SourceError
from urlset.reader import Entries, read_stored
from urlset.sources import NoUrlColumnError, open_source
from urlset.store import ScratchDatabase, quoted
from urlset.urls import parse_url

__all__ = ["open_table"]

_COLUMNS = [name for name, _ in ENTRY.fields]
# As `store.write_parquet` has it: with 300, a million rows take three times as long.
_MEMORY_MB = 1_000
_RENAME = "rename the one that holds the URLs (`urlset build` has --map for it)"


@contextmanager
def open_table(
    source: str, failures: list[str], *, base: str | None, **selection: Any
) -> Iterator[Entries]:
    """The entries of a table, while they are read; rows without a URL are told in ``failures``.

    Raises :class:`urlset.SourceError` for what is no table, and has no column of URLs.
    """
    table = _Table(source, base)
    with ScratchDatabase(memory=_MEMORY_MB) as bench:
        _prepare(bench, source)
        for batch in table.batches():
            found = ", ".join(name for name in _COLUMNS if name in batch.schema.names)
            bench.insert(
                as_table(batch), f"INSERT INTO entries ({found}) SELECT {found} FROM batch"
            )
        failures.extend(table.failures())
        path = f"{bench.path}.parquet"
        _write(bench, path)
        yield read_stored(path, source, **selection)


def _prepare(bench: ScratchDatabase, name: str) -> None:
    """Make the table: what a source does not have is absent from every entry."""
    bench.insert(as_table(rows_to_batch(ENTRY.fields, [])), "CREATE TABLE entries AS FROM batch")
    defaults = {column: "[]" for column, kind in ENTRY.fields if isinstance(kind, ListOf)}
    for column_name, value in {**defaults, "source": quoted(name)}.items():
        bench.run(f"ALTER TABLE entries ALTER {column_name} SET DEFAULT {value}")


def _write(bench: ScratchDatabase, path: str) -> None:
    """Write the entries, each with the instant of a date that is there as text only."""
    texts = bench.rows("SELECT DISTINCT lastmod_text FROM entries WHERE lastmod_text IS NOT NULL")
    dates = [(text, parse_date(text).instant) for (text,) in texts]
    fields: tuple[tuple[str, Any], ...] = (("text", "string"), ("instant", "instant"))
    bench.insert(as_table(rows_to_batch(fields, dates)), "CREATE TABLE dates AS FROM batch")
    bench.run(
        "COPY (SELECT entries.* REPLACE (coalesce(lastmod, instant) AS lastmod, "
        "CASE WHEN NOT isnan(priority) THEN priority END AS priority) "
        "FROM entries LEFT JOIN dates ON text = lastmod_text) "
        f"TO {quoted(path)} (FORMAT parquet, COMPRESSION snappy)"
    )
    bench.run("DROP TABLE entries")


class _Table:
    """The rows of one source that are entries, and a count of those that are none."""

    def __init__(self, name: str, base: str | None):
        self._name = name
        self._base = base
        self._source = open_source(name)
        self._lost = 0
        self._first_lost = ""

    def batches(self) -> Iterator[Any]:
        """The rows that have a URL, with columns of entries among others."""
        try:
            yield from self._wanted()
        except NoUrlColumnError as error:  # it advises a mapping; this command has no --map
            raise SourceError(f"{error.found}; {_RENAME}") from error

    def _wanted(self) -> Iterator[Any]:
        for batch in self._source.batches():
            wanted = self._with_urls(batch)
            if wanted.num_rows:
                yield wanted

    def failures(self) -> Iterator[str]:
        """What could not be taken, as sentences."""
        yield from self._source.failures
        if self._lost:
            rows = count_of(self._lost, "row")
            yield f"{self._name}: {rows} left out: expected a URL in loc, found {self._first_lost}"

    def _with_urls(self, batch: Any) -> Any:
        """The rows of a batch that have a URL, each absolute."""
        given = column_values(batch, "loc")
        urls = [None if text is None else parse_url(text, self._base).url for text in given]
        if None in urls:
            kept = [number for number, url in enumerate(urls) if url is not None]
            self._note_lost(batch, given, urls.index(None), len(urls) - len(kept))
            batch, urls = take_rows(batch, kept), [urls[number] for number in kept]
            given = [given[number] for number in kept]
        return batch if urls == given else replace_column(batch, "loc", array_of(urls, "string"))

    def _note_lost(self, batch: Any, given: list[str | None], first: int, count: int) -> None:
        if not self._lost:
            found = "none" if given[first] is None else repr(str(given[first])[:80])
            lines = column_values(batch, "line") if "line" in batch.schema.names else []
            place = f" in line {lines[first]:,}" if lines else ""
            hint = "" if self._base or given[first] is None else "; --base-url makes URLs of paths"
            self._first_lost = f"{found}{place}{hint}"
        self._lost += count
