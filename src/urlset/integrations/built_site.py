"""Build the sitemaps of a site that a documentation or site generator has just written.

The adapters of MkDocs, Sphinx and Pelican list the pages of their host as :class:`HostPage`; this
module reads the written files, adds dates and alternates, and calls :func:`urlset.build`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from urlset.arrow import ENTRY
from urlset.arrow.batches import column_values, replace_column, text_array, with_columns
from urlset.arrow.streams import rows_to_batch
from urlset.builder import GATES, Build, build
from urlset.dates import format_date
from urlset.errors import ConfigurationError, suggestion
from urlset.html.metadata import as_w3c
from urlset.model import Alternate
from urlset.option_names import names_in_messages
from urlset.sources import GitDates, HtmlFolder, git_dates
from urlset.sources.candidates import SourceType
from urlset.terminal_text import pluralize

CACHE = ".urlset"
"""Default folder of the ledger, in the project."""

EVIDENCE = ("given", "page", "git")
"""Default evidence for dates. Content changes are no default: a new theme changes all pages."""


class HostPage(NamedTuple):
    """One page that the host wrote.

    Attributes:
        file: The path in the output, with ``/``.
        loc: The URL that the host gives it.
        source: The path of the file that the page is made from, or None.
        lastmod: When the author says that the page changed, as W3C text.
        published: When the author says that it was published: used if git has no date.
        reason: Why the page is excluded, or None.
        has_file_date: Whether the page shows the modification time of its file, which is ignored.
        translations: The pages in all languages, including this one: hreflang and path in the
            output.
        unused_date: The first date of the author that is no date, or None.
    """

    file: str
    loc: str
    source: str | None = None
    lastmod: str | None = None
    published: str | None = None
    reason: str | None = None
    has_file_date: bool = False
    translations: tuple[tuple[str, str], ...] = ()
    unused_date: str | None = None


@dataclass(frozen=True)
class PluginOptions:
    """Options that all generators share.

    - ``cache``: the folder of the ledger, in the project; keep it between builds in CI.
    - ``lastmod``: the evidence for dates, best first: ``given`` (front matter), ``page``, ``git``,
      ``content``; empty for no dates.
    - ``exclude``: patterns (``drafts/*``) of paths in the output, or of URLs below the base URL.
    - ``generated``: list pages that the host generates: indexes, tags, source code, and files that
      it only copies.
    - ``languages``: the base URL or the folder of each language: ``{"en": "", "de": "de/"}``.
    - ``with``: facts of pages to add: ``images``, ``videos``, ``news``.
    - ``gzip``: compress the files.
    - ``force``: the safety gates to skip, see :func:`urlset.build`.

    Raises:
        ConfigurationError: An option has an invalid value.
    """

    cache: str = CACHE
    lastmod: Sequence[str] = EVIDENCE
    exclude: Sequence[str] = ()
    generated: bool = False
    languages: Mapping[str, str] = field(default_factory=dict)
    with_: Sequence[str] = ()
    gzip: bool = False
    force: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._expect_texts("lastmod", (*EVIDENCE, "content"))
        self._expect_texts("exclude", None)
        self._expect_texts("with", ("images", "videos", "news"))
        self._expect_texts("force", tuple(GATES))
        for name, kind, what in (
            ("cache", str, "a folder in the project"),
            ("generated", bool, "true or false"),
            ("gzip", bool, "true or false"),
        ):
            if not isinstance(getattr(self, name), kind):
                raise ConfigurationError(f"{name}: expected {what}, found {getattr(self, name)!r}")
        languages: Any = self.languages  # of a configuration file: anything
        pairs = languages.items() if isinstance(languages, Mapping) else [(None, None)]
        if not all(isinstance(text, str) for pair in pairs for text in pair):
            raise ConfigurationError(
                'languages: expected a folder or a base URL for each language, as {"en": "", '
                f'"de": "de/"}}, found {self.languages!r}'
            )

    def _expect_texts(self, name: str, known: tuple[str, ...] | None) -> None:
        values = getattr(self, f"{name}_" if name == "with" else name)
        is_list = isinstance(values, Sequence) and not isinstance(values, (str, bytes))
        if not is_list or not all(isinstance(value, str) for value in values):
            raise ConfigurationError(f"{name}: expected a list of texts, found {values!r}")
        wrong = [value for value in values if known is not None and value not in known]
        if wrong:
            raise ConfigurationError(
                f"{name}: expected {', '.join(known or ())}, found {', '.join(wrong)}"
            )

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> PluginOptions:
        """Return the options in a table of the host's configuration.

        >>> PluginOptions.of({"exclude": ["drafts/*"]}).exclude
        ['drafts/*']
        """
        known = {each.name.removesuffix("_"): each.name for each in fields(cls)}  # with: with_
        for key in options:
            if key not in known:
                raise ConfigurationError(
                    f"unknown option {key!r} of urlset{suggestion(str(key), known)}"
                )
        return cls(**{known[key]: value for key, value in options.items()})

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the defaults of all options by their names, with lists, as Sphinx expects."""
        values = ((name.removesuffix("_"), value) for name, value in vars(cls()).items())
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values}


@dataclass(frozen=True)
class BuiltSite:
    """A site that a host has written.

    - ``host``: its name, part of the name of the ledger.
    - ``output``: the folder that it wrote.
    - ``base_url``: the URL of that folder.
    - ``project``: the folder of the configuration; the ledger stays below it.
    - ``content``: the folder with the sources of the pages, for their dates in git.
    """

    host: str
    output: str
    base_url: str
    project: str
    content: str


def build_site(site: BuiltSite, pages: Iterable[HostPage], options: PluginOptions) -> Build:
    """Build the sitemaps of a site in its output folder.

    Raises:
        urlset.ConfigurationError: The cache is outside of the project or in the output.
        urlset.UrlsetError: The build failed, see :func:`urlset.build`.
        ValueError: The base URL is none.
    """
    # Versions and languages of one project are sites of their own, each with its base URL.
    number = hashlib.sha256(site.base_url.encode()).hexdigest()[:8]
    ledger = _cache_folder(site, options.cache) / f"{site.host}-{number}.duckdb"
    if ledger.is_symlink():
        raise ConfigurationError(f"cache: expected a file, found a symbolic link at {ledger}")
    source = HostPages(site, pages, options)
    with names_in_messages(_option_name):
        return build(
            source,
            site.output,
            base_url=site.base_url,
            lastmod=list(options.lastmod) or "none",
            gzip=options.gzip,
            ledger=ledger,
            force=tuple(options.force),  # type: ignore[arg-type] # checked by PluginOptions
        )


def _option_name(name: str, value: str | bool | None, python: str) -> str:
    """Return an option as the configuration of the host has it, or where it exists instead."""
    if name in {each.name.removesuffix("_") for each in fields(PluginOptions)}:
        is_list = name in ("lastmod", "exclude", "with", "force")
        return name if value is None else f"{name}: {[value] if is_list else value}"
    shown = python or name
    return f"{shown if value is None else f'{shown}={value!r}'} of urlset.build"


def _cache_folder(site: BuiltSite, cache: str) -> Path:
    """Return the folder of the ledger; raise if it is not below the project."""
    project = Path(site.project).resolve()
    folder = (project / cache).resolve()
    output = Path(site.output).resolve()
    if not folder.is_relative_to(project):
        raise ConfigurationError(
            f"cache: expected a folder in {str(project)!r}, found {cache!r} ({str(folder)!r})"
        )
    if folder.is_relative_to(output):
        raise ConfigurationError(
            f"cache: expected a folder that is not served, found {cache!r}, which is in "
            f"{str(output)!r}"
        )
    return folder


def report_lines(made: Build) -> list[str]:
    """Return what a build did, one sentence each, for the log of the host."""
    counts = f"{made.urls:,} URLs in {', '.join(made.addresses)}"
    excluded = made.excluded_counts or {}
    return [
        f"{counts}; {made.added:,} added, {made.changed:,} changed, {made.removed:,} removed",
        *(f"{count:,} excluded: {reason}" for reason, count in excluded.items()),
        *made.notes,
        *made.incomplete,
    ]


def stated_date(value: object) -> str | None:
    """Return a date of front matter as W3C text; None if it is none, or not plausible.

    A time without a zone is reduced to its date, because it is no instant.

    >>> stated_date(date(2026, 1, 18)), stated_date("2026-01-18T10:00:00+01:00")
    ('2026-01-18', '2026-01-18T10:00:00+01:00')
    """
    if isinstance(value, datetime):
        is_instant = value.tzinfo is not None and value.timetz().replace(tzinfo=None) != time()
        return as_w3c(format_date(value) if is_instant else value.date().isoformat())
    if isinstance(value, date):
        return as_w3c(value.isoformat())
    return as_w3c(value) if isinstance(value, str) else None


def with_stated_dates(
    page: HostPage, modified: Sequence[object], published: Sequence[object]
) -> HostPage:
    """Return a page with the first date of each kind in its front matter, the preferred first."""
    unused = (value for value in (*modified, *published) if value and stated_date(value) is None)
    return page._replace(
        lastmod=next(filter(None, map(stated_date, modified)), None),
        published=next(filter(None, map(stated_date, published)), None),
        unused_date=next((str(value) for value in unused), None),
    )


class HostPages:
    """Source of the pages of a host: their files, with the URLs, dates and languages of the host.

    Files that the host does not list as pages are excluded, unless ``generated`` is set.
    """

    source_type: ClassVar[SourceType] = "html"

    def __init__(self, site: BuiltSite, pages: Iterable[HostPage], options: PluginOptions):
        self._site = site
        self._pages = {page.file: page for page in pages}
        self._options = options
        self._folder = HtmlFolder(
            site.output,
            site.base_url,
            images="images" in options.with_,
            videos="videos" in options.with_,
            news="news" in options.with_,
            evidence=options.lastmod,
            known_urls={page.file: page.loc for page in self._pages.values()},
        )
        self._base = f"{site.base_url.rstrip('/')}/"
        self._dates = GitDates()
        self.name: str = self._folder.name
        self.failures: list[str] = self._folder.failures
        self.notes: list[str] = self._folder.notes

    def use_cache(self, cache: Any) -> None:
        """Pass a cache of page facts to the folder."""
        self._folder.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """Yield record batches of candidates, in the order of the files."""
        if "git" in self._options.lastmod:
            self._dates = git_dates(self._site.content)
        made = [self._with_host(batch) for batch in self._folder.batches()]
        listed: dict[str, str] = {}
        files: list[list[str]] = []
        for batch in made:
            files.append([self._file(path) for path in column_values(batch, "source")])
            rows = zip(
                files[-1], column_values(batch, "loc"), column_values(batch, "reason"), strict=True
            )
            listed.update({file: loc for file, loc, reason in rows if reason is None})
        for batch, names in zip(made, files, strict=True):
            alternates = [(self._alternates(name, listed),) for name in names]
            kind = dict(ENTRY.fields)["alternates"]
            column = rows_to_batch((("alternates", kind),), alternates)["alternates"]
            yield replace_column(batch, "alternates", column)
        self.notes += self._dates.notes
        unused = {file: page.unused_date for file, page in self._pages.items() if page.unused_date}
        if unused:
            file, text = min(unused.items())
            self.notes.append(
                f"{pluralize(len(unused), 'page')} with a date in front matter that is not used, "
                f"because it is none, or not plausible, first: {text!r} ({file})"
            )
        read = {name for names in files for name in names}
        unread = [f for f, page in self._pages.items() if page.reason is None and f not in read]
        if unread:
            self.notes.append(
                f"{len(unread):,} pages of {self._site.host} have no HTML file in the output "
                f"({', '.join(sorted(unread)[:2])})"
            )

    def _with_host(self, batch: Any) -> Any:
        names = [self._file(path) for path in column_values(batch, "source")]
        pages = [self._pages.get(name) for name in names]
        locs = column_values(batch, "loc")
        found = zip(names, pages, locs, column_values(batch, "reason"), strict=True)
        reasons = [self._reason(name, page, loc) or reason for name, page, loc, reason in found]
        batch = replace_column(batch, "reason", text_array(reasons))
        shown = zip(pages, column_values(batch, "page_lastmod"), strict=True)
        columns = {
            "lastmod_text": [page and page.lastmod for page in pages],
            "page_lastmod": [None if page and page.has_file_date else text for page, text in shown],
            "git_lastmod": [page and self._git_date(page) for page in pages],
        }
        for name, texts in columns.items():
            column = text_array(texts)
            if name in batch.schema.names:
                batch = replace_column(batch, name, column)
            else:
                batch = with_columns(batch, {name: column})
        return batch

    def _file(self, path: str) -> str:
        return os.path.relpath(path, self._site.output).replace(os.sep, "/")

    def _reason(self, file: str, page: HostPage | None, loc: str) -> str | None:
        if (
            page is not None
            and page.reason is not None
            and not (page.reason == GENERATED and self._options.generated)
        ):
            return page.reason
        path = loc.removeprefix(self._base)
        for pattern in self._options.exclude:
            if fnmatchcase(file, pattern) or fnmatchcase(path, pattern):
                return f"exclude: {pattern}"
        return GENERATED if page is None and not self._options.generated else None

    def _git_date(self, page: HostPage) -> str | None:
        if page.source is None:
            return page.published
        path = os.path.relpath(os.path.realpath(page.source), os.path.realpath(self._site.content))
        return self._dates.known.get(path.replace(os.sep, "/")) or page.published

    def _alternates(self, file: str, listed: Mapping[str, str]) -> tuple[Alternate, ...]:
        """Return the languages of a page, itself included; none if there is only one."""
        page = self._pages.get(file)
        if file not in listed:
            return ()
        if page is not None and page.translations:
            pairs = [(code, listed.get(other)) for code, other in page.translations]
        else:
            pairs = list(self._translated(file, listed))
        found = {code: href for code, href in pairs if href is not None}
        if len(set(found.values())) < 2 or listed[file] not in found.values():
            return ()
        return tuple(Alternate(code, href) for code, href in found.items())

    def _translated(self, file: str, listed: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
        """Yield each language with the URL of the same page in it."""
        languages = self._options.languages
        base = self._base
        local = {code: _below(place, base) for code, place in languages.items()}
        inside = (p for p in local.values() if p is not None and file.startswith(p))
        own = max(inside, key=len, default=None)
        if own is None:
            return
        rest, rest_of_loc = file[len(own) :], listed[file].removeprefix(base + own)
        for code, place in languages.items():
            folder = local[code]
            if folder is not None:
                yield code, listed.get(folder + rest)
            else:
                yield code, f"{place.rstrip('/')}/{rest_of_loc}"


GENERATED = "generated page"
"""Reason for pages that the host generates, and for files that it did not write as pages."""


def _below(place: str, base: str) -> str | None:
    """Return the folder of a language in the output; None if it is another site.

    >>> _below("https://example.com/docs/de/", "https://example.com/docs/"), _below("de", "")
    ('de/', 'de/')
    """
    if "://" in place:
        url = f"{place.rstrip('/')}/"
        if not url.startswith(base):
            return None
        place = url[len(base) :]
    place = place.strip("/")
    return f"{place}/" if place else ""
