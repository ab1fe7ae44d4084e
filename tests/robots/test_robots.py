"""Parsing robots.txt: spellings of its lines, sitemaps, rules."""

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http_walks import fetch, quick
from tests.site_box import SiteBox, page
from urlset.http import drive_in_thread
from urlset.reader.discovery import Discovery
from urlset.robots import MAX_BYTES, read_robots, robots_from_response

BASE = "http://www.example.com/robots.txt"
S = "http://www.example.com/s.xml"
T = "http://www.example.com/t.xml"


def urls(data: bytes | str) -> list[str]:
    data = data.encode() if isinstance(data, str) else data
    return [sitemap.url for sitemap in read_robots(data, BASE).sitemaps]


def codes(data: bytes | str) -> set[str]:
    data = data.encode() if isinstance(data, str) else data
    return {problem.code for problem in read_robots(data, BASE).problems}


# FIELD 2.5, row by row: what comes in, what is declared, what is told.
FIELD: dict[str, tuple[bytes | str, list[str], set[str]]] = {
    "Sitemap: URL": (f"Sitemap: {S}", [S], set()),
    "Sitemap : URL": (f"Sitemap : {S}", [S], set()),
    "Sitemap:URL": (f"Sitemap:{S}", [S], set()),
    "SITEMAP:": (f"SITEMAP: {S}", [S], set()),
    "Site-map:": (f"Site-map: {S}", [S], {"R003"}),
    "Sitemaps:": (f"Sitemaps: {S}", [S], {"R003"}),
    "URL # comment": (f"Sitemap: {S} # main", [S], set()),
    "/s.xml": ("Sitemap: /s.xml", [S], {"R002"}),
    "//host/s.xml": ("Sitemap: //www.example.com/s.xml", [S], {"R002"}),
    "UTF-8 BOM first": (codecs.BOM_UTF8 + f"Sitemap: {S}".encode(), [S], {"R007"}),
    "UTF-16 file": (f"User-agent: *\nSitemap: {S}\n".encode("utf-16"), [S], {"R007"}),
    "UTF-16 without BOM": (f"Sitemap: {S}\n".encode("utf-16-be"), [S], {"R007"}),
    "CR line ends": (f"User-agent: *\rDisallow:\rSitemap: {S}\rSitemap: {T}\r", [S, T], set()),
    "indented line": (f"  \t Sitemap: {S}", [S], set()),
    "invalid byte in another line": (b"# \xff\xfe\x80\nSitemap: " + S.encode(), [S], {"R007"}),
    "Latin-1 comment": (f"# Übersicht\nSitemap: {S}".encode("latin-1"), [S], {"R007"}),
    "bare URL": ("http://www.example.com/sitemap.xml", [f"{BASE[:22]}/sitemap.xml"], {"R003"}),
    "same line twice": (f"Sitemap: {S}\nSitemap: {S}", [S], set()),
    "empty + good line": (f"Sitemap:\nSitemap: {S}", [S], {"R002"}),
    "HTML soft 404": ("<html><body>Sitemap: no\n<a href='/sitemap.xml'>Sitemap</a>", [], set()),
    "HTTP://": (f"Sitemap: HTTP{S[4:]}", [f"HTTP{S[4:]}"], set()),
    "12 kB file": ("Disallow: /xxxxxxxxxxxxxx\n" * 480 + f"Sitemap: {S}", [S], set()),
    "600 kB file": ("Disallow: /xxxxxxxxxxxxxx\n" * 24_000 + f"Sitemap: {S}", [S], {"R006"}),
    "other host": ("Sitemap: https://cdn.example/s.xml", ["https://cdn.example/s.xml"], set()),
    "file: + good line": (f"Sitemap: file:///etc/passwd\nSitemap: {S}", [S], {"R003"}),
}  # fmt: skip


@pytest.mark.parametrize("row", FIELD)
def test_field_2_5(row: str):
    data, expected, told = FIELD[row]

    assert urls(data) == expected
    assert codes(data) == told


@pytest.mark.parametrize("row", FIELD)
def test_field_2_5_over_http(box: SiteBox, row: str):
    data, expected, _ = FIELD[row]
    data = data.encode() if isinstance(data, str) else data
    for encoding in ("ascii", "utf-16-le", "utf-16-be"):
        here, there = ("www.example.com".encode(encoding), box.site[7:].encode(encoding))
        data = data.replace(here, there)
    box.put("/robots.txt", data, kind="text/plain")

    leads = list(drive_in_thread(Discovery(box.site), quick()))

    assert [(lead.url, lead.how) for lead in leads] == [
        (url.replace("www.example.com", box.site[7:]), "robots") for url in expected
    ]


