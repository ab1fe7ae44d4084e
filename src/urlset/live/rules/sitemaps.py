"""Live rules about the responses for sitemaps, media files and the key of IndexNow (N and R)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import HOME, PAGE, ExampleResponse, entry, page, redirect
from urlset.checker.rule import rule

_HTTP = "https://www.rfc-editor.org/rfc/rfc9110"
_XML = (("content-type", "application/xml"),)
_PAGES = {"": page("Home")}
_GOOD = {"sitemap.xml": ExampleResponse(PAGE, headers=_XML), **_PAGES}
_TYPES = (
    "application/xml|text/xml|application/rss\\+xml|application/atom\\+xml|text/plain|"
    "application/(x-)?gzip|application/octet-stream"
)


def _served(*headers: tuple[str, str]) -> dict[str, ExampleResponse]:
    return {"sitemap.xml": ExampleResponse(PAGE, headers=headers), **_PAGES}


def _image(path: str) -> str:
    image = f"<image:image><image:loc>{HOME}{path}</image:loc></image:image>"
    return entry(f"{HOME}tea", image)


def _video(path: str) -> str:
    return entry(
        f"{HOME}tea",
        f"<video:video><video:thumbnail_loc>{HOME}{path}</video:thumbnail_loc>"
        "<video:title>Tea</video:title><video:description>How tea is made</video:description>"
        f"<video:content_loc>{HOME}tea.mp4</video:content_loc></video:video>",
    )


def _gif(width: int, height: int) -> ExampleResponse:
    """Return a response with a GIF of a size; its header is ASCII for sizes below 128."""
    size = "".join(chr(part) for part in (width % 256, width // 256, height % 256, height // 256))
    return ExampleResponse(f"GIF89a{size}", headers=(("content-type", "image/gif"),))


_MP4 = ExampleResponse("(a video)", headers=(("content-type", "video/mp4"),))

_rule = partial(rule, needs=("live",), good=_GOOD)

RULES = (
    _rule(
        "N002 sitemap-redirect warning",
        heading="Sitemaps that redirect",
        message="{source_url} redirects to {target}",
        sql="""
            SELECT document, source, url, CASE WHEN len(redirects) > 5
                OR host_of(source) <> host_of(url) THEN 'error' ELSE 'warning' END AS level
            FROM fetched_sitemaps WHERE len(redirects) > 0""",
        values={"source_url": "preview(source)", "target": "preview(url)"},
        why="Search engines follow redirects of a sitemap, but each costs time, and which URLs it "
        "may list is decided by its final host.",
        fix_hint="Name the final URL in robots.txt, in the index and in Search Console",
        source=_HTTP,
        bad={
            "robots.txt": "Sitemap: https://example.com/map.xml",
            "map.xml": redirect("/sitemap-1.xml"),
            "sitemap-1.xml": ExampleResponse(PAGE, headers=_XML),
            **_PAGES,
        },
    ),
    _rule(
        "N004 sitemap-content-type warning",
        heading="Sitemaps with a wrong Content-Type",
        message="Content-Type is {type}",
        sql=f"""
            SELECT document, type, if(type = 'text/html', 'warning', 'info') AS level
            FROM (SELECT document, lower(trim(split_part(content_type, ';', 1))) AS type
                FROM fetched_sitemaps)
            WHERE NOT regexp_full_match(type, '{_TYPES}')""",
        why="Some crawlers decide by the Content-Type whether a file is a sitemap, and read one "
        "with text/html as a page.",
        fix_hint="Serve XML as application/xml, text as text/plain and compressed files as "
        "application/gzip",
        source="https://www.rfc-editor.org/rfc/rfc7303",
        bad=_served(("content-type", "text/html")),
    ),
    _rule(
        "N005 sitemap-charset warning",
        heading="Sitemaps whose header names another charset",
        message="The header says charset={charset}, a sitemap is UTF-8",
        sql=r"""
            SELECT document, charset FROM (
                SELECT document, lower(regexp_extract(content_type,
                    '(?i)charset\s*=\s*"?([^\s;"]+)', 1)) AS charset
                FROM fetched_sitemaps)
            WHERE charset NOT IN ('', 'utf-8', 'utf8', 'us-ascii')""",
        values={"charset": "preview(charset)"},
        why="The header takes precedence over the declaration in the file, so letters other than "
        "ASCII are misread.",
        fix_hint="Remove charset from the header, or set it to utf-8",
        source="https://www.rfc-editor.org/rfc/rfc7303#section-3",
        bad=_served(("content-type", "application/xml; charset=iso-8859-1")),
    ),
    _rule(
        "N009 sitemap-no-validators info",
        message="The response has neither ETag nor Last-Modified",
        view="fetched_sitemaps",
        where="etag IS NULL AND last_modified IS NULL",
        why="With one of them, search engines ask whether the file has changed, and need not "
        "transfer it again. Bing fetches sitemaps every day.",
        fix_hint="Configure the server to send ETag or Last-Modified, and to respond with 304",
        source=f"{_HTTP}#section-13",
        bad=_GOOD,
        good=_served(*_XML, ("etag", '"1"')),
        is_default=False,
    ),
    _rule(
        "N010 sitemap-slow warning",
        heading="Slow sitemaps",
        message="The response takes {seconds:.1f} s",
        view="fetched_sitemaps",
        where="seconds > 10",
        why="Search engines end a transfer that takes too long, and visit slow sites less often.",
        fix_hint="Generate the sitemap in advance instead of on request",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "large-site-managing-crawl-budget",
        bad=_served(*_XML, ("x-seconds", "12")),
    ),
    _rule(
        "N006 sitemap-gz-encoding warning",
        message="{source_url} is served with Content-Encoding: gzip",
        sql="""
            SELECT s.document, s.source FROM readable s
            JOIN probes p ON p.kind = 'packed' AND p.url = s.source""",
        values={"source_url": "preview(source)"},
        why="Clients undo the encoding and store XML under the name of a gzip file. Programs that "
        "then decompress it fail.",
        fix_hint="Serve the file without Content-Encoding, as application/gzip",
        source=f"{_HTTP}#section-8.4",
        bad={
            "robots.txt": "Sitemap: https://example.com/map.xml.gz",
            "map.xml.gz": ExampleResponse(
                PAGE, headers=(("content-type", "application/gzip"), ("content-encoding", "gzip"))
            ),
            **_PAGES,
        },
    ),
    _rule(
        "N011 sitemap-ua-dependent warning",
        heading="Sitemaps that search engines cannot request",
        message="{source_url} returns HTTP {status} to a client that is named {agent}",
        # A rate limit, an overloaded server or no response is no refusal of the name.
        sql="""
            SELECT s.document, s.source, p.status, p.detail AS agent FROM readable s
            JOIN probes p ON p.kind = 'agent' AND p.url = s.source
            WHERE p.status <> 200 AND p.status <> 429 AND p.status < 500""",
        values={"source_url": "preview(source)", "agent": "preview(agent)"},
        why='A firewall refuses clients by their name. Search Console then says "Couldn\'t fetch". '
        "It may also let the real search engines pass, by their address.",
        fix_hint="Look into the log of the firewall whether search engines are refused",
        source=_HTTP,
        bad={"sitemap.xml": ExampleResponse(PAGE, headers=(*_XML, ("x-agent-status", "403")))}
        | _PAGES,
        is_default=False,
    ),
    _rule(
        "N113 media-unreachable warning",
        heading="Images and videos that cannot be loaded",
        message="{role} {page}: {fault}",
        sql="""
            SELECT l.document, l."offset", l.line, l.loc, p.url, p.detail AS role, p.fault
            FROM probes p JOIN listed_urls l ON l.key = p.key
            WHERE p.kind = 'media' AND p.fault IS NOT NULL""",
        values={"page": "preview(url)"},
        why="Search engines cannot show an image or a video that they cannot fetch, and Search "
        "Console reports the page.",
        fix_hint="Restore the file, or remove it from the entry",
        source="https://developers.google.com/search/docs/appearance/video",
        bad={"sitemap.xml": _image("tea.gif"), "tea": page("Tea")},
        good={"sitemap.xml": _image("tea.gif"), "tea": page("Tea"), "tea.gif": _gif(100, 100)},
    ),
    _rule(
        "N114 thumbnail-size warning",
        heading="Thumbnails that are too small",
        message="Thumbnail {page} is {width}x{height} pixels, expected 60x30 or more",
        sql="""
            SELECT l.document, l."offset", l.line, l.loc, p.url, p.width, p.height
            FROM probes p JOIN listed_urls l ON l.key = p.key
            WHERE p.kind = 'media' AND p.detail = 'Thumbnail' AND (p.width < 60 OR p.height < 30)
            """,
        values={"page": "preview(url)"},
        why="Google shows no thumbnail that is smaller than 60x30 pixels, and no video without a "
        "thumbnail.",
        fix_hint="Provide a larger image",
        source="https://developers.google.com/search/docs/appearance/video",
        bad={
            "sitemap.xml": _video("tea.gif"),
            "tea": page("Tea"),
            "tea.gif": _gif(40, 20),
            "tea.mp4": _MP4,
        },
        good={
            "sitemap.xml": _video("tea.gif"),
            "tea": page("Tea"),
            "tea.gif": _gif(100, 100),
            "tea.mp4": _MP4,
        },
        is_default=False,
    ),
    _rule(
        "R014 indexnow-key warning",
        heading="The key file of IndexNow",
        message="IndexNow key file {page}: {fault}",
        sql="""
            SELECT url AS source, url, fault FROM probes
            WHERE kind = 'indexnow' AND fault IS NOT NULL""",
        values={"page": "preview(url)"},
        why="Search engines accept URLs that are submitted by IndexNow only if the key file is "
        "public, contains the key, and is in a folder above the URLs.",
        fix_hint="Publish the key as a UTF-8 text file in the root folder of the host",
        source="https://www.indexnow.org/documentation",
        bad={**_GOOD, "indexnow-key.txt": "a1b2c3d4e5f6"},
        good={
            **_GOOD,
            "indexnow-key.txt": "a1b2c3d4e5f6",
            "a1b2c3d4e5f6.txt": ExampleResponse(
                "a1b2c3d4e5f6", headers=(("content-type", "text/plain"),)
            ),
        },
    ),
)
