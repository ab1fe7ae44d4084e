"""What a build does right that producers of sitemaps were seen to do wrong: dates of pages."""

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest

import urlset
from tests.builder.test_build import BASE, NOON, Site
from tests.sources.test_folder import make
from tests.sources.test_git_dates import Repository
from urlset import engine as engines
from urlset.builder import EVIDENCE, build
from urlset.errors import EntryError
from urlset.sources import Candidate, HtmlFolder, Sitemaps, Table
from urlset.sources.git import GitDatedSource

ARTICLE = (
    "<!doctype html><title>Tea</title><nav>Home</nav><main><p>Of many kinds, of which the green is "
    "the oldest, and the black the one that travels best.</p></main><footer>{}</footer>"
)


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture(params=engines.available())
def each(tmp_path, request):
    """A site for each engine."""
    return Site(tmp_path, request.param)


def of_source(site, source, **options):
    site.now += timedelta(hours=1)
    return build(source, site.out, base_url=BASE, ledger=site.ledger, now=site.now, **options)


def of_folder(site, files, **options):
    """Build from pages, all of which were written to the disk on 2 January 2026."""
    folder = make(site.folder / "site", files)
    evidence = options.get("lastmod", EVIDENCE)
    return of_source(site, HtmlFolder(folder, BASE, evidence=evidence), **options)


def texts(site):
    return {name: entry.lastmod_text for name, entry in site.entries().items()}


# sitemap_generator's, next-sitemap's, fastapi-sitemap's and lgraubner/sitemap-generator's.
def test_a_page_without_a_date_gets_none_and_not_the_moment_of_the_build(site):
    site.build(["/a", Candidate("/b", lastmod_text="2026-01-31")])

    assert texts(site) == {"a": None, "b": "2026-01-31"}


# MkDocs': the day of the build; Nikola's and hugesitemap's: that of the checkout.
def test_pages_of_a_folder_have_neither_the_day_of_the_build_nor_that_of_the_checkout(site):
    files = {"a.html": ARTICLE.format(""), "b.html": ARTICLE.format("b")}

    of_folder(site, files)
    assert texts(site) == {"a.html": None, "b.html": None}

    of_folder(site, files, lastmod=("mtime",))
    assert texts(site)["a.html"] == "2026-01-02T03:04:05Z"


# MkDocs': each build dates every page anew.
def test_a_site_that_is_built_again_has_no_new_dates(site):
    footer = "Built {} · build {} <script nonce='{}'>1</script>"
    first = {f"{n}.html": ARTICLE.format(footer.format("2026-11-20", "a1b2", "x")) for n in "ab"}
    again = {f"{n}.html": ARTICLE.format(footer.format("2026-11-21", "c3d4", "y")) for n in "ab"}
    of_folder(site, first)

    made = of_folder(site, again)

    assert (made.changed, made.changed_files) == (0, ())
    assert texts(site) == {"a.html": None, "b.html": None}


# Google Sitemap Generator's: a change of less than a hundred bytes is none.
def test_a_change_of_one_word_is_a_change_and_dated_when_it_is_seen(site):
    page = ARTICLE.format("")
    of_folder(site, {"a.html": page, "b.html": page.replace("black", "white")})

    made = of_folder(site, {"a.html": page.replace("oldest", "finest")})

    assert made.changed == 1
    assert texts(site) == {"a.html": "2026-11-21T14:00:00Z", "b.html": None}


# Google Sitemap Generator's: the day of the first sight.
def test_a_page_that_is_seen_for_the_first_time_has_no_date_for_that(site):
    site.build([Candidate("/a", fingerprint="1")])
    site.build([Candidate("/a", fingerprint="1"), Candidate("/new", fingerprint="2")])

    assert texts(site) == {"a": None, "new": None}


# python-sitemap's: where there is no Last-Modified.
def test_the_date_header_of_an_answer_is_no_date_of_a_page(site, box):
    box.put_urlset("/sitemap.xml", 2)
    box.players["/sitemap.xml"] = _dated(box.players["/sitemap.xml"])

    hosts = (f"{box.host}:{box.port}",)
    made = of_source(site, Sitemaps(box.url("/sitemap.xml")), allowed_hosts=hosts)

    assert made.urls == 2
    assert {entry.lastmod for entry in urlset.read(site.out / "sitemap.xml")} == {None}


def _dated(player):
    """The same answer; that there is a Date in it is seen to."""

    async def play(hit, wire):
        sent = wire.send

        async def send(data):
            await sent(
                re.sub(rb"\r\n", b"\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n", data, count=1)
            )

        wire.send = send
        return await player(hit, wire)

    return play


