"""A build from given rows: what is published, what is written again, and what is remembered."""

import json
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import urlset
from urlset import engine as engines
from urlset.builder import Filter, Rewrite, build
from urlset.builder.sections import labels_of
from urlset.errors import EntryError, GateError, StoreError
from urlset.model import Alternate, Entry, Image, News
from urlset.publisher import open_target
from urlset.sources import Candidate, CandidateRows, Table
from urlset.store import ScratchDatabase

BASE = "https://example.com/"
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(params=engines.available())
def site(tmp_path, request):
    return Site(tmp_path, request.param)


class Site:
    """A folder that is published into, and its ledger."""

    def __init__(self, folder, engine):
        self.folder = folder
        self.out = folder / "public"
        self.ledger = folder / "ledger.duckdb"
        self.engine = engine
        self.now = NOON

    def build(self, *rows, later=timedelta(hours=1), **options):
        self.now += later
        sources = [CandidateRows(some, f"rows {n}") for n, some in enumerate(rows, 1)]
        options = {"base_url": BASE, "ledger": self.ledger, "engine": self.engine} | options
        return build(sources, self.out, now=self.now, **options)

    def foreign(self, name, *urls):
        """A sitemap of another tool."""
        body = "".join(f"<url>{url}</url>" for url in urls)
        (self.out / name).write_text(f'<urlset xmlns="{NS}">{body}</urlset>')

    def index(self, name, *children):
        """An index of another tool."""
        body = "".join(f"<sitemap><loc>{BASE}{child}</loc></sitemap>" for child in children)
        (self.out / name).write_text(f'<sitemapindex xmlns="{NS}">{body}</sitemapindex>')

    def names(self):
        return sorted(path.name for path in self.out.iterdir() if not path.name.startswith("."))

    def bytes(self):
        return {name: (self.out / name).read_bytes() for name in self.names()}

    def locs(self, name="sitemap.xml"):
        return [entry.loc for entry in urlset.read(self.out / name)]

    def entries(self, name="sitemap.xml"):
        return {entry.loc.removeprefix(BASE): entry for entry in urlset.read(self.out / name)}


def pages(*numbers, **fields):
    return [Candidate(f"/p{number:03}", **fields) for number in numbers]


def test_a_small_site_is_one_file(site):
    made = site.build(pages(2, 1))

    assert site.names() == ["sitemap.xml"]
    assert site.locs() == [f"{BASE}p001", f"{BASE}p002"]
    assert (made.urls, made.added, made.changed, made.removed) == (2, 2, 0, 0)


def test_what_did_not_change_is_not_written_again(site):
    site.build(pages(*range(7)), max_urls=3)
    before = {path: path.stat().st_ino for path in site.out.iterdir()}

    made = site.build(pages(*range(7)), max_urls=3)

    assert made.changed_files == ()
    assert {path: path.stat().st_ino for path in site.out.iterdir()} == before


def test_one_change_rewrites_one_file_and_the_index(site):
    site.build(pages(*range(9)), max_urls=3)
    before = site.bytes()

    made = site.build(
        pages(*range(5)) + pages(5, lastmod_text="2026-11-20") + pages(6, 7, 8), max_urls=3
    )

    assert [file.name for file in made.changed_files] == ["sitemap-2.xml", "sitemap.xml"]
    assert made.changed == 1
    after = site.bytes()
    assert {name for name in after if after[name] != before[name]} == {
        "sitemap-2.xml",
        "sitemap.xml",
    }


def test_the_index_says_when_the_bytes_of_a_file_changed(site):
    site.build(pages(*range(6)), max_urls=3)
    site.build(pages(*range(5)) + pages(5, lastmod_text="2026-11-20"), max_urls=3)

    index = urlset.parse((site.out / "sitemap.xml").read_bytes())
    assert [sitemap.lastmod for sitemap in index.sitemaps] == [
        NOON + timedelta(hours=1),
        NOON + timedelta(hours=2),
    ]


def test_files_that_the_target_lost_come_again_with_their_dates(site):
    site.build(pages(*range(6)), max_urls=3)
    before = site.bytes()
    for path in site.out.glob("*.xml"):
        path.unlink()  # as in CI, where every run begins with an empty folder

    made = site.build(pages(*range(6)), max_urls=3)

    assert len(made.changed_files) == 3
    assert site.bytes() == before


def test_a_url_stays_in_its_file_and_new_ones_fill_the_last(site):
    site.build(pages(0, 2, 4, 6), max_urls=3)
    site.build(pages(*range(8)), max_urls=3)

    assert site.locs("sitemap-1.xml") == [f"{BASE}p{n:03}" for n in (0, 2, 4)]
    assert site.locs("sitemap-2.xml") == [f"{BASE}p{n:03}" for n in (1, 3, 6)]
    assert site.locs("sitemap-3.xml") == [f"{BASE}p{n:03}" for n in (5, 7)]


