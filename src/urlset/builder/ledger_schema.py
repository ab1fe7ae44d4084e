"""Tables and columns of a ledger."""

from __future__ import annotations

from urlset.store import TableSchema

__all__ = ["TABLES"]

TABLES: tuple[TableSchema, ...] = (
    TableSchema.of(
        "urls",
        "A URL that is published; the last of `builds` saw it.",
        """
        loc             | VARCHAR     | The URL.
        file            | INTEGER     | The file in which it lies: `files.file`.
        section         | VARCHAR     | Its section, empty where it has none.
        lastmod         | VARCHAR     | The date that is published, as it is written there.
        lastmod_from    | VARCHAR     | Where that came from: `given`, `page`, `git`, `content`, `header`, `mtime`, `created` or `adopted`.
        changefreq      | VARCHAR     | As it is published.
        priority        | DOUBLE      | As it is published.
        more            | VARCHAR     | A digest of its images, videos, news, alternates and other extensions.
        size            | UINTEGER    | The bytes of its entry, without the date.
        fingerprint     | VARCHAR     | Of the main content of its page, when it was last seen.
        content_lastmod | VARCHAR     | When another fingerprint was seen last.
        adopted_lastmod | VARCHAR     | The date that a sitemap gave which was adopted, where nothing else is known.
        first_seen      | TIMESTAMPTZ | The build that listed it first.
        """,
    ),
    TableSchema.of(
        "files",
        "A sitemap of the set, as it is published.",
        """
        file         | INTEGER     | Its number, by which `urls` name it.
        section      | VARCHAR     | The section whose URLs it has.
        position     | INTEGER     | Its number in the section, from 1.
        name         | VARCHAR     | Its name in the folder or bucket.
        urls         | UINTEGER    | How many URLs it has.
        bytes        | UBIGINT     | Its size, unpacked.
        packed_bytes | UBIGINT     | Its size as it lies there.
        news         | UINTEGER    | How many of its URLs are news articles.
        digest       | VARCHAR     | BLAKE2b of its bytes, 16 bytes in hex: a file that has another was changed by somebody else.
        lastmod      | TIMESTAMPTZ | When its bytes changed; the index says it.
        """,
    ),
    TableSchema.of(
        "indexes",
        "An index of the set, as it is published.",
        """
        name         | VARCHAR     | Its name.
        urls         | UINTEGER    | How many sitemaps it lists.
        bytes        | UBIGINT     | Its size, unpacked.
        packed_bytes | UBIGINT     | Its size as it lies there.
        digest       | VARCHAR     | As that of a file.
        lastmod      | TIMESTAMPTZ | When its bytes changed.
        """,
    ),
    TableSchema.of(
        "gone",
        "A URL that was published, and is no longer.",
        """
        loc         | VARCHAR     | The URL.
        fingerprint | VARCHAR     | Of its content, when that was last seen.
        first_seen  | TIMESTAMPTZ | The build that listed it first.
        last_seen   | TIMESTAMPTZ | The last build that listed it.
        """,
    ),
    TableSchema.of(
        "pages",
        "A file of HTML that was read, and need not be again while it is the same.",
        """
        path  | VARCHAR | Its path on this machine.
        state | VARCHAR | Its size, times and number there.
        rules | VARCHAR | How it was read: for other options it is read again.
        facts | VARCHAR | What was read, as JSON.
        """,
    ),
    TableSchema.of(
        "orphans",
        "A file that no index names any more, and that waits for the end of its grace.",
        """
        name  | VARCHAR     | Its name.
        since | TIMESTAMPTZ | The build that took it out of the set.
        """,
    ),
    TableSchema.of(
        "builds",
        "A build that was published.",
        """
        built_at | TIMESTAMPTZ | When.
        urls     | UBIGINT     | How many URLs the set had then.
        added    | UBIGINT     | How many of them were new.
        changed  | UBIGINT     | How many had changed.
        removed  | UBIGINT     | How many had gone.
        """,
    ),
    TableSchema.of(
        "settings",
        "One row: what belongs to the whole set.",
        """
        version | INTEGER | Of these tables.
        target  | VARCHAR | Where the set is published: a bucket, or a folder as it is found from that of the ledger.
        shape   | VARCHAR | What all files look like but for their entries: where it changes, all are written anew.
        rules   | VARCHAR | A digest of what decides of entries (base, sections, filters, dates): where it changes, all are looked at.
        """,
    ),
)
