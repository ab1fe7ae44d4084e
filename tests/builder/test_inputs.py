"""Holds `urlset.build` to what the command takes: paths, patterns, text for options, rows."""

import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.sources import Candidate

BASE = "https://e.com/"


@pytest.fixture(autouse=True)
def working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def page(path, text="<title>Tea</title><p>Of many kinds, and some more words about it.", **to):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"<!doctype html><html lang=en>{text}")


def locs(folder="out"):
    return sorted(entry.loc for entry in urlset.read(folder))


def lastmods(folder="out"):
    return {entry.loc: entry.lastmod_text for entry in urlset.read(folder)}


@pytest.mark.parametrize("kind", [str, Path])
def test_build_takes_a_folder_as_text_or_path(kind):
    page("public/index.html")
    page("public/drafts/a.html")

    made = urlset.build(
        kind("public"), kind("out"), base_url=BASE, filters=["drop:/drafts/"], lastmod="none"
    )

    assert (made.urls, locs()) == (1, [BASE])
    assert made.excluded_counts == {"filter 1: drop:/drafts/": 1}


def test_build_takes_lastmod_git():
    page("site/public/index.html")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@e.com", "commit", "-qm", "a",
         "--date", "2020-05-06T07:08:09Z"],
    ):  # fmt: skip
        subprocess.run(
            ["git", *command],
            cwd="site",
            check=True,
            env={
                "GIT_COMMITTER_DATE": "2020-05-06T07:08:09Z",
                "HOME": "/",
                "PATH": "/usr/bin:/bin",
            },
        )

    urlset.build("site/public", "out", base_url=BASE, lastmod="git", git_paths="public/{file}",
                 git_root="site")  # fmt: skip

    assert lastmods() == {BASE: "2020-05-06T07:08:09Z"}


def test_build_takes_lists_patterns_and_dicts_of_sources():
    Path("a1.txt").write_text("https://e.com/a1\n")
    Path("a2.txt").write_text("https://e.com/a2\n")
    Path("b.csv").write_text("address;seen\nhttps://e.com/b;2026-01-02\n")
    Path("c.csv").write_text("url\nhttps://e.com/c\n")
    table = {"path": Path("b.csv"), "map": "loc=address,lastmod=seen", "delimiter": ";"}

    made = urlset.build(["a?.txt", table, Path("c.csv")], "out")

    assert made.base_url == BASE  # the site of the first URL, as the command has it
    assert lastmods() == {
        f"{BASE}a1": None,
        f"{BASE}a2": None,
        f"{BASE}b": "2026-01-02",
        f"{BASE}c": None,
    }


def test_build_takes_text_for_every_option_of_lists():
    Path("urls.csv").write_text("u,kind\nhttps://e.com/x/1,tea\nhttps://e.com/x/2,\n")

    made = urlset.build(
        "urls.csv",
        Path("out"),
        base_url=BASE,
        map={"loc": "u"},
        sections="column:kind",
        rewrites="^https://e.com/x/=>https://www.e.com/",
        allowed_hosts="www.e.com",
        force="hosts",
        grace="36h",
        ledger="memory.duckdb",
        changes="changes.jsonl",
        why=f"{BASE}x/1",
    )

    assert made.urls == 2
    assert made.why
    assert locs() == ["https://www.e.com/1", "https://www.e.com/2"]
    assert Path("memory.duckdb").exists()
    assert Path("changes.jsonl").exists()
    assert {file.section for file in made.files} == {"tea", ""}


def test_build_takes_rows_in_memory():
    entries = [
        urlset.Entry("/a", lastmod=datetime(2026, 1, 2, tzinfo=UTC)),
        {"url": "https://e.com/b", "lastmod": date(2026, 1, 3), "images": "/1.jpg"},
        {
            "loc": "https://e.com/c",
            "priority": "0.7",
            "alternates": {"hreflang": "de", "href": "/d"},
        },
    ]

    urlset.build(iter(entries), "out", base_url=BASE)

    read = {entry.loc: entry for entry in urlset.read("out")}
    assert [entry.lastmod_text for entry in read.values()] == [
        "2026-01-02T00:00:00Z",
        "2026-01-03",
        None,
    ]
    assert read[f"{BASE}b"].images == (urlset.Image(f"{BASE}1.jpg"),)
    assert read[f"{BASE}c"].priority == 0.7
    assert read[f"{BASE}c"].alternates == (urlset.Alternate("de", f"{BASE}d"),)


def test_build_takes_tables_in_memory_and_what_was_read():
    table = duckdb.connect().sql("SELECT 'https://e.com/t' AS url, DATE '2026-01-02' AS day")
    read = urlset.read(
        b"<urlset><url><loc>https://e.com/r</loc></url><url><loc>https://e.com/no</loc></url></urlset>",
        exclude="/no",
    )

    urlset.build([table, read], "out", base_url=BASE, map="lastmod=day")

    assert lastmods() == {f"{BASE}t": "2026-01-02", f"{BASE}r": None}


