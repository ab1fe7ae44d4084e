"""Tables and columns of a ledger."""

from __future__ import annotations

from urlset.store import TableSchema

__all__ = ["TABLES"]

TABLES: tuple[TableSchema, ...] = (
    TableSchema.of(
        "urls",
        "A published URL, listed by the last of `builds`.",
        """
        loc             | VARCHAR     | The URL.
        file            | INTEGER     | The file that lists it: `files.file`.
        section         | VARCHAR     | Its section, or an empty text.
        lastmod         | VARCHAR     | The published date, as written in the file.
        lastmod_from    | VARCHAR     | The evidence for it: `given`, `page`, `git`, `content`, `header`, `mtime`, `created` or `adopted`.
        changefreq      | VARCHAR     | The published value.
        priority        | DOUBLE      | The published value.
        more            | VARCHAR     | A digest of its images, videos, news, alternates and other extensions.
        size            | UINTEGER    | The bytes of its entry without the date.
        fingerprint     | VARCHAR     | Of the main content of its page, from the last build that read it.
        content_lastmod | VARCHAR     | When the fingerprint last changed.
        adopted_lastmod | VARCHAR     | The date in an adopted sitemap, used if there is no other evidence.
        first_seen      | TIMESTAMPTZ | The first build that listed it.
        """,
    ),
    TableSchema.of(
        "files",
        "A published sitemap of the set.",
        """
        file         | INTEGER     | Its number, to which `urls.file` refers.
        section      | VARCHAR     | The section of its URLs.
        position     | INTEGER     | Its number in the section, from 1.
        name         | VARCHAR     | Its name in the folder or bucket.
        urls         | UINTEGER    | Number of its URLs.
        bytes        | UBIGINT     | Its uncompressed size.
        packed_bytes | UBIGINT     | Its published size.
        news         | UINTEGER    | Number of its news articles.
        digest       | VARCHAR     | BLAKE2b of its bytes, 16 bytes in hex: a different digest means that something else changed the file.
        lastmod      | TIMESTAMPTZ | When its bytes changed; its date in the index.
        """,
    ),
    TableSchema.of(
        "indexes",
        "A published index of the set.",
        """
        name         | VARCHAR     | Its name.
        urls         | UINTEGER    | Number of listed sitemaps.
        bytes        | UBIGINT     | Its uncompressed size.
        packed_bytes | UBIGINT     | Its published size.
        digest       | VARCHAR     | As for a file.
        lastmod      | TIMESTAMPTZ | When its bytes changed.
        """,
    ),
    TableSchema.of(
        "gone",
        "A URL that is no longer published.",
        """
        loc         | VARCHAR     | The URL.
        fingerprint | VARCHAR     | Of its content, from the last build that read it.
        first_seen  | TIMESTAMPTZ | The first build that listed it.
        last_seen   | TIMESTAMPTZ | The last build that listed it.
        """,
    ),
    TableSchema.of(
        "pages",
        "A cached HTML file, not read again until it changes.",
        """
        path  | VARCHAR | Its path on this machine.
        state | VARCHAR | Its size, times and inode number.
        rules | VARCHAR | The options with which it was read: other options read it again.
        facts | VARCHAR | Data of the page, as JSON.
        """,
    ),
    TableSchema.of(
        "orphans",
        "A file that no index lists any more, to be removed after the grace period.",
        """
        name  | VARCHAR     | Its name.
        since | TIMESTAMPTZ | The build that removed it from the set.
        """,
    ),
    TableSchema.of(
        "builds",
        "A published build.",
        """
        built_at | TIMESTAMPTZ | Time of the build.
        urls     | UBIGINT     | Number of URLs of the set.
        added    | UBIGINT     | Number of new URLs.
        changed  | UBIGINT     | Number of changed URLs.
        removed  | UBIGINT     | Number of removed URLs.
        """,
    ),
    TableSchema.of(
        "settings",
        "One row with the properties of the set.",
        """
        version | INTEGER | Version of these tables.
        target  | VARCHAR | Where the set is published: a bucket, or a folder relative to the folder of the ledger.
        shape   | VARCHAR | Format of all files without their entries: a change rewrites all files.
        rules   | VARCHAR | Digest of the rules for entries (base, sections, filters, dates): a change resolves all entries again.
        """,
    ),
)
