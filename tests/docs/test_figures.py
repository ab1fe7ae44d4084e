"""Figures of the documentation: generated from recorded runs of the sources as they are."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benches"))

from record import GROUPS, figure, fingerprint, missed, read_record  # noqa: E402

PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "benches" / "README.md"]
GENERATED = ("performance.md", "commands.md", "options.md", "api.md", "tables.md", "rules.md")
REGION = re.compile(r"<!-- figures: .*?<!-- end of figures -->", re.DOTALL)
SPEED = re.compile(r"\d[\d.,]* ?(?:MB/s|GB/s|pages/s|URLs/s|pages a second|URLs (?:a|per) second)")


@pytest.mark.parametrize("group", GROUPS)
def test_recorded_figures_are_those_of_the_sources(group):
    """After a change of these sources: `.venv/bin/python benches/run.py --record --group NAME`."""
    record = read_record(group)
    if record is None:
        pytest.skip(f"no recorded run of {group}: the pages have no figures of it")
    assert record["sources"] == fingerprint(GROUPS[group]), (
        f"the sources on the measured path of {group!r} changed since commit {record['commit']}: "
        f"measure them with `benches/run.py --record --group {group}`, then `make docs`"
    )


@pytest.mark.parametrize("group", GROUPS)
def test_record_says_where_and_when_it_was_measured(group):
    record = read_record(group)
    if record is None:
        pytest.skip(f"no recorded run of {group}: the pages have no figures of it")
    assert re.fullmatch(r"[0-9a-f]{7,40}", record["commit"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])
    assert record["machine"].keys() == {
        "system", "processor", "cores", "python", "load",
    }  # fmt: skip
    figures = [v for row in record["rows"] for v in row.values() if isinstance(v, dict)]
    assert figures
    assert all(f["low"] <= f["median"] <= f["high"] and f["runs"] for f in figures)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_have_no_rates_written_by_hand(path):
    if path.name in GENERATED:
        return
    text = REGION.sub("", path.read_text("utf-8"))
    assert SPEED.findall(text) == []


def test_comments_and_docstrings_do_not_change_the_fingerprint(tmp_path, monkeypatch):
    import record

    monkeypatch.setattr(record, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text('"""Module."""\nX = 1  # one\n')
    (tmp_path / "b.rs").write_text('//! Docs.\nfn f() -> &str { "//" } // two\n')
    names = ["a.py", "b.rs"]
    first = fingerprint(names)

    (tmp_path / "a.py").write_text('"""Other words."""\n\nX = 1\n"""Value."""\n')
    (tmp_path / "b.rs").write_text('fn f() -> &str {\n    "//"\n}\n')
    record._code.cache_clear()
    assert fingerprint(names) == first

    (tmp_path / "b.rs").write_text('fn f() -> &str { "/" }\n')
    record._code.cache_clear()
    assert fingerprint(names) != first


def test_goal_that_was_met_and_is_missed_is_reported(tmp_path, monkeypatch):
    import record

    monkeypatch.setattr(record, "RESULTS", tmp_path)
    goal = {"text": "reading", "goal": "≥ 4 ×", "measured": "5 ×", "is_met": True}
    never = {"text": "writing", "goal": "≥ 4 ×", "measured": "1 ×", "is_met": False}
    (tmp_path / "site.json").write_text(json.dumps({"goals": [goal, never]}))

    now = [{**goal, "measured": "3 ×", "is_met": False}, never]
    assert [*missed("site", now)] == ["reading: 3 ×, was 5 × (goal ≥ 4 ×)"]
    assert [*missed("site", [goal])] == []
    assert [*missed("pages", now)] == []

    raised = {**goal, "goal": "≥ 9 ×", "is_met": False}
    assert [*missed("site", [raised])] == []


def test_interval_of_few_runs_is_their_range():
    assert figure([3.0, 1.0, 2.0]) == {"median": 2.0, "low": 1.0, "high": 3.0, "runs": 3}


def test_floors_of_the_guard_fall_only_with_a_reason():
    code = (
        "import guard, json; print(*guard._unexplained_falls(json.loads(guard.FLOORS.read_text())))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "benches", capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, ""), ran.stderr
