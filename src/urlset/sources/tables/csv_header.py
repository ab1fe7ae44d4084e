"""Header of a CSV file: its column names and its delimiter."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable

from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, HEAD_BYTES, open_gzip
from urlset.formats.detect import detect_delimiter
from urlset.formats.encoding import utf16_codec
from urlset.formats.signatures import is_gzip


def read_header(
    path: str, delimiter: str | None, name: str, mapped: Iterable[str]
) -> tuple[list[str], str]:
    """Return the column names of a CSV file and its delimiter.

    Args:
        path: The file, which may be packed with gzip.
        delimiter: Its delimiter; None to detect it.
        name: The file in messages.
        mapped: Columns that a mapping names.

    Raises:
        SourceError: The header cannot be read, or two names are equal but for their case.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
            if is_gzip(head):
                file.seek(0)
                head = open_gzip(file).read(HEAD_BYTES)
    except (OSError, *DAMAGE) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"expected CSV, found {name!r}: {reason}") from error
    if utf16_codec(head):
        raise SourceError(f"expected UTF-8, found UTF-16 in {name!r}; convert it, e.g. with iconv")
    text = head.decode("utf-8-sig", errors="replace")
    lines = text.splitlines()
    if not lines:
        raise SourceError(f"expected CSV with a header, found an empty file: {name!r}")
    separator = delimiter or detect_delimiter(lines[0], [*mapped])
    try:
        cells = next(csv.reader(io.StringIO(text), delimiter=separator, strict=True))
    except (csv.Error, StopIteration) as error:
        raise SourceError(f"expected CSV with a header, found {name!r}: {error}") from error
    names = [cell.strip() or f"column{number}" for number, cell in enumerate(cells, 1)]
    if len(head) == HEAD_BYTES and len(lines) == 1:
        raise SourceError(
            f"expected CSV with a header of at most {HEAD_BYTES:,} bytes, found a longer one: "
            f"{name!r}"
        )
    folded = Counter(column.lower() for column in names)
    if same := [column for column in names if folded[column.lower()] > 1]:
        first, second = [each for each in same if each.lower() == same[0].lower()][:2]
        other = f"and {second!r}, which differ only in case"
        found = f"{first!r} {'twice' if first == second else other}"
        raise SourceError(f"{name}: expected unique column names, found {found}")
    return names, separator
