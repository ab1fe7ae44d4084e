"""Pages of files have the same facts as their bytes, whichever engine scans them."""

import os
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.amounts import IS_SOAK
from tests.engine.test_well_formed_pages import END, START, content
from urlset.engine import available
from urlset.html import (
    MAX_BYTES,
    OrdinaryPage,
    facts_of_file,
    origin_of,
    read_page,
    scan_files,
)
from urlset.html.not_found import _NOT_FOUND, title_says_not_found

pytestmark = pytest.mark.skipif(
    "native" not in available(), reason="the native engine is not installed"
)

URL = "https://example.com/tea/"
WANTS = [
    {"lastmod", "fingerprint"},
    {"fingerprint", "alternates"},
    {"lastmod", "alternates", "images", "videos", "news"},
    set(),
]
HEADS = (
    """<meta name="description" content="d  e"> <meta NAME=" Description " content=" ">
<meta property="og:description" content="o"> <meta name="viewport" content="w">
<meta name="robots" content="noindex"> <meta name="GoogleBot" content="nosnippet">
<meta http-equiv="refresh" content="0; url=/x"> <meta http-equiv="Content-Type" content="a">
<meta http-equiv="refresh" content="0; url=/y" name="robots">
<meta content="5" http-equiv="refresh">
<link http-equiv="refresh" content="0; url=/z">
<meta name="last-modified" content="2026-01-31"> <meta property="article:published_time" content="
2025-01-31"> <meta itemprop="dateModified" content="2024-01-31"> <link rel="icon" href="/i.png">
<link rel="Canonical" href="/other"> <link rel="alternate" hreflang="de" href="/de">
<link rel="alternate" type="application/rss+xml" href="/feed"> <base href="/b/">
<meta property="og:image" content="/o.png"> <script type="application/ld+json">
{"@type": "Article", "dateModified": "2023-01-31", "image": "/j.png"}</script>
<script>1</script>""".replace("> <", ">|<")
    .replace("\n<", "|<")
    .split("|")
)
TITLES = ["T", "Tea &amp; more", "Page not found", "", " a  b ", "Not found | Tea", "café"]


def found_in(folder, data, wants, url=URL):
    """Return the facts of a page from its file, or None, and those from its bytes."""
    path = folder / "page.html"
    path.write_bytes(data)
    [page] = scan_files([str(path)], origin_of(url), wants=wants)
    facts = None if page is None else facts_of_file(page, url, wants=wants)
    expected = read_page(data, url, wants=wants)
    if isinstance(page, OrdinaryPage):
        return facts, expected._replace(title=None, description=None, language=None)
    return facts, expected


@pytest.mark.parametrize(("seed", "wants"), [*product(range(60 if IS_SOAK else 2), WANTS)])
def test_facts_of_files_are_those_of_their_bytes(tmp_path, seed, wants):
    random = Random(seed)
    count = 0

    for _ in range(200):
        head = "".join(random.choices(HEADS, k=random.choice([0, 1, 3, 5])))
        title = f"<title>{random.choice(TITLES)}</title>"
        body = "".join(content(random) for _ in range(random.choice([1, 3])))
        page = START.replace("<title>T</title>", title + head) + body + END
        facts, expected = found_in(tmp_path, page.encode(), wants)
        if facts is not None:
            count += 1
            assert facts == expected, page

    assert count > 20


@pytest.mark.parametrize("seed", range(60 if IS_SOAK else 3))
def test_the_beginning_of_a_long_page_is_read_as_if_it_were_repaired(tmp_path, monkeypatch, seed):
    random = Random(seed)
    count = 0

    for _ in range(400):
        body = "".join(content(random) for _ in range(random.choice([1, 3])))
        page = (START + body + END).encode()
        monkeypatch.setattr("urlset.html.facts.MAX_BYTES", random.randint(len(START), len(page)))
        facts, expected = found_in(tmp_path, page, WANTS[0])
        if facts is not None:
            count += 1
            assert facts == expected, (page, random)

    assert count > 40


