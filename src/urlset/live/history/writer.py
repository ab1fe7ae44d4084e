"""Write the history of a site: one transaction per snapshot, rows only for changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from urlset.arrow.batches import as_table, batch_of, text_array
from urlset.live.history.reader import COLUMNS, DocumentState, moment, tracked_documents
from urlset.live.working_tables import SEEN_ENTRIES
from urlset.store import FIRST_FOLDER, StoreSession

MAX_SECTIONS = 60
"""Sections with estimates of their own; URLs of all further ones belong to section 0."""

HELD_BACK = 3
"""Steps, at least, for which a sitemap that cannot be read, or only in part, holds back removals: a
URL may have moved into the part that is not known. See :func:`held_steps`."""

HELD_FOR = timedelta(days=1)
"""Time, at least, for which it does: an outage of an hour is many steps if each minute has one."""

Outcome = Literal["read", "same", "trusted", "failed", "gone", "unlisted"]
"""What a step found out about a document.

``read``: its entries were read. ``same``: the server reports no change. ``trusted``: not requested,
because its index has the same date. ``gone``: it is listed, but answers 404 or 410. ``unlisted``:
nothing lists it any more.
"""


def held_steps(session: StoreSession, snapshot: int, started: datetime) -> int:
    """Return the number of steps, up to a snapshot, for which what failed holds back removals.

    These are those that began in the time :data:`HELD_FOR` before, or :data:`HELD_BACK` if that is
    more. Something holds back removals as long as the steps since its first failure, with that one
    and this one, are not more. A snapshot after ``started`` is that of a wrong clock.
    """
    query = (
        f"SELECT min(snapshot) FROM store.snapshots WHERE snapshot < {snapshot} "
        "AND epoch_us(started) > ? AND epoch_us(started) <= ?"
    )
    times = [_microseconds(started - HELD_FOR), _microseconds(started)]
    [(first,)] = session.rows(query, times)
    return max(HELD_BACK, 1 if first is None else snapshot - int(first) + 1)


def held_steps_at(session: StoreSession, snapshot: int) -> int:
    """Return :func:`held_steps` of a snapshot that is stored."""
    query = f"SELECT epoch_us(started) FROM store.snapshots WHERE snapshot = {snapshot}"
    [(started,)] = session.rows(query)
    return held_steps(session, snapshot, moment(started) or datetime.now(UTC))


def _microseconds(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _as_read(
    new: DocumentState, known: DocumentState, *, failures: int, is_partial: bool, held: int
) -> DocumentState:
    """Return the state of a document that was read; ``failures`` has this step as a failed one.

    If more of its entries are unreadable than before, it is incomplete for ``held`` steps.
    """
    before = known.unreadable_count if known.verified_at else new.unreadable_count
    is_worse = new.unreadable_count > before
    if is_worse and failures <= held:
        new = new._replace(unreadable_count=before)
    elif not is_partial:
        failures = 0
    return new._replace(state="listed", failures=failures)


class RobotsState(NamedTuple):
    """Row of ``history_robots``, without the snapshot."""

    url: str
    state: str
    rules: tuple[str, ...]
    sitemaps: tuple[str, ...]


class SnapshotFacts(NamedTuple):
    """Facts of a snapshot as a whole: site, times, reasons for gaps, requests, bytes."""

    site: str
    started: datetime
    finished: datetime
    reasons: tuple[str, ...] = ()
    request_count: int = 0
    byte_count: int = 0


class HistoryWriter:
    """Writer of one snapshot: :meth:`add` for each document, then :meth:`commit`.

    Nothing is written to the store, which has the history tables, before :meth:`commit`: it is one
    transaction. ``held_steps`` are the steps of :func:`held_steps` for the snapshot, and
    ``held_steps_before`` those for the snapshot before.
    """

    def __init__(self, session: StoreSession, started: datetime):
        self._session = session
        query = "SELECT coalesce(max(snapshot), 0), epoch_us(max(started)) FROM store.snapshots"
        [(last, previous)] = session.rows(query)
        self.snapshot: int = int(last) + 1
        self.held_steps: int = held_steps(session, self.snapshot, started)
        self.held_steps_before: int = held_steps_at(session, int(last)) if last else HELD_BACK
        self._previous = moment(previous)
        self.documents: dict[str, DocumentState] = {
            each.source: each for each in tracked_documents(session)
        }
        self._outcomes: dict[int, Outcome] = {}
        self._before: dict[int, DocumentState] = {}
        self._last_number = max((each.document for each in self.documents.values()), default=0)
        session.run(SEEN_ENTRIES.create_empty())

    def add(
        self,
        source: str,
        outcome: Outcome,
        facts: Mapping[str, Any],
        entries: object | None = None,
        *,
        now: datetime,
        is_partial: bool = False,
    ) -> DocumentState:
        """Record the outcome of reading a document in this step; return its new state.

        The last call for a document counts, and ``failures`` grows once. ``facts`` are new values
        of fields of :class:`DocumentState`, and ``entries`` those of a document that was read, as
        an Arrow stream. With ``is_partial`` its markup is broken, so that entries may be missing.
        """
        known = self.documents.get(source)
        if known is None:
            self._last_number += 1
            known = DocumentState(self._last_number, source)
        else:
            self._before.setdefault(known.document, known)
        if self._outcomes.get(known.document) in ("read", "same") and outcome != "read":
            return known  # listed by two indexes: the better result counts
        new = known._replace(**facts)
        failures = new.failures + (known.document not in self._outcomes)
        if outcome in ("failed", "gone", "unlisted"):
            new = new._replace(state=outcome, failures=failures)
        elif outcome == "read":
            held = self.held_steps
            new = _as_read(new, known, failures=failures, is_partial=is_partial, held=held)
            new = new._replace(verified_at=now, read_at=now)
        elif known.failures and self.was_read_in_part(known):  # unchanged, and still incomplete
            new = new._replace(state="listed", failures=failures)
        elif outcome == "same":
            new = new._replace(state="listed", failures=0)
        if outcome == "same":
            new = new._replace(verified_at=now)
        if outcome == "read":
            self._session.run(f"DELETE FROM seen_entries WHERE document = {new.document}")
            if entries is not None:
                self._session.insert(
                    f"INSERT INTO seen_entries SELECT {new.document}, loc, max(lastmod) "
                    "FROM incoming GROUP BY loc",
                    entries,
                )
        self._outcomes[new.document] = outcome
        self.documents[source] = new
        return new

    def was_read_in_part(self, known: DocumentState) -> bool:
        """Return whether a document was read since it has failures: what is stored is not all."""
        if known.state == "listed":
            return known.failures > 0
        states = f"FROM store.history_states WHERE document = {known.document} AND snapshot"
        first = f"(SELECT max(snapshot) {states} <= {self.snapshot - known.failures})"
        [(was_read,)] = self._session.rows(f"SELECT bool_or(state = 'listed') {states} >= {first}")
        return bool(was_read)

    def outcome(self, source: str) -> Outcome | None:
        """Return the outcome that this step recorded for a document; None if none yet."""
        known = self.documents.get(source)
        return None if known is None else self._outcomes.get(known.document)

    def commit(
        self,
        facts: SnapshotFacts,
        robots: Sequence[RobotsState] = (),
        then: Callable[[], None] | None = None,
    ) -> None:
        """Store the snapshot, and the robots.txt files that could be read, in one transaction.

        ``then`` is called at its end, to write what depends on the snapshot.
        """
        self._prepare(facts)
        self._compare()
        known = self.known_robots()
        changed_robots = [each for each in robots if known.get(each.url) != each]
        run, number = self._session.run, self.snapshot
        with self._session.transaction():
            run("INSERT INTO store.history_sections SELECT section, name FROM new_sections")
            run("INSERT INTO store.history_urls SELECT url_id, section, loc FROM new_urls")
            run(
                f"UPDATE store.history SET last_snapshot = {number - 1} "
                "WHERE rowid IN (SELECT row FROM closed_rows)"
            )
            run(
                f"UPDATE store.history SET missing_since = {number} WHERE rowid IN "
                "(SELECT row FROM missing_rows) AND missing_since IS NULL"
            )
            run(
                "UPDATE store.history SET missing_since = NULL "
                "WHERE rowid IN (SELECT row FROM restored_rows)"
            )
            run(
                "INSERT INTO store.history SELECT url_id, document, lastmod, "
                f"{number}, NULL, NULL FROM opened_rows ORDER BY ALL"
            )
            run(
                "DELETE FROM store.history_documents "
                "WHERE document IN (SELECT document FROM step_documents)"
            )
            names = ", ".join(DocumentState._fields)
            run(f"INSERT INTO store.history_documents SELECT {names} FROM step_documents")
            run(
                "INSERT INTO store.history_states "
                f"SELECT document, {number}, state FROM step_documents WHERE has_new_state"
            )
            run(f"INSERT INTO store.history_steps SELECT {number}, * FROM section_steps")
            rows = [{**each._asdict(), "snapshot": number} for each in changed_robots]
            insert_rows(self._session, "history_robots", rows)
            insert_rows(self._session, "snapshots", [self._snapshot_row(facts)])
            if then is not None:
                then()

    def _prepare(self, facts: SnapshotFacts) -> None:
        """Create ``step_documents``: the documents of this step with their outcome."""
        rows = []
        for each in self.documents.values():
            outcome = self._outcomes.get(each.document)
            if outcome is None:
                continue
            before = self._before.get(each.document)
            since = self._known_since(each, before)
            gap = 0 if since is None else max(1, round((facts.started - since).total_seconds()))
            rows.append(
                {
                    **each._asdict(),
                    "outcome": outcome,
                    "gap_s": gap,
                    "verified_before": since,
                    "has_new_state": before is None or before.state != each.state,
                }
            )
        columns = {column.name: column.type for column in COLUMNS["history_documents"]}
        columns |= {"outcome": "VARCHAR", "gap_s": "UINTEGER"}
        columns |= {"verified_before": "TIMESTAMPTZ", "has_new_state": "BOOLEAN"}
        self._session.insert(
            "CREATE OR REPLACE TABLE step_documents AS "
            f"SELECT unnest(row) FROM ({_source(columns)})",
            _batch(rows),
        )
        self._is_held = any(
            each.state in ("failed", "gone", "listed") and 0 < each.failures <= self.held_steps
            for each in self.documents.values()
            if each.document in self._outcomes
        )

    def _known_since(
        self, document: DocumentState, before: DocumentState | None
    ) -> datetime | None:
        """Return when the entries of a document were last known before this step; None if never.

        Those of a document that is new were empty when its index was read before.
        """
        if before is not None:
            return before.verified_at
        if self._previous is None:
            return None
        parent = self.documents.get(document.parent or "")
        if parent is None:
            return self._previous
        known_parent = self._before.get(parent.document)
        return self._previous if known_parent is None else known_parent.verified_at

    def _compare(self) -> None:
        """Create the scratch tables with the differences from the previous snapshot."""
        run = self._session.run
        run(
            "CREATE OR REPLACE TABLE new_locs AS SELECT DISTINCT loc FROM seen_entries "
            "ANTI JOIN store.history_urls USING (loc)"
        )
        run(
            f"""CREATE OR REPLACE TABLE new_sections AS
            WITH found AS (
                SELECT name, row_number() OVER (ORDER BY count(*) DESC, name) AS place
                FROM (SELECT {FIRST_FOLDER} AS name FROM new_locs)
                ANTI JOIN store.history_sections USING (name) GROUP BY name),
            last AS (SELECT coalesce(max(section), 0) AS last FROM store.history_sections)
            SELECT (last + place)::USMALLINT AS section, name FROM found, last
            WHERE last + place <= {MAX_SECTIONS}"""
        )
        run(
            f"""CREATE OR REPLACE TABLE new_urls AS
            WITH sections AS (FROM store.history_sections UNION ALL FROM new_sections)
            SELECT (row_number() OVER (ORDER BY loc) + last)::UINTEGER AS url_id,
                coalesce(s.section, 0)::USMALLINT AS section, loc
            FROM new_locs, (SELECT coalesce(max(url_id), 0) AS last FROM store.history_urls)
            LEFT JOIN sections s ON s.name = {FIRST_FOLDER}"""
        )
        run(
            """CREATE OR REPLACE TABLE seen_urls AS
            WITH urls AS (
                SELECT url_id, loc FROM store.history_urls
                UNION ALL SELECT url_id, loc FROM new_urls)
            SELECT urls.url_id, e.document, e.lastmod FROM seen_entries e JOIN urls USING (loc)"""
        )
        # Rows of documents that were read, with whether they are the same now.
        run(
            """CREATE OR REPLACE TABLE compared_rows AS
            SELECT h.rowid AS row, h.url_id, h.document, h.missing_since IS NOT NULL AS was_missing,
                l.url_id IS NOT NULL AS is_listed,
                l.url_id IS NOT NULL AND l.lastmod IS NOT DISTINCT FROM h.lastmod AS is_same
            FROM store.history h JOIN step_documents d ON d.document = h.document
            LEFT JOIN seen_urls l ON l.url_id = h.url_id AND l.document = h.document
            WHERE h.last_snapshot IS NULL AND (d.outcome IN ('read', 'unlisted')
                OR h.missing_since IS NOT NULL AND d.outcome IN ('same', 'trusted'))"""
        )
        run(
            """CREATE OR REPLACE TABLE opened_rows AS SELECT * FROM seen_urls l
            WHERE NOT EXISTS (FROM compared_rows c
                WHERE c.url_id = l.url_id AND c.document = l.document AND c.is_same)"""
        )
        run(
            "CREATE OR REPLACE TABLE restored_rows AS "
            "FROM compared_rows WHERE is_same AND was_missing"
        )
        run(
            """CREATE OR REPLACE TABLE lost_rows AS
            SELECT c.row, c.url_id, c.is_listed
                OR EXISTS (FROM opened_rows o WHERE o.url_id = c.url_id) AS is_replaced
            FROM compared_rows c WHERE NOT c.is_same"""
        )
        held = "is_replaced" if self._is_held else "true"
        rows = "SELECT row, url_id FROM lost_rows"
        run(f"CREATE OR REPLACE TABLE closed_rows AS {rows} WHERE {held}")
        run(f"CREATE OR REPLACE TABLE missing_rows AS {rows} WHERE NOT {held}")
        self._find_changes()
        self._count_steps()

    def _find_changes(self) -> None:
        """Create ``url_changes``: one row per URL that is new, gone or changed."""
        self._session.run(
            """CREATE OR REPLACE TABLE url_changes AS
            WITH touched AS (SELECT url_id FROM opened_rows UNION SELECT url_id FROM closed_rows),
            former AS (
                SELECT h.url_id, h.rowid AS row, h.document, h.lastmod FROM store.history h
                SEMI JOIN touched USING (url_id) WHERE h.last_snapshot IS NULL),
            before AS (
                SELECT url_id, max(lastmod) AS lastmod, min(document) AS document
                FROM former GROUP BY url_id),
            after AS (
                SELECT url_id, max(lastmod) AS lastmod, min(document) AS document FROM (
                    SELECT url_id, document, lastmod FROM former ANTI JOIN closed_rows USING (row)
                    UNION ALL SELECT url_id, document, lastmod FROM opened_rows)
                GROUP BY url_id)
            SELECT url_id, coalesce(a.document, b.document) AS document,
                CASE WHEN b.url_id IS NULL THEN 'added' WHEN a.url_id IS NULL THEN 'removed'
                    WHEN a.lastmod IS DISTINCT FROM b.lastmod THEN 'changed' ELSE 'moved' END
                    AS change,
                b.lastmod AS before, a.lastmod AS after
            FROM touched LEFT JOIN before b USING (url_id) LEFT JOIN after a USING (url_id)"""
        )

    def _count_steps(self) -> None:
        """Create ``section_steps``: the rows of ``history_steps``."""
        self._session.run(
            """CREATE OR REPLACE TABLE section_steps AS
            WITH urls AS (
                SELECT url_id, section FROM store.history_urls
                UNION ALL SELECT url_id, section FROM new_urls),
            kept_urls AS (
                SELECT u.section, d.gap_s, count(*) AS observed
                FROM store.history h JOIN step_documents d USING (document)
                JOIN urls u USING (url_id)
                WHERE h.last_snapshot IS NULL AND h.missing_since IS NULL AND d.gap_s > 0
                    AND d.outcome IN ('read', 'same') GROUP BY ALL),
            moved AS (
                SELECT u.section, d.gap_s, count_if(c.change = 'changed') AS changed,
                    count_if(c.change = 'added') AS added,
                    count_if(c.change = 'removed') AS removed,
                    count_if(c.change = 'changed' AND c.after > d.verified_before
                        AND c.after <= d.verified_at) AS dated,
                    sum(epoch(d.verified_at) - epoch(c.after)) FILTER (
                        c.change = 'changed' AND c.after > d.verified_before
                        AND c.after <= d.verified_at) AS age
                FROM url_changes c JOIN step_documents d USING (document)
                JOIN urls u USING (url_id)
                GROUP BY ALL),
            unknown AS (
                SELECT u.section, 0 AS gap_s, count(*) AS unknown_urls
                FROM store.history h JOIN step_documents d USING (document)
                JOIN urls u USING (url_id)
                WHERE h.last_snapshot IS NULL AND d.outcome IN ('failed', 'gone') GROUP BY ALL)
            SELECT section, gap_s,
                -- A URL that changed while it moved from another document was observed, too.
                greatest(coalesce(observed, 0) - coalesce(removed, 0), coalesce(changed, 0))
                    ::UINTEGER AS observed_count,
                coalesce(changed, 0)::UINTEGER AS changed_count,
                coalesce(dated, 0)::UINTEGER AS dated_count, coalesce(age, 0)::DOUBLE AS age_s,
                coalesce(added, 0)::UINTEGER AS added_count,
                coalesce(removed, 0)::UINTEGER AS removed_count,
                coalesce(unknown_urls, 0)::UINTEGER AS unknown_count
            FROM kept_urls FULL JOIN moved USING (section, gap_s)
            FULL JOIN unknown USING (section, gap_s) ORDER BY ALL"""
        )

    def known_robots(self) -> dict[str, RobotsState]:
        """Return the latest stored row of each robots.txt by its URL."""
        query = (
            "SELECT DISTINCT ON (url) url, state, rules, sitemaps FROM store.history_robots "
            "ORDER BY url, snapshot DESC"
        )
        return {
            row[0]: RobotsState(row[0], row[1], tuple(row[2]), tuple(row[3]))
            for row in self._session.rows(query)
        }

    def url_count(self, document: int) -> int:
        """Return the number of URLs of a document in the history, also if they are missing now."""
        query = "SELECT count(*) FROM store.history WHERE document = ? AND last_snapshot IS NULL"
        [(count,)] = self._session.rows(query, (document,))
        return int(count)

    def steps_of_robots(self, url: str) -> int:
        """Return for how many snapshots the latest stored row of a robots.txt holds."""
        query = "SELECT max(snapshot) FROM store.history_robots WHERE url = ?"
        [(first,)] = self._session.rows(query, (url,))
        return self.snapshot - int(first)

    def _snapshot_row(self, facts: SnapshotFacts) -> dict[str, Any]:
        session = self._session
        [(urls, unknown)] = session.rows(
            "SELECT count(DISTINCT h.url_id), count(DISTINCT h.url_id) FILTER "
            "(h.missing_since IS NOT NULL OR d.state <> 'listed') "
            "FROM store.history h JOIN store.history_documents d USING (document) "
            "WHERE h.last_snapshot IS NULL"
        )
        # URLs that only sitemaps list that could not be read before are not new.
        query = (
            "SELECT change, count(*) FROM url_changes WHERE change <> 'added' OR url_id IN "
            "(SELECT url_id FROM opened_rows JOIN step_documents USING (document) WHERE gap_s > 0) "
            "GROUP BY change"
        )
        changes = dict(session.rows(query))
        outcomes = [
            self._outcomes[each.document]
            for each in self.documents.values()
            if each.document in self._outcomes and each.how != "home"
        ]
        return {
            **facts._asdict(),
            "snapshot": self.snapshot,
            "is_complete": not facts.reasons,
            "url_count": urls,
            "unknown_count": unknown,
            **{f"{kind}_count": changes.get(kind, 0) for kind in ("added", "removed", "changed")},
            "sitemap_count": sum(outcome != "unlisted" for outcome in outcomes),
            **{f"{kind}_count": outcomes.count(kind) for kind in ("read", "same", "trusted")},
            "failed_count": outcomes.count("failed") + outcomes.count("gone"),
        }


def insert_rows(session: StoreSession, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows into a history table of the store; columns that a row lacks are null."""
    if rows:
        columns = {column.name: column.type for column in COLUMNS[table]}
        session.insert(
            f"INSERT INTO store.{table} ({', '.join(columns)}) "
            f"SELECT unnest(row) FROM ({_source(columns)})",
            _batch({name: row.get(name) for name in columns} for row in rows),
        )


def _source(columns: Mapping[str, str]) -> str:
    struct = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return f"SELECT row::JSON::STRUCT({struct}) AS row FROM incoming"


def _batch(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows as an Arrow batch with one column of JSON."""
    return as_table(batch_of({"row": text_array([json.dumps(row, default=_text) for row in rows])}))


def _text(value: Any) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)
