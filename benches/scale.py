"""Generate, build, read and check very large sets: how time and memory grow.

python benches/scale.py [--urls N ...] [--folder FOLDER] [--record]

100 million URLs need 30 GB of disk and half an hour. It is not part of `make bench`. With --record,
the costs of these numbers of URLs are replaced in results/scale.json, from which docs/scale.md has
them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from record import RESULTS, commit, read_record

GENERATE = """
import sys, urlset.store
from urlset.store import ScratchDatabase
with ScratchDatabase() as db:
    db.run_long(f'''COPY (
        SELECT 'https://www.example.com/' || ['shop', 'blog', 'news', 'help'][1 + n % 4] || '/'
            || (n * 7919) % 1000003 || '/item-' || n AS loc,
            TIMESTAMPTZ '2026-01-01 00:00:00+00' + INTERVAL (n % 20000000) SECOND AS lastmod
        FROM range({sys.argv[1]}) t(n)) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION zstd)''')
"""
BUILD = """
import sys, urlset
found = urlset.build(sys.argv[1], sys.argv[2], base_url='https://www.example.com/', gzip=True,
                     index='always', ledger=sys.argv[3])
print(found.urls, len(found.files))
"""
READ = """
import sys, urlset
from urlset.arrow import open_stream
print(sum(batch.num_rows for batch in open_stream(urlset.read(sys.argv[1], keep=False))))
"""
CHECK = """
import sys, urlset
found = urlset.check(sys.argv[1], base_url='https://www.example.com/')
print(sum(1 for _ in found), found.count)
"""


class Cost(NamedTuple):
    """Cost of one stage."""

    stage: str
    urls: int
    seconds: float
    cpu_s: float
    peak_mb: float
    printed: str


def measure(stage: str, urls: int, code: str, *arguments: str | Path) -> Cost:
    """Run code in a process of its own, and measure it."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-c", code, *map(str, arguments)],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
        )
        _, status, usage = os.wait4(pid, 0)
        out.seek(0)
        printed = out.read().decode().strip()
    seconds, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    if status:
        raise SystemExit(f"{stage} of {urls:,} URLs failed")
    cost = Cost(stage, urls, seconds, cpu, usage.ru_maxrss / 1024, printed)
    figures = f"{seconds:>9.1f} s{cpu:>9.1f} s CPU{cost.peak_mb:>8,.0f} MB"
    print(f"{stage:>9}{urls:>13,}{figures}  {printed}", flush=True)
    return cost


def record(costs: Iterable[Cost]) -> None:
    """Replace the recorded costs of the same stages and numbers of URLs."""
    before = (read_record("scale") or {"rows": []})["rows"]
    rows = {(row["stage"], row["urls"]): row for row in before}
    origin = {"commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    for cost in costs:
        figures = {"cpu_s": round(cost.cpu_s, 1), "peak_mb": round(cost.peak_mb)}
        rows[cost.stage, cost.urls] = {"stage": cost.stage, "urls": cost.urls, **figures, **origin}
    text = json.dumps({"rows": [rows[key] for key in sorted(rows)]}, indent=1)
    (RESULTS / "scale.json").write_text(f"{text}\n", "utf-8")


def main() -> None:
    """Measure all stages for each number of URLs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, nargs="*", default=[10_000_000, 100_000_000])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="urlset-scale-", dir=given.folder))
    try:
        for urls in given.urls:
            rows, maps = folder / f"{urls}.parquet", folder / f"maps-{urls}"
            measure("generate", urls, GENERATE, str(urls), rows)
            costs = [measure("build", urls, BUILD, rows, maps, folder / f"{urls}.duckdb")]
            rows.unlink()
            costs.append(measure("read", urls, READ, maps))
            costs.append(measure("check", urls, CHECK, maps))
            shutil.rmtree(maps)
            if given.record:
                record(costs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
