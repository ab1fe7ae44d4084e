"""Sitemaps built from a data frame of Spark: the files of a local build, or nothing."""

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.integrations.spark_sessions import spark_session
from tests.partitioned.test_builds import contents

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Spark leaves sockets to the garbage collector
    pytest.mark.slow,
]

NOW = datetime(2026, 11, 1, tzinfo=UTC)
OPTIONS: dict[str, Any] = {"base_url": "https://example.com/", "max_urls": 500, "now": NOW}
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
COLUMNS = "loc string, lastmod timestamp, images array<struct<loc: string>>, kind string"


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def rows_of(sections: int, count: int, seed: int = 3) -> list[tuple]:
    draw = random.Random(seed)
    rows: list[tuple] = []
    for section in range(sections):
        for number in range(count):
            loc = f"https://example.com/{section}/{number}"
            date = FIRST.replace(day=draw.randrange(1, 28), hour=draw.randrange(24))
            images = [(f"{loc}.png",)] if draw.random() < 0.1 else None
            rows.append((loc, date, images, f"Section {section}" if section else None))
    draw.shuffle(rows)
    return rows


def build_whole(rows: list[tuple], folder: Path) -> urlset.builder.Build:
    pyarrow: Any = pytest.importorskip("pyarrow")
    cells = [
        {"loc": loc, "lastmod": date, "images": images and [{"loc": images[0][0]}], "kind": kind}
        for loc, date, images, kind in rows
    ]
    return urlset.build(
        pyarrow.Table.from_pylist(cells),
        folder / "whole",
        ledger=folder / "whole.duckdb",
        sections="column:kind",
        index="always",
        **OPTIONS,
    )


def build_on(spark: Any, rows: list[tuple], folder: Path, **more: Any) -> urlset.builder.Build:
    from urlset.integrations.spark import build

    frame = spark.createDataFrame(rows, COLUMNS).repartition(5)
    options: dict[str, Any] = {**OPTIONS, **more}
    return build(frame, folder / "parts", ledger=folder / "ledgers", section="kind", **options)


def test_files_are_those_of_a_local_build(spark, tmp_path):
    rows = rows_of(5, 1500)
    for some in (rows, rows[700:]):
        found, whole = build_on(spark, some, tmp_path), build_whole(some, tmp_path)

        assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
        assert found.files == whole.files
        counts = [(each.added, each.changed, each.removed) for each in (found, whole)]
        assert counts[0] == counts[1]


def test_failed_task_publishes_nothing(spark, tmp_path):
    rows = rows_of(3, 100)
    build_on(spark, rows, tmp_path)
    before = contents(tmp_path / "parts")

    with pytest.raises(Exception, match="expected a full http"):
        build_on(spark, [*rows, ("no url", None, None, "Section 1")], tmp_path)

    assert contents(tmp_path / "parts") == before
    assert not list((tmp_path / "ledgers").glob("run-*"))


def test_misspelt_names_are_errors_of_the_driver(spark, tmp_path):
    with pytest.raises(ValueError, match="unknown option 'max_url'"):
        build_on(spark, rows_of(1, 2), tmp_path, max_url=3)
    from urlset.integrations.spark import build

    frame = spark.createDataFrame(rows_of(1, 2), COLUMNS)
    with pytest.raises(ValueError, match="no column 'kinds'; did you mean 'kind'"):
        build(frame, tmp_path, ledger=tmp_path / "l", section="kinds", base_url="https://a.org/")
