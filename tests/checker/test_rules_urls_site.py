"""Rules about several URLs: duplicates, hosts, schemes and scope."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from urlset.checker import Finding, check
from urlset.checker.examples import Example, Many, Piece, documents_of, entry
from urlset.fixer import fix

HOME = "https://example.com"
LOCAL = "file:///srv/www/sitemap.xml"
ROBOTS = b"User-agent: *\nAllow: /\nSitemap: https://cdn.example.net/maps/a.xml\n"


def reported(example: Example, *codes: str) -> list[Finding]:
    found = check(documents_of(example), select=codes or ["U0", "U5"])
    return list(found)


def codes(example: Example, *chosen: str) -> list[str]:
    return [finding.code for finding in reported(example, *chosen)]


def both(first: str, second: str) -> str:
    return entry(first) + entry(second)


# ── twice in one file ────────────────────────────────────────────────────────────────────────


def test_a_repeated_url_is_reported_once_at_its_second_place() -> None:
    [finding] = reported(entry(f"{HOME}/a") * 3 + entry(f"{HOME}/b"))

    assert (finding.code, finding.line, finding.loc) == ("U023", 4, f"{HOME}/a")
    assert finding.message == "URL listed 3 times, first in line 3"


@pytest.mark.parametrize(
    ("more", "other", "what"),
    [
        ("<priority>0.5</priority>", "", "priority"),
        ("<changefreq>daily</changefreq>", "<changefreq>weekly</changefreq>", "changefreq"),
        (
            "<image:image><image:loc>https://e.com/a.png</image:loc></image:image>",
            "<priority>1.0</priority>",
            "priority, images",
        ),
    ],
)
def test_a_repeated_url_of_which_other_things_are_said(more: str, other: str, what: str) -> None:
    [finding] = reported(entry(f"{HOME}/a", more) + entry(f"{HOME}/a", other))

    assert finding.code == "U024"
    assert finding.message == f"URL listed 2 times, with different {what}; first in line 3"


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (f"{HOME}/a", f"{HOME}/a/", "the slash at its end"),
        (f"{HOME}/a?b", f"{HOME}/a/?b", "the slash at its end"),
        (f"{HOME}", f"{HOME}/", "the slash at its end"),
        (f"{HOME}/a/", f"{HOME}/a/index.html", "the name of an index file"),
        (f"{HOME}/a/index.php?b", f"{HOME}/a/?b", "the name of an index file"),
        (f"{HOME}/a", f"{HOME}/A", "upper and lower case"),
        ("http://example.com/a", f"{HOME}/a", "scheme"),
        ("https://www.example.com/a", "http://example.com/A/",
         'scheme, "www.", the slash at its end, upper and lower case'),
        (f"{HOME}/%7Ea", f"{HOME}/~a", "what is percent-encoded"),
        (f"{HOME}/a", "https://EXAMPLE.com:443/a", "spelling"),
        (f"{HOME}/a", "https://example.com:0443/a", "spelling"),
        (f"{HOME}/a", "https://example.com:/a", "spelling"),
    ],
)  # fmt: skip
def test_twins_differ_by_something(first: str, second: str, what: str) -> None:
    [finding] = reported({LOCAL: both(first, second)}, "U025")

    assert finding.message == f"Differs from {first} only by {what}"
    assert (finding.loc, finding.line) == (second, 4)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/a", "/b"),
        ("/watch?v=dQw4w9WgXcQ", "/watch?v=dqw4W9wGxCq"),  # ids
        ("/s/aB", "/s/Ab"),
        ("/a?b=1", "/a?b=2"),
        ("/a#b", "/a#c"),  # U012
        ("/index.html.bak", "/"),
        ("/a/b", "/a"),
    ],
)
def test_what_only_looks_like_a_twin(first: str, second: str) -> None:
    assert reported(both(HOME + first, HOME + second), "U025") == []


def test_twins_of_many_are_reported_once_each() -> None:
    found = reported(
        {LOCAL: (entry(f"{HOME}/a"), Many(both(f"{HOME}/A", f"{HOME}/a/"), 3))}, "U025"
    )

    assert sorted(f.loc or "" for f in found) == [f"{HOME}/A", f"{HOME}/a/"]


# ── several files ────────────────────────────────────────────────────────────────────────────


def test_a_url_in_three_files_is_reported_in_all_but_the_first() -> None:
    found = reported({name: entry(f"{HOME}/a") for name in ("a.xml", "b.xml", "c.xml")})

    assert [(f.code, f.source) for f in found] == [
        ("U501", f"{HOME}/b.xml"),
        ("U501", f"{HOME}/c.xml"),
    ]
    assert found[0].message == f"URL is in 3 sitemaps; the first is {HOME}/a.xml"


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ("2026-11-20", "2026-11-19", "U502"),
        ("2026-11-20", "2026-11-20T08:00:00Z", "U501"),  # the same day, with a time
        ("2026-11-20T08:00:00Z", "2026-11-20T09:00:00+01:00", "U501"),  # the same instant
        ("2026-11-20T08:00:00Z", "2026-11-20T08:00:01Z", "U502"),
    ],
)
def test_two_files_may_give_different_dates(mine: str, theirs: str, expected: str) -> None:
    example = {"a.xml": entry(f"{HOME}/a", "", theirs), "b.xml": entry(f"{HOME}/a", "", mine)}

    [finding] = reported(example, "U5")

    assert finding.code == expected
    if expected == "U502":
        assert finding.message == f"lastmod is {mine} here and {theirs} in {HOME}/a.xml"


NEWS = (
    "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>2026-11-20</news:publication_date>"
    "<news:title>T</news:title></news:news>"
)
IMAGE = "<image:image><image:loc>https://example.com/a.png</image:loc></image:image>"


@pytest.mark.parametrize(
    "files",
    [
        {"posts.xml": entry(f"{HOME}/a"), "news.xml": entry(f"{HOME}/a", NEWS)},
        {"posts.xml": entry(f"{HOME}/a"), "image-sitemap.xml": entry(f"{HOME}/a", IMAGE)},
        {"sitemap.xml": entry(f"{HOME}/a"), "sitemap.txt": f"{HOME}/a\n".encode()},
        {
            "posts.xml": entry(f"{HOME}/a"),
            "feed": b'<rss version="2.0"><channel><title>a</title><link>https://example.com/</link>'
            b"<item><link>https://example.com/a</link></item></channel></rss>",
        },
    ],
)
def test_some_sitemaps_repeat_others_on_purpose(files: Mapping[str, str | bytes]) -> None:
    assert codes(files, "U5") == []


def test_variants_in_two_files() -> None:
    example = {"a.xml": entry(f"{HOME}/a"), "b.xml": both(f"{HOME}/a/", f"{HOME}/b")}

    [finding] = reported(example)

    assert (finding.code, finding.loc) == ("U503", f"{HOME}/a/")
    assert finding.message == (
        f"Differs from {HOME}/a, in {HOME}/a.xml, only by the slash at its end"
    )


# ── hosts and schemes ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sitemap", "loc", "code"),
    [
        (f"{HOME}/sitemap.xml", f"{HOME}/a", None),
        (f"{HOME}/sitemap.xml", "https://EXAMPLE.com:443/a", "U014"),
        (f"{HOME}/sitemap.xml", "https://www.example.com/a", "U028"),
        (f"{HOME}/sitemap.xml", "https://example.com:8443/a", "U028"),
        (f"{HOME}/sitemap.xml", "http://example.com/a", "U030"),
        (f"{HOME}/sitemap.xml", "http://example.com:8080/a", "U028"),
        ("http://example.com/sitemap.xml", f"{HOME}/a", "U028"),
        (f"{HOME}/shop/sitemap.xml", f"{HOME}/shop/a", None),
        (f"{HOME}/shop/sitemap.xml", f"{HOME}/shop", "U029"),
        (f"{HOME}/shop/sitemap.xml", f"{HOME}/Shop/a", "U029"),
        (f"{HOME}/shop/sitemap.xml", f"{HOME}/", "U029"),
        (f"{HOME}/sh%6Fp/sitemap.xml", f"{HOME}/shop/a", None),
        (f"{HOME}/sitemap?a=/b/c", f"{HOME}/d", None),
        ("https://xn--bcher-kva.example.com/sitemap.xml", "https://bücher.example.com/", "U009"),
        (f"{HOME}/sitemap.xml", "https://bücher.example.com/", "U009 U028"),
        (LOCAL, "https://www.example.com/a", None),
    ],
)
def test_spec_location(sitemap: str, loc: str, code: str | None) -> None:
    """https://www.sitemaps.org/protocol.html#location"""
    assert " ".join(sorted(codes({sitemap: entry(loc)}))) == (code or "")


