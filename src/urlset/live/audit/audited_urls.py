"""Select the listed URLs that an audit visits by ``include`` and ``exclude``."""

from __future__ import annotations

from urlset.arrow.streams import rows_to_stream
from urlset.live.visits.url_patterns import UrlPatterns
from urlset.store import StoreSession

CHUNK = 100_000
"""URLs that are compared with the patterns at a time."""


def create_audited_urls(session: StoreSession, patterns: UrlPatterns) -> None:
    """Create the table ``audited_urls`` of the listed URLs that the patterns select.

    Without patterns it is a view of all. The table ``listed_urls`` must exist.
    """
    columns = "key, loc, document"
    if not patterns:
        session.run(f"CREATE VIEW audited_urls AS SELECT {columns} FROM listed_urls")
        return
    session.run(f"CREATE TABLE audited_urls AS SELECT {columns} FROM listed_urls LIMIT 0")
    [(total,)] = session.rows("SELECT count(*) FROM listed_urls")
    for start in range(0, total, CHUNK):
        chunk = f"FROM listed_urls WHERE rowid >= {start} AND rowid < {start + CHUNK}"
        rows = list(session.rows(f"SELECT key, loc {chunk}"))
        keys = [(key,) for key, loc in rows if patterns.reason_against(loc) is None]
        session.load("selected_keys", rows_to_stream([("key", "string")], keys))
        session.run(
            f"INSERT INTO audited_urls SELECT {columns} {chunk} AND key IN (FROM selected_keys)"
        )
