"""Ledger of published URLs and files, stored in a DuckDB file, with cached data of HTML files.

One file may have the ledgers of several sets, each in its own schema, named after the place where
the set is published. A ledger changes only in one transaction, after the publication.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from urlset.arrow.batches import batch_of, text_array, unsigned_array
from urlset.builder.ledger_folder import create_ledger_folder
from urlset.builder.options import BuildOptions
from urlset.builder.working_tables import PAGES_READ, PAGES_REQUESTED, PAGES_SEEN
from urlset.dates import format_date
from urlset.errors import StoreError
from urlset.option_names import option
from urlset.store import FileKind, ScratchDatabase, TableSchema, expect_utf8, quoted
from urlset.terminal_text import printable

VERSION = 6
"""Version of the tables; ledgers of versions 2 to 5 are updated, others are not opened."""

_KIND = FileKind("a ledger of `urlset build`", schema="set_", table="urls")


@dataclass(frozen=True)
class File:
    """File of the set: its position in its section, and the version published under its name.

    ``bytes`` is the uncompressed size; ``content`` is the part of it that entries use.
    """

    number: int
    section: str
    position: int
    urls: int = 0
    content: int = 0
    news: int = 0
    name: str = ""
    bytes: int = 0
    packed_bytes: int = 0
    digest: str | None = None
    lastmod: datetime | None = None


class Ledger:
    """Ledger of one set, attached to the scratch database under the name ``ledger``.

    A set is identified by the place where it is published and by the ``name`` of its files.

    Raises:
        ValueError: The ledger would be published with the files.
    """

    def __init__(
        self, db: ScratchDatabase, path: Path, target: str, name: str, *, is_persistent: bool = True
    ):
        self.path = path
        self._db = db
        self._target = f"{_relative_target(target, path)}/{name}"
        if "://" not in target and Path(target).resolve() in path.resolve().parents:
            raise ValueError(
                f"expected a ledger outside of what is published, found {str(path)!r} in "
                f"{target!r}; name another place for it, e.g. "
                f"{option('ledger', '../ledger.duckdb')}"
            )
        key = blake2b(self._target.encode(errors="surrogateescape"), digest_size=6).hexdigest()
        self._schema = f"ledger.set_{key}"
        self._open(is_persistent=is_persistent)
        self._create_tables()

    def _open(self, *, is_persistent: bool) -> None:
        path = str(self.path)
        expect_utf8(path)
        try:
            if is_persistent:
                create_ledger_folder(self.path)
                self._db.attach(path, "ledger", _KIND)
            else:
                self._db.attach_copy(path, "ledger", _KIND)
        except StoreError as error:
            if error.failure in ("in-use", "other-file") or not error.detail:
                raise  # DuckDB did not see the file: a folder, or no permission
            advice = "; if it is damaged, remove it: it is rebuilt from what is published"
            if error.failure == "damaged":
                advice = ": it is rebuilt from what is published"
            raise StoreError(
                f"{error}{advice}", failure=error.failure, detail=error.detail
            ) from error

    def table(self, name: str) -> str:
        """Return the full name of a table."""
        return f"{self._schema}.{name}"

    @property
    def is_new(self) -> bool:
        """Whether this ledger has no publication yet."""
        return bool(self._db.fetch_one(f"SELECT count(*) = 0 FROM {self.table('files')}")[0])

    @property
    def shape(self) -> str | None:
        """Text that identifies the file format of the last publication; None if there is none."""
        found: str | None = self._db.fetch_one(f"SELECT shape FROM {self.table('settings')}")[0]
        return found

    @property
    def format(self) -> str | None:
        """Format of the files of the last publication: ``xml`` or ``text``; None if unknown."""
        words = (self.shape or "").split(" ")
        return words[1] if len(words) > 1 else None

    @property
    def rules(self) -> str | None:
        """Digest of the rules that produced the published entries."""
        found: str | None = self._db.fetch_one(f"SELECT rules FROM {self.table('settings')}")[0]
        return found

    def files(self) -> list[File]:
        """Return the published files of the set, in the order of the index, without ``content``."""
        rows = self._db.rows(f"""
            SELECT file, section, position, urls, 0, news, name, bytes, packed_bytes, digest, lastmod
            FROM {self.table("files")} ORDER BY section, position""")
        return [File(*row) for row in rows]

    def contents(self, numbers: Collection[int]) -> dict[int, int]:
        """Return the ``content`` of published files, which is computed from their URLs."""
        if not numbers:
            return {}
        listed = ", ".join(map(str, sorted(numbers)))
        rows = self._db.rows(f"""
            SELECT file, sum(size + if(lastmod IS NULL, 0, 19 + strlen(lastmod)))::BIGINT
            FROM {self.table("urls")} WHERE file IN ({listed}) GROUP BY file""")
        return dict(rows)

    def count(self) -> int:
        """Return the number of published URLs."""
        return int(self._db.fetch_one(f"SELECT count(*) FROM {self.table('urls')}")[0])

    def count_undated(self) -> int:
        """Return the number of published URLs without ``lastmod``."""
        query = f"SELECT count(*) - count(lastmod) FROM {self.table('urls')}"
        return int(self._db.fetch_one(query)[0])

    def indexes(self) -> dict[str, File]:
        """Return the published indexes of the set, by name."""
        rows = self._db.rows(
            f"SELECT name, urls, bytes, packed_bytes, digest, lastmod FROM {self.table('indexes')}"
        )
        return {
            name: File(0, "", 0, urls, 0, 0, name, size, packed, digest, lastmod)
            for name, urls, size, packed, digest, lastmod in rows
        }

    def last_warnings(self) -> list[str] | None:
        """Return what the last build reported about its rows; None if that is not recorded."""
        found = self._db.rows(
            f"SELECT warnings FROM {self.table('builds')} ORDER BY built_at DESC, rowid DESC LIMIT 1"
        )
        return found[0][0] if found else None

    def add_build(
        self,
        now: datetime,
        files: Sequence[File],
        counts: Mapping[str, int],
        warnings: Sequence[str],
    ) -> None:
        """Record a build; within a transaction."""
        numbers = [sum(file.urls for file in files)]
        numbers += [counts[name] for name in ("added", "changed", "removed")]
        listed = f"[{', '.join(map(quoted, warnings))}]::VARCHAR[]"
        self._db.run(
            f"INSERT INTO {self.table('builds')} VALUES (TIMESTAMPTZ {quoted(format_date(now))}, "
            f"{', '.join(map(str, numbers))}, {listed})"
        )

    def orphans(self) -> dict[str, datetime]:
        """Return the orphans: files no longer in the set, each with the time it left the set."""
        return dict(self._db.rows(f"SELECT name, since FROM {self.table('orphans')}"))

    def _create_tables(self) -> None:
        run = self._db.run
        with self._db.transaction():
            run(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            for table in TABLES:
                columns = ", ".join(f"{name} {kind}" for name, kind, _ in table.columns)
                run(f"CREATE TABLE IF NOT EXISTS {self.table(table.name)} ({columns})")
        versions = self._db.rows(f"SELECT version FROM {self.table('settings')}")
        if versions in ([(2,)], [(3,)], [(4,)], [(5,)]):
            self._update()
            versions = [(VERSION,)]
        if not versions:
            values = f"{VERSION}, {quoted(printable(self._target))}, NULL, NULL"
            run(f"INSERT INTO {self.table('settings')} VALUES ({values})")
            return
        if versions != [(VERSION,)]:
            raise StoreError(
                f"expected a ledger of version {VERSION}, found {versions[0][0]}: "
                f"{str(self.path)!r}; update urlset, or remove it: it is rebuilt from what is "
                "published"
            )
        self._expect_columns()

    def _expect_columns(self) -> None:
        """Raise :class:`urlset.StoreError` if a table lacks a column, or a row a value."""
        kinds = sorted({kind for table in TABLES for _, kind, _ in table.columns})
        types = self._db.fetch_one(f"SELECT {', '.join(f'typeof(NULL::{kind})' for kind in kinds)}")
        names = dict(zip(kinds, types, strict=True))
        rows = self._db.rows(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            f"WHERE database_name || '.' || schema_name = {quoted(self._schema)}"
        )
        expected = {(t.name, name, names[kind]) for t in TABLES for name, kind, _ in t.columns}
        missing = sorted(expected - set(rows))
        if missing:
            table, name, kind = missing[0]
            raise StoreError(
                f"expected a ledger of version {VERSION}, found no column {name} ({kind}) in its "
                f"table {table}: {str(self.path)!r}; remove it: it is rebuilt from what is "
                "published"
            )
        required = [*_REQUIRED, *(_REQUIRED_OF_OWN if self.shape else ())]
        faults = " UNION ALL ".join(
            f"SELECT '{table}', '{name}' FROM {self.table(table)} WHERE {name} IS NULL"
            + (f" OR {name} {_NO_TIME}" if (table, name) in _INSTANTS else "")
            for table, name in (column.split(".") for column in required)
        )
        for table, name in self._db.rows(f"{faults} LIMIT 1"):
            raise StoreError(
                f"expected a ledger of urlset, found no valid {name} in its table {table}: "
                f"{str(self.path)!r}; remove it: it is rebuilt from what is published"
            )

    def _update(self) -> None:
        """Upgrade a ledger of an earlier version by adding missing columns."""
        for table in TABLES:
            for name, kind, _ in table.columns:
                self._db.run(
                    f"ALTER TABLE {self.table(table.name)} ADD COLUMN IF NOT EXISTS {name} {kind}"
                )
        self._db.run(f"UPDATE {self.table('settings')} SET version = {VERSION}")


def _relative_target(target: str, ledger: Path) -> str:
    """Return the target of a set relative to the folder of the ledger, or as a URL.

    The set is then the same for an absolute path, and on another machine.

    >>> ledger = Path(".urlset/ledger.duckdb")
    >>> _relative_target("s3://shop/maps", ledger), _relative_target("./public/", ledger)
    ('s3://shop/maps', '../public')
    """
    if "://" in target:
        return target
    try:
        return Path(os.path.relpath(target, ledger.parent)).as_posix()
    except ValueError:  # on another drive
        return Path(os.path.abspath(target)).as_posix()


_INSTANTS = (
    ("urls", "first_seen"),
    ("files", "lastmod"),
    ("indexes", "lastmod"),
    ("gone", "first_seen"),
    ("gone", "last_seen"),
    ("orphans", "since"),
    ("builds", "built_at"),
)
_NO_TIME = "NOT BETWEEN TIMESTAMPTZ '0001-01-02' AND TIMESTAMPTZ '9999-12-30'"
_REQUIRED = (  # columns with a value in each row
    "files.file files.section files.position files.name files.urls files.bytes files.packed_bytes "
    "indexes.name orphans.name orphans.since builds.built_at urls.size"
).split()
_REQUIRED_OF_OWN = (  # adopted files have no value there until the first build is published
    "files.lastmod indexes.urls indexes.bytes indexes.packed_bytes indexes.lastmod"
).split()


def clamp_future(db: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> list[str]:
    """Clamp ledger timestamps that lie in the future to now; return a note if there are any.

    One of the two clocks was wrong, and it is unknown which. A time in the past never misleads a
    crawler, and no grace period becomes longer.
    """
    (last,) = db.fetch_one(
        f"SELECT max(latest) FROM (SELECT built_at AS latest FROM {ledger.table('builds')} "
        f"UNION ALL SELECT since FROM {ledger.table('orphans')})"  # a killed build wrote only these
    )
    if last is None or last <= settings.now:
        return []
    now = format_date(settings.now)
    with db.transaction():
        for table, column in _INSTANTS:
            instant = f"TIMESTAMPTZ {quoted(now)}"
            where = f"{column} > {instant}"
            db.run(f"UPDATE {ledger.table(table)} SET {column} = {instant} WHERE {where}")
        where = f"try_cast(content_lastmod AS TIMESTAMPTZ) > TIMESTAMPTZ {quoted(now)}"
        db.run(f"UPDATE {ledger.table('urls')} SET content_lastmod = {quoted(now)} WHERE {where}")
    return [
        f"the clock went back: the last build was at {format_date(last)}, and now it is {now}; "
        "later timestamps in the ledger are set to now"
    ]


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
        source          | USMALLINT   | The only source that listed it: `sources.number`. Null if there are several, or if it is unknown.
        """,
    ),
    TableSchema.of(
        "sources",
        "A source of the set.",
        """
        number  | USMALLINT | Its number.
        name    | VARCHAR   | Its name as it was given.
        version | VARCHAR   | A digest of the options and of what the source stated about its rows: while it is the same, they are not read again. Null if it stated nothing.
        rows    | UBIGINT   | Number of rows that the last build read from it.
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
        warnings | VARCHAR[]   | What the build reported about dates and URLs.
        """,
    ),
    TableSchema.of(
        "settings",
        "One row with the properties of the set.",
        """
        version | INTEGER | Version of these tables.
        target  | VARCHAR | Where the set is published: a bucket, or a folder relative to the folder of the ledger.
        shape   | VARCHAR | Format of all files without their entries: a change rewrites all files.
        rules   | VARCHAR | Digest of the rules for entries (base, sections, filters, dates, names of files, canonical form): a change resolves all entries again. NULL if entries of other rules stay, because their source could not be read.
        """,
    ),
)


