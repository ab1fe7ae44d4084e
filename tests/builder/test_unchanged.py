"""What is passed over because it is as it was: looked at all the same, it would come out alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from tests.builder.test_model import quick
from urlset.builder import Build, Filter, build
from urlset.builder.incremental import split
from urlset.sources import Candidate, CandidateRows
from urlset.store import ScratchDatabase

BASE = "https://example.com/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DATES = [None, "2026-11-01", "2026-11-20T10:00:00Z", "2026-11-23", "2031-01-01"]


@contextmanager
def looked_at_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr("urlset.builder.resolve.split", lambda *_, **__: None)
        yield


@st.composite
def sources(draw: st.DrawFn) -> list[CandidateRows]:
    """One or two sources: mostly the same URLs, now and then one of them twice."""
    given = []
    for _ in range(draw(st.integers(1, 2))):
        rows = [
            Candidate(
                f"{BASE}{'ab'[number % 2]}/{number}",
                lastmod_text=draw(st.sampled_from(DATES)),
                changefreq=draw(st.sampled_from([None, None, "daily"])),
                priority=draw(st.sampled_from([None, None, 0.3])),
                section=draw(st.sampled_from([None, None, "x", "y"])),
                reason=draw(st.sampled_from([None] * 7 + ["noindex"])),
            )
            for number in draw(st.lists(st.integers(0, 12), min_size=1, max_size=12))
        ]
        given.append(CandidateRows(rows))
    return given


OPTIONS = st.fixed_dictionaries(
    {"max_urls": st.just(4)},
    optional={
        "sections": st.sampled_from([("source",), ("a=/a/",)]),
        "filters": st.just((Filter("drop", "3$"),)),
        "lastmod": st.sampled_from([("given",), ("content", "given"), ("page",)]),
        "exclude_by_robots": st.sampled_from(["all", "some"]),
    },
)
STEPS = st.lists(st.tuples(sources(), OPTIONS, st.integers(0, 3)), min_size=2, max_size=4)


def run(root: Path, number: int, step: Any) -> tuple[Build, dict[str, bytes], list[Any]]:
    rows, options, days = step
    options = dict(options)
    if rules := options.get("exclude_by_robots"):
        options["exclude_by_robots"] = root.parent / f"{rules}.txt"
    made = build(
        rows,
        root / "public",
        base_url=BASE,
        ledger=root / "ledger.duckdb",
        force=frozenset({"zero", "shrunk"}),
        now=NOW + timedelta(days=days, hours=number),
        **options,
    )
    files = {path.name: path.read_bytes() for path in (root / "public").iterdir()}
    with ScratchDatabase() as bench:
        bench.attach_copy(str(root / "ledger.duckdb"), "ledger")
        (schema,) = bench.fetch_one(
            "SELECT schema_name FROM duckdb_schemas() WHERE schema_name LIKE 'set_%'"
        )
        urls = bench.rows(f"SELECT * FROM ledger.{schema}.urls ORDER BY loc")
    return made, files, urls


@settings(
    max_examples=amount(6, 100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_it_comes_out_as_if_all_were_looked_at(
    steps: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with quick() as root:
        (root / "all.txt").write_text("User-agent: *\nDisallow:\n")
        (root / "some.txt").write_text("User-agent: *\nDisallow: /*5\n")
        for number, step in enumerate(steps):
            swift = run(root / "swift", number, step)
            with looked_at_all(monkeypatch):
                whole = run(root / "whole", number, step)
            ours = [f"{f.name} {f.changed} {f.urls}" for f in swift[0].files]
            assert ours == [f"{f.name} {f.changed} {f.urls}" for f in whole[0].files]
            for name in ("added", "changed", "removed", "duplicates", "notes", "excluded_counts"):
                assert getattr(swift[0], name) == getattr(whole[0], name), name
            assert swift[1:] == whole[1:]


def test_what_a_source_calls_its_section_counts_where_sections_are_patterns(tmp_path: Path) -> None:
    page = Candidate(f"{BASE}x", lastmod_text="2026-11-01", section="tea")
    options = {"sections": ("a=/a/",), "max_urls": 4}

    run(tmp_path, 0, ([CandidateRows([page])], options, 0))
    made, *_ = run(tmp_path, 1, ([CandidateRows([page._replace(section="milk")])], options, 0))

    assert [file.name for file in made.files] == ["sitemap-milk-1.xml"]


def test_of_a_second_build_only_what_changed_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[int | None] = []

    def counted(*arguments: Any, **options: Any) -> int | None:
        passed.append(split(*arguments, **options))
        return passed[-1]

    monkeypatch.setattr("urlset.builder.resolve.split", counted)
    rows = [Candidate(f"{BASE}{n}", lastmod_text="2026-11-01") for n in range(50)]
    for listed, expected in (
        (rows, []),
        (rows, [50]),
        ([rows[0]._replace(lastmod_text="2026-11-02"), *rows[1:]], [50, 49]),
        ([*rows[1:], Candidate(f"{BASE}new")], [50, 49, 49]),
        ([*rows, rows[3]], [50, 49, 49, None]),
    ):
        run(tmp_path, len(passed), ([CandidateRows(listed)], {}, 0))
        assert passed == expected
