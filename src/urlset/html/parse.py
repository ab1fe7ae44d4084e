"""Bytes of a page as markup that a scan reads rightly: decoded, repaired; the door to selectolax.

*Repair, then scan strictly.* Lexbor makes of any soup the tree that a browser makes, and writes it
out again with every tag closed and every ``<`` and ``>`` of a text or an attribute escaped. Some
pages it must not be given, as its time grows with the square of their depth, or of the attributes
of one element (measured: 100,000 open ``div`` take 68 s, 25,000 attributes 3 s). Those are scanned
as they stand; what is in a well-formed page is found either way.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from urlset.engine import get
from urlset.engine.decoding import charset_of, codec_of, decode

__all__ = ["RepairedMarkup", "repair"]

# A page within these costs lexbor half a second at the very worst, however it is made.
MAX_TAGS = 4_000
MAX_GAP = 16_384
MAX_SPLIT = 100
MAX_FORMATS = 200

MAX_PROLOG = 65_536

_SPLIT_VALUE = re.compile(rb"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")
# Each open one of these is opened again in each paragraph behind it: 2,000 × 2,000 elements.
_FORMAT = re.compile(
    rb"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_CHARSET = re.compile(rb"""<meta\s[^<>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.I)
_PAGE = re.compile(rb"<(?:!doctype\s|html|head|title|body)(?=[\s>]|(?<=\s))", re.IGNORECASE)
_PRESCAN = 1_024  # https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding


class RepairedMarkup(NamedTuple):
    """Markup as text; ``is_page`` if it is a whole page, not a part of one."""

    text: str
    is_page: bool


def repair(data: bytes, content_type: str | None) -> RepairedMarkup:
    """The markup of a page, repaired where that costs no more than it is worth; never raises."""
    utf8 = _as_utf8(data, content_type)
    is_page = _PAGE.search(utf8[:MAX_PROLOG]) is not None
    if _is_safe_for_lexbor(utf8):
        from selectolax.lexbor import LexborHTMLParser, SelectolaxError

        try:
            # With scripting, `noscript` is text: an image in one does not end the head.
            repaired = LexborHTMLParser(utf8, scripting=True, options=1).html
        except SelectolaxError:
            repaired = None
        if repaired is not None:
            return RepairedMarkup(repaired, is_page)
    return RepairedMarkup(utf8.decode(errors="replace"), is_page)


def _as_utf8(data: bytes, content_type: str | None) -> bytes:
    is_utf8 = get(None).is_utf8
    if b"\0" not in data and is_utf8(data):
        return data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data[:MAX_PROLOG] or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return decode(data, None, is_utf8).text
    charset = charset_of(content_type)
    if charset is None and (found := _CHARSET.search(data[:_PRESCAN])):
        charset = found[1].decode()
    # Beware: a page that lies about its charset is read with U+FFFD, as browsers do.
    return data.decode(codec_of(charset) or "utf-8", "replace").encode(errors="replace")


def _is_safe_for_lexbor(data: bytes) -> bool:
    """Tell whether depth, attributes and open formats are bounded, whatever the bytes mean.

    Beware: this must hold for hostile bytes, so it counts what cannot be hidden: every ``<``, and
    how far it is from one ``>`` to the next, times the values that may hide a ``>``.
    """
    tags = data.count(b"<")
    if tags > MAX_TAGS:
        return False
    if len(data) > MAX_GAP:
        end = 0
        while end + MAX_GAP < len(data):
            if (end := data.rfind(b">", end, end + MAX_GAP) + 1) == 0:
                return False
        if len(_SPLIT_VALUE.findall(data)) > MAX_SPLIT:
            return False
    return tags < 2 * MAX_FORMATS or len(_FORMAT.findall(data)) <= MAX_FORMATS
