"""Summarize what is normal for each section, from its history."""

from __future__ import annotations

from urlset.live.watch.alerts import SILENCE_SHARE
from urlset.live.watch.bands import Bands
from urlset.live.watch.estimates import DAY_S, change_probability, silence_limit
from urlset.live.watch.rows import SectionEstimate
from urlset.live.watch.series import SectionHistory, SiteHistory


def section_estimates(site: SiteHistory, bands: Bands) -> tuple[SectionEstimate, ...]:
    """Return the estimates of all sections, those with most URLs first."""
    return tuple(_estimate(section, bands) for section in site.sections)


def _estimate(section: SectionHistory, bands: Bands) -> SectionEstimate:
    days = [each for each in section.added if each.span == 1]
    silence = silence_limit(section.pauses_s, tail=SILENCE_SHARE)
    found = SectionEstimate(
        section.name, section.now.urls, usual_pause_s=silence.usual_s if silence else None
    )
    if days:
        today = days[-1]
        band = bands.get(("volume", section.name, today.day))
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
            changes_per_day=section.rate.rate * DAY_S,
            changes_low=section.rate.low * DAY_S,
            changes_high=section.rate.high * DAY_S,
            changed_in_week=change_probability(section.rate.rate, 7 * DAY_S),
        )
    return found
