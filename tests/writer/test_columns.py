"""Rows are validated in columns: what passes and what is refused is as row by row."""

import tempfile
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.odd_rows import (
    NEWS,
    SITE,
    VIDEO,
    foreign_dicts,
    foreign_values,
    plain_urls,
    priorities,
    rows,
    texts_of_dates,
    urls,
)
from urlset.engine import available, get
from urlset.writer import input_rows, splitter

native = pytest.mark.skipif("native" not in available(), reason="the native engine is not built")


# Two writes must not differ in the lastmod of their index.
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def written(given_rows: object, engine: str, **options) -> tuple[object, ...]:
    """Return the result of a write: the bytes of the files, and the refused rows with reasons."""
    with tempfile.TemporaryDirectory() as folder:
        made = urlset.write(
            given_rows,
            folder,
            base_url=SITE,
            on_error="skip",
            allow_empty=True,
            now=NOW,
            engine=engine,
            **options,
        )
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        return made.urls, [one._replace(value="") for one in made.rejected], files


@native
@given(st.lists(rows, max_size=12), st.sampled_from(["xml", "text"]), st.sampled_from([3, 50_000]))
def test_rows_are_refused_and_written_as_row_by_row(given_rows, form, most):
    options = {"format": form, "max_urls": most}

    assert written(given_rows, "native", **options) == written(given_rows, "reference", **options)


@native
@given(st.lists(foreign_dicts, min_size=1, max_size=6), st.sampled_from(["xml", "text"]))
def test_dicts_are_refused_and_written_as_row_by_row(given_rows, form):
    assert written(given_rows, "native", format=form) == written(
        given_rows, "reference", format=form
    )


@native
@given(foreign_values, st.sampled_from(["title", "rating", "view_count", "publication_date"]))
def test_values_of_videos_are_written_as_row_by_row(value, name):
    given_rows = [{"loc": f"{SITE}v", "videos": [{**VIDEO._asdict(), name: value}]}]

    assert written(given_rows, "native") == written(given_rows, "reference")


@native
def test_usual_dicts_are_not_validated_one_by_one():
    rows = [
        {"url": f"{SITE}1", "lastmod": "2026-01-02", "priority": 1, "source": "s"},
        {"loc": f"{SITE}2", "lastmod": date(2026, 1, 2), "priority": "0.5"},
        {"loc": f"{SITE}3", "lastmod": datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2)))},
        {"loc": f"{SITE}4", "images": [f"{SITE}a.jpg", {"loc": f"{SITE}b.jpg", "title": 5}]},
        {"loc": f"{SITE}5", "images": f"{SITE}a.jpg", "news": {**NEWS._asdict()}},
        {"loc": f"{SITE}6", "alternates": [{"hreflang": "de", "href": f"{SITE}de"}]},
        {"loc": f"{SITE}7", "videos": [{**VIDEO._asdict(), "duration": 90, "rating": 4.5}]},
        {"loc": f"{SITE}8", "news": {**NEWS._asdict(), "publication_date": NOW}},
        {"loc": f"{SITE}9", "videos": [{**VIDEO._asdict(), "live": False}]},
        {"loc": f"{SITE}10", "images": f'["{SITE}a.jpg", {{"loc": "{SITE}b.jpg"}}]'},
        {"loc": f"{SITE}11", "images": [{"loc": f"{SITE}b.jpg", "alt": "Tea"}]},
    ]
    engine = get("native")

    assert list(engine.uncertain_rows(engine.user_columns(rows), False)) == [10]


@native
def test_valid_videos_and_news_are_not_validated_one_by_one():
    rows = [urlset.Entry(f"{SITE}{number}", videos=(VIDEO,), news=NEWS) for number in range(3)]
    odd = urlset.Entry(f"{SITE}odd", videos=(VIDEO._replace(duration="0"),))
    engine = get("native")

    assert list(engine.uncertain_rows(engine.user_columns([*rows, odd]), False)) == [3]


_STRINGS = {"loc": urls, "lastmod": st.none() | texts_of_dates, "changefreq": st.sampled_from(
    [None, "daily", "Daily"])}  # fmt: skip
_IMAGES = st.lists(st.fixed_dictionaries({"loc": urls}), max_size=2)


