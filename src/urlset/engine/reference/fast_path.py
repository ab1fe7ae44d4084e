"""Parse entries in the common form with regular expressions, without a tree.

An entry is plain if its elements are in the usual order, its extensions have no attributes except
those of an alternate, and nothing in it needs a repair. Any other entry is left to the tree. The
tree yields the same result for plain entries in several times the time: no result depends on this
module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from datetime import datetime
from typing import Any

from urlset.dates import parse_date
from urlset.engine.reference.context import Context
from urlset.engine.reference.names import CHILDREN
from urlset.engine.reference.sitemap import read_priority
from urlset.engine.reference.tree import Node
from urlset.engine.reference.values import is_doubly_escaped
from urlset.fields import RECORDS, is_leaf, place_of
from urlset.model import Alternate, Entry, Image, News, Video
from urlset.protocol import CHANGEFREQS, MAX_IMAGES, MAX_LOC, URIS, Ns
from urlset.urls import SPACE, parse_url

MAX_ENTRY = 262_144  # bytes; too few to reach the limits of elements and values

# Note: no pattern may look beyond the end of an entry, or scan a byte twice: each byte is scanned
# once here and once by the tree. No group may occur inside a possessive repetition, which fails in
# some releases of Python 3.11 (https://github.com/python/cpython/issues/101955).
_S = rb"[ \t\r\n]*+"
_CORE = (
    rb"(?:" + _S + rb"<lastmod>([^<]++)</lastmod>)?"
    rb"(?:" + _S + rb"<changefreq>([^<]++)</changefreq>)?"
    rb"(?:" + _S + rb"<priority>([^<]++)</priority>)?"
    rb"(?:" + _S + rb"(</url>))?"
)  # fmt: skip
_BEGIN = re.compile(_S + rb"(<)url>" + _S + rb"<loc>([^<]++)</loc>" + _CORE)
_REST = re.compile(_CORE)

_LEAVES = rb"((?>(?:" + _S + rb"<%b:[a-z_]++>[^<]*+</%b:[a-z_]++>)*))" + _S
_IMAGES, _VIDEOS, _NEWS = (_LEAVES % (name, name) for name in (b"image", b"video", b"news"))
_CHILD = re.compile(
    _S + rb"<(?:"
    rb"xhtml:link((?>(?:[ \t\r\n]++[a-z]++=\"[^\"<\t\r\n]*+\")+))" + _S + rb"/>"
    rb"|image:image>" + _IMAGES + rb"</image:image>"
    rb"|video:video>" + _VIDEOS + rb"</video:video>"
    rb"|news:news>" + _S + rb"<news:publication>" + _NEWS + rb"</news:publication>"
    + _NEWS + rb"</news:news>)"
)  # fmt: skip
_LINK, _IMAGE, _VIDEO, _ARTICLE = 1, 2, 3, 5  # the last group of each
_PREFIXES = {_LINK: Ns.XHTML, _IMAGE: Ns.IMAGE, _VIDEO: Ns.VIDEO, _ARTICLE: Ns.NEWS}

# For text that has matched already.
_LEAF = re.compile(r"<[a-z]++:([a-z_]++)>([^<]*+)</[a-z]++:\1>")
_ATTRIBUTE = re.compile(r"[ \t\r\n]([a-z]++)=\"([^\"]*+)\"")
_CONTROLS = bytes({*range(32)} - {*b"\t\r\n"})

_VIDEO_KEYS = {
    place_of(field).elements[-1]
    for field in RECORDS["Video"].fields
    if is_leaf(field.type) and not field.is_list
}
_NEWS_KEYS = CHILDREN["news"] - {"publication"}
_LINK_KEYS = {"rel", "hreflang", "href", "media"}


class _NotPlainError(Exception):
    """Raised within this module for an entry that is not in the common form."""


class FastPath:
    """Reader of consecutive entries in the common form, within one root."""

    def __init__(self, context: Context, root: Node):
        self.context = context
        self._is_urlset = root.name.raw == b"urlset"  # <url> is in the namespace of the root
        self._known = {
            group
            for group, ns in _PREFIXES.items()
            if root.bindings.get(ns.name.lower().encode()) == URIS[ns]
        }

    def read(self, position: int) -> int:
        """Read entries from ``position`` while they are in the common form; return their end."""
        text = self.context.text
        try:
            while self._is_urlset and (begin := _BEGIN.match(text, position, position + MAX_ENTRY)):
                position = self._entry(begin)
        except _NotPlainError:
            pass
        return position

    def _entry(self, begin: re.Match[bytes]) -> int:
        context, start, end = self.context, begin.start(1), begin.end()
        _, loc, *values = begin.groups()
        children: list[re.Match[bytes]] = []
        if not values[3]:
            children = list(self._children(end, start + MAX_ENTRY))
            rest = _REST.match(context.text, children[-1].end() if children else end)
            if rest is None or not rest[4] or (any(values) and any(rest.groups()[:3])):
                raise _NotPlainError
            values, end = values if any(values) else [*rest.groups()], rest.end()
        _check(context.text[start:end])
        url = _url(_decoded(loc), context.base)
        lastmod, lastmod_text = _lastmod(values[0])
        extensions = _extensions(children) if children else {}
        context.entries.append(
            Entry(
                url,
                lastmod,
                lastmod_text,
                _changefreq(values[1]),
                _priority(values[2]),
                source=context.source,
                offset=context.source_offset(start),
                line=context.line(start),
                **extensions,
            )
        )
        context.news_count += "news" in extensions
        return end

    def _children(self, position: int, limit: int) -> Iterator[re.Match[bytes]]:
        """Yield matches of consecutive extension elements from a position."""
        while child := _CHILD.match(self.context.text, position, limit):
            if child.lastindex not in self._known:
                raise _NotPlainError
            yield child
            position = child.end()


def _check(entry: bytes) -> None:
    """Raise an error for an entry with other escapes than ``&amp;`` or forbidden characters."""
    if (
        entry.count(b"&") != entry.count(b"&amp;")
        or len(entry.translate(None, _CONTROLS)) != len(entry)
        or b"]]>" in entry
        or b"\xef\xbf\xbe" in entry
        or b"\xef\xbf\xbf" in entry
    ):
        raise _NotPlainError


def _decoded(value: bytes) -> str:
    text = value.decode().replace("&amp;", "&")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _url(text: str, base: str | None) -> str:
    url, flaws = parse_url(text, base)
    if url is None or flaws or len(url) >= MAX_LOC or is_doubly_escaped(text):
        raise _NotPlainError
    return url


def _lastmod(value: bytes | None) -> tuple[datetime | None, str | None]:
    if value is None:
        return None, None
    text = _decoded(value).strip(SPACE)
    date = parse_date(text)
    if date.code is not None:
        raise _NotPlainError
    return date.instant, text


def _changefreq(value: bytes | None) -> str | None:
    if value is None:
        return None
    text = value.decode()
    if text not in CHANGEFREQS:
        raise _NotPlainError
    return text


def _priority(value: bytes | None) -> float | None:
    if value is None:
        return None
    number = read_priority(_decoded(value).strip(SPACE))
    if number is None:
        raise _NotPlainError
    return number


# ── extensions ──


def _extensions(children: list[re.Match[bytes]]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for child in children:
        name, read = _READERS[child.lastindex or 0]
        found.setdefault(name, []).append(read(child))
    if len(found.get("news", ())) > 1 or len(found.get("images", ())) > MAX_IMAGES:
        raise _NotPlainError
    return {name: rows[0] if name == "news" else tuple(rows) for name, rows in found.items()}


def _alternate(child: re.Match[bytes]) -> Alternate:
    values = _unique(_ATTRIBUTE.findall(_decoded(child[_LINK])), _LINK_KEYS)
    href = values.get("href")
    if values.get("rel") != "alternate" or not href or not all(values.values()) or len(values) < 3:
        raise _NotPlainError
    return Alternate(values.get("hreflang"), href, values.get("media"))


def _image(child: re.Match[bytes]) -> Image:
    texts = _unique(_leaves(child[_IMAGE]), CHILDREN["image"])
    if not texts.get("loc"):
        raise _NotPlainError
    return Image(**texts)  # type: ignore[arg-type]


def _video(child: re.Match[bytes]) -> Video:
    leaves = _leaves(child[_VIDEO])
    tags = [text for key, value in leaves if key == "tag" and (text := value.strip(SPACE))]
    texts = _unique([leaf for leaf in leaves if leaf[0] != "tag"], _VIDEO_KEYS)
    return Video(**texts, tags=tuple(tags))  # type: ignore[arg-type]


def _news(child: re.Match[bytes]) -> News:
    publication = _unique(_leaves(child[_ARTICLE - 1]), CHILDREN["publication"])
    return News(**publication, **_unique(_leaves(child[_ARTICLE]), _NEWS_KEYS))


_READERS: dict[int, tuple[str, Callable[[re.Match[bytes]], Any]]] = {
    _LINK: ("alternates", _alternate),
    _IMAGE: ("images", _image),
    _VIDEO: ("videos", _video),
    _ARTICLE: ("news", _news),
}


def _leaves(raw: bytes) -> list[tuple[str, str]]:
    """Return the names and texts of elements that contain only text."""
    leaves = _LEAF.findall(_decoded(raw))
    if len(leaves) != raw.count(b"</"):  # an end tag has another name
        raise _NotPlainError
    return leaves


def _unique(pairs: list[tuple[str, str]], keys: Set[str]) -> dict[str, str | None]:
    """Return trimmed texts by name; raise for an unknown or repeated name."""
    texts = {key: value.strip(SPACE) or None for key, value in pairs}
    if len(texts) != len(pairs) or not texts.keys() <= keys:
        raise _NotPlainError
    return texts
