"""Ctrl-C at 200 random moments of the commands that visit: each ends with 130, and none hangs."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import get_args

import pytest

from tests.interrupts import How, LinkedSite, interrupted
from tests.site_box import SiteBox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")

COUNT = int(os.environ.get("URLSET_INTERRUPTS", "200"))
VERBS = ("crawl", "audit", "watch", "sync")


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_command_ends_with_130(seed: int, tmp_path: Path):
    chance = random.Random(seed)
    verb = VERBS[seed % len(VERBS)]
    pages = chance.choice([60, 250, 900])
    moment = chance.randrange(1, pages) if chance.random() < 0.8 else 10_000
    how: How = chance.choice(get_args(How))

    with SiteBox() as box:
        site = LinkedSite(box, pages)
        ended = interrupted(verb, box, site, tmp_path, at=moment, how=how, gap_s=chance.random())

    # watch and sync have few requests, so that they may have ended before.
    expected = (130,) if verb in ("crawl", "audit") else (0, 1, 130)
    assert ended.code in expected, f"seed {seed}: {ended}"
    assert "Traceback" not in ended.stderr, f"seed {seed}: {ended}"
    assert "internal error" not in ended.stderr, f"seed {seed}: {ended}"
