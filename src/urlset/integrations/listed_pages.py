"""Text and metadata of all pages that a site lists, for loaders of documents."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from urlset.live.sync import SyncKeywords, sync

_log = logging.getLogger("urlset.sync")

_METADATA = (
    "title", "language", "lastmod", "last_modified", "page_lastmod", "fingerprint", "final_url",
    "canonical", "is_noindex", "sitemap", "train_ai", "search", "ai_input", "license",
)  # fmt: skip


def listed_pages(site: str, settings: SyncKeywords) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield text and metadata of each page, in batches of memory; values that are None are absent.

    Raises:
        urlset.SourceError: No sitemap could be read.
    """
    with (
        tempfile.TemporaryDirectory(prefix="urlset-") as folder,
        sync(site, Path(folder, "pages.duckdb"), **settings) as run,
    ):
        for batch in run:
            for update in batch:
                if update.change == "added":
                    values: Mapping[str, object] = update.to_dict()
                    found = {name: values[name] for name in _METADATA if values[name] is not None}
                    yield update.text or "", {"source": update.loc, **found}
                else:
                    _log.warning("%s was not read: %s", update.loc, update.reason)
            batch.commit()
        for reason in run.incomplete:
            _log.warning("%s: %s", site, reason)
