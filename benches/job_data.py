"""The inputs of the jobs: an access log, small sitemaps, a database, documentation in HTML."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import data
from data import CACHE, SEED, SITE
from environment import debian_package

LINES, FILES, ROWS, TEXT_BYTES = 1_000_000, 50_000, 200_000, 10_000_000
PER_FILE = 5
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HTML_PACKAGE = "rust-doc"


class Inputs(NamedTuple):
    """The files and folders that the jobs read; ``html`` is None where it cannot be fetched."""

    one: Path
    log: Path
    packed_log: Path
    text: Path
    rows: Path
    small: SmallSitemaps
    html: Path | None
    pages: int


class SmallSitemaps(NamedTuple):
    """A folder of small sitemaps, as a site."""

    folder: Path

    def lay_out(self, root: Path, url: str) -> None:
        """Write the root folder of a server that serves the site at a URL."""
        root.mkdir()
        (root / "s").symlink_to(self.folder)
        rows = "".join(f"<sitemap><loc>{url}/s/{n}.xml</loc></sitemap>\n" for n in range(FILES))
        (root / "index.xml").write_text(
            f'<?xml version="1.0"?>\n<sitemapindex xmlns="{NAMESPACE}">\n{rows}</sitemapindex>\n'
        )
        (root / "robots.txt").write_text(f"User-agent: *\nSitemap: {url}/index.xml\n")


def inputs() -> Inputs:
    """Give the inputs, made now if this recipe has not been followed before."""
    recipes = Path(data.__file__).read_bytes() + Path(__file__).read_bytes()
    folder = CACHE / f"jobs-{zlib.crc32(recipes):08x}"
    if not folder.exists():
        unfinished = Path(tempfile.mkdtemp(dir=_made(CACHE), prefix="jobs-unfinished-"))
        _make(unfinished)
        unfinished.replace(folder)
    html = debian_package(HTML_PACKAGE)
    pages = sum(1 for _ in html.rglob("*.html")) if html else 0
    return Inputs(
        folder / "one.xml",
        folder / "access.log",
        folder / "access.log.gz",
        folder / "titles.txt",
        folder / "rows.sqlite",
        SmallSitemaps(folder / "small"),
        html,
        pages,
    )


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _make(folder: Path) -> None:
    (folder / "one.xml").write_text(_sitemap([f"{SITE}/tea"]))
    log = "".join(_lines(Random(SEED))).encode()
    (folder / "access.log").write_bytes(log)
    (folder / "access.log.gz").write_bytes(gzip.compress(log, 6, mtime=0))
    title = "# A title that is no URL and that is longer than it has to be\n"
    (folder / "titles.txt").write_text(title * (TEXT_BYTES // len(title)))
    small = folder / "small"
    small.mkdir()
    for number in range(FILES):
        urls = [f"{SITE}/shop-{number}/item-{item}" for item in range(PER_FILE)]
        (small / f"{number}.xml").write_text(_sitemap(urls))
    _make_rows(folder / "rows.sqlite")


def _sitemap(urls: list[str]) -> str:
    rows = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-05</lastmod></url>\n" for url in urls)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NAMESPACE}">\n{rows}</urlset>\n'
    )


def _lines(random: Random) -> Iterator[str]:
    agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "curl/8.1"]
    for number in range(LINES):
        page = int(random.paretovariate(1.1)) % 20_000
        status = random.choices((200, 304, 404, 301), (90, 5, 3, 2))[0]
        query = f"?page={page % 9}" if page % 7 == 0 else ""
        clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
        yield (
            f"192.0.2.{random.randrange(256)} - - [18/Jan/2026:{clock} +0000] "
            f'"GET /products/item-{page}{query} HTTP/1.1" {status} {page * 7} '
            f'"-" "{agents[page % 2]}"\n'
        )


def _make_rows(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE pages (loc, lastmod, images, alternates)")

    def rows() -> Iterator[tuple[str, str, str, str]]:
        for n in range(ROWS):
            image = {"loc": f"{SITE}/img/{n}.jpg", "title": f"Item “{n}”"}
            others = [
                {"hreflang": code, "href": f"{SITE}/{code}/item-{n}"} for code in ("de", "fr")
            ]
            yield (
                f"{SITE}/item-{n}",
                f"2026-01-{n % 28 + 1:02}",
                json.dumps([image]),
                json.dumps(others),
            )

    with connection:
        connection.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows())
    connection.close()


if __name__ == "__main__":
    print(inputs())
