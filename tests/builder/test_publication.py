"""What a build does right that producers of sitemaps were seen to do wrong: publication."""

import os
import socket
import sys
from datetime import timedelta

import duckdb
import pytest

import urlset as library
from tests.builder.test_build import BASE, Site, pages
from tests.cli.test_commands import command
from urlset import write
from urlset.errors import EntryError, GateError, TargetError
from urlset.sources import Candidate

ROWS = pages(*range(9))


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


class OutError(Exception):
    """What a source breaks off with."""


def breaking_off(rows):
    yield from rows
    raise OutError


# ── what is there while something goes wrong ─────────────────────────────────────────────────


# sitemap.js': a cut file and an open index; xml_sitemap_writer's: half a set, which is indexed.
@pytest.mark.parametrize("count", [0, 1, 8_192, 20_000])
def test_a_source_that_breaks_off_changes_nothing(count, site):
    site.build(ROWS, max_urls=3)
    before = site.bytes()

    with pytest.raises(OutError):
        site.build(breaking_off(f"{BASE}new/{number}" for number in range(count)), max_urls=3)

    assert site.bytes() == before
    assert site.build(ROWS, max_urls=3).changed_files == ()


# python-sitemap's: opens its output, and then begins to crawl.
def test_a_source_that_breaks_off_at_first_leaves_no_file(site):
    with pytest.raises(OutError):
        site.build(breaking_off(ROWS))

    assert not site.out.exists() or list(site.out.iterdir()) == []


def test_a_source_that_breaks_off_under_write_changes_nothing(tmp_path):
    write(["https://example.com/a"], tmp_path, base_url=BASE)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    with pytest.raises(OutError):
        write(breaking_off(f"{BASE}{n}" for n in range(9)), tmp_path, base_url=BASE, max_urls=2)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


# sitemap_generator's, laravel-sitemap's: a file is written where it is served.
def test_a_disk_that_is_full_leaves_what_was_there(site, monkeypatch):
    site.build(ROWS, max_urls=3)
    before = site.bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("urlset.publisher.local.os.fsync", full)
    with pytest.raises(TargetError, match="No space left"):
        site.build(ROWS + pages(10, 11, 12), max_urls=3)
    monkeypatch.undo()

    assert site.bytes() == before
    assert site.build(ROWS, max_urls=3).changed_files == ()


class Watch:
    """What lies in a folder whenever a file is opened, renamed or removed, while it is asked."""

    def __init__(self):
        self.folder = None
        self.seen = set()
        self.steps = 0
        sys.addaudithook(self._look)  # which nobody can take away again

    def _look(self, event, _arguments):
        if self.folder is None or event not in ("open", "os.rename", "os.remove", "os.link"):
            return
        folder, self.folder = self.folder, None  # for looking is an event, too
        names = frozenset(name for name in os.listdir(folder) if name[0] != ".")
        self.seen.add((names, all((folder / name).stat().st_size for name in names)))
        self.steps += 1
        self.folder = folder


WATCH = Watch()


# django-static-sitemaps', gsitemap's: deleted, then written; Google Sitemap Generator's: removed,
# then renamed; sitemap_generator's: emptied, then filled.
def test_the_old_file_is_there_until_the_new_one_is(site):
    site.build(ROWS, max_urls=3)
    names = frozenset(site.names())

    WATCH.folder = site.out
    try:
        site.build(pages(*range(9), lastmod_text="2026-11-20"), max_urls=3)
    finally:
        WATCH.folder = None

    assert WATCH.steps > len(names)
    assert WATCH.seen == {(names, True)}


# ── what is there afterwards ─────────────────────────────────────────────────────────────────


# hugesitemap's.
def test_a_set_that_shrinks_leaves_no_orphans(site):
    site.build(ROWS, max_urls=2)

    made = site.build(ROWS[:5], max_urls=2)

    assert made.removed_files == ("sitemap-4.xml", "sitemap-5.xml")
    assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap.xml"]


# sitemap_generator's: whatever begins as its files do is removed.
def test_files_of_others_are_not_taken_away_whatever_they_are_called(site):
    site.build(ROWS, max_urls=2)
    others = ["sitemap-99.xml", "sitemap-news.xml", "sitemap.xml.gz", "sitemap_old.xml", "a.html"]
    for name in others:
        (site.out / name).write_text("mine")

    site.build(ROWS[:5], max_urls=2)

    assert {(site.out / name).read_text() for name in others} == {"mine"}


