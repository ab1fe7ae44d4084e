"""`urlset build`: kinds of sources, invalid input and options, and the published files."""

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.cli.test_commands import NS, SITE, command
from urlset.reader import read

BASE = ("--base-url", "https://e.com/")
WWW = ("--allowed-host", "www.example.com")
PAGES = ["https://e.com/a", "https://e.com/b"]


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def locs(path="out/sitemap.xml") -> list[str]:
    return [entry.loc for entry in read(path)]


# ── lists ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "data",
    [
        b"https://e.com/a\nhttps://e.com/b\n",
        b"https://e.com/a\r\n\r\n  https://e.com/b",
        b"\xef\xbb\xbf# a comment\nhttps://e.com/a\n#another\nhttps://e.com/b\n",
        "https://e.com/a\nhttps://e.com/b\n".encode("utf-16"),
        b"/a\n/b\n",
        b"a\nb\n",
        b"loc\nhttps://e.com/a\nhttps://e.com/b\n",
        b"\xef\xbb\xbfURL\r\n/a\r\n/b\r\n",
        b'id,url,title\r\n1,https://e.com/a,"A, a"\r\n2,https://e.com/b,"B\r\nb"\r\n',
        b"title;loc\nA;https://e.com/a\nB;https://e.com/b\n",
        b"loc\tlastmod\nhttps://e.com/a\t2026-01-02\n\n/b\t\n",
        b'"https://e.com/a"\n"https://e.com/b"\n',
        b'{"loc": "/a"}\n\n{"url": "https://e.com/b"}\n',
        gzip.compress(b"https://e.com/a\nhttps://e.com/b\n"),
        gzip.compress(b'{"loc": "/a"}\n"/b"\n'),
        f"<urlset {NS}><url><loc>https://e.com/a</loc></url>"
        "<url><loc>https://e.com/b</loc></url></urlset>".encode(),
        gzip.compress(
            b"<urlset><url><loc>https://e.com/a</loc></url><url><loc>https://e.com/b"
            b"</loc></url></urlset>"
        ),
        b"<rss version='2.0'><channel><item><link>https://e.com/a</link></item>"
        b"<item><link>https://e.com/b</link></item></channel></rss>",
    ],
)
@pytest.mark.parametrize("is_stream", [False, True])
def test_build_from(data, is_stream, urlset):
    Path("list").write_bytes(data)

    ran = urlset("build", "-" if is_stream else "list", "-o", "out", *BASE, stdin=data)

    assert (ran.code, ran.out) == (0, "out/sitemap.xml\n")
    assert locs() == PAGES
    assert ran.err == (
        "2 URLs in 1 file, 1 file new or changed\n"
        "For robots.txt: Sitemap: https://e.com/sitemap.xml\n"
    )


def test_build_from_csv_takes_all_columns(urlset):
    data = b"Loc, LastMod ,changefreq,priority\n/a,2026-01-31,daily,0.5\n/b,,,\n"

    urlset("build", "-", "-o", "out", *BASE, stdin=data)

    first, second = read("out/sitemap.xml")
    assert (first.lastmod_text, first.changefreq, first.priority) == ("2026-01-31", "daily", 0.5)
    assert second[1:5] == (None,) * 4


def test_build_from_jsonl_that_read_wrote_loses_nothing(urlset):
    jsonl = urlset("read", SITE / "sitemap.xml", "--format", "jsonl").out

    urlset("build", "-", "-o", "out", stdin=jsonl.encode())

    again = urlset("read", "out/sitemap.xml", "--format", "jsonl").out
    place = ("source", "line")
    before, after = ([json.loads(line) for line in text.splitlines()] for text in (jsonl, again))
    for row in (*before, *after):
        for name in place:
            del row[name]
    for row in before:
        if row["lastmod"] == "2025-03":  # a date without its day is not published
            row["lastmod"] = None
    assert sorted(before, key=lambda row: row["loc"]) == after


def test_build_from_csv_that_read_wrote(urlset):
    urlset("read", SITE / "sitemap.xml", "--output", "a.csv")

    assert urlset("build", "a.csv", "-o", "out").code == 0
    assert len(locs()) == 14


def test_build_from_sitemaps_folders_and_lists_together(urlset):
    Path("a.txt").write_bytes(b"/new\n")

    ran = urlset("build", SITE / "sitemap.xml", SITE / "maps", "a.txt", "-o", "out", *BASE, *WWW)

    assert ran.code == 0
    assert len(locs()) == 15  # each once
    assert "15 URLs in 1 file" in ran.err


