"""No entry of any document has a loc that is not an absolute http(s) URL with a host."""

import gzip
import random
import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from urlset.engine import Engine
from urlset.robots import read_robots
from urlset.urls import parse_url, resolve

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
BASE = "https://example.com/dir/sitemap.xml"
BASES = [
    None, BASE, "http://user@sub.example.com:8080/s.xml?q#f", "HTTPS://EXAMPLE.COM",
    "https://", "https:///s.xml", "http:example.com", "ftp://example.com/s.xml", "s.xml", "1https://e/",
    "https://exa mple.com/", "https://[::1]/", "https://https/s.xml", "",
]  # fmt: skip

# The text, and what it means in a sitemap at BASE.
NO_URLS = [
    ("'https://e.com/a'", "https://e.com/a"),
    ('"https://e.com/a"', "https://e.com/a"),
    ("“https://e.com/a”", "https://e.com/a"),
    ("„https://e.com/a“", "https://e.com/a"),
    ("«https://e.com/a»", "https://e.com/a"),
    ("(https://e.com/a_(b))", "https://e.com/a_(b)"),
    ("[https://e.com/a]", "https://e.com/a"),
    ("&lt;https://e.com/a&gt;", "https://e.com/a"),
    ("'/a'", "https://example.com/a"),
    ("'https://e.com/a", None),
    ("“https://e.com/a", None),
    ("'a'", None),
    ("(see /a)", None),
    ("url=https://e.com/a", None),
    ("1https://e.com/a", None),
    ("ht\xa0tps://e.com/a", None),
    ("ht%74ps://e.com/a", None),
    ("https\N{FULLWIDTH COLON}//e.com/a", None),
    ("https//e.com/a", None),
    ("https;//e.com/a", None),
    (":https://e.com/a", None),
    ("https:e.com/a", None),
    ("[link](https://e.com/a)", None),
    ("Page not found", None),
    ("Page\nnot found", None),
    ("undefined/a", None),
    ("null", None),
]  # fmt: skip


def is_url(loc: str) -> bool:
    """An oracle of its own: nothing here is shared with the code under test."""
    return bool(re.match(r"https?://[^/?#\s]", loc, re.IGNORECASE)) and bool(urlsplit(loc).hostname)


def assert_urls(engine: str, data: bytes, base: str | None) -> int:
    document = urlset.parse(data, base_url=base, engine=engine)
    locs = [entry.loc for entry in document.entries]
    locs += [sitemap.loc for sitemap in document.sitemaps]
    wrong = [loc for loc in locs if not is_url(loc)]
    assert not wrong, (wrong[:3], base, data[:2_000])
    return len(locs)


# ── the texts of the defect, wherever a URL may stand ──


@pytest.mark.parametrize(("text", "url"), NO_URLS)
def test_text_that_is_no_url_is_no_loc(engine: Engine, text: str, url: str | None) -> None:
    for root, entry in (("urlset", "url"), ("sitemapindex", "sitemap")):
        data = f"<{root} {CORE}><{entry}><loc>{text}</loc></{entry}></{root}>".encode()
        document = urlset.parse(data, base_url=BASE, engine=engine.name)
        found = [row.loc for row in (*document.entries, *document.sitemaps)]
        assert found == ([] if url is None else [url])
        assert {p.code for p in document.problems} & {"U001", "U002"}


@pytest.mark.parametrize(("text", "url"), NO_URLS)
def test_text_that_is_no_url_in_a_feed(engine: Engine, text: str, url: str | None) -> None:
    data = f"<rss version='2.0'><channel><item><link>{text}</link></item></channel></rss>".encode()
    document = urlset.parse(data, base_url=BASE, engine=engine.name)

    assert [entry.loc for entry in document.entries] == ([] if url is None else [url])
    assert {p.code for p in document.problems} & {"U001", "U002"}


@pytest.mark.parametrize(("text", "url"), NO_URLS)
def test_text_that_is_no_url_in_robots(text: str, url: str | None) -> None:
    text = text.replace("&lt;", "<").replace("&gt;", ">")
    if any(space in text for space in " \n") or text[0] == ":":
        return  # several values, for a line of robots.txt; a second colon
    robots = read_robots(f"Sitemap: {text}\n".encode(), "https://example.com/dir/robots.txt")
    found = [line.url for line in robots.sitemaps]

    assert found == ([] if url is None else [url])
    assert robots.problems


