"""Table of URL inspections of Search Console in a store, and the sample that is inspected."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from urlset.dates import format_date
from urlset.live.schemas import INSPECTION_SCHEMA, INSPECTION_TABLES
from urlset.live.visits.sample import allocate
from urlset.result import Closing
from urlset.store import Store


class InspectionTable(Closing):
    """The table ``inspections`` of a store; a context manager.

    Args:
        store: The store, with the entries of a site.
        site: Property of Search Console.
    """

    def __init__(self, store: Store, site: str):
        store.add(INSPECTION_SCHEMA)
        self._session = store.session()
        self._site = site

    def close(self) -> None:
        """Close the session of the store."""
        self._session.__exit__()

    def used(self, now: datetime) -> int:
        """Return the number of inspections of the property in the last 24 hours."""
        since, until = format_date(now - timedelta(days=1)), format_date(now)
        [(count,)] = self._session.rows(
            "SELECT count(*) FROM store.inspections WHERE property = ? "
            "AND inspected_at > ?::TIMESTAMPTZ AND inspected_at <= ?::TIMESTAMPTZ",
            (self._site, since, until),
        )
        return int(count)

    def sample(self, n: int, *, seed: int = 0) -> Iterator[str]:
        """Yield URLs: the same share of each section, those never inspected first."""
        urls, site = self._urls()
        sizes = dict(
            self._session.rows(
                f"SELECT section, count(*)::BIGINT FROM ({urls}) GROUP BY section ORDER BY section",
                {"site": site},
            )
        )
        chosen: list[str] = []
        for section, count in allocate(sizes, n, seed=seed).items():
            query = (
                f"SELECT u.loc FROM ({urls}) u LEFT JOIN (SELECT url, "
                "max(inspected_at) AS seen FROM store.inspections GROUP BY url) i "
                "ON i.url = u.loc WHERE section = $section "
                f"ORDER BY epoch_us(seen) NULLS FIRST, hash(u.loc || '{seed}') LIMIT {count}"
            )
            values = {"site": site, "section": section}
            chosen += [row[0] for row in self._session.rows(query, values)]
        random.Random(seed).shuffle(chosen)
        yield from chosen

    def _urls(self) -> tuple[str, str]:
        """Return the query of the URLs of the property, and the value of its ``$site``."""
        is_domain = self._site.startswith("sc-domain:")
        where = (
            "(host_of_loc = $site OR ends_with(host_of_loc, '.' || $site))"
            if is_domain
            else "starts_with(loc, $site)"
        )
        query = (
            "SELECT loc, url_section(loc) AS section FROM (SELECT DISTINCT loc, "
            "lower(regexp_extract(loc, '^https?://([^/:?#]+)', 1)) AS host_of_loc "
            f"FROM store.entries) WHERE {where}"
        )
        return query, self._site.removeprefix("sc-domain:")

    def add(self, url: str, facts: Mapping[str, Any], now: datetime) -> None:
        """Store the result of an inspection of a URL; it replaces the previous one."""
        columns = [column.name for column in INSPECTION_TABLES[0].columns]
        row = {**facts, "url": url, "property": self._site, "inspected_at": format_date(now)}
        values = [_value(row.get(column)) for column in columns]
        marks = ", ".join("?" for _ in columns)
        with self._session.transaction():
            self._session.run(
                "DELETE FROM store.inspections WHERE url = ? AND property = ?", (url, self._site)
            )
            self._session.run(f"INSERT INTO store.inspections VALUES ({marks})", values)


def _value(value: object) -> object:
    """Return a value for a column; text without characters that UTF-8 lacks."""
    if isinstance(value, list):
        return [_value(each) for each in value]
    if value is None:
        return None
    return str(value).encode(errors="replace").decode()
