"""No output option replaces a source of its command, the published set, or another output."""

import os
from pathlib import Path

import pytest

import urlset as package
from tests.cli.test_commands import command

SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/</loc></url></urlset>"
)
posix = pytest.mark.skipif(os.name == "nt", reason="links and devices of POSIX")


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    found = command(capsys, monkeypatch, tmp_path)
    Path("u.txt").write_text("https://example.com/\nhttps://example.com/a\n")
    for name in ("a.xml", "b.xml"):
        Path(name).write_text(SITEMAP)
    assert found("build", "u.txt", "--output", "maps", "--quiet").code == 0
    return found


def contents() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(Path().rglob("*"))
        if path.is_file() and path.suffix != ".duckdb"
    }


@pytest.mark.parametrize(
    ("line", "option", "what"),
    [
        ("build u.txt --output maps --excluded u.txt", "--excluded", "a source"),
        ("build u.txt --output maps --changes ./u.txt", "--changes", "a source"),
        ("build u.txt --output maps --robots maps/../u.txt", "--robots", "a source"),
        ("build csv:u.txt --output maps --changes u.txt", "--changes", "a source"),
        ("build [tu].txt --output maps --changes u.txt", "--changes", "a source"),
        ("build u.txt --output maps --ledger u.txt", "--ledger", "a source"),
        (
            "build u.txt --output maps --exclude-by-robots a.xml --changes a.xml",
            "--changes",
            "a source",
        ),
        (
            "build u.txt --output maps --changes maps/sitemap.xml",
            "--changes",
            "a sitemap of the set",
        ),
        (
            "build u.txt --output maps --excluded maps/sitemap-blog-2.xml.gz",
            "--excluded",
            "a sitemap of the set",
        ),
        (
            "build u.txt --output new --robots ./new/sitemap.xml",
            "--robots",
            "a sitemap of the set",
        ),
        (
            "build u.txt --output maps --name-pattern part{number} --changes maps/part2.xml",
            "--changes",
            "a sitemap of the set",
        ),
        (
            "build u.txt --output maps --stylesheet s.css --changes maps/s.css",
            "--changes",
            "a sitemap of the set",
        ),
        (
            "build u.txt --output maps --changes c --excluded ./c",
            "--excluded",
            "the file of --changes, too",
        ),
        ("check a.xml --write-baseline a.xml", "--write-baseline", "a source"),
        ("check b.xml a.xml --report a.xml", "--report", "a source"),
        ("check a.xml --output a.xml", "--output", "a source"),
        ("check a.xml --output r --report r", "--report", "the file of --output, too"),
        ("audit a.xml --output a.xml", "--output", "a source"),
        ("audit a.xml --logs u.txt --report u.txt", "--report", "a source"),
        ("diff a.xml b.xml --output b.xml", "--output", "a source"),
        ("diff a.xml b.xml --report a.xml", "--report", "a source"),
        ("read a.xml --output a.xml --format txt", "--output", "a source"),
        (
            "crawl https://example.com --store s.duckdb --report s.duckdb",
            "--report",
            "the file of --store, too",
        ),
        (
            "watch https://example.com --store s.duckdb --report s.duckdb",
            "--report",
            "the file of --store, too",
        ),
        (
            "sync https://example.com --store s.duckdb --output s.duckdb",
            "--output",
            "the file of --store, too",
        ),
    ],
)
def test_an_output_that_would_replace_a_file_of_the_command_is_refused(line, option, what, urlset):
    before = contents()

    ran = urlset(*line.split())

    assert (ran.code, ran.out) == (2, "")
    assert f"{option}: expected a file of its own, found " in ran.err
    assert ran.err.endswith(f", which is {what}; name another file\n")
    assert contents() == before


@posix
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_another_name_of_a_source_is_refused(link, urlset):
    link("u.txt", "other")

    ran = urlset("build", "u.txt", "--output", "maps", "--changes", "other")

    assert (ran.code, "found 'other', which is a source" in ran.err) == (2, True)
    assert Path("u.txt").read_text().startswith("https://")


@pytest.mark.parametrize(
    "line",
    [
        "build u.txt --output maps --robots maps/robots.txt",
        "build u.txt --output maps --robots maps/robots.txt --exclude-by-robots maps/robots.txt",
        "build u.txt --output maps --changes maps/changes.jsonl --excluded maps/excluded.jsonl",
        "build u.txt --output maps --changes sitemap.xml",
        "check a.xml --fix",
        "check a.xml --baseline known.json --write-baseline known.json",
        "read a.xml --output a.txt",
        "diff a.xml b.xml --output c.xml",
    ],
)
def test_an_output_with_a_file_of_its_own_is_written(line, urlset):
    Path("maps/robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    Path("known.json").write_text('{"version": 1, "findings": {}}')

    assert "expected a file of its own" not in urlset(*line.split()).err


@posix
def test_two_outputs_may_be_one_device(urlset):
    ran = urlset("check", "a.xml", "--output", "/dev/null", "--report", "/dev/null")

    assert "expected a file of its own" not in ran.err


def test_the_function_refuses_an_output_that_is_a_source(urlset):
    before = contents()

    for sources in ("u.txt", [Path("u.txt")], {"path": "u.txt", "kind": "text"}):
        with pytest.raises(ValueError, match=r"changes: expected a file of its own"):
            package.build(sources, "maps", changes="u.txt")

    assert contents() == before


def test_an_option_of_the_file_is_refused_too(urlset):
    Path("urlset.toml").write_text(
        '[build]\nsources = ["u.txt"]\noutput = "maps"\nchanges = "u.txt"\n'
    )

    ran = urlset("build")

    assert (ran.code, "which is a source; name another file" in ran.err) == (2, True)
