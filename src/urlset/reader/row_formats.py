"""Format entries as JSON lines, a JSON array, CSV or plain text, and write them to files.

These formats are public: the names of fields and their order do not change.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from json import JSONEncoder
from json.encoder import encode_basestring
from pathlib import Path
from typing import Annotated, Any, TypedDict

from urlset.arrow.batches import column_values
from urlset.dates import format_date, is_common_w3c, parse_date
from urlset.errors import TargetError, UrlsetError
from urlset.fields import EXTENSIONS
from urlset.formats.detect import expect_no_store
from urlset.model import Alternate, Entry, Image, News, Video
from urlset.temp_files import AtomicFile, expect_replaceable, write_error_reason
from urlset.terminal_text import escape_json


class EntryBaseJson(TypedDict):
    """What the JSON of every entry has.

    Attributes:
        lastmod: Date of the last change, in W3C format.
    """

    loc: str
    lastmod: str | None
    changefreq: str | None
    priority: float | None
    source: str | None
    line: int | None


class EntryJson(EntryBaseJson, total=False):
    """One URL in a sitemap.

    The extensions and the fields in them are absent if they have no value.
    """

    images: list[Annotated[dict[str, Any], Image]]
    videos: list[Annotated[dict[str, Any], Video]]
    news: Annotated[dict[str, Any], News]
    alternates: list[Annotated[dict[str, Any], Alternate]]


COLUMNS = tuple(EntryBaseJson.__annotations__)
_EXTENSIONS = tuple(field.name for field in EXTENSIONS if field.prefix)
_NO_EXTENSIONS = list(Entry("")[5:9])
_encode = JSONEncoder(ensure_ascii=False).encode


def jsonl_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a JSON object for each entry as a line of JSON Lines, with its line end.

    An object has all columns, null where the entry has no value, and the extensions that the entry
    has.
    """
    encode, form, frequency = encode_basestring, escape_json, lru_cache(_json)
    last: str | None = None
    name = "null"  # of the source, which entries share
    # One dict for the encoder takes seven times as long.
    for entry in entries:
        loc, instant, text, changefreq, priority, *extensions, _, source, _, line = entry
        if source is not last:
            last, name = source, _json(source)
        lastmod = None if text is None and instant is None else _lastmod(instant, text)
        written = (
            f'{{"loc": {encode(loc)}, "lastmod": {"null" if lastmod is None else encode(lastmod)}, '
            f'"changefreq": {frequency(changefreq)}, '
            f'"priority": {"null" if priority is None else repr(priority)}, '
            f'"source": {name}, "line": {"null" if line is None else line}'
        )
        if extensions != _NO_EXTENSIONS:
            pairs = zip(_EXTENSIONS, extensions, strict=True)
            written += "".join(f', "{key}": {_encode(_bare(it))}' for key, it in pairs if it)
        yield form(f"{written}}}\n")


def json_array(lines: Iterable[str]) -> Iterator[str]:
    r"""Yield JSON lines as one JSON array with an object on each line.

    >>> "".join(json_array(['{"n": 1}\n', '{"n": 2}\n']))
    '[\n{"n": 1},\n{"n": 2}\n]\n'
    """
    yield "["
    separator = "\n"
    for line in lines:
        yield separator + line.rstrip("\n")
        separator = ",\n"
    yield "\n]\n"


def csv_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a header and a row for each entry, as CSV by RFC 4180.

    Note: a spreadsheet treats a cell that begins with ``=`` as a formula. A loc never begins so,
    and other values are not changed, because the file would then differ from the sitemap.
    """
    rows = (
        (loc, _lastmod(instant, text), changefreq, _decimal(priority), source, line)
        for loc, instant, text, changefreq, priority, *_, source, _, line in entries
    )
    return csv_rows(COLUMNS, rows)


def column_rows(batches: Iterable[Any], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of a few columns of Arrow batches, row by row.

    No entries are made: in a store, most of the time would go into images and alternates.
    """
    for batch in batches:
        yield from zip(*(column_values(batch, name) for name in names), strict=True)


