# ruff: noqa: E501 - shapes are in rows
"""Pages, headers and robots.txt files of a stranger, against the commands that visit pages."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from tests.hostile.attacks import Make, shape
from tests.hostile.commands import Attack, Stage
from tests.site_box import Hit, Player, Wire, head, page

HTML = "text/html; charset=utf-8"
CRAWL = "crawl {site} --store a.duckdb --confirm-after 0 --delay 0"
CRAWL_PAGES = f"{CRAWL} --max-pages 5 --no-sitemaps"
AUDIT = "audit {site} --confirm-after 0 --delay 0 --crawl --max-requests 30"
HEADS = "audit {site} --confirm-after 0 --delay 0 --head-only --no-media"
SYNC = "sync {site} --store a.duckdb --delay 0 -o a.jsonl"
LIVE = "diff before.txt {site} --live --delay 0"
SUBMIT = "submit changes.jsonl --to indexnow --keys keys.txt --endpoint {site}/indexnow --store a.duckdb --preflight-pages 3 --max-wait 1"


def body(make: Make, kind: str = HTML) -> Callable[[Stage], None]:
    """Return what puts a hostile page into a site of three pages."""

    def put(stage: Stage) -> None:
        stage.pages()
        stage.box.put("/evil", make(stage.size), kind=kind)

    return put


def moved(make: Make) -> Callable[[Stage], None]:
    """Return what puts a hostile page at a URL that was removed."""

    def put(stage: Stage) -> None:
        stage.pages(listed=("/", "/tea"))
        stage.box.put("/evil", make(stage.size), kind=HTML)
        stage.file("before.txt", f"{stage.box.url('/')}\n{stage.box.url('/evil')}\n")
        stage.expected = ("/evil",)

    return put


def announced(make: Make) -> Callable[[Stage], None]:
    """Return what puts a hostile page among those that are announced."""

    def put(stage: Stage) -> None:
        stage.pages()
        box = stage.box
        box.put("/evil", make(stage.size), kind=HTML)
        box.put("/0123456789abcdef.txt", "0123456789abcdef", kind="text/plain")
        box.put("/indexnow", "", 202)
        changes = [
            f'{{"change": "changed", "loc": "{box.url(path)}"}}\n' for path in ("/evil", "/tea")
        ]
        stage.file("changes.jsonl", "".join(changes))
        stage.file("keys.txt", f"127.0.0.1:{box.port} 0123456789abcdef\n")
        stage.expected = ("/tea",)

    return put


def robots(make: Make, paths: Callable[[int], list[str]] = lambda _: []) -> Callable[[Stage], None]:
    """Return what puts a hostile robots.txt, of at most 500 KB, and listed URLs for its rules."""

    def put(stage: Stage) -> None:
        listed = paths(stage.size)
        stage.pages(listed=("/", "/evil", "/tea", *listed))
        sitemap = f"\nSitemap: {stage.box.url('/sitemap.xml')}\n".encode()
        text = make(100_000 if listed else min(stage.size, 500_000))
        stage.box.put("/robots.txt", sitemap + text, kind="text/plain")
        stage.expected = ("/sitemap.xml",)

    return put


def raw(data: bytes) -> Player:
    """Return what answers with these bytes instead of an HTTP response."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(data)
        return False

    return play


def header(make: Callable[[int], bytes], path: str = "/evil") -> Callable[[Stage], None]:
    """Return what puts a page with hostile header lines."""

    def put(stage: Stage) -> None:
        stage.pages()
        content = b"<title>a</title><p>b</p><a href=/tea>c</a>"
        first = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n" % len(content)
        stage.box.play(path, raw(first + make(stage.size) + b"\r\n" + content))

    return put


def alone(put: Callable[[Stage], None]) -> Callable[[Stage], None]:
    """Return what prepares the same, for a command that visits no other page."""

    def put_alone(stage: Stage) -> None:
        put(stage)
        stage.expected = ()

    return put_alone


