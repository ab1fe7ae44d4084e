"""Detect pages whose title and heading say "not found", whatever their status."""

from __future__ import annotations

import re
from html import unescape
from itertools import groupby
from operator import itemgetter

MAX_ERROR_TEXT = 2_000
"""Maximum characters of the main content of an error page; a longer page is about errors."""

# Every language by its usual phrase; with punctuation replaced by blanks, in lower case.
_NOT_FOUND = frozenset(
    line.strip()
    for line in """
    404
    404 error
    404 not found
    404 page not found
    error 404
    error 404 not found
    error 404 page not found
    file not found
    not found
    oops page not found
    page does not exist
    page not found
    page not found 404
    sorry page not found
    the page could not be found
    this page could not be found
    this page does not exist
    we couldn t find that page
    die seite wurde nicht gefunden
    fehler 404
    seite nicht gefunden
    404 seite nicht gefunden
    erreur 404
    page introuvable
    page non trouvée
    error 404 página no encontrada
    página no encontrada
    errore 404
    pagina non trovata
    erro 404
    página não encontrada
    pagina niet gevonden
    nie znaleziono strony
    strona nie została znaleziona
    stránka nenalezena
    sidan hittades inte
    siden blev ikke fundet
    siden ble ikke funnet
    sivua ei löytynyt
    sayfa bulunamadı
    страница не найдена
    сторінку не знайдено
    ページが見つかりません
    页面未找到
    找不到页面
    페이지를 찾을 수 없습니다
    """.strip().splitlines()
)
# One word of each: a title without any of them says something else.
# Grouped by their first letters, with which most positions of a title are done.
_LONGEST = sorted({max(text.split(), key=len) for text in _NOT_FOUND})
ERROR_WORDS = tuple(word for word in _LONGEST if word.isascii())
"""Words of which each title in ASCII that says "not found" has one, in lower case."""
_WORDS = re.compile(
    "|".join(
        f"{first}(?:{'|'.join(word[1:] for word in words)})"
        for first, words in groupby(_LONGEST, key=itemgetter(0))
    )
)
_TITLE_PARTS = re.compile(r"\s[-–—·:•«»]\s|[|]|:\s")
_HEADING = re.compile(rb"<h1\b[^<>]{0,500}+>(.{0,500}?)</h1", re.IGNORECASE | re.DOTALL)
_HEADING_WITHIN = 262_144
_TAG = re.compile(rb"<[^<>]{0,200}+>")
_NO_WORD = re.compile(r"[\W_]")


def says_not_found(title: str | None, body: bytes) -> bool:
    """Return whether the title and the first heading of a page both say "not found".

    The heading must have no other words, and the title no others than the name of the site. A page
    about the status 404 has more.

    >>> says_not_found("Page not found | Shop", b"<h1>Page <b>not</b> found!</h1>")
    True
    >>> says_not_found("How to write a page not found", b"<h1>How to write a 404 page</h1>")
    False
    """
    if not title_says_not_found(title):
        return False
    heading = _HEADING.search(body[:_HEADING_WITHIN])
    if heading is None:
        return False
    text = _TAG.sub(b" ", heading[1]).decode(errors="replace")
    return _plain(unescape(text)) in _NOT_FOUND


def title_says_not_found(title: str | None) -> bool:
    """Return whether the title of a page, or a part of it, says "not found" and nothing else."""
    if title is None or not _WORDS.search(title.casefold()):
        return False
    parts = _TITLE_PARTS.split(title)
    return any(_plain(part) in _NOT_FOUND for part in parts)


def _plain(text: str) -> str:
    return " ".join(_NO_WORD.sub(" ", text[:200].casefold()).split())
