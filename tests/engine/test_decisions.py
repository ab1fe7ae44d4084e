"""FIELD part two, 2.2 and 2.3: inputs on which nine readers disagree, and what we decided on each.

Users find the same decisions in docs/reading.md; tests/docs/test_guides.py tests that page.
"""

import gzip
from datetime import UTC, datetime
from typing import Any

import pytest

import urlset
from urlset import Document

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{CORE}">\n'
BASE = "https://example.com/dir/sitemap.xml"
B = "https://example.com/b"


def url(loc: str, more: str = "") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>"


def read(engine, body: str, base: str | None = BASE) -> Document:
    """Read a sitemap with this body and, behind it, a good entry that must not suffer."""
    data = f"{HEAD}{body}{url(B)}</urlset>".encode()
    document = urlset.parse(data, base_url=base, engine=engine.name)
    assert [entry.loc for entry in document.entries][-1] == B
    return document


def locs(document: Document) -> list[str]:
    """The URLs but the last, which is the good one."""
    return [entry.loc for entry in document.entries][:-1]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


@pytest.mark.parametrize(
    ("loc", "expected"),
    [("/a", "https://example.com/a"), ("//example.org/a", "https://example.org/a")],
)
def test_decision_relative_loc(engine, loc, expected):
    """Resolved and reported; without a base it is no URL. Not raw, not dropped in silence."""
    document = read(engine, url(loc))
    assert (locs(document), codes(document)) == ([expected], ["U001"])
    document = read(engine, url(loc), base=None)
    assert (locs(document), codes(document)) == ([], ["U001"])


def test_decision_space_inside_a_url(engine):
    """As browsers do; never deleted."""
    document = read(engine, url("https://example.com/a b"))
    assert (locs(document), codes(document)) == (["https://example.com/a%20b"], ["U006"])


@pytest.mark.parametrize("wrap", ["\n    ", "\r\n\t", "\n", "&#10;"])
def test_decision_line_break_inside_a_url(engine, wrap):
    """As browsers do (https://url.spec.whatwg.org/#url-parsing): a wrapped line is joined."""
    document = read(engine, url(f"https://example.com/a{wrap}b"))
    assert (locs(document), codes(document)) == (["https://example.com/ab"], ["U006"])


def test_decision_characters_that_no_url_has(engine):
    """Kept: the server may answer to them, and which escape it means cannot be known."""
    document = read(engine, url("https://example.com/|{}[]^"))
    assert (locs(document), codes(document)) == (["https://example.com/|{}[]^"], [])


def test_decision_two_locs_in_one_url(engine):
    """Both; the metadata belongs to the first."""
    body = "<url><loc>https://example.com/1</loc><loc>https://example.com/2</loc>"
    document = read(engine, f"{body}<priority>0.1</priority></url>")
    assert (locs(document), codes(document)) == (
        ["https://example.com/1", "https://example.com/2"],
        ["S008"],
    )
    assert [entry.priority for entry in document.entries] == [0.1, None, None]


def test_decision_url_inside_loc(engine):
    document = read(engine, url(url("https://example.com/a")))
    assert (locs(document), codes(document)) == (["https://example.com/a"], ["S017"])


