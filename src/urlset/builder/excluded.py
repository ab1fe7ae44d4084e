"""What a build left out, URL by URL: where it stood, and why it is not listed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.atomic import AtomicFile, expect_replaceable, why_unwritten
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import exclusion_sql
from urlset.errors import TargetError
from urlset.store import ScratchDatabase, quoted
from urlset.writer import Rejection

__all__ = ["MAX_EXAMPLES", "Excluded", "count_excluded", "examples_of", "write_excluded"]

MAX_EXAMPLES = 100
"""Exclusions of each reason that a result has; the file has them all."""


class Excluded(NamedTuple):
    """A URL that is not listed: where its source names it, and the reason."""

    url: str
    source: str
    line: int | None
    reason: str


def count_excluded(bench: ScratchDatabase, settings: BuildOptions) -> dict[str, int]:
    """How many URLs are left out, by the kind of reason; the most frequent first."""
    return dict(
        bench.rows(f"""
            SELECT {_kind(settings)}, count(*) FROM given g
            WHERE {exclusion_sql(settings)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1""")
    )


def examples_of(
    bench: ScratchDatabase, settings: BuildOptions, names: Sequence[str], counts: Mapping[str, int]
) -> tuple[Excluded, ...]:
    """The first exclusions of each reason, by URL; the reasons as they are counted."""
    found: list[Excluded] = []
    for kind in counts:
        rows = bench.rows(
            f"{_query(settings)} WHERE {_kind(settings)} = {quoted(kind)} "
            f"ORDER BY loc LIMIT {MAX_EXAMPLES}"
        )
        found += (_excluded(row, names) for row in rows)
    return tuple(found)


def write_excluded(
    bench: ScratchDatabase,
    settings: BuildOptions,
    names: Sequence[str],
    rejected: Sequence[Rejection],
    path: Path,
) -> None:
    """Write all exclusions as JSON lines; ``names`` are those of the sources.

    Rows that may not be written come last. Raises :class:`urlset.TargetError`.
    """
    try:
        expect_replaceable(path)
        staged = AtomicFile(path, is_alone=True)
        try:
            with os.fdopen(staged.descriptor, "w", encoding="utf-8") as file:
                file.writelines(_lines(bench, settings, names, rejected))
            staged.put()
        finally:
            staged.discard()
    except OSError as error:
        raise TargetError(f"cannot write {path}: {why_unwritten(path, error)}") from error


def _lines(
    bench: ScratchDatabase,
    settings: BuildOptions,
    names: Sequence[str],
    rejected: Sequence[Rejection],
) -> Iterator[str]:
    query = f"{_query(settings)} WHERE {exclusion_sql(settings)} IS NOT NULL ORDER BY loc"
    for batch in bench.batches(query):
        for row in rows_of(as_table(batch)):
            yield _line(_excluded(row, names)._asdict())
    for one in rejected:
        yield _line(Excluded(one.loc or "", "", None, f"refused: {one.reason}")._asdict())


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


def _query(settings: BuildOptions) -> str:
    return f"SELECT loc, source, place, line, {exclusion_sql(settings)} AS reason FROM given g"


def _excluded(row: Sequence[Any], names: Sequence[str]) -> Excluded:
    loc, source, place, line, reason = row
    return Excluded(loc, place or names[source - 1], line, reason)


def _kind(settings: BuildOptions) -> str:
    """An expression: a reason without the URL that it may name."""
    return f"regexp_replace({exclusion_sql(settings)}, ': https?://.*$', '')"
