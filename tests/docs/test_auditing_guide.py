"""What docs/auditing.md and docs/report.md show is run against the shop of the sites in a box."""

import os
import re
import sys
from pathlib import Path

import pytest
from examples.box.answers import access_log
from examples.box.server import Box

from tests.docs.transcripts import matches, read_sections, run_command

DOCS = Path(__file__).parents[2] / "docs"
SITE = "https://example.com"
PROGRESS = re.compile(
    r"^(?:[\d,]+ (?:responses?|URLs|pages? visited)\b.*|reading .*)\n", re.MULTILINE
)
GUIDES = {
    (name, section.title): section
    for name in ("auditing.md", "report.md")
    for section in read_sections(DOCS / name)
}


@pytest.fixture(scope="module")
def box():
    with Box() as served:
        yield served


@pytest.fixture
def shop(box, tmp_path, monkeypatch):
    """The origin of the shop; the folder of the test has its log, and sitemaps that are built."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "access.log").write_text(access_log(box.sites["shop"]))
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "urls.txt").write_text(f"{SITE}/a\n{SITE}/b\n")
    return box.origin("shop")


def of_test(text: str, shop: str) -> str:
    """Return a block for the shop, without the minute before second visits."""
    text = text.replace(SITE, shop).replace("urlset audit ", "urlset audit --confirm-after 0 ")
    return text.replace("crawl=True,", "crawl=True, confirm_after_s=0,")


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
@pytest.mark.parametrize(("name", "title"), GUIDES)
def test_the_guide_shows_what_happens(name, title, shop):
    code = 0
    for block in GUIDES[name, title].blocks:
        if block.name == "python":
            text = of_test(block.text, shop) if "urlset.audit(" in block.text else block.text
            exec(compile(text, DOCS / name, "exec"), {})
        for step in block.steps() if block.what == "console" else ():
            if step.command == "echo $?":
                assert step.expected == str(code)
                continue
            command = step.command.replace("--base-url https", "--base-url HTTPS")
            command = of_test(command, shop).replace("HTTPS", "https")
            code, told = run_command(command, Path(sys.executable).parent)
            told = PROGRESS.sub("", told.replace(shop, SITE))
            expected = step.expected
            if "--sample" in command:  # the port decides which pages are in the sample
                expected = re.sub(r"[\d.]+(?= %|–| of)", "…", expected)
            assert matches(told, expected), f"line {step.line}: $ {step.command}\n{told}"

    for step in (step for block in GUIDES[name, title].blocks for step in block.steps()):
        if written := re.search(r"--report (\S+)", step.command):
            assert "<!doctype html>" in Path(written[1]).read_text("utf-8")


def test_every_block_of_the_guides_is_run():
    kinds = {block.name for section in GUIDES.values() for block in section.blocks}
    before = {
        name: (DOCS / name).read_text(encoding="utf-8").partition("\n## ")[0] for name, _ in GUIDES
    }

    assert kinds <= {"console", "python"}
    assert not [name for name, text in before.items() if "```" in text]
