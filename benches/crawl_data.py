"""The pages that every crawler visits: 100 sections of 1,000 small pages, each with links."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from data import CACHE, SEED

SECTIONS, PAGES = 100, 1_000
PER_SITEMAP = 50_000
FIRST_DAY = datetime(2024, 1, 1, 8, tzinfo=UTC)
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
WORDS = "tea kettle water leaf cup pot steam harvest garden spring summer autumn river".split()


class Pages(NamedTuple):
    """The first sections of the site; the sitemaps list every page."""

    folder: Path
    sections: int

    @property
    def entries(self) -> int:
        """Number of URLs: the pages, those of the sections, and the home page."""
        return self.sections * (PAGES + 1) + 1

    def lay_out(self, root: Path, url: str) -> None:
        """Write the root folder of a server that serves the site at a URL."""
        root.mkdir()
        names = [f"s{number:02}" for number in range(self.sections)]
        for name in names:
            (root / name).symlink_to(self.folder / name)
        links = "".join(f'<p><a href="/{name}/">{name}</a></p>\n' for name in names)
        (root / "index.html").write_text(_html("Home", "/", "2026-01-01T08:00:00Z", links))
        rows = [f"<url><loc>{url}/</loc></url>\n"]
        for name in names:
            rows.append(f"<url><loc>{url}/{name}/</loc></url>\n")
            rows += [
                f"<url><loc>{url}/{name}/p{page:03}.html</loc>"
                f"<lastmod>{_date(name, page):%Y-%m-%dT%H:%M:%SZ}</lastmod></url>\n"
                for page in range(PAGES)
            ]
        files = []
        for start in range(0, len(rows), PER_SITEMAP):
            files.append(f"sitemap-{len(files)}.xml")
            text = "".join(rows[start : start + PER_SITEMAP])
            (root / files[-1]).write_text(f'<urlset xmlns="{NAMESPACE}">\n{text}</urlset>\n')
        index = "".join(f"<sitemap><loc>{url}/{file}</loc></sitemap>\n" for file in files)
        (root / "sitemap_index.xml").write_text(
            f'<sitemapindex xmlns="{NAMESPACE}">\n{index}</sitemapindex>\n'
        )
        (root / "robots.txt").write_text(f"User-agent: *\nSitemap: {url}/sitemap_index.xml\n")


def pages(sections: int = SECTIONS) -> Pages:
    """Return the site, whose files are made if this recipe has not been followed before."""
    folder = CACHE / f"pages-{zlib.crc32(Path(__file__).read_bytes()):08x}"
    for number in range(sections):
        section = folder / f"s{number:02}"
        if not section.exists():
            _make(section)
    return Pages(folder, sections)


def _make(section: Path) -> None:
    unfinished = section.with_suffix(".part")
    unfinished.mkdir(parents=True, exist_ok=True)
    random = Random(f"{SEED} {section.name}")
    for page in range(PAGES):
        date = _date(section.name, page)
        path = unfinished / f"p{page:03}.html"
        text = "".join(_body(random))
        own = f"/{section.name}/{path.name}"
        path.write_text(_html(f"Page {page}", own, f"{date:%Y-%m-%dT%H:%M:%SZ}", text))
        os.utime(path, (date.timestamp(), date.timestamp()))
    links = "".join(f'<p><a href="p{page:03}.html">Page {page}</a></p>\n' for page in range(PAGES))
    text = _html(section.name, f"/{section.name}/", "2026-01-01T08:00:00Z", links)
    (unfinished / "index.html").write_text(text)
    unfinished.rename(section)


def _body(random: Random) -> Iterator[str]:
    for _ in range(5):
        yield f"<p>{' '.join(random.choices(WORDS, k=20))}</p>\n"
    for _ in range(5):
        page = random.randrange(PAGES)
        yield f'<p><a href="p{page:03}.html">Page {page}</a></p>\n'


def _html(title: str, own: str, date: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<link rel="canonical" href="{own}">\n'
        f'<meta property="article:modified_time" content="{date}"></head>\n'
        f'<body><nav><a href="/">Home</a> <a href="./">Section</a></nav>\n'
        f"<main><h1>{title}</h1>\n{body}</main></body></html>\n"
    )


def _date(section: str, page: int) -> datetime:
    return FIRST_DAY + timedelta(days=Random(f"{section} {page}").randrange(1_000))


if __name__ == "__main__":
    print(pages(int(sys.argv[1])).folder)
