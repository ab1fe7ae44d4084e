"""Baseline: a file of known findings, so that a check of an old site reports only new ones.

Findings are counted by rule, document and URL. Findings without a URL are counted by the values in
their messages, without numbers, so a change of the wording has no effect. A finding that moves to
another line stays known; a finding beyond the known number is new. For findings that a check counts
but does not yield, only the number by rule and document is known. The file is sorted JSON, to be
stored with the sources.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, NotRequired, TypedDict

from urlset.checker.evaluate import FindingKey, Tally
from urlset.checker.finding import LEVELS, Finding
from urlset.errors import ConfigurationError, TargetError
from urlset.formats.detect import expect_no_store
from urlset.option_names import option
from urlset.temp_files import AtomicFile, bounded_text, is_special, write_error_reason
from urlset.terminal_text import pluralize

VERSION = 1
_NUMBER = re.compile(r"\d[\d,.]*", re.ASCII)
_URL = re.compile(r"https?://\S*", re.IGNORECASE)


class Key(NamedTuple):
    """Identity of known findings: rule, document, and the URL or else the ``values`` by name."""

    code: str
    source: str
    loc: str = ""
    values: tuple[tuple[str, str], ...] = ()


class BaselineJson(TypedDict):
    """File of known findings.

    Attributes:
        urlset_baseline: Version of the format.
        findings: Code, document, the URL or else the values of the message by name, and number.
        counted: Code, document and number of findings that a check counts but does not yield.
    """

    urlset_baseline: Literal[1]
    findings: list[tuple[str, str, str | dict[str, str], int]]
    counted: NotRequired[list[tuple[str, str, int]]]


Group = tuple[str, str]
"""Code and source of findings."""


class Baseline:
    """Known findings of a site, each with its number.

    ``known`` counts findings by :class:`Key`. ``counted`` counts by code and source those that a
    check did not yield. ``folder`` is that of the file: in it, documents are named relative to it,
    so that ``public/``, ``./public/`` and an absolute path are the same.

    >>> list(Baseline().new([]))
    []
    """

    def __init__(
        self,
        known: Counter[Key] | None = None,
        counted: Counter[Group] | None = None,
        folder: Path | None = None,
    ):
        self._folder = folder
        self.known: Counter[Key] = known if known is not None else Counter()
        self.counted: Counter[Group] = counted if counted is not None else Counter()

    def __repr__(self) -> str:
        return f"<Baseline of {pluralize(len(self), 'finding')}>"

    def __len__(self) -> int:
        return self.known.total() + self.counted.total()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Baseline:
        """Read the baseline in a file.

        Files of earlier versions identify a finding without a URL by its message, whose wording may
        have changed. Such findings are known by rule and document only.

        Raises:
            urlset.ConfigurationError: The file cannot be read or is not a baseline.
        """
        path = Path(path)
        try:
            if is_special(path) and not path.is_dir():  # a configuration of a stranger names it
                raise OSError(errno.EINVAL, "a device or a pipe")
            found = json.loads(bounded_text(path))
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
            return cls(known, counted, path.parent)
        except OSError as error:
            raise ConfigurationError(
                f"expected a baseline at {str(path)!r}, found {error.strerror}; "
                f"{option('write_baseline', python='Baseline.write')} creates one"
            ) from error
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise ConfigurationError(
                f"expected a baseline of urlset, found something else: {str(path)!r}"
            ) from error

    @classmethod
    def of(cls, source: Baseline | str | os.PathLike[str] | None) -> Baseline | None:
        """Return a baseline, or read that of a path; None without one."""
        if source is None or isinstance(source, Baseline):
            return source
        if not isinstance(source, str | os.PathLike):
            raise TypeError(f"baseline: expected a path or a Baseline, found {source!r:.200}")
        return cls.read(Path(source))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline to a file atomically, one finding on each line.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        path = Path(path)
        known: Counter[Key] = Counter()
        for key, count in self.known.items():
            known[key._replace(source=_relative(key.source, path.parent))] += count
        groups: Counter[Group] = Counter()
        for (code, source), count in self.counted.items():
            groups[code, _relative(source, path.parent)] += count
        findings = _lines(
            (*key[:2], key.loc or dict(key.values), count) for key, count in sorted(known.items())
        )
        counted = _lines((*group, count) for group, count in sorted(groups.items()))
        counted_part = f',\n"counted": [{counted}]' if counted else ""
        text = f'{{"urlset_baseline": {VERSION}, "findings": [{findings}]{counted_part}}}\n'
        try:
            if is_special(path):
                path.write_text(text, encoding="utf-8")
                return
            expect_no_store(path)
            with AtomicFile(path).writing() as file:
                file.write(text)
        except OSError as error:
            raise TargetError(
                f"cannot write the baseline {str(path)!r}: {write_error_reason(path, error)}"
            ) from error

    def record(self, findings: Iterable[Finding]) -> list[Finding]:
        """Add findings to the baseline, such as those of :func:`urlset.check`; return them.

        Those that a check counted but did not yield are added, too.
        """
        found = list(findings)
        for finding in found:
            self.add(finding)
        self.record_counted(getattr(findings, "unlisted", {}))
        return found

    def add(self, finding: Finding) -> None:
        """Add one finding to the baseline."""
        self.known[_key(finding)] += 1

    def record_counted(self, counts: Mapping[FindingKey, int]) -> None:
        """Add findings to the baseline that an audit counted but does not list: its ``unlisted``.

        :meth:`record` does so for the result of a check.
        """
        for key, count in counts.items():
            self.counted[_group(key)] += count

    def copy(self) -> Baseline:
        """Return an equal baseline, for one comparison."""
        return Baseline(Counter(self.known), Counter(self.counted), self._folder)

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are not known."""
        remaining = self.copy()
        yield from (finding for finding in findings if not remaining.match(finding))

    def match(self, finding: Finding) -> bool:
        """Return whether a finding is known; reduce the number of known ones by one.

        A finding of a rule and document with findings that were only counted may be one of those.
        """
        key = _key(finding)
        keys = [key._replace(source=name) for name in self._names(key.source)]
        for one in keys:
            if self.known[one] > 0:
                self.known[one] -= 1
                return True
        for one in keys:
            if self.counted[one[:2]] > 0:
                self.counted[one[:2]] -= 1
                return True
        return False

    def _names(self, source: str) -> list[str]:
        """Return the names under which the baseline may know a document, the usual one first."""
        if self._folder is None:
            return [source]
        # Files of earlier versions name documents as they were given.
        return list(dict.fromkeys((_relative(source, self._folder), source)))

    def match_counted(self, counts: Mapping[FindingKey, int]) -> Counter[FindingKey]:
        """Compare findings that a check only counted with the known ones; return the new ones.

        Call it after :meth:`match` of all yielded findings: those that remain may be among these.
        Which ones are new is unknown, so the most severe are returned as new.
        """
        groups = {
            (key.code, name): _group(key)
            for key in counts
            for name in self._names(key.source or "")
        }
        remaining: Counter[Group] = Counter()
        for group, count in self.counted.items():
            remaining[groups.get(group, group)] += count
        for key, count in self.known.items():
            if count and key[:2] in groups:
                remaining[groups[key[:2]]] += count
                self.known[key] = 0
        new: Counter[FindingKey] = Counter()
        for found in sorted(counts, key=lambda found: LEVELS.index(found.level), reverse=True):
            group = _group(found)
            matched = min(counts[found], remaining[group])
            remaining[group] -= matched
            new[found] = counts[found] - matched
        return +new


