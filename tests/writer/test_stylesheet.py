"""The style sheet of sitemaps: how files name it, how it lies beside them, what it leaves alone."""

import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import urlset
from urlset.engine import Engine, available, get
from urlset.model import Entry
from urlset.writer import Publication
from urlset.writer.file_set import render_indexes
from urlset.writer.stylesheet import css, local_file_name, updated_content

BASE = "https://example.com/"
PAGES = [f"https://example.com/{number}" for number in range(4)]
ENTRIES = [Entry(page) for page in PAGES]
LINE = '<?xml-stylesheet type="text/css" href="sitemap.css"?>'


@pytest.fixture
def write(engine: Engine, tmp_path: Path):
    """Write with one engine, with the style sheet unless the test says otherwise."""

    def call(entries=PAGES, **options) -> Publication:
        options = {"stylesheet": "sitemap.css", "base_url": BASE, **options}
        return urlset.write(entries, tmp_path / "site", engine=engine.name, **options)

    return call


@pytest.mark.parametrize("stylesheet", [None, "a.css"])
def test_a_mark_follows_the_declaration(engine, stylesheet):
    renderer = engine.renderer("urlset", 9, 9_999, 9, stylesheet)
    renderer.add(engine.columns([urlset.Entry("https://example.com/")]), 0)
    first, *rest = renderer.finish().splitlines()

    marked = renderer.finish("<!-- a -->\n")
    assert marked.splitlines() == [first, b"<!-- a -->", *rest]
    assert renderer.document("<!-- a -->\n") == marked
    assert engine.renderer("text", 9, 9_999, 9).finish("<!-- a -->\n") == b""


def document(engine: Engine, stylesheet: str | None, max_bytes: int = 9_999) -> tuple[int, bytes]:
    renderer = engine.renderer("urlset", 9, max_bytes, 9, stylesheet)
    return renderer.add(engine.columns(ENTRIES), 0), renderer.finish()


def instructions(data: bytes) -> list[tuple[str, dict[str, str]]]:
    """The processing instructions above the root, their pseudo-attributes read as attributes."""
    node, found = etree.fromstring(data).getprevious(), []
    while node is not None:
        found.append((node.target, dict(etree.fromstring(f"<a {node.text}/>").attrib)))
        node = node.getprevious()
    return found


# ── the engines ──


def test_document_names_its_style_sheet_behind_the_declaration(engine):
    _, data = document(engine, "sitemap.css")
    _, without = document(engine, None)

    lines = data.decode().splitlines()
    assert lines[0] == '<?xml version="1.0" encoding="UTF-8"?>'
    assert lines[1] == LINE
    assert [lines[0], *lines[2:]] == without.decode().splitlines()


def test_style_sheet_counts_in_max_bytes(engine):
    count, data = document(engine, "sitemap.css")

    assert count == len(ENTRIES)
    assert document(engine, "sitemap.css", len(data)) == (count, data)
    assert document(engine, "sitemap.css", len(data) - 1)[0] == count - 1
    assert document(engine, None, len(data) - len(LINE) - 1)[0] == count


def test_text_has_no_style_sheet(engine):
    renderer = engine.renderer("text", 9, 9_999, 9, "sitemap.css")
    renderer.add(engine.columns(ENTRIES), 0)

    assert renderer.finish().decode().split() == PAGES


@pytest.mark.parametrize("name", available())
@given(href=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"])))
def test_address_is_read_back_by_an_xml_parser(name, href):
    _, data = document(get(name), href)
    (index, _), *_ = render_indexes([("a.xml", None)], BASE, href)

    for found in (data, index):
        assert instructions(found) == [("xml-stylesheet", {"type": "text/css", "href": href})]


def test_address_cannot_end_the_line_early(engine):
    _, data = document(engine, 'x"?><urlset/><?y')

    assert [found[0] for found in instructions(data)] == ["xml-stylesheet"]


def test_document_with_a_style_sheet_is_read_without_a_word(engine):
    _, data = document(engine, "https://example.com/sitemap.css?a=1&b=2")

    parsed = urlset.parse(data, engine=engine.name)

    assert [entry.loc for entry in parsed.entries] == PAGES
    assert parsed.problems == []


# ── the files ──


def test_sitemap_and_style_sheet_are_written_together(write, tmp_path):
    publication = write()

    assert LINE.encode() in publication.files[0].path.read_bytes()
    assert (tmp_path / "site" / "sitemap.css").read_bytes() == css()
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        "sitemap.css",
        "sitemap.xml",
    ]


