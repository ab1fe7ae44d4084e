"""What an engine finds in the markup of a page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

MAX_ANCHORS = 10_000
"""Links of a page that are recorded; Google's old advice was a few thousand."""


class HtmlElement(NamedTuple):
    """A recorded element: name, attributes, and whether it is in the head or in boilerplate."""

    name: str
    attributes: dict[str, str]
    in_head: bool
    in_boilerplate: bool


class PageAnchor(NamedTuple):
    """A link (``a`` or ``area``): its ``href`` as written, and its ``rel`` in lower case."""

    href: str
    rel: str


class FilePage(NamedTuple):
    """Page of a file, with what facts are read from; ``title`` and ``data`` as in a scanned page.

    Attributes:
        description: The description of the page as written, or that of Open Graph.
        fingerprint: The fingerprint of the page, as :mod:`urlset.html` defines it.
        elements: The recorded elements that the caller needs.
    """

    title: str
    language: str | None
    description: str | None
    fingerprint: str
    elements: Sequence[HtmlElement]
    data: Sequence[str]


class OrdinaryPage(NamedTuple):
    """Page of a file without anything from which facts are read, except for a redirect.

    No word of its title is one of those of error pages.

    Attributes:
        fingerprint: As in :class:`FilePage`.
        refresh: Content of a ``meta http-equiv=refresh``, as written.
    """

    fingerprint: str
    refresh: str | None


class VisitedPage(NamedTuple):
    """Page in a response, with what facts are read from; all URLs are absolute.

    Attributes:
        page: The facts as of a file; its elements are those that the caller needs.
        canonicals: Canonical URLs, and ``head`` or ``body``; each once.
        alternates: Languages and URLs of the other versions in the head; each once.
        pagination: ``next`` and ``prev`` with their URLs; each once.
        has_scripts: Whether it has a script that is run.
        link_count: Number of its links.
        links: Columns target, relation, whether that has ``nofollow``, and number of its links, as
            text; None if the caller does not need them.
    """

    page: FilePage
    canonicals: Sequence[tuple[str, str]]
    alternates: Sequence[tuple[str, str]]
    pagination: Sequence[tuple[str, str]]
    has_scripts: bool
    link_count: int
    links: tuple[Sequence[str], Sequence[str | None], Sequence[str], Sequence[str]] | None


class ScannedPage(Protocol):
    """Scanned page: the recorded elements, the texts of JSON-LD scripts, and its content.

    The main content is ``main`` (or ``role=main``), else the only ``article``, else the body
    without ``nav``, ``header``, ``footer`` and ``aside``.
    """

    @property
    def title(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def elements(self) -> Sequence[HtmlElement]: ...
    @property
    def data(self) -> Sequence[str]: ...

    def lines(self) -> str:
        """Return the main content, in lines as a browser displays them."""

    def words(self, origin: str) -> str:
        """Return the words of the main content, and in a second line the targets of its links.

        Lines and parts of targets that change without a change of the page are left out, as is the
        ``origin`` of the page at the start of a target.
        """

    def anchors(self) -> Sequence[PageAnchor]:
        """Return the links as written, in document order, at most :data:`MAX_ANCHORS`."""

    def has_scripts(self) -> bool:
        """Return whether the page has a script that is run; data such as JSON-LD is not run."""


_LONG_NUMBER = re.compile(r"&#([0-9]{1000,}+)")


def unescape(text: str) -> str:
    r"""Return a text with its character references replaced, as :func:`html.unescape`.

    A number of more than 4,300 digits, which that cannot convert, is no character.

    >>> unescape("a&amp;b&#" + "1" * 5_000 + ";") == "a&b\ufffd"
    True
    """
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_LONG_NUMBER.sub(_short_number, text))


def _short_number(found: re.Match[str]) -> str:
    return f"&#{found[1].lstrip('0')[:8] or '0'}"
