"""Rules about lastmod dates: single ones, all of a document, those of an index (codes D…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import HOME, Many, entry, index_of
from urlset.checker.rule import engine_rule, rule
from urlset.dates import DAY, MINUTE, NO_DAY, ZONE

_W3C = "https://www.w3.org/TR/NOTE-datetime"
_GOOD = entry(HOME)

_BING = "https://blogs.bing.com/webmaster/february-2023/The-Importance-of-Setting-the-lastmod-Tag-in-Your-Sitemap"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_DATED = "FROM lastmods WHERE kind <> 'index' AND lastmod IS NOT NULL"

_GENERATED = """
    WITH counted AS (
        SELECT l.document, generation, count(*) AS n, count(*) FILTER (
            has_time AND abs(epoch(lastmod) - generation.at) <= 300) AS hits
        FROM lastmods l JOIN generation_times g ON g.document = l.document
        WHERE lastmod IS NOT NULL GROUP BY ALL)
    SELECT document, n, (100 * hits) // n AS percent, generation.origin AS origin,
        strftime(to_timestamp(generation.at), '%Y-%m-%dT%H:%M:%SZ') AS generated_at
    FROM counted WHERE n >= 10 AND 100 * hits >= 95 * n
    QUALIFY row_number() OVER (PARTITION BY document ORDER BY hits DESC, origin) = 1"""

# The narrowest interval with 95 % of the dates, in microseconds. The median is always in it, so the
# view clustered_dates excludes documents with fewer dates near the median.
_IDENTICAL = """
    WITH near AS (
        SELECT * REPLACE (list_sort(all_) AS all_) FROM clustered_dates),
    gaps AS (
        SELECT *, list_transform(list_zip(all_[:n - most + 1], all_[most:]),
            lambda pair: pair[2] - pair[1]) AS gaps FROM near),
    stretches AS (
        SELECT *, all_[list_position(gaps, list_min(gaps))] AS start FROM gaps
        WHERE list_min(gaps) <= 60000000)
    SELECT document, n, (100 * len(list_filter(all_, lambda t:
            t >= start AND t <= start + 60000000))) // n AS percent,
        CASE WHEN has_time THEN strftime(make_timestamp(start), '%Y-%m-%dT%H:%M:%SZ')
            ELSE strftime(make_timestamp(start), '%Y-%m-%d') END
            || CASE WHEN list_min(gaps) > 0 THEN ' (within a minute)' ELSE '' END AS value
    FROM stretches"""

_ALIKE = (Many(entry("https://example.com/{n}"), 10),)
_SPREAD = (
    Many(
        "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-0{n}T08:00:00Z</lastmod></url>", 9
    ),
    Many(
        "<url><loc>https://example.com/a{n}</loc><lastmod>2026-10-0{n}T08:00:00Z</lastmod></url>", 9
    ),
)

_INDEX = "https://www.sitemaps.org/protocol.html#sitemapIndexTagDefinitions"


# Children of indexes with the newest date in each sitemap that was read.
_NEWEST = """
    WITH places AS (
        SELECT document, url AS loc FROM readable WHERE url IS NOT NULL
        UNION SELECT document, loc FROM readable WHERE loc IS NOT NULL),
    children AS (
        SELECT c.*, newest, newest_text FROM listed c JOIN places p ON p.loc = c.loc
        JOIN newest_dates n ON n.document = p.document)"""

_GOOD_SET = {"index.xml": index_of("pages.xml"), "pages.xml": _GOOD}
_GENERATED_INDEX = index_of("pages.xml", lastmod="2026-11-20T08:01:00Z")
_DAYS = {f"s{n}.xml": f"2026-11-{n + 11}T08:00:00Z" for n in range(5)}
_DAILY = {name: entry(f"{HOME}{name[1]}", lastmod=day) for name, day in _DAYS.items()}

_rule = partial(rule, source=_BING, good=_GOOD)
_engine_rule = partial(engine_rule, source=_W3C, good=_GOOD)
_date_rule = partial(_rule, view="lastmods", element="lastmod")
_index_rule = partial(_rule, requires_rows="listed", source=_INDEX, good=_GOOD_SET, needs=("set",))

RULES = (
    _engine_rule(
        "D001",
        why="Only W3C dates are read by all search engines. Other forms are ignored, or read with "
        "day and month exchanged. Search Console reports an invalid date.",
        fix_hint="Write the date as 2026-11-20 or 2026-11-20T08:00:00+00:00",
        bad=entry(HOME, lastmod="20.11.2026"),
    ),
    _engine_rule(
        "D002",
        why="A W3C date with a time has a time zone. Without one, Google rejects the date, "
        "although the XML schema allows it.",
        fix_hint="Append Z or an offset such as +01:00, or remove the time",
        bad=entry(HOME, lastmod="2026-11-20T08:00:00"),
    ),
    _engine_rule(
        "D003",
        why="Strict readers reject offsets of other forms, and with them the whole date.",
        fix_hint="Write the offset as Z, +01:00 or -05:00, directly after the time",
        bad=entry(HOME, lastmod="2026-11-20T08:00:00+0100"),
    ),
    _engine_rule(
        "D004",
        why="This day or time does not exist. Usually the database has no date, and the generator "
        "wrote a default value.",
        fix_hint="Omit lastmod if the date is unknown",
        bad=entry(HOME, lastmod="2026-02-30"),
    ),
    _date_rule(
        "D005 lastmod-reduced-precision warning",
        message='"{lastmod_text}" has no day',
        where="CASE WHEN strlen(lastmod_text) < 8 THEN lastmod IS NOT NULL "
        f"AND regexp_full_match(lastmod_text, '{NO_DAY}') ELSE false END",
        why="A year or a month is a W3C date, but it is invalid in the XML schema and is not a "
        "form that Google reads. It does not tell a crawler what to fetch again.",
        fix_hint="Add the day, or omit lastmod",
        source=_W3C,
        bad=entry(HOME, lastmod="2026-11"),
    ),
    _date_rule(
        "D006 lastmod-no-seconds info",
        message='"{lastmod_text}" has no seconds',
        where="lastmod IS NOT NULL AND strlen(lastmod_text) IN (17, 22) AND regexp_full_match("
        f"lastmod_text, '{DAY}T{MINUTE}{ZONE}')",
        why="The protocol allows a time without seconds, the XML schema does not.",
        fix_hint="Append the seconds, or :00 if they are unknown",
        source=_W3C,
        bad=entry(HOME, lastmod="2026-11-20T08:00Z"),
        is_default=False,
    ),
    _date_rule(
        "D007 lastmod-future warning",
        heading="Dates in the future",
        message='"{lastmod_text}" is in the future: today is {today}',
        where="lastmod > check_time() + INTERVAL 24 HOUR",
        values={"today": "strftime(check_time(), '%Y-%m-%d')"},
        why="The last change of a page cannot be in the future. Bing rejects such dates, and other "
        "search engines trust the dates of the site less. Often it is the date of an event or of a "
        "planned publication.",
        fix_hint="Write the date of the last change, or omit lastmod",
        source="https://blogs.bing.com/webmaster/july-2025/"
        "Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search",
        bad=entry(HOME, lastmod="2027-11-20T08:00:00Z"),
    ),
    _date_rule(
        "D008 lastmod-placeholder warning",
        message='"{lastmod_text}" looks like a default value: it is before 1995',
        where="lastmod < TIMESTAMPTZ '1995-01-01 00:00:00+00'",
        why="Such dates are the start of a clock: 1970 in Unix, 1980 in ZIP, 1601 in Windows, 1 in "
        ".NET. They mean that the date is unknown.",
        fix_hint="Omit lastmod if the date is unknown",
        source="https://www.sitemaps.org/protocol.html#lastmoddef",
        bad=entry(HOME, lastmod="1970-01-01T00:00:00Z"),
    ),
    _rule(
        "D009 lastmod-all-identical warning",
        message="{percent} % of {n:,} URLs share the lastmod {value}",
        requires_rows="clustered_dates",
        # D010 reports where the date comes from; one finding is enough.
        sql=f"SELECT * FROM ({_IDENTICAL}) WHERE document NOT IN "
        f"(SELECT document FROM ({_GENERATED}))",
        why="Pages rarely change all at once, so this is the date of a deployment or of the "
        "sitemap. Search engines that notice this ignore lastmod on the whole site.",
        fix_hint="Write the date of the last change of each page, or omit lastmod",
        bad=_ALIKE,
        good=_SPREAD,
    ),
    _rule(
        "D010 lastmod-is-generation-time warning",
        message="{percent} % of {n:,} URLs have a lastmod within 5 minutes of {generated_at}, "
        "{origin}",
        requires_rows="generation_times",
        sql=_GENERATED,
        why="This is the time at which the sitemap was generated, not the last change of the page. "
        "Search engines that notice this ignore lastmod on the whole site.",
        fix_hint="Write when each page itself was last changed, or leave lastmod out",
        source="https://www.sitemaps.org/protocol.html#lastmoddef",
        bad={"index.xml": _GENERATED_INDEX, "pages.xml": _ALIKE},
        good={"index.xml": _GENERATED_INDEX, "pages.xml": _SPREAD},
        needs=("set",),
    ),
    _rule(
        "D011 lastmod-coverage info",
        message="{missing:,} of {total:,} URLs have no lastmod",
        requires_rows="undated_entries",
        sql="""
            SELECT t.document, t.n AS total, t.n - t.lastmods AS missing
            FROM totals t JOIN readable s ON s.document = t.document
            WHERE s.kind <> 'text' AND t.lastmods < t.n""",
        why="Search engines use lastmod to fetch changed pages first. Without it, they find a "
        "change only on their next regular visit.",
        fix_hint="Add the date of the last change to each URL",
        bad="<url><loc>https://example.com/</loc></url>",
    ),
    _rule(
        "D012 lastmod-date-only info",
        message="None of {n:,} lastmod values has a time",
        sql=f"SELECT document, count(*) AS n {_DATED} GROUP BY document "
        "HAVING NOT bool_or(has_time)",
        why="If a page changes more than once a day, a date alone hides the later changes. Bing "
        "asks for the time.",
        fix_hint="Add the time and its zone if they are known",
        bad=entry("https://example.com/", lastmod="2026-11-20"),
        is_default=False,
    ),
    _index_rule(
        "D501 index-lastmod-stale warning",
        partition="all",
        message="Index says {lastmod_text}, but the sitemap has an entry of {newest_text}",
        # Seconds may be cut off. Two days are compared as days: most sites have one time zone.
        sql=f"""{_NEWEST}
            SELECT * FROM children
            WHERE newest + CASE WHEN contains(newest_text, ':') OR contains(lastmod_text, ':')
                THEN INTERVAL 0 HOUR ELSE INTERVAL 14 HOUR END
                > latest(lastmod, lastmod_text) + INTERVAL 1 MINUTE""",
        element="lastmod",
        why="Crawlers fetch a sitemap again if its lastmod in the index has changed. With this "
        "date, they do not notice the entry.",
        fix_hint="Write the date of the file's last change in the index",
        bad={**_GOOD_SET, "index.xml": index_of("pages.xml", lastmod="2026-11-12T08:00:00Z")},
    ),
    _index_rule(
        "D502 index-lastmod-constant info",
        partition="all",
        message="All {n:,} sitemaps have the lastmod {lastmod_text}, though their entries differ",
        sql=f"""{_NEWEST}
            SELECT document, count(*) AS n, min(lastmod_text) AS lastmod_text
            FROM listed WHERE document IN (
                SELECT document FROM children GROUP BY document
                HAVING count(DISTINCT newest) > 1)
            GROUP BY document HAVING count(*) >= 5 AND count(lastmod) = count(*)
                AND min(lastmod) = max(lastmod)""",
        why="This is the time at which the index was generated. Crawlers fetch all sitemaps again, "
        "or learn to ignore these dates.",
        fix_hint="Write the date of each file's last change in the index",
        bad={"index.xml": index_of(*_DAYS), **_DAILY},
        good={
            "index.xml": "\n".join(index_of(name, lastmod=day) for name, day in _DAYS.items()),
            **_DAILY,
        },
    ),
    _index_rule(
        "D503 index-lastmod-missing info",
        message="{missing:,} of {total:,} sitemaps in the index have no lastmod",
        sql="""
            SELECT document, count(*) AS total, count(*) FILTER (lastmod_text IS NULL) AS missing
            FROM listed GROUP BY document HAVING count(lastmod_text) < count(*)""",
        why="Crawlers that know which sitemaps changed do not have to fetch the others.",
        fix_hint="Write the date of each file's last change in the index",
        bad={
            **_GOOD_SET,
            "index.xml": "<sitemap><loc>https://example.com/pages.xml</loc></sitemap>",
        },
    ),
)
