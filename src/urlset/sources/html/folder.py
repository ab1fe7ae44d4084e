"""A folder of HTML as a source of a build: its pages, and why some of them are not wanted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Protocol

from urlset.dates import format_date
from urlset.errors import SourceError
from urlset.html import (
    FACTS_VERSION,
    MAX_BYTES,
    PageFacts,
    facts_from_text,
    facts_to_text,
    forbids_index,
    read_page,
)
from urlset.sources.candidates import Candidate, in_batches
from urlset.sources.html.file_urls import Naming, same_page
from urlset.sources.html.files import Found, is_settled, walk
from urlset.sources.html.special_pages import is_error_page, is_verification_file, may_be_error_page
from urlset.urls import split_origin

__all__ = ["HtmlFolder"]

TOGETHER = 8_192
"""Files that a cache is asked about together."""

_PASSED = {
    "link": "symbolic links to pages, which are not followed (follow_symlinks)",
    "loop": "folders that are links to one above them",
    "depth": "folders too deep to be looked into",
}

_LISTED_SUSPECTS = "pages called as error pages are, and listed, since their content is another's"


class Cache(Protocol):
    """What keeps facts, by the path of the file, its state, and the rules by which it was read."""

    def find(self, rules: str, files: Sequence[tuple[str, str]]) -> dict[str, str]:
        """What is known of files, by path; ``files`` are their paths and states."""

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep what was read: the path, the state and the facts of each file."""


