"""The GitHub Action: its scripts are run as they are in action.yml, with a fake ``gh``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"^      run: \|\n((?:(?:        .*)?\n)+)", ACTION, re.M)
RUN, COMMENT, ISSUE = (re.sub("^ {8}", "", script, flags=re.M) for script in SCRIPTS)

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="the action runs in bash"
)

# The token of a job has no user: gh prints the message of the error, and fails.
GH_USER = """#!/bin/sh
case "$*" in "api user "*) echo "${GH_LOGIN:-Forbidden \\"x\\"}"; test -n "$GH_LOGIN"; exit;; esac
"""

GH = (
    GH_USER
    + """
echo "$@" >> "$GH_LOG"
case "$*" in *paginate*) cat "$GH_COMMENTS";; esac
"""
)


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """A working folder with two states, and programs in PATH; returns the function that runs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "urlset").write_text(f'#!/bin/sh\nexec {sys.executable} -m urlset "$@"\n')
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "gh").write_text(GH)
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "a.txt").write_text("https://example.com/a\nhttps://example.com/b\n")
    (tmp_path / "b.txt").write_text("https://example.com/a\n")
    (tmp_path / "comments").write_text("")
    environment = {
        **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_REPOSITORY": "o/r", "GH_LOG": str(tmp_path / "gh.log"), "NUMBER": "7",
        "GH_COMMENTS": str(tmp_path / "comments"), "BASE_URL": "", "OUTPUT": "",
        "FORMAT": "github", "ARGUMENTS": "", "TMPDIR": str(tmp_path),
        "GITHUB_SERVER_URL": "https://git.example", "GITHUB_RUN_ID": "99", "SOURCE": "a.txt",
        "GITHUB_WORKFLOW": "sitemaps", "GITHUB_JOB": "shop", "LABEL": "",
    }  # fmt: skip

    def run(script: str, **values: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=tmp_path, env=environment | values, text=True, capture_output=True, check=False,
        )  # fmt: skip

    return run


def outputs(folder: Path) -> dict[str, str]:
    lines = (folder / "output").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_diff_writes_comment_and_report(runner, tmp_path):
    ran = runner(RUN, COMMAND="diff", SOURCE="a.txt b.txt")

    assert ran.returncode == 0, ran.stderr
    found = outputs(tmp_path)
    assert Path(found["comment"]).read_text().startswith("<!-- urlset diff -->\n**Sitemap: 0 added")
    assert "<h1>" in Path(found["html"]).read_text()
    assert "1 removed" in (tmp_path / "summary").read_text()


def test_limit_fails_the_step_after_the_comment_is_written(runner, tmp_path):
    ran = runner(RUN, COMMAND="diff", SOURCE="a.txt b.txt", ARGUMENTS="--max-removed 5%")

    assert ran.returncode == 1
    assert Path(outputs(tmp_path)["comment"]).exists()


def test_check_is_the_default_and_other_commands_are_refused(runner):
    assert re.search(r"command:\n    description: .*\n    default: check\n", ACTION)
    assert runner(RUN, COMMAND="check", SOURCE="a.txt").returncode == 0
    ran = runner(RUN, COMMAND="rm", SOURCE="a.txt")
    assert ran.returncode == 2
    assert "expected the command check, diff or audit, found 'rm'" in ran.stderr


def test_inputs_are_no_commands(runner, tmp_path):
    runner(RUN, COMMAND="diff", SOURCE="a.txt $(touch hacked) `touch hacked`; touch hacked")

    assert not (tmp_path / "hacked").exists()


def test_quotes_keep_spaces_together(runner, tmp_path):
    folder = tmp_path / "sp ace"
    folder.mkdir()
    (tmp_path / "a.txt").rename(folder / "a.txt")

    one = runner(RUN, COMMAND="check", SOURCE="sp ace/a.txt", ARGUMENTS="--ignore 'D011,P001'")
    two = runner(RUN, COMMAND="diff", SOURCE="'sp ace/a.txt' \"b.txt\"")
    windows = runner(RUN, COMMAND="check", SOURCE="b.txt", ARGUMENTS=r"--ignore D011 --config C:\x")

    assert (one.returncode, two.returncode) == (0, 0), one.stderr + two.stderr
    assert "D011" not in one.stdout
    assert "C:" in windows.stderr
    assert "x'" in windows.stderr


@pytest.mark.parametrize("name", ["SOURCE", "ARGUMENTS"])
def test_open_quotes_are_an_error_that_names_the_input(runner, name):
    ran = runner(RUN, **{"COMMAND": "check", "SOURCE": "a.txt", name: "--ignore 'D011"})

    assert ran.returncode != 0
    assert f"{name.lower()}: expected closed quotes" in ran.stderr


def test_check_writes_a_summary_and_names_no_report(runner, tmp_path):
    (tmp_path / "a.txt").write_text("https://example.com/a b\n```\n")
    ran = runner(RUN, COMMAND="check", SOURCE="a.txt", FORMAT="text")

    summary = (tmp_path / "summary").read_text()
    assert ran.returncode == 1
    assert summary.startswith("````````text\n")
    assert summary.count("`") == 16
    assert "html" not in outputs(tmp_path)
    assert ran.stdout.splitlines()[0] in summary


