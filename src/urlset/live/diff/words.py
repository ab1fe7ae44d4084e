"""Convert the reasons of changes and the dates of states to text for reports."""

from __future__ import annotations

from urlset.dates import format_date
from urlset.live.diff.rows import PageState, Reason

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


def state_date(state: PageState) -> str | None:
    """Return the ``lastmod`` of a URL in a state as text: as written, or in W3C form."""
    if state.lastmod_text is not None or state.lastmod is None:
        return state.lastmod_text
    return format_date(state.lastmod)
