"""Rows of a comparison: changes with their reasons, counts, sections and patterns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from urlset.dates import format_date
from urlset.result import ResultJson

ChangeKind = Literal["added", "removed", "changed", "moved", "unknown"]


class PageState(NamedTuple):
    """Fields of a URL in one state: dates, title, fingerprint, document; None if unknown.

    Attributes:
        loc: URL as the state has it.
        lastmod: Instant of the last change.
        lastmod_text: Its original text.
        changefreq: Value of the protocol.
        priority: Value of the protocol.
        title: Title of the page, if it was visited.
        fingerprint: Fingerprint of its main content, if it was visited.
        source: Document that lists it.
    """

    loc: str
    lastmod: datetime | None = None
    lastmod_text: str | None = None
    changefreq: str | None = None
    priority: float | None = None
    title: str | None = None
    fingerprint: str | None = None
    source: str | None = None


class Reason(NamedTuple):
    """Reason for a change: which field changed, why two URLs are one page, or what was not read.

    Attributes:
        reason: Its name, such as ``lastmod``, ``same-title`` or ``unread``.
        detail: What was found; None if the name says everything.
        confidence: Of a move, from 0 to 1.
    """

    reason: str
    detail: str | None = None
    confidence: float | None = None


class PageChange(NamedTuple):
    """One changed URL.

    Attributes:
        change: added, removed, changed, moved or unknown.
        loc: The URL; of a moved one the new URL.
        previous_loc: Of a moved URL the previous one.
        before: What the earlier state knows; None if it does not list the URL.
        after: What the later state knows; None if it does not list the URL.
        why: The reasons.
    """

    change: ChangeKind
    loc: str
    previous_loc: str | None
    before: PageState | None
    after: PageState | None
    why: tuple[Reason, ...]


class DiffCounts(NamedTuple):
    """Number of URLs by change, and in both states.

    Attributes:
        added: Number of added URLs.
        removed: Number of removed URLs.
        changed: Number of changed URLs.
        moved: Number of moved URLs.
        unknown: Number of URLs that may be listed or not.
        unchanged: Number of URLs without a change.
        before: Number of URLs in the earlier state.
        after: Number of URLs in the later state.
    """

    added: int
    removed: int
    changed: int
    moved: int
    unknown: int
    unchanged: int
    before: int
    after: int


class SectionChange(NamedTuple):
    """Changes of one section: the URLs with the same first folder of the path.

    A moved URL counts in the section of its new URL.

    Attributes:
        section: First segment, such as ``/blog/``; ``/`` for pages of the root folder.
        before: URLs in the earlier state.
        after: URLs in the later state.
        added: Number of added URLs.
        removed: Number of removed URLs.
        changed: Number of changed URLs.
        moved: Number of moved URLs.
        unknown: Number of URLs that may be listed or not.
    """

    section: str
    before: int
    after: int
    added: int
    removed: int
    changed: int
    moved: int
    unknown: int


class LastmodTruth(NamedTuple):
    """Number of URLs by whether their content and their ``lastmod`` changed.

    Attributes:
        with_content: Both changed.
        without_content: ``lastmod`` changed, the content did not.
        content_only: The content changed, ``lastmod`` did not.
    """

    with_content: int
    without_content: int
    content_only: int


class MovePattern(NamedTuple):
    """URLs that moved in the same way, such as from ``/blog/YYYY/`` to ``/articles/``.

    Attributes:
        before: Start of the previous paths; of URLs, if the host changes.
        after: Start of the new paths.
        urls: Number of moved URLs.
    """

    before: str
    after: str
    urls: int


class StateJson(TypedDict):
    """Values of a URL in one state; null where the state does not know one.

    Attributes:
        lastmod: Date of the last change, in W3C format.
    """

    loc: str
    lastmod: str | None
    changefreq: str | None
    priority: float | None
    title: str | None
    fingerprint: str | None
    source: str | None


class ChangeJson(TypedDict):
    """One changed URL.

    Attributes:
        before: What the earlier state knows; null if it does not list the URL.
        after: What the later state knows; null if it does not list the URL.
    """

    change: ChangeKind
    loc: str
    before: StateJson | None
    after: StateJson | None
    why: list[Annotated[dict[str, Any], Reason]]


class UnreadJson(TypedDict):
    """What could not be read.

    Attributes:
        reason: What it is, and why.
        unknown: Number of unknown URLs that it may list.
    """

    reason: str
    unknown: int


class DiffJson(ResultJson):
    """Result of a comparison, without the changes.

    Attributes:
        before: Name of the earlier state.
        after: Name of the later state.
        counts: Numbers of URLs by change.
        sections: The sections with changes, those with most changes first.
        patterns: How URLs moved, the most frequent pattern first.
        notes: Remarks on the states.
        unread: What could not be read.
    """

    before: str
    after: str
    counts: Annotated[dict[str, Any], DiffCounts]
    sections: list[Annotated[dict[str, Any], SectionChange]]
    patterns: list[Annotated[dict[str, Any], MovePattern]]
    notes: list[str]
    unread: list[UnreadJson]


REASONS = {
    "spelling": "other spelling of the same URL",
    "lastmod": "lastmod",
    "lastmod-with-content": "lastmod and content",
    "lastmod-without-content": "lastmod, but not the content",
    "content-without-lastmod": "content, but not lastmod",
    "content": "content",
    "same-page": "same page, other spelling",
    "redirect": "redirects there",
    "same-content": "same content",
    "same-title": "same title",
    "same-id": "same id",
    "same-segment": "same last segment",
    "folder-renamed": "renamed folder",
    "similar-segment": "similar last segment",
    "same-lastmod": "same lastmod",
    "unread": "not read",
    "responds": "still responds, but is not listed",
    "gone": "is gone (404 or 410)",
    "disallowed": "not requested, because of robots.txt",
}
"""Words for reasons; a reason that is not here is the name of a field."""


def reason_text(reason: Reason) -> str:
    """Return a reason for a change as text; for a move, with the confidence.

    >>> reason_text(Reason("same-id", "4711", 0.9))
    'same id 4711 (0.90)'
    """
    text = REASONS.get(reason.reason, reason.reason)
    if reason.detail:
        text = "redirects to" if reason.reason == "redirect" else text
        text += f" {reason.detail}"
    return text if reason.confidence is None else f"{text} ({reason.confidence:.2f})"


def lastmod_change(change: PageChange) -> str | None:
    """Return the ``lastmod`` of both states as text; None if it is the same, or there is one."""
    if change.before is None or change.after is None:
        return None
    dates = [_lastmod(state) or "none" for state in (change.before, change.after)]
    return None if dates[0] == dates[1] else " → ".join(dates)


def _lastmod(state: PageState) -> str | None:
    """Return the ``lastmod`` of a URL in a state as text: as written, or in W3C form."""
    if state.lastmod_text is not None or state.lastmod is None:
        return state.lastmod_text
    return format_date(state.lastmod)
