"""Real sitemaps: each is read, and the well-formed ones say what an independent XML parser says.

The files lie in the folder `shared` beside the checkout; its manifest tells what expat
says of each.
"""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from lxml import etree

import urlset
from urlset.engine import available

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
BASE = "https://base.example/dir/sitemap.xml"
KINDS = {"urlset": "urlset", "sitemapindex": "index", "text": "text", "rss": "rss", "atom": "atom"}
NOT_WELL_FORMED = {"X002", "X003", "X004", "X009"}


def files(*kinds: str, broken: bool | None = None) -> list[Any]:
    """Those of some kinds (without: of all but robots), well-formed or broken."""
    manifest = CORPUS / "manifest.jsonl"
    rows = map(json.loads, manifest.read_text().splitlines() if manifest.is_file() else ())
    return [
        pytest.param(row, id=row["file"])
        for row in rows
        if row["kind"] != "robots"
        and (not kinds or row["kind"] in kinds)
        and (broken is None or (row["expat_error"] is not None) == broken)
    ]


def parse(engine, row, shared):
    data = (shared / "corpus" / row["file"]).read_bytes()
    return data, urlset.parse(data, base_url=BASE, engine=engine.name)


@pytest.mark.parametrize("row", files())
def test_corpus_file_is_read(engine, shared, row):
    data, document = parse(engine, row, shared)

    for entry in document.entries:
        assert re.match(r"https?://[^\s/?#]", entry.loc, re.IGNORECASE)
        assert not re.search(r"[\s\x00-\x1f]", entry.loc)
    for problem in document.problems:
        assert 0 <= problem.offset <= problem.end <= max(len(data), document.size)
    if row["kind"] in KINDS:
        assert document.kind == KINDS[row["kind"]]


@pytest.mark.parametrize("row", files("urlset", "sitemapindex", broken=False))
def test_corpus_says_what_lxml_says(engine, shared, row):
    data, document = parse(engine, row, shared)
    found = [(row.loc, row.lastmod_text) for row in (*document.entries, *document.sitemaps)]
    assert found == list(rows_of_lxml(data))


@pytest.mark.parametrize("row", files(broken=False))
def test_corpus_well_formed_is_never_called_otherwise(engine, shared, row):
    _, document = parse(engine, row, shared)
    assert not NOT_WELL_FORMED & {problem.code for problem in document.problems}


@pytest.mark.parametrize("row", files(broken=True))
def test_corpus_ill_formed_has_an_error(engine, shared, row):
    _, document = parse(engine, row, shared)
    # A template is to be run before it is a document: a warning as long as it is a file.
    assert document.kind == "template" or any(
        problem.level == "error" for problem in document.problems
    )


@pytest.mark.parametrize("row", files("rss", "atom", broken=False))
def test_corpus_feed_links_are_those_of_lxml(engine, shared, row):
    data, document = parse(engine, row, shared)

    root = etree.fromstring(data)
    found = [
        link.get("href") or link.text
        for item in root.xpath("//*[local-name()='item' or local-name()='entry']")
        for link in item.xpath("*[local-name()='link'][not(@rel) or @rel='alternate']")[:1]
    ]
    expected = [urljoin(BASE, url.strip()) for url in found]
    assert [entry.loc for entry in document.entries] == expected


@pytest.mark.parametrize("row", files())
def test_corpus_engines_agree(shared, row):
    if len(available()) < 2:
        pytest.skip("one engine is installed: nothing to compare with")
    data = (shared / "corpus" / row["file"]).read_bytes()
    one, other = (
        urlset.parse(data, base_url=BASE, source="s", engine=name) for name in available()
    )
    assert one.kind == other.kind
    assert list(one.entries) == list(other.entries)
    assert one.sitemaps == other.sitemaps
    assert one.problems == other.problems


def rows_of_lxml(data: bytes) -> Iterator[tuple[str, str | None]]:
    """Each loc of a url or sitemap, in the namespace of the root, with the lastmod beside it."""
    data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True))
    uri = etree.QName(root).namespace
    for entry in root.iter(etree.QName(uri, "url"), etree.QName(uri, "sitemap")):
        lastmods = ["".join(node.xpath(".//text()")) for node in children(entry, uri, "lastmod")]
        for node in children(entry, uri, "loc"):
            loc = normalised("".join(node.xpath(".//text()")))
            lastmod = lastmods.pop(0).strip() or None if lastmods else None
            if loc is not None:
                yield loc, lastmod


def children(entry: Any, uri: str | None, name: str) -> list[Any]:
    return list(entry.iterchildren(etree.QName(uri, name)))


def normalised(text: str) -> str | None:
    """What docs/reading.md says of a loc, and no more: trimmed, resolved, spaces encoded."""
    text = text.strip()
    if re.match(r"https?://", text, re.IGNORECASE):
        return text.replace(" ", "%20")
    is_like_host = re.match(r"[^/.?#][^/]*\.[^/]*\.", text) is not None
    if not text or is_like_host or re.match(r"[a-z]+:", text, re.IGNORECASE):
        return None
    return urljoin(BASE, text)
