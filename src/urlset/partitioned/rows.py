"""Read a part as Arrow batches: entries, documents with their failures, and more tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from urlset import arrow
from urlset.arguments import checked_arguments
from urlset.arrow.batches import column_values, combine_batches, text_array, with_columns
from urlset.arrow.streams import NumberedRows, entry_batches, table_of
from urlset.errors import SourceError, suggestion
from urlset.option_names import option
from urlset.partitioned.concurrent_sites import merged
from urlset.partitioned.parts import ReadPart, sites_of
from urlset.pattern_warnings import warn_of_patterns
from urlset.reader import Entries, read_planned, read_site, read_store
from urlset.reader.documents import DocumentBatch, DocumentRecord
from urlset.reader.filters import ChildFilter, EntryFilter, Moment, Patterns, host_of_loc

if TYPE_CHECKING:
    from urlset.http import Response

TableName = Literal["entries", "documents", "sitemaps", "problems", "robots"]
TABLES: tuple[TableName, ...] = get_args(TableName)
"""Tables of a part: those of a store, without the numbers of documents."""

BATCH_ROWS = 8_192
"""Rows from which a batch is returned; small documents share one."""


def table_schema(table: TableName) -> Any:
    """Return the Arrow schema of a table.

    >>> table_schema("entries").names[:3]
    ['loc', 'lastmod', 'lastmod_text']

    Raises:
        ValueError: There is no such table.
    """
    if table not in TABLES:
        raise ValueError(f"table: found {table!r}{suggestion(table, TABLES)}")
    if table == "entries":
        return arrow.schema()
    return _batch(table, []).schema


@checked_arguments
def read(
    part: ReadPart,
    *,
    table: TableName = "entries",
    columns: Sequence[str] | None = None,
    since: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    hosts: Iterable[str] | None = None,
    sources: Collection[str] | None = None,
) -> Iterator[Any]:
    r"""Read a table of a part as Arrow record batches.

    The sites of a part are read at the same time, as many as the policy has concurrent requests.

    Nothing of a document raises: a document or a site that cannot be read, or not completely, is a
    row of the table ``documents`` whose ``error`` says why.

    >>> from urlset.partitioned import plan
    >>> [part] = plan(b"https://example.com/a\nhttps://example.com/b\n")
    >>> [batch.num_rows for batch in read(part)]
    [2]
    >>> [batch.column("kind").to_pylist() for batch in read(part, table="documents")]
    [['text']]

    Args:
        part: Part of a source, from :func:`urlset.partitioned.plan`.
        table: ``entries``, ``documents``, ``sitemaps`` (what indexes list), ``problems``, or
            ``robots`` (the robots.txt files of sites that were requested).
        columns: Columns in their order; by default all. Of entries also ``host``: the host of the
            URL, with its port unless it is the default one.
        since: Exclude entries whose ``lastmod`` is older or missing; by default the date of the
            plan. As the other filters, it applies to the table ``entries``.
        include: Regular expression, or several; only URLs that contain a match are included.
        exclude: Regular expression, or several; URLs that contain a match are excluded.
        hosts: Hosts whose URLs are included.
        sources: Paths or URLs of the documents whose entries are included.

    Yields:
        Record batches: objects with ``__arrow_c_array__``, which pyarrow, polars and others import
        without a copy.

    Raises:
        ValueError: A table or column is unknown, or a filter is invalid; before the first batch.
    """
    found = read_tables(
        part,
        {table: columns},
        sources=sources,
        since=since,
        include=include,
        exclude=exclude,
        hosts=hosts,
    )
    return (batch for _, batch in found)


def read_tables(
    part: ReadPart,
    tables: Mapping[TableName, Sequence[str] | None],
    *,
    sources: Collection[str] | None = None,
    **filters: Any,
) -> Iterator[tuple[TableName, Any]]:
    """Read several tables of a part in one pass.

    Args:
        part: Part of a source.
        tables: Columns by table; None for all of them.
        sources: As in :func:`read`.
        filters: Further filters of entries, as in :func:`read`.

    Yields:
        The name of the table, and a record batch.
    """
    selected: dict[TableName, list[str] | None] = {}
    for table, columns in tables.items():
        known = [*table_schema(table).names, *(["host"] if table == "entries" else [])]
        for column in columns or ():
            if column not in known:
                raise ValueError(f"columns: found {column!r}{suggestion(column, known)}")
        selected[table] = None if columns is None else list(columns)
    options: dict[str, Any] = {"since": part.since}
    options |= {name: value for name, value in filters.items() if value is not None}
    entry_filter = EntryFilter.of(**options)
    warn_of_patterns(
        {option("include"): entry_filter.include, option("exclude"): entry_filter.exclude}
    )
    return _PartRows(part, selected, entry_filter, sources).batches()


def readings(
    part: ReadPart, entry_filter: EntryFilter, sources: Collection[str | None] | None = None
) -> Iterator[Entries]:
    """Yield the readings of a part: one, or one for each site, store or archive.

    Of a folder, a bucket or memory, only the documents of ``sources`` are loaded; None for all.
    """
    common: dict[str, Any] = {"engine": part.engine, "max_bytes": part.max_bytes}
    if part.kind == "documents":
        documents = part.documents
        if sources is not None:
            documents = tuple(one for one in documents if one.record.source in sources)
        common |= {"robots": part.robots_files, "follow": part.follow}
        yield read_planned(documents, entry_filter, **common)
        return
    if part.kind in ("store", "warc"):
        yield from (read_store(path, entry_filter, **common) for path in part.sources)
        return
    from urlset.http import run_policy

    common |= {"children": ChildFilter(part.follow, part.since), "hosts": part.hosts}
    common |= {"auth": part.auth, "cache": part.cache, "robots": part.robots}
    policy = run_policy(part.policy)  # one clock for each host
    for url in part.sources:
        yield read_site(url, entry_filter, policy=policy, **common)


class _PartRows:
    """One reading of a part: the rows of its tables that are not yet returned."""

    def __init__(
        self,
        part: ReadPart,
        tables: Mapping[TableName, list[str] | None],
        entry_filter: EntryFilter,
        sources: Collection[str] | None,
    ):
        self._part = part
        self._sources = sources
        self._tables = tables
        self._filter = entry_filter
        self._unread: list[NumberedRows] = []
        self._entries: list[Any] = []
        self._rows: dict[TableName, list[Any]] = {name: [] for name in tables if name != "entries"}

    def batches(self) -> Iterator[tuple[TableName, Any]]:
        with closing(self._found()) as found:
            for root, one in found:
                if isinstance(one, DocumentBatch):
                    yield from self._add(one, root)
                else:
                    self._rows["robots"].append(one)
        yield from self._flush(1)

    def _found(self) -> Generator[_Found]:
        """Yield the documents of the part, and rows of robots.txt, each with its site."""
        sites = sites_of(self._part)
        if len(sites) < 2:
            yield from self._found_in(self._part)
            return
        from urlset.http import run_policy

        policy = run_policy(self._part.policy)  # one clock for each host
        threads = min(policy.concurrency, len(sites))
        policy = replace(policy, concurrency=max(1, policy.concurrency // threads))
        jobs = [
            partial(self._found_in, replace(self._part, sources=urls, policy=policy))
            for urls in sites
        ]
        with closing(merged(jobs, threads)) as found:
            yield from found

    def _found_in(self, part: ReadPart) -> Generator[_Found]:
        only = self._sources if [*self._tables] == ["entries"] else None
        for entries in readings(part, self._filter, only):
            root = entries.source if part.kind == "sites" else None
            responses: deque[Any] = deque()
            note = partial(self._add_robots, responses, root)
            try:
                with closing(entries.batches(note)) as documents:
                    for document in documents:
                        yield root, document
                        while responses:
                            yield root, responses.popleft()
            except SourceError as error:  # of a store, or a bucket
                record = DocumentRecord(entries.source, error=str(error), failure=error.failure)
                yield root, DocumentBatch(record, None, None)
            for row in responses:
                yield root, row

    def _add_robots(self, rows: deque[Any], root: str | None, response: Response) -> None:
        from urlset.store.writer import is_robots, robots_rows

        if "robots" in self._rows and is_robots(response):
            rows.append(robots_rows(response, **_common_values(root)).robots)

    def _add(self, found: DocumentBatch, root: str | None) -> Iterator[tuple[TableName, Any]]:
        from urlset.store.writer import document_row, problem_rows, sitemap_rows

        record, document, rows = found
        is_selected = self._sources is None or record.source in self._sources
        if "entries" in self._tables and rows is not None and is_selected:
            self._unread.append(rows)
            if not rows.may_join:
                self._read_entries()
        if "documents" in self._rows:
            row = document_row(0, record, document, **_common_values(root))
            self._rows["documents"].append(row)
        if document is not None and "sitemaps" in self._rows:
            self._rows["sitemaps"] += sitemap_rows(0, document)
        if document is not None and "problems" in self._rows:
            self._rows["problems"] += problem_rows(0, record.source, document)
        yield from self._flush(BATCH_ROWS)

    def _read_entries(self) -> None:
        self._entries += entry_batches(self._unread)
        self._unread = []

    def _flush(self, least: int) -> Iterator[tuple[TableName, Any]]:
        """Yield the pending rows of each table that has at least so many."""
        if sum(map(len, self._unread)) >= least:
            self._read_entries()
        if sum(batch.num_rows for batch in self._entries) >= least:
            stream = table_of(arrow.schema(), *self._entries)
            self._entries = []
            yield self._selected("entries", combine_batches(stream))
        for table, rows in self._rows.items():
            if len(rows) >= least:
                self._rows[table] = []
                yield self._selected(table, _batch(table, rows))

    def _selected(self, table: TableName, batch: Any) -> tuple[TableName, Any]:
        columns = self._tables[table]
        if columns is None:
            return table, batch
        if table == "entries" and "host" in columns:
            hosts = [host_of_loc(loc) for loc in column_values(batch, "loc")]
            batch = with_columns(batch, {"host": text_array(hosts)})
        return table, batch.select(columns)


_Found = tuple[str | None, Any]
"""Site, and a :class:`urlset.reader.documents.DocumentBatch` or a row of a robots.txt."""


def _common_values(root: str | None) -> dict[str, Any]:
    return {"root": root, "read_at": datetime.now(UTC)}


def _batch(table: str, rows: Sequence[tuple[Any, ...]]) -> Any:
    """Return rows of a store as a batch without the number of their document."""
    from urlset.store.writer import table as table_stream

    batch = combine_batches(table_stream(table, rows))
    return batch if table == "robots" else batch.remove_column(0)
