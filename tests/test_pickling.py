"""Objects of the library pass through process pools: pickled, sent to another Python, and back."""

import io
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import urlset
from urlset import Document, Entries, Entry, Findings, Policy

XML = b"""\xef\xbb\xbf<?xml version="1.0"?><urlset>
<url><loc>/a?b&c</loc><lastmod>2026-01-02</lastmod></url>
<url><loc>https://e.com/b</loc><priority>0.5</priority></url></urlset>"""
BASE = "https://e.com/sitemap.xml"


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


def facts(document: Document) -> tuple[Any, ...]:
    return (
        document.kind,
        list(document.entries),
        document.sitemaps,
        document.problems,
        document.omitted,
        document.encoding,
        document.size,
        document.packed_size,
        document.layers,
        document.source,
        document.engine,
        document.text,
        document.runs,
        document.is_whole,
    )


def parsed(data: bytes, options: dict[str, Any]) -> Document:
    return urlset.parse(data, **options)


def read(source: Any) -> Entries:
    return urlset.read(source)


def checked(source: Any) -> Findings:
    return urlset.check(source, ignore=["D011"])


def listed(found: Any) -> list[Any]:
    """Use an object where it arrives."""
    return list(found)


def same(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    "data",
    [
        XML,
        XML[3:].decode().encode("utf-16"),
        urlset.engine.get("reference").gzip(XML),
        b"https://e.com/a\nhttps://e.com/b\n",
        b"<sitemapindex><sitemap><loc>https://e.com/1.xml</loc></sitemap></sitemapindex>",
        b"",
    ],
)
def test_documents_come_back_from_another_process(data, pool, engine):
    options = {"base_url": BASE, "engine": engine.name, "source": "here"}
    here = urlset.parse(data, **options)

    there = pool.submit(parsed, data, options).result()

    assert facts(there) == facts(here)
    assert facts(pool.submit(same, here).result()) == facts(here)


def test_rows_of_documents_are_pickled(pool, engine):
    rows = urlset.parse(XML, base_url=BASE, engine=engine.name).entries

    assert pool.submit(listed, rows).result() == list(rows)
    assert list(pool.submit(same, rows).result()) == list(rows)


def test_documents_of_tables_are_pickled(pool, tmp_path):
    urlset.read(XML, base_url=BASE).to_parquet(tmp_path / "a.parquet")
    (visit,) = urlset.read(tmp_path / "a.parquet").visits()
    assert visit.document is not None

    there = pool.submit(same, visit.document).result()

    assert [entry.loc for entry in there.entries] == ["https://e.com/a?b&c", "https://e.com/b"]


def sources(folder: Path) -> dict[str, Any]:
    (folder / "sitemap.xml").write_bytes(XML)
    return {
        "path": folder / "sitemap.xml",
        "folder": str(folder),
        "bytes": XML,
        "memory": memoryview(XML),
        "mapping": {BASE: XML},
        "stream": io.BytesIO(XML),
    }


@pytest.mark.parametrize("kind", ["path", "folder", "bytes", "memory", "mapping", "stream"])
def test_readings_are_pickled_before_and_after_they_were_read(kind, pool, tmp_path):
    entries = urlset.read(sources(tmp_path)[kind], base_url=None if kind == "mapping" else BASE)

    before = pool.submit(listed, entries).result()
    here = list(entries)
    after = pool.submit(same, entries).result()

    assert [entry.loc for entry in here] == ["https://e.com/a?b&c", "https://e.com/b"]
    assert before == here == list(after)
    assert after.documents == entries.documents
    assert after.problems == entries.problems


def test_readings_with_choices_are_pickled(pool, tmp_path):
    folder = sources(tmp_path)["folder"]
    entries = urlset.read(folder, base_url=BASE, include="/b$", hosts=["e.com"], limit=1)

    assert [entry.loc for entry in pool.submit(listed, entries).result()] == ["https://e.com/b"]
    assert [e.loc for e in pool.submit(read, folder).result()] == ["https://e.com/b"]


def test_reading_of_a_site_is_pickled_with_its_policy(pool):
    policy = Policy(site_headers={"https://e.com": {"Authorization": "Bearer t"}}, delay_s=1.5)
    entries = urlset.read("https://e.com/sitemap.xml", policy=policy, auth=("me", "secret"))

    there = pool.submit(same, entries).result()

    assert there.source == entries.source
    assert vars(there._reader)["_policy"] == vars(entries._reader)["_policy"]
    assert pool.submit(same, urlset.read("https://e.com/sitemap.xml", keep=False)).result()


def test_policies_are_pickled(pool):
    policy = Policy(
        headers={"Accept-Language": "de"},
        site_headers={"https://e.com": {"Authorization": "Bearer t"}},
        proxies={"https": "http://127.0.0.1:3128"},
        user_agent="me/1.0",
    )

    there = pool.submit(same, policy).result()

    assert there == policy
    assert there.headers_for("https://e.com") == policy.headers_for("https://e.com")
    assert pool.submit(same, Policy()).result() == Policy()
    assert deepcopy(policy) == policy


@pytest.mark.parametrize("kind", ["path", "folder", "bytes", "mapping"])
def test_findings_are_pickled_before_and_after_they_were_reported(kind, pool, tmp_path):
    source = sources(tmp_path)[kind]
    findings = checked(source)

    before = pool.submit(listed, findings).result()
    here = list(findings)
    after = pool.submit(same, findings).result()

    assert here
    assert before == here
    assert after.by_rule == findings.by_rule
    assert after.documents == findings.documents
    assert list(after) == here
    assert list(pool.submit(checked, source).result()) == here


def test_results_of_writing_and_building_are_pickled(pool, tmp_path):
    written = urlset.write([Entry("https://e.com/")], tmp_path / "a")
    built = urlset.build(
        [Entry("https://e.com/")], tmp_path / "b", ledger=tmp_path / "ledger.duckdb"
    )

    assert pool.submit(same, written).result() == written
    assert pool.submit(same, built).result() == built


def test_errors_are_pickled_with_what_they_know(pool):
    with pytest.raises(urlset.EntryError) as caught:
        urlset.render(["https://e.com/", "nothing"])

    there = pickle.loads(pickle.dumps(caught.value))

    assert (there.row, there.field, there.value) == (2, "loc", "nothing")
    assert str(there) == str(caught.value)


def test_a_template_stays_one():
    entry = "<url><loc>https://example.com/<?php echo $id ?></loc></url>"
    text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>'
    document = urlset.parse(f"<?php echo 1 ?>\n{text}".encode())

    other = pickle.loads(pickle.dumps(document))

    assert document.kind == other.kind == "template"
    assert list(document.entries) == list(other.entries) == []
    assert document.problems == other.problems


@pytest.mark.parametrize("name", [name for name in urlset.__all__ if name.endswith("Error")])
def test_errors_are_those_of_urlset_in_tracebacks(name):
    error = getattr(urlset, name)

    assert f"{error.__module__}.{error.__qualname__}" == f"urlset.{name}"
    assert pickle.loads(pickle.dumps(error)) is error
