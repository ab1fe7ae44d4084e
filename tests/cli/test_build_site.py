"""`urlset build` for a site: pages, tables, logs, configuration, safety gates."""

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.test_commands import command
from tests.site_box import SiteBox
from urlset.reader import read

GARDEN = Path(__file__).parents[2] / "examples" / "garden"
BASE = ("--base-url", "https://example.com/")


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def locs(path="out/sitemap.xml"):
    return [entry.loc.removeprefix("https://example.com") for entry in read(path)]


def test_a_folder_of_pages(urlset):
    ran = urlset("build", GARDEN, "-o", "out", *BASE)

    assert ran.code == 0
    assert locs()[:3] == ["/", "/about.html", "/blog/"]
    assert "1 URL excluded: noindex (https://example.com/members.html)\n" in ran.err
    assert "1 URL excluded: redirect (https://example.com/directions.html)\n" in ran.err
    assert not [name for name in Path("out").iterdir() if name.name == ".urlset"]
    assert Path(".urlset/ledger.duckdb").is_file()


def test_one_page_changes(urlset):
    shutil.copytree(GARDEN, "site")
    build = ("build", "site", "-o", "out", *BASE, "--max-urls", "3", "--lastmod", "content")
    urlset(*build)
    page = Path("site/about.html")
    page.write_text(page.read_text().replace("<p>", "<p>Something new. ", 1))

    ran = urlset(*build, "--json", "--changes", "changes.jsonl")

    made = json.loads(ran.out)
    assert [file["name"] for file in made["files"] if file["changed"]] == ["sitemap-1.xml"]
    assert (made["added"], made["changed"], made["removed"]) == (0, 1, 0)
    (change,) = map(json.loads, Path("changes.jsonl").read_text().splitlines())
    assert change["loc"] == "https://example.com/about.html"
    assert change["before"]["lastmod"] is None
    assert change["after"]["lastmod"].endswith("Z")


def test_images_and_alternates_on_request(urlset):
    urlset("build", GARDEN, "-o", "out", *BASE, "--with", "images", "--with", "alternates")

    entries = {entry.loc: entry for entry in read("out/sitemap.xml")}
    assert entries["https://example.com/"].images
    assert {link.hreflang for link in entries["https://example.com/"].alternates} >= {"en", "de"}


def test_a_query_of_sqlite(urlset):
    with sqlite3.connect("shop.db") as database:
        database.execute("CREATE TABLE product (slug TEXT, changed TEXT, is_live INTEGER)")
        rows = [("a", "2026-11-01", 1), ("b", "2026-11-02T10:00:00Z", 1), ("c", None, 0)]
        database.executemany("INSERT INTO product VALUES (?, ?, ?)", rows)
    database.close()
    query = "SELECT '/p/' || slug AS loc, changed AS lastmod FROM product WHERE is_live"

    ran = urlset("build", "sqlite:///shop.db", "--query", query, "-o", "out", *BASE)

    assert (ran.code, locs()) == (0, ["/p/a", "/p/b"])
    assert [entry.lastmod_text for entry in read("out/sitemap.xml")] == [
        "2026-11-01",
        "2026-11-02T10:00:00Z",
    ]


def test_an_access_log_adds_and_speaks_against(urlset):
    lines = [("/a", 200), ("/b?session=secret", 200), ("/gone", 200), *[("/gone", 404)] * 12]
    Path("access.log").write_text(
        "".join(
            f'203.0.113.7 - - [20/Nov/2026:10:00:{n:02} +0000] "GET {path} HTTP/1.1" {status} 5\n'
            for n, (path, status) in enumerate(lines)
        )
    )
    Path("list.txt").write_text("/gone\n/kept\n")

    ran = urlset("build", "access.log", "list.txt", "-o", "out", *BASE)

    assert (ran.code, locs()) == (0, ["/a", "/b", "/kept"])
    assert "404" in ran.err