def test_what_is_gone_leaves_its_file_and_an_empty_file_goes(site):
    site.build(pages(*range(9)), max_urls=3)

    made = site.build(pages(0, 1, 2, 4, 6, 7, 8), max_urls=3)
    assert made.removed == 2
    assert site.locs("sitemap-2.xml") == [f"{BASE}p004"]

    made = site.build(pages(0, 1, 2, 6, 7, 8), max_urls=3)
    assert made.removed_files == ("sitemap-2.xml",)
    assert site.names() == ["sitemap-1.xml", "sitemap-3.xml", "sitemap.xml"]


def test_compact_packs_what_is_left(site):
    site.build(pages(*range(9)), max_urls=3)
    site.build(pages(0, 2, 4, 6, 8), max_urls=3)

    made = site.build(pages(0, 2, 4, 6, 8), max_urls=3, compact=True)

    assert [file.urls for file in made.files] == [3, 2]
    assert (made.added, made.changed, made.removed) == (0, 0, 0)
    assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]


def test_the_same_input_in_any_order_gives_the_same_bytes(site, tmp_path):
    rows = pages(*range(30), lastmod_text="2026-11-01") + pages(3, 4, lastmod_text="2026-11-02")
    rows += [*pages(3, changefreq="daily"), Candidate("/img", images=(Image(f"{BASE}i.png"),))]
    other = Site(tmp_path / "other", site.engine)
    other.folder.mkdir()
    shuffled = list(rows)
    random.Random(7).shuffle(shuffled)

    site.build(rows, max_urls=10, gzip=True)
    other.build(shuffled, max_urls=10, gzip=True)

    assert site.bytes() == other.bytes()


def test_both_engines_write_the_same_bytes(tmp_path):
    if len(engines.available()) < 2:
        pytest.skip("the native engine is not installed")
    rows = pages(*range(30), lastmod_text="2026-11-01T10:00:00+02:00", priority=0.5)
    sites = [Site(tmp_path / name, name) for name in engines.available()]
    for site in sites:
        site.folder.mkdir()
        site.build(rows, max_urls=7, stylesheet="sitemap.css")

    assert sites[0].bytes() == sites[1].bytes()


def test_bytes_split_files_exactly(site):
    links = tuple(Alternate(f"x-a{n}", f"{BASE}{n}/a-page-of-some-length") for n in range(9))
    rows = [Candidate(f"/p{n:03}", alternates=links, lastmod_text="2026-11-01") for n in range(40)]

    made = site.build(rows, max_bytes=5_000)

    assert sum(file.urls for file in made.files) == 40
    for file in made.files:
        assert file.bytes == len((site.out / file.name).read_bytes()) <= 5_000
    entry = made.files[0].bytes // made.files[0].urls
    assert all(5_000 - file.bytes < 2 * entry for file in made.files[:-1])


def test_an_entry_that_grows_pushes_the_last_ones_out_of_a_full_file(site):
    rows = [Candidate(f"/p{n:03}") for n in range(20)]
    site.build(rows)
    size = (site.out / "sitemap.xml").stat().st_size
    site.build(rows, max_bytes=size)
    dated = [row._replace(lastmod_text="2026-11-01") for row in rows]

    made = site.build(dated, max_bytes=size)

    assert all(file.bytes <= size for file in made.files)
    assert sum(file.urls for file in made.files) == 20
    assert made.changed == 20


def test_a_file_holds_a_thousand_news(site):
    news = News("The Example Times", "en", publication_date="2026-11-20", title="News")

    made = site.build([Candidate(f"/n{n:04}", news=news) for n in range(1_001)])

    assert [file.urls for file in made.files] == [1_000, 1]


def test_growing_into_an_index_and_back(site):
    site.build(pages(0, 1, 2), max_urls=3)
    site.build(pages(0, 1, 2, 3), max_urls=3)
    assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]

    made = site.build(pages(0, 1, 2), max_urls=3)

    assert site.names() == ["sitemap.xml"]
    assert made.removed_files == ("sitemap-1.xml", "sitemap-2.xml")
    assert site.locs() == [f"{BASE}p{n:03}" for n in (0, 1, 2)]


def test_orphans_wait_for_the_grace(site):
    site.build(pages(0, 1, 2, 3), max_urls=3)
    day = timedelta(days=1)
    made = site.build(pages(0, 1, 2), max_urls=3, grace=day)
    assert made.removed_files == ()
    assert "sitemap-2.xml" in site.names()

    assert site.build(pages(0, 1, 2), max_urls=3, grace=day).removed_files == ()
    made = site.build(pages(0, 1, 2), max_urls=3, grace=day, later=day)

    assert set(made.removed_files) == {"sitemap-1.xml", "sitemap-2.xml"}


def test_text_output(site):
    made = site.build(pages(*range(5), lastmod_text="2026-11-01"), max_urls=3, format="text")

    assert site.names() == ["sitemap-2.txt", "sitemap-index.xml", "sitemap.txt"]
    assert made.urls == 5
    assert (site.out / "sitemap-2.txt").read_text() == f"{BASE}p003\n{BASE}p004\n"


