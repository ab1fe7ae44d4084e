"""A baseline: the findings that are known, so that an old site can turn the check on today.

It counts findings by rule, document and URL. What moves to another line stays known; one more
finding than are known is new. A file of JSON, sorted, to be kept with the sources.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from urlset.checker.model import Finding
from urlset.errors import ConfigurationError, TargetError

__all__ = ["Baseline"]

VERSION = 1

Key = tuple[str, str, str]
"""Code, source, and the loc or, where there is none, the words."""


class Baseline:
    """Known findings, by key and number.

    >>> list(Baseline().new([]))
    []
    """

    def __init__(self, known: Counter[Key] | None = None):
        self.known = known if known is not None else Counter()

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a file; raises :class:`urlset.ConfigurationError`."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["urlset_baseline"] != VERSION:
                raise ValueError(VERSION)
            rows = found["findings"]
            return cls(Counter({(row[0], row[1], row[2]): int(row[3]) for row in rows}))
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
        """Write the file, a finding a line; raises :class:`urlset.TargetError`."""
        rows = [[*key, count] for key, count in sorted(self.known.items())]
        lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
        text = f'{{"urlset_baseline": {VERSION}, "findings": [\n  {lines}\n]}}\n'
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise TargetError(
                f"cannot write the baseline {str(path)!r}: {error.strerror}; name another file"
            ) from error

    def note(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Have findings be known, while they pass."""
        for finding in findings:
            self.known[_key(finding)] += 1
            yield finding

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that are not known."""
        left = Counter(self.known)
        for finding in findings:
            key = _key(finding)
            if left[key] > 0:
                left[key] -= 1
            else:
                yield finding


def _key(finding: Finding) -> Key:
    return finding.code, finding.source or "", finding.loc or finding.message