def test_decision_sitemap_inside_urlset(engine):
    """A child is a child, wherever it stands: not a page."""
    document = read(engine, "<sitemap><loc>https://example.com/s.xml</loc></sitemap>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [], ["S014"])
    assert [sitemap.loc for sitemap in document.sitemaps] == ["https://example.com/s.xml"]


def test_decision_duplicate_urls(engine):
    """Kept: that there are two, and what each says, is for the rules to judge."""
    document = read(engine, url(B, "<priority>0.1</priority>"))
    assert (locs(document), codes(document)) == ([B], [])


def test_decision_other_host(engine):
    document = read(engine, url("https://example.org/a"))
    assert (locs(document), codes(document)) == (["https://example.org/a"], [])


def test_decision_international_url(engine):
    """Kept as it was written; how to encode it is for the one who requests it."""
    document = read(engine, url("http://www.exämple.com/日本"))
    assert (locs(document), codes(document)) == (["http://www.exämple.com/日本"], [])


def test_decision_port_99999(engine):
    """That entry alone is lost."""
    document = read(engine, url("https://example.com:99999/"))
    assert (locs(document), codes(document)) == ([], ["U015"])


def test_decision_undefined_entity(engine):
    document = read(engine, url("https://example.com/&eacute;") + url("https://example.com/&x;"))
    assert locs(document) == ["https://example.com/é", "https://example.com/&x;"]
    assert codes(document) == ["X004"]
    document = read(engine, url("https://example.com/a&nbsp;b"))
    assert (locs(document), codes(document)) == (["https://example.com/a\xa0b"], ["U006", "X004"])


def test_decision_bare_less_than(engine):
    """It is itself where it can be nothing else; where it may be a tag there is no URL."""
    document = read(engine, url("https://example.com/a<1"))
    assert (locs(document), codes(document)) == (["https://example.com/a<1"], ["X002"])
    document = read(engine, url("https://example.com/a<b>1"))
    assert (locs(document), codes(document)) == ([], ["S017", "X002"])


@pytest.mark.parametrize("end", ["</lco></url>", "</loc></ulr>", "</url>", "</lco></ulr>"])
def test_decision_mismatched_end_tag(engine, end):
    document = read(engine, f"<url><loc>https://example.com/a{end}")
    assert (locs(document), codes(document)) == (["https://example.com/a"], ["X002"])


def test_decision_truncated_gzip(engine):
    """What is whole in what can be unpacked."""
    data = gzip.compress(f"{HEAD}{url(B)}{url('https://example.com/a')}</urlset>".encode(), 0)
    document = urlset.parse(data[:-40], engine=engine.name)
    assert [entry.loc for entry in document.entries] == [B]
    assert codes(document) == ["X009", "X025"]


@pytest.mark.parametrize("start", ["<!DOCTYPE html><html><body>", "<html><pre>", "<HTML>\n"])
def test_decision_html_page_with_a_urlset(engine, start):
    """A page is no sitemap, whatever is quoted in it."""
    document = urlset.parse(f"{start}{HEAD}{url(B)}</urlset>".encode(), engine=engine.name)
    assert (document.kind, len(document.entries), codes(document)) == ("html", 0, ["X019"])


def test_decision_invalid_byte_in_a_url(engine):
    """Read as windows-1252, that byte alone; no U+FFFD."""
    data = f"{HEAD}{url('https://example.com/é')}".encode() + url("https://example.com/è").encode(
        "latin-1"
    )
    document = urlset.parse(data + b"</urlset>", engine=engine.name)
    assert [e.loc for e in document.entries] == ["https://example.com/é", "https://example.com/è"]
    assert codes(document) == ["X010"]


def test_decision_fragment_userinfo_length(engine):
    """Kept; length is reported here, the others by the rules on URLs."""
    odd = ["https://example.com/a#b", "https://me:secret@example.com/", f"{B}/{'a' * 2048}"]
    document = read(engine, "".join(map(url, odd)))
    assert (locs(document), codes(document)) == (odd, ["U003"])


# Not in FIELD; found by cutting off the start of a sitemap.
@pytest.mark.parametrize(
    "line",
    [f"{B}</loc></url></urlset>", f"{B}<br>", f'{B}"/>', f"{B}</loc><url><loc>{B}</loc></url>"],
)
def test_decision_markup_in_a_list(engine, line):
    """A line with markup is no URL; no server was ever asked for its end tags."""
    document = urlset.parse(f"{line}\nhttps://example.com/a\n".encode(), engine=engine.name)
    assert [entry.loc for entry in document.entries] == ["https://example.com/a"]
    assert codes(document) == ["T001"]


def test_decision_image_beside_a_loc_without_a_root(engine):
    """The loc of an extension is no page, in a fragment as elsewhere (tolerance row 55)."""
    body = "<image:image><image:loc>https://example.com/i</image:loc></image:image>"
    data = f"<loc>https://example.com/a</loc>{body}<loc>{B}</loc>".encode()
    document = urlset.parse(data, engine=engine.name)
    assert [entry.loc for entry in document.entries] == ["https://example.com/a", B]


def test_decision_empty_loc_before_a_loc(engine):
    """No URL is lost, but two locs are one too many."""
    document = read(engine, "<url><loc/><loc>https://example.com/a</loc></url>")
    assert (locs(document), codes(document)) == (["https://example.com/a"], ["S008"])


# 2.3: lastmod as it stands | the instant, or – | code, or –
DATES = """
2005-01-01                    | 2005-01-01T00:00:00        | –
2004                          | 2004-01-01T00:00:00        | –
2004-10                       | 2004-10-01T00:00:00        | –
2004-10-01T18:23:17+00:00     | 2004-10-01T18:23:17        | –
2004-10-01T18:23Z             | 2004-10-01T18:23:00        | –
2004-10-01T18:23:17.123456Z   | 2004-10-01T18:23:17.123456 | –
2004-10-01T18:23:17.1234567Z  | 2004-10-01T18:23:17.123456 | –
2004-10-01 18:23:17           | 2004-10-01T18:23:17        | D002
2004-10-01T18:23:17           | 2004-10-01T18:23:17        | D002
2004-10-01T18:23:17+0000      | 2004-10-01T18:23:17        | D003
␣␣2005-01-01␣␣                | 2005-01-01T00:00:00        | –
⏎2005-01-01⏎                  | 2005-01-01T00:00:00        | –
20041001                      | 2004-10-01T00:00:00        | D001
01/10/2004                    | –                          | D001
Fri, 01 Oct 2004 18:23:17 GMT | 2004-10-01T18:23:17        | D001
2004-10-01T18:23:17 +00:00    | 2004-10-01T18:23:17        | D003
2004-10-01T24:00:00Z          | –                          | D004
2004-02-30                    | –                          | D004
0000-00-00                    | –                          | D004
-0001-11-30T00:00:00+00:00    | –                          | D004
1096654997                    | –                          | D001
2004-10-01T18:23:17+00:00Z    | –                          | D001
2004-10-01t18:23:17z          | 2004-10-01T18:23:17        | D003
2004-W40-5                    | –                          | D001
                              | –                          | S009
now                           | –                          | D001
2004-10-01T18:23:17.5+05:30   | 2004-10-01T12:53:17.500000 | –
October 1, 2004               | 2004-10-01T00:00:00        | D001
2004-10-1                     | 2004-10-01T00:00:00        | D001
01.10.2004                    | –                          | D001
"""


def test_all_thirty_dates_are_here():
    assert len(DATES.strip().splitlines()) == 30


@pytest.mark.parametrize("line", DATES.strip().splitlines())
@pytest.mark.parametrize("root", ["urlset", "sitemapindex"])
def test_decision_lastmod(engine, line, root):
    """The text is kept; the instant is there where it has one meaning."""
    text, instant, code = (cell.strip() for cell in line.split("|"))
    text = text.replace("␣", " ").replace("⏎", "\n")
    entry = "url" if root == "urlset" else "sitemap"
    inner = f"<{entry}><loc>{B}</loc><lastmod>{text}</lastmod></{entry}>"

    document = urlset.parse(f'<{root} xmlns="{CORE}">{inner}</{root}>'.encode(), engine=engine.name)

    rows: list[Any] = [*document.entries, *document.sitemaps]
    [row] = rows
    assert row.lastmod_text == (text.strip() or None)
    if instant == "–":
        assert row.lastmod is None
    else:
        assert row.lastmod == datetime.fromisoformat(instant).replace(tzinfo=UTC)
    assert codes(document) == ([] if code == "–" else [code])


# 2.3, the last lines: "bogus -> always: USP", "0,8: 0.5 in USP and CC".
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Daily", "daily"),
        (" weekly ", "weekly"),
        ("bogus", None),
        ("biweekly", None),
        ("Every day", None),
    ],
)
def test_decision_changefreq(engine, text, word):
    document = read(engine, url("https://example.com/a", f"<changefreq>{text}</changefreq>"))
    assert next(iter(document.entries)).changefreq == word
    assert codes(document) == ["S019"]


@pytest.mark.parametrize("text", ["0,8", "1.1", "-0.1", "NaN", "1e-1", "high", "0.5.5", "٠.٥"])
def test_decision_priority(engine, text):
    document = read(engine, url("https://example.com/a", f"<priority>{text}</priority>"))
    assert next(iter(document.entries)).priority is None
    assert codes(document) == ["S020"]
