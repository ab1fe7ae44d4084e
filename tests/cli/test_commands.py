"""The command line: help, version, errors, and `urlset read` with its formats."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from urlset.checker import CATALOGUE
from urlset.cli import main
from urlset.cli.app import COMMANDS
from urlset.cli.version import version_line
from urlset.model import Entry
from urlset.reader.row_formats import w3c_lastmod
from urlset.terminal_text import cells

GOLDEN = Path(__file__).parent / "golden"
SITE = Path(__file__).parents[2] / "examples" / "site"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
RICH = f"""<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>https://e.com/ä</loc><lastmod>2026-01-31</lastmod><priority>0.0</priority>
<image:image><image:loc>https://e.com/i.jpg</image:loc><image:title>I</image:title></image:image></url>
<url><loc>https://e.com/b,"c"</loc><lastmod>Fri, 02 Jan 2026 10:00:00 GMT</lastmod></url>
</urlset>
""".encode()


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def command(capsys, monkeypatch, folder):
    """The command, run in this process, in an empty folder, for a reader of 80 columns."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


# ── the door ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "command",
    [
        "",
        "read",
        "build",
        "check",
        "crawl",
        "audit",
        "diff",
        "watch",
        "submit",
        "sync",
        "report",
        "rules",
        "schema",
        "mcp",
        "completion",
    ],
)
def test_help_is_golden(command, urlset):
    # A change of the help updates the file and fails once: look at it, and commit it.
    golden = GOLDEN / f"help{'-' if command else ''}{command}.txt"

    ran = urlset(*command.split(), "--help")

    before = golden.read_text(encoding="utf-8") if golden.exists() else ""
    if ran.out != before:
        golden.write_text(ran.out, encoding="utf-8")
    assert ran.code == 0
    assert ran.out == before, f"{golden} is updated"
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not command or "Examples:" in ran.out
    assert "Exit codes: " in ran.out
    assert "--color" in ran.out


def test_the_options_of_a_build_are_in_groups(urlset):
    text = urlset("build", "--help").out

    sections = re.split(r"^(\w+):\n", text.partition("\nOptions:\n")[2], flags=re.MULTILINE)
    general, groups = sections[0], dict(zip(sections[1::2], sections[2::2], strict=True))
    options = {name: re.findall(r"^  (?:-\w, )?(--[a-z-]+)", part, re.MULTILINE)
               for name, part in groups.items()}  # fmt: skip
    assert list(options) == ["Input", "URLs", "Dates", "Files", "Publishing", "Safety"]
    assert all(3 <= len(names) <= 12 for names in options.values())
    assert options["Dates"] == ["--git-root", "--git-path", "--lastmod"]
    assert "--force" in options["Safety"]
    assert re.findall(r"^  (?:-\w, )?(--[a-z-]+)", general, re.MULTILINE) == [
        "--config", "--json", "--quiet", "--verbose", "--engine", "--color", "--help",
    ]  # fmt: skip


def test_version_names_the_engine(urlset, monkeypatch):
    monkeypatch.setenv("URLSET_ENGINE", "reference")

    ran = urlset("--version")

    assert ran.code == 0
    assert re.fullmatch(r"urlset \S+ \(reference engine: selected by URLSET_ENGINE\)\n", ran.out)


def test_version_with_the_name_of_no_engine_says_so(monkeypatch):
    monkeypatch.setenv("URLSET_ENGINE", "nope")

    assert version_line().endswith(
        "(no engine: URLSET_ENGINE is 'nope'; expected native or reference)"
    )


def test_version_without_the_native_engine_says_why(monkeypatch):
    monkeypatch.delenv("URLSET_ENGINE", raising=False)
    monkeypatch.setitem(sys.modules, "urlset.engine._native", None)

    assert version_line().endswith(
        "(reference engine: the native engine is not built; building it needs cargo)"
    )


def test_version_says_if_the_engine_is_compiled_without_optimization(monkeypatch):
    monkeypatch.delenv("URLSET_ENGINE", raising=False)
    quick = SimpleNamespace(OPT_LEVEL="0")
    monkeypatch.setitem(sys.modules, "urlset.engine._native", quick)

    assert "optimization level 0 of 3, so it is slower" in version_line()


