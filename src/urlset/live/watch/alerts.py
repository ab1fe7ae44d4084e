"""Find conditions for alerts, numbers outside of their own normal range, and say what is normal.

All functions are pure. A condition is raised once, as an alert, and again only after it has ended.
What a step could not read raises nothing and ends nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from urlset.live.watch.bands import Bands
from urlset.live.watch.estimates import DAY_S, DayCount, change_probability, silence_limit
from urlset.live.watch.rows import SectionEstimate
from urlset.live.watch.series import SectionHistory, SiteHistory

KINDS = {
    "volume-high": "more new URLs in a day than its band",
    "volume-low": "fewer new URLs in a day than its band",
    "silence": "no new URL for longer than its pauses",
    "removals": "more removed URLs in a day than its band",
    "shrink": "many URLs removed at once",
    "lastmod-mass": "most dates moved at once to one time",
    "robots": "robots.txt allows or declares something else",
    "sitemap-gone": "a listed sitemap answers 404 or 410",
    "sitemap-dropped": "a sitemap is not listed any more, and its URLs are gone",
    "size": "a sitemap is near a limit of the protocol",
}
"""Kinds of alerts, with what they mean."""

EVENTS = frozenset({"shrink", "robots", "sitemap-dropped"})
"""Kinds that happen at one step; they end with the next."""

SILENCE_SHARE = 0.0035
"""Share of normal days with an alert of silence, all sections together."""

MIN_COUNT = 10
"""New or removed URLs of a day that are an alert at least, however quiet the section is."""

RECENT_DAYS = 3
"""Days for which a count is judged: a section that was not observed after it has no later one."""

MIN_SHRINK = 10
SHRINK_SHARE = 0.2
"""Removed share of a site, in one step, that is an alert from the second snapshot on."""

REPLACED_SHARE = 0.5
"""The same, of URLs that the step replaces by others: as of a site that renames them."""

MIN_DATED = 20
MASS_SHARE = 0.5
EQUAL_SHARE = 0.9
"""At least this share of the dates that moved are equal, and of all dates the share before."""


class Condition(NamedTuple):
    """Something that is not normal: its kind, what it is about, and the numbers."""

    kind: str
    subject: str
    message: str
    observed: float | None = None
    low: float | None = None
    high: float | None = None


def judge(
    site: SiteHistory, bands: Bands, open_: Collection[tuple[str, str]] = ()
) -> Iterator[Condition]:
    """Yield conditions for alerts by the numbers of the sections at the latest snapshot.

    ``open_`` has the kind and the subject of the alerts that are open.
    """
    judged = [section for section in site.sections if section.now.is_known]
    yield from _shrink(site)
    for section in judged:
        yield from _mass_lastmod(section, is_open=("lastmod-mass", section.name) in open_)
    # One whose URLs were removed, as by a rename, is not silent, unless it was before.
    excused = {s.name for s in judged if s.is_emptied and ("silence", s.name) not in open_}
    silences = list(_silences(site, [each for each in judged if each.name not in excused]))
    silent = {each.subject for each in silences} | excused
    for test in ("volume", "removals"):
        for section in judged:
            found = _volume(section, test, bands, site.now.date())
            # A silence says it already, and a band that begins at 0 on some weekdays would end it.
            # That a section has no URLs any more was an alert, too.
            yield from (e for e in found if e.kind != "volume-low" or e.subject not in silent)
    yield from silences


def unjudged(site: SiteHistory) -> frozenset[str]:
    """Return the sections that could not be read: their alerts are neither raised nor ended."""
    return frozenset(section.name for section in site.sections if not section.now.is_known)


def _volume(section: SectionHistory, test: str, bands: Bands, today: date) -> Iterator[Condition]:
    """Yield a condition if one of the last two daily counts is outside of its normal range."""
    counts = section.added if test == "volume" else section.removed
    what = "new" if test == "volume" else "removed"
    for each in counts[-2:]:
        band = bands.get((test, section.name, each.day))
        if band is None or (today - each.day).days > RECENT_DAYS:
            continue
        normal = f"normal is {band.low:,} to {band.high:,}"
        shown = f"{section.name}: {each.urls:,} {what} URLs {_when(each)}; {normal}"
        numbers = (float(each.urls), float(band.low), float(band.high))
        if each.urls > max(band.high, MIN_COUNT - 1):
            kind = "volume-high" if test == "volume" else "removals"
            yield Condition(kind, section.name, shown, *numbers)
            return
        # In a longer time, URLs may come and go unseen.
        is_whole = each.span == 1 and each is not counts[-1]
        if test == "volume" and each.urls < band.low and is_whole:
            yield Condition("volume-low", section.name, shown, *numbers)
            return


def _silences(site: SiteHistory, judged: Iterable[SectionHistory]) -> Iterator[Condition]:
    pausing = [section for section in judged if section.pauses_s]
    for section in pausing:
        if section.last_new is None or not section.added:
            continue
        per_day = DAY_S / (sum(section.pauses_s) / len(section.pauses_s))
        tail = min(0.5, SILENCE_SHARE / len(pausing) / per_day)
        limit = silence_limit(section.pauses_s, tail=tail)
        pause = (site.now - section.last_new).total_seconds()
        if limit is not None and pause > limit.limit_s:
            message = (
                f"{section.name}: nothing new for {span_text(pause)}; 99 % of its pauses are up to "
                f"{span_text(limit.usual_s)}"
            )
            yield Condition("silence", section.name, message, pause, None, limit.limit_s)


def _shrink(site: SiteHistory) -> Iterator[Condition]:
    before = site.urls_before
    if not before:
        return
    share = (before - site.urls) / before
    is_smaller = site.urls < before - MIN_SHRINK and share >= SHRINK_SHARE
    if is_smaller and share > 1.5 * site.largest_drop:
        message = f"{before:,} URLs became {site.urls:,} in one step: {share:.0%} are removed"
        yield Condition("shrink", "site", message, float(site.urls), float(before), None)
        return
    share = site.removed / before
    is_replaced = site.removed > MIN_SHRINK and share > REPLACED_SHARE
    if is_replaced and share > 1.5 * site.largest_removal:
        message = (
            f"{site.removed:,} of {before:,} URLs were removed in one step, and {site.added:,} "
            "added; if the pages have new URLs, let the former ones redirect to them"
        )
        yield Condition("shrink", "site", message, float(site.urls), float(before), None)


def _mass_lastmod(section: SectionHistory, *, is_open: bool) -> Iterator[Condition]:
    now = section.now
    if now.dated < MIN_DATED or now.common_date is None or now.equal_share < MASS_SHARE:
        return
    moved_at_once = now.observed and now.changed >= MASS_SHARE * now.observed
    is_equal = now.equal_share * now.dated >= EQUAL_SHARE * now.changed
    is_new = now.equal_share_before < MASS_SHARE and moved_at_once and is_equal
    if not is_new and not is_open:
        return
    message = (
        f"{section.name}: since {now.common_date:%Y-%m-%d} {now.equal_share:.0%} of {now.dated:,} "
        f"dates are equal; {now.changed:,} moved at once"
    )
    yield Condition("lastmod-mass", section.name, message, now.equal_share, None, MASS_SHARE)


def _when(count: DayCount) -> str:
    if count.span == 1:
        return f"on {count.day:%Y-%m-%d}"
    return f"in the {count.span} days up to {count.day:%Y-%m-%d}"


def span_text(seconds: float) -> str:
    """Format a duration in minutes, hours or days.

    >>> span_text(90), span_text(31 * 3600), span_text(9 * 86_400)
    ('2 min', '31 h', '9 days')
    """
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    if seconds < 3 * DAY_S:
        return f"{seconds / 3_600:.0f} h"
    return f"{seconds / DAY_S:.0f} days"


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
