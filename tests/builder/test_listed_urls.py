"""What a build does right that producers of sitemaps were seen to do wrong: URLs."""

import xml.etree.ElementTree as ET

import pytest

from tests.builder.test_build import BASE, Site
from tests.sources.test_folder import PAGE, make
from urlset import engine as engines
from urlset import write
from urlset.builder import build
from urlset.errors import EntryError, GateError
from urlset.model import Alternate
from urlset.sources import Candidate, CandidateRows, HtmlFolder

LOC = ".//{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture(params=engines.available())
def each(tmp_path, request):
    """A site for each engine."""
    return Site(tmp_path, request.param)


def seen(site, name="sitemap.xml"):
    """The URLs of a file as another parser reads them."""
    return [loc.text for loc in ET.parse(site.out / name).iterfind(LOC)]


def of_folder(site, files, base=BASE, **options):
    folder = make(site.folder / "site", dict.fromkeys(files, PAGE))
    source = HtmlFolder(folder, base, **options)
    return build(source, site.out, base_url=base, ledger=site.ledger, now=site.now)


# A URL that is whole takes a shorter way than one that is resolved.
HOST = pytest.mark.parametrize("host", ["", "https://example.com"], ids=["relative", "whole"])


# Pelican's, Datasette's, next-sitemap's and pysitemap's: ill-formed.
@HOST
def test_an_ampersand_in_a_query_is_escaped_once(each, host):
    each.build([f"{host}/-/r?_size=9&_next=1", Candidate(f"{host}/?x=1&y=2")])

    data = (each.out / "sitemap.xml").read_bytes()
    assert data.count(b"&") == data.count(b"&amp;") == 2
    assert seen(each) == [f"{BASE}-/r?_size=9&_next=1", f"{BASE}?x=1&y=2"]


def test_an_ampersand_of_which_a_list_has_made_an_entity_is_one_again_and_reported(each):
    made = each.build(["/?x=1&amp;y=2"])

    assert seen(each) == [f"{BASE}?x=1&y=2"]
    assert "1 URL written in canonical form (percent-encoded), e.g. /?x=1&amp;y=2" in made.notes


def test_an_ampersand_in_the_address_of_an_alternate_is_escaped_once(each):
    each.build([Candidate("/", alternates=(Alternate("de", f"{BASE}?x=1&y=2"),))])

    assert b'href="https://example.com/?x=1&amp;y=2"' in (each.out / "sitemap.xml").read_bytes()


def test_markup_in_a_url_is_no_markup(each):
    each.build(["/a<loc>\"'</loc>"])

    assert seen(each) == [f"{BASE}a%3Cloc%3E%22'%3C/loc%3E"]


# Google Sitemap Generator's: &#195;&#169; for é.
@HOST
def test_a_letter_of_two_bytes_is_one_letter_and_not_two(each, host):
    each.build([f"{host}/café/日本"])

    assert seen(each) == [f"{BASE}caf%C3%A9/%E6%97%A5%E6%9C%AC"]


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1f", "\ud800", "\uffff"])
def test_a_character_that_xml_forbids_is_refused_not_dropped(site, character):
    with pytest.raises((EntryError, UnicodeEncodeError)):
        site.build([f"/a{character}b"])

    assert not site.out.exists()


# hugesitemap's.
def test_a_blank_in_the_name_of_a_file_is_percent_encoded(site):
    of_folder(site, ["a b.html"])

    assert seen(site) == [f"{BASE}a%20b.html"]


def test_a_question_mark_and_a_hash_in_the_name_of_a_file_are_percent_encoded(site):
    of_folder(site, ["q?x#y%20.html"])

    assert seen(site) == [f"{BASE}q%3Fx%23y%2520.html"]


# xml_sitemap_writer's: https://example.com/https://shop.example.com/a.
def test_an_absolute_url_is_not_put_behind_the_base(each):
    each.build(["https://shop.example.com/a"], allowed_hosts=("shop.example.com",))

    assert seen(each) == ["https://shop.example.com/a"]


@pytest.mark.parametrize("host", ["shop.bücher.example", "Shop.XN--bcher-kva.example"])
def test_an_allowed_host_has_any_spelling(each, host):
    each.build(["https://shop.bücher.example/a"], allowed_hosts=(host,))

    assert seen(each) == ["https://shop.xn--bcher-kva.example/a"]


@pytest.mark.parametrize("host", ["https://shop.example.com", "shop.example.com/", "(", ""])
def test_an_allowed_host_that_is_none_is_refused(each, host):
    with pytest.raises(ValueError, match="in allowed_hosts, found"):
        each.build(["https://shop.example.com/a"], allowed_hosts=(host,))


