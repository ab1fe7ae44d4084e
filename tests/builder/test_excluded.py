"""What a build left out is named: in the summary, in a file, and in the result."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.builder.test_build import BASE, Site
from tests.cli.test_commands import command
from urlset.builder import Excluded, Filter, build
from urlset.errors import GateError, TargetError
from urlset.sources import Candidate

BASE_URL = ("--base-url", BASE)
NOINDEX = "<meta name=robots content=noindex><title>A</title><p>B"


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


def written(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_exclusions_are_written_with_source_and_reason(site):
    rows = [
        Candidate("/a"),
        Candidate("/b", reason="noindex", source="b.html"),
        Candidate("/c", reason=f"canonical: {BASE}a", source="pages.csv", line=3),
        Candidate("/0/drafts/1"),
        Candidate("/bad", lastmod_text="soon"),
    ]
    path = site.folder / "excluded.jsonl"

    made = site.build(rows, excluded=path, filters=[Filter.of("drop:/drafts/")], on_error="skip")

    assert written(path)[:3] == [
        {"url": f"{BASE}0/drafts/1", "source": "rows 1", "line": None,
         "reason": "filter 1: drop:/drafts/"},
        {"url": f"{BASE}b", "source": "b.html", "line": None, "reason": "noindex"},
        {"url": f"{BASE}c", "source": "pages.csv", "line": 3, "reason": f"canonical: {BASE}a"},
    ]  # fmt: skip
    (refused,) = written(path)[3:]
    assert refused["reason"].startswith("refused: rows 1, row 5: lastmod: ")
    assert made.excluded_counts == {"canonical": 1, "filter 1: drop:/drafts/": 1, "noindex": 1}
    assert set(made.excluded) == {Excluded(**row) for row in written(path)[:3]}


def test_a_result_has_some_of_each_reason_and_the_file_has_all(site):
    rows = [Candidate(f"/{n:04}", reason="noindex") for n in range(250)]
    path = site.folder / "excluded.jsonl"

    made = site.build([*rows, Candidate("/a"), Candidate("/b", reason="404")], excluded=path)

    assert made.excluded_counts == {"noindex": 250, "404": 1}
    assert [one.url for one in made.excluded] == [
        *(f"{BASE}{n:04}" for n in range(100)), f"{BASE}b"
    ]  # fmt: skip
    assert len(written(path)) == 251


def test_exclusions_are_written_where_a_gate_is_shut_and_in_a_dry_run(site):
    path = site.folder / "excluded.jsonl"
    with pytest.raises(GateError):
        site.build([Candidate("/a", reason="noindex")], excluded=path)
    assert [row["reason"] for row in written(path)] == ["noindex"]
    path.unlink()

    site.build(["/b", Candidate("/a", reason="404")], excluded=path, dry_run=True)

    assert [row["reason"] for row in written(path)] == ["404"]


def test_urls_are_included_and_excluded_by_patterns_before_filters(site):
    rows = ["/blog/a", "/blog/b", "/shop/a", "/about"]

    made = site.build(rows, include=["/blog/", "/SHOP/"], exclude="b$", filters="drop:/shop/")
    again = site.build(
        rows, include=[re.compile("/SHOP/", re.I), "/blog/"], exclude=re.compile("b$")
    )

    assert made.excluded_counts == {"include: no match": 2, "exclude: b$": 1}
    assert again.excluded_counts == {"include: no match": 1, "exclude: b$": 1}
    why = site.build(rows, include="/blog/a", why=f"{BASE}blog/a").why
    assert "  included by include: /blog/a" in why


def test_an_invalid_pattern_is_reported_before_anything_is_read(site):
    with pytest.raises(ValueError, match=r"\(RE2\) in exclude, found '\('"):
        site.build(["/a"], exclude="(")


def test_columns_of_sections_may_have_any_name(site):
    rows = {"loc": ["/a", "/b"], "kind": ["x", "y"], "why": ["x", "y"], "url": ["x", "y"]}
    path = site.folder / "pages.csv"
    lines = [",".join(rows), *(",".join(values) for values in zip(*rows.values(), strict=True))]
    path.write_text("\n".join(lines))
    sections = ("column:kind", "column:why")

    made = build(
        path, site.out, base_url=BASE, ledger=site.ledger, sections=sections, filters="drop:a$"
    )

    assert made.excluded_counts == {"filter 1: drop:a$": 1}


def test_a_list_of_exclusions_that_cannot_be_written_ends_the_build(site):
    with pytest.raises(TargetError, match="nowhere"):
        site.build(["/a"], excluded=site.folder / "nowhere" / "x.jsonl")
    assert not site.out.exists() or site.names() == []


@pytest.mark.parametrize("option", ["excluded", "changes"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder; name a file in it"),
        ("none/x.jsonl", "its folder '.*none' does not exist; create it"),
        ("pipe", "it is a device or a pipe; name a file"),
    ],
)
def test_list_that_cannot_be_written_is_refused_with_what_to_do(option, name, words, site):
    (site.folder / "folder").mkdir(parents=True)
    os.mkfifo(site.folder / "pipe")

    with pytest.raises(TargetError, match=f"cannot write .*: {words}$"):
        site.build(["/a"], **{option: site.folder / name})


def test_the_summary_names_the_first_two_of_each_reason(urlset):
    Path("site").mkdir()
    for name in ("a", "b", "c"):
        Path(f"site/{name}.html").write_text(NOINDEX)
    Path("site/index.html").write_text("<title>A</title><p>B")

    ran = urlset("build", "site", "-o", "out", *BASE_URL, "--excluded", "x.jsonl")

    assert f"3 URLs excluded: noindex ({BASE}a.html, {BASE}b.html, …)\n" in ran.err
    assert len(written(Path("x.jsonl"))) == 3


def test_what_has_no_dates_is_reported_with_the_option_that_finds_them(urlset):
    Path("site").mkdir()
    for name in ("a", "b"):
        Path(f"site/{name}.html").write_text("<title>A</title><p>B")
    Path("t.csv").write_text("url,changed\n/a,2026-01-31\n")
    Path("list.txt").write_text("/a\n/b\n")

    folder = urlset("build", "site", "-o", "out", *BASE_URL)
    table = urlset("build", "t.csv", "-o", "out2", *BASE_URL)
    mapped = urlset("build", "t.csv", "-o", "out3", *BASE_URL, "--map", "lastmod=changed")
    unwanted = urlset("build", "site", "-o", "out4", *BASE_URL, "--lastmod", "none")
    timed = urlset("build", "site", "-o", "out5", *BASE_URL, "--lastmod", "mtime")
    text = urlset("build", "site", "-o", "out6", *BASE_URL, "--format", "text")

    assert "None of the 2 URLs has a lastmod; --git-root DIR" in folder.err
    assert "--lastmod mtime" in folder.err
    assert "The only URL has no lastmod; --map lastmod=COLUMN" in table.err
    assert all("lastmod" not in ran.err for ran in (mapped, unwanted, timed, text))


def test_columns_can_be_mapped_one_by_one(urlset):
    Path("t.csv").write_text("address,changed\n/a,2026-01-31\n")
    pairs = ("--map", "loc=address", "--map", "lastmod=changed")

    ran = urlset("build", "t.csv", "-o", "out", *BASE_URL, *pairs)
    twice = urlset("build", "t.csv", "-o", "out", *BASE_URL, *pairs, "--map", "loc=changed")

    assert (ran.code, ran.err.count("lastmod")) == (0, 0)
    assert (twice.code, "one column for 'loc'" in twice.err) == (2, True)


def test_undated_urls_are_counted(site):
    dated = Candidate("/c", lastmod_text="2026-01-31")
    assert site.build(["/a", "/b", dated]).undated == 2
    assert site.build(["/a", "/b", dated]).undated == 2
    assert site.build(["/a", "/d", dated._replace(lastmod_text=None)], dry_run=True).undated == 3
    assert site.build(["/a", "/e", "/f", dated]).undated == 3
    assert site.build([dated, "/a"], format="text").undated == 0


def test_quiet_prints_errors_and_what_was_asked_for_alone(urlset):
    Path("a.csv").write_text("loc,lastmod\n/a,\n/b,soon\n")

    silent = urlset("build", "a.csv", "-o", "out", *BASE_URL, "--on-error", "skip", "--quiet")
    asked = urlset("build", "a.csv", "-o", "out", *BASE_URL, "--on-error", "skip", "-q", "--json")
    why = urlset("build", "a.csv", "-o", "o", *BASE_URL, "--on-error", "skip", "-q", "--why", "/a")

    assert (silent.code, silent.out) == (1, "")
    assert silent.err.startswith("urlset: a.csv:3: lastmod: expected")
    assert len(silent.err.splitlines()) == 1
    assert json.loads(asked.out)["urls"] == 1
    assert f"{BASE}a" in why.out