# Django's: 2024-01-01T00:00Z is printed as 2023-12-31 in New York.
def test_midnight_in_utc_is_no_day_earlier_west_of_greenwich(tmp_path):
    with duckdb.connect() as base:
        base.execute(f"""COPY (
            SELECT '/instant' AS loc, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS lastmod
        ) TO '{tmp_path}/instant.parquet'""")
        base.execute(f"""COPY (
            SELECT '/day' AS loc, DATE '2024-01-01' AS lastmod) TO '{tmp_path}/day.parquet'""")
    Path(tmp_path, "text.csv").write_text("loc,lastmod\n/text,2024-01-01T00:00:00Z\n")
    Path(tmp_path, "days.csv").write_text("loc,lastmod\n/text-day,2024-01-01\n")

    subprocess.run(
        [sys.executable, "-m", "urlset", "build", "instant.parquet", "day.parquet", "text.csv",
         "days.csv", "-o", "out", "--base-url", BASE],
        cwd=tmp_path, env=os.environ | {"TZ": "America/New_York"}, check=True, capture_output=True,
    )  # fmt: skip

    found = {e.loc.removeprefix(BASE): e.lastmod_text for e in urlset.read(tmp_path / "out")}
    assert found == {
        "instant": "2024-01-01T00:00:00Z",
        "day": "2024-01-01",
        "text": "2024-01-01T00:00:00Z",
        "text-day": "2024-01-01",
    }


# sitemap.js': a day becomes T00:00:00.000Z; Django's: a time becomes a day; xml_sitemap_writer's:
# with an offset in the west or a fraction of a second it is gone.
@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31",
        "2026-01-31T10:00:00Z",
        "2026-01-31T10:00:00-05:00",
        "2026-01-31T10:00:00.5Z",
        "2026-01-31T10:00:00.123456+05:30",
    ],
)
def test_a_date_stays_as_fine_as_it_was_and_keeps_its_zone(text, each):
    (each.folder / "list.csv").write_text(f"loc,lastmod\n/of-a-table,{text}\n")

    of_source(each, Table(each.folder / "list.csv"))
    assert texts(each) == {"of-a-table": text}

    each.build([Candidate("/of-a-table", lastmod_text=text)])
    assert texts(each) == {"of-a-table": text}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (date(2026, 1, 31), "2026-01-31"),
        (datetime(2026, 1, 31, 10, tzinfo=UTC), "2026-01-31T10:00:00Z"),
        (
            datetime(2026, 1, 31, 10, 0, 0, 500_000, timezone(-timedelta(hours=5))),
            "2026-01-31T10:00:00.500000-05:00",
        ),
    ],
)
def test_a_date_of_python_stays_as_fine_as_it_was_and_keeps_its_zone(value, text, site):
    site.build([Candidate("/a", lastmod=value)])

    assert texts(site) == {"a": text}


# Pelican's: -00:00; others take it for UTC, or for the time of the server.
@pytest.mark.parametrize(
    "row",
    [
        Candidate("/a", lastmod=datetime(2026, 1, 31, 10)),  # noqa: DTZ001 - it is about that
        Candidate("/a", lastmod_text="2026-01-31T10:00:00"),
        Candidate("/a", lastmod_text="2026-01-31 10:00:00"),
    ],
)
def test_a_time_without_a_zone_is_refused_and_given_none(row, site):
    with pytest.raises(EntryError, match=r"add its time zone"):
        site.build([row])

    made = site.build([row, "/b"], on_error="skip")

    assert (made.urls, len(made.rejected)) == (1, 1)


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "0000-00-00", "31/01/2026", "now"])
def test_what_is_no_date_is_refused_and_not_dropped(text, site):
    with pytest.raises(EntryError, match=re.escape(text)):
        site.build([Candidate("/a", lastmod_text=text)])


# What a clone of the last commit alone makes of every tool that asks git.
def test_a_shallow_clone_gives_no_page_the_date_of_its_last_commit(tmp_path):
    repository = Repository(tmp_path / "repository")
    page = ARTICLE.format("")
    for number, name in enumerate("abc", 1):
        (repository.folder / f"{name}.html").write_text(page)
        repository.commit(f"2026-01-0{number}T10:00:00Z")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(clone))
    sites = [Site(tmp_path / name, None) for name in ("of-all", "of-one")]

    for site, folder in zip(sites, (repository.folder, clone), strict=True):
        of_source(site, GitDatedSource(HtmlFolder(folder, BASE, evidence=()), str(folder)))

    days = {"a.html": "01", "b.html": "02", "c.html": "03"}
    assert texts(sites[0]) == {name: f"2026-01-{day}T10:00:00Z" for name, day in days.items()}
    assert texts(sites[1]) == dict.fromkeys(days)


# fastapi-sitemap's, MkDocs', next-sitemap's: the clock is everywhere. Ours moves, and nothing else.
def test_a_build_a_year_later_has_the_same_bytes(site):
    rows = ["/a", Candidate("/b", lastmod_text="2026-01-31"), Candidate("/c", fingerprint="1")]
    site.build(rows, max_urls=2)
    before = site.bytes()

    made = site.build(rows, max_urls=2, later=timedelta(days=365))

    assert made.changed_files == ()
    assert site.bytes() == before


