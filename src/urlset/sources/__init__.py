"""Sources of a build: files, folders, databases, logs and sites, as batches of candidates."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from urlset.sources.candidates import (
    CANDIDATE,
    EVIDENCE,
    GUESSES,
    Candidate,
    RowVersion,
    Source,
    in_batches,
)

if TYPE_CHECKING:
    from urlset.sources.factory import SourceOptions, open_source
    from urlset.sources.git.dates import GitDates, git_dates
    from urlset.sources.html.folder import HtmlFolder
    from urlset.sources.logs.source import AccessLog
    from urlset.sources.memory import CandidateRows
    from urlset.sources.sitemaps import Sitemaps
    from urlset.sources.tables.column_plan import NoUrlColumnError
    from urlset.sources.tables.query import Query
    from urlset.sources.tables.table import Table
    from urlset.sources.text import TextSource

__all__ = [
    "CANDIDATE",
    "EVIDENCE",
    "GUESSES",
    "AccessLog",
    "Candidate",
    "CandidateRows",
    "GitDates",
    "HtmlFolder",
    "NoUrlColumnError",
    "Query",
    "RowVersion",
    "Sitemaps",
    "Source",
    "SourceOptions",
    "Table",
    "TextSource",
    "git_dates",
    "in_batches",
    "open_source",
]

_LAZY = {
    "AccessLog": "logs",
    "CandidateRows": "memory",
    "GitDates": "git",
    "HtmlFolder": "html",
    "NoUrlColumnError": "tables",
    "TextSource": "text",
    "Query": "tables",
    "Sitemaps": "sitemaps",
    "SourceOptions": "factory",
    "Table": "tables",
    "git_dates": "git",
    "open_source": "factory",
}


def __getattr__(name: str) -> Any:
    """Import a source class when it is first used, as most builds need only one."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"urlset.sources.{_LAZY[name]}")
    value = globals()[name] = getattr(module, name)
    return value
