"""A frontier of a million URLs, killed twenty times: nothing lost, nothing repeated."""

import random

from tests.live.crawl.endless_site import (
    IN_FLIGHT,
    EndlessSite,
    crawl_with_kills,
    expect_nothing_lost,
)

HUBS = 1_000
"""Hubs of 1,000 pages each."""


def test_a_frontier_of_a_million_urls_survives_twenty_kills(tmp_path, record_property):
    seed = random.randrange(1 << 32)
    path = tmp_path / "site.duckdb"
    with EndlessSite(HUBS) as site:
        found = crawl_with_kills(site, path, kills=20, first=10_000, between=4_000, seed=seed)

        record_property("result", found._asdict() | {"seed": seed, "requests": site.total})
        assert found.least_frontier >= 1_000_000, seed
        assert found.visited > 20_000, seed
        assert found.again <= found.kills * IN_FLIGHT, seed
        expect_nothing_lost(site, path, seed)
