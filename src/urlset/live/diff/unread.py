"""Find URLs whose absence proves nothing, because the document that may list them was not read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from urlset.checker.views import BROKEN
from urlset.live.crawl.evidence import PAGE_GAPS, kind_of_reason
from urlset.live.diff.tables import SIDES, Tables
from urlset.live.working_tables import (
    DOCUMENT_PAIRS,
    UNKNOWN_IN_BOTH,
    UNREAD_DOCUMENTS,
    UNREAD_URLS,
)
from urlset.store import quoted
from urlset.terminal_text import pluralize

_FAILED_STATUS = "(status IS NULL OR status >= 500 OR status IN (401, 403, 407, 408, 425, 429))"
_DIGITS = re.compile(r"\d+")


class DocumentOutcome(NamedTuple):
    """A document of a state; ``fault`` says why it, or a part of it, could not be read.

    ``unreadable_count`` is the number of its entries that have no readable URL.
    """

    source: str
    loc: str | None = None
    url: str | None = None
    parent: str | None = None
    fault: str | None = None
    unreadable_count: int = 0


class Unread(NamedTuple):
    """Documents of one state whose URLs may be absent from the other one without being removed.

    ``everything`` says why every URL may be; None if only those of ``documents``, each with the
    reason.
    """

    everything: str | None
    documents: dict[str, str]


def unread_documents(
    here: Sequence[DocumentOutcome], other: Sequence[DocumentOutcome], gaps: Sequence[str] = ()
) -> Unread:
    """Find documents of a state, here, that could not be read in the other state.

    A document that failed in the other state, with all documents below it, is matched with the
    document of the same URL or file name. If there is none, any URL may be in the part that failed.
    ``gaps`` say why the other state does not know all its documents, such as a failed robots.txt.
    """
    pairs = _match(here, other)
    faults = {document.source: document.fault for document in other if document.fault}
    matched = {source for sources in pairs.values() for source in sources}
    new = [source for source in faults if source not in matched]
    if new:
        return Unread(f"{new[0]}: {faults[new[0]]}", {})
    found: dict[str, str] = {}
    for document in here:
        for source in pairs[document.source]:
            if source in faults:
                found[document.source] = f"{source}: {faults[source]}"
    # Documents below, unless they were read all the same.
    above = {document.source: document.parent for document in here}
    for document in here:
        if document.source in found or pairs[document.source]:
            continue
        step: str | None = document.parent
        for _ in range(10):
            if step is None:
                break
            if step in found:
                found[document.source] = found[step]
                break
            step = above.get(step)
        else:
            continue
        if document.source not in found and gaps:
            found[document.source] = gaps[0]
    return Unread(None, found)


def with_unreadable_entries(
    here: Sequence[DocumentOutcome], other: Sequence[DocumentOutcome]
) -> list[DocumentOutcome]:
    """Add a fault to the documents that have more unreadable entries than in the other state.

    Entries that are unreadable in both states hide no change.
    """
    if not any(document.unreadable_count for document in here):
        return list(here)
    pairs = _match(here, other)
    counts = {document.source: document.unreadable_count for document in other}
    found = []
    for document in here:
        before = sum(counts[source] for source in pairs[document.source])
        if document.unreadable_count > before and document.fault is None:
            many = pluralize(document.unreadable_count, "entry has", "entries have")
            document = document._replace(fault=f"{many} no readable URL")
        found.append(document)
    return found


def _match(
    here: Sequence[DocumentOutcome], other: Sequence[DocumentOutcome]
) -> dict[str, set[str]]:
    """Map each document to the documents of the other state with its URL or file name."""
    found: dict[str, set[str]] = {document.source: set() for document in here}
    index: dict[str, set[str]] = {}
    for document in other:
        for name in _names(document):
            index.setdefault(name, set()).add(document.source)
    for document in here:
        for name in _names(document):
            found[document.source] |= index.get(name, set())
    file_names = [_by_file_name(documents) for documents in (here, other)]
    for name, source in file_names[0].items():
        if not found[source] and name in file_names[1]:
            found[source].add(file_names[1][name])
    roots = [[d.source for d in documents if d.parent is None] for documents in (here, other)]
    if len(roots[0]) == len(roots[1]) == 1:
        found[roots[0][0]].add(roots[1][0])
    return found


def _names(document: DocumentOutcome) -> set[str]:
    return {name for name in (document.source, document.loc, document.url) if name}


def _by_file_name(documents: Iterable[DocumentOutcome]) -> dict[str, str]:
    """Return the names of documents by their last segment, if it is unique."""
    names = {d.source: re.split(r"[/\\:]", d.source.rstrip("/"))[-1] for d in documents}
    counts = Counter(names.values())
    return {name: source for source, name in names.items() if counts[name] == 1}


def mark_unread(tables: Tables) -> None:
    """Create ``unread_urls``: hashes of URLs that are in one state only, with the reason.

    They are neither removed nor added: the other state may have them in the part that is missing.
    Also create ``unknown_in_both``: unchanged URLs of a last known state that may be listed or not.
    """
    tables.db.run(UNREAD_URLS.create_empty())
    tables.db.run(UNKNOWN_IN_BOTH.create_empty())
    if tables.states["after"].is_last_known:
        _mark_unknown(tables)
        return
    documents = {side: _documents(tables, side) for side in SIDES}
    for side, other in (SIDES, SIDES[::-1]):
        documents[side] = with_unreadable_entries(documents[side], documents[other])
    for side, other in (SIDES, SIDES[::-1]):
        gaps = _gaps(tables, other)
        tables.faults += [f"{d.source}: {d.fault}" for d in documents[other] if d.fault] + gaps
        if tables.is_crawl[other] and gaps:
            found = Unread(gaps[0], {})
        else:
            found = unread_documents(documents[side], documents[other], gaps)
        if found.everything is None and found.documents:
            found = _with_shifts(tables, found, documents, side)
        if found.everything is not None:
            why = quoted(found.everything)
            tables.db.run(f"INSERT INTO unread_urls SELECT h, {why} FROM {side}_diff WHERE is_only")
        elif found.documents:
            tables.db.run(UNREAD_DOCUMENTS.create_empty(side=side))
            tables.db.insert_rows(f"{side}_unread_documents", list(found.documents.items()))
            tables.db.run(
                f"INSERT INTO unread_urls SELECT d.h, u.detail FROM {side}_diff d "
                f"JOIN {side}_unread_documents u ON u.source = d.source WHERE d.is_only"
            )
        if tables.is_crawl[other]:
            store = tables.stores.get(other)
            tables.db.run(
                "INSERT INTO unread_urls SELECT DISTINCT ON (d.h) d.h, p.url || ': ' || "
                "coalesce(p.unknown_reason, p.error, p.verdict) "
                f"FROM {side}_diff d JOIN {store}.pages p ON text_hash(normal_of(p.url)) = d.h "
                "WHERE p.verdict IN ('unknown', 'unreachable', 'server-error', 'disallowed') "
                "AND d.is_only AND d.h NOT IN (SELECT h FROM unread_urls)"
            )


def _mark_unknown(tables: Tables) -> None:
    store = tables.stores["after"]
    tables.db.run(
        "INSERT INTO unread_urls SELECT d.h, u.detail FROM after_diff d "
        f"JOIN {store}.unknown_urls u USING (loc) WHERE d.is_only"
    )
    tables.db.run(
        f"INSERT INTO unknown_in_both SELECT b.loc, u.detail FROM {store}.unknown_urls u "
        "JOIN before_rows b USING (loc) JOIN after_rows USING (loc) "
        "ANTI JOIN (SELECT loc FROM changed_pairs JOIN after_diff USING (h)) p USING (loc)"
    )


def _documents(tables: Tables, side: str) -> list[DocumentOutcome]:
    store = tables.stores.get(side)
    if store is None:
        # A table may state the sources of its rows; which of them an unreadable row has is unknown.
        count = tables.states[side].faults.unreadable_count
        names = tables.db.rows(
            f"SELECT DISTINCT source FROM {side}_listed WHERE source IS NOT NULL"
        )
        if count and not names:
            names = [(tables.states[side].name,)]
        return [DocumentOutcome(name, unreadable_count=count) for (name,) in names]
    if tables.is_crawl[side]:
        return []
    codes = ", ".join(map(quoted, sorted(BROKEN)))
    rows = tables.db.rows(
        f"""SELECT {tables.shown(side, "coalesce(d.source, '-')")}, d.loc, d.url,
            {tables.shown(side, "d.parent")},
            CASE WHEN d.same_as IS NOT NULL THEN NULL ELSE coalesce(d.error, d.skipped, p.message)
            END, d.unreadable_count
        FROM {store}.documents d LEFT JOIN (
            SELECT document, any_value(message ORDER BY "offset") AS message FROM {store}.problems
            WHERE code IN ({codes}) GROUP BY document) p ON p.document = d.document
        ORDER BY d.document"""
    )
    found = [DocumentOutcome(*row) for row in rows]
    if (replaced := tables.states[side].replaced) is None:
        return found
    # Messages have the path of a temporary folder, too.
    return [d._replace(fault=d.fault and d.fault.replace(*replaced)) for d in found]


def _gaps(tables: Tables, side: str) -> list[str]:
    """Return reasons why the documents or pages of a state are not completely known."""
    store = tables.stores.get(side)
    if store is None:
        return []
    if tables.is_crawl[side]:
        rows = tables.db.rows(
            f"SELECT finished IS NULL, coalesce(reasons, []) FROM {store}.crawls "
            "ORDER BY crawl DESC LIMIT 1"
        )
        unfinished, reasons = rows[0] if rows else (False, [])
        gaps = [
            f"the crawl is not complete: {reason}"
            for reason in reasons
            if kind_of_reason(reason) in PAGE_GAPS
        ]
        return gaps or (["the crawl is not complete: interrupted"] if unfinished else [])
    # Sitemaps that were named need no robots.txt and no home page.
    if tables.count(
        f"SELECT count(*) FROM {store}.documents WHERE how = 'given' AND kind IS NOT NULL"
    ):
        return []
    rows = tables.db.rows(
        f"SELECT url || ': ' || coalesce(error, 'HTTP ' || status, 'no response') "
        f"FROM {store}.robots WHERE state IN ('unreachable', 'refused') UNION ALL "
        f"SELECT source || ': ' || coalesce(error, 'HTTP ' || status, 'no response') "
        f"FROM {store}.fetches WHERE why IN ('home', 'well-known', 'feed') "
        f"AND ({_FAILED_STATUS} OR NOT is_whole)"
    )
    return [str(row[0]) for row in rows]


def _with_shifts(
    tables: Tables, found: Unread, documents: dict[str, list[DocumentOutcome]], side: str
) -> Unread:
    """Add documents whose URLs may have moved to a document that could not be read.

    In a numbered family, such as ``post-sitemap1.xml`` and ``post-sitemap2.xml``, a new URL at the
    start of the list moves others to the next file. URLs that are not compared show that, too.
    """
    other = SIDES[side == SIDES[0]]
    pairs = _match(documents[side], documents[other])
    rows = [(here, there) for here, matches in pairs.items() for there in matches]
    tables.db.run(DOCUMENT_PAIRS.create_empty(side=side))
    tables.db.insert_rows(f"{side}_document_pairs", rows)
    shifts = tables.db.rows(
        f"""SELECT DISTINCT a.source, b.source
        FROM (SELECT text_hash(normal_of(loc)) AS h, source FROM {side}_listed) a
        JOIN (SELECT text_hash(normal_of(loc)) AS h, source FROM {other}_listed) b USING (h)
        ANTI JOIN {side}_document_pairs p ON p.here = a.source AND p.there = b.source"""
    )
    # Also those that the failed part of an index may name.
    failed = {_family(document.source) for document in documents[other] if document.fault}
    failed |= {_family(source) for source in found.documents}
    reason = f"{next(iter(found.documents.values()))}; the site moves URLs from sitemap to sitemap"
    if any(_family(here) != _family(there) for here, there in shifts):
        return Unread(reason, {})
    changing = tables.db.rows(
        f"""SELECT DISTINCT d.source FROM {side}_diff d
        JOIN {side}_document_pairs p ON p.here = d.source
        JOIN {other}_diff o ON o.source = p.there WHERE d.is_only AND o.is_only"""
    )
    families = {_family(here) for here, _ in shifts} | {_family(here) for (here,) in changing}
    families = {family for family in families & failed if "#" in family}
    shifting = {d.source: reason for d in documents[side] if _family(d.source) in families}
    return Unread(None, shifting | found.documents)


def _family(source: str) -> str:
    return _DIGITS.sub("#", re.split(r"[/\\:]", source)[-1])