# Spellings of the Sitemap line that are in use.
SPELLINGS: dict[str, tuple[list[str], set[str]]] = {
    f"sitemap_index: {S}": ([S], {"R003"}),  # Google matches by prefix
    f"Sitemap-Index: {S}": ([S], {"R003"}),
    f"Site-maps: {S}": ([S], {"R003"}),
    f"Sitemap {S}": ([S], {"R003"}),  # Google takes the key for "Sitemap http"
    f"Sitemap\t{S}": ([S], {"R003"}),
    f"Sitemap = {S}": ([S], {"R003"}),
    f"Sitemap： {S}": ([S], {"R003"}),
    f"Sitemap:: {S}": ([S], {"R003"}),
    "Sitemap: none": ([], {"R002"}),
    f"Sitemap: {S} {T}": ([S, T], {"R003"}),
    f"Sitemap: {S}, {T}": ([S, T], {"R003"}),
    f"Sitemap: {S},{T}": ([S, T], {"R003"}),
    f"Sitemap: {S} Sitemap: {T}": ([S, T], {"R003"}),
    f"Disallow: /x Sitemap: {S}": ([S], {"R003"}),
    f"Sitemap: {S}#part": ([f"{S}#part"], {"R003"}),
    f"Sitemap: {S}\t#x": ([S], set()),
    f"# Sitemap: {S}": ([], set()),
    f"   # Sitemap: {S}": ([], set()),
    f'Sitemap: "{S}"': ([S], {"R003"}),
    f"Sitemap: <{S}>": ([S], {"R003"}),
    "Sitemap: https://ja.example.org/テスト-サイトマップ.xml": (
        ["https://ja.example.org/テスト-サイトマップ.xml"],
        set(),
    ),
    "Sitemap: s.xml": ([S], {"R002"}),
    "Sitemap: www.example.com/s.xml": ([S], {"R002"}),  # it begins with the host itself
    "Sitemap: www.example.org/s.xml": ([], {"R002"}),
    f"Sitemap: ({S})": ([S], {"R003"}),
    f"Sitemap: url={S}": ([], {"R002"}),
    "Sitemap: http://{host}/s.xml": ([], {"R003"}),
    "Sitemap: # nothing": ([], {"R002"}),
    "Sitemap:": ([], {"R002"}),
    "User-agent: sitemapbot\nDisallow: /sitemap\nAllow: /sitemap.xml": ([], set()),
    "Map: http://www.example.com/map": ([], set()),
    "": ([], set()),
}


@pytest.mark.parametrize("line", SPELLINGS)
def test_spelling(line: str):
    expected, told = SPELLINGS[line]

    assert urls(line) == expected
    assert codes(line) == told


def test_problems_have_their_place():
    data = codecs.BOM_UTF8 + f"User-agent: *\r\nSite-map: {S} {T}\r\n".encode()

    problems = read_robots(data, BASE).problems

    assert [(p.rule, p.line, p.offset) for p in problems] == [
        ("robots-encoding", 1, 0),
        ("robots-sitemap-syntax", 2, 18),
        ("robots-sitemap-syntax", 2, 18),
    ]
    assert problems[1].message == (
        'Sitemap line in robots.txt: line 2: the field is "Site-map"; it must be "Sitemap"'
    )
    assert data[problems[1].offset : problems[1].end].startswith(b"Site-map: http")


def test_sitemaps_know_their_lines():
    found = read_robots(f"\n\nSitemap: {S}\n\nSitemap: {T}\nSitemap: {S}".encode(), BASE).sitemaps

    assert found == ((S, 3), (T, 5))


@given(st.binary(max_size=300))
def test_nothing_raises(data: bytes):
    robots = read_robots(b"sitemap:" + data, BASE)

    robots.allows("http://www.example.com/a")
    robots.crawl_delay_s()


@pytest.mark.parametrize(
    "piece", [b"sitemap: ", b"#", b" #", b"site-map ", b"\xff", b"<", b"http://", b"\r", b" \t"]
)
def test_hostile_file_takes_no_time(piece: bytes):
    began = time.process_time()

    read_robots(piece * (300_000 // len(piece)), BASE)

    assert time.process_time() - began < 5


# Rules.


def test_google_sitemap_line_does_not_end_a_group():
    # "user-agent: a / sitemap: … / user-agent: b / disallow: /" is one group for a and b:
    # https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt
    data = f"user-agent: a\nsitemap: {S}\nuser-agent: b\ndisallow: /".encode()

    robots = read_robots(data, BASE)

    assert [robots.allows(S, agent) for agent in ("a", "b", "c")] == [False, False, True]


def test_rules_of_a_robot():
    data = b"User-agent: urlset\nDisallow: /x*.xml$\nCrawl-delay: 2.5\n\nUser-agent: *\nDisallow: /"

    robots = read_robots(data, BASE)

    assert robots.allows("http://www.example.com/a")
    assert not robots.allows("http://www.example.com/x/y.xml")
    assert not robots.allows("http://www.example.com/a", "other")
    assert (robots.crawl_delay_s(), robots.crawl_delay_s("other")) == (2.5, 0.0)


def test_rfc_9309_rules_behind_500_kib_are_ignored():
    filler = b"#" * MAX_BYTES + b"\n"

    data = filler + b"User-agent: *\nDisallow: /\n"

    robots = read_robots(data, BASE)

    assert robots.allows(S)
    assert [p.message for p in robots.problems] == [
        f"robots.txt is {len(data):,} bytes; content after 512,000 is ignored"
    ]


@pytest.mark.parametrize(
    ("status", "state", "is_allowed"),
    [
        (200, "read", False),
        (404, "absent", True),
        (401, "refused", True),
        (403, "refused", True),
        (410, "absent", True),
        (429, "unreachable", False),
        (500, "unreachable", False),
        (503, "unreachable", False),
    ],
)
def test_rfc_9309_status(box: SiteBox, status: int, state: str, is_allowed: bool):
    url = box.play("/robots.txt", page(b"User-agent: *\nDisallow: /", status))

    robots = robots_from_response(fetch(url, quick(retries=0)))

    assert (robots.state, robots.allows(box.url("/a"))) == (state, is_allowed)


def test_robots_that_cannot_be_reached():
    with SiteBox() as gone:
        url = gone.url("/robots.txt")

    assert robots_from_response(fetch(url, quick(retries=0))).state == "unreachable"


def test_a_line_of_separators_is_read_once():
    """Looked at from each of them anew, it would take a quarter of an hour."""
    data = b"Sitemap: https://e.com/a.xml" + b"," * 400_000 + b"\n"

    robots = read_robots(data, "https://e.com/robots.txt")

    assert len(robots.sitemaps) == 1
