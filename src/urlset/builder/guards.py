"""Gates that stop a suspicious publication, and warnings about suspicious dates and URLs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from urlset.builder.options import BuildOptions, fail
from urlset.builder.resolve import exclusion_sql, is_early, is_future
from urlset.change_limit import ChangeLimit
from urlset.dates import format_date
from urlset.option_names import option
from urlset.store import ScratchDatabase, ScratchReader, quoted
from urlset.terminal_text import pluralize
from urlset.urls import split_origin

_UNUSED_TAGS = {
    "image": ("caption", "geo_location", "title", "license"),
    "news": ("access", "genres", "keywords", "stock_tickers"),
}
"""Tags that search engines ignore, as rules G003 and G057 report: images since 2022."""


def check_zero(
    rows: int, sources: Sequence[str], excluded: Mapping[str, int], settings: BuildOptions
) -> None:
    """Gate ``zero``: fail for a set without any URL, which is usually an accident.

    ``rows`` is the number that the ``sources``, given by name, returned; ``excluded`` counts URLs
    by reason.
    """
    found = "none"
    if rows:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in islice(excluded.items(), 3))
        found = f"none of {rows:,} to keep" + (f" (excluded: {reasons})" if reasons else "")
    elif sources:
        found = f"none in {sources[0] if len(sources) == 1 else f'{len(sources):,} sources'}"
    fail("zero", settings, f"expected URLs to publish, found {found}")


def check_share(urls: int, before: int, settings: BuildOptions) -> None:
    """Gate ``shrunk``: fail for a set with less than half as many URLs as are published.

    The share is the option ``min_share``.
    """
    if urls < before * settings.min_share:
        least = f"{settings.min_share:.0%}".removesuffix("%")
        fail(
            "shrunk",
            settings,
            f"expected at least {least} % of the {before:,} URLs that are published, found "
            f"{urls:,}",
        )


def check_removed(removed: int, before: int, settings: BuildOptions) -> None:
    """Gate ``shrunk``: fail if more URLs disappear than ``max_removed`` allows."""
    if settings.max_removed is None:
        return
    limit = ChangeLimit.parse(settings.max_removed)
    if limit.is_exceeded(removed, before):
        fail(
            "shrunk",
            settings,
            f"expected at most {limit.text} of the {before:,} URLs that are published to "
            f"disappear, found {removed:,} ({option('max_removed')})",
        )


def check_hosts(db: ScratchDatabase, settings: BuildOptions) -> None:
    """Gate ``hosts``: fail for URLs of other hosts, which search engines do not accept."""
    hosts = ", ".join(map(quoted, settings.hosts))
    # Nearly all URLs start with the base: their host need not be extracted. DuckDB may evaluate
    # the tests of a conjunction in another order, but not those of a CASE.
    foreign = f"""FROM diff WHERE state IN ('added', 'moved')
        AND CASE WHEN starts_with(loc, {quoted(settings.base)}) THEN false
            ELSE lower(regexp_extract(loc, '^[a-zA-Z]+://(?:[^/@?#]*@)?([^/?#]+)', 1))
                NOT IN ({hosts}) END"""
    (count,) = db.fetch_one(f"SELECT count(*) {foreign}")
    if count:
        rows = db.rows(f"SELECT loc {foreign} ORDER BY loc LIMIT 3")
        examples = ", ".join(loc for (loc,) in rows)
        fail(
            "hosts",
            settings,
            f"expected URLs of {settings.hosts[0]}, found {count:,} of another host ({examples}); "
            f"exclude them with a filter, or allow the host with {option('allowed_hosts')}",
        )


LEAST = 20
SHARE = 0.8
"""If this share of at least ``LEAST`` dates is one instant, it is the time of an export."""

DATES_SAMPLED = 1_000


def warnings(
    db: ScratchReader, settings: BuildOptions, extensions: Collection[str], *, is_first: bool
) -> list[str]:
    """Return warnings about the dates, URLs and extensions of the sources, as sentences.

    They are reported and not fixed, because only the source can be corrected reliably.
    ``extensions`` are the columns of ``extended_rows``; ``is_first`` states that nothing is
    published yet.
    """
    urls = [*_empty_columns(db, settings), *_suspicious_urls(db, settings)]
    if settings.is_text:
        return urls
    dates = [*_implausible_dates(db, settings), *_bulk_dates(db)]
    dates += () if is_first else _unchanged_dates(db, settings)
    return [*urls, *dates, *_extension_warnings(db, settings, extensions)]


def _extension_warnings(
    db: ScratchReader, settings: BuildOptions, extensions: Collection[str]
) -> list[str]:
    """Return warnings about images and news that search engines ignore, as sentences.

    They are written as the source has them, because other readers may use them.
    """
    counts: dict[str, str] = {}
    if "news" in extensions:
        counts |= {f"news:{name}": f"count(news.{name})" for name in _UNUSED_TAGS["news"]}
    if "images" in extensions and _has_unused_image_tags(db):
        counts |= {f"image:{name}": _count_images(f"i.{name}") for name in _UNUSED_TAGS["image"]}
    if not counts:
        return []
    found = db.fetch_one(f"SELECT {', '.join(counts.values())} {_EXTENDED}")
    return [
        *(_news_dates(db, settings) if "news" in extensions else ()),
        *(
            f"{pluralize(count, 'URL')} with {name}, which search engines ignore"
            for name, count in zip(counts, found, strict=True)
            if count
        ),
    ]


def _has_unused_image_tags(db: ScratchReader) -> bool:
    # One test of each image is faster than four, and most sites have none of the tags.
    tags = ", ".join(f"i.{name}" for name in _UNUSED_TAGS["image"])
    (count,) = db.fetch_one(f"SELECT {_count_images(f'coalesce({tags})')} {_EXTENDED}")
    return bool(count)


def _count_images(value: str) -> str:
    """Return SQL that counts rows in which ``value``, of an image ``i``, is not null."""
    return f"count(*) FILTER (len(list_filter(images, lambda i: {value} NOT NULL)) > 0)"


_EXTENDED = "FROM merged g JOIN extended_rows e ON e.id = g.id"


def _news_dates(db: ScratchReader, settings: BuildOptions) -> Iterator[str]:
    """Yield warnings about news that is too old, or in the future."""
    now = f"{quoted(settings.now.isoformat())}::TIMESTAMPTZ"
    begin = "TRY_CAST(news.publication_date AS TIMESTAMPTZ)"
    # A day lasts until its end in the westernmost zone, and begins in the easternmost one.
    is_day = "length(news.publication_date) = 10"
    tests = {
        f"{begin} + if({is_day}, INTERVAL 36 HOUR, INTERVAL 0 HOUR) < {now} - INTERVAL 48 HOUR": (
            "news article is older than 48 hours",
            "news articles are older than 48 hours",
            "leave out the news of older rows",
        ),
        f"{begin} - if({is_day}, INTERVAL 14 HOUR, INTERVAL 0 HOUR) > {now} + INTERVAL 1 HOUR": (
            "publication date of news is in the future",
            "publication dates of news are in the future",
            "the zone may be wrong",
        ),
    }
    for (one, many, advice), count, first in _matches(db, tests, _EXTENDED):
        yield f"{count:,} {one if count == 1 else many}, first: {first}; {advice}"


def _matches(
    db: ScratchReader, tests: Mapping[str, tuple[str, ...]], rows: str
) -> Iterator[tuple[tuple[str, ...], int, str]]:
    """Yield the texts of each test that rows pass, their number, and their first URL."""
    counts = ", ".join(f"count(*) FILTER ({test}), min(loc) FILTER ({test})" for test in tests)
    found = db.fetch_one(f"SELECT {counts} {rows}")
    for texts, count, first in zip(tests.values(), found[::2], found[1::2], strict=True):
        if count:
            yield texts, count, first


def _suspicious_urls(db: ScratchReader, settings: BuildOptions) -> Iterator[str]:
    """Yield warnings about URLs outside the base URL: their robots.txt must name the set.

    And about URLs with ``..`` or ``.`` as a segment: clients request another one.
    """
    origin = "://".join(split_origin(settings.base)[:2])
    folder = settings.base[: settings.base.rfind("/") + 1]
    is_own = (
        f"(starts_with(lower(loc), {quoted(origin.lower())}) "
        f"AND regexp_matches(substr(loc, {len(origin) + 1}), '^([/?#]|$)'))"
    )
    is_outside = f"NOT starts_with(loc, {quoted(folder)}) AND {exclusion_sql(settings)} IS NULL"
    is_named = settings.robots is not None
    if is_named and not settings.allowed_hosts and "hosts" not in settings.force:
        is_outside = "false"
    has_dots = r"regexp_matches(loc, '^[^?#]*/\.\.?([/?#]|$)')"
    tests = (f"{is_outside} AND {is_own}", f"{is_outside} AND NOT {is_own}", has_dots)
    # One query: reading the URLs takes longer than the tests.
    counts = ", ".join(f"count(*) FILTER ({test}), min(loc) FILTER ({test})" for test in tests)
    count, first, others, other, dotted, dots = db.fetch_one(
        f"SELECT {counts} FROM merged g "
        f"WHERE NOT starts_with(loc, {quoted(folder)}) OR contains(loc, '/.')"
    )
    if count and not is_named and len(folder) > len(origin) + 1:
        yield (
            f"{_urls(count)} outside of {folder}, the folder of the sitemaps, first: {first}; "
            "search engines ignore such URLs unless the robots.txt of the host names the sitemaps "
            f"({option('robots')})"
        )
    if others:
        yield (
            f"{_urls(others)} not of {origin}, first: {other}; search engines ignore such URLs "
            "unless the robots.txt of their host names the sitemaps"
        )
    if dotted:
        urls = "1 URL has" if dotted == 1 else f"{dotted:,} URLs have"
        yield f"{urls} a segment . or .., which leads to another page, first: {dots}"


def _urls(count: int) -> str:
    return "1 URL is" if count == 1 else f"{count:,} URLs are"


def _empty_columns(db: ScratchReader, settings: BuildOptions) -> Iterator[str]:
    for name in settings.kept_columns:
        (count,) = db.fetch_one(f'SELECT count("{name}") FROM merged')
        if not count:
            yield f"the column {name} is empty in every source: it defines no sections"


def _implausible_dates(db: ScratchReader, settings: BuildOptions) -> Iterator[str]:
    tests = {
        f"strlen(lastmod_text) < 10 AND NOT {is_early('lastmod_text')}": (
            "date has no day and is",
            "dates have no day and are",
        ),
        is_early("lastmod_text"): (
            "date is before 1995 (a default value) and is",
            "dates are before 1995 (a default value) and are",
        ),
        is_future("lastmod_text", settings): (
            "date is in the future and is",
            "dates are in the future and are",
        ),
    }
    rows = "FROM source_dates WHERE lastmod_text IS NOT NULL AND reason IS NULL"
    for (one, many), count, first in _matches(db, tests, rows):
        yield f"{count:,} {one if count == 1 else many} ignored, first: {first}"


def _bulk_dates(db: ScratchReader) -> Iterator[str]:
    # A date of most rows is the most frequent one of a sample, with more than half of its rows. To
    # group all of them would need memory for every different date.
    dates = "SELECT lastmod_text FROM merged WHERE lastmod_text IS NOT NULL"
    text, most, sampled = db.fetch_one(
        "SELECT mode(lastmod_text), count(*) FILTER (lastmod_text = common), count(*) "
        "FROM (SELECT lastmod_text, mode(lastmod_text) OVER () AS common "
        f"FROM ({dates} USING SAMPLE reservoir({DATES_SAMPLED} ROWS) REPEATABLE (1)))"
    )
    if sampled < LEAST or len(text) <= 10 or most <= sampled / 2:
        return
    count, every = db.fetch_one(
        "SELECT count(*) FILTER (lastmod_text = ?), count(lastmod_text) FROM merged", (text,)
    )
    if count >= every * SHARE:
        yield (
            f"{count:,} of {every:,} dates are {text}: if that is when they were exported, and not "
            f"when the pages changed, ignore them ({option('lastmod')} without given)"
        )


def _unchanged_dates(db: ScratchReader, settings: BuildOptions) -> Iterator[str]:
    """Yield warnings about pages whose content changed since the last build, but not the date."""
    count, first = db.fetch_one(f"""
        SELECT count(*), min(loc) FROM diff
        WHERE fingerprint <> old_fingerprint AND lastmod = old_lastmod AND lastmod_from <> 'content'
            AND left(lastmod, 10) < {quoted(format_date(settings.now)[:10])}""")
    if count:
        pages = "1 page has" if count == 1 else f"{count:,} pages have"
        yield (
            f"{pages} changed content, but the same date as before, first: {first}; "
            f"content at the beginning of {option('lastmod')} dates pages by such changes"
        )
