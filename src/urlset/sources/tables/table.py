"""Source that reads a table: CSV, JSON lines, Parquet, Arrow, SQLite or DuckDB files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar, Literal, get_args

from urlset.arrow.streams import read_ipc, table_of
from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, HEAD_BYTES, open_gzip
from urlset.formats.detect import (
    TableForm,
    detect_delimiter,
    detect_table_form,
    is_json_array,
    read_head,
)
from urlset.formats.encoding import utf16_codec
from urlset.formats.signatures import file_signature, is_gzip
from urlset.sources.candidates import SourceType
from urlset.sources.prefetch import prefetch
from urlset.sources.tables.casts import NESTED_FIELDS, convert_nested_columns
from urlset.sources.tables.column_plan import ColumnPlan, field_of, parse_mapping
from urlset.sources.tables.sqlite import sqlite_batches
from urlset.store import QUERY_S, ColumnMapper, ExternalTable

__all__ = ["Table", "map_batches"]


class Table:
    """The rows of one table as candidates.

    ``mapping`` names a column for a field
    (see :class:`urlset.sources.tables.column_plan.ColumnPlan`):
    ``{"loc": "url", "lastmod": "updated_at", "alternates.de": "url_de", "images": "photo"}``.
    A prefix of a column states how to convert it: ``epoch:`` and ``epoch_ms:`` numbers since 1970,
    ``utc:`` times without a zone that are UTC, ``date:`` only the day of a time, ``split(;):``
    several images in one text. ``keep`` are columns that are passed on as text under their own
    names. ``query`` is run on the file instead of reading a table of it (named ``input``, except in
    SQLite and DuckDB files, which have table names); ``table`` selects one of several. ``form`` is
    detected from content and suffix, ``delimiter`` from the header. The query can read only the
    file, and may take ``query_timeout_s`` seconds (None for no limit).

    The file is opened read-only. All values of CSV are text, as are the dates of JSON. A time
    without a zone is rejected, as in :func:`urlset.write`. Raises :class:`urlset.SourceError` for a
    file that is not a table, a missing column, or one of a wrong type, and
    :class:`urlset.QueryError` if the query fails.

    >>> Table("pages.parquet", mapping={"loc": "url"}).name
    'pages.parquet'
    """

    source_type: ClassVar[SourceType] = "table"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        query: str | None = None,
        table: str | None = None,
        form: TableForm | None = None,
        delimiter: str | None = None,
        name: str | None = None,
        query_timeout_s: float | None = QUERY_S,
    ):
        self._path = os.fspath(path)
        self.name = name or self._path
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._query, self.table = query, table
        self._query_timeout_s = query_timeout_s
        self._form, self._delimiter = form, delimiter
        if form is not None and form not in get_args(TableForm):
            raise SourceError(f"expected one of {', '.join(get_args(TableForm))}, found {form!r}")

    def check(self) -> None:
        """Raise what :meth:`batches` would raise before the first row; read no rows."""
        with closing(self._rows(only_check=True)) as rows:
            next(rows, None)

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates."""
        return self._rows()

    def _rows(self, *, only_check: bool = False) -> Generator[Any, None, None]:
        detected = detect_table_form(self._path, self.name)  # raises if the file cannot be read
        form = self._form or detected
        if form is None:
            raise SourceError(
                f"expected a table (CSV, JSON lines, Parquet, Arrow, SQLite, DuckDB), "
                f"found another kind of file: {self.name!r}"
            )
        if form == "sqlite":
            rows = sqlite_batches(
                self._path,
                table=self.table,
                query=self._query,
                timeout_s=self._query_timeout_s,
                name=self.name,
            )
            yield from self._map(None, rows)
        elif form == "arrow":
            if self._query is not None:
                raise SourceError(
                    f"{self.name}: expected no query, because Arrow files support none; "
                    "convert it to Parquet"
                )
            yield from self._map(
                *read_ipc(self._path, self.name, is_stream=file_signature(self._path) != "arrow")
            )
        else:
            yield from self._read_external(form, only_check=only_check)

    def _map(self, schema: Any, rows: Iterator[Any]) -> Iterator[Any]:
        empty = None if schema is None else table_of(schema)
        return map_batches(
            rows, self.name, self._mapping, self._keep, empty=empty, notes=self.notes
        )

    def _read_external(
        self, form: Literal["csv", "jsonl", "parquet", "duckdb"], *, only_check: bool
    ) -> Iterator[Any]:
        header: list[str] = []
        delimiter = ","
        if form == "csv":
            header, delimiter = _header(self._path, self._delimiter, self.name)
        with ExternalTable(
            self._path,
            form,
            table=self.table,
            query=self._query,
            header=header,
            delimiter=delimiter,
            types=self._types_of_json,
            is_array=form == "jsonl" and is_json_array(read_head(self._path, self.name)),
            timeout_s=self._query_timeout_s,
            name=self.name,
        ) as file:
            plan = ColumnPlan.of(
                file.columns, name=self.name, mapping=self._mapping, keep=self._keep
            )
            if only_check:
                return
            self.notes += plan.notes
            yield from map(convert_nested_columns, prefetch(file.batches(plan.expressions)))

    def _types_of_json(self, detected: dict[str, str]) -> dict[str, str]:
        """Return types for the columns of JSON lines, also for keys missing in the first rows."""
        if self._query is not None:
            return detected
        fields = {name: field_of(name) for name in detected}
        missing = {name: "VARCHAR" for name in self._keep if name not in detected}
        for name in ("lastmod", "changefreq", "priority", *NESTED_FIELDS):
            if name not in fields.values() and name not in self._mapping:
                missing[name] = "DOUBLE" if name == "priority" else "VARCHAR"
        nested = {self._mapping.get(name, name) for name in NESTED_FIELDS}
        # Keys of objects may also differ from row to row.
        types = {
            name: "JSON" if fields[name] in NESTED_FIELDS or name in nested else kind
            for name, kind in detected.items()
        }
        return missing | types


