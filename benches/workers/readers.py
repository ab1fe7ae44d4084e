"""The peers that read, each as its documentation shows, from bytes in memory.

Peers that take text get it decoded before the clock starts. Of rows, all fields are read.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import gzip
import re
from io import BytesIO
from pathlib import Path

from stopwatch import Done, Task, Work, main

HERE = Path(__file__).parent
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def ultimate_sitemap_parser(data: bytes, _: Path) -> Work:
    from usp.tree import sitemap_from_str

    text = data.decode()

    def work() -> Done:
        count = 0
        for page in sitemap_from_str(text).all_pages():
            _ = (page.url, page.last_modified, page.change_frequency, page.priority)
            _ = (page.images, page.news_story, page.alternates)
            count += 1
        return Done(count)

    return work


def scrapy(data: bytes, _: Path) -> Work:
    from scrapy.utils.sitemap import Sitemap

    return lambda: Done(sum(1 for row in Sitemap(data) if row["loc"]))


def advertools(_: bytes, path: Path) -> Work:
    # It cannot read bytes; a file in the page cache costs about 1 %.
    from advertools import sitemap_to_df

    return lambda: Done(len(sitemap_to_df(path.as_uri())))


def lxml_iterparse(data: bytes, _: Path) -> Work:
    # Careful hand-written code: only the four core elements, with memory freed.
    from lxml.etree import iterparse

    wanted = {NAMESPACE + name: name for name in ("loc", "lastmod", "changefreq", "priority")}

    def work() -> Done:
        rows = []
        for _, element in iterparse(BytesIO(data), events=("end",), tag=NAMESPACE + "url"):
            row = {}
            for child in element:
                name = wanted.get(child.tag)
                if name is not None:
                    row[name] = child.text
            rows.append(row)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        return Done(len(rows))

    return work


def trafilatura(data: bytes, path: Path) -> Work:
    from trafilatura.sitemaps import SitemapObject

    text = data.decode()

    def work() -> Done:
        sitemap = SitemapObject("https://www.example.com", "example.com", [])
        sitemap.content, sitemap.current_url = text, f"https://www.example.com/{path.name}"
        sitemap.process()
        return Done(len(sitemap.urls))

    return work


def regex(data: bytes, _: Path) -> Work:
    # LINK_REGEX of trafilatura up to 2.2; newer ones use lxml.
    pattern = re.compile(r"<loc>(?:<!\[CDATA\[)?(http.+?)(?:\]\]>)?</loc>")
    text = data.decode()
    return lambda: Done(len([match[1] for match in pattern.finditer(text)]))


def xml2arrow(data: bytes, path: Path) -> Work:
    from xml2arrow import XmlToArrowParser

    parser = XmlToArrowParser(HERE / f"xml2arrow-{path.name.split('.')[0]}.yaml")
    return lambda: Done(parser.parse(data)["urls"].num_rows)


def xml2arrow_gzip(packed: bytes, path: Path) -> Work:
    from xml2arrow import XmlToArrowParser

    parser = XmlToArrowParser(HERE / f"xml2arrow-{path.name.split('.')[0]}.yaml")
    return lambda: Done(parser.parse(gzip.decompress(packed))["urls"].num_rows)


if __name__ == "__main__":
    main(
        {
            "advertools": Task("advertools", advertools),
            "lxml": Task("lxml", lxml_iterparse),
            "regex": Task("", regex),
            "scrapy": Task("scrapy", scrapy),
            "trafilatura": Task("trafilatura", trafilatura),
            "ultimate-sitemap-parser": Task("ultimate-sitemap-parser", ultimate_sitemap_parser),
            "xml2arrow": Task("xml2arrow", xml2arrow),
            "xml2arrow-gzip": Task("xml2arrow", xml2arrow_gzip),
        }
    )
