"""Rows of several documents in one Arrow batch are those of each document, one after another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.arrow import batches_to_entries, open_stream, schema
from urlset.arrow.frames import ListedRows
from urlset.engine import available, get
from urlset.model import Entry

if "native" not in available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from tests.engine.test_engines_agree import BASE, entries, mutated
from urlset.engine.native import NativeRows, columns, parse

native, reference = get("native"), get("reference")
sources = st.sampled_from([None, "", "a.xml", "ä/b.xml"])


def joined(parts) -> list[Entry]:
    first, *others = parts
    (batch,) = batches_to_entries(first.joined(others))
    return batch


@given(st.lists(st.tuples(mutated(), sources), min_size=1, max_size=4))
def test_documents(found):
    for engine in (native, reference):
        parts = [engine.parse(text.encode(), BASE, name, []).entries for text, name in found]
        filled = [rows for rows in parts if len(rows)]
        if filled:
            assert joined(filled) == [entry for rows in filled for entry in rows]


@given(st.lists(st.lists(entries, min_size=1, max_size=10), min_size=1, max_size=4), st.data())
def test_extensions(found, data):
    parts = [NativeRows(columns(rows), data.draw(sources)) for rows in found]

    assert joined(parts) == [entry for rows in parts for entry in rows]


def test_both_engines():
    text = b"https://e.com/a\nhttps://e.com/b\n"
    parts = [engine.parse(text, BASE, "s", []).entries for engine in (native, reference, native)]

    assert joined([*parts, ListedRows([Entry("https://e.com/c")])]) == [
        *list(parts[0]) * 3,
        Entry("https://e.com/c"),
    ]


def test_the_batch_has_the_schema():
    rows, empty = (parse(text, None, "s", []).entries for text in (b"http://e.com/", b""))

    for parts in ([rows], [empty], [empty, rows, empty]):
        first, *others = parts
        assert open_stream(first.joined(others)).schema == schema()
