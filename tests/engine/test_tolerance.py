"""The 60 tolerances of the reader: each one is tested here, or by the tests of another package."""

import re
from pathlib import Path

# Rows that one document cannot show, with the tests that do.
ELSEWHERE = {
    50: "nested index, cycle, self-reference: tests/reader",
    51: "child of an index that is a feed, a text list or robots.txt: tests/reader",
    52: "sitemap that redirects: tests/http",
    59: "robots.txt: tests/robots",
    60: "paths where a sitemap is looked for: tests/reader",
}


def test_every_row_is_covered():
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_tolerance_*.py"))
    covered = {int(number) for number in re.findall(r"^def test_row_(\d\d)_", tests, re.MULTILINE)}
    assert not covered & set(ELSEWHERE)
    assert covered | set(ELSEWHERE) == set(range(1, 61))


def test_every_row_is_quoted():
    """Each row's words stand above its tests, so that a reader can judge them."""
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_tolerance_*.py"))
    quoted = {int(number) for number in re.findall(r"^# (\d+) \| .* \| ", tests, re.MULTILINE)}
    assert quoted | set(ELSEWHERE) == set(range(1, 61))
