"""What was read from files of HTML, kept in the ledger for as long as those do not change."""

from __future__ import annotations

import os
from collections.abc import Sequence

from urlset.arrow.batches import batch_of, text_array, unsigned_array
from urlset.builder.ledger import Ledger
from urlset.store import ScratchDatabase, quoted

__all__ = ["PageCache"]


class PageCache:
    """The table ``pages`` of a ledger, as a :class:`urlset.sources.html.folder.Cache`.

    What is kept waits in tables of the workbench until :meth:`commit` writes it into the ledger.
    """

    def __init__(self, bench: ScratchDatabase, ledger: Ledger):
        self._bench = bench
        self._pages = ledger.table("pages")
        self._is_empty = bench.fetch_one(f"SELECT count(*) FROM {self._pages}") == (0,)
        bench.run(
            "CREATE TABLE pages_read (path VARCHAR, state VARCHAR, rules VARCHAR, facts VARCHAR)"
        )
        bench.run("CREATE TABLE pages_seen (path VARCHAR)")

    def find(self, rules: str, files: Sequence[tuple[str, str]]) -> dict[str, str]:
        """What is known of files, by path; ``files`` are their paths and states."""
        listed = [(path, state) for path, state in files if _is_text(path)]
        if not listed:
            return {}
        paths, states = zip(*listed, strict=True)
        asked = batch_of({"path": text_array(paths), "state": text_array(states)})
        self._bench.insert(asked, "CREATE OR REPLACE TABLE pages_asked AS SELECT * FROM batch")
        self._bench.run("INSERT INTO pages_seen SELECT path FROM pages_asked")
        if self._is_empty:
            return {}
        rows = self._bench.rows(f"""
            SELECT p.path, p.facts FROM {self._pages} p JOIN pages_asked a
            ON p.path = a.path AND p.state = a.state AND p.rules = {quoted(rules)}""")
        return dict(rows)

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep what was read: the path, the state and the facts of each file."""
        rows = [row for row in rows if all(map(_is_text, row))]
        if not rows:
            return
        paths, states, facts = zip(*rows, strict=True)
        columns = {"path": text_array(paths), "state": text_array(states)}
        columns |= {"facts": text_array(facts), "n": unsigned_array(range(len(rows)))}
        self._bench.insert(
            batch_of(columns),
            f"INSERT INTO pages_read SELECT path, state, {quoted(rules)}, facts FROM batch",
        )

    def commit(self) -> None:
        """Write into the ledger what was read, and forget files that are gone."""
        if self._bench.fetch_one("SELECT count(*) FROM pages_seen") == (0,):
            return
        pages = self._pages
        self._bench.run(f"DELETE FROM {pages} WHERE path NOT IN (SELECT path FROM pages_seen)")
        self._bench.run(f"DELETE FROM {pages} WHERE path IN (SELECT path FROM pages_read)")
        self._bench.run(f"INSERT INTO {pages} SELECT path, state, rules, facts FROM pages_read")


def _is_text(text: str) -> bool:
    """Tell whether it can be stored: a name may hold bytes that are no text."""
    try:
        os.fspath(text).encode()
    except UnicodeEncodeError:
        return False
    return True