def csv_lines_of_batches(batches: Iterable[Any]) -> Iterator[str]:
    """Yield the same lines as :func:`csv_lines`, of the Arrow batches of the entries."""
    names = ("loc", "lastmod", "lastmod_text", *COLUMNS[2:])
    rows = (
        (loc, _lastmod(instant, text), changefreq, _decimal(priority), *rest)
        for loc, instant, text, changefreq, priority, *rest in column_rows(batches, names)
    )
    return csv_rows(COLUMNS, rows)


def txt_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the loc of each entry, one on a line: a text sitemap, if it is within the limits."""
    for entry in entries:
        yield f"{entry.loc}\n"


def w3c_lastmod(entry: Entry) -> str | None:
    """Return the ``lastmod`` of an entry in W3C format, or None.

    The original text is returned if it is W3C; other dates that can be parsed are converted.

    >>> w3c_lastmod(Entry("https://example.com/", lastmod_text="Fri, 01 Oct 2004 18:23:17 GMT"))
    '2004-10-01T18:23:17Z'
    """
    return _lastmod(entry.lastmod, entry.lastmod_text)


def _lastmod(instant: date | None, text: str | None) -> str | None:
    if text is not None:
        return _normalised(text)
    return None if instant is None else format_date(instant)


@lru_cache(maxsize=65_536)  # the entries of a site often share a few dates
def _normalised(text: str) -> str | None:
    if is_common_w3c(text):
        return text
    found = parse_date(text)
    if found.instant is None:
        return None
    if found.code is None:
        return text
    length = {"year": 4, "month": 7, "day": 10}.get(found.precision or "")
    if length and not found.has_zone:  # in UTC, midnight of another time zone is another day
        return found.instant.isoformat()[:length]
    return format_date(found.instant)


def _decimal(number: float | None) -> str | float | None:
    """Return a number as it is, or as text without an exponent, which is no priority in a table."""
    return number if number is None or not 0 < number < 0.0001 else f"{Decimal(repr(number)):f}"


def _json(cell: str | float | None) -> str:
    if cell is None:
        return "null"
    return encode_basestring(cell) if isinstance(cell, str) else repr(cell)


def _bare(value: Any) -> Any:
    """Convert named tuples to dicts without empty fields, which ``model.Entry`` accepts again."""
    if hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
        return {name: _bare(inner) for name, inner in pairs if inner not in (None, ())}
    return [_bare(inner) for inner in value] if isinstance(value, tuple) else value


def write_lines(lines: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Write lines to a file in UTF-8; it replaces an existing file atomically, when complete.

    Raises TargetError if the file cannot be written.
    """
    try:
        expect_replaceable(Path(path))
        expect_no_store(Path(path))
        with AtomicFile(Path(path)).writing() as file:
            file.writelines(lines)
    except UrlsetError:
        raise
    except OSError as error:
        reason = write_error_reason(path, error)
        raise TargetError(f"cannot write {os.fspath(path)!r}: {reason}") from error


def csv_rows(header: Iterable[str], rows: Iterable[Iterable[str | float | None]]) -> Iterator[str]:
    """Yield a header and rows as lines of CSV by RFC 4180; None is an empty cell."""
    names = tuple(header)
    buffer = _LineBuffer()
    writer = csv.writer(buffer, lineterminator="\r\n")
    marks = len(names) - 1
    for row in chain([names], rows):
        line = ",".join(["" if cell is None else str(cell) for cell in row])
        if line and line.count(",") == marks and not _SPECIAL.search(line):
            yield f"{line}\r\n"  # it needs no quotes, and the writer takes three times as long
        else:
            writer.writerow(["" if cell is None else cell for cell in row])
            yield buffer.text


_SPECIAL = re.compile('["\r\n]')


class _LineBuffer:
    """File object for a CSV writer that keeps the last written line in ``text``."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text
