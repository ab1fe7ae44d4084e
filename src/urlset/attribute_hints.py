"""Messages for attributes that do not exist: the one that was probably meant.

The classes are not changed for attributes that exist, and a message is only computed when it is
shown, so ``hasattr`` stays cheap.
"""

from __future__ import annotations

from typing import Any

from urlset.errors import similar

_TABLE = {
    "df": "to_pandas() or to_polars()",
    "to_df": "to_pandas() or to_polars()",
    "to_frame": "to_pandas() or to_polars()",
    "pl": "to_polars()",
    "dataframe": "to_pandas() or to_polars()",
    "to_dataframe": "to_pandas() or to_polars()",
    "arrow": "to_arrow()",
    "table": "to_arrow()",
}
_FRAMES = ("to_pandas", "to_polars", "to_arrow")
_WRITTEN = ("csv", "duckdb", "json", "jsonl", "parquet", "text")
_RESULT = {
    "complete": "is_complete",
    "completed": "is_complete",
    "finished": "is_complete",
    "to_json": "to_dict()",
    "json": "to_dict()",
    "as_dict": "to_dict()",
    **dict.fromkeys(("ok", "success", "successful"), "is_complete"),
    **dict.fromkeys(("errors", "failed", "failures", "reasons"), "incomplete"),
}
_HTML = ("to_html", "html", "write_report")
_REPORT = dict.fromkeys((*_HTML, "save", "write"), "report")
_PAGE_LISTS = {
    name: f"counts.{name}, and iterate over the changes, each with its `change`"
    for name in ("added", "removed", "changed", "moved", "unknown")
}

HINTS: dict[str, dict[str, str]] = {
    "Alternate": {"lang": "hreflang", "language": "hreflang", "url": "href", "loc": "href"},
    "Audit": {
        **_RESULT,
        **_REPORT, "errors": "by_level", "warnings": "by_level", "counts": "by_rule",
        "pages": "table()", "query": "table()", "sql": "table()",
        **{name: f'table("pages").{name}()' for name in _FRAMES},
    },
    "Build": {
        **_RESULT,
        "warnings": "notes", "written": "changed_files",
        "counts": "added, changed, removed", "count": "urls", "output": "target",
        "entries": "urlset.read(build.target)",
        **{name: f"urlset.read(build.target).{name}()" for name in _FRAMES},
    },
    "Crawl": {
        **_RESULT,
        **_REPORT, "sql": "query()", "urls": "pages", "errors": "verdicts", "counts": "verdicts",
        "save": "the argument store of urlset.crawl",
        **{name: f"pages.{name}()" for name in _FRAMES},
    },
    "Diff": {
        **_RESULT,
        **_PAGE_LISTS, "save": "to_jsonl()", "write": "to_jsonl()",
        **dict.fromkeys(_FRAMES, "list(diff)"), **dict.fromkeys(_HTML, "report"),
        "moves": "counts.moved, and iterate over the changes",
    },
    "Document": {
        "urls": "entries", "locs": "entries", "errors": "problems", "warnings": "problems",
        "findings": "problems", "diagnostics": "problems", "type": "kind", "children": "sitemaps",
        "url": "source", "path": "source",
    },
    "Entries": {
        **_TABLE, "sql": "to_duckdb(), and urlset.Store.query", "save": "to_parquet()",
        "write": "to_parquet(), to_csv(), to_jsonl() or urlset.write(entries, folder)",
        "urls": "loc of each entry, or to_text()", "entries": "the object itself: iterate over it",
        "errors": "problems", "warnings": "problems", "findings": "urlset.check(source)",
        "read": "the object itself: iterate over it", "to_list": "list(entries)",
        "to_dict": "to_json(path) or to_jsonl(path)", "to_dicts": "to_json(path)",
        "summary": "is_complete, incomplete or documents", "count": "to_arrow().num_rows",
        **{f"write_{name}": f"to_{name}()" for name in _WRITTEN},
        **{f"save_{name}": f"to_{name}()" for name in _WRITTEN},
        "to_ndjson": "to_jsonl()", "write_ndjson": "to_jsonl()", "to_txt": "to_text()",
        **dict.fromkeys(("complete", "completed", "finished", "ok"), "is_complete"),
        **dict.fromkeys(("failed", "failures", "unread", "reasons"), "incomplete"),
    },
    "Entry": {
        "url": "loc", "href": "loc", "link": "loc", "location": "loc",
        "last_modified": "lastmod", "lastmodified": "lastmod", "modified": "lastmod",
        "updated": "lastmod", "date": "lastmod", "image": "images", "video": "videos",
        "hreflang": "alternates", "languages": "alternates", "links": "alternates",
        "change_freq": "changefreq", "frequency": "changefreq",
    },
    "Finding": {
        "severity": "level", "url": "loc", "name": "rule", "id": "code", "file": "source",
        "path": "source", "text": "message", "document": "source",
    },
    "Findings": {
        **{wrong: meant for wrong, meant in _RESULT.items() if wrong != "ok"},
        "errors": "by_level", "warnings": "by_level", "counts": "by_rule",
        "findings": "the object itself: iterate over it", "to_json": "to_dict()",
        "to_jsonl": "to_dict(), or urlset.reporter.report_json",
        "to_sarif": "urlset.reporter.report_sarif", **_REPORT,
        "problems": "the object itself: iterate over it",
        "passed": "ok", **dict.fromkeys(_FRAMES, "list(findings)"),
    },
    "Fixed": {
        **_RESULT,
        "write": "urlset.write_fixed(fixed.documents)", "save": "urlset.write_fixed",
        "diff": "urlset.unified_diff(document)", "changes": "counts", "fixes": "counts",
        "findings": "remaining", "text": "documents[0].after",
    },
    "FixedDocument": {"text": "after", "data": "after", "content": "after", "path": "name"},
    "Image": {"url": "loc", "src": "loc", "href": "loc"},
    "Problem": {"severity": "level", "name": "rule", "text": "message"},
    "Publication": {
        **_RESULT, "output": "folder", "target": "folder", "errors": "rejected",
    },
    "QueryResult": {**_TABLE, "rows": "objects()", "fetchall": "objects()", "data": "objects()"},
    "Report": {**_RESULT, **_REPORT},
    "Sitemap": {"url": "loc", "href": "loc", "last_modified": "lastmod", "date": "lastmod"},
    "Store": {
        "sql": "query()", "execute": "query()", "read": "documents()",
        "entries": 'query("SELECT * FROM entries")', "urls": 'query("SELECT * FROM entries")',
        "tables": 'query("SELECT * FROM information_schema.tables")',
    },
    "Submission": {
        **_RESULT, "urls": "sent", **dict.fromkeys((*_HTML, "report"), "to_dict()"),
    },
    "Sync": {
        **_RESULT, **dict.fromkeys((*_HTML, "report"), "urlset.report(store)"),
        **dict.fromkeys(("updates", "batches"), "the object itself: iterate over its batches"),
    },
    "Watch": {
        **_RESULT, **_REPORT,
        "counts": "added, removed, changed", "findings": "alerts", "changes": "examples",
    },
    "urlset": {
        "open": "Store.open()", "scan": "urlset.integrations.polars.scan_sitemap",
        "scan_polars": "urlset.integrations.polars.scan_sitemap",
        "scan_sitemap": "urlset.integrations.polars.scan_sitemap",
        "rules": "urlset.checker.CATALOGUE", "RULES": "urlset.checker.CATALOGUE",
        "load": "read", "fetch": "read",
        "open_store": "Store.open()",
        "generate": "build", "lint": "check", "validate": "check", "compare": "diff",
        "dump": "write", "to_xml": "render", "loads": "parse", "dumps": "render",
        "config": "load_config()", "parse_file": "read", "from_string": "parse",
    },
}  # fmt: skip
"""What was probably meant, by class (or module) and by the name that does not exist."""


