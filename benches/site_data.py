"""The site that everybody reads: 200 gzipped sitemaps of 50,000 URLs, no two of them the same."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

import data
from data import CACHE, ENTRIES, SEED

DOCUMENTS = 200


class Site(NamedTuple):
    """The packed documents of a site, in order; ``bytes`` is what they come to, unpacked."""

    documents: tuple[Path, ...]
    bytes: int

    @property
    def entries(self) -> int:
        """How many URLs it lists."""
        return len(self.documents) * ENTRIES

    def share(self, count: int) -> Site:
        """The same site with its first documents only."""
        documents = self.documents[:count]
        return Site(documents, sum(map(_unpacked_size, documents)))

    def lay_out(self, root: Path, url: str) -> None:
        """Write the root folder of a server that serves the site at a URL."""
        root.mkdir()
        rows = []
        for document in self.documents:
            (root / document.name).symlink_to(document)
            rows.append(f"  <sitemap><loc>{url}/{document.name}</loc></sitemap>\n")
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        text = f'<sitemapindex xmlns="{namespace}">\n{"".join(rows)}</sitemapindex>\n'
        (root / "sitemap_index.xml").write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}')
        (root / "robots.txt").write_text(f"User-agent: *\nSitemap: {url}/sitemap_index.xml\n")


def site(count: int = DOCUMENTS) -> Site:
    """Give the site, made now if this recipe has not been followed before."""
    recipes = Path(data.__file__).read_bytes() + Path(__file__).read_bytes()
    folder = CACHE / f"site-{zlib.crc32(recipes):08x}"
    paths = [folder / f"sitemap-{number:03}.xml.gz" for number in range(count)]
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor() as processes:
            list(processes.map(_make, [paths[number] for number in missing], missing))
    return Site(tuple(paths), 0).share(count)


def _make(path: Path, number: int) -> None:
    text = "".join(_sitemap(Random(SEED + number), number * ENTRIES))
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(text.encode(), 6, mtime=0))
    unfinished.replace(path)


def _sitemap(random: Random, start: int) -> Iterator[str]:
    yield f"{data.HEAD}>\n"
    for number in range(start, start + ENTRIES):
        yield f"  <url>\n{data.core(random, number)}  </url>\n"
    yield "</urlset>\n"


def _unpacked_size(path: Path) -> int:
    """What the trailer of a gzip file says."""
    with path.open("rb") as file:
        file.seek(-4, 2)
        return int.from_bytes(file.read(), "little")


if __name__ == "__main__":
    for document in site(int(sys.argv[1])).documents:
        print(document)