# A ledger may come with a repository.
def test_a_ledger_that_names_other_files_takes_none_away(site):
    site.build(ROWS, max_urls=2)
    others = {"index.html": "<!doctype html><p>Tea", "notes.txt": "Tea\n", "data.xml": "<tea/>"}
    for name, text in others.items():
        (site.out / name).write_text(text)
    with duckdb.connect(site.ledger) as ledger:
        query = "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'orphans'"
        ((schema,),) = ledger.sql(query).fetchall()
        for name in others:
            ledger.execute(f"INSERT INTO {schema}.orphans VALUES (?, now())", [name])

    made = site.build(ROWS[:5], max_urls=2, later=timedelta(days=9))

    assert made.removed_files == ("sitemap-4.xml", "sitemap-5.xml")
    assert {name: (site.out / name).read_text() for name in others} == others


# Whoever has cached the index asks for the files that it named.
def test_orphans_may_stay_for_those_who_have_the_old_index(site):
    site.build(ROWS, max_urls=2)
    grace = timedelta(hours=6)

    assert site.build(ROWS[:5], max_urls=2, grace=grace).removed_files == ()
    assert "sitemap-5.xml" in site.names()
    assert site.build(ROWS[:5], max_urls=2, grace=grace, later=grace).removed_files != ()


@pytest.mark.parametrize("nothing", [[], (), iter([])], ids=["list", "tuple", "iterator"])
def test_nothing_at_all_is_a_set_without_urls(site, nothing):
    with pytest.raises(GateError, match="expected URLs to publish, found none"):
        site.build(nothing)

    assert site.build([], force="zero").urls == 0


@pytest.mark.parametrize("row", [{}, {"loc": None}, {"lastmod": "2026-01-01"}])
def test_a_row_without_a_url_is_refused_with_its_place(tmp_path, monkeypatch, row):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(EntryError, match="rows:2: loc: expected a URL, found nothing"):
        library.build([{"loc": "/a"}, row], "public", base_url=BASE)
    with pytest.raises(EntryError, match="rows:1: loc: expected a URL, found nothing"):
        library.build(row, "public", base_url=BASE)


# sitemap.js': an error of another kind, and a file of no bytes; gsitemap's: none at all.
def test_an_empty_list_is_refused_and_empties_nothing(site, urlset):
    site.build(ROWS)
    before = site.bytes()

    with pytest.raises(GateError, match="expected URLs to publish, found none"):
        site.build([])
    assert site.bytes() == before

    ran = urlset("build", "-", "-o", "public", "--base-url", BASE, stdin=b"# nothing\n")
    assert ran.code != 0
    assert site.bytes() == before


# All but streaming-sitemaps': a query that lost its rows takes the site out of the search engines.
def test_a_set_of_less_than_half_is_refused_unless_it_is_forced(site):
    site.build(ROWS)
    before = site.bytes()

    with pytest.raises(GateError) as raised:
        site.build(ROWS[:4])
    assert (raised.value.gate, raised.value.exit_code) == ("shrunk", 11)
    assert site.bytes() == before

    assert site.build(ROWS[:4], force=frozenset({"shrunk"})).urls == 4


