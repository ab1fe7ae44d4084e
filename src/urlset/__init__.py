"""Read, write, build, check, fix and compare sitemaps (https://www.sitemaps.org); crawl and audit.

``read``, ``write``, ``build``, ``check``, ``fix``, ``crawl``, ``audit``, ``diff``, ``watch``,
``submit``, ``sync`` and ``report`` are imported on first use, so that ``import urlset`` is fast.

The results of the verbs but ``read`` are context managers with the same base: ``summary`` is one
line, ``incomplete`` has a text for each thing that could not be read or done, ``is_complete`` says
whether it is empty, and ``to_dict()`` returns values that JSON has. ``close()`` releases files and
temporary tables; these four work after it, too.

The loggers ``urlset.http``, ``urlset.read``, ``urlset.build``, ``urlset.crawl``, ``urlset.audit``,
``urlset.watch``, ``urlset.submit`` and ``urlset.sync`` log retries and stages at the level info,
requests, documents and pages at the level debug. Without a handler they are silent.
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"]:
    from _urlset_command import end_quietly, module_that_runs

    if module_that_runs() == __name__:
        end_quietly()  # by Ctrl-C during the imports below

import importlib
import logging
from typing import TYPE_CHECKING, Any

from urlset import attribute_hints as _hints
from urlset import registry as _registry
from urlset.document import Document, parse
from urlset.errors import (
    ConfigurationError,
    EngineError,
    EntryError,
    GateError,
    QueryError,
    SourceError,
    StoreError,
    TargetError,
    UrlsetError,
)
from urlset.errors import missing_package as _missing_package
from urlset.model import Alternate, Entry, Image, News, Problem, ProgressEvent, Sitemap, Video

if TYPE_CHECKING:
    from urlset.builder import Build, build
    from urlset.checker import Baseline, Finding, Findings, Rule, check, custom_rule
    from urlset.config import Configuration, load_config
    from urlset.fixer import Dropped, Fixed, FixedDocument, fix, unified_diff, write_fixed
    from urlset.http import Policy
    from urlset.live.audit import Audit, audit
    from urlset.live.crawl import Crawl, crawl
    from urlset.live.diff import Diff, PageChange, diff
    from urlset.live.report import Report, report
    from urlset.live.submit import Submission, submit
    from urlset.live.sync import PageUpdate, Sync, sync
    from urlset.live.watch import Watch, watch
    from urlset.output_schemas import schemas
    from urlset.reader import DocumentRecord, Entries, Fetched, read
    from urlset.store import QueryResult, Store
    from urlset.writer import Publication, render, write

    __version__: str

__all__ = [
    "Alternate",
    "Audit",
    "Baseline",
    "Build",
    "Configuration",
    "ConfigurationError",
    "Crawl",
    "Diff",
    "Document",
    "DocumentRecord",
    "Dropped",
    "EngineError",
    "Entries",
    "Entry",
    "EntryError",
    "Fetched",
    "Finding",
    "Findings",
    "Fixed",
    "FixedDocument",
    "GateError",
    "Image",
    "News",
    "PageChange",
    "PageUpdate",
    "Policy",
    "Problem",
    "ProgressEvent",
    "Publication",
    "QueryError",
    "QueryResult",
    "Report",
    "Rule",
    "Sitemap",
    "SourceError",
    "Store",
    "StoreError",
    "Submission",
    "Sync",
    "TargetError",
    "UrlsetError",
    "Video",
    "Watch",
    "audit",
    "build",
    "check",
    "crawl",
    "custom_rule",
    "diff",
    "fix",
    "load_config",
    "parse",
    "read",
    "render",
    "report",
    "schemas",
    "submit",
    "sync",
    "unified_diff",
    "watch",
    "write",
    "write_fixed",
]

_LAZY = {
    "Audit": "live.audit",
    "Baseline": "checker",
    "Build": "builder",
    "Crawl": "live.crawl",
    "Configuration": "config",
    "Diff": "live.diff",
    "DocumentRecord": "reader",
    "Dropped": "fixer",
    "Entries": "reader",
    "Fetched": "reader",
    "Finding": "checker",
    "Findings": "checker",
    "Fixed": "fixer",
    "FixedDocument": "fixer",
    "PageChange": "live.diff",
    "PageUpdate": "live.sync",
    "Policy": "http",
    "Publication": "writer",
    "QueryResult": "store",
    "Report": "live.report",
    "Rule": "checker",
    "Store": "store",
    "Submission": "live.submit",
    "Sync": "live.sync",
    "Watch": "live.watch",
    "audit": "live.audit",
    "build": "builder",
    "check": "checker",
    "crawl": "live.crawl",
    "custom_rule": "checker",
    "diff": "live.diff",
    "fix": "fixer",
    "load_config": "config",
    "read": "reader",
    "render": "writer",
    "report": "live.report",
    "schemas": "output_schemas",
    "submit": "live.submit",
    "sync": "live.sync",
    "unified_diff": "fixer",
    "watch": "live.watch",
    "write": "writer",
    "write_fixed": "fixer",
}

_registry.register("urlset.live.crawl.crawled_pages", "SOURCES")
_registry.register("urlset.live.figures", "FIGURES")
_registry.register("urlset.live.history.reader", "DOCUMENT_WRITERS")
_registry.register("urlset.live.rules.catalogue", "RULES")
_registry.register("urlset.live.rules.views", "RULE_VIEWS")
_registry.register("urlset.live.schemas", "STORE_SCHEMAS")
for _error in (
    UrlsetError,
    *(ConfigurationError, EngineError, EntryError, GateError, QueryError),
    *(SourceError, StoreError, TargetError),
):
    _error.__module__ = __name__  # as tracebacks show them
_hints.add_hints(Alternate, Document, Entry, Image, News, Problem, Sitemap, Video)
logging.getLogger("urlset").addHandler(logging.NullHandler())


if not TYPE_CHECKING:  # type checkers report a name that does not exist

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version  # slower than the rest of this module

            return version("urlset")
        if name not in _LAZY:
            if name.startswith("_"):
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
            raise _hints.MissingAttributeError(__name__, name, tuple(__all__))
        try:
            package = importlib.import_module(f"urlset.{_LAZY[name]}")
        except ModuleNotFoundError as error:
            if (missing := _missing_package(error)) is None:
                raise
            raise ModuleNotFoundError(missing, name=error.name) from error
        names = [other for other, home in _LAZY.items() if home == _LAZY[name]]
        _hints.add_hints(*(getattr(package, other) for other in names if other[0].isupper()))
        value = globals()[name] = getattr(package, name)
        return value


def __dir__() -> list[str]:
    return __all__