def test_version_loads_neither_rich_nor_arrow_nor_click():
    code = (
        "import sys; from urlset.cli import main; main(['--version']);"
        "print(sorted({'rich', 'click', 'arro3'} & sys.modules.keys()))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines()[1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_loads_neither_rules_nor_duckdb(name):
    code = (
        "import sys\nfrom urlset.cli import main\n"
        f"main([{name!r}, '--help'])\n"
        "print(sorted({'duckdb', 'urlset.checker', 'urlset.engine.native', 'msgspec'} "
        "& sys.modules.keys()))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines()[-1] == "[]"


def test_check_of_a_file_loads_no_http_client(tmp_path):
    (tmp_path / "one.xml").write_text("<urlset/>")
    code = (
        "import sys\nfrom urlset.cli import main\n"
        "try:\n    main(['check', 'one.xml'])\nfinally:\n"
        "    print(sorted({'asyncio', 'ssl', 'tomllib', 'configparser', 'msgspec', "
        "'urlset.builder'} & sys.modules.keys()))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert ran.stdout.splitlines()[-1] == "[]"


def test_build_of_a_folder_loads_neither_rules_nor_tls(tmp_path):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("<!doctype html><title>T</title>x")
    code = (
        "import sys\nfrom urlset.cli import main\n"
        "try:\n    main(['build', 'public', '--base-url', 'https://e.com/', '--output', 'maps'])\n"
        "finally:\n    print(sorted({'urlset.checker', 'urllib.request', 'ssl', 'difflib'} "
        "& sys.modules.keys()))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert (tmp_path / "maps" / "sitemap.xml").exists()
    assert ran.stdout.splitlines()[-1] == "[]"


def test_module_is_the_command():
    ran = subprocess.run(
        [sys.executable, "-m", "urlset", "-V"], capture_output=True, text=True, check=True
    )

    assert ran.stdout.startswith("urlset ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reed"], "did you mean 'read'"),
        (["compare", "a", "b"], "no such command 'compare'; did you mean 'diff'?"),
        (["fix", "a"], "no such command 'fix'; did you mean 'check --fix'?"),
        (["build", "a", "--format", "json"], "expected xml, text, found 'json'; use --json"),
        *(
            ([*words.split(), "--format", "html"], "'html'; use --report FILE.html")
            for words in ("audit a", "check a", "crawl a", "diff a b", "watch a")
        ),
        (["submit", "a", "--format", "html"], "expected text, json, found 'html' (see"),
        (["check", "a", "--ignore", "X99"], "check: --ignore: expected the name or the code of a"),
        (["lint"], "no such command 'lint'; did you mean 'check'?"),
        (["nonsense"], "no such command 'nonsense'; expected audit, build"),
        (["--nonsense"], "no such option"),
        (["read"], "missing argument"),
        (["read", "a", "--fromat", "csv"], "'--fromat'; did you mean '--format'?"),
        (["read", "a", "--limit"], "(see `urlset read --help`)"),
        (["read", "a", "--format", "xls"], "--format"),
        (["read", "a", "--limit", "-1"], "--limit"),
        (["read", "a", "--limit", "many"], "--limit"),
        (["read", "a", "--since", "yesterday"], "expected a date like 2026-01-31"),
        (["read", "a", "--since", "01/02/2026"], "expected a date like 2026-01-31"),
        (["read", "a", "--include", "("], "expected a regular expression"),
        (["read", "a", "--base-url", "e.com"], "'--base-url': expected an http(s) URL like https:"),
        (["read", "a", "--follow-only", "("], "--follow-only: expected a regular expression"),
        (["read", "a", "--limit", "1" + "0" * 19], "expected a whole number of at most"),
        (["read", "a", "--delay", "1e999"], "expected a number of at most"),
        (["read", "a", "--engine", "steam"], "--engine"),
        (["read", "none.xml"], "found nothing at 'none.xml'"),
        (["read", "https://"], "expected an http or https URL"),
        (["read", "a\x1b[2J"], "\\x1b[2J"),
        (["read", "."], "found none"),
        (["check", "a", "--select", "X99"], "--select"),
        (["check", "a", "--fail-level", "fatal"], "--fail-level"),
        (["build", "a"], "--output"),
        (["build", "none.txt", "-o", "out"], "none.txt"),
        (["build", "a", "-o", "out", "--max-urls", "50001"], "--max-urls"),
        (["build", "a", "-o", "out", "--max-urls", "0"], "--max-urls"),
        (["build", "a", "-o", "out", "--base-url", "e.com"], "expected --base-url"),
        (["build", "a", "-o", "out", "--name", "a/b"], "name"),
        (["rules", "nonsense"], "nonsense"),
    ],
)
def test_misuse_is_reported_in_one_line(arguments, words, urlset):
    Path("a").write_bytes(b"")

    ran = urlset(*arguments)

    assert ran.code == 2
    assert ran.out == ""
    assert words.lower() in ran.err.lower()
    assert ran.err.startswith("urlset: ")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("command", "wrong", "meant"),
    [
        ("crawl", "--limit", "--max-pages"),
        ("crawl", "--max-requests", "--max-pages"),
        ("crawl", "--nolinks", "--no-links"),
        ("crawl", "--agent", "--user-agent"),
        ("crawl", "--reprot", "--report"),
        ("build", "--max-removed-share", "--max-removed"),
        ("diff", "--max-removed-share", "--max-removed"),
        ("diff", "--min-share", "--max-removed"),
        ("read", "--max-urls", "--limit"),
        ("crawl", "--ledger", "--store"),
        ("audit", "--ledger", "--store"),
        ("read", "--exclude-host", "--exclude"),
        ("read", "--token", "--auth-file"),
        ("crawl", "--bearer", "--auth-file"),
        ("sync", "--max-pages", "--max-requests"),
        ("sync", "--state", "--store"),
        ("check", "--fail-on", "--fail-level"),
        ("check", "--url", "--base-url"),
        ("build", "--out", "--output"),
        ("check", "--allow", "--ignore"),
        ("read", "--max-pages", "--limit"),
        ("audit", "--skip", "--ignore"),
        ("check", "--dry-run", "--diff"),
        ("crawl", "--max-urls", "--max-pages"),
        ("audit", "--database", "--store"),
        ("sync", "--path", "--store"),
        ("diff", "--max-pages", "--max-requests"),
        ("watch", "--state", "--store"),
        *(
            (command, name, "--auth-file")
            for command in ("read", "sync")
            for name in (
                "--password-file",
                "--credentials-file",
                "--login-file",
                "--token-file",
                "--secret-file",
                "--auth-from",
                "--username",
                "-u",
            )
        ),
        *(("read", name, "--output") for name in ("--out", "--save", "--to-csv", "--write-csv")),
        ("audit", "--outfile", "--output"),
        ("diff", "--filter", "--include"),
        *(
            ("check", name, "--ignore")
            for name in ("--skip-rule", "--disable-rule", "--no-rule", "--without", "--off")
        ),
        *(("submit", name, "--dry-run") for name in ("--preview", "--simulate", "--no-send", "-n")),
        *(
            (command, name, "--max-minutes")
            for command in ("audit", "crawl", "sync")
            for name in ("--max-duration", "--deadline")
        ),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(command, wrong, meant, urlset):
    ran = urlset(command, "a", wrong, "x")

    assert ran.code == 2
    assert ran.err == (
        f"urlset: no such option {wrong!r}; did you mean {meant!r}? "
        f"(see `urlset {command} --help`)\n"
    )


@pytest.mark.parametrize(
    ("command", "wrong"),
    [("audit", "--page-size"), ("read", "--page-size"), ("crawl", "--max")],
)
def test_an_unknown_option_that_resembles_none_names_none(command, wrong, urlset):
    ran = urlset(command, "a", wrong, "x")

    assert ran.err == f"urlset: no such option {wrong!r} (see `urlset {command} --help`)\n"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["check", "a", "--store", "x"], ": check keeps no store; did you mean '--output'?"),
        (["audit", "a", "--dry-run"], "; build, submit and sync have it"),
        (["check", "a", "--json"], "; did you mean --format json?"),
        (["watch", "a", "--json"], "; did you mean --format json?"),
        (["read", "a", "--csv"], "; did you mean --format csv?"),
        (
            ["crawl", "a", "--rate", "2"],
            ": --delay is the time between two requests, such as --delay 0.5 for two in a second",
        ),
        (["crawl", "a", "--max-time", "2"], "; did you mean '--max-minutes'?"),
        (["audit", "a", "--html"], "; did you mean '--report'?"),
        (["report", "a", "--report", "x.html"], "; did you mean '--output'?"),
        (["diff", "a", "b", "--max-minutes", "2"], ": --max-requests limits its requests"),
        (
            ["submit", "a", "--delay", "2"],
            ": in Python, delay_s of policy=urlset.Policy(…) is the time between requests to "
            "a host",
        ),
        (
            ["submit", "a", "--header", "A: b"],
            ": in Python, headers of policy=urlset.Policy(…) is a dict of headers of each request",
        ),
        (
            ["check", "a", "--exclude", "x"],
            ": rules are about whole documents, so no URLs are selected; --ignore switches a rule "
            "off",
        ),
        *(
            (
                ["check", "a", name, "x"],
                ": check has no selection of URLs, because rules are about whole documents",
            )
            for name in ("--include", "--filter", "--domain")
        ),
        *(
            (
                ["read", "a", name],
                ": a .netrc file is not read, $URLSET_AUTH is; did you mean '--auth-file'?",
            )
            for name in ("--netrc", "--netrc-file")
        ),
        (["build", "a", "--netrc"], ": a .netrc file is not read, $URLSET_AUTH is"),
        *(
            (
                ["build", "a", name, "x"],
                ": $URLSET_AUTH is sent to sites, as auth of urlset.build is",
            )
            for name in ("--password-file", "--login", "-u")
        ),
        *(
            (
                ["submit", "a", name, "x"],
                ": --keys has the key of IndexNow, --google-credentials the token of Search "
                "Console",
            )
            for name in ("--auth-file", "--password-file", "--token")
        ),
        *(
            (
                ["watch", "a", name, "3"],
                ": watch reads sitemaps, each within the time limit of a document",
            )
            for name in ("--max-minutes", "--max-duration", "--deadline")
        ),
        (
            ["read", "a", "--max-minutes", "2"],
            ": --timeout limits the time of each document",
        ),
        (["read", "a", "--store", "x"], ": --output FILE.duckdb writes a store"),
        (["read", "a", "--database", "x"], ": --output FILE.duckdb writes a store"),
        (["check", "a", "--db", "x"], ": check keeps no store; did you mean '--output'?"),
        (["submit", "--file", "x"], "; did you mean the argument CHANGES?"),
        *(
            (
                ["watch", "a", name, "3"],
                ": watch has alerts about removed URLs and no limit; after it, `urlset diff "
                "STORE@-1 STORE@latest --max-removed N` exits with 1",
            )
            for name in ("--max-removed", "--max-removed-share")
        ),
        (
            ["diff", "a", "b", "--hosts", "x"],
            ": listed URLs of all hosts count; --include //HOST/ selects those of a host",
        ),
        *(
            (
                ["audit", "a", name, "x"],
                ": listed URLs of all hosts count; --include //HOST/ selects those of a host",
            )
            for name in ("--domain", "--only-host")
        ),
        (
            ["watch", "a", "--output", "x.json"],
            ": --report FILE.html writes the result with charts, --format json has it as JSON",
        ),
        (["watch", "a", "--limit", "3"], ": watch requests sitemaps only"),
        (
            ["submit", "a", "--limit", "3"],
            ": submit sends batches; --preflight-pages limits the pages that it visits",
        ),
        *(
            (
                ["audit", "a", name, "3"],
                ": --sample visits so many of the listed pages, --max-requests limits all requests",
            )
            for name in ("--max-urls", "--limit", "--max-pages")
        ),
        (
            ["build", "a", "--delay", "2"],
            ": options of requests are those of read: `urlset read SITE --delay 2 -o site.duckdb`, "
            "then `urlset build site.duckdb`",
        ),
        *(
            (
                ["build", "a", name, "x"],
                ": build lists only URLs of the host of --base-url; --include //HOST/ keeps only "
                "those of one host, and --allowed-host allows another host, too",
            )
            for name in ("--host", "--hosts")
        ),
        (["build", "a", "--allow-host", "x"], "; did you mean '--allowed-host'?"),
        (["build", "a", "--auth-file", "x"], ": $URLSET_AUTH is sent to sites"),
        (
            ["build", "a", "--auth", "x"],
            ": $URLSET_AUTH is sent to sites, as auth of urlset.build is",
        ),
        (
            ["submit", "a", "--key", "x"],
            ": a key is given in a file with the key, or in $URLSET_INDEXNOW_KEY; "
            "did you mean '--keys'?",
        ),
        *(
            (["check", "a", name], ": [[check.rules]] of urlset.toml declares rules of your own")
            for name in ("--plugin", "--rules")
        ),
        (["audit", "a", "--progress"], ": progress is shown by itself; --quiet hides it"),
        (["read", "a", "--no-progress"], ": progress is shown by itself; --quiet hides it"),
        (["rules", "--json"], "; did you mean --format json?"),
        *(
            (["sync", "a", name], ": sync always writes JSON lines")
            for name in ("--json", "--format")
        ),
        (
            ["sync", "a", "--report", "x"],
            ": `urlset report STORE --output report.html` reports on its store",
        ),
        *(
            (
                ["crawl", "a", name, "x"],
                ": --store FILE.duckdb has the pages and links, --report FILE.html writes the "
                "result with charts, --format json has it as JSON",
            )
            for name in ("--output", "-o")
        ),
        (
            ["watch", "a", "-o", "x"],
            ": --report FILE.html writes the result with charts, --format json has it as JSON",
        ),
        (["build", "a", "--report", "x"], "; check, crawl, audit, diff and watch have it"),
        (
            ["submit", "a", "--concurrency", "2"],
            ": in Python, concurrency of policy=urlset.Policy(…) is the number of requests at the "
            "same time",
        ),
        (["read", "--path", "a"], "; did you mean the argument SOURCE?"),
        (["diff", "--path", "a"], "; did you mean the argument BEFORE?"),
        (["build", "a", "--state", "x"], "; did you mean '--ledger'?"),
        (["submit", "--ledger", "a"], "; did you mean the argument CHANGES?"),
        (["crawl", "--url", "a"], "; did you mean the argument SITE?"),
        (["check", "--site", "a"], "; did you mean the argument SOURCE?"),
        (["diff", "--old", "a"], "; did you mean the argument BEFORE?"),
        (["submit", "a", "--indexnow-key", "x"], "; did you mean '--keys'?"),
        (["submit", "a", "--google-token", "x"], "; did you mean '--google-credentials'?"),
        (["audit", "a", "--keys", "x"], "; did you mean '--indexnow-key'?"),
        (["crawl", "a", "--password", "x"], "; did you mean '--auth-file'?"),
        (["submit", "--urls", "a"], "; did you mean the argument CHANGES?"),
        (
            ["crawl", "a", "--ignore-robots"],
            ": pages that robots.txt disallows are never visited; only in Python, "
            "policy=urlset.Policy(obey_robots=False) searches sitemaps also at URLs that it "
            "disallows",
        ),
    ],
)
def test_an_unknown_option_is_explained(arguments, advice, urlset):
    wrong = next(each for each in arguments if each.startswith("-"))

    ran = urlset(*arguments)

    assert ran.code == 2
    assert ran.err == (
        f"urlset: no such option {wrong!r}{advice} (see `urlset {arguments[0]} --help`)\n"
    )


