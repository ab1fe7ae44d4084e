"""What `urlset submit` prints of a result: excluded URLs together, then sitemaps, then refusals."""

from collections import Counter
from typing import Any

from urlset.cli.submit import _lines
from urlset.live.submit import Submission
from urlset.live.submit.preflight import ExcludedUrl


def test_excluded_urls_and_their_number_come_before_the_sitemaps():
    urls = [f"https://example.com/{number:02}" for number in range(12)]
    sitemap: dict[str, Any] = {
        "path": "https://example.com/sitemap.xml",
        "is_pending": True,
        "last_downloaded": None,
        "submitted": 12,
        "errors": 0,
        "warnings": 0,
    }
    found = Submission(
        excluded=[ExcludedUrl(url, "noindex", "it forbids indexing") for url in urls],
        excluded_counts=Counter(noindex=2_012),
        sitemaps=[sitemap],
    )

    lines = list(_lines(found))

    assert [line.split(":")[0] for line in lines] == ["  excluded"] * 10 + [
        "  … and 2,002 more excluded",
        "https",
    ]
    assert lines[9].endswith("/09: it forbids indexing")
