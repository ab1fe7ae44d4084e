"""Key file of IndexNow: whether engines accept it for a key."""

from __future__ import annotations

import re

from urlset.http import REDIRECTS, Response

MAX_KEY_FILE = 4_096
"""Bytes of a key file that are received: a key has at most 128."""

_KEY = re.compile(r"[A-Za-z0-9-]{8,128}", re.ASCII)


def is_key(text: str) -> bool:
    """Return whether a text has the form of a key (https://www.indexnow.org/documentation).

    >>> is_key("73134416ae45434d98edc086e0bf6740"), is_key("key_1"), is_key("short")
    (True, False, False)
    """
    return _KEY.fullmatch(text) is not None


def key_file_fault(key: str, response: Response) -> str | None:
    """Return why IndexNow would reject a key or the response for its file; None if it is valid.

    None also for a response that says nothing about the file: a server error, or none at all. A
    byte order mark and a line break at the end are accepted, as engines do.
    """
    if not is_key(key):
        return "the key must have 8 to 128 letters, digits or hyphens"
    status = response.status
    if status is None or status >= 500 or status == 429:
        return None
    if response.redirects or status in REDIRECTS:
        target = response.headers.get("location") if status in REDIRECTS else response.url
        return f"redirects to {target or 'another URL'}; engines do not follow redirects"
    if status != 200:
        return f"returns HTTP {status}"
    try:
        text = response.body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "is not UTF-8"
    if text.strip() == key:
        return None
    content_type = response.headers.get("content-type", "").lower()
    if content_type.startswith("text/html") or text.lstrip()[:1] == "<":
        return "is an HTML page, and does not contain the key alone"
    return "does not contain the key"