class HtmlFolder:
    """The pages below a folder, as a static site generator leaves them.

    ``path`` is the folder that a server shows at ``base_url``. ``index.html`` and its like are
    their folder's URL; ``strip_html`` and ``trailing_slash`` are told at :class:`Naming`. Hidden
    files and folders are passed over, and whatever has no name of a page. ``images``,
    ``alternates``, ``videos`` and ``news`` are read from the pages on request. ``evidence`` holds
    ``page`` for the dates that pages say of themselves, ``content`` for fingerprints alone.

    A page is left out with a reason, which its candidate bears: ``noindex``, ``canonical: URL``,
    ``redirect: URL``, ``error page``, ``verification file``, ``no page`` (a fragment, or no HTML),
    ``empty``, ``unreadable: why``. Error pages and verification files are told by name and content.
    A canonical that differs from the URL of a page in a trailing
    slash or ``.html`` alone is the page's own word for its URL, and is taken; one that differs in
    its scheme alone does not count.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "index.html").write_text("<title>Tea</title><p>Of many kinds.")
    ...     source = HtmlFolder(folder, "https://example.com/")
    ...     [batch["loc"][0].as_py() for batch in source.batches()]
    ['https://example.com/']
    """

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
        engine: str | None = None,
    ):
        self.name = os.fspath(path)
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._naming = Naming(
            base_url, strip_html=strip_html, trailing_slash=trailing_slash, extensions=extensions
        )
        asked = {"images": images, "alternates": alternates, "videos": videos, "news": news}
        self._wants = {name for name, is_asked in asked.items() if is_asked}
        self._wants |= {"lastmod", "fingerprint"} if "page" in evidence else set()
        self._wants |= {"fingerprint"} if "content" in evidence else set()
        self._follow = follow_symlinks
        self._engine = engine
        self._cache: Cache | None = None
        self._rules = rules_text(
            base_url, strip_html, trailing_slash, tuple(extensions), sorted(self._wants)
        )
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._read: list[tuple[str, str, str]] = []

    def use_cache(self, cache: Cache) -> None:
        """Take what is known of files that did not change from a cache, and keep the rest there."""
        self._cache = cache

    def batches(self) -> Iterator[Any]:
        """Yield record batches of candidates, in the order of the files.

        Raises :class:`urlset.SourceError` where there is no such folder.
        """
        yield from in_batches(self._candidates())
        self.notes += [
            f"{count} × {what}, e.g. {self._examples[what]}" if what in self._examples else
            f"{count} {what}" for what, count in self._counts.items()
        ]  # fmt: skip

    def _candidates(self) -> Iterator[Candidate]:
        try:
            yield from (
                candidate
                for found, facts in self._files()
                if (candidate := self._candidate(found, facts)) is not None
            )
            self._keep()
        except OSError as error:
            raise SourceError(
                f"expected a folder of HTML, found {error.strerror or error} at {self.name}; "
                "give the folder that a server shows"
            ) from None

    def _files(self) -> Iterator[tuple[Found, PageFacts | None]]:
        """The files of the folder, each with what is known of it."""
        files = walk(
            self.name,
            self._naming.is_page,
            follow_symlinks=self._follow,
            passed=lambda what: self._count(_PASSED[what]),
        )
        if self._cache is None:
            yield from ((found, None) for found in files)
            return
        while some := list(islice(files, TOGETHER)):
            self._keep()
            asked = [(_key(found), found.state) for found in some if found.state is not None]
            known = self._cache.find(self._rules, asked)
            for found in some:
                text = known.get(_key(found))
                yield found, None if text is None else facts_from_text(text)

    def _keep(self) -> None:
        """Hand what was read to the cache."""
        if self._cache is not None and self._read:
            self._cache.keep(self._rules, self._read)
            self._read = []

    def _remember(self, found: Found, facts: PageFacts) -> None:
        if self._cache is None or found.state is None or not is_settled(found.mtime_ns):
            return
        text = facts_to_text(facts)
        if text is not None:
            self._read.append((_key(found), found.state, text))

    def _candidate(self, found: Found, facts: PageFacts | None) -> Candidate | None:
        """What is told of a file; None for a second file of one URL, which is noted."""
        loc = self._naming.url(found.path)
        if found.is_second:
            self._count("files beside the index of their folder", f"{found.path} ({found.twin})")
            return None
        if found.twin and "/" in found.twin:
            self._count("pages that are there twice", f"{found.path} and {found.twin}")
        mtime = _moment(found.mtime)
        told = Candidate(loc, source=_shown(found.place), mtime_lastmod=mtime)
        if found.error:
            return self._unreadable(told, found.error)
        if facts is not None and not may_be_error_page(found.path, found.siblings):
            return self._of_facts(told, found, facts)
        try:
            with open(found.place, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            return self._unreadable(told, (error.strerror or str(error)).lower())
        if len(data) > MAX_BYTES:
            self._count(f"pages over {MAX_BYTES >> 20} MiB, read up to there", found.path)
        return self._of_page(told, found, data)

    def _of_page(self, told: Candidate, found: Found, data: bytes) -> Candidate:
        if not data.strip():
            return told._replace(reason="empty")
        if is_verification_file(found.path, data):
            return told._replace(reason="verification file")
        is_suspect = may_be_error_page(found.path, found.siblings)
        wants = self._wants | {"text"} if is_suspect else self._wants
        facts = read_page(data, told.loc, wants=wants)
        if not is_suspect and len(data) <= MAX_BYTES:
            self._remember(found, facts)
        return self._of_facts(told, found, facts, is_suspect=is_suspect)

    def _of_facts(
        self, told: Candidate, found: Found, facts: PageFacts, *, is_suspect: bool = False
    ) -> Candidate:
        loc, reason = self._judged(told.loc, facts)
        if is_suspect and reason is None:
            if is_error_page(found.path, facts):
                reason = "error page"
            else:
                self._count(_LISTED_SUSPECTS, found.path)
        return told._replace(
            loc=loc,
            reason=reason,
            images=facts.images,
            videos=facts.videos,
            news=facts.news,
            alternates=facts.alternates,
            fingerprint=facts.fingerprint,
            page_lastmod=facts.lastmod,
        )

    def _judged(self, loc: str, facts: PageFacts) -> tuple[str, str | None]:
        """The URL of a page, and why it is not wanted."""
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
        if split_origin(canonical)[:2] != split_origin(loc)[:2]:
            self._count("pages whose canonical has another scheme", f"{canonical} ({loc})")
            return loc, None
        self._count(
            "pages whose canonical has another form, which is taken", f"{canonical} ({loc})"
        )
        return canonical, None

    def _unreadable(self, told: Candidate, why: str) -> Candidate:
        self.failures.append(f"{told.source}: expected a page, found that it is unreadable: {why}")
        return told._replace(reason=f"unreadable: {why}")

    def _count(self, what: str, example: str | None = None) -> None:
        self._counts[what] += 1
        if example is not None:
            self._examples.setdefault(what, _shown(example))


def _key(found: Found) -> str:
    return os.path.abspath(found.place)


def _shown(path: str) -> str:
    """A path as text, whatever bytes are in it."""
    return os.fsencode(path).decode(errors="replace")


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return format_date(datetime.fromtimestamp(int(seconds), UTC))
    except (OverflowError, ValueError, OSError):
        return None


def rules_text(*rules: object) -> str:
    """What decides of facts besides the file: with other rules it is read again."""
    return repr((FACTS_VERSION, *rules))