def test_build_from_a_sitemap_mends_dates_that_have_one_meaning(urlset):
    dates = ("2026/1/31", "Fri, 02 Jan 2026 10:00:00 GMT", "01/02/2026")
    urls = "".join(
        f"<url><loc>https://e.com/{n}</loc><lastmod>{date}</lastmod></url>"
        for n, date in enumerate(dates)
    )

    ran = urlset("build", "-", "-o", "out", stdin=f"<urlset {NS}>{urls}</urlset>".encode())

    assert ran.code == 0
    assert [entry.lastmod_text for entry in read("out/sitemap.xml")] == [
        "2026-01-31",
        "2026-01-02T10:00:00Z",
        None,
    ]
    assert "1 unreadable date dropped" in ran.err


# ── files ────────────────────────────────────────────────────────────────────────────────────


def test_build_splits_packs_and_indexes(urlset):
    options = ("-o", "out", *BASE, "--gzip", "--max-urls", "1000", "--name", "pages")

    ran = urlset("build", SITE / "urls.txt", *options)

    assert ran.code == 0
    assert ran.out.splitlines() == [
        "out/pages-1.xml.gz",
        "out/pages-2.xml.gz",
        "out/pages-3.xml.gz",
        "out/pages.xml.gz",
    ]
    assert len(locs("out/pages.xml.gz")) == 2_500
    assert urlset("check", "out/pages.xml.gz").code == 0


def test_build_again_changes_nothing(urlset):
    Path("a.txt").write_bytes(b"/a\n")
    urlset("build", "a.txt", "-o", "out", *BASE)

    ran = urlset("build", "a.txt", "-o", "out", *BASE, "--json")

    assert json.loads(ran.out)["files"][0]["changed"] is False
    assert "0 files new or changed" in ran.err


def test_build_max_bytes(urlset):
    ran = urlset("build", "-", "-o", "out", *BASE, "--max-bytes", "200", stdin=b"/a\n/b\n/c\n")

    assert ran.code == 0
    assert all(path.stat().st_size <= 200 for path in Path("out").glob("sitemap-*.xml"))
    assert len(locs()) == 3


def test_build_json_is_a_contract(urlset):
    ran = urlset("build", "-", "-o", "out", *BASE, "--json", stdin=b"/a\n")

    told = json.loads(ran.out)
    assert {"urls", "files", "indexes", "added", "changed", "removed", "rejected"} <= told.keys()
    assert told["urls"] == 1
    assert {"name", "urls", "bytes", "lastmod", "changed"} <= told["files"][0].keys()


def test_build_dry_run_writes_nothing_and_reports_what_would_change(urlset):
    urlset("build", "-", "-o", "out", *BASE, stdin=b"/a\n")
    before = Path("out/sitemap.xml").read_bytes()

    same = urlset("build", "-", "-o", "out", *BASE, "--dry-run", "--json", stdin=b"/a\n")
    other = urlset("build", "-", "-o", "out", *BASE, "--dry-run", "--json", stdin=b"/b\n")
    fresh = urlset("build", "-", "-o", "fresh", *BASE, "--dry-run", stdin=b"/b\n")

    changed = [json.loads(ran.out)["files"][0]["changed"] for ran in (same, other)]
    assert changed == [False, True]
    assert Path("out/sitemap.xml").read_bytes() == before
    assert not Path("fresh").exists()
    assert fresh.out == "fresh/sitemap.xml\n"
    assert "Nothing was written" in fresh.err


def test_build_takes_the_site_of_the_first_url_for_the_base(urlset):
    ran = urlset("build", "-", "-o", "out", "--max-urls", "1", stdin="\n".join(PAGES).encode())

    assert ran.code == 0
    assert "Sitemap: https://e.com/sitemap.xml" in ran.err


def test_build_of_relative_urls_needs_a_base_url(urlset):
    ran = urlset("build", "-", "-o", "out", stdin=b"/a\n/b\n")

    assert ran.code == 2
    assert "--base-url" in ran.err
    assert not Path("out").exists()


def test_build_into_a_file(urlset):
    Path("out").write_text("")

    ran = urlset("build", "-", "-o", "out", stdin=b"https://e.com/\n")

    assert ran.code == 2
    assert "found a file" in ran.err


# ── what is refused ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"https://e.com/a\n\n# x\nmailto:a@e.com\n", "list:4: loc: "),
        (b"loc,priority\n/a,0.5\n\n/b,7\n", "list:4: priority: "),
        (b'loc,note\n/a,"1\n2"\njavascript:x,3\n', "list:4: loc: "),
        (b'{"loc":"/a"}\n\n{"loc":"/b","lastmod":"soon"}\n', "list:3: lastmod: "),
        (b'"/a"\n3\n', "list:2: loc: "),
        (b'{"loc":"/a"}\n{"title":"no loc"}\n', "list:2: loc: "),
    ],
)
def test_build_stops_at_a_bad_entry_and_says_where(data, place, urlset):
    Path("list").write_bytes(data)

    ran = urlset("build", "list", "-o", "out", *BASE)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"urlset: {place}expected ")
    assert "nothing was written" in ran.err
    assert not Path("out").exists()

    skipped = urlset("build", "list", "-o", "out", *BASE, "--on-error", "skip")

    assert skipped.code == 1
    assert skipped.err.startswith(f"urlset: {place}expected ")
    assert "; 1 rejected" in skipped.err
    assert len(locs()) >= 1