def test_extensions_are_kept(site):
    entry = Entry(
        f"{BASE}a",
        images=(Image(f"{BASE}1.png"), Image(f"{BASE}2.png")),
        alternates=(Alternate("de", f"{BASE}de"),),
        extra='<x:y xmlns:x="https://example.com/x">z</x:y>',
    )
    site.build([Candidate.of(entry), Candidate("/b")])

    read = site.entries()["a"]
    assert (read.images, read.alternates, read.extra) == (
        entry.images,
        entry.alternates,
        entry.extra,
    )
    assert site.build([Candidate.of(entry), Candidate("/b")]).changed_files == ()
    changed = entry._replace(images=entry.images[:1])
    assert site.build([Candidate.of(changed), Candidate("/b")]).changed == 1


def test_an_entry_is_not_changed_by_what_its_neighbours_have(site):
    rich = Candidate("/rich", images=(Image(f"{BASE}1.png"),))
    site.build([*pages(1, 2), rich])

    made = site.build(pages(1, 2))

    assert (made.added, made.changed, made.removed) == (0, 0, 1)


class TestLastmod:
    def test_the_first_evidence_of_the_chain_counts(self, site):
        site.build(
            [
                Candidate("/given", lastmod_text="2026-01-01", page_lastmod="2026-02-01"),
                Candidate(
                    "/page", page_lastmod="2026-02-01T10:00:00+02:00", git_lastmod="2026-03-01"
                ),
                Candidate("/git", git_lastmod="2026-03-01", header_lastmod="2026-04-01"),
                Candidate("/header", header_lastmod="2026-04-01", mtime_lastmod="2026-05-01"),
                Candidate("/mtime", mtime_lastmod="2026-05-01"),
            ]
        )

        assert {name: entry.lastmod_text for name, entry in site.entries().items()} == {
            "given": "2026-01-01",
            "page": "2026-02-01T10:00:00+02:00",
            "git": "2026-03-01",
            "header": "2026-04-01",
            "mtime": None,
        }

    def test_the_chain_can_be_set(self, site):
        rows = [Candidate("/a", lastmod_text="2026-01-01", mtime_lastmod="2026-05-01")]
        site.build(rows, lastmod=("mtime",))
        assert site.entries()["a"].lastmod_text == "2026-05-01"
        assert site.build(rows, lastmod=()).changed == 1
        assert site.entries()["a"].lastmod_text is None

    def test_a_change_of_the_content_is_dated_when_it_is_seen(self, site):
        site.build([Candidate("/a", fingerprint="1"), Candidate("/b", fingerprint="1")])
        assert site.entries()["a"].lastmod_text is None

        made = site.build([Candidate("/a", fingerprint="2"), Candidate("/b", fingerprint="1")])
        assert made.changed == 1
        assert site.entries()["a"].lastmod == NOON + timedelta(hours=2)
        assert site.entries()["b"].lastmod is None

        assert (
            site.build(
                [Candidate("/a", fingerprint="2"), Candidate("/b", fingerprint="1")]
            ).changed_files
            == ()
        )
        assert site.entries()["a"].lastmod == NOON + timedelta(hours=2)

    def test_dates_of_the_future_are_not_believed(self, site):
        made = site.build([Candidate("/a", lastmod_text="2031-01-01", page_lastmod="2026-01-01")])

        assert site.entries()["a"].lastmod_text == "2026-01-01"
        assert "future" in made.notes[0]

    def test_one_date_for_all_is_reported(self, site):
        made = site.build(pages(*range(30), lastmod_text="2026-11-20T03:00:00Z"))

        assert "30 of 30 dates" in made.notes[0]

    def test_evidence_that_is_no_date_is_passed_over(self, site):
        site.build([Candidate("/a", page_lastmod="yesterday", git_lastmod="2026-03-01")])

        assert site.entries()["a"].lastmod_text == "2026-03-01"


class TestSources:
    def test_the_first_source_of_a_url_counts_and_others_complete_it(self, site):
        made = site.build(
            [Candidate("/a", priority=0.5)],
            [Candidate("/a", priority=0.9, lastmod_text="2026-01-01"), Candidate("/b")],
        )

        assert site.entries()["a"].priority == 0.5
        assert site.entries()["a"].lastmod_text == "2026-01-01"
        assert made.duplicates == 1

    def test_evidence_against_a_url_holds_whoever_gives_it(self, site):
        made = site.build(pages(1, 2), [Candidate("/p001", reason="noindex")])

        assert site.locs() == [f"{BASE}p002"]
        assert made.excluded_counts == {"noindex": 1}

    def test_an_entry_that_may_not_be_written_stops_the_build(self, site):
        rows = [Candidate("/a"), Candidate("mailto:x", source="list.txt", line=2)]
        with pytest.raises(EntryError, match=r"list\.txt:2.*mailto:x"):
            site.build(rows)
        assert not site.out.exists()

        made = site.build(rows, on_error="skip")
        assert site.locs() == [f"{BASE}a"]
        assert made.rejected[0].loc == "mailto:x"

    @pytest.mark.parametrize(
        "row",
        [
            Candidate("/a", lastmod_text="yesterday"),
            Candidate("/a", priority=7.0),
            Candidate("/a", changefreq="sometimes"),
            Candidate("/a", images=(Image(""),)),
            Candidate(f"/{'a' * 3000}"),
            Candidate("https://exa mple.com/"),
        ],
    )
    def test_nothing_is_dropped_in_silence(self, site, row):
        with pytest.raises(EntryError):
            site.build([row])

    def test_an_entry_larger_than_a_file_is_refused(self, site):
        images = tuple(Image(f"{BASE}{n}.png") for n in range(100))
        with pytest.raises(EntryError, match="fits into a file"):
            site.build([Candidate("/a", images=images)], max_bytes=2_000)


