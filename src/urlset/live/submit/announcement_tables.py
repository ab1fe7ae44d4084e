"""SQL schema of the log of announcements."""

from __future__ import annotations

from urlset.store import TableSchema

VERSION = 1
"""Version of the tables."""

STATES = {
    "baseline": "known before announcing began; not sent",
    "waiting": "to be sent",
    "sending": "in a request whose result is not stored yet; after a crash it is sent once more",
    "pending": "received, but the engine has not verified the key yet",
    "accepted": "received",
    "refused": "not sent, or not received, for a reason of the URL itself",
}
"""States of an announcement."""

TABLES = (
    TableSchema.of(
        "announcements",
        "One row per change of a URL and engine; the last row of a URL is what the engine knows.",
        f"""
        number      | UBIGINT     | order of the rows, from 1
        url         | VARCHAR     | URL, or that of a sitemap, as it is sent
        host        | VARCHAR     | its host; of Search Console the property
        channel     | VARCHAR     | endpoint of IndexNow, or `google`
        change      | VARCHAR     | added, changed, removed, listed (for a baseline) or sitemap
        lastmod     | VARCHAR     | its date after the change
        fingerprint | VARCHAR     | fingerprint of its content after the change
        change_set  | VARCHAR     | digest of all changes of the run that found it
        state       | VARCHAR     | {", ".join(STATES)}
        status      | UINTEGER    | HTTP status of the last response; null if there was none
        error_code  | VARCHAR     | code of the engine, or one such as noindex; null for none
        attempts    | UINTEGER    | requests that it was in
        repeats     | UINTEGER    | times that it was sent again after a crash: 0 or 1
        updated_at  | TIMESTAMPTZ | time of the last change of this row
        """,
    ),
    TableSchema.of(
        "settings",
        "One row with the version of these tables.",
        """
        version | INTEGER | version
        """,
    ),
)
