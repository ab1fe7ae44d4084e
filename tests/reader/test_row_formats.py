"""Entries as CSV, JSON and text in files: the same bytes as the command writes."""

import csv
import io
import json
from datetime import UTC
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from urlset import Alternate, Entry, Image
from urlset.cli.app import run
from urlset.dates import is_common_w3c, parse_date
from urlset.reader.row_formats import COLUMNS, csv_lines, csv_rows, jsonl_lines, w3c_lastmod
from urlset.terminal_text import escape_json

SITEMAP = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a,b</loc><lastmod>2026-01-31</lastmod><priority>0.5</priority></url>
<url><loc>https://example.com/\xc3\xa9?"x"</loc></url></urlset>"""


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "txt"])
def test_file_is_that_of_the_command(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.xml").write_bytes(SITEMAP)

    method = {"txt": "to_text"}.get(form, f"to_{form}")
    getattr(urlset.read("s.xml"), method)("ours")
    assert run(["read", "s.xml", "--format", form, "--output", "theirs", "--quiet"]) == 0

    assert Path("ours").read_bytes() == Path("theirs").read_bytes()


def test_csv_and_json_lines_have_the_values_of_the_entries(tmp_path):
    entries = urlset.read(SITEMAP)

    entries.to_csv(tmp_path / "a.csv")
    entries.to_jsonl(tmp_path / "a.jsonl")

    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    objects = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert [row["loc"] for row in rows] == [entry.loc for entry in entries]
    assert (rows[0]["lastmod"], rows[1]["lastmod"]) == ("2026-01-31", "")
    assert [(one["loc"], one["priority"]) for one in objects] == [
        (entry.loc, entry.priority) for entry in entries
    ]
    ledger = tmp_path / "ledger.duckdb"
    assert urlset.build(tmp_path / "a.csv", tmp_path / "out", ledger=ledger).urls == 2


def test_json_array_and_text_have_the_values_of_the_entries(tmp_path):
    entries = urlset.read(SITEMAP)

    entries.to_json(tmp_path / "a.json")
    entries.to_text(tmp_path / "a.txt")

    objects = json.loads((tmp_path / "a.json").read_text("utf-8"))
    locs = [entry.loc for entry in entries]
    assert [one["loc"] for one in objects] == locs
    assert (tmp_path / "a.txt").read_text("utf-8").splitlines() == locs


@pytest.mark.parametrize("name", ["", "none/a.csv"])
def test_file_that_cannot_be_written_is_a_target_error(name, tmp_path):
    with pytest.raises(urlset.TargetError, match="cannot write"):
        urlset.read(SITEMAP).to_csv(tmp_path / name)


@pytest.mark.parametrize("method", ["to_csv", "to_jsonl", "to_json", "to_text"])
def test_text_does_not_replace_a_store(method, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.read(SITEMAP).to_duckdb(path)
    before = path.read_bytes()

    with pytest.raises(urlset.TargetError, match=r"it is a store \(a DuckDB file\)"):
        getattr(urlset.read(SITEMAP), method)(path)

    assert path.read_bytes() == before


def test_failed_reading_keeps_the_existing_file(tmp_path):
    (tmp_path / "a.csv").write_text("before")

    with pytest.raises(urlset.SourceError):
        urlset.read(tmp_path / "s.xml").to_csv(tmp_path / "a.csv")

    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "before"


TEXTS = st.text("ab,\"'\\\r\n\t #[:\u00e9\u0085\u200b\u2028\x7f\U0001f600", max_size=8)
DATES = st.sampled_from(
    [None, "2026-01-31", "2026-02-30", "2026-01-02T03:04:05+01:00", "31 Jan 2026", "soon"]
)
ENTRIES = st.builds(
    Entry,
    TEXTS,
    st.none() | st.datetimes(timezones=st.just(UTC)),
    DATES,
    st.none() | st.sampled_from(["daily", "never"]),
    st.none() | st.floats(0, 1),
    st.lists(
        st.builds(Image, TEXTS, st.none() | TEXTS, st.none(), st.none(), st.none()), max_size=2
    ).map(tuple),
    videos=st.just(()),
    news=st.none(),
    alternates=st.lists(st.builds(Alternate, TEXTS, TEXTS, st.none()), max_size=2).map(tuple),
    extra=st.none(),
    source=st.none() | TEXTS,
    line=st.none() | st.integers(1, 9),
)


def values_of(entry: Entry) -> dict[str, object]:
    """The public columns of an entry."""
    lastmod = w3c_lastmod(entry)
    columns = {name: getattr(entry, name) for name in COLUMNS}
    return columns | {"lastmod": lastmod}


@pytest.mark.parametrize("text", ["0.00001", "0.0000012", "0.0001", "1.0", "0"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_any_priority_is_built_from_the_file(tmp_path, suffix, text):
    sitemap = f"<urlset><url><loc>https://e.com/</loc><priority>{text}</priority></url></urlset>"
    path = tmp_path / f"a.{suffix}"

    getattr(urlset.read(sitemap.encode()), f"to_{suffix}")(path)
    urlset.build(path, tmp_path / "out", ledger=tmp_path / "ledger.duckdb")

    (entry,) = urlset.read(tmp_path / "out/sitemap.xml")
    assert entry.priority == float(text)


@given(st.lists(ENTRIES, max_size=4))
def test_json_lines_are_those_of_the_standard_library(entries):
    expected = []
    for entry in entries:
        extensions = {
            "images": [{k: v for k, v in x._asdict().items() if v is not None} for x in entry[5]],
            "alternates": [
                {k: v for k, v in x._asdict().items() if v is not None} for x in entry.alternates
            ],
        }
        full = values_of(entry) | {name: found for name, found in extensions.items() if found}
        expected.append(escape_json(json.dumps(full, ensure_ascii=False) + "\n"))

    assert list(jsonl_lines(entries)) == expected
    for line, entry in zip(expected, entries, strict=True):
        assert line.count("\n") == 1
        assert json.loads(line)["loc"] == entry.loc


@given(st.lists(ENTRIES, max_size=4))
def test_csv_is_that_of_the_standard_library(entries):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        values = values_of(entry)
        if "e-" in str(entry.priority):
            values["priority"] = f"{Decimal(str(entry.priority)):f}"
        writer.writerow(values.values())

    assert "".join(csv_lines(entries)) == file.getvalue()


@given(st.integers(1, 3), st.data())
def test_csv_rows_of_any_width_are_those_of_the_standard_library(width, data):
    cells = st.none() | TEXTS | st.floats()
    rows = data.draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=3))
    header = [*"abc"][:width]
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerows([header, *rows])

    assert "".join(csv_rows(header, rows)) == file.getvalue()


@given(
    st.from_regex(
        r"(?:19|20)\d\d-[01]\d-[0-3]\d(?:T[0-2]\d:[0-6]\d:[0-6]\d(?:Z|[+-][0-2]\d:[0-6]\d))?",
        fullmatch=True,
    )
    | st.from_regex(r"[\d٠]{4}-\d\d-\d\d[T Z]?", fullmatch=True)
)
def test_common_dates_are_valid(text):
    found = parse_date(text)

    if is_common_w3c(text):
        assert found.code is None
        assert found.instant is not None
    elif text[:2] in ("19", "20") and len(text) in (10, 20) and text.isascii():
        assert found.code or ":60" in text
