"""What docs/comparing.md shows is run: on two folders of sitemaps, and on a repository of git."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import matches, read_sections, run_command

GUIDE = Path(__file__).parents[2] / "docs" / "comparing.md"
SECTIONS = {section.title: section for section in read_sections(GUIDE)}
SITE = "https://example.com"
SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"
POSTS = (
    "2024/sour-dough-starter",
    "2025/rye-bread-at-home",
    "2025/how-flour-is-made",
    "2026/salt-or-not",
)
ABOUT = "pages/about"


def sitemap(rows: dict[str, str]) -> str:
    urls = "".join(
        f"<url><loc>{SITE}/{path}</loc><lastmod>{date}</lastmod></url>\n"
        for path, date in rows.items()
    )
    return f'<urlset xmlns="{SITEMAPS}">\n{urls}</urlset>\n'


INDEX = f"""<sitemapindex xmlns="{SITEMAPS}">
<sitemap><loc>{SITE}/pages.xml</loc></sitemap>
<sitemap><loc>{SITE}/blog.xml</loc></sitemap>
</sitemapindex>
"""
PAGES = {ABOUT: "2026-01-10", "pages/flour": "2026-01-11", "pages/tea": "2026-01-12",
         "pages/rye": "2026-01-13"}  # fmt: skip
NEW_PAGES = {ABOUT: "2026-02-20", "pages/tea": "2026-01-12", "pages/rye": "2026-01-13",
             "pages/ovens": "2026-02-01", "pages/yeast": "2026-02-02"}  # fmt: skip


def put(folder: Path, pages: dict[str, str], posts: list[str] | None) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "sitemap.xml").write_text(INDEX)
    (folder / "pages.xml").write_text(sitemap(pages))
    if posts is not None:
        (folder / "blog.xml").write_text(sitemap(dict.fromkeys(posts, "2026-01-01")))


@pytest.fixture
def states(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    old = [f"blog/{post}" for post in POSTS]
    new = [f"articles/{post.partition('/')[2]}" for post in POSTS]
    put(tmp_path / "old", PAGES, old)
    put(tmp_path / "new", NEW_PAGES, new)
    put(tmp_path / "broken", PAGES, None)
    put(tmp_path / "public", PAGES, old)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "-q"], ["add", "public"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    put(tmp_path / "public", NEW_PAGES, new)
    subprocess.run([*git, "commit", "-qam", "b"], check=True)


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("title", SECTIONS)
def test_the_guide_shows_what_happens(title, states, tmp_path):
    code = 0
    for block in SECTIONS[title].blocks:
        if block.what == "file":
            (tmp_path / block.name).write_text(block.text)
        elif block.name == "python":
            exec(compile(block.text, GUIDE, "exec"), {})
        for step in block.steps() if block.what == "console" else ():
            if step.command == "echo $?":
                assert step.expected == str(code)
                continue
            code, told = run_command(step.command, Path(sys.executable).parent)
            assert matches(told, step.expected), f"line {step.line}: $ {step.command}\n{told}"


def test_reasons_of_moves_are_all_described():
    source = GUIDE.parents[1] / "src" / "urlset" / "live" / "diff" / "moves.py"
    text = source.read_text(encoding="utf-8")
    used = set(re.findall(r"['\"]((?:same|similar|folder)-[a-z]+|redirect)['\"]", text))

    described = set(re.findall(r"^\| `([a-z-]+)` \|", GUIDE.read_text(encoding="utf-8"), re.M))
    assert described == used
