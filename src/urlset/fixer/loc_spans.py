"""Where URLs are written: in a loc, on a line of text, in the link of a feed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import DocumentContext, FixContext, fixer
from urlset.fixer.xml_spans import ElementSpan, decoded

__all__ = ["Loc", "all_locs", "line_around", "locs_of", "remove_entry_of", "url_fixer"]


class Loc(NamedTuple):
    """A URL as it is written, from ``start`` to ``end``; ``form`` says how it is escaped."""

    start: int
    end: int
    text: str
    form: str

    def written(self, url: str) -> bytes:
        """Another URL, as it is to be written there."""
        if self.form == "text":
            return url.encode()
        return escape(url, attribute=self.form == "attribute").encode()


def locs_of(case: FixContext) -> list[Loc]:
    """The URLs of the entry in which a finding stands; that which it means, where it says so."""
    if case.job.document.kind == "text":
        return [_line(case.data, *line_around(case.data, case.at))]
    entry = case.entry
    found = list(_in_entry(case.job, entry)) if entry is not None else []
    meant = [loc for loc in found if loc.start <= case.at <= loc.end or _is_at(case, loc)]
    return meant or found


def _is_at(case: FixContext, loc: Loc) -> bool:
    """Whether the finding points at the start tag of the element."""
    return case.data.rfind(b"<", 0, loc.start) == case.at


def all_locs(job: DocumentContext) -> Iterator[Loc]:
    """The URLs of all entries."""
    if job.document.kind == "text":
        position = 0
        for line in job.data.splitlines(keepends=True):
            start, end = line_around(job.data, position)
            if end > start:
                yield _line(job.data, start, end)
            position += len(line)
        return
    for start in job.entries.starts:
        entry = job.entries.beginning(start)
        if entry is not None:
            yield from _in_entry(job, entry)


def line_around(data: bytes, at: int) -> tuple[int, int]:
    """The line of a place, without what ends it."""
    start = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    ends = [end for mark in (b"\n", b"\r") if (end := data.find(mark, at)) >= 0]
    return start, min(ends, default=len(data))


def _line(data: bytes, start: int, end: int) -> Loc:
    return Loc(start, end, data[start:end].decode(errors="replace"), "text")


def _in_entry(job: DocumentContext, entry: ElementSpan) -> Iterator[Loc]:
    if job.document.kind in ("rss", "atom"):
        yield from _in_item(entry)
        return
    for element in entry.all("loc"):
        parent = element.parent
        is_own = parent is entry or (parent is not None and parent.prefix == entry.prefix)
        if element.prefix == entry.prefix and is_own and element.text is not None:
            yield Loc(element.tag_end, element.close, element.text, "xml")


def _in_item(item: ElementSpan) -> Iterator[Loc]:
    for child in item.children:
        for found in child.attributes:
            if child.local == "link" and found.name == "href":
                text = decoded(child.data[found.value_start : found.value_end])
                if text and (child.attribute("rel") or "alternate") == "alternate":
                    yield Loc(found.value_start, found.value_end, text, "attribute")
        if child.local in ("link", "guid") and child.trimmed:
            yield Loc(child.tag_end, child.close, child.text or "", "xml")


def remove_entry_of(case: FixContext) -> Iterator[Change]:
    """Take the entry away in which a finding stands."""
    if case.job.document.kind == "text":
        start, end = line_around(case.data, case.at)
        words = case.data[start:end].decode(errors="replace")
        end += len(case.data[end : end + 2]) if case.data[end : end + 2] == b"\r\n" else 1
        yield case.change(Edit(start, min(end, len(case.data)), b""), dropped=words, effect="gone")
    elif case.entry is not None:
        yield case.remove(case.entry, effect="gone")


Better = Callable[[str, FixContext], str | None]


def url_fixer(
    *codes: str, whole: bool = False, careful: bool = False
) -> Callable[[Better], Better]:
    """Register a function that knows a better URL, or None: for the finding's, or for all."""

    def register(better: Better) -> Better:
        def mend(case: FixContext) -> Iterator[Change]:
            for loc in all_locs(case.job) if whole else locs_of(case):
                url = better(loc.text, case)
                if url is not None and url != loc.text:
                    fresh = int(case.code == "U001")
                    yield case.change(Edit(loc.start, loc.end, loc.written(url)), fresh=fresh)

        fixer(*codes, effect="loc", whole=whole, careful=careful)(mend)
        return better

    return register