class TestChoosing:
    def test_filters_first_match_wins(self, site):
        rows = [Candidate(loc) for loc in ("/keep/secret", "/secret/a", "/b")]
        filters = (Filter.of("keep:/keep/"), Filter.of("drop:secret"))

        made = site.build(rows, filters=filters)

        assert site.locs() == [f"{BASE}b", f"{BASE}keep/secret"]
        assert made.excluded_counts == {"filter 2: drop:secret": 1}

    def test_rewriting_comes_first(self, site):
        site.build(
            [Candidate("http://example.com/a?utm_source=x")],
            rewrites=(Rewrite.of("^http:=>https:"), Rewrite.of(r"\?utm_.*$=>")),
        )

        assert site.locs() == [f"{BASE}a"]

    def test_sections_by_pattern_have_files_of_their_own(self, site):
        rows = [*pages(1, 2), *map(Candidate, ("/blog/a", "/blog/b", "/shop/c"))]
        made = site.build(rows, sections=("blog=/blog/", "shop=/shop/"))

        assert [file.name for file in made.files] == [
            "sitemap-1.xml",
            "sitemap-blog-1.xml",
            "sitemap-shop-1.xml",
        ]
        assert site.locs("sitemap-blog-1.xml") == [f"{BASE}blog/a", f"{BASE}blog/b"]

    def test_names_by_a_pattern(self, site):
        rows = [*pages(1, 2), Candidate("/blog/a")]
        made = site.build(
            rows, sections=("blog=/blog/",), max_urls=1, name_pattern="map_{section}_{number:03}"
        )

        assert [file.name for file in made.files] == [
            "map_001.xml",
            "map_002.xml",
            "map_blog_001.xml",
        ]
        assert [file.name for file in made.indexes] == ["sitemap.xml"]

    @pytest.mark.parametrize("index", ["auto", "section"])
    @pytest.mark.parametrize("form", ["xml", "text"])
    def test_sections_whose_names_are_taken_get_others(self, site, index, form):
        """A value such as ``index`` is no reason not to publish."""
        sections = ["index", "index_", "a", "a-1", "a-2", "2", "", "a-1", "a"]
        rows = [
            Candidate(f"/{number}/{section}", section=section)
            for number, section in enumerate(sections)
        ]
        options = {"sections": ("column:section",), "index": index, "format": form, "max_urls": 1}

        made = site.build(rows, **options)

        names = [file.name for file in (*made.files, *made.indexes)]
        assert len(set(names)) == len(names) == len(site.names())
        listed = [loc for file in made.files for loc in site.locs(file.name)]
        assert sorted(listed) == sorted(f"{BASE}{row.loc[1:]}" for row in rows)
        assert "the files of the section 'index' are named 'index_'" in " ".join(made.notes)
        assert site.build(rows, **options).changed_files == ()
        site.ledger.unlink()
        again = site.build(rows, **options)
        assert again.urls == made.urls
        assert len({file.name for file in again.files}) == len(made.files)

    def test_sections_are_called_as_their_sources_are_in_any_order(self, site):
        def named(sources):
            made = build(
                sources, site.out, base_url=BASE, ledger=site.ledger, sections=("source",),
                force={"shrunk"},
            )  # fmt: skip
            return sorted(file.name for file in made.files)

        sources = [
            CandidateRows(pages(1), "old/Shop.XML.gz"),
            CandidateRows(pages(2), "https://blog.example.com/"),
            CandidateRows(pages(3), "日本.csv"),
            CandidateRows(pages(4), "a/urls.csv"),
            CandidateRows(pages(5), "b/urls.csv"),
            CandidateRows(pages(6), "postgresql://ann@db.example/forum"),
            CandidateRows(pages(7), "access.log, access.log.1"),
        ]

        there = named(sources)

        assert there == [
            "sitemap-a-urls-1.xml",
            "sitemap-access-1.xml",
            "sitemap-b-urls-1.xml",
            "sitemap-blog-example-com-1.xml",
            "sitemap-forum-1.xml",
            "sitemap-s4dbed2e6-1.xml",
            "sitemap-shop-1.xml",
        ]
        assert named(sources[::-1]) == there
        assert site.locs("sitemap-shop-1.xml") == [f"{BASE}p001"]

    def test_sections_of_two_tables_in_one_file_are_called_as_the_tables_are(self):
        tables = [Table("shop.db", table="tea"), Table("shop.db", table="posts"), Table("tea.csv")]

        alike = [CandidateRows([], name) for name in ("a.csv", "a.txt", "a.csv", ".", "-")]

        assert labels_of(tables) == ["shop-tea", "posts", "tea"]
        assert labels_of(alike)[:3] == ["a-csv", "a-txt", "a-csv"]
        assert labels_of(alike)[4] == "stdin"

    def test_an_index_for_each_section(self, site):
        rows = [Candidate("/blog/a"), Candidate("/shop/c")]
        made = site.build(rows, sections=("blog=/blog/", "shop=/shop/"), index="section")

        assert [file.name for file in made.indexes] == ["sitemap-blog.xml", "sitemap-shop.xml"]
        assert made.addresses == (f"{BASE}sitemap-blog.xml", f"{BASE}sitemap-shop.xml")

    def test_robots_txt_is_obeyed_on_request(self, site):
        robots = site.folder / "robots.txt"
        robots.write_text("User-agent: *\nDisallow: /private/\nAllow: /private/open\n")
        rows = [*map(Candidate, ("/a", "/private/b", "/private/open", "/%70rivate/c"))]

        made = site.build(rows, exclude_by_robots=robots)

        assert site.locs() == [f"{BASE}a", f"{BASE}private/open"]
        assert made.excluded_counts == {"disallowed by robots.txt": 2}
        assert site.build(rows).urls == 4

    def test_why(self, site):
        rows = [
            Candidate("/a", page_lastmod="2026-02-01", source="a.html"),
            Candidate("/secret", source="list.txt", line=3),
            Candidate("/no", reason="noindex", source="no.html"),
        ]
        made = site.build(
            rows,
            filters=(Filter.of("drop:secret"),),
            why=(f"{BASE}a", "/secret", "/no", "/nowhere"),
        )

        text = "\n".join(made.why)
        assert "found in a.html\n    page lastmod 2026-02-01" in text
        assert "lastmod 2026-02-01 by page" in text
        assert "in sitemap.xml" in text
        assert "found in list.txt:3" in text
        assert "excluded: filter 1: drop:secret" in text
        assert "excluded: noindex" in text
        assert "not in any source" in text