@pytest.mark.parametrize(
    ("command", "value", "advice"),
    [
        *(
            (command, "10m", "; write seconds without a unit; --max-minutes limits the whole run")
            for command in ("audit", "crawl", "sync")
        ),
        ("watch", "2 hours", "; write seconds without a unit"),
        ("audit", "soon", ""),
    ],
)
def test_a_time_limit_with_a_unit_is_refused_with_the_limit_of_the_run(
    command, value, advice, urlset
):
    ran = urlset(command, "a", "--timeout", value)

    assert ran.code == 2
    assert ran.err == (
        f"urlset: invalid value for '--timeout': expected a number of at least 0.1, found {value!r}"
        f"{advice} (see `urlset {command} --help`)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "output", "advice"),
    [
        (["check", "a"], "q.html", "--report q.html"),
        (["check", "a", "--format", "json"], "q.htm", "--report q.htm"),
        (["check", "a"], "q.json", "--format json"),
        (["check", "a"], "q.xml", "--format junit"),
        (["audit", "a"], "Q.HTML", "--report Q.HTML"),
        (["audit", "a"], "q.sarif", "--format sarif"),
        (["diff", "a", "a"], "q.html", "--report q.html"),
        (["diff", "a", "a"], "q.md", "--format markdown"),
        (["report", "a"], "q.json", "--format json"),
        (["report", "a"], "q.csv", "q.txt"),
        (["check", "a"], "q.parquet", "q.txt"),
        (["audit", "a", "--format", "json"], "q.csv", "q.json"),
        (["diff", "a", "a", "--format", "jsonl"], "my q.csv", "'my q.jsonl'"),
    ],
)
def test_an_output_with_the_suffix_of_another_format_is_refused(arguments, output, advice, urlset):
    Path("a").write_bytes(b"https://example.com/\n")
    form = arguments[-1] if "--format" in arguments else "text"

    ran = urlset(*arguments, "--output", output)

    assert ran.code == 2
    assert ran.err == (
        f"urlset: --output: expected another suffix for {form}, found {output!r}; use {advice}\n"
    )
    assert [path.name for path in Path().iterdir()] == ["a"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "a"],
        ["audit", "a"],
        ["diff", "a", "a"],
        ["crawl", "https://example.com", "--store", "s.duckdb"],
        ["watch", "https://example.com", "--store", "s.duckdb"],
    ],
)
@pytest.mark.parametrize(
    ("report", "advice"),
    [
        ("r.json", "r.html; --format json has it as JSON"),
        ("r.CSV", "r.html"),
        ("r.duckdb", "r.html"),
        ("my r.xml", "'my r.html'"),
    ],
)
def test_a_report_with_the_suffix_of_another_format_is_refused(arguments, report, advice, urlset):
    Path("a").write_bytes(b"https://example.com/\n")

    ran = urlset(*arguments, "--report", report)

    assert ran.code == 2
    assert ran.err == (
        f"urlset: --report: expected another suffix for html, found {report!r}; use {advice}\n"
    )
    assert [path.name for path in Path().iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["sync", "https://example.com", "--store", "s.duckdb", "--output", "q.html"],
            "expected a name that ends with .jsonl, found 'q.html'; sync writes JSON lines",
        ),
        (
            ["build", "a", "--output", "sitemap.xml"],
            "expected a folder or a bucket, found 'sitemap.xml'; --name names the files, and - "
            "prints a single sitemap",
        ),
    ],
)
def test_an_output_that_cannot_have_its_suffix_is_refused(arguments, message, urlset):
    Path("a").write_bytes(b"https://example.com/\n")

    ran = urlset(*arguments)

    assert (ran.code, ran.err) == (2, f"urlset: --output: {message}\n")
    assert [path.name for path in Path().iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("form", "output"),
    [("text", "q.txt"), ("text", "q"), ("sarif", "q.json"), ("junit", "q.xml"), ("json", "q.txt")],
)
def test_other_suffixes_are_written(form, output, urlset):
    Path("a").write_bytes(b"https://example.com/\n")

    assert urlset("check", "a", "--format", form, "--output", output).code == 0
    assert Path(output).is_file()


