"""JSON of a build: its result, a gate that failed, and the changes of the set."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from urlset.result import ResultJson
from urlset.writer.result import FileJson, IndexJson, Rejection


class BuildJson(ResultJson):
    """Result of a build.

    Attributes:
        urls: Number of URLs in the set.
        files: Files with URLs.
        indexes: Index files; empty if one file is enough.
        added: Number of URLs that are new, compared with the ledger.
        changed: Number of URLs that changed.
        removed: Number of URLs that are not listed any more.
        removed_files: Names of files that were removed.
        rejected: Rows that cannot be written.
        excluded_counts: Number of excluded URLs by reason.
        undated: Number of URLs without `lastmod`.
        duplicates: Number of repeated rows.
        notes: Further remarks.
        why: Explanations of the URLs of `--why`, line by line; empty without it.
    """

    urls: int
    files: list[FileJson]
    indexes: list[IndexJson]
    added: int
    changed: int
    removed: int
    removed_files: list[str]
    rejected: list[Annotated[dict[str, Any], Rejection]]
    excluded_counts: dict[str, int]
    undated: int
    duplicates: int
    notes: list[str]
    why: list[str]


class FailureJson(ResultJson):
    """Failure of a build, such as a source that cannot be read; it is not complete.

    Nothing was published, unless ``error`` says that the sitemaps are.

    Attributes:
        error: What failed, for people; also in `summary` and `incomplete`.
        exit_code: Exit code of the command: 2, or that of the gate.
    """

    error: str
    exit_code: int


class GateJson(FailureJson):
    """Safety gate of a build that failed; nothing was published.

    Attributes:
        gate: Name of the gate, such as `shrunk`.
    """

    gate: str


class EntryValues(TypedDict):
    """Values of a URL in the set.

    Attributes:
        lastmod: Date of the last change.
        changefreq: Value of the protocol.
        priority: Value of the protocol.
    """

    lastmod: str | None
    changefreq: str | None
    priority: float | None


class SetChange(TypedDict):
    """Change of one URL of the set since the last build.

    Attributes:
        change: What happened to the URL.
        loc: The URL.
        before: Its values at the last build; null for an added URL.
        after: Its values now; null for a removed URL.
    """

    change: Literal["added", "changed", "removed"]
    loc: str
    before: EntryValues | None
    after: EntryValues | None
