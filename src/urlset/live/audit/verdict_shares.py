"""Verdicts on the listed URLs: counts, shares with intervals for a sample, and sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from urlset.live.visits.sample import Interval, StratumCount, estimate
from urlset.option_names import option
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

FINE = "fine"
"""Verdict on a page that is as a listed page should be: 200, indexable, its own canonical."""

# Search engines treat a meta refresh as a redirect.
_VERDICT = """
    CASE WHEN verdict <> 'ok' THEN verdict WHEN is_noindex THEN 'noindex'
        WHEN normal_of(refresh) <> key THEN 'redirect'
        WHEN canonical_key <> key THEN 'canonicalised' ELSE 'fine' END"""


class VerdictShare(NamedTuple):
    """Share of the listed URLs with a verdict.

    Attributes:
        verdict: ``fine``, ``noindex``, ``canonicalised``, or the verdict in the table ``pages``.
        visited: Number of visited URLs with this verdict.
        share: Share of all listed URLs; an estimate if not all of them were visited.
        estimated_urls: Number of listed URLs with this verdict; an estimate if not all of them were
            visited, else ``visited``.
        section: Section with most of them.
        in_section: Number of visited ones in that section.
    """

    verdict: str
    visited: int
    share: Interval
    estimated_urls: int
    section: str
    in_section: int


class VerdictCount(NamedTuple):
    """Number of visited URLs of one stratum that have one verdict."""

    section: str
    document: int
    verdict: str
    n: int


def verdict_shares(session: StoreSession) -> tuple[int, int, list[VerdictShare]]:
    """Return the numbers of listed URLs and of those with a verdict, and the shares.

    The live views must exist. ``audited_urls`` has the URLs that count, and ``listed_pages`` those
    of them to which this audit gave a verdict.
    """
    query = "SELECT section_of(loc), document, count(*) FROM audited_urls GROUP BY ALL ORDER BY ALL"
    sizes = {(section, document): count for section, document, count in session.rows(query)}
    query = (
        f"SELECT section, document, {_VERDICT} AS verdict, count(*) FROM listed_pages "
        "GROUP BY ALL ORDER BY ALL"
    )
    counts = [VerdictCount(*row) for row in session.rows(query)]
    visited = sum(count.n for count in counts)
    return sum(sizes.values()), visited, shares_of(sizes, counts)


def shares_of(
    sizes: Mapping[tuple[str, int], int], counts: Iterable[VerdictCount]
) -> list[VerdictShare]:
    """Return the share of each verdict, most frequent first.

    A stratum is a section and a document; ``sizes`` are the numbers of their listed URLs.
    """
    sampled: Counter[tuple[str, int]] = Counter()
    hits: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    sections: dict[str, Counter[str]] = defaultdict(Counter)
    for section, document, verdict, n in counts:
        sampled[section, document] += n
        hits[verdict][section, document] += n
        sections[verdict][section] += n
    total = sum(sizes.values())
    shares = []
    for verdict, its in hits.items():
        share = estimate(
            StratumCount(size, sampled[stratum], its[stratum]) for stratum, size in sizes.items()
        )
        [(section, most)] = sections[verdict].most_common(1)
        shares.append(
            VerdictShare(verdict, its.total(), share, round(share.share * total), section, most)
        )
    return sorted(shares, key=lambda one: (-one.share.share, one.verdict))


def unjudged_reasons(count: int) -> list[str]:
    """Return the reason of an incomplete audit with URLs that could not be judged; none for 0.

    >>> unjudged_reasons(2)
    ['2 URLs could not be judged']
    """
    return [f"{pluralize(count, 'URL')} could not be judged"] * bool(count)


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

    >>> from urlset.live.visits.sample import Interval
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

    >>> from urlset.live.visits.sample import Interval
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