@pytest.mark.parametrize("gzip", [False, True])
def test_index_names_the_style_sheet_and_is_known_again(write, gzip):
    first = write(index="always", gzip=gzip)
    again = write(index="always", gzip=gzip)
    without = write(index="always", gzip=gzip, stylesheet=None, max_urls=2)
    less = write(index="always", gzip=gzip)

    assert urlset.parse(first.indexes[0].path.read_bytes()).kind == "index"
    assert not any(file.changed for file in (*again.files, *again.indexes))
    assert len(without.files) == 2
    assert less.removed == (f"sitemap-2.xml{'.gz' if gzip else ''}",)


def test_check_does_not_object(write, tmp_path):
    write(index="always", max_urls=2)
    write_findings = urlset.check(tmp_path / "site")
    write(index="always", max_urls=2, stylesheet=None)
    (tmp_path / "site" / "sitemap.css").unlink()

    plain = urlset.check(tmp_path / "site")

    assert [found.rule for found in write_findings] == [found.rule for found in plain]


def test_style_sheet_is_rewritten_only_when_it_changed(write, tmp_path):
    path = tmp_path / "site" / "sitemap.css"
    write()
    before = path.stat()
    write()
    after = path.stat()
    path.write_bytes(css()[:40] + b" of an earlier version */")
    write()

    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert path.read_bytes() == css()


def test_style_sheet_of_somebody_else_stays(write, tmp_path):
    path = tmp_path / "site" / "style.css"
    path.parent.mkdir()
    path.write_text("body { color: red }")

    write(stylesheet="style.css")

    assert path.read_text() == "body { color: red }"


def test_style_sheet_elsewhere_is_only_named(write, tmp_path):
    publication = write(stylesheet="/assets/my.css?v=1&w=2")

    assert b'href="/assets/my.css?v=1&amp;w=2"' in publication.files[0].path.read_bytes()
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["sitemap.xml"]


def test_text_is_written_without_a_style_sheet(write, tmp_path):
    write(format="text")

    assert [path.name for path in (tmp_path / "site").iterdir()] == ["sitemap.txt"]


def test_dry_run_writes_no_style_sheet(write, tmp_path):
    write(dry_run=True)

    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "name", ["", "sitemap", "sitemap.xml", "a b.css", ".css", "/a b.css", "/é.css", "/\n", "<.css"]
)
def test_what_is_no_address_is_refused(write, tmp_path, name):
    with pytest.raises(ValueError, match="expected stylesheet"):
        write(stylesheet=name)

    assert not (tmp_path / "site").exists()


# ── the style sheet ──


def test_style_sheet_comes_with_the_package():
    found = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    patterns = found["tool"]["setuptools"]["package-data"]["*"]

    assert any(fnmatch("sitemap.css", pattern) for pattern in patterns)


def test_style_sheet_asks_for_nothing_from_elsewhere_and_is_ascii():
    text = css().decode("ascii")  # its encoding is not for servers to say

    assert "url(" not in text
    assert "@import" not in text
    assert text.startswith("/* Made by urlset.")


def test_names_of_files_and_addresses():
    assert local_file_name("sitemap.css") == "sitemap.css"
    assert (
        local_file_name("./sitemap.css")
        is local_file_name("https://example.com/a.css")
        is local_file_name(None)
        is None
    )
    assert updated_content(None) == updated_content(css() + b"/* edited */") == css()
    assert updated_content(css()) is updated_content(b"edited") is None
