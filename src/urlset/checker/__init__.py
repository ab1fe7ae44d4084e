"""Check sitemaps: evaluate rules on the documents that were read, and return findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset.arguments import checked_arguments
from urlset.checker.baseline import Baseline
from urlset.checker.evaluate import verified_query
from urlset.checker.finding import FAILURE_CODES, LEVELS, Finding, failed_source
from urlset.checker.findings import Findings
from urlset.checker.load import Excerpt
from urlset.checker.rule import Basis, Rule, rule, rule_texts
from urlset.checker.rule_selection import catalogue_with, custom_rule, rules_named, selector
from urlset.checker.rules import CATALOGUE, GROUPS
from urlset.model import Level, ProgressEvent
from urlset.option_schema import Profile
from urlset.protocol import READ_LIMIT
from urlset.reader import Source, read
from urlset.store import RULE_S, Store

if TYPE_CHECKING:
    from urlset.http import Policy

__all__ = [
    "CATALOGUE",
    "FAILURE_CODES",
    "GROUPS",
    "LEVELS",
    "Baseline",
    "Basis",
    "Excerpt",
    "Finding",
    "Findings",
    "Profile",
    "Rule",
    "catalogue_with",
    "check",
    "custom_rule",
    "failed_source",
    "rule",
    "rule_texts",
    "rules_named",
    "selector",
]


@checked_arguments
def check(
    source: Source,
    *,
    base_url: str | None = None,
    engine: str | None = None,
    max_bytes: int = READ_LIMIT,
    follow: bool = True,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    always: Sequence[str] = (),
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    profile: Profile | None = None,
    now: datetime | None = None,
    max_excerpts: int = 20,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    rule_timeout_s: float | None = RULE_S,
    baseline: Baseline | str | os.PathLike[str] | None = None,
) -> Findings:
    """Read a source as :func:`urlset.read` does, and evaluate the rules of the catalogue on it.

    For a site, the robots.txt of every host is read as well.

    Args:
        source: What to check, as in :func:`urlset.read`.
        base_url: The URL at which the source is published, as in :func:`urlset.read`.
        engine: The engine that parses, as in :func:`urlset.read`.
        max_bytes: The maximum size of a document, as in :func:`urlset.read`.
        follow: Whether the children of an index are read.
        select: Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that
            covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by
            default.
        ignore: Rules that are excluded.
        extend_select: Rules that are added to ``select``.
        always: Codes that are selected whatever ``select`` contains, such as
            ``urlset.checker.FAILURE_CODES`` for documents that could not be read. ``ignore``
            excludes them.
        ignore_in: Rules that are excluded in some documents, by a pattern for their source.
        levels: Levels of rules that differ from the catalogue.
        rules: Custom rules.
        profile: The search engine whose special rules are added.
        now: The current time for rules about dates; None is now.
        max_excerpts: Number of findings of each rule that carry their line.
        policy: How requests are sent.
        auth: Credentials for the site.
        progress: Callback after each document, with the numbers of documents and URLs so far.
        rule_timeout_s: Time limit of each custom rule in seconds, None for no limit.
        baseline: Known findings, or the file of them: only other ones are found
            (:class:`urlset.checker.Baseline`).

    Returns:
        The findings. A document that could not be read is a finding, and its record is in
        :attr:`Findings.incomplete`.

    Raises:
        urlset.SourceError: There is nothing to read.
        ValueError: A name matches no rule.
        urlset.QueryError: The SQL of a rule does more than select from the tables.
        urlset.ConfigurationError: The baseline cannot be read.

    >>> document = b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>"
    >>> [finding.rule for finding in check(document, select=["X", "S"])]
    ['missing-namespace', 'unescaped-ampersand']
    """
    catalogue = catalogue_with(rules, levels)
    selected = selector(
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
        base_url=base_url,
        engine=engine,
        max_bytes=max_bytes,
        follow=follow,
        policy=policy,
        auth=auth,
        read_robots=True,
    )
    return Findings(
        entries,
        catalogue,
        selected,
        max_excerpts=max_excerpts,
        now=now,
        profile=profile,
        progress=progress,
        rule_timeout_s=rule_timeout_s,
        baseline=Baseline.of(baseline),
    )


def _verify(rules: Sequence[Rule]) -> None:
    """Raise :class:`urlset.QueryError` if the SQL of a custom rule does more than select."""
    if rules:
        with Store.open() as store, store.session() as session:
            for rule in rules:
                verified_query(session, rule)
