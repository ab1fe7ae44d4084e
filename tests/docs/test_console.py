"""What docs/building.md shows a person typing runs, and what they say comes of it."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import Section, matches, read_sections, run_command
from tests.postgres import postgres
from urlset.sources.tables import query
from urlset.sources.tables.query import Dsn

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "building.md"
SECTIONS = {section.title: section for section in read_sections(GUIDE)}
PRODUCTS = (
    "CREATE TABLE product AS SELECT 'tea-' || i AS slug, i < 4 AS is_public, "
    "TIMESTAMPTZ '2026-01-18 10:00Z' AS updated_at FROM generate_series(1, 5) i"
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A folder for PATH: the urlset and the python of this test."""
    folder = tmp_path_factory.mktemp("programs")
    for name, words in (("urlset", "-m urlset "), ("python", "")):
        (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words}"$@"\n')
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def garden(tmp_path, monkeypatch):
    """The sample site in a folder of its own, where the commands are run."""
    shutil.copytree(ROOT / "examples" / "garden", tmp_path / "public")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


@pytest.fixture
def postgresql(monkeypatch):
    """A database with products, whose URL is in the environment."""
    manager = pytest.importorskip("adbc_driver_manager", reason="urlset[sql] is not installed")
    pytest.importorskip("adbc_driver_postgresql", reason="urlset[sql] is not installed")
    with postgres() as url:
        _, driver, _ = query._driver(Dsn(url))
        with (
            manager.AdbcDatabase(driver=driver, uri=url) as database,
            manager.AdbcConnection(database) as connection,
        ):
            query._run(manager, connection, PRODUCTS)
        monkeypatch.setenv("SHOP_DATABASE", url)
        yield


@pytest.mark.skipif(os.name == "nt", reason="the guide speaks to a POSIX shell")
@pytest.mark.parametrize("title", SECTIONS)
def test_the_guide_shows_what_happens(title, programs, garden, request):
    section = SECTIONS[title]
    for name in section.needs:
        request.getfixturevalue(name)
    for tool in ("git",):
        if any(f"$ {tool} " in block.text for block in section.blocks) and not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")

    play(section, programs)


def play(section: Section, programs: Path) -> None:
    code = 0
    for block in section.blocks:
        if block.what == "file":
            Path(block.name).write_text(block.text, encoding="utf-8")
        elif block.what == "run":
            code, told = run_command(block.text.strip(), programs)
            assert code == 0, told
        elif block.what == "console":
            code = play_console(block.steps(), programs, code)
    assert code == 0 or section.blocks[-1].text.rstrip().endswith(f"$ echo $?\n{code}")


def play_console(steps, programs: Path, code: int) -> int:
    for step in steps:
        where = f"line {step.line}: $ {step.command}"
        if step.command == "echo $?":
            assert step.expected == str(code), where
            continue
        code, told = run_command(step.command, programs)
        assert matches(told, step.expected), f"{where}\n{told}"
    return code


def test_every_block_of_the_guide_is_run():
    kinds = {
        (block.what, block.name)
        for section in SECTIONS.values()
        for block in section.blocks
        if block.what in ("other", "console")
    }

    # Python is run by tests/docs/test_guides.py; anything else would be a block that nobody runs.
    assert kinds == {("console", "console"), ("other", "python")}


def test_a_transcript_reports_what_differs():
    assert matches("a\nb 12 c\nd\n", "a\nb … c\n…")
    assert matches("", "")
    assert not matches("a\nb\n", "a")
    assert not matches("a\n", "a\nb")
    assert not matches("axc\n", "a.c")
