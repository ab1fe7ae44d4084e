"""Fixes of text sitemaps and feeds (rules T and F)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import format_datetime

from urlset.dates import format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import FixContext, entry_removal, fixer
from urlset.formats.encoding import bom_length
from urlset.formats.spans import decode_text
from urlset.urls import SPACE, split_words

_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos);")
_HTTP = re.compile(r"https?://", re.IGNORECASE)


@fixer("T001", effect="removed")
def remove_line(context: FixContext) -> Iterator[Change]:
    """Remove a line of a text sitemap that is not a URL."""
    yield from entry_removal(context)


@fixer("T002")
def one_url_a_line(context: FixContext) -> Iterator[Change]:
    """Split lines with several URLs, so that each URL has its own line."""
    words = split_words(context.span.decode(errors="replace").strip(SPACE))
    yield context.replace("\n".join(words).encode())


@fixer("T003", effect="none", per_document=True)
def tidy_lines(context: FixContext) -> Iterator[Change]:
    """Strip white space around lines, and remove empty lines."""
    start = bom_length(context.data)
    lines = re.split(r"\r\n|\r|\n", context.data[start:].decode(errors="replace"))
    kept = [line.strip(SPACE) for line in lines if line.strip(SPACE)]
    yield context.change(Edit(start, len(context.data), "".join(f"{x}\n" for x in kept).encode()))


@fixer("T004", effect="url")
def decode_line(context: FixContext) -> Iterator[Change]:
    """Decode XML entities in a line of a text sitemap."""
    text = context.span.decode(errors="replace")
    plain = _ESCAPED.sub(lambda found: decode_text(found[0].encode()) or "", text)
    yield context.replace(plain.encode())


@fixer("F002")
def link_from_id(context: FixContext) -> Iterator[Change]:
    """Add the missing link of a feed item if its guid or id is a URL."""
    item = context.document.spans.starting_at(context.start)
    for name in ("guid", "id") if item is not None else ():
        found = item.child(name) if item is not None else None
        if item is None or found is None or not _HTTP.match(found.stripped):
            continue
        url = escape(found.stripped, attribute=True)
        link = f'<link href="{url}"/>' if name == "id" else f"<link>{url}</link>"
        yield context.change(Edit(item.content_start, item.content_start, link.encode()), added=1)
        return


@fixer("F003", partly_safe=True)
def feed_date(context: FixContext) -> Iterator[Change]:
    """Rewrite an unambiguous date in the format of the feed.

    If unsafe fixes are made, a time without zone is read as UTC, and an invalid date is removed.
    """
    found = parse_date((decode_text(context.span) or "").strip(SPACE))
    element = context.element
    if element is None or not (context.is_unsafe or (found.instant and found.has_zone)):
        return
    if found.instant is None:
        yield context.remove(element)
        return
    if element.local_name == "pubdate":
        text = format_datetime(found.instant.astimezone(UTC))
    else:
        text = format_date(found.instant)
    yield context.replace(text.encode())
