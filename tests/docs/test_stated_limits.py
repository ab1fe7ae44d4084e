"""Limits that the pages state with "at most", where no other test has the limit itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import urlset
from tests.cli.test_commands import command
from tests.html_report.test_first_glance import log_of, steps_of
from tests.reporter.test_html_report import report_of
from urlset.errors import QueryError
from urlset.store import sandbox

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def test_a_diff_returns_as_many_changes_as_asked_for():
    locs = b"\n".join(b"https://example.com/%d" % n for n in range(9))

    with urlset.diff(b"https://example.com/", b"https://example.com/\n" + locs) as found:
        assert [len(list(found.of("added", limit))) for limit in (0, 4, 9, 100)] == [0, 4, 9, 9]
        assert len(list(found.of("added"))) == 9


def test_a_query_has_a_limited_length():
    text = "SELECT '' AS x"
    longest = text.replace("''", f"'{'x' * (50_000 - len(text))}'")

    with urlset.Store.open() as store:
        assert len(longest) == 50_000
        assert len(list(store.query(longest))) == 1
        with pytest.raises(QueryError, match="at most 50,000 characters, found 50,001"):
            store.query(f"{longest} ")


@pytest.mark.parametrize("size", [100 << 20, (100 << 20) + 1])
def test_a_baseline_has_a_limited_size(size, capsys, monkeypatch, tmp_path):
    (tmp_path / "a.txt").write_text("https://example.com/a\n")
    baseline = tmp_path / "baseline.json"
    baseline.write_text("[")
    os.truncate(baseline, size)
    (tmp_path / "urlset.toml").write_text('[check]\nbaseline = "baseline.json"\n')
    monkeypatch.chdir(tmp_path)

    ran = command(capsys, monkeypatch, tmp_path)("check", "a.txt")

    assert ran.code == 2
    assert ("a file of more than 104,857,600 bytes" in ran.err) == (size > 100 << 20)


@pytest.mark.parametrize(("free", "limit"), [(10, 5), (200, 100), (900, 100)])
def test_a_query_may_use_half_of_the_free_disk(free, limit, monkeypatch, tmp_path: Path):
    usage = SimpleNamespace(free=free << 30)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    assert sandbox._spill_limit(str(tmp_path / "missing")) == limit << 30


def test_inspections_of_one_run_are_limited(capsys, monkeypatch, tmp_path):
    run = command(capsys, monkeypatch, tmp_path)
    arguments = ["submit", "--to", "google", "--property", "https://example.com/", "--inspect"]

    ran = run(*arguments, "2001")

    assert ran.code == 2
    assert "2001" in ran.err
    assert "2001" not in run(*arguments, "2000").err


def test_a_report_begins_with_three_steps():
    codes = ("N102", "N103", "N104", "N105", "N107")
    log = log_of(*[(code, "error", f"message {code}", "https://example.com/") for code in codes])

    assert len(steps_of(report_of(log))) == 3


def test_a_document_keeps_a_limited_number_of_problems():
    rows = "<url><loc>https://example.com/?a&b</loc></url>" * 10_005

    document = urlset.parse(f"<urlset {NS}>{rows}</urlset>".encode())

    assert (len(document.problems), sum(document.omitted.values())) == (10_000, 5)
