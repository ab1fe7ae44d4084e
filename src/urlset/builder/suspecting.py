"""What looks like an accident: told, not mended, for nobody knows better than the source."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.builder.settings import Settings
from urlset.dates import format_date
from urlset.store import Workbench, quoted

__all__ = ["suspicions"]

LEAST = 20
SHARE = 0.8
"""Of so many dates, this share at one and the same instant is the time of a build, or an import."""


def suspicions(bench: Workbench, settings: Settings) -> list[str]:
    """What is suspicious about the dates of the sources, as sentences."""
    dates: list[str] = []
    if not settings.is_text:
        dates = [*_future(bench, settings), *_bulk(bench), *_unmoved(bench, settings)]
    return [*_columns(bench, settings), *dates]


def _columns(bench: Workbench, settings: Settings) -> Iterator[str]:
    for name in settings.kept_columns:
        (count,) = bench.one(f'SELECT count("{name}") FROM given')
        if not count:
            yield f"no source has anything in the column {name}: it makes no sections"


def _future(bench: Workbench, settings: Settings) -> Iterator[str]:
    latest = quoted(format_date(settings.now + timedelta(days=1)))
    count, first = bench.one(
        f"SELECT count(*), min(loc) FROM given WHERE lastmod_text >= {latest} AND reason IS NULL"
    )
    if count:
        yield f"{count:,} dates lie in the future and are left out, first: {first}"


def _bulk(bench: Workbench) -> Iterator[str]:
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


def _unmoved(bench: Workbench, settings: Settings) -> Iterator[str]:
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
