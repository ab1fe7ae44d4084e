"""Checks sitemaps: rules over what was read, told as findings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from urlset.checker.catalogue import CATALOGUE
from urlset.checker.declaring import Profile, Rule
from urlset.checker.findings import Findings
from urlset.checker.model import LEVELS, Excerpt, Finding
from urlset.checker.selection import rules_named, selector
from urlset.protocol import READ_LIMIT
from urlset.reader import Source, read

if TYPE_CHECKING:
    from urlset.fetcher import Policy

__all__ = [
    "CATALOGUE",
    "LEVELS",
    "Excerpt",
    "Finding",
    "Findings",
    "Profile",
    "Rule",
    "check",
    "rules_named",
]


def check(
    source: Source,
    *,
    base: str | None = None,
    engine: str | None = None,
    limit_bytes: int = READ_LIMIT,
    follow: bool = True,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    profile: Profile | None = None,
    moment: datetime | None = None,
    max_excerpts: int = 20,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
) -> Findings:
    """Check what :func:`urlset.read` would read, and judge it by the rules of the catalogue.

    ``select`` and ``ignore`` name rules by name, code or the beginning of one (``X``, ``S0``);
    the longer one wins, and ``ignore`` where both are as long. Without ``select`` it is all rules
    that are on by default; ``extend_select`` adds to them, ``profile`` those of one engine.
    ``moment`` is the time that rules take for now. ``base`` is the URL at which a file is to lie.
    The first ``max_excerpts`` findings of each rule carry the line in which they stand.

    Raises :class:`urlset.SourceError` where there is nothing to read and ``ValueError`` for a
    rule that there is not; what could not be read of it is in :attr:`Findings.failed`.

    >>> [f.rule for f in check(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>", select=["X", "S"])]
    ['missing-namespace', 'unescaped-ampersand']
    """
    wanted = selector(select, ignore, extend_select, profile=profile)
    entries = read(
        source,
        base=base,
        engine=engine,
        limit_bytes=limit_bytes,
        follow=follow,
        policy=policy,
        auth=auth,
    )
    return Findings(entries, wanted, max_excerpts=max_excerpts, moment=moment, profile=profile)
