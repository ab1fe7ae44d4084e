"""Writing: what is taken, what is refused, where files split, and what survives a failure."""

import errno
import gzip
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

import urlset.writer
from urlset import Document, Entry, EntryError, Image, TargetError, Video, parse
from urlset.engine import Engine
from urlset.model import Alternate, News, ProgressEvent
from urlset.writer import Publication, Rejection
from urlset.writer.file_set import render_indexes

BASE = "https://example.com/"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=1)


@pytest.fixture
def write(engine: Engine, tmp_path: Path) -> Callable[..., Publication]:
    """Write with one engine into a folder of the test, at noon."""

    def call(entries: object, target: Path = tmp_path / "site", **options) -> Publication:
        return urlset.writer.write(
            entries, target, **{"engine": engine.name, "now": NOON, **options}
        )

    return call


def urls(number: int, first: int = 0) -> list[str]:
    return [f"https://example.com/{i:06}" for i in range(first, first + number)]


def root(folder: Path) -> Document:
    """What a crawler finds first."""
    return parse((folder / "sitemap.xml").read_bytes(), engine="reference")


def read(folder: Path) -> list[Entry]:
    """The entries of a folder: of its index in the order of the index, or of its only file."""
    document = root(folder)
    if document.kind != "index":
        return list(document.entries)
    names = [sitemap.loc.removeprefix(BASE) for sitemap in document.sitemaps]
    files = [parse((folder / name).read_bytes(), engine="reference") for name in names]
    return [entry for file in files for entry in file.entries]


def state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file of a folder, hidden ones too: its bytes, its identity, when it was touched."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): (
            path.read_bytes(),
            path.stat().st_ino,
            path.stat().st_mtime_ns,
        )
        for path in paths
    }


# ── what is taken ──


def test_strings_are_locs(write, tmp_path):
    publication = write(urls(3))

    text = (tmp_path / "site" / "sitemap.xml").read_text()
    assert text == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://example.com/000000</loc></url>\n"
        "<url><loc>https://example.com/000001</loc></url>\n"
        "<url><loc>https://example.com/000002</loc></url>\n"
        "</urlset>\n"
    )
    assert [file.name for file in publication.files] == ["sitemap.xml"]
    assert publication.indexes == ()


def test_lines_of_an_open_file_are_locs(write, tmp_path):
    (tmp_path / "urls.txt").write_text("https://example.com/a\nhttps://example.com/b\r\n")

    with open(tmp_path / "urls.txt", newline="") as lines:
        write(lines)

    assert [entry.loc for entry in read(tmp_path / "site")] == [BASE + "a", BASE + "b"]


def test_dicts_may_nest_and_may_say_url(write, tmp_path):
    write(
        [
            {
                "url": BASE,
                "lastmod": date(2026, 1, 31),
                "priority": "0.8",
                "changefreq": "",
                "images": ["https://example.com/a.jpg", {"loc": "https://example.com/b.jpg"}],
                "videos": {
                    "thumbnail_loc": "https://example.com/v.jpg",
                    "title": " A film ",
                    "description": "…",
                    "content_loc": "https://example.com/v.mp4",
                    "duration": 600,
                    "rating": 4.5,
                    "live": False,
                    "publication_date": NOON,
                    "tags": ["one", None, ""],
                    "prices": [{"value": Decimal("1.99"), "currency": "EUR"}],
                },
                "news": {
                    "name": "The Example",
                    "language": "en",
                    "publication_date": "2026-01-31",
                    "title": "News",
                },
                "alternates": [{"hreflang": "de", "href": "https://example.com/de"}],
            }
        ]
    )

    entry = read(tmp_path / "site")[0]
    assert (entry.lastmod_text, entry.priority, entry.changefreq) == ("2026-01-31", 0.8, None)
    assert [image.loc[-5:] for image in entry.images] == ["a.jpg", "b.jpg"]
    video = entry.videos[0]
    assert (video.title, video.duration, video.rating, video.live, video.publication_date) == (
        "A film", "600", "4.5", "no", "2026-01-31T12:00:00Z",
    )  # fmt: skip
    assert (video.tags, video.prices[0].value) == (("one",), "1.99")
    assert entry.news == News(
        name="The Example", language="en", publication_date="2026-01-31", title="News"
    )
    assert entry.alternates == (Alternate("de", "https://example.com/de"),)


TABLE = {
    "loc": urls(3),
    "lastmod": [NOON, None, NOON + timedelta(microseconds=1)],
    "changefreq": ["daily", None, None],
    "priority": [0.8, None, 0.0],
    "id": [1, 2, 3],
}
TABLE_XML = (
    "<url><loc>https://example.com/000000</loc><lastmod>2026-01-31T12:00:00Z</lastmod>"
    "<changefreq>daily</changefreq><priority>0.8</priority></url>\n"
    "<url><loc>https://example.com/000001</loc></url>\n"
    "<url><loc>https://example.com/000002</loc><lastmod>2026-01-31T12:00:00.000001Z</lastmod>"
    "<priority>0.0</priority></url>\n"
)