def test_build_refuses_bad_rows_in_memory_as_write_does():
    rows = [
        {"loc": "https://e.com/"},
        {"loc": "https://e.com/a", "images": ["javascript:alert(1)"]},
        {"loc": "https://e.com/b", "last_mod": "2026"},
        {"loc": "https://e.com/c", "priority": "high"},
        {"loc": 5},
    ]

    with pytest.raises(urlset.EntryError, match=r"rows:2: images\[0\]\.loc: expected"):
        urlset.build(rows, "out", base_url=BASE)
    made = urlset.build(rows, "out", base_url=BASE, on_error="skip")

    assert [(one.row, one.field) for one in made.rejected] == [
        (2, "images[0].loc"),
        (3, "lastmod"),
        (4, "priority"),
        (5, "loc"),
    ]
    assert locs() == [BASE]


@pytest.mark.parametrize(
    "given", [None, 5, b"https://e.com/", urlset.Entry(BASE), Candidate(BASE), [5]]
)
def test_build_refuses_what_is_no_source(given):
    with pytest.raises(TypeError, match="expected a path, a URL, a source, a table"):
        urlset.build(given, "out", base_url=BASE)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lastmod": "git,yesterday"}, "yesterday"),
        ({"filters": "drafts"}, "keep:PATTERN or drop:PATTERN"),
        ({"rewrites": "a"}, "PATTERN=>TEXT"),
        ({"with_": "pictures"}, "pictures"),
        ({"force": "all"}, "all"),
        ({"grace": "soon"}, "36h"),
        ({"delimiter": ";;"}, "one character"),
        ({"base_url": "e.com"}, "base_url"),
        ({"index": "never"}, "never"),
    ],
)
def test_build_refuses_options_that_cannot_be_meant(options, words):
    Path("urls.csv").write_text("url\nhttps://e.com/\n")

    with pytest.raises(ValueError, match=words):
        urlset.build("urls.csv", "out", **{"base_url": BASE} | options)
    assert not Path("out").exists()


def test_build_takes_durations_of_both_kinds():
    Path("urls.txt").write_text(BASE)

    assert urlset.build("urls.txt", "out", base_url=BASE, grace=timedelta(hours=1)).urls == 1


def test_build_without_a_base_url_needs_a_full_url():
    Path("urls.csv").write_text("url\n/a\n")

    with pytest.raises(ValueError, match="begins with '/a'"):
        urlset.build("urls.csv", "out")


def test_first_invalid_row_of_dicts_is_named_with_the_number_of_all(tmp_path):
    rows = [
        {"loc": "/a"},
        {"loc": "/b", "images": ["javascript:alert(1)"]},
        5,
        {"loc": "ftp://example.com/c"},
    ]

    with pytest.raises(
        urlset.EntryError, match=r"^rows:2: .* \(the first of 3 invalid rows so far\)"
    ) as error:
        urlset.build(rows, tmp_path / "out", base_url="https://example.com/", ledger=tmp_path / "l")

    assert error.value.row == 2
    path = tmp_path / "a.json"
    path.write_text('["/a", "ftp://example.com/b"]')
    with pytest.raises(urlset.EntryError) as of_file:
        urlset.build(path, tmp_path / "out", base_url="https://example.com/", ledger=tmp_path / "l")
    assert of_file.value.row == 2


@pytest.mark.parametrize(
    "name", ["sections", "filters", "allowed_hosts", "why", "with_", "lastmod"]
)
@pytest.mark.parametrize("value", [{}, {"blog": "/blog/"}, b"blog=/blog/"])
def test_build_says_what_a_list_option_takes(name, value):
    with pytest.raises(TypeError, match=rf"{name}: expected a text or a list of texts"):
        urlset.build([{"loc": BASE}], "out", base_url=BASE, **{name: value})

    assert not Path("out").exists()


def test_base_url_is_that_of_the_first_source_with_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.csv").write_text("loc\n")
    Path("urls.txt").write_text("https://example.com/tea\n")

    made = urlset.build(["empty.csv", "urls.txt"], "maps", ledger="ledger.duckdb")

    assert made.addresses == ("https://example.com/sitemap.xml",)
    with pytest.raises(ValueError, match=r"found none, and no URL in empty\.csv; set base_url"):
        urlset.build("empty.csv", "maps", ledger="ledger.duckdb")


def test_a_query_with_a_table_is_refused(tmp_path):
    with pytest.raises(ValueError, match="table cannot be combined with query: the query names"):
        urlset.build("x.sqlite", tmp_path, query="SELECT 1", table="page")

    source = {"path": "x.sqlite", "query": "SELECT 1", "table": "page"}
    with pytest.raises(ValueError, match="table cannot be combined with query"):
        urlset.build([source], tmp_path, base_url="https://e.com/")
