"""Files of each kind that commands and functions take, in a folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb

from tests.live_sites import sitemap_of

BASE = "https://example.com/"

_LINE = '192.0.2.1 - - [31/Jan/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n'


def put_files(folder: Path, site: str) -> None:
    """Write two sitemaps of a site, and tables, a log, robots.txt and a configuration."""
    rows = "\n".join(f"{BASE}{name},2026-01-31,2026-02-01" for name in "abcd")
    for name, text in {
        "sitemap.xml": sitemap_of(f"{site}/{name}" for name in "abc"),
        "after.xml": sitemap_of(f"{site}/{name}" for name in "bcd"),
        "rows.csv": f"loc,lastmod,changed\n{rows}\n",
        "robots.txt": "User-agent: *\nDisallow: /b\n",
        "urlset.toml": "[check]\nignore = ['L001']\n",
        "access.log": _LINE * 3,
    }.items():
        (folder / name).write_text(text)
    with duckdb.connect(str(folder / "rows.duckdb")) as pages:
        pages.execute(f"CREATE TABLE pages AS SELECT '{BASE}a' AS loc")
    with closing(sqlite3.connect(folder / "rows.sqlite")) as rows_file, rows_file:
        rows_file.execute("CREATE TABLE pages (loc)")
        rows_file.execute("INSERT INTO pages VALUES (?)", (f"{BASE}a",))
