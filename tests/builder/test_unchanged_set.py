"""A build whose rows and files are those of the last one reads, renders and publishes nothing."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import urlset
from urlset.builder import unchanged
from urlset.sources import RowVersion
from urlset.sources.memory import InMemorySource

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Rows:
    """Rows with a version, which counts how often they are read."""

    def __init__(self, rows: list[dict[str, Any]], name: str = "rows"):
        self.rows, self.name, self.reads = rows, name, 0

    def source(self) -> InMemorySource:
        version = RowVersion(repr(self.rows), "the test says so")
        return InMemorySource(
            self._entries(), name=self.name, base_url=BASE, row_version=lambda: version
        )

    def _entries(self):
        self.reads += 1
        yield from (urlset.Entry(**row) for row in self.rows)


def pages(count: int, *, seed: int = 1, **more: Any) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [
        {"loc": f"{BASE}{seed}/{n}", "lastmod": f"2026-01-{chance.randrange(1, 29):02}", **more}
        for n in range(count)
    ]


def build(folder: Path, *rows: Rows, hours: int = 0, **options: Any):
    return urlset.build(
        [one.source() for one in rows],
        folder / "public",
        base_url=BASE,
        ledger=folder / "ledger.duckdb",
        now=NOON + timedelta(hours=hours),
        **{"lastmod": "given", "max_urls": 10, **options},
    )


def published(folder: Path) -> dict[str, tuple[bytes, int]]:
    public = folder / "public"
    return {f.name: (f.read_bytes(), f.stat().st_mtime_ns) for f in public.iterdir()}


def facts(result: Any) -> dict[str, Any]:
    names = ("urls", "files", "indexes", "undated", "duplicates", "notes", "reused", "sources")
    counts = ("added", "changed", "removed", "changed_files", "removed_files", "excluded_counts")
    return {name: getattr(result, name) for name in (*names, *counts)}


@pytest.fixture
def rows() -> Rows:
    return Rows(pages(35))


def test_nothing_is_read_or_written_again(tmp_path: Path, rows: Rows):
    first = build(tmp_path, rows)
    before = published(tmp_path)

    again = build(tmp_path, rows, hours=1)

    assert rows.reads == 1
    assert published(tmp_path) == before
    assert (again.added, again.changed, again.removed, again.changed_files) == (0, 0, 0, ())
    assert (again.urls, [f.name for f in again.files]) == (35, [f.name for f in first.files])


@pytest.mark.parametrize("seed", range(6))
def test_the_result_is_that_of_a_full_build(tmp_path: Path, monkeypatch, seed: int):
    chance = random.Random(seed)
    given = [
        Rows(pages(chance.randrange(1, 40), seed=n, changefreq="daily"), f"part {n}")
        for n in range(chance.randrange(1, 4))
    ]
    options: dict[str, Any] = {"gzip": seed % 2 == 1, "sections": ["source"] if seed % 3 else []}
    made = []
    for is_full in (False, True):
        folder = tmp_path / str(is_full)
        folder.mkdir()
        with monkeypatch.context() as patch:
            build(folder, *given, **options)
            if is_full:
                patch.setattr("urlset.builder.pipeline.unchanged_set", lambda *_: None)
            result = facts(build(folder, *given, hours=1, **options))
        made.append((result, {name: data for name, (data, _) in published(folder).items()}))

    assert made[0] == made[1]
    assert len(made[0][0]["reused"]) == len(given)


def test_warnings_are_repeated(tmp_path: Path):
    rows = Rows(pages(30, changefreq="daily"))
    for row in rows.rows:
        row["lastmod"] = "2026-01-01T12:00:00Z"
    first = build(tmp_path, rows)
    again = build(tmp_path, rows, hours=1)

    (warning,) = [note for note in first.notes if "exported" in note]
    assert warning in again.notes
    assert rows.reads == 1


def test_a_changed_file_is_written_again(tmp_path: Path, rows: Rows):
    build(tmp_path, rows)
    before = published(tmp_path)
    for name in ("sitemap-2.xml", "sitemap.xml"):
        path = tmp_path / "public" / name
        data = path.read_bytes()
        for broken in (data + b"\n", b"", None):
            path.unlink() if broken is None else path.write_bytes(broken)

            result = build(tmp_path, rows, hours=1)

            assert name in [file.name for file in result.changed_files]
            assert published(tmp_path)["sitemap-2.xml"][0] == before["sitemap-2.xml"][0]
            assert urlset.read(path.with_name("sitemap.xml")).documents[0].error is None


def other_rows(rows: Rows, options: dict[str, Any]) -> None:
    rows.rows[3]["lastmod"] = "2026-02-02"


def fewer_rows(rows: Rows, options: dict[str, Any]) -> None:
    del rows.rows[30:]


def other_size(rows: Rows, options: dict[str, Any]) -> None:
    options["max_urls"] = 7


def other_format(rows: Rows, options: dict[str, Any]) -> None:
    options["gzip"] = True


def filtered(rows: Rows, options: dict[str, Any]) -> None:
    options["filters"] = ["drop:/1/2$"]


@pytest.mark.parametrize("change", [other_rows, fewer_rows, other_size, other_format, filtered])
def test_a_change_is_published(tmp_path: Path, rows: Rows, change: Any):
    build(tmp_path, rows)
    options: dict[str, Any] = {}
    change(rows, options)

    result = build(tmp_path, rows, hours=1, **options)

    assert result.changed_files
    assert not result.reused


def test_a_source_that_left_is_removed(tmp_path: Path):
    stay, leave = Rows(pages(20), "stay"), Rows(pages(15, seed=2), "leave")
    build(tmp_path, stay, leave)

    result = build(tmp_path, stay, hours=1)

    assert (result.urls, result.removed) == (20, 15)


def test_files_in_the_grace_period_are_removed_after_it(tmp_path: Path):
    build(tmp_path, Rows(pages(35)), grace="2h")
    rest = Rows(pages(25))
    first = build(tmp_path, rest, hours=1, grace="2h", compact=True)
    assert len(first.files) == 3
    assert (tmp_path / "public" / "sitemap-4.xml").exists()

    build(tmp_path, rest, hours=2, grace="2h")
    result = build(tmp_path, rest, hours=4, grace="2h")

    assert result.removed_files == ("sitemap-4.xml",)


@pytest.mark.parametrize("name", ["changes", "excluded"])
def test_reports_are_written(tmp_path: Path, rows: Rows, name: str):
    build(tmp_path, rows)

    build(tmp_path, rows, hours=1, **{name: tmp_path / "report.jsonl"})

    assert (tmp_path / "report.jsonl").read_bytes() == b""


def test_a_robots_txt_that_lost_its_line_gets_it_again(tmp_path: Path, rows: Rows):
    robots = tmp_path / "robots.txt"
    build(tmp_path, rows, robots=robots)
    before = robots.read_bytes()
    robots.unlink()

    build(tmp_path, rows, hours=1, robots=robots)

    assert robots.read_bytes() == before
    assert rows.reads == 1


def test_a_dry_run_records_nothing(tmp_path: Path, rows: Rows):
    build(tmp_path, rows)
    before = (tmp_path / "ledger.duckdb").read_bytes()

    result = build(tmp_path, rows, hours=1, dry_run=True)

    assert (result.urls, rows.reads) == (35, 1)
    assert (tmp_path / "ledger.duckdb").read_bytes() == before


def test_articles_whose_age_counts_are_looked_at(tmp_path: Path, monkeypatch):
    article = urlset.News("Example", "en", publication_date="2026-11-21T11:00:00Z", title="One")
    found: list[Any] = []
    find = unchanged.unchanged_set

    def recorded(*given: Any) -> Any:
        found.append(find(*given))
        return found[-1]

    monkeypatch.setattr("urlset.builder.pipeline.unchanged_set", recorded)
    rows = Rows([{"loc": f"{BASE}a", "news": article}])
    build(tmp_path, rows)

    result = build(tmp_path, rows, hours=72)

    assert found == [None, None]
    assert any("older than 48 hours" in note for note in result.notes)