class MissingAttributeError(AttributeError):
    """An attribute does not exist; the message names the one that was probably meant."""

    def __init__(self, owner: str, attribute: str, known: tuple[str, ...] = ()):
        super().__init__(owner, attribute, known)

    def __str__(self) -> str:
        owner, attribute, known = self.args
        noun = "module" if owner == "urlset" else "object"
        start = f"{noun} {owner!r}" if noun == "module" else f"{owner!r} {noun}"
        return f"{start} has no attribute {attribute!r}{hint_for(owner, attribute, known)}"


def hint_for(owner: str, attribute: str, known: tuple[str, ...]) -> str:
    """Return the end of a message about an attribute that does not exist.

    >>> hint_for("Entry", "url", ()), hint_for("Entry", "lastmd", ("loc", "lastmod"))
    ('; did you mean loc?', '; did you mean lastmod?')
    """
    meant = HINTS.get(owner, {}).get(attribute)
    if meant is None:
        meant = similar(attribute, known, 0.7)
    return "" if meant is None else f"; did you mean {meant}?"


def add_hints(*classes: type) -> None:
    """Let classes name the attribute that was meant if one does not exist.

    Records, of which there are millions, only do so for the names in :data:`HINTS`: with a
    ``__getattr__`` the interpreter reads each existing attribute more slowly.
    """
    for kind in classes:
        if issubclass(kind, tuple):
            for name in HINTS.get(kind.__name__, {}):
                setattr(kind, name, _Absent(name))
            kind.__dir__ = _existing  # type: ignore[method-assign, assignment]
            kind.__getitem__ = _item  # type: ignore[method-assign]
        elif "__getattr__" not in kind.__dict__:
            kind.__getattr__ = _missing  # type: ignore[attr-defined]


class _Absent:
    """Attribute that does not exist."""

    __slots__ = ("_name",)

    def __init__(self, name: str):
        self._name = name

    def __get__(self, record: object, kind: type) -> Any:
        raise MissingAttributeError(kind.__name__, self._name)


def _item(record: tuple[Any, ...], index: Any) -> Any:
    """Return a value of a record by its number; a name is that of an attribute."""
    if not isinstance(index, str):
        return tuple.__getitem__(record, index)
    kind = type(record).__name__
    is_known = index in getattr(record, "_fields", ())
    hint = f"; did you mean .{index}?" if is_known else hint_for(kind, index, ())
    raise TypeError(f"{kind!r} object has attributes, not keys: found [{index!r}]{hint}")


def _existing(record: object) -> list[str]:
    kind = type(record)
    return [name for name in object.__dir__(record) if hasattr(kind, name)]


def _missing(self: Any, name: str) -> Any:
    kind = type(self)
    if name.startswith("_"):
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    if hasattr(kind, name):  # a property that raised AttributeError: raise that again
        return object.__getattribute__(self, name)
    public = {*dir(kind), *getattr(self, "__dict__", ())}
    known = tuple(sorted(one for one in public if not one.startswith("_")))
    raise MissingAttributeError(kind.__name__, name, known)
