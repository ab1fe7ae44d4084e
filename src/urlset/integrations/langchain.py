"""LangChain: a loader of the pages that the sitemaps of a site list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from urlset.integrations.listed_pages import listed_pages
from urlset.live.sync import SyncKeywords


class SitemapLoader(BaseLoader):
    """Loader of all pages that the sitemaps of a site list, with indexes, gzip and discovery.

    Pages that cannot be read are missing, and a warning is logged (logger ``urlset.sync``).
    Requests to private addresses are refused, except to the host of ``site``. To keep an index in
    step, with removed pages, use :func:`urlset.sync`.

    Args:
        site: URL of the site, or of a sitemap.
        settings: Fields of :class:`urlset.live.sync.SyncSettings`, such as ``text`` or ``policy``.
    """

    def __init__(self, site: str, **settings: Unpack[SyncKeywords]):
        self._site = site
        self._settings = settings

    def lazy_load(self) -> Iterator[Document]:
        """Yield a document for each page: its text, and its facts as metadata.

        Raises:
            urlset.SourceError: No sitemap could be read.
        """
        for text, metadata in listed_pages(self._site, self._settings):
            yield Document(page_content=text, metadata=metadata)
