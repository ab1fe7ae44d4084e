"""Scan the markup of a page once: elements of the head, JSON-LD, and text of the main content."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from urlset.engine.html_page import HtmlElement, unescape

MAX_ELEMENTS = 20_000
MAX_REGIONS = 64
MAX_DATA = 64

# Note: `<` also ends a tag, so that no text is scanned twice. Repaired markup has neither `<`
# nor `>` in an attribute.
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

_INLINE_TAGS = frozenset(
    """abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter
    nobr output q rp rt ruby s samp small span strike strong sub sup tt u var wbr svg path
    g use math""".split()
)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_RAW = ("script", "style", "template", "noscript", "iframe", "noembed", "noframes", "xmp")
_RAW_ENDS = {name: re.compile(f"</{name}(?=[\\s/>])[^<>]*+>?", re.IGNORECASE) for name in _RAW}
_BOILERPLATE = frozenset(("header", "footer", "aside"))
_HEAD = frozenset(("html", "head", "base", "link", "meta", "title", *_RAW))
_RECORDED = frozenset("a base data img link meta source time".split())
_REFERRING = frozenset(("a", "img", "source"))

_INLINE, _RECORD, _BREAK, _OPENING, _CLOSING, _RAW_TEXT = range(6)
_BLOCK_TAGS = """
    address blockquote br button caption dd details div dl dt fieldset figcaption figure
    form h1 h2 h3 h4 h5 h6 hr legend li ol option p picture pre section select summary table tbody
    td tfoot th thead tr ul"""
_KINDS = {
    **{name: _BREAK for tag in _BLOCK_TAGS.split() for name in (tag, f"/{tag}")},
    **{name: _INLINE for role_name in _INLINE_TAGS for name in (role_name, f"/{role_name}")},
    **dict.fromkeys(("/a", "/data", "/time"), _INLINE),
    **dict.fromkeys(_RECORDED, _RECORD),
    **dict.fromkeys(_RAW, _RAW_TEXT),
}
"""How a tag is handled; unlisted ones break the line, and may open a region."""


class Scan:
    """Result of the scan of one page: elements, JSON-LD, text, and ranges of main content.

    Attributes:
        elements: The recorded elements.
        data: The texts of JSON-LD scripts.
        parts: Pieces of the text of the page, without boilerplate.
        main: Begin and end in ``parts`` of each ``main`` element.
        articles: Begin and end in ``parts`` of each outer ``article``.
        links: Targets of links and images, each with its position in ``parts``.
    """

    def __init__(self) -> None:
        self.title: str | None = None
        self.language: str | None = None
        self.elements: list[HtmlElement] = []
        self.data: list[str] = []
        self.parts: list[str] = []
        self.main: list[tuple[int, int]] = []
        self.articles: list[tuple[int, int]] = []
        self.links: list[tuple[int, str]] = []


class _Region(NamedTuple):
    """An open element whose end matters; ``level`` is the number of open ones with its name."""

    name: str
    kind: str
    begin: int
    level: int


def parse_attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag, with names in lower case; the first of a name is kept.

    >>> parse_attributes(' HREF="/a?b&amp;c" async')
    {'href': '/a?b&c', 'async': ''}
    """
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        attributes.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return attributes


def scan(text: str) -> Scan:
    """Scan a page in linear time for its head, structured data and main text; never raise."""
    return _Scanner(text).found


