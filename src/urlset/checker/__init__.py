"""Checks sitemaps: rules over what was read, told as findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset.checker.baseline import Baseline
from urlset.checker.custom_rules import own_rule
from urlset.checker.evaluate import verified_query
from urlset.checker.failures import FAILURE_CODES, failed_source
from urlset.checker.finding import LEVELS, Excerpt, Finding
from urlset.checker.findings import Findings
from urlset.checker.rule import Profile, Rule, rule
from urlset.checker.rule_selection import catalogue_with, rules_named, selector
from urlset.checker.rules import CATALOGUE, GROUPS
from urlset.model import Level
from urlset.protocol import READ_LIMIT
from urlset.reader import DocumentRecord, Source, read
from urlset.store import RULE_S, Store

if TYPE_CHECKING:
    from urlset.http import Policy

__all__ = [
    "CATALOGUE",
    "FAILURE_CODES",
    "GROUPS",
    "LEVELS",
    "Baseline",
    "Excerpt",
    "Finding",
    "Findings",
    "Profile",
    "Rule",
    "catalogue_with",
    "check",
    "failed_source",
    "own_rule",
    "rule",
    "rules_named",
    "selector",
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
    always: Sequence[str] = (),
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    profile: Profile | None = None,
    moment: datetime | None = None,
    max_excerpts: int = 20,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    seen: Callable[[DocumentRecord], None] | None = None,
    rule_timeout_s: float | None = RULE_S,
) -> Findings:
    """Check what :func:`urlset.read` would read, and judge it by the rules of the catalogue.

    ``select`` and ``ignore`` name rules by name, code or the beginning of one (``X``, ``S0``);
    the longer one wins, and ``ignore`` where both are as long. Without ``select`` it is all rules
    that are on by default; ``extend_select`` adds to them, ``profile`` those of one engine.
    ``always`` are codes that ``select`` need not name, as the command does with those of documents
    that could not be read (``urlset.checker.FAILURE_CODES``); ``ignore`` leaves them out.
    ``moment`` is the time that rules take for now. ``base`` is the URL at which the source is to
    lie, as :func:`urlset.read` says. The first ``max_excerpts`` findings of each rule carry the
    line in which they stand. ``seen`` is told of each document when it has been read. Of a site
    the robots.txt of every host is asked for, too. Each of ``rules`` may take ``rule_timeout_s``
    seconds (None for no limit).

    Raises :class:`urlset.SourceError` where there is nothing to read, ``ValueError`` for a
    rule that there is not, and :class:`urlset.QueryError` for one whose SQL does anything but
    select from the tables. A document that could not be read is a finding; its record is in
    :attr:`Findings.failed`.

    >>> document = b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>"
    >>> [finding.rule for finding in check(document, select=["X", "S"])]
    ['missing-namespace', 'unescaped-ampersand']
    """
    catalogue = catalogue_with(rules, levels)
    wanted = selector(
        select,
        ignore,
        extend_select,
        profile=profile,
        rules=catalogue,
        ignore_in=ignore_in,
        always=always,
    )
    _verify([rule for rule in catalogue.values() if rule.is_custom])
    entries = read(
        source,
        base=base,
        engine=engine,
        limit_bytes=limit_bytes,
        follow=follow,
        policy=policy,
        auth=auth,
        robots=True,
    )
    return Findings(
        entries,
        catalogue,
        wanted,
        max_excerpts=max_excerpts,
        moment=moment,
        profile=profile,
        seen=seen,
        rule_timeout_s=rule_timeout_s,
    )


def _verify(rules: Sequence[Rule]) -> None:
    """Raise :class:`urlset.QueryError` for SQL that may not be run, before anything is read."""
    if rules:
        with Store.open() as store, store.session() as asking:
            for rule in rules:
                verified_query(asking, rule)
