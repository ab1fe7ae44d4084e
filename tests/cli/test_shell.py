"""The command in a shell: no arguments, colours, closed pipes, the manual page."""

import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.test_commands import SITE, command
from tests.site_box import SiteBox
from urlset.builder.options import GATES
from urlset.cli.app import COMMANDS
from urlset.cli.completion_scripts import completion_script

ROOT = Path(__file__).parents[2]
URLSET = (sys.executable, "-m", "urlset")
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
MAN = ROOT / "packaging" / "share" / "man" / "urlset.1"

posix = pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def test_no_arguments_show_a_guide(urlset):
    ran = urlset()

    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 20
    examples = re.findall(r"^  urlset (\w+)", ran.err, re.MULTILINE)
    assert len(examples) == 5
    assert set(examples) <= set(COMMANDS)
    assert "urlset --help" in lines[-1]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_begins_its_docstring(name):
    command = getattr(import_module(f"urlset.cli.{name}"), name)

    assert (inspect.getdoc(command) or "").partition("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_documents_its_exit_codes(name, urlset):
    ran = urlset(name, "--help")

    text = " ".join(ran.out.split())
    assert re.search(r"Exit codes: 0 .+?[,;] 2 ", text)
    assert "--color <auto|always|never>" in text


BROKEN = str(SITE / "broken.xml")


@pytest.mark.parametrize(
    ("arguments", "variables", "is_coloured"),
    [
        (["check", BROKEN], {}, False),
        (["check", BROKEN], {"FORCE_COLOR": "1"}, True),
        (["check", BROKEN], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["check", BROKEN, "--color", "always"], {}, True),
        (["check", BROKEN, "--color", "always"], {"NO_COLOR": "1"}, True),
        (["check", BROKEN, "--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["check", BROKEN, "--color", "auto"], {"FORCE_COLOR": "1"}, True),
        (["--color", "always", "check", BROKEN], {}, True),
        (["--color", "always", "check", BROKEN, "--color", "never"], {}, False),
        (["rules", "--color=always"], {}, True),
    ],
)
def test_colours(arguments, variables, is_coloured, urlset, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    ran = urlset(*arguments)

    assert ("\x1b[" in ran.out) is is_coloured
    assert ran.err == ""


def test_color_is_forgotten_after_the_command(urlset):
    urlset("rules", "X", "--color", "always")

    assert "\x1b[" not in urlset("rules", "X").out


@pytest.fixture(scope="module")
def box():
    """A site of two pages."""
    with SiteBox() as box:
        link = f"<title>Start</title><a href='{box.url('/a')}'>a</a>"
        box.put("/", link, kind="text/html")
        box.put("/a", "<title>A</title>", kind="text/html")
        box.put(
            "/sitemap.xml", f"<urlset {NAMESPACE}><url><loc>{box.url('/')}</loc></url></urlset>"
        )
        box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
        yield box


@posix
@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "--version",
        "check --help",
        "read SITE",
        "read SITE --format csv",
        "read SITE --tree",
        "read SITE --sql 'SELECT 1'",
        "read SITE --format parquet",
        "check FILE",
        "check FILE --format sarif",
        "check FILE --statistics",
        "check FILE --diff",
        "check - --fix < FILE",
        "build public/ --base-url https://e.com/ --output maps/",
        "build public/ --base-url https://e.com/ --output -",
        "build public/ --base-url https://e.com/ --output maps/ --json",
        "build public/ --base-url https://e.com/ --output maps/ --why /",
        "crawl SITE --store crawl.duckdb",
        "audit SITE --confirm-after 0",
        "audit SITE --confirm-after 0 --format json",
        "diff FILE SITE",
        "diff FILE SITE --format jsonl",
        "diff FILE SITE --format markdown",
        "watch SITE --store watch.duckdb",
        "watch SITE --store watch.duckdb --format json",
        "submit changes.jsonl --dry-run --no-preflight",
        "rules",
        "rules X003",
        "completion bash",
    ],
)
def test_closed_pipe_ends_each_command_silently(line, box, tmp_path):
    """As with ``| head -0``: the reader is gone before the first byte."""
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("<title>Start</title>")
    (tmp_path / "changes.jsonl").write_text('{"change": "added", "loc": "https://e.com/"}\n')
    shell_line = line.replace("SITE", box.site).replace("FILE", BROKEN)
    reading, writing = os.pipe()
    os.close(reading)
    variables = {**os.environ, "URLSET_INDEXNOW_KEY": "73134416ae45434d98edc086e0bf6740"}

    ran = subprocess.run(
        ["sh", "-c", f"exec {' '.join(URLSET)} {shell_line}"],
        cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, env=variables, timeout=60,
    )  # fmt: skip

    os.close(writing)
    assert ran.returncode == 141, ran.stderr
    complaints = re.findall(rb"(?i).*(?:pipe|errno|exception|traceback).*", ran.stderr)
    assert complaints == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk at hand")
@pytest.mark.parametrize("line", ["--help", "--version", "--color never -V", "read --help"])
def test_full_disk_is_reported_once(line):
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([*URLSET, *line.split()], stdout=full, stderr=subprocess.PIPE)

    assert ran.returncode == 2
    assert ran.stderr == b"urlset: cannot write 'stdout': No space left on device\n"


def test_man_page_has_every_command_and_option():
    page = MAN.read_text(encoding="utf-8").replace("\\-", "-")

    help_text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    options = set(re.findall(r"(?m)(?<!\S)--[a-z][a-z-]+[a-z](?= [A-Z<]|  |$)", help_text))
    assert len(options) > 100
    assert {name for name in options if f"\\fB{name}\\fR" not in page} == set()
    assert re.findall(r"^\.SS urlset (\w+)", page, re.MULTILINE) == list(COMMANDS)
    assert page.count("Examples:") == len(COMMANDS)


def test_exit_codes_of_the_gates_are_complete(urlset):
    first, *_, last = sorted(GATES.values())
    texts = (
        urlset("--help").out,
        urlset("build", "--help").out,
        MAN.read_text(encoding="utf-8"),
        (ROOT / "skills/urlset/SKILL.md").read_text(encoding="utf-8"),
    )

    assert [{*re.findall(r"\b10 to \d+", text)} for text in texts] == [{f"{first} to {last}"}] * 4
    recipe = (ROOT / "docs/building.md").read_text(encoding="utf-8")
    assert re.findall(r"1\[0-(\d)\]\)", recipe) == [str(last - 10)]


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_man_page_has_no_faults():
    ran = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", MAN], capture_output=True, text=True
    )

    # A date would change the page in each release, and the same source has to give the same bytes.
    found = [line for line in ran.stdout.splitlines() if "missing date" not in line]
    assert found == []


def test_data_files_are_those_that_are_generated():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    files = project["tool"]["setuptools"]["data-files"]
    installed = {folder: ROOT / name for folder, (name,) in files.items()}

    assert installed.pop("share/man/man1") == MAN
    for folder, shell in (
        ("share/bash-completion/completions", "bash"),
        ("share/zsh/site-functions", "zsh"),
        ("share/fish/vendor_completions.d", "fish"),
    ):
        path = installed.pop(folder)
        assert path.read_text(encoding="utf-8") == completion_script(shell)
    assert not installed
