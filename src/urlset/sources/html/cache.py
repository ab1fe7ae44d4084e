"""Facts of pages that need not be read again: as text, with what would make them untrue."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Protocol

from urlset.html import FACTS_VERSION, PageFacts
from urlset.model import Alternate, Image

__all__ = ["Cache", "facts_from_text", "facts_to_text", "is_settled", "rules_text"]

COARSE_NS = 2_000_000_000
FINE_NS = 50_000_000
"""How long ago a file must have been changed, on file systems whose clock ticks seconds, or less:
it could change again within a tick, unseen."""


class Cache(Protocol):
    """What keeps facts, by the path of the file, its state, and the rules by which it was read."""

    def find(self, rules: str, files: Sequence[tuple[str, str]]) -> dict[str, str]:
        """What is known of files, by path; ``files`` are their paths and states."""

    def keep(self, rules: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep what was read: the path, the state and the facts of each file."""


def rules_text(*rules: object) -> str:
    """What decides of facts besides the file: with other rules it is read again."""
    return repr((FACTS_VERSION, *rules))


def is_settled(mtime_ns: int, now_ns: int | None = None) -> bool:
    """Tell whether a file that changes from now on will have another time than it has.

    >>> is_settled(1_000_000_001, now_ns=2_000_000_000), is_settled(10**9, now_ns=2 * 10**9)
    (True, False)
    """
    tick = FINE_NS if mtime_ns % 1_000_000_000 else COARSE_NS
    return mtime_ns + tick < (time.time_ns() if now_ns is None else now_ns)


def facts_to_text(facts: PageFacts) -> str | None:
    """Facts as text; None for those that are not kept: of videos and news, and of dates to come."""
    if facts.videos or facts.news or facts.has_future_date:
        return None
    return json.dumps(
        [
            facts.is_page, facts.canonical, facts.robots, facts.refresh, facts.lastmod,
            facts.fingerprint, facts.images, facts.alternates,
        ],
        ensure_ascii=False,
    )  # fmt: skip


def facts_from_text(text: str) -> PageFacts | None:
    """The facts in a text; None for a text that holds none.

    >>> facts = PageFacts(is_page=True, robots=("nofollow",), images=(Image("https://a.example/"),))
    >>> facts_from_text(facts_to_text(facts)) == facts
    True
    """
    try:
        is_page, canonical, robots, refresh, lastmod, fingerprint, images, alternates = json.loads(
            text
        )
        return PageFacts(
            is_page=bool(is_page),
            canonical=canonical,
            robots=tuple(robots),
            refresh=refresh,
            lastmod=lastmod,
            fingerprint=fingerprint,
            images=tuple(Image(*image) for image in images),
            alternates=tuple(Alternate(*alternate) for alternate in alternates),
        )
    except (ValueError, TypeError):
        return None
