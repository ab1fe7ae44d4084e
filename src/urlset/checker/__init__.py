"""Check sitemaps: evaluate rules on the documents that were read, and return findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset.arguments import checked_arguments
from urlset.checker.baseline import Baseline
from urlset.checker.evaluate import verified_query
from urlset.checker.finding import FAILURE_CODES, LEVELS, Finding, failed_source, levels_from
from urlset.checker.findings import Findings
from urlset.checker.load import Excerpt
from urlset.checker.rule import Basis, Rule, rule, rule_texts
from urlset.checker.rule_selection import catalogue_with, custom_rule, rules_named, selector
from urlset.checker.rules import CATALOGUE, GROUPS
from urlset.model import Level, ProgressEvent
from urlset.option_schema import Profile, StrPath, check_options
from urlset.reader import Source, read
from urlset.store import Store

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
    "levels_from",
    "rule",
    "rule_texts",
    "rules_named",
    "selector",
]


@checked_arguments
def check(
    source: Source,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    profile: Profile | None = None,
    baseline: Baseline | StrPath | None = None,
    rule_timeout_s: float | None = 60.0,
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    min_level: Level = "info",
    base_url: str | None = None,
    engine: str | None = None,
    now: datetime | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    max_bytes: int = 104_857_600,
    follow: bool = True,
    always: Sequence[str] = (),
    max_excerpts: int = 20,
) -> Findings:
    """Read a source as :func:`urlset.read` does, and evaluate the rules of the catalogue on it.

    For a site, the robots.txt of every host is read as well.

    Args:
        source: What to check, as in :func:`urlset.read`.
        select: Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that
            covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by
            default.
        ignore: Rules that are excluded.
        extend_select: Check these rules, too. Some rules are off by default.
        profile: Check the rules of this search engine, too.
        baseline: Known findings, or the file of them: only other ones are found
            (:class:`urlset.Baseline`).
        rule_timeout_s: Time limit of each custom rule in seconds, None for no limit.
        ignore_in: Rules that are not checked in some documents, by a pattern of their paths.
        levels: Levels of rules that differ from the catalogue, by rule.
        rules: Custom rules.
        min_level: Least severe level of findings that are found: ``error``, ``warning`` or
            ``info``. Others are not counted either.
        base_url: URL at which the source is published: of the folder, or of the file. One that ends
            with / is the folder that contains the file.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        now: Current time; by default the clock's.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.
        max_bytes: Maximum size of a decompressed document; the rest is not read.
        follow: Read the sitemaps that an index lists.
        always: Codes that are selected whatever ``select`` contains, such as those of documents
            that could not be read. ``ignore`` excludes them.
        max_excerpts: Findings of each rule that carry their line.

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
    check_options("check", locals())
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
        min_level=min_level,
        baseline=Baseline.of(baseline),
    )


def _verify(rules: Sequence[Rule]) -> None:
    """Raise :class:`urlset.QueryError` if the SQL of a custom rule does more than select."""
    if rules:
        with Store.open() as store, store.session() as session:
            for rule in rules:
                verified_query(session, rule)
