"""Table of URL inspections of Search Console in a store, and the sample that is inspected."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

from urlset.dates import format_date
from urlset.live.schemas import INSPECTION_SCHEMA, INSPECTION_TABLES
from urlset.live.visits.sample import allocate
from urlset.store import Store, quoted


class InspectionTable:
    """The table ``inspections`` of a store; a context manager.

    Args:
        store: The store, with the entries of a site.
        site: Property of Search Console.
    """

    def __init__(self, store: Store, site: str):
        store.add(INSPECTION_SCHEMA)
        self._session = store.session()
        self._site = site

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.__exit__(kind, error, trace)

    def used(self, now: datetime) -> int:
        """Return the number of inspections of the property in the last 24 hours."""
        since, until = format_date(now - timedelta(days=1)), format_date(now)
        [(count,)] = self._session.rows(
            f"SELECT count(*) FROM store.inspections WHERE property = {quoted(self._site)} "
            f"AND inspected_at > TIMESTAMPTZ {quoted(since)} "
            f"AND inspected_at <= TIMESTAMPTZ {quoted(until)}"
        )
        return int(count)

    def sample(self, n: int, *, seed: int = 0) -> Iterator[str]:
        """Yield URLs: the same share of each section, those never inspected first."""
        sizes = dict(
            self._session.rows(
                f"SELECT section, count(*)::BIGINT FROM ({self._urls()}) GROUP BY section "
                "ORDER BY section"
            )
        )
        chosen: list[str] = []
        for section, count in allocate(sizes, n, seed=seed).items():
            query = (
                f"SELECT u.loc FROM ({self._urls()}) u LEFT JOIN (SELECT url, "
                "max(inspected_at) AS seen FROM store.inspections GROUP BY url) i "
                f"ON i.url = u.loc WHERE section = {quoted(section)} "
                f"ORDER BY epoch_us(seen) NULLS FIRST, hash(u.loc || '{seed}') LIMIT {count}"
            )
            chosen += [row[0] for row in self._session.rows(query)]
        random.Random(seed).shuffle(chosen)
        yield from chosen

    def _urls(self) -> str:
        is_domain = self._site.startswith("sc-domain:")
        domain = self._site.removeprefix("sc-domain:")
        where = (
            f"(host_of_loc = {quoted(domain)} OR ends_with(host_of_loc, {quoted('.' + domain)}))"
            if is_domain
            else f"starts_with(loc, {quoted(self._site)})"
        )
        return (
            "SELECT loc, url_section(loc) AS section FROM (SELECT DISTINCT loc, "
            "lower(regexp_extract(loc, '^https?://([^/:?#]+)', 1)) AS host_of_loc "
            f"FROM store.entries) WHERE {where}"
        )

    def add(self, url: str, facts: Mapping[str, Any], now: datetime) -> None:
        """Store the result of an inspection of a URL; it replaces the previous one."""
        columns = [column.name for column in INSPECTION_TABLES[0].columns]
        row = {**facts, "url": url, "property": self._site, "inspected_at": format_date(now)}
        values = ", ".join(_literal(row.get(column)) for column in columns)
        with self._session.transaction():
            self._session.run(
                f"DELETE FROM store.inspections WHERE url = {quoted(url)} "
                f"AND property = {quoted(self._site)}"
            )
            self._session.run(f"INSERT INTO store.inspections VALUES ({values})")


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"from_json({quoted(json.dumps(value))}, '[\"VARCHAR\"]')"
    return quoted(str(value).encode(errors="replace").decode())
