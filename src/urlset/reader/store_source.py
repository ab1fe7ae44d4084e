"""Read documents and entries back from a store (DuckDB), a Parquet file or a web archive."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack
from typing import Literal, NamedTuple

from urlset.document import Document
from urlset.engine import Diagnostic, Rows
from urlset.errors import SourceError, StoreError
from urlset.formats.detect import StoredForm
from urlset.model import Kind, Problem, Sitemap
from urlset.reader.documents import DocumentRecord, Visit
from urlset.reader.entries import SourceReader
from urlset.temp_files import LockedTempDir
from urlset.terminal_text import pluralize

Form = Literal["duckdb", "parquet"]


def stored_reader(form: StoredForm, path: str, engine: str | None, max_bytes: int) -> SourceReader:
    """Return the reader of a file by its form; only documents of WARC have yet to be parsed."""
    if form != "warc":
        return StoredDocuments(form, path)
    from urlset.reader.warc import WarcReader

    return WarcReader(path, engine=engine, max_bytes=max_bytes)


class StoredDocuments:
    """Reader of a store or Parquet file; entries of Parquet belong to a document ``name``."""

    def __init__(self, form: Form, path: str, name: str | None = None, unreadable_count: int = 0):
        self._form = form
        self._path = path
        self._name = name or path
        self._unreadable_count = unreadable_count

    @property
    def has_rows_at_once(self) -> bool:
        """Whether the first rows can be read quickly: not those of a history of snapshots."""
        from urlset.store import Store

        if self._form == "parquet":
            return True
        with Store.open(self._path, read_only=True) as store:
            return store.document_writer is None

    def visits(self, _on_response: object = None) -> Generator[Visit]:
        """Yield document after document, in the order in which they were stored."""
        return self._from_store() if self._form == "duckdb" else self._from_parquet()

    async def visits_async(self) -> AsyncGenerator[Visit]:
        """Yield document after document in the running event loop, which file access blocks."""
        for visit in self.visits():
            yield visit

    def _from_store(self) -> Generator[Visit]:
        from urlset.store import Store

        try:
            with ExitStack() as stack:
                store = stack.enter_context(Store.open(self._path, read_only=True))
                if write_documents := store.document_writer:
                    stack.pop_all().close()  # DuckDB opens a file only once
                    folder = stack.enter_context(LockedTempDir())
                    target = os.path.join(folder.path, "documents.duckdb")
                    write_documents(self._path, target)
                    store = stack.enter_context(Store.open(target, read_only=True))
                is_empty = True
                for found in store.documents():
                    is_empty = False
                    document = _document(
                        found.source,
                        found.kind,
                        found.entries,
                        sitemaps=found.sitemaps,
                        problems=found.problems,
                        encoding=found.encoding,
                        size=found.size,
                        packed_size=found.packed_size,
                        layers=found.layers,
                    )
                    record = DocumentRecord(
                        found.source,
                        found.parent,
                        found.kind,
                        found.size or 0,
                        found.packed_size or 0,
                        found.encoding,
                        found.entry_count,
                        found.sitemap_count,
                        found.problem_count,
                        tuple(found.problems),
                        found.error,
                        found.how,
                        found.depth,
                        found.declared_by,
                        found.disallowed_by,
                        found.lastmod,
                        found.same_as,
                        found.skipped,
                        loc=found.loc,
                        base_url=found.url,
                        failure=found.failure,
                        unreadable_count=found.unreadable_count,
                    )
                    yield Visit(record, document if found.kind is not None else None)
                if is_empty:
                    raise SourceError(
                        f"expected a store with sitemaps, found none in {self._path!r}: nothing "
                        "was read into it"
                    )
        except StoreError as error:
            raise SourceError(str(error)) from error

    def _from_parquet(self) -> Generator[Visit]:
        from urlset.store import parquet_entries

        rows, dropped = parquet_entries(self._path)
        size = os.path.getsize(self._name if os.path.isfile(self._name) else self._path)
        # The closest of the kinds: a list of URLs with their fields.
        document = _document(self._name, "urlset", rows, size=size, packed_size=size)
        record = DocumentRecord(
            self._name,
            None,
            "urlset",
            size,
            size,
            entries=len(rows),
            unreadable_count=self._unreadable_count + dropped,
        )
        if dropped:
            error = f"{pluralize(dropped, 'row')} excluded: expected a URL in loc, found none"
            record = record._replace(error=error, failure="incomplete")
        yield Visit(record, document)


class _Parsed(NamedTuple):
    kind: Kind
    entries: Rows
    sitemaps: list[Sitemap]
    diagnostics: list[Diagnostic]
    omitted: dict[str, int]


def _document(
    source: str | None,
    kind: Kind | None,
    rows: Rows,
    *,
    sitemaps: list[Sitemap] | None = None,
    problems: list[Problem] | None = None,
    encoding: str | None = None,
    size: int = 0,
    packed_size: int = 0,
    layers: int | None = None,
) -> Document:
    """Create a document without text from rows of tables."""
    document = Document(
        _Parsed(kind or "unknown", rows, sitemaps or [], [], {}),
        text=b"",
        runs=[],
        packing_diagnostics=[],
        diagnostics=[],
        encoding=encoding or "utf-8",
        size=size or 0,
        packed_size=packed_size or 0,
        layers=layers,
        source=source,
        base_url=None,
        engine="store",
    )
    document.problems = problems or []
    return document