def test_build_of_duplicates_is_clean_and_reported(urlset):
    ran = urlset("build", "-", "-o", "out", *BASE, stdin=b"/a\n/a\n/b\n")

    assert ran.code == 0
    assert "; 1 duplicate\n" in ran.err


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            b'[{"loc": "/a"}',
            "list:1: expected ] at the end of the array, found the end of the file",
        ),
        (b'{\n "loc": "/a"\n}\n', "jq -c ."),
        (b'{"loc": "/a"}\nnonsense\n', "list:2: expected a JSON object"),
        (b'{"loc": "/a"}\n' + b"[" * 100_000, "list:2: expected a JSON object"),
        (b"/a\n/caf\xe9\n", "byte 0xe9"),
        (b"/a\0b\n", "binary data"),
        (gzip.compress(b"/a\n" * 1_000)[:-9], "complete gzip data"),
        (b"<html><body>no</body></html>", "an HTML page"),
        (f"<urlset {NS}><url><loc>https://e.com/</loc></url>".encode(), "cut off"),
        (
            f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.xml</loc></sitemap>"
            "</sitemapindex>".encode(),
            "missing",
        ),
    ],
)
def test_build_from_what_cannot_be_read_writes_nothing(data, words, urlset):
    Path("list").write_bytes(data)

    ran = urlset("build", "list", "-o", "out", *BASE)

    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert not Path("out").exists()


def test_build_from_a_line_without_an_end(urlset, monkeypatch):
    monkeypatch.setattr("urlset.sources.text.MAX_LINE", 1_000)

    ran = urlset("build", "-", "-o", "out", *BASE, stdin=b"/a\n" + b"x" * 5_000)

    assert ran.code == 2
    assert "more than 1,000 characters" in ran.err


