"""Tells by what is there which kind of source a person means, and opens that."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from urlset.engine.templates import find_template
from urlset.errors import SourceError
from urlset.protocol import READ_LIMIT
from urlset.reader import is_url
from urlset.sources.candidates import Source
from urlset.sources.sitemaps import Sitemaps
from urlset.sources.stream import StreamSource
from urlset.sources.tables.mapping import parse_mapping
from urlset.sources.tables.query import Query
from urlset.sources.tables.table import Table, table_form
from urlset.sources.text import TextSource
from urlset.sources.text_files import FileHead, head_of, is_json_array, text_form
from urlset.store import QUERY_S

__all__ = ["SourceKind", "SourceOptions", "kind_of", "open_source"]

SourceKind = Literal[
    "text", "csv", "jsonl", "parquet", "arrow", "sqlite", "duckdb", "sitemap", "html", "log", "sql"
]

LARGE = 8 << 20
"""Bytes of CSV and JSON lines from which on DuckDB reads them: ten times as fast, without lines."""

_PREFIX = re.compile(r"([a-z]{2,}):(?!//)(.*)", re.DOTALL)
_DATABASE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
# Of buckets and servers of files; no driver of a database answers to these.
_NO_SOURCES = frozenset("s3 gs gcs az abfs abfss file ftp ftps sftp ssh git".split())
_HTML = (".html", ".htm", ".xhtml")
_SITEMAPS = (".xml", ".txt", ".rss", ".atom", ".rdf", ".gz")
# The beginnings of common and combined logs (httpd.apache.org/docs/current/logs.html#common), also
# behind the host that is asked; and of W3C's (www.w3.org/TR/WD-logfile.html).
_COMMON = re.compile(r"(?:\S{1,255} ){3,4}\[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}[^\]]*\] ")
_EXTENDED = re.compile(r"^#(?:Version|Fields|Software): ?\S", re.MULTILINE)
_LOGGED = frozenset(
    "request request_uri request_method remote_addr remote_ip http_method cs-method".split()
)
_WANTED = (
    "a list of URLs, CSV, JSON lines, a sitemap, Parquet, Arrow, SQLite, DuckDB, an access log, "
    "or a folder of pages or sitemaps"
)


@dataclass(frozen=True)
class SourceOptions:
    """What is known of a source besides its name; each kind takes what concerns it.

    ``mapping``, ``keep``, ``query``, ``query_timeout_s``, ``table`` and ``delimiter`` are those of
    tables, ``folder``
    and ``log`` further arguments of :class:`urlset.sources.HtmlFolder` and of
    :class:`urlset.sources.AccessLog`. ``kind`` says which it is, where that is not to be told
    by content.
    """

    mapping: Mapping[str, str] | str | None = None
    keep: tuple[str, ...] = ()
    query: str | None = None
    table: str | None = None
    delimiter: str | None = None
    query_timeout_s: float | None = QUERY_S
    kind: SourceKind | None = None
    base_url: str | None = None
    engine: str | None = None
    fail_fast: bool = False
    policy: Any = None
    auth: str | tuple[str, str] | None = None
    cache: str | None = None
    folder: Mapping[str, Any] = field(default_factory=dict)
    log: Mapping[str, Any] = field(default_factory=dict)


def open_source(text: str, options: SourceOptions | None = None) -> Source:
    """Open what a person named: a path, a URL, ``-`` for stdin, or a database to be asked.

    Before it may stand what it is, and a colon: ``csv:``, ``html:``, ``log:``, ``sitemap:``,
    ``parquet:`` … A folder with pages of HTML is one of pages, whatever else lies in it. CSV and
    JSON lines of more than :data:`LARGE` bytes come without the numbers of their lines.

    Raises :class:`urlset.SourceError` for what is none of the kinds, or is not there.

    >>> type(open_source("https://example.com/sitemap.xml")).__name__
    'Sitemaps'
    """
    options = options or SourceOptions()
    found = _PREFIX.fullmatch(text)
    if found and found[1] in get_args(SourceKind):
        text, options = found[2], replace(options, kind=found[1])  # type: ignore[arg-type]
    elif found and not os.path.exists(text) and os.path.exists(found[2]):
        raise _unknown_kind(text, found[1])
    if options.kind is not None and options.kind not in get_args(SourceKind):
        raise _unknown_kind(text, options.kind)
    if (scheme := text.partition("://")[0].lower()) in _NO_SOURCES:
        raise SourceError(
            f"{text}: expected a path, the URL of a site or of a database, found {scheme}://; "
            "name a file on this machine"
        )
    if _is_database(text):
        return _query(text, options)
    if is_url(text):
        if options.kind not in (None, "sitemap"):
            raise SourceError(
                f"{text}: expected a file for a source of the kind {options.kind}, found a URL; "
                "download it first"
            )
        return _sitemaps(text, options, text)
    if text == "-" or _is_stream(text):
        return StreamSource(text, lambda path: _of_path(path, options, text))
    return _of_path(text, options, text)


def _unknown_kind(text: str, kind: str) -> SourceError:
    kinds = get_args(SourceKind)
    close = difflib.get_close_matches(kind, kinds, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return SourceError(f"{text}: expected a kind ({', '.join(kinds)}), found {kind!r}{hint}")


def kind_of(path: str, columns: tuple[str, ...] = (), *, name: str | None = None) -> SourceKind:
    """Tell the kind of a file or a folder by its content; text also by its suffix.

    Raises :class:`urlset.SourceError` for what is none, which calls it ``name``. ``columns`` are
    those asked for in CSV.
    """
    name = name or path
    if os.path.isdir(path):
        return "html" if _has_pages(path) else _without_pages(path)
    form = table_form(path, name)
    if form not in (None, "csv", "jsonl"):
        return form
    head = head_of(path, name)
    if not head.text:  # an empty list is for the gates; an empty sitemap is none
        return "sitemap" if ".xml" in os.path.basename(path).lower() else "text"
    if head.text.startswith("<") or find_template(head.text.encode(errors="replace")):
        return "sitemap"  # a template is reported as one
    if "\0" in head.text:
        raise SourceError(f"{name}: expected {_WANTED}, found binary data")
    if _is_log(head):
        return "log"
    told = text_form(head, name, columns)[0]
    # A list of URLs may be called .csv, and JSON lines anything.
    is_list = told == "text" and head.first_line.lower().startswith(("http://", "https://"))
    return told if is_list or told == "jsonl" else form or told


def _of_path(path: str, options: SourceOptions, name: str) -> Source:
    _expect_something(path)
    kind = options.kind or kind_of(path, _columns(options), name=name)
    if kind == "sql":
        raise SourceError(f"{name}: expected the URL of a database, or env:NAME, after sql:")
    if kind in ("sitemap", "text", "html", "log") and options.query is not None:
        raise SourceError(f"{name}: expected a table for the query, found a source of kind {kind}")
    return _MAKERS.get(kind, _table)(path, options, name)


def _expect_something(path: str) -> None:
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        words = "check the path, or begin a URL with https://"
        raise SourceError(f"expected a source, found nothing at {path!r}; {words}") from error
    except (OSError, ValueError):
        return  # it is told by whoever reads it


def _columns(options: SourceOptions) -> tuple[str, ...]:
    mapping = options.mapping
    pairs = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
    return tuple(value.rpartition(":")[2] for value in pairs.values())


def _table(path: str, options: SourceOptions, name: str) -> Source:
    form: Any = options.kind or kind_of(path, _columns(options), name=name)
    common: dict[str, Any] = {"mapping": options.mapping, "keep": options.keep, "name": name}
    is_text = form in ("csv", "jsonl") and options.query is None
    if is_text and (os.path.getsize(path) < LARGE or _is_for_rows(head_of(path, name))):
        return TextSource(path, form=form, delimiter=options.delimiter, **common)
    asked: dict[str, Any] = {
        "query": options.query,
        "table": options.table,
        "delimiter": options.delimiter,
        "query_timeout_s": options.query_timeout_s,
    }
    return Table(path, form=form, **asked, **common)


def _is_for_rows(head: FileHead) -> bool:
    """What DuckDB does not read: UTF-16, lines of JSON that are strings, and mixed arrays."""
    return head.encoding == "utf-16" or head.text.startswith('"') or is_json_array(head)


def _text(path: str, _options: SourceOptions, name: str) -> Source:
    return TextSource(path, form="text", name=name)


def _sitemaps(source: str, options: SourceOptions, name: str) -> Source:
    given: str | bytes = source
    if source != name:  # a copy of a stream, whose path is to be seen nowhere
        with open(source, "rb") as file:
            given = file.read(READ_LIMIT + 1)
    return Sitemaps(
        given,
        name=name,
        engine=options.engine,
        fail_fast=options.fail_fast,
        policy=options.policy,
        auth=options.auth,
        cache=options.cache,
    )


def _pages(path: str, options: SourceOptions, name: str) -> Source:
    from urlset.sources.html.folder import HtmlFolder

    if path != name:
        raise SourceError(
            f"{name}: expected a folder of pages, found a stream; "
            "give the folder that a server shows"
        )
    return HtmlFolder(path, _base(options, name, "a folder of pages"), **options.folder)


def _log(path: str, options: SourceOptions, name: str) -> Source:
    from urlset.sources.logs.source import AccessLog

    base = _base(options, name, "an access log")
    return AccessLog(path, base, engine=options.engine, name=name, **options.log)


def _base(options: SourceOptions, name: str, what: str) -> str:
    if options.base_url is None:
        raise SourceError(
            f"{name}: expected a base URL for {what}, found none; "
            "give --base-url, the URL of what is served"
        )
    return options.base_url


_MAKERS: dict[str, Callable[[str, SourceOptions, str], Source]] = {
    "text": _text,
    "sitemap": _sitemaps,
    "html": _pages,
    "log": _log,
}


def _query(text: str, options: SourceOptions) -> Source:
    if options.query is None:
        shown = Query(text, "").name
        raise SourceError(f"{shown}: expected a query for a database, found none; give --query")
    return Query(
        text,
        options.query,
        mapping=options.mapping,
        keep=options.keep,
        timeout_s=options.query_timeout_s,
    )


def _is_database(text: str) -> bool:
    if text.startswith("env:"):
        return True
    return _DATABASE.match(text) is not None and not is_url(text) and not os.path.exists(text)


def _is_stream(path: str) -> bool:
    """Whether it can be read once only: a pipe, as in ``<(curl …)``."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False  # it is told by whoever reads it
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _has_pages(path: str) -> bool:
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if any(name.lower().endswith(_HTML) and name[0] != "." for name in names):
            return True
    return False


def _without_pages(path: str) -> SourceKind:
    """The kind of a folder without pages; raises :class:`urlset.SourceError` for one of nothing."""
    count = 0
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.lower().endswith(_SITEMAPS):
                return "sitemap"
            count += not name.startswith(".")
    found = "no file in it"
    if count:
        found = f"{count:,} other file{'s' if count > 1 else ''} in it"
    raise SourceError(
        f"expected pages ({', '.join(_HTML)}) or sitemaps in the folder {path!r}, found {found}; "
        "build the site first, or name the folder that it is built into"
    )


def _is_log(head: FileHead) -> bool:
    line = head.first_line
    if _COMMON.match(line) or (line.startswith("#") and _EXTENDED.search(head.text[:4_096])):
        return True
    if line.startswith("{"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            return isinstance(row, dict) and "loc" not in row and bool(_LOGGED & row.keys())
    return False
