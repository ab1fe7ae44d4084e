"""``scan_sitemap``: equal to the eager read of the same source, whatever a query pushes down."""

import math
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.site_box import SiteBox
from urlset.engine import Engine
from urlset.integrations.polars import scan_sitemap

pl = pytest.importorskip("polars")

NAMESPACE = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
HOST = "https://example.com"


def sitemap(rows: list[tuple[str, str | None]]) -> bytes:
    body = "".join(
        f"<url><loc>{HOST}/{path}</loc>" + (f"<lastmod>{date}</lastmod>" if date else "") + "</url>"
        for path, date in rows
    )
    return f"<urlset {NAMESPACE}>{body}</urlset>".encode()


def index(names: list[str], dates: dict[str, str] | None = None, host: str = HOST) -> bytes:
    body = "".join(
        f"<sitemap><loc>{host}/{name}</loc>"
        + (f"<lastmod>{dates[name]}</lastmod>" if dates else "")
        + "</sitemap>"
        for name in names
    )
    return f"<sitemapindex {NAMESPACE}>{body}</sitemapindex>".encode()


def set_of(documents: list[list[tuple[str, str | None]]]) -> dict[str, bytes]:
    names = [f"{number}.xml" for number in range(len(documents))]
    bodies = {f"{HOST}/{name}": sitemap(rows) for name, rows in zip(names, documents, strict=True)}
    return {f"{HOST}/index.xml": index(names), **bodies}


DATES = st.sampled_from([None, "2026-01-01", "2026-03-01T12:00:00Z", "2027-01-01", "yesterday"])
PATHS = st.sampled_from(["a", "b", "blog/a", "blog/b", "%C3%BC", "tea?x=1"])
SETS = st.lists(st.lists(st.tuples(PATHS, DATES), max_size=6), min_size=1, max_size=4)
FILTERS = st.sampled_from(
    [
        None,
        pl.col("lastmod") >= datetime(2026, 2, 1, tzinfo=UTC),
        pl.col("lastmod").is_null(),
        pl.col("loc").str.starts_with(f"{HOST}/blog/"),
        pl.col("source").str.ends_with("1.xml") | (pl.col("line") > 1),
        pl.lit(value=False),
    ]
)
PROJECTIONS = st.sampled_from([None, [], ["loc"], ["source", "lastmod"], ["images", "loc"]])
COUNTS = st.sampled_from([None, 0, 1, 3, 100])


@given(
    SETS, FILTERS, PROJECTIONS, COUNTS, st.booleans(), st.sampled_from(["in-memory", "streaming"])
)
def test_a_query_equals_the_same_query_of_the_eager_frame(
    documents: Any, condition: Any, columns: Any, count: Any, is_head_first: Any, engine: Any
):
    source = set_of(documents)

    def query(frame: Any) -> Any:
        steps = [
            lambda one: one if count is None else one.head(count),
            lambda one: one if condition is None else one.filter(condition),
        ]
        for step in steps if is_head_first else reversed(steps):
            frame = step(frame)
        return frame if columns is None else frame.select(columns)

    eager = query(urlset.read(source).to_polars())

    lazy = query(scan_sitemap(source)).collect(engine=engine)

    assert lazy.equals(eager)
    assert lazy.schema == eager.schema


def test_schema_is_that_of_the_eager_frame_and_reads_nothing():
    lazy = scan_sitemap("https://127.0.0.1:1/sitemap.xml")

    assert lazy.collect_schema() == urlset.read(sitemap([])).to_polars().schema


def test_columns_filter_and_rows_are_pushed_into_the_scan():
    lazy = scan_sitemap(sitemap([("a", None)]))

    plan = lazy.filter(pl.col("loc") == "x").select("loc").explain()

    assert re.match(r"PYTHON(\[sitemap\])? SCAN", plan)  # polars 1 does not print the name
    assert "PROJECT 1/" in plan
    assert re.search(r'SELECTION: \[?\(?col\("loc"\)\)? ==', plan)
    assert "SLICE: Positive { offset: 0, len: 2 }" in lazy.head(2).explain()


def test_head_stops_the_requests(box: SiteBox):
    names = [f"{number}.xml" for number in range(40)]
    box.put("/index.xml", index(names, host=box.url("").rstrip("/")))
    for name in names:
        box.put(f"/{name}", sitemap([("a", None), ("b", None)]))
    policy = urlset.Policy(allow_private=True, concurrency=1)
    lazy = scan_sitemap(box.url("/index.xml"), policy=policy)

    assert lazy.head(3).collect().height == 3
    assert len(box.paths) < 20
    assert lazy.head(0).collect().height == 0


def test_dates_of_an_index_skip_nothing_unless_asked(tmp_path: Any):
    source = tmp_path / "index.xml"
    dates = {"0.xml": "2020-01-01", "1.xml": "2020-01-01"}  # the first is wrong
    source.write_bytes(index(["0.xml", "1.xml"], dates))
    (tmp_path / "0.xml").write_bytes(sitemap([("new", "2026-06-01")]))
    (tmp_path / "1.xml").write_bytes(sitemap([("old", "2020-01-01")]))
    recent = pl.col("lastmod") >= datetime(2026, 1, 1, tzinfo=UTC)

    trusted = scan_sitemap(source, since="2026-01-01").collect()

    assert scan_sitemap(source).filter(recent).collect()["loc"].to_list() == [f"{HOST}/new"]
    assert trusted.height == 0


def test_a_missing_sitemap_is_a_warning_or_an_error():
    source = set_of([[("a", None)], [("b", None)]])
    del source[f"{HOST}/0.xml"]

    with pytest.warns(RuntimeWarning, match=r"1 document could .*0\.xml"):
        found = scan_sitemap(source).collect()

    assert found["loc"].to_list() == [f"{HOST}/b"]
    # polars 1 raises an error of its own with the text of ours.
    with pytest.raises((urlset.SourceError, pl.exceptions.ComputeError), match=r"0\.xml"):
        scan_sitemap(source, fail_fast=True).collect()


def test_an_index_does_not_lead_to_a_private_network(box: SiteBox):
    """The address of metadata services of clouds, from an index that the user named."""
    box.put_index("/index.xml", ["http://169.254.169.254/latest/meta-data"])

    with pytest.warns(RuntimeWarning, match="169.254.169.254.*private"):
        found = scan_sitemap(box.url("/index.xml")).collect()

    assert found.height == 0


def test_streams_and_wrong_options_are_refused_at_once(tmp_path: Any):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(sitemap([]))

    with path.open("rb") as file, pytest.raises(ValueError, match="found a stream"):
        scan_sitemap(file)
    with pytest.raises(ValueError, match="found a stream"):
        scan_sitemap("-")
    with pytest.raises(TypeError, match="colour"):
        scan_sitemap(path, colour="blue")
    with pytest.raises(urlset.SourceError, match="missing"):
        scan_sitemap(tmp_path / "missing.xml")


def test_a_scan_can_be_joined_with_itself_and_sunk(engine: Engine, tmp_path: Any):
    lazy = scan_sitemap(sitemap([(str(n), None) for n in range(2500)]), engine=engine.name)

    assert lazy.join(lazy, on="loc").select(pl.len()).collect().item() == 2500
    lazy.select("loc", "lastmod").sink_parquet(tmp_path / "entries.parquet")
    assert pl.read_parquet(tmp_path / "entries.parquet").height == 2500
    if hasattr(lazy, "collect_batches"):  # since polars 1.34
        batches = list(lazy.collect_batches(chunk_size=1000))
        assert sum(batch.height for batch in batches) == 2500
        assert len(batches) == math.ceil(2500 / 1000)
