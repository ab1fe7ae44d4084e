"""A baseline knows its documents however their paths are written."""

import json
import os

import pytest

import urlset
from urlset.checker import Baseline

DOCUMENT = "<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>"


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    (folder / "public").mkdir(parents=True)
    (folder / "ci").mkdir()
    (folder / "public" / "sitemap.xml").write_text(DOCUMENT)
    monkeypatch.chdir(folder)
    return folder


def written(path, source="public/"):
    baseline = Baseline()
    assert baseline.record(urlset.check(source))
    baseline.write(path)
    return path


@pytest.mark.parametrize("place", ["baseline.json", "ci/baseline.json"])
def test_any_spelling_of_the_path_is_known(project, monkeypatch, place):
    path = written(project / place)

    for source in ("public/", "./public/", str(project / "public"), "public/sitemap.xml"):
        assert list(Baseline.read(path).new(urlset.check(source))) == []
    monkeypatch.chdir(project / "public")
    assert list(Baseline.read(path).new(urlset.check("."))) == []


def test_the_file_names_documents_relative_to_its_folder(project):
    path = written(project / "ci" / "baseline.json", str(project / "public"))

    rows = json.loads(path.read_text())["findings"]
    assert {row[1] for row in rows} == {"../public/sitemap.xml"}


def test_a_file_of_an_earlier_version_is_understood(project):
    path = written(project / "baseline.json")
    moved = project / "ci" / "baseline.json"
    os.rename(path, moved)

    assert list(Baseline.read(moved).new(urlset.check("public/"))) == []


def test_another_document_is_not_known(project):
    path = written(project / "baseline.json")
    (project / "other").mkdir()
    (project / "other" / "sitemap.xml").write_text(DOCUMENT)

    assert list(Baseline.read(path).new(urlset.check("other/")))


def test_paths_are_texts_too(project):
    baseline = Baseline()
    found = baseline.record(urlset.check("public/"))
    baseline.write("known.json")

    assert len(Baseline.read("known.json")) == len(found) > 0
    assert list(urlset.check("public/", baseline="known.json")) == []