def test_another_host_may_name_the_sitemap_in_its_robots_txt() -> None:
    """https://www.sitemaps.org/protocol.html#sitemaps_cross_submits"""
    maps = {"https://cdn.example.net/maps/a.xml": both(f"{HOME}/a", "https://www.example.com/b")}

    found = reported(maps | {f"{HOME}/robots.txt": ROBOTS})

    assert [(f.code, f.loc) for f in found] == [("U028", "https://www.example.com/b")]
    assert found[0].message == (
        "URL is on https://www.example.com, the sitemap is on https://cdn.example.net"
    )


def test_what_an_index_names_is_named_with_it() -> None:
    index = "<sitemap><loc>https://cdn.example.net/b.xml</loc></sitemap>"
    maps: dict[str, Piece] = {"https://cdn.example.net/maps/a.xml": index}

    assert codes(maps | {"https://cdn.example.net/b.xml": entry(f"{HOME}/a")}) == ["U028"]
    robots: dict[str, Piece] = {
        f"{HOME}/robots.txt": ROBOTS,
        "https://cdn.example.net/b.xml": entry(f"{HOME}/a"),
    }
    assert codes(maps | robots) == []


def test_a_folder_is_no_finding_where_robots_txt_declares_the_sitemap() -> None:
    name: dict[str, Piece] = {
        "https://cdn.example.net/maps/a.xml": (Many(entry("https://cdn.example.net/{n}"), 20),)
    }
    robots: dict[str, Piece] = {"https://cdn.example.net/robots.txt": ROBOTS}

    assert [(f.code, f.level) for f in reported(name)] == [("U029", "error")] * 20
    assert list(reported(name | robots)) == []


