"""The Python peers that build sets of sitemaps: ``builders.py NAME LIST FOLDER``.

The list is in memory in the form that the peer needs before the clock starts. Each writes gzipped
files and their index in its own way.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

SITE = "https://www.example.com"
Rows = list[tuple[str, str]]


def django(rows: Rows, folder: Path) -> Callable[[], None]:
    """Django's views, rendered page by page, because it writes no files; compressed at level 6."""
    from django import setup
    from django.conf import settings

    settings.configure(
        INSTALLED_APPS=["django.contrib.sitemaps"],
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
        ],
        ALLOWED_HOSTS=["*"],
        USE_TZ=True,
    )
    setup()
    from django.contrib.sitemaps import Sitemap
    from django.contrib.sitemaps.views import sitemap
    from django.test import RequestFactory

    items = [(loc.removeprefix(SITE), datetime.fromisoformat(date)) for loc, date in rows]

    class Pages(Sitemap):
        limit, protocol = 50_000, "https"

        def items(self) -> list[tuple[str, datetime]]:
            return items

        def location(self, item: tuple[str, datetime]) -> str:
            return item[0]

        def lastmod(self, item: tuple[str, datetime]) -> datetime:
            return item[1]

    def work() -> None:
        for page in range(1, -(-len(items) // 50_000) + 1):
            request = RequestFactory().get("/sitemap.xml", {"p": page}, HTTP_HOST=SITE[8:])
            answer = sitemap(request, {"pages": Pages()}, section="pages").render()
            (folder / f"sitemap-{page}.xml.gz").write_bytes(gzip.compress(answer.content, 6))

    return work


def xml_sitemap_writer(rows: Rows, folder: Path) -> Callable[[], None]:
    from xml_sitemap_writer import XMLSitemap

    paths = [(loc.removeprefix(SITE), date) for loc, date in rows]

    def work() -> None:
        with XMLSitemap(str(folder), SITE) as made:
            for path, date in paths:
                made.add_url(path, lastmod=date)

    return work


def hugesitemap(rows: Rows, folder: Path) -> Callable[[], None]:
    """The writer only, because the command only reads the files of a folder."""
    from hugesitemap.adapters.sitemap_lxml import write_sitemap
    from hugesitemap.domain.model import SitemapDocument, SitemapEntry

    entries = tuple(SitemapEntry(loc, datetime.fromisoformat(date), 0.5) for loc, date in rows)

    def work() -> None:
        starts = range(0, len(entries), 50_000)
        documents = (SitemapDocument(entries=entries[at : at + 50_000]) for at in starts)
        write_sitemap(
            documents=documents, output_path=folder / "sitemap.xml", base_url=SITE, gzip=True
        )

    return work


PEERS = {
    "django": ("django", django),
    "xml-sitemap-writer": ("xml-sitemap-writer", xml_sitemap_writer),
    "hugesitemap": ("hugesitemap", hugesitemap),
}


def main() -> None:
    """Print the number of URLs written and the seconds of the work."""
    name, source, folder = sys.argv[1:]
    package, prepare = PEERS[name]
    lines = Path(source).read_text("utf-8").splitlines()
    rows = [(loc, date) for loc, _, date in (line.partition("\t") for line in lines)]
    work = prepare(rows, Path(folder))
    began = time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    written = (gzip.decompress(path.read_bytes()) for path in Path(folder).glob("*.gz"))
    entries = sum(data.count(b"<url>") for data in written)
    print(json.dumps({"seconds": seconds, "entries": entries, "version": version(package)}))


if __name__ == "__main__":
    main()