def polars_table(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def pandas_table(columns):
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").DataFrame(columns)


def pyarrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def duckdb_table(columns):
    duckdb = pytest.importorskip("duckdb")
    table = pyarrow_table(columns)
    connection = duckdb.connect()
    connection.register("given", table)
    return connection.sql("FROM given")


TABLES = [polars_table, pandas_table, pyarrow_table, duckdb_table]


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_every_library_are_written_alike(write, tmp_path, table):
    write(table(TABLE))

    assert TABLE_XML in (tmp_path / "site" / "sitemap.xml").read_text()


@pytest.mark.parametrize("table", TABLES)
def test_table_may_call_loc_url_and_hold_dates_or_texts(write, tmp_path, table):
    write(table({"url": urls(1), "lastmod": [date(2026, 1, 31)]}), name="dates")
    write(table({"url": urls(1), "lastmod": ["2026-01-31"]}), name="texts")

    dates, texts = ((tmp_path / "site" / f"{name}.xml").read_text() for name in ("dates", "texts"))
    assert "<lastmod>2026-01-31</lastmod>" in dates
    assert dates == texts


@pytest.mark.parametrize(
    "empty", [{"lastmod": [None, None]}, {"images": [[], None]}, {"id": [None, None]}]
)
def test_polars_columns_without_any_value_need_no_type(write, tmp_path, empty):
    frame = polars_table({"loc": ["/a", "/b"], "changefreq": ["daily", None], **empty})
    plain = [{"loc": "/a", "changefreq": "daily"}, {"loc": "/b"}]

    write(frame, base_url=BASE)
    write(plain, tmp_path / "plain", base_url=BASE)
    built = urlset.build(frame, tmp_path / "built", base_url=BASE, ledger=tmp_path / "l.duckdb")

    xml = (tmp_path / "plain" / "sitemap.xml").read_bytes()
    assert (tmp_path / "site" / "sitemap.xml").read_bytes() == xml
    assert built.urls == 2
    assert [entry.loc for entry in read(tmp_path / "built")] == [f"{BASE}a", f"{BASE}b"]


def test_table_with_nested_columns(write, tmp_path):
    polars = pytest.importorskip("polars")
    entry = Entry(
        BASE,
        images=(Image("https://example.com/a.jpg", title="A"),),
        news=News(**NEWS),
        alternates=(Alternate("de", "https://example.com/de"),),
    )
    nested = {
        "loc": [BASE, BASE + "2"],
        "images": [[entry.images[0]._asdict()], []],
        "news": [{**dict.fromkeys(News._fields), **NEWS}, None],
        "alternates": [[entry.alternates[0]._asdict()], None],
    }
    strings = polars.Struct(dict.fromkeys(News._fields, polars.String))

    write(polars.DataFrame(nested, schema_overrides={
        "news": strings,
        "images": polars.List(polars.Struct(dict.fromkeys(Image._fields, polars.String))),
        "alternates": polars.List(polars.Struct(dict.fromkeys(Alternate._fields, polars.String))),
    }))  # fmt: skip

    first, second = read(tmp_path / "site")
    assert first._replace(offset=None, line=None) == entry
    assert second._replace(offset=None, line=None) == Entry(BASE + "2")


def test_table_column_of_four_byte_floats_keeps_its_decimals(write, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"loc": urls(1), "priority": pyarrow.array([0.8], pyarrow.float32())})

    write(table)

    assert "<priority>0.8</priority>" in (tmp_path / "site" / "sitemap.xml").read_text()


@pytest.mark.parametrize("space", ["\xa0", "\u2003", "\u200b", "\ufeff", "\n"])
def test_spaces_around_a_date_are_no_part_of_it(write, tmp_path, space):
    """As in tables, and in XML that is read."""
    polars = pytest.importorskip("polars")
    columns = {"loc": urls(3), "lastmod": [f"{space}2026-01-01", f"2026-01-01{space}", space]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    for given in (rows, polars.DataFrame(columns)):
        write(given)
        found = [entry.lastmod_text for entry in read(tmp_path / "site")]
        assert found == ["2026-01-01", "2026-01-01", None]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_numbers_of_numpy_keep_their_decimals(write, tmp_path, kind):
    numpy = pytest.importorskip("numpy")
    number = numpy.dtype(kind).type(0.1)

    write([{"loc": BASE, "priority": number}, Entry(BASE + "2", priority=number)])

    assert [entry.priority for entry in read(tmp_path / "site")] == [0.1, 0.1]
    assert (tmp_path / "site" / "sitemap.xml").read_text().count("<priority>0.1</priority>") == 2


def test_entries_of_a_document_are_written_as_they_were_read(write, tmp_path, engine):
    data = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.com/a'
        b"</loc><lastmod>2026-01</lastmod><priority>0.5</priority></url></urlset>"
    )

    write(parse(data, engine=engine.name).entries)

    entry = read(tmp_path / "site")[0]
    assert (entry.loc, entry.lastmod_text, entry.priority) == ("https://e.com/a", "2026-01", 0.5)


@pytest.mark.parametrize("single", ["https://example.com/", {"loc": BASE}, Entry(BASE), b"x", 7])
def test_what_is_no_list_of_entries_is_refused_at_once(write, single):
    with pytest.raises(TypeError, match="expected an iterable of entries"):
        write(single)


def test_input_is_taken_in_batches_and_never_as_a_whole(write):
    taken = 0
    ahead = []

    def endless():
        nonlocal taken
        for taken in count(1):
            yield f"https://example.com/{taken}"

    write(
        islice(endless(), 30_000),
        max_urls=10_000,
        base_url=BASE,
        progress=lambda event: ahead.append(taken - event.urls),
    )

    assert max(ahead) <= 8_192 + 1
    assert len(ahead) == 4


# ── what is refused ──

LONG = "https://example.com/" + "x" * (2_048 - len("https://example.com/"))
VIDEO = {
    "thumbnail_loc": BASE + "t.jpg",
    "title": "T",
    "description": "D",
    "content_loc": BASE + "v.mp4",
}
NEWS = {"name": "N", "language": "en", "publication_date": "2026-01-31", "title": "T"}


def with_(**fields) -> dict:
    return {"loc": BASE, **fields}


def video(**fields) -> dict:
    return with_(videos=[{**VIDEO, **fields}])


