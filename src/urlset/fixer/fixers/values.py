"""Fixes of lastmod, changefreq and priority (rules S and D), of text sitemaps and feeds (T, F)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime

from urlset.dates import LOOSE_DAY, WITHOUT_SECONDS, YEAR_LAST, Date, format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import FixContext, fixer
from urlset.formats.encoding import bom_length
from urlset.formats.spans import ElementSpan, decode_text
from urlset.protocol import CHANGEFREQS
from urlset.urls import SPACE, split_words

REMOVE = ""
"""Returned for a value whose element is to be removed."""

_PRIORITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_ZERO = re.compile(r"-?0{3,4}[01]?-(?:00|11|01)-(?:00|30|01).*", re.DOTALL)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?$")


@fixer("D001", "D002", "D003", "D004", partly_safe=True)
def rewrite_date(context: FixContext) -> Iterator[Change]:
    """Rewrite a lastmod in a valid format; remove it if there is no such day."""
    text = decode_text(context.span)
    element = context.element
    if text is None or element is None:
        return
    better = better_date(text.strip(SPACE), is_unsafe=context.is_unsafe)
    if better == REMOVE:
        yield context.remove(element)
    elif better is not None:
        yield context.replace(escape(better).encode())


def better_date(text: str, *, is_unsafe: bool) -> str | None:
    """Return a date in a valid format; REMOVE for one to remove, None for one to keep unchanged.

    >>> better_date("2026-1-5 10:00:00 +0100", is_unsafe=False)
    '2026-01-05T10:00:00+01:00'
    >>> better_date("2026-01-05T10:00:00", is_unsafe=False)
    '2026-01-05'
    """
    found = parse_date(text)
    if found.code is None:
        return None
    if _ZERO.fullmatch(text) and found.instant is None:
        return REMOVE
    if found.instant is not None:
        return _formatted(text, found, found.instant)
    if not is_unsafe:
        return None
    slashed = YEAR_LAST.match(text)
    if slashed is not None:
        day, month, year = (int(part) for part in slashed.groups())
        day, month = (month, day) if month > 12 else (day, month)
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            pass
    return REMOVE


def _formatted(text: str, found: Date, instant: datetime) -> str:
    """Format an instant with its original offset; without a zone only the day is kept."""
    if found.precision in ("year", "month", "day") or not found.has_zone:
        day = LOOSE_DAY.match(text)
        if day is None:
            return instant.date().isoformat()
        return "{:04}-{:02}-{:02}".format(*map(int, day.groups()))
    zone = _OFFSET.search(text)
    if zone is None or int(zone[2]) > 13 or int(zone[3] or 0) > 59:
        return format_date(instant.astimezone(UTC))
    minutes = int(zone[2]) * 60 + int(zone[3] or 0)
    shift = timedelta(minutes=minutes if zone[1] == "+" else -minutes)
    if not shift:
        return format_date(instant)
    try:
        local = (instant + shift).replace(tzinfo=None).isoformat()
    except OverflowError:
        return format_date(instant)
    return f"{local}{zone[1]}{zone[2]}:{zone[3] or '00'}"


@fixer("D006")
def add_seconds(context: FixContext) -> Iterator[Change]:
    """Add ``:00`` to a lastmod whose time has no seconds."""
    for element in context.children("lastmod"):
        if found := WITHOUT_SECONDS.fullmatch(element.stripped):
            yield context.rewrite(element, f"{found[1]}:00{found[2]}")


@fixer("D007", "D008")
def remove_date(context: FixContext) -> Iterator[Change]:
    """Remove an impossible lastmod, such as one in the future."""
    yield from map(context.remove, context.children("lastmod"))


@fixer("D009", "D010", per_document=True)
def remove_dates(context: FixContext) -> Iterator[Change]:
    """Remove every lastmod of a document, because none is informative."""
    for entry in context.document.spans.entries():
        for element in entry.children:
            if element.local_name == "lastmod":
                yield context.remove(element)


@fixer("S019", partly_safe=True)
def correct_changefreq(context: FixContext) -> Iterator[Change]:
    """Rewrite a changefreq as a valid word in lower case; remove an invalid one only if unsafe."""
    word = (decode_text(context.span) or "").strip(SPACE).lower()
    if word in CHANGEFREQS:
        yield context.replace(word.encode())
    elif context.is_unsafe and context.element is not None:
        yield context.remove(context.element)


@fixer("S020", partly_safe=True)
def correct_priority(context: FixContext) -> Iterator[Change]:
    """Rewrite a priority with a decimal point; if unsafe, clamp it to 0 to 1 or remove it."""
    text = (decode_text(context.span) or "").strip(SPACE).replace(",", ".", 1)
    is_number = _PRIORITY.fullmatch(text) is not None
    if is_number and 0 <= float(text) <= 1:
        yield context.replace(text.encode())
    elif context.is_unsafe and is_number:
        bound = "1.0" if float(text) > 1 else "0.0"
        yield context.replace(bound.encode(), dropped=text)
    elif context.is_unsafe and context.element is not None:
        yield context.remove(context.element)


def fix_values(
    context: FixContext, names: tuple[str, ...], better: Callable[[str], str | None]
) -> Iterator[Change]:
    """Replace the text of elements of an entry if ``better`` returns another text."""
    for element in context.descendants(*names):
        text = element.text
        new = better(text.strip(SPACE)) if text is not None else None
        if new == REMOVE:
            yield context.remove(element)
        elif new is not None and new != text:
            yield context.rewrite(element, new)


@fixer("D501")
def write_file_date(context: FixContext) -> Iterator[Change]:
    """Set the lastmod of an index child to the date when the listed file last changed."""
    if context.entry is not None:
        yield from _set_lastmod(context, context.entry)


@fixer("D502", "D503", per_document=True)
def write_dates(context: FixContext) -> Iterator[Change]:
    """Set the lastmod of every index child, for D503 of each without one, as for D501."""
    for child in context.document.spans.entries():
        if context.code == "D502" or child.child("lastmod") is None:
            yield from _set_lastmod(context, child)


def _set_lastmod(context: FixContext, child: ElementSpan) -> Iterator[Change]:
    loc = child.child("loc")
    lastmod = context.document.index.lastmod(loc.stripped) if loc is not None else None
    if loc is None or lastmod is None:
        return
    text = format_date(lastmod.replace(microsecond=0) if isinstance(lastmod, datetime) else lastmod)
    found = child.child("lastmod")
    if found is None:
        name = f"{loc.prefix}:lastmod" if loc.prefix else "lastmod"
        yield context.change(Edit(loc.end, loc.end, f"<{name}>{text}</{name}>".encode()))
    elif found.stripped != text:
        yield context.rewrite(found, text)


_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos);")
_HTTP = re.compile(r"https?://", re.IGNORECASE)


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
