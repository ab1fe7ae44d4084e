"""Exact positions of findings, also of thousands in one entry or on one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset import check
from urlset.checker import locate
from urlset.checker.load import Text
from urlset.checker.locate import _Locator
from urlset.formats.spans import DocumentSpans

_XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
_HEAD = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {_XHTML}>'


def _naive_line_and_column(data: bytes, at: int) -> tuple[int, int]:
    lines = re.split(r"\r\n|\r|\n", data[:at].decode())
    return len(lines), len(lines[-1]) + 1


@given(
    parts=st.lists(st.sampled_from(["<b/>", "ä", "𝒳", "\n", "\r", "\r\n", "words "]), max_size=60),
    block=st.integers(4, 24),
    order=st.randoms(use_true_random=False),
)
def test_lines_and_columns_equal_those_of_the_text(parts, block, order):
    data = ("<a>" + "".join(parts) + "<b/></a>").encode()
    places = [found.start() for found in re.finditer(rb"<b/>", data)]
    order.shuffle(places)
    locator = _Locator(Text("urlset", data, []))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locate, "BLOCK", block)
        found = [(1 + locator.lines_between(0, at), locator.column(at)) for at in places]

    assert found == [_naive_line_and_column(data, at) for at in places]


_PIECES = [
    "<url>",
    "</url>",
    "<loc>https://e.com/</loc>",
    "<loc>",
    "</loc>",
    "<lastmod>2026-01-01</lastmod>",
    "<lastmod/>",
    "<image:loc>",
    "</image:loc>",
    "</urlset>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?a ?>",
    "< lastmod",
    "<a b='",
    "words",
    "ä𝒳",
    "\n",
]


@given(parts=st.lists(st.sampled_from(_PIECES), max_size=40), size=st.integers(1, 200))
def test_elements_of_a_range_are_those_of_the_whole_document(parts, size):
    text = Text("urlset", f"{_HEAD}{''.join(parts)}</urlset>{'x' * 800}".encode(), [])
    starts = [entry.start for entry in DocumentSpans(text.data).entries()]
    wanted = [(start, name) for start in starts for name in ("loc", "lastmod", "image:loc", "url")]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locate, "FIRST_RANGE", size)
        places = [_Locator(text).element(*each, nth) for each in wanted for nth in (1, 2)]
        patch.setattr(locate, "FIRST_RANGE", len(text.data))
        of_whole = [_Locator(text).element(*each, nth) for each in wanted for nth in (1, 2)]

    assert places == of_whole


def test_ranges_are_not_larger_than_the_document():
    entries = "".join(f"<url><loc>https://e.com/{i}</loc></url>\n" for i in range(2_000))
    locator = _Locator(Text("urlset", f"{_HEAD}{entries}</urlset>".encode(), []))
    data = locator.text.data
    sizes: list[int] = []

    def counted(part: bytes) -> DocumentSpans:
        sizes.append(len(part))
        return DocumentSpans(part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locate, "DocumentSpans", counted)
        for found in re.finditer(rb"<url>", data):
            place = locator.element(found.start(), "loc", 1)
            assert data.startswith(b"<loc>", place)

    assert 0 < sum(sizes) <= len(data)


def test_each_of_many_links_in_one_entry_has_its_place():
    links = "".join(
        f'\n<xhtml:link rel="alternate" hreflang="q{i}" href="https://e.com/{i}"/>'
        for i in range(2_000)
    )
    document = f"{_HEAD}<url><loc>https://e.com/</loc>{links}</url></urlset>".encode()

    findings = list(check(document, select=["H005"]))

    assert [(finding.line, finding.column) for finding in findings] == [
        (number + 2, 1) for number in range(2_000)
    ]


def test_each_of_many_findings_on_one_line_has_its_column():
    entries = [f"<url><loc>http://e.com:8080/{i}</loc></url>" for i in range(2_000)]
    document = (_HEAD + "".join(entries) + "</urlset>").encode()

    findings = list(check(document, select=["U014"]))

    starts = [len(_HEAD) + sum(map(len, entries[:i])) for i in range(2_000)]
    assert [finding.column for finding in findings] == [
        start + len("<url>") + 1 for start in starts
    ]


@pytest.mark.parametrize("count", [20_000])
def test_entry_with_many_alternates_is_checked(count):
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="en" href="https://e.com/{i}"/>'
        for i in range(count)
    )
    document = f"{_HEAD}<url><loc>https://e.com/</loc>{links}</url></urlset>".encode()

    by_rule = check(document, select=["H"]).by_rule

    assert by_rule["H009"] == 1
