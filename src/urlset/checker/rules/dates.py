"""Rules about single lastmod dates (group D)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_W3C = "https://www.w3.org/TR/NOTE-datetime"
_HOME = "https://example.com/"
_GOOD = entry(_HOME)

RULES = (
    engine_rule(
        "D001",
        why="Only W3C dates are read by all search engines. Other forms are ignored, or read with "
        "day and month exchanged. Search Console reports an invalid date.",
        fix_hint="Write the date as 2026-11-20 or 2026-11-20T08:00:00+00:00",
        source=_W3C,
        bad=entry(_HOME, lastmod="20.11.2026"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D002",
        why="A W3C date with a time has a time zone. Without one, Google rejects the date, "
        "although the XML schema allows it.",
        fix_hint="Append Z or an offset such as +01:00, or remove the time",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11-20T08:00:00"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D003",
        why="Strict readers reject offsets of other forms, and with them the whole date.",
        fix_hint="Write the offset as Z, +01:00 or -05:00, directly after the time",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11-20T08:00:00+0100"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D004",
        why="This day or time does not exist. Usually the database has no date, and the generator "
        "wrote a default value.",
        fix_hint="Omit lastmod if the date is unknown",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-02-30"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "D005 lastmod-reduced-precision warning",
        message='"{lastmod_text}" has no day',
        view="lastmods",
        where="CASE WHEN strlen(lastmod_text) < 8 THEN lastmod IS NOT NULL "
        "AND regexp_full_match(lastmod_text, '[0-9]{4}(-[0-9]{2})?') ELSE false END",
        element="lastmod",
        why="A year or a month is a W3C date, but it is invalid in the XML schema and is not a "
        "form that Google reads. It does not tell a crawler what to fetch again.",
        fix_hint="Add the day, or omit lastmod",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11"),
        good=_GOOD,
    ),
    rule(
        "D006 lastmod-no-seconds info",
        message='"{lastmod_text}" has no seconds',
        view="lastmods",
        where="lastmod IS NOT NULL AND strlen(lastmod_text) IN (17, 22) AND regexp_full_match("
        "lastmod_text, '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})')",
        element="lastmod",
        why="The protocol allows a time without seconds, the XML schema does not.",
        fix_hint="Append the seconds, or :00 if they are unknown",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11-20T08:00Z"),
        good=_GOOD,
        is_default=False,
        fix_safety="safe",
    ),
    rule(
        "D007 lastmod-future warning",
        message='"{lastmod_text}" is in the future: today is {today}',
        view="lastmods",
        where="lastmod > check_time() + INTERVAL 24 HOUR",
        values={"today": "strftime(check_time(), '%Y-%m-%d')"},
        element="lastmod",
        why="The last change of a page cannot be in the future. Bing rejects such dates, and other "
        "search engines trust the dates of the site less. Often it is the date of an event or of a "
        "planned publication.",
        fix_hint="Write the date of the last change, or omit lastmod",
        source="https://blogs.bing.com/webmaster/july-2025/"
        "Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search",
        bad=entry(_HOME, lastmod="2027-11-20T08:00:00Z"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "D008 lastmod-placeholder warning",
        message='"{lastmod_text}" looks like a default value: it is before 1995',
        view="lastmods",
        where="lastmod < TIMESTAMPTZ '1995-01-01 00:00:00+00'",
        element="lastmod",
        why="Such dates are the start of a clock: 1970 in Unix, 1980 in ZIP, 1601 in Windows, 1 in "
        ".NET. They mean that the date is unknown.",
        fix_hint="Omit lastmod if the date is unknown",
        source="https://www.sitemaps.org/protocol.html#lastmoddef",
        bad=entry(_HOME, lastmod="1970-01-01T00:00:00Z"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
)
