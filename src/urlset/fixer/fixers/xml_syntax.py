"""Fixes of XML syntax: encoding, declarations, entities, prefixes, broken markup (rules X)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.values import HTML_ENTITIES, escape
from urlset.fixer.edits import Change, Edit, insert_in_root
from urlset.fixer.registry import FixContext, excerpt, fixer
from urlset.fixer.render import render_document
from urlset.formats.encoding import bom_length
from urlset.formats.spans import decode_text
from urlset.protocol import PREFIXES, SITEMAP_NS, URIS

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*(<\?xml\s[^>]*?\?>)")
_ENCODING = re.compile(rb"(\sencoding\s*=\s*[\"'])([A-Za-z0-9._:-]+)")
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_ESCAPED = re.compile(r"&(amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);")
_STANDARD_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'


@fixer("X011", effect="none", per_document=True)
def transcode(context: FixContext) -> Iterator[Change]:
    """Convert the document to UTF-8, and declare that encoding.

    Text with U+FFFD is left unchanged, because that stands for undecodable bytes.
    """
    data = context.data
    if "\ufffd".encode() in data:
        return
    edit = _declared_as_utf8(data)
    new = data if edit is None else data[: edit.start] + edit.new + data[edit.end :]
    yield context.change(Edit(0, len(data), new))


@fixer("X012", effect="none", per_document=True, partly_safe=True)
def declare_actual_encoding(context: FixContext) -> Iterator[Change]:
    """Declare the actual encoding; if that is not UTF-8, transcode, which is unsafe."""
    if context.document.parsed.encoding == "utf-8" and not context.document.parsed.runs:
        edit = _declared_as_utf8(context.data)
        if edit is not None:
            yield context.change(edit)
    elif context.is_unsafe:
        yield from transcode(context)


def _declared_as_utf8(data: bytes) -> Edit | None:
    declaration = _DECLARATION.match(data, 0, 1024)
    found = _ENCODING.search(data, *declaration.span(1)) if declaration else None
    return Edit(*found.span(2), b"UTF-8") if found else None


@fixer("X006", "X013", "X014", effect="none")
def remove_leading_space_and_boms(context: FixContext) -> Iterator[Change]:
    """Remove white space before the XML declaration, and byte order marks anywhere."""
    yield context.replace(b"")


@fixer("X007", "X008", effect="none")
def remove_content_around_root(context: FixContext) -> Iterator[Change]:
    """Remove content before and after the root."""
    end = b"\n" if context.code == "X008" and context.end == len(context.data) else b""
    start = context.start
    while context.code == "X008" and context.data[start - 1 : start] in (b" ", b"\n", b"\r", b"\t"):
        start -= 1
    yield context.change(Edit(start, context.end, end), dropped=excerpt(context.span))


@fixer("X015", "X016", effect="none", partly_safe=True)
def remove_doctype(context: FixContext) -> Iterator[Change]:
    """Remove the DOCTYPE if no entity that it declares is used; external DTDs are never read."""
    is_sitemap = context.document.parsed.kind in ("urlset", "index")
    if not context.span.startswith(b"<!") or not is_sitemap:
        return
    if context.code == "X015" and context.finding.level == "error":
        if context.is_unsafe:
            yield from rewrite(context)
        return
    end = context.end
    while context.data[end : end + 1] in (b" ", b"\n", b"\r", b"\t"):
        end += 1
    yield context.change(Edit(context.start, end, b""), dropped=excerpt(context.span))


@fixer("X017", effect="none", per_document=True)
def write_declaration(context: FixContext) -> Iterator[Change]:
    """Add the standard XML declaration, or replace an invalid one by it."""
    data = context.data
    declaration = _DECLARATION.match(data, 0, 1024)
    if declaration is not None:
        yield context.change(Edit(*declaration.span(1), _STANDARD_DECLARATION))
    else:
        start = bom_length(data)
        yield context.change(Edit(start, start, _STANDARD_DECLARATION + b"\n"))


@fixer("X018", effect="none")
def remove_stylesheet(context: FixContext) -> Iterator[Change]:
    """Remove the ``xml-stylesheet`` instruction."""
    end = context.end + (context.data[context.end : context.end + 1] == b"\n")
    yield context.change(Edit(context.start, end, b""), dropped=excerpt(context.span))


@fixer("X002", "X024", effect="none", per_document=True)
def rewrite(context: FixContext) -> Iterator[Change]:
    """Rewrite a broken document from the entries that could be read."""
    new = render_document(context.document.parsed)
    if new is not None:
        count = len(context.document.parsed.entries)
        dropped = f"everything except {count:,} entries, which were rewritten"
        yield context.change(Edit(0, len(context.data), new), dropped=dropped, effect="none")


@fixer("X009", effect="none", per_document=True)
def close_root(context: FixContext) -> Iterator[Change]:
    """Remove the incomplete last entry, and close the root."""
    data = context.data
    root = context.document.spans.root
    if root is None or root.local_name not in ("urlset", "sitemapindex"):
        return
    ends = [entry.end for entry in context.document.spans.entries() if entry.is_complete]
    end = max(ends, default=root.content_start)
    dropped = excerpt(data[end:]) if data[end:].strip() else None
    yield context.change(Edit(end, len(data), b"\n</" + root.raw_name + b">\n"), dropped=dropped)


@fixer("X003")
def escape_ampersand(context: FixContext) -> Iterator[Change]:
    """Replace an ampersand outside a reference by &amp;."""
    if context.span[:1] == b"&":
        yield context.change(Edit(context.start, context.start + 1, b"&amp;"))


@fixer("X004", partly_safe=True)
def replace_entity(context: FixContext) -> Iterator[Change]:
    """Replace an HTML entity by its character.

    In the query of a URL it may be a parameter, and an unknown name has no meaning. Both are
    changed only if unsafe fixes are made; an unknown name is then read as literal text.
    """
    name = context.span[1:-1]
    character = HTML_ENTITIES.get(name)
    element = context.element
    is_query = (
        element is not None
        and element.local_name == "loc"
        and b"?" in context.data[element.content_start : context.start]
    )
    if character is not None and (not is_query or context.is_unsafe):
        yield context.replace(escape(character).encode())
    elif character is None and context.is_unsafe:
        yield context.replace(b"&amp;" + context.span[1:])


@fixer("X005", partly_safe=True)
def remove_character(context: FixContext) -> Iterator[Change]:
    """Remove a character that XML does not allow; inside a URL only if unsafe."""
    element = context.element
    if element is not None and element.local_name == "loc" and not context.is_unsafe:
        before = context.data[element.content_start : context.start]
        after = context.data[context.end : element.content_end]
        if before.strip(b"\0 \t\r\n") and after.strip(b"\0 \t\r\n"):
            return
    yield context.replace(b"")


@fixer("X020", effect="none", partly_safe=True)
def bind_prefix(context: FixContext) -> Iterator[Change]:
    """Declare an undeclared well-known prefix; remove elements with another prefix if unsafe."""
    prefix = context.finding.parameter("detail")
    root = context.document.spans.root
    if root is None:
        return
    uri = _XSI if prefix == "xsi" else None
    if prefix.lower() in PREFIXES:
        uri = URIS[PREFIXES[prefix.lower()]]
    if root.prefix == prefix:
        uri = SITEMAP_NS
    if uri is not None:
        yield context.change(insert_in_root(root, f' xmlns:{prefix}="{uri}"'))
    elif context.is_unsafe:
        yield from _without_prefix(context, prefix)


def _without_prefix(context: FixContext, prefix: str) -> Iterator[Change]:
    """Remove the element or the attribute of the finding, which has an undeclared prefix."""
    element = context.element
    if element is None:
        return
    if element.prefix == prefix:
        yield context.remove(element, effect="values")
    for found in element.attributes:
        if found.name.startswith(f"{prefix}:"):
            yield context.remove_attribute(found, effect="values")


@fixer("X021", effect="none")
def remove_attribute(context: FixContext) -> Iterator[Change]:
    """Remove a duplicate attribute; the first one is kept."""
    start = context.start
    while context.data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    yield context.change(Edit(start, context.end, b""), dropped=excerpt(context.span))


@fixer("X022", effect="url")
def decode_again(context: FixContext) -> Iterator[Change]:
    """Decode a text that was escaped twice once."""
    text = decode_text(context.span)
    if text is not None and _ESCAPED.search(text):
        once = _ESCAPED.sub(lambda found: decode_text(found[0].encode()) or found[0], text)
        yield context.replace(escape(once).encode())


@fixer("X023")
def remove_comment(context: FixContext) -> Iterator[Change]:
    """Remove a comment from inside a value."""
    yield context.replace(b"", dropped=excerpt(context.span))