def test_hosts_are_reported_once_where_the_place_is_not_known() -> None:
    entries = both(f"{HOME}/a", f"{HOME}/b") + both("https://b.com/", "https://c.com/")
    more = both("https://d.com/a", "https://d.com/b") + entry(f"{HOME}/d")

    [finding] = reported({LOCAL: entries + more})

    assert (finding.code, finding.loc) == ("U026", "https://d.com/a")
    assert finding.message == (
        "URLs of 4 hosts in one sitemap: example.com (3), d.com (2), b.com (1) …"
    )
    assert set(codes({f"{HOME}/sitemap.xml": entries + more})) == {"U028"}


def test_schemes_are_reported_once() -> None:
    entries = both(f"{HOME}/a", "http://example.com/b") + entry(f"{HOME}/c")

    [finding] = reported({LOCAL: entries})

    assert (finding.code, finding.loc) == ("U027", "http://example.com/b")
    assert finding.message == "Both http and https URLs: 1 of 3 are http"
    assert codes(entries) == ["U030"]


FEED = (
    b'<rss version="2.0"><channel><title>a</title><link>https://example.com/</link>'
    b"<item><link>https://blog.example.net/a</link></item>"
    b"<item><link>https://example.com/b</link></item></channel></rss>"
)


def test_a_feed_that_links_elsewhere_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_bytes(FEED)

    found = check(tmp_path / "feed.xml", base_url=f"{HOME}/feed.xml", select=["U0"])

    assert [(f.code, f.level) for f in found] == [("U028", "warning")]


def test_a_feed_that_lies_in_a_folder_and_that_nothing_names_is_for_readers() -> None:
    listed = f"<sitemap><loc>{HOME}/tags/index.xml</loc></sitemap>"
    site: dict[str, Piece] = {"tags/index.xml": FEED, "sitemap.xml": entry(f"{HOME}/")}

    assert codes(site) == []
    assert codes(site | {"index.xml": listed}) == ["U028", "U029"]
    robots = f"Sitemap: {HOME}/tags/index.xml"
    assert codes(site | {"robots.txt": robots}) == ["U028"]  # declared, so in scope of its host
    assert codes(
        {"tags/index.xml": FEED.replace(b"https://example.com", b"http://example.com")}
    ) == ["U030"]


def test_the_host_whose_robots_txt_is_known_is_reported_once() -> None:
    """By R012; U028 tells of all other hosts, and ports."""
    shop = "https://shop.example.com"
    entries = entry(f"{shop}/a") + entry(f"{shop}/b") + entry("https://blog.example.com/")
    site: dict[str, Piece] = {
        "sitemap.xml": entries + entry("https://example.com:8443/"),
        f"{shop}/robots.txt": "User-agent: *\nDisallow:",
        "robots.txt": "User-agent: *\nDisallow:",
    }

    found = [(f.code, f.level, f.loc) for f in reported(site, "R012", "U028")]

    assert found == [
        ("R012", "error", f"{shop}/a"),
        ("U028", "error", "https://blog.example.com/"),
        ("U028", "error", "https://example.com:8443/"),
    ]


def test_another_format_of_a_sitemap_is_only_an_info() -> None:
    pages = entry(f"{HOME}/a") + entry(f"{HOME}/b")
    text = f"{HOME}/a\n{HOME}/b\n".encode()

    def levels(*names: str) -> list[tuple[str, str]]:
        site = {name: text if name.endswith("txt") else pages for name in names}
        found = reported(site, "U501")
        return sorted({(str(f.source).rpartition("/")[2], f.level) for f in found})

    assert levels("sitemap.xml", "sitemap.txt") == []
    assert levels("sitemap.xml", "urls.txt") == [("urls.txt", "info")]
    assert levels("all.txt", "sitemap.xml") == [("all.txt", "info")]
    assert levels("a.txt", "b.xml", "c.xml") == [("a.txt", "info"), ("c.xml", "warning")]
    assert levels("a.txt", "b.txt") == [("b.txt", "warning")]
    site = documents_of({"sitemap.xml": pages, "urls.txt": text})
    assert fix(site, select=["U501"], unsafe=True).documents == []


def test_the_first_entry_in_another_sitemap_is_the_one_that_is_compared():
    dates = [f"202{n}-11-11T08:00:00Z" for n in range(1, 6)]
    first = "".join(f"<url><loc>{HOME}/a</loc><lastmod>{d}</lastmod></url>" for d in dates)
    second = f"<url><loc>{HOME}/a</loc><lastmod>2026-11-13T08:00:00Z</lastmod></url>"
    head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    documents = {
        f"{HOME}/a.xml": f"{head}{first}</urlset>".encode(),
        f"{HOME}/b.xml": f"{head}{second}</urlset>".encode(),
    }

    for _ in range(3):
        [found] = [f for f in check(documents) if f.code == "U502"]
        assert f"{dates[0]} in" in found.message
