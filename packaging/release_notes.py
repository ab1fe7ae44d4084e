"""Print the notes of a release, as GitHub shows them: its section of CHANGELOG.md.

    python packaging/release_notes.py VERSION [ADDRESS]

ADDRESS is that of the repository at the release, such as
``https://github.com/owner/urlset/blob/v1.2.0``. Links to files of the repository begin with it,
because a relative link leads nowhere in the notes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
MAX_CHARACTERS = 125_000
"""GitHub refuses longer notes: https://docs.github.com/en/rest/releases/releases."""

_RELATIVE = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def notes(version: str, text: str, address: str = "") -> str:
    """Return the notes of a version from the text of the changelog.

    Raises:
        ValueError: There is no section of it, it has no date, or it is too long.
    """
    heading = rf"^## \[{re.escape(version)}\] - (.*)\n"
    found = re.search(rf"{heading}((?:(?!## ).*\n?)*)", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"CHANGELOG.md: expected a section [{version}], found none")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        raise ValueError(f"CHANGELOG.md: expected a date for version {version}, found {found[1]!r}")
    body = found[2].strip() + "\n"
    if address:
        body = _RELATIVE.sub(rf"]({address.rstrip('/')}/\1)", body)
    if len(body) > MAX_CHARACTERS:
        raise ValueError(f"the notes have {len(body):,} characters, more than {MAX_CHARACTERS:,}")
    return body


def main() -> int:
    """Print the notes of the version that the command line names."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python packaging/release_notes.py VERSION [ADDRESS]")
    try:
        print(notes(sys.argv[1], CHANGELOG.read_text(encoding="utf-8"), *sys.argv[2:]), end="")
    except ValueError as error:
        sys.exit(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