def test_a_configuration_says_all(urlset):
    Path("site").mkdir()
    Path("site/pages.csv").write_text("address,changed\n/a,2026-11-01\n/blog/b,2026-11-02\n/x,\n")
    Path("site/more.txt").write_text("/c\n")
    Path("site/urlset.toml").write_text(
        """
        [build]
        base-url = "https://example.com/"
        output = "public"
        filters = ["drop:/x$"]
        sections = ["blog=/blog/"]
        ledger = "state/ledger.duckdb"
        robots = "public/robots.txt"
        sources = [
            {path = "pages.csv", map = {loc = "address", lastmod = "changed"}},
            "more.txt",
        ]
        """
    )

    ran = urlset("build", "--config", "site/urlset.toml")

    assert ran.code == 0
    assert locs("site/public/sitemap-1.xml") == ["/a", "/c"]
    assert locs("site/public/sitemap-blog-1.xml") == ["/blog/b"]
    assert Path("site/state/ledger.duckdb").is_file()
    robots = Path("site/public/robots.txt").read_text()
    assert "Sitemap: https://example.com/sitemap.xml\n" in robots


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[build]\nsource = ['a']\n", "did you mean 'sources'"),
        ("[build]\ngzip = 'yes'\n", "[build] gzip: expected true or false"),
        (
            "[build]\nsources = [3]\noutput='o'\n",
            "[build] sources[1]: expected a string or a table",
        ),
        ("[build]\nsources = [{file = 'a'}]\noutput='o'\n", "file"),
        ("[build]\nfilters = ['nonsense']\nsources = ['a.txt']\noutput='o'\n", "keep:PATTERN"),
        ("[build]\nfilters = ['drop:(']\nsources = ['a.txt']\noutput='o'\n", "("),
        ("[build]\ngrace = 'soon'\nsources = ['a.txt']\noutput='o'\n", "36h"),
        ("[build]\nlastmod = ['clock']\nsources = ['a.txt']\noutput='o'\n", "clock"),
        ("[build]\nname-pattern = '{name}'\nsources = ['a.txt']\noutput='o'\n", "{number}"),
    ],
)
def test_a_configuration_that_cannot_be_meant(text, words, urlset):
    Path("urlset.toml").write_text(text)
    Path("a.txt").write_text("https://example.com/\n")

    ran = urlset("build")

    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert not Path("o").exists()


def test_gates_have_exit_codes(urlset):
    Path("a.txt").write_text("".join(f"/{n}\n" for n in range(10)))
    Path("b.txt").write_text("/1\n")
    Path("c.txt").write_text("https://other.example/\n")
    Path("d.txt").write_text("\n# nothing\n")
    build = ("build", "-o", "out", *BASE)
    urlset(*build, "a.txt")

    shrunk, hosts = urlset(*build, "b.txt"), urlset(*build, "a.txt", "c.txt")
    zero = urlset(*build, "a.txt", "--filter", "drop:.")

    assert [ran.code for ran in (shrunk, hosts, zero)] == [11, 13, 10]
    assert "--force shrunk" in shrunk.err
    assert "--force hosts" in hosts.err
    assert len(locs()) == 10
    assert urlset(*build, "b.txt", "--force", "shrunk").code == 0
    assert len(locs()) == 1


def test_why(urlset):
    Path("a.txt").write_text("/a\n/secret\n")

    ran = urlset(
        *("build", "a.txt", "-o", "out", *BASE, "--filter", "drop:secret"),
        *("--why", "/secret", "--why", "https://example.com/a"),
    )

    assert ran.code == 0
    assert "found in a.txt:2" in ran.out
    assert "excluded: filter 1: drop:secret" in ran.out
    assert "in sitemap.xml" in ran.out
    assert not Path("out").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_why_escapes_the_names_of_files(urlset):
    # A pull request adds a file with such a name; the job that prints it must not run a command.
    name = "a\n::set-output name=x::y\x1b[2J.html"
    Path("site").mkdir()
    Path("site", name).write_text("<title>Tea</title><p>Many kinds.")
    url = "https://example.com/a%0A::set-output%20name=x::y%1B%5B2J.html"

    ran = urlset("build", "site", "-o", "out", *BASE, "--why", url)

    assert "  found in site/a\\x0a::set-output name=x::y\\x1b[2J.html\n" in ran.out


def test_why_as_json_has_the_explanation(urlset):
    Path("a.txt").write_text("/a\n/secret\n")
    words = ("build", "a.txt", "-o", "out", *BASE, "--filter", "drop:secret", "--why", "/secret")

    ran = urlset(*words, "--json")

    assert json.loads(ran.out)["why"] == urlset(*words).out.splitlines()
    assert json.loads(ran.out)["why"][-1] == "  excluded: filter 1: drop:secret"


def test_a_dry_run_writes_nothing(urlset):
    Path("a.txt").write_text("/a\n")

    ran = urlset("build", "a.txt", "-o", "out", *BASE, "--dry-run")

    assert (ran.code, ran.out) == (0, "out/sitemap.xml\n")
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt"]


def test_a_page_for_people(urlset):
    Path("a.txt").write_text("/a\n")

    urlset("build", "a.txt", "-o", "out", *BASE, "--stylesheet", "sitemap.css")

    assert Path("out/sitemap.css").is_file()


# ── sources that are named by a pattern ──


def _lists(folder):
    Path(folder).mkdir(parents=True)
    for name in ("b", "a", "c[1]"):
        Path(folder, f"{name}.csv").write_text(f"url\n/{name[0]}\n")
    Path(folder, "note.txt").write_text("/note\n")