def test_check_of_what_is_not_there_is_a_finding_and_a_failure(urlset):
    ran = urlset("check", "none.xml")

    assert ran.code == 2
    assert "error N003[sitemap-unreachable]" in ran.out
    assert "found nothing at 'none.xml'" in ran.out


def test_bug_is_reported_as_such(urlset, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("urlset.cli.read_session.open_source", broken)

    ran = urlset("read", SITE)

    assert ran.code == 2
    assert "please report it: ZeroDivisionError: oh" in ran.err


# ── read: formats ────────────────────────────────────────────────────────────────────────────


def test_read_table_at_80_columns(urlset):
    ran = urlset("read", SITE / "sitemap.xml")

    assert ran.code == 0
    lines = [line for line in ran.out.splitlines() if not line.startswith(str(SITE))]
    assert max(map(cells, lines)) <= 80
    assert (
        "loc                                           lastmod     freq    prio  img  alt" in lines
    )
    assert ran.err == "14 entries from 6 documents, including 1 index\n"
    assert "\x1b" not in ran.out


def test_read_table_has_the_columns_that_have_a_value(urlset):
    ran = urlset("read", "-", stdin=b"https://e.com/\n")

    assert ran.out == "-\nloc\n──────────────────────────\nhttps://e.com/\n".replace(
        "─" * 26, "─" * 24
    )


def test_read_table_of_wide_letters_stays_in_line(urlset):
    loc = "https://e.com/" + "東" * 60
    data = f"<urlset {NS}><url><loc>{loc}</loc><priority>1</priority></url></urlset>"

    ran = urlset("read", "-", stdin=data.encode())

    row = ran.out.splitlines()[-1]
    assert "…" in row
    assert row.endswith(" 1.0")
    assert cells(row) <= 80


def test_read_table_of_many_rows_begins_anew(urlset):
    ran = urlset("read", "-", stdin=b"".join(b"https://e.com/%d\n" % n for n in range(2_500)))

    assert ran.out.count("\nloc\n") == 3
    assert ran.out.count("https://e.com/") == 2_500


def test_read_jsonl_is_a_contract(urlset):
    ran = urlset("read", "-", "--format", "jsonl", stdin=RICH)

    first, second = map(json.loads, ran.out.splitlines())
    assert first == {
        "loc": "https://e.com/ä",
        "lastmod": "2026-01-31",
        "changefreq": None,
        "priority": 0.0,
        "source": "-",
        "line": 2,
        "images": [{"loc": "https://e.com/i.jpg", "title": "I"}],
    }
    assert list(second) == ["loc", "lastmod", "changefreq", "priority", "source", "line"]
    assert second["lastmod"] == "2026-01-02T10:00:00Z"


def test_read_csv_is_rfc_4180(urlset):
    ran = urlset("read", "-", "--format", "csv", "--output", "out.csv", stdin=RICH)

    data = Path("out.csv").read_bytes().decode()
    assert data.count("\r\n") == data.count("\n") == 3
    assert list(csv.reader(io.StringIO(data, newline=""))) == [
        ["loc", "lastmod", "changefreq", "priority", "source", "line"],
        ["https://e.com/ä", "2026-01-31", "", "0.0", "-", "2"],
        ['https://e.com/b,"c"', "2026-01-02T10:00:00Z", "", "", "-", "4"],
    ]
    assert ran.out == ""


def test_read_txt_is_a_loc_a_line(urlset):
    ran = urlset("read", "-", "--format", "txt", stdin=RICH)

    assert ran.out == 'https://e.com/ä\nhttps://e.com/b,"c"\n'


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.jsonl", "{"), ("a.json", '[\n{"loc"'), ("a.CSV", "loc,"), ("a.txt", "http")],
)
def test_read_format_follows_the_name_of_the_output(name, start, urlset):
    urlset("read", "-", "--output", name, stdin=RICH)

    assert Path(name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.csv.gz", "table"])
def test_read_writes_no_file_whose_name_says_another_format(name, urlset):
    ran = urlset("read", "-", "--output", name, stdin=RICH)
    told = urlset("read", "-", "--output", name, "--format", "txt", stdin=RICH)

    assert ran.code == 2
    assert f".parquet, .duckdb, found '{name}'" in ran.err
    assert told.code == 0
    assert Path(name).read_text(encoding="utf-8").startswith("https://e.com/")


def test_read_json_is_an_array_of_what_jsonl_has(urlset):
    lines = urlset("read", "-", "--format", "jsonl", stdin=RICH).out
    array = urlset("read", "-", "--format", "json", stdin=RICH).out
    query = "SELECT loc FROM entries LIMIT 1"
    asked = urlset("read", "-", "--format", "json", "--sql", query, stdin=RICH).out

    assert json.loads(array) == [json.loads(line) for line in lines.splitlines()]
    assert json.loads(asked) == [{"loc": "https://e.com/ä"}]


def test_read_takes_the_array_of_json_that_it_writes(urlset):
    urlset("read", "-", "--output", "a.json", stdin=RICH)

    ran = urlset("read", "a.json", "--format", "txt")

    assert ran.code == 0
    assert ran.out == urlset("read", "-", "--format", "txt", stdin=RICH).out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026", "2026"),
        ("2026-01-31T10:00+01:00", "2026-01-31T10:00+01:00"),
        ("2026-01-31T10:00:00.123456789Z", "2026-01-31T10:00:00.123456789Z"),
        ("2026/1/31", "2026-01-31"),
        ("20260131", "2026-01-31"),
        ("2026-01-31 10:00:00", "2026-01-31T10:00:00Z"),
        ("2026-01-31T10:00:00+0100", "2026-01-31T09:00:00Z"),
        ("31/01/2026", None),
        ("2026-02-30", None),
        ("", None),
    ],
)
def test_lastmod_is_w3c_or_nothing(text, written):
    assert w3c_lastmod(Entry("https://e.com/", lastmod_text=text)) == written


