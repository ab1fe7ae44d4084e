"""The documentation site: every page is in the navigation, links lead to pages, the build works."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from docs import build_site, build_versions

import urlset
from tests.docs.test_prose import anchors

ROOT = Path(__file__).parents[2]
PAGES = build_site.pages()


def test_every_page_is_in_the_navigation_once():
    names = [name for section in build_site.nav().values() for name in section]

    assert sorted([*names, "index"]) == sorted(n for n in PAGES if not n.startswith("rules/"))


def test_a_new_page_is_an_integration(tmp_path, monkeypatch):
    monkeypatch.setattr(build_site, "DOCS", tmp_path)
    for name in ("reading", "index", "django"):
        (tmp_path / f"{name}.md").touch()

    assert build_site.nav()["Integrations"] == ["django"]


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("rules/")])
def test_links_lead_to_pages_of_the_site(name):
    text = build_site.CODE.sub("", build_site.FENCE.sub("", PAGES[name]))

    missing = []
    for target in re.findall(r"\]\(([^)\s#]+)", text):
        if target.startswith("schemas/"):
            missing += [] if (build_site.DOCS / target).is_file() else [target]
        elif not re.match(r"[a-z]+:", target) and not target.startswith("images/"):
            page = (Path(name).parent / target).as_posix().removesuffix(".md")
            missing += [] if page in PAGES else [target]
    assert missing == []


@pytest.mark.parametrize("name", PAGES)
def test_anchors_of_links_exist(name):
    text = build_site.CODE.sub("", build_site.FENCE.sub("", PAGES[name]))

    missing = []
    for target, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", text):
        page = os.path.normpath(Path(name).parent / target).removesuffix(".md") if target else name
        if anchor not in anchors(PAGES[page]):
            missing.append(f"{target}#{anchor}")
    assert missing == []


@pytest.mark.parametrize("name", ["api.md", "sources.md"])
def test_items_and_headings_of_the_reference_are_whole(name):
    """``urlset.TargetError: ...`` was a block of code, and a long signature a heading of lines."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    items = re.findall(r"(?m)^\*\*(?:Arguments|Attributes|Raises)\*\*\n\n(.*)", text)

    assert len(items) > 10
    assert [item for item in items if not item.startswith("- `")] == []
    headings = re.findall(r"(?m)^#+ .*", text)
    assert [heading for heading in headings if heading.count("`") % 2] == []


def test_links_to_other_files_become_text():
    text = "[a](../README.md) [b](../tests/conftest.py) [c](../CHANGELOG.md#x) `[d](e.md)`"

    text += " [e](../README.md#install)"
    linked = build_site.relinked(text, ROOT / "docs" / "rules" / ".." / "reading.md", "reading")

    assert linked == "[a](index.md) b [c](changelog.md#x) `[d](e.md)` [e](index.md)"


def test_code_in_tables_has_no_backslashes():
    text = "| `a \\| b` | c \\| d |\n\n```\n| `a \\| b` |\n```\n"

    linked = build_site.relinked(text, ROOT / "docs" / "api.md", "api")

    assert linked == "| `a | b` | c \\| d |\n\n```\n| `a \\| b` |\n```\n"


def test_faults_of_links_are_found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        "<a href='a/'>1</a> <a href='a/#no'>2</a> <a href='b/'>3</a> <a href='a/#yes'>4</a>"
        "<script src='https://cdn.example/x.js'></script><a href='https://example.org/'>5</a>"
    )
    (tmp_path / "a" / "index.html").write_text("<h1 id='yes'>A</h1>")

    assert [*build_site.link_faults(tmp_path, "http://127.0.0.1/")] == [
        "/: loads https://cdn.example/x.js, which is not on this site",
        "/: a/#no leads to an anchor that does not exist",
        "/: b/ leads nowhere",
    ]


@pytest.mark.slow
@pytest.mark.skipif(build_site.zensical() is None, reason="zensical is not installed (make site)")
def test_site_is_built_and_clean(tmp_path, capfd):
    with build_site.served(tmp_path / "site") as address:
        site = build_site.build(tmp_path, address)

        code = build_site.check(site, address, tmp_path)

    assert code == 0, capfd.readouterr().out
    listed = (site / "sitemap.xml").read_text()
    assert listed.count("<loc>") == len(PAGES)
    if shutil.which("git") and (ROOT / ".git").exists():
        assert listed.count("<lastmod>") > len(PAGES) // 2


def test_versions_are_the_newest_release_of_each_minor_version():
    tags = "v0.1.0 v0.1.2 v0.1.10 v0.2.0 v1.0.0rc1 v1 x0.3.0 v0.10.1".split()

    found = build_versions.versions(tags)

    assert [version.name for version in found] == ["0.10", "0.2", "0.1", "dev"]
    assert [version.revision for version in found] == ["v0.10.1", "v0.2.0", "v0.1.10", "HEAD"]
    assert [version.name for version in build_versions.versions([])] == ["dev"]


@pytest.mark.slow
@pytest.mark.skipif(build_site.zensical() is None, reason="zensical is not installed (make site)")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
def test_only_the_newest_version_is_for_search_engines(tmp_path):
    versions = [
        build_versions.Version("0.2", "0.2.1", "HEAD"),
        build_versions.Version("dev", "development", "HEAD"),
    ]

    with build_site.served(tmp_path / "versions" / "site") as address:
        site = build_versions.build(address, versions, tmp_path / "versions")

        with urlset.audit(address, policy=urlset.Policy(delay_s=0)) as found:
            assert found.summary == f"All {found.listed} listed URLs are fine."
            assert found.listed > 200
            assert all(f"{address}0.2/" in str(record.source) for record in found.documents)

    menu = json.loads((site / "versions.json").read_text())
    assert [each["version"] for each in menu] == ["0.2", "dev"]
    assert all((site / each["version"] / "index.html").is_file() for each in menu)
    for page in (site / "dev").rglob("*.html"):
        assert '<meta name="robots" content="noindex">' in page.read_text()
    schema = json.loads((site / "schemas" / "check.json").read_text())
    assert schema["$id"] == f"{address}schemas/check.json"
