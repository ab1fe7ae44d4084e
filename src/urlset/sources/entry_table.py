"""Read the entries of tables (CSV, JSON lines, Parquet, Arrow, SQLite), for ``read`` and ``diff``.

Their rows are first written to a Parquet file: so they are counted, and can be read more than once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from urlset.arrow import ENTRY, ListOf, array_of
from urlset.arrow.batches import as_table, column_values, replace_column, take_rows
from urlset.arrow.streams import rows_to_batch
from urlset.dates import parse_date
from urlset.errors import SourceError
from urlset.formats.detect import TableForm
from urlset.option_names import option
from urlset.reader import Entries, read_stored
from urlset.reader.filters import EntryFilter
from urlset.sources.candidates import Source
from urlset.sources.factory import open_table_file
from urlset.sources.tables.column_plan import NoUrlColumnError
from urlset.store import ScratchDatabase, identifier, quoted
from urlset.temp_files import LockedTempDir
from urlset.terminal_text import pluralize, printable
from urlset.urls import is_ordinary_url, parse_url

_COLUMNS = [name for name, _ in ENTRY.fields]
# As in `store.write_parquet`: with 300, a million rows take three times as long.
_MEMORY_MB = 1_000


# The instant of a date in one of the usual forms, as `parse_date` returns it; NULL for others.
_DAY = "[12][0-9]{3}-[01][0-9]-[0-3][0-9]"
_TIME = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])"
_INSTANT = (
    f"CASE WHEN regexp_full_match(lastmod_text, '{_DAY}({_TIME})?') THEN TRY_CAST("
    "if(strlen(lastmod_text) = 10, lastmod_text || 'T00:00:00Z', lastmod_text) AS TIMESTAMPTZ) END"
)


class TableFaults(NamedTuple):
    """What of a table could not be read or used: messages for people, and notes about columns.

    ``unreadable_count`` is the number of rows without a readable URL; ``unused_columns`` are no
    fields of an entry.
    """

    messages: tuple[str, ...]
    unreadable_count: int
    notes: tuple[str, ...] = ()
    unused_columns: tuple[str, ...] = ()


@contextmanager
def open_table(
    source: str,
    form: TableForm,
    failures: list[str],
    notes: list[str],
    *,
    base_url: str | None = None,
    **selection: Any,
) -> Iterator[Entries]:
    """Open a table file as entries, in a context manager.

    ``failures`` receives a message about the rows without a URL, ``notes`` those about columns that
    are not used. ``selection`` are the filters of :func:`urlset.read`.

    Raises SourceError if the file cannot be read as a table, or has no column with URLs.
    """
    with LockedTempDir() as folder:
        path = os.path.join(folder.path, "entries.parquet")
        faults = table_as_parquet(source, form, path, base_url=base_url)
        failures.extend(faults.messages)
        notes.extend(faults.notes)
        yield read_stored(path, source, EntryFilter.of(**selection), faults.unreadable_count)


def table_as_parquet(
    source: str, form: TableForm, path: str, *, base_url: str | None, name: str = ""
) -> TableFaults:
    """Write the entries of a table to a Parquet file; return what could not be read.

    ``name`` is that of the table in messages; the path of its file by default.

    Raises SourceError if the file cannot be read as a table, or has no column with URLs.
    """
    name = name or source
    table = open_table_file(source, form, name)
    rows = _RowsWithUrl(table, base_url)
    with ScratchDatabase(memory=_MEMORY_MB) as database:
        _prepare(database, printable(name))
        for batch in rows.batches():
            found = ", ".join(identifier(name) for name in _COLUMNS if name in batch.schema.names)
            database.insert(
                f"INSERT INTO table_entries ({found}) SELECT {found} FROM incoming", as_table(batch)
            )
        _write(database, path)
    failures = [*table.failures]
    if rows.dropped:
        failures.append(
            f"{name}: {pluralize(rows.dropped, 'row')} excluded: expected a URL in loc, "
            f"found {rows.first_dropped}"
        )
    unused = getattr(table, "unused_columns", ())
    return TableFaults(
        tuple(failures),
        rows.dropped,
        tuple(f"{note} in `urlset build`" for note in table.notes),
        tuple(name for name in unused if name.lower() not in _COLUMNS),
    )


def _prepare(database: ScratchDatabase, source: str) -> None:
    """Create the empty table ``table_entries``, with defaults for columns that a source lacks."""
    empty = as_table(rows_to_batch(ENTRY.fields, []))
    database.insert("CREATE TABLE table_entries AS FROM incoming", empty)
    defaults = {column: "[]" for column, kind in ENTRY.fields if isinstance(kind, ListOf)}
    for column_name, value in {**defaults, "source": quoted(source)}.items():
        database.run(f"ALTER TABLE table_entries ALTER {column_name} SET DEFAULT {value}")


def _write(database: ScratchDatabase, path: str) -> None:
    """Write the table ``table_entries`` as Parquet; dates in text form also get an instant."""
    texts = database.rows(
        "SELECT DISTINCT lastmod_text FROM table_entries "
        f"WHERE lastmod_text IS NOT NULL AND {_INSTANT} IS NULL"
    )
    dates = [(text, parse_date(text).instant) for (text,) in texts]
    fields: tuple[tuple[str, Any], ...] = (("text", "string"), ("instant", "instant"))
    unusual = as_table(rows_to_batch(fields, dates))
    database.insert("CREATE TABLE table_dates AS FROM incoming", unusual)
    database.run(
        f"COPY (SELECT table_entries.* REPLACE (coalesce(lastmod, {_INSTANT}, instant) AS lastmod, "
        "CASE WHEN NOT isnan(priority) THEN priority END AS priority) "
        "FROM table_entries LEFT JOIN table_dates ON text = lastmod_text) "
        f"TO {quoted(path)} (FORMAT parquet, COMPRESSION snappy)"
    )
    database.run("DROP TABLE table_entries")


class _RowsWithUrl:
    """Rows of a table that have a URL.

    ``dropped`` is the number of the other rows; ``first_dropped`` describes the first of them.
    """

    def __init__(self, table: Source, base_url: str | None):
        self._table = table
        self._base_url = base_url
        self.dropped: int = 0
        self.first_dropped: str = ""

    def batches(self) -> Iterator[Any]:
        """Yield batches of the rows with a URL; they may have columns that entries lack."""
        try:
            for batch in self._table.batches():
                entries = self._with_urls(batch)
                if entries.num_rows:
                    yield entries
        except NoUrlColumnError as error:  # its message suggests --map, which this command lacks
            raise SourceError(
                f"{error.found}; rename the one that holds the URLs "
                f"(`urlset build` has {option('map')} for it)"
            ) from error

    def _with_urls(self, batch: Any) -> Any:
        """Remove the rows of a batch that have no URL, and resolve relative URLs."""
        texts = column_values(batch, "loc")
        base = self._base_url
        urls = [
            # An ordinary URL and a missing one stay as they are.
            text if text is None or is_ordinary_url(text) else parse_url(text, base).url
            for text in texts
        ]
        if None in urls:
            first = urls.index(None)
            if not self.dropped:
                self.first_dropped = (
                    "none" if texts[first] is None else repr(str(texts[first])[:80])
                )
                if "line" in batch.schema.names:
                    self.first_dropped += f" in line {column_values(batch, 'line')[first]:,}"
                if not base and texts[first] is not None:
                    self.first_dropped += f"; use {option('base_url')} if these are paths"
            kept = [number for number, url in enumerate(urls) if url is not None]
            self.dropped += len(urls) - len(kept)
            batch, urls = take_rows(batch, kept), [urls[number] for number in kept]
            texts = [texts[number] for number in kept]
        return batch if urls == texts else replace_column(batch, "loc", array_of(urls, "string"))
