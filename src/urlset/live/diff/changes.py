"""Values of a comparison, from its tables: changes, counts, sections and patterns of moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import get_args

from urlset.arrow import rows_of
from urlset.arrow.frames import StreamedRows
from urlset.live.diff.rows import (
    ChangeKind,
    DiffCounts,
    LastmodTruth,
    MovePattern,
    PageChange,
    PageState,
    Reason,
    SectionChange,
)
from urlset.live.diff.tables import SIDES, Tables
from urlset.option_names import option
from urlset.result import Result
from urlset.store import FIRST_FOLDER
from urlset.terminal_text import pluralize


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


class DiffValues(Result):
    """Values of a comparison, as reports need them; :class:`urlset.Diff` describes them."""

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

    @property
    def _totals(self) -> str:
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
