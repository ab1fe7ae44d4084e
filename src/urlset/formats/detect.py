"""Detect what a file is from its first bytes and its name; the only content sniffing.

Many files resemble sitemaps: an image has RDF in its metadata, a manual quotes a ``<urlset>``, a
log lists URLs. A CSV file with URLs would be read wrongly as a list of URLs.
"""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from urlset.dates import LOG_TIME
from urlset.errors import SourceError
from urlset.folder_walk import walk
from urlset.formats.compression import HEAD_BYTES, inflated_head
from urlset.formats.encoding import skip_space, utf16_codec, wide_codec
from urlset.formats.signatures import Signature, file_signature, find_template, is_gzip, signature
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT
from urlset.temp_files import expect_safe_to_read

SourceKind = Literal[
    "text", "csv", "jsonl", "parquet", "arrow", "sqlite", "duckdb", "sitemap", "html", "log", "sql",
    "crawl",
]  # fmt: skip
TableForm = Literal["csv", "jsonl", "parquet", "arrow", "sqlite", "duckdb"]
TextForm = Literal["text", "csv", "jsonl"]
LogForm = Literal["common", "extended", "json"]
TableKind = Literal["CSV", "JSON lines", "JSON", "Arrow", "SQLite"]
StoredForm = Literal["duckdb", "parquet", "warc"]

SniffedKind = Literal["index", "sitemap"]
"""Kind of a file by its first bytes: an index, or another kind of sitemap."""


_TABLE_SIGNATURES: dict[Signature | None, TableForm] = {
    "parquet": "parquet",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "arrow": "arrow",
    "arrow-stream": "arrow",
}
_TABLE_KINDS: dict[Signature | None, TableKind] = {
    "sqlite": "SQLite",
    "arrow": "Arrow",
    "arrow-stream": "Arrow",
}
_TABLE_SUFFIXES: dict[str, TableForm] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrows": "arrow",
}
_TEXT_KINDS: dict[TableForm | None, TableKind] = {"csv": "CSV", "jsonl": "JSON lines"}
_FORM_OF_KIND: dict[TableKind, TableForm] = {
    "CSV": "csv",
    "JSON lines": "jsonl",
    "JSON": "jsonl",
    "Arrow": "arrow",
    "SQLite": "sqlite",
}
_WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")

_PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
_SITEMAP_SUFFIXES = (".xml", ".txt", ".rss", ".atom", ".rdf", ".gz")
# wget saves "sitemap.xml?page=2" with the query after the ending.
_ENDING = re.compile(r".*\.(?:xml|txt|rss|atom)(?:\.gz)?(?:\?.*)?", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(
    r"(?>.*?sitemap).*\.(?:(?:xml|txt|rss|atom)(?:\.gz)?|gz)", re.IGNORECASE | re.DOTALL
)

_PAGE = re.compile(rb"<(?:!doctype\s|html|head|title|body)(?=[\s>]|(?<=\s))", re.IGNORECASE)
_URL = re.compile(rb"https?://\S+\s*", re.IGNORECASE)
_LINE_END = re.compile(r"[\r\n]")
_DELIMITERS = ",;\t|"
_ARRAY = re.compile(r"\[\s*(?:[{\"]|\]\s*\Z)")
_ARRAY_LINE = re.compile(r"\[\s*(?:\{.*)?")
# The beginning of common and combined logs (httpd.apache.org/docs/current/logs.html#common), also
# after the requested host; and of W3C extended logs (www.w3.org/TR/WD-logfile.html).
_COMMON_LOG = re.compile(rf"(?:\S{{1,255}} ){{3,4}}\[{LOG_TIME}[^\]]*\] ")
_EXTENDED_LOG = re.compile(r"^#(?:Version|Fields|Software): ?\S", re.MULTILINE)
_LOG_KEYS = frozenset(
    "request request_uri request_method remote_addr remote_ip http_method cs-method".split()
)
_EXPECTED = (
    "a list of URLs, CSV, JSON lines, a sitemap, Parquet, Arrow, SQLite, DuckDB, an access log, "
    "or a folder of pages or sitemaps"
)


# ── binary files ──


def detect_table_form(path: str, name: str | None = None) -> TableForm | None:
    """Detect the kind of a table from its first bytes, or from its suffix if it is text.

    Returns:
        The kind; None if the file is not a table, or is text whose lines must be examined.

    Raises:
        urlset.SourceError: The file (``name`` in the message) cannot be read, or is Feather 1.
    """
    name = name or path
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        found = file_signature(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SourceError(f"expected a table, found {name!r}: {reason}") from error
    if found == "feather-1":
        raise SourceError(
            f"expected an Arrow file, found Feather version 1: {name!r}; "
            "rewrite it with pyarrow, or as Parquet"
        )
    return _TABLE_SIGNATURES.get(found) or _form_by_name(path)


def stored_form(source: object) -> StoredForm | None:
    """Return whether a source is a DuckDB, Parquet or WARC file, by its first bytes; or None.

    A WARC file also has the suffix of one.
    """
    if not isinstance(source, str | os.PathLike) or source == "-":
        return None
    try:
        if not stat.S_ISREG(os.stat(source).st_mode):
            return None  # bytes read from a pipe could not be read again
        with open(source, "rb") as file:
            head = file.read(HEAD_BYTES)
        found = signature(head)
        if found == "duckdb" or found == "parquet":
            return found
        if not os.fspath(source).lower().endswith(_WARC_SUFFIXES):
            return None
        expect_safe_to_read(os.fspath(source))
    except (OSError, ValueError):
        return None  # reading it reports the error
    is_warc = found == "zstd" or (inflated_head(head) or b"").startswith(b"WARC/")
    return "warc" if is_warc else None


def expect_no_store(path: Path) -> None:
    """Raise ``OSError`` if a path is a store or a ledger, which a text must not replace."""
    if stored_form(path) == "duckdb":
        raise OSError(errno.EEXIST, "it is a store (a DuckDB file); name another file")


# ── sitemaps and pages ──


def has_sitemap_ending(name: str) -> bool:
    """Return whether a file name has an ending of sitemaps, such as ``.xml`` or ``.xml.gz``.

    >>> has_sitemap_ending("pages.XML.gz"), has_sitemap_ending("photo.svg")
    (True, False)
    """
    return _ENDING.fullmatch(name) is not None or has_sitemap_name(name)


def has_sitemap_name(name: str) -> bool:
    """Return whether a file name is that of a sitemap, so that other content is an error.

    Other files that are not sitemaps are ignored.

    >>> has_sitemap_name("post-sitemap2.xml"), has_sitemap_name("sitemap.png")
    (True, False)
    """
    return _NAMED.fullmatch(name) is not None


def sniff(head: bytes) -> SniffedKind | None:
    r"""Return by the first bytes whether a file may be an index or a sitemap; None for others.

    A sitemap starts, after byte order marks and white space, with markup that contains a root
    element; or most of its lines are URLs. What cannot be decompressed may be one.

    >>> sniff(b"https://e.com/\nhttps://e.com/a\n"), sniff(b"%PDF-1.7 <rdf:RDF>")
    ('sitemap', None)
    """
    text = inflated_head(head, PROLOG_LIMIT)
    if text is None:
        return "sitemap"
    codec = wide_codec(text)
    if codec is not None:
        text = text.decode(codec, errors="ignore").encode(errors="ignore")
    text = skip_space(text)
    if not text.startswith(b"<"):
        return "sitemap" if _is_list(text) else None
    root = FIND_ROOT.search(text)
    if root is None:
        return None
    return "index" if root[0].lower().endswith(b"sitemapindex") else "sitemap"


def is_html_page(head: bytes) -> bool:
    """Return whether markup is a page, not a fragment of one.

    >>> is_html_page(b"<!DOCTYPE html><p>Tea"), is_html_page(b"<p>Tea")
    (True, False)
    """
    return _PAGE.search(head) is not None


def _is_list(text: bytes) -> bool:
    if b"\0" in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    urls = sum(_URL.match(line.lstrip()) is not None for line in lines)
    return 2 * urls > len(lines)


# ── text files ──


class FileHead(NamedTuple):
    """Beginning of a text file, decompressed, decoded, without leading white space."""

    text: str
    encoding: str
    is_compressed: bool

    @property
    def first_line(self) -> str:
        """Return the first line that is not blank."""
        return _LINE_END.split(self.text, maxsplit=1)[0].strip()


def decode_head(head: bytes, *, is_compressed: bool = False) -> FileHead:
    """Decode the beginning of a text file, which may be UTF-16 with its mark."""
    encoding = "utf-16" if utf16_codec(head) else "utf-8-sig"
    return FileHead(head.decode(encoding, errors="replace").lstrip(), encoding, is_compressed)


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
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SourceError(f"cannot read {name or path!r}: {reason}") from error
    inflated = inflated_head(head)
    if inflated is None:
        inflated = b"<"  # handled as a sitemap: the reader reports the damage
    return decode_head(inflated, is_compressed=is_gzip(head))


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
    if (line.startswith(("{", '"')) and _json_of(line) is not _NO_JSON) or is_json_array(head):
        return "jsonl", ""
    if line.startswith("{"):
        raise SourceError(
            f"{name}: expected JSON lines, one object a line, found one over several lines; "
            "`jq -c .` puts each on a line"
        )
    expected = {"loc", "url", *(column.strip().lower() for column in columns)}
    for delimiter in _DELIMITERS:
        if expected & {cell.strip().lower() for cell in _cells(line, delimiter)}:
            return "csv", delimiter
    return "text", ""


def detect_delimiter(line: str, columns: Collection[str] = ()) -> str:
    """Return the delimiter of a header: the most frequent one, or one with a column of URLs.

    ``columns`` are columns that have one by a mapping, besides ``loc`` and ``url``.

    >>> detect_delimiter('url;"title, long";lastmod'), detect_delimiter("url;a, long, title")
    (';', ';')
    >>> detect_delimiter("name;address"), detect_delimiter("page;note, loc", ["page"])
    (';', ';')
    """
    most: str = max(_DELIMITERS, key=lambda delimiter: len(_cells(line, delimiter)))
    tried: list[str] = [most, *_DELIMITERS]
    for expected in (columns, ("loc", "url")):
        names = {column.strip().lower() for column in expected}
        for delimiter in tried:
            if names & {cell.strip().lower() for cell in _cells(line, delimiter)}:
                return delimiter
    return most


def has_names_equal_but_for_case(line: str) -> bool:
    """Return whether names of a header differ only in case, which DuckDB does not distinguish.

    >>> has_names_equal_but_for_case("loc,LOC"), has_names_equal_but_for_case("loc,title")
    (True, False)
    """
    names = [cell.strip().lower() for cell in _cells(line, detect_delimiter(line))]
    return len({*names}) < len(names)


def is_json_array(head: FileHead) -> bool:
    """Return whether a text is a JSON array of objects or of URLs."""
    return _ARRAY.match(head.text) is not None


def table_kind(head: bytes, name: str = "") -> TableKind | None:
    r"""Return the kind of a table that may be mistaken for a sitemap; None for other content.

    The first line of CSV has several names with ``loc`` or ``url`` among them. The first line of
    JSON lines is an object with one of these keys. If the content is ambiguous, the ending of
    ``name`` decides, unless the first line is a URL.

    >>> table_kind(b"loc,lastmod\nhttps://example.com/,2026-01-31\n")
    'CSV'
    >>> table_kind(b"https://example.com/a\n", "urls.csv")
    """
    if kind := _TABLE_KINDS.get(signature(head)):
        return kind
    line = decode_head(head).first_line
    if not line or line.startswith(("<", "#")) or line.lower().startswith(("http:", "https:")):
        return None
    if line.startswith("{"):
        row = _json_of(line)
        return "JSON lines" if isinstance(row, dict) and ("loc" in row or "url" in row) else None
    if line.startswith("["):
        return "JSON" if _ARRAY_LINE.fullmatch(line) else None
    by_name = _TEXT_KINDS.get(_form_by_name(name))
    return "CSV" if by_name is None and _is_header(line) else by_name


def table_form_of_file(source: str) -> TableForm | None:
    """Return the form of the table in a file or on stdin (``-``), which is not consumed; or None.

    It is a table if :func:`table_kind` names its kind.
    """
    try:
        if source == "-":
            head, name = _peek(sys.stdin.buffer), ""
        elif os.path.isfile(source):
            with open(source, "rb") as file:
                head, name = file.read(HEAD_BYTES), source
        else:
            return None
    except (OSError, ValueError):
        return None  # reading it reports the error
    kind = table_kind(inflated_head(head) or b"", name)
    return None if kind is None else _FORM_OF_KIND[kind]


def _form_by_name(path: str) -> TableForm | None:
    return _TABLE_SUFFIXES.get(os.path.splitext(path.lower().removesuffix(".gz"))[1])


_NO_JSON = object()


def _json_of(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _NO_JSON


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _is_header(line: str) -> bool:
    for delimiter in _DELIMITERS:
        with suppress(csv.Error):
            cells = _cells(line, delimiter)
            if len(cells) > 1 and {"loc", "url"} & {cell.strip().lower() for cell in cells}:
                return True
    return False


def _peek(stream: Any) -> bytes:
    """Return the first bytes of a stream without consuming them; empty if that is impossible."""
    if hasattr(stream, "peek"):
        return bytes(stream.peek(HEAD_BYTES))
    if not stream.seekable():
        return b""
    start = stream.tell()
    head: bytes = stream.read(HEAD_BYTES)
    stream.seek(start)
    return head


# ── access logs ──


def log_form(block: bytes) -> LogForm:
    """Return the form of an access log by the first byte of its first line."""
    first = block.lstrip()[:1]
    return "extended" if first == b"#" else "json" if first == b"{" else "common"


def _is_log(head: FileHead) -> bool:
    line = head.first_line
    if _COMMON_LOG.match(line) or (
        line.startswith("#") and _EXTENDED_LOG.search(head.text[:4_096])
    ):
        return True
    row = _json_of(line) if line.startswith("{") else None
    return isinstance(row, dict) and "loc" not in row and bool(_LOG_KEYS & row.keys())


# ── sources of a build ──


def detect_kind(path: str, columns: tuple[str, ...] = (), *, name: str | None = None) -> SourceKind:
    """Detect the kind of a file or folder from its content; of text also from its suffix.

    Args:
        path: The file or folder.
        columns: Columns of a mapping, which identify a header of CSV.
        name: Its name in messages; the path by default.

    Raises:
        urlset.SourceError: It has none of the kinds.
    """
    name = name or path
    if os.path.isdir(path):
        return "html" if _has_pages(path) else _kind_without_pages(path)
    form = detect_table_form(path, name)
    if form not in (None, "csv", "jsonl"):
        return form
    head = read_head(path, name)
    if not head.text:  # the guards handle an empty list; an empty sitemap is invalid
        return "sitemap" if ".xml" in os.path.basename(path).lower() else "text"
    if head.text.startswith("<") or find_template(head.text.encode(errors="replace")):
        return "sitemap"  # a template is reported as one
    if "\0" in head.text:
        raise SourceError(f"{name}: expected {_EXPECTED}, found binary data")
    if _is_log(head):
        return "log"
    detected = detect_text_form(head, name, columns)[0]
    # A list of URLs may have the suffix .csv, and JSON lines any suffix.
    is_list = detected == "text" and head.first_line.lower().startswith(("http://", "https://"))
    return detected if is_list or detected == "jsonl" else form or detected


def _has_pages(path: str) -> bool:
    for _, names in walk(path):
        if any(name.lower().endswith(_PAGE_SUFFIXES) and name[0] != "." for name in names):
            return True
    return False


def _kind_without_pages(path: str) -> SourceKind:
    """Return the kind of a folder without pages; raise ``SourceError`` if it has no sitemaps."""
    count = 0
    failures: list[OSError] = []
    for _, names in walk(path, failures.append):
        for name in names:
            if name.lower().endswith(_SITEMAP_SUFFIXES):
                return "sitemap"
            count += not name.startswith(".")
    found = "no file in it"
    if failures:
        found = f"it cannot be read: {failures[0].strerror}"
    elif count:
        found = f"{count:,} other file{'s' if count > 1 else ''} in it"
    raise SourceError(
        f"expected pages ({', '.join(_PAGE_SUFFIXES)}) or sitemaps in the folder {path!r}, "
        f"found {found}; "
        + ("allow reading" if failures else "build the site first")
        + ", or name the folder that it is built into"
    )
