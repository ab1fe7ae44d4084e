"""An audit reports URLs that the sitemap lists twice, also with different values."""

from datetime import UTC, datetime

from tests.example_site import audited
from urlset.checker.examples import Piece, entry, page

SITE = "https://example.com"
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_urls_that_are_listed_twice_are_found():
    rows = [
        f"<url><loc>{SITE}/a</loc><lastmod>2026-01-{day}</lastmod></url>" for day in ("05", "06")
    ]
    example: dict[str, Piece] = {
        "sitemap.xml": "".join([*rows, entry(f"{SITE}/b"), entry(f"{SITE}/b")]),
        "a": page("A"),
        "b": page("B"),
    }

    with audited(example, MOMENT) as found:
        codes = {finding.code: finding.loc for finding in found.findings}

    assert codes["U023"] == f"{SITE}/b"
    assert codes["U024"] == f"{SITE}/a"