def news(**fields) -> dict:
    return with_(news={**NEWS, **fields})


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ("/about", "loc", "give base_url"),
        ("", "loc", "expected a URL, found ''"),
        (None, "loc", "found nothing"),
        (7, "loc", "a URL as str, or a dict"),
        ({}, "loc", "found nothing"),
        (with_(loc=b"https://example.com/"), "loc", "expected a URL"),
        ("www.example.com/a", "loc", 'write it in full, with "https://"'),
        ("mailto:a@example.com", "loc", "only http and https"),
        ("ftp://example.com/", "loc", "only http and https"),
        ("https://exa mple.com/", "loc", "white space"),
        ("https://example..com/", "loc", "fix the host"),
        ("https://{host}/", "loc", "fix the host"),
        ("https://", "loc", "fix the host"),
        ("https://example.com/a b", "loc", "%20"),
        ("https://example.com/a\nb", "loc", "%20"),
        ("https://example.com/a\xa0", "loc", "white space"),
        ("https://example.com/\x01", "loc", "U+0001"),
        ("https://example.com/\ud800", "loc", "U+D800"),
        (LONG, "loc", "fewer than 2,048 characters"),
        (with_(lastmod="01/10/2004"), "lastmod", "W3C date"),
        (with_(lastmod="2026-02-30"), "lastmod", "W3C date"),
        (with_(lastmod="2026-1-31"), "lastmod", "write 2026-01-31"),
        (with_(lastmod="2026-01-31T12:00:00"), "lastmod", "add its time zone"),
        (with_(lastmod="yesterday"), "lastmod", "fix it"),
        (with_(lastmod=datetime(2026, 1, 31)), "lastmod", "add the zone"),  # noqa: DTZ001
        (with_(lastmod=1_700_000_000), "lastmod", "a date, a datetime or a W3C date"),
        (with_(lastmod=NOON, lastmod_text="2025-01-01"), "lastmod_text", "same instant"),
        (with_(lastmod_text="soon"), "lastmod_text", "W3C date"),
        (with_(last_mod="2026-01-31"), "lastmod", "rename it"),
        (with_(changefreq="Daily"), "changefreq", "always, hourly, daily"),
        (with_(priority=-0.1), "priority", "0.0 to 1.0"),
        (with_(priority=float("nan")), "priority", "0.0 to 1.0"),
        (with_(priority=True), "priority", "0.0 to 1.0"),
        (with_(priority="high"), "priority", "0.0 to 1.0"),
        (with_(images=[{"title": "no loc"}]), "images[0].loc", "found nothing"),
        (with_(images=[BASE + "a.jpg", "b.jpg"]), "images[1].loc", "base_url"),
        (with_(images=[{"src": "b.jpg"}]), "images[0]", "keys of loc, caption"),
        (with_(images=[f"{BASE}{i}.jpg" for i in range(1_001)]), "images", "at most 1,000"),
        (with_(images=[Image(BASE + "a.jpg", "\x00")]), "images[0].caption", "U+0000"),
        (with_(alternates=[{"hreflang": "de"}]), "alternates[0].href", "found nothing"),
        (with_(alternates=[Alternate(None, BASE)]), "alternates[0].hreflang", "x-default"),
        (with_(alternates=[Alternate("en_US", BASE)]), "alternates[0].hreflang", "en-GB"),
        (with_(alternates=[Alternate("de", "/de")]), "alternates[0].href", "base_url"),
        (news(title=None), "news.title", "every article"),
        (news(name=" "), "news.name", "every article"),
        (news(language="en-US"), "news.language", "small letters"),
        (news(publication_date="2026-01"), "news.publication_date", "a date"),
        (video(title=None), "videos[0].title", "every video"),
        (video(thumbnail_loc=None), "videos[0].thumbnail_loc", "every video"),
        (video(description=""), "videos[0].description", "every video"),
        (video(content_loc=None), "videos[0].content_loc", "content_loc or player_loc"),
        (video(content_loc=BASE), "videos[0].content_loc", "another URL"),
        (video(content_loc="rtmp://example.com/"), "videos[0].content_loc", "http"),
        (video(duration=0), "videos[0].duration", "1 to 28,800"),
        (video(duration="1:30"), "videos[0].duration", "1 to 28,800"),
        (video(rating=5.1), "videos[0].rating", "0.0 to 5.0"),
        (video(expiration_date="soon"), "videos[0].expiration_date", "a date"),
        (video(restriction="DE"), "videos[0].restriction_relationship", "allow or deny"),
        (video(restriction="D", restriction_relationship="deny"), "videos[0].restriction", "two"),
        (video(platform="tablet", platform_relationship="deny"), "videos[0].platform", "web"),
        (video(description="x" * 2_049), "videos[0].description", "2,048"),
        (video(tags=["x"] * 33), "videos[0].tags", "at most 32"),
        (video(tvshow={"premier_date": "?"}), "videos[0].tvshow.premier_date", "a date"),
        (with_(extra="<a>"), "extra", "well-formed"),
        (with_(extra="text"), "extra", "Text directly inside"),
        (with_(extra="<x:a/>"), "extra", "not declared"),
        (with_(extra="<lastmod>2026-01-31</lastmod>"), "extra", "fields of their own"),
        (with_(extra="</url><url><loc>https://e.com/</loc>"), "extra", "fields of their own"),
        (
            with_(
                extra='<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
                "<i:loc>https://e.com/</i:loc></i:image>"
            ),
            "extra",
            "fields of their own",
        ),
    ],
)  # fmt: skip
def test_bad_row_is_refused_with_its_place_and_advice(write, tmp_path, row, field, words):
    with pytest.raises(EntryError) as caught:
        write([*urls(2), row])

    assert (caught.value.row, caught.value.field) == (3, field)
    assert re.match(r"row 3, .*: expected .*, found .*; .", str(caught.value), re.DOTALL)
    assert words in str(caught.value)
    assert not (tmp_path / "site").exists()


def test_bad_rows_are_collected_and_the_others_written(write, tmp_path):
    rows = [BASE + "a", "/b", {"url": BASE + "c", "priority": 7}, BASE + "d", 5]

    publication = write(rows, on_error="skip")

    assert [entry.loc for entry in read(tmp_path / "site")] == [BASE + "a", BASE + "d"]
    assert [(r.row, r.loc, r.field, r.value) for r in publication.rejected] == [
        (2, "/b", "loc", "'/b'"),
        (3, BASE + "c", "priority", "7"),
        (5, None, "loc", "5"),
    ]
    assert "base_url" in publication.rejected[0].reason


@pytest.mark.parametrize("table", TABLES)
def test_bad_rows_of_a_table_are_named(write, tmp_path, table):
    columns = {"loc": [BASE, None, BASE + "c"], "lastmod": ["2026-01-31", None, "31.1.2026"]}

    publication = write(table(columns), on_error="skip")

    assert [(r.row, r.field) for r in publication.rejected] == [(2, "loc"), (3, "lastmod")]
    assert len(read(tmp_path / "site")) == 1


@pytest.mark.parametrize("table", TABLES)
def test_table_of_times_without_a_zone_is_refused(write, table):
    local = datetime(2026, 1, 31, 12)  # noqa: DTZ001

    with pytest.raises(EntryError, match="the zone of the time is unknown") as caught:
        write(table({"loc": [BASE], "lastmod": [local]}))

    assert (caught.value.row, caught.value.field) == (1, "lastmod")


def test_table_with_a_misspelt_column_is_refused(write):
    table = polars_table({"URL": urls(1)})

    with pytest.raises(EntryError, match="expected column 'url', found 'URL'; rename it"):
        write(table)


def test_table_without_loc_is_refused(write):
    with pytest.raises(EntryError, match="column 'loc' or 'url', found page, n; rename"):
        write(polars_table({"page": urls(1), "n": [1]}))


