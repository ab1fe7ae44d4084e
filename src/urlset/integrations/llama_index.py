"""LlamaIndex: a reader of the pages that the sitemaps of a site list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from urlset.integrations.listed_pages import listed_pages
from urlset.live.sync import SyncKeywords


class SitemapReader(BaseReader):
    """Reader of all pages that the sitemaps of a site list, with indexes, gzip and discovery.

    Pages that cannot be read are missing, and a warning is logged (logger ``urlset.sync``).
    Requests to private addresses are refused, except to the host of ``site``. To keep an index in
    step, with removed pages, use :func:`urlset.sync`.
    """

    def lazy_load_data(  # type: ignore[override]
        self, site: str, **settings: Unpack[SyncKeywords]
    ) -> Iterator[Document]:
        """Yield a document for each page: its text, and its facts as metadata.

        Args:
            site: URL of the site, or of a sitemap.
            settings: Fields of :class:`urlset.live.sync.SyncSettings`, such as ``text``.

        Raises:
            urlset.SourceError: No sitemap could be read.
        """
        for text, metadata in listed_pages(site, settings):
            yield Document(text=text, metadata=metadata, doc_id=metadata["source"])
