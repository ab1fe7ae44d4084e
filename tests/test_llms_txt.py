"""Drafts of an llms.txt: what docs/llms-txt.md shows, hostile titles, limits, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import urlset
from tests.live_sites import crawl, put_page
from tests.site_box import redirect
from urlset.cli.app import run

GUIDE = Path(__file__).parents[1] / "docs" / "llms-txt.md"
TITLES = {
    "/": "Tea house",
    "/about": "About us | Tea house",
    "/shop/kettles": "Kettles | Tea house",
    "/tea/": "All about tea | Tea house",
    "/tea/assam": "Assam | Tea house",
    "/tea/sencha": "Sencha [organic] | Tea house",
}


def put_title(box, path: str, title: str, *links: str, head: str = "") -> None:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    text = f"<title>{title}</title>{head}<body><p>{path}</p>{anchors}"
    box.put(path, text, kind="text/html")


@pytest.fixture
def tea_house(box, tmp_path):
    """Store of a crawl of the site of the guide, with pages that no draft may list."""
    others = ("/hidden", "/copy", "/old", "/lost", "/tea/?sort=name")
    for path, title in TITLES.items():
        put_title(box, path, title, *TITLES, *others)
    put_title(box, "/hidden", "Hidden", head='<meta name="robots" content="noindex">')
    put_title(box, "/copy", "Copy", head='<link rel="canonical" href="/about">')
    put_title(box, "/tea/?sort=name", "Sorted")
    box.play("/old", redirect("/about", 301))
    store = tmp_path / "site.duckdb"
    crawl(box, store).close()
    return box, store


def shown_draft() -> str:
    found = re.search(r"\$ cat llms\.txt\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_guide_shows_what_happens(tea_house, tmp_path, capsys, monkeypatch):
    box, store = tea_house
    monkeypatch.chdir(tmp_path)

    assert run(["llms", str(store), "--output", "llms.txt"]) == 0
    assert "5 links in llms.txt" in capsys.readouterr().err
    text = Path("llms.txt").read_text(encoding="utf-8")
    assert text.replace(box.site, "https://example.com") == shown_draft()
    assert text == urlset.draft_llms_txt(store)
    assert run(["check", "llms.txt"]) == 0
    assert "No findings in 1 document, 0 entries." in capsys.readouterr().out


def test_limits_put_further_sections_in_optional(tea_house):
    box, store = tea_house

    text = urlset.draft_llms_txt(store, max_sections=1, max_section_links=2)

    assert text.replace(box.site, "").splitlines() == [
        "# Tea house",
        "",
        "## All about tea",
        "",
        "- [All about tea](/tea/)",
        "- [Assam](/tea/assam)",
        "",
        "## Optional",
        "",
        "- [Kettles](/shop/kettles)",
        "- [About us](/about)",
    ]
    assert urlset.draft_llms_txt(store, max_links=1).count("](") == 1


def test_hostile_titles_stay_text(box, tmp_path):
    put_title(box, "/", "Home", "/a", "/b", "/c(1)")
    put_title(box, "/a", "x](javascript:alert(1)) &lt;script&gt;\u202e`#")
    put_title(box, "/b", "two\nlines # not a heading")
    put_title(box, "/c(1)", "Parentheses")
    store = tmp_path / "site.duckdb"
    crawl(box, store).close()

    text = urlset.draft_llms_txt(store)
    (tmp_path / "llms.txt").write_text(text, encoding="utf-8")

    assert "\u202e" not in text
    assert r"- [x\](javascript:alert(1)) \<script\>" in text
    assert "- [two lines # not a heading](" in text
    assert f"]({box.site}/c%281%29)" in text
    assert not list(urlset.check(tmp_path / "llms.txt"))


def test_a_store_without_pages_says_what_is_expected(tmp_path, capsys):
    store = tmp_path / "empty.duckdb"
    urlset.Store.open(store).close()

    assert run(["llms", str(store)]) == 2
    assert "expected pages that answered 200" in capsys.readouterr().err
    assert run(["llms", str(tmp_path / "missing.duckdb")]) == 2
    with pytest.raises(ValueError, match="max_links: expected 1 or more, found 0"):
        urlset.draft_llms_txt(store, max_links=0)


def test_a_page_without_a_name_of_the_site_keeps_its_title(box, tmp_path):
    put_page(box, "/", "/a")
    put_title(box, "/a", "A - B")
    crawl(box, tmp_path / "site.duckdb").close()

    assert "[A - B](" in urlset.draft_llms_txt(tmp_path / "site.duckdb")


def test_reading_one_says_how_to_check_it(tmp_path, capsys):
    file = tmp_path / "llms.txt"
    file.write_text("# Tea\n\n- [Sencha](https://example.com/sencha)\n", encoding="utf-8")
    expected = f"{file}: expected a sitemap, found an llms.txt; check it with `urlset check`"

    assert run(["read", str(file)]) == 2
    assert expected in capsys.readouterr().err
    with pytest.raises(urlset.SourceError, match=r"found an llms\.txt"):
        list(urlset.read(file, fail_fast=True))
    assert run(["check", str(file)]) == 0
    found = urlset.check(file)
    assert found.ok
    assert found.failed == []


def test_one_is_checked_beside_a_folder_and_by_its_url(box, tmp_path, capsys):
    (tmp_path / "urls.txt").write_text("https://example.com/\n", encoding="utf-8")
    (tmp_path / "llms.txt").write_text("## Tea\n", encoding="utf-8")
    box.put("/llms.txt", "## Tea\n", kind="text/plain")

    assert run(["check", str(tmp_path), str(tmp_path / "llms.txt"), "--select", "M"]) == 1
    assert capsys.readouterr().out.count("M001") == 1
    assert {f.code for f in urlset.check(box.url("/llms.txt"))} == {"M001", "M006"}
