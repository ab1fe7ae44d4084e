"""Result of a report on several sites, also as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

from urlset.checker import CATALOGUE, LEVELS, rule_texts
from urlset.html_report import (
    Example,
    ExampleLog,
    Link,
    ReportInput,
    RuleText,
    SourceFigures,
    write_html_report,
)
from urlset.html_report.charts import Segment, StackedRow, stacked_bars
from urlset.html_report.model import Figure
from urlset.html_report.text import share
from urlset.live.figures.page_figures import OUTCOMES
from urlset.live.report.site_state import FINDINGS_SQL, OUTCOMES_SQL, SiteState
from urlset.model import Level
from urlset.notebook import html_table
from urlset.result import Instant, Result, ResultJson, values_of
from urlset.terminal_text import pluralize


class SiteRuleJson(TypedDict):
    """Findings of one rule and level at a site."""

    code: str
    rule: str
    level: Level
    findings: int
    new: int
    example: str


class SiteStateJson(TypedDict):
    """State of one site; null where its store has no such data.

    Attributes:
        is_complete: Whether everything was read and visited.
    """

    store: str
    site: str
    kinds: list[str]
    examined: Instant | None
    listed: int | None
    visited: int | None
    outcomes: dict[str, int]
    alerts: int | None
    rules: list[SiteRuleJson] | None
    fixed: int | None
    is_complete: bool
    incomplete: list[str]


class ReportJson(ResultJson):
    """State of several sites.

    Attributes:
        sites: State of the site of each store, in their order. A site with two stores has two.
    """

    sites: list[SiteStateJson]


class Report(Result):
    """State of several sites. A context manager, as all results.

    Attributes:
        sites: State of the site of each store, in their order. A site with two stores has two.
    """

    def __init__(self, sites: Sequence[SiteState], errors: Sequence[str] = ()):
        self.sites: tuple[SiteState, ...] = tuple(sites)
        self._errors = tuple(errors)

    @property
    def subject(self) -> str:
        """Number of stores, as the end of a phrase."""
        return f"of {pluralize(len(self.sites) + len(self._errors), 'store')}"

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why a store could not be read. What a site lacks is in its own ``incomplete``."""
        return self._errors

    @property
    def _totals(self) -> str:
        sites = {site.site for site in self.sites}
        audited = {site.site for site in self.sites if site.rules is not None}
        errors = {site.site for site in self.sites if site.count_of("error")}
        alerts = {site.site for site in self.sites if site.alerts}
        parts = [pluralize(len(sites), "site")]
        if len(sites) < len(self.sites):
            parts[0] += f" in {pluralize(len(self.sites), 'store')}"
        if audited:
            number = f"{len(errors):,}" if errors else "none"
            # Other stores have no findings.
            of = f" of {len(audited):,} audited" if len(audited) < len(sites) else ""
            parts.append(f"{number}{of} with errors")
        if alerts:
            parts.append(f"{len(alerts):,} with open alerts")
        return ", ".join(parts)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one HTML file that works offline and without scripts.

        A site is linked to its own report if a file with the name of its store and the suffix
        ``.html`` is next to the store.

        Raises:
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.
        """
        write_report(self.sites, self.summary, self.incomplete, path)

    def to_dict(self) -> ReportJson:
        """Return the state of each site as values that JSON has."""
        sites = [
            values_of(each, SiteStateJson, is_complete=not each.incomplete) for each in self.sites
        ]
        return values_of(self, ReportJson, sites=sites)

    def _repr_html_(self) -> str:
        columns = ("site", "listed", "visited", "errors", "warnings", "alerts")
        rows = [
            (s.site, s.listed, s.visited, s.count_of("error"), s.count_of("warning"), s.alerts)
            for s in self.sites
        ]
        return html_table(self.caption, columns, rows)


MAX_BARS, MAX_ROWS = 50, 300
"""Sites in the chart and in the table, the worst first; ``to_dict`` has all of them."""


def write_report(
    sites: Sequence[SiteState], summary: str, errors: Sequence[str], path: str | os.PathLike[str]
) -> None:
    """Write the states of sites to an HTML file.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    log = ExampleLog()
    subject = pluralize(len({site.site for site in sites}), "site")
    for site in sites:
        for rule in site.rules or ():
            log.levels[rule.code][rule.level] += rule.findings
            text = pluralize(rule.findings, rule.level if rule.level != "info" else "finding")
            new = f", {rule.new:,} new" if rule.new and site.fixed is not None else ""
            log.examples[rule.code].append(
                Example(site.site, f"{text}{new}: {rule.example}", site.store, "")
            )
    write_html_report(
        ReportInput(
            kind="report",
            site=subject,
            moment=datetime.now(UTC),
            log=log,
            rules=_rule_texts(sites),
            sources=[
                SourceFigures(
                    subject,
                    "",
                    list(_numbers(sites)),
                    list(_outcome_figures(sites)),
                    _site_table(sites, Path(path)),
                    [],
                    f"{FINDINGS_SQL};\n\n{OUTCOMES_SQL}",
                )
            ],
            sentence=f"{summary}.",
            notes=[f"Not read: {error}" for error in errors]
            + [f"{site.site}: {reason}" for site in sites for reason in site.incomplete[:1]],
        ),
        path,
    )


