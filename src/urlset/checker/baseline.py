"""Baseline: a file of known findings, so that a check of an old site reports only new ones.

Findings are counted by rule, document and URL. Findings without a URL are counted by the values in
their messages, without numbers, so a change of the wording has no effect. A finding that moves to
another line stays known; a finding beyond the known number is new. For findings that a check counts
but does not yield, only the number by rule and document is known. The file is sorted JSON, to be
stored with the sources.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from urlset.checker.evaluate import FindingKey
from urlset.checker.findings import LEVELS, Finding
from urlset.errors import ConfigurationError, TargetError
from urlset.temp_files import AtomicFile, is_special

__all__ = ["Baseline"]

VERSION = 1
_NUMBER = re.compile(r"\d[\d,.]*", re.ASCII)
_URL = re.compile(r"https?://\S*", re.IGNORECASE)


class Key(NamedTuple):
    """Identity of known findings: rule, document, and the URL or else the ``values`` by name."""

    code: str
    source: str
    loc: str = ""
    values: tuple[tuple[str, str], ...] = ()


Group = tuple[str, str]
"""Code and source of findings."""


class Baseline:
    """Known findings of a site, each with its number.

    ``known`` counts findings by :class:`Key`. ``counted`` counts by code and source those that a
    check did not yield.

    >>> list(Baseline().new([]))
    []
    """

    def __init__(self, known: Counter[Key] | None = None, counted: Counter[Group] | None = None):
        self.known: Counter[Key] = known if known is not None else Counter()
        self.counted: Counter[Group] = counted if counted is not None else Counter()

    def __len__(self) -> int:
        return self.known.total() + self.counted.total()

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read the baseline in a file.

        Files of earlier versions identify a finding without a URL by its message, whose wording may
        have changed. Such findings are known by rule and document only.

        Raises:
            urlset.ConfigurationError: The file cannot be read or is not a baseline.
        """
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["urlset_baseline"] != VERSION:
                raise ValueError(VERSION)
            counted = Counter({(row[0], row[1]): int(row[2]) for row in found.get("counted", [])})
            known: Counter[Key] = Counter()
            for code, source, identity, count in found["findings"]:
                if isinstance(identity, dict):
                    known[Key(code, source, values=tuple(sorted(identity.items())))] += int(count)
                elif _URL.fullmatch(identity):
                    known[Key(code, source, identity)] += int(count)
                else:
                    counted[code, source] += int(count)
            return cls(known, counted)
        except OSError as error:
            raise ConfigurationError(
                f"expected a baseline at {str(path)!r}, found {error.strerror}; "
                "--write-baseline creates one"
            ) from error
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise ConfigurationError(
                f"expected a baseline of urlset, found something else: {str(path)!r}"
            ) from error

    def write(self, path: Path) -> None:
        """Write the baseline to a file atomically, one finding on each line.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        findings = _lines(
            (*key[:2], key.loc or dict(key.values), count)
            for key, count in sorted(self.known.items())
        )
        counted = _lines((*group, count) for group, count in sorted(self.counted.items()))
        counted_part = f',\n"counted": [{counted}]' if counted else ""
        text = f'{{"urlset_baseline": {VERSION}, "findings": [{findings}]{counted_part}}}\n'
        try:
            _replace_file(path, text)
        except OSError as error:
            raise TargetError(
                f"cannot write the baseline {str(path)!r}: {error.strerror}; name another file"
            ) from error

    def record(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Add findings to the baseline, and yield them unchanged."""
        for finding in findings:
            self.known[_key(finding)] += 1
            yield finding

    def record_counted(self, counts: Mapping[FindingKey, int]) -> None:
        """Add findings to the baseline that a check counted but did not yield."""
        for key, count in counts.items():
            self.counted[_group(key)] += count

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are not known."""
        remaining = Baseline(Counter(self.known), Counter(self.counted))
        yield from (finding for finding in findings if not remaining.match(finding))

    def match(self, finding: Finding) -> bool:
        """Return whether a finding is known; reduce the number of known ones by one.

        A finding of a rule and document with findings that were only counted may be one of those.
        """
        key, group = _key(finding), _group(finding)
        if self.known[key] > 0:
            self.known[key] -= 1
        elif self.counted[group] > 0:
            self.counted[group] -= 1
        else:
            return False
        return True

    def match_counted(self, counts: Mapping[FindingKey, int]) -> Counter[FindingKey]:
        """Compare findings that a check only counted with the known ones; return the new ones.

        Call it after :meth:`match` of all yielded findings: those that remain may be among these.
        Which ones are new is unknown, so the most severe are returned as new.
        """
        groups, remaining = {_group(key) for key in counts}, self.counted
        for key, count in self.known.items():
            if count and key[:2] in groups:
                remaining[key[:2]] += count
                self.known[key] = 0
        new: Counter[FindingKey] = Counter()
        for found in sorted(counts, key=lambda found: LEVELS.index(found.level), reverse=True):
            group = _group(found)
            matched = min(counts[found], remaining[group])
            remaining[group] -= matched
            new[found] = counts[found] - matched
        return +new


def _key(finding: Finding) -> Key:
    code, source = _group(finding)
    if finding.loc is None:
        # "2 of 9 URLs have no lastmod" stays known when there are 10 URLs.
        found = ((name, _NUMBER.sub("#", value or "")) for name, value in finding.parameters)
        return Key(code, source, values=tuple(sorted(found)))
    if _URL.fullmatch(finding.loc):
        return Key(code, source, finding.loc)
    return Key(code, source, values=(("loc", finding.loc),))


def _group(found: Finding | FindingKey) -> Group:
    return found.code, found.source or ""


def _replace_file(path: Path, text: str) -> None:
    """Write a file so that concurrent readers see either the old or the new content."""
    if is_special(path):
        path.write_text(text, encoding="utf-8")
        return
    staged = AtomicFile(path)
    try:
        with open(staged.descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        staged.commit()
    finally:
        staged.discard()


def _lines(rows: Iterable[tuple[object, ...]]) -> str:
    """Return rows as JSON, one on each line."""
    text = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"\n  {text}\n" if text else ""
