"""Source that reads a folder of HTML pages, and reports why each excluded page is excluded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Protocol

from urlset.dates import format_date
from urlset.errors import SourceError
from urlset.html import (
    FACTS_VERSION,
    MAX_BYTES,
    FilePage,
    OrdinaryPage,
    PageFacts,
    facts_from_text,
    facts_of_file,
    facts_to_text,
    forbids_index,
    origin_of,
    read_page,
    scan_files,
)
from urlset.sources.candidates import (
    UNREADABLE,
    UNREADABLE_FOLDER,
    Candidate,
    SourceType,
    in_batches,
)
from urlset.sources.html.files import (
    FileUrls,
    FoundFile,
    find_pages,
    is_error_page,
    is_named_after_error,
    is_settled,
    is_verification_file,
    may_be_error_page,
    may_be_verification_file,
    same_page,
)
from urlset.sources.html.read_ahead import scan_ahead
from urlset.urls import split_origin

FIRST_CACHE_BATCH = 256
"""Number of files in the first request to the cache. It is small, so that the threads begin soon;
each later one has four times as many, up to :data:`CACHE_BATCH`."""

CACHE_BATCH = 8_192
"""Largest number of files in one request to the cache."""

_STEP = 65_536

_SKIPPED = {
    "link": "symbolic links to pages, which are not followed",
    "loop": "folders that are links to a parent folder",
    "depth": "folders too deep to be searched",
}

_LISTED_LOOKALIKES = "pages with the name of an error page, listed because their content is not one"


class PageFactsCache(Protocol):
    """Cache of page facts, by path and state of the file, and the rules by which it was read."""

    def find(self, rules: str, files: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the cached facts of files, by path; ``files`` are their paths and states."""

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Store facts in the cache; each row has the path, the state and the facts of a file."""


class HtmlFolder:
    """The pages below a folder, such as the output of a static site generator.

    Hidden files and folders are skipped, as are files without the name of a page. The URL of an
    ``index.html`` is that of its folder.

    An excluded page has a ``reason``: ``noindex``, ``canonical: URL``, ``redirect: URL``, ``error
    page``, ``soft 404`` (title and heading say "not found"), ``verification file``, ``no page`` (a
    fragment, or no HTML), ``empty``, ``unreadable: why`` or ``unreadable folder: why`` (a build
    keeps what it published of these). Error pages and verification files are detected by name and
    content. A canonical URL that differs from the
    URL of its page only in a trailing slash or ``.html`` replaces it; one that differs only in its
    scheme is ignored.

    Args:
        path: The folder that a server shows at ``base_url``.
        base_url: The URL of the folder.
        strip_html: Remove the extension of pages from their URLs.
        trailing_slash: None: URLs of folders end with a slash. True: also those of stripped pages.
            False: none but the root.
        extensions: File extensions of pages.
        images: Read images from the pages; ``alternates``, ``videos`` and ``news`` likewise.
        evidence: ``page`` reads the dates that pages state, ``content`` only fingerprints.
        follow_symlinks: Follow symbolic links.
        known_urls: URLs of pages by their path in the folder, with ``/``, for a generator that
            knows them. A canonical URL that only has another form does not replace them.
        engine: Name of the engine; by default the best that is installed.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "index.html").write_text("<title>Tea</title><p>Of many kinds.")
    ...     source = HtmlFolder(folder, "https://example.com/")
    ...     [batch["loc"][0].as_py() for batch in source.batches()]
    ['https://example.com/']
    """

    source_type: ClassVar[SourceType] = "html"

    def __init__(
        self,
        path: str | os.PathLike[str],
        base_url: str,
        *,
        strip_html: bool = False,
        trailing_slash: bool | None = None,
        extensions: Sequence[str] = (".html", ".htm", ".xhtml"),
        images: bool = False,
        alternates: bool = False,
        videos: bool = False,
        news: bool = False,
        evidence: Sequence[str] = ("page",),
        follow_symlinks: bool = False,
        known_urls: Mapping[str, str] | None = None,
        engine: str | None = None,
    ):
        self.name: str = os.fspath(path)
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._urls = FileUrls(
            base_url, strip_html=strip_html, trailing_slash=trailing_slash, extensions=extensions
        )
        requested = {"images": images, "alternates": alternates, "videos": videos, "news": news}
        self._origin = origin_of(self._urls.base)
        self._wants = {name for name, is_asked in requested.items() if is_asked}
        self._wants |= {"lastmod", "fingerprint"} if "page" in evidence else set()
        self._wants |= {"fingerprint"} if "content" in evidence else set()
        self._has_fingerprints = "fingerprint" in self._wants
        self._follow_symlinks = follow_symlinks
        self._known_urls = known_urls or {}
        self._engine = engine
        self._cache: PageFactsCache | None = None
        self._rules = rules_text(
            base_url, strip_html, trailing_slash, tuple(extensions), sorted(self._wants)
        )
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._prefix: str = ""
        self._read: list[tuple[str, str, str]] = []

    def use_cache(self, cache: PageFactsCache) -> None:
        """Set a cache, from which facts of unchanged files are read and which stores new ones."""
        self._cache = cache

    def batches(self) -> Iterator[Any]:
        """Yield record batches of candidates, in the order of the files.

        Raises:
            urlset.SourceError: The folder does not exist, or cannot be read.
        """
        yield from in_batches(self._candidates())
        for description, count in self._counts.items():
            example = self._examples.get(description)
            self.notes.append(
                f"{count} × {description}"
                if example is None
                else f"{count} × {description}, e.g. {example}"
            )

    def _candidates(self) -> Iterator[Candidate]:
        pages = scan_ahead(self._files(), self._size, self._scan)
        try:
            yield from (
                candidate
                for found, page in pages
                if (candidate := self._candidate(found, page)) is not None
            )
            self._flush()
        except OSError as error:
            raise SourceError(
                f"expected a folder of HTML, found {error.strerror or error} at {self.name}; "
                "name the folder that a server shows"
            ) from None

    def _files(self) -> Iterator[FoundFile]:
        """Yield the files of the folder, each with its cached facts, if there are any."""
        self._prefix = os.path.join(os.path.abspath(self.name), "")
        files = find_pages(
            self.name,
            self._urls.extensions,
            follow_symlinks=self._follow_symlinks,
            on_skipped=lambda description: self._count(_SKIPPED[description]),
        )
        if self._cache is None:
            yield from files
            return
        size = FIRST_CACHE_BATCH
        while chunk := list(islice(files, size)):
            size = min(4 * size, CACHE_BATCH)
            self._flush()
            requested = (
                (self._key(found), found.state) for found in chunk if found.state is not None
            )
            known = self._cache.find(self._rules, requested)
            if not known:
                yield from chunk
                continue
            for found in chunk:
                text = known.get(self._key(found))
                yield found if text is None else found._replace(facts=facts_from_text(text))

    def _size(self, found: FoundFile) -> int | None:
        """Return the size of a file that is scanned ahead; None for one that is not."""
        if found.facts is not None or found.error or found.is_duplicate:
            return None
        if may_be_error_page(found.path, found.siblings) or may_be_verification_file(found.path):
            return None
        url = self._known_urls.get(found.path)
        return found.size if url is None or origin_of(url) == self._origin else None

    def _scan(self, files: Sequence[FoundFile]) -> Iterable[FilePage | OrdinaryPage | None]:
        paths = [found.file_path for found in files]
        return scan_files(paths, self._origin, wants=self._wants, engine=self._engine)

    def _key(self, found: FoundFile) -> str:
        return f"{self._prefix}{found.path}"

    def _flush(self) -> None:
        """Store the facts of the files read so far in the cache."""
        if self._cache is not None and self._read:
            self._cache.keep(self._rules, self._read)
            self._read = []

    def _store(self, found: FoundFile, facts: PageFacts | OrdinaryPage) -> None:
        if self._cache is None or found.state is None or not is_settled(found.mtime_ns or 0):
            return
        if isinstance(facts, OrdinaryPage):
            text: str | None = facts.fingerprint.join(_ORDINARY)
        else:
            text = facts_to_text(facts)
        if text is not None:
            self._read.append((self._key(found), found.state, text))

    def _candidate(
        self, found: FoundFile, page: FilePage | OrdinaryPage | None
    ) -> Candidate | None:
        """Return the candidate of a file; count a duplicate of another file and return None."""
        loc = self._known_urls.get(found.path) or self._urls.url(found.path)
        if found.is_duplicate:
            self._count(
                "duplicates of the index of their folder", f"{found.path} ({found.duplicate_of})"
            )
            return None
        if found.duplicate_of and "/" in found.duplicate_of:
            self._count("pages that have two files", f"{found.path} and {found.duplicate_of}")
        if found.size > MAX_BYTES:
            self._count(
                f"pages over {MAX_BYTES >> 20} MiB, of which only the beginning was read",
                found.path,
            )
        if isinstance(page, OrdinaryPage) and page.refresh is None and self._has_fingerprints:
            # Most pages: the facts of each as an object would take three times as long.
            self._store(found, page)
            return Candidate(
                loc,
                source=_display_path(found.file_path),
                fingerprint=page.fingerprint,
                mtime_lastmod=_mtime_lastmod(found),
            )
        if page is not None:
            facts = facts_of_file(page, loc, wants=self._wants)
            if facts is not None:
                self._store(found, facts)
                return self._from_facts(loc, found, facts)
        elif found.facts is not None and not may_be_error_page(found.path, found.siblings):
            return self._from_facts(loc, found, found.facts)
        if found.error:
            return self._unreadable(loc, found, found.error)
        try:
            data = _read(found.file_path)
        except OSError as error:
            return self._unreadable(loc, found, (error.strerror or str(error)).lower())
        return self._from_content(loc, found, data)

    def _from_content(self, loc: str, found: FoundFile, data: bytes) -> Candidate:
        if not data.strip():
            return _row(loc, found, reason="empty")
        if is_verification_file(found.path, data):
            return _row(loc, found, reason="verification file")
        is_lookalike = may_be_error_page(found.path, found.siblings)
        wants = self._wants | {"text"} if is_lookalike else self._wants
        facts = read_page(data, loc, wants=wants, engine=self._engine)
        if not is_lookalike:
            self._store(found, facts)
        return self._from_facts(loc, found, facts, is_lookalike=is_lookalike)

    def _from_facts(
        self, loc: str, found: FoundFile, facts: PageFacts, *, is_lookalike: bool = False
    ) -> Candidate:
        is_known = found.path in self._known_urls
        loc, reason = self._url_and_reason(loc, facts, is_known=is_known)
        if is_lookalike and reason is None:
            if is_error_page(found.path, facts):
                reason = "error page"
            else:
                self._count(_LISTED_LOOKALIKES, found.path)
        elif reason is None and facts.says_not_found and not is_named_after_error(found.path):
            reason = "soft 404"
        return _row(loc, found, reason=reason, facts=facts)

    def _url_and_reason(
        self, loc: str, facts: PageFacts, *, is_known: bool
    ) -> tuple[str, str | None]:
        """Return the URL of a page, and the reason for which it is excluded, or None."""
        if facts.refresh and not same_page(facts.refresh, loc):
            return loc, f"redirect: {facts.refresh}"
        if forbids_index(facts.robots):
            return loc, "noindex"
        if not facts.is_page:
            return loc, "no page"
        canonical = facts.canonical
        if canonical is None or canonical == loc:
            return loc, None
        if not same_page(canonical, loc):
            return loc, f"canonical: {canonical}"
        if is_known:
            return loc, None
        if split_origin(canonical)[:2] != split_origin(loc)[:2]:
            self._count(
                "pages whose canonical has another scheme, which is ignored", f"{canonical} ({loc})"
            )
            return loc, None
        self._count("pages whose canonical has another form, which is used", f"{canonical} ({loc})")
        return canonical, None

    def _unreadable(self, loc: str, found: FoundFile, reason: str) -> Candidate:
        is_folder = found.path.endswith("/")
        what = "folder" if is_folder else "page"
        self.failures.append(
            f"{_display_path(found.file_path)}: expected a readable {what}, found an unreadable "
            f"one: {reason}"
        )
        kind = UNREADABLE_FOLDER if is_folder else UNREADABLE
        return _row(loc, found, reason=f"{kind}: {reason}")

    def _count(self, description: str, example: str | None = None) -> None:
        self._counts[description] += 1
        if example is not None:
            self._examples.setdefault(description, _display_path(example))


_NO_FACTS = PageFacts()
_ORDINARY = str(facts_to_text(PageFacts(is_page=True, fingerprint="\t"))).split("\\t")
"""The facts of an ordinary page as text, before and after its fingerprint."""


def _row(
    loc: str, found: FoundFile, *, reason: str | None, facts: PageFacts = _NO_FACTS
) -> Candidate:
    return Candidate(
        loc,
        images=facts.images,
        videos=facts.videos,
        news=facts.news,
        alternates=facts.alternates,
        source=_display_path(found.file_path),
        reason=reason,
        fingerprint=facts.fingerprint,
        page_lastmod=facts.lastmod,
        mtime_lastmod=_mtime_lastmod(found),
    )


def _mtime_lastmod(found: FoundFile) -> str | None:
    return None if found.mtime_ns is None else _w3c_time(found.mtime_ns // 10**9)


def _read(path: str) -> bytes:
    """Return the first bytes of a file; one byte more than :data:`MAX_BYTES` if it has more."""
    # A buffered file, and a buffer of the largest size, would take longer than the page.
    with open(path, "rb", buffering=0) as file:
        data = piece = file.read(_STEP) or b""
        while piece and len(data) <= MAX_BYTES:
            piece = file.read(min(max(len(data), _STEP), MAX_BYTES + 1 - len(data))) or b""
            data += piece
    return data


def _display_path(path: str) -> str:
    """Return a path as text, with U+FFFD for bytes that are not UTF-8."""
    return path if path.isascii() else os.fsencode(path).decode(errors="replace")


@lru_cache(maxsize=1024)  # a generator writes many files in one second
def _w3c_time(seconds: int) -> str | None:
    try:
        return format_date(datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def rules_text(*rules: object) -> str:
    """Return a text of the options on which facts depend; a new text invalidates the cache."""
    return repr((FACTS_VERSION, *rules))
