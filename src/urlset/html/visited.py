"""Read facts of one HTML page that was visited, if the engine can read it without repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from urlset.engine import get
from urlset.html.facts import MAX_BYTES
from urlset.html.json_ld import read_json_ld
from urlset.html.media import META_IMAGES, images_of
from urlset.html.metadata import (
    ENGINES,
    META_NAMES,
    dates_of,
    directives_by_agent,
    meta_of,
    refresh_of,
)
from urlset.html.not_found import title_says_not_found

_NAMES = frozenset((*META_NAMES, *META_IMAGES, *ENGINES))


class VisitedFacts(NamedTuple):
    """Facts of a page that was visited, as in :class:`urlset.html.PageFacts`.

    Attributes:
        canonicals: Canonical URLs, and ``head`` or ``body``.
        alternates: Languages and URLs of the other versions.
        images: URLs of the images.
        link_count: Number of links to http(s) URLs.
        links: Columns target, relation, whether that has ``nofollow``, and number of the links, as
            text; None if they are not needed.
    """

    title: str | None
    language: str | None
    fingerprint: str
    canonicals: Sequence[tuple[str, str]]
    agent_robots: tuple[str, ...]
    robots_from: str | None
    refresh: str | None
    alternates: Sequence[tuple[str, str]]
    pagination: Sequence[tuple[str, str]]
    lastmod: str | None
    lastmod_from: str | None
    images: tuple[str, ...]
    has_scripts: bool
    link_count: int
    links: tuple[Sequence[str], Sequence[str | None], Sequence[str], Sequence[str]] | None


def read_visited_page(
    data: bytes, url: str, origin: str, resolve: Callable[[str], str | None], *, has_links: bool
) -> VisitedFacts | None:
    """Read a page as :func:`urlset.html.read_page` does; None if that has to read it.

    Args:
        data: The page, from a response without the headers ``X-Robots-Tag`` and ``Link``.
        url: Its normalized URL.
        origin: The normalized origin of that.
        resolve: Returns the normalized URL of a link; None if it is not an http(s) URL.
        has_links: Whether the links are needed; if not, only their number.
    """
    found = get(None).visited_page(data[:MAX_BYTES], url, origin, _NAMES, resolve, has_links)
    if found is None or title_says_not_found(found.page.title):
        return None
    page = found.page
    robots: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    robots_from, refresh, date = None, None, None
    if page.elements or page.data:
        meta, nodes = meta_of(page), read_json_ld(page.data)
        robots, robots_from = directives_by_agent(page, None)
        refresh = refresh_of(page, url)
        images = tuple(image.loc for image in images_of(page, meta, nodes, url))
        date = dates_of(page, meta, nodes).lastmod
    return VisitedFacts(
        page.title,
        page.language,
        page.fingerprint,
        found.canonicals,
        robots,
        robots_from,
        refresh,
        found.alternates,
        found.pagination,
        date.text if date else None,
        date.origin if date else None,
        images,
        found.has_scripts,
        found.link_count,
        found.links,
    )
