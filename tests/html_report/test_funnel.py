"""Funnel of listed URLs: each URL that is lost is counted at one step."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

from tests.example_site import audited
from urlset.checker.examples import entry
from urlset.checker.examples import page as html_page

SITE = "https://example.com"


def funnel_of(report: Path) -> dict[str, int]:
    """Return the steps of the funnel with their numbers of URLs."""
    found = re.search(r'id="funnel".*?<tbody>(.*?)</tbody>', report.read_text("utf-8"), re.DOTALL)
    assert found is not None
    cells = [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.split("</t[dh]>", found[1])]
    return {step.strip(): int(size) for step, size in zip(cells[::2], cells[1::2], strict=False)}


@pytest.mark.slow
def test_a_meta_refresh_is_a_redirect_at_each_step(tmp_path):
    pages = {
        "tea": html_page("Tea"),
        "old": html_page("Old", '<meta http-equiv="refresh" content="0; url=/tea">'),
        "cart": html_page("Cart", '<meta name="robots" content="noindex">'),
        "tee": html_page("Tee", f'<link rel="canonical" href="{SITE}/tea">'),
    }
    listed = "".join(entry(f"{SITE}/{name}") for name in pages)

    moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with audited({"sitemap.xml": listed, **pages}, moment) as found:
        found.report(tmp_path / "report.html")

    steps = funnel_of(tmp_path / "report.html")
    assert steps == {"listed": 4, "answered 200": 3, "indexable": 2, "self-canonical": 1}
