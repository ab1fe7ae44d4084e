"""The gates that a publication passes: what is suspicious is not published unasked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from urlset.builder.options import GATES, BuildOptions, Gate
from urlset.builder.resolve import EARLIEST, exclusion_sql, is_future
from urlset.dates import format_date
from urlset.errors import GateError
from urlset.store import ScratchDatabase, quoted
from urlset.urls import split_origin

__all__ = ["check_hosts", "check_share", "check_zero", "fail", "warnings"]


def fail(gate: Gate, settings: BuildOptions, words: str) -> None:
    """Raise :class:`urlset.GateError`, unless this gate is to be passed by force."""
    if gate in settings.force:
        return
    raise GateError(
        f"{words}; nothing was published. If that is as it should be: --force {gate}",
        gate=gate,
        exit_code=GATES[gate],
    )


def check_zero(
    given: int, sources: Sequence[str], left_out: Mapping[str, int], settings: BuildOptions
) -> None:
    """A set without a single URL is more often an accident than a wish.

    ``given`` rows came of the ``sources``, by their names; ``left_out`` says why URLs are not kept.
    """
    found = "none"
    if given:
        reasons = ", ".join(f"{why} {n:,}" for why, n in islice(left_out.items(), 3))
        found = f"none of {given:,} to keep" + (f" (left out: {reasons})" if reasons else "")
    elif sources:
        found = f"none in {sources[0] if len(sources) == 1 else f'{len(sources):,} sources'}"
    fail("zero", settings, f"expected URLs to publish, found {found}")


def check_share(urls: int, before: int, settings: BuildOptions) -> None:
    """A set that shrank to less than half (``min_share``) is more often an accident."""
    if urls < before * settings.min_share:
        least = f"{settings.min_share:.0%}".removesuffix("%")
        fail(
            "shrunk",
            settings,
            f"expected at least {least} % of the {before:,} URLs that are published, found "
            f"{urls:,}",
        )


def check_hosts(bench: ScratchDatabase, settings: BuildOptions) -> None:
    """Engines believe a sitemap about its own host only."""
    allowed = [settings.base.split("/")[2].lower(), *(host.lower() for host in settings.hosts)]
    hosts = ", ".join(map(quoted, allowed))
    # Nearly all begin with the base: for them no host needs to be looked for.
    foreign = f"""differing WHERE state IN ('added', 'moved')
        AND NOT starts_with(loc, {quoted(settings.base)})
        AND lower(regexp_extract(loc, '^[a-zA-Z]+://(?:[^/@?#]*@)?([^/?#]+)', 1))
            NOT IN ({hosts})"""
    (count,) = bench.fetch_one(f"SELECT count(*) FROM {foreign}")
    if count:
        rows = bench.rows(f"SELECT loc FROM {foreign} ORDER BY loc LIMIT 3")
        examples = ", ".join(loc for (loc,) in rows)
        fail(
            "hosts",
            settings,
            f"expected URLs of {allowed[0]}, found {count:,} of another host ({examples}); "
            "leave them out by a filter, or name the host by --host",
        )


LEAST = 20
SHARE = 0.8
"""Of so many dates, this share at one and the same instant is the time of a build, or an import."""


def warnings(bench: ScratchDatabase, settings: BuildOptions) -> list[str]:
    """What is suspicious about the dates of the sources, as sentences."""
    dates: list[str] = []
    if not settings.is_text:
        dates = [*_disbelieved(bench, settings), *_bulk(bench), *_unmoved(bench, settings)]
    return [*_columns(bench, settings), *_outside(bench, settings), *dates]


def _outside(bench: ScratchDatabase, settings: BuildOptions) -> Iterator[str]:
    """URLs that a sitemap at the base URL may only list if a robots.txt declares it."""
    if settings.robots is not None and not settings.hosts and "hosts" not in settings.force:
        return
    origin = "://".join(split_origin(settings.base)[:2])
    folder = settings.base[: settings.base.rfind("/") + 1]
    is_own = (
        f"(starts_with(lower(loc), {quoted(origin.lower())}) "
        f"AND regexp_matches(substr(loc, {len(origin) + 1}), '^([/?#]|$)'))"
    )
    is_outside = f"NOT starts_with(loc, {quoted(folder)}) AND {exclusion_sql(settings)} IS NULL"
    count, first, others, other = bench.fetch_one(f"""
        SELECT count(*) FILTER ({is_own}), min(loc) FILTER ({is_own}),
            count(*) FILTER (NOT {is_own}), min(loc) FILTER (NOT {is_own})
        FROM given g WHERE {is_outside}""")
    if count and settings.robots is None and len(folder) > len(origin) + 1:
        yield (
            f"{_urls(count)} outside of {folder}, the folder of the sitemaps, first: {first}; "
            "search engines ignore such URLs unless the robots.txt of the host names the sitemaps "
            "(--robots)"
        )
    if others:
        yield (
            f"{_urls(others)} not of {origin}, first: {other}; search engines ignore such URLs "
            "unless the robots.txt of their host names the sitemaps"
        )


def _urls(count: int) -> str:
    return "1 URL is" if count == 1 else f"{count:,} URLs are"


def _columns(bench: ScratchDatabase, settings: BuildOptions) -> Iterator[str]:
    for name in settings.kept_columns:
        (count,) = bench.fetch_one(f'SELECT count("{name}") FROM given')
        if not count:
            yield f"no source has anything in the column {name}: it makes no sections"


def _disbelieved(bench: ScratchDatabase, settings: BuildOptions) -> Iterator[str]:
    tests = {
        f"strlen(lastmod_text) < 10 AND lastmod_text >= {quoted(EARLIEST)}": (
            "date has no day and is",
            "dates have no day and are",
        ),
        f"lastmod_text < {quoted(EARLIEST)}": (
            "date is before 1995 (a default value) and is",
            "dates are before 1995 (a default value) and are",
        ),
        is_future("lastmod_text", settings): (
            "date lies in the future and is",
            "dates lie in the future and are",
        ),
    }
    counts = ", ".join(f"count(*) FILTER ({test}), min(loc) FILTER ({test})" for test in tests)
    found = bench.fetch_one(
        f"SELECT {counts} FROM given_dates WHERE lastmod_text IS NOT NULL AND reason IS NULL"
    )
    for (one, many), count, first in zip(tests.values(), found[::2], found[1::2], strict=True):
        if count:
            yield f"{count:,} {one if count == 1 else many} left out, first: {first}"


def _bulk(bench: ScratchDatabase) -> Iterator[str]:
    rows = bench.rows("""
        SELECT lastmod_text, count(*) AS n, (SELECT count(lastmod_text) FROM given) AS every
        FROM given WHERE lastmod_text IS NOT NULL GROUP BY lastmod_text
        ORDER BY n DESC, lastmod_text LIMIT 1""")
    if rows and rows[0][2] >= LEAST and rows[0][1] >= rows[0][2] * SHARE and len(rows[0][0]) > 10:
        text, count, every = rows[0]
        yield (
            f"{count:,} of {every:,} dates are {text}: if that is when they were exported, and not "
            "when the pages changed, leave them out (--lastmod without given)"
        )


def _unmoved(bench: ScratchDatabase, settings: BuildOptions) -> Iterator[str]:
    """Pages that have another content than in the last build, and still the same older date."""
    count, first = bench.fetch_one(f"""
        SELECT count(*), min(loc) FROM differing
        WHERE fingerprint <> old_fingerprint AND lastmod = old_lastmod AND lastmod_from <> 'content'
            AND left(lastmod, 10) < {quoted(format_date(settings.now)[:10])}""")
    if count:
        pages = "1 page has" if count == 1 else f"{count:,} pages have"
        yield (
            f"{pages} another content, but the same date as before, first: {first}; "
            "content at the beginning of --lastmod dates pages by such changes"
        )
