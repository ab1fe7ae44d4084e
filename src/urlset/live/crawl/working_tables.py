"""Declare the temporary tables of a crawl."""

from __future__ import annotations

from urlset.store import declare_table

NEW_LINKS = declare_table(
    "new_links",
    "Links of pages that were visited since the last flush.",
    "url VARCHAR, target VARCHAR, kind VARCHAR, rel VARCHAR, is_nofollow BOOLEAN, n UINTEGER",
    writers="frontier",
    readers="frontier",
)

WORKING_TABLES = (
    NEW_LINKS,
    declare_table(
        "unlinked_pages",
        "Pages of earlier visits whose links the store lacks.",
        "url",
        writers="frontier",
        readers="frontier",
    ),
    declare_table(
        "redirect_chains",
        "Redirects with the URLs that they lead through.",
        "start here steps is_loop",
        writers="evidence",
        readers="evidence",
    ),
    declare_table(
        "linked_targets",
        "Hashes of URLs to which a link of another page leads.",
        "target",
        writers="evidence",
        readers="evidence",
    ),
    declare_table(
        "page_references",
        "Links to other URLs, by the rows of both ends.",
        "target page origin",
        writers="evidence",
        readers="evidence",
    ),
    declare_table(
        "page_edges",
        "Links between visited pages; a redirect is no click.",
        "here there clicks",
        writers="evidence",
        readers="evidence",
    ),
    declare_table(
        "reached_pages",
        "Pages that links from the start lead to, with their depth.",
        "page depth",
        writers="evidence",
        readers="evidence",
    ),
)
"""All temporary tables of a crawl, in the order of the data flow."""