def test_table_with_a_column_of_no_type_is_refused_with_advice(write):
    polars = pytest.importorskip("polars")

    pairs = polars.Series([[None, None]], dtype=polars.Array(polars.Null, 2))

    with pytest.raises(EntryError, match="cast it to string, or leave it out"):
        write(polars.DataFrame({"loc": urls(1), "pairs": pairs}))


def test_relative_urls_are_resolved_against_the_folder(write, tmp_path):
    rows = ["/a", "b", {"loc": "c", "images": ["c.jpg"], "alternates": [("de", "de/c")][:0]}]

    publication = write(rows, base_url="https://example.com/docs")

    entries = read(tmp_path / "site")
    assert [entry.loc for entry in entries] == [BASE + "a", BASE + "docs/b", BASE + "docs/c"]
    assert entries[2].images[0].loc == BASE + "docs/c.jpg"
    assert publication.addresses == (BASE + "docs/sitemap.xml",)


def test_text_and_instant_that_agree_keep_the_precision_of_the_text(write, tmp_path):
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    vienna = timezone(timedelta(hours=1))
    write(
        [
            Entry(BASE + "1", new_year, "2026"),
            Entry(BASE + "2", new_year, "Thu, 01 Jan 2026 00:00:00 GMT"),
            Entry(BASE + "3", new_year.astimezone(vienna)),
            Entry(BASE + "4", new_year.astimezone(timezone(timedelta(minutes=53, seconds=28)))),
        ]
    )

    assert [entry.lastmod_text for entry in read(tmp_path / "site")] == [
        "2026",
        "2026-01-01T00:00:00Z",
        "2026-01-01T01:00:00+01:00",
        "2026-01-01T00:00:00Z",  # W3C has no seconds in an offset
    ]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"max_urls": 0}, "max_urls: expected a whole number from 1 to 50,000"),
        ({"max_urls": 50_001}, "max_urls: expected a whole number from 1 to 50,000"),
        ({"max_bytes": 52_428_801}, "max_bytes: expected a whole number from 1 to 52,428,800"),
        ({"name": "a/b"}, "expected a name"),
        ({"name": ".hidden"}, "expected a name"),
        ({"name": "sitemap.xml"}, "without its ending"),
        ({"format": "json"}, "format: expected xml, text"),
        ({"index": "never"}, "index: expected auto, always"),
        ({"on_error": "ignore"}, "on_error: expected raise, skip"),
        ({"duplicates": "merge"}, "duplicates: expected drop, keep"),
        ({"base_url": "example.com"}, "base_url"),
        ({"base_url": "https://example.com/?a"}, "base_url"),
        ({"now": datetime(2026, 1, 1)}, "now with a time zone"),  # noqa: DTZ001
    ],
)
def test_option_out_of_range_is_refused_before_anything_is_read(write, tmp_path, option, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        write(iter(lambda: pytest.fail("read"), None), **option)

    assert not (tmp_path / "site").exists()


# ── where files split ──


@pytest.mark.parametrize(
    ("number", "sizes"), [(2, [2]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])]
)
def test_files_split_on_the_number_of_entries(write, tmp_path, number, sizes):
    publication = write(urls(number), max_urls=3, base_url=BASE)

    assert [file.urls for file in publication.files] == sizes
    assert [entry.loc for entry in read(tmp_path / "site")] == urls(number)


def test_spec_50_000_entries_fill_a_file(write, tmp_path):
    # "each Sitemap file that you provide must have no more than 50,000 URLs"
    # https://www.sitemaps.org/protocol.html#index
    whole = write(urls(50_000), name="whole")
    split = write(urls(50_001), name="split", base_url=BASE)

    assert [file.urls for file in whole.files] == [50_000]
    assert [file.urls for file in split.files] == [50_000, 1]


@pytest.mark.parametrize("format_", ["xml", "text"])
@pytest.mark.parametrize("packed", [False, True])
def test_files_split_on_bytes_with_the_footer_counted(write, tmp_path, format_, packed):
    # "and must be no larger than 50MB (52,428,800 bytes)": of the file, before it is packed.
    one = write(urls(3), tmp_path / "one", format=format_).files[0]

    options = {"format": format_, "gzip": packed, "base_url": BASE}
    exact = write(urls(3), tmp_path / "exact", max_bytes=one.bytes, **options)
    less = write(urls(3), tmp_path / "less", max_bytes=one.bytes - 1, **options)

    assert [file.urls for file in exact.files] == [3]
    assert exact.files[0].bytes == one.bytes == len(unpacked(exact.files[0].path))
    assert [file.urls for file in less.files] == [2, 1]
    assert all(len(unpacked(file.path)) == file.bytes < one.bytes for file in less.files)


def test_files_split_on_bytes_of_characters_and_escapes_and_namespaces(write, tmp_path):
    rows: list = [{"loc": f"https://example.com/ä&{i}"} for i in range(9)]
    rows[7]["images"] = ["https://example.com/a.jpg"]  # from here on the header is longer
    one = write(rows, tmp_path / "one").files[0]

    exact = write(rows, tmp_path / "exact", max_bytes=one.bytes, base_url=BASE)
    less = write(rows, tmp_path / "less", max_bytes=one.bytes - 1, base_url=BASE)

    assert [file.urls for file in exact.files] == [9]
    assert [file.urls for file in less.files] == [8, 1]


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def test_google_1_000_news_fill_a_file(write):
    # "A News sitemap can have up to 1,000 news:news tags"
    # https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap
    rows = [{"loc": url, "news": NEWS} for url in urls(1_001)]

    publication = write([*rows[:1], *urls(500, 5_000), *rows[1:]], base_url=BASE)

    assert [file.urls for file in publication.files] == [1_500, 1]


def test_entry_larger_than_a_file_is_refused(write):
    rows = [*urls(2), {"loc": BASE, "images": [f"{BASE}{i}.jpg" for i in range(9)]}, *urls(1, 7)]

    with pytest.raises(EntryError, match=r"row 3, loc: .* fits into a file of 500 bytes, found"):
        write(rows, max_bytes=500, base_url=BASE)
    publication = write(rows, max_bytes=500, base_url=BASE, on_error="skip")

    assert [rejection.row for rejection in publication.rejected] == [3]
    assert publication.urls == 3


# ── names, and the index ──


