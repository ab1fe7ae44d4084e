"""Cache the data of HTML files in the ledger, until the files change."""

from __future__ import annotations

import os
from collections.abc import Sequence

from urlset.arrow.batches import batch_of, text_array, unsigned_array
from urlset.builder.ledger import Ledger
from urlset.builder.tables import PAGES_READ, PAGES_REQUESTED, PAGES_SEEN
from urlset.store import ScratchDatabase, quoted

__all__ = ["PageCache"]


class PageCache:
    """Table ``pages`` of a ledger, as a :class:`urlset.sources.html.folder.PageFactsCache`.

    New data waits in tables of the scratch database until :meth:`commit` writes it to the ledger.
    """

    def __init__(self, db: ScratchDatabase, ledger: Ledger):
        self._db = db
        self._pages = ledger.table("pages")
        self._is_empty = db.fetch_one(f"SELECT count(*) FROM {self._pages}") == (0,)
        db.run(PAGES_READ.create_empty("path VARCHAR, state VARCHAR, rules VARCHAR, facts VARCHAR"))
        db.run(PAGES_SEEN.create_empty("path VARCHAR"))

    def find(self, rules: str, files: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Return the cached data of files, by path; ``files`` has their paths and states."""
        listed = [(path, state) for path, state in files if _is_text(path)]
        if not listed:
            return {}
        paths, states = zip(*listed, strict=True)
        requested = batch_of({"path": text_array(paths), "state": text_array(states)})
        self._db.insert(requested, f"{PAGES_REQUESTED.create_table} SELECT * FROM batch")
        self._db.run("INSERT INTO pages_seen SELECT path FROM pages_requested")
        if self._is_empty:
            return {}
        rows = self._db.rows(f"""
            SELECT p.path, p.facts FROM {self._pages} p JOIN pages_requested a
            ON p.path = a.path AND p.state = a.state AND p.rules = {quoted(rules)}""")
        return dict(rows)

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Store what was read: the path, the state and the data of each file."""
        rows = [row for row in rows if all(map(_is_text, row))]
        if not rows:
            return
        paths, states, facts = zip(*rows, strict=True)
        columns = {"path": text_array(paths), "state": text_array(states)}
        columns |= {"facts": text_array(facts), "n": unsigned_array(range(len(rows)))}
        self._db.insert(
            batch_of(columns),
            f"INSERT INTO pages_read SELECT path, state, {quoted(rules)}, facts FROM batch",
        )

    def commit(self) -> None:
        """Write new data to the ledger, and remove the files that no longer exist."""
        if self._db.fetch_one("SELECT count(*) FROM pages_seen") == (0,):
            return
        pages = self._pages
        self._db.run(f"DELETE FROM {pages} WHERE path NOT IN (SELECT path FROM pages_seen)")
        self._db.run(f"DELETE FROM {pages} WHERE path IN (SELECT path FROM pages_read)")
        self._db.run(f"INSERT INTO {pages} SELECT path, state, rules, facts FROM pages_read")


def _is_text(text: str) -> bool:
    """Return whether a name can be stored: it may contain bytes that are not text."""
    try:
        os.fspath(text).encode()
    except UnicodeEncodeError:
        return False
    return True
