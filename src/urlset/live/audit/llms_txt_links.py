"""Request the llms.txt of a site, and read its links."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, Unpack

from urlset.document import parse
from urlset.formats.encoding import skip_space
from urlset.http import Request, Response
from urlset.live.visits.page_record import HTML_TYPES
from urlset.live.visits.page_urls import MAX_URL, page_url
from urlset.live.visits.polite_walk import Manner, PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Politeness
from urlset.urls import resolve

MAX_BYTES = 1 << 20
"""Bytes of an llms.txt that are received; of a longer one, the whole lines are read."""

MAX_LINKS = 10_000
"""Links of an llms.txt that are read."""

# A line is parsed if it begins fenced code, or contains the start of a link target.
_MARK = re.compile(rb"(?<![^\r\n]) {0,3}(?:```|~~~)|\]\(")
_LINE_END = re.compile(rb"[\r\n]|\Z")
_FENCE = re.compile(rb" {0,3}(```|~~~)")
_FENCE_ENDS = {mark: re.compile(rb"(?<![^\r\n]) {0,3}" + mark) for mark in (b"```", b"~~~")}
_CODE = re.compile(rb"`[^`]*`")
_TARGET = re.compile(rb"(?<!\\)\]\([ \t]*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))")
_SCHEME = re.compile(rb"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PAGE_SCHEMES = (b"http", b"https")
_ESCAPE = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);"
)


class LlmsTxtLink(NamedTuple):
    """Link of an llms.txt: the URL of the file, the line, and the normalized URL of the target."""

    source: str
    line: int
    url: str


class LlmsTxt(NamedTuple):
    """The llms.txt of a site; without links if there is none.

    ``is_known`` says whether the response shows which links there are: it is not a refusal, an
    error of the server or a transfer that failed.
    """

    url: str
    links: tuple[LlmsTxtLink, ...]
    is_known: bool


class LlmsTxtWalk(PoliteWalk[VisitTarget, LlmsTxt]):
    """Walk that requests one llms.txt, unless robots.txt disallows it."""

    def __init__(self, url: str, politeness: Politeness):
        super().__init__(iter([VisitTarget(url)]), politeness)

    def request_for(self, target: VisitTarget, **manner: Unpack[Manner]) -> Request:
        """Return the request for the llms.txt."""
        return Request(target.url, None, "probe", max_bytes=MAX_BYTES, **manner)

    def results_of(self, response: Response) -> Iterator[LlmsTxt]:
        """Yield the llms.txt in a response."""
        status = response.status
        is_known = status in (200, 404, 410) and response.error in (None, "status", "too-large")
        yield LlmsTxt(response.request.url, tuple(_links(response)), is_known)


def _links(response: Response) -> Iterator[LlmsTxtLink]:
    """Yield the links of an llms.txt; none of an HTML page, which many servers send instead."""
    content_type = response.headers.get("content-type", "")
    if response.status != 200 or content_type.lower().startswith(HTML_TYPES):
        return
    source, body = response.request.url, response.body
    if not response.is_whole or response.error is not None:
        # The last line may be a part of a link, which may look whole.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    document = parse(body, content_type=content_type, source=source, max_bytes=MAX_BYTES)
    if document.kind == "template" or skip_space(document.text).startswith(b"<"):
        return
    for line, target in islice(llms_txt_links(document.text), MAX_LINKS):
        url = page_url(resolve(target, response.url))
        if url is not None and len(url) <= MAX_URL:
            yield LlmsTxtLink(source, line, url)


def llms_txt_links(text: bytes) -> Iterator[tuple[int, str]]:
    r"""Yield the links of an llms.txt to pages: their line, from 1, and their target.

    Escapes and entities of Markdown are decoded; relative targets are not resolved.

    >>> list(llms_txt_links(b"# Tea\n\n- [Green](/a\\_b?c&amp;d)\n- [Mail](mailto:a@b.c)\n"))
    [(3, '/a_b?c&d')]
    """
    number, position = 1, 0
    for start, target in _targets(text):
        if not _is_to_page(target):
            continue
        passed = text[position:start]
        number += passed.count(b"\n") + passed.count(b"\r") - passed.count(b"\r\n")
        position = start
        yield number, _ESCAPE.sub(_unescaped, target.decode(errors="replace"))


def _unescaped(escape: re.Match[str]) -> str:
    return escape[1] or html.unescape(escape[0])


def _targets(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the targets of the links outside code: offset and text."""
    at = 0
    while mark := _MARK.search(text, at):
        place = mark.start()
        start = max(at, text.rfind(b"\n", at, place) + 1, text.rfind(b"\r", at, place) + 1)
        at = _end_of_line(text, mark.end())
        content = text[start:at]
        if fence := _FENCE.match(content):
            closing = _FENCE_ENDS[fence[1]].search(text, at)
            if closing is None:
                return
            at = _end_of_line(text, closing.end())
            continue
        if b"`" in content:
            content = _CODE.sub(lambda code: b" " * len(code[0]), content)
        for match in _TARGET.finditer(content):
            group = 1 if match[1] is not None else 2
            yield start + match.start(group), match[group]


def _end_of_line(text: bytes, position: int) -> int:
    found = _LINE_END.search(text, position)
    return found.start() if found else len(text)


def _is_to_page(target: bytes) -> bool:
    scheme = _SCHEME.match(target)
    if scheme:
        return scheme[1].lower() in _PAGE_SCHEMES
    return bool(target) and not target.startswith(b"#")
