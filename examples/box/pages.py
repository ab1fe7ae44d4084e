"""The pages and sitemaps of the box: read them from the TOML files, and state what is wrong."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
BUILD_TIME = "2026-11-01T03:00:00Z"
INDEXNOW_KEY = "0123456789abcdef"
"""Key of IndexNow of all sites."""

FIRST_DAY = datetime(2024, 1, 1, 8, tzinfo=UTC)
DATED: dict[str, Any] = {"lastmod": "default", "modified": "default"}
"""The sitemap and the page state the same date, which depends on the path."""

DAYS = 1_000  # the dates of the pages: 2024-01-01 to 2026-09-26


@dataclass(frozen=True, kw_only=True)
class Page:
    """One URL: how it is served, listed and linked, and what is wrong with it.

    The TOML files explain the fields. ``expect`` has pairs of a rule and a path.
    """

    site: str
    path: str
    why: str = ""
    section: str = ""
    expect: tuple[tuple[str, str], ...] = ()
    silent: tuple[str, ...] = ()
    # How it is served.
    status: int = 200
    location: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    serve: str = ""
    first: int | str = 0
    title: str = ""
    language: str = "en"
    head: str = ""
    body: str = ""
    body_only: str = ""
    content: str = ""
    content_of: str = ""
    canonical: str | None = None
    robots: str = ""
    modified: str = ""
    last_modified: str = ""
    alternates: Mapping[str, str] = field(default_factory=dict)
    filler: int = 0
    many_links: int = 0
    # How it is listed.
    listed: bool = True
    lastmod: str = ""
    listed_alternates: Mapping[str, str] = field(default_factory=dict)
    images: tuple[str, ...] = ()
    videos: tuple[str, ...] = ()
    # How it is linked and visited.
    in_llms_txt: bool = False
    linked: bool = True
    linked_as: str = ""
    rel: str = ""
    visits: int = 0


@dataclass(frozen=True, kw_only=True)
class Sitemap:
    """One sitemap: how it is served, and what is wrong with it."""

    site: str
    path: str
    why: str = ""
    section: str = ""
    expect: tuple[tuple[str, str], ...] = ()
    silent: tuple[str, ...] = ()
    in_index: bool = True
    in_robots: bool = False
    status: int = 200
    location: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    serve: str = ""
    first: int | str = 0


@dataclass(frozen=True)
class Site:
    """All that one origin serves.

    Attributes:
        name: Name of the site in the TOML files.
        sections: The paths of its sections, in order.
        pages: Pages by path, among them the home page and those of the sections.
        sitemaps: Sitemaps by path, without the index, which is ``/sitemap.xml``.
        expected: Pairs of a rule and a path: all that is wrong with the site.
        silent: Rules that find nothing although something looks like their fault.
        https: What it answers over TLS: ``same``, ``redirect``, ``untrusted``, or "" for nothing.
    """

    name: str
    sections: tuple[str, ...]
    pages: Mapping[str, Page]
    sitemaps: Mapping[str, Sitemap]
    expected: frozenset[tuple[str, str]]
    silent: frozenset[str] = frozenset()
    https: str = ""

    def pages_of(self, section: str) -> Iterator[Page]:
        """Yield the pages of a section in their order."""
        return (page for page in self.pages.values() if page.section == section)


def sites() -> dict[str, Site]:
    """Read the TOML files and return the sites by name."""
    sections = _tables("sections.toml", "section")
    names = list(dict.fromkeys(str(section["site"]) for section in sections))
    special = _tables("faults.toml", "page") + _tables("decoys.toml", "page")
    return {
        name: _site(
            name,
            [section for section in sections if section["site"] == name],
            [page for page in special if page["site"] == name],
            _tables("sitemaps.toml", "sitemap") if name == "archive" else [],
        )
        for name in names
    }


def _site(
    name: str,
    sections: list[dict[str, Any]],
    special: list[dict[str, Any]],
    more_sitemaps: list[dict[str, Any]],
) -> Site:
    pages: dict[str, Page] = {}
    expected: set[tuple[str, str]] = set()
    paths = tuple(str(section["path"]) for section in sections)
    home = Page(
        site=name,
        path="/",
        section=paths[0],
        title=f"The {name}",
        linked=False,
        **DATED,
    )
    for page in (home, *_plain_pages(sections), *map(_page, special)):
        if page.path in pages:
            raise ValueError(f"{name}{page.path} is declared twice")
        pages[page.path] = page
        expected.update(page.expect)
    sitemaps = {
        path: Sitemap(site=name, path=path, section=section)
        for section in paths
        for path in [f"/sitemap-{section.strip('/')}.xml"]
    }
    for table in more_sitemaps:
        own = "/" + str(table["path"]).strip("/").partition(".")[0] + "/"
        sitemap = Sitemap(**_expecting(table), site=name, section=own)
        sitemaps[sitemap.path] = sitemap
        expected.update(sitemap.expect)
        pages[own] = Page(site=name, path=own, section=own, **DATED)
    for section in sections:
        expected.update(_expectations(section.get("expect", ()), str(section["path"])))
    silent = {rule for page in pages.values() for rule in page.silent}
    silent.update(rule for sitemap in sitemaps.values() for rule in sitemap.silent)
    silent.update(rule for section in sections for rule in section.get("silent", ()))
    https = next((str(section["https"]) for section in sections if "https" in section), "")
    return Site(name, paths, pages, sitemaps, frozenset(expected), frozenset(silent), https)


def _plain_pages(sections: list[dict[str, Any]]) -> Iterator[Page]:
    """Yield the page of each section and the plain pages below it."""
    for section in sections:
        path, name = str(section["path"]), str(section["site"])
        language = str(section.get("language", "en"))
        for number in range(section["pages"] + 1):
            own = f"{number:02}/" if number else ""
            expect = section.get("expect_each", ()) if number else ()
            alternates = {
                str(other["language"]): f"{other['path']}{own}"
                for other in sections
                if section.get("group") and other.get("group") == section["group"]
            }
            yield Page(
                site=name,
                path=f"{path}{own}",
                section=path,
                language=language,
                expect=_expectations(expect, f"{path}{own}"),
                listed_alternates=alternates,
                lastmod=BUILD_TIME if section.get("dates") == "build" and number else "default",
                modified="default",
                linked=bool(number),
                headers={"X-Seconds": str(section["seconds"])} if "seconds" in section else {},
            )


def _page(table: dict[str, Any]) -> Page:
    path = str(table["path"])
    first_segment = f"/{path.split('/')[1]}/"
    table = {"section": first_segment} | DATED | table
    return Page(**_expecting(table))


def _expecting(table: dict[str, Any]) -> dict[str, Any]:
    lists = {name: tuple(table[name]) for name in ("images", "videos", "silent") if name in table}
    expect = _expectations(table.get("expect", ()), str(table["path"]))
    return table | lists | {"expect": expect}


def _expectations(expect: Any, path: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of a rule and a path; ``rule @ /path`` is about another path."""
    pairs = [str(text).partition(" @ ") for text in expect]
    return tuple((rule, other or path) for rule, _, other in pairs)


def date_of(path: str) -> str:
    """Return the date at which a page was changed, which its path decides.

    >>> date_of("/guide/01/") == date_of("/guide/01/")
    True
    """
    day = Random(path).randrange(DAYS)
    return f"{FIRST_DAY + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}"


def _tables(file: str, name: str) -> list[dict[str, Any]]:
    with (HERE / file).open("rb") as opened:
        tables: list[dict[str, Any]] = tomllib.load(opened)[name]
        return tables
