"""A pattern that was meant as a glob is named, for it is a regular expression."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.cli.test_commands import command
from tests.live_sites import put_page, put_sitemap
from urlset.pattern_warnings import PatternWarning, pattern_note

URLS = b"https://example.com/blog/a\nhttps://example.com/blogging\n"
NOTE = (
    "'/blog/*' is a regular expression, in which '/*' means any number of '/'; write '/blog/' for "
    "all URLs below it"
)


@pytest.fixture(name="run")
def fixture_run(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("pattern", "better"),
    [
        ("/blog/*", "'/blog/' for all URLs below it"),
        ("/*", "'/' for all URLs below it"),
        ("^https://example.com/*", "'^https://example.com/' for all URLs below it"),
        ("/*/edit", "'/[^/]*/edit' for any name there"),
        ("/blog/*.html", "'/blog/[^/]*.html' for any name there"),
        ("/*-old", "'/[^/]*-old' for any name there"),
        ("/a/*/b/*", "'/a/[^/]*/b/' for all URLs below it"),
    ],
)
def test_a_star_after_a_slash_at_the_end_of_a_segment_is_noted(pattern, better):
    meaning = "is a regular expression, in which '/*' means any number of '/'"

    assert pattern_note(pattern) == f"{pattern!r} {meaning}; write {better}"


@pytest.mark.parametrize(
    "pattern",
    [
        "/blog/.*",
        "/blog/",
        "//[^/]+/blog/",
        "/*$",
        "/*[?]",
        "[/*]",
        "/[a-z]*/",
        "/b*",
        "^https?://.*/a",
        "",
    ],
)
def test_other_patterns_are_not_noted(pattern):
    assert pattern_note(pattern) == ""


def test_a_pattern_that_begins_like_a_path_is_noted():
    assert pattern_note("^/blog/") == (
        "'^/blog/' matches no URL, for a URL begins with https:// or http://; write "
        "'//[^/]+/blog/', or '/blog/' for any place in the URL"
    )


def test_a_glob_that_is_no_regular_expression_is_an_error_that_says_so():
    with pytest.raises(ValueError, match=r"it is no glob: write '/blog/'$"):
        urlset.read(URLS, include="/blog/**")


@pytest.mark.parametrize("name", ["include", "exclude", "follow_only"])
@pytest.mark.parametrize("pattern", ["/blog/*", re.compile("/blog/*")])
def test_reading_warns_at_the_line_of_the_caller(name, pattern):
    options: dict[str, Any] = {name: ["/", pattern]}

    with pytest.warns(PatternWarning) as caught:
        urlset.read(URLS, **options)

    assert [str(each.message) for each in caught] == [f"{name}: {NOTE}"]
    assert Path(caught[0].filename).samefile(__file__)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("include", "/blog/*"),
        ("exclude", "/blog/*"),
        ("filters", "drop:/blog/*"),
        ("sections", "blog=/blog/*"),
    ],
)
def test_builds_warn(name, value, tmp_path):
    source = tmp_path / "urls.txt"
    source.write_bytes(URLS + b"https://example.com/\n")
    options: dict[str, Any] = {name: value, "min_share": 0}

    with pytest.warns(PatternWarning) as caught:
        urlset.build(str(source), tmp_path / "out", ledger=tmp_path / "l.duckdb", **options)

    assert [str(each.message) for each in caught] == [f"{name}: {NOTE}"]


@pytest.mark.parametrize("visit", [urlset.crawl, urlset.audit])
def test_a_crawl_and_an_audit_warn(visit, box):
    put_page(box, "/")
    put_sitemap(box, ["/"])
    policy = urlset.Policy(delay_s=0)

    with pytest.warns(PatternWarning) as caught:
        visit(box.site, exclude="/blog/*", policy=policy, confirm_after_s=0.0).close()
    assert [str(each.message) for each in caught] == [f"exclude: {NOTE}"]


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_the_command_prints_one_line(name, run):
    Path("urls.txt").write_bytes(URLS)

    ran = run("read", "urls.txt", f"--{name}", "/blog/*", "--format", "txt", "--quiet")

    assert ran.err == f"--{name}: {NOTE}\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("read", "urls.txt", f"--{name}", "/blog/.*", "--quiet").err == ""


def test_a_pattern_of_the_configuration_is_noted(run):
    Path("urls.txt").write_bytes(URLS)
    Path("urlset.toml").write_text('[build]\nexclude = ["/blog/*"]\n')

    ran = run("build", "urls.txt", "--output", "out", "--quiet")

    assert ran.err.splitlines()[0] == f"--exclude: {NOTE}"