class TestGates:
    def test_zero(self, site):
        with pytest.raises(GateError) as raised:
            site.build([])
        assert (raised.value.gate, raised.value.exit_code) == ("zero", 10)
        assert not site.out.exists()

    def test_shrunk(self, site):
        site.build(pages(*range(10)))
        before = site.bytes()
        with pytest.raises(GateError) as raised:
            site.build(pages(1, 2))
        assert raised.value.gate == "shrunk"
        assert site.bytes() == before

        assert site.build(pages(1, 2), force=frozenset({"shrunk"})).removed == 8

    @pytest.mark.parametrize(
        ("max_removed", "is_published"),
        [("39%", False), ("40%", True), ("3", False), ("4", True), (3, False), (4, True)],
    )
    def test_max_removed_counts_urls_that_others_replace(self, site, max_removed, is_published):
        site.build(pages(*range(10)))
        before = site.bytes()
        others = pages(*range(4, 24))  # more URLs than before: `min_share` is satisfied
        if is_published:
            assert site.build(others, max_removed=max_removed).removed == 4
            return
        with pytest.raises(
            GateError, match=f"at most {max_removed} of the 10 .* found 4"
        ) as raised:
            site.build(others, max_removed=max_removed)
        assert (raised.value.gate, raised.value.exit_code) == ("shrunk", 11)
        assert site.bytes() == before
        assert site.build(others, max_removed=max_removed, force={"shrunk"}).removed == 4

    @pytest.mark.parametrize(("min_share", "is_published"), [("30%", True), ("40%", False)])
    def test_a_share_is_a_text_too(self, site, min_share, is_published):
        site.build(pages(*range(10)))
        if is_published:
            assert site.build(pages(1, 2, 3), min_share=min_share).urls == 3
            return
        with pytest.raises(GateError, match="at least 40 % of the 10 URLs"):
            site.build(pages(1, 2, 3), min_share=min_share)

    @pytest.mark.parametrize("text", ["", "-1", "1.5", "half", "5 %", "5%%"])
    def test_max_removed_that_is_no_number(self, site, text):
        with pytest.raises(ValueError, match=r"max_removed: expected a number or a share"):
            site.build(pages(1), max_removed=text)

    def test_max_removed_that_is_a_fraction_names_the_share(self, site):
        with pytest.raises(ValueError, match=r"found '0.05'; did you mean 5%\?"):
            site.build(pages(1), max_removed="0.05")
        with pytest.raises(TypeError, match=r"found 0.05; did you mean \"5%\"\?"):
            site.build(pages(1), max_removed=0.05)

    def test_hosts(self, site):
        rows = [Candidate("/a"), Candidate("https://other.example/")]
        with pytest.raises(GateError, match=r"other\.example"):
            site.build(rows)
        assert site.build(rows, allowed_hosts=("other.example",)).urls == 2

    def test_a_published_file_that_was_damaged_is_mended(self, site):
        site.build(pages(*range(9)), max_urls=3)
        before = site.bytes()
        (site.out / "sitemap-2.xml").write_bytes(b"<urlset>")
        (site.out / "sitemap-3.xml").unlink()

        made = site.build(pages(*range(9)), max_urls=3)

        assert {file.name for file in made.changed_files} >= {"sitemap-2.xml", "sitemap-3.xml"}
        after = site.bytes()
        assert all(after[name] == before[name] for name in ("sitemap-2.xml", "sitemap-3.xml"))