@pytest.mark.parametrize("source", ["data/*.csv", "csv:data/*.csv", "**/?.csv", "data/[a-b].csv"])
def test_a_pattern_in_the_configuration_names_files_beside_it(source, urlset):
    _lists("site/data")
    Path("site/urlset.toml").write_text(
        f'[build]\nsources = ["{source}"]\noutput = "out"\nbase-url = "https://example.com/"\n'
    )

    ran = urlset("build", "--config", "site/urlset.toml", "--format", "text")

    assert ran.code == 0
    assert Path("site/out/sitemap.txt").read_text().split()[:2] == [
        "https://example.com/a",
        "https://example.com/b",
    ]
    assert ("/c" in Path("site/out/sitemap.txt").read_text()) is ("*.csv" in source)


def test_a_pattern_that_no_shell_has_expanded(urlset):
    _lists("data")

    every = urlset("build", "data/*.csv", "-o", "out", *BASE)
    literal = urlset("build", "data/c[1].csv", "-o", "out2", *BASE)

    assert (every.code, literal.code) == (0, 0)
    assert locs() == ["/a", "/b", "/c"]
    assert locs("out2/sitemap.xml") == ["/c"]


def test_a_pattern_that_fits_nothing_is_reported(urlset, tmp_path):
    Path("urls.txt").write_text("/a\n")

    ran = urlset("build", "urls.txt", "data/*.csv", "-o", "out", *BASE)
    skipped = urlset("build", "urls.txt", "data/*.csv", "-o", "out", *BASE, "--on-error", "skip")

    assert ran.code == 2
    assert "expected sources, found nothing that matches 'data/*.csv'" in ran.err
    assert str(tmp_path / "data") in ran.err
    assert skipped.code == 1
    assert locs() == ["/a"]


def test_every_key_of_the_configuration_is_an_option_too(urlset):
    shown = urlset("build", "--help").out
    names = set(re.findall(r"^\| `\w+` \| `([a-z-]+)` \|", section_of_keys(), re.M)) - {"sources"}

    assert len(names) > 30
    for name in names:
        assert re.search(rf"--{re.escape(name)}\b|--{re.escape(name.removesuffix('s'))} ", shown), (
            name
        )


def section_of_keys():
    page = Path(__file__).parents[2] / "docs" / "options.md"
    return page.read_text().partition("\n## build\n")[2].partition("\n## ")[0]


def test_what_stands_between_cells_is_reported(urlset):
    Path("a.csv").write_text("id~url~price, old\n1~/a~2\n")
    Path("b.csv").write_text("id, no\turl\n1\t/b\n")

    told = urlset("build", "a.csv", "-o", "out", *BASE, "--delimiter", "~")
    tab = urlset("build", "b.csv", "-o", "out2", *BASE, "--delimiter", r"\t")
    wrong = urlset("build", "a.csv", "-o", "out", *BASE, "--delimiter", "~~")

    assert (told.code, tab.code, wrong.code) == (0, 0, 2)
    assert locs() == ["/a"]
    assert locs("out2/sitemap.xml") == ["/b"]
    assert "--delimiter: expected one character such as ;, found '~~'" in wrong.err


def test_an_option_takes_back_what_the_configuration_says(urlset):
    Path("a.txt").write_text("/a\n")
    Path("urlset.toml").write_text(
        "[build]\nsources = ['a.txt']\noutput = 'out'\nbase-url = 'https://example.com/'\n"
        "gzip = true\n"
    )

    ran = urlset("build", "--no-gzip")

    assert ran.out == "out/sitemap.xml\n"


def test_the_least_hits_of_a_log_are_reported(urlset):
    line = '192.0.2.1 - - [18/Jan/2026:10:00:00 +0100] "GET /{} HTTP/1.1" 200 5 "-" "x"\n'
    Path("a.log").write_text("".join(line.format(page) for page in ("a", "b", "a")))

    ran = urlset("build", "a.log", "-o", "out", *BASE, "--min-hits", "2")

    assert ran.code == 0
    assert locs() == ["/a"]


def test_the_login_of_the_environment_is_sent_to_a_site(box: SiteBox, urlset, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    url = box.put_urlset("/s.xml", 2)
    monkeypatch.setenv("URLSET_AUTH", "me:s3cret")

    ran = urlset("build", url, "-o", "out", "--base-url", box.url("/"))

    assert ran.code == 0, ran.err
    [sent] = {hit.headers.get("authorization") for hit in box.hits if hit.path == "/s.xml"}
    assert sent == "Basic bWU6czNjcmV0"


def test_the_login_of_the_environment_is_read_for_sites_only(urlset, monkeypatch):
    Path("urls.txt").write_text("/a\n")
    monkeypatch.setenv("URLSET_AUTH", "s3cret")

    assert urlset("build", "urls.txt", "-o", "out", *BASE).code == 0
    ran = urlset("build", "sitemap:https://e.com/s.xml", "-o", "out", *BASE)
    assert "$URLSET_AUTH: expected `user:password` or `Bearer TOKEN`" in ran.err
