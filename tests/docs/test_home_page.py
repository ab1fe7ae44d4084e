"""The home page shows the result of each job; all of them are run, on a server on loopback."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import urlset
from tests.docs.transcripts import matches, read_sections, run_command
from tests.site_box import SiteBox, redirect

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "index.md"
SECTIONS = {section.title: section for section in read_sections(PAGE)}
SITE = "https://example.com"
PATHS = "/ /about.html /blog/ /blog/compost.html /blog/first-frost.html /blog/old-tulips.html"
URLS = [f"{SITE}{path}" for path in f"{PATHS} /de/ /de/besuch.html /visit.html".split()]
OLD_URLS = [f"{SITE}/club.html", f"{SITE}/spring-fair.html"]
PROGRESS = re.compile(r"^(?:[\d,]+ pages? visited.*|reading the sitemaps)\n", re.MULTILINE)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The sample site: its next release in `public`, the last one in `released` and on a server.

    The last release lists a page that is gone and one that redirects; the next one has a new page.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", "73134416ae45434d98edc086e0bf6740")
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


@pytest.mark.skipif(os.name == "nt", reason="the page speaks to a POSIX shell")
@pytest.mark.slow
def test_the_home_page_shows_what_happens(site, tmp_path):
    code = 0
    for block in (block for section in SECTIONS.values() for block in section.blocks):
        if block.what == "file":
            (tmp_path / block.name).write_text(block.text)
        for step in block.steps() if block.what == "console" else ():
            if step.command == "echo $?":
                assert step.expected == str(code)
                continue
            code, told = run_command(located(step.command, site), Path(sys.executable).parent)
            told = PROGRESS.sub("", told.replace(site, SITE))
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"
