"""State of one site, as its store has it: what is listed, visited, found and alerted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from urlset.checker import LEVELS
from urlset.errors import StoreError
from urlset.live.audit.verdict_shares import unjudged_reasons
from urlset.live.figures.page_figures import (
    JUDGED,
    LISTED_BY_OUTCOME,
    OUTCOMES,
    REQUESTED_SQL,
    scoped,
)
from urlset.live.schemas import HISTORY_SCHEMA, SYNC_SCHEMA, VISIT_SCHEMA
from urlset.model import Level
from urlset.reader import is_url
from urlset.store import Store

MAX_REASONS = 10
"""Reasons of each site that are kept: why its store is not complete."""

OUTCOMES_SQL = f"{JUDGED}\nSELECT {LISTED_BY_OUTCOME}"
FINDINGS_SQL = """SELECT code, any_value(rule), level, count(*),
    count(*) FILTER (WHERE change = 'new'), min(message)
FROM audit_findings WHERE change IS DISTINCT FROM 'fixed' GROUP BY code, level ORDER BY ALL"""
_FIXED_SQL = """SELECT count(*) FILTER (WHERE change = 'fixed'),
    count(*) FILTER (WHERE change IS NOT NULL) FROM audit_findings"""
_CRAWL_SQL = """SELECT kind, site, coalesce(finished, started), is_complete, reasons FROM crawls
ORDER BY crawl DESC LIMIT 1"""
_SNAPSHOT_SQL = """SELECT site, coalesce(finished, started), is_complete, reasons, url_count
FROM snapshots ORDER BY snapshot DESC LIMIT 1"""
_ALERTS_SQL = "SELECT count(*) FROM alerts WHERE ended IS NULL"
_READ_SQL = """SELECT
    CASE WHEN count(*) > 0 THEN coalesce(any_value(coalesce(root, source)), '-') END,
    max(read_at),
    list(DISTINCT source || ': ' || error) FILTER (WHERE error IS NOT NULL)
