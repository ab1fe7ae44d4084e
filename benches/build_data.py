"""The lists that everybody builds sitemaps of: URLs with dates, as Parquet and as text."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import data
from data import CACHE, SITE

# Numbers are gone through in steps of a prime: no order, no two alike, the same everywhere.
_ROWS = f"""
SELECT '{SITE}/' || CASE n % 3 WHEN 0 THEN 'products' WHEN 1 THEN 'magazine' ELSE 'help' END
    || '/category-' || (n % 977) || '/item-' || n || '-' || (n * 7919 % 100003) AS loc,
    make_timestamptz((1704067200 + n * 37 % 60000000) * 1000000
        + if(n = {{changed}}, 1000000, 0)) AS lastmod
FROM (SELECT i * 179424673 % {{count}} AS n FROM range({{count}}) t(i))"""


class Listed(NamedTuple):
    """One list; ``changed`` is the same with another date for one URL."""

    count: int
    parquet: Path
    changed: Path
    text: Path


def listed(count: int) -> Listed:
    """Give the list of so many URLs, made now if this recipe has not been followed before."""
    recipes = Path(data.__file__).read_bytes() + Path(__file__).read_bytes()
    folder = CACHE / f"lists-{zlib.crc32(recipes):08x}"
    stem = folder / f"{count}"
    made = Listed(count, *(stem.with_suffix(s) for s in (".parquet", ".changed.parquet", ".tsv")))
    if not made.text.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _make(made)
    return made


def _make(made: Listed) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for path, changed in ((made.parquet, -1), (made.changed, made.count // 2)):
        rows = _ROWS.format(count=made.count, changed=changed)
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    dates = "strftime(to_timestamp(epoch(lastmod)), '%Y-%m-%dT%H:%M:%SZ')"
    connection.execute(
        f"COPY (SELECT loc, {dates} FROM '{made.parquet}' LIMIT 1000000) TO '{made.text}' "
        "(FORMAT csv, DELIMITER '\t', HEADER false)"
    )


if __name__ == "__main__":
    for number in sys.argv[1:]:
        print(listed(int(number)).parquet)
