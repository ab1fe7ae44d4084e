"""Steps at times that depend on the changes: each is soon after a deployment."""

import math
from datetime import timedelta

import pytest

from tests.live.watch.simulated_site import SimulatedSite


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"])
@pytest.mark.parametrize("every", [1, 2])
def test_pages_that_change_daily_have_a_rate_of_one_a_day(tmp_path, form, every):
    site = SimulatedSite(tmp_path / "site.duckdb")
    dates = {f"/docs/{n}": site.now - timedelta(days=30) for n in range(50)}
    for day in range(20):
        deployed = site.now + timedelta(days=1) - timedelta(minutes=1)
        if day % every == 0:
            dates = dict.fromkeys(dates, deployed)
        site.put("/sitemap.xml", [(path, f"{date:{form}}") for path, date in dates.items()])
        found = site.step(hours=24)

    (section,) = [each for each in found.sections if each.name == "/docs/"]
    assert section.changes_per_day == pytest.approx(1 / every, rel=0.1)
    assert section.changes_high is not None
    assert math.isinf(section.changes_high) == (every == 1)  # nothing limits it
