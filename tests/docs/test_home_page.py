"""The home page and the README show results of the jobs; all are run, on a server on loopback."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.docs.transcripts import matches, read_sections, run_command
from tests.site_box import SiteBox, redirect
from urlset.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BROKEN = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/search?q=bread&lang=en</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
SITE = "https://example.com"
VERBS = set(
    "read write render parse build check fix crawl audit diff watch submit sync report".split()
)
PATHS = "/ /about.html /blog/ /blog/compost.html /blog/first-frost.html /blog/old-tulips.html"
URLS = [f"{SITE}{path}" for path in f"{PATHS} /de/ /de/besuch.html /visit.html".split()]
OLD_URLS = [f"{SITE}/club.html", f"{SITE}/spring-fair.html"]
PROGRESS = re.compile(
    r"^(?:[\d,]+ (?:pages? visited|responses?)\b.*|[\d,]+ URLs?: .*|reading .*)\n", re.MULTILINE
)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The sample site: its next release in `public`, the last one in `released` and on a server.

    The last release lists a page that is gone and one that redirects; the next one has a new page.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("URLSET_INDEXNOW_KEY", raising=False)
    shutil.copytree(ROOT / "examples" / "garden", "public")
    urlset.write([*URLS, *OLD_URLS], "released")
    with SiteBox() as box:
        for file in (path for path in Path("public").rglob("*") if path.is_file()):
            name = f"/{file.relative_to('public').as_posix()}".removesuffix("index.html")
            kind = "image/svg+xml" if name.endswith(".svg") else "text/html"
            box.put(name, file.read_bytes().replace(SITE.encode(), box.site.encode()), kind=kind)
        box.play("/club.html", redirect(box.url("/about.html"), 301))
        sitemap = Path("released/sitemap.xml").read_bytes()
        box.put("/sitemap.xml", sitemap.replace(SITE.encode(), box.site.encode()))
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
        Path("public/pond.html").write_text("<title>Pond</title><p>The pond has frogs.")
        yield box.site


def located(command: str, site: str) -> str:
    """A command that requests the site requests the server; a build only names the site."""
    return command if "--base-url" in command else command.replace(SITE, site)


@pytest.mark.skipif(os.name == "nt", reason="the pages speak to a POSIX shell")
@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/index.md", "README.md"])
def test_the_page_shows_what_happens(page, site, tmp_path):
    (tmp_path / "broken.xml").write_text(BROKEN)  # the README does not show it
    code = 0
    for block in (block for section in read_sections(ROOT / page) for block in section.blocks):
        if block.what == "file":
            (tmp_path / block.name).write_text(block.text)
        for step in block.steps() if block.what == "console" else ():
            if step.command == "echo $?":
                assert step.expected == str(code)
                continue
            code, told = run_command(located(step.command, site), Path(sys.executable).parent)
            told = PROGRESS.sub("", told.replace(site, SITE))
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"


def test_the_audit_of_the_readme_runs(box: SiteBox, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box.put("/", "<title>home</title>", kind="text/html")
    box.put_urlset("/sitemap.xml")
    block = re.findall(
        r"^```python\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )[0]
    names: dict[str, Any] = {}
    exec(block.replace("delay_s=2", "delay_s=0, proxies={}"), names)

    names["audit"](box.site)

    assert "Audit of" in (tmp_path / "report.html").read_text("utf-8")
    assert {hit.headers["user-agent"] for hit in box.hits} == {"MyBot/1.0"}


def test_the_readme_has_an_example_of_each_function_and_command():
    text = README.read_text(encoding="utf-8")
    shown = "\n".join(re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    commands = set(re.findall(r"^\$ (?:\w+=\S+ )?urlset (\w+)", shown, re.MULTILINE))

    assert commands == set(COMMANDS) - {"rules", "schema", "mcp", "completion"}
    functions = set(re.findall(r"\burlset\.([a-z]+)\(", shown))
    assert commands | functions | {"fix"} == VERBS
    assert "urlset check broken.xml --fix" in shown


def test_the_readme_is_short_and_has_no_hidden_scripts():
    text = README.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= 150
    comments = re.findall(r"<!--(.*?)-->", text, re.DOTALL)
    installation, figures = (
        ["installation", "/installation"],
        ["figures: reading", "end of figures"],
    )
    assert [comment.strip() for comment in comments] == [*installation, *figures]
