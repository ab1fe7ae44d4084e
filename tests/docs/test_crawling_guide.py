"""What docs/crawling.md shows is run against the sample site, on a server on loopback."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import matches, read_sections, run_command
from tests.site_box import SiteBox

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "crawling.md"
SECTIONS = {section.title: section for section in read_sections(GUIDE)}
SITE = "https://example.com"
PROGRESS = re.compile(r"^(?:[\d,]+ pages? visited.*|reading the sitemaps)\n", re.MULTILINE)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The sample site on a server; the folder of the test is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    garden = ROOT / "examples" / "garden"
    with SiteBox() as box:
        for file in (path for path in garden.rglob("*") if path.is_file()):
            name = f"/{file.relative_to(garden).as_posix()}".removesuffix("index.html")
            body = file.read_bytes().replace(SITE.encode(), box.site.encode())
            kind = "text/html" if file.suffix == ".html" else "text/plain"
            box.put(name, body, kind=kind)
        yield box.site


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
@pytest.mark.parametrize("title", SECTIONS)
def test_the_guide_shows_what_happens(title, site, tmp_path):
    for block in SECTIONS[title].blocks:
        if block.name == "python":
            exec(compile(block.text.replace(SITE, site), GUIDE, "exec"), {})
        for step in block.steps() if block.what == "console" else ():
            _, told = run_command(step.command.replace(SITE, site), Path(sys.executable).parent)
            told = PROGRESS.sub("", told.replace(site, SITE))
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"


def test_every_block_of_the_guide_is_known():
    kinds = {block.name for section in SECTIONS.values() for block in section.blocks}

    assert kinds == {"console", "python", "text"}
