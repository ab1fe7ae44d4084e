"""Halves of surrogate pairs, which JSON can hold and no file can: such rows are refused."""

from pathlib import Path

import pytest

import urlset
from urlset.engine import available
from urlset.errors import EntryError
from urlset.sources import CandidateRows

BASE = "https://example.com/"


def of_file(name: str, text: str):
    def make(folder: Path):
        (folder / name).write_text(text)
        return folder / name

    return make


SOURCES = {
    "JSON lines": of_file("a.jsonl", '{"loc": "/a"}\n{"loc": "/b\\ud800"}\n'),
    "JSON lines of texts": of_file("a.jsonl", '"/a"\n"/b\\udfff"\n'),
    "JSON": of_file("a.json", '[{"loc": "/a"}, {"loc": "/b\\ud800"}]'),
    "dicts": lambda _: [{"loc": "/a"}, {"loc": "/b\ud800"}],
    "entries": lambda _: [urlset.Entry("/a"), urlset.Entry("/b\udc80")],
    "candidates": lambda _: CandidateRows(["/a", "/b\ud800"]),
}


@pytest.mark.parametrize("engine", available())
@pytest.mark.parametrize("name", SOURCES)
def test_a_url_with_half_of_a_surrogate_pair_is_refused(name, engine, tmp_path):
    options = {"base_url": BASE, "ledger": tmp_path / "ledger.duckdb", "engine": engine}
    source = SOURCES[name](tmp_path)

    with pytest.raises(EntryError, match="may stand in no XML file"):
        urlset.build(source, tmp_path / "public", **options)
    made = urlset.build(SOURCES[name](tmp_path), tmp_path / "public", on_error="skip", **options)

    assert made.urls == 1
    assert f"<loc>{BASE}a</loc>" in (tmp_path / "public" / "sitemap.xml").read_text()