def test_index_has_the_name_of_the_single_file(write, tmp_path):
    write(urls(2), max_urls=2)
    single = root(tmp_path / "site")
    publication = write(urls(3), max_urls=2, base_url=BASE)
    several = root(tmp_path / "site")

    assert (single.kind, several.kind) == ("urlset", "index")
    assert sorted(state(tmp_path / "site")) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    assert [s.loc for s in several.sitemaps] == [BASE + "sitemap-1.xml", BASE + "sitemap-2.xml"]
    assert publication.addresses == (BASE + "sitemap.xml",)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"gzip": True}, ["sitemap-1.xml.gz", "sitemap-2.xml.gz", "sitemap.xml.gz"]),
        ({"name": "shop"}, ["shop-1.xml", "shop-2.xml", "shop.xml"]),
        ({"format": "text"}, ["sitemap-2.txt", "sitemap-index.xml", "sitemap.txt"]),
        (
            {"format": "text", "gzip": True},
            ["sitemap-2.txt.gz", "sitemap-index.xml.gz", "sitemap.txt.gz"],
        ),
        ({"max_urls": 3, "index": "always"}, ["sitemap-1.xml", "sitemap.xml"]),
    ],
)
def test_names_follow_the_scheme(write, tmp_path, options, names):
    publication = write(urls(3), base_url=BASE, **{"max_urls": 2, **options})

    assert sorted(state(tmp_path / "site")) == names
    index = parse(publication.indexes[0].path.read_bytes(), engine="reference")
    assert [s.loc for s in index.sitemaps] == [BASE + file.name for file in publication.files]


def test_index_without_base_url_is_refused_with_advice(write, tmp_path):
    write(urls(1))
    before = state(tmp_path / "site")

    with pytest.raises(TargetError, match=r"expected base_url, .* 2 files .* pass the URL"):
        write(urls(3), max_urls=2)
    with pytest.raises(TargetError, match="the index of 1 file lists full URLs"):
        write(urls(1), index="always")

    assert state(tmp_path / "site") == before


def test_more_files_than_one_index_holds_make_several(write, tmp_path, monkeypatch):
    few = partial(render_indexes, max_urls=2)
    monkeypatch.setattr(urlset.writer, "render_indexes", few)

    publication = write(urls(5), max_urls=1, base_url=BASE)
    smaller = write(urls(2), max_urls=1, base_url=BASE)

    assert [index.name for index in publication.indexes] == [
        "sitemap.xml", "sitemap-index-2.xml", "sitemap-index-3.xml",
    ]  # fmt: skip
    assert [index.urls for index in publication.indexes] == [2, 2, 1]
    assert sorted(smaller.removed) == [
        "sitemap-3.xml", "sitemap-4.xml", "sitemap-5.xml",
        "sitemap-index-2.xml", "sitemap-index-3.xml",
    ]  # fmt: skip
    assert sorted(state(tmp_path / "site")) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]


def test_spec_index_limits_are_exact():
    # "must list no more than 50,000 Sitemaps and must be no larger than 50MB (52,428,800 bytes)"
    files = [(f"{i}.xml", NOON) for i in range(50_001)]

    by_number = [count for _, count in render_indexes(files, BASE)]
    size = len(next(render_indexes(files[:4], BASE))[0])
    fits = [count for _, count in render_indexes(files[:4], BASE, max_bytes=size)]
    not_ = [count for _, count in render_indexes(files[:4], BASE, max_bytes=size - 1)]

    assert by_number == [50_000, 1]
    assert (fits, not_) == ([4], [3, 1])


# ── writing again ──


def test_dry_run_reports_what_would_change_and_changes_nothing(write, tmp_path):
    write(urls(5), max_urls=2, base_url=BASE)
    before = state(tmp_path / "site")

    publication = write(urls(3), max_urls=2, base_url=BASE, dry_run=True)
    elsewhere = write(urls(3), tmp_path / "new" / "site", dry_run=True)

    assert [file.changed for file in publication.files] == [False, True]
    assert publication.removed == ("sitemap-3.xml",)
    assert elsewhere.urls == 3
    assert state(tmp_path) == {f"site/{name}": facts for name, facts in before.items()}
    assert os.listdir(tmp_path) == ["site"]


@pytest.mark.parametrize("packed", [False, True])
def test_unchanged_second_write_rewrites_nothing(write, tmp_path, packed):
    options = {"max_urls": 2, "base_url": BASE, "gzip": packed}
    first = write(urls(5), **options)
    before = state(tmp_path / "site")

    second = write(urls(5), now=LATER, **options)

    assert state(tmp_path / "site") == before
    assert all(file.changed for file in (*first.files, *first.indexes))
    assert not any(file.changed for file in (*second.files, *second.indexes))
    assert [file.lastmod for file in second.files] == [NOON] * 3


def test_one_change_rewrites_one_file_and_the_index(write, tmp_path):
    rows = urls(5)
    write(rows, max_urls=2, base_url=BASE)
    before = state(tmp_path / "site")

    rows[2] = BASE + "changed"
    publication = write(rows, max_urls=2, base_url=BASE, now=LATER)

    after = state(tmp_path / "site")
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"sitemap-2.xml", "sitemap.xml"}
    assert [file.changed for file in publication.files] == [False, True, False]
    index = root(tmp_path / "site")
    assert [sitemap.lastmod for sitemap in index.sitemaps] == [NOON, LATER, NOON]


def test_file_that_an_index_did_not_date_keeps_the_time_of_the_file_system(write, tmp_path):
    write(urls(2))
    os.utime(tmp_path / "site" / "sitemap.xml", (1_700_000_000, 1_700_000_000))

    publication = write(urls(2), now=LATER)

    assert publication.files[0].lastmod == datetime.fromtimestamp(1_700_000_000, UTC)


def test_same_content_packed_otherwise_is_left_alone(write, tmp_path):
    publication = write(urls(2), gzip=True)
    path = publication.files[0].path
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=9))
    before = state(tmp_path / "site")

    write(urls(2), gzip=True)

    assert state(tmp_path / "site") == before


def test_files_that_shrinking_leaves_over_are_removed(write, tmp_path):
    write(urls(9), max_urls=2, base_url=BASE)

    fewer = write(urls(3), max_urls=2, base_url=BASE)
    one = write(urls(2), max_urls=2, base_url=BASE)

    assert fewer.removed == ("sitemap-3.xml", "sitemap-4.xml", "sitemap-5.xml")
    assert one.removed == ("sitemap-1.xml", "sitemap-2.xml")
    assert sorted(state(tmp_path / "site")) == ["sitemap.xml"]


