"""What a build left out, URL by URL: where it stood, and why it is not listed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.atomic import AtomicFile, expect_replaceable, write_error_reason
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import exclusion_sql
from urlset.errors import TargetError
from urlset.store import ScratchDatabase, quoted
from urlset.urls import parse_url
from urlset.writer import Rejection

__all__ = [
    "MAX_EXAMPLES",
    "Counts",
    "Excluded",
    "changes",
    "changes_written",
    "count_changes",
    "count_excluded",
    "count_undated",
    "examples_of",
    "why",
    "write_excluded",
]

Counts = Mapping[str, int]
"""How many URLs were ``added``, ``changed`` and ``removed``."""

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
        staged = AtomicFile(path, is_locked=True)
        try:
            with os.fdopen(staged.descriptor, "w", encoding="utf-8") as file:
                file.writelines(_lines(bench, settings, names, rejected))
            staged.commit()
        finally:
            staged.discard()
    except OSError as error:
        raise TargetError(f"cannot write {path}: {write_error_reason(path, error)}") from error


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


_FIELDS = ("lastmod", "changefreq", "priority")


def changes(bench: ScratchDatabase) -> Iterator[dict[str, Any]]:
    """Each change as an object: ``change``, ``loc``, and the entry ``before`` and ``after``.

    ``before`` is null of what was added, ``after`` of what was removed.
    """
    names = ", ".join([*(f"old_{name}" for name in _FIELDS), *_FIELDS])
    query = f"""
        SELECT if(state = 'moved', 'changed', state), loc, {names}
        FROM differing WHERE state IN ('added', 'changed', 'removed')
            OR (state = 'moved' AND is_changed)
        ORDER BY loc"""
    for batch in bench.batches(query):
        for change, loc, *values in rows_of(as_table(batch)):
            before, after = values[: len(_FIELDS)], values[len(_FIELDS) :]
            yield {
                "change": change,
                "loc": loc,
                "before": None if change == "added" else dict(zip(_FIELDS, before, strict=True)),
                "after": None if change == "removed" else dict(zip(_FIELDS, after, strict=True)),
            }


@contextmanager
def changes_written(bench: ScratchDatabase, path: Path | None) -> Iterator[None]:
    """Write the changes as JSON lines beside ``path``, and let them appear there at the end.

    Beware: within the transaction of the ledger. What was killed in between is told again, not
    forgotten. Raises :class:`urlset.TargetError`, before anything is published where it can.
    """
    if path is None:
        yield
        return
    with _told(path):
        expect_replaceable(path)
        staged = AtomicFile(path, is_locked=True)
    try:
        with _told(path), os.fdopen(staged.descriptor, "w", encoding="utf-8") as file:
            for change in changes(bench):
                file.write(json.dumps(change, ensure_ascii=False) + "\n")
        yield
        with _told(path):
            staged.commit()
    finally:
        staged.discard()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TargetError(f"cannot write {path}: {write_error_reason(path, error)}") from error


_STAGED = (
    "lastmod_text page_lastmod git_lastmod header_lastmod mtime_lastmod fingerprint reason"
).split()


def why(
    bench: ScratchDatabase,
    url: str,
    settings: BuildOptions,
    sources: Sequence[str],
    names: Mapping[int, str],
    ranges: Mapping[int, tuple[int, int]],
) -> Iterator[str]:
    """Explain one URL, line by line."""
    loc = parse_url(url, settings.base).url or url
    yield loc
    given = bench.rows(
        f"SELECT source, place, line, {', '.join(_STAGED)} FROM staged WHERE loc = ? "
        "ORDER BY source, id",
        [loc],
    )
    for source, place, line, *values in given:
        where = f"{place}:{line}" if place and line else place or sources[source - 1]
        yield f"  given by {where}"
        for name, value in zip(_STAGED, values, strict=True):
            if value is not None:
                yield f"    {name.removesuffix('_text').replace('_', ' ')} {value}"
    if not given:
        yield "  no source gives it"
        return
    refused = bench.rows(f"SELECT {exclusion_sql(settings)} FROM given g WHERE loc = ?", [loc])
    if refused and refused[0][0] is not None:
        yield f"  left out: {refused[0][0]}"
        return
    yield from _kept(bench, loc, settings)
    number = _file(bench, loc, ranges)
    if number is not None:
        yield f"  in {names[number]}"


def _kept(bench: ScratchDatabase, loc: str, settings: BuildOptions) -> Iterator[str]:
    yield f"  kept by {_rule(bench, loc, settings)}"
    (row,) = bench.rows(
        "SELECT lastmod, lastmod_from, section, is_known, old_lastmod, content_lastmod, "
        "if(length(lastmod) <= 10, left(content_lastmod, length(lastmod)) > lastmod, "
        "try_cast(content_lastmod AS TIMESTAMPTZ) > try_cast(lastmod AS TIMESTAMPTZ)) "
        "FROM decided WHERE loc = ?",
        [loc],
    )
    lastmod, origin, section, is_known, before, changed, is_later = row
    chain = " > ".join(settings.lastmod)
    if lastmod is None:
        yield f"  no lastmod: {f'nothing is known of {chain}' if chain else 'none is wanted'}"
    else:
        yield f"  lastmod {lastmod} by {origin}"
        yield (
            "    published before, and adopted without a ledger: nothing else is known"
            if origin == "adopted"
            else f"    the first that there is of {chain}"
        )
        if is_later and origin != "content":
            yield f"    beware: its content was seen to have changed later, {changed}"
    if section:
        yield f"  section {section}"
    yield f"  published before, lastmod {before or 'none'}" if is_known else "  new"


def _rule(bench: ScratchDatabase, loc: str, settings: BuildOptions) -> str:
    for number, rule in enumerate(settings.filters, 1):
        (found,) = bench.fetch_one(f"SELECT regexp_matches(?, {quoted(rule.pattern)})", [loc])
        if found:
            return f"filter {number}: {rule.action}:{rule.pattern}"
    return (
        "default: no filter speaks of it" if settings.filters else "default: there are no filters"
    )


def _file(bench: ScratchDatabase, loc: str, ranges: Mapping[int, tuple[int, int]]) -> Any:
    rows = bench.rows("SELECT n FROM queue WHERE loc = ?", [loc])
    if rows:
        return next(n for n, (first, last) in ranges.items() if first <= rows[0][0] <= last)
    old = bench.rows("SELECT old_file FROM decided WHERE loc = ?", [loc])
    return old[0][0] if old else None


def count_changes(bench: ScratchDatabase) -> Counts:
    """What the build makes of the set, URL by URL."""
    added, changed, removed = bench.fetch_one("""
        SELECT count(*) FILTER (state = 'added'),
            count(*) FILTER (state IN ('changed', 'moved') AND is_changed),
            count(*) FILTER (state = 'removed')
        FROM differing""")
    return {"added": added, "changed": changed, "removed": removed}


def count_undated(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> int:
    """How many URLs of the set have no ``lastmod`` afterwards, where the form has room for one."""
    if settings.is_text:
        return 0
    (before,) = bench.fetch_one(f"SELECT count(*) - count(lastmod) FROM {ledger.table('urls')}")
    (more,) = bench.fetch_one("""
        SELECT count(*) FILTER (state <> 'removed' AND lastmod IS NULL)
            - count(*) FILTER (state <> 'added' AND old_lastmod IS NULL) FROM differing""")
    return int(before + more)
