"""Simulated sites with known rates over a simulated year, a step each day; no time passes."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.amounts import amount
from tests.live.watch.simulated_site import SITE, SimulatedSite
from tests.live.watch.test_estimates import poisson
from urlset.live.schemas import HISTORY_SCHEMA
from urlset.live.watch.alerts import judge
from urlset.live.watch.bands import day_bands
from urlset.live.watch.estimates import DayCount, silence_limit
from urlset.live.watch.pipeline import StepSettings, take_step
from urlset.live.watch.result import Watch
from urlset.live.watch.series import SectionHistory, SectionNow, SiteHistory
from urlset.store import Store

START = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass
class Section:
    """Section with known rates: changes per URL and day, new and removed URLs per day."""

    name: str
    change: float
    new: float
    removed: float
    weekend: float = 1.0
    has_times: bool = True
    size: int = 60
    urls: dict[str, datetime] = field(default_factory=dict)
    count: int = 0

    def pass_day(self, draw: random.Random, now: datetime) -> None:
        """Change, remove and add URLs, independently of each other."""
        for url in list(self.urls):
            age = draw.expovariate(self.change)
            if age < 1:
                self.urls[url] = now - timedelta(days=age)
        for url in list(self.urls):
            if draw.random() < self.removed / self.size:
                del self.urls[url]
        week = self.weekend * 2 + 5
        factor = 7 / week * (self.weekend if now.weekday() >= 5 else 1.0)
        self.add(poisson(draw, self.new * factor), now, draw)

    def add(self, count: int, now: datetime, draw: random.Random) -> None:
        for _ in range(count):
            self.count += 1
            self.urls[f"/{self.name}/{self.count}"] = now - timedelta(days=draw.random())

    def rows(self) -> list[tuple[str, str | None]]:
        form = "%Y-%m-%dT%H:%M:%SZ" if self.has_times else "%Y-%m-%d"
        return [(url, f"{lastmod:{form}}") for url, lastmod in self.urls.items()]


class Year:
    """Simulation of a site, day after day, and the results of its steps."""

    def __init__(self, path: Any, seed: int, *sections: Section):
        self.site = SimulatedSite(path, START)
        self.sections = {section.name: section for section in sections}
        self.draw = random.Random(seed)
        self.alerts: list[tuple[int, str, str]] = []
        self.results: list[Watch] = []
        self.days: list[int] = []
        for section in sections:
            for _ in range(section.size):
                section.count += 1
                age = timedelta(days=400 * self.draw.random())
                section.urls[f"/{section.name}/{section.count}"] = START - age

    def run(self, days: int, plan: dict[int, Any] | None = None, off: tuple[int, ...] = ()) -> None:
        """Pass days; ``plan`` has functions by day, ``off`` the days on which everything fails."""
        with Store.open(self.site.path) as store:
            store.add(HISTORY_SCHEMA)
            with store.session() as session:
                for day in range(days):
                    self._pass_day(session, day, (plan or {}).get(day), day in off)

    def _pass_day(self, session: Any, day: int, event: Any, is_off: bool) -> None:
        site = self.site
        site.now += timedelta(days=1)
        for section in self.sections.values():
            section.pass_day(self.draw, site.now)
        if event is not None:
            event(self)
        site.put_index("/sitemap.xml", [(f"/{name}.xml", None) for name in self.sections])
        for name, section in self.sections.items():
            site.put(f"/{name}.xml", section.rows())
            if is_off:
                site.documents[f"/{name}.xml"] = 503
        found = take_step(
            session,
            site.path,
            f"{SITE}/",
            StepSettings(),
            drive=site.drive,
            now=lambda: site.now,
        )
        self.results.append(found)
        self.alerts += [(day, alert.kind, alert.subject) for alert in found.new_alerts]


@pytest.mark.slow
@pytest.mark.soak
def test_rates_are_within_their_intervals_and_quiet_days_without_alerts(tmp_path):
    year = Year(
        tmp_path / "year.duckdb",
        1,
        Section("daily", change=1.0, new=0.5, removed=0.5),
        Section("weekly", change=1 / 7, new=3, removed=3, weekend=0.2),
        Section("monthly", change=1 / 30, new=0.1, removed=0.1),
        Section("yearly", change=1 / 365, new=0.0, removed=0.0),
        Section("dated", change=0.1, new=1, removed=1, has_times=False),
    )

    days = amount(150, 365)
    year.run(days)

    found = {section.name.strip("/"): section for section in year.results[-1].sections}
    within = {
        name: (section.changes_low or 0.0)
        <= year.sections[name].change
        <= (section.changes_high or 0.0)
        for name, section in found.items()
    }
    assert len(within) == 5
    assert sum(within.values()) >= 4, within  # intervals of 95 %
    for name in ("daily", "weekly", "monthly", "dated"):
        # More than 300 changes each: a standard error of less than 6 %.
        assert found[name].changes_per_day == pytest.approx(year.sections[name].change, rel=0.12)
    assert len({day for day, _, _ in year.alerts}) <= 0.01 * days, year.alerts


def numbers(
    session: Any, seed: int, sections: dict[str, tuple[float, float, float]], days: int = 365
) -> int:
    """Return the days with a new alert in a quiet year; no store, so that many can be simulated.

    Args:
        session: Session for the query of the bands.
        seed: Seed of the simulation.
        sections: New URLs per day, dispersion, and removed URLs per day, by name.
        days: Number of days.
    """
    draw = random.Random(seed)
    added: dict[str, list[DayCount]] = {name: [] for name in sections}
    removed: dict[str, list[DayCount]] = {name: [] for name in sections}
    pauses: dict[str, list[float]] = {name: [] for name in sections}
    last = dict.fromkeys(sections, START)
    open_: set[tuple[str, str]] = set()
    alarms = 0
    for number in range(days):
        now = START + timedelta(days=number + 1)
        day = (START + timedelta(days=number)).date()
        for name, (mean, dispersion, gone) in sections.items():
            level = mean * (0.25 if day.weekday() >= 5 else 1.3)
            if dispersion:
                level *= draw.gammavariate(1 / dispersion, dispersion)
            count = poisson(draw, level)
            added[name].append(DayCount(day, count))
            removed[name].append(DayCount(day, poisson(draw, gone)))
            if count:
                pauses[name].append((now - last[name]).total_seconds())
                last[name] = now
        site = SiteHistory(
            now,
            [
                SectionHistory(
                    name,
                    SectionNow(urls=100),
                    added[name][-100:],
                    removed[name][-100:],
                    pauses[name],
                    last[name],
                )
                for name in sections
            ],
        )
        found = {(each.kind, each.subject) for each in judge(site, day_bands(session, site))}
        alarms += bool(found - open_)
        open_ = found
    return alarms


@pytest.mark.slow
@pytest.mark.parametrize(
    "sections",
    [
        {"/news/": (12, 0.05, 0.5), "/blog/": (0.7, 0, 0.05), "/shop/": (40, 0.2, 20)},
        {"/a/": (3, 0, 1), "/b/": (3, 0, 1), "/c/": (3, 0.5, 1)},
        {"/a/": (200, 0.02, 100)},
    ],
)
def test_at_most_one_quiet_day_in_a_hundred_has_an_alert(sections):
    with Store.open() as store, store.session() as session:
        alarms = [numbers(session, seed, sections) for seed in range(4)]

    assert sum(alarms) / (365 * len(alarms)) <= 0.01, alarms


@pytest.mark.slow
def test_planted_events_are_reported_within_two_steps(tmp_path):
    def stop(year):
        year.sections["news"].new = 0

    def mass(year):
        shop = year.sections["shop"].urls
        shop.update(dict.fromkeys(shop, year.site.now - timedelta(hours=1)))

    def shrink(year):
        shop = year.sections["shop"].urls
        for url in list(shop)[:50]:
            del shop[url]

    year = Year(
        tmp_path / "events.duckdb",
        2,
        Section("news", change=0.05, new=6, removed=6, weekend=0.3),
        Section("shop", change=0.01, new=4, removed=4),
        Section("blog", change=0.02, new=1, removed=1),
    )
    year.run(
        130,
        {
            40: lambda year: year.site.put_robots("User-agent: *", "Disallow: /news/"),
            60: mass,
            80: shrink,
            90: stop,
            110: lambda year: year.sections["shop"].add(60, year.site.now, year.draw),
        },
        off=(50, 51, 70),
    )

    assert year.alerts[:4] == [
        (40, "robots", f"{SITE}/robots.txt"),
        (60, "lastmod-mass", "/shop/"),
        (80, "shrink", "site"),
        (80, "removals", "/shop/"),
    ]
    silence = next(alert for alert in year.alerts if alert[1] == "silence")
    assert silence[2] == "/news/"
    assert (110, "volume-high", "/shop/") in year.alerts
    others = {kind for day, kind, _ in year.alerts} - {"robots", "lastmod-mass", "shrink",
              "removals", "silence", "volume-high", "volume-low"}  # fmt: skip
    assert others == set()
    assert len(year.alerts) <= 8, year.alerts

    pauses = year.site.query(
        "SELECT list(epoch(started) ORDER BY started) FROM (SELECT DISTINCT s.started "
        "FROM history_steps h JOIN snapshots s USING (snapshot) JOIN history_sections n "
        "USING (section) WHERE n.name = '/news/' AND h.added_count > 0 AND gap_s > 0)"
    )[0][0]
    gaps = [after - before for before, after in itertools.pairwise(pauses)]
    limit = silence_limit(gaps, tail=0.01 * 0.35 / 3 / (86_400 / (sum(gaps) / len(gaps))))
    assert limit is not None
    last = datetime.fromtimestamp(pauses[-1], UTC)
    caught = START + timedelta(days=silence[0] + 1)
    assert (caught - last).total_seconds() <= limit.limit_s + 2 * 86_400


def test_days_on_which_everything_fails_are_no_silence_and_no_removal(tmp_path):
    year = Year(tmp_path / "off.duckdb", 3, Section("news", change=0.05, new=8, removed=8))

    year.run(45, off=(*range(33, 38), 40))

    assert year.alerts == []
    assert year.results[35].unknown > 0
    assert year.results[35].removed == 0