class Comparison:
    """Comparison of findings with a baseline: first :meth:`new`, then :meth:`counts`.

    Attributes:
        baseline: The findings of the baseline that are left.
        known: Number of findings that are in it.
        yielded: New findings that were yielded, by rule, level and document.
        omitted: New findings, by code, that are counted but not yielded.
    """

    def __init__(self, baseline: Baseline):
        self.baseline = baseline
        self.known: int = 0
        self.yielded: Tally = Counter()
        self.omitted: Counter[str] = Counter()

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are not in the baseline."""
        for finding in findings:
            if self.baseline.match(finding):
                self.known += 1
            else:
                self.yielded[FindingKey(finding.code, finding.level, finding.source)] += 1
                yield finding

    def counts(self, unlisted: Tally) -> Tally:
        """Return the number of new findings, including those that were not yielded."""
        new = self.baseline.match_counted(unlisted)
        for key, count in new.items():
            self.omitted[key.code] += count
        self.known += unlisted.total() - new.total()
        return self.yielded + new


def _relative(source: str, folder: Path) -> str:
    """Return the path of a document relative to a folder, with ``/``; other names unchanged."""
    if not source or source == "-" or "://" in source or source.startswith("<"):
        return source
    try:
        return os.path.relpath(source, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return source


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


def _lines(rows: Iterable[tuple[object, ...]]) -> str:
    """Return rows as JSON, one on each line."""
    text = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"\n  {text}\n" if text else ""