# ── read: choices ────────────────────────────────────────────────────────────────────────────


def test_read_since(urlset):
    ran = urlset("read", SITE / "sitemap.xml", "--since", "2026-11-05", "--format", "txt")

    assert ran.out.splitlines() == [
        "https://www.example.com/blog/rye",
        "https://www.example.com/news/new-mill",
    ]
    # The index says of two of the six documents that they are older.
    assert ran.err.startswith("2 entries of 6 from 4 documents")
    assert "2 documents skipped" in ran.err


def test_read_match(urlset):
    ran = urlset("read", SITE / "sitemap.xml", "--include", "/(blog|news)/", "--format", "txt")

    assert len(ran.out.splitlines()) == 3


@pytest.mark.parametrize(("limit", "count"), [("0", 0), ("3", 3), ("99", 14)])
def test_read_limit(limit, count, urlset):
    ran = urlset("read", SITE / "sitemap.xml", "--limit", limit, "--format", "txt")

    assert (ran.code, len(ran.out.splitlines())) == (0, count)
    assert (f"{count} entries, --limit reached" in ran.err) == (limit != "99")


def test_read_base(urlset):
    data = b"<urlset><url><loc>/a</loc></url></urlset>"

    assert urlset(
        "read", "-", "--base-url", "https://e.com/", "--format", "txt", stdin=data
    ).out == ("https://e.com/a\n")


