"""What a build does right that producers of sitemaps were seen to do wrong: what else is said."""

from typing import Any

import pytest

from tests.builder.test_build import BASE, Site
from tests.sources.test_folder import make
from urlset import engine as engines
from urlset.builder import build
from urlset.errors import EntryError
from urlset.model import Alternate, Image, News, Video
from urlset.sources import AccessLog, Candidate, HtmlFolder, Table

FILM = Video(f"{BASE}t.jpg", "T", "D", player_loc=f"{BASE}player")


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture(params=engines.available())
def each(tmp_path, request):
    """A site for each engine."""
    return Site(tmp_path, request.param)


def film(field, value):
    """A whole video, but for one of its values."""
    changed: dict[str, Any] = {field: value}
    return FILM._replace(**changed)


def text(site):
    return (site.out / "sitemap.xml").read_text()


# sitemap_generator's: weekly and 0.5 for all; lgraubner/sitemap-generator's: of the depth.
def test_no_changefreq_and_no_priority_are_made_up(site):
    site.build(["/", "/a/b/c/d", Candidate("/e", lastmod_text="2026-01-31")])

    assert "changefreq" not in text(site)
    assert "priority" not in text(site)


# Google Sitemap Generator's: both, of how often a page is asked for and how often it changes.
def test_hits_in_a_log_make_no_priority_no_changefreq_and_no_date(site):
    hit = '192.0.2.1 - - [01/Nov/2026:12:00:00 +0000] "GET {} HTTP/1.1" 200 512 "-" "Mozilla"\n'
    (site.folder / "log").write_text(hit.format("/often") * 100 + hit.format("/once"))

    build(AccessLog(str(site.folder / "log"), BASE), site.out, base_url=BASE, ledger=site.ledger)

    assert [line for line in text(site).splitlines() if "<url>" in line] == [
        f"<url><loc>{BASE}{name}</loc></url>" for name in ("often", "once")
    ]


# sitemap_gen.py's: what is listed twice gets the priority of all others.
def test_a_url_that_is_listed_twice_keeps_its_priority(site):
    site.build([Candidate("/a", priority=0.9)], ["/a"])

    assert site.entries()["a"].priority == 0.9


# snabb/sitemap's.
def test_a_priority_of_0_is_written_and_not_dropped(each):
    each.build([Candidate("/a", priority=0.0), "/b"])

    assert text(each).count("<priority>0.0</priority>") == 1


# sitemap.js': warns, and writes them.
@pytest.mark.parametrize(
    ("field", "value"),
    [("priority", 7.0), ("priority", -0.1), ("changefreq", "sometimes"), ("changefreq", "Daily")],
)
def test_a_value_out_of_its_range_is_refused_and_not_written(field, value, each):
    with pytest.raises(EntryError, match=field):
        each.build([Candidate("/a", **{field: value})])

    assert not each.out.exists()


# sitemap.js': its pattern finds "no" and "yes" anywhere.
@pytest.mark.parametrize(("field", "word"), [("family_friendly", "casino"), ("live", "yesterday")])
def test_casino_is_no_no_and_yesterday_no_yes(field, word, site):
    site.build([Candidate("/a", videos=(film(field, "no"),))])

    with pytest.raises(EntryError, match=f"expected yes or no, found '{word}'"):
        site.build([Candidate("/a", videos=(film(field, word),))])


# Google Sitemap Generator's: <video:video></video:video>.
@pytest.mark.parametrize("missing", ["thumbnail_loc", "title", "description", "player_loc"])
def test_a_video_without_what_it_needs_is_refused_and_no_empty_element(missing, site):
    with pytest.raises(EntryError, match="videos"):
        site.build([Candidate("/a", videos=(film(missing, None),))])


# sitemap_generator's: dropped without a word, as are those after the thousandth.
def test_an_image_without_a_url_is_refused_and_not_dropped(site):
    with pytest.raises(EntryError, match="images"):
        site.build([Candidate("/a", images=(Image(""),))])


def test_an_image_too_many_is_refused_and_not_cut_off(site):
    images = tuple(Image(f"{BASE}{n}.png") for n in range(1_001))

    assert site.build([Candidate("/a", images=images[:1_000])]).urls == 1
    with pytest.raises(EntryError, match="1,000 images"):
        site.build([Candidate("/a", images=images)])


# sitemap.js': four, always.
def test_only_namespaces_that_are_used_are_declared(each):
    each.build(["/a"])
    assert text(each).count("xmlns") == 1

    each.build(["/a", Candidate("/b", images=(Image(f"{BASE}b.png"),))])
    assert text(each).count("xmlns") == 2
    assert text(each).count("xmlns:image=") == 1


# pelican-sitemap's: ref="…".
def test_the_address_of_an_alternate_stands_in_href(each):
    each.build([Candidate("/a", alternates=(Alternate("de", f"{BASE}de"),))])

    link = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
    assert link in text(each)


# sphinx-sitemap's, Nikola's: the other languages, and not its own.
def test_languages_of_a_row_name_the_row_itself_too(site):
    path = site.folder / "pages.csv"
    path.write_text("en,de\n/en/tea,/de/tee\n/en/milk,\n")
    mapping = {"loc": "en", "alternates.en": "en", "alternates.de": "de"}

    build(Table(path, mapping=mapping), site.out, base_url=BASE, ledger=site.ledger)

    links = {name: [*e.alternates] for name, e in site.entries().items()}
    assert {alternate.href for alternate in links["en/tea"]} == {f"{BASE}en/tea", f"{BASE}de/tee"}
    assert {alternate.hreflang for alternate in links["en/milk"]} <= {"en"}


def test_languages_of_a_page_stay_those_that_it_names(site):
    heads = "".join(
        f'<link rel="alternate" hreflang="{code}" href="{BASE}{code}.html">'
        for code in ("en", "de")
    )
    page = f"<!doctype html><head>{heads}<title>Tea</title></head><p>Of many kinds."
    folder = make(site.folder / "site", {"en.html": page, "de.html": page})

    build(HtmlFolder(folder, BASE, alternates=True), site.out, base_url=BASE, ledger=site.ledger)

    assert {entry.alternates for entry in site.entries().values()} == {
        (Alternate("en", f"{BASE}en.html"), Alternate("de", f"{BASE}de.html"))
    }


def test_news_that_are_not_whole_are_refused(site):
    with pytest.raises(EntryError, match=r"news\.publication_date"):
        site.build([Candidate("/a", news=News("The Example Times", "en", title="News"))])


# sitemap_generator's: it looks at the names of options alone.
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("index", "allways"),
        ("on_error", "ignore"),
        ("format", "html"),
        ("lastmod", ("now",)),
        ("force", frozenset({"all"})),
        ("max_urls", 0),
        ("max_urls", 50_001),
        ("max_bytes", 52_428_801),
        ("min_share", 50),
        ("name", "sitemap.xml"),
        ("stylesheet", "//example.com/a.css\n"),
    ],
)
def test_an_option_of_a_wrong_value_is_refused(option, value, site):
    with pytest.raises(ValueError, match="expected"):
        site.build(["/a"], **{option: value})

    assert not site.out.exists()


def test_an_option_of_a_wrong_name_is_refused(site):
    with pytest.raises(TypeError, match="max_url"):
        site.build(["/a"], max_url=3)
