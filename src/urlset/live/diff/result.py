"""Result of a comparison, and what is written of it: JSON, Markdown, HTML."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from urlset.arrow import rows_of
from urlset.dates import W3C
from urlset.live.diff.changes import ChangeRows, DiffValues
from urlset.live.diff.report import write_report
from urlset.live.diff.rows import DiffJson, PageChange, StateJson
from urlset.live.diff.tables import SIDES
from urlset.live.diff.text import markdown
from urlset.notebook import MAX_ROWS, html_table
from urlset.reader.row_formats import write_lines
from urlset.result import values_of
from urlset.store import quoted
from urlset.terminal_text import escape_json


class Diff(DiffValues):
    """Changes between two states of a site; :func:`urlset.diff` returns it. A context manager.

    Iterating yields a :class:`PageChange` for each URL: first moved ones, then removed, added,
    changed and unknown ones, each sorted by URL. The tables are in a temporary file until it is
    closed.

    Attributes:
        before: Name of the earlier state.
        after: Name of the later state.
        counts: Numbers of URLs by change.
        unread: What could not be read, each with the number of unknown URLs that it may list.
        is_none_selected: Whether URLs are listed, and ``include`` and ``exclude`` select none of
            either state.
    """

    @property
    def changes(self) -> ChangeRows:
        """The changes as an Arrow stream, with ``to_arrow``, ``to_pandas`` and ``to_polars``."""
        return ChangeRows(self._tables)

    def to_dict(self) -> DiffJson:
        """Return counts, sections, patterns of moves and what is incomplete, without the changes.

        :meth:`jsonl` has the changes.
        """
        unread = [{"reason": reason, "unknown": count} for reason, count in self.unread]
        return values_of(self, DiffJson, unread=unread)

    def __iter__(self) -> Iterator[PageChange]:
        return iter(self.changes)

    def __len__(self) -> int:
        return sum(self.counts[:5])

    def jsonl(self) -> Iterator[str]:
        """Yield a line of JSON for each change."""
        states = ", ".join(f"'{side}', {_json_of_state(side)}" for side in SIDES)
        query = (
            f"SELECT json_object('change', change, 'loc', loc, {states}, "
            "'why', to_json(why))::VARCHAR AS line FROM changes"
        )
        for (line,) in rows_of(self._tables.db.stream(query)):
            yield f"{escape_json(line)}\n"

    def to_jsonl(self, file: str | os.PathLike[str] | TextIO) -> None:
        """Write the changes as JSON lines to a file, atomically, or to an open text file.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        if isinstance(file, str | os.PathLike):
            write_lines(self.jsonl(), file)
        else:
            file.writelines(self.jsonl())

    def to_markdown(self, *, max_examples: int = 10) -> str:
        """Return a summary in Markdown, for a comment on a pull request.

        Args:
            max_examples: Most URLs of each kind of change that are listed.
        """
        return markdown(self, max_examples=max_examples)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the changes as one HTML file that works offline and without scripts.

        Raises:
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.
        """
        write_report(self, path)

    def close(self) -> None:
        """Delete the temporary tables; does nothing the second time.

        Counts, sections and what is incomplete are kept, the changes are not.
        """
        if self._is_closed:
            return
        self._is_closed = True
        try:
            _ = self.sections, self.lastmod
        finally:
            self._stack.close()

    def _repr_html_(self) -> str:
        rows = (
            (
                each.change,
                each.previous_loc or each.loc,
                each.loc,
                ", ".join(r[0] for r in each.why),
            )
            for each in ChangeRows(self._tables, f"FROM changes LIMIT {MAX_ROWS}")
        )
        return html_table(self.summary, ("change", "before", "after", "why"), rows)


def _json_of_state(side: str) -> str:
    lastmod = (
        f"CASE WHEN regexp_full_match({side}.lastmod_text, {quoted(W3C)}) "
        f"THEN {side}.lastmod_text ELSE strftime({side}.lastmod, '%Y-%m-%dT%H:%M:%SZ') END"
    )
    parts = [
        f"'{name}', {lastmod if name == 'lastmod' else f'{side}.{name}'}"
        for name in StateJson.__annotations__
    ]
    return f"CASE WHEN {side} IS NOT NULL THEN json_object({', '.join(parts)}) END"
