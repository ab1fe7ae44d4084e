"""What docs/watching.md shows is run, in order, against a site on loopback that changes."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import matches, read_sections, run_command
from tests.site_box import SiteBox

GUIDE = Path(__file__).parents[2] / "docs" / "watching.md"
SITE = "https://example.com"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def put(box, **news):
    rows = "".join(
        f"<url><loc>{box.url(f'/news/{name}')}</loc><lastmod>{date}</lastmod></url>"
        for name, date in news.items()
    )
    box.put("/news.xml", f"<urlset {NAMESPACE}>{rows}</urlset>")


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
def test_the_guide_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with SiteBox() as box:
        children = "".join(
            f"<sitemap><loc>{box.url(path)}</loc></sitemap>" for path in ("/news.xml", "/docs.xml")
        )
        box.put("/index.xml", f"<sitemapindex {NAMESPACE}>{children}</sitemapindex>")
        box.put(
            "/docs.xml", f"<urlset {NAMESPACE}><url><loc>{box.url('/docs')}</loc></url></urlset>"
        )
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/index.xml')}")
        put(box, one="2026-01-01", two="2026-01-01")
        steps = [
            step
            for section in read_sections(GUIDE)
            for block in section.blocks
            if block.what == "console"
            for step in block.steps()
        ]
        assert len(steps) == 5
        for step in steps:
            _, told = run_command(step.command.replace(SITE, box.site), Path(sys.executable).parent)
            told = told.replace(box.site, SITE)
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"
            put(box, one="2026-01-01", two="2026-01-02", three="2026-01-02")


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
def test_the_daily_script_prints_what_disappeared_and_nothing_else(tmp_path):
    [script] = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    with SiteBox() as box:
        script = script.replace("/var/lib/urlset", str(tmp_path)).replace(SITE, box.site)
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/news.xml')}")

        def run(**news):
            put(box, **news)
            return run_command(script, Path(sys.executable).parent)

        both = {"one": "2026-01-01", "two": "2026-01-01"}
        assert run(**both) == (0, "")
        assert run(**both) == (0, "")
        code, printed = run(one="2026-01-01")

    assert code == 1
    assert f"- {box.url('/news/two')}" in printed
