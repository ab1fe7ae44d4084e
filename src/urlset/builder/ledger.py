"""The ledger: what was published, URL by URL and file by file, in a DuckDB file that stays.

One file may hold the ledgers of several sets, each in a schema of its own, named after where the
set is published. What it says is only ever changed in one transaction, after the publication.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from urlset.atomic import expect_no_outside_link
from urlset.builder.ledger_schema import TABLES
from urlset.builder.options import BuildOptions
from urlset.dates import format_date
from urlset.errors import StoreError
from urlset.store import ScratchDatabase, quoted

__all__ = ["LEDGER", "TABLES", "VERSION", "File", "Ledger", "clamp_future"]

LEDGER = Path(".urlset") / "ledger.duckdb"
"""Where a ledger is kept unless another place is named, beside the configuration."""

VERSION = 3
"""Of the tables; a ledger of version 2 is updated, one of another is not opened."""


@dataclass(frozen=True)
class File:
    """One file of the set: its place in its section, and what was published under its name.

    ``bytes`` are those of the unpacked file; ``content`` is what its entries take of them.
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
    """The ledger of one set, open on a workbench under the name ``ledger``.

    A set is known by where it is published and by the ``name`` of its files. Raises ``ValueError``
    for a ledger that would be published with them.
    """

    def __init__(
        self, bench: ScratchDatabase, path: Path, target: str, name: str, *, is_kept: bool = True
    ):
        self.path = path
        self._bench = bench
        self._target = f"{_place_of(target, path)}/{name}"
        if "://" not in target and Path(target).resolve() in path.resolve().parents:
            raise ValueError(
                f"expected a ledger outside of what is published, found {str(path)!r} in "
                f"{target!r}; name another place for it, e.g. --ledger ../ledger.duckdb"
            )
        key = blake2b(self._target.encode(), digest_size=6).hexdigest()
        self._schema = f"ledger.set_{key}"
        self._open(is_kept=is_kept)
        self._make()

    def _open(self, *, is_kept: bool) -> None:
        path = str(self.path)
        try:
            if is_kept:
                _make_folder(self.path.parent)
                self._bench.attach(path, "ledger")
            else:
                self._bench.attach_copy(path, "ledger")
        except StoreError as error:
            if error.failure in ("in-use", "other-file"):
                raise
            advice = "; if it is damaged, remove it: it is rebuilt from what is published"
            if error.failure == "damaged":
                advice = ": it is rebuilt from what is published"
            raise StoreError(
                f"{error}{advice}", failure=error.failure, detail=error.detail
            ) from error
        except OSError as error:
            raise StoreError(f"cannot open the ledger {path!r}: {error.strerror}") from error

    def table(self, name: str) -> str:
        """The full name of a table."""
        return f"{self._schema}.{name}"

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever published by this ledger."""
        return bool(self._bench.fetch_one(f"SELECT count(*) = 0 FROM {self.table('files')}")[0])

    @property
    def shape(self) -> str | None:
        """What the files looked like, in a word, when they were last written."""
        found: str | None = self._bench.fetch_one(f"SELECT shape FROM {self.table('settings')}")[0]
        return found

    @property
    def rules(self) -> str | None:
        """What decided of the entries that are published: a digest."""
        found: str | None = self._bench.fetch_one(f"SELECT rules FROM {self.table('settings')}")[0]
        return found

    def files(self) -> list[File]:
        """The files of the set as they were published, in the order of the index."""
        rows = self._bench.rows(f"""
            SELECT file, f.section, position, f.urls,
                coalesce((SELECT sum(size + if(u.lastmod IS NULL, 0, 19 + strlen(u.lastmod)))
                    FROM {self.table("urls")} u WHERE u.file = f.file), 0)::UBIGINT,
                news, name, bytes, packed_bytes, digest, lastmod
            FROM {self.table("files")} f ORDER BY f.section, position""")
        return [File(*row) for row in rows]

    def count(self) -> int:
        """How many URLs are published."""
        return int(self._bench.fetch_one(f"SELECT count(*) FROM {self.table('urls')}")[0])

    def indexes(self) -> dict[str, File]:
        """The indexes of the set as they were published, by name."""
        rows = self._bench.rows(
            f"SELECT name, urls, bytes, packed_bytes, digest, lastmod FROM {self.table('indexes')}"
        )
        return {
            name: File(0, "", 0, urls, 0, 0, name, size, packed, digest, lastmod)
            for name, urls, size, packed, digest, lastmod in rows
        }

    def orphans(self) -> dict[str, datetime]:
        """Files that are no part of the set any more and wait to be removed, since when."""
        return dict(self._bench.rows(f"SELECT name, since FROM {self.table('orphans')}"))

    def _make(self) -> None:
        run = self._bench.run
        run(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        for table in TABLES:
            columns = ", ".join(f"{name} {kind}" for name, kind, _ in table.columns)
            run(f"CREATE TABLE IF NOT EXISTS {self.table(table.name)} ({columns})")
        versions = self._bench.rows(f"SELECT version FROM {self.table('settings')}")
        if versions == [(2,)]:
            self._update()
            versions = [(VERSION,)]
        if not versions:
            values = f"{VERSION}, {quoted(self._target)}, NULL, NULL"
            run(f"INSERT INTO {self.table('settings')} VALUES ({values})")
        elif versions != [(VERSION,)]:
            raise StoreError(
                f"expected a ledger of version {VERSION}, found {versions[0][0]}: "
                f"{str(self.path)!r}; update urlset, or remove it: it is rebuilt from what is "
                "published"
            )
        self._expect_columns()

    def _expect_columns(self) -> None:
        """Raise :class:`urlset.StoreError` where a table has not the columns that it is to have."""
        kinds = sorted({kind for table in TABLES for _, kind, _ in table.columns})
        types = self._bench.fetch_one(
            f"SELECT {', '.join(f'typeof(NULL::{kind})' for kind in kinds)}"
        )
        called = dict(zip(kinds, types, strict=True))
        rows = self._bench.rows(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            f"WHERE database_name || '.' || schema_name = {quoted(self._schema)}"
        )
        wanted = {(t.name, name, called[kind]) for t in TABLES for name, kind, _ in t.columns}
        missing = sorted(wanted - set(rows))
        if missing:
            table, name, kind = missing[0]
            raise StoreError(
                f"expected a ledger of version {VERSION}, found no column {name} ({kind}) in its "
                f"table {table}: {str(self.path)!r}; remove it: it is rebuilt from what is "
                "published"
            )

    def _update(self) -> None:
        """Give a ledger of version 2 the columns that it has not."""
        for table in TABLES:
            for name, kind, _ in table.columns:
                self._bench.run(
                    f"ALTER TABLE {self.table(table.name)} ADD COLUMN IF NOT EXISTS {name} {kind}"
                )
        self._bench.run(f"UPDATE {self.table('settings')} SET version = {VERSION}")


def _make_folder(folder: Path) -> None:
    """Make the folder of a ledger; one of our own is kept out of version control.

    Raises ``OSError``, also for a ``.urlset`` that is a link out of the folder that it is in.
    """
    if folder.name == LEDGER.parent.name:
        expect_no_outside_link(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if is_new and folder.name == LEDGER.parent.name:
        # A ledger changes with every build; who wants it in version control changes this file.
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _place_of(target: str, ledger: Path) -> str:
    """Where a set is published, in one form: a folder as it is found from that of the ledger.

    So it is the same set for whoever names it in full, and on another machine, too.

    >>> ledger = Path(".urlset/ledger.duckdb")
    >>> _place_of("s3://shop/maps", ledger), _place_of("./public/", ledger)
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


def clamp_future(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> list[str]:
    """Date what the ledger has from the future with this build; tells so in a sentence, or not.

    One of the two clocks was wrong, and nobody knows which. A moment that is over is never a lie
    to a crawler, and no grace lasts longer for it.
    """
    (last,) = bench.fetch_one(
        f"SELECT max(moment) FROM (SELECT built_at AS moment FROM {ledger.table('builds')} "
        f"UNION ALL SELECT since FROM {ledger.table('orphans')})"  # of one that was killed
    )
    if last is None or last <= settings.now:
        return []
    now = format_date(settings.now)
    with bench.transaction():
        for table, column in _INSTANTS:
            moment = f"TIMESTAMPTZ {quoted(now)}"
            where = f"{column} > {moment}"
            bench.run(f"UPDATE {ledger.table(table)} SET {column} = {moment} WHERE {where}")
        where = f"try_cast(content_lastmod AS TIMESTAMPTZ) > TIMESTAMPTZ {quoted(now)}"
        bench.run(
            f"UPDATE {ledger.table('urls')} SET content_lastmod = {quoted(now)} WHERE {where}"
        )
    return [
        f"the clock went back: the last build was at {format_date(last)}, and now it is {now}; "
        "what that build has dated after now is dated now"
    ]
