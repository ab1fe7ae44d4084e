"""Taking over what is published: whose it is, and what its dates are worth."""

import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.builder.test_build import BASE, NS, Site, pages
from tests.sources.test_folder import make
from tests.sources.test_git_dates import Repository
from urlset.builder import build
from urlset.builder.file_mark import MARK, is_marked
from urlset.errors import GateError
from urlset.sources import Candidate, HtmlFolder
from urlset.sources.git import GitDatedSource

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
TODAY = "2026-11-21"


def entry(path, date):
    return f"<url><loc>{BASE}{path}</loc><lastmod>{date}</lastmod></url>\n"


GENERATORS = {
    "MkDocs": f'{DECLARATION}<urlset xmlns="{NS}">\n{{entries}}</urlset>',
    "Django": f'{DECLARATION}<urlset xmlns="{NS}" {XHTML}>\n{{entries}}\n</urlset>\n',
    "next-sitemap": f'{DECLARATION}<urlset xmlns="{NS}" {XHTML} {IMAGE}>\n{{entries}}</urlset>',
    "by hand, in our layout": f'{DECLARATION}<urlset xmlns="{NS}">\n{{entries}}</urlset>\n',
}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


def origins(site):
    with duckdb.connect(site.ledger, read_only=True) as ledger:
        names = "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'urls'"
        ((schema,),) = ledger.sql(names).fetchall()
        return dict(ledger.sql(f"SELECT loc, lastmod_from FROM {schema}.urls").fetchall())


def dates(site):
    return {name: found.lastmod_text for name, found in site.entries().items()}


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_sitemap_of_another_generator_is_not_taken_for_ours(generator, site):
    site.out.mkdir()
    entries = "".join(entry(f"p{n:03}", TODAY) for n in range(19))
    (site.out / "sitemap.xml").write_text(GENERATORS[generator].format(entries=entries))

    made = site.build(pages(*range(19)))

    assert set(dates(site).values()) == {None}
    assert made.added == 19
    assert made.notes[0].startswith("sitemap.xml was written by another tool and is replaced")


def test_an_index_of_another_generator_is_not_taken_for_ours(site):
    # As @astrojs/sitemap and next-sitemap write them: with the names of our files.
    site.out.mkdir()
    index = f"<sitemap><loc>{BASE}sitemap-0.xml</loc></sitemap>"
    head = f'{DECLARATION}<sitemapindex xmlns="{NS}">\n'
    (site.out / "sitemap.xml").write_text(f"{head}{index}\n</sitemapindex>\n")
    site.foreign("sitemap-0.xml", f"<loc>{BASE}p001</loc><lastmod>{TODAY}</lastmod>")

    made = site.build(pages(1), max_urls=1)

    assert (made.added, dates(site)) == (1, {"p001": None})


def test_a_file_that_another_tool_put_into_our_set_is_not_taken_for_ours(site):
    site.build(pages(*range(4)), max_urls=2)
    site.ledger.unlink()
    site.foreign("sitemap-2.xml", f"<loc>{BASE}p003</loc><lastmod>{TODAY}</lastmod>")

    made = site.build(pages(*range(4)), max_urls=2)

    assert made.added == 2
    assert site.entries("sitemap-2.xml")["p003"].lastmod is None


def test_no_sitemap_of_the_corpus_is_taken_for_ours(shared):
    files = [path for path in (shared / "corpus").rglob("*") if path.is_file()]

    assert files
    assert [path.name for path in files if is_marked(path.read_bytes())] == []


def test_all_files_of_a_set_bear_the_mark(site):
    site.build(pages(*range(5)), max_urls=2, stylesheet="sitemap.css")

    documents = {name: data for name, data in site.bytes().items() if name.endswith(".xml")}
    assert len(documents) == 4
    assert all(data.count(MARK) == 1 and is_marked(data) for data in documents.values())


def test_a_list_of_urls_of_unknown_origin_is_not_taken_for_ours(site):
    site.out.mkdir()
    (site.out / "sitemap.txt").write_text(f"{BASE}p001\n")

    made = site.build(pages(1), format="text")

    assert made.added == 1
    assert "no ledger lists it" in made.notes[0]
    assert made.changed_files == ()  # the bytes are the same


@pytest.mark.parametrize("is_ours", [True, False])
def test_adopted_dates_are_no_evidence_of_content(is_ours, site):
    rows = [Candidate(f"/p{n}", lastmod_text=f"2026-0{n}-01", fingerprint="1") for n in range(1, 8)]
    site.build(rows)
    site.ledger.unlink()
    if not is_ours:
        path = site.out / "sitemap.xml"
        path.write_bytes(path.read_bytes().replace(MARK, b""))
    bare = [Candidate(f"/p{n}", fingerprint="1") for n in range(1, 6)]
    bare += [Candidate("/p6", git_lastmod="2025-12-24")]
    bare += [Candidate("/p7", header_lastmod="2025-12-25")]

    made = site.build(bare, adopt=not is_ours, why=[f"{BASE}p5"])
    site.build(bare, adopt=not is_ours)

    found = {f"{BASE}p{n}": "adopted" for n in range(1, 6)}
    assert origins(site) == found | {f"{BASE}p6": "git", f"{BASE}p7": "header"}
    assert dates(site)["p5"] == "2026-05-01"
    assert dates(site)["p6"] == "2025-12-24"
    assert any("there is no other evidence" in line for line in made.why)
    site.build([Candidate("/p1", fingerprint="2"), *bare[1:]])
    assert origins(site)[f"{BASE}p1"] == "content"


