"""Summarize what is normal for each section, from its history."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.watcher.alerts import ALARM_SHARE, AlertDays, normal_days
from urlset.watcher.estimates import (
    DAY_S,
    Prior,
    change_probability,
    fit_prior,
    shrunk_rate,
    silence_limit,
    volume_band,
)
from urlset.watcher.result import SectionEstimate
from urlset.watcher.series import SectionHistory, SiteHistory


def section_estimates(
    site: SiteHistory, excluded: Sequence[AlertDays] = ()
) -> tuple[SectionEstimate, ...]:
    """Return the estimates of all sections, those with most URLs first.

    Args:
        site: The history.
        excluded: Days with earlier alerts.
    """
    prior = fit_prior([section.rate for section in site.sections if section.rate is not None])
    return tuple(_estimate(section, prior, excluded) for section in site.sections)


def _estimate(
    section: SectionHistory, prior: Prior | None, excluded: Sequence[AlertDays]
) -> SectionEstimate:
    days = [each for each in section.added if each.span == 1]
    found = SectionEstimate(section.name, section.now.urls)
    if days:
        today = days[-1]
        normal = normal_days(section, "volume", excluded)
        band = volume_band(normal, [today.day], tail=ALARM_SHARE)
        complete = [each.urls for each in days[:-1]]
        found = found._replace(
            new_today=today.urls,
            new_low=band.low if band else None,
            new_high=band.high if band else None,
            new_least=min(complete, default=None),
            new_most=max(complete, default=None),
        )
    if section.rate is not None:
        found = found._replace(
            changes_per_day=shrunk_rate(section.rate, prior) * DAY_S,
            changes_low=section.rate.low * DAY_S,
            changes_high=section.rate.high * DAY_S,
            changed_in_week=change_probability(section.rate, prior, 7 * DAY_S),
        )
    silence = silence_limit(section.pauses_s, tail=ALARM_SHARE)
    return found._replace(usual_pause_s=silence.usual_s if silence else None)
