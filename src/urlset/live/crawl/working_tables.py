"""Declare the temporary tables of a crawl."""

from __future__ import annotations

from urlset.store import declare_tables

_TABLES = declare_tables(
    """
    new_links       | frontier | frontier | Links of pages that were visited since the last flush. | url VARCHAR, target VARCHAR, kind VARCHAR, rel VARCHAR, is_nofollow BOOLEAN, n UINTEGER
    unlinked_pages  | frontier | frontier | Pages of earlier visits whose links the store lacks. | url
    redirect_chains | evidence | evidence | Redirects with the URLs that they lead through. | start here steps is_loop
    linked_targets  | evidence | evidence | Hashes of URLs to which a link of another page leads. | target
    page_references | evidence | evidence | Links to other URLs, by the rows of both ends. | target page origin
    page_edges      | evidence | evidence | Links between visited pages; a redirect is no click. | here there clicks
    reached_pages   | evidence | evidence | Pages that links from the start lead to, with their depth. | page depth
    """
)
NEW_LINKS = _TABLES["new_links"]

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables of a crawl, in the order of the data flow."""
