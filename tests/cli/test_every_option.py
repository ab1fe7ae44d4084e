"""Each option of each command runs once with a valid value, on a small site that is served."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import command
from tests.example_files import BASE, put_files
from tests.live_sites import put_site
from tests.option_values import PLACE, VALUES, VALUES_IN, text_of
from tests.site_box import SiteBox
from urlset.checker import CATALOGUE
from urlset.cli import main
from urlset.cli.command_model import describe_commands
from urlset.option_schema import options_of

pytestmark = pytest.mark.slow

QUICK = ["--delay", "0", "--confirm-after", "0"]
OUT = ["--base-url", BASE, "--output", "elsewhere"]

COMMANDS: dict[str, list[str]] = {
    "read": [PLACE],
    "build": ["rows.csv", "--base-url", "https://example.com/", "--output", "built"],
    "check": [PLACE],
    "crawl": [PLACE, "--store", "new.duckdb", *QUICK],
    "audit": [PLACE, *QUICK],
    "diff": ["sitemap.xml", "after.xml"],
    "watch": [PLACE, "--store", "watch.duckdb", "--delay", "0"],
    "submit": ["changes.jsonl", "--keys", "keys", "--store", "sent.duckdb", "--dry-run"],
    "sync": [PLACE, "--store", "sync.duckdb", "--delay", "0"],
    "report": ["site.duckdb"],
    "rules": ["L001"],
    "schema": ["build"],
    "completion": ["bash"],
}
"""The commands, with arguments that the case of an option extends."""

GOOGLE = ["--to", "google", "--property", f"{PLACE}/", "--google-credentials", "token", "--dry-run"]

CASES: dict[tuple[str, str], list[str]] = {
    ("read", "--base-url"): ["sitemap.xml", "--base-url", f"{PLACE}/"],
    ("check", "--base-url"): ["sitemap.xml", "--base-url", f"{PLACE}/"],
    ("audit", "--base-url"): ["sitemap.xml", *QUICK, "--base-url", f"{PLACE}/"],
    ("read", "--cache"): [PLACE, "--cache", "cache"],
    ("read", "--follow"): [PLACE, "--no-follow"],
    ("read", "--follow-only"): [PLACE, "--follow-only", "sitemap"],
    ("read", "--format"): [PLACE, "--format", "parquet", "--output", "rows.parquet"],
    ("read", "--hosts"): [PLACE, "--hosts", "127.0.0.1"],
    ("read", "--limit"): [PLACE, "--limit", "1"],
    ("read", "--max-documents"): [PLACE, "--max-documents", "3"],
    ("read", "--output"): [PLACE, "--output", "rows.csv"],
    ("read", "--scope"): [PLACE, "--scope", "sitemap"],
    ("read", "--since"): [PLACE, "--since", "2026-01-31"],
    ("read", "--sql"): [PLACE, "--sql", "select count(*) from entries"],
    ("read", "--sql-timeout"): [PLACE, "--sql", "select 1", "--sql-timeout", "9"],
    ("check", "--backup"): ["sitemap.xml", "--fix", "--backup"],
    ("check", "--diff"): ["sitemap.xml", "--fix", "--diff"],
    ("check", "--fix"): ["sitemap.xml", "--fix"],
    ("check", "--format"): ["sitemap.xml", "--format", "sarif"],
    ("check", "--output"): ["sitemap.xml", "--output", "found.txt"],
    ("check", "--unsafe-fixes"): ["sitemap.xml", "--fix", "--unsafe-fixes"],
    ("build", "--delimiter"): ["rows.txt", "--delimiter", ";", *OUT],
    ("build", "--query"): ["duckdb:///rows.duckdb", "--query", "from pages", *OUT],
    ("build", "--query-timeout"): [
        *("duckdb:///rows.duckdb", "--query", "from pages", "--query-timeout", "9"),
        *("--output", "o"),
    ],
    ("build", "--table"): ["rows.sqlite", "--table", "pages", *OUT],
    ("audit", "--logs"): [PLACE, *QUICK, "--logs", "access.log"],
    ("build", "--include-sitemap"): [
        *("sitemap.xml", "--base-url", PLACE, "--output", "elsewhere"),
        *("--include-sitemap", f"{PLACE}/sitemap.xml", "--name", "pages"),
    ],
    ("audit", "--seed"): [PLACE, *QUICK, "--sample", "2", "--seed", "7"],
    ("diff", "--max-requests"): ["sitemap.xml", "after.xml", "--live", "--max-requests", "5"],
    ("watch", "--webhook-format"): [
        *(PLACE, "--store", "watch.duckdb", "--delay", "0"),
        *("--webhook", f"{PLACE}/hook", "--webhook-format", "json"),
    ],
    ("crawl", "--why"): [PLACE, "--store", "site.duckdb", "--why", f"{PLACE}/a"],
    ("build", "--include"): ["rows.csv", "--include", "/[abc]", *OUT],
    ("report", "--format"): ["site.duckdb", "--format", "html", "--output", "site.html"],
    ("report", "--output"): ["site.duckdb", "--output", "site.txt"],
    ("submit", "--keys"): ["changes.jsonl", "--keys", "keys", "--dry-run"],
    ("submit", "--all"): ["built.duckdb", "--all", "--keys", "keys", "--dry-run"],
    ("submit", "--google-credentials"): GOOGLE,
    ("submit", "--inspect"): [*GOOGLE, "--inspect", "1", "--inspect-store", "site.duckdb"],
    ("submit", "--inspect-store"): [*GOOGLE, "--inspect", "1", "--inspect-store", "site.duckdb"],
    ("submit", "--new-key"): ["--new-key", "public"],
    ("submit", "--property"): GOOGLE,
    ("submit", "--resubmit"): [*GOOGLE, "--resubmit"],
    ("submit", "--retry-refused"): [
        "changes.jsonl",
        "--retry-refused",
        "--keys",
        "keys",
        "--dry-run",
    ],
    ("submit", "--sitemap"): [*GOOGLE, "--sitemap", f"{PLACE}/sitemap.xml"],
    ("submit", "--status"): [*GOOGLE, "--status"],
    ("submit", "--to"): GOOGLE,
}
"""Arguments after the command, instead of all above."""

ELSEWHERE = {("build", "--cache-control"), ("build", "--encoding")}
"""Options of a bucket, which the tests of the publisher use."""


def options() -> Iterator[tuple[str, str, str]]:
    """Yield each command and option, and the name of its value, if it has one."""
    for described in describe_commands():
        for option in described.options:
            case = described.name, option.names[0]
            if case[0] in COMMANDS and case[1] != "--help" and case not in ELSEWHERE:
                yield *case, option.value


@pytest.fixture(scope="module")
def box() -> Iterator[SiteBox]:
    with SiteBox() as served:
        put_site(served, {"/": ["/a", "/b"], "/a": ["/c"], "/b": ["/"], "/c": []})
        served.put("/0123456789abcdef.txt", "0123456789abcdef", kind="text/plain")
        yield served


@pytest.fixture(scope="module")
def prepared(box: SiteBox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the arguments name."""
    folder = tmp_path_factory.mktemp("prepared")
    put_files(folder, box.site)
    host = box.site.removeprefix("http://")
    for name, text in {
        "rows.txt": f"loc;lastmod\n{BASE}a;2026-01-31\n",
        "token": "ya29.token",
        "auth": "me:secret",
        "keys": f"{host} 0123456789abcdef\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "public").mkdir()
    with contextlib.chdir(folder):
        for arguments in (
            ["crawl", box.site, "--store", "site.duckdb", *QUICK],
            ["check", box.site, "--write-baseline", "check.json"],
            ["audit", box.site, "--write-baseline", "audit.json", *QUICK],
            ["diff", "sitemap.xml", "after.xml", "--format", "jsonl", "--output", "changes.jsonl"],
            ["build", *COMMANDS["build"], "--ledger", "built.duckdb"],
        ):
            assert main(arguments) in (0, 1)
    return folder


@pytest.mark.parametrize(("name", "option", "value"), [*options()])
def test_an_option_runs(
    name: str,
    option: str,
    value: str,
    box: SiteBox,
    prepared: Path,
    capsys: Any,
    monkeypatch: Any,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    run = command(capsys, monkeypatch, folder)
    arguments = CASES.get((name, option))
    if arguments is None:
        arguments = [*COMMANDS[name], option]
        if value:
            (declared,) = (each for each in options_of(name) if each.flags[0] == option)
            given = text_of(name, declared)
            assert given, f"add a value for {option} of {name} to tests/option_values.py"
            arguments.append(given)

    ran = run(
        name,
        *(part.replace(PLACE, box.site).replace("{command}", name) for part in arguments),
    )

    assert ran.code in (0, 1), ran.err
    assert "internal error" not in ran.err


@pytest.mark.parametrize("family", sorted({code[0] for code in CATALOGUE}))
@pytest.mark.parametrize("name", ["check", "audit"])
def test_rules_of_one_family_run_alone(
    name: str, family: str, box: SiteBox, capsys: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    run = command(capsys, monkeypatch, tmp_path)
    arguments = [part.replace(PLACE, box.site) for part in COMMANDS[name]]

    ran = run(name, *arguments, "--select", family)

    assert ran.code in (0, 1), ran.err


def test_every_value_is_of_an_option() -> None:
    known = {case[:2] for case in options()} | ELSEWHERE

    assert VALUES_IN.keys() <= known
    assert VALUES.keys() <= {flag for _, flag in known}
    assert CASES.keys() <= known


def test_every_command_is_here() -> None:
    names = {described.name for described in describe_commands()}

    assert names - {"", "mcp"} == COMMANDS.keys()
