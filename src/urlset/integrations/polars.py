"""Sitemaps as a lazy frame of polars: ``scan_sitemap`` reads what a query needs.

The scan is an IO plugin of polars (https://docs.pola.rs/user-guide/plugins/io_plugins): polars
passes the columns, the filter and the number of rows of a query.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

from urlset.arrow.frames import empty_polars_frame, entry_frames, polars_io_source, polars_library
from urlset.arrow.streams import NumberedRows
from urlset.reader import DocumentBatch, Source, read
from urlset.reader.entries import warn_incomplete


def scan_sitemap(source: Source, **options: Any) -> Any:
    r"""Return the entries of a source as a ``polars.LazyFrame``; nothing is read before a query.

    The columns are those of :meth:`urlset.Entries.to_polars`. Each query reads the source again,
    one document at a time:

    - Columns that the query does not need are not converted.
    - A filter is applied while documents are read, so that other rows do not stay in memory.
    - ``head(n)`` directly on the scan stops the reading after ``n`` rows.

    A filter on ``lastmod``, ``loc`` or ``source`` reads every document: neither the date of a
    sitemap in its index, nor its folder or name, proves what it lists. The option ``since`` relies
    on the dates in indexes: it skips sitemaps that have not changed since then, and excludes older
    entries.

    >>> lazy = scan_sitemap(b"https://example.com/a\nhttps://example.com/b\n")
    >>> lazy.select("loc").head(1).collect().item()
    'https://example.com/a'

    A document that cannot be read is missing in the result, and the query issues a
    ``RuntimeWarning``; with ``fail_fast=True`` the query raises.

    Args:
        source: What to read, as in :func:`urlset.read`, except a stream, which can be read only
            once.
        options: Further arguments of :func:`urlset.read`, such as ``policy``, ``cache`` or
            ``since``.

    Raises:
        ImportError: polars is not installed.
        TypeError: An option is unknown.
        ValueError: An option has an invalid value, or the source is a stream.
        urlset.SourceError: The source does not exist; raised by the query if no document can be
            read.
    """
    polars_library()  # raises if it is not installed
    if hasattr(source, "read") or (isinstance(source, str) and source == "-"):
        raise ValueError(
            "source: expected a path, a URL, bytes or a mapping, found a stream, which can be read "
            "only once; read it first: scan_sitemap(file.read())"
        )
    read(source, **options)  # raises for invalid arguments; reads nothing

    def batches(
        columns: list[str] | None, predicate: Any, row_count: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        failures: list[str] = []
        yield _projected(empty_polars_frame(), columns)  # for a source without entries

        def found(documents: Iterable[DocumentBatch]) -> Iterator[NumberedRows]:
            for record, _, rows in documents:
                if record.error:
                    failures.append(f"{record.source}: {record.error}")
                if rows is not None:
                    yield rows

        limits = [limit for limit in (options.get("limit"), row_count) if limit is not None]
        limited = options | {"limit": min(limits, default=None)}
        with closing(read(source, **limited).batches()) as documents:
            for frame in entry_frames(found(documents)):
                part = frame if predicate is None else frame.filter(predicate)
                yield from _projected(part, columns).iter_slices(batch_size or part.height or 1)
        if failures:
            warn_incomplete("scan_sitemap", failures)

    register = polars_io_source()
    # In the plan that `explain()` prints; polars 1 names every source alike.
    named = "explain_name" in inspect.signature(register).parameters
    return register(
        batches,
        schema=lambda: empty_polars_frame().schema,
        **({"explain_name": "sitemap"} if named else {}),
    )


def _projected(frame: Any, columns: list[str] | None) -> Any:
    return frame if columns is None else frame.select(columns)
