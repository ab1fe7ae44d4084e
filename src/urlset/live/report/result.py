"""Result of a report on several sites."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict

from urlset.live.report.page import write_report
from urlset.live.report.site_state import SiteState
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
        errors = [site for site in self.sites if site.count_of("error")]
        alerts = [site for site in self.sites if site.alerts]
        sites = {site.site for site in self.sites}
        parts = [pluralize(len(sites), "site")]
        if len(sites) < len(self.sites):
            parts[0] += f" in {pluralize(len(self.sites), 'store')}"
        if any(site.rules is not None for site in self.sites):
            parts.append(f"{len(errors):,} with errors" if errors else "none with errors")
        if alerts:
            parts.append(f"{len(alerts):,} with open alerts")
        return ", ".join(parts)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one HTML file that works offline and without scripts.

        A site is linked to its own report if a file with the name of its store and the suffix
        ``.html`` is next to the store.

        Raises:
            urlset.TargetError: The file cannot be written.
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
