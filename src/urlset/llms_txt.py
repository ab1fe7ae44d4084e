"""Draft an llms.txt from the pages of a store: title, sections and links (https://llmstxt.org/)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from urlset.arguments import checked_arguments
from urlset.errors import QueryError, StoreError
from urlset.store import Store
from urlset.terminal_text import sanitize

MAX_TITLE = 200
_SEPARATOR = re.compile(r"(?<!\s)\s++[|–—·:»-]++\s++")
_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_UNSAFE = re.compile(r"[()<>\s]")

# A page is indexable if it answers 200, may be indexed, and has no other canonical URL.
PAGES = """
    SELECT url, title,
        regexp_replace(url, '^[a-z]+://[^/?#]*', '') AS path, url LIKE '%?%' AS has_query
    FROM pages
    WHERE verdict = 'ok' AND is_html AND is_indexable AND trim(coalesce(title, '')) <> ''
        AND regexp_extract(url, '^[a-z]+://[^/?#]*') = (
            SELECT regexp_extract(url, '^[a-z]+://[^/?#]*') AS origin FROM pages
            WHERE verdict = 'ok' AND is_html AND is_indexable
            GROUP BY origin ORDER BY count(*) DESC, origin LIMIT 1)"""


class _Page(NamedTuple):
    url: str
    title: str
    path: str

    @property
    def folder(self) -> str:
        """First folder of the path; empty for a page at the root."""
        return self.path.lstrip("/").rpartition("/")[0].partition("/")[0]


@checked_arguments
def draft_llms_txt(
    store: Store | str | os.PathLike[str],
    *,
    max_links: int = 200,
    max_section_links: int = 20,
    max_sections: int = 20,
) -> str:
    r"""Return a draft of an llms.txt: the sections of a site, with links to its pages by title.

    It is a start for an author, who knows which pages matter and describes them. It has the pages
    of one host that answered 200, are HTML, may be indexed and are canonical; those near the root
    come first. The largest sections come first; of each section beyond ``max_sections`` only the
    first page is listed, in ``Optional``, which readers may skip. A part that most titles share,
    such as the name of the site, is omitted from the names of links.

    Args:
        store: Store, or the file of one, that ``urlset crawl`` or ``urlset audit`` filled.
        max_links: Maximum number of links.
        max_section_links: Maximum number of links of a section.
        max_sections: Maximum number of sections before ``Optional``.

    Returns:
        Markdown text; the same store gives the same text.

    Raises:
        urlset.StoreError: The store cannot be opened, or has no page that can be listed.
        ValueError: A maximum is less than 1.
    """
    for name, value in (
        ("max_links", max_links),
        ("max_section_links", max_section_links),
        ("max_sections", max_sections),
    ):
        if value < 1:
            raise ValueError(f"{name}: expected 1 or more, found {value}")
    if not isinstance(store, Store):
        with Store.open(store, read_only=True) as opened:
            pages = _pages(opened)
    else:
        pages = _pages(store)
    if not pages:
        raise StoreError(
            "the store has no page that can be listed: expected pages that answered 200 and have "
            "a title; fill it with `urlset crawl SITE --output site.duckdb`"
        )
    shared = _shared_part([page.title for page in pages])
    home = next((page for page in pages if page.path in ("", "/")), None)
    host = pages[0].url.partition("://")[2].partition("/")[0]
    title = shared or (home.title if home else host)
    sections: dict[str, list[_Page]] = {}
    for page in pages:
        if page is not home:
            sections.setdefault(page.folder, []).append(page)
    ordered = sorted(sections.items(), key=lambda item: (-len(item[1]), not item[0], item[0]))
    lines = [f"# {_escaped(title)}"]
    left = max_links
    for name, listed in ordered[:max_sections]:
        shown = listed[: min(max_section_links, left)]
        lines += _section(_section_name(name, listed, shared), shown, shared)
        left -= len(shown)
    others = [listed[0] for _, listed in ordered[max_sections:]][:left]
    lines += _section("Optional", others, shared)
    return "\n".join(lines) + "\n"


def _pages(store: Store) -> list[_Page]:
    """Return the pages in the order of the draft: those near the root first."""
    query = (
        f"SELECT url, title, path FROM ({PAGES}) WHERE NOT has_query "
        "ORDER BY len(string_split(trim(path, '/'), '/')), len(path), url"
    )
    try:
        return [_Page(*row) for row in store.query(query)]
    except QueryError:  # it has no table of pages
        return []


def _section(name: str, pages: Sequence[_Page], shared: str) -> list[str]:
    if not pages:
        return []
    links = [f"- [{_escaped(_without(page.title, shared))}]({_target(page.url)})" for page in pages]
    return ["", f"## {_escaped(name)}", "", *links]


def _section_name(folder: str, pages: Sequence[_Page], shared: str) -> str:
    """Return the title of the index page of a folder, or the name of the folder as words."""
    if not folder:
        return "Pages"
    first = pages[0]
    if first.path.removesuffix("index.html") == f"/{folder}/":
        return _without(first.title, shared)
    return re.sub(r"[-_]+", " ", folder).strip().capitalize() or folder


def _shared_part(titles: Sequence[str]) -> str:
    """Return the part at the end, or else at the start, of more than half of the titles."""
    parts = [_SEPARATOR.split(" ".join(title.split())) for title in titles]
    for at in (-1, 0):
        counts = Counter(found[at] for found in parts if len(found) > 1)
        if counts and (best := min(counts.items(), key=lambda item: (-item[1], item[0])))[1] > 1:
            part, count = best
            if count * 2 > len(titles):
                return part
    return ""


def _without(title: str, shared: str) -> str:
    """Return a title without the part that most titles share."""
    text = " ".join(title.split())
    if shared:
        for separator in _SEPARATOR.finditer(text):
            if text[separator.end() :] == shared:
                return text[: separator.start()]
            if text[: separator.start()] == shared:
                return text[separator.end() :]
    return text


def _escaped(text: str) -> str:
    """Return text on one line for Markdown: special characters are escaped."""
    return _SPECIAL.sub(r"\\\1", sanitize(" ".join(text.split()))[:MAX_TITLE])


def _target(url: str) -> str:
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", url)
