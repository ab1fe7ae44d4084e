"""Digests of entries with extensions: a build notices by them that one changed."""

from datetime import UTC, datetime
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from urlset import engine as engines
from urlset.writer import render

PAGE = "https://example.com/a"
DAY = datetime(2026, 1, 31, tzinfo=UTC)

texts = st.text('aä<&>"é/🍵lastmod', max_size=200)
entries = st.builds(
    lambda images, title, dates, links: urlset.Entry(
        PAGE,
        lastmod=dates,
        images=tuple(urlset.Image(f"{PAGE}{number}.jpg", title=title) for number in range(images)),
        alternates=tuple(urlset.Alternate(code, PAGE) for code in links),
    ),
    st.integers(0, 3),
    st.none() | texts,
    st.none() | st.just(DAY),
    st.sets(st.sampled_from(["de", "en", "x-default"])),
)


def digests(document, engine):
    parsed = engine.parse(document, None, None, [])
    return list(engine.entry_digests(document, parsed.entries, document.rindex(b"</urlset>")))


def rendered(*given_entries):
    return render(given_entries, duplicates="keep", on_rejected=lambda _: None, allow_empty=True)


def test_digest_is_that_of_the_bytes_without_the_date(engine):
    image = urlset.Image(f"{PAGE}.jpg")
    document = rendered(
        urlset.Entry(PAGE, lastmod=DAY, images=(image,)),
        urlset.Entry(PAGE, lastmod=DAY),
        urlset.Entry(PAGE, images=(image,)),
    )
    entry = document.splitlines(keepends=True)[-2]

    expected = blake2b(entry, digest_size=16).hexdigest()
    assert b"<image:image>" in entry
    assert digests(document, engine) == [expected, None, expected]


def test_an_extension_without_a_column_has_a_digest(engine):
    document = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:a="https://a.example/">'
        b"<url><loc>https://example.com/</loc><a:b>1</a:b></url>"
        b"<url><loc>https://example.com/b</loc></url></urlset>"
    )

    first, second = digests(document, engine)

    assert (first is None, second) == (False, None)


@pytest.mark.skipif("native" not in engines.available(), reason="the native engine is not built")
@given(st.lists(entries, max_size=5))
def test_digests_of_both_engines_are_equal(given_entries):
    document = rendered(*given_entries)

    found = digests(document, engines.get("native"))
    assert found == digests(document, engines.get("reference"))
    has_more = [bool(entry.images or entry.alternates) for entry in given_entries]
    assert [digest is not None for digest in found] == has_more
