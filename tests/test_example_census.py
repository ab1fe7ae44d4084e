"""The census of made-up archives finds what they hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastwarc", reason="no fastwarc")

from examples.census.census import answers, collect, declared, facts_of, questions
from examples.census.fixture import FORMS, Truth, write_archives
from examples.census.politeness import simulate


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    folder = tmp_path_factory.mktemp("census")
    truth = Truth()
    archives = write_archives(folder / "archives", truth)
    collect(archives, folder / "facts", processes=1)
    collect(archives, folder / "facts", processes=1)  # nothing is left to do
    return folder / "facts", truth


def rows(facts, question: str, columns: str = "*") -> list[tuple]:
    from examples.census.census import QUESTIONS

    query = (QUESTIONS / f"{question}.sql").read_text("utf-8")
    with facts_of(facts) as db:
        return db.sql(f"SELECT {columns} FROM ({query})").fetchall()


def test_every_question_has_an_answer(census):
    facts, _ = census
    names = list(questions())
    assert len(names) == 8
    for name in names:
        found = answers(facts, name)
        assert found.title.endswith("?")
        assert found.text.count("\n") > 4


def test_archives_of_one_name_in_two_folders_are_two(tmp_path):
    for folder in ("a", "b"):
        write_archives(tmp_path / folder)
    archives = sorted(tmp_path.glob("*/robots.warc.gz"))
    collect(archives, tmp_path / "facts", processes=1)
    assert len(list((tmp_path / "facts" / "hosts").iterdir())) == 2


def test_archive_that_is_not_there_is_an_error(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "examples.census", str(tmp_path / "no.warc.gz")],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no.warc.gz" in done.stderr
    assert "Traceback" not in done.stderr


def test_hosts_that_declare_a_sitemap(census):
    facts, truth = census
    hosts = rows(facts, "1-declared", "tld, hosts, declare_one")
    assert sum(count for _, count, _ in hosts) == truth["hosts"]
    with facts_of(facts) as db:
        query = "SELECT count(*) FILTER (len(sitemaps) > 0) FROM hosts"
        assert db.sql(query).fetchall() == [(truth["declare"],)]
    assert len(declared(facts, 10_000)) == truth["declare"]
    assert dict(rows(facts, "3-robots", "state, hosts")) == {
        "read": truth["hosts"] - truth["absent"],
        "absent": truth["absent"],
    }


def test_lines_by_form(census):
    facts, truth = census
    expected = {form: truth[f"line {form}"] for form in FORMS if truth[f"line {form}"]}
    assert dict(rows(facts, "2-lines", "form, lines")) == expected


def test_sitemaps_and_their_dates(census):
    facts, truth = census
    kinds = dict(rows(facts, "4-documents", "kind, documents"))
    assert kinds["html"] == truth["sitemap html"]
    assert kinds["not read"] == truth["sitemap gone"]
    assert rows(facts, "5-fields", "urls") == [(truth["urls"],)]
    dated = [truth[f"sitemap {name}"] for name in ("good", "one date", "future", "broken", "gzip")]
    [(sitemaps, one_date, future)] = rows(facts, "6-dates", "sitemaps, one_date, in_the_future")
    assert sitemaps == sum(dated)
    assert one_date.startswith(f"{100 * (dated[1] + dated[2]) / sum(dated):.1f} %")
    assert future.startswith(f"{100 * dated[2] / sum(dated):.1f} %")


def test_problems_and_errors(census):
    facts, truth = census
    assert dict(rows(facts, "7-problems", "code, sitemaps"))["X003"] == truth["sitemap broken"]
    assert dict(rows(facts, "8-errors")) == {
        "HTTP 410": truth["sitemap gone"],
        "expected a sitemap, found an HTML page": truth["sitemap html"],
    }


def test_simulation_is_bound_by_requests_or_by_the_slowest_host():
    alone, together = simulate(20_000, 256, 1), simulate(20_000, 256, 32)
    assert alone.requests == together.requests
    assert alone.hours > together.hours >= together.slowest_host_hours
    one_task = simulate(2_000, 1, 1)
    assert one_task.busy == pytest.approx(1)


@pytest.mark.slow
def test_documented_simulation():
    page = Path(__file__).parents[1].joinpath("docs", "scale.md").read_text("utf-8")
    for sites in (1, 8, 32):
        found = simulate(1_000_000, 256, sites)
        line = f"{sites:>16}{found.hours:>8.1f}{found.slowest_host_hours:>14.1f}{found.busy:>7.0%}"
        assert line in page