@pytest.mark.slow
@pytest.mark.parametrize("max_urls", [50_000, 2])
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_build_continues_after_one_that_adopted_files_and_failed(is_ours, max_urls, site):
    rows = [Candidate(f"/p{n}", lastmod_text=f"2026-0{n}-01") for n in range(1, 6)]
    site.build(rows, max_urls=max_urls)
    for path in site.out.iterdir():
        if not is_ours:
            path.write_bytes(path.read_bytes().replace(MARK, b""))
    site.ledger.unlink()
    with pytest.raises(GateError):
        site.build([], adopt=not is_ours, max_urls=max_urls)

    made = site.build([f"/p{n}" for n in range(1, 6)], adopt=not is_ours, max_urls=max_urls)

    assert (made.urls, made.added, made.removed) == (5, 0, 0)
    assert dates(site)["p3"] == "2026-03-01"
    assert set(origins(site).values()) == {"adopted"}


def test_adopted_dates_are_left_out_where_the_ledger_is_not_to_be_asked(site):
    site.build([Candidate("/a", lastmod_text="2026-01-31")])
    site.ledger.unlink()

    site.build(["/a"], lastmod=("given", "git"))

    assert dates(site) == {"a": None}


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize(
    "dated",
    [
        ["2026-11-20T03:00:00Z"] * 12,
        ["2026-11-20"] * 5,
        [f"2026-11-20T03:00:{n:02}.{n}Z" for n in range(10, 30)],  # one new Date() for each page
        ["2026-11-20T03:00:00Z"] * 6 + [f"2026-01-{n}" for n in range(10, 15)],
    ],
)
def test_bulk_dates_are_disbelieved_whoever_wrote_them(dated, is_ours, site):
    names = [f"/p{n:02}" for n in range(len(dated))]
    site.build([Candidate(*row) for row in zip(names, [None] * 99, dated, strict=False)])
    site.ledger.unlink()
    if not is_ours:
        path = site.out / "sitemap.xml"
        path.write_bytes(path.read_bytes().replace(MARK, b""))

    made = site.build(names, adopt=not is_ours)

    bulk = sum(date.startswith("2026-11-20") for date in dated)
    assert "is ignored" in made.notes[0]
    assert list(dates(site).values()).count(None) == bulk


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_without_a_cached_ledger_a_build_gives_the_same_dates(tmp_path):
    repository = Repository(tmp_path / "repository")
    for number in range(1, 8):
        repository.commit(f"2026-01-0{number}T10:00:00Z", **{f"p{number}_md": f"text {number}"})
    written = "<meta property='article:modified_time' content='2025-12-0{}'>"
    files = {
        f"p{n}.html": f"<title>{n}</title>{written.format(n) if n < 4 else ''}<p>Text {n}"
        for n in range(1, 8)
    }
    sites = [Site(tmp_path / name, None) for name in ("cached", "empty")]
    for site in sites:
        folder = make(site.out, files)
        for step in range(2):
            site.now += timedelta(hours=1)
            if step and site.ledger.name and site is sites[1]:
                shutil.rmtree(site.out)
                make(site.out, files)
                site.ledger.unlink()
                (site.out / "sitemap.xml").write_text(
                    GENERATORS["MkDocs"].format(
                        entries="".join(entry(name, TODAY) for name in files)
                    )
                )
            source = GitDatedSource(
                HtmlFolder(folder, BASE), str(folder), root=str(repository.folder)
            )
            build(source, site.out, base_url=BASE, ledger=site.ledger, now=site.now)

    assert dates(sites[0])["p1.html"] == "2025-12-01"
    assert dates(sites[0])["p7.html"] == "2026-01-07T10:00:00Z"
    assert sites[0].bytes()["sitemap.xml"] == sites[1].bytes()["sitemap.xml"]


def test_a_ledger_of_the_version_before_is_updated(site: Site):
    site.build([Candidate("/a", lastmod_text="2026-01-31"), Candidate("/b")])
    with duckdb.connect(site.ledger) as ledger:
        names = "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'urls'"
        ((schema,),) = ledger.sql(names).fetchall()
        ledger.sql(f"ALTER TABLE {schema}.urls DROP COLUMN adopted_lastmod")
        ledger.sql(f"UPDATE {schema}.settings SET version = 2")

    made = site.build([Candidate("/a", lastmod_text="2026-01-31"), Candidate("/b")])

    assert (made.added, made.changed, made.changed_files) == (0, 0, ())
    assert Path(site.ledger).is_file()
