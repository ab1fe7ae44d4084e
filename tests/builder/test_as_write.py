"""What `urlset.write` refuses, `urlset.build` refuses, whatever the source."""

import csv
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from tests.odd_rows import SITE, plain_urls
from urlset import Alternate, Entry, Image
from urlset.engine.reference.engine import columns, renderer
from urlset.reader.unreadable_entries import unreadable_count
from urlset.sources import Candidate, CandidateRows

_TEXT = pa.string()
_SCHEMA = pa.schema(
    [
        ("loc", _TEXT),
        ("lastmod", _TEXT),
        ("changefreq", _TEXT),
        ("priority", pa.float64()),
        ("images", pa.list_(pa.struct([("loc", _TEXT), ("caption", _TEXT)]))),
        ("alternates", pa.list_(pa.struct([("hreflang", _TEXT), ("href", _TEXT)]))),
    ]
)
_NESTED = ("images", "alternates")

BAD_URLS = [
    "javascript:alert(1)",
    "ftp://e.com/a",
    "foo bar",
    "www.e.com/a",
    "mailto:a@e.com",
    "https://",
    "http://http/",
    "http://256.1.1.1/",
    "https://e..com/",
    SITE + "a" * 2_040,
]
GOOD_URLS = ["/img/1.jpg", f"{SITE}tee-grün", f"{SITE}1.jpg", f"{SITE}a%20b?x=1&y=2", "a/b.html"]


def row(number: int, **fields: Any) -> dict[str, Any]:
    made = dict.fromkeys(_SCHEMA.names) | {"loc": f"{SITE}row/{number}"}
    return made | {name: [] for name in _NESTED} | fields


def odd_rows() -> list[dict[str, Any]]:
    """A row for each thing that may be wrong, or looks as if it were, among rows that are right."""
    odd: list[dict[str, Any]] = [{}]
    odd += [{"loc": url} for url in (*BAD_URLS, *GOOD_URLS)]
    odd += [{"images": [{"loc": url, "caption": None}]} for url in (*BAD_URLS, *GOOD_URLS)]
    odd += [{"images": [{"loc": f"{SITE}1.jpg", "caption": " Tea "}]}]
    odd += [{"alternates": [{"hreflang": "de", "href": url}]} for url in (*BAD_URLS, *GOOD_URLS)]
    odd += [
        {"alternates": [{"hreflang": language, "href": f"{SITE}de"}]}
        for language in ("de", "de_AT", "undetermined", "x-default", "zh-Hant-TW")
    ]
    odd += [{"changefreq": word} for word in ("daily", "Daily", "fortnightly")]
    odd += [{"priority": number} for number in (0.0, 0.55, 1.0, -0.1, 1.5)]
    odd += [
        {"lastmod": text}
        for text in (
            "2026-01-02",
            "2026-01-02T03:04:05+02:00",
            "2026-01",
            "yesterday",
            "2026-02-30",
        )
    ]
    return [row(number, **fields) for number, fields in enumerate(odd)]


def _flat(given_rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in r.items() if name not in _NESTED} for r in given_rows]


def _records(given_rows: list[dict[str, Any]]) -> list[Entry]:
    return [
        Entry(
            r["loc"],
            lastmod_text=r["lastmod"],
            changefreq=r["changefreq"],
            priority=r["priority"],
            images=tuple(Image(**image) for image in r["images"]),
            alternates=tuple(Alternate(**link) for link in r["alternates"]),
        )
        for r in given_rows
    ]


def of_dicts(given_rows: list[dict[str, Any]], _: Path) -> Any:
    return given_rows


def of_entries(given_rows: list[dict[str, Any]], _: Path) -> Any:
    return _records(given_rows)


def of_candidates(given_rows: list[dict[str, Any]], _: Path) -> Any:
    return CandidateRows(map(Candidate.of, _records(given_rows)))


def of_arrow(given_rows: list[dict[str, Any]], _: Path) -> Any:
    return pa.Table.from_pylist(given_rows, schema=_SCHEMA)


