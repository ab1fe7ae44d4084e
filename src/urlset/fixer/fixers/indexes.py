"""D, I and U over several documents: the dates of an index, indexes in it, URLs in two files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from urlset.dates import format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.loc_spans import remove_entry_of
from urlset.fixer.registry import FixContext, fixer
from urlset.fixer.xml_spans import ElementSpan

__all__: list[str] = []


@fixer("D501")
def write_date_of_file(case: FixContext) -> Iterator[Change]:
    """Write when the file was last changed."""
    if case.entry is not None:
        yield from _dated(case, case.entry)


@fixer("D502", whole=True)
def write_all_dates(case: FixContext) -> Iterator[Change]:
    """Write for each file when it was last changed."""
    for child in _children(case):
        yield from _dated(case, child)


@fixer("D503", whole=True)
def write_missing_dates(case: FixContext) -> Iterator[Change]:
    """Write when a file was last changed where nothing is said about that."""
    for child in _children(case):
        if child.child("lastmod") is None:
            yield from _dated(case, child)


def _children(case: FixContext) -> Iterator[ElementSpan]:
    for start in case.job.entries.starts:
        child = case.job.entries.beginning(start)
        if child is not None:
            yield child


def _dated(case: FixContext, child: ElementSpan) -> Iterator[Change]:
    loc = child.child("loc")
    moment = case.job.around.lastmod(loc.trimmed) if loc is not None else None
    if loc is None or moment is None:
        return
    text = format_date(moment.replace(microsecond=0) if isinstance(moment, datetime) else moment)
    found = child.child("lastmod")
    if found is None:
        name = f"{loc.prefix}:lastmod" if loc.prefix else "lastmod"
        new = f"<{name}>{text}</{name}>".encode()
        yield case.change(Edit(loc.end, loc.end, new))
    elif found.trimmed != text:
        yield case.rewrite(found, text)


@fixer("I501", effect="gone")
def flatten(case: FixContext) -> Iterator[Change]:
    """List the sitemaps of an index instead of the index."""
    entry = case.entry
    loc = entry.child("loc") if entry is not None else None
    inner = case.job.around.children(loc.trimmed) if loc is not None else None
    if entry is None or loc is None or inner is None:
        return
    known = {child.loc for child in case.job.document.sitemaps}
    lines = [_line(entry, loc, *child) for child in inner if child[0] not in known]
    new = "\n".join(lines).encode()
    start = entry.start if lines else entry.span()[0]
    yield case.change(
        Edit(start, entry.end, new), dropped=f"the index {loc.trimmed}", fresh=len(lines)
    )


def _line(entry: ElementSpan, loc: ElementSpan, url: str, lastmod: str | None) -> str:
    name = f"{loc.prefix}:lastmod" if loc.prefix else "lastmod"
    date = f"<{name}>{escape(lastmod)}</{name}>" if lastmod else ""
    return f"<{entry.raw}><{loc.raw}>{escape(url)}</{loc.raw}>{date}</{entry.raw}>"


@fixer("U501", effect="gone")
def keep_in_first(case: FixContext) -> Iterator[Change]:
    """Keep a URL in the first of the files that list it, and in those of another format."""
    if case.spot.level != "info":
        yield from remove_entry_of(case)


@fixer("U502", effect="gone")
def keep_newest_in_first(case: FixContext) -> Iterator[Change]:
    """Keep a URL in the first of the files, where that has the newer date."""
    mine, theirs = (parse_date(case.spot.parameter(n)).instant for n in ("mine", "theirs"))
    if mine is not None and theirs is not None and mine <= theirs:
        yield from remove_entry_of(case)