def _rule_texts(sites: Sequence[SiteState]) -> Mapping[str, RuleText]:
    """Return the documentation of the rules with findings, without their SQL: it is of one site."""
    codes = {rule.code for site in sites for rule in site.rules or ()}
    texts = rule_texts({code: CATALOGUE[code] for code in codes if code in CATALOGUE})
    named = {rule.code: rule for site in sites for rule in site.rules or ()}
    return {
        code: texts[code]._replace(sql=None)
        if code in texts
        else RuleText(code, rule.rule, rule.level, rule.rule, "", "", "", None)
        for code, rule in named.items()
    }


def _numbers(sites: Sequence[SiteState]) -> Iterator[tuple[str, str, str]]:
    yield "sites", f"{len({site.site for site in sites}):,}", ""
    yield "URLs listed", f"{_total((site.site, site.listed) for site in sites) or 0:,}", ""
    visited = _total((site.site, site.visited) for site in sites)
    if visited is not None:
        yield "visited", f"{visited:,}", ""
    for level, noun in zip(LEVELS[:2], ("errors", "warnings"), strict=True):
        count = _total((site.site, site.count_of(level)) for site in sites)
        if count is not None:
            yield noun, f"{count:,}", level if count else "fine"
    alerts = _total((site.site, site.alerts) for site in sites)
    if alerts is not None:
        yield "open alerts", f"{alerts:,}", "error" if alerts else "fine"


def _total(counts: Iterable[tuple[str, int | None]]) -> int | None:
    """Return the sum over the sites of a count of each store; None if no store has it.

    The stores of one site have the same URLs, which count once: that with the most counts.
    """
    found: dict[str, int] = {}
    for site, number in counts:
        if number is not None:
            found[site] = max(found.get(site, 0), number)
    return sum(found.values()) if found else None


def _outcome_figures(sites: Sequence[SiteState]) -> Iterator[Figure]:
    visited = [site for site in sites if site.visited]
    if not visited:
        return
    shown = sorted(visited, key=lambda site: (site.fine or 0) / (site.visited or 1))[:MAX_BARS]
    # Of the stores of one site, that with the most visited URLs counts, as in the numbers.
    by_visited = sorted(visited, key=lambda site: site.visited or 0)
    counted = {site.site: site for site in by_visited}.values()
    total = sum(site.visited or 0 for site in counted)
    fine = sum(site.fine or 0 for site in counted)
    yield Figure(
        "verdicts",
        f"{share(fine, total)} of the visited URLs are fine: they answer 200, may be indexed and "
        "are canonical",
        "Listed URLs of each site by what their visit found, the worst site first. At the end of "
        "each bar: the share of the visited ones that are fine.",
        stacked_bars(
            [
                StackedRow(
                    site.site,
                    [Segment(name, site.outcomes[name]) for name in OUTCOMES],
                    share(site.fine or 0, site.visited or 0),
                )
                for site in shown
            ],
            [(name, name.replace("-", " ")) for name in OUTCOMES],
        ),
        ("site", *OUTCOMES),
        [(site.site, *(site.outcomes[name] for name in OUTCOMES)) for site in visited],
        OUTCOMES_SQL,
        is_wide=True,
    )


def _site_table(sites: Sequence[SiteState], path: Path) -> Figure:
    """Return the table of the sites, each with a link to its own report if there is one."""
    columns = (
        "site", "examined", "by", "listed", "visited", "fine", "errors", "warnings", "new",
        "fixed", "open alerts", "complete",
    )  # fmt: skip
    rows = [
        (
            Link(site.site, href) if (href := _own_report(site, path)) else site.site,
            "" if site.examined is None else f"{site.examined.astimezone(UTC):%Y-%m-%d %H:%M}",
            ", ".join(site.kinds),
            site.listed,
            site.visited,
            site.fine,
            site.count_of("error"),
            site.count_of("warning"),
            site.new,
            site.fixed,
            site.alerts,
            "no" if site.incomplete else "yes",
        )
        for site in sorted(sites, key=_badness)[:MAX_ROWS]
    ]
    rest = f" The worst {MAX_ROWS} of {len(sites):,}." if len(sites) > MAX_ROWS else ""
    return Figure(
        "sites",
        "Sites",
        f"One row per store; times are UTC. New and fixed: findings since the audit before.{rest}",
        "",
        columns,
        rows,
        f"{FINDINGS_SQL};\n\n{OUTCOMES_SQL}",
    )


def _badness(site: SiteState) -> tuple[int, int, int]:
    return -(site.count_of("error") or 0), -(site.alerts or 0), -(site.count_of("warning") or 0)


def _own_report(site: SiteState, path: Path) -> str | None:
    """Return the link from the report on all sites to that of one, if it is next to the store."""
    own = Path(site.store).with_suffix(".html")
    if not own.is_file() or own.resolve() == path.resolve():
        return None
    try:
        relative = os.path.relpath(own.resolve(), path.resolve().parent).replace(os.sep, "/")
        return quote(relative, errors="surrogateescape")
    except ValueError:  # on another drive
        return None
