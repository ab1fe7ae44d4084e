"""Write the records of visited pages to the table ``pages`` of a store, in batches."""

from __future__ import annotations

import json
import time
from typing import Any

from urlset.arrow.batches import as_table, batch_of, text_array
from urlset.crawler.page_record import PageRecord
from urlset.store import LIVE_TABLES, StoreSession

__all__ = ["PageWriter"]

MAX_RECORDS = 1_000
"""Records in memory; then they are written to the store."""

EVERY_S = 5.0
"""Seconds between writes: a killed process loses no more than these."""

_COLUMNS = next(table.columns for table in LIVE_TABLES if table.name == "pages")
_CONFIRMED = ("crawl", "checked_at", "seconds", "first_byte_s", "is_from_cache", "attempts")


class PageWriter:
    """Writer of pages; the last record of a URL replaces the earlier ones.

    The fingerprint of the page in the audit before is kept as ``previous_fingerprint``.

    Args:
        session: Session of the store.
        crawl: Number of the audit in the table ``crawls``.
    """

    def __init__(self, session: StoreSession, crawl: int):
        self._session = session
        self._crawl = crawl
        self._records: dict[str, PageRecord] = {}
        self._since = time.monotonic()

    def add(self, record: PageRecord) -> None:
        """Add a record."""
        record.row["crawl"] = self._crawl
        self._records[record.url] = record
        if len(self._records) >= MAX_RECORDS or time.monotonic() - self._since > EVERY_S:
            self.flush()

    def flush(self) -> None:
        """Write all records that were added."""
        records = list(self._records.values())
        with self._session.transaction():
            self._confirm([record for record in records if record.is_unchanged])
            self._replace([record for record in records if not record.is_unchanged])
        self._records = {}
        self._since = time.monotonic()

    def _confirm(self, records: list[PageRecord]) -> None:
        """Update the pages that the server reports as unchanged."""
        if records:
            values = ", ".join(f"{name} = i.row.{name}" for name in _CONFIRMED)
            self._session.insert(
                f"UPDATE store.pages p SET {values}, previous_fingerprint = p.fingerprint "
                f"FROM ({_SOURCE}) i WHERE p.url = i.row.url",
                _batch(records),
            )

    def _replace(self, records: list[PageRecord]) -> None:
        if not records:
            return
        batch = _batch(records)
        self._session.insert(
            "CREATE OR REPLACE TEMP TABLE earlier_pages AS SELECT p.url, CASE WHEN p.crawl = "
            f"{self._crawl} THEN p.previous_fingerprint ELSE p.fingerprint END AS fingerprint "
            f"FROM store.pages p SEMI JOIN ({_SOURCE}) i ON p.url = i.row.url",
            batch,
        )
        self._session.run(
            "DELETE FROM store.pages WHERE url IN (SELECT url FROM temp.earlier_pages)"
        )
        values = ", ".join(
            "e.fingerprint" if column.name == "previous_fingerprint" else f"i.row.{column.name}"
            for column in _COLUMNS
        )
        self._session.insert(
            f"INSERT INTO store.pages ({', '.join(column.name for column in _COLUMNS)}) "
            f"SELECT {values} FROM ({_SOURCE}) i "
            "LEFT JOIN temp.earlier_pages e ON e.url = i.row.url",
            batch,
        )


_STRUCT = ", ".join(f"{column.name} {column.type}" for column in _COLUMNS)
_SOURCE = f"SELECT row::JSON::STRUCT({_STRUCT}) AS row FROM incoming"


def _batch(records: list[PageRecord]) -> Any:
    """Return the rows as one column of JSON; every row has every column."""
    rows = [
        json.dumps({column.name: record.row.get(column.name) for column in _COLUMNS})
        for record in records
    ]
    return as_table(batch_of({"row": text_array(rows)}))
