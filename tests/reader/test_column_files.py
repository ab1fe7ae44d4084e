"""CSV and text files are made of columns, with the bytes that entries would give."""

import csv
import io

import urlset
from urlset.reader.row_formats import csv_lines, txt_lines

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:x="http://www.w3.org/1999/xhtml"'
ROWS = (
    "<url><loc>https://e.com/a,b</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>"
    "<url><loc>https://e.com/%22q%22</loc><lastmod>2026-01-02T03:04:05.123Z</lastmod></url>"
    "<url><loc>https://e.com/c</loc><lastmod>2026-01-02T03:04:05+05:30</lastmod></url>"
    "<url><loc>https://e.com/d</loc><lastmod>yesterday</lastmod>"
    "<changefreq>daily</changefreq></url>"
    "<url><loc>https://e.com/e</loc><lastmod>Fri, 01 Oct 2004 18:23:17 GMT</lastmod>"
    '<x:link rel="alternate" hreflang="de" href="https://e.com/de"/></url>'
)


def folder_of(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("sitemap-1.xml", "sitemap-2.xml"):
        (folder / name).write_text(f"<urlset {NS}>{ROWS}</urlset>")
    (folder / "list.txt").write_text("https://e.com/list\n")
    return folder


def test_files_are_equal_to_those_of_entries(tmp_path):
    folder = folder_of(tmp_path)
    store = tmp_path / "s.duckdb"
    urlset.read(folder).to_duckdb(store)

    for source in (folder, store):
        for limit in (None, 7, 0):
            entries = urlset.read(source, limit=limit)
            entries.to_csv(tmp_path / "a.csv")
            entries.to_text(tmp_path / "a.txt")
            text = (tmp_path / "a.csv").read_bytes().decode()
            assert text == "".join(csv_lines(entries))
            assert len(list(csv.reader(io.StringIO(text)))) == (11 if limit is None else limit) + 1
            assert (tmp_path / "a.txt").read_text() == "".join(txt_lines(entries))


def test_no_entries_are_made(tmp_path, monkeypatch):
    folder = folder_of(tmp_path)
    entries = urlset.read(folder)

    def refuse(*_):
        raise AssertionError("an entry was made")

    monkeypatch.setattr("urlset.arrow.batches_to_entries", refuse)
    monkeypatch.setattr(type(entries), "__iter__", refuse)
    entries.to_csv(tmp_path / "a.csv")

    assert (tmp_path / "a.csv").stat().st_size > 500
