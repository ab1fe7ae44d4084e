"""Pages of a crawl as a source of a build."""

import pytest

import urlset
from tests import live_sites
from tests.site_box import SiteBox, page
from urlset.errors import StoreError
from urlset.html import MAX_ANCHORS
from urlset.live.crawl import CrawledPages
from urlset.sources import open_source

HTML = "text/html"
POLICY = urlset.Policy(proxies={}, backoff_s=0.01)


@pytest.fixture(autouse=True)
def folder_of_the_ledger(tmp_path, monkeypatch):
    """Run each test in a folder of its own, where a build has its ledger by default."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def box():
    with SiteBox() as box:
        paths = "a hidden other old lost refused doc.pdf data.zip closed"
        links = "".join(f'<a href="/{path}">x</a>' for path in paths.split())
        box.put("/", f"<html><body>{links}", kind=HTML)
        box.put(
            "/a",
            '<html><head><link rel=alternate hreflang=de href="/de"><meta '
            'property="article:modified_time" content="2026-01-02"></head><main>Text'
            '<img src="/i.png"></main>',
            kind=HTML,
        )
        box.put("/hidden", "<html><meta name=robots content=noindex>", kind=HTML)
        box.put("/other", '<html><link rel=canonical href="/a">', kind=HTML)
        box.play("/old", page(b"", 301, location="/a"))
        box.put("/refused", b"", 403)
        box.put("/doc.pdf", b"%PDF-1.7", kind="application/pdf")
        box.put("/data.zip", b"PK", kind="application/zip")
        box.put_robots("User-agent: *", "Disallow: /closed")
        yield box


def crawl(box, path, **options):
    return urlset.crawl(box.site, path, policy=POLICY, confirm_after_s=0, **options)


def candidates(source):
    """Return the paths of all candidates, with the reason for exclusion or None."""
    rows = [row for batch in source.batches() for row in zip(
        batch["loc"].to_pylist(), batch["reason"].to_pylist(), strict=True)]  # fmt: skip
    return {loc.split("/", 3)[3]: reason for loc, reason in rows}


def test_pages_that_are_not_to_be_listed_have_the_reason(box, tmp_path):
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found == {
        "": None,
        "a": None,
        "doc.pdf": None,
        "data.zip": "no page",
        "de": "404",
        "hidden": "noindex",
        "other": f"canonical: {box.url('/a')}",
        "old": f"redirect: {box.url('/a')}",
        "lost": "404",
        "refused": "not visited: http-403",
        "closed": "disallowed",
    }


def put_tea(box, *, folder="Green tea", index="Green tea", head=""):
    box.put("/", '<html><body><a href="/tea/">x</a><a href="/tea/index.html">y</a>', kind=HTML)
    box.put("/tea/", f"<html><head>{head}</head><main>{folder}</main>", kind=HTML)
    box.put("/tea/index.html", f"<html><main>{index}</main>", kind=HTML)


def test_a_page_of_a_folder_is_listed_once_as_the_folder(box, tmp_path):
    put_tea(box)
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found == {
        "": None,
        "tea/": None,
        "tea/index.html": f"same page: {box.url('/tea/')}",
    }


def test_a_page_of_a_folder_keeps_the_name_that_the_sitemap_lists(box, tmp_path):
    put_tea(box)
    box.put("/sitemap.txt", box.url("/tea/index.html"), kind="text/plain")
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found["tea/"] == f"same page: {box.url('/tea/index.html')}"
    assert found["tea/index.html"] is None


def test_pages_with_other_content_are_two_although_their_names_are_of_one_folder(box, tmp_path):
    put_tea(box, index="Black tea")
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found == {"": None, "tea/": None, "tea/index.html": None}


def test_the_index_stays_if_the_folder_may_not_be_listed(box, tmp_path):
    put_tea(box, head='<link rel="canonical" href="/tea/index.html">')
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found["tea/"] == f"canonical: {box.url('/tea/index.html')}"
    assert found["tea/index.html"] is None


SLASH = "".join(f'<a href="/{name}">x</a>' for name in ("tea/", "tea", "more"))


@pytest.mark.parametrize(
    ("head", "more", "listed", "kept"),
    [
        ("", "", "", "/tea/"),  # nothing decides: that of a folder
        ("", "/tea", "", "/tea"),  # more pages link to it
        ("", "/tea", "/tea/", "/tea/"),  # the sitemap of the site names it
        ('<link rel=canonical href="/tea/">', "/tea", "", "/tea/"),
    ],
    ids=["folder", "links", "sitemap", "canonical"],
)
def test_a_page_with_and_without_a_slash_is_listed_once(head, more, listed, kept, box, tmp_path):
    box.put("/", f"<html><body>{SLASH}", kind=HTML)
    box.put("/more", f'<html><body>More<a href="{more}">x</a>', kind=HTML)
    box.put("/tea/", f"<html><head>{head}</head><main>Green tea</main>", kind=HTML)
    box.put("/tea", "<html><main>Green tea</main>", kind=HTML)
    if listed:
        box.put("/sitemap.txt", box.url(listed), kind="text/plain")
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    other = ({"/tea/", "/tea"} - {kept}).pop()
    assert found[kept[1:]] is None
    assert found[other[1:]] == f"same page: {box.url(kept)}"
    assert found["more"] is None


@pytest.mark.parametrize(
    ("filters", "listed"),
    [
        ({}, ["/", "/more", "/tea/"]),
        ({"exclude": "tea/$"}, ["/", "/more", "/tea"]),
        ({"include": ["[a-z]$"]}, ["/more", "/tea"]),
        ({"filters": ["drop:tea/$"]}, ["/", "/more", "/tea"]),
        ({"filters": ["keep:tea/$", "drop:tea"]}, ["/", "/more", "/tea/"]),
        ({"exclude": "tea"}, ["/", "/more"]),
    ],
)
def test_a_page_keeps_a_name_that_the_build_does_not_exclude(filters, listed, box, tmp_path):
    box.put("/", f"<html><body>{SLASH}", kind=HTML)
    box.put("/more", "<html><body>More", kind=HTML)
    box.put("/tea/", "<html><main>Green tea</main>", kind=HTML)
    box.put("/tea", "<html><main>Green tea</main>", kind=HTML)
    store = str(tmp_path / "site.duckdb")
    crawl(box, store).close()

    for number, source in enumerate((f"crawl:{store}", CrawledPages(store))):
        folder = tmp_path / str(number)
        ledger = tmp_path / f"{number}.duckdb"
        urlset.build(source, str(folder), base_url=box.url("/"), ledger=ledger, **filters)

        entries = urlset.read(folder / "sitemap.xml")
        assert sorted(entry.loc for entry in entries) == [box.url(path) for path in listed]


def test_pages_that_differ_in_the_query_or_the_content_are_not_one(box, tmp_path):
    names = ("tea", "tea/", "tea?of=/", "tea?of=")
    links = "".join(f'<a href="/{name}">x</a>' for name in names)
    box.put("/", f"<html><body>{links}", kind=HTML)
    for name in names:
        box.put(f"/{name}", f"<html><main>Tea{name == 'tea'}</main>", kind=HTML)
    crawl(box, tmp_path / "site.duckdb").close()

    found = candidates(CrawledPages(str(tmp_path / "site.duckdb")))

    assert found == dict.fromkeys(["", *names])


def test_a_listed_page_that_refuses_to_answer_stays_listed(box, tmp_path):
    box.put("/sitemap.txt", box.url("/refused"), kind="text/plain")
    crawl(box, tmp_path / "site.duckdb").close()

    source = CrawledPages(str(tmp_path / "site.duckdb"))

    assert candidates(source)["refused"] is None


def test_a_crawl_is_built(box, tmp_path):
    store = str(tmp_path / "site.duckdb")
    crawl(box, store, exclude="refused").close()

    built = urlset.build(
        f"crawl:{store}",
        str(tmp_path / "public"),
        base_url=box.url("/"),
        ledger=tmp_path / "ledger.duckdb",
    )

    entries = {e.loc: e for e in urlset.read(tmp_path / "public" / "sitemap.xml")}
    assert built.urls == 3
    assert entries.keys() == {box.url("/"), box.url("/a"), box.url("/doc.pdf")}
    entry = entries[box.url("/a")]
    assert entry.lastmod_text == "2026-01-02"
    assert [image.loc for image in entry.images] == [box.url("/i.png")]
    assert [alternate.hreflang for alternate in entry.alternates] == ["de"]


def test_an_incomplete_crawl_is_a_failure_of_the_source(box, tmp_path):
    crawl(box, tmp_path / "site.duckdb", max_pages=2).close()
    source = CrawledPages(str(tmp_path / "site.duckdb"))

    candidates(source)

    assert "expected a complete crawl" in source.failures[0]
    assert "max-pages" in source.failures[0]


def test_a_page_with_more_links_than_are_read_is_a_note(box, tmp_path):
    box.put("/a", f"<html><body>{'<a href=/lost>x</a>' * MAX_ANCHORS}<a href=/b>x</a>", kind=HTML)
    crawl(box, tmp_path / "site.duckdb").close()
    source = CrawledPages(str(tmp_path / "site.duckdb"))

    assert "b" not in candidates(source)
    (note,) = [note for note in source.notes if "link-limit" in note]
    assert note.startswith("the crawl does not know all links (link-limit: 1 URL")


@pytest.mark.parametrize(
    ("links", "reason"),
    [("<a href=/other>x</a>", "not linked"), ("<a href=/other>x</a>" * MAX_ANCHORS, None)],
    ids=["all-links-known", "more-links-than-are-read"],
)
def test_a_page_that_no_link_leads_to_any_more(box, tmp_path, links, reason):
    crawl(box, tmp_path / "site.duckdb").close()
    box.put("/", f"<html><body>{links}", kind=HTML)
    crawl(box, tmp_path / "site.duckdb").close()

    assert candidates(CrawledPages(str(tmp_path / "site.duckdb")))["a"] == reason


def test_a_site_is_crawled_for_a_build(box):
    source = CrawledPages(box.site, policy=POLICY)
    box.put("/refused", b"", 404)

    assert candidates(source)["a"] is None


def test_a_time_of_rendering_is_no_date(box, tmp_path):
    stamp = "Fri, 02 Jan 2026 03:04:05 GMT"
    box.put("/", '<html><a href="/b">', kind=HTML, last_modified=stamp, date=stamp)
    later = "Sun, 22 Nov 2026 00:00:00 GMT"
    box.put("/b", "<html>", kind=HTML, last_modified=stamp, date=later)
    crawl(box, tmp_path / "site.duckdb").close()

    (batch,) = CrawledPages(str(tmp_path / "site.duckdb")).batches()

    assert batch["header_lastmod"].to_pylist() == [None, "2026-01-02T03:04:05Z"]


def test_a_store_without_a_crawl_is_reported(tmp_path):
    with urlset.Store.open(tmp_path / "read.duckdb"):
        pass

    with pytest.raises(StoreError, match="expected a store with a crawl"):
        list(open_source(f"crawl:{tmp_path / 'read.duckdb'}").batches())


@pytest.mark.parametrize("options", [{}, {"sample": 2}, {"max_requests": 3}, {"include": "/a$"}])
def test_an_audit_that_followed_no_links_is_no_crawl(box, tmp_path, options):
    store, public = tmp_path / "site.duckdb", tmp_path / "public"
    live_sites.put_sitemap(box, ["/", "/a", "/doc.pdf"])
    urlset.build(box.url("/sitemap.xml"), public, base_url=box.url("/"), policy=POLICY)
    before = (public / "sitemap.xml").read_bytes()
    live_sites.audit(box, store=store, **options).close()

    with pytest.raises(StoreError, match="found one of an audit of listed pages only"):
        urlset.build(f"crawl:{store}", public, base_url=box.url("/"), on_error="skip")

    assert (public / "sitemap.xml").read_bytes() == before


def test_an_audit_that_followed_links_is_a_crawl(box, tmp_path):
    live_sites.put_sitemap(box, ["/doc.pdf"])
    live_sites.audit(box, store=tmp_path / "site.duckdb", crawl=True).close()
    source = CrawledPages(str(tmp_path / "site.duckdb"))

    found = candidates(source)

    [failure] = source.failures  # /refused answers 403
    assert "without a usable response" in failure
    assert {path for path, reason in found.items() if reason is None} == {"", "a", "doc.pdf"}


@pytest.mark.parametrize("is_cut", [False, True])
def test_an_audit_after_a_crawl_does_not_make_it_complete_or_incomplete(box, tmp_path, is_cut):
    store = tmp_path / "site.duckdb"
    box.put("/refused", b"", 404)
    live_sites.put_sitemap(box, ["/", "/doc.pdf"])
    crawl(box, store, max_pages=3 if is_cut else None).close()
    live_sites.audit(box, store=store, sample=1).close()
    source = CrawledPages(str(store))

    found = candidates(source)

    assert ["max-pages" in failure for failure in source.failures] == [True] * is_cut
    if not is_cut:
        assert {path for path, reason in found.items() if reason is None} == {"", "a", "doc.pdf"}
