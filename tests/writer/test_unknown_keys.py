"""A key or a column that is not understood is never dropped without a word."""

from pathlib import Path

import pyarrow as pa
import pytest

import urlset
from urlset.errors import EntryError

ROOT = Path(__file__).parents[2]
BASE = "https://example.com/"


def render(rows, engine):
    return urlset.render(rows, base_url=BASE, engine=engine.name)


@pytest.mark.parametrize(
    "key", ["lastmdo", "last_modified", "updated_at", "LastMod", "modified", "lasmod"]
)
def test_a_key_that_means_lastmod_is_refused(engine, key):
    with pytest.raises(EntryError, match="expected the key 'lastmod'") as caught:
        render([{"loc": "/a"}, {"loc": "/b", key: "2026-01-01"}], engine)

    assert (caught.value.row, caught.value.field, caught.value.value) == (2, "lastmod", key)


def test_an_unknown_key_is_refused_with_the_known_ones(engine):
    with pytest.raises(
        EntryError, match=r"expected the keys loc, lastmod, changefreq.*found 'foo'"
    ):
        render([{"loc": "/a", "foo": 1}], engine)


def test_the_guide_states_that_an_unknown_key_is_refused(tmp_path):
    guide = " ".join((ROOT / "docs/writing.md").read_text(encoding="utf-8").split())
    row = {"loc": f"{BASE}a", "id": "x"}

    assert "An unknown key is refused" in guide
    assert "unknown columns are ignored" in guide
    with pytest.raises(EntryError, match="found 'id'"):
        urlset.write([row], tmp_path / "w")
    with pytest.raises(EntryError, match="found 'id'"):
        urlset.build([row], tmp_path / "b", ledger=tmp_path / "l.duckdb")
    assert BASE.encode() in urlset.render(pa.table({"loc": [row["loc"]], "id": ["x"]}))


def test_a_key_that_is_no_text_is_refused(engine):
    with pytest.raises(EntryError, match="found 7"):
        render([{"loc": "/a", 7: 1}], engine)


def test_the_keys_of_to_dict_are_known(engine):
    entry = urlset.Entry(f"{BASE}a", images=(urlset.Image(f"{BASE}i.png"),))

    assert render([entry.to_dict()], engine) == render([entry], engine)


def test_write_refuses_before_a_file_is_written(tmp_path):
    with pytest.raises(EntryError, match="'lastmod'"):
        urlset.write([{"loc": "/a", "updated_at": "2026-01-01"}], tmp_path / "o", base_url=BASE)

    assert not list(tmp_path.rglob("*.xml"))


def test_build_refuses_a_misspelt_key(tmp_path):
    rows = [{"loc": "/a", "lastmdo": "2026-01-01"}]

    with pytest.raises(EntryError, match="expected the key 'lastmod', found 'lastmdo'"):
        urlset.build(rows, tmp_path / "o", base_url=BASE, ledger=tmp_path / "l.duckdb")


@pytest.mark.parametrize("name", ["updated_at", "lastmdo", "last-mod"])
def test_a_table_with_dates_under_another_name_is_refused(name):
    table = pa.table({"loc": [f"{BASE}a"], name: ["2026-01-01"], "title": ["Tea"]})

    with pytest.raises(EntryError, match=f"expected column 'lastmod', found '{name}'"):
        urlset.render(table)


def test_a_table_with_lastmod_may_have_other_dates():
    table = pa.table({"loc": [f"{BASE}a"], "lastmod": ["2026-01-01"], "updated_at": ["2026-02-02"]})

    assert b"2026-01-01" in urlset.render(table)


def test_a_misspelt_column_of_a_source_is_noted(tmp_path):
    (tmp_path / "a.csv").write_text(f"loc,lastmdo\n{BASE}a,2026-01-01\n")

    made = urlset.build(
        tmp_path / "a.csv", tmp_path / "o", base_url=BASE, ledger=tmp_path / "l.duckdb"
    )

    assert any('map="lastmod=lastmdo" would use it' in note for note in made.notes)


@pytest.mark.parametrize("loc", ["/p/..", "/p/../x", "/..", "/a/./b", "p/.."])
def test_a_dot_segment_in_a_relative_url_is_refused(engine, loc, tmp_path):
    with pytest.raises(EntryError, match="expected a URL without dot segments"):
        render([{"loc": loc}], engine)
    with pytest.raises(EntryError, match="expected a URL without dot segments"):
        urlset.build(
            [{"loc": loc}],
            tmp_path / "o",
            base_url=BASE,
            ledger=tmp_path / "l.duckdb",
            engine=engine.name,
        )


def test_a_relative_url_may_begin_with_dots(engine):
    document = urlset.render(["../x"], base_url=f"{BASE}a/b/", engine=engine.name)

    assert b"<loc>https://example.com/a/x</loc>" in document


def test_build_notes_absolute_urls_with_dot_segments(tmp_path):
    made = urlset.build(
        [{"loc": f"{BASE}p/.."}, {"loc": f"{BASE}p?a=/../"}],
        tmp_path / "o",
        base_url=BASE,
        ledger=tmp_path / "l.duckdb",
    )

    notes = [note for note in made.notes if "segment" in note]
    assert notes == [f"1 URL has a segment . or .., which leads to another page, first: {BASE}p/.."]


def test_a_time_without_a_zone_in_a_feed_is_its_day(tmp_path, engine):
    dates = ["21 Nov 2025 11:36:57", "21 Nov 2025 11:36:57 +0530", "21 Nov 2025 11:36:57 CEST"]
    items = "".join(
        f"<item><link>{BASE}{n}</link><pubDate>{date}</pubDate></item>"
        for n, date in enumerate(dates)
    )
    feed = tmp_path / "feed.xml"
    feed.write_text(f'<rss version="2.0"><channel><link>{BASE}</link>{items}</channel></rss>')

    made = urlset.build(
        feed,
        tmp_path / "o",
        base_url=BASE,
        ledger=tmp_path / "l.duckdb",
        engine=engine.name,
    )

    entries = list(urlset.read(tmp_path / "o" / "sitemap.xml"))
    assert [entry.lastmod_text for entry in entries] == ["2025-11-21", "2025-11-21T06:06:57Z", None]
    assert "1 time without a zone reduced to the day, as the zone is unknown" in made.notes
