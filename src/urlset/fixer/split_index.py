"""L: where the parts of a document that is too full go, and who lists them."""

from __future__ import annotations

import os
from collections import Counter
from typing import NamedTuple

from urlset.dates import format_date
from urlset.document import Document, parse
from urlset.entry_spans import text_offset
from urlset.fixer.container import Container, open_container
from urlset.fixer.edits import Change, Edit, apply
from urlset.fixer.eligibility import objection_to_fixing
from urlset.fixer.fix_document import Dropped
from urlset.fixer.options import FixOptions
from urlset.fixer.overlay import Overlay
from urlset.fixer.rewrite import child_line
from urlset.fixer.split import SPLITS, divided, index_of, part_names
from urlset.fixer.xml_spans import parse_element
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.reader.locations import Location

__all__ = ["Split", "split"]

_ENOUGH = min(MAX_URLS, MAX_BYTES) // 50  # bytes, packed: with fewer, nothing is over a limit


class Split(NamedTuple):
    """The new bytes of a document; other documents by key, with their names; changed parents."""

    data: bytes
    others: list[tuple[object, str, bytes]]
    parents: list[tuple[Location, bytes]]
    codes: Counter[str]
    dropped: list[Dropped]


def split(place: Location, overlay: Overlay, wishes: FixOptions) -> Split | str | None:
    """Split a document; None where there is no need to, words where it cannot be done."""
    data = overlay.changed.get(place.key) or place.load()
    if len(data) < _ENOUGH:
        return None
    container = open_container(data, wishes.limit, wishes.engine)
    name = place.name or ""
    document = parse(
        container.raw, base=place.base, engine=wishes.engine, source=name, limit=wishes.limit
    )
    codes = {p.code for p in document.problems if p.code in SPLITS and wishes.allows(p.code, name)}
    if wishes.profile == "baidu" and wishes.allows("L008", name) and document.size > 10_485_760:
        codes.add("L008")
    if not codes or objection_to_fixing(container, document) is not None:
        return None
    parts = divided(document, wishes.profile)
    if parts is None:
        return "its entries cannot be written into several files as they are"
    made = _arranged(place, overlay, wishes, parts, container, document)
    if isinstance(made, str):
        return made
    comments = b"<!--" in container.raw
    dropped = (
        [Dropped(min(codes), name, 1, "comments, and how it was laid out")] if comments else []
    )
    return made._replace(codes=Counter(codes), dropped=dropped)


def _arranged(
    place: Location,
    overlay: Overlay,
    wishes: FixOptions,
    parts: list[bytes],
    container: Container,
    document: Document,
) -> Split | str:
    """Give the parts their names, and whoever lists the document the parts to list."""
    packed = [container.packed(part, wishes.engine) for part in parts]
    nothing = Split(packed[0], [], [], Counter(), [])
    if len(parts) == 1:
        return nothing
    folder, _, name = str(place.key).rpartition("/")
    base = (overlay.parents[place.key][1] if place.key in overlay.parents else place.base) or ""
    if not base.startswith(("http://", "https://")):
        return "the URL at which it is to lie is not known; give --base-url"
    taken = {str(key).rpartition("/")[2] for key in overlay.changed} | _siblings(folder)
    is_child = place.key in overlay.parents
    keeps_first = is_child or document.kind in ("index", "text")
    names = part_names(name, len(parts) - keeps_first, taken, 2 if keeps_first else 1)
    others: list[tuple[object, str, bytes]] = [
        (f"{folder}/{new}", _beside(place.name or name, new), data)
        for new, data in zip(names, packed[keeps_first:], strict=True)
    ]
    made = nothing._replace(others=others)
    urls = [base.rpartition("/")[0] + "/" + new for new in names]
    if is_child:
        parent, loc = overlay.parents[place.key]
        listed = _listed(parent, loc, overlay, wishes, urls)
        if listed is None:
            return f"the index that lists it cannot be changed: {parent.name}"
        return made._replace(parents=[(parent, listed)])
    if document.kind == "index":
        return made
    index = container.packed(
        index_of([base, *urls] if keeps_first else urls, wishes.moment), wishes.engine
    )
    if not keeps_first:
        return made._replace(data=index)
    # A list of lines cannot become an index: it stays the first of the parts.
    new = name.partition(".")[0] + "-index.xml" + (".gz" if container.is_packed else "")
    if new in taken:
        return f"{new} lies there already"
    others.append((f"{folder}/{new}", _beside(place.name or name, new), index))
    return made


def _siblings(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder)) if os.path.isabs(folder) else set()
    except OSError:
        return set()


def _beside(name: str, new: str) -> str:
    head, slash, _ = name.rpartition("/")
    return f"{head}{slash}{new}"


def _listed(
    parent: Location, loc: str, overlay: Overlay, wishes: FixOptions, urls: list[str]
) -> bytes | None:
    """The index with further children behind one."""
    data = overlay.changed.get(parent.key) or parent.load()
    container = open_container(data, wishes.limit, wishes.engine)
    document = parse(container.raw, base=parent.base, engine=wishes.engine, limit=wishes.limit)
    child = next((child for child in document.sitemaps if child.loc == loc), None)
    if child is None or document.runs:
        return None
    entry = parse_element(document.text, text_offset(document, child.offset or 0))
    if entry is None or entry.prefix or not entry.is_whole:
        return None
    date = format_date(wishes.moment.replace(microsecond=0))
    lines = "".join("\n" + child_line(url, date).rstrip("\n") for url in urls)
    edit = Edit(entry.end, entry.end, lines.encode())
    return container.packed(apply(container.raw, [Change("L001", (edit,))]), wishes.engine)
