"""The guide names each key of `urlset crawl --why`."""

import re
from pathlib import Path

from urlset.live.crawl.result import EvidenceJson

GUIDE = Path(__file__).parents[2] / "docs" / "crawling.md"


def test_the_guide_has_each_key():
    table = GUIDE.read_text("utf-8").partition("| key | meaning |")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    keys = [key for cell in cells for key in re.findall(r"`(\w+)`", cell)]

    assert sorted(keys) == sorted(EvidenceJson.__annotations__)