def of_parquet(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "rows.parquet"
    pyarrow.parquet.write_table(of_arrow(given_rows, folder), path)
    return path


def of_json_lines(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(r)}\n" for r in given_rows), encoding="utf-8")
    return path


def of_csv(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _SCHEMA.names[:4])
        writer.writeheader()
        writer.writerows(_flat(given_rows))
    return path


def of_duckdb(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path, table = folder / "rows.duckdb", of_arrow(given_rows, folder)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE pages AS SELECT * FROM given")
    return path


def of_sqlite(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "rows.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "CREATE TABLE pages (loc TEXT, lastmod TEXT, changefreq TEXT, priority REAL)"
        )
        connection.executemany(
            "INSERT INTO pages VALUES (:loc, :lastmod, :changefreq, :priority)", _flat(given_rows)
        )
    connection.close()
    return path


def of_a_sitemap(given_rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "old.xml"
    document = renderer("urlset", 50_000, 1 << 30, 1_000)
    document.add(columns(_records(given_rows)), 0)
    path.write_bytes(document.finish())
    return path


Maker = Callable[[list[dict[str, Any]], Path], Any]
FLAT: list[Maker] = [of_csv, of_sqlite]
NESTED: list[Maker] = [
    of_dicts,
    of_entries,
    of_candidates,
    of_arrow,
    of_parquet,
    of_json_lines,
    of_duckdb,
]


Outcome = tuple[list[tuple[Any, ...]], list[str]]
"""The entries that were written, and what was refused and why."""


def built(source: Any, folder: Path, **options: Any) -> Outcome:
    made = urlset.build(
        source,
        folder / "built",
        base_url=SITE,
        ledger=folder / "ledger.duckdb",
        on_error="skip",
        lastmod="given",
        force=["hosts", "zero"],
        **options,
    )
    return _entries(folder / "built"), _refused(made.rejected)


def written(
    given_rows: Any, folder: Path, **options: Any
) -> tuple[list[tuple[Any, ...]], list[str]]:
    made = urlset.write(
        given_rows,
        folder / "written",
        base_url=SITE,
        on_error="skip",
        allow_empty=True,
        **options,
    )
    return _entries(folder / "written"), _refused(
        one for one in made.rejected if not one.is_duplicate
    )


def _entries(folder: Path) -> list[tuple[Any, ...]]:
    """The entries as a build has them.

    It percent-encodes URLs that are not ASCII, which write keeps as given, and leaves out dates
    without a day.
    """
    entries = (
        entry
        if len(entry.lastmod_text or "") != 7
        else entry._replace(lastmod=None, lastmod_text=None)
        for entry in urlset.read(folder)
    )
    return sorted((_encoded(tuple(entry[:10])) for entry in entries), key=repr)


def _encoded(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("http"):
        return quote(value, safe="%/:?#[]@!$&'()*+,;=~")
    return tuple(map(_encoded, value)) if isinstance(value, tuple) else value


def _refused(rejected: Any) -> list[str]:
    """What is refused, and why, but for the words that name the place."""
    words = (one.reason[one.reason.index("expected ") :] for one in rejected)
    return sorted(text.partition("; ")[0] for text in words)


@pytest.mark.parametrize("make", [*NESTED, *FLAT], ids=lambda make: make.__name__)
def test_build_refuses_what_write_refuses(make, tmp_path, engine):
    given_rows = _flat(odd_rows()) if make in FLAT else odd_rows()
    full = [{name: [] for name in _NESTED} | r for r in given_rows]

    by_build = built(make(full, tmp_path), tmp_path, engine=engine.name)

    assert by_build == written(given_rows, tmp_path, engine=engine.name)
    assert len(by_build[1]) >= (len(BAD_URLS) if make in FLAT else 3 * len(BAD_URLS))


def test_build_refuses_images_of_a_sitemap_that_write_refuses(tmp_path, engine):
    path = of_a_sitemap([r for r in odd_rows() if r["lastmod"] in (None, "2026-01-02")], tmp_path)

    listed, refused = built(path, tmp_path, engine=engine.name)

    document = urlset.parse(path.read_bytes(), base_url=SITE)
    lost = [words for words in refused if words.startswith("expected a full http or https URL")]
    assert len(lost) == unreadable_count(document) > 0
    expected = written(list(document.entries), tmp_path, engine=engine.name)
    assert (listed, sorted([*expected[1], *lost])) == (expected[0], refused)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://e.com/1.jpg", "foo bar"])
@pytest.mark.parametrize("field", _NESTED)
def test_table_of_absolute_locs_with_a_bad_image_is_refused(url, field, tmp_path):
    record = {"loc": url, "caption": None} if field == "images" else {"hreflang": "de", "href": url}
    rows = [row(0), row(1, **{field: [record]}), row(2)]

    with pytest.raises(urlset.EntryError, match=rf"{field}\[0\]"):
        urlset.build(of_parquet(rows, tmp_path), tmp_path / "out", base_url=SITE,
                     ledger=tmp_path / "ledger.duckdb")  # fmt: skip

    assert not (tmp_path / "out" / "sitemap.xml").exists()


_values = st.sampled_from([*BAD_URLS, *GOOD_URLS]) | plain_urls
_rows = st.fixed_dictionaries(
    {
        "loc": _values,
        "lastmod": st.sampled_from([None, "2026-01-02", "2026-01-02T03:04:05Z", "soon"]),
        "changefreq": st.sampled_from([None, "daily", "Daily"]),
        "priority": st.sampled_from([None, 0.5, 1.0, 2.0]),
        "images": st.lists(
            st.fixed_dictionaries({"loc": _values, "caption": st.sampled_from([None, "Tea"])}),
            max_size=2,
        ),
        "alternates": st.lists(
            st.fixed_dictionaries({"hreflang": st.sampled_from(["de", "de_AT"]), "href": _values}),
            max_size=2,
        ),
    }
)


@pytest.mark.slow
@settings(max_examples=amount(8, 100), suppress_health_check=list(HealthCheck), deadline=None)
@given(  # a build merges rows of one URL, and write keeps the first
    st.lists(_rows, min_size=1, max_size=6, unique_by=lambda row: str(row["loc"])),
    st.sampled_from(NESTED),
)
def test_any_rows_are_refused_and_written_alike(given_rows, make):
    given_rows = [*given_rows, row(0)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        assert built(make(given_rows, folder), folder) == written(given_rows, folder)
