"""What docs/sync.md shows is run, in order, against a site on loopback that changes."""

import os
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import matches, read_sections, run_command
from tests.site_box import SiteBox

GUIDE = Path(__file__).parents[2] / "docs" / "sync.md"
SITE = "https://example.com"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def put(box, **pages):
    rows = ""
    for name, (date, text) in pages.items():
        rows += f"<url><loc>{box.url(f'/{name}')}</loc><lastmod>{date}</lastmod></url>"
        box.put(f"/{name}", f"<!doctype html><title>{name}</title><p>{text}</p>", kind="text/html")
    box.put("/sitemap.xml", f"<urlset {NAMESPACE}>{rows}</urlset>")


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
def test_the_guide_shows_what_happens(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    blocks = [block for section in read_sections(GUIDE) for block in section.blocks]
    steps = [step for block in blocks if block.what == "console" for step in block.steps()]
    python = (
        GUIDE.read_text("utf-8").partition("<!-- not run -->\n```python\n")[2].partition("```")[0]
    )
    assert len(steps) == 5
    with SiteBox() as box:
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
        put(box, tea=("2026-01-01", "a"), coffee=("2026-01-01", "b"), cocoa=("2026-01-01", "c"))
        for step in steps:
            _, told = run_command(step.command.replace(SITE, box.site), Path(sys.executable).parent)
            told = told.replace(box.site, SITE)
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"
            put(box, tea=("2026-01-02", "d"), coffee=("2026-01-01", "b"), mate=("2026-01-02", "e"))
        assert len((tmp_path / "updates.jsonl").read_text().splitlines()) == 3
        (tmp_path / "index.duckdb").unlink()
        exec(compile(python.replace(SITE, box.site), str(GUIDE), "exec"), {})
    assert capsys.readouterr().out == "3 True ()\n"
