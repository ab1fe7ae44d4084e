"""Nested columns of tables are converted together as they are row by row."""

import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.odd_rows import NEWS, SITE, VIDEO, images_of_text, languages, odd_values, urls
from urlset import engine as engines
from urlset.arrow import array_of, batches
from urlset.engine.reference import engine as reference
from urlset.model import Image
from urlset.sources.tables.casts import NESTED_FIELDS, UNCONVERTED, convert_nested_columns

needs_native = pytest.mark.skipif(
    "native" not in engines.available(), reason="the native engine is not built"
)

values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(), st.text(max_size=3), urls
)
images = st.one_of(
    st.fixed_dictionaries({"loc": urls | values}, optional={"title": images_of_text | values}),
    st.fixed_dictionaries({"url": urls}),
    urls,
    st.just({}),
    values,
)
links = st.fixed_dictionaries({"hreflang": languages, "href": urls}, optional={"media": values})
videos = st.sampled_from(sorted(odd_values)).flatmap(
    lambda name: values.map(lambda value: {**VIDEO._asdict(), name: value})
)
news = st.sampled_from(NEWS._fields).flatmap(
    lambda name: values.map(lambda value: {**NEWS._asdict(), name: value})
)
cells = {
    "images": st.lists(images, max_size=3) | images,
    "alternates": st.lists(links, max_size=3) | links | values,
    "videos": st.lists(videos, max_size=2),
    "news": news | values,
}


def text_of(value: object) -> st.SearchStrategy[str]:
    """Return a strategy of JSON, with spaces around it, or damaged."""
    text = json.dumps(value)
    return st.sampled_from(
        [text, text, f" {text}\n", json.dumps(text), text[:-1], f"{text},{text}", f"\ufeff{text}"]
    )


texts = st.one_of(
    st.sampled_from([None, "", " ", "null", "[]", "{}", '["\\ud800"]', "[" * 9_000, "NaN", " 5"]),
    urls.filter(lambda url: "\x00" not in url),
)
rows = st.fixed_dictionaries(
    {name: st.one_of(given_value.flatmap(text_of), texts) for name, given_value in cells.items()}
)


def converted(batch: Any) -> list[Any]:
    return [part.to_struct_array().to_pylist() for part in convert_nested_columns(batch)]


@needs_native
@given(
    st.lists(rows, min_size=1, max_size=5),
    st.sets(st.sampled_from(sorted(NESTED_FIELDS)), min_size=1),
    st.booleans(),
)
def test_values_are_converted_together_as_one_by_one(given_rows, names, has_ready):
    columns = {
        name + UNCONVERTED: batches.text_array([row[name] for row in given_rows])
        for name in sorted(names)
    }
    if has_ready and "images" in names:
        ready = [(Image(f"{SITE}1.jpg"),) if row["images"] is None else () for row in given_rows]
        columns["images"] = array_of(ready, NESTED_FIELDS["images"])
    batch = batches.batch_of(columns)

    together = converted(batch)

    native = engines.get("native")
    with patch.object(native, "json_rows", reference.json_rows):
        assert converted(batch) == together
        with patch.object(native, "user_rows", reference.user_rows):
            assert converted(batch) == together


@needs_native
def test_usual_values_are_not_converted_one_by_one(monkeypatch):
    def refuse(*_):
        raise AssertionError("a value was converted")

    monkeypatch.setattr("urlset.sources.tables.casts._convert", refuse)
    value = json.dumps([{"loc": f"{SITE}1.jpg", "title": "Tea"}, f"{SITE}2.jpg"])
    texts = [value, None, ""] * 2_000
    ready = array_of([()] * len(texts), NESTED_FIELDS["images"])
    columns = {f"images{UNCONVERTED}": batches.text_array(texts), "images": ready}
    batch = batches.batch_of(columns)

    parts = converted(batch)

    assert sum(map(len, parts)) == len(texts)
    assert [len(row["images"]) for row in parts[0][:3]] == [2, 0, 0]
    assert parts[0][0]["images"][1]["loc"] == f"{SITE}2.jpg"
