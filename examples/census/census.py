"""Collect facts about robots.txt files and sitemaps as Parquet, and query them.

The facts of an archive are written by one process, as one Parquet file for each of three tables.
``hosts`` has a row for each robots.txt, ``documents`` one for each sitemap, and ``problems`` one
for each rule that a sitemap breaks, with the number of findings.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import arro3.core as arro3
import duckdb

from urlset.partitioned import ReadPart, TableName, plan, read_tables, table_schema

QUESTIONS = Path(__file__).parent / "questions"

# What is kept of a part, from the tables of `read_tables`.
_FACTS = {
    "hosts": """
        SELECT url, state, status, size, text, sitemaps,
            regexp_extract(url, '^https?://([^/:?#]+)', 1) AS host FROM robots""",
    "documents": """
        SELECT d.source, d.kind, d.error, d.size, d.packed_size, d.layers, d.entry_count,
            d.sitemap_count, e.* EXCLUDE (source) FROM documents d LEFT JOIN (
            SELECT source, count(*) AS urls, count(lastmod) AS dated,
                count(DISTINCT lastmod) AS dates, max(lastmod) AS newest,
                count(priority) AS with_priority, count(changefreq) AS with_changefreq,
                count(*) FILTER (len(images) > 0) AS with_images,
                count(*) FILTER (len(alternates) > 0) AS with_alternates
            FROM entries GROUP BY source) e USING (source)
        WHERE d.source LIKE 'http%'""",  # not the row of an archive without sitemaps
    "problems": "SELECT source, code, level, count(*) AS findings FROM problems GROUP BY ALL",
}


class Answer(NamedTuple):
    """Answer to a question: its title, and its table as text."""

    title: str
    text: str


def collect(archives: Iterable[Path], into: Path, *, processes: int | None = None) -> None:
    """Write the facts of archives into a folder; an archive that is there is not read again."""
    for table in _FACTS:
        (into / table).mkdir(parents=True, exist_ok=True)
    jobs = [
        (part, into, name)
        for part in plan([*archives])
        if not (into / "hosts" / f"{(name := _name_of(part.sources[0]))}.parquet").exists()
    ]
    with get_context("spawn").Pool(processes) as pool:
        for _ in pool.imap_unordered(_collect_part, jobs):
            pass


def _name_of(archive: str) -> str:
    """Return a name for the facts of an archive, also if another folder has one of its name."""
    digest = blake2b(os.path.abspath(archive).encode(errors="replace"), digest_size=4).hexdigest()
    return f"{Path(archive).name}-{digest}"


def _collect_part(job: tuple[ReadPart, Path, str]) -> None:
    part, into, name = job
    tables: dict[TableName, None] = dict.fromkeys(("entries", "documents", "problems", "robots"))
    with duckdb.connect() as db:
        for table in tables:
            db.register("batch", arro3.Table.from_batches([], schema=table_schema(table)))
            db.execute(f"CREATE TABLE {table} AS FROM batch")
        for table, batch in read_tables(part, tables):
            db.register("batch", batch)
            db.execute(f"INSERT INTO {table} FROM batch")
        for facts, query in reversed(_FACTS.items()):  # hosts last: it marks the part as complete
            path = into / facts / f"{name}.parquet"
            db.execute(f"COPY ({query}) TO '{path}.new' (FORMAT parquet)")
            Path(f"{path}.new").rename(path)


def questions() -> Iterator[str]:
    """Return the names of the questions."""
    return (path.stem for path in sorted(QUESTIONS.glob("*.sql")))


def answers(facts: Path, question: str) -> Answer:
    """Answer a question; its first line is its title."""
    text = (QUESTIONS / f"{question}.sql").read_text("utf-8")
    title, _, query = text.partition("\n")
    with facts_of(facts) as db:
        return Answer(title.removeprefix("-- "), str(db.sql(query)))


def facts_of(facts: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection with the facts as views, and a macro for intervals of shares."""
    db = duckdb.connect()
    for table in _FACTS:
        db.execute(f"CREATE VIEW {table} AS FROM read_parquet('{facts}/{table}/*.parquet')")
    # The Wilson interval with 95 %: https://doi.org/10.1080/01621459.1927.10502953
    middle, half = "k + 1.92", "1.96 * sqrt(k * (n - k) / n + 0.96)"
    low = f"round(100 * greatest(0, ({middle} - {half}) / (n + 3.84)), 1)"
    high = f"round(100 * least(1, ({middle} + {half}) / (n + 3.84)), 1)"
    db.execute(
        "CREATE MACRO share(k, n) AS "
        f"round(100 * k / n, 1) || ' % (' || {low} || '–' || {high} || ')'"
    )
    return db


def declared(facts: Path, sample: int) -> list[str]:
    """Return the URLs of a random sample of declared sitemaps, to be read as a second step."""
    with facts_of(facts) as db:
        rows = db.execute(
            "SELECT url FROM (SELECT DISTINCT unnest(sitemaps).url AS url FROM hosts) "
            "ORDER BY hash(url, 1) LIMIT ?",
            [sample],
        )
        return [url for (url,) in rows.fetchall()]