FROM documents"""
_LISTED_SQL = "SELECT count(DISTINCT loc) FROM entries"
_HOST = re.compile(r"https?://[^/?#]+")  # the same site as with a final slash
_CODE = re.compile(r"[\w.-]{1,40}", re.ASCII)


class SiteRule(NamedTuple):
    """Findings of one rule and level at a site.

    Attributes:
        code: Code of the rule.
        rule: Name of the rule.
        level: error, warning or info.
        findings: Number of them in the store, which has at most 10,000 of a rule.
        new: Those that the audit before did not have.
        example: Message of one of them.
    """

    code: str
    rule: str
    level: Level
    findings: int
    new: int
    example: str


class SiteState(NamedTuple):
    """State of one site; None where its store has no such data.

    Attributes:
        store: Path of the store.
        site: URL or path that was examined.
        kinds: What the store is of: audit or crawl, watch or sync, or read.
        examined: When it was examined last.
        listed: Number of URLs that the sitemaps list, without duplicates.
        visited: Number of them that were requested; not those that robots.txt disallows, or may
            disallow since it could not be read.
        outcomes: Number of listed URLs with each outcome, such as ``redirect``.
        alerts: Number of open alerts.
        rules: Findings by rule and level.
        fixed: Findings of the audit before that are fixed; None for a first audit.
        incomplete: Why not everything was read or visited.
    """

    store: str
    site: str
    kinds: tuple[str, ...]
    examined: datetime | None
    listed: int | None
    visited: int | None
    outcomes: dict[str, int]
    alerts: int | None
    rules: tuple[SiteRule, ...] | None
    fixed: int | None
    incomplete: tuple[str, ...]

    def count_of(self, level: Level) -> int | None:
        """Return the number of findings of a level; None without an audit."""
        if self.rules is None:
            return None
        return sum(each.findings for each in self.rules if each.level == level)

    @property
    def new(self) -> int | None:
        """Number of findings that the audit before did not have; None for a first audit."""
        if self.rules is None or self.fixed is None:
            return None
        return sum(each.new for each in self.rules)

    @property
    def fine(self) -> int | None:
        """Number of visited URLs that answer 200, may be indexed, and are canonical."""
        return self.outcomes.get("fine") if self.visited else None


def read_state(path: str | os.PathLike[str]) -> SiteState:
    """Return the state of the site of a store.

    Raises:
        StoreError: The file is not a store, or has no data.
    """
    if not Path(path).is_file():
        raise StoreError(f"expected a store (.duckdb), found {_what_is_at(os.fspath(path))}")
    with Store.open(path, read_only=True) as store:
        state = _read(store)
    if state is None:
        raise StoreError(
            "expected a store with an audit, a crawl, snapshots or sitemaps, found an empty one: "
            f"{os.fspath(path)!r}; run the command that fills it again"
        )
    return state


def _what_is_at(path: str) -> str:
    """Return what is found instead of a store, and what to do, as the end of a message."""
    if is_url(path):
        return f"a URL: {path!r}; `urlset audit URL --store FILE` makes a store"
    if Path(path).is_dir():
        return (
            f"a folder: {path!r}; name the stores in it, such as {os.path.join(path, '*.duckdb')}"
        )
    if os.path.lexists(path):
        return f"no regular file: {path!r}; name another one"
    return f"nothing at {path!r}; check the path"


def _read(store: Store) -> SiteState | None:
    has_visits, has_history = store.has(VISIT_SCHEMA), store.has(HISTORY_SCHEMA)
    crawl = next(_rows(store, _CRAWL_SQL), None) if has_visits else None
    snapshot = next(_rows(store, _SNAPSHOT_SQL), None) if has_history else None
    root, read_at, errors = next(_rows(store, _READ_SQL))
    kinds, moments, reasons = [], [read_at], [*(errors or ())]
    outcomes: dict[str, int] = {}
    rules: tuple[SiteRule, ...] | None = None
    fixed = visited = alerts = None
    ((listed,),) = _rows(store, _LISTED_SQL)
    if crawl is not None:
        kind, root, moment, is_complete, why = crawl
        kinds.append(kind)
        moments.append(moment)
        why = why or ([] if is_complete else ["the visits were interrupted"])
        # A crawl names the sitemaps, too, with the kind of the reason before each.
        reasons = [each for each in reasons if f"sitemaps: {each}" not in why] + why
        ((listed, *counts),) = _rows(store, scoped(OUTCOMES_SQL, is_audit=kind == "audit"))
        outcomes = dict(zip(OUTCOMES, counts, strict=True))
        ((visited,),) = _rows(store, scoped(REQUESTED_SQL, is_audit=kind == "audit"))
        if kind == "audit":
            reasons += unjudged_reasons(outcomes["unknown"])
            rules = tuple(SiteRule(*row) for row in _rows(store, FINDINGS_SQL) if _is_valid(row))
            ((fixed, compared),) = _rows(store, _FIXED_SQL)
            fixed = fixed if compared else None
    if snapshot is not None:
        site, moment, is_complete, why, urls = snapshot
        ((found,),) = _rows(store, _ALERTS_SQL)
        is_synced = not found and store.has(SYNC_SCHEMA)  # sync has no alerts
        kinds.append("sync" if is_synced else "watch")
        alerts = None if is_synced else found
        moments.append(moment)
        reasons += why or ([] if is_complete else ["the last step was interrupted"])
        root, listed = root or site, listed or urls
    if root is None:
        return None
    return SiteState(
        store=str(store.path),
        site=f"{root}/" if _HOST.fullmatch(root) else root,
        kinds=tuple(kinds) or ("read",),
        examined=max((each for each in moments if each is not None), default=None),
        listed=listed,
        visited=visited,
        outcomes=outcomes,
        alerts=alerts,
        rules=rules,
        fixed=fixed,
        incomplete=tuple(dict.fromkeys(reasons))[:MAX_REASONS],
    )


def _rows(store: Store, query: str) -> Iterator[Any]:
    return iter(store.query(query, timeout_s=None))


def _is_valid(row: tuple[Any, ...]) -> bool:
    """Return whether a row is one of a rule: others than audits may have written the store."""
    return bool(row[1]) and row[2] in LEVELS and bool(_CODE.fullmatch(row[0] or ""))
