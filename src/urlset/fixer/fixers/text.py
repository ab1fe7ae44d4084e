"""T and F: lines of a text sitemap, links and dates of a feed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import format_datetime

from urlset.dates import format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.loc_spans import remove_entry_of
from urlset.fixer.registry import FixContext, fixer
from urlset.fixer.xml_spans import decoded
from urlset.urls import SPACE, split_words

__all__: list[str] = []

_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos);")
_HTTP = re.compile(r"https?://", re.IGNORECASE)


@fixer("T001", effect="gone")
def remove_line(case: FixContext) -> Iterator[Change]:
    """Remove a line that is no URL."""
    yield from remove_entry_of(case)


@fixer("T002")
def one_url_a_line(case: FixContext) -> Iterator[Change]:
    """Give each URL a line."""
    words = split_words(case.span.decode(errors="replace").strip(SPACE))
    yield case.replace("\n".join(words).encode())


@fixer("T003", effect="text", whole=True)
def tidy_lines(case: FixContext) -> Iterator[Change]:
    """Write each line without white space around it, and no empty ones."""
    start = 3 if case.data.startswith(b"\xef\xbb\xbf") else 0
    lines = re.split(r"\r\n|\r|\n", case.data[start:].decode(errors="replace"))
    kept = [line.strip(SPACE) for line in lines if line.strip(SPACE)]
    yield case.change(Edit(start, len(case.data), "".join(f"{x}\n" for x in kept).encode()))


@fixer("T004", effect="loc")
def decode_line(case: FixContext) -> Iterator[Change]:
    """Decode what is escaped as in XML."""
    text = case.span.decode(errors="replace")
    plain = _ESCAPED.sub(lambda found: decoded(found[0].encode()) or "", text)
    yield case.replace(plain.encode())


@fixer("F002")
def link_from_id(case: FixContext) -> Iterator[Change]:
    """Make a link of a guid or an id that is a URL."""
    item = case.job.entries.beginning(case.at)
    for name in ("guid", "id") if item is not None else ():
        found = item.child(name) if item is not None else None
        if item is None or found is None or not _HTTP.match(found.trimmed):
            continue
        url = escape(found.trimmed, attribute=True)
        link = f'<link href="{url}"/>' if name == "id" else f"<link>{url}</link>"
        yield case.change(Edit(item.tag_end, item.tag_end, link.encode()), fresh=1)
        return


@fixer("F003", careful=True)
def feed_date(case: FixContext) -> Iterator[Change]:
    """Write a date as the feed format wants it, where there is one meaning only.

    When asked for, a time without a zone is taken for UTC, and what is no date is removed.
    """
    found = parse_date((decoded(case.span) or "").strip(SPACE))
    element = case.element
    if element is None or not (case.is_unsafe or (found.instant and found.has_zone)):
        return
    if found.instant is None:
        yield case.remove(element)
        return
    if element.local == "pubdate":
        text = format_datetime(found.instant.astimezone(UTC))
    else:
        text = format_date(found.instant)
    yield case.replace(text.encode())
