"""The page for people: the style sheet with which browsers show sitemaps as a table."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

__all__ = ["NAME", "check_address", "css", "file_of", "to_write"]

NAME = "sitemap.css"
"""What the file is called where nobody wants another name."""

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._~-]*\.css")
# What may stand in a URL or a reference to one (RFC 3986); the rest is percent-encoded there.
_ADDRESS = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]{1,2047}")
_SIGNATURE = b"/* Made by urlset."


@cache
def css() -> bytes:
    """The bytes of the style sheet; the same for sitemaps and indexes of every kind.

    >>> css().startswith(b"/* Made by urlset.")
    True
    """
    return files("urlset.writer").joinpath(NAME).read_bytes()


def file_of(stylesheet: str | None) -> str | None:
    """The file that is to lie beside the sitemaps for an address; None where that is elsewhere.

    >>> file_of("sitemap.css"), file_of("/assets/my.css")
    ('sitemap.css', None)
    """
    return stylesheet if stylesheet is not None and _FILE.fullmatch(stylesheet) else None


def to_write(there: bytes | None) -> bytes | None:
    """What to write where ``there`` lies: None for the same, and for the work of the owner.

    A file without our first line is somebody else's, and stays.
    """
    if there is not None and (there == css() or not there.startswith(_SIGNATURE)):
        return None
    return css()


def check_address(stylesheet: str | None) -> None:
    """Raise ``ValueError`` for what is neither the name of a CSS file nor an address with a path.

    >>> check_address("https://example.com/sitemap.css?v=2")
    """
    if stylesheet is None or _FILE.fullmatch(stylesheet):
        return
    if "/" not in stylesheet or not _ADDRESS.fullmatch(stylesheet):
        raise ValueError(
            "expected stylesheet to be the name of a CSS file beside the sitemaps, or the address "
            f'of one elsewhere, found {stylesheet!r}; "sitemap.css" has it written there, and '
            '"/assets/my.css" names one of yours'
        )