def test_read_without_following(urlset):
    ran = urlset("read", SITE / "sitemap.xml", "--no-follow", "--format", "txt")

    assert (ran.code, ran.out) == (0, "")


def test_read_several_sources_and_a_folder(urlset):
    ran = urlset("read", SITE / "maps" / "recipes.txt", SITE / "maps", "--format", "txt")

    assert len(ran.out.splitlines()) == 3 + 14


@pytest.mark.parametrize("name", ["reference", "native"])
def test_read_engine(name, urlset):
    from urlset.engine import available

    ran = urlset("read", SITE / "sitemap.xml", "--engine", name, "--format", "txt")

    assert ran.code == (0 if name in available() else 2)


# ── read: what fails ─────────────────────────────────────────────────────────────────────────


def test_read_part_that_fails_is_listed(urlset):
    Path("index.xml").write_bytes(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.txt</loc></sitemap>"
        "<sitemap><loc>https://e.com/b.txt</loc></sitemap></sitemapindex>".encode()
    )
    Path("a.txt").write_bytes(b"https://e.com/a\n")

    ran = urlset("read", "index.xml", "--format", "txt")

    assert (ran.code, ran.out) == (1, "https://e.com/a\n")
    assert "urlset: https://e.com/b.txt: listed but missing" in ran.err


