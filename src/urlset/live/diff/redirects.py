"""Ask servers where removed URLs are now: redirects are the best evidence for moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, Unpack

from urlset.http import Policy, Request, Response, drive_in_thread, origin_of, redirect_target
from urlset.live.diff.tables import Tables
from urlset.live.visits.page_urls import page_url
from urlset.live.visits.polite_walk import Manner, PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Budget, Politeness, named_hosts
from urlset.model import ProgressEvent
from urlset.robots import Robots

_REMOVED = "FROM before_diff ANTI JOIN unread_urls USING (h) WHERE is_only"


class RedirectAnswer(NamedTuple):
    """Response of a server for a removed URL: verdict, status and final URL.

    ``verdict`` is redirect, ok, gone (404, 410), disallowed by robots.txt, or unknown.
    """

    url: str
    verdict: str
    status: int | None = None
    final_url: str | None = None


class RedirectWalk(PoliteWalk[VisitTarget, RedirectAnswer]):
    """Walk over removed URLs that requests each and yields where it leads."""

    def request_for(self, target: VisitTarget, **manner: Unpack[Manner]) -> Request:
        """Return a HEAD request for a removed URL."""
        return Request(target.url, None, "page", ends_at_head=True, token=target, **manner)

    def results_of(self, response: Response) -> Iterator[RedirectAnswer]:
        """Convert a response to the verdict on its URL, and yield it."""
        verdict, final_url = "unknown", response.url
        if response.status == 200:
            verdict = "redirect" if response.redirects else "ok"
        elif response.status in (404, 410):
            verdict = "gone"
        elif response.error is None and (target := redirect_target(response)) is not None:
            verdict, final_url = "redirect", target  # robots.txt disallows to request it
        yield RedirectAnswer(response.request.url, verdict, response.status, final_url)

    def results_of_refusal(self, target: VisitTarget, robots: Robots) -> Iterator[RedirectAnswer]:
        """Yield the verdict disallowed or unknown on a URL that may not be requested."""
        verdict = "unknown" if robots.state == "unreachable" else "disallowed"
        yield RedirectAnswer(target.url, verdict)


def ask_removed(
    tables: Tables,
    *,
    max_requests: int,
    policy: Policy,
    base_url: str | None,
    progress: Callable[[ProgressEvent], None],
) -> None:
    """Request removed URLs, and store where they lead in the table ``redirect_answers``.

    Columns: ``h``, those of :class:`RedirectAnswer`, and ``final_h``, the hash of the final URL.
    robots.txt is obeyed, with its ``Crawl-delay``. After Ctrl-C the answers so far are used. If
    there are more than ``max_requests`` URLs, a sample of all sections is requested. The hosts of
    ``base_url`` and of sites that are compared may have private addresses.
    """
    db = tables.db
    rows = db.rows(
        f"SELECT h::VARCHAR, loc {_REMOVED} ORDER BY md5(h::VARCHAR) LIMIT {int(max_requests)}"
    )
    hashes: dict[str, list[str]] = {}
    for h, loc in rows:
        if (url := page_url(loc)) is not None:
            hashes.setdefault(url, []).append(h)
    if not hashes:
        return
    targets = (VisitTarget(url, ends_at_head=True) for url in hashes)
    names = [*(state.name for state in tables.states.values()), base_url]
    [(origin, _)] = Counter(origin_of(url) or "" for url in hashes).most_common(1)
    hosts = named_hosts(names, origin)
    walk = RedirectWalk(targets, Politeness(policy, Budget(max_requests), hosts=hosts))
    found: list[RedirectAnswer] = []
    try:
        for number, answer in enumerate(drive_in_thread(walk, policy), start=1):
            progress(ProgressEvent(number, source=answer.url))
            found.append(answer)
        found += walk.close()
    except KeyboardInterrupt:
        tables.notes.append("interrupted: not all removed URLs were requested")
    answers = [
        (h, answer.verdict, answer.status, answer.final_url, None)
        for answer in found
        for h in hashes.get(answer.url, ())
    ]
    db.insert_rows("redirect_answers", answers)
    db.run(
        "UPDATE redirect_answers SET final_h = text_hash(normal_of(final_url)) "
        "WHERE verdict = 'redirect'"
    )
    if (count := tables.count(f"SELECT count(*) {_REMOVED}")) > max_requests:
        tables.notes.append(f"{max_requests:,} of {count:,} removed URLs were requested")