def test_build_from_more_files_than_may_be_open(urlset):
    resource = pytest.importorskip("resource")
    for number in range(60):
        Path(f"{number}.txt").write_text(f"/{number}\n")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 40
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 20, limits[1]))
    try:
        ran = urlset("build", *(f"{n}.txt" for n in range(60)), "-o", "out", *BASE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert ran.code == 0
    assert len(locs()) == 60


def test_build_leaves_out_a_source_on_demand(urlset):
    Path("a.txt").write_bytes(b"/a\n")

    ran = urlset("build", "none.txt", "a.txt", "-o", "out", *BASE, "--on-error", "skip")

    assert ran.code == 1
    assert "none.txt" in ran.err
    assert locs() == ["https://e.com/a"]


@pytest.mark.parametrize("name", ["urls.txt", "urls.csv", "urls.jsonl"])
def test_build_of_an_empty_list_is_stopped_by_its_gate(name, urlset):
    Path(name).write_bytes(b"\n")

    ran = urlset("build", name, "-o", "out", *BASE)

    assert ran.code == 10
    assert f"expected URLs to publish, found none in {name}; nothing was published" in ran.err


def test_build_of_what_is_all_left_out_says_why(urlset):
    Path("urls.txt").write_bytes(b"/a\n/b\n")

    ran = urlset(
        "build", "urls.txt", "-o", "out", *BASE, "--filter", "drop:/a", "--filter", "drop:."
    )

    assert ran.code == 10
    words = "found none of 2 to keep (excluded: filter 1: drop:/a 1, filter 2: drop:. 1)"
    assert words in ran.err


# ── what a person would expect ───────────────────────────────────────────────────────────────


def test_build_of_several_logs_reads_them_as_one(urlset):
    line = '192.0.2.1 - - [{day:02}/Jan/2026:10:00:00 +0000] "GET {path} HTTP/1.1" {status} 9\n'
    asked = [(1, "/a", 200), (1, "/b", 200), *[(2, "/a", 404)] * 20]
    for day in (1, 2):
        rows = [line.format(day=d, path=p, status=s) for d, p, s in asked if d == day]
        Path(f"access.log.{day}").write_text("".join(rows))

    ran = urlset("build", "access.log.2", "access.log.1", "-o", "out", *BASE)

    assert locs() == ["https://e.com/b"]
    assert "1 URL excluded: 404 since 2026-01-02 (https://e.com/a)" in ran.err


def test_build_by_a_configuration_above_reports_paths_from_here(urlset, monkeypatch):
    Path("urlset.toml").write_text(
        '[build]\nsources = ["urls.txt"]\noutput = "out"\nbase-url = "https://e.com/"\n'
    )
    Path("urls.txt").write_text("/a\n")
    Path("below").mkdir()
    monkeypatch.chdir("below")

    assert urlset("build").out == "../out/sitemap.xml\n"


def test_build_does_not_speak_of_git_unasked(urlset):
    Path("site").mkdir()
    Path("site/index.html").write_text("<title>A</title><p>B")

    silent = urlset("build", "site", "-o", "out", *BASE)
    asked = urlset("build", "site", "-o", "out", *BASE, "--lastmod", "git")

    assert "repository" not in silent.err
    assert "'site' is not in a git repository" in asked.err


def test_build_dry_run_knows_the_ledger(urlset):
    Path("a.txt").write_bytes(b"/a\n/b\n")
    urlset("build", "a.txt", "-o", "out", *BASE)

    ran = urlset("build", "a.txt", "-o", "out", *BASE, "--dry-run")

    assert "adopted" not in ran.err
    assert sorted(os.listdir(".urlset")) == [".gitignore", "ledger.duckdb"]


def test_build_knows_its_folder_by_any_path(urlset, tmp_path):
    Path("a.txt").write_bytes(b"/a\n/b\n")
    urlset("build", "a.txt", "-o", "out", *BASE)

    ran = urlset("build", "a.txt", "-o", tmp_path / "out", *BASE)

    assert "adopted" not in ran.err
    assert "0 files new or changed" in ran.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sources = [{path = 1}]", "[build] sources[1].path: expected a string, found 1"),
        (
            'sources = [{path = "l", map = 5}]',
            "[build] sources[1].map: expected a string or a table",
        ),
        (
            'sources = [{path = "l", map = {loc = 5}}]',
            "[build] sources[1].map.loc: expected a string",
        ),
        ('sources = [{path = "l", kind = 7}]', "[build] sources[1].kind: expected a string"),
        ('sources = ["l"]\noutput = ""', "[build] output: expected a value, found an empty text"),
        (f'sources = ["l"]\noutput = "o"\ngrace = "{"9" * 30}d"', "expected --grace of a few days"),
    ],
)
def test_a_configuration_that_cannot_be_meant_is_reported(line, words, urlset):
    Path("l").write_text("https://e.com/a\n")
    output = "" if "output" in line else 'output = "o"\n'
    Path("urlset.toml").write_text(f'[build]\nbase-url = "https://e.com/"\n{output}{line}\n')

    code, out, err = urlset("build")

    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    "words",
    [
        ["--base-url", "e.com"],
        ["--base-url", "https://u:p@e.com/"],
        ["--include", "("],
        ["--exclude", "("],
        ["--allowed-host", "a/b"],
        ["--include-sitemap", "maps"],
        ["--include-sitemap", "https://other.example/s.xml"],
        ["--lastmod", "never"],
        ["--with", "sounds"],
        ["--name", "a/b"],
        ["--grace", "3x"],
        ["--force", "all"],
    ],
    ids=" ".join,
)
def test_a_message_about_an_option_names_its_flag(words, urlset):
    Path("l").write_text("https://e.com/a\n")
    base = [] if "--base-url" in words else ["--base-url", "https://e.com/"]

    code, out, err = urlset("build", "l", "-o", "o", *base, *words)

    assert (code, out) == (2, "")
    assert words[0] in err


@pytest.mark.parametrize("words", [[], ["check"]])
def test_help_is_a_word_too(urlset, words):
    assert urlset("help", *words) == urlset(*words, "--help")


def test_a_share_may_be_written_in_percent(urlset):
    words = ["build", "list", "-o", "out", *BASE]
    Path("list").write_text("".join(f"/{number}\n" for number in range(10)))
    assert urlset(*words).code == 0
    Path("list").write_text("".join(f"/{number}\n" for number in range(8)))

    for text in ("90%", "0.9"):
        assert urlset(*words, "--dry-run", "--min-share", text).code == 11
    assert urlset(*words, "--dry-run", "--min-share", "80%").code == 0
    Path("urlset.toml").write_text('[build]\nmin-share = "90%"\n')
    assert urlset(*words, "--dry-run").code == 11
    for wrong in ("101%", "%", "nan%", "9x%", "2"):
        ran = urlset(*words, "--min-share", wrong)
        assert ran.code == 2
        assert "expected a number from 0 to 1, or a share such as 10%, found" in ran.err
    Path("urlset.toml").write_text('[build]\nmin-share = "101%"\n')
    assert "[build] min-share: expected a number from 0 to 1, or a share" in urlset(*words).err


def test_a_fraction_in_the_file_names_the_share(urlset, tmp_path):
    Path("urlset.toml").write_text("[build]\nmax-removed = 0.05\n")

    ran = urlset("build", "-", "-o", "out", *BASE, stdin=b"/a\n")

    assert ran.code == 2
    assert "found '0.05'; did you mean 5%?" in ran.err
