"""Open text files and detect their format from the content: one URL per line, CSV, or JSON."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Literal, NamedTuple, cast

from urlset.errors import SourceError

__all__ = [
    "MAX_LINE",
    "FileHead",
    "TextForm",
    "detect_text_form",
    "is_json_array",
    "open_text",
    "read_head",
]

TextForm = Literal["text", "csv", "jsonl"]

MAX_LINE = 1 << 24
"""Maximum characters of a line, and of a cell; far more than any valid entry has."""

_HEAD_BYTES = 65_536
_GZIP = b"\x1f\x8b"
_DELIMITERS = ",;\t|"
_ARRAY = re.compile(r"\[\s*(?:[{\"]|\]\s*\Z)")


class FileHead(NamedTuple):
    """Beginning of a text file: decompressed, decoded from ``encoding``, without leading spaces."""

    text: str
    encoding: str
    is_compressed: bool

    @property
    def first_line(self) -> str:
        """Return the first line that is not blank."""
        return self.text.splitlines()[0].strip() if self.text else ""


def read_head(path: str, name: str | None = None) -> FileHead:
    """Read the beginning of a file.

    Args:
        path: The file.
        name: Its name in messages; the path by default.

    Raises:
        urlset.SourceError: The file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SourceError(f"cannot read {name or path!r}: {reason}") from error
    is_compressed = head.startswith(_GZIP)
    if is_compressed:
        try:
            head = zlib.decompressobj(31).decompress(head, _HEAD_BYTES)
        except zlib.error:
            head = b"<"  # handled as a sitemap: the reader reports the damage
    encoding = "utf-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    return FileHead(head.decode(encoding, errors="replace").lstrip(), encoding, is_compressed)


def detect_text_form(
    head: FileHead, name: str, columns: Collection[str] = ()
) -> tuple[TextForm, str]:
    """Detect the form of a text from its first line, and the delimiter of CSV.

    Args:
        head: Beginning of the file.
        name: Name of the file in messages.
        columns: Columns of a mapping. A CSV header has one of these, ``loc`` or ``url``.

    Returns:
        The form, and the delimiter (empty for other forms than CSV).

    Raises:
        urlset.SourceError: The text has none of the forms.
    """
    line = head.first_line
    if "\0" in line:
        raise SourceError(
            f"{name}: expected a list of URLs, CSV, JSON lines or a sitemap, found binary data"
        )
    if line.startswith(("{", '"')):
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            pass
        else:
            return "jsonl", ""
    if is_json_array(head):
        return "jsonl", ""
    if line.startswith("{"):
        raise SourceError(
            f"{name}: expected JSON lines, one object a line, found one over several lines; "
            "`jq -c .` puts each on a line"
        )
    expected = {"loc", "url", *(column.strip().lower() for column in columns)}
    for delimiter in _DELIMITERS:
        cells = next(csv.reader([line], delimiter=delimiter), [])
        if expected & {cell.strip().lower() for cell in cells}:
            return "csv", delimiter
    return "text", ""


def is_json_array(head: FileHead) -> bool:
    """Return whether a text is a JSON array of objects or of URLs."""
    return _ARRAY.match(head.text) is not None


@contextmanager
def open_text(path: str, name: str, head: FileHead) -> Iterator[IO[str]]:
    """Open a text file, decompressed and decoded.

    Raises:
        urlset.SourceError: Bytes that are read within the block are invalid.
    """
    with ExitStack() as stack:
        try:
            data: IO[bytes] = stack.enter_context(open(path, "rb"))
            if head.is_compressed:
                decompressed = gzip.GzipFile(fileobj=data, mode="rb")
                data = cast(IO[bytes], stack.enter_context(decompressed))
            yield stack.enter_context(io.TextIOWrapper(data, encoding=head.encoding, newline=""))
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{name}: expected UTF-8, found byte 0x{error.object[error.start]:02x}; "
                "convert it, e.g. with `iconv -f windows-1252 -t utf-8`"
            ) from error
        except UnicodeError as error:
            raise SourceError(f"{name}: expected text, found: {error}") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise SourceError(f"{name}: expected complete gzip data, found: {error}") from error
        except csv.Error as error:
            raise SourceError(f"{name}: expected CSV, found: {error}") from error
        except OSError as error:
            if isinstance(error, SourceError):
                raise
            raise SourceError(f"cannot read {name!r}: {error.strerror or error}") from error