def test_a_date_that_is_yet_to_come_is_not_believed(site):
    soon = NOON + timedelta(days=30)
    made = site.build([Candidate("/a", lastmod=soon), Candidate("/b", git_lastmod="2031-01-01")])

    assert texts(site) == {"a": None, "b": None}
    assert "in the future" in made.notes[0]


@pytest.mark.parametrize("is_one_source", [False, True])
@pytest.mark.parametrize("wrong", ["2031-01-01", "1970-01-01", "2026"])
def test_a_date_that_is_not_believed_hides_no_date_of_another_row(wrong, is_one_source, site):
    first = [Candidate("/a", lastmod_text=wrong), Candidate("/b", git_lastmod="2031-01-01")]
    second = [
        Candidate("/a", lastmod_text="2026-01-31"),
        Candidate("/b", git_lastmod="2026-02-01"),
    ]

    made = site.build([*first, *second]) if is_one_source else site.build(first, second)

    assert texts(site) == {"a": "2026-01-31", "b": "2026-02-01"}
    (note,) = [note for note in made.notes if "ignored" in note]
    assert note.startswith("1 date ")
    assert note.endswith(" is ignored, first: https://example.com/a")


def _with_content(words):
    return [Candidate("/a", fingerprint=words), Candidate("/b", fingerprint="same")]


def test_a_clock_that_went_back_leaves_no_date_of_the_future(site):
    site.build(_with_content("one"), lastmod=("content",))
    site.build(_with_content("two"), lastmod=("content",), later=timedelta(days=30))
    assert texts(site)["a"] == "2026-12-21T13:00:00Z"

    made = site.build(_with_content("two"), lastmod=("content",), later=timedelta(days=-29))

    now = "2026-11-22T13:00:00Z"
    assert texts(site) == {"a": now, "b": None}
    assert made.files[0].lastmod == now
    assert (
        f"the clock went back: the last build was at 2026-12-21T13:00:00Z, and now it is {now}"
        in (made.notes[0])
    )
    again = site.build(_with_content("two"), lastmod=("content",))
    assert (again.changed_files, again.notes) == ((), ())
    with duckdb.connect(site.ledger, read_only=True) as ledger:
        names = "SELECT DISTINCT schema_name FROM duckdb_tables() WHERE table_name = 'builds'"
        (schema,) = ledger.sql(names).fetchall()[0]
        query = f"SELECT (max(built_at) AT TIME ZONE 'UTC') FROM {schema}.builds"
        moments = ledger.sql(query).fetchall()
    assert moments == [(site.now.replace(tzinfo=None),)]


def test_a_clock_that_went_back_makes_no_grace_longer(site):
    grace = {"grace": timedelta(days=1), "max_urls": 1}
    site.build(["/a", "/b"], **grace)
    site.build(["/a"], **grace, later=timedelta(days=30))
    assert "sitemap-2.xml" in site.names()

    site.build(["/a"], **grace, later=timedelta(days=-29))
    assert "sitemap-2.xml" in site.names()
    site.build(["/a"], **grace, later=timedelta(days=1))

    assert site.names() == ["sitemap.xml"]


def test_a_dry_run_after_the_clock_went_back_says_so_and_changes_nothing(site):
    site.build(_with_content("one"), later=timedelta(days=30))

    first = site.build(_with_content("one"), dry_run=True, later=timedelta(days=-29))
    second = site.build(_with_content("one"), dry_run=True)

    assert "the clock went back" in first.notes[0]
    assert "the clock went back" in second.notes[0]


def test_a_page_that_changes_and_keeps_its_date_is_reported(site):
    def rows(words, date="2026-01-31"):
        return [
            Candidate("/a", fingerprint=words, page_lastmod=date),
            Candidate("/b", fingerprint=words, lastmod_text="2026-11-21"),
            Candidate("/c", fingerprint="same", page_lastmod="2026-01-31"),
        ]

    site.build(rows("one"))
    made = site.build(rows("two"))
    again = site.build(rows("two"), why=[f"{BASE}{name}" for name in "abc"])
    dated = site.build(rows("three", date="2026-02-01"))
    first = site.build(rows("four"), lastmod=("content", "page"))

    words = "1 page has changed content, but the same date as before, first: https://example.com/a"
    assert [note.partition(";")[0] for note in made.notes] == [words]
    assert texts(site)["a"] == "2026-11-21T17:00:00Z"
    assert (again.notes, dated.notes, first.notes) == ((), (), ())
    told = [line.strip() for line in again.why if "note: " in line]
    assert told == ["note: its content changed later, 2026-11-21T14:00:00Z"]