def test_only_files_that_our_index_lists_are_removed(write, tmp_path):
    write(urls(5), max_urls=2, base_url=BASE)
    site = tmp_path / "site"
    strangers = ["sitemap-4.xml", "sitemap-03.xml", "sitemap-1.xml.gz", "sitemap-x.xml", "a.txt"]
    for name in strangers:
        (site / name).write_bytes((site / "sitemap-1.xml").read_bytes())
    index = (site / "sitemap.xml").read_text()
    for name in ("sitemap-03.xml", "a.txt", "../secret.xml"):
        child = f"<sitemap><loc>{BASE}{name}</loc></sitemap>\n</sitemapindex>"
        index = index.replace("</sitemapindex>", child)
    (site / "sitemap.xml").write_text(index)
    (tmp_path / "secret.xml").write_text("")

    publication = write(urls(2), max_urls=2, base_url=BASE)

    assert publication.removed == ("sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml")
    assert sorted(state(site)) == sorted(["sitemap.xml", *strangers])
    assert (tmp_path / "secret.xml").exists()


def test_index_of_somebody_else_says_nothing(write, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitemap.xml").write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
        f"<loc>{BASE}sitemap-7.xml</loc></sitemap></sitemapindex>"
    )
    (site / "sitemap-7.xml").write_text("precious")

    publication = write(urls(1))

    assert publication.removed == ()
    assert (site / "sitemap-7.xml").read_text() == "precious"


def test_same_entries_give_the_same_bytes_without_a_time_stamp(write, tmp_path):
    first = write(urls(5), tmp_path / "first", gzip=True).files[0].path.read_bytes()
    second = write(iter(urls(5)), tmp_path / "second", gzip=True).files[0].path.read_bytes()

    assert first == second
    assert first[:4] == b"\x1f\x8b\x08\x00"  # no name, no comment (RFC 1952 section 2.3)
    assert first[4:8] == bytes(4)  # MTIME


def test_new_files_can_be_read_by_the_web_server_as_others_can(write, tmp_path):
    before = os.umask(0o022)
    try:
        path = write(urls(1)).files[0].path
        fresh = path.stat().st_mode & 0o777
        path.chmod(0o664)
        write(urls(2))
        kept = path.stat().st_mode & 0o777
    finally:
        os.umask(before)

    assert (fresh, kept) == (0o644, 0o664)


# ── nothing to write ──


@pytest.mark.parametrize("rows", [[], ["/bad"]])
def test_set_without_entries_is_refused_and_the_old_one_kept(write, tmp_path, rows):
    write(urls(3), max_urls=2, base_url=BASE)
    before = state(tmp_path / "site")

    with pytest.raises(TargetError, match="allow_empty=True"):
        write(rows, on_error="skip")

    assert state(tmp_path / "site") == before


def test_set_without_entries_is_written_when_asked_for(write, tmp_path):
    publication = write([], allow_empty=True)

    assert publication.urls == 0
    assert [file.urls for file in publication.files] == [0]
    assert root(tmp_path / "site").kind == "urlset"


# ── failures: nothing of the old set changes, nothing is left lying ──


class Break:
    """Lets a function fail at its n-th call, with what it did done or not."""

    def __init__(self, real: Callable, at: int, error: BaseException, done: bool):
        self.real, self.at, self.error, self.done, self.calls = real, at, error, done, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        if self.calls == self.at:
            if self.done:
                self.real(*args, **kwargs)
            raise self.error
        return self.real(*args, **kwargs)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
CTRL_C = KeyboardInterrupt()


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("function", "at", "error"),
    [
        *[("fsync", at, error) for at in range(1, 4) for error in (FULL, CTRL_C)],
        *[("link", at, CTRL_C) for at in range(1, 4)],  # one that fails is replaced by a copy
        *[("replace", at, error) for at in range(1, 5) for error in (FULL, CTRL_C)],
    ],
)
def test_failure_at_any_step_leaves_the_old_set(
    write, tmp_path, monkeypatch, function, at, error, done
):
    # Three files and an index become two files, both new, and an index: 3 × fsync, 3 × link of
    # what is replaced, 3 + 1 renames (the last takes the third file away).
    write(urls(5), max_urls=2, base_url=BASE)
    before = state(tmp_path / "site")
    broken = Break(getattr(os, function), at, error, done)

    with monkeypatch.context() as patch:
        patch.setattr(os, function, broken)
        with pytest.raises((TargetError, KeyboardInterrupt)) as caught:
            write(urls(4, 9), max_urls=2, base_url=BASE, now=LATER)

    assert broken.calls >= at
    assert contents(before) == contents(state(tmp_path / "site"))
    assert sorted(os.listdir(tmp_path / "site")) == sorted(before)
    if error is FULL:
        assert isinstance(caught.value, OSError)
        assert caught.value.errno == errno.ENOSPC
        assert "is unchanged" in str(caught.value)


def contents(files: dict[str, tuple[bytes, int, int]]) -> dict[str, bytes]:
    return {name: data for name, (data, _, _) in files.items()}


