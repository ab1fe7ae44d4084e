"""Log of announcements: those to be sent, and those sent with their results.

A row is ``sending`` in the file before its request is sent, so that a crash leaves a trace: its
result is unknown, and it is sent once more, but not a third time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from urlset.builder.ledger_folder import create_ledger_folder
from urlset.dates import format_date
from urlset.errors import StoreError
from urlset.http import request_url
from urlset.live.submit.announcement_tables import TABLES, VERSION
from urlset.live.submit.changes import ChangedUrl
from urlset.live.submit.keys import host_of_url
from urlset.live.working_tables import EXCLUDED_HOSTS, HELD_URLS, REQUEST_BATCH, STAGED_CHANGES
from urlset.store import FileKind, ScratchDatabase

REPEAT_AFTER = timedelta(minutes=10)
"""Least time between two announcements of a URL (Yandex)."""

_CHUNK = 10_000
_KIND = FileKind(
    "a record of announcements",
    schema="main",
    table="announcements",
    advice="name another file; a ledger or a store with changes is the first argument",
)
_OF_HOST = "channel = $channel AND host = $host"
_WAITING_OF_KIND = "host = $host AND state = 'waiting' AND (change = 'removed') = $removed"
_PRESENT = "l.change IN ('added', 'changed', 'listed')"
_LATEST = """
    SELECT * FROM log.announcements WHERE channel = $channel
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY number DESC) = 1"""
# A later announcement of the same state is none: nothing happened in between.
_SAME = """
    (l.lastmod IS NOT DISTINCT FROM s.lastmod)
    AND (l.fingerprint IS NULL OR s.fingerprint IS NULL OR l.fingerprint = s.fingerprint)"""


class Staged(NamedTuple):
    """Counts of the changes that were loaded: different URLs in all and by host, and other values.

    ``invalid`` has the first values that are not http(s) URLs, ``invalid_count`` is their number.
    """

    urls: int
    hosts: Mapping[str, int]
    invalid: tuple[str, ...]
    invalid_count: int


class RefusedUrl(NamedTuple):
    """URL that an engine refused in an earlier run, or that was excluded.

    Attributes:
        channel: Endpoint of IndexNow.
        url: The URL.
        change: added, changed or removed.
        status: HTTP status of the response; None if it was not sent.
        code: Code of the engine, or one such as ``noindex``.
    """

    channel: str
    url: str
    change: str
    status: int | None
    code: str | None


class AnnouncementLog:
    """Log of announcements in a DuckDB file, attached to a scratch database.

    The file is created if it is missing. If it is not persistent, changes are made in a copy.

    Raises:
        StoreError: The file cannot be opened, or another process has it open.
    """

    def __init__(self, db: ScratchDatabase, path: Path, *, is_persistent: bool = True):
        self.path = path
        self._db = db
        name = os.fspath(path)
        if is_persistent:
            create_ledger_folder(path)
            db.attach(name, "log", _KIND)
        else:
            db.attach_copy(name, "log", _KIND)
        self._create_tables()
        db.run(HELD_URLS.create_empty())

    def _create_tables(self) -> None:
        run = self._db.run
        for table in TABLES:
            columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
            run(f"CREATE TABLE IF NOT EXISTS log.{table.name} ({columns})")
        versions = [row[0] for row in self._db.rows("SELECT version FROM log.settings")]
        if not versions:
            run(f"INSERT INTO log.settings VALUES ({VERSION})")
        elif versions != [VERSION]:
            raise StoreError(
                f"expected announcements of version {VERSION}, found {versions[0]}: "
                f"{str(self.path)!r}; update urlset"
            )

    def recover(self, now: datetime) -> tuple[int, int]:
        """Set rows of a run that was killed while it sent them to waiting, once, else to pending.

        Return the number of rows that are sent once more, and of those that are not: they were sent
        twice, and both times the result was lost.
        """
        [(again, never)] = self._db.rows(
            "SELECT count(*) FILTER (repeats = 0), count(*) FILTER (repeats > 0) "
            "FROM log.announcements WHERE state = 'sending'"
        )
        if again or never:
            self._update(
                "error_code = 'unconfirmed', state = if(repeats = 0, 'waiting', 'pending'), "
                "repeats = if(repeats = 0, 1, repeats)",
                "state = 'sending'",
                now,
            )
        return int(again), int(never)

    def stage(self, changes: Iterable[ChangedUrl]) -> Staged:
        """Load changes into a temporary table; of a URL, the last one counts."""
        self._db.run(STAGED_CHANGES.create_empty())
        invalid: list[str] = []
        invalid_count = 0
        numbered = enumerate(changes)
        while chunk := list(islice(numbered, _CHUNK)):
            rows = []
            for n, (change, loc, lastmod, fingerprint) in chunk:
                url = request_url(loc.strip())
                host = host_of_url(url) if url else None
                if url is None or host is None:
                    invalid_count += 1
                    invalid += [loc] if len(invalid) < 100 else []
                    continue
                rows.append((n, url, host, change, lastmod, fingerprint))
            self._db.insert_rows("staged_changes", rows)
        self._db.run(
            "CREATE OR REPLACE TABLE staged_changes AS SELECT * FROM staged_changes "
            "QUALIFY row_number() OVER (PARTITION BY url ORDER BY n DESC) = 1"
        )
        query = "SELECT host, count(*)::BIGINT FROM staged_changes GROUP BY host ORDER BY min(n)"
        hosts = dict(self._db.rows(query))
        return Staged(sum(hosts.values()), hosts, tuple(invalid), invalid_count)

    def exclude(self, hosts: Iterable[str]) -> dict[str, list[str]]:
        """Remove the staged changes of hosts; return the first three URLs of each."""
        self._db.run(EXCLUDED_HOSTS.create_empty())
        self._db.insert_rows("excluded_hosts", [(host,) for host in hosts])
        rows = self._db.rows(
            "SELECT host, url FROM staged_changes SEMI JOIN excluded_hosts USING (host) "
            "QUALIFY row_number() OVER (PARTITION BY host ORDER BY n) <= 3 ORDER BY n"
        )
        found: dict[str, list[str]] = {}
        for host, url in rows:
            found.setdefault(host, []).append(url)
        self._db.run("DELETE FROM staged_changes WHERE host IN (SELECT host FROM excluded_hosts)")
        return found

    def add_changes(self, channel: str, now: datetime) -> tuple[int, int]:
        """Add the staged changes that were not announced to a channel yet, as waiting.

        A change is known if the last announcement of its URL has the same state, or if the same set
        of changes was announced before. Return the numbers of changes that were added, and known.
        """
        (digest,) = self._db.fetch_one(
            "SELECT coalesce(md5(concat(count(*), bit_xor(md5_number_lower(concat_ws('|', "
            "url, change, coalesce(lastmod, ''), coalesce(fingerprint, '')))))), '') "
            "FROM staged_changes"
        )
        self._db.run(
            f"""
            CREATE OR REPLACE TABLE found_changes AS
            SELECT s.n, s.url, s.host, s.change, s.lastmod, s.fingerprint
            FROM staged_changes s LEFT JOIN ({_LATEST}) l USING (url)
            WHERE NOT coalesce(CASE WHEN s.change = 'removed' THEN l.change = 'removed'
                ELSE {_PRESENT} AND (s.lastmod IS NOT NULL OR s.fingerprint IS NOT NULL)
                    AND l.state <> 'baseline' AND {_SAME} END, false)
            AND NOT EXISTS (FROM log.announcements a WHERE a.channel = $channel
                AND a.url = s.url AND a.change = s.change AND a.change_set = $digest)""",
            {"channel": channel, "digest": digest},
        )
        (staged,) = self._db.fetch_one("SELECT count(*) FROM staged_changes")
        added = self._add_found(channel, digest, now)
        return added, max(0, int(staged) - added)

    def add_states(
        self, channel: str, now: datetime, *, announces_all: bool, infers_removed: bool
    ) -> tuple[int, int, int]:
        """Add differences between the staged state of sites and the announced one, as waiting.

        The first state of a host is its baseline: engines ask not to send what changed before. With
        ``announces_all``, a URL of a baseline is announced as added; with ``infers_removed``, a URL
        that is known, and not staged, is removed. Return the numbers of changes, of URLs that are
        known, and of URLs in a new baseline.
        """
        self._db.run(  # the engine does not know of a removal that was not sent
            """
            DELETE FROM log.announcements WHERE channel = $channel AND state = 'waiting'
            AND change = 'removed' AND attempts = 0
            AND url IN (SELECT url FROM staged_changes WHERE change <> 'removed')""",
            {"channel": channel},
        )
        removed = f"""
            UNION ALL BY NAME
            SELECT 18446744073709551615::UBIGINT AS n, l.url, l.host, 'removed' AS change
            FROM ({_LATEST}) l WHERE {_PRESENT} AND l.host IN (SELECT host FROM staged_changes)
            AND l.url NOT IN (SELECT url FROM staged_changes)"""
        is_known = "l.url IS NOT NULL"
        if announces_all:
            is_known = "coalesce(l.state <> 'baseline', false)"
        self._db.run(
            f"""
            CREATE OR REPLACE TABLE found_changes AS
            SELECT s.n, s.url, s.host, s.lastmod, s.fingerprint, CASE
                WHEN s.change = 'removed' THEN if(coalesce({_PRESENT}, false), 'removed', NULL)
                WHEN NOT {is_known} THEN if({announces_all}
                    OR s.host IN (SELECT host FROM ({_LATEST})), 'added', 'listed')
                WHEN l.change = 'removed' THEN 'added'
                WHEN NOT ({_SAME}) THEN 'changed' END AS change
            FROM staged_changes s LEFT JOIN ({_LATEST}) l USING (url)
            {removed if infers_removed else ""}""",
            {"channel": channel},
        )
        self._db.run("DELETE FROM found_changes WHERE change IS NULL")
        query = "SELECT count(*) FILTER (change = 'listed') FROM found_changes"
        (listed,) = self._db.fetch_one(query)
        (known,) = self._db.fetch_one(
            f"""
            SELECT count(*) FROM staged_changes JOIN ({_LATEST}) USING (url)
            WHERE url NOT IN (SELECT url FROM found_changes)""",
            {"channel": channel},
        )
        added = self._add_found(channel, None, now)
        return added - int(listed), int(known), int(listed)

    def _add_found(self, channel: str, digest: str | None, now: datetime) -> int:
        """Move ``found_changes`` to the log; they replace waiting rows of their URLs.

        Return their number.
        """
        (count,) = self._db.fetch_one("SELECT count(*) FROM found_changes")
        with self._db.transaction():
            self._db.run(
                """
                DELETE FROM log.announcements WHERE channel = $channel
                AND state = 'waiting' AND url IN (SELECT url FROM found_changes)""",
                {"channel": channel},
            )
            self._db.run(
                """
                INSERT INTO log.announcements
                SELECT (SELECT coalesce(max(number), 0) FROM log.announcements)
                    + row_number() OVER (ORDER BY n), url, host, $channel, change,
                    lastmod, fingerprint, $digest,
                    if(change = 'listed', 'baseline', 'waiting'), NULL, NULL, 0, 0,
                    $now::TIMESTAMPTZ
                FROM found_changes""",
                {"channel": channel, "digest": digest, "now": format_date(now)},
            )
        return int(count)

    def hosts(self, channel: str) -> dict[str, int]:
        """Return the number of waiting announcements of a channel by host."""
        return dict(
            self._db.rows(
                "SELECT host, count(*)::BIGINT FROM log.announcements "
                "WHERE channel = $channel AND state = 'waiting' "
                "GROUP BY host ORDER BY min(number)",
                {"channel": channel},
            )
        )

    def waiting(
        self, channel: str, host: str, limit: int, now: datetime
    ) -> list[tuple[int, str, str]]:
        """Return the next waiting announcements of a host as tuples of number, URL and change.

        A URL that was announced less than ten minutes ago waits, and one that is held.
        """
        return self._db.rows(
            f"""
            SELECT number, url, change FROM log.announcements a
            WHERE {_OF_HOST} AND state = 'waiting'
            AND url NOT IN (SELECT url FROM held_urls)
            AND NOT EXISTS (FROM log.announcements b WHERE b.channel = a.channel
                AND b.url = a.url AND b.state IN ('pending', 'accepted')
                -- A time after the present is that of a wrong clock.
                AND b.updated_at > $since::TIMESTAMPTZ AND b.updated_at <= $now::TIMESTAMPTZ)
            ORDER BY number LIMIT {int(limit)}""",
            {
                "channel": channel,
                "host": host,
                "since": format_date(now - REPEAT_AFTER),
                "now": format_date(now),
            },
        )

    def sample(self, channel: str, host: str, limit: int, *, is_removed: bool) -> list[str]:
        """Return URLs of waiting announcements of a host, spread over all of them."""
        rows = self._db.rows(
            f"""
            SELECT url FROM log.announcements WHERE channel = $channel AND {_WAITING_OF_KIND}
            ORDER BY hash(url) LIMIT {int(limit)}""",
            {"channel": channel, "host": host, "removed": is_removed},
        )
        return [row[0] for row in rows]

    def hold(self, urls: Sequence[str]) -> None:
        """Exclude URLs from this run; their announcements wait for the next one."""
        self._db.insert_rows("held_urls", [(url,) for url in urls])

    def count_waiting(self, host: str, *, is_removed: bool) -> int:
        """Return the number of removed URLs of a host that wait, or of its other ones."""
        return self._count(_WAITING_OF_KIND, host=host, removed=is_removed)

    def hold_all(self, host: str, *, is_removed: bool) -> None:
        """Exclude these URLs from this run, as :meth:`hold`."""
        query = f"SELECT DISTINCT url FROM log.announcements WHERE {_WAITING_OF_KIND}"
        values = {"host": host, "removed": is_removed}
        self._db.run(f"INSERT INTO held_urls {query}", values)

    def mark(
        self,
        host: str,
        codes: Mapping[str, str],
        rest: str,
        now: datetime,
        *,
        kinds: Iterable[bool] = (False, True),
    ) -> bool:
        """Store why announcements of a host wait; return whether all of it was stored before.

        ``codes`` are those of some URLs, and ``rest`` is that of the others. ``kinds`` are values
        of ``is_removed``.
        """
        changed = 0
        for is_removed in kinds:
            values = {"host": host, "removed": is_removed}
            of_code = f"{_WAITING_OF_KIND} AND error_code IS DISTINCT FROM $code"
            for code in {*codes.values()}:
                urls = [url for url, each in codes.items() if each == code]
                where = f"{of_code} AND list_contains($urls::VARCHAR[], url)"
                found = {"code": code, "urls": urls}
                changed += self._update("error_code = $code", where, now, **values, **found)
            where = f"{of_code} AND NOT list_contains($urls::VARCHAR[], url)"
            found = {"code": rest, "urls": [*codes]}
            changed += self._update("error_code = $code", where, now, **values, **found)
        return not changed

    def begin(self, numbers: Sequence[int], now: datetime) -> None:
        """Set the state of announcements to sending; call this right before the request."""
        self._set(numbers, "state = 'sending', attempts = attempts + 1", now)

    def finish(
        self,
        numbers: Sequence[int],
        state: str,
        now: datetime,
        *,
        status: int | None = None,
        error_code: str | None = None,
    ) -> None:
        """Store the result of a request for the announcements that it sent."""
        assignments = "state = $state, status = $status, error_code = $code"
        self._set(numbers, assignments, now, state=state, status=status, code=error_code)

    def refuse(self, host: str, urls: Sequence[str], error_code: str, now: datetime) -> int:
        """Mark waiting announcements of URLs as refused, on all channels; return their number."""
        where = "host = $host AND state = 'waiting' AND list_contains($urls::VARCHAR[], url)"
        values = {"code": error_code, "host": host, "urls": list(urls)}
        return self._update("state = 'refused', error_code = $code", where, now, **values)

    def refuse_outside(self, channel: str, host: str, folder: str, now: datetime) -> list[str]:
        """Mark waiting announcements of URLs outside of a folder as refused; return the URLs."""
        where = (
            f"{_OF_HOST} AND state = 'waiting' AND NOT starts_with("
            f"substr(url, strpos(url, '://') + 3 + {len(host)}), $folder)"
        )
        values = {"channel": channel, "host": host, "folder": folder}
        rows = self._db.rows(
            f"SELECT url FROM log.announcements WHERE {where} ORDER BY number", values
        )
        if rows:
            self._update("state = 'refused', error_code = 'key-scope'", where, now, **values)
        return [row[0] for row in rows]

    def refuse_all(self, host: str, error_code: str, now: datetime) -> list[str]:
        """Mark all waiting announcements of a host as refused; return their URLs."""
        where = "host = $host AND state = 'waiting'"
        query = f"SELECT DISTINCT url FROM log.announcements WHERE {where} ORDER BY url"
        urls = [url for (url,) in self._db.rows(query, {"host": host})]
        values = {"code": error_code, "host": host}
        self._update("state = 'refused', error_code = $code", where, now, **values)
        return urls

    def settle(self, channel: str, host: str, state: str, now: datetime) -> int:
        """Set pending announcements of a host to accepted, or to waiting: its key was refused."""
        where = f"{_OF_HOST} AND state = 'pending' AND error_code IS NULL"
        return self._update("state = $state", where, now, state=state, channel=channel, host=host)

    def has_received(self, channel: str, host: str) -> bool:
        """Return whether a channel has received an announcement of a host before."""
        where = f"{_OF_HOST} AND state IN ('accepted', 'pending')"
        return bool(self._count(where, channel=channel, host=host))

    def retry_refused(self, channel: str, now: datetime) -> int:
        """Set the refused announcements of a channel to waiting; return their number.

        Those that a later announcement of the same URL replaces stay refused.
        """
        where = f"number IN (SELECT number FROM ({_LATEST}) WHERE state = 'refused')"
        return self._update("state = 'waiting', error_code = NULL", where, now, channel=channel)

    def refused(self, channel: str, limit: int) -> tuple[int, list[RefusedUrl]]:
        """Return the number of URLs whose latest announcement was refused, and the first ones."""
        where, values = f"FROM ({_LATEST}) WHERE state = 'refused'", {"channel": channel}
        (count,) = self._db.fetch_one(f"SELECT count(*) {where}", values)
        rows = self._db.rows(
            f"SELECT url, change, status, error_code {where} "
            f"ORDER BY updated_at, number LIMIT {int(limit)}",  # earlier runs first
            values,
        )
        return int(count), [RefusedUrl(channel, *row) for row in rows]

    def count_refused(self, channels: Iterable[str]) -> int:
        """Return the number of different URLs whose latest announcement was refused."""
        (count,) = self._db.fetch_one(
            "SELECT count(DISTINCT url) FROM (SELECT url, arg_max(state, number) AS state "
            "FROM log.announcements WHERE list_contains($channels::VARCHAR[], channel) "
            "GROUP BY channel, url) WHERE state = 'refused'",
            {"channels": list(channels)},
        )
        return int(count)

    def staged_states(self, channel: str) -> dict[str, int]:
        """Return the number of staged changes that are not new, by the state of the latest one."""
        return dict(
            self._db.rows(
                f"SELECT state, count(*)::BIGINT FROM ({_LATEST}) "
                "WHERE url IN (SELECT url FROM staged_changes) "
                "AND url NOT IN (SELECT url FROM found_changes) GROUP BY state",
                {"channel": channel},
            )
        )

    def is_accepted(self, channel: str, host: str, url: str) -> bool:
        """Return whether an announcement of a URL was accepted."""
        where = f"{_OF_HOST} AND url = $url AND state = 'accepted'"
        return bool(self._count(where, channel=channel, host=host, url=url))

    def add_one(self, channel: str, host: str, url: str, change: str, now: datetime) -> int:
        """Add a waiting announcement of a URL, in place of a waiting one; return its number."""
        values = {"channel": channel, "host": host, "url": url}
        with self._db.transaction():
            self._db.run(
                f"DELETE FROM log.announcements WHERE {_OF_HOST} AND url = $url "
                "AND state = 'waiting'",
                values,
            )
            (number,) = self._db.fetch_one(
                "SELECT coalesce(max(number), 0) + 1 FROM log.announcements"
            )
            self._db.run(
                "INSERT INTO log.announcements (number, url, host, channel, change, state, "
                "attempts, repeats, updated_at) "
                f"VALUES ({number}, $url, $host, $channel, $change, 'waiting', 0, 0, $now)",
                values | {"change": change, "now": format_date(now)},
            )
        return int(number)

    def _count(self, where: str, **values: str | bool) -> int:
        query = f"SELECT count(DISTINCT url) FROM log.announcements WHERE {where}"
        return int(self._db.fetch_one(query, values)[0])

    def _set(
        self, numbers: Sequence[int], assignments: str, now: datetime, **values: str | int | None
    ) -> None:
        self._db.run(REQUEST_BATCH.create_empty())
        self._db.insert_rows("request_batch", [(number,) for number in numbers])
        where = "number IN (SELECT number FROM request_batch)"
        self._update(assignments, where, now, **values)

    def _update(self, assignments: str, where: str, now: datetime, **values: Any) -> int:
        """Change announcements, with the time of the change; return their number."""
        return self._db.run(
            f"UPDATE log.announcements SET {assignments}, updated_at = $now WHERE {where}",
            values | {"now": format_date(now)},
        )
