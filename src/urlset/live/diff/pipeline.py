"""Compare two states of a site: what was added, removed, changed or moved, and what is unknown."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack

from urlset.arguments import checked_arguments
from urlset.http import Policy, run_policy, with_login
from urlset.live.diff.moves import find_moves
from urlset.live.diff.redirects import ask_removed
from urlset.live.diff.result import Diff
from urlset.live.diff.rows import PageState
from urlset.live.diff.states import StateOptions, StateSource, open_states
from urlset.live.diff.tables import Tables
from urlset.live.diff.unread import mark_unread
from urlset.live.working_tables import REDIRECT_ANSWERS
from urlset.model import ProgressEvent
from urlset.option_schema import check_options
from urlset.reader.filters import Patterns, UrlPatterns, selection
from urlset.store import ScratchDatabase

_NO_LIMIT = 2**31 - 1

logger: logging.Logger = logging.getLogger("urlset.diff")

MEMORY_MB = 550
"""Memory limit of DuckDB; more data is written to a temporary folder."""

STATE = (
    "STRUCT(loc VARCHAR, lastmod TIMESTAMPTZ, lastmod_text VARCHAR, changefreq VARCHAR, "
    "priority DOUBLE, title VARCHAR, fingerprint VARCHAR, source VARCHAR)"
)
NO_TEXT = "NULL::VARCHAR"


@checked_arguments
def diff(
    before: StateSource,
    after: StateSource,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    include: Patterns = (),
    exclude: Patterns = (),
    moves: bool = True,
    live: bool = False,
    max_requests: int | None = 1_000,
    min_confidence: float = 0.7,
    base_url: str | None = None,
    engine: str | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Diff:
    """Compare two states of a site: what was added, removed, changed or moved.

    URLs are compared in normal form: the case of the scheme and the host, a default port,
    percent-encoding of characters that need none, and dot segments make no difference. A field is
    compared if both states have it.

    A failure is not a removal: if a sitemap of ``after`` could not be read, the URLs that only it
    may list are ``unknown``, not removed. The same holds for ``before`` and added URLs.

    ``include`` and ``exclude`` select URLs of both states before they are compared; all numbers are
    those of the selected URLs.

    >>> import urlset
    >>> a, b = b"https://example.com/tea https://example.com/x", b"https://example.com/tea"
    >>> with urlset.diff(a, b) as found:
    ...     [(change.change, change.loc) for change in found]
    [('removed', 'https://example.com/x')]

    Args:
        before: Earlier state: whatever :func:`urlset.read` takes, such as a site, a file, a folder
            or a store; a table of URLs; ``HEAD~1:public/`` for a folder in a revision of git; or
            entries.
        after: Later state.
        include: Regular expression, or several; only URLs that contain a match of one count.
        exclude: Regular expression, or several; URLs that contain a match of one do not count.
        moves: Search moved URLs among those that were added and removed; the default.
        live: Request URLs that were removed, and follow their redirects to find moves. robots.txt
            is obeyed, and the pace is that of ``policy``.
        max_requests: Limit of the requests of this run; robots.txt and sitemaps do not count. None
            for no limit.
        min_confidence: Least confidence of a move, from 0 to 1 (0.7).
        base_url: URL at which the states are published, if they are files or folders: of the
            folder, or of the file. One that ends with / is the folder that contains the file.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        The changes. Close it, or use it as a context manager.

    Raises:
        urlset.SourceError: A state cannot be read.
        urlset.StoreError: A store cannot be opened.
        ValueError: An argument is invalid.
    """
    check_options("diff", locals())
    shared: Policy = run_policy(policy)
    shared, before = with_login(shared, before, auth)
    shared, after = with_login(shared, after, auth)
    shared, base_url = with_login(shared, base_url, auth)
    patterns = UrlPatterns(**selection(include, exclude))
    stack = ExitStack()
    options = StateOptions(base_url, engine, shared, progress or (lambda _: None), stack)
    try:
        started = time.monotonic()
        states = open_states(before, after, options)
        logger.info("both states are read: %.1f s", time.monotonic() - started)
        db = stack.enter_context(ScratchDatabase(memory=MEMORY_MB, is_on_disk=True))
        tables = Tables(db, states, patterns)
        with db.unordered():
            tables.create()
            logger.info("URLs are compared: %.1f s", time.monotonic() - started)
            mark_unread(tables)
            db.run(REDIRECT_ANSWERS.create_empty())
            if live:
                ask_removed(
                    tables,
                    max_requests=_NO_LIMIT if max_requests is None else max_requests,
                    policy=shared,
                    base_url=base_url,
                    progress=options.progress,
                )
            find_moves(tables, is_wanted=moves, min_confidence=min_confidence)
        _create_changes(tables)
        logger.info("changes are ready: %.1f s", time.monotonic() - started)
        return Diff(tables, stack)
    except BaseException:
        stack.close()
        raise


def _state(alias: str) -> str:
    """Return SQL that packs the columns of a row into the struct that changes contain."""
    values = (f"{name} := {alias}.{name}" for name in PageState._fields)
    return f"struct_pack({', '.join(values)})::{STATE}"


def _reason(reason: str, detail: str = NO_TEXT, confidence: str = "NULL::DOUBLE") -> str:
    """Return SQL that packs a reason into the struct that changes contain."""
    return f"struct_pack(reason := {reason}, detail := {detail}, confidence := {confidence})"


def _create_changes(tables: Tables) -> None:
    """Create the table ``changes``, sorted by kind and URL."""
    unread = _reason("'unread'", "u.detail")
    answer = _reason(
        "CASE WHEN w.verdict = 'ok' THEN 'responds' ELSE w.verdict END",
        "CASE WHEN w.verdict = 'redirect' THEN w.final_url END",
    )
    none, here, both = f"NULL::{STATE}", _state("d"), f"{_state('a')}, {_state('b')}"
    parts = [
        f"SELECT CASE WHEN u.h IS NULL THEN '{change}' ELSE 'unknown' END AS change, d.loc, "
        f"{NO_TEXT} AS previous_loc, {before} AS before, {after} AS after, "
        f"CASE WHEN u.h IS NOT NULL THEN [{unread}] WHEN w.h IS NOT NULL THEN [{answer}] "
        f"ELSE [] END AS why FROM {side}_diff d "
        "LEFT JOIN (SELECT DISTINCT ON (h) * FROM unread_urls) u USING (h) "
        "LEFT JOIN redirect_answers w USING (h) "
        f"ANTI JOIN moves m ON m.{side} = d.h WHERE d.is_only"
        for side, change, before, after in (
            ("before", "removed", here, none),
            ("after", "added", none, here),
        )
    ]
    parts.append(
        f"""SELECT 'changed', b.loc, {NO_TEXT}, {both},
            list_transform(p.reasons, lambda r: {_reason("r")})
        FROM changed_pairs p JOIN before_diff a USING (h) JOIN after_diff b USING (h)"""
    )
    parts.append(
        f"""SELECT 'moved', b.loc, a.loc, {both},
            [{_reason("m.reason", "m.detail", "round(m.confidence, 2)")}]
        FROM moves m JOIN before_diff a ON a.h = m.before JOIN after_diff b ON b.h = m.after"""
    )
    if tables.count("SELECT count(*) FROM unknown_in_both"):
        parts.append(
            f"""SELECT 'unknown', u.loc, {NO_TEXT}, {both}, [{unread}]
            FROM unknown_in_both u JOIN before_rows a ON a.loc = u.loc
            JOIN after_rows b ON b.loc = u.loc"""
        )
    kinds = "['moved', 'removed', 'added', 'changed', 'unknown']"
    tables.db.run_long(
        f"CREATE TABLE changes AS SELECT * FROM ({' UNION ALL '.join(parts)}) "
        f"ORDER BY list_position({kinds}, change), loc, previous_loc"
    )
