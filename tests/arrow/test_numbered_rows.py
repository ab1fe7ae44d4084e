"""Rows of documents get their numbers, whether small documents share a batch or not."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from urlset.arrow import open_stream
from urlset.arrow.frames import ListedRows
from urlset.arrow.streams import NumberedRows, RowLimit, numbered
from urlset.model import Alternate, Entry, Image


def entries(count: int) -> list[Entry]:
    links = (Alternate("de", "https://e.com/de"),)
    return [
        Entry(f"https://e.com/{n}", images=(Image("https://e.com/i"),) * (n % 3), alternates=links)
        for n in range(count)
    ]


def is_even(loc: str, _: object) -> bool:
    return loc.endswith(("0", "2", "4", "6", "8"))


def found_in(
    documents: list[tuple[int, NumberedRows]],
) -> tuple[list[int], list[Any]]:
    batches = list(open_stream(numbered(documents)))
    sizes = [batch.num_rows for batch in batches]
    rows: list[Any] = []
    for batch in batches:
        rows += batch.to_struct_array().to_pylist()
    return sizes, rows


@example([(0, False), (2, True)])
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=6))
def test_rows_have_the_numbers_of_their_document_and_of_themselves(documents):
    limit = RowLimit()
    streams = [
        (n, NumberedRows(ListedRows(entries(count)), is_even if is_chosen else None, limit))
        for n, (count, is_chosen) in enumerate(documents, 7)
    ]

    for _ in range(2):  # a second read is equal
        _, rows = found_in(streams)

        expected = [
            (n, entry, f"https://e.com/{entry - 1}", (entry - 1) % 3)
            for n, (count, is_chosen) in enumerate(documents, 7)
            for entry in range(1, count + 1)
            if not is_chosen or (entry - 1) % 2 == 0
        ]
        places = [(r["document"], r["entry"], r["loc"], len(r["images"] or ())) for r in rows]
        assert places == expected
        assert limit.count == len(rows)


def test_small_documents_share_a_batch():
    small = [(n, NumberedRows(ListedRows(entries(2)))) for n in range(1, 6)]
    large = (6, NumberedRows(ListedRows(entries(9_000))))

    sizes, rows = found_in([*small, large, (7, NumberedRows(ListedRows(entries(1))))])

    assert sizes[0] == 10
    assert sum(sizes) == len(rows) == 9_011
    assert [row["document"] for row in rows[:4]] == [1, 1, 2, 2]
    assert rows[-1]["document"] == 7