def map_batches(
    rows: Iterable[Any],
    name: str,
    mapping: Mapping[str, str],
    keep: Sequence[str],
    *,
    empty: Any = None,
    notes: list[str],
) -> Iterator[Any]:
    """Yield candidates for record batches that have the same columns, of any type.

    ``empty`` is a batch or a table without rows, which is needed if there may be no batch at all.
    Remarks on the columns are appended to ``notes``.
    """
    mapper = ColumnMapper()
    plan: ColumnPlan | None = None
    try:
        if empty is not None:
            plan = ColumnPlan.of(mapper.columns(empty), name=name, mapping=mapping, keep=keep)
            notes += plan.notes
        for batch in rows:
            if plan is None:
                columns = mapper.columns(table_of(batch.schema))
                plan = ColumnPlan.of(columns, name=name, mapping=mapping, keep=keep)
                notes += plan.notes
            if batch.num_rows:
                mapped = mapper.map(table_of(batch.schema, batch), plan.expressions)
                yield from map(convert_nested_columns, mapped)
    finally:
        mapper.close()


def _header(path: str, delimiter: str | None, name: str) -> tuple[list[str], str]:
    """Return the names of the columns of CSV, and the delimiter; raise for duplicate names."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
            if is_gzip(head):
                file.seek(0)
                head = open_gzip(file).read(HEAD_BYTES)
    except (OSError, *DAMAGE) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"expected CSV, found {name!r}: {reason}") from error
    if utf16_codec(head):
        raise SourceError(f"expected UTF-8, found UTF-16 in {name!r}; convert it, e.g. with iconv")
    text = head.decode("utf-8-sig", errors="replace")
    lines = text.splitlines()
    if not lines:
        raise SourceError(f"expected CSV with a header, found an empty file: {name!r}")
    separator = delimiter or detect_delimiter(lines[0])
    try:
        cells = next(csv.reader(io.StringIO(text), delimiter=separator, strict=True))
    except (csv.Error, StopIteration) as error:
        raise SourceError(f"expected CSV with a header, found {name!r}: {error}") from error
    names = [cell.strip() or f"column{number}" for number, cell in enumerate(cells, 1)]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise SourceError(f"{name}: expected unique column names, found {duplicates[0]!r} twice")
    return names, separator
