"""Representations of results for the console and for notebooks."""

from pathlib import Path

import pytest

import urlset
from urlset.notebook import MAX_ROWS, html_table

XML = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>https://example.com/?a&amp;b</loc><lastmod>2026-01-02</lastmod></url></urlset>"
)


def test_values_are_escaped_and_rows_limited():
    table = html_table("<b>", ["loc"], ([f"https://example.com/{n}<i>"] for n in range(50)))

    assert table.count("<td>") == MAX_ROWS
    assert "<i>" not in table
    assert "<b>" not in table
    assert html_table("none", ["loc"], []) == "<p>none</p>"


def test_a_document_shows_its_rows_and_counts():
    document = urlset.parse(XML, source="a.xml")

    assert repr(document) == "<Document urlset of 'a.xml': 1 entry>"
    assert "<td>https://example.com/?a&amp;b</td>" in document._repr_html_()


def test_entries_are_not_read_to_be_shown(tmp_path: Path):
    missing = urlset.read(tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(XML)

    assert repr(missing).endswith("not read yet; head() reads the first>")
    assert "not read yet" in missing._repr_html_()

    list(missing)

    assert "read 1 document with 1 entry" in repr(missing)
    assert "sitemap.xml" in missing._repr_html_()


def test_documents_that_could_not_be_read_are_counted_apart(tmp_path: Path):
    lost = b"<sitemap><loc>https://example.com/lost.xml</loc></sitemap>"
    (tmp_path / "sitemap.xml").write_bytes(XML)
    (tmp_path / "index.xml").write_bytes(b"<sitemapindex>" + lost + b"</sitemapindex>")
    entries = urlset.read(tmp_path)

    list(entries)

    assert repr(entries).endswith("read 2 documents with 1 entry, 1 failed>")


def test_entries_in_memory_show_their_first_rows():
    entries = urlset.read(XML)

    assert repr(entries) == "<Entries of bytes: 1>"
    assert "?a&amp;b" in entries._repr_html_()


def test_findings_are_counted_once_they_are_evaluated():
    findings = urlset.check(XML.replace(b"/?a", b"/ a"))

    assert repr(findings) == "<Findings of bytes: not evaluated yet>"
    list(findings)
    html = findings._repr_html_()
    assert findings.by_rule
    assert all(f"<td>{rule}</td>" in html for rule in findings.by_rule)
    assert "not evaluated" not in repr(findings)


@pytest.mark.parametrize("kind", ["Publication", "Build"])
def test_a_publication_shows_its_files(kind: str, tmp_path: Path):
    rows, base_url = [{"loc": "https://example.com/"}], "https://example.com/"
    folder = tmp_path / "public"
    made: urlset.Build | urlset.Publication
    if kind == "Build":
        made = urlset.build(rows, folder, base_url=base_url, ledger=tmp_path / "l.duckdb")
    else:
        made = urlset.write(rows, folder, base_url=base_url)

    assert repr(made).startswith(f"<{kind} in '{folder}': 1 URL in 1 file")
    assert "<td>sitemap.xml</td>" in made._repr_html_()


@pytest.mark.parametrize("name", ["s.duckdb", "s.parquet"])
def test_entries_of_a_store_show_their_first_rows(name, tmp_path: Path):
    path = tmp_path / name
    locs = [f"https://example.com/{n}" for n in range(50)]
    found = urlset.read("\n".join(locs).encode())
    (found.to_duckdb if name.endswith("duckdb") else found.to_parquet)(path)

    entries = urlset.read(path)

    assert f"{', '.join(locs[:3])}, …>" in repr(entries)
    assert entries._repr_html_().count("<tr>") == MAX_ROWS + 1
    assert len(list(entries)) == 50
    assert "read 1 document with 50 entries" in repr(entries)


def test_a_store_that_cannot_be_read_has_a_representation(tmp_path: Path):
    path = tmp_path / "s.duckdb"
    urlset.read(XML).to_duckdb(path)
    entries = urlset.read(path)
    path.unlink()

    assert "not read yet" in repr(entries)
    assert "not read yet" in entries._repr_html_()


def test_a_history_of_snapshots_is_not_read_to_be_shown(tmp_path: Path, monkeypatch):
    path = tmp_path / "s.duckdb"
    urlset.read(XML).to_duckdb(path)
    monkeypatch.setattr(urlset.Store, "document_writer", property(lambda _: print))

    assert "not read yet" in repr(urlset.read(path))


def test_a_baseline_shows_its_number_of_findings():
    assert repr(urlset.Baseline()) == "<Baseline of 0 findings>"


def test_a_query_of_a_store_shows_its_rows_as_text():
    with urlset.Store.open() as store:
        result = store.query(
            "SELECT '<b>' AS a, TIMESTAMPTZ '2026-01-02 00:00:00+00' AS at FROM range(12)"
        )

        table = result._repr_html_()

    assert "<caption>QueryResult: 12 rows</caption>" in table
    assert table.count("<td>&lt;b&gt;</td><td>2026-01-02T00:00:00Z</td>") == MAX_ROWS
