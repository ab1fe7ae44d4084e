"""What a build publishes has no error and no warning of a check, whatever its sources hold."""

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from urlset.builder.canonical_urls import CREDENTIALS, TEMPLATE
from urlset.builder.url_exclusions import SESSION_ID, SITEMAP
from urlset.sources.tables.table import Table

BASE = "https://example.com/"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ROWS = [
    ("/plain", "2026-01-31"),
    ("/shop?utm_source=mail&id=1", None),
    ("/blog?GCLID=abc", None),
    ("/both?utm_campaign=a;b&fbclid=1#top", None),
    ("/a;jsessionid=ABCDEF0123456789", None),
    ("/b?PHPSESSID=0123456789abcdef0123", None),
    ("/(S(0123456789abcdefghijklmn))/c", None),
    ("/sitemap.xml", None),
    ("/robots.txt", None),
    ("/blog/news-sitemap.xml.gz", None),
    ("http://example.com/insecure", None),
    ("http://example.com/twice", None),
    ("https://example.com/twice", None),
    ("/year", "2024"),
    ("/month", "2024-05"),
    ("/zero", "1970-01-01T00:00:00Z"),
    ("/first-day", "0001-01-01"),
    ("/future", "2099-01-01"),
    ("/future-by-offset", "2026-11-23T11:30:00-10:00"),
    ("/listed", "2024-01-02"),
    ("/listed", "2024-03-02T10:00:00Z"),
    ("/fragment#part", None),
    ("/fragment", None),
    ("/twin/", None),
    ("/twin/index.html", None),
    ("/amp?a=1&amp;amp;b=2", None),
    ("/amp?a=1&#38;b=3", None),
    ("/käse|brot", None),
    ("/%zz", None),
    ("/\u200bword", None),
    ("https://ann:s3cret@example.com/a", None),
    ("/{{slug}}", None),
    ("/p/undefined", None),
    ("javascript:alert(1)", None),
    ("https://a..com/", None),
    ("/p/" + "a" * 3_000, None),
    ("/yesterday", "yesterday"),
]
PUBLISHED = {
    "plain", "shop?id=1", "blog", "both", "insecure", "twice", "year", "month", "zero", "first-day",
    "future", "future-by-offset", "listed", "fragment", "twin/", "twin/index.html", "amp?a=1&b=2",
    "amp?a=1&b=3", "k%C3%A4se%7Cbrot", "%25zz",
}  # fmt: skip


def of_text(rows: list[tuple[str, str | None]]) -> Any:
    Path("a.txt").write_text("".join(f"{loc}\n" for loc, _ in rows))
    return "a.txt"


def of_csv(rows: list[tuple[str, str | None]]) -> Any:
    with open("a.csv", "w", newline="") as file:
        csv.writer(file).writerows([("loc", "lastmod"), *rows])
    return "a.csv"


def of_large_csv(rows: list[tuple[str, str | None]]) -> Any:
    return Table(of_csv(rows))


def of_json_lines(rows: list[tuple[str, str | None]]) -> Any:
    Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in of_dicts(rows)))
    return "a.jsonl"


def of_json(rows: list[tuple[str, str | None]]) -> Any:
    Path("a.json").write_text(json.dumps(of_dicts(rows)))
    return "a.json"


