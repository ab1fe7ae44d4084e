"""Update of one page, for an index, batches of them, and the file to which they are written."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, TypedDict

from urlset.errors import TargetError
from urlset.formats.detect import expect_no_store
from urlset.html import read_page
from urlset.live.visits.page_record import HTML_TYPES
from urlset.result import Instant, ResultJson, values_of
from urlset.robots.ai_preferences import AiPreferences
from urlset.temp_files import expect_no_outside_link, write_error_reason
from urlset.terminal_text import escape_json, sanitize

UpdateKind = Literal["added", "changed", "removed", "unknown"]

NO_PREFERENCES = AiPreferences()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUpdate:
    """What happened to one page since the last run.

    Attributes:
        change: ``added``, ``changed``, ``removed``, or ``unknown``: nothing can be said about the
            page in this run, and an index keeps what it has.
        loc: URL as it is listed.
        reason: What changed, one or more of ``content``, ``noindex``, ``canonical`` and
            ``preferences``, separated by commas; why it is removed (``not listed``, ``moved``,
            ``http-404``) or unknown (``http-503``, ``timeout``, ``robots``, ``empty``,
            ``not-html``, ``sitemap not read``, ``robots.txt not read``); None for an added page.
        is_known: Whether the page was delivered before; an unknown page may be new.
        title: Title of the page.
        text: Its text; None for removed and unknown pages, and without a function for the text.
        language: Language that the page declares.
        fingerprint: Hash of its main content, independent of its markup.
        previous_fingerprint: Hash of the content that was delivered before.
        final_url: URL after redirects.
        content_type: ``Content-Type`` header.
        canonical: Canonical URL that the page declares.
        is_noindex: Whether the page asks search engines not to index it.
        sitemap: Sitemap that lists the page.
        lastmod: Date of the page in the sitemap.
        last_modified: ``Last-Modified`` header, as it was sent.
        page_lastmod: Date of the last modification that the page itself states.
        page_lastmod_from: Where the page states it, such as ``json-ld``.
        preferences: What the site states about the use of the page by AI.
    """

    change: UpdateKind
    loc: str
    reason: str | None = None
    is_known: bool = False
    title: str | None = None
    text: str | None = None
    language: str | None = None
    fingerprint: str | None = None
    previous_fingerprint: str | None = None
    final_url: str | None = None
    content_type: str | None = None
    canonical: str | None = None
    is_noindex: bool = False
    sitemap: str | None = None
    lastmod: datetime | None = None
    last_modified: str | None = None
    page_lastmod: str | None = None
    page_lastmod_from: str | None = None
    preferences: AiPreferences = NO_PREFERENCES

    def to_dict(self) -> UpdateJson:
        """Return the update as a flat dictionary for JSON, with the preferences as columns."""
        statements = list(self.preferences.statements)
        stated = self.preferences._asdict()
        return values_of(self, UpdateJson, ai_statements=statements, **stated)


class UpdateJson(TypedDict):
    """What happened to one page since the last run.

    Attributes:
        ai_statements: What the site states about the use by AI, as written, with the place of each.
    """

    change: UpdateKind
    loc: str
    reason: str | None
    is_known: bool
    title: str | None
    text: str | None
    language: str | None
    fingerprint: str | None
    previous_fingerprint: str | None
    final_url: str | None
    content_type: str | None
    canonical: str | None
    is_noindex: bool
    sitemap: str | None
    lastmod: Instant | None
    last_modified: str | None
    page_lastmod: str | None
    page_lastmod_from: str | None
    train_ai: bool | None
    search: bool | None
    ai_input: bool | None
    license: str | None
    ai_statements: list[str]


class SyncCounts(TypedDict):
    """Numbers of pages of a synchronization, so far.

    Attributes:
        added: Updates of new pages.
        changed: Updates of pages that changed.
        removed: Updates of pages that are removed.
        unknown: Updates of pages about which nothing can be said.
        unchanged: Requested pages without a change.
        trusted: Pages that were not requested, because their `lastmod` is the same.
        gone: Listed pages that answer 404 or 410, and were never delivered.
    """

    added: int
    changed: int
    removed: int
    unknown: int
    unchanged: int
    trusted: int
    gone: int


def page_text(data: bytes, content_type: str | None) -> str:
    r"""Return the text of the main content of an HTML page, in lines as a browser displays them.

    The main content is ``main``, else the only ``article``, else the body without navigation,
    header, footer and sidebars. Plain text is returned as it is; other types have no text.

    >>> page_text(b"<title>Tea</title><nav>Home</nav><main><h1>Tea</h1>Of many kinds.", "text/html")
    'Tea\nOf many kinds.'
    """
    kind = (content_type or "text/html").partition(";")[0].strip().lower()
    if kind.startswith(HTML_TYPES):
        return read_page(data, "https://localhost/", content_type, wants=("text",)).text
    if kind in ("text/plain", "text/markdown"):
        return data.decode(errors="replace")
    return ""


def content_fingerprint(data: bytes) -> str:
    """Return 128 bits of blake2b, in hexadecimal, of a document that is no HTML page."""
    return blake2b(data, digest_size=16, person=b"urlset-file-1").hexdigest()


class SyncJson(ResultJson):
    """Result of a synchronization.

    Attributes:
        site: URL that was given.
        is_dry_run: Whether nothing was stored.
        counts: Numbers of pages, so far; each is there, also if it is 0.
    """

    site: str
    is_dry_run: bool
    counts: Annotated[dict[str, int], SyncCounts]


class SyncBatch:
    """Updates of some pages. Call :meth:`commit` once the index has them.

    What is not committed is delivered again by the next run.

    Attributes:
        updates: The updates; a URL is in one batch of a run only.
    """

    def __init__(self, updates: list[PageUpdate], commit: Callable[[], None]):
        self.updates = updates
        self.is_committed: bool = False
        self._commit = commit

    def commit(self) -> None:
        """Record that the index has these updates; nothing happens the second time."""
        if not self.is_committed:
            self._commit()
            self.is_committed = True

    def __iter__(self) -> Iterator[PageUpdate]:
        return iter(self.updates)

    def __len__(self) -> int:
        return len(self.updates)


class UpdateFile:
    """Open file to which updates are appended as JSON lines; ``name`` is for messages.

    They survive a crash: whole lines, on the disk.

    Raises:
        urlset.TargetError: The file cannot be written; so does every method.
    """

    def __init__(self, file: BinaryIO, name: str):
        self._file = file
        self._name = name
        self._is_on_disk = name != "stdout" and _is_on_disk(file)

    @classmethod
    @contextmanager
    def opened(cls, target: str | os.PathLike[str] | BinaryIO) -> Iterator[UpdateFile]:
        """Open a path, without the incomplete line of a killed run; or use an open binary file."""
        if not isinstance(target, str | os.PathLike):
            yield cls(target, "stdout")
            return
        path = Path(target)
        name = repr(sanitize(str(path)))
        try:
            expect_no_outside_link(path)
            expect_no_store(path)
            file = path.open("ab+", buffering=0)  # closing does not write again what failed
        except OSError as error:
            raise TargetError(f"cannot write {name}: {write_error_reason(path, error)}") from error
        with file:
            if _is_on_disk(file):
                _cut_incomplete_line(file)
            yield cls(file, name)

    def write(self, updates: Iterable[PageUpdate]) -> None:
        """Write one line for each update, to the disk if the file is on one."""
        lines = (json.dumps(update.to_dict(), ensure_ascii=False) for update in updates)
        data = "".join(f"{escape_json(line)}\n" for line in lines).encode()
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._file.flush()
            if self._is_on_disk:
                os.fsync(self._file.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise TargetError(f"cannot write {self._name}: {error.strerror or error}") from error


def _is_on_disk(file: BinaryIO) -> bool:
    """Return whether an open file is a regular one: no pipe and no device, such as /dev/null."""
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _cut_incomplete_line(file: BinaryIO) -> None:
    end = position = file.seek(0, os.SEEK_END)
    while position > 0:
        begin = max(0, position - 65_536)
        file.seek(begin)
        found = file.read(position - begin).rfind(b"\n")
        if found >= 0:
            position = begin + found + 1
            break
        position = begin
    if position < end:
        file.truncate(position)
    file.seek(0, os.SEEK_END)