class TestLedger:
    def test_a_lost_ledger_is_rebuilt_from_what_is_published(self, site):
        site.build(pages(0, 2, 4, 6), max_urls=3)
        dated = [Candidate(f"/p{n:03}", lastmod_text=f"2026-11-0{n + 1}") for n in range(8)]
        site.build(dated, max_urls=3)
        before = site.bytes()
        site.ledger.unlink()

        made = site.build(pages(*range(8)), max_urls=3)

        assert made.changed_files == ()
        assert site.bytes() == before
        assert "adopted" in made.notes[0]

    @pytest.mark.parametrize("index", ["auto", "section"])
    @pytest.mark.parametrize("pattern", [None, "{section}_{name}.{number:03}"])
    def test_a_lost_ledger_of_sections_is_rebuilt(self, site, index, pattern):
        rows = [*pages(1, 2, 3), *map(Candidate, ("/blog/a", "/blog/b", "/shop-2/c"))]
        options = {"sections": ("blog=/blog/", "shop-2=/shop-2/"), "max_urls": 2}
        options |= {"index": index, "name_pattern": pattern, "format": "xml"}
        site.build(rows, **options)
        before = site.bytes()
        site.ledger.unlink()

        made = site.build(rows, **options)

        assert (made.added, made.changed_files, made.removed_files) == (0, (), ())
        assert site.bytes() == before

    def test_a_single_file_is_adopted_too(self, site):
        site.build(pages(0, 2, lastmod_text="2026-11-01"), gzip=True)
        site.ledger.unlink()

        made = site.build(pages(0, 2), gzip=True)

        assert (made.added, made.changed_files) == (0, ())

    def test_a_sitemap_of_another_tool_is_replaced_and_reported(self, site):
        site.out.mkdir()
        (site.out / "sitemap.xml").write_text("<urlset><url><loc>/old</loc></url></urlset>")

        first = site.build(pages(1))
        again = site.build(pages(1, 2))

        assert first.notes[0].startswith("sitemap.xml was written by another tool and is replaced")
        assert again.notes == ()

    def test_sitemaps_of_another_tool_are_taken_over(self, site):
        site.out.mkdir()
        entry = "<url><loc>{}</loc><lastmod>{}</lastmod></url>"
        for name, numbers in (("posts.xml", (1, 2)), ("pages.xml", (3,))):
            body = "".join(entry.format(f"{BASE}p{n:03}", f"2026-11-0{n}") for n in numbers)
            (site.out / name).write_text(
                f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'
            )
        (site.out / "sitemap_index.xml").write_text(
            '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            + "".join(f"<sitemap><loc>{BASE}{n}.xml</loc></sitemap>" for n in ("posts", "pages"))
            + "</sitemapindex>"
        )

        made = site.build(pages(1, 2, 3, 4), adopt=True)

        assert (made.added, made.changed, made.removed) == (1, 0, 0)
        assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
        assert site.entries()["p002"].lastmod_text == "2026-11-02"
        assert set(made.removed_files) == {"posts.xml", "pages.xml", "sitemap_index.xml"}

    def test_dates_that_a_tool_made_up_are_not_taken_over(self, site):
        site.out.mkdir()
        body = "".join(
            f"<url><loc>{BASE}p{n:03}</loc><lastmod>2026-11-20T03:00:00Z</lastmod></url>"
            for n in range(12)
        )
        (site.out / "sitemap.xml").write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'
        )

        made = site.build(pages(*range(12)), adopt=True)

        assert "is ignored" in made.notes[0]
        assert site.entries()["p000"].lastmod is None

    def test_a_dry_run_changes_nothing(self, site):
        site.build(pages(1, 2))
        before, ledger = site.bytes(), site.ledger.read_bytes()

        made = site.build(pages(1, 2, 3), dry_run=True)

        assert made.added == 1
        assert made.notes == ()  # the ledger is known, nothing has to be adopted
        assert [file.name for file in made.changed_files] == ["sitemap.xml"]
        assert (site.bytes(), site.ledger.read_bytes()) == (before, ledger)

    def test_what_was_gone_and_comes_back_is_new(self, site):
        site.build(pages(1, 2, 3))
        site.build(pages(1, 2))
        assert site.build(pages(1, 2, 3)).added == 1

    def test_two_sets_in_one_folder(self, site):
        site.build(pages(1, 2), name="shop")
        site.build(pages(3), name="blog")

        assert site.build(pages(1, 2), name="shop").changed_files == ()
        assert site.names() == ["blog.xml", "shop.xml"]

    def test_a_ledger_is_not_published(self, site):
        with pytest.raises(ValueError, match="outside of what is published"):
            site.build(pages(1), ledger=site.out / "state" / "ledger.duckdb")

    def test_an_entry_that_changes_and_is_pushed_out_is_reported(self, site):
        site.build(pages(*range(20)))
        size = (site.out / "sitemap.xml").stat().st_size
        changes = site.folder / "changes.jsonl"

        site.build(pages(*range(20), priority=0.5), max_bytes=size, changes=changes)

        assert len(changes.read_text().splitlines()) == 20

    def test_sections_of_any_script_have_files_of_their_own(self, site):
        rows = [Candidate("/a", section="Ελλάδα"), Candidate("/b", section="日本"), Candidate("/c")]

        made = site.build(rows, sections=("column:section",))

        assert len({file.section for file in made.files}) == 3

    def test_two_sets_in_one_ledger(self, site):
        site.build(pages(1, 2))
        site.out = site.folder / "other"
        made = site.build(pages(1))
        assert (made.added, made.removed) == (1, 0)