def test_read_source_that_fails_does_not_stop_the_others(urlset):
    ran = urlset("read", "none.xml", SITE / "maps" / "recipes.txt", "--format", "txt")

    assert ran.code == 1
    assert len(ran.out.splitlines()) == 3
    assert "urlset: expected a file or a folder, found nothing at 'none.xml'" in ran.err


def test_read_many_failures_are_cut_short(urlset):
    locs = "".join(f"<sitemap><loc>https://e.com/{n}</loc></sitemap>" for n in range(100))
    data = f"<sitemapindex {NS}>{locs}</sitemapindex>"

    ran = urlset("read", "-", stdin=data.encode())

    assert ran.code == 1
    assert ran.err.count("urlset: ") == 20
    assert "… and 80 more like these" in ran.err


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", 2, "an empty file"),
        (b"<!doctype html><html></html>", 2, "an HTML page"),
        (b"\xff\xfe\xfd", 2, "expected a sitemap"),
        (bytes(range(256)) * 100, 2, "expected a sitemap"),
        (RICH[:-20], 1, "cut off"),
    ],
)
@pytest.mark.parametrize("format", ["table", "jsonl", "csv", "txt"])
def test_read_what_is_no_sitemap(data, code, words, format, urlset):
    ran = urlset("read", "-", "--format", format, stdin=data)

    assert ran.code == code
    assert words in ran.err


def test_read_what_is_not_utf8(urlset):
    ran = urlset("read", "-", "--format", "txt", stdin="https://e.com/é\n".encode("latin-1"))

    assert (ran.code, ran.out) == (0, "https://e.com/é\n")
    assert "1 problem, see `urlset check`" in ran.err


