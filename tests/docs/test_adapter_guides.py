"""What docs/docs-generators.md and docs/scrapy.md show is run, by the hosts themselves."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import Section, matches, read_sections, run_command
from tests.site_box import SiteBox

DOCS = Path(__file__).parents[2] / "docs"
GENERATORS = {part.title: part for part in read_sections(DOCS / "docs-generators.md")}
HOSTS = {
    "MkDocs": "mkdocs",
    "Sphinx": "sphinx",
    "Pelican": "pelican",
    "Hugo, Jekyll and others": "",
}
COMMANDS = {"sphinx-build": "sphinx", "mkdocs": "mkdocs", "pelican": "pelican", "scrapy": "scrapy"}
SITE = "https://example.com"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the guides speak to a POSIX shell")


def run(command: str) -> str:
    """Run a command of the guide; that of a host is a module of this Python."""
    word, _, rest = command.partition(" ")
    if word in COMMANDS:
        command = f"{shlex.quote(sys.executable)} -m {COMMANDS[word]} {rest}"
    _, told = run_command(command, Path(sys.executable).parent)
    return told


def play(section: Section, change=lambda text: text, unchange=lambda text: text) -> None:
    for block in section.blocks:
        if block.what == "file":
            Path(block.name).write_text(change(block.text), encoding="utf-8")
        elif block.what == "run":
            run(block.text.strip())
        elif block.what == "console":
            for step in block.steps():
                told = unchange(run(change(step.command)))
                assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"


@pytest.mark.parametrize("title", HOSTS)
def test_the_guide_of_generators_shows_what_happens(title, tmp_path, monkeypatch):
    pytest.importorskip(HOSTS[title] or "urlset")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    play(GENERATORS[title])


def test_every_console_of_the_guide_of_generators_is_run():
    consoles = {
        title
        for title, section in GENERATORS.items()
        if any(block.what == "console" for block in section.blocks)
    }

    assert consoles == set(HOSTS)


def test_the_guide_of_scrapy_shows_what_happens(tmp_path, monkeypatch):
    pytest.importorskip("scrapy")
    monkeypatch.chdir(tmp_path)
    with SiteBox() as box:
        rows = [("/tea/oolong", "2026-01-18"), ("/tea/old", "2024-01-18"), ("/milk", "2026-01-18")]
        entries = "".join(
            f"<url><loc>{box.url(path)}</loc><lastmod>{date}</lastmod></url>\n"
            for path, date in rows
        )
        box.put("/maps.xml", f"<urlset {NAMESPACE}>\n{entries}</urlset>")
        box.put("/", "<title>Tea</title>")
        box.put("/tea/oolong", "<title>Oolong</title>")
        box.put_robots("Sitemap: /maps.xml")
        (section,) = [
            part for part in read_sections(DOCS / "scrapy.md") if part.title == "A spider"
        ]

        play(
            section, lambda text: text.replace(SITE, box.site), lambda t: t.replace(box.site, SITE)
        )