# sitemap_generator's (#73, #240, #354), sitemap.js' (#279): all is written anew, or nothing.
def test_one_page_more_rewrites_one_file_and_the_index(site):
    site.build(ROWS[:8], max_urls=3)
    before = {path.name: path.stat().st_ino for path in site.out.iterdir()}

    made = site.build(ROWS, max_urls=3)

    after = {path.name: path.stat().st_ino for path in site.out.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {
        file.name for file in made.changed_files
    }
    assert [file.name for file in made.changed_files] == ["sitemap-3.xml", "sitemap.xml"]


# streaming-sitemaps': there is no message for what is gone.
def test_a_page_that_is_gone_leaves_its_file_at_once(site):
    site.build(ROWS, max_urls=3)

    made = site.build(ROWS[:4] + ROWS[5:], max_urls=3)

    assert made.removed == 1
    assert f"{BASE}p004" not in site.locs()


# sitemap.js' --prepend: 1,508 of 20,001 are written, and the exit code is 0.
def test_20_000_urls_of_a_sitemap_and_one_of_a_list_are_20_001(site, urlset):
    site.build(f"{BASE}{number:05}" for number in range(20_000))
    (site.folder / "new.txt").write_text("/new\n")

    ran = urlset("build", "public/sitemap.xml", "new.txt", "-o", "both", "--base-url", BASE)

    assert ran.code == 0
    assert sum(1 for _ in library.read(site.folder / "both")) == 20_001


def test_a_site_may_be_built_into_the_folder_that_it_is_read_from(site, urlset):
    site.build(ROWS)
    (site.folder / "new.txt").write_text("/new\n")

    ran = urlset("build", "public", "new.txt", "-o", "public", "--base-url", BASE,
                 "--ledger", site.ledger)  # fmt: skip

    assert ran.code == 0
    assert len(site.locs()) == 10


# ── what else happens ────────────────────────────────────────────────────────────────────────


# sitemap.js' --index, python-sitemap's configuration: in the working directory.
def test_the_command_writes_into_the_given_folder_not_the_working_directory(urlset, tmp_path):
    (tmp_path / "list.txt").write_text("/a\n/b\n")

    ran = urlset("build", "list.txt", "-o", "deep/out", "--base-url", BASE, "--max-urls", "1")

    assert ran.code == 0
    assert sorted(os.listdir(tmp_path)) == [".urlset", "deep", "list.txt"]
    assert sorted(os.listdir(tmp_path / "deep/out")) == [
        "sitemap-1.xml", "sitemap-2.xml", "sitemap.xml",
    ]  # fmt: skip


# sitemap.js': a program that failed, and 0.
def test_a_build_that_left_something_out_has_another_exit_code(urlset, tmp_path):
    (tmp_path / "list.txt").write_text("/a\nmailto:a@example.com\n")
    options = ("-o", "out", "--base-url", BASE)

    assert urlset("build", "list.txt", *options).code == 2
    assert not (tmp_path / "out").exists()
    assert urlset("build", "list.txt", *options, "--on-error", "skip").code == 1
    assert urlset("build", "none.txt", *options).code == 2
    (tmp_path / "list.txt").write_text("/a\n")
    assert urlset("build", "list.txt", *options).code == 0


def test_a_dry_run_says_which_files_it_writes(tmp_path, capsys, monkeypatch):
    urlset = command(capsys, monkeypatch, tmp_path)
    (tmp_path / "list.txt").write_text("/a\n")
    options = ("--base-url", BASE, "--output", "out", "--dry-run")
    for more, text in (
        ((), "Nothing was written: this was a dry run for out\n"),
        (("--excluded", "x.jsonl"), "Nothing but --excluded was written: this was a dry run for"),
        (("--changes", "c.jsonl"), "dry run for out; a build that publishes writes --changes\n"),
    ):
        assert text in urlset("build", "list.txt", *options, *more).err
    assert sorted(os.listdir(tmp_path)) == ["list.txt", "x.jsonl"]


# sitemap_generator's refresh:no_ping: writes all the same.
def test_a_dry_run_reports_what_it_would_do_and_writes_nothing(site):
    assert site.build(ROWS, dry_run=True).added == 9
    assert os.listdir(site.folder) == []

    site.build(ROWS)
    before = site.bytes(), site.ledger.read_bytes(), sorted(os.listdir(site.folder))
    made = site.build(ROWS[:8], dry_run=True, changes=site.folder / "changes.jsonl")
    assert made.removed == 1
    assert (site.bytes(), site.ledger.read_bytes(), sorted(os.listdir(site.folder))) == before


def test_a_dry_run_knows_what_the_ledger_knows(site):
    site.build([Candidate("/a", fingerprint="1"), "/b"])

    made = site.build([Candidate("/a", fingerprint="2"), "/b"], dry_run=True)

    assert (made.changed, made.notes) == (1, ())


# django-static-sitemaps', Google Sitemap Generator's: they ask addresses that are no more.
def test_a_build_pings_nobody(site, monkeypatch):
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **_: asked.append(given))
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: asked.append(address))

    site.build(ROWS, max_urls=3)
    site.build([*ROWS[1:], Candidate("/new")], max_urls=3)

    assert asked == []
