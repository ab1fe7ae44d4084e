"""Verdicts on the listed URLs: counts, and shares with intervals if only a sample was visited."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from urlset.live.audit.stratified_sample import Interval, StratumCount, estimate
from urlset.store import StoreSession

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
    """Return the numbers of listed and visited URLs, and the shares.

    The live views must exist. ``audited_urls`` has the URLs that count, and ``listed_pages`` those
    of them that this audit visited.
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
