"""Normal ranges of daily counts: weekdays, few days, several days, and how often they are wrong."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.live.watch.test_estimates import poisson
from urlset.live.watch.bands import AlertDays, day_bands
from urlset.live.watch.estimates import DayCount
from urlset.live.watch.series import SectionHistory, SiteHistory
from urlset.store import Store

START = date(2026, 1, 5)
NOW = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def session():
    with Store.open() as store, store.session() as session:
        yield session


def band_of(session, counts, day, span=1, excluded=(), sections=1):
    """Return the band of the days that end with one, by the counts before."""
    added = [*counts, DayCount(day, 0, span)]
    others = [SectionHistory(f"/{n}/") for n in range(1, sections)]
    site = SiteHistory(NOW, [SectionHistory("/a/", added=added), *others])
    return day_bands(session, site, excluded).get(("volume", "/a/", day))


def quiet_days(
    seed: int, mean: float, dispersion: float = 0.0, *, weekend: float = 1.0, days: int = 365
) -> list[DayCount]:
    draw, found = random.Random(seed), []
    for number in range(days):
        day = START + timedelta(days=number)
        level = mean * (weekend if day.weekday() >= 5 else 1.0)
        if dispersion:
            level *= draw.gammavariate(1 / dispersion, dispersion)
        found.append(DayCount(day, poisson(draw, level)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "dispersion", "weekend"),
    [(0.3, 0.0, 1.0), (2.0, 0.0, 0.2), (20.0, 0.05, 0.3), (150.0, 0.02, 0.3), (5.0, 0.5, 1.0)],
)
def test_at_most_one_quiet_day_in_a_hundred_is_outside_of_the_band(
    session, mean, dispersion, weekend
):
    outside = total = 0
    for seed in range(4):
        days = quiet_days(seed, mean, dispersion, weekend=weekend)
        for at in range(28, len(days), 4):
            band = band_of(session, days[max(0, at - 100) : at], days[at].day)
            assert band is not None
            outside += not band.low <= days[at].urls <= band.high
            total += 1

    assert outside / total <= 0.01


def test_band_knows_the_weekdays(session):
    days = quiet_days(1, 40.0, weekend=0.1, days=84)
    saturday, monday = date(2026, 4, 4), date(2026, 4, 6)

    low, high = (band_of(session, days, day) for day in (saturday, monday))

    assert low.high < high.middle
    assert low.middle < high.low


def test_band_needs_four_weeks(session):
    days = quiet_days(1, 10.0, days=27)

    assert band_of(session, days, date(2026, 2, 2)) is None
    days.append(DayCount(START + timedelta(days=27), 10))
    assert band_of(session, days, date(2026, 2, 2)) is not None


def test_a_weekday_with_few_days_has_the_median_of_all_days(session):
    days = quiet_days(1, 40.0, weekend=0.1, days=84)
    saturdays = [each for each in days if each.day.weekday() == 5]
    of_all = [each for each in days if each not in saturdays[3:]]
    of_weekday = [each for each in days if each not in saturdays[4:]]

    assert band_of(session, of_all, date(2026, 4, 4)).middle == pytest.approx(40, abs=5)
    assert band_of(session, of_weekday, date(2026, 4, 4)).middle == pytest.approx(4, abs=2)


def test_days_before_the_window_and_with_alerts_do_not_count(session):
    old = [DayCount(START + timedelta(days=n), 1_000) for n in range(28)]
    new = [DayCount(START + timedelta(days=n), 10) for n in range(28, 112)]
    day = START + timedelta(days=112)
    peak = [each._replace(urls=each.urls * (1 + 99 * (each in new[80:]))) for each in new]
    alert = AlertDays("volume-high", "/a/", new[80].day, new[83].day)

    assert band_of(session, old + new, day) == band_of(session, new, day)
    assert band_of(session, peak, day, excluded=[alert]) == band_of(session, new[:80], day)


def test_an_alert_of_removals_excludes_no_day_of_the_volume(session):
    days = quiet_days(1, 10.0, days=84)
    alert = AlertDays("removals", "/a/", START, START + timedelta(days=84))
    day = START + timedelta(days=84)

    assert band_of(session, days, day, excluded=[alert]) == band_of(session, days, day)


def test_band_is_wider_the_more_sections_there_are(session):
    days = quiet_days(1, 40.0, days=84)
    day = START + timedelta(days=84)

    one, many = band_of(session, days, day), band_of(session, days, day, sections=100)

    assert many.low < one.low < one.high < many.high


def test_band_of_several_days_is_that_of_their_sum(session):
    days = quiet_days(1, 10.0, days=84)
    first, last = START + timedelta(days=84), START + timedelta(days=86)

    one, three = band_of(session, days, first), band_of(session, days, last, span=3)

    assert three.middle == pytest.approx(3 * one.middle, rel=0.3)
    assert one.high < three.high < 3 * one.high


def test_band_follows_a_new_level(session):
    days = quiet_days(1, 5.0, days=60) + [
        DayCount(each.day + timedelta(days=60), each.urls) for each in quiet_days(2, 50.0, days=84)
    ]

    band = band_of(session, days, START + timedelta(days=144))

    assert band.middle == pytest.approx(50.0, rel=0.15)


def test_section_without_any_new_url_has_a_band_near_zero(session):
    band = band_of(session, quiet_days(1, 0.0, days=60), START + timedelta(days=60))

    assert (band.low, band.middle) == (0, 0.0)
    assert band.high <= 4
