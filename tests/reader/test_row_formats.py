"""Entries as CSV, JSON and text in files: the same bytes as the command writes."""

import csv
import json
from pathlib import Path

import pytest

import urlset
from urlset.cli.app import run

SITEMAP = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a,b</loc><lastmod>2026-01-31</lastmod><priority>0.5</priority></url>
<url><loc>https://example.com/\xc3\xa9?"x"</loc></url></urlset>"""


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "txt"])
def test_file_is_that_of_the_command(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.xml").write_bytes(SITEMAP)

    method = {"txt": "to_text"}.get(form, f"to_{form}")
    getattr(urlset.read("s.xml"), method)("ours")
    assert run(["read", "s.xml", "--format", form, "--output", "theirs", "--quiet"]) == 0

    assert Path("ours").read_bytes() == Path("theirs").read_bytes()


def test_csv_and_json_lines_have_the_values_of_the_entries(tmp_path):
    entries = urlset.read(SITEMAP)

    entries.to_csv(tmp_path / "a.csv")
    entries.to_jsonl(tmp_path / "a.jsonl")

    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    objects = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert [row["loc"] for row in rows] == [entry.loc for entry in entries]
    assert (rows[0]["lastmod"], rows[1]["lastmod"]) == ("2026-01-31", "")
    assert [(one["loc"], one["priority"]) for one in objects] == [
        (entry.loc, entry.priority) for entry in entries
    ]
    ledger = tmp_path / "ledger.duckdb"
    assert urlset.build(tmp_path / "a.csv", tmp_path / "out", ledger=ledger).urls == 2


def test_json_array_and_text_have_the_values_of_the_entries(tmp_path):
    entries = urlset.read(SITEMAP)

    entries.to_json(tmp_path / "a.json")
    entries.to_text(tmp_path / "a.txt")

    objects = json.loads((tmp_path / "a.json").read_text("utf-8"))
    locs = [entry.loc for entry in entries]
    assert [one["loc"] for one in objects] == locs
    assert (tmp_path / "a.txt").read_text("utf-8").splitlines() == locs


@pytest.mark.parametrize("name", ["", "none/a.csv"])
def test_file_that_cannot_be_written_is_a_target_error(name, tmp_path):
    with pytest.raises(urlset.TargetError, match="cannot write"):
        urlset.read(SITEMAP).to_csv(tmp_path / name)


@pytest.mark.parametrize("method", ["to_csv", "to_jsonl", "to_json", "to_text"])
def test_text_does_not_replace_a_store(method, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.read(SITEMAP).to_duckdb(path)
    before = path.read_bytes()

    with pytest.raises(urlset.TargetError, match=r"it is a store \(a DuckDB file\)"):
        getattr(urlset.read(SITEMAP), method)(path)

    assert path.read_bytes() == before


def test_failed_reading_keeps_the_existing_file(tmp_path):
    (tmp_path / "a.csv").write_text("before")

    with pytest.raises(urlset.SourceError):
        urlset.read(tmp_path / "s.xml").to_csv(tmp_path / "a.csv")

    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "before"