def test_comment_is_created_once_and_updated_later(runner, tmp_path):
    comment = tmp_path / "comment.md"
    comment.write_text("<!-- urlset diff -->\ntext\n")

    assert runner(COMMENT, COMMENT=str(comment)).returncode == 0
    (tmp_path / "comments").write_text("41\n42\n")
    assert runner(COMMENT, COMMENT=str(comment)).returncode == 0

    calls = (tmp_path / "gh.log").read_text().splitlines()
    assert len(calls) == 4
    assert re.search(r'startswith\("<!-- urlset diff \d+-\d+ -->"\)', calls[0])
    assert calls[0] == calls[2]
    assert "--method POST repos/o/r/issues/7/comments" in calls[1]
    assert "--method PATCH repos/o/r/issues/comments/41" in calls[3]
    assert '.user.login == ""' in calls[0]


def test_each_job_and_label_has_a_comment_of_its_own(runner, tmp_path):
    (tmp_path / "bin" / "gh").write_text(GH_ISSUES)
    comment, log = tmp_path / "comment.md", tmp_path / "gh.log"
    comment.write_text("<!-- urlset diff -->\ntext\n")
    names = [{}, {"GITHUB_JOB": "blog"}, {"LABEL": "de"}, {"LABEL": "f`r"}, {"SOURCE": "b.txt"}]
    markers, bodies = [], []
    for each in names:
        log.write_text("")
        assert runner(COMMENT, COMMENT=str(comment), **each).returncode == 0
        search, _, *body = log.read_text().splitlines()
        assert f'startswith("{body[0]}")' in search
        markers.append(body[0])
        bodies.append(body[1:])

    assert len(set(markers)) == 4
    assert markers[4] == markers[0]  # the sources of a diff may name commits
    assert bodies == [["text"], ["text"], ["`de`", "", "text"], ["`fr`", "", "text"], ["text"]]


@pytest.mark.parametrize("script", ["COMMENT", "ISSUE"])
def test_comments_and_issues_of_a_personal_token_are_found_again(runner, tmp_path, script):
    comment = tmp_path / "comment.md"
    comment.write_text("<!-- urlset diff -->\ntext\n")
    names = {"COMMENT": str(comment), "COMMAND": "diff", "OUTCOME": "success", "FINDINGS": ""}

    assert runner(globals()[script], GH_LOGIN="robot", **names).returncode == 0

    search = (tmp_path / "gh.log").read_text().splitlines()[0]
    assert '(.user.type == "Bot" or .user.login == "robot") and' in search


GH_ISSUES = (
    GH_USER
    + """
echo "$@" >> "$GH_LOG"
for word; do case "$word" in body=@*) cat "${word#body=@}" >> "$GH_LOG";; esac; done
case "$*" in *paginate*) cat "$GH_COMMENTS";; esac
"""
)


def test_one_issue_is_opened_updated_closed_and_opened_again(runner, tmp_path):
    (tmp_path / "bin" / "gh").write_text(GH_ISSUES)
    findings, log = tmp_path / "findings.md", tmp_path / "gh.log"
    findings.write_text("a.txt:1: error\n")

    def calls(outcome: str, found: str) -> list[str]:
        (tmp_path / "comments").write_text(found)
        log.write_text("")
        ran = runner(ISSUE, COMMAND="check", OUTCOME=outcome, FINDINGS=str(findings))
        assert ran.returncode == 0, ran.stderr
        lines: list[str] = log.read_text().splitlines()
        return lines

    first = calls("failure", "")
    assert "--method POST repos/o/r/issues -f title=urlset check: a.txt" in first[1]
    marker = first[2]
    assert re.fullmatch(r"<!-- urlset check \d+-\d+ -->", marker)
    assert marker in first[0]  # by which it is found again
    assert first[3:] == [
        "The latest run: https://git.example/o/r/actions/runs/99",
        "",
        "a.txt:1: error",
    ]
    assert "--method PATCH repos/o/r/issues/12 -f state=open" in calls("failure", "12 open\n")[1]
    closing = calls("success", "12 open\n")
    assert "--method POST repos/o/r/issues/12/comments" in closing[1]
    assert "PATCH repos/o/r/issues/12 -f state=closed" in closing[3]
    assert len(calls("success", "12 closed\n")) == 1
    assert len(calls("success", "")) == 1
    assert "-f state=open" in calls("failure", "12 closed\n7 open\n")[1]
    findings.unlink()
    assert "its log has the reason" in calls("failure", "")[-1]


def test_findings_of_a_check_are_kept_for_the_issue(runner, tmp_path):
    (tmp_path / "a.txt").write_text("https://example.com/a b\n")
    ran = runner(RUN, COMMAND="check", SOURCE="a.txt", FORMAT="json", OUTPUT="report.json")

    assert ran.returncode == 1
    assert '"code": "U' in Path(outputs(tmp_path)["findings"]).read_text()


def test_scripts_have_no_text_of_inputs():
    assert "${{" not in RUN + COMMENT + ISSUE
