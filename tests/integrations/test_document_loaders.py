"""Loaders of LangChain and LlamaIndex, and the defects of the loaders that they replace."""

from __future__ import annotations

import gzip
import logging
from typing import Unpack

import pytest

import urlset
from tests.site_box import SiteBox
from urlset.integrations.listed_pages import listed_pages
from urlset.live.sync import SyncKeywords

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urls(box: SiteBox, *paths: str, children: bool = False) -> str:
    root, element = ("sitemapindex", "sitemap") if children else ("urlset", "url")
    rows = (
        f"<{element}><loc>{path if '://' in path else box.url(path)}</loc></{element}>"
        for path in paths
    )
    return f"<{root} {NAMESPACE}>{''.join(rows)}</{root}>"


@pytest.fixture
def box():
    with SiteBox() as box:
        for name in ("tea", "coffee"):
            text = f"<!doctype html><title>{name}</title><nav>Menu</nav><main>On {name}.</main>"
            box.put(f"/{name}", text, kind="text/html")
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/index.xml')}")
        box.put("/index.xml", urls(box, "/a.xml", "/b.xml.gz", children=True))
        box.put("/a.xml", urls(box, "/tea"))
        box.put("/b.xml.gz", gzip.compress(urls(box, "/coffee").encode()))
        yield box


def load(site: str, **settings: Unpack[SyncKeywords]) -> dict[str, str]:
    pages = listed_pages(site, settings)
    return {metadata["title"]: text for text, metadata in pages}


def test_an_index_and_gzip_are_read(box):
    """The reader of LlamaIndex knows neither; the loader of LangChain does not know gzip."""
    assert load(box.site) == {"tea": "On tea.", "coffee": "On coffee."}


def test_an_empty_entry_is_no_error(box):
    """The reader of LlamaIndex raises AttributeError for an entry without text."""
    empty = urls(box, "/tea").replace("<url>", "<url><loc></loc></url><url>", 1)
    box.put("/a.xml", empty)

    assert set(load(box.site)) == {"tea", "coffee"}


def test_pages_on_private_addresses_are_not_requested(box, caplog):
    """The loader of LangChain requests every URL that a sitemap names, wherever it is."""
    with SiteBox(host="127.0.0.2") as secret, caplog.at_level(logging.WARNING, "urlset.sync"):
        box.put("/a.xml", urls(box, "/tea", secret.url("/admin")))

        assert set(load(box.site)) == {"tea", "coffee"}
        assert secret.hits == []
    assert "/admin was not read" in caplog.text


def test_redirects_in_circles_end(box):
    box.put("/tea", "", 302, location=box.url("/tea2"))
    box.put("/tea2", "", 302, location=box.url("/tea"))

    assert set(load(box.site)) == {"coffee"}


def test_a_site_without_a_sitemap_is_an_error(box):
    """The loader of GitBook returned no documents, and no error."""
    with pytest.raises(urlset.SourceError):
        load(box.url("/missing.xml"))


def test_langchain(box):
    loader = pytest.importorskip("urlset.integrations.langchain").SitemapLoader(box.site)
    found = loader.load()

    assert {document.page_content for document in found} == {"On tea.", "On coffee."}
    assert found[0].metadata["source"].startswith(box.site)
    assert next(loader.lazy_load()).metadata["is_noindex"] is False


def test_llama_index(box):
    reader = pytest.importorskip("urlset.integrations.llama_index").SitemapReader()
    found = reader.load_data(box.site)

    assert {document.text for document in found} == {"On tea.", "On coffee."}
    assert found[0].doc_id == found[0].metadata["source"]
