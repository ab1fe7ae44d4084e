"""Detect error pages, such as ``404.html``, and verification files, by name and content.

Neither is enough alone: ``/templates/404/`` may be a chapter on error pages, ``/comic/404/`` is one
of many comics, and a page with the title "Not found" may be about a film.
"""

from __future__ import annotations

import re
from collections.abc import Set
from http import HTTPStatus

from urlset.html import PageFacts
from urlset.languages import LANGUAGES, REGIONS, SCRIPTS
from urlset.sources.html.files import INDEXES

__all__ = ["MAX_TEXT", "is_error_page", "is_verification_file", "may_be_error_page"]

MAX_TEXT = 2_000
"""Maximum characters of main content; a longer page is about errors, and not an error page."""

MAX_LINE = 200
MAX_HEADING = 60

_ERROR_NAME = re.compile(r"([45]\d\d|[45]xx|50x|error|not[-_]?found)", re.IGNORECASE)
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
    *folders, name = _parts(path)
    if not _ERROR_NAME.fullmatch(name) or len(folders) > 1 or not all(map(_is_language, folders)):
        return False
    return not (name.isdigit() and any(map(_is_other_number, siblings)))


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
    if len(facts.text) > MAX_TEXT:
        return False
    is_numbered = re.compile(rf"(?<![\w.]){number}(?!\w)")
    heads = [facts.title or "", facts.description or ""]
    short = [line for line in lines if len(line) <= MAX_HEADING]
    return any(map(is_numbered.search, heads + short)) or any(
        map(_ERROR_PHRASE.search, heads + lines)
    )


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
    """Return the parts of a path in its URL: without ``index.html`` and extensions."""
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
