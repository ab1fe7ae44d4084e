"""Why a URL is in the set as it is, or is not: who gave it, what was decided, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset.builder.options import BuildOptions
from urlset.builder.resolve import exclusion_sql
from urlset.store import ScratchDatabase, quoted
from urlset.urls import parse_url

__all__ = ["why"]

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
        (found,) = bench.one(f"SELECT regexp_matches(?, {quoted(rule.pattern)})", [loc])
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
