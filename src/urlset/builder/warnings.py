"""What looks like an accident: told, not mended, for nobody knows better than the source."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.builder.options import BuildOptions
from urlset.builder.plausible_dates import EARLIEST, is_future
from urlset.builder.resolve import exclusion_sql
from urlset.dates import format_date
from urlset.store import ScratchDatabase, quoted
from urlset.urls import split_origin

__all__ = ["warnings"]

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
    count, first, others, other = bench.one(f"""
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
        (count,) = bench.one(f'SELECT count("{name}") FROM given')
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
    found = bench.one(
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
    count, first = bench.one(f"""
        SELECT count(*), min(loc) FROM differing
        WHERE fingerprint <> old_fingerprint AND lastmod = old_lastmod AND lastmod_from <> 'content'
            AND left(lastmod, 10) < {quoted(format_date(settings.now)[:10])}""")
    if count:
        pages = "1 page has" if count == 1 else f"{count:,} pages have"
        yield (
            f"{pages} another content, but the same date as before, first: {first}; "
            "content at the beginning of --lastmod dates pages by such changes"
        )