@pytest.mark.parametrize("max_urls", [50_000, 2])
def test_another_format_alone_changes_no_url(max_urls, site):
    rows = [Candidate("/a", lastmod_text="2026-01-01", priority=0.5), "/b", "/c", "/d"]
    path = site.folder / "changes.jsonl"

    def changes(format_, *rows):
        made = site.build(rows, format=format_, max_urls=max_urls, changes=path)
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert len(found) == made.added + made.changed + made.removed
        return [(change["change"], change["loc"]) for change in found]

    assert len(changes("xml", *rows)) == 4
    assert changes("text", *rows) == []
    assert changes("text", *rows) == []
    assert changes("xml", *rows) == []
    assert changes("text", *rows[:3], "/e") == [("removed", f"{BASE}d"), ("added", f"{BASE}e")]
    rows[0] = Candidate("/a", lastmod_text="2026-01-02", priority=0.5)
    changes("xml", *rows)
    rows[0] = Candidate("/a", lastmod_text="2026-01-03", priority=0.5)
    assert changes("xml", *rows) == [("changed", f"{BASE}a")]


def test_changes_are_written(site):
    site.build(pages(1, 2, 3))
    path = site.folder / "changes.jsonl"

    site.build(pages(1) + pages(2, lastmod_text="2026-11-01") + pages(4), changes=path)

    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(row["change"], row["loc"].removeprefix(BASE)) for row in rows] == [
        ("changed", "p002"),
        ("removed", "p003"),
        ("added", "p004"),
    ]
    assert rows[0]["before"]["lastmod"] is None
    assert rows[0]["after"]["lastmod"] == "2026-11-01"
    assert (rows[1]["after"], rows[2]["before"]) == (None, None)


def test_a_style_sheet_lies_beside_the_files(site):
    site.build(pages(1), stylesheet="sitemap.css")

    assert site.names() == ["sitemap.css", "sitemap.xml"]
    assert b'href="sitemap.css"' in (site.out / "sitemap.xml").read_bytes()
    made = site.build(pages(1))
    assert [file.name for file in made.changed_files] == ["sitemap.xml"]


def test_the_ledger_lies_outside_of_what_is_served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build(CandidateRows(["/a"]), "public", base_url=BASE)

    assert Path(".urlset/ledger.duckdb").is_file()
    assert [path.name for path in Path("public").iterdir() if path.name[0] != "."] == [
        "sitemap.xml"
    ]


def test_paths_may_be_text(tmp_path):
    ledger, changes = tmp_path / "l.duckdb", tmp_path / "changes.jsonl"

    out = str(tmp_path / "public")
    build(CandidateRows(["/a"]), out, base_url=BASE, ledger=str(ledger), changes=str(changes))

    assert ledger.is_file()
    assert changes.is_file()


def test_the_ledger_is_one_file_that_does_not_grow(site):
    site.build(pages(*range(50)))
    size = site.ledger.stat().st_size
    for count in range(6):
        site.build(pages(*range(50 - count % 2)))

    assert [path.name for path in site.folder.iterdir() if path.is_file()] == [site.ledger.name]
    assert site.ledger.stat().st_size < 3 * size


