"""Synchronize the pages of a site with an index: what to add, replace and delete, in batches."""

from __future__ import annotations

import os
from collections.abc import Callable

from urlset.arguments import checked_arguments
from urlset.http import Policy
from urlset.live.sync.pipeline import Sync
from urlset.live.sync.settings import SyncKeywords, SyncSettings, TextOf
from urlset.live.sync.update import PageUpdate, SyncBatch, page_text
from urlset.model import ProgressEvent
from urlset.option_schema import settings_of

__all__ = ["PageUpdate", "Sync", "SyncBatch", "SyncKeywords", "SyncSettings", "page_text", "sync"]


@checked_arguments
def sync(
    site: str,
    store: str | os.PathLike[str],
    *,
    # These are generated from urlset.option_schema by `make docs`.
    text: TextOf | bool | None = True,
    batch_size: int = 100,
    recheck_pages: int = 100,
    recheck_sitemaps: int = 10,
    max_removed_share: float | str | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    dry_run: bool = False,
    engine: str | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Sync:
    """Return a run that finds the pages of a site that were added, changed or removed.

    The sitemaps are read first. A page is requested if it is new, if its ``lastmod`` is another
    one or missing, or in turn. It is ``changed`` if the fingerprint of its content is another one.
    It is ``removed`` only if every sitemap of the site was read and none lists it, or if it
    answers 404 or 410 in two runs, a minute apart or more; everything else that fails is
    ``unknown``. While new pages are on a host whose robots.txt cannot be read, a page that is not
    listed may have moved there, and is ``unknown``, too, unless it is gone, or still has a content.

    Delivery is at least once: what was not committed is delivered again by the next run.

    Args:
        site: URL of the site, or of a sitemap.
        store: Store file (``.duckdb``) of what the index has; created if it does not exist.
        text: Whether the text of the pages is included; or a function that returns it, from the
            bytes of a page and its ``Content-Type``.
        batch_size: Pages that are requested for one batch, and removed or unknown ones in one.
        recheck_pages: Pages that are requested although their ``lastmod`` is the same, in turn:
            those first that were not requested for the longest time. Pages without a ``lastmod``
            are requested in every run.
        recheck_sitemaps: Sitemaps that are requested although their index has the same date: those
            first that were not requested for the longest time.
        max_removed_share: Largest share of the known pages that may be removed at once because no
            sitemap lists them, 0.1 or ``"10%"``; above it they are unknown. None for 0.5 of 20 or
            more pages, and no limit for fewer.
        max_requests: Limit of the requests of this run; robots.txt and sitemaps do not count. None
            for no limit.
        max_minutes: Limit of the duration; what is not visited by then is reported. None for no
            limit.
        dry_run: Whether nothing is stored: the run works on a temporary copy of the store, and a
            commit changes the copy. The requests are the same.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Raises:
        urlset.SourceError: ``site`` is no URL; while iterating, no sitemap could be read in the
            first run.
        urlset.StoreError: While iterating, the store cannot be opened, is used by another
            process, or has the history of another site.
        ValueError: A setting is invalid.

    Example::

        with urlset.sync("https://example.com", "index.duckdb") as run:
            for batch in run:
                for update in batch:
                    if update.change in ("added", "changed"):
                        index.replace(update.loc, update.title, update.text)
                    elif update.change == "removed":
                        index.delete(update.loc)
                batch.commit()
    """
    return Sync(site, store, settings_of(SyncSettings, "sync", locals()), progress=progress)
