"""A baseline: the findings that are known, so that an old site can turn the check on today.

It counts findings by rule, document and URL, and those without a URL by the values in their
messages, without numbers: another wording of a message changes nothing. What moves to another line
stays known; one more finding than are known is new. Of findings that a check counts but does not
give, only the number by rule and document is known. A file of JSON, sorted, to be kept with the
sources.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from urlset.atomic import AtomicFile, is_special
from urlset.checker.evaluate import FindingKey
from urlset.checker.finding import LEVELS, Finding
from urlset.errors import ConfigurationError, TargetError

__all__ = ["Baseline"]

VERSION = 1
_NUMBER = re.compile(r"\d[\d,.]*", re.ASCII)
_URL = re.compile(r"https?://\S*", re.IGNORECASE)


class Key(NamedTuple):
    """What findings are known by: their URL, or else ``values`` by name."""

    code: str
    source: str
    loc: str = ""
    values: tuple[tuple[str, str], ...] = ()


Group = tuple[str, str]
"""Code and source."""


class Baseline:
    """Known findings, by key and number; ``counted`` are those that a check did not give.

    >>> list(Baseline().new([]))
    []
    """

    def __init__(self, known: Counter[Key] | None = None, counted: Counter[Group] | None = None):
        self.known = known if known is not None else Counter()
        self.counted = counted if counted is not None else Counter()

    def __len__(self) -> int:
        return self.known.total() + self.counted.total()

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a file; raises :class:`urlset.ConfigurationError`.

        Files of earlier versions have the message of a finding without a URL, which may be worded
        differently today: such findings are known by rule and document only.
        """
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["urlset_baseline"] != VERSION:
                raise ValueError(VERSION)
            counted = Counter({(row[0], row[1]): int(row[2]) for row in found.get("counted", [])})
            known: Counter[Key] = Counter()
            for code, source, of_what, count in found["findings"]:
                if isinstance(of_what, dict):
                    known[Key(code, source, values=tuple(sorted(of_what.items())))] += int(count)
                elif _URL.fullmatch(of_what):
                    known[Key(code, source, of_what)] += int(count)
                else:
                    counted[code, source] += int(count)
            return cls(known, counted)
        except OSError as error:
            raise ConfigurationError(
                f"expected a baseline at {str(path)!r}, found {error.strerror}; "
                "--write-baseline makes one"
            ) from error
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise ConfigurationError(
                f"expected a baseline of urlset, found something else: {str(path)!r}"
            ) from error

    def write(self, path: Path) -> None:
        """Write the file, a finding a line, whole or not at all.

        Raises :class:`urlset.TargetError`.
        """
        findings = _lines(
            (*key[:2], key.loc or dict(key.values), count)
            for key, count in sorted(self.known.items())
        )
        counted = _lines((*group, count) for group, count in sorted(self.counted.items()))
        more = f',\n"counted": [{counted}]' if counted else ""
        text = f'{{"urlset_baseline": {VERSION}, "findings": [{findings}]{more}}}\n'
        try:
            _swap_in(path, text)
        except OSError as error:
            raise TargetError(
                f"cannot write the baseline {str(path)!r}: {error.strerror}; name another file"
            ) from error

    def note(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Have findings be known, while they pass."""
        for finding in findings:
            self.known[_key(finding)] += 1
            yield finding

    def note_counted(self, counts: Mapping[FindingKey, int]) -> None:
        """Have findings be known that are counted but not given."""
        for told, count in counts.items():
            self.counted[_group(told)] += count

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that are not known."""
        left = Baseline(Counter(self.known), Counter(self.counted))
        yield from (finding for finding in findings if not left.takes(finding))

    def takes(self, finding: Finding) -> bool:
        """Tell whether a finding is known, and forget it once: the next one like it may be new.

        Where more were known than were given, any finding of the rule in the document may be one
        of those.
        """
        key, group = _key(finding), _group(finding)
        if self.known[key] > 0:
            self.known[key] -= 1
        elif self.counted[group] > 0:
            self.counted[group] -= 1
        else:
            return False
        return True

    def take_counted(self, counts: Mapping[FindingKey, int]) -> Counter[FindingKey]:
        """Forget findings that are counted but not given; give back how many of them are new.

        Comes when all that are given were taken: those that are still known may be among these.
        Which ones are new nobody can tell: those of the worst level.
        """
        groups, left = {_group(told) for told in counts}, self.counted
        for key, count in self.known.items():
            if count and key[:2] in groups:
                left[key[:2]] += count
                self.known[key] = 0
        new: Counter[FindingKey] = Counter()
        for told in sorted(counts, key=lambda told: LEVELS.index(told.level), reverse=True):
            group = _group(told)
            taken = min(counts[told], left[group])
            left[group] -= taken
            new[told] = counts[told] - taken
        return +new


def _key(finding: Finding) -> Key:
    code, source = _group(finding)
    if finding.loc is None:
        # "2 of 9 URLs have no lastmod" is known, too, when there are 10.
        found = ((name, _NUMBER.sub("#", value or "")) for name, value in finding.parameters)
        return Key(code, source, values=tuple(sorted(found)))
    if _URL.fullmatch(finding.loc):
        return Key(code, source, finding.loc)
    return Key(code, source, values=(("loc", finding.loc),))


def _group(found: Finding | FindingKey) -> Group:
    return found.code, found.source or ""


def _swap_in(path: Path, text: str) -> None:
    """Write a file so that whoever reads it meanwhile sees the old one or the new one."""
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
    """Return rows of JSON, one on each line."""
    text = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"\n  {text}\n" if text else ""
