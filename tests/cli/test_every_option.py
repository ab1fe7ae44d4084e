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
from tests.site_box import SiteBox
from urlset.checker import CATALOGUE
from urlset.cli import main
from urlset.cli.command_model import describe_commands

pytestmark = pytest.mark.slow

PLACE = "{place}"
"""Stands for the address of the site in the arguments below."""

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

VALUES: dict[str, str] = {
    "--auth-file": "auth",
    "--base-url": "https://example.com/",
    "--baseline": "{command}.json",
    "--color": "always",
    "--concurrency": "2",
    "--config": "urlset.toml",
    "--confirm-after": "0",
    "--delay": "0",
    "--engine": "reference",
    "--exclude": "/b",
    "--extend-select": "L",
    "--fail-level": "info",
    "--header": "X-Test: 1",
    "--ignore": "L",
    "--include": "/a",
    "--max-examples": "1",
    "--max-minutes": "1",
    "--max-requests": "5",
    "--profile": "bing",
    "--recheck-sitemaps": "2",
    "--report": "report.html",
    "--rule-timeout": "9",
    "--select": "L",
    "--store": "store.duckdb",
    "--timeout": "9",
    "--user-agent": "tester/1.0",
    "--why": "{place}/a",
    "--write-baseline": "new.json",
}
"""Values of options, in every command that has them."""

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

VALUES_IN: dict[tuple[str, str], str] = {
    ("crawl", "--format"): "json",
    ("crawl", "--max-depth"): "2",
    ("crawl", "--max-pages"): "2",
    ("crawl", "--scope"): "folder",
    ("audit", "--format"): "junit",
    ("audit", "--indexnow-key"): "0123456789abcdef",
    ("audit", "--output"): "found.txt",
    ("audit", "--sample"): "2",
    ("diff", "--format"): "markdown",
    ("diff", "--max-added"): "50%",
    ("diff", "--max-changed"): "3",
    ("diff", "--max-removed"): "3",
    ("diff", "--min-confidence"): "0.5",
    ("diff", "--output"): "diff.txt",
    ("watch", "--format"): "json",
    ("watch", "--webhook"): "{place}/hook",
    ("submit", "--endpoint"): "{place}/indexnow",
    ("submit", "--format"): "json",
    ("submit", "--max-wait"): "1",
    ("submit", "--preflight-pages"): "1",
    ("sync", "--batch-size"): "2",
    ("sync", "--max-removed-share"): "0.5",
    ("sync", "--output"): "pages",
    ("sync", "--recheck-pages"): "2",
    ("rules", "--format"): "json",
    ("build", "--allowed-host"): "www.example.org",
    ("build", "--changes"): "new.jsonl",
    ("build", "--exclude-by-robots"): "robots.txt",
    ("build", "--excluded"): "excluded.csv",
    ("build", "--filter"): "drop:/b",
    ("build", "--force"): "shrunk",
    ("build", "--format"): "text",
    ("build", "--git-path"): "pages/{path}.md",
    ("build", "--git-root"): ".",
    ("build", "--grace"): "7d",
    ("build", "--index"): "always",
    ("build", "--keep-parameter"): "id",
    ("build", "--lastmod"): "given",
    ("build", "--ledger"): "other.duckdb",
    ("build", "--map"): "lastmod=changed",
    ("build", "--max-bytes"): "10000",
    ("build", "--max-urls"): "2",
    ("build", "--min-hits"): "1",
    ("build", "--min-share"): "0.5",
    ("build", "--max-removed"): "100%",
    ("build", "--name"): "pages",
    ("build", "--name-pattern"): "pages-{number}.xml",
    ("build", "--on-error"): "skip",
    ("build", "--output"): "elsewhere",
    ("build", "--rewrite"): "/a=>/c",
    ("build", "--robots"): "robots.txt",
    ("build", "--section"): "a=/a",
    ("build", "--stylesheet"): "sitemap.css",
    ("build", "--why"): "https://example.com/a",
    ("build", "--with"): "images",
}


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
        given = VALUES_IN.get((name, option)) or VALUES.get(option)
        assert given or not value, f"add a value for {option} of {name} to this file"
        arguments = [*COMMANDS[name], option, *([given] if given and value else [])]

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


def test_every_command_is_here() -> None:
    names = {described.name for described in describe_commands()}

    assert names - {"", "mcp"} == COMMANDS.keys()
