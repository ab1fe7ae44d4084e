"""X: characters, entities, prefixes and attributes that XML does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.values import HTML_ENTITIES, escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.xml_spans import TOKEN, decoded
from urlset.protocol import FIND_ROOT, PREFIXES, SITEMAP_NS, URIS

__all__ = ["insert_in_root", "root_tag"]

_ROOT = re.compile(rb"<!--.*?-->|(" + FIND_ROOT.pattern + rb")", re.IGNORECASE | re.DOTALL)
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_ESCAPED = re.compile(r"&(amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);")


@fixer("X003")
def escape_ampersand(case: FixContext) -> Iterator[Change]:
    """Write &amp; for an ampersand that begins no reference."""
    if case.span[:1] == b"&":
        yield case.change(Edit(case.at, case.at + 1, b"&amp;"))


@fixer("X004", careful=True)
def replace_entity(case: FixContext) -> Iterator[Change]:
    """Write the character that an entity of HTML means.

    In the query of a URL it may be a parameter, and a name that HTML does not have means
    nothing: those are left unless asked for, and then read as they stand.
    """
    name = case.span[1:-1]
    character = HTML_ENTITIES.get(name)
    element = case.element
    is_query = (
        element is not None
        and element.local == "loc"
        and b"?" in case.data[element.tag_end : case.at]
    )
    if character is not None and (not is_query or case.is_unsafe):
        yield case.replace(escape(character).encode())
    elif character is None and case.is_unsafe:
        yield case.replace(b"&amp;" + case.span[1:])


@fixer("X005", careful=True)
def remove_character(case: FixContext) -> Iterator[Change]:
    """Remove a character that XML does not allow; from inside a URL only when asked for."""
    element = case.element
    if element is not None and element.local == "loc" and not case.is_unsafe:
        before = case.data[element.tag_end : case.at]
        after = case.data[case.end : element.close]
        if before.strip(b"\0 \t\r\n") and after.strip(b"\0 \t\r\n"):
            return
    yield case.replace(b"")


@fixer("X020", effect="text", careful=True)
def bind_prefix(case: FixContext) -> Iterator[Change]:
    """Declare a prefix that has one meaning; elements of another are removed when asked for."""
    prefix = case.spot.parameter("detail")
    root = root_tag(case.data)
    if root is None:
        return
    uri = _XSI if prefix == "xsi" else None
    if prefix.lower() in PREFIXES:
        uri = URIS[PREFIXES[prefix.lower()]]
    if root[2].startswith(f"{prefix}:".encode()):
        uri = SITEMAP_NS
    if uri is not None:
        yield case.change(insert_in_root(root, f' xmlns:{prefix}="{uri}"'))
    elif case.is_unsafe:
        yield from _without_prefix(case, prefix)


def _without_prefix(case: FixContext, prefix: str) -> Iterator[Change]:
    """Remove the element, or the attribute, that has the prefix."""
    element = case.element
    if element is None:
        return
    if element.prefix == prefix:
        yield case.remove(element, effect="same")
    for found in element.attributes:
        if found.name.startswith(f"{prefix}:"):
            words = shown(case.data[found.start : found.end])
            yield case.change(Edit(found.start, found.end, b""), dropped=words, effect="same")


def root_tag(data: bytes) -> re.Match[bytes] | None:
    """The start tag of the root, as a :data:`TOKEN`."""
    for found in _ROOT.finditer(data):
        if found[1] is not None:
            return TOKEN.match(data, found.start())
    return None


def insert_in_root(root: re.Match[bytes], text: str) -> Edit:
    """Put an attribute behind the name of the root."""
    return Edit(root.end(2), root.end(2), text.encode())


@fixer("X021", effect="text")
def remove_attribute(case: FixContext) -> Iterator[Change]:
    """Remove an attribute that is there twice: the first one counts."""
    start = case.at
    while case.data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    yield case.change(Edit(start, case.end, b""), dropped=shown(case.span))


@fixer("X022", effect="loc")
def decode_again(case: FixContext) -> Iterator[Change]:
    """Decode once more what is escaped twice."""
    text = decoded(case.span)
    if text is not None and _ESCAPED.search(text):
        once = _ESCAPED.sub(lambda found: decoded(found[0].encode()) or found[0], text)
        yield case.replace(escape(once).encode())


@fixer("X023")
def remove_comment(case: FixContext) -> Iterator[Change]:
    """Remove a comment from inside a value."""
    yield case.replace(b"", dropped=shown(case.span))