def lines(name: str, value: str, most: int = 100) -> Callable[[int], bytes]:
    """Return a maker of header lines of 32 KB with one name, and one of a few for the rest."""

    def make(size: int) -> bytes:
        line = f"{name}: {value * max(1, min(size, 30_000) // len(value))}\r\n".encode()
        return line * min(most, max(1, size // len(line)))

    return make


def redirects(stage: Stage) -> None:
    """Lead from each URL to one that is longer, over as many pages as the size in kilobytes."""
    stage.pages()

    async def further(hit: Hit, wire: Wire) -> bool:
        more = "a" * (stage.size // 40)
        await wire.send(head(302, 0, location=f"{hit.path}{more}"))
        return True

    stage.box.play("/evil", further)
    stage.box.otherwise = further


def links(stage: Stage) -> None:
    """Link to redirects, which all lead on to others."""
    stage.pages()
    count = max(1, stage.size // 1_000)
    anchors = "".join(f"<a href=/r{number}>a</a>" for number in range(count))
    stage.box.put("/evil", anchors, kind=HTML)

    async def further(hit: Hit, wire: Wire) -> bool:
        number = int(hit.path[2:]) + 1 if hit.path.startswith("/r") else 0
        await wire.send(head(302, 0, location=f"/r{number}") if number < count else head(404, 0))
        return True

    stage.box.otherwise = further


def drops(stage: Stage) -> None:
    """Send a page in small chunks, each of them a piece of its own."""
    stage.pages()
    data = b"<html><head><title>a</title><!--" + b"a" * stage.size

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, None, HTML, transfer_encoding="chunked"))
        for start in range(0, len(data), 64):
            piece = data[start : start + 64]
            await wire.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        await wire.send(b"0\r\n\r\n")
        return True

    stage.box.play("/evil", play)


def encoded(encode: Callable[[bytes], bytes], name: str) -> Callable[[Stage], None]:
    def put(stage: Stage) -> None:
        stage.pages()
        data = encode(b"<title>a</title>" + b"a b " * (stage.size // 4))
        stage.box.play("/evil", page(data, kind=HTML, content_encoding=name))

    return put


def evil_urls(shape_: str) -> Callable[[int], list[str]]:
    """Return a maker of paths of 2 KB, together of a size."""

    def paths(size: int) -> list[str]:
        path = (shape_ * 2_000)[:1_900]
        return [f"/{path}{number}" for number in range(size // 2_000)]

    return paths


def short_urls(size: int) -> list[str]:
    return [f"/{number}-abcabcabc" for number in range(size // 60)]


def many(text: str, *, status: int = 200, **headers: str) -> Callable[[Stage], None]:
    """Return what serves one page for each kilobyte of the size; ``{n}`` in them is its number."""

    def put(stage: Stage) -> None:
        count = max(3, stage.size // 1_000)
        stage.pages(listed=tuple(f"/{number}" for number in range(count)))
        stage.expected = ("/0", f"/{count - 1}")
        for number in range(count):
            after = str((number + 1) % count)
            content = text.replace("{n}", str(number)).replace("{next}", after)
            some = {
                name: value.replace("{n}", str(number)).replace("{next}", after)
                for name, value in headers.items()
            }
            stage.box.put(f"/{number}", content, status, kind=HTML, **some)

    return put


SAME = "".join(f"<link rel=alternate hreflang=a{i} href=/{i}>" for i in range(40))
SITES: dict[str, Callable[[Stage], None]] = {
    "pages of one title": many("<title>a</title><h1>a</h1><p>The same text on each page."),
    "pages of one canonical": many("<link rel=canonical href=/0><title>{n}</title>"),
    "chain of canonicals": many("<link rel=canonical href=/{next}><title>{n}</title>"),
    "pages of the same alternates": many(f"{SAME}<title>{{n}}</title>"),
    "pages of one link": many("<a href=/tea>a</a><title>{n}</title>"),
    "chain of links": many("<a href=/{next}>a</a><title>{n}</title>"),
    "circle of redirects": many("", status=301, location="/{next}"),
    "redirects to one page": many("", status=301, location="/tea"),
    "pages of one image": many("<img src=/i.png><img src=/i.png><title>{n}</title>"),
    "pages that are gone": many("gone", status=410),
    "pages with an ETag": many(
        "<title>a</title>", etag='"a"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT"
    ),
    "links between all pages": many(
        "".join(f"<a href=/{i}>a</a>" for i in range(100)) + "<title>{n}</title>"
    ),
}


MARKS = "\u0301\u0327"
PAGES: dict[str, Make] = {
    "combining marks in a title": shape("<title>a", MARKS, "</title>"),
    "combining marks in the text": shape("<p>a", MARKS),
    "combining marks in a link": shape('<a href="/a', MARKS, '">x</a>'),
    "meta elements of robots": shape("", "<meta name=a{n} content=noindex>"),
    "tokens of robots": shape("<meta name=robots content='", "noindex,", "'>"),
    "agents of robots": shape("", "<meta name=googlebot content='unavailable_after: 1 Jan 2020'>"),
    "objects of JSON-LD": shape("<script type=application/ld+json>", '{"a":', "</script>"),
    "dates of JSON-LD": shape("<script type=application/ld+json>[", '{"@type":"Article","dateModified":"2020-01-01T00:00:00Z"},', "0]</script>"),
    "types of JSON-LD": shape('<script type=application/ld+json>{"@type":[', '"Article",', '"a"],"dateModified":"2020"}</script>'),
    "escapes of JSON-LD": shape('<script type=application/ld+json>{"a":"', "\\ud800", '"}</script>'),
    "one title": shape("<title>", "a ", "</title>"),
    "headings": shape("", "<h1>a</h1>"),
    "bases": shape("", "<base href=/a{n}/><a href=b>x</a>"),
    "named references": shape("<p>", "&NotEqualTilde;"),
    "noscript": shape("", "<noscript><a href=/x>"),
    "foreign objects": shape("", "<svg><foreignObject><math><mi>"),
    "foster parents": shape("<table>", "a<b>"),
    "framesets": shape("", "<frameset><frame src=/a>"),
    "rubies": shape("", "<ruby><rt>"),
    "list items": shape("", "<ul><li>"),
    "definition items": shape("", "<dl><dd>"),
    "buttons": shape("", "<button><p>"),
    "open main": shape("", "<main>a"),
    "open articles": shape("", "<article>a"),
    "navigation": shape("", "<nav><main>a</main>"),
    "links to other hosts": shape("", "<a href=//h{n}.example/>a</a>"),
    "links of folders": shape("", '<a href="/' + "../a/" * 400 + '{n}">a</a>'),
    "links of percent signs": shape("", '<a href="/' + "%41%zz" * 300 + '{n}">a</a>'),
    "links of international names": shape("", '<a href="http://' + "é." * 20 + '{n}/">a</a>'),
    "links of parameters": shape("", '<a href="/?' + "a=b&amp;" * 200 + '{n}">a</a>'),
    "links that differ in a parameter": shape("", "<a href=/s?a{n}={n}>a</a>"),
    "links of a calendar": shape("", "<a href=/c/20{n}/12/>a</a>"),
    "links of sessions": shape("", "<a href=/x;jsessionid=0123456789ABCDEF{n}>a</a>"),
    "links of segments": shape("", "<a href=/a/b/a/b/a/b/a/b/{n}>a</a>"),
    "words of rel": shape('<a href=/a rel="', "nofollow ", '">a</a>'),
    "words of a class": shape('<div class="', "cookie-consent ", '">a</div>'),
    "lang": shape('<html lang="', "a-", '">'),
    "hreflang": shape('<link rel=alternate href=/ hreflang="', "de-", '">'),
    "alternates of one language": shape("<head>", "<link rel=alternate hreflang=de href=/{n}>"),
    "images of Open Graph": shape("<head>", "<meta property=og:image content=/a{n}.png>"),
    "dates of Open Graph": shape("<head>", "<meta property=article:modified_time content=2020-01-01>"),
    "descriptions": shape("<head>", "<meta name=description content=a>"),
    "sizes of an image": shape('<img src=/a sizes="', "(a) 1px,", '">'),
    "sources of a video": shape("<video>", "<source src=/a{n}.mp4>"),
    "charsets": shape("", "<meta charset=a{n}>"),
    "a long charset": shape("<meta charset=", "utf-8-"),
    "one word": shape("<p>", "a"),
    "lines of a digit": shape("<p>", "1<br>"),
    "invisible characters": shape("<p>a", "\u200b\u00ad"),
    "right-to-left marks": shape("<title>a", "\u202e\u2066", "</title>"),
    "NUL": shape("<p>", "\0"),
    "not-found words": shape("<title>", "404 not found ", "</title>"),
    "redirects by script": shape("", "<script>location.href='/a{n}'</script>"),
    "plaintext": shape("<plaintext>", "<a href=/x>"),
    "conditional comments": shape("", "<!--[if IE]>"),
    "attributes of one name": shape("<a ", "href=/a ", ">x</a>"),
    "forms": shape("", "<form><input type=hidden>"),
    "marks of permalinks": shape("<p>", "\u00b6 "),
}  # fmt: skip

ATTACKS: list[Attack] = [
    *(Attack(f"page: {name}", CRAWL_PAGES, body(make)) for name, make in PAGES.items()),
    *(
        Attack(f"page, {verb}: {name}", words, put(PAGES[name]))
        for verb, words, put in (
            ("audit", AUDIT, body),
            ("sync", SYNC, body),
            ("diff", LIVE, moved),
            ("submit", SUBMIT, announced),
        )
        for name in ("combining marks in the text", "objects of JSON-LD", "links of folders", "bases")
    ),
    *(
        Attack(f"site, {verb}: {name}", words, put)
        for name, put in SITES.items()
        for verb, words in (
            ("crawl", CRAWL),
            ("audit", "audit {site} --confirm-after 0 --delay 0 --crawl"),
        )
    ),
    Attack("page: UTF-16 without a mark", CRAWL, body(lambda n: ("<a href=/x>" * (n // 22)).encode("utf-16-le"))),
    Attack("page: Shift JIS", CRAWL, body(lambda n: b"<meta charset=shift_jis>" + b"\x81" * n)),
    Attack("page: kind of thousands of letters", CRAWL, body(shape("<p>", "a"), "text/html;" + "a" * 20_000)),
    Attack("header: Link", CRAWL, header(lines("link", "</a>; rel=alternate; hreflang=de, "))),
    Attack("header: Link parameters", CRAWL, header(lines("link", '; title="a"'))),
    Attack("header: Link, audit", AUDIT, header(lines("link", "</a>; rel=canonical, "))),
    Attack("header: Link, sync", SYNC, header(lines("link", "</a>; rel=canonical, "))),
    Attack("header: X-Robots-Tag", CRAWL, header(lines("x-robots-tag", "a: noindex, "))),
    Attack("header: X-Robots-Tag, audit", AUDIT, header(lines("x-robots-tag", "unavailable_after: 1 Jan 2020, "))),
    Attack("header: X-Robots-Tag, sync", SYNC, header(lines("x-robots-tag", "noai, "))),
    Attack("header: Content-Usage, sync", SYNC, header(lines("content-usage", "train-ai=n, "))),
    Attack("header: Content-Type", CRAWL, header(lines("content-type", "; charset=a"))),
    Attack("header: ETag", CRAWL, header(lines("etag", '"a" '))),
    Attack("header: ETag, sync", SYNC, header(lines("etag", 'W/"a", '))),
    Attack("header: Last-Modified", CRAWL, header(lines("last-modified", "Mon, 1 Jan (", 1))),
    Attack("header: Cache-Control", CRAWL, header(lines("cache-control", "max-age=1, "))),
    Attack("header: Set-Cookie", CRAWL, header(lines("set-cookie", "a=b; "))),
    Attack("header: folded lines", CRAWL, header(lambda n: b"link: <a>;\r\n" + b" a=b;\r\n" * (n // 8))),
    Attack("header: names", CRAWL, header(lambda n: b"".join(b"x-%d: a\r\n" % i for i in range(n // 10)))),
    Attack("header: Content-Encoding", CRAWL, header(lines("content-encoding", "gzip, "))),
    Attack("header: Date", CRAWL, header(lines("date", "1:", 1))),
    Attack("header: Age", CRAWL, header(lines("age", "1", 1))),
    Attack("header: of robots.txt", CRAWL, header(lines("content-type", "; charset=a"), "/robots.txt")),
    Attack("header: of a sitemap", "check {site}", alone(header(lines("x-robots-tag", "noindex, "), "/sitemap.xml"))),
    Attack("redirects to longer URLs", CRAWL, redirects),
    Attack("redirects to longer URLs, audit", AUDIT, redirects),
    Attack("redirects to longer URLs, read", "read {site}/evil", alone(redirects)),
    Attack("redirects in a row", CRAWL, links),
    Attack("small chunks, crawl", CRAWL, drops),
    Attack("small chunks, audit of heads", HEADS, drops),
    Attack("gzip of gzip of gzip", CRAWL, encoded(lambda data: gzip.compress(gzip.compress(gzip.compress(data))), "gzip, gzip, gzip")),
    Attack("gzip cut", CRAWL, encoded(lambda data: gzip.compress(data)[:-9], "gzip")),
    Attack("gzip members of a byte", CRAWL, encoded(lambda data: gzip.compress(b"a") * (len(data) // 21), "gzip")),
    Attack("robots.txt: agents and delays", CRAWL, robots(lambda n: b"".join(b"User-agent:a%d\n" % i for i in range(n // 32)) + b"Crawl-delay:1\n" * (n // 28))),
    Attack("robots.txt: groups of one agent", CRAWL, robots(shape("", "User-agent: *\nAllow: /{n}\n"))),
    Attack("robots.txt: groups of urlset", CRAWL, robots(shape("", "User-agent: urlset-a{n}\nAllow: /{n}\n"))),
    Attack("robots.txt: wildcards and long URLs, check", "check {site}", robots(shape("User-agent: *\n", "Disallow: /*a*a*a*a*a*a*a*b{n}$\n"), evil_urls("a"))),
    Attack("robots.txt: wildcards and short URLs, check", "check {site}", robots(shape("User-agent: *\n", "Disallow: /*a*b*c{n}$\n"), short_urls)),
    Attack("robots.txt: classes and short URLs, check", "check {site}", robots(shape("User-agent: *\n", "Disallow: /*%41%C3%A4*{n}%zz\n"), short_urls)),
    Attack("robots.txt: prefixes and long URLs, check", "check {site}", robots(lambda n: b"User-agent: *\n" + b"".join(b"Disallow: /%s*b\n" % (b"a" * i) for i in range(int(n**0.5))), evil_urls("a"))),
    Attack("robots.txt: prefixes and long URLs, audit", "audit {site} --confirm-after 0 --delay 0 --max-requests 5", robots(lambda n: b"User-agent: *\n" + b"".join(b"Disallow: /%s*b\n" % (b"a" * i) for i in range(int(n**0.5))), evil_urls("a"))),
    Attack("robots.txt: wildcards and long URLs, audit", "audit {site} --confirm-after 0 --delay 0 --max-requests 5", robots(shape("User-agent: *\n", "Disallow: /*a*a*a*a*a*a*a*b{n}$\n"), evil_urls("a"))),
    Attack("robots.txt: wildcards and long URLs, crawl", f"{CRAWL} --max-pages 5", robots(shape("User-agent: *\n", "Disallow: /*a*a*a*a*a*a*a*b{n}$\n"), evil_urls("a"))),
    Attack("robots.txt: prefixes and long URLs, sync", f"{SYNC} --max-requests 5", robots(lambda n: b"User-agent: *\n" + b"".join(b"Disallow: /%s*b\n" % (b"a" * i) for i in range(int(n**0.5))), evil_urls("a"))),
    Attack("robots.txt: uses by AI, sync", SYNC, robots(shape("User-agent: *\n", "Content-Usage: /{n}* train-ai=n\n"))),
    Attack("robots.txt: signals, sync", SYNC, robots(shape("User-agent: *\n", "Content-Signal: ai-train=no, "))),
]  # fmt: skip
