"""Find the documents of a source that are new or changed since an earlier state of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from urlset.errors import SourceError
from urlset.partitioned.parts import PartSource, ReadPart, plan
from urlset.partitioned.rows import readings
from urlset.reader import is_url
from urlset.reader.filters import EntryFilter
from urlset.reader.planned import PlannedDocument


def validators(source: PartSource, known: Mapping[str, str], **options: Any) -> dict[str, str]:
    """Return a validator for each document of a source, which is equal while it is unchanged.

    It is the time and size of a file, and the ``lastmod`` that an index has for a sitemap of a
    site. Other sitemaps of sites are requested for it, and objects in a bucket are read.

    >>> maps = {"https://example.com/a.txt": b"https://example.com/"}
    >>> before = validators(maps, {})
    >>> maps["https://example.com/a.txt"] += b" https://example.com/b"
    >>> validators(maps, before) == before
    False

    Args:
        source: The source, as in :func:`urlset.partitioned.plan`.
        known: An earlier result. If a site cannot be read, its documents keep these validators.
        options: Further arguments of :func:`urlset.partitioned.plan`.
    """
    found: dict[str, str] = {}
    is_complete = True
    for part in plan(source, **options):
        if part.kind == "documents":
            found.update((_name(one), _of_planned(one)) for one in part.documents)
        elif part.kind == "sites":
            listed = dict(_of_site(part))
            is_complete = is_complete and not any(error for _, error in listed.values())
            found.update((url, validator) for url, (validator, _) in listed.items())
        else:
            found.update((path, _of_file(path)) for path in part.sources)
    if not is_complete:
        found = {**known, **found}
    return dict(sorted(found.items()))


def plan_documents(
    source: PartSource, documents: Collection[str], **options: Any
) -> list[ReadPart]:
    """Return parts with some documents of a source, by the names that :func:`validators` has.

    Documents that no longer exist are skipped. Sitemaps of sites are requested by their URLs, and
    the indexes that list them are not.
    """
    parts: list[ReadPart] = []
    planned = plan(source, **options)
    urls = sorted(name for name in documents if is_url(name))
    for part in planned:
        if part.kind == "documents":
            chosen = tuple(one for one in part.documents if _name(one) in documents)
            if chosen:
                size = sum(one.size for one in chosen)
                parts.append(replace(part, documents=chosen, size=size))
            urls = sorted({*urls}.difference(map(_name, part.documents)))
        elif part.kind != "sites" and any(path in documents for path in part.sources):
            parts.append(part)
    has_sites = any(part.kind == "sites" for part in planned)
    return parts + (plan(urls, **options) if urls and has_sites else [])


def _name(planned: PlannedDocument) -> str:
    return planned.record.source or ""


def _of_planned(planned: PlannedDocument) -> str:
    record, location = planned.record, planned.location
    if location is None:
        return _digest(record.error or record.skipped or "")
    if location.name is not None and os.path.exists(location.name):
        return _of_file(location.name)
    try:
        return _digest(location.load())
    except SourceError as error:
        return _digest(str(error))


def _of_file(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError as error:
        return _digest(str(error))
    return f"{found.st_mtime_ns:x}-{found.st_size:x}"


def _of_site(part: ReadPart) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the URLs of sitemaps, each with its validator, and whether it could not be read."""
    undated: list[str] = []
    for record, document in _visits(part):
        source = record.source or ""
        if document is None or not document.sitemaps:
            text = record.error or record.skipped or "" if document is None else document.text
            yield source, (_digest(text), document is None and bool(record.error))
            continue
        for child in document.sitemaps if part.follow else ():
            if child.lastmod_text is None:
                undated.append(child.loc)
            else:
                yield child.loc, (_digest(child.lastmod_text), False)
    if undated:
        own = replace(part, sources=tuple(dict.fromkeys(undated)))
        for record, document in _visits(own):
            text = record.error or record.skipped or "" if document is None else document.text
            yield record.loc or record.source or "", (_digest(text), False)


def _visits(part: ReadPart) -> Iterator[Any]:
    for entries in readings(replace(part, follow=False), EntryFilter()):
        with closing(entries.visits()) as visits:
            yield from visits


def _digest(text: str | bytes) -> str:
    data = text.encode(errors="replace") if isinstance(text, str) else text
    return blake2b(data, digest_size=8).hexdigest()
