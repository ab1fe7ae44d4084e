"""Tables that are created for some documents at a time have the rows of all documents."""

from __future__ import annotations

import pytest

import urlset
from urlset.checker import planner
from urlset.store import StoreSession


def documents() -> dict[str, bytes]:
    """Return thirty sitemaps; in every third one, all dates are within a minute."""
    found = {}
    for number in range(30):
        months = [1 if number % 3 == 0 else 1 + n % 9 for n in range(12 + number)]
        rows = "".join(
            f"<url><loc>https://example.com/{number}/{n}</loc>"
            f"<lastmod>2026-0{month}-02T08:00:{n:02}Z</lastmod></url>"
            for n, month in enumerate(months)
        )
        text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        found[f"https://example.com/{number}.xml"] = text.encode()
    return found


def dates() -> list[tuple[str | None, str]]:
    return sorted(
        (finding.source, finding.message) for finding in urlset.check(documents(), select=["D009"])
    )


@pytest.mark.parametrize(("most", "parts"), [(1, 30), (200, 4), (799, 1)])
def test_dates_in_parts_are_those_of_all_documents(monkeypatch, most, parts):
    statements: list[str] = []
    run = StoreSession.run

    def recorded(self, statement, values=()):
        statements.append(statement)
        return run(self, statement, values)

    whole = dates()
    assert len(whole) == 10

    monkeypatch.setattr(StoreSession, "run", recorded)
    monkeypatch.setattr(planner, "MAX_PART_ENTRIES", most)

    assert dates() == whole
    created = [text for text in statements if " clustered_dates " in text[:40]]
    assert parts - 1 <= len(created) <= parts + 1
