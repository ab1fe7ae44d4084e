"""Mends the documents of a source: each by itself, then as a set, and splits what is too full."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from urlset.entry_spans import text_offset
from urlset.fixer.container import open_container
from urlset.fixer.eligibility import objection_to_name
from urlset.fixer.fix_document import DocumentFixer, Dropped, FixedText
from urlset.fixer.options import FixOptions, Spots, is_of_set
from urlset.fixer.overlay import Overlay
from urlset.fixer.registry import FindingLocation
from urlset.fixer.robots_txt import mend_robots
from urlset.fixer.split_index import Split, split
from urlset.reader import read_documents
from urlset.reader.locations import DocumentSource, Location
from urlset.urls import split_origin

__all__ = ["Fixed", "FixedDocument", "fix_set"]

MAX_ROUNDS = 10
"""Rounds over the set: a fix of an index may show what is wrong with the index above it."""


@dataclass(frozen=True)
class FixedDocument:
    """A document that was changed: ``before`` and ``after`` are its bytes, as they lie there.

    ``text_before`` and ``text_after`` are unpacked. ``before`` is None for one that is new.
    ``key`` is its path or URL.
    """

    name: str
    key: object
    before: bytes | None
    after: bytes
    text_before: bytes
    text_after: bytes


@dataclass
class Fixed:
    """What was mended: the documents, how much of each rule, what was dropped, what was left.

    ``left`` has the code, the document and the reason; the code is empty for a document that may
    not be fixed at all, since it is no sitemap or was not decoded. ``passed`` has the bytes of a
    source that is a single stream, mended or not.
    """

    documents: list[FixedDocument] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    left: list[tuple[str, str, str]] = field(default_factory=list)
    passed: bytes = b""

    def note(self, mended: FixedText, name: str) -> None:
        """Count what became of one document."""
        self.counts.update(mended.fixed)
        self.dropped += mended.dropped
        self.left += [(code, name, why) for code, why in mended.left.items()]


def fix_set(finder: DocumentSource, wishes: FixOptions) -> Fixed:
    """Mend all documents that a finder finds; nothing is written anywhere.

    Raises :class:`urlset.SourceError` where there is nothing to read.
    """
    return _Work(finder, wishes).done()


class _Work:
    """The mending of one set; one object per set."""

    def __init__(self, finder: DocumentSource, wishes: FixOptions):
        self.overlay = Overlay(finder, wishes.moment, wishes.engine, wishes.limit)
        self.wishes = replace(wishes, robots=dict(self.overlay.robots_files()))
        self.fixed = Fixed()
        self.before: dict[object, tuple[str, bytes]] = {}
        self.new: dict[object, str] = {}

    def done(self) -> Fixed:
        """Mend, and tell what was changed."""
        for name in self._affected():
            self._mend(self.overlay.places_by_name[name])
        for _ in range(MAX_ROUNDS):
            if not self._mend_set():
                break
        self._split()
        self._mend_robots()
        self.fixed.documents += self._changed()
        self._pass_on()
        return self.fixed

    def _affected(self) -> list[str]:
        """The documents in which there is something to be mended."""
        rules = {c: rule for c, rule in self.wishes.rules.items() if self.wishes.allows(c, None)}
        names: dict[str, None] = {}
        entries = read_documents(self.overlay, self.wishes.engine, self.wishes.limit)
        if all(rule.is_engine_rule for rule in rules.values()):  # no need to ask a database
            for record, document in entries.visits():
                if document is not None and any(p.code in rules for p in document.problems):
                    names[record.source or ""] = None
        else:
            for finding in self.wishes.findings(entries, rules):
                names[finding.source or ""] = None
        return [name for name in names if name in self.overlay.places_by_name]

    def _is_eligible(self, place: Location) -> bool:
        """Tell whether the file at a place may be changed; note why not."""
        why = objection_to_name(place)
        if why is not None:
            self.fixed.left.append(("", place.name or "", why))
        return why is None

    def _mend(self, place: Location) -> None:
        if not self._is_eligible(place):
            return
        name = place.name or ""
        mended = DocumentFixer(place.load(), name, place.base, self.wishes).mended()
        self.fixed.note(mended, name)
        self._keep(place, mended.data)

    def _keep(self, place: Location, data: bytes) -> bool:
        """Let a document be another one from now on; tell whether it is."""
        known = self.overlay.changed.get(place.key)
        before = place.load() if known is None else known
        if data == before:
            return False
        self.before.setdefault(place.key, (place.name or "", before))
        self.overlay.changed[place.key] = data
        return True

    def _mend_set(self) -> bool:
        """Mend what only the whole set shows; tell whether anything changed."""
        allowed = self.wishes.allows
        rules = {
            c: rule for c, rule in self.wishes.rules.items() if is_of_set(rule) and allowed(c, None)
        }
        if not rules:
            return False
        by_name: dict[str, list[FindingLocation]] = defaultdict(list)
        entries = read_documents(self.overlay, self.wishes.engine, self.wishes.limit)
        for found in self.wishes.findings(entries, rules):
            spot = FindingLocation(
                found.code,
                found.offset or 0,
                found.offset or 0,
                found.level,
                found.loc,
                found.parameters,
            )
            if allowed(found.code, found.source):
                by_name[found.source or ""].append(spot)
        changed = [name for name, spots in by_name.items() if self._mend_in_set(name, spots)]
        return bool(changed)

    def _mend_in_set(self, name: str, spots: list[FindingLocation]) -> bool:
        place = self.overlay.places_by_name.get(name)
        if place is None or not self._is_eligible(place):
            return False
        data = self.overlay.changed.get(place.key) or place.load()
        around = self.overlay.around(place)
        mending = DocumentFixer(data, name, place.base, self.wishes, around)
        by_code: Spots = defaultdict(list)
        for spot in spots:
            at = text_offset(mending.document, spot.at)
            by_code[spot.code].append(replace(spot, at=at, end=at))
        mending.mend(by_code)
        mended = mending.result()
        self.fixed.note(mended, name)
        return self._keep(place, mended.data)

    def _split(self) -> None:
        """Split the documents that are too full."""
        for place in list(self.overlay.places_by_name.values()):
            result = split(place, self.overlay, self.wishes)
            if result is not None and not self._is_eligible(place):
                continue
            if isinstance(result, str):
                self.fixed.left.append(("L001", place.name or "", result))
            elif result is not None:
                self._keep_split(place, result)

    def _keep_split(self, place: Location, result: Split) -> None:
        self.fixed.counts.update(result.codes)
        self._keep(place, result.data)
        for key, name, data in result.others:
            self.new[key] = name
            self.overlay.changed[key] = data
        for parent, data in result.parents:
            self._keep(parent, data)
        self.fixed.dropped += result.dropped

    def _mend_robots(self) -> None:
        for url, data in list(self.overlay.robots_files()):
            found = mend_robots(data, url, self.wishes, self._addresses(url))
            if found.data != data:
                self.before.setdefault(url, (url, data))
                self.overlay.changed[url] = found.data
                self.fixed.counts.update(found.fixed)
                self.fixed.dropped += found.dropped

    def _addresses(self, robots: str) -> list[str]:
        """The sitemaps of the host of a robots.txt that no index lists."""
        origin = split_origin(robots)[:2]
        return [
            place.base
            for place in self.overlay.places_by_name.values()
            if place.base
            and split_origin(place.base)[:2] == origin
            and place.key not in self.overlay.parents
        ]

    def _changed(self) -> Iterator[FixedDocument]:
        for key, after in self.overlay.changed.items():
            name, before = self.before.get(key, (self.new.get(key, ""), None))
            if before == after:
                continue
            yield FixedDocument(
                name, key, before, after, self._text(before or b""), self._text(after)
            )

    def _pass_on(self) -> None:
        for place in self.overlay.places_by_name.values():
            if place.key is None:
                self.fixed.passed = self.overlay.changed.get(None) or place.load()

    def _text(self, data: bytes) -> bytes:
        return open_container(data, self.wishes.limit, self.wishes.engine).raw