# sphinx-sitemap's: https://docs.example.com/projen/a.html.
def test_a_base_without_a_slash_at_its_end_gets_one(site):
    base = "https://docs.example.com/proj"
    of_folder(site, ["a.html"], base)
    assert seen(site) == [f"{base}/a.html"]

    site.build(["b.html"], base_url=base)
    assert seen(site) == [f"{base}/b.html"]


# sphinx-sitemap's: en/ before each.
def test_urls_have_no_language_that_the_files_have_not(site):
    of_folder(site, ["a.html", "en/b.html"])

    assert seen(site) == [f"{BASE}a.html", f"{BASE}en/b.html"]


# Flask-Sitemap's.
def test_relative_urls_and_the_index_have_the_scheme_of_the_base_and_not_http(site):
    site.build(["/a", "b"], max_urls=1)

    locs = [loc for name in site.names() for loc in seen(site, name)]
    assert len(locs) == 4
    assert all(loc.startswith("https://example.com/") for loc in locs)


# MkDocs': no base, no sitemap, and not a word.
@pytest.mark.parametrize("base", ["", "example.com", "/docs/", "https://"])
def test_a_base_that_is_missing_is_asked_for(site, base):
    with pytest.raises(ValueError, match="base_url"):
        site.build(["/a"], base_url=base)


# sitemap.js'.
def test_a_url_that_comes_twice_is_written_once(each):
    made = each.build(["/a", "/b", "/a"], ["https://example.com/a", "/c"])

    assert seen(each) == [f"{BASE}a", f"{BASE}b", f"{BASE}c"]
    assert made.duplicates == 2


def test_a_url_that_comes_twice_to_write_is_written_once(tmp_path):
    made = write(["https://example.com/a", "https://example.com/a"], tmp_path)

    assert (made.urls, made.duplicates) == (1, 1)


# sitemap.js': both are listed.
@HOST
def test_a_fragment_names_no_page_of_its_own(each, host):
    alternate = (Alternate("de", f"{BASE}de#top"),)
    locs = [f"{host}/{name}" for name in ("a#top", "a", "b#x", "c")]
    rows = [*locs[:3], Candidate(locs[3], alternates=alternate)]

    made = each.build(rows)

    assert seen(each) == [f"{BASE}a", f"{BASE}b", f"{BASE}c"]
    assert made.duplicates == 1
    assert made.notes == ("2 URLs with a fragment (#…), which was removed",)
    assert each.entries()["c"].alternates == alternate
    assert each.build(rows).changed_files == ()


def test_fragments_are_no_pages_in_a_list_of_text_either(each):
    each.build([f"{BASE}a#top", f"{BASE}a", f"{BASE}b#x"], format="text")

    assert (each.out / "sitemap.txt").read_text() == f"{BASE}a\n{BASE}b\n"


# sitemap_gen.py's: of the two one is lost.
def test_a_slash_at_the_end_makes_another_url(site):
    site.build(["/a", "/a/"])

    assert seen(site) == [f"{BASE}a", f"{BASE}a/"]


# python-sitemap's: where a redirect led.
def test_a_url_of_another_host_is_not_published_unasked(site):
    for url in ("https://www.example.org/a", "https://example.com.example.org/", "//example.org/"):
        with pytest.raises(GateError, match="another host"):
            site.build(["/a", url])

    assert not site.out.exists()


@pytest.mark.parametrize("base", [BASE, "https://example.com:443/"])
def test_the_default_port_is_no_other_host(each, base):
    rows = ["https://example.com:443/a", "http://example.com:80/b", "https://example.com/c"]
    result = each.build(rows, base_url=base)

    assert seen(each) == [f"{BASE}a", f"{BASE}b", f"{BASE}c"]
    assert "2 URLs written without the default port of their scheme" in result.notes


# pysitemap's and next-sitemap's: each run another order.
def test_the_order_is_that_of_the_urls_not_of_the_source(site):
    site.build(["/c", "/a", "/b/", "/b"])

    assert seen(site) == [f"{BASE}a", f"{BASE}b", f"{BASE}b/", f"{BASE}c"]


def test_what_a_source_gives_is_asked_for_once_whatever_the_number_of_files(site):
    asked = []

    class Once(CandidateRows):
        def batches(self):
            asked.append(self.name)
            yield from super().batches()

    rows = Once([f"/{n:02}" for n in range(20)])
    build(rows, site.out, base_url=BASE, ledger=site.ledger, max_urls=2)

    assert asked == ["rows"]