@pytest.mark.parametrize("text", [text for text, _ in NO_URLS if "&" not in text])
def test_text_that_is_no_url_is_not_written(text: str, tmp_path) -> None:
    with pytest.raises(ValueError, match="expected"):
        urlset.write([{"loc": text}], tmp_path, base_url="https://example.com/dir/")
    assert not list(tmp_path.iterdir())


def test_reference_has_a_scheme_where_rfc_3986_says_so():
    """RFC 3986 section 3.1; section 4.2: no colon in the first segment of a relative path."""
    for text in ("1a:b", "a_b:c", ":a", "é:a", "'a:b"):
        assert parse_url(text, BASE).url is None
        assert resolve(text, BASE).startswith("https://example.com/dir/")
    assert parse_url("./1a:b", BASE).url == "https://example.com/dir/1a:b"
    assert parse_url("?a:b", BASE).url == BASE + "?a:b"
    assert resolve("a+.-1:b", BASE) == "a+.-1:b"


def test_relative_path_with_escapes_and_a_dotted_query_is_a_url():
    assert parse_url("caf%C3%A9.html", BASE).url == "https://example.com/dir/caf%C3%A9.html"
    assert parse_url("page?v=1.2.3/4", BASE).url == "https://example.com/dir/page?v=1.2.3/4"


# ── any document, any base ──

pieces = st.sampled_from(
    ["https://", "http:", "//", "/", "HTTPS://", "'", '"', "“", "”", "(", ")", "[", "]", "<", ">",
     "=", ":", "@", "#", "?", ".", "..", "e.com", "example.com", "1", "a", "\xa0", " ", "\n", "%20",
     "%", "é", "\u200b", "{{", "www.", "url", "&amp;", "&lt;", "null", "\\"]
)  # fmt: skip
texts = st.lists(pieces, max_size=9).map("".join) | st.text(max_size=12)
forms = st.sampled_from(
    [
        "<urlset><url><loc>{}</loc></url></urlset>",
        "<urlset><url>{}<loc>{}</loc></url></urlset>",
        "<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>",
        "<rss><item><link>{}</link></item></rss>",
        "<rss><item><guid>{}</guid></item></rss>",
        "<feed xml:base='{}'><entry><link href='{}'/></entry></feed>",
        "https://e.com/\n{}\n",
        "{}",
    ]
)


@settings(max_examples=amount(375, 15_000))
@given(forms, texts, texts, st.sampled_from(BASES) | texts)
def test_every_loc_is_a_url_whatever_the_text(engine, form, one, two, base):
    data = form.replace("{}", one, 1).replace("{}", two).encode(errors="ignore")
    assert_urls(engine.name, data, base)


@given(texts, st.sampled_from(BASES) | texts)
def test_every_url_read_is_absolute(text, base):
    url = parse_url(text, base).url
    assert url is None or is_url(url)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Bytes deleted, doubled, exchanged, and the pieces above put in, mostly in and around URLs."""
    marks = [found.start() for found in re.finditer(rb"https?:|</?loc>|/", data[:20_000])] or [0]
    for _ in range(chance.randint(1, 4)):
        at = max(0, chance.choice(marks) + chance.randint(-2, 9))
        end = at + chance.choice((0, 0, 1, 1, 3, 12))
        middle = chance.choice(MIDDLES)
        if chance.random() < 0.2:
            middle = data[at:end] * 2
        data = data[:at] + middle + data[end:]
    return data


MIDDLES = [
    b"", b"", b"'", b'"', "“".encode(), b"(", b")", b"url=", b"1", b"\xc2\xa0", b" ", b"\n", b"<",
    b">", b":", b"//", b"</lastmod>", b"</link> My title", b"&", b"\xff", b"\x00", b"<url><loc>",
    b"https:", b"http://", b"{{", b"]]>", b"<![CDATA[", b"<!--", b"www.", b"%",
]  # fmt: skip


def mutations(shared, count: int, most: int):
    """Damaged documents of the corpus, and the base of each."""
    chance = random.Random(11)
    files = [path for path in sorted((shared / "corpus").glob("*/*")) if path.is_file()]
    texts = [path.read_bytes() for path in files]
    texts = [gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text for text in texts]
    texts = [text[:most] for text in texts]
    for _ in range(count):
        yield mutated(chance.choice(texts), chance), chance.choice(BASES)


def test_every_loc_of_a_damaged_document_is_a_url(engine, shared):
    count = sum(assert_urls(engine.name, *case) for case in mutations(shared, 300, 4_000))
    assert count > 1_000


@pytest.mark.slow
def test_every_loc_of_many_damaged_documents_is_a_url(engine, shared):
    for case in mutations(shared, 20_000, 3_000):
        assert_urls(engine.name, *case)
