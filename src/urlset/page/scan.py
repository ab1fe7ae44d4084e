"""One pass over the markup of a page: its head, its data, and the text of its main content."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

__all__ = ["Element", "Scan", "attributes_of", "scan"]

MAX_ELEMENTS = 20_000
MAX_REGIONS = 64

# Beware: `<` ends a tag, too, so that no text is looked at twice. In repaired markup neither
# stands in an attribute.
_TOKEN = re.compile(r"<(?:(/?[a-zA-Z][^\s/<>]*+)([^<>]*+)>|!--(?:.*?)(?:-->|\Z)|[!?])", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""([^\s"'>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?""", re.DOTALL
)
_ROLES = re.compile(
    r"""\s(?:role\s*=\s*["']?(main|navigation|banner|contentinfo|complementary)\b|"""
    r"""(?:class|id)\s*=\s*(?:"[^"]*?|'[^']*?|)(?<![a-z])(?:"""
    r"""(?:cookies?|consent|gdpr|ccpa)[-_]?(?:consent|banner|bar|notice|popup|law|message|modal|"""
    r"""dialog|overlay)|view-?count(?:er)?s?|page-?views)(?![a-z]))""",
    re.IGNORECASE,
)
_MODIFIED = re.compile(r"modified|\b(?:updated|last-?updated)\b", re.IGNORECASE)

