"""Write the result of an audit as sentences: checked URLs, and the share of each verdict."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.live.audit.verdict_shares import FINE, VerdictShare
from urlset.option_names import option
from urlset.terminal_text import pluralize

MAX_NAMED = 4
"""Verdicts that the sentence names after the share of fine URLs, the worst first."""

# The worst first.
_PHRASES = {
    "server-error": ("returns a server error", "return a server error"),
    "unreachable": ("does not respond", "do not respond"),
    "redirect-loop": ("redirects to no page", "redirect to no page"),
    "gone": ("is gone", "are gone"),
    "client-error": ("returns a client error", "return a client error"),
    "soft-404": ("is an error page", "are error pages"),
    "noindex": ("forbids indexing", "forbid indexing"),
    "canonicalised": ("names another canonical URL", "name another canonical URL"),
    "redirect": ("redirects", "redirect"),
    "disallowed": ("is disallowed by robots.txt", "are disallowed by robots.txt"),
    "unknown": ("could not be judged", "could not be judged"),
}
_OTHER = ("has another fault or could not be judged", "have other faults or could not be judged")
_LABELS = {
    "fine": "fine",
    "gone": "404 or 410",
    "redirect": "redirect",
    "canonicalised": "other canonical URL",
    "soft-404": "soft 404",
}


def summary_sentence(
    listed: int,
    visited: int,
    shares: Sequence[VerdictShare],
    *,
    is_sampled: bool,
    is_none_selected: bool = False,
    is_complete: bool = True,
) -> str:
    """Return the result in one sentence.

    ``visited`` of the ``listed`` URLs, which ``include`` and ``exclude`` select, were visited. With
    ``is_none_selected``, URLs are listed, and the options select none of them. Without
    ``is_complete``, not all sitemaps were read.

    >>> from urlset.live.audit.stratified_sample import Interval
    >>> fine = VerdictShare("fine", 962, Interval(0.962, 0.962, 0.962), 962, "/", 900)
    >>> gone = VerdictShare("gone", 38, Interval(0.038, 0.038, 0.038), 38, "/shop/", 30)
    >>> summary_sentence(1000, 1000, [fine, gone], is_sampled=False)
    'Of 1,000 listed URLs 96.2 % are fine; 38 are gone, most of them in /shop/.'
    """
    if is_none_selected:
        return f"No listed URL is selected by {option('include')} and {option('exclude')}."
    if not listed:
        return "The sitemaps list no URLs." if is_complete else "No listed URL was read."
    if not visited:
        return f"None of {pluralize(listed, 'listed URL')} was checked."
    fine = next((share for share in shares if share.verdict == FINE), None)
    others = [share for share in shares if share.verdict != FINE]
    if is_sampled:
        fine_share = str(fine.share) if fine else "0.0 %"
        start = f"Of {pluralize(listed, 'listed URL')} about {fine_share} are fine"
    elif visited < listed:
        count = fine.visited if fine else 0
        share = _percent(count, visited)
        start = f"Of {pluralize(visited, 'checked URL')}, of {listed:,} listed, {share} are fine"
    elif not others:
        return (
            f"All {listed:,} listed URLs are fine." if listed > 1 else "The one listed URL is fine."
        )
    else:
        share = _percent(fine.visited if fine else 0, listed)
        start = f"Of {pluralize(listed, 'listed URL')} {share} are fine"
    others.sort(key=lambda share: [*_PHRASES, share.verdict].index(share.verdict))
    named = others[:MAX_NAMED] if len(others) > MAX_NAMED + 1 else others
    parts = [start, *(_phrase(share, is_sampled=is_sampled) for share in named)]
    if rest := others[len(named) :]:
        count = sum(share.estimated_urls if is_sampled else share.visited for share in rest)
        parts.append(f"{'about ' if is_sampled else ''}{count:,} {_OTHER[count != 1]}")
    return "; ".join(parts) + "."


def share_lines(listed: int, shares: Sequence[VerdictShare], *, is_sampled: bool) -> list[str]:
    """Return a line for each verdict; for a sample with its interval and the estimated number.

    >>> from urlset.live.audit.stratified_sample import Interval
    >>> share = VerdictShare("gone", 21, Interval(0.021, 0.0138, 0.0319), 21_000, "/shop/", 9)
    >>> share_lines(1_000_000, [share], is_sampled=True)
    ['404 or 410: 2.1 % (1.4–3.2 %), about 21,000 of 1,000,000']
    """
    lines = []
    for share in shares:
        label = _LABELS.get(share.verdict, share.verdict)
        if is_sampled:
            lines.append(f"{label}: {share.share}, about {share.estimated_urls:,} of {listed:,}")
        else:
            lines.append(f"{label}: {share.visited:,}")
    return lines


def _phrase(share: VerdictShare, *, is_sampled: bool) -> str:
    count = share.estimated_urls if is_sampled else share.visited
    one, many = _PHRASES.get(share.verdict, ("is other", "are other"))
    text = f"{'about ' if is_sampled else ''}{count:,} {one if count == 1 else many}"
    if share.visited > 1 and share.section != "/":
        if share.in_section == share.visited:
            return f"{text}, all of them in {share.section}"
        if share.in_section * 2 > share.visited:
            return f"{text}, most of them in {share.section}"
    return text


def _percent(part: int, whole: int) -> str:
    """Format ``part / whole`` as a percentage; it is 100 % only if both are equal."""
    value = 100 * part / whole
    shown = f"{value:.1f}"
    if part < whole and shown == "100.0":
        return "99.9 %"
    return f"{shown.removesuffix('.0') if part in (0, whole) else shown} %"
