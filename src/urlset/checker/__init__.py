"""Checks sitemaps: what a reader would have to forgive, told as findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from urlset.checker.findings import Findings
from urlset.checker.fixes import FIXES
from urlset.checker.model import Excerpt, Finding
from urlset.checker.selection import selector
from urlset.protocol import READ_LIMIT
from urlset.reader import DocumentRecord, Source, read

if TYPE_CHECKING:
    from urlset.fetcher import Policy

__all__ = ["FIXES", "Excerpt", "Finding", "Findings", "check"]


def check(
    source: Source,
    *,
    base: str | None = None,
    engine: str | None = None,
    limit_bytes: int = READ_LIMIT,
    follow: bool = True,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    max_excerpts: int = 20,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    seen: Callable[[DocumentRecord], None] | None = None,
) -> Findings:
    """Check what :func:`urlset.read` would read: the same source, the same pass, told as findings.

    ``select`` and ``ignore`` name rules by name, code or the beginning of one (``X``, ``S0``);
    the longer one wins, and ``ignore`` where both are as long. The first ``max_excerpts``
    findings of each rule carry the line in which they stand. ``seen`` is told of each document
    when it has been read, before its findings.

    Raises :class:`urlset.SourceError` where there is nothing to read and ``ValueError`` for a
    rule that there is not; what could not be read of it is in :attr:`Findings.failed`.

    >>> [f.rule for f in check(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")]
    ['missing-namespace', 'unescaped-ampersand']
    """
    wanted = selector(select, ignore)
    entries = read(
        source,
        base=base,
        engine=engine,
        limit_bytes=limit_bytes,
        follow=follow,
        policy=policy,
        auth=auth,
    )
    return Findings(entries, wanted, max_excerpts, seen)