class _Scanner:
    """State of a scan; one object per page.

    ``_watched`` counts the open elements with the name of an open region; others are not counted.
    """

    def __init__(self, text: str):
        self.found = Scan()
        self._text = text
        self._regions: list[_Region] = []
        self._watched: dict[str, int] = {}
        self._skipping: _Region | None = None
        self._in_head = True
        self._recorded = 0
        self._title_from: int | None = None
        position: int | None = 0
        while position is not None:
            position = self._scan_from(position)
        self._leave(0)

    def _scan_from(self, last: int) -> int | None:
        """Scan to the end of the next raw text element, such as a script; return its end, or None.

        Most tags are handled inline: a function call would cost more than the work.
        """
        text, parts, watched, kinds = self._text, self.found.parts, self._watched, _KINDS
        for token in _TOKEN.finditer(text, last):
            begin, end = token.span()
            if begin > last and self._skipping is None:
                parts.append(text[last:begin])
            last = end
            name, rest = token.group(1, 2)
            if name is None:
                continue
            kind = kinds.get(name)
            if kind is None:
                name = name.lower()
                kind = kinds.get(name, _CLOSING if name[0] == "/" else _OPENING)
            if kind == _RAW_TEXT:
                return self._skip_raw_text(name, rest, end)
            if name[0] == "/":
                if name[1:] in watched:
                    self._close(name[1:])
                elif name == "/title":
                    self._end_title(begin)
            else:
                if kind == _BREAK:
                    self._in_head = False
                if kind == _RECORD:
                    self._record(name, rest)
                elif self._skipping is None and (
                    kind == _OPENING or (rest and _ROLES.search(rest))
                ):
                    self._open(name, rest, end)
                if name in watched:
                    watched[name] += 1
            if kind >= _BREAK and self._skipping is None:
                parts.append("\n")
        if self._skipping is None:
            parts.append(text[last:])
        return None

    def _skip_raw_text(self, name: str, rest: str, begin: int) -> int | None:
        """Skip the content of a script or its like; return the end of its end tag, or None.

        The text of JSON-LD is kept.
        """
        end = _RAW_ENDS[name].search(self._text, begin)
        inner = self._text[begin : end.start()] if end else ""
        if name == "script" and "ld+json" in rest.lower() and len(self.found.data) < MAX_DATA:
            self.found.data.append(inner)
        if self._in_head and name == "iframe":
            self._in_head = False
        return end.end() if end else None

    def _open(self, name: str, rest: str, end: int) -> None:
        if self._in_head and name not in _HEAD:
            self._in_head = False
        if name == "html":
            self.found.language = parse_attributes(rest).get("lang") or None
        elif name == "title" and self._in_head and self._title_from is None:
            self._title_from = end
        self._enter(name, self._kind(name, rest))

    def _enter(self, name: str, kind: str | None) -> None:
        if kind and name not in _VOID and len(self._regions) < MAX_REGIONS:
            level = self._watched.setdefault(name, 0)  # the caller counts this element afterwards
            region = _Region(name, kind, len(self.found.parts), level)
            self._regions.append(region)
            if kind == "skip" and self._skipping is None:
                self._skipping = region

    def _kind(self, name: str, rest: str) -> str | None:
        """Return the kind of region that an element opens (main, article, skip), or None."""
        if name in ("main", "article"):
            return name
        if name == "nav":
            return "skip"
        role = _ROLES.search(rest) if rest and name not in ("html", "body") else None
        role_name = (role[1] or "").lower() if role else ""
        if role_name == "main":
            return "main"
        is_inner = any(region.kind != "skip" for region in self._regions)
        if name in _BOILERPLATE or role_name in ("banner", "contentinfo", "complementary"):
            return None if is_inner else "skip"
        return "skip" if role else None

    def _add_time(self, rest: str, attributes: dict[str, str]) -> bool:
        """Add ``datetime`` of a ``time`` element as text; return whether to skip its content."""
        if _MODIFIED.search(rest):
            return True
        value = attributes.get("datetime")
        if value:
            self.found.parts.append(f" {html.escape(value, quote=False)} ")
        return bool(value)

    def _record(self, name: str, rest: str) -> None:
        if self._recorded >= MAX_ELEMENTS or (name == "a" and self._skipping is not None):
            return
        self._recorded += 1
        if self._in_head and name not in _HEAD:
            self._in_head = False
        attributes = parse_attributes(rest)
        if name in _REFERRING and self._skipping is None:
            target = attributes.get("href") or attributes.get("src") or attributes.get("data-src")
            if target:
                self.found.links.append((len(self.found.parts), target))
            if attributes.get("alt"):
                self.found.parts.append(f" {html.escape(attributes['alt'], quote=False)} ")
        if name not in ("a", "source"):
            in_boilerplate = self._skipping is not None
            self.found.elements.append(HtmlElement(name, attributes, self._in_head, in_boilerplate))
        if name == "time" and self._skipping is None and self._add_time(rest, attributes):
            self._enter(name, "skip")

    def _close(self, name: str) -> None:
        """Process an end tag: close the region that its element opened, and all regions in it."""
        count = self._watched[name] = self._watched[name] - 1
        for number, region in enumerate(self._regions):
            if region.name == name and region.level >= count:
                self._leave(number)
                return

    def _leave(self, number: int) -> None:
        """Close the open regions with index ``number`` or higher, the innermost first."""
        while len(self._regions) > number:
            region = self._regions.pop()
            span = region.begin, len(self.found.parts)
            if region is self._skipping:
                self._skipping = None
            elif self._skipping is None and region.kind == "main":
                self.found.main.append(span)
            elif self._skipping is None and region.kind == "article" and self._is_outer():
                self.found.articles.append(span)
            if all(other.name != region.name for other in self._regions):
                self._watched.pop(region.name, None)

    def _is_outer(self) -> bool:
        return all(region.kind != "article" for region in self._regions)

    def _end_title(self, begin: int) -> None:
        if self._title_from is not None and self.found.title is None:
            title = unescape(self._text[self._title_from : begin])
            self.found.title = " ".join(title.split())
            self.found.parts.clear()  # the head is not content
