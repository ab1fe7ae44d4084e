"""Notes of a build about news and images that search engines ignore: as the check reports them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import urlset

BASE = "https://example.com/"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def article(hours: float, path: str = "/a/1", **more: str) -> dict[str, Any]:
    """Return a row with an article published that many hours ago."""
    date = (NOW - timedelta(hours=hours)).isoformat()
    news = {"name": "The Rye", "language": "en", "title": "Harvest", "publication_date": date}
    return {"loc": path, "lastmod": date, "news": {**news, **more}}


def build(rows: list[dict[str, Any]], folder: Path) -> list[str]:
    """Build rows with a section of the news; return the notes."""
    made = urlset.build(
        rows,
        folder,
        base_url=BASE,
        ledger=folder.parent / "ledger.duckdb",
        now=NOW,
        sections="news=/a/",
        lastmod="given",
    )
    return [note for note in made.notes if "news" in note or "image" in note]


def rules_of(folder: Path) -> set[str]:
    found = urlset.check(folder, base_url=BASE, now=NOW)
    return {finding.code for finding in found if finding.level != "info"}


def test_fresh_news_have_no_note_and_no_finding(tmp_path: Path):
    rows = [article(47.9), article(0, "/a/2"), {"loc": "/b"}]

    assert build(rows, tmp_path / "out") == []
    assert rules_of(tmp_path / "out") == set()


@pytest.mark.parametrize(
    ("hours", "note", "rule"),
    [
        (48.2, "1 news article is older than 48 hours, first: https://example.com/a/1", "G053"),
        (-2, "1 publication date of news is in the future, first: https://example.com/a/1", "G054"),
    ],
)
def test_what_the_check_reports_about_news_the_build_notes(
    hours: float, note: str, rule: str, tmp_path: Path
):
    notes = build([article(hours), article(1, "/a/2"), {"loc": "/b"}], tmp_path / "out")

    assert [text.partition(";")[0] for text in notes] == [note]
    assert rules_of(tmp_path / "out") == {rule}


def test_a_day_is_old_or_in_the_future_in_no_zone_too_early(tmp_path: Path):
    today = article(0, publication_date="2026-11-22")
    before = article(48, "/a/2", publication_date="2026-11-20")
    after = article(0, "/a/3", publication_date="2026-11-23")

    assert build([today, before, after], tmp_path / "out") == []
    assert rules_of(tmp_path / "out") == set()


def test_tags_that_search_engines_ignore_are_written_and_noted(tmp_path: Path):
    image = {"loc": "/i.jpg", "caption": "A harvest", "license": "https://example.com/l"}
    row = {"loc": "/b", "images": [image, {"loc": "/j.jpg", "caption": "More"}]}

    notes = build([row, article(1, keywords="rye")], tmp_path / "out")

    assert notes == [
        "1 URL with news:keywords, which search engines ignore",
        "1 URL with image:caption, which search engines ignore",
        "1 URL with image:license, which search engines ignore",
    ]
    text = "".join(path.read_text() for path in (tmp_path / "out").glob("*.xml"))
    assert text.count("<image:caption>") == 2
    assert rules_of(tmp_path / "out") == set()
