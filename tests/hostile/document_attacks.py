# ruff: noqa: E501 - shapes are in rows
"""Sitemaps, lists, tables, logs, histories and settings of a stranger, against the commands."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import zlib
from collections.abc import Callable

from tests.hostile.attacks import LOC, ROOT, XHTML, Make, shape
from tests.hostile.commands import Attack, Stage
from tests.site_box import Hit, Wire, head, index_of

Set = Callable[[Stage], None]
BASE = "--base-url https://example.com/"
BUILD = f"build {{}} {BASE} -o out --ledger ledger.duckdb"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:v="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'
END = "</urlset>"


def file(name: str, make: Make) -> Set:
    def put(stage: Stage) -> None:
        stage.file(name, make(stage.size))

    return put


def site(make: Make, kind: str = "application/xml", path: str = "/sitemap.xml") -> Set:
    """Return what puts a document at a URL of a site."""

    def put(stage: Stage) -> None:
        stage.pages()
        data = make(stage.size).replace(b"{site}", stage.box.site.encode())
        stage.box.put(path, data, kind=kind)
        stage.expected = (path,)

    return put


def files(contents: Callable[[Stage], dict[str, bytes | str]]) -> Set:
    def put(stage: Stage) -> None:
        for name, content in contents(stage).items():
            stage.file(name, content)

    return put


def two(before: Make, after: Make, suffix: str = ".txt") -> Set:
    def put(stage: Stage) -> None:
        stage.file(f"a{suffix}", before(stage.size))
        stage.file(f"b{suffix}", after(stage.size))

    return put


def many(name: str, content: str) -> Set:
    """Return what writes many small files, whose number grows with the size."""

    def put(stage: Stage) -> None:
        for number in range(max(1, stage.size // 1_000)):
            stage.file(name.format(n=number), content.replace("{n}", str(number)))

    return put


def urls(repeated: str, size: int = 60) -> Make:
    """Return a maker of a sitemap with one entry for so many bytes of the size."""

    def make(total: int) -> bytes:
        rows = "".join(
            f"<url>{repeated.replace('{n}', str(n))}</url>" for n in range(max(1, total // size))
        )
        return f"<urlset {NS} {XHTML} {IMAGE} {VIDEO} {NEWS}>{rows}{END}".encode()

    return make


def loops(stage: Stage) -> None:
    """Serve an index for each URL, which lists two others."""

    async def play(hit: Hit, wire: Wire) -> bool:
        data = index_of(f"{stage.box.site}{hit.path}{letter}.xml" for letter in "ab")
        await wire.send(head(200, len(data)) + data)
        return True

    stage.box.otherwise = play
    stage.box.put("/robots.txt", "", 404)


def turns(stage: Stage) -> None:
    """Serve an index for each URL, which lists itself with another query."""

    async def play(hit: Hit, wire: Wire) -> bool:
        data = index_of([f"{stage.box.site}/sitemap.xml?{hit.number}{len(stage.box.hits)}"])
        await wire.send(head(200, len(data)) + data)
        return True

    stage.box.otherwise = play
    stage.box.put("/robots.txt", "", 404)


def declared(stage: Stage) -> None:
    """Declare thousands of sitemaps in robots.txt, which all exist and are empty."""
    stage.pages()
    count = max(1, stage.size // 500)
    lines = "".join(f"Sitemap: /s{n}.xml\n" for n in range(count))
    stage.box.put("/robots.txt", lines, kind="text/plain")
    for number in range(count):
        stage.box.put(f"/s{number}.xml", f"{ROOT}</urlset>")
    stage.expected = (f"/s{count - 1}.xml",)


def git(make: Callable[[int], list[tuple[str, str]]]) -> Set:
    """Return what makes a repository with files of these names and contents, and commits."""

    def put(stage: Stage) -> None:
        def run(*words: str, text: bytes | None = None) -> None:
            subprocess.run(
                ["git", *words], cwd=stage.folder, input=text, check=True, capture_output=True
            )

        run("init", "-q", "-b", "main")
        stream = []
        rows = make(stage.size)
        for number, (name, message) in enumerate(rows):
            data = message.encode()
            mark = f"commit refs/heads/main\nmark :{number + 1}\ncommitter a <a@example.com> {1_700_000_000 + number} +0000\ndata {len(data)}\n"
            link = f"from :{number}\n" if number else ""
            page = f"<title>{number}</title>"
            stream.append(
                mark.encode()
                + data
                + b"\n"
                + link.encode()
                + f"M 100644 inline {json.dumps(name)}\ndata {len(page)}\n{page}\n".encode()
            )
        run("fast-import", "--quiet", text=b"".join(stream))
        run("reset", "-q", "--hard")

    return put


def settings(text: Make) -> Set:
    """Return what puts a configuration next to a sitemap of a thousand URLs."""

    def put(stage: Stage) -> None:
        stage.file("urlset.toml", text(stage.size))
        stage.file(
            "sitemap.txt", "".join(f"https://example.com/{'a' * 30}{n}\n" for n in range(1_000))
        )

    return put


def project(text: Make) -> Set:
    def put(stage: Stage) -> None:
        stage.file("pyproject.toml", text(stage.size))
        stage.file("sitemap.txt", "https://example.com/a\n")

    return put


def pages_of(name: str, make: Make) -> Set:
    """Return what writes a folder of HTML with a hostile page."""

    def put(stage: Stage) -> None:
        stage.file(f"public/{name}", make(stage.size))
        stage.file("public/tea.html", "<title>tea</title>")

    return put


def warc(make: Make) -> Set:
    return file("a.warc", make)


def record(headers: bytes, body: bytes, length: bytes | None = None) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n" + headers + b"\r\n" + body
    size = length or str(len(http)).encode()
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/sitemap.xml\r\n"
        b"WARC-Record-ID: <urn:uuid:0>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: "
        + size
        + b"\r\n\r\n"
        + http
        + b"\r\n\r\n"
    )


def tables(stage: Stage) -> None:
    with sqlite3.connect(stage.folder / "a.db") as database:
        for number in range(max(1, stage.size // 1_000)):
            database.execute(f"CREATE TABLE t{number} (loc TEXT)")
    database.close()


def visited(stage: Stage) -> None:
    stage.pages()
    stage.file("a.log", log(path="/{n}")(stage.size))


SMALL = f"{ROOT}<url><loc>https://example.com/a</loc></url></urlset>".encode()
LOG = '{ip} - - [01/Jan/2020:00:00:00 +0000] "GET {path} HTTP/1.1" {status} 1 "-" "{agent}"\n'


def log(**parts: str) -> Make:
    known = {"ip": "1.1.1.1", "path": "/a", "status": "200", "agent": "x"} | parts
    line = LOG
    for key, value in known.items():
        line = line.replace("{" + key + "}", value)
    return shape("", line)


CHECK = "check a.xml"
CHECK_URL = f"check a.xml {BASE}"

ATTACKS: list[Attack] = [
    # Sitemaps: joins of rows that share a value.
    Attack("check: pairs of one URL and its alternate", CHECK, file("a.xml", lambda n: f"<urlset {NS} {XHTML}>".encode() + b"".join(f'<url><loc>https://e.com/{a}</loc><x:link rel="alternate" hreflang="{a}" href="https://e.com/{b}"/></url>'.encode() * max(1, n // 240) for a, b in (("en", "de"), ("de", "en"))) + END.encode())),
    Attack("check: alternates of one language", CHECK, file("a.xml", lambda n: f"<urlset {NS} {XHTML}><url><loc>https://e.com/</loc>".encode() + b"".join(b'<x:link rel="alternate" hreflang="en" href="https://e.com/%d"/>' % i for i in range(n // 70)) + b"</url></urlset>")),
    Attack("check: sets of a thousand alternates", CHECK, file("a.xml", lambda n: f"<urlset {NS} {XHTML}>".encode() + b"".join(b"<url><loc>https://e.com/%d</loc>" % i + b"".join(b'<x:link rel="alternate" hreflang="en" href="https://e.com/%d"/>' % j for j in range(int((n / 70) ** 0.5))) + b"</url>" for i in range(int((n / 70) ** 0.5))) + END.encode())),
    Attack("check: languages", CHECK, file("a.xml", lambda n: f'<urlset {NS} {XHTML}><url><loc>https://e.com/</loc><x:link rel="alternate" hreflang="{"de-" * (n // 3)}" href="https://e.com/"/></url></urlset>'.encode())),
    Attack("check: spellings of one URL", CHECK, file("a.xml", lambda n: f"<urlset {NS}>".encode() + b"".join(b"<url><loc>http%s://www.e.com/%s/index.html</loc></url>" % (b"s" * (i % 2), bytes(97 + (i >> k & 1) * -32 for k in range(16))) for i in range(n // 60)) + END.encode())),
    Attack("check: one image", CHECK, file("a.xml", urls("<loc>https://e.com/{n}</loc><i:image><i:loc>https://e.com/i.png</i:loc></i:image>", 100))),
    Attack("check: one image many times in an entry", CHECK, file("a.xml", lambda n: f"<urlset {NS} {IMAGE}><url><loc>https://e.com/</loc>".encode() + b"<i:image><i:loc>https://e.com/i.png</i:loc></i:image>" * (n // 55) + b"</url></urlset>")),
    Attack("check: one video", CHECK, file("a.xml", urls("<loc>https://e.com/{n}</loc><v:video><v:title>a</v:title><v:thumbnail_loc>https://e.com/t.png</v:thumbnail_loc><v:content_loc>https://e.com/v.mp4</v:content_loc></v:video>", 200))),
    Attack("check: tags of a video", CHECK, file("a.xml", lambda n: f"<urlset {NS} {VIDEO}><url><loc>https://e.com/</loc><v:video>".encode() + b"<v:tag>a</v:tag>" * (n // 16) + b"</v:video></url></urlset>")),
    Attack("check: countries of a video", CHECK, file("a.xml", lambda n: f'<urlset {NS} {VIDEO}><url><loc>https://e.com/</loc><v:video><v:restriction relationship="allow">'.encode() + b"DE FR " * (n // 6) + b"</v:restriction></v:video></url></urlset>")),
    Attack("check: one title of news", CHECK, file("a.xml", urls("<loc>https://e.com/{n}</loc><n:news><n:publication><n:name>a</n:name><n:language>en</n:language></n:publication><n:publication_date>2020-01-01</n:publication_date><n:title>a</n:title></n:news>", 250))),
    Attack("check: keywords of news", CHECK, file("a.xml", lambda n: f"<urlset {NS} {NEWS}><url><loc>https://e.com/</loc><n:news><n:keywords>".encode() + b"a, " * (n // 3) + b"</n:keywords></n:news></url></urlset>")),
    Attack("check: parameters of one page", CHECK, file("a.xml", urls("<loc>https://e.com/?a{n}=1&amp;b={n}</loc>"))),
    Attack("check: parameters of one URL", CHECK, file("a.xml", shape(f"{LOC}?", "a{n}=b&amp;", "</loc></url></urlset>"))),
    Attack("check: sessions", CHECK, file("a.xml", urls("<loc>https://e.com/;jsessionid=0123456789ABCDEF{n}?PHPSESSID=0123456789abcdef{n}</loc>", 90))),
    Attack("check: one date", CHECK, file("a.xml", urls("<loc>https://e.com/{n}</loc><lastmod>2020-01-01T00:00:00Z</lastmod>", 80))),
    Attack("check: dates of thousands of letters", CHECK, file("a.xml", lambda n: f"<urlset {NS}>".encode() + b"".join(b"<url><loc>https://e.com/%d</loc><lastmod>%s</lastmod></url>" % (i, b"2020-01-" * 500) for i in range(n // 4_060)) + END.encode())),
    Attack("check: two origins in turn", CHECK_URL, file("a.xml", urls("<loc>https://e{n}.com/{n}</loc>"))),
    Attack("check: IDN hosts", CHECK_URL, file("a.xml", urls("<loc>https://é{n}.ü{n}.com/</loc>"))),
    Attack("check: children of an index", CHECK_URL, file("a.xml", lambda n: f"<sitemapindex {NS}>".encode() + b"<sitemap><loc>https://example.com/b.xml</loc></sitemap>" * (n // 52) + b"</sitemapindex>")),
    Attack("check: foreign elements", CHECK, file("a.xml", urls('<loc>https://e.com/{n}</loc><y{n} xmlns="urn:{n}">a</y{n}>', 80))),
    Attack("check: extensions of one entry", CHECK, file("a.xml", lambda n: f"<urlset {NS}><url><loc>https://e.com/</loc>".encode() + b"".join(b'<y%d xmlns="urn:%d">a</y%d>' % (i, i, i) for i in range(n // 30)) + b"</url></urlset>")),
    Attack("check: CR only", "check a.txt", file("a.txt", shape("", "https://e.com/{n}\r"))),
    Attack("check: lines of a character", "check a.txt", file("a.txt", shape("https://e.com/\n", "a\n"))),
    Attack("check: hosts of a list", "check a.txt", file("a.txt", shape("", "https://h{n}.example/\n"))),
    Attack("check: dots of a list", "check a.txt", file("a.txt", shape("", "https://e.com/" + "/../a" * 400 + "\n"))),
    Attack("check: percent signs of a list", "check a.txt", file("a.txt", shape("", "https://e.com/" + "%7e%zz%C3%A4" * 160 + "{n}\n"))),
    Attack("check: URLs of 64 KB", "check a.txt", file("a.txt", lambda n: b"".join(b"https://e.com/%d/%s\n" % (i, b"%2e%2E/" * 9_000) for i in range(max(1, n // 63_000))))),
    Attack("check: items of a date of a megabyte", CHECK, file("a.xml", lambda n: b"<rss version='2.0'><channel><item><link>https://e.com/</link><pubDate>Mon, 1 Jan 2020 " + b"(" * n + b"</pubDate></item></channel></rss>")),
    Attack("check: guids of one item", CHECK, file("a.xml", lambda n: b"<rss version='2.0'><channel><item>" + b"<guid>https://e.com/</guid>" * (n // 27) + b"</item></channel></rss>")),
    Attack("check: dates of Atom", CHECK, file("a.xml", lambda n: b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://e.com/"/>' + b"<updated>2020-01-01T00:00:00Z</updated>" * (n // 40) + b"</entry></feed>")),
    Attack("check: UTF-16 without a mark", CHECK, file("a.xml", lambda n: (ROOT + "<url><loc>https://e.com/</loc></url>" * (n // 80) + END).encode("utf-16-be"))),
    Attack("check: name of an encoding", CHECK, file("a.xml", lambda n: b'<?xml version="1.0" encoding="' + b"a-" * (n // 2) + b'"?>' + SMALL)),
    Attack("check: zlib", CHECK, file("a.xml", lambda n: zlib.compress(SMALL + b" " * n * 10))),
    Attack("check: gzip with a huge comment", "check a.xml.gz", file("a.xml.gz", lambda n: b"\x1f\x8b\x08\x10\0\0\0\0\0\0" + b"a" * n + b"\0")),
    Attack("check: gzip flags", "check a.xml.gz", file("a.xml.gz", lambda n: b"\x1f\x8b\x08\xff" * (n // 4))),
    Attack("check: files of a folder with one URL", f"check maps {BASE}", many("maps/{n}.xml", f"<urlset {NS}>" + "<url><loc>https://example.com/a</loc></url>" * 10 + END)),
    Attack("check: indexes that list each other", f"check maps {BASE}", many("maps/{n}.xml", f"<sitemapindex {NS}>" + "".join(f"<sitemap><loc>https://example.com/{i}.xml</loc></sitemap>" for i in range(30)) + "</sitemapindex>")),
    Attack("check: chain of indexes", f"check maps {BASE}", files(lambda stage: {f"maps/{n}.xml": f"<sitemapindex {NS}><sitemap><loc>https://example.com/{n + 1}.xml</loc></sitemap></sitemapindex>" for n in range(max(1, stage.size // 1_000))})),
    Attack("check: every format, findings of one file", "check a.xml --format sarif -o a.sarif --max-examples 0", file("a.xml", urls("<loc>http://e.com/a b</loc><lastmod>x</lastmod><priority>9</priority>", 80))),
    Attack("check: a report of findings", "check a.xml --report a.html", file("a.xml", urls("<loc>http://e.com/a b</loc><lastmod>x</lastmod><priority>9</priority>", 80))),
    Attack("check: baseline of findings", "check a.xml --write-baseline b.json", file("a.xml", urls("<loc>http://e.com/a b</loc><lastmod>x</lastmod><priority>9</priority>", 80))),
    # The fixer.
    Attack("fix: entries without a loc", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", urls("<lastmod>2020</lastmod>", 40))),
    Attack("fix: ampersands", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", urls("<loc>https://example.com/?a&b&c{n}</loc>"))),
    Attack("fix: comments in a loc", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", shape(LOC, "<!--a-->x", "</loc></url></urlset>"))),
    Attack("fix: duplicates", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", urls("<loc>https://example.com/</loc>"))),
    Attack("fix: open elements", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", shape(ROOT, "<url><loc>https://example.com/{n}"))),
    Attack("fix: prefixes", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", shape("<urlset>", "<a{n}:url><a{n}:loc>https://example.com/{n}</a{n}:loc></a{n}:url>", END))),
    Attack("fix: text around", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", shape("", "Warning: a\n", SMALL.decode()))),
    Attack("fix: spaces in a loc", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", shape(LOC, " \n", "a</loc></url></urlset>"))),
    Attack("fix: alternates", f"check a.xml --fix --unsafe-fixes {BASE}", file("a.xml", urls('<loc>https://example.com/{n}</loc><x:link rel="alternate" hreflang="EN_us" href="/{n}"/>', 100))),
    Attack("fix: diff of all lines", f"check a.xml --diff --unsafe-fixes {BASE}", file("a.xml", shape(f"{ROOT}\n", "<url>\n<loc> http://example.com/a b </loc>\n</url>\n", END))),
    Attack("fix: diff of one line", f"check a.xml --diff --unsafe-fixes {BASE}", file("a.xml", urls("<loc> https://example.com/a&b </loc>"))),
    Attack("fix: robots.txt", f"check . --fix --unsafe-fixes {BASE}", files(lambda stage: {"sitemap.xml": SMALL, "robots.txt": "sitemap = /a.xml , /b.xml\n" * (stage.size // 25)})),
    Attack("fix: list", f"check a.txt --fix --unsafe-fixes {BASE}", file("a.txt", shape("", "http://example.com/a b {n},"))),
    # Changes and moves.
    Attack("diff: one last segment", "diff a.txt b.txt", two(shape("", "https://e.com/a{n}/index.html\n"), shape("", "https://e.com/b{n}/index.html\n"))),
    Attack("diff: numbers", "diff a.txt b.txt", two(shape("", "https://e.com/a/x-{n}\n"), shape("", "https://e.com/b/y-{n}\n"))),
    Attack("diff: words of all", "diff a.txt b.txt", two(shape("", "https://e.com/red-green-blue-{n}q\n"), shape("", "https://e.com/green-blue-red-w{n}\n"))),
    Attack("diff: folders", "diff a.txt b.txt", two(shape("", "https://e.com/a{n}/b/c-d-e-f{n}\n"), shape("", "https://e.com/z/a{n}/c-d-e-f{n}\n"))),
    Attack("diff: long segments", "diff a.txt b.txt", two(shape("", "https://e.com/" + "a" * 1_500 + "{n}\n"), shape("", "https://e.com/" + "a" * 1_500 + "b{n}\n"))),
    Attack("diff: words of long segments", "diff a.txt b.txt", two(shape("", "https://e.com/" + "a-" * 700 + "{n}\n"), shape("", "https://e.com/" + "b-a-" * 350 + "{n}\n"))),
    Attack("diff: parameters", "diff a.txt b.txt", two(shape("", "https://e.com/?p={n}&amp;q=1\n"), shape("", "https://e.com/?q=1&amp;p={n}\n"))),
    Attack("diff: deep folders", "diff a.txt b.txt", two(shape("", "https://e.com/" + "a/" * 700 + "{n}\n"), shape("", "https://e.com/b/" + "a/" * 700 + "{n}\n"))),
    Attack("diff: titles", "diff a.csv b.csv", two(shape("loc,title\n", "https://e.com/a{n},One title of all pages\n"), shape("loc,title\n", "https://e.com/b{n},One title of all pages\n"), ".csv")),
    Attack("diff: long titles", "diff a.csv b.csv", two(lambda n: b"loc,title\n" + b"".join(b"https://e.com/red-blue-%d,%s\n" % (i, b"a" * 1_000) for i in range(n // 1_030)), lambda n: b"loc,title\n" + b"".join(b"https://e.com/red-blue-green-%d,%sb\n" % (i, b"a" * 1_000) for i in range(n // 1_030)), ".csv")),
    Attack("diff: all changed, markdown", "diff a.txt b.txt --format markdown --max-examples 0", two(shape("", "https://e.com/`|a{n}\n"), shape("", "https://e.com/`|b{n}\n"))),
    Attack("diff: words of two letters", "diff a.txt b.txt", two(lambda n: b"".join(b"https://e.com/a/%s\n" % b"-".join(bytes((97 + (i >> k & 7), 97 + (i >> k + 1 & 7))) for k in range(0, 18, 3)) for i in range(n // 35)), lambda n: b"".join(b"https://e.com/b/%s\n" % b"-".join(bytes((97 + (i >> k & 7), 97 + (i >> k + 2 & 7))) for k in range(0, 18, 3)) for i in range(n // 35)))),
    # Sites.
    Attack("read: index of the same children", "read {site}/sitemap.xml", site(lambda n: f"<sitemapindex {NS}>".encode() + b"<sitemap><loc>{site}/tea.xml</loc></sitemap>" * (n // 50) + b"</sitemapindex>")),
    Attack("read: index of one child with fragments", "read {site}/sitemap.xml", site(lambda n: f"<sitemapindex {NS}>".encode() + b"".join(b"<sitemap><loc>{site}/tea.xml#%d</loc></sitemap>" % i for i in range(n // 54)) + b"</sitemapindex>")),
    Attack("read: index of thousands of children", "read {site}/sitemap.xml --format txt -o a.txt", site(lambda n: f"<sitemapindex {NS}>".encode() + b"".join(b"<sitemap><loc>{site}/%d.xml</loc></sitemap>" % i for i in range(n // 500)) + b"</sitemapindex>")),
    Attack("check: index of thousands of children", "check {site}/sitemap.xml", site(lambda n: f"<sitemapindex {NS}>".encode() + b"".join(b"<sitemap><loc>{site}/%d.xml</loc></sitemap>" % i for i in range(n // 500)) + b"</sitemapindex>")),
    Attack("watch: index of thousands of children", "watch {site}/sitemap.xml --store a.duckdb", site(lambda n: f"<sitemapindex {NS}>".encode() + b"".join(b"<sitemap><loc>{site}/%d.xml</loc></sitemap>" % i for i in range(n // 500)) + b"</sitemapindex>")),
    Attack("read: sitemaps of robots.txt", "read {site} --format txt -o a.txt", declared),
    Attack("check: sitemaps of robots.txt", "check {site}", declared),
    Attack("watch: sitemaps of robots.txt", "watch {site} --store a.duckdb", declared),
    Attack("read: indexes without an end", "read {site}/sitemap.xml", loops),
    Attack("check: indexes without an end", "check {site}/sitemap.xml", loops),
    Attack("watch: indexes without an end", "watch {site}/sitemap.xml --store a.duckdb", loops),
    Attack("read: an index with other queries", "read {site}/sitemap.xml", turns),
    Attack("check: an index with other queries", "check {site}/sitemap.xml", turns),
    Attack("sync: an index with other queries", "sync {site}/sitemap.xml --store a.duckdb", turns),
    Attack("crawl: an index with other queries", "crawl {site}/sitemap.xml --store a.duckdb --confirm-after 0", turns),
    Attack("watch: one URL", "watch {site}/sitemap.xml --store a.duckdb", site(urls("<loc>{site}/a</loc>"))),
    Attack("watch: hosts", "watch {site}/sitemap.xml --store a.duckdb", site(urls("<loc>https://h{n}.example/</loc>"))),
    Attack("watch: sections", "watch {site}/sitemap.xml --store a.duckdb --report a.html", site(urls("<loc>{site}/s{n}/a</loc><lastmod>2020-01-01T00:00:{n}Z</lastmod>", 90))),
    Attack("sync: one URL", "sync {site}/sitemap.xml --store a.duckdb --max-requests 5", site(urls("<loc>{site}/tea</loc>"))),
    Attack("sync: fragments", "sync {site}/sitemap.xml --store a.duckdb --max-requests 5", site(urls("<loc>{site}/tea#{n}</loc>"))),
    Attack("crawl: listed hosts", "crawl {site} --store a.duckdb --max-pages 5 --confirm-after 0", site(urls("<loc>https://h{n}.example/</loc>"))),
    Attack("crawl: listed traps", "crawl {site} --store a.duckdb --max-pages 5 --confirm-after 0", site(urls("<loc>{site}/a/b/a/b/20{n}/1/?s={n}</loc>", 80))),
    Attack("audit: listed parameters", "audit {site} --max-requests 5 --confirm-after 0", site(urls("<loc>{site}/?a{n}={n}</loc>"))),
    Attack("audit: one image", "audit {site} --max-requests 9 --confirm-after 0", site(urls("<loc>{site}/tea</loc><i:image><i:loc>{site}/i.png</i:loc></i:image>", 100))),
    Attack("audit: llms.txt of links", "audit {site} --max-requests 9 --confirm-after 0", site(shape("# a\n", "- [a]({site}/{n}): b\n"), "text/plain", "/llms.txt")),
    Attack("audit: llms.txt of headings", "audit {site} --max-requests 9 --confirm-after 0", site(shape("", "## [a](b\n"), "text/plain", "/llms.txt")),
    Attack("audit: llms.txt of one line", "audit {site} --max-requests 9 --confirm-after 0", site(shape("# a\n> ", "[", ""), "text/plain", "/llms.txt")),
    # Builds.
    *(
        Attack(f"build: page of {name}", BUILD.format("public"), pages_of("evil.html", make))
        for name, make in {
            "combining marks": shape("<p>a", "\u0301\u0327"),
            "bases": shape("", "<base href=/a{n}/>"),
            "foster parents": shape("<table>", "a<b>"),
            "canonicals": shape("<head>", "<link rel=canonical href=/{n}>"),
            "meta elements": shape("<head>", "<meta name=robots content=index>"),
            "objects of JSON-LD": shape("<script type=application/ld+json>", '{"a":', "</script>"),
            "a title": shape("<title>", "404 ", "</title>"),
            "times": shape("<p>", "<time datetime=2020-01-01T00:00>a</time>"),
        }.items()
    ),
    Attack("build: pages of one canonical", BUILD.format("public"), many("public/{n}.html", "<link rel=canonical href=https://example.com/a><title>a</title>")),
    Attack("build: chain of canonicals", BUILD.format("public"), files(lambda stage: {f"public/p{n}.html": f"<link rel=canonical href=https://example.com/p{n + 1}.html><title>a</title>" for n in range(max(1, stage.size // 1_000))})),
    Attack("build: alternates of pages", f"{BUILD.format('public')} --with alternates,images,videos", many("public/{n}.html", "".join(f"<link rel=alternate hreflang=de href=/{i}.html>" for i in range(40)))),
    Attack("build: a cell of CSV", BUILD.format("a.csv"), file("a.csv", lambda n: b'loc,lastmod\nhttps://example.com/a,"' + b"a\n" * (n // 2) + b'"\nhttps://example.com/tea,\n')),
    Attack("build: columns and rows of CSV", BUILD.format("a.csv"), file("a.csv", lambda n: ("loc," + ",".join(f"c{i}" for i in range(int(n**0.5))) + "\n" + ("https://example.com/a" + "," * int(n**0.5) + "\n") * int(n**0.5)).encode())),
    Attack("build: one host per line", BUILD.format("a.txt") + " --allowed-host example.com", file("a.txt", shape("https://example.com/\n", "https://h{n}.example/\n"))),
    Attack("build: one URL per line", BUILD.format("a.txt"), file("a.txt", shape("", "https://example.com/a\n"))),
    Attack("build: spellings of one URL", BUILD.format("a.txt"), file("a.txt", shape("", "https://example.com/a?utm_source={n}&sid={n}#x\n"))),
    Attack("build: parameters of one URL", BUILD.format("a.txt"), file("a.txt", shape("https://example.com/a?", "utm_source={n}&"))),
    Attack("build: a line of JSON", BUILD.format("a.jsonl"), file("a.jsonl", shape('{"loc": "https://example.com/a", "x": [', "[1],", "0]}\n"))),
    Attack("build: keys of JSON lines", BUILD.format("a.jsonl"), file("a.jsonl", shape("", '{"loc":"https://example.com/{n}","k{n}":1}\n'))),
    Attack("build: types of JSON lines", BUILD.format("a.jsonl"), file("a.jsonl", shape("", '{"loc":"https://example.com/{n}","x":{"a{n}":[{"b":1}]}}\n'))),
    Attack("build: robots.txt", f"{BUILD.format('a.txt')} --exclude-by-robots robots.txt", files(lambda stage: {"a.txt": "".join(f"https://example.com/{'a' * 1_900}{n}\n" for n in range(stage.size // 2_000 + 1)), "robots.txt": "User-agent: *\n" + "".join(f"Disallow: /{'a' * n}*b\n" for n in range(int(min(stage.size, 500_000) ** 0.5)))})),
    Attack("build: a log of hosts", BUILD.format("a.log"), file("a.log", log(ip="1.2.3.{n}"))),
    Attack("build: a log of agents", BUILD.format("a.log"), file("a.log", log(agent="Googlebot/{n}"))),
    Attack("build: a log of paths", BUILD.format("a.log"), file("a.log", log(path="/a/{n}?b={n}&c"))),
    Attack("build: a log of statuses", BUILD.format("a.log"), file("a.log", log(status="{n}"))),
    Attack("build: a log of secrets", BUILD.format("a.log"), file("a.log", log(path="/" + "0123456789abcdef" * 100 + "{n}"))),
    Attack("build: a log of mail addresses", BUILD.format("a.log"), file("a.log", shape(LOG.replace("{ip}", "1.1.1.1").split("{path}")[0], "a@b.", ' HTTP/1.1" 200 1 "-" "x"\n'))),
    Attack("build: a log of blanks", BUILD.format("a.log"), file("a.log", shape("1.1.1.1 - - ", " ", "\n"))),
    Attack("audit: a log of paths", "audit {site} --logs a.log --confirm-after 0", visited),
    Attack("build: a log of one path, statuses in turn", BUILD.format("a.log"), file("a.log", lambda n: b"".join(LOG.replace("{ip}", "1.1.1.1").replace("{path}", "/a").replace("{status}", ("200", "404", "301")[i % 3]).replace("{agent}", "x").encode() for i in range(n // 80)))),
    Attack("build: feed of a date", BUILD.format("a.xml"), file("a.xml", lambda n: b"<rss version='2.0'><channel><item><link>https://example.com/</link><pubDate>" + b"Mon, " * (n // 5) + b"</pubDate></item></channel></rss>")),
    Attack("build: feed of xml:base", BUILD.format("a.xml"), file("a.xml", shape('<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/">', '<entry xml:base="a/"><link href="/{n}"/></entry>', "</feed>"))),
    # Histories of git.
    Attack("git: messages", f"{BUILD.format('.')} --git-root .", git(lambda n: [("a.html", "a\n" * (n // 2))])),
    Attack("git: commits", f"{BUILD.format('.')} --git-root .", git(lambda n: [(f"{i % 50}.html", "commit") for i in range(max(1, n // 200))])),
    Attack("git: names", f"{BUILD.format('.')} --git-root .", git(lambda n: [(f"{'a' * 200}/{'b' * 200}/{i}.html", "a") for i in range(max(1, n // 1_000))])),
    Attack("git: names of line breaks", f"{BUILD.format('.')} --git-root .", git(lambda n: [(f"a\nb\tc {i}.html", "a\n") for i in range(max(1, n // 1_000))])),
    Attack("git: renames", "diff HEAD~1:. .", git(lambda n: [(f"sitemap{i}.txt", "a") for i in range(max(2, n // 1_000))])),
    # Archives.
    Attack("WARC: headers of HTTP", "read a.warc", warc(lambda n: record(b"".join(b"x-%d: a\r\n" % i for i in range(n // 10)), SMALL))),
    Attack("WARC: one header", "read a.warc", warc(lambda n: record(b"x: " + b"a" * n + b"\r\n", SMALL))),
    Attack("WARC: header without an end", "read a.warc", warc(lambda n: b"WARC/1.0\r\n" + b"a: b\r\n" * (n // 6))),
    Attack("WARC: wrong lengths", "read a.warc", warc(lambda n: record(b"", SMALL, b"9" * 30) * (n // 500 + 1))),
    Attack("WARC: negative lengths", "read a.warc", warc(lambda n: record(b"", SMALL, b"-5") * (n // 500 + 1))),
    Attack("WARC: small records", "read a.warc", warc(lambda n: record(b"", SMALL) * (n // 500 + 1))),
    Attack("WARC: gzip members", "read a.warc.gz", file("a.warc.gz", lambda n: gzip.compress(record(b"", SMALL)) * (n // 400 + 1))),
    Attack("WARC: gzip of gzip", "check a.warc.gz", file("a.warc.gz", lambda n: gzip.compress(gzip.compress(record(b"", SMALL + b" " * n))))),
    Attack("WARC: encodings", "read a.warc", warc(lambda n: record(b"Content-Encoding: " + b"gzip, " * (n // 6) + b"\r\n", SMALL))),
    Attack("WARC: chunks", "read a.warc", warc(lambda n: record(b"Transfer-Encoding: chunked\r\n", b"1\r\n<\r\n" * (n // 6)))),
    Attack("WARC: address", "read a.warc", warc(lambda n: record(b"", SMALL).replace(b"https://example.com/sitemap.xml", b"https://example.com/" + b"../" * (n // 3) + b"sitemap.xml"))),
    Attack("WARC: robots.txt", "check a.warc", warc(lambda n: record(b"", b"User-agent: *\n" + b"Disallow: /*a*a*b\n" * (n // 18)).replace(b"/sitemap.xml", b"/robots.txt") + record(b"", SMALL))),
    # Settings of a checkout.
    Attack("settings: globs", "check .", settings(lambda n: b'[check]\n[check.per-path-ignores]\n"' + b"**/" * (n // 3) + b'*.txt" = ["U001"]\n')),
    Attack("settings: many globs", "check .", settings(shape("[check.per-path-ignores]\n", '"**/*a{n}*/**/*b*.txt" = ["U001"]\n'))),
    Attack("settings: stars of a glob", "check .", settings(lambda n: b'[check.per-path-ignores]\n"' + b"*a" * (n // 2) + b'" = ["U001"]\n')),
    Attack("settings: brackets of a glob", "check .", settings(lambda n: b'[check.per-path-ignores]\n"' + b"[a" * (n // 2) + b'" = ["U001"]\n')),
    Attack("settings: braces of a glob", "check .", settings(lambda n: b'[check.per-path-ignores]\n"' + b"{a,b}" * (n // 5) + b'" = ["U001"]\n')),
    Attack("settings: names of rules", "check .", settings(shape('[check]\nselect = ["', "U001,", 'U002"]\n'))),
    Attack("settings: unknown names", "check .", settings(shape("[check]\n", "selec{n} = 1\n"))),
    Attack("settings: an unknown long name", "check .", settings(lambda n: b"[check]\n" + b"a" * n + b" = 1\n")),
    Attack("settings: an unknown long rule", "check .", settings(lambda n: b'[check]\nselect = ["' + b"a" * n + b'"]\n')),
    Attack("settings: SQL of a rule, nested", "check .", settings(shape('[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\nwhere = "', "(", '"\n'))),
    Attack("settings: SQL of a rule, wide", "check .", settings(shape('[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\nwhere = "false', " OR loc = 'a'", '"\n'))),
    Attack("settings: SQL of a rule, a pattern", "check .", settings(shape('[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\nwhere = "regexp_matches(loc, \'', "(a*)*", '$\')"\n'))),
    Attack("settings: SQL of a rule, repetition", "check . --rule-timeout 3", settings(lambda n: b'[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\nwhere = "(SELECT count(*) FROM range(%d) a, range(100000) b, range(100000) c) > 0"\n' % n)),
    Attack("settings: SQL of a rule, text", "check . --rule-timeout 3", settings(lambda n: b'[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\nwhere = "length(repeat(loc, %d000)) > 0"\n' % n)),
    Attack("settings: message of a rule", "check .", settings(shape('[[check.rules]]\nname = "a"\nview = "urls"\nwhere = "true"\nmessage = "', "{loc!r:>9}", '"\n'))),
    Attack("settings: width in a message of a rule", "check .", settings(lambda n: b'[[check.rules]]\nname = "a"\nview = "urls"\nwhere = "true"\nmessage = "{loc:>%d000}"\n' % n)),
    Attack("settings: tables of pyproject.toml", "check sitemap.txt", project(shape("", "[tool.a{n}.b]\nc = 1\n"))),
    Attack("settings: arrays of tables", "check sitemap.txt", project(shape("", "[[tool.a]]\nc = {d = [1, 2]}\n"))),
    Attack("settings: comments", "check sitemap.txt", project(shape("", "# [\n"))),
    Attack("settings: a text of quotes", "check sitemap.txt", project(shape('a = """', '\\"""', ' """\n'))),
    Attack("settings: dates", "check sitemap.txt", project(shape("a = [", "2020-01-01T00:00:00.{n}Z, ", "]\n"))),
    Attack("settings: inline tables", "check sitemap.txt", project(shape("a = {", "b{n}.c.d = 1, ", "e = 1}\n"))),
    # Files that the commands keep.
    Attack("baseline: findings", "check sitemap.txt --baseline b.json", files(lambda stage: {"sitemap.txt": "http://example.com/a b\n" * 100, "b.json": json.dumps({"urlset_baseline": 1, "findings": [["U001", "sitemap.txt", f"a{n}", 1] for n in range(stage.size // 30)]})})),
    Attack("changes: lines", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": "".join(f'{{"change":"changed","loc":"https://h{n}.example/"}}\n' for n in range(stage.size // 50)), "keys.txt": "0123456789abcdef\n"})),
    Attack("changes: one URL", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": '{"change":"changed","loc":"https://example.com/"}\n' * (stage.size // 50), "keys.txt": "0123456789abcdef\n"})),
    Attack("changes: nested", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": '{"change":' * (stage.size // 10), "keys.txt": "0123456789abcdef\n"})),
    Attack("changes: digits", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": '{"change":"changed","loc":"https://example.com:' + "1" * stage.size + '/"}\n', "keys.txt": "0123456789abcdef\n"})),
    Attack("keys: lines", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": '{"change":"changed","loc":"https://example.com/"}\n', "keys.txt": "".join(f"h{n}.example 0123456789abcdef\n" for n in range(stage.size // 30)) + "example.com 0123456789abcdef\n"})),
    Attack("keys: one line", "submit changes.jsonl --dry-run --keys keys.txt --no-preflight --store a.duckdb", files(lambda stage: {"changes.jsonl": '{"change":"changed","loc":"https://example.com/"}\n', "keys.txt": "example.com " + "a" * stage.size})),
    Attack("Search Console: credentials of nested JSON", "submit --to google --property https://example.com/ --status --google-credentials a.json", file("a.json", shape('{"a":', "[", ""))),
    Attack("Search Console: credentials of digits", "submit --to google --property https://example.com/ --status --google-credentials a.json", file("a.json", shape('{"type":"service_account","private_key":', "1", "}"))),
    Attack("Search Console: a long key", "submit --to google --property https://example.com/ --status --google-credentials a.json", file("a.json", lambda n: json.dumps({"type": "service_account", "client_email": "a", "token_uri": "https://oauth2.googleapis.com/token", "private_key": "-----BEGIN PRIVATE KEY-----\n" + "A" * n + "\n-----END PRIVATE KEY-----\n"}).encode())),
    Attack("state: cut ledger", f"build a.txt {BASE} -o out --ledger a.duckdb", files(lambda stage: {"a.txt": "https://example.com/\n", "a.duckdb": b"\0\0\0\0\0\0\0\0DUCK" + b"@\0\0\0\0\0\0\0" * (stage.size // 8)})),
    Attack("state: SQLite of many tables", "read a.db", tables),
]  # fmt: skip