def test_full_disk_in_the_middle_of_a_file_leaves_the_old_set(write, tmp_path, monkeypatch):
    write(urls(2))
    before = state(tmp_path / "site")

    class FullFile:
        def __init__(self, path, mode, **_):
            self.file = open(path, mode)  # noqa: SIM115

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def read(self):
            return self.file.read()

        def write(self, data):
            self.file.write(data[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("urlset.publisher.local.open", FullFile, raising=False)
        with pytest.raises(TargetError, match=r"cannot write .*sitemap\.xml: No space left"):
            write(urls(3))

    assert state(tmp_path / "site") == before
    assert os.listdir(tmp_path / "site") == ["sitemap.xml"]


def test_source_that_fails_in_the_middle_leaves_the_old_set(write, tmp_path):
    write(urls(5), max_urls=2, base_url=BASE)
    before = state(tmp_path / "site")

    def failing():
        yield from urls(20_000, 7)
        raise ConnectionError("the database went away")

    with pytest.raises(ConnectionError):
        write(failing(), max_urls=100, base_url=BASE)

    assert state(tmp_path / "site") == before
    assert sorted(os.listdir(tmp_path / "site")) == sorted(before)


def test_failure_removes_the_folders_it_made(write, tmp_path):
    with pytest.raises(EntryError):
        write([*urls(60_000), "/bad"], tmp_path / "a" / "b", base_url=None)

    assert os.listdir(tmp_path) == []


def test_file_system_without_links_is_served_by_copies(write, tmp_path, monkeypatch):
    def link(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    write(urls(2))
    write(urls(3))

    assert len(read(tmp_path / "site")) == 3
    assert os.listdir(tmp_path / "site") == ["sitemap.xml"]


def test_leftovers_of_a_killed_process_are_swept_when_old(write, tmp_path):
    old, young, other = (
        tmp_path / "site" / name
        for name in (".sitemap-abc.new", ".sitemap-def.new", ".shop-abc.new")
    )
    for folder in (old, young, other):
        folder.mkdir(parents=True)
        (folder / "sitemap-1.xml").touch()
    for folder in (old, other):
        os.utime(folder, (1_700_000_000, 1_700_000_000))

    write(urls(1))

    assert sorted(os.listdir(tmp_path / "site")) == [other.name, young.name, "sitemap.xml"]


def test_file_in_the_place_of_the_folder_is_refused(write, tmp_path):
    (tmp_path / "site").write_text("")

    with pytest.raises(TargetError, match="expected a folder to write into, found a file"):
        write(urls(1))


# ── what is told ──


def test_publication_as_json_has_the_contract_of_build(write):
    publication = write([*urls(3), urls(1)[0], "ftp:/"], max_urls=2, base_url=BASE, on_error="skip")

    told = json.loads(json.dumps(publication.to_dict()))

    assert set(told) >= {"urls", "files", "indexes", "added", "changed", "removed", "rejected"}
    assert told["urls"] == 3
    assert told["files"][1] | {"bytes": 0, "packed_bytes": 0} == {
        "name": "sitemap-2.xml", "urls": 1, "bytes": 0, "packed_bytes": 0,
        "lastmod": "2026-01-31T12:00:00Z", "changed": True,
    }  # fmt: skip
    assert told["indexes"][0]["sitemaps"] == 2
    assert [(r["row"], r["is_duplicate"]) for r in told["rejected"]] == [(4, True), (5, False)]


def test_progress_counts_the_entries_written(write):
    told: list[ProgressEvent] = []

    write(urls(20_000), progress=told.append, max_urls=15_000, base_url=BASE)

    assert [event.urls for event in told] == [8_192, 16_384, 20_000]


# ── what other producers get wrong ──


def test_field_split_by_count_alone_makes_a_file_of_63_mb(write, tmp_path):
    # sitemap.js, ekalinin/sitemap.js#327: 20,000 URLs with 30 alternates each in one file.
    languages = [f"{a}{b}" for a in "abcde" for b in "uvwxyz"]
    rows = (
        {
            "loc": f"{BASE}{i:05}/{'x' * 40}",
            "alternates": [
                Alternate(name, f"{BASE}{name}/{i:05}/{'x' * 40}") for name in languages
            ],
        }
        for i in range(400)
    )

    publication = write(rows, max_bytes=1_048_576, base_url=BASE)  # a fiftieth of both

    assert len(publication.files) == 2
    assert all(file.path.stat().st_size == file.bytes <= 1_048_576 for file in publication.files)
    assert publication.files[0].bytes > 1_048_576 - 4_000


@pytest.mark.parametrize(
    "row",
    [
        with_(priority=7.0),
        with_(changefreq="sometimes"),
        video(live="yesterday"),
        video(family_friendly="casino"),
    ],
)
def test_field_bad_value_is_warned_of_and_written(write, tmp_path, row):
    # sitemap.js; its /^YES|NO|[Yy]es|[Nn]o$/ lets "casino" by, and "yesterday".
    publication = write([BASE + "good", row], on_error="skip")

    assert [rejection.row for rejection in publication.rejected] == [2]
    assert b"7.0" not in (tmp_path / "site" / "sitemap.xml").read_bytes()


def test_field_source_error_leaves_truncated_files_in_the_live_directory(write, tmp_path):
    # sitemap.js: a truncated sitemap-1.xml and an index without its end.
    seen: list[list[str]] = []

    def failing():
        for number, url in enumerate(urls(30_000)):
            if number % 10_000 == 0:
                seen.append([n for n in os.listdir(tmp_path / "site") if not n.startswith(".")])
            yield url
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(failing(), max_urls=5_000, base_url=BASE)

    assert seen == [[], [], []]
    assert not (tmp_path / "site").exists()


def test_field_index_is_there_before_its_children(write, tmp_path, monkeypatch):
    # sitemap.js emits the entry of the index before the file is complete; jlsitemap#64.
    moves: list[tuple[str, bool]] = []
    real = os.replace

    def replace(source, target):
        real(source, target)
        index = tmp_path / "site" / "sitemap.xml"
        listed = parse(index.read_bytes(), engine="reference").sitemaps if index.exists() else []
        names = [sitemap.loc.removeprefix(BASE) for sitemap in listed]
        whole = all((tmp_path / "site" / name).exists() for name in names)
        moves.append((Path(target).name, whole))

    monkeypatch.setattr(os, "replace", replace)
    write(urls(9), max_urls=2, base_url=BASE)
    write(urls(3, 7), max_urls=2, base_url=BASE)
    write(urls(9), max_urls=2, base_url=BASE)

    assert all(whole for _, whole in moves)
    assert [name for name, _ in moves[:6]][-1] == "sitemap.xml"


def test_field_duplicates_are_written(write, tmp_path):
    # sitemap.js, sitemap_generator, xml_sitemap_writer: no de-duplication.
    rows = [BASE, Entry(BASE + "a", priority=0.1), BASE, Entry(BASE + "a", priority=0.2)]

    publication = write([*rows, *urls(10_000), BASE])

    assert [(e.loc, e.priority) for e in read(tmp_path / "site")[:2]] == [
        (BASE, None),
        (BASE + "a", 0.1),
    ]
    assert publication.urls == 10_002
    assert publication.duplicates == 3
    assert [(r.row, r.is_duplicate) for r in publication.rejected] == [
        (3, True), (4, True), (10_005, True),
    ]  # fmt: skip


def test_duplicates_are_kept_when_asked_for(write, tmp_path):
    publication = write([BASE, BASE], duplicates="keep")

    assert (publication.urls, publication.duplicates) == (2, 0)


def test_field_ampersand_is_not_escaped(write, tmp_path):
    # pelican-sitemap, datasette-sitemap, next-sitemap: ill-formed XML on "&".
    loc = "https://example.com/?a=1&b='2'&c=\"3\"&d=<4>"

    write([loc])

    assert (
        b"?a=1&amp;b=&apos;2&apos;&amp;c=&quot;3&quot;&amp;d=&lt;4&gt;"
        in (tmp_path / "site" / "sitemap.xml").read_bytes()
    )
    assert [entry.loc for entry in read(tmp_path / "site")] == [loc]


def test_field_hreflang_is_called_ref(write, tmp_path):
    # pelican-sitemap writes `ref=`, and its own test asserts it.
    write([with_(alternates=[Alternate("de", BASE + "de")])])

    assert (
        b'<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
        in (tmp_path / "site" / "sitemap.xml").read_bytes()
    )


def test_field_absolute_url_is_glued_to_the_base(write, tmp_path):
    # xml_sitemap_writer: https://e.com/https://other.com/abs
    write(["https://other.com/abs"], base_url=BASE)

    assert [entry.loc for entry in read(tmp_path / "site")] == ["https://other.com/abs"]


def test_field_base_url_without_a_slash_is_glued_to_the_page(write, tmp_path):
    # sphinx-sitemap: https://docs.example.com/projen/a.html
    write(["en/a.html"], base_url="https://docs.example.com/proj")

    assert read(tmp_path / "site")[0].loc == "https://docs.example.com/proj/en/a.html"


def test_field_lastmod_with_negative_offset_or_fraction_is_dropped(write, tmp_path):
    # xml_sitemap_writer.
    dates = ["2026-01-31T12:00:00-05:00", "2026-01-31T12:00:00.25Z"]

    write([{"loc": f"{BASE}{i}", "lastmod": text} for i, text in enumerate(dates)])

    assert [entry.lastmod_text for entry in read(tmp_path / "site")] == dates


def test_field_lastmod_and_priority_are_invented(write, tmp_path):
    # sitemap_generator: lastmod now, changefreq weekly, priority 0.5 for every URL.
    write(urls(1))

    assert read(tmp_path / "site")[0][1:5] == (None, None, None, None)


def test_field_priority_zero_is_dropped(write, tmp_path):
    # snabb/sitemap: omitempty.
    write([Entry(BASE, priority=0.0)])

    assert read(tmp_path / "site")[0].priority == 0.0


def test_field_day_is_printed_in_the_zone_of_the_server(write, tmp_path):
    # Django: 2024-01-01T00:00Z printed 2023-12-31.
    write([Entry(BASE, datetime(2024, 1, 1, tzinfo=UTC))])

    assert read(tmp_path / "site")[0].lastmod_text == "2024-01-01T00:00:00Z"


def test_field_images_without_loc_or_past_1_000_are_cut_silently(write):
    # sitemap_generator: sitemap_url.rb:239.
    rows = [with_(images=[{}]), with_(images=[f"{BASE}{i}.jpg" for i in range(1_001)])]

    publication = write(rows, on_error="skip", allow_empty=True)

    assert [r.field for r in publication.rejected] == ["images[0].loc", "images"]


def test_field_output_ends_silently_at_50_000(write):
    # datasette-sitemap.
    publication = write(urls(100_001), base_url=BASE)

    assert publication.urls == 100_001
    assert [file.urls for file in publication.files] == [50_000, 50_000, 1]


def test_field_index_has_no_lastmod_or_always_now(write, tmp_path):
    # next-sitemap#731, laravel-sitemap, Django: one date for every child.
    write(urls(3), max_urls=2, base_url=BASE)
    write(urls(4), max_urls=2, base_url=BASE, now=LATER)

    index = root(tmp_path / "site")
    assert [sitemap.lastmod for sitemap in index.sitemaps] == [NOON, LATER]


def test_field_namespaces_are_all_declared_always(write, tmp_path):
    # sitemap.js.
    write([Entry(BASE, videos=(Video(BASE + "t.jpg", "T", "D", BASE + "v.mp4"),))])

    data = (tmp_path / "site" / "sitemap.xml").read_bytes()
    assert data.count(b"xmlns:") == data.count(b"xmlns:video=") == 1


@pytest.mark.parametrize(
    "huge",
    [10**4000, -(10**5000), Fraction(10**5000, 3), Decimal("1e9999999"), Decimal("1e-9999999")],
    ids=["4,000 digits", "5,000 digits", "fraction", "decimal", "small decimal"],
)
@pytest.mark.parametrize("field", ["priority", "lastmod", "changefreq", "loc", "video", "image"])
def test_numbers_of_thousands_of_digits_are_refused_with_their_place(engine, huge, field):
    row: dict[str, Any] = {"loc": f"{BASE}a"}
    if field == "video":
        video = {"thumbnail_loc": f"{BASE}t", "title": "t", "description": "d"}
        row["videos"] = [{**video, "content_loc": f"{BASE}v", "rating": huge}]
    else:
        row["images" if field == "image" else field] = [huge] if field == "image" else huge
    if field == "priority" and huge == Decimal("1e-9999999"):
        assert b"<priority>0.0</priority>" in urlset.render([row], engine=engine.name)
        return

    with pytest.raises(EntryError, match="expected") as error:
        urlset.render([row], engine=engine.name)

    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("field", "missing"), [("lastmod", "NaT"), ("lastmod_text", "NaT"), ("changefreq", "NA")]
)
def test_missing_values_of_pandas_are_invalid(field, missing):
    pandas = pytest.importorskip("pandas")
    row = {"loc": BASE, field: getattr(pandas, missing)}

    with pytest.raises(EntryError, match=f"row 1, {field}: expected"):
        urlset.render([row])
    rejected: list[Rejection] = []
    data = urlset.render([row, {"loc": f"{BASE}b"}], on_rejected=rejected.append)
    assert [entry.loc for entry in parse(data).entries] == [f"{BASE}b"]
    assert [each.field for each in rejected] == [field]


def test_render_of_too_much_news_names_their_limit():
    article = News("Paper", "en", publication_date="2026-01-31", title="Title")
    entries = [Entry(f"{BASE}{number}", news=article) for number in range(1_001)]

    with pytest.raises(TargetError, match="50,000 URLs, 1,000 news articles and 52,428,800 bytes"):
        urlset.render(entries)