_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter
    nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr svg path
    g use math""".split()
)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_RAW = frozenset("script style template noscript iframe noembed noframes xmp".split())
_CHROME = frozenset(("header", "footer", "aside"))
_HEAD = frozenset("html head base link meta title script style template noscript".split())
_KEPT = frozenset("meta link base img time source data".split())
_WORDS = _KEPT | _RAW | _CHROME | {"main", "article", "nav", "title", "html", "head", "body", "a"}


class Element(NamedTuple):
    """An element that says something: its name, its attributes, and where it stands."""

    name: str
    said: dict[str, str]
    in_head: bool
    in_chrome: bool


class Scan:
    """What one pass found.

    ``parts`` are stretches of text of the page without its chrome, ``main`` and ``articles`` where
    in them those begin and end; ``links`` are what it refers to, with their place in ``parts``.
    """

    def __init__(self) -> None:
        self.title: str | None = None
        self.language: str | None = None
        self.elements: list[Element] = []
        self.data: list[str] = []
        self.parts: list[str] = []
        self.main: list[tuple[int, int]] = []
        self.articles: list[tuple[int, int]] = []
        self.links: list[tuple[int, str]] = []


class _Region:
    """An open element of which the end matters; elements of the same name nest in it."""

    __slots__ = ("begin", "depth", "kind", "name")

    def __init__(self, name: str, kind: str, begin: int):
        self.name, self.kind, self.begin = name, kind, begin
        self.depth = 1


def attributes_of(text: str) -> dict[str, str]:
    """The attributes of a tag, names in lower case; the first of a name counts.

    >>> attributes_of(' HREF="/a?b&amp;c" async')
    {'href': '/a?b&c', 'async': ''}
    """
    said: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        said.setdefault(name.lower(), html.unescape(value) if "&" in value else value)
    return said


def scan(text: str) -> Scan:
    """Go once through the markup of a page; takes time in proportion to it, and never raises."""
    return _Scanning(text).found


class _Scanning:
    """The pass; one object per page."""

    def __init__(self, text: str):
        self.found = Scan()
        self._text = text
        self._regions: list[_Region] = []
        self._skipping: _Region | None = None
        self._raw: tuple[str, int, bool] | None = None
        self._in_head = True
        self._kept = 0
        self._title_from: int | None = None
        self._run()
        for region in self._regions:
            self._leave(region)

    def _run(self) -> None:
        """Pass from tag to tag; what most tags need is done here, as calls cost more than it."""
        text, parts, last = self._text, self.found.parts, 0
        for token in _TOKEN.finditer(text):
            begin, end = token.span()
            name = token[1]
            if self._raw is not None:
                if name is None or name[0] != "/" or name[1:].lower() != self._raw[0]:
                    continue
                self._end_raw(begin)
                last = end
                continue
            if self._skipping is None and begin > last:
                parts.append(text[last:begin])
            last = end
            if name is None:
                continue
            name = name.lower()
            if name[0] == "/":
                name = name[1:]
                if name == "title":
                    self._end_title(begin)
                if self._regions:
                    self._close(name)
            else:
                rest = token[2]
                if name in _WORDS or (rest and _ROLES.search(rest)):
                    self._open(name, rest, end)
                elif self._in_head and name not in _HEAD:
                    self._in_head = False
                if self._regions and name not in _VOID:
                    self._nest(name)
            if name not in _INLINE and self._skipping is None:
                parts.append("\n")
        if self._skipping is None and self._raw is None and last < len(text):
            parts.append(text[last:])

    def _open(self, name: str, rest: str, end: int) -> None:
        if self._in_head and (name not in _HEAD or name == "body"):
            self._in_head = False
        if name in ("html", "head", "title", "body"):
            if name == "html" and rest:
                self.found.language = attributes_of(rest).get("lang") or None
            is_title = name == "title" and self._in_head and self._title_from is None
            if is_title:
                self._title_from = end
            return
        if name in _RAW:
            is_data = name == "script" and "ld+json" in rest.lower()
            self._raw = (name, end, is_data)
            return
        if name in _KEPT or name == "a":
            self._keep(name, rest)
        kind = self._kind(name, rest)
        if kind and name not in _VOID and len(self._regions) < MAX_REGIONS:
            region = _Region(name, kind, len(self.found.parts))
            region.depth = 0  # `_nest` counts its own start
            self._regions.append(region)
            if kind == "skip" and self._skipping is None:
                self._skipping = region

    def _kind(self, name: str, rest: str) -> str | None:
        """What kind of region an element opens: ``main``, ``article``, ``skip`` or none."""
        if name in ("main", "article"):
            return name
        if name == "nav" or (name == "time" and self._is_told_by_attribute(rest)):
            return "skip"
        role = _ROLES.search(rest) if rest else None
        word = (role[1] or "").lower() if role else ""
        if word == "main":
            return "main"
        is_inner = any(region.kind != "skip" for region in self._regions)
        if name in _CHROME or word in ("banner", "contentinfo", "complementary"):
            return None if is_inner else "skip"
        return "skip" if role else None

    def _is_told_by_attribute(self, rest: str) -> bool:
        """Tell whether the words of a ``time`` do not count: `2 days ago`, or of an update."""
        if _MODIFIED.search(rest):
            return True
        moment = attributes_of(rest).get("datetime", "")
        if moment and self._skipping is None:
            self.found.parts.append(f" {html.escape(moment, quote=False)} ")
        return bool(moment)

    def _keep(self, name: str, rest: str) -> None:
        if self._kept >= MAX_ELEMENTS:
            return
        self._kept += 1
        said = attributes_of(rest)
        if name in ("a", "img", "source") and self._skipping is None:
            target = said.get("href") or said.get("src") or said.get("data-src") or ""
            if target:
                self.found.links.append((len(self.found.parts), target))
            if said.get("alt"):
                self.found.parts.append(f" {html.escape(said['alt'], quote=False)} ")
        if name not in ("a", "source"):
            in_chrome = self._skipping is not None
            self.found.elements.append(Element(name, said, self._in_head, in_chrome))

    def _nest(self, name: str) -> None:
        for region in self._regions:
            if region.name == name:
                region.depth += 1

    def _close(self, name: str) -> None:
        regions = self._regions
        for region in regions:
            if region.name == name:
                region.depth -= 1
        while regions and regions[-1].depth <= 0:
            self._leave(regions.pop())

    def _leave(self, region: _Region) -> None:
        span = region.begin, len(self.found.parts)
        if region is self._skipping:
            self._skipping = None
        elif self._skipping is None and region.kind == "main":
            self.found.main.append(span)
        elif self._skipping is None and region.kind == "article":
            if not any(other.kind == "article" for other in self._regions):
                self.found.articles.append(span)

    def _end_raw(self, begin: int) -> None:
        assert self._raw is not None  # it is what was entered
        _, start, is_data = self._raw
        if is_data and len(self.found.data) < 64:
            self.found.data.append(self._text[start:begin])
        self._raw = None

    def _end_title(self, begin: int) -> None:
        if self._title_from is not None and self.found.title is None:
            title = html.unescape(self._text[self._title_from : begin])
            self.found.title = " ".join(title.split())
            self.found.parts.clear()  # nothing of a head is content