def test_read_hostile_text_is_harmless_for_a_terminal(urlset):
    data = f"<urlset {NS}><url><loc>https://e.com/\x9b31m\u202egpj</loc></url></urlset>".encode()

    table = urlset("read", "-", stdin=data).out
    jsonl = urlset("read", "-", "--format", "jsonl", stdin=data).out
    txt = urlset("read", "-", "--format", "txt", stdin=data).out

    assert "\\x9b31m\\u202egpj" in table
    assert jsonl.isascii()
    assert json.loads(jsonl)["loc"] == txt.strip() == "https://e.com/\x9b31m\u202egpj"


# ── output ───────────────────────────────────────────────────────────────────────────────────


def test_output_appears_whole_or_not_at_all(urlset, monkeypatch):
    Path("out.txt").write_text("old")

    def failing(entries):
        yield "half\n"
        raise KeyboardInterrupt

    monkeypatch.setattr("urlset.cli.read.txt_lines", failing)
    ran = urlset("read", SITE / "sitemap.xml", "--output", "out.txt")

    assert ran.code == 130
    assert Path("out.txt").read_text() == "old"
    assert os.listdir() == ["out.txt"]


def test_output_keeps_permissions_and_links(urlset):
    Path("real.txt").write_text("old")
    Path("real.txt").chmod(0o640)
    Path("link.txt").symlink_to("real.txt")

    urlset("read", SITE / "sitemap.xml", "--output", "link.txt")

    assert Path("link.txt").is_symlink()
    assert Path("real.txt").stat().st_mode & 0o777 == 0o640
    assert Path("real.txt").read_text().startswith("https://")


@pytest.mark.parametrize(
    ("path", "words"),
    [("none/out.txt", "none' does not exist; create it"), (".", "it is a folder; name a file")],
)
def test_output_that_cannot_be_written(path, words, urlset):
    ran = urlset("read", SITE / "sitemap.xml", "--output", path)

    assert ran.code == 2
    assert words in ran.err


def test_output_stays_where_nothing_could_be_read(urlset):
    Path("out.txt").write_text("old")

    assert urlset("read", "none.xml", "--output", "out.txt").code == 2

    assert Path("out.txt").read_text() == "old"


def test_report_of_what_could_not_be_read_is_written(urlset):
    Path("out.txt").write_text("old")

    assert urlset("check", "none.xml", "--output", "out.txt").code == 2

    assert "N003" in Path("out.txt").read_text()


def test_output_dash_is_stdout(urlset):
    assert urlset("read", "-", "-o", "-", "--format", "txt", stdin=RICH).out.count("\n") == 2


# ── rules ────────────────────────────────────────────────────────────────────────────────────


def test_rules_lists_all(urlset):

    ran = urlset("rules")

    assert ran.code == 0
    assert [line[:4] for line in ran.out.splitlines()] == list(CATALOGUE)


def test_rules_of_a_group(urlset):
    lines = urlset("rules", "T").out.splitlines()

    assert {line[0] for line in lines} == {"T"}
    assert len(lines) > 3


OWN_RULE = """
[check.levels]
X003 = "info"

[[check.rules]]
name = "preview-host"
message = "{loc} is on a preview host"
view = "urls"
where = "host LIKE 'preview.%'"
"""


@pytest.mark.parametrize("options", [[], ["--config", "own.toml"]])
def test_rules_shows_those_of_the_configuration(options, urlset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / (options[-1] if options else "urlset.toml")).write_text(OWN_RULE)

    page = urlset("rules", "Z001", *options).out
    [row] = json.loads(urlset("rules", "preview-host", "--format", "json", *options).out)

    assert page.startswith("# preview-host (Z001)\n\n**warning** · custom")
    assert "host LIKE 'preview.%'" in page
    assert "## Wrong" not in page
    assert (row["code"], row["message"]) == ("Z001", "… is on a preview host")
    assert len(urlset("rules", *options).out.splitlines()) == 1 + len(CATALOGUE)
    assert "**info**" in urlset("rules", "X003", *options).out


@pytest.mark.parametrize("name", ["X003", "x003", "unescaped-ampersand"])
def test_rules_shows_what_one_says_and_what_to_do(name, urlset):
    lines = urlset("rules", name).out.splitlines()

    assert lines[0] == "# unescaped-ampersand (X003)"
    assert 'Message: Raw "&" must be written &amp;' in lines
    assert {"## Wrong", "## Use instead"} <= set(lines)
    assert lines[-1].startswith("Source: ")


def test_option_does_not_take_the_next_option_for_its_value(urlset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    ran = urlset("read", "https://example.com", "--cache", "--limit", "2")

    assert ran.code == 2
    assert "--cache: expected a value, found the option --limit" in ran.err
    assert [*tmp_path.iterdir()] == []