def of_sqlite(rows: list[tuple[str, str | None]]) -> Any:
    with closing(sqlite3.connect("a.db")) as connection, connection:
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute("CREATE TABLE t (loc, lastmod)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    return "a.db"


def of_parquet(rows: list[tuple[str, str | None]]) -> Any:
    of_json_lines(rows)
    types = "{loc: 'VARCHAR', lastmod: 'VARCHAR'}"
    duckdb.connect().execute(f"COPY (FROM read_json('a.jsonl', columns = {types})) TO 'a.parquet'")
    return "a.parquet"


def of_arrow(rows: list[tuple[str, str | None]]) -> Any:
    pytest.importorskip("pyarrow")
    relation = duckdb.connect().sql(f"FROM '{of_parquet(rows)}'")
    assert relation is not None
    return relation.to_arrow_table()


def of_dicts(rows: list[tuple[str, str | None]]) -> Any:
    return [{"loc": loc, "lastmod": lastmod} for loc, lastmod in rows]


def of_entries(rows: list[tuple[str, str | None]]) -> Any:
    return [urlset.Entry(loc, lastmod_text=lastmod) for loc, lastmod in rows]


KINDS = [
    of_text, of_csv, of_large_csv, of_json_lines, of_json, of_sqlite, of_parquet, of_arrow,
    of_dicts, of_entries,
]  # fmt: skip


def faults(folder: str, base: str = BASE) -> list[tuple[str, str | None]]:
    found = urlset.check(folder, base_url=base, now=NOW)
    return [(one.code, one.loc) for one in found if one.level in ("error", "warning")]


def built(source: Any, **options: Any) -> urlset.Build:
    given = {"base_url": BASE, "ledger": "l.duckdb", "on_error": "skip", "now": NOW, **options}
    return urlset.build(source, "public", **given)


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_build_of_odd_rows_passes_its_own_check(make: Callable[..., Any], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    made = built(make(ROWS))
    again = built(make(ROWS))

    locs = {entry.loc.removeprefix(BASE) for entry in urlset.read("public")}
    assert locs - {"yesterday", "word", "%E2%80%8Bword"} == PUBLISHED
    assert faults("public") == []
    assert made.excluded_counts == {CREDENTIALS: 1, TEMPLATE: 2, SESSION_ID: 3, SITEMAP: 3}
    assert again.changed_files == ()
    notes = "\n".join(made.notes)
    assert "2 URLs changed from http to https, the scheme of the base URL" in notes
    assert "3 URLs written without tracking parameters" in notes
    if make is not of_text:
        assert "2 dates have no day and are ignored, first: https://example.com/month" in notes
        assert "2 dates are before 1995 (a default value) and are ignored" in notes
        assert "2 dates are in the future and are ignored" in notes


@pytest.mark.parametrize(
    ("date", "note"),
    [
        ("1994-12-31", "before 1995"),
        ("1995", "no day"),
        ("1995-01", "no day"),
        ("1995-01-01", None),
        ("1995-01-01T00:00:00Z", None),
        ("1995-01-01T00:00:00+02:00", "before 1995"),
        ("1994-12-31T23:30:00-05:00", None),
        ("1995-01-02T00:00:00+14:00", None),
        ("0001-01-01T00:00:00Z", "before 1995"),
    ],
)
def test_the_earliest_date_of_a_build_is_that_of_the_rule(date, note, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<url><loc>{BASE}a</loc><lastmod>{date}</lastmod></url></urlset>"
    )

    made = built([{"loc": f"{BASE}a", "lastmod": date}])

    [entry] = urlset.read("public")
    assert (entry.lastmod is None) == (note is not None)
    notes = "".join(made.notes)
    assert ("ignored" in notes) == (note is not None)
    assert (note or "") in notes
    found = {one.code for one in urlset.check(document.encode(), select=["D005", "D008"], now=NOW)}
    assert ("D008" in found) == (note == "before 1995")
    assert ("D005" in found) == (note == "no day")


@pytest.mark.parametrize(
    ("same", "others", "date", "is_reported"),
    [
        (16, 4, "2026-11-20T03:00:00Z", True),
        (15, 5, "2026-11-20T03:00:00Z", False),
        (19, 0, "2026-11-20T03:00:00Z", False),
        (20, 0, "2026-11-20", False),
        (0, 0, "", False),
        (2_400, 600, "2026-11-20T03:00:00Z", True),
        (2_100, 900, "2026-11-20T03:00:00Z", False),
    ],
)
def test_one_time_of_most_dates_is_reported(
    same: int, others: int, date: str, is_reported: bool, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    other_dates = [f"2026-10-{n % 28 + 1:02}T01:{n % 60:02}:00Z" for n in range(others)]
    dates = [date] * same + other_dates + [None]  # a page without a date does not count

    made = built([{"loc": f"/{n}", "lastmod": each} for n, each in enumerate(dates)])

    found = [note for note in made.notes if "when they were exported" in note]
    assert len(found) == is_reported
    assert all(f"{same:,} of {same + others:,} dates are {date}:" in note for note in found)


def test_sitemap_as_source_gives_a_clean_build(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = "".join(
        f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod></url>"
        for loc, lastmod in [
            ("http://example.com/a?utm_source=x", "1970-01-01"),
            ("https://example.com/sitemap.xml", "2024-01-02"),
            ("https://example.com/b?sessionid=1", "2024-01-02"),
            ("https://example.com/c", "2024-05"),
        ]
    )
    Path("old.xml").write_text(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'
    )

    made = built("old.xml")

    assert [entry.loc for entry in urlset.read("public")] == [f"{BASE}a", f"{BASE}c"]
    assert made.undated == 2
    assert faults("public") == []


def test_folder_of_pages_gives_a_clean_build(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, head in {
        "index.html": "",
        "käse.html": '<meta property="article:modified_time" content="1970-01-01T00:00:00Z">',
        "canonical.html": '<link rel="canonical" href="http://example.com/canonical.html">',
        "year.html": '<meta property="article:modified_time" content="2024">',
    }.items():
        Path("site").mkdir(exist_ok=True)
        Path("site", name).write_text(f"<title>{name}</title>{head}<p>Text of {name}")

    built("site", lastmod="given,page")

    assert f"{BASE}k%C3%A4se.html" in [entry.loc for entry in urlset.read("public")]
    assert faults("public") == []


def test_keep_filter_outweighs_what_a_url_looks_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    locs = ("/sitemap.xml", "/talk?session_id=1", "/a")

    made = built([{"loc": loc} for loc in locs], filters=["keep:sitemap|session"])

    assert (made.urls, made.excluded_counts) == (3, {})


def test_name_of_the_set_is_no_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    locs = ("/urls.xml", "/urls-blog-1.xml", "/data/urls.xml", "/a")

    made = built([{"loc": loc} for loc in locs], name="urls")

    assert made.excluded_counts == {SITEMAP: 2}


def test_https_page_of_alternates_has_them_by_https(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links = [
        {"hreflang": "de", "href": "http://example.com/de"},
        {"hreflang": "en", "href": "http://example.com/en"},
    ]

    built([{"loc": f"http://example.com/{name}", "alternates": links} for name in ("de", "en")])

    assert faults("public") == []


# What the owner has chosen is published, with a note beforehand: the base URL and its folder, and
# the hosts that `hosts` names.
CHOSEN = {
    "U028": (
        "https://example.com/",
        {"allowed_hosts": ["cdn.example.org"]},
        "https://cdn.example.org/a",
    ),
    "U029": ("https://example.com/de/", {}, "https://example.com/fr"),
}


@pytest.mark.parametrize("code", CHOSEN)
def test_choice_of_the_owner_is_published_with_a_note(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base, options, url = CHOSEN[code]

    made = built([{"loc": url}, {"loc": f"{base}b"}], base_url=base, **options)

    assert faults("public", base) == [(code, url)]
    [note] = [note for note in made.notes if "robots.txt" in note]
    assert note.startswith("1 URL is ")
    assert f"first: {url}" in note
