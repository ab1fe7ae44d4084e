"""A crawl with thousands of waiting URLs, killed in the middle of its work."""

import random

import pytest

from tests.live.crawl.endless_site import (
    IN_FLIGHT,
    EndlessSite,
    crawl_with_kills,
    expect_nothing_lost,
)


@pytest.mark.slow
def test_a_large_frontier_survives_kills(tmp_path):
    """The same with a million URLs and twenty kills: tests/soak/test_crawl_resume.py."""
    seed = random.randrange(1 << 32)
    path = tmp_path / "site.duckdb"
    with EndlessSite(20) as site:
        found = crawl_with_kills(site, path, kills=5, first=600, between=300, seed=seed)

        assert found.least_frontier >= 5_000, seed
        assert found.again <= found.kills * IN_FLIGHT, seed
        expect_nothing_lost(site, path, seed)
