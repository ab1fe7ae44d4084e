"""Main content of a page, independent of its markup; links as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from urlset.engine.html_page import MAX_ANCHORS, PageAnchor, unescape
from urlset.engine.reference.html.scanner import Scan

# Note: a changed rule in this module changes the fingerprint of every page; see fingerprint_of in
# urlset.html.facts.

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# Pilcrow (default of Sphinx and Python-Markdown), and the icon of the theme of Read the Docs.
_PERMALINKS = " \u00b6\uf0c1"

_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?"
_VOLATILE_LINES = re.compile(
    # "Built on 21 November 2026 at 10:00:12 UTC": a whole line, and with a time of day.
    r"(?:this |the )?(?:page |site |website |docs? |documentation )?(?:was )?(?:last )?"
    r"(?:generated|built|rendered|compiled|published|deployed|updated|cached|build|erstellt|"
    r"généré|generado)\b[^.!?]{0,60}?" + _CLOCK + r"[^.!?]{0,40}\.?|"
    # "Page generated in 0.123 seconds"
    r"(?:page |seite )?(?:generated|rendered|loaded|erstellt)\b.{0,20}?\d++(?:[.,]\d++)? ?"
    r"(?:s|ms|sec|seconds?|sekunden)\.?|"
    # "1,234 views", "Views: 1234"
    r"\d[\d.,' ]{0,20}[km]? ?(?:views?|page ?views?|visits?|hits|reads|aufrufe|vues|visitas|"
    r"visualizaciones|просмотр\w{0,3})|"
    r"(?:views?|page ?views?|visits?|hits|visitors?|aufrufe|vues|visitas) ?: ?\d[\d.,' ]{0,20}"
    r"[km]?|"
    # "Build 3f9a1c0", "Version: 1.2.3+3f9a1c0"
    r"(?:build|commit|revision|rev)(?: id| number)? ?[:#]? ?(?=[\da-f]*\d)[\da-f]{6,64}",
    re.IGNORECASE,
)
_DIGIT = re.compile("[0-9]")
MAX_VOLATILE_LINE = 400

_ASSET = re.compile(
    r"\.(?:avif|bmp|css|gif|ico|jpe?g|js|m?js|mp[34]|pdf|png|svg|ttf|web[mp]|woff2?)$", re.I
)
# app.3f9a1c.js, photo-3f9a1c0d.webp (some digit, some letter: not facade, not 20260102) and the
# eight letters of a bundler, index-BkE3x9aZ.js.
_HASH = re.compile(
    r"[.\-_](?:(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])[\da-f]{6,64}|"
    r"(?=[\w-]{0,7}\d)(?=[\w-]{0,7}[a-z])(?=[\w-]{0,7}[A-Z])[\w-]{8})(?=\.[A-Za-z\d.]{1,8}$)"
)
_BUSTER = re.compile(
    r"(?:^|(?<=&))(?:(?:v|ver|version|rev|hash|build|t|ts|cb|_|cache|cachebust(?:er)?|"
    r"modified|mtime)=[^&]*|[\da-f.]{4,64}(?=&|$))(?:&|$)",
    re.I,
)
_SESSION = re.compile(
    r"(?:^|(?<=&))(?:nonce|_?wpnonce|_?token|csrf\w{0,20}|authenticity_token|sid|phpsessid|"
    r"jsessionid|sessionid|utm_\w{1,20}|fbclid|gclid)=[^&]*(?:&|$)",
    re.I,
)
MAX_LINK = 2_048


def content_words(found: Scan, origin: str) -> str:
    """Return the words of the main content, and in a second line the targets of its links.

    Lines that are volatile are left out, as are volatile parts of targets.
    """
    begin, end = _span(found)
    targets = (stable_target(link, origin) for at, link in found.links if begin <= at <= end)
    words = _normalized_text("".join(found.parts[begin:end]))
    return f"{words}\n{' '.join(filter(None, targets))}"


def content_lines(found: Scan) -> str:
    """Return the text of the main content, in lines as a browser displays them.

    The sign at the end of a line with which documentation generators (Sphinx, MkDocs) link a
    heading to itself is no part of the text.
    """
    begin, end = _span(found)
    text = unescape("".join(found.parts[begin:end])).translate(_INVISIBLE)
    lines = (" ".join(line.split()).rstrip(_PERMALINKS) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _span(found: Scan) -> tuple[int, int]:
    """Return the range of ``found.parts`` with the main content: the first one with any text."""
    for begin, end in found.main:
        if any(part and not part.isspace() for part in found.parts[begin:end]):
            return begin, end
    if len(found.articles) == 1:
        begin, end = found.articles[0]
        if any(part and not part.isspace() for part in found.parts[begin:end]):
            return begin, end
    return 0, len(found.parts)


def _normalized_text(text: str) -> str:
    text = unescape(text).translate(_INVISIBLE)
    lines = [line for line in text.split("\n") if line and not is_volatile(line)]
    return " ".join("\n".join(lines).split())


def is_volatile(line: str) -> bool:
    """Return whether a line changes without a change of the page: a build stamp, a counter.

    >>> is_volatile("Built on 2026-11-21 10:00"), is_volatile("Built on rock in 1920")
    (True, False)
    """
    if len(line) > MAX_VOLATILE_LINE or not _DIGIT.search(line):
        return False
    return _VOLATILE_LINES.fullmatch(" ".join(line.split())) is not None


def stable_target(link: str, origin: str) -> str:
    """Return a link without its volatile parts: origin, session ids, hashes of asset names."""
    link = link.strip()[:MAX_LINK]
    if link[:5].lower() == "data:" or link.lower().startswith("javascript:"):
        return ""
    link = link.removeprefix(origin)
    path, separator, query = link.partition("?")
    if _ASSET.search(path):
        path = _HASH.sub("", path)
        query = _BUSTER.sub("", query)
    if separator:
        query = _SESSION.sub("", query).rstrip("&")
    return unquote(f"{path}?{query}" if query else path)


# Repaired markup has neither `<` nor `>` in an attribute. Raw text may contain anything.
_ANCHOR = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|textarea|xmp|iframe)\b.*?(?:</\1|\Z)"
    r"|<(?:a|area)\s([^<>]*+)>",
    re.IGNORECASE | re.DOTALL,
)
_HREF = re.compile(r"""(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_REL = re.compile(r"""(?:^|\s)rel\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


def anchors_in(markup: str) -> Iterator[PageAnchor]:
    """Yield the links of repaired markup, in document order.

    >>> list(anchors_in('<a rel="NoFollow" href="/a?b&amp;c">x</a><!-- <a href=/d> -->'))
    [PageAnchor(href='/a?b&c', rel='nofollow')]
    """
    count = 0
    for found in _ANCHOR.finditer(markup):
        text = found[2]
        if text is None or (target := _HREF.search(text)) is None:
            continue
        href = target[1] or target[2] or target[3] or ""
        rel = _REL.search(text) if "rel" in text.lower() else None
        words = (rel[1] or rel[2] or rel[3] or "") if rel else ""
        yield PageAnchor(unescape(href), unescape(words).lower())
        count += 1
        if count == MAX_ANCHORS:
            return


_SCRIPT = re.compile(r"<script(?=[\s/>])([^<>]*+)", re.IGNORECASE)
_TYPE = re.compile(
    r"""\stype\s*=\s*["']?(?![^\s"'>]*(?:javascript|ecmascript|module))[^\s"'>]""", re.IGNORECASE
)


def has_scripts(markup: str) -> bool:
    """Return whether markup has a script that is run; data such as JSON-LD is not run.

    >>> has_scripts("<script src=/app.js></script>"), has_scripts('<script type="importmap">')
    (True, False)
    """
    return any(_TYPE.search(found[1]) is None for found in _SCRIPT.finditer(markup))
