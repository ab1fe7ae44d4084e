"""Rows in memory are the same set, whether they are validated one by one or converted together."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

import urlset
from urlset import engine as engines
from urlset.engine.reference import engine as reference
from urlset.sources.memory import InMemorySource

BASE = "https://example.com/"
NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)
PLAIN = [
    urlset.Entry(f"{BASE}a"),
    urlset.Entry(f"{BASE}b", NOON, priority=0.5, changefreq="daily"),
    urlset.Entry(f"{BASE}c", NOON + timedelta(microseconds=5), images=(urlset.Image(f"{BASE}i"),)),
    urlset.Entry(f"{BASE}d", alternates=(urlset.Alternate("de", f"{BASE}de"),)),
    f"{BASE}e",
    {"url": f"{BASE}f", "lastmod": NOON},
    {"loc": f"{BASE}g", "lastmod": "2026-01-03"},
    {"loc": f"{BASE}h", "lastmod": date(2026, 1, 4)},
    {"loc": f"{BASE}j", "lastmod": NOON.astimezone(timezone(timedelta(hours=2)))},
    {
        "loc": f"{BASE}k",
        "news": {"name": "N", "language": "en", "title": "T", "publication_date": "2026-01-01"},
    },
    {"loc": f"{BASE}l", "images": [{"loc": f"{BASE}i", "title": 5}, f"{BASE}k"]},
]
OTHERS = [
    {"loc": "/relative"},
    {"loc": f"{BASE}m", "images": '["https://example.com/i"]'},
]  # fmt: skip


@pytest.mark.parametrize("rows", [PLAIN, OTHERS, [*PLAIN, *OTHERS], [*OTHERS, *PLAIN]])
@pytest.mark.parametrize("engine", engines.available())
def test_the_set_does_not_depend_on_the_conversion(tmp_path, monkeypatch, engine, rows):
    def built(name):
        made = urlset.build(
            rows,
            tmp_path / name,
            base_url=BASE,
            ledger=tmp_path / f"{name}.duckdb",
            engine=engine,
            lastmod="given",
        )
        return (tmp_path / name / "sitemap.xml").read_bytes(), made.notes, made.urls

    together = built("together")
    monkeypatch.setattr(engines.get(engine), "user_rows", reference.user_rows)

    assert built("apart") == together
    assert together[2] == len(rows)


def test_plain_rows_are_not_validated_one_by_one(monkeypatch):
    if "native" not in engines.available():
        pytest.skip("the native engine is not installed")

    def refuse(*_):
        raise AssertionError("a row was validated")

    monkeypatch.setattr("urlset.sources.memory.validate_except_loc", refuse)
    rows = [row for row in PLAIN for _ in range(3_000)]

    batches = list(InMemorySource(rows, base_url=BASE, engine="native").batches())

    lines = [line for batch in batches for line in batch["line"].to_pylist()]
    assert lines == list(range(1, len(rows) + 1))


def test_an_invalid_row_has_its_number_in_every_batch(tmp_path):
    rows = [
        *(urlset.Entry(f"{BASE}{n}") for n in range(9_000)),
        {"loc": f"{BASE}x", "lastmod": "never"},
    ]

    with pytest.raises(urlset.EntryError, match=r"^rows:9001: lastmod"):
        urlset.build(rows, tmp_path / "o", base_url=BASE, ledger=tmp_path / "l.duckdb")
