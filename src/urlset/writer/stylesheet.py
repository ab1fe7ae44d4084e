"""CSS style sheet with which browsers show sitemaps as a table."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

NAME = "sitemap.css"
"""Default name of the style sheet file."""

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._~-]*\.css")
# Characters of a URL or a reference (RFC 3986); all others are percent-encoded.
_ADDRESS = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]{1,2047}")
_SIGNATURE = b"/* Made by urlset."


@cache
def css() -> bytes:
    """Return the bytes of the style sheet, which is the same for all sitemaps and indexes.

    >>> css().startswith(b"/* Made by urlset.")
    True
    """
    return files("urlset.writer").joinpath(NAME).read_bytes()


def local_file_name(stylesheet: str | None) -> str | None:
    """Return the name of the file to write next to the sitemaps; None for a URL with a path.

    >>> local_file_name("sitemap.css"), local_file_name("/assets/my.css")
    ('sitemap.css', None)
    """
    return stylesheet if stylesheet is not None and _FILE.fullmatch(stylesheet) else None


def updated_content(there: bytes | None) -> bytes | None:
    """Return the content to write over the current file ``there``; None to keep that file.

    A file without the first line of the generated one belongs to the user and is kept.
    """
    if there is not None and (there == css() or not there.startswith(_SIGNATURE)):
        return None
    return css()


def check_address(stylesheet: str | None) -> None:
    """Raise ``ValueError`` unless a style sheet is the name of a CSS file or a URL with a path.

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
