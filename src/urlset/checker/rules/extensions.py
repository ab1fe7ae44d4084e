"""Rules about image and news entries, and about extensions that are no longer read (codes G…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.macros import names_where
from urlset.checker.rule import engine_rule, rule
from urlset.protocol import URIS, Ns

_IMAGE_SOURCE = (
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps"
)
_REMOVED = "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions"


def _entry(*images: str) -> str:
    """Return a ``url`` element with images; each string is the content of one ``image:image``."""
    found = "\n".join(f"  <image:image>{image}</image:image>" for image in images)
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"{found}</url>"
    )


_IMAGE = "<image:loc>https://example.com/a.jpg</image:loc>"
_DEAD_IMAGE_TAGS = {
    f"image:{name}": f"image.{name} IS NOT NULL"
    for name in ("caption", "geo_location", "title", "license")
}


_NEWS_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap"


def _article(
    date: str = "2026-11-20T08:00:00Z",
    *,
    name: str = "The Rye",
    language: str = "en",
    title: str = "<news:title>Harvest</news:title>",
    more: str = "",
) -> str:
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        "  <news:news>\n"
        f"    <news:publication><news:name>{name}</news:name>"
        f"<news:language>{language}</news:language></news:publication>\n"
        f"    <news:publication_date>{date}</news:publication_date>{title}{more}\n"
        "  </news:news></url>"
    )


_MISSING = {
    f"news:{name}": f"news.{name} IS NULL"
    for name in ("name", "language", "publication_date", "title")
}
_DEAD_NEWS_TAGS = {
    f"news:{name}": f"news.{name} IS NOT NULL"
    for name in ("access", "genres", "keywords", "stock_tickers")
}

_BEGIN = "earliest(w3c_instant(news.publication_date), news.publication_date)"
_END = "latest(w3c_instant(news.publication_date), news.publication_date)"


_PAGE = "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>{}</url>"
_BAIDU = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n'
    f'  xmlns:mobile="{URIS[Ns.BAIDU]}">\n{_PAGE}\n</urlset>'
)

_DEAD_NAMESPACES = {
    Ns.MOBILE: "Mobile sitemaps, for feature phones, are no longer read by any search engine",
    Ns.GEO: "Geo sitemaps are no longer read by any search engine",
    Ns.CODESEARCH: "Code Search was shut down, so its sitemaps are no longer read",
    Ns.PAGEMAP: "PageMaps are read only by Programmable Search, not by Google Search",
}
_TABLE = ", ".join(
    f"('{URIS[ns]}', '{description}')" for ns, description in _DEAD_NAMESPACES.items()
)

# In `extra`, attribute values are escaped and in double quotes.
_TYPE = r"regexp_extract(extra, '<(?:[\w.-]+:)?mobile\b[^>]*\stype=\"([^\"]*)\"', 1)"


_rule = partial(rule, source=_NEWS_SOURCE, view="articles", good=_article())
_image_rule = partial(_rule, source=_IMAGE_SOURCE, view="images", good=_entry(_IMAGE))

RULES = (
    engine_rule(
        "G001",
        why="An image is identified by its URL. Without one, the other elements have no effect.",
        fix_hint="Add the URL of the image, or remove the image:image",
        source=_IMAGE_SOURCE,
        bad=_entry(_IMAGE, "<image:loc></image:loc>"),
        good=_entry(_IMAGE),
    ),
    _image_rule(
        "G002 image-loc-invalid error",
        message='image:loc "{v}" {fault}',
        where="url_fault(image.loc) IS NOT NULL",
        values={"v": "preview(image.loc)", "fault": "url_fault(image.loc)"},
        element="image:loc",
        why="An image is fetched from exactly this URL. A path or an invalid URL finds no image.",
        fix_hint="Write the full URL with https:// and the host, and percent-encode it",
        bad=_entry("<image:loc>/a.jpg</image:loc>"),
    ),
    _image_rule(
        "G003 image-removed-tag info",
        message="{tags} of an image: ignored by search engines since 2022",
        where=" OR ".join(_DEAD_IMAGE_TAGS.values()),
        values={"tags": names_where(_DEAD_IMAGE_TAGS)},
        element="image:image",
        why="Google has removed these elements from image sitemaps, and uses the text around the "
        "image on its page.",
        fix_hint="Remove them, and write captions on the page",
        source=_REMOVED,
        bad=_entry(f"{_IMAGE}<image:title>Rye</image:title>"),
    ),
    _rule(
        "G004 image-duplicate info",
        message="Image {image} is listed {n} times on this page",
        requires_rows="images",
        sql="""
            SELECT document, "offset", line, loc, preview(src) AS image, count(*) AS n,
                max(nth) AS nth
            FROM (
                SELECT e.document, e.entry, e."offset", e.line, e.loc,
                    unnest(list_transform(e.images, lambda i: i.loc)) AS src,
                    generate_subscripts(e.images, 1) AS nth
                FROM entries e JOIN readable s ON s.document = e.document
                WHERE len(e.images) > 1 AND len(list_distinct(
                    list_transform(e.images, lambda i: text_hash(i.loc)))) < len(e.images))
            GROUP BY document, entry, "offset", line, loc, src HAVING count(*) > 1""",
        element="image:image",
        why="Repetitions have no effect and count towards the 1,000 images of a page.",
        fix_hint="List each image once on a page",
        source=_IMAGE_SOURCE,
        bad=_entry(_IMAGE, _IMAGE),
        good=_entry(_IMAGE, "<image:loc>https://example.com/b.jpg</image:loc>"),
        view=None,
    ),
    _image_rule(
        "G005 image-is-page warning",
        message="image:loc is the URL of the page itself",
        # If the loc is an image file, U020 reports that.
        where="CASE WHEN same_url(image.loc, loc) THEN NOT regexp_matches(path_of(loc), "
        "'(?i)\\.(png|jpe?g|gif|webp|avif|svg|bmp|tiff?)$') ELSE false END",
        element="image:loc",
        why="This is the URL of a page and not of an image, so no image is found.",
        fix_hint="Write the URL of the image file",
        bad=_entry("<image:loc>https://example.com/a</image:loc>"),
    ),
    _rule(
        "G050 news-missing-required error",
        message="news:news without {missing}",
        where=" OR ".join(_MISSING.values()),
        values={"missing": names_where(_MISSING)},
        element="news:news",
        why="Google requires the publication, its language, the date and the title of an article, "
        "and otherwise ignores the article.",
        fix_hint="Add publication name and language, date and title to each article",
        bad=_article(title=""),
    ),
    _rule(
        "G051 news-language error",
        message='news:language "{v}" is not a language of ISO 639, nor zh-cn or zh-tw',
        where="CASE WHEN news.language IS NULL OR news.language IN ('en', 'zh-cn', 'zh-tw') "
        "THEN false WHEN length(news.language) = 2 THEN NOT is_language(news.language) "
        "ELSE NOT regexp_full_match(news.language, '[a-z]{3}') END",
        values={"v": "preview(news.language)"},
        element="news:language",
        why="The language of a publication has two or three lower-case letters, without a country. "
        "Only zh-cn and zh-tw have one.",
        fix_hint="Write the code of the language alone: en for en-US",
        bad=_article(language="en-US"),
    ),
    _rule(
        "G052 news-date error",
        message='news:publication_date "{v}" {fault}',
        where="w3c_fault(news.publication_date) IS NOT NULL",
        values={"v": "preview(news.publication_date)", "fault": "w3c_fault(news.publication_date)"},
        element="news:publication_date",
        why="Without a valid date, search engines cannot tell whether the article is news.",
        fix_hint="Write the day, or the day with time and zone, as in 2026-11-20T08:00:00+01:00",
        bad=_article("2026-11-20T08:00:00"),
        good=_article("2026-11-20T08:00:00+01:00"),
    ),
    _rule(
        "G053 news-too-old warning",
        message="Article is {n:,.1f} hours old; the limit is 48 hours",
        where=f"{_END} < check_time() - INTERVAL 48 HOURS",
        # Rounded up: 48 hours and ten seconds are 48.1.
        values={
            "n": "ceil(date_diff('second', w3c_instant(news.publication_date), check_time()) / 360)"
            " / 10"
        },
        element="news:publication_date",
        why="A news sitemap is for articles of the last two days. Older ones stay in search and do "
        "not need a news:news.",
        fix_hint="Remove the news:news, or the entry, of articles older than two days",
        bad=_article("2026-11-18T08:00:00Z"),
        good=_article("2026-11-20T08:00:00Z"),
        needs=("time",),
    ),
    _rule(
        "G054 news-future warning",
        message='news:publication_date "{v}" is in the future',
        where=f"{_BEGIN} > check_time() + INTERVAL 1 HOUR",
        values={"v": "preview(news.publication_date)"},
        element="news:publication_date",
        why="This is the time of first publication. A time in the future usually has the wrong "
        "time zone.",
        fix_hint="Write the time of publication with the correct offset from UTC",
        bad=_article("2026-11-21T14:00:00Z"),
        good=_article("2026-11-21T12:00:00Z"),
        needs=("time",),
    ),
    engine_rule(
        "G055",
        why="A page is one article. If there are several articles or values, the first one is "
        "read.",
        fix_hint="Keep one news:news in each url, and each of its elements once",
        source=_NEWS_SOURCE,
        bad=_article(more="<news:title>Sowing</news:title>"),
        good=_article(),
    ),
    _rule(
        "G056 news-name info",
        message='news:name "{v}" {reason}',
        requires_rows="articles",
        sql=r"""
            SELECT document, "offset", line, loc, preview(news.name) AS v,
                'has words in parentheses' AS reason
            FROM articles WHERE regexp_matches(news.name, '\([^)]*\)')
            UNION ALL
            SELECT document, first.*, preview(name) AS v,
                'is also written "' || preview(usual) || '"'
            FROM (
                SELECT document, name, first, first_value(name) OVER same AS usual
                FROM (
                    SELECT document, news.language AS language, news.name AS name, count(*) AS n,
                        arg_min({"offset": "offset", line: line, loc: loc}, "offset") AS first
                    FROM articles WHERE news.name IS NOT NULL GROUP BY ALL)
                WINDOW same AS (PARTITION BY document, language, lower(
                    regexp_replace(name, '[\s\pP]|(?i:^the )', '', 'g')) ORDER BY n DESC, name)
            ) WHERE name <> usual""",
        element="news:name",
        why="The name must be exactly the one on news.google.com, without any text in parentheses.",
        fix_hint="Use one spelling of the name, without parentheses",
        bad=_article(name="The Rye (subscription)"),
        view=None,
    ),
    _rule(
        "G057 news-removed-tag info",
        message="{tags}: no longer used by search engines",
        where=" OR ".join(_DEAD_NEWS_TAGS.values()),
        values={"tags": names_where(_DEAD_NEWS_TAGS)},
        element="news:news",
        why="Google's documentation of news sitemaps has only name, language, date and title.",
        fix_hint="Remove it, unless other readers use it",
        bad=_article(more="<news:keywords>rye</news:keywords>"),
    ),
    _rule(
        "G070 dead-extension info",
        message="{description}; entries with it in this file: {n:,}",
        # One finding for each file and extension, at the first entry that has it.
        requires_rows="extended",
        sql=f"""
            SELECT document, description, n, unnest(first) FROM (
                SELECT u.document, d.description, count(*) AS n, arg_min(
                    {{"offset": u."offset", line: u.line, loc: u.loc}}, u."offset") AS first
                FROM extended u JOIN (VALUES {_TABLE}) d(uri, description)
                    ON contains(u.extra, '"' || d.uri || '"')
                GROUP BY u.document, d.description)""",
        why="An extension that no search engine reads makes files larger and has no effect.",
        fix_hint="Remove the extension",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/"
        "combine-sitemap-extensions",
        bad=_PAGE.format("<mobile:mobile/>"),
        good=_PAGE.format(""),
        view=None,
    ),
    _rule(
        "G071 baidu-mobile-type warning",
        message='type "{v}" of mobile:mobile is none that Baidu knows',
        view="extended",
        where="CASE WHEN NOT contains(extra, "
        f"'\"{URIS[Ns.BAIDU]}\"') THEN false ELSE {_TYPE} NOT IN "
        "('', 'mobile', 'pc,mobile', 'htmladapt', 'autoadapt') END",
        values={"v": f"preview({_TYPE})"},
        element="mobile",
        why="Baidu uses the type to decide whether a page is for phones, for computers or for "
        "both. It ignores unknown types.",
        fix_hint="Write mobile, pc,mobile or htmladapt, or omit type",
        source="Baidu on mobile sitemaps, as webmasters quote it",
        bad=_BAIDU.format('<mobile:mobile type="phone"/>'),
        good=_BAIDU.format('<mobile:mobile type="pc,mobile"/>'),
    ),
)
