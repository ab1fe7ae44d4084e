"""Dates of tables: those that DuckDB converts are converted as the parser of dates does."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from random import Random

import duckdb
import pytest

from tests.amounts import IS_SOAK
from urlset.dates import parse_date
from urlset.sources.entry_table import table_as_parquet

ODD = """
2026-01-31 2026-02-29 2024-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 0999-12-31
1000-01-01 2999-12-31 3000-01-01 0000-01-01 2026-1-1 2026 2026-01 20260131 2026-W05
2026-01-31T10:00:00Z 2026-01-31T10:00:00z 2026-01-31T10:00Z 2026-01-31T24:00:00Z
2026-02-30T10:00:00Z 2026-01-31T23:59:59Z 2026-01-31T23:59:60Z 2026-01-31T10:60:00Z
2026-01-31T10:00:00 1000-01-01T00:00:00+14:59 2026-01-31T10:00:00.123Z
2026-01-31T10:00:00.123456789+02:00 2026-01-31T10:00:00+02:00 2026-01-31T10:00:00-00:00
2026-01-31T10:00:00+14:00 2026-01-31T10:00:00+14:59 2026-01-31T10:00:00-14:59
2026-01-31T10:00:00+15:00 2026-01-31T10:00:00+0200 2026-01-31T10:00:00+02
2999-12-31T23:59:59-14:59 2026-01-31Z 2026-01-31T 2026-01-31T10:00:00ZZ x 31.01.2026
""".split()


def instants(folder: Path, texts: list[str]) -> list[object]:
    """Return the instants that the table with these dates has."""
    table, target = folder / "pages.csv", folder / "entries.parquet"
    rows = (f"https://example.com/{n},{text}\n" for n, text in enumerate(texts))
    table.write_text(f"loc,lastmod\n{''.join(rows)}")
    table_as_parquet(str(table), "csv", str(target), base_url=None)
    query = f"SELECT epoch_us(lastmod), lastmod_text FROM '{target}'"
    with duckdb.connect() as connection:
        found = connection.execute(query).fetchall()
    assert [text for _, text in found] == texts
    return [instant for instant, _ in found]


def expected(text: str) -> int | None:
    instant = parse_date(text).instant
    return None if instant is None else round(instant.timestamp() * 1_000_000)


def test_odd_dates_of_a_table_are_those_of_the_parser(tmp_path: Path) -> None:
    assert instants(tmp_path, ODD) == [expected(text) for text in ODD]


@pytest.mark.parametrize("seed", range(40 if IS_SOAK else 4))
def test_dates_of_a_table_are_those_of_the_parser(seed: int, tmp_path: Path) -> None:
    random = Random(seed)

    def text() -> str:
        day = (
            f"{random.randint(990, 3010):04}-{random.randint(0, 13):02}-{random.randint(0, 32):02}"
        )
        if random.random() < 0.5:
            day = str(date.fromordinal(random.randint(365_000, 1_095_000)))
        time = f"T{random.randint(0, 24):02}:{random.randint(0, 60):02}:{random.randint(0, 60):02}"
        zone = random.choice(["Z", "", f"{random.choice('+-')}{random.randint(0, 16):02}:00"])
        return random.choice([day, day + time + zone])

    texts = [text() for _ in range(2_000)]

    assert instants(tmp_path, texts) == [expected(text) for text in texts]
