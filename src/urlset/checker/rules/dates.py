"""D: what is wrong with one date."""

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
        why="Only W3C dates are read by all. Another form is ignored, or read with day and month "
        "exchanged; Search Console reports it as an invalid date.",
        fix_hint="Write the date as 2026-11-20 or 2026-11-20T08:00:00+00:00",
        source=_W3C,
        bad=entry(_HOME, lastmod="20.11.2026"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D002",
        why="W3C dates with a time have a time zone. Without one, Google takes the date for "
        "invalid, though the XML schema does not.",
        fix_hint="Append Z or the offset, such as +01:00, or cut the time off",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11-20T08:00:00"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D003",
        why="Offsets of other forms are rejected by readers that go by the letter, and with them "
        "the whole date.",
        fix_hint="Write the offset as Z, +01:00 or -05:00, right behind the time",
        source=_W3C,
        bad=entry(_HOME, lastmod="2026-11-20T08:00:00+0100"),
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "D004",
        why="There is no such day or time. Mostly a database held none, and the generator wrote "
        "its zero date all the same.",
        fix_hint="Leave lastmod out where the date is not known",
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
        why="A year or a month is a W3C date, but not one for the XML schema, nor among those "
        "that Google reads; and it tells no crawler what to fetch anew.",
        fix_hint="Write the day, too, or leave lastmod out",
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
        why="The protocol allows it, the XML schema does not.",
        fix_hint="Append the seconds, :00 where they are not known",
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
        why="Nothing was changed tomorrow. Bing rejects such dates, and others trust the site's "
        "dates less; often it is the date of an event, or of publication.",
        fix_hint="Write when the page was last changed, or leave lastmod out",
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
        why="Such dates are the zero of some clock: 1970 of Unix, 1980 of ZIP, 1601 of Windows, "
        "1 of .NET. They say that the date is not known.",
        fix_hint="Leave lastmod out where the date is not known",
        source="https://www.sitemaps.org/protocol.html#lastmoddef",
        bad=entry(_HOME, lastmod="1970-01-01T00:00:00Z"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
)
