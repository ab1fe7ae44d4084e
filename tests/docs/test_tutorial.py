"""The tutorial is run from its beginning to its end, each command as it stands there."""

import os
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import read_sections
from tests.docs.tutorial import PAGE, run_tutorial


@pytest.mark.skipif(os.name == "nt", reason="the tutorial speaks to a POSIX shell")
def test_the_tutorial_ends_with_a_true_sitemap(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    count = run_tutorial(tmp_path, Path(sys.executable).parent, in_process=True)

    assert count > 12
    assert "<!doctype html>" in (tmp_path / "report.html").read_text("utf-8")


def test_every_block_is_run_or_written():
    blocks = [block for section in read_sections(PAGE) for block in section.blocks]

    assert {block.what for block in blocks} == {"console", "file"}
