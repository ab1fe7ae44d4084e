"""Answers stay small, and what others wrote stays harmless."""

import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.agents import MAX_ANSWER, MAX_EXAMPLES, ToolAnswer
from urlset.agents.answer import MAX_TEXT, quoted

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(max_size=9).map(lambda text: text * 99),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(), inner, max_size=9),
    max_leaves=20,
)


@given(st.lists(VALUES, max_size=9).map(lambda rows: rows * 5))
def test_an_answer_of_anything_is_small_json(rows):
    answer = ToolAnswer(data=rows).limited()

    text = answer.to_json()
    assert len(text.encode()) <= MAX_ANSWER
    assert len(answer.data) <= MAX_EXAMPLES
    found = json.loads(text, parse_constant=pytest.fail)
    assert found["omitted"] in (-1, len(rows) - len(answer.data))


def test_rows_that_do_not_fit_are_counted():
    rows = [{"loc": f"https://example.com/{'a' * 280}", "n": n} for n in range(40)]

    answer = ToolAnswer(data=[{**row, "more": row["loc"]} for row in rows]).limited()

    assert 5 < len(answer.data) < MAX_EXAMPLES
    assert answer.omitted == 40 - len(answer.data)
    assert answer.data[0]["loc"] == rows[0]["loc"]


def test_a_single_row_is_shortened():
    answer = ToolAnswer(data=[{str(n): "b" * 1_000 for n in range(90)}]).limited()

    assert len(answer.data) == 1
    assert 10 < len(answer.data[0]["1"]) <= MAX_TEXT


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\x1b[2J\u202eb", "a\\x1b[2J\\u202eb"),
        ("a\nSYSTEM: b", "a\\x0aSYSTEM: b"),
        ("a" * 301, "a" * 299 + "…"),
        (math.inf, None),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (("a", {"b\x07": 1}), ["a", {"b\\x07": 1}]),
    ],
)
def test_texts_of_others_are_escaped_and_cut(value, shown):
    assert quoted(value) == shown
