"""Result of a comparison: the changes, counts, sections and patterns of moves."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import TextIO, get_args

from urlset.arrow import rows_of
from urlset.arrow.frames import StreamedRows
from urlset.dates import W3C
from urlset.live.diff.report import write_report
from urlset.live.diff.rows import (
    ChangeKind,
    DiffCounts,
    DiffJson,
    LastmodTruth,
    MovePattern,
    PageChange,
    PageState,
    Reason,
    SectionChange,
    StateJson,
)
from urlset.live.diff.tables import SIDES, Tables
from urlset.live.diff.text import markdown
from urlset.notebook import MAX_ROWS, html_table
from urlset.option_names import option
from urlset.reader.row_formats import write_lines
from urlset.result import Result, values_of
from urlset.store import FIRST_FOLDER, quoted
from urlset.terminal_text import escape_json, pluralize


class ChangeRows(StreamedRows):
    """Changes as an Arrow stream, which can be read any number of times.

    Columns: ``change``, ``loc``, ``previous_loc``, ``before``, ``after`` (structs with the fields
    of :class:`PageState`) and ``why`` (a list of structs with the fields of :class:`Reason`).
    """

    def __init__(self, tables: Tables, query: str = "FROM changes"):
        self._tables = tables
        self._query = query

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._tables.db.stream(self._query).__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[PageChange]:
        for change, loc, previous, before, after, why in rows_of(self):
            yield PageChange(
                change,
                loc,
                previous,
                None if before is None else PageState(**before),
                None if after is None else PageState(**after),
                tuple(Reason(**reason) for reason in why or ()),
            )

    def __len__(self) -> int:
        return self._tables.count(f"SELECT count(*) FROM ({self._query})")


class Diff(Result):
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

    counts: DiffCounts

    def __init__(self, tables: Tables, stack: ExitStack):
        self.before: str = tables.states["before"].name
        self.after: str = tables.states["after"].name
        self._tables = tables
        self._stack = stack
        self.counts = self._count()
        self.is_none_selected: bool = tables.is_none_selected
        self.unread: tuple[tuple[str, int], ...] = self._find_unread()
        self._is_closed = False

    def _count(self) -> DiffCounts:
        found = dict(self._tables.db.rows("SELECT change, count(*) FROM changes GROUP BY change"))
        before, after, both = self._tables.before, self._tables.after, self._tables.both
        numbers = {kind: int(found.get(kind, 0)) for kind in get_args(ChangeKind)}
        unknown_in_both = self._tables.count("SELECT count(*) FROM unknown_in_both")
        unchanged = both - numbers["changed"] - unknown_in_both
        return DiffCounts(**numbers, unchanged=unchanged, before=before, after=after)

    @property
    def changes(self) -> ChangeRows:
        """The changes as an Arrow stream, with ``to_arrow``, ``to_pandas`` and ``to_polars``."""
        return ChangeRows(self._tables)

    def of(self, change: ChangeKind, limit: int | None = None) -> ChangeRows:
        """Return the changes of one kind, at most ``limit``."""
        if change not in get_args(ChangeKind):
            kinds = ", ".join(get_args(ChangeKind))
            raise ValueError(f"expected one of {kinds}, found {change!r}")
        end = "" if limit is None else f" LIMIT {int(limit)}"
        return ChangeRows(self._tables, f"FROM changes WHERE change = '{change}'{end}")

    @cached_property
    def sections(self) -> list[SectionChange]:
        """The sections with changes, those with most changes first."""
        counts: dict[str, dict[str, int]] = {}
        for section, change, count in self._tables.db.rows(
            f"SELECT {FIRST_FOLDER} AS section, change, count(*) FROM changes GROUP BY ALL"
        ):
            counts.setdefault(section, {})[change] = count
        if not counts:
            return []
        totals = self._section_totals()
        found = [
            SectionChange(
                section,
                totals["before"][section],
                totals["after"][section],
                *(kinds.get(kind, 0) for kind in get_args(ChangeKind)),
            )
            for section, kinds in counts.items()
        ]
        return sorted(found, key=lambda row: (-sum(row[3:]), row.section))

    def _section_totals(self) -> dict[str, Counter[str]]:
        """Return the number of URLs in each section, for both sides."""
        rows = self._tables.db.rows
        found: dict[str, Counter[str]] = {}
        if any(map(self._tables.has_duplicates, SIDES)):
            for side in SIDES:
                totals = rows(
                    f"SELECT section, count(DISTINCT h) FROM (SELECT {FIRST_FOLDER} AS section, "
                    f"text_hash(normal_of(loc)) AS h FROM {side}_rows) GROUP BY section"
                )
                found[side] = Counter(dict(totals))
            return found
        totals = rows(
            f"SELECT {FIRST_FOLDER} AS section, count(*) FROM before_rows GROUP BY section"
        )
        before = Counter[str](dict(totals))
        # All other rows are the same in both states.
        gains = rows(
            "SELECT section, count_if(is_after) - count_if(NOT is_after) FROM ("
            f"SELECT {FIRST_FOLDER} AS section, false AS is_after FROM before_diff UNION ALL "
            f"SELECT {FIRST_FOLDER}, true FROM after_diff) GROUP BY section"
        )
        after = before.copy()
        after.update({section: int(gain) for section, gain in gains})
        return {"before": before, "after": after}

    @property
    def patterns(self) -> list[MovePattern]:
        """How URLs moved, the most frequent pattern first; each has two URLs or more."""
        return self._tables.patterns

    @cached_property
    def lastmod(self) -> LastmodTruth | None:
        """Numbers of true and false ``lastmod`` changes; None without contents of both states."""
        if "fingerprint" not in self._tables.known:
            return None
        names = ("lastmod-with-content", "lastmod-without-content", "content-without-lastmod")
        counts = ", ".join(f"count(*) FILTER (list_contains(reasons, '{name}'))" for name in names)
        row = self._tables.db.fetch_one(f"SELECT {counts} FROM changed_pairs")
        return LastmodTruth(*map(int, row))

    def _find_unread(self) -> tuple[tuple[str, int], ...]:
        rows = self._tables.db.rows(
            "SELECT why[1].detail AS detail, count(*) FROM changes WHERE change = 'unknown' "
            "GROUP BY detail ORDER BY count(*) DESC, detail"
        )
        found = [(str(detail), int(count)) for detail, count in rows]
        # What was not read is missing in the comparison also if no URL is unknown because of it.
        for fault in dict.fromkeys(self._tables.faults):
            if not any(detail.startswith(fault) for detail, _ in found):
                found.append((fault, 0))
        return tuple(found)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What could not be read, with the number of unknown URLs that it may list."""
        return tuple(
            f"{detail}: {pluralize(count, 'URL')} unknown" if count else detail
            for detail, count in self.unread
        )

    @property
    def notes(self) -> list[str]:
        """Remarks on the states, such as rows of a table that have no URL."""
        return self._tables.notes

    @property
    def subject(self) -> str:
        """Both states, as the end of a phrase."""
        return f"of {self.before!r} and {self.after!r}"

    def to_dict(self) -> DiffJson:
        """Return counts, sections, patterns of moves and what is incomplete, without the changes.

        :meth:`jsonl` has the changes.
        """
        unread = [{"reason": reason, "unknown": count} for reason, count in self.unread]
        return values_of(self, DiffJson, unread=unread)

    @property
    def _totals(self) -> str:
        """The counts in one line."""
        if self.is_none_selected:
            options = f"{option('include')} and {option('exclude')}"
            return f"no URL of either state is selected by {options}"
        counts = self.counts
        parts = [
            f"{getattr(counts, kind):,} {kind}"
            for kind in get_args(ChangeKind)
            if getattr(counts, kind) or kind in ("added", "removed", "changed")
        ]
        return f"{', '.join(parts)}; {counts.unchanged:,} unchanged"

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
        """Return an HTML table of the first changes for notebooks."""
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
