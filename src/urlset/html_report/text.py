"""Format numbers, shares, durations and untrusted text for the HTML report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from urlset.dates import DAY, TIME, ZONE
from urlset.terminal_text import sanitize

MAX_TEXT = 300
"""Characters of an untrusted text that the page shows; longer ones are cut in the middle."""

_NO_BREAK = "\N{NARROW NO-BREAK SPACE}"
# A date with quotation marks around it; none within a URL.
_DATE = re.compile(
    rf"(?:&quot;)?(?<![\w/.%-]){DAY}(?:T{TIME}{ZONE}?)?(?!\.{{0,3}}[\w/%-])(?:&quot;)?", re.ASCII
)
_WEB_URL = re.compile(r"(?i)https?://[^\s\"'<>`\\]+")


def safe(text: str, limit: int = MAX_TEXT) -> str:
    r"""Return untrusted text without control and direction characters, with ``limit`` characters.

    The middle of a longer text is omitted, because a URL is known by its ends.

    It is plain text: HTML still needs :func:`untrusted` or :func:`html.escape`.

    >>> safe("\u202egpj.exe")
    '\\u202egpj.exe'
    """
    text = sanitize(text)
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[-(limit // 2) :]}"


def untrusted(text: str, limit: int = MAX_TEXT) -> str:
    """Return untrusted text as HTML; ``<bdi>`` isolates its direction from the text around it.

    >>> untrusted("</script>")
    '<bdi>&lt;/script&gt;</bdi>'
    """
    return f"<bdi>{escape(safe(text, limit))}</bdi>"


def breakable(text: str, limit: int = MAX_TEXT) -> str:
    """Return untrusted text as HTML that may break after a slash: a URL breaks at its folders.

    >>> breakable("/a/b.html")
    '<bdi>/<wbr>a/<wbr>b.html</bdi>'
    """
    parts = re.split(r"(?<=[^/:]/)(?=[^/])|(?<=^/)(?=[^/])", safe(text, limit))
    return f"<bdi>{unbroken_dates('<wbr>'.join(map(escape, parts)))}</bdi>"


def unbroken_dates(markup: str) -> str:
    """Return HTML text whose dates stay on one line: browsers may break after a hyphen.

    >>> unbroken_dates("lastmod is 2026-11-01T08:00:00Z")
    'lastmod is <span class="date">2026-11-01T08:00:00Z</span>'
    """
    return _DATE.sub(r'<span class="date">\g<0></span>', markup)


def web_url(text: str | None) -> str | None:
    """Return a text if it is an ``http`` or ``https`` URL that is safe in a link, else None.

    >>> web_url("https://example.com/a"), web_url("javascript:alert(1)")
    ('https://example.com/a', None)
    """
    if text is None or sanitize(text) != text or not _WEB_URL.fullmatch(text):
        return None
    return text


def link(text: str, limit: int = MAX_TEXT) -> str:
    """Return untrusted text as HTML; a web URL becomes a link that sends no referrer.

    >>> link("https://a.example/?a&b")
    '<a href="https://a.example/?a&amp;b" rel="noreferrer"><bdi>https://a.example/<wbr>?a&amp;b</bdi></a>'
    """
    url = web_url(text)
    shown = breakable(text, limit)
    return shown if url is None else f'<a href="{escape(url)}" rel="noreferrer">{shown}</a>'


def share(part: float, whole: float) -> str:
    """Return a share in percent with one decimal; only all is 100 %, and only none is 0 %.

    >>> [text.replace(_NO_BREAK, " ") for text in (share(1, 3), share(9_999, 10_000), share(2, 2))]
    ['33.3 %', 'over 99.9 %', '100 %']
    """
    if whole <= 0 or part <= 0:
        return f"0{_NO_BREAK}%"
    if part >= whole:
        return f"100{_NO_BREAK}%"
    percent = 100 * part / whole
    if percent < 0.1:
        return f"under 0.1{_NO_BREAK}%"
    if percent > 99.9:
        return f"over 99.9{_NO_BREAK}%"
    return f"{percent:.1f}{_NO_BREAK}%"


def duration(seconds: float) -> str:
    """Return a duration in milliseconds below one second, else in seconds.

    >>> duration(0.1834).replace(_NO_BREAK, " "), duration(2.41).replace(_NO_BREAK, " ")
    ('180 ms', '2.4 s')
    """
    if seconds < 0.995:
        milliseconds = 1_000 * seconds
        rounded = round(milliseconds, -1) if milliseconds >= 100 else round(milliseconds)
        return f"{rounded:.0f}{_NO_BREAK}ms"
    return f"{seconds:,.1f}{_NO_BREAK}s"


def joined(words: Sequence[str]) -> str:
    """Join words to an enumeration with commas and "and".

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def attributes(**values: object) -> str:
    """Format HTML attributes, with ``_`` in names as ``-``; None and False are omitted.

    >>> attributes(class_="bar", x="10%", hidden=None)
    ' class="bar" x="10%"'
    """
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in values.items()
        if value is not None and value is not False
    )


def code_block(text: str) -> str:
    """Return program text as HTML; the block can be scrolled with the keyboard."""
    lines = "\n".join(map(sanitize, text.splitlines()))
    return f'<pre tabindex="0"><code>{escape(lines)}</code></pre>'
