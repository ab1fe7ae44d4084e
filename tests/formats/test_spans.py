"""Elements with their byte ranges, as the fixer and the checker use them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.engine import Engine
from urlset.formats.spans import DocumentSpans, ElementSpan, decode_text


def written(element: ElementSpan | None) -> str | None:
    """Return the bytes of an element as text."""
    return None if element is None else element.data[element.start : element.end].decode()


def entries(text: bytes, engine: Engine) -> list[str | None]:
    return [written(entry) for entry in DocumentSpans(text, engine.name).entries()]


def test_elements_have_their_ranges_texts_and_attributes(engine: Engine) -> None:
    data = b'<urlset><url a="1" b=\'2\' c=3/><url a="1"><loc>x&amp;y</loc><!-- <loc> --><b/><c>'
    empty, entry = DocumentSpans(data, engine.name).entries()

    assert (written(empty), empty.is_empty, empty.is_complete) == (
        '<url a="1" b=\'2\' c=3/>', True, True,
    )  # fmt: skip
    assert [empty.attribute(name) for name in "abcd"] == ["1", "2", "3", None]
    assert [child.local_name for child in entry.children] == ["loc", "b", "c"]
    assert [child.is_complete for child in entry.children] == [True, True, False]
    assert (entry.children[0].text, entry.attribute("a")) == ("x&y", "1")
    assert (entry.text, entry.has_children, entry.is_complete) == (None, True, False)
    assert [(child.parent, child.qname) for child in entry.descendants("b")] == [(entry, "b")]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<url>1</url><url>2</url>", ["<url>1</url>", "<url>2</url>"]),
        ("<url>1<url>2</url>", ["<url>1", "<url>2</url>"]),
        ("<url><loc>1<url>2</url>", ["<url><loc>1", "<url>2</url>"]),
        ("<url>1</URL><url>2", ["<url>1</URL>", "<url>2"]),
        (
            "<url><x><item>2</item></x></url>",
            ["<url><x><item>2</item></x></url>", "<item>2</item>"],
        ),
        ("<url>1</loc></url>", ["<url>1</loc></url>"]),
        ("<url>1</url <url>2</url>", ["<url>1</url ", "<url>2</url>"]),
        ("<!-- <url> --><![CDATA[<url>]]><?x <url>?><url/>", ["<url/>"]),
        ("<?x ><url/>", ["<url/>"]),
        ("<a:url b='>'>1</a:url>", ["<a:url b='>'>1</a:url>"]),
        ('<url b=">1</url>', ['<url b=">1</url>']),
        ("<url>1<!-- <url>2</url>", ["<url>1<!-- <url>2</url></urlset>"]),
    ],
)
def test_entries_end_where_the_parser_ends_them(
    inside: str, expected: list[str], engine: Engine
) -> None:
    assert entries(f"<urlset>{inside}</urlset>".encode(), engine) == expected


def test_the_prolog_has_no_elements(engine: Engine) -> None:
    text = b"<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY e '<url>'>]><!-- <url> --><urlset/>"

    root = DocumentSpans(text, engine.name).root

    assert written(root) == "<urlset/>"
    assert entries(text, engine) == []
    assert entries(b"https://example.com/<url/>", engine) == []


def test_elements_are_found_by_an_offset(engine: Engine) -> None:
    text = b"<urlset> <url><loc>a</loc> </url> <url k='v'/></urlset>"
    spans = DocumentSpans(text, engine.name)

    def at(piece: bytes) -> int:
        return text.index(piece)

    assert written(spans.entry_at(at(b"a</loc>"))) == "<url><loc>a</loc> </url>"
    assert spans.entry_at(at(b"> <url>")) is None
    assert spans.entry_at(at(b" <url k")) is None
    assert written(spans.element_at(at(b"</loc>"))) == "<loc>a</loc>"
    assert written(spans.element_at(at(b" </url>"))) == "<url><loc>a</loc> </url>"
    assert spans.element_at(at(b" <url k")) == spans.root
    assert written(spans.tag_at(at(b"v"))) == "<url k='v'/>"
    assert spans.tag_at(at(b"a</loc>")) is None
    assert written(spans.starting_at(at(b"<loc>"))) == "<loc>a</loc>"
    assert spans.starting_at(at(b"loc>")) is None
    assert [written(found) for found in spans.named({b"loc"})] == ["<loc>a</loc>"]


@given(text=st.text("<>/=\"' !-?[]abcurl:\n", max_size=60))
def test_any_markup_has_ordered_ranges(text: str) -> None:
    data = f"<urlset>{text}".encode()
    for element in [found for entry in DocumentSpans(data).entries() for found in entry.children]:
        bounds = [0, element.start, element.content_start, element.content_end, element.end]
        assert [*bounds, len(data)] == sorted([*bounds, len(data)])


@given(data=st.binary(max_size=200))
def test_any_text_is_decoded_or_rejected(data: bytes) -> None:
    assert decode_text(data) is None or isinstance(decode_text(data), str)