@native
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                **_STRINGS,
                "priority": priorities.filter(lambda value: value is None or type(value) is float),
                "images": st.none() | _IMAGES,
            }
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
    st.sampled_from([pa.float64(), pa.float32()]),
    st.booleans(),
)
def test_tables_are_refused_and_written_as_row_by_row(given_rows, text, number, has_all_fields):
    fields = ["loc", "caption", "geo_location", "title", "license"][: 5 if has_all_fields else 1]
    schema = pa.schema(
        [
            ("loc", text),
            ("lastmod", text),
            ("changefreq", text),
            ("priority", number),
            ("images", pa.list_(pa.struct([(name, text) for name in fields]))),
        ]
    )
    table = pa.Table.from_pylist(given_rows, schema=schema)

    assert written(table, "native") == written(table, "reference")


@native
@given(
    st.lists(st.integers(-(10**12), 10**12) | st.none(), min_size=1, max_size=5),
    st.sampled_from(["s", "ms", "us", "ns"]),
    st.sampled_from([None, "UTC", "+00:00", "Europe/Berlin"]),
)
def test_instants_of_tables_are_written_as_row_by_row(numbers, unit, zone):
    if unit == "s":
        numbers = [number and number // 100 for number in numbers]
    table = pa.table(
        {
            "loc": [f"{SITE}{place}" for place in range(len(numbers))],
            "lastmod": pa.array(numbers, pa.timestamp(unit, tz=zone)),
        }
    )

    assert written(table, "native") == written(table, "reference")


def _plain(number):
    return urlset.Entry(
        f"{SITE}{number}",
        changefreq="daily",
        priority=0.5,
        lastmod_text="2026-01-02T03:04:05Z",
        images=(urlset.Image(f"{SITE}{number}.jpg", "Tea"),),
        alternates=(urlset.Alternate("de", f"{SITE}de/{number}"),),
    )


@native
@pytest.mark.parametrize("form", ["entries", "table", "dicts"])
def test_plain_rows_are_not_looked_at_one_by_one(form, tmp_path, monkeypatch):
    given_rows = [_plain(number) for number in range(100)]
    given_rows[50] = given_rows[50]._replace(loc="/relative")
    if form == "dicts":
        names = ("loc", "lastmod_text", "priority", "images", "alternates")
        given_rows = [{name: getattr(row, name) for name in names} for row in given_rows]
    elif form == "table":
        given_rows = _table(given_rows)
    seen: list[int] = []

    def validate_rows(numbered, rules):
        numbered = list(numbered)
        seen.extend(row for row, _ in numbered)
        return validate(numbered, rules)

    validate = input_rows.validate_rows
    monkeypatch.setattr(splitter, "validate_rows", validate_rows)

    made = urlset.write(given_rows, tmp_path, base_url=SITE, engine="native")

    assert seen == [51]
    assert made.urls == 100
    assert [e.loc for e in urlset.read(tmp_path)][49:52] == [
        f"{SITE}49",
        f"{SITE}relative",
        f"{SITE}51",
    ]


def _table(entries):
    names = ("loc", "lastmod_text", "changefreq", "priority", "images", "alternates")
    columns = {name: [getattr(entry, name) for entry in entries] for name in names}
    for name in ("images", "alternates"):
        columns[name] = [[item._asdict() for item in value] for value in columns[name]]
    text = pa.string()
    image = pa.struct([(name, text) for name in urlset.Image._fields])
    link = pa.struct([(name, text) for name in urlset.Alternate._fields])
    kinds = [text, text, text, pa.float64(), pa.list_(image), pa.list_(link)]
    return pa.table(columns, schema=pa.schema(list(zip(names, kinds, strict=True))))


@given(st.lists(plain_urls, max_size=20), st.lists(plain_urls, max_size=20))
def test_duplicates_are_reported_by_every_engine(first, second):
    both = [*first, "/p/1?a=1&b=%20", *second]

    results = [written(both, engine) for engine in available()]

    assert all(result == results[0] for result in results)
    assert results[0][0] == len({f"{SITE}p/1?a=1&b=%20", *first, *second})


@pytest.mark.parametrize("engine", available())
@pytest.mark.parametrize("field", ["priority", "changefreq", "lastmod_text"])
@pytest.mark.parametrize("value", ["", " ", " \t ", "\xa0"])
def test_a_blank_text_is_no_value(field, value, engine):
    row = {"loc": "https://example.com/", field: value}

    expected = urlset.render(["https://example.com/"], engine=engine)

    assert urlset.render([row], engine=engine) == expected
    assert urlset.render([urlset.Entry(**row)], engine=engine) == expected