class TestAdoption:
    def test_sections_are_known_by_the_names_of_files(self, site):
        options = {"sections": ("Aa=p00[13]",), "max_urls": 2}
        for more in ({}, {"format": "text"}, {"index": "section", "gzip": True}):
            site.build(pages(1, 2, 3), **options, **more)
            before = site.bytes()
            site.ledger.unlink()

            made = site.build(pages(1, 2, 3), **options, **more)

            assert (made.added, made.changed_files) == (0, ()), more
            assert site.bytes() == before
            site.build(pages(), force={"zero", "shrunk"}, **options, **more)

    def test_what_other_tools_list_twice_is_published_once(self, site):
        site.out.mkdir()
        for name, numbers in (("one.xml", (1, 1, 2)), ("two.xml", (2, 3))):
            site.foreign(name, *(f"<loc>{BASE}p{n:03}</loc>" for n in numbers))
        site.index("sitemap_index.xml", "one.xml", "two.xml", "one.xml", "sitemap_index.xml")

        made = site.build(pages(1, 2, 3), adopt=True)

        assert (made.added, made.removed) == (0, 0)
        assert site.locs() == [f"{BASE}p{n:03}" for n in (1, 2, 3)]

    def test_what_may_not_be_written_goes_with_the_build(self, site):
        site.out.mkdir()
        bad = (
            "<loc>/relative</loc>",
            f"<loc>{BASE}%zz q</loc>",
            "<loc></loc>",
            "<loc>ftp://a/</loc>",
        )
        site.foreign("sitemap.xml", f"<loc>{BASE}p001</loc><lastmod>soon</lastmod>", *bad)

        made = site.build(pages(1, 2), adopt=True, force={"shrunk"})

        assert site.locs() == [f"{BASE}p001", f"{BASE}p002"]
        assert made.rejected == ()

    def test_rewriting_is_for_sources(self, site):
        options = {"rewrites": [Rewrite.of("p=>pp")]}
        site.build([Candidate("/p1")], **options)
        site.ledger.unlink()

        assert site.build([Candidate("/p1")], **options).changed_files == ()


def test_one_image_changes_one_entry(site):
    site.build(pages(1, 2, 3))

    made = site.build(pages(1, 2) + pages(3, images=(Image(f"{BASE}i.png"),)))

    assert made.changed == 1


class TestMisuse:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (
                {"filters": [Filter("drop", "/a/"), Filter("keep", "(x")]},
                r"in filter 2, found '\(x'",
            ),
            ({"sections": ["blog=/blog/", "odd=(?<a>"]}, "in section odd, found"),
            ({"sections": ["column:loc"]}, "found 'loc'"),
            ({"sections": ["column:Size"]}, "found 'Size'"),
            ({"index": "no"}, "index: expected auto, always, section, found 'no'"),
            ({"on_error": "no"}, "on_error: expected raise, skip, found 'no'"),
        ],
    )
    def test_what_cannot_be_meant_is_reported_where_it_stands(self, site, options, words):
        with pytest.raises(ValueError, match=words):
            site.build(pages(1), **options)

    def test_a_column_that_no_source_has_is_reported(self, site):
        made = site.build(pages(1), sections=["column:nope"])

        assert any("column nope" in note for note in made.notes)


class TestDryRun:
    def test_nothing_is_touched(self, site):
        site.build(pages(1, 2))
        before = site.out.stat().st_mtime_ns, sorted(os.listdir(site.out)), os.listdir(site.folder)

        made = site.build(pages(1, 2, 3), dry_run=True, max_urls=1)

        assert made.added == 1
        after = site.out.stat().st_mtime_ns, sorted(os.listdir(site.out)), os.listdir(site.folder)
        assert after == before

    def test_a_folder_that_somebody_publishes_into_can_be_rehearsed(self, site):
        site.build(pages(1, 2))

        with open_target(site.out, "sitemap"):
            assert site.build(pages(1, 2, 3), dry_run=True).added == 1

    def test_a_folder_that_is_not_there_is_not_made(self, site):
        assert site.build(pages(1), dry_run=True).added == 1

        assert os.listdir(site.folder) == []


def test_a_ledger_without_room_is_reported_after_the_publication(site, monkeypatch):
    site.build(pages(1))
    run = ScratchDatabase.run
    statements = [""]

    def full(self, statement, values=()):
        if statement == "COMMIT" and "checkpoint_threshold = '1MB'" in statements[-1]:
            raise StoreError("no space")  # that of the publication, the only large one
        statements.append(statement)
        run(self, statement, values)

    monkeypatch.setattr(ScratchDatabase, "run", full)
    with pytest.raises(StoreError, match="published, but the ledger was not updated: build again"):
        site.build(pages(1, 2))
    monkeypatch.undo()

    made = site.build(pages(1, 2))
    assert (made.added, made.changed_files) == (1, ())


def test_compacting_keeps_the_date_of_a_file_that_comes_out_the_same(site):
    site.build(pages(1, 2, 3), max_urls=2)
    before = site.bytes()

    made = site.build(pages(1, 2, 3), max_urls=2, compact=True)

    assert (made.changed_files, site.bytes()) == ((), before)


def test_an_empty_ledger_is_none(site):
    site.ledger.write_bytes(b"")

    assert site.build(pages(1)).added == 1


@pytest.mark.parametrize("is_dry", [False, True])
def test_a_damaged_ledger_is_reported_with_what_to_do(site, is_dry):
    site.build(pages(1))
    site.ledger.write_bytes(site.ledger.read_bytes()[:5000])

    with pytest.raises(StoreError, match="remove it: it is rebuilt from what is published"):
        site.build(pages(1), dry_run=is_dry)
