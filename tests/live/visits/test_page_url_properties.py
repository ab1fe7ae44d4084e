"""Normalized URLs of pages: one form for all spellings, stable, and without errors."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.live.visits.page_urls import MAX_URL, UrlResolver, page_url, section_of

UNRESERVED = string.ascii_letters + string.digits + "-_~"
SEGMENTS = st.lists(
    st.text(st.sampled_from(UNRESERVED + " äé日"), min_size=1, max_size=5), max_size=4
)
QUERIES = st.none() | st.text(st.sampled_from(UNRESERVED + "&=/?"), max_size=8)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
ODD_PIECES = st.lists(
    st.sampled_from(
        ["http:", "https:", "HTTP:", "//", "/", "\\", "..", ".", "%", "%2", "%2e", "%2F", "%ff",
         "?", "#", "@", ":", ":80", ":443", ":99999", "[", "]", "[::1]", "example.com",
         "EXAMPLE.com.", "bücher.example", "xn--", "\x00", "\t", "\n", " ", "ä", "\ud800", "a"]
    ),
    max_size=9,
)  # fmt: skip
URLS = ANY_TEXT | ODD_PIECES.map("".join) | ODD_PIECES.map(lambda p: "http://h/" + "".join(p))


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """Return two spellings of one URL (RFC 3986 section 6.2.2 and 6.2.3)."""
    scheme, port = draw(st.sampled_from([("http", ":80"), ("https", ":443")]))
    segments, query = draw(SEGMENTS), draw(QUERIES)
    tail = "" if query is None else f"?{query}"

    def spelled(segment: str) -> str:
        return "".join(
            f"%{byte:{draw(st.sampled_from(['02x', '02X']))}}"
            if len(data) > 1 or character == " " or draw(st.booleans())
            else character
            for character in segment
            for data in [character.encode()]
            for byte in data
        )

    def case(text: str) -> str:
        return text.upper() if draw(st.booleans()) else text

    def path() -> str:
        found = ""
        for segment in segments:
            found += draw(st.sampled_from(["", "/.", "/x/.."])) + f"/{spelled(segment)}"
        return found or draw(st.sampled_from(["", "/"]))

    def url() -> str:
        host = case("example.com") + draw(st.sampled_from(["", port]))
        return f"{case(scheme)}://{host}{path()}{tail}{draw(st.sampled_from(['', '#', '#part']))}"

    return url(), url()


@given(spellings())
def test_two_spellings_of_a_url_have_one_form(pair: tuple[str, str]):
    first, second = pair
    assert page_url(first) is not None
    assert page_url(first) == page_url(second)


@given(URLS)
def test_the_form_is_stable_and_nothing_is_an_error(url: str):
    found = page_url(url)
    if found is None:
        return
    assert page_url(found) == found
    assert found.startswith(("http://", "https://"))
    assert "#" not in found
    assert section_of(found)


@given(URLS, URLS)
def test_a_reference_resolves_to_a_normalized_url_or_to_nothing(reference: str, base: str):
    start = page_url(base) or "https://example.com/a/b"
    found = UrlResolver().resolve(reference, start)
    if found is not None:
        assert len(found) <= MAX_URL or found == start
        assert page_url(found) == found


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://example.com/%2F", "https://example.com//"),
        ("https://example.com/a%3Fb", "https://example.com/a?b"),
        ("https://example.com/A", "https://example.com/a"),
        ("https://example.com/a", "https://example.com/a/"),
        ("https://example.com/a", "http://example.com/a"),
        ("https://example.com/a", "https://example.com/a?"),
    ],
)
def test_urls_that_may_be_different_pages_differ(url: str, other: str):
    assert page_url(url) != page_url(other)