class PageCache:
    """Table ``pages`` of a ledger, as a :class:`urlset.sources.html.folder.PageFactsCache`.

    New data waits in tables of the scratch database until :meth:`commit` writes it to the ledger.
    """

    def __init__(self, db: ScratchDatabase, ledger: Ledger):
        self._db = db
        self._pages = ledger.table("pages")
        self._is_empty = db.fetch_one(f"SELECT count(*) FROM {self._pages}") == (0,)
        db.run(PAGES_READ.create_empty())
        db.run(PAGES_SEEN.create_empty())

    def find(self, rules: str, files: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the cached data of files, by path; ``files`` has their paths and states."""
        if self._is_empty:
            return {}
        listed = [(path, state) for path, state in files if _is_text(path)]
        if not listed:
            return {}
        paths, states = zip(*listed, strict=True)
        requested = batch_of({"path": text_array(paths), "state": text_array(states)})
        self._db.insert(f"{PAGES_REQUESTED.create_table} SELECT * FROM incoming", requested)
        self._db.run("INSERT INTO pages_seen SELECT path FROM pages_requested")
        rows = self._db.rows(f"""
            SELECT p.path, p.facts FROM {self._pages} p JOIN pages_requested a
            ON p.path = a.path AND p.state = a.state AND p.rules = {quoted(rules)}""")
        return dict(rows)

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep the path, the state and the extracted data of files for the next :meth:`commit`."""
        rows = [row for row in rows if all(map(_is_text, row))]
        if not rows:
            return
        paths, states, facts = zip(*rows, strict=True)
        columns = {"path": text_array(paths), "state": text_array(states)}
        columns |= {"facts": text_array(facts), "n": unsigned_array(range(len(rows)))}
        self._db.insert(
            f"INSERT INTO pages_read SELECT path, state, {quoted(rules)}, facts FROM incoming",
            batch_of(columns),
        )

    def commit(self) -> None:
        """Write new data to the ledger, and delete the rows of files that no longer exist."""
        pages = self._pages
        if not self._is_empty:
            if self._db.fetch_one("SELECT count(*) FROM pages_seen") == (0,):
                return
            self._db.run(f"DELETE FROM {pages} WHERE path NOT IN (SELECT path FROM pages_seen)")
            self._db.run(f"DELETE FROM {pages} WHERE path IN (SELECT path FROM pages_read)")
        self._db.run(f"INSERT INTO {pages} SELECT path, state, rules, facts FROM pages_read")


def _is_text(text: str) -> bool:
    """Return whether a file name is valid Unicode, so that DuckDB can store it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
