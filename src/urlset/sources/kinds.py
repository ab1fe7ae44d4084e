"""Detect the kind of a source from its content."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import Literal

from urlset.engine.templates import find_template
from urlset.errors import SourceError
from urlset.sources.tables.table import detect_table_form
from urlset.sources.text_files import FileHead, detect_text_form, read_head

__all__ = ["SourceKind", "detect_kind"]

SourceKind = Literal[
    "text", "csv", "jsonl", "parquet", "arrow", "sqlite", "duckdb", "sitemap", "html", "log", "sql"
]

_PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
_SITEMAP_SUFFIXES = (".xml", ".txt", ".rss", ".atom", ".rdf", ".gz")
# The beginning of common and combined logs (httpd.apache.org/docs/current/logs.html#common), also
# after the requested host; and of W3C extended logs (www.w3.org/TR/WD-logfile.html).
_COMMON_LOG = re.compile(
    r"(?:\S{1,255} ){3,4}\[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}[^\]]*\] "
)
_EXTENDED_LOG = re.compile(r"^#(?:Version|Fields|Software): ?\S", re.MULTILINE)
_LOG_KEYS = frozenset(
    "request request_uri request_method remote_addr remote_ip http_method cs-method".split()
)
_EXPECTED = (
    "a list of URLs, CSV, JSON lines, a sitemap, Parquet, Arrow, SQLite, DuckDB, an access log, "
    "or a folder of pages or sitemaps"
)


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
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if any(name.lower().endswith(_PAGE_SUFFIXES) and name[0] != "." for name in names):
            return True
    return False


def _kind_without_pages(path: str) -> SourceKind:
    """Return the kind of a folder without pages; raise ``SourceError`` if it has no sitemaps."""
    count = 0
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.lower().endswith(_SITEMAP_SUFFIXES):
                return "sitemap"
            count += not name.startswith(".")
    found = "no file in it"
    if count:
        found = f"{count:,} other file{'s' if count > 1 else ''} in it"
    raise SourceError(
        f"expected pages ({', '.join(_PAGE_SUFFIXES)}) or sitemaps in the folder {path!r}, "
        f"found {found}; "
        "build the site first, or name the folder that it is built into"
    )


def _is_log(head: FileHead) -> bool:
    line = head.first_line
    if _COMMON_LOG.match(line) or (
        line.startswith("#") and _EXTENDED_LOG.search(head.text[:4_096])
    ):
        return True
    if line.startswith("{"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            return isinstance(row, dict) and "loc" not in row and bool(_LOG_KEYS & row.keys())
    return False
