"""The notes of a release are its section of the changelog."""

import re

import pytest

from tests.packaging.scripts import ROOT, load

release_notes = load("release_notes")

TEXT = """\
# Changelog

## [1.2.0] - Unreleased

### Added

- Not yet.

## [1.1.0] - 2027-02-03

The second version, see [security](SECURITY.md#versions).

### Fixed

- `read` [again](https://example.com/), [above](#changelog).

## [1.0.0] - 2027-01-02

- First.
"""


def test_notes_are_one_section_without_its_heading():
    assert release_notes.notes("1.0.0", TEXT) == "- First.\n"
    assert release_notes.notes("1.1.0", TEXT).startswith("The second version, see ")
    assert release_notes.notes("1.1.0", TEXT).endswith("[above](#changelog).\n")


def test_links_to_files_are_absolute_and_others_unchanged():
    found = release_notes.notes("1.1.0", TEXT, "https://example.org/blob/v1.1.0")

    assert "[security](https://example.org/blob/v1.1.0/SECURITY.md#versions)" in found
    assert "[again](https://example.com/), [above](#changelog)" in found


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.2.0", "expected a date for version 1.2.0, found 'Unreleased'"),
        ("1.1", "expected a section [1.1], found none"),
        ("1x1.0", "expected a section [1x1.0], found none"),
    ],
)
def test_version_without_a_section_or_a_date_is_refused(version, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        release_notes.notes(version, TEXT)


def test_notes_that_github_refuses_are_refused():
    text = "## [1.0.0] - 2027-01-02\n\n" + "- x\n" * 50_000

    with pytest.raises(ValueError, match="more than 125,000"):
        release_notes.notes("1.0.0", text)


def test_notes_of_the_newest_version_are_short_enough():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = text.replace("Unreleased", "2027-01-01", 1)
    (version,) = re.findall(r"^## \[(.*?)\]", dated, re.MULTILINE)[:1]

    assert "### " in release_notes.notes(version, dated, "https://github.com/urlset/urlset/blob/v0")