@pytest.mark.parametrize(
    ("head", "refresh"),
    [
        ("", None),
        ('<meta name="description" content="d"><meta property="og:title" content="o">', None),
        ('<meta http-equiv="refresh" content="0; url=/x">', "https://example.com/x"),
        ('<META content="0;URL=../x#y" HTTP-EQUIV=" Refresh ">', "https://example.com/x"),
        ('<meta http-equiv="refresh" content="5">', None),
        ('<meta http-equiv="refresh" content="0; url=mailto:a@example.com">', None),
    ],
)
def test_most_pages_are_ordinary(tmp_path, head, refresh):
    path = tmp_path / "page.html"
    path.write_text(START.replace("<title>T", f"{head}<title>Tea, foundation") + "x" + END)

    [page] = scan_files([str(path)], origin_of(URL), wants=WANTS[0])
    facts, expected = found_in(tmp_path, path.read_bytes(), WANTS[0])

    assert isinstance(page, OrdinaryPage)
    assert facts.refresh == refresh
    assert facts == expected


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="robots" content="noindex">',
        '<link rel="canonical" href="/x">',
        '<meta http-equiv="refresh" content="0; url=/x" name="robots">',
        '<meta http-equiv="refresh" content="0; url=/x"><meta http-equiv="refresh" content="1">',
        '<meta http-equiv="refresh">',
        '<base href="/x/">',
        '<script type="application/ld+json">{"dateModified": "2026-01-31"}</script>',
    ],
)
def test_a_page_from_which_facts_are_read_is_not_ordinary(tmp_path, head):
    path = tmp_path / "page.html"
    path.write_text(START.replace("<title>T", f"{head}<title>Tea") + "x" + END)

    [page] = scan_files([str(path)], origin_of(URL), wants=WANTS[0])

    assert page is not None
    assert not isinstance(page, OrdinaryPage)


ERROR_TITLES = sorted({word for text in _NOT_FOUND for word in text.split()} | _NOT_FOUND)
OTHER_TITLES = ["Tea", "|", "_", " - ", ":", "!", "\u00a0", "x" * 190, " " * 3]


@given(
    st.lists(st.sampled_from(ERROR_TITLES + OTHER_TITLES), max_size=6),
    st.sampled_from([str, str.upper, str.title]),
)
@settings(max_examples=2_000 if IS_SOAK else 200)
def test_a_page_whose_title_says_not_found_is_not_ordinary(tmp_path_factory, parts, cased):
    title = cased(" ".join(parts))
    path = tmp_path_factory.mktemp("pages") / "page.html"
    path.write_text(START.replace("<title>T", f"<title>{title}") + "x" + END, "utf-8")

    [page] = scan_files([str(path)], origin_of(URL), wants=WANTS[0])

    if isinstance(page, OrdinaryPage):
        assert not title_says_not_found(" ".join(title.split()))


@given(st.integers(0, 400), st.sampled_from(["x", "é", "日", "x "]))
def test_fingerprints_of_texts_of_any_length_are_the_same(tmp_path_factory, length, text):
    folder = tmp_path_factory.mktemp("pages")

    facts, expected = found_in(folder, f"{START}{text * length}{END}".encode(), WANTS[0])

    assert facts == expected


def test_a_byte_order_mark_is_no_text(tmp_path):
    facts, expected = found_in(tmp_path, b"\xef\xbb\xbf" + f"{START}x{END}".encode(), WANTS[0])

    assert facts == expected


@pytest.mark.parametrize(
    "content",
    [
        "<p>15 views</p>",
        "<p>Built on 21 November 2026 at 10:00:12 UTC by Jörg</p>",
        '<p><a href="/app.3f9a1c0d.js?v=2">x</a>',
        '<p><a href="/a?sid=1&amp;b=2">x</a><img src="/caf%C3%A9?utm_source=é">',
    ],
)
def test_rare_lines_and_links_are_decided_as_in_other_pages(tmp_path, content):
    facts, expected = found_in(tmp_path, f"{START}x{content}{END}".encode(), WANTS[0])
    same, _ = found_in(tmp_path, f"{START}x{content.replace('1', '3')}{END}".encode(), WANTS[0])

    assert facts == expected
    assert same.fingerprint == facts.fingerprint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<p>Tea",
        f"{START}caf\xe9{END}".encode("latin-1"),
        f"{START}x{END}".encode("utf-16"),
        f"<!--{'-' * 70_000}>-->{START}x{END}".encode(),
        f"{START}<!--{'x' * MAX_BYTES}-->{END}".encode(),
        f"{START.replace('<title>T', '<title>Page not found')}x{END}".encode(),
    ],
)
def test_a_page_that_needs_its_bytes_has_no_facts(tmp_path, data):
    facts, _ = found_in(tmp_path, data, WANTS[0])

    assert facts is None


def test_files_that_cannot_be_read_are_none(tmp_path):
    paths = [tmp_path / "missing.html", tmp_path, tmp_path / "pipe.html", tmp_path / "\udce9.html"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(paths[2])

    assert [*scan_files(list(map(str, paths)), origin_of(URL), wants=WANTS[0])] == [None] * 4


def test_a_file_name_may_have_any_bytes(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.html"
    with open(path, "wb") as file:
        file.write(f"{START}x{END}".encode())

    [page] = scan_files([os.fsdecode(path)], origin_of(URL), wants=WANTS[0])

    assert page is not None
    assert page.fingerprint
