"""Split a document over the size limits: names of the parts, and the index that lists them."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import NamedTuple

from urlset.dates import format_date
from urlset.document import Document, text_offset
from urlset.fixer.edits import Change, Edit, apply
from urlset.fixer.fix_document import Container, Dropped, objection_to_fixing, open_container
from urlset.fixer.options import FixOptions
from urlset.fixer.overlay import Overlay
from urlset.fixer.registry import SPLIT_RULES
from urlset.fixer.render import index_child, render_index, render_parts
from urlset.formats.spans import DocumentSpans
from urlset.option_names import option
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.reader.document_sources import Location

_NAME = re.compile(r"(.*?)((?:\.(?:xml|txt))?(?:\.gz)?)", re.IGNORECASE | re.DOTALL)
_MIN_BYTES = min(MAX_URLS, MAX_BYTES) // 50  # a smaller file, compressed, exceeds no limit


class SplitResult(NamedTuple):
    """Result of a split: the new bytes of the document, the new documents, the changed indexes.

    Attributes:
        data: New bytes of the document.
        others: New documents: key, name, bytes.
        parents: Changed indexes: location, new bytes.
        codes: Number of fixes by rule.
        dropped: What was dropped.
    """

    data: bytes
    others: list[tuple[object, str, bytes]]
    parents: list[tuple[Location, bytes]]
    codes: Counter[str]
    dropped: list[Dropped]


def split(location: Location, overlay: Overlay, options: FixOptions) -> SplitResult | str | None:
    """Split a document that exceeds a limit.

    Returns:
        The result; None if no split is needed; the reason if the document cannot be split.
    """
    data = overlay.changed.get(location.key) or location.load()
    if len(data) < _MIN_BYTES:
        return None
    container = open_container(data, options.max_bytes, options.engine)
    name = location.name or ""
    document = options.parse(container.raw, name, location.base_url)
    codes = {
        p.code for p in document.problems if p.code in SPLIT_RULES and options.allows(p.code, name)
    }
    if options.profile == "baidu" and options.allows("L008", name) and document.size > 10_485_760:
        codes.add("L008")
    if not codes or objection_to_fixing(container, document) is not None:
        return None
    parts = render_parts(document, options.profile)
    if parts is None:
        return "its entries cannot be written to several files without a change of their values"
    result = _name_parts(location, overlay, options, parts, container, document)
    if isinstance(result, str):
        return result
    comments = b"<!--" in container.raw
    dropped = [Dropped(min(codes), name, 1, "comments and layout")] if comments else []
    return result._replace(codes=Counter(codes), dropped=dropped)


def _name_parts(
    location: Location,
    overlay: Overlay,
    options: FixOptions,
    parts: list[bytes],
    container: Container,
    document: Document,
) -> SplitResult | str:
    """Name the parts, and list them in the parent index or in a new one."""
    packed = [container.packed(part, options.engine) for part in parts]
    result = SplitResult(packed[0], [], [], Counter(), [])
    if len(parts) == 1:
        return result
    is_child = location.key in overlay.parents
    folder, _, name = str(location.key).rpartition("/")
    base_url = (overlay.parents[location.key][1] if is_child else location.base_url) or ""
    if not base_url.startswith(("http://", "https://")):
        return f"the URL at which it is published is unknown; pass {option('base_url')}"
    used = {str(key).rpartition("/")[2] for key in overlay.changed} | _siblings(folder)
    keeps_first = is_child or document.kind in ("index", "text")
    names = part_names(name, len(parts) - keeps_first, used, 2 if keeps_first else 1)
    others: list[tuple[object, str, bytes]] = [
        (f"{folder}/{new}", _sibling_name(location.name or name, new), data)
        for new, data in zip(names, packed[keeps_first:], strict=True)
    ]
    result = result._replace(others=others)
    urls = [base_url.rpartition("/")[0] + "/" + new for new in names]
    if is_child:
        parent, loc = overlay.parents[location.key]
        extended = _index_with(parent, loc, overlay, options, urls)
        if extended is None:
            return f"the index that lists it cannot be changed: {parent.name}"
        return result._replace(parents=[(parent, extended)])
    if document.kind == "index":
        return result
    index = container.packed(
        render_index([base_url, *urls] if keeps_first else urls, options.now), options.engine
    )
    if not keeps_first:
        return result._replace(data=index)
    # A text sitemap cannot become an index: it stays the first part.
    new = name.partition(".")[0] + "-index.xml" + (".gz" if container.is_packed else "")
    if new in used:
        return f"{new} exists already"
    others.append((f"{folder}/{new}", _sibling_name(location.name or name, new), index))
    return result


def _siblings(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder)) if os.path.isabs(folder) else set()
    except OSError:
        return set()


def _sibling_name(name: str, new: str) -> str:
    head, slash, _ = name.rpartition("/")
    return f"{head}{slash}{new}"


def _index_with(
    parent: Location, loc: str, overlay: Overlay, options: FixOptions, urls: list[str]
) -> bytes | None:
    """Return the bytes of an index with children for ``urls`` added after the child ``loc``."""
    data = overlay.changed.get(parent.key) or parent.load()
    container = open_container(data, options.max_bytes, options.engine)
    document = options.parse(container.raw, parent.name, parent.base_url)
    child = next((child for child in document.sitemaps if child.loc == loc), None)
    if child is None or document.runs:
        return None
    spans = DocumentSpans(document.text, document.engine)
    entry = spans.starting_at(text_offset(document, child.offset or 0))
    if entry is None or entry.prefix or not entry.is_complete:
        return None
    date = format_date(options.now.replace(microsecond=0))
    lines = "".join("\n" + index_child(url, date).rstrip("\n") for url in urls)
    edit = Edit(entry.end, entry.end, lines.encode())
    return container.packed(apply(container.raw, [Change("L001", (edit,))]), options.engine)


def part_names(name: str, count: int, used: set[str], first: int) -> list[str]:
    """Return unused names for the parts of a file, numbered from ``first``.

    >>> part_names("sitemap.xml.gz", 2, {"sitemap-1.xml.gz"}, 1)
    ['sitemap-2.xml.gz', 'sitemap-3.xml.gz']
    """
    found = _NAME.fullmatch(name)
    stem, ending = found.groups() if found else (name, "")
    names: list[str] = []
    number = first
    while len(names) < count:
        new = f"{stem}-{number}{ending}"
        if new not in used:
            names.append(new)
        number += 1
    return names
