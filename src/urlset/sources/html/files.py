"""Find the pages below a folder, their URLs, and those that are no content, such as 404.html.

One folder is in memory at a time.

Error pages and verification files are detected by name and content. Neither is enough alone:
``/templates/404/`` may be a chapter on error pages, ``/comic/404/`` is one of many comics, and a
page with the title "Not found" may be about a film.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence, Set
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote, unquote

from urlset.engine import ListedFile, get
from urlset.folder_walk import MAX_DEPTH
from urlset.html import MAX_ERROR_TEXT, PageFacts
from urlset.languages import LANGUAGES, REGIONS, SCRIPTS

COARSE_NS = 2_000_000_000
FINE_NS = 50_000_000
"""Minimum age of a file's modification time, on file systems with a clock of seconds or finer:
a later change within the same tick would be invisible."""


class FoundFile(NamedTuple):
    """File below a folder that may be a page: its path, size and modification time.

    Attributes:
        path: Path relative to the folder, with ``/`` between parts.
        file_path: Path in the file system.
        error: Why the file cannot be read, or None.
        duplicate_of: Another file of the same page: ``about/index.html`` of ``about.html``.
        is_duplicate: Whether the server shows ``duplicate_of`` instead of this file.
        siblings: Names next to the page: in its folder, or next to the folder of an index.
        state: Size, times and inode number, which change with the file; None if unknown.
        mtime_ns: Modification time, in nanoseconds since 1970; None if unknown.
        size: Size in bytes.
        facts: Facts of the page in a cache, or None.
    """

    path: str
    file_path: str
    error: str | None = None
    duplicate_of: str | None = None
    is_duplicate: bool = False
    siblings: frozenset[str] = frozenset()
    state: str | None = None
    mtime_ns: int | None = None
    size: int = 0
    facts: PageFacts | None = None


class _Folder(NamedTuple):
    path: str
    file_path: str
    files: Iterator[ListedFile]
    names: frozenset[str]
    identity: tuple[int, int] | None


def find_pages(
    root: str,
    extensions: Sequence[str],
    *,
    follow_symlinks: bool,
    on_skipped: Callable[[str], None],
) -> Iterator[FoundFile]:
    """Yield the pages below a folder, sorted by name in each folder.

    Hidden files and folders are skipped. Folders that cannot be read are yielded with their error.

    Args:
        root: The folder.
        extensions: The endings of names of pages, in lower case.
        follow_symlinks: Whether symbolic links are followed.
        on_skipped: Called with the reason for what is not followed: ``link``, ``loop``, ``depth``.

    Raises:
        OSError: The root cannot be read.
    """
    ends = tuple(extensions)
    stack = [_list_folder(root, "", ends, follow_symlinks)]
    while stack:
        folder = stack[-1]
        file = next(folder.files, None)
        if file is None:
            stack.pop()
            continue
        name, is_link, kind = file[:3]
        path, file_path = f"{folder.path}{name}", f"{folder.file_path}{name}"
        if is_link and not follow_symlinks:
            if name.lower().endswith(ends):
                on_skipped("link")
        elif kind != "folder":
            names = folder.names
            is_index = len(stack) > 1 and name.lower() in INDEXES
            yield _found_file(file, path, file_path, names, stack[-2].names if is_index else names)
        elif len(stack) >= MAX_DEPTH:
            on_skipped("depth")
        else:
            try:
                inner = _list_folder(file_path, f"{path}/", ends, follow_symlinks)
            except OSError as error:
                yield FoundFile(f"{path}/", file_path, error=_error_text(error))
                continue
            if inner.identity and any(inner.identity == above.identity for above in stack):
                on_skipped("loop")
            else:
                stack.append(inner)


def _list_folder(
    file_path: str, path: str, extensions: Sequence[str], follow_symlinks: bool
) -> _Folder:
    names, files = get(None).list_folder(file_path, extensions)
    status = os.stat(file_path) if follow_symlinks else None
    identity = (status.st_dev, status.st_ino) if status else None
    return _Folder(path, os.path.join(file_path, ""), iter(files), frozenset(names), identity)


def _found_file(
    file: ListedFile, path: str, file_path: str, names: frozenset[str], siblings: frozenset[str]
) -> FoundFile:
    name, _, kind, size, mtime_ns, state = file
    if kind != "file":
        error = "no regular file"  # reading a pipe could block forever
        if kind is None:
            try:
                os.stat(file_path)
            except OSError as found:
                error = _error_text(found)
        return FoundFile(path, file_path, error=error, siblings=siblings)
    duplicate_of = _other_file(name, file_path, names)
    is_duplicate = duplicate_of in INDEXES and duplicate_of != name
    return FoundFile(
        path, file_path, None, duplicate_of, is_duplicate, siblings, state, mtime_ns, size
    )


def _other_file(name: str, file_path: str, names: frozenset[str]) -> str | None:
    """Return the index of the folder of an index, or the file that shows the page of another."""
    if name.lower() in INDEXES:
        return next((index for index in INDEXES if index in names), name)
    stem = name.rpartition(".")[0]
    if stem not in names:
        return None
    folder_path = file_path[: len(stem) - len(name)]
    return next(
        (f"{stem}/{index}" for index in INDEXES if os.path.isfile(f"{folder_path}/{index}")), None
    )


def _error_text(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def is_settled(mtime_ns: int, now_ns: int | None = None) -> bool:
    """Return whether a modification time is so old that any later change must differ from it.

    >>> is_settled(1_000_000_001, now_ns=2_000_000_000), is_settled(10**9, now_ns=2 * 10**9)
    (True, False)
    """
    tick = FINE_NS if mtime_ns % 1_000_000_000 else COARSE_NS
    return mtime_ns + tick < (time.time_ns() if now_ns is None else now_ns)


INDEXES = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")
"""Names of the page of a folder; servers use the first that exists."""

# Characters of a path that are not percent-encoded (RFC 3986 section 3.3).
_SAFE = "~!$&'()*+,;=:@-._"
_PLAIN_PATH = re.compile(rf"[A-Za-z0-9/{re.escape(_SAFE)}]*", re.ASCII)

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r"(?<=[^:/]):(?:0*(?:80|443))?(?=/|$)")


class FileUrls:
    """Map the paths of files below a folder to URLs.

    ``strip_html`` removes the extension of a page. With ``trailing_slash`` None, the URL of a
    folder ends with a slash and that of a file does not; with True, a stripped page also has a
    slash; with False, a folder has none, except for the root.

    >>> FileUrls("https://example.com/", strip_html=True).url("tea/green leaf.html")
    'https://example.com/tea/green%20leaf'
    >>> FileUrls("https://example.com/").url("tea/index.html")
    'https://example.com/tea/'
    """

    def __init__(
        self,
        base_url: str,
        *,
        strip_html: bool = False,
        trailing_slash: bool | None = None,
        extensions: Sequence[str] = (".html", ".htm", ".xhtml"),
    ):
        base = base_url.partition("#")[0].partition("?")[0]
        self.base: str = base if base.endswith("/") else f"{base}/"
        self._strip = strip_html
        self._slash = trailing_slash
        self.extensions: tuple[str, ...] = tuple(extension.lower() for extension in extensions)

    def url(self, path: str) -> str:
        """Return the URL of a file, by its path in the folder, with ``/`` between parts."""
        folder, _, name = path.rpartition("/")
        if name.lower() in INDEXES:
            path = f"{folder}/" if folder and self._slash is not False else folder
        elif self._strip:
            path = path[: -len(self._extension(name))] + ("/" if self._slash else "")
        if _PLAIN_PATH.fullmatch(path):
            return self.base + path
        return self.base + quote(os.fsencode(path), safe=f"/{_SAFE}")

    def _extension(self, name: str) -> str:
        return next(end for end in self.extensions if name.lower().endswith(end))


def same_page(one: str, other: str) -> bool:
    """Return whether two URLs differ only in scheme, default port, final slash or ``.html``.

    >>> same_page("http://example.com/tea/index.html", "https://example.com/tea")
    True
    >>> same_page("https://example.com:/tea", "https://example.com:0443/tea")
    True
    >>> same_page("https://www.example.com/tea", "https://example.com/tea")
    False
    """
    return one == other or _comparable(one) == _comparable(other)


def _comparable(url: str) -> str:
    host, _, path = _SCHEME.sub("", url.partition("#")[0], count=1).partition("/")
    path, mark, query = path.partition("?")
    folder, slash, name = unquote(path).rpartition("/")
    name = "" if name.lower() in INDEXES else name
    path = _HTML_SUFFIX.sub("", f"{folder}{slash}{name}".rstrip("/"))
    host = host.lower()
    return f"{_DEFAULT_PORT.sub('', host) if ':' in host else host}/{path}{mark}{query}"


MAX_LINE = 200
MAX_HEADING = 60

_ERROR_NAMES = r"(?:[45]\d\d|[45]xx|50x|error|not[-_]?found)"
_ERROR_NAME = re.compile(_ERROR_NAMES, re.IGNORECASE)
_ERROR_FILE = re.compile(rf"{_ERROR_NAMES}(?:\.x?html?)?", re.IGNORECASE)
_HTML_SUFFIX = re.compile(r"\.x?html?$", re.IGNORECASE)
_SHORT_NUMBER = re.compile(r"\d{1,3}")
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}))?", re.IGNORECASE)

# Statuses of RFC 9110 and its extensions, and those of nginx, Cloudflare and IIS.
_STATUSES = frozenset({str(int(status)) for status in HTTPStatus if status >= 400}) | frozenset(
    "419 420 430 440 444 449 450 494 495 496 497 498 499 509 520 521 522 523 524 525 526 527 529 "
    "530 598 599".split()
)

# Phrases of error pages in the most used languages of the web; a status is a number in all.
_PHRASES = """
not found|no such page|(?:does|do) ?n[o'’]t exist|(?:ca|could)n['’]t (?:be found|find)
|(?:cannot|could not) (?:be found|find)|no longer (?:exists|available|here)|server error
|internal error|bad request|forbidden|unauthorized|access denied
|something went wrong|service unavailable|temporarily unavailable|bad gateway
|gateway timeout|an? (?:unexpected )?error (?:has )?occurred|looking for
|page (?:is )?missing|nicht gefunden|existiert nicht|gibt es nicht|nicht vorhanden
|zugriff verweigert|serverfehler|introuvable|n['’]existe pas|non trouvée?
|no (?:se )?encontrad[ao]|no existe|no se (?:ha )?encontr(?:ó|ado|ada)
|não (?:foi )?encontrad[ao]|não existe|non (?:è stata )?trovat[ao]|non esiste
|niet gevonden|bestaat niet|nie (?:została )?znalezion[aoe]|nie istnieje
|не найден[ао]?|не существует|не знайдено|не існує|nenalezen[ao]|neexistuje
|hittades inte|finns inte|ikke fun[dn]et|findes ikke|finnes ikke|ei löytynyt
|ei löydy|bulunamadı|nem található|nu (?:a fost )?găsit[ăa]?|δεν βρέθηκε|δεν υπάρχει
|見つかりません|存在しません|找不到|未找到|不存在|無法找到
|찾을 수 없|존재하지 않|غير موجودة|لم يتم العثور|לא נמצא
|یافت نشد|नहीं मिला|ไม่พบ|không tìm thấy|không tồn tại|tidak ditemukan
"""
_ANY_PHRASE = " ".join(_PHRASES.split()).replace(" |", "|")
_ERROR_PHRASE = re.compile(rf"(?<![a-zà-ÿ])(?:{_ANY_PHRASE})", re.IGNORECASE)
_ERROR_LINE = re.compile(
    rf"\W*(?:[45]\d\d\W*)?(?:(?:the|this|sorry|oops|requested)\W+){{0,3}}(?:page )?"
    rf"(?:was |is )?(?:{_ANY_PHRASE})\W*",
    re.IGNORECASE,
)

_VERIFICATION = re.compile(
    r"(?:google([0-9a-f]{12,20})|yandex_([0-9a-f]{12,20})|naver([0-9a-f]{20,40})|"
    r"pinterest-([0-9a-z]{5,12})|baidu_verify_([\w-]{6,30}))\.html?",
    re.IGNORECASE,
)
_MAX_VERIFICATION = 1_024


def may_be_error_page(path: str, siblings: Set[str] = frozenset()) -> bool:
    """Return whether a page has the name and the location of an error page.

    The location is the root, or the root of a language. ``siblings`` are the names next to the
    page: a number among other numbers is not the status of an error.

    >>> [may_be_error_page(path) for path in ("404.html", "pt-br/404.html", "404/index.html")]
    [True, True, True]
    >>> [may_be_error_page(path) for path in ("templates/404/index.html", "std/error/index.html")]
    [False, False]
    >>> may_be_error_page("404.html", {"404.html", "403.html", "402.html", "99.html"})
    False
    """
    folder, _, name = path.rpartition("/")
    if folder and name.lower() in INDEXES:
        name = folder.rpartition("/")[2]
    if not _ERROR_FILE.fullmatch(name):  # most pages
        return False
    *folders, name = _parts(path)
    if not _ERROR_NAME.fullmatch(name) or len(folders) > 1 or not all(map(_is_language, folders)):
        return False
    return not (name.isdigit() and any(map(_is_other_number, siblings)))


def is_named_after_error(path: str) -> bool:
    """Return whether a page has the name of an error page, wherever it is.

    >>> [is_named_after_error(path) for path in ("comic/404/index.html", "gone/index.html")]
    [True, False]
    """
    return bool(_ERROR_NAME.fullmatch(_parts(path)[-1]))


def is_error_page(path: str, facts: PageFacts) -> bool:
    """Return whether a page is an error page, by its file name and by its content.

    Its content has a line that is only the status or an error phrase (next to navigation, for
    example), or it is short and has either in a line, the title or the description. ``facts`` must
    include the ``text`` of the page.
    """
    name = _parts(path)[-1]
    number = name if name.isdigit() else r"[45]\d\d"
    alone = re.compile(rf"\W*(?:error )?{number}(?: error)?\W*", re.IGNORECASE)
    lines = [line[:MAX_LINE] for line in facts.text.splitlines()]
    if any(alone.fullmatch(line) or _ERROR_LINE.fullmatch(line) for line in lines):
        return True
    if len(facts.text) > MAX_ERROR_TEXT:
        return False
    is_numbered = re.compile(rf"(?<![\w.]){number}(?!\w)")
    heads = [facts.title or "", facts.description or ""]
    short = [line for line in lines if len(line) <= MAX_HEADING]
    return any(map(is_numbered.search, heads + short)) or any(
        map(_ERROR_PHRASE.search, heads + lines)
    )


def may_be_verification_file(path: str) -> bool:
    """Return whether a file has a name with which search engines verify the ownership of a site."""
    return _VERIFICATION.fullmatch(path) is not None


def is_verification_file(path: str, data: bytes) -> bool:
    """Return whether a file proves the ownership of a site to a search engine.

    Such a file has a known name, is small, and repeats the code in its name or has "verif" in it.

    >>> name = "google0123456789abcdef.html"
    >>> is_verification_file(name, b"google-site-verification: google0123456789abcdef.html")
    True
    >>> is_verification_file(name, b"<title>Search engines of 2012</title><p>A review.")
    False
    """
    found = _VERIFICATION.fullmatch(path)
    if found is None or len(data) > _MAX_VERIFICATION:
        return False
    code = found[found.lastindex or 0].lower().encode()
    return code in data.lower() or b"verif" in data.lower()


def _parts(path: str) -> list[str]:
    """Split a file path into the parts of its URL, without ``index.html`` and extensions."""
    *folders, name = path.split("/")
    return (
        folders if folders and name.lower() in INDEXES else [*folders, _HTML_SUFFIX.sub("", name)]
    )


def _is_language(name: str) -> bool:
    found = _LANGUAGE.fullmatch(name)
    if found is None:
        return False
    language, script, region = found.groups()
    return (
        language.lower() in LANGUAGES
        and (script is None or script.title() in SCRIPTS)
        and (region is None or region.upper() in REGIONS)
    )


def _is_other_number(name: str) -> bool:
    """Return whether a name is a number but not an HTTP status, such as page 7 of many."""
    stem = _HTML_SUFFIX.sub("", name)
    return _SHORT_NUMBER.fullmatch(stem) is not None and stem not in _STATUSES
