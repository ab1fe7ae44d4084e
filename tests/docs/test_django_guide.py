"""What docs/django.md shows is run in a project that `django-admin` makes."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import matches, read_sections, run_command

SECTIONS = {
    part.title: part for part in read_sections(Path(__file__).parents[2] / "docs/django.md")
}
CLIENT = """
from django.test import Client
for path in ("/sitemap.xml", "/sitemap-articles.xml"):
    response = Client(headers={"host": "127.0.0.1"}).get(path)
    print(response.status_code, response.content.count(b"<loc>"))
"""

pytest.importorskip("django", reason="Django is not installed")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")


def run(command: str) -> tuple[int, str]:
    command = command.replace("django-admin", f"{shlex.quote(sys.executable)} -m django")
    return run_command(command, Path(sys.executable).parent)


@pytest.mark.slow
def test_the_guide_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in SECTIONS["Change one import"].blocks:
        if block.what == "file":
            path = Path(block.name)
            before = path.read_text() if path.name == "settings.py" else ""
            path.write_text(f"{before}\n{block.text}")
        elif block.what == "run":
            code, told = run(block.text.strip())
            assert code == 0, told
        elif block.what == "console":
            for step in block.steps():
                _, told = run(step.command)
                assert matches(told, step.expected), f"line {step.line}: {step.command}\n{told}"

    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", CLIENT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == ["200 1", "200 120"]


def test_every_block_belongs_to_a_test():
    kinds = {
        (title, block.what, block.name)
        for title, section in SECTIONS.items()
        for block in section.blocks
        if title != "Change one import"
    }

    # tests/integrations/test_wagtail.py runs it.
    assert kinds == {("Wagtail", "file", "shop/wagtail_sitemaps.py")}
