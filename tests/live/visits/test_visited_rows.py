"""Rows of visited pages from the engine are those of their records, which specify them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amounts import amount
from tests.engine.test_well_formed_pages import END, START, content
from tests.html.test_files import HEADS, TITLES
from urlset.engine import available
from urlset.http import Request, Response
from urlset.live.visits.page_record import read_record
from urlset.live.visits.page_rows import (
    PageRows,
    read_rows,
    rows_of,
    rows_of_line,
    usual_rows,
    with_line,
)
from urlset.live.visits.page_urls import UrlResolver

pytestmark = pytest.mark.skipif(
    "native" not in available(), reason="the native engine is not installed"
)

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
VALUES = {"crawl": 3, "attempts": 2, "is_repeated": False}
URLS = [
    "https://example.com/tea/green.html",
    "http://127.0.0.1:8080/",
    "https://example.com/a/?b/c",
]
RARE_URLS = ["https://example.com/%7ea", "https://example.com/a..b/:c", "https://example.com"]
LINKS = (
    re.sub(
        r"=([a-z]+)(?=[ >])",
        r'="\1"',
        """<link rel=canonical href="/tea/green.html">|<link rel="x CANONICAL" href="green.html#a">
<link rel=canonical href="https://example.com/tea/green.html">|<link rel=canonical>
<link rel=canonical href="//b.example/">|<link rel=alternate hreflang=" de " href="../de">
<link rel=alternate hreflang=fr href="https://example.com/fr">|<link rel=next href="./2">
<link rel="prev next" href="?page=1">|<link rel=prev href="0">|<link rel="é next" href=x>
<link itemprop=image content=y href=x>|<meta name=robots content="nofollow, noindex">
<meta name=bingbot content="unavailable_after: 2020-01-01">|<meta name=yandex content=none>
<meta name="twitter:image" content="/t.png">|<meta property="og:title" content="O">""",
    )
    .replace("\n", "|")
    .split("|")
)
PIECES = (
    "/|//|.|..|./|../|#|#a|?|?b=c|a|b.html|c:d|:|%7e|%2F| |\t|é|&amp;|'|(|)|*|+|,|;|=|@|~|!|$|_|-"
    "|{|<|https://example.com|https://example.com/|HTTPS://EXAMPLE.com/|http://127.0.0.1:8080"
    "|mailto:a|https://example.com:443/|https://example.com.example/|https://example.community/x|\\|[|]|^|`||"
).split("|")
REFERENCES = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
RELATIONS = st.sampled_from(["", ' rel="nofollow"', ' rel="UGC x"', ' rel="é NoFollow"'])


def responded(url: str, page: str, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    headers = {"content-type": "text/html; charset=utf-8", "etag": '"é"', **named}
    return Response(
        Request(url), url, 200, headers, page.encode(), first_byte_s=0.5, seconds=1e-5, attempts=2
    )


def both(response: Response, *, has_links: bool = True) -> tuple[PageRows | None, PageRows]:
    """Return the rows from the engine, or None, and those from the record."""
    resolver = UrlResolver()
    found = usual_rows(response, resolver, VALUES, now=NOW, has_links=has_links)
    record = read_record(response, resolver, now=NOW, has_links=has_links)
    record.row.update(VALUES)
    return found, rows_of(record, has_line=False)


@pytest.mark.parametrize("has_links", [False, True])
@pytest.mark.parametrize("seed", range(amount(2, 60)))
def test_rows_of_pages_are_those_of_their_records(seed, has_links):
    random = Random(seed)
    count = 0

    for _ in range(300):
        head = "".join(random.choices(HEADS + LINKS, k=random.choice([0, 1, 2, 4])))
        title = f"<title>{random.choice(TITLES)}</title>"
        body = "".join(content(random) for _ in range(random.choice([1, 3])))
        page = START.replace("<title>T</title>", title + head) + body + END
        url = random.choice(URLS * 4 + RARE_URLS)
        found, expected = both(responded(url, page), has_links=has_links)
        if found is not None:
            count += 1
            assert found == expected, page

    assert count > 20


@given(st.sampled_from(URLS + RARE_URLS), st.lists(st.tuples(REFERENCES, RELATIONS), max_size=9))
def test_links_of_any_form_are_those_of_the_record(url, links):
    anchors = "".join(f'<a href="{reference}"{rel}>x</a>' for reference, rel in links)

    for has_links in (False, True):
        found, expected = both(responded(url, START + anchors + END), has_links=has_links)
        assert found is None or found == expected


@given(
    st.sampled_from(URLS),
    st.sampled_from(['rel="canonical"', 'rel="alternate" hreflang="de"', 'rel="next"']),
    REFERENCES,
)
def test_links_of_a_head_are_those_of_the_record(url, rel, reference):
    link = f'<link {rel} href="{reference}">'

    found, expected = both(responded(url, START.replace("</head>", f"{link}</head>") + END))

    assert found is None or found == expected


def test_a_usual_page_is_read_by_the_engine():
    page = START + '<a href="/a">a</a><a href="b" rel="nofollow">b</a><a href="/a#c">c</a>' + END

    found, expected = both(responded(URLS[0], page))

    assert found == expected
    assert found is not None
    assert found.links == (
        ("https://example.com/a", "https://example.com/tea/b"),
        ("a", "a"),
        (None, "nofollow"),
        ("false", "true"),
        ("2", "1"),
    )


@pytest.mark.parametrize(
    "response",
    [
        responded(URLS[0], START + END, x_robots_tag="noindex"),
        responded(URLS[0], START + END, link="</a>; rel=canonical"),
        responded(URLS[0], START + END, cf_mitigated="challenge"),
        responded(URLS[0], START + END, content_type="text/plain"),
        responded(URLS[0], START + END)._replace(status=203),
        responded(URLS[0], START + END)._replace(error="cut", is_whole=False),
        responded(URLS[0], START + END)._replace(url=URLS[1], redirects=(URLS[0],)),
        responded(URLS[0], START.replace(">T<", ">Page not found<") + END),
        responded(URLS[0], START.replace("</head>", '<base href="/x/"></head>') + END),
        responded(URLS[0], "<p>x"),
        responded(URLS[0], ""),
    ],
)
def test_other_responses_are_left_to_the_record(response):
    assert usual_rows(response, UrlResolver(), VALUES) is None


def test_a_line_of_the_journal_keeps_the_rows():
    for page in (START + '<a href="/ä">a</a>' + END, "<p>x"):
        rows = read_rows(UrlResolver(), responded(URLS[0], page), VALUES)
        assert rows.line
        assert rows_of_line(rows.line) == rows == with_line(rows)


@pytest.mark.parametrize("line", ["", "[]", '["a","ok",[],[],false,false]', '["a",{},[],false]'])
def test_a_line_of_another_version_is_refused(line):
    with pytest.raises(ValueError, match=r"expected|unpack|Expecting"):
        rows_of_line(line)
