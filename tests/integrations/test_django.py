"""The adapter for Django: each measured defect of others, and what a drop-in has to keep."""

import gzip
import importlib
from datetime import UTC, date, datetime, timedelta

import pytest

import urlset
from tests.integrations.django_hosts import configure, database, sitemaps
from urlset.integrations.django import GenericSitemap, Sitemap

configure()
django_db = importlib.import_module("django.db")
django_test = importlib.import_module("django.test")
models = importlib.import_module("tests.integrations.django_project.models")
Article, Product = models.Article, models.Product

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


class Articles(Sitemap):
    limit = 100
    lastmod_field = "updated"

    def items(self):
        return Article.objects.filter(is_public=True)


@pytest.fixture(autouse=True)
def rows():
    with database():
        yield


def get(path, **headers):
    return django_test.Client(headers={"host": "example.com", **headers}).get(path)


def body(response):
    data = b"".join(response) if response.streaming else response.content
    return gzip.decompress(data) if response.get("Content-Encoding") == "gzip" else data


def locs(response):
    assert response.status_code == 200
    document = urlset.parse(body(response))
    assert not document.problems
    return [entry.loc for entry in document.entries]


def entries(response):
    return urlset.parse(body(response)).entries


def path_of(sitemap):
    return sitemap.loc.partition("//example.com")[2]


def articles(count, **values):
    return Article.objects.bulk_create(
        Article(slug=f"a{number}", **{"updated": NEW_YEAR + timedelta(minutes=number), **values})
        for number in range(count)
    )


def queries_of():
    return importlib.import_module("django.test.utils").CaptureQueriesContext(django_db.connection)


def queries(path):
    with queries_of() as found:
        response = get(path)
        body(response)
    return [query["sql"] for query in found]


# ── rows of Django ──


def test_index_reads_the_latest_date_by_sql_and_no_rows():
    articles(250)

    with sitemaps(articles=Articles), queries_of() as found:
        response = get("/sitemap.xml")

    assert response.status_code == 200
    assert not any('"shop_article"."slug"' in query["sql"] for query in found)


def test_no_page_skips_rows_by_offset():
    articles(250)

    with sitemaps(articles=Articles):
        found = [queries(f"/sitemap-articles.xml?p={page}") for page in (1, 2, 3)]

    reads = [sql for page in found for sql in page if '"slug"' in sql]
    assert reads
    assert not any("OFFSET" in sql for sql in reads)


def test_lastmod_is_the_instant_in_utc_and_not_the_day_of_the_local_zone():
    # Django prints 2023-12-31 in New York.
    articles(1)

    with sitemaps(articles=Articles):
        response = get("/sitemap-articles.xml")

    assert b"<lastmod>2024-01-01T00:00:00Z</lastmod>" in body(response)


def test_each_page_has_its_own_date_in_the_index():
    articles(250)

    with sitemaps(articles=Articles):
        index = urlset.parse(body(get("/sitemap.xml")))

    assert [sitemap.lastmod for sitemap in index.sitemaps] == [
        NEW_YEAR + timedelta(minutes=number) for number in (99, 199, 249)
    ]


def test_combined_sitemap_splits_at_the_limit_of_the_protocol(monkeypatch):
    monkeypatch.setattr("urlset.integrations.django.views.MAX_URLS", 120)
    articles(100)

    class Others(Articles):
        def location(self, item):
            return f"/others/{item.slug}/"

    with sitemaps(articles=Articles, others=Others):
        first, second = get("/all.xml"), get("/all.xml?p=2")
        found = [*locs(first), *locs(second)]
        assert get("/all.xml?p=3").status_code == 404

    assert len(found) == len(set(found)) == 200


def test_combined_sitemap_has_a_second_page_if_only_one_section_has_one():
    articles(150)

    class One(Sitemap):
        location = "/one/"

        def items(self):
            return [1]

    with sitemaps(articles=Articles, one=One):
        found = locs(get("/all.xml"))

    assert len(found) == 151


def test_languages_are_rendered_in_batches_and_activated_once_each(monkeypatch):
    translation = importlib.import_module("django.utils.translation")

    class Translated(Articles):
        i18n = True
        alternates = True
        x_default = True

        def location(self, item):
            return f"/{translation.get_language()}/articles/{item.slug}/"

    activated = []
    override = translation.override

    def counted(code):
        activated.append(code)
        return override(code)

    monkeypatch.setattr(translation, "override", counted)
    articles(150)
    with sitemaps(articles=Translated):
        paths = [f"/sitemap-articles.xml?p={page}" for page in (1, 2, 3)]
        pages = [entries(get(path)) for path in paths]

    found = [entry for page in pages for entry in page]
    assert len(activated) == 12  # two languages, for a sample and a page, three times
    assert [len(page) for page in pages] == [100, 100, 100]
    assert len({entry.loc for entry in found}) == 300
    assert found[1].loc == "http://example.com/de/articles/a0/"
    assert [alternate.hreflang for alternate in found[0].alternates] == ["en", "de", "x-default"]
    assert found[0].alternates[2].href == "http://example.com/articles/a0/"


def test_extensions_are_rendered():
    class WithImages(Articles):
        def images(self, item):
            return [urlset.Image(f"https://example.com/{item.slug}.jpg")]

    articles(1)
    with sitemaps(articles=WithImages):
        (entry,) = urlset.parse(body(get("/sitemap-articles.xml"))).entries

    assert entry.images == (urlset.Image("https://example.com/a0.jpg"),)


def test_urls_of_images_and_videos_are_full_and_encoded():
    class WithMedia(Articles):
        def images(self, _):
            return [urlset.Image("/media/é 1.jpg"), urlset.Image("//cdn.example.com/%C3%A9.jpg")]

        def videos(self, _):
            return [urlset.Video("/t.jpg", "Tea", "A cup.", content_loc="/media/tea.mp4")]

    class OfItems(WithMedia):
        def item_urls(self, item):
            media = {"images": self.images(item), "videos": self.videos(item)}
            return [{"location": "/a/", "priority": 0.0, **media}]

    class OfUrls(WithMedia):
        def items(self):
            return Article.objects.order_by("pk")

        def get_urls(self, **_):
            return self.item_urls(None)

        item_urls = OfItems.item_urls

    articles(1)
    for kind in (WithMedia, OfItems, OfUrls):
        with sitemaps(articles=kind):
            (entry,) = urlset.parse(body(get("/sitemap-articles.xml"))).entries

        assert [image.loc for image in entry.images] == [
            "http://example.com/media/%C3%A9%201.jpg",
            "http://cdn.example.com/%C3%A9.jpg",
        ]
        (video,) = entry.videos
        assert video.thumbnail_loc == "http://example.com/t.jpg"
        assert video.content_loc == "http://example.com/media/tea.mp4"
        assert kind is WithMedia or entry.priority == 0.0


def test_page_999_is_not_found():
    articles(1)
    with sitemaps(articles=Articles):
        assert get("/sitemap-articles.xml?p=999").status_code == 404
        assert get("/all.xml?p=999").status_code == 404


@pytest.mark.parametrize("junk", ["0", "-1", "x", "", "1.0", "1e3", "٣", " 1", "9" * 5000, "../1"])
def test_junk_as_page_is_not_found(junk):
    articles(1)
    with sitemaps(articles=Articles):
        response = django_test.Client(headers={"host": "example.com"}).get(
            "/sitemap-articles.xml", {"p": junk}
        )
    assert response.status_code == 404


# ── HTTP ──


def test_conditional_requests_are_answered_without_rendering():
    articles(700)

    class Large(Articles):
        limit = 50_000
        cache_version = 1

    with sitemaps(articles=Large):
        first = get("/sitemap-articles.xml")
        assert first.streaming
        assert len(locs(first)) == 700
        with queries_of() as found:
            again = get("/sitemap-articles.xml", if_none_match=first["ETag"])
        Article.objects.filter(slug="a3").update(updated=NEW_YEAR + timedelta(days=2))
        changed = get("/sitemap-articles.xml", if_none_match=first["ETag"])

    assert (again.status_code, changed.status_code) == (304, 200)
    assert not any('"slug"' in query["sql"] for query in found)
    assert changed["Last-Modified"] == "Wed, 03 Jan 2024 00:00:00 GMT"


@pytest.mark.parametrize("count", [3, 700])
def test_a_url_that_changes_without_its_date_is_sent_again(count):
    articles(count)

    class Large(Articles):
        limit = 50_000

    with sitemaps(articles=Large):
        first = get("/sitemap-articles.xml")
        assert len(locs(first)) == count
        validators = {"if_modified_since": first["Last-Modified"]}
        if "ETag" in first:
            validators["if_none_match"] = first["ETag"]
        Article.objects.filter(slug="a1").update(slug="other")
        again = get("/sitemap-articles.xml", **validators)
        assert again.status_code == 200
        assert any("other" in loc for loc in locs(again))


@pytest.mark.parametrize("count", [3, 700])
def test_a_removed_row_is_not_hidden_by_the_latest_date(count):
    articles(count)

    class Large(Articles):
        limit = 50_000
        cache_version = 1

    with sitemaps(articles=Large):
        first = get("/sitemap-articles.xml")
        body(first)
        index = get("/sitemap.xml")
        Article.objects.filter(slug="a1").delete()
        again = get("/sitemap-articles.xml", if_modified_since=first["Last-Modified"])
        assert (again.status_code, len(locs(again))) == (200, count - 1)
        assert get("/sitemap.xml", if_modified_since=index["Last-Modified"]).status_code == 200


def test_cache_version_is_part_of_what_identifies_a_page():
    articles(700)

    class Large(Articles):
        limit = 50_000
        cache_version = 1

    class Bumped(Large):
        cache_version = 2

    with sitemaps(articles=Large):
        first = get("/sitemap-articles.xml")
        body(first)
    Article.objects.filter(slug="a1").update(slug="other")
    with sitemaps(articles=Bumped):
        again = get("/sitemap-articles.xml", if_none_match=first["ETag"])
        assert again.status_code == 200
        assert any("other" in loc for loc in locs(again))


@django_test.override_settings(URLSET_PAGE_CACHE="default")
def test_a_page_without_cache_version_is_not_stored():
    articles(4000)

    class Large(Articles):
        limit = 50_000

    with sitemaps(articles=Large):
        body(get("/sitemap-articles.xml"))
        Article.objects.filter(slug="a7").update(slug="other")
        assert b"other" in body(get("/sitemap-articles.xml"))


@pytest.mark.parametrize("count", [3, 700])
def test_gzip_by_accept_encoding(count):
    articles(count)

    class Large(Articles):
        limit = 50_000

    with sitemaps(articles=Large):
        plain = get("/sitemap-articles.xml")
        packed = get("/sitemap-articles.xml", accept_encoding="br;q=1.0, gzip")
        refused = get("/sitemap-articles.xml", accept_encoding="gzip;q=0, identity")

        assert packed["Content-Encoding"] == "gzip"
        assert packed["Content-Type"] == "application/xml"
        assert "Accept-Encoding" in plain["Vary"]
        assert "Content-Encoding" not in refused
        assert body(packed) == body(plain) == body(refused)


def test_head_has_the_headers_of_get_and_other_methods_are_refused():
    articles(3)
    client = django_test.Client(headers={"host": "example.com"})
    with sitemaps(articles=Articles):
        for path in ("/sitemap.xml", "/sitemap-articles.xml", "/all.xml"):
            head, whole = client.head(path), client.get(path)
            assert head.status_code == 200
            assert head.content == b""
            assert head.get("ETag") == whole.get("ETag") is not None
            assert head.get("Last-Modified") == whole.get("Last-Modified") is not None
            assert client.post(path).status_code == 405


@django_test.override_settings(MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"])
def test_other_methods_are_refused_with_405_where_forms_need_a_token():
    client = django_test.Client(enforce_csrf_checks=True, headers={"host": "example.com"})
    with sitemaps(articles=Articles):
        for path in ("/sitemap.xml", "/sitemap-articles.xml"):
            assert client.post(path).status_code == 405


@django_test.override_settings(URLSET_PAGE_CACHE="default")
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_pages_are_stored_in_a_cache_of_the_settings(encoding):
    articles(4000)

    class Large(Articles):
        limit = 50_000
        cache_version = 1

    path = "/sitemap-articles.xml"
    with sitemaps(articles=Large):
        first = get(path, accept_encoding=encoding)
        data = body(first)
        with queries_of() as found:
            again = [get(path, accept_encoding=word) for word in ("", "gzip")]
        Article.objects.filter(slug="a7").update(updated=NEW_YEAR + timedelta(days=9))
        changed = body(get(path))

    assert first.streaming
    assert [body(response) for response in again] == [data, data]
    assert not any('"slug"' in query["sql"] for query in found)
    assert again[1]["Content-Length"] == str(len(again[1].content))
    assert len(urlset.parse(data).entries) == 4000
    assert b"2024-01-10" in changed


@django_test.override_settings(URLSET_PAGE_CACHE="default")
def test_half_a_page_is_not_stored():
    articles(4000)

    class Broken(Articles):
        limit = 50_000
        cache_version = 1

        def location(self, item):
            if item.slug == "a3900":
                raise RuntimeError("broken")
            return super().location(item)

    with sitemaps(articles=Broken):
        for _ in range(2):
            response = get("/sitemap-articles.xml")
            assert response.streaming
            with pytest.raises(RuntimeError):
                list(response)


def test_pages_are_streamed_under_asgi():
    articles(4000)

    class Large(Articles):
        limit = 50_000

    async def ask():
        client = django_test.AsyncClient(headers={"host": "example.com"})
        response = await client.get("/sitemap-articles.xml")
        assert response.is_async
        return [chunk async for chunk in response]

    with sitemaps(articles=Large):
        chunks = importlib.import_module("asgiref.sync").async_to_sync(ask)()

    assert len(chunks) > 2
    assert len(urlset.parse(b"".join(chunks)).entries) == 4000


# ── input that is hostile or odd ──


def test_hostile_host_is_refused():
    articles(1)
    with sitemaps(articles=Articles):
        assert get("/sitemap.xml", host="evil.example").status_code == 400
        assert get("/sitemap.xml", host="example.com</loc>").status_code == 400


@django_test.override_settings(ALLOWED_HOSTS=["*"])
def test_responses_for_hosts_are_kept_apart():
    articles(700)

    class Large(Articles):
        limit = 50_000
        cache_version = 1

    with sitemaps(articles=Large):
        ours = get("/sitemap-articles.xml")
        theirs = get("/sitemap-articles.xml", host="other.example", if_none_match=ours["ETag"])

    assert theirs.status_code == 200
    assert locs(theirs)[0] == "http://other.example/articles/a0/"


def test_text_that_xml_cannot_hold_costs_one_entry_and_is_logged(caplog):
    articles(2)
    Article.objects.create(slug="a\x00b", updated=NEW_YEAR)
    Article.objects.create(slug="<&'\">", updated=NEW_YEAR)
    Article.objects.create(slug="ä b", updated=NEW_YEAR)

    with sitemaps(articles=Articles):
        found = locs(get("/sitemap-articles.xml"))

    assert found[2:] == [
        "http://example.com/articles/<&'\">/",
        "http://example.com/articles/%C3%A4%20b/",
    ]
    assert "U+0000" in caplog.text


def test_failure_in_the_first_batch_is_an_error_and_later_ones_leave_no_whole_document():
    articles(4000)

    class Broken(Articles):
        limit = 50_000
        fails_at = "a0"

        def location(self, item):
            if item.slug == self.fails_at:
                raise RuntimeError("broken")
            return super().location(item)

    class BrokenLater(Broken):
        fails_at = "a3900"

    client = django_test.Client(raise_request_exception=False, headers={"host": "example.com"})
    with sitemaps(articles=Broken, later=BrokenLater):
        assert client.get("/sitemap-articles.xml").status_code == 500
        response = client.get("/sitemap-later.xml")
        sent = []
        with pytest.raises(RuntimeError):
            sent.extend(response)

    assert sent
    assert b"</urlset>" not in b"".join(sent)


def test_a_page_that_is_too_large_ends_at_the_limit_and_later_pages_are_smaller(
    monkeypatch, caplog
):
    monkeypatch.setattr("urlset.integrations.django.views.MAX_BYTES", 60_000)
    articles(1200)

    class Large(Articles):
        limit = 50_000

    with sitemaps(articles=Large):
        first = body(get("/sitemap-articles.xml"))
        assert len(first) <= 60_000
        assert not urlset.parse(first).problems
        assert "fewer" in caplog.text
        index = urlset.parse(body(get("/sitemap.xml")))
        pages = [get(path_of(sitemap)) for sitemap in index.sitemaps]
        found = [loc for page in pages for loc in locs(page)]

    assert len(index.sitemaps) > 1
    assert len(found) == len(set(found)) == 1200


def test_alternates_of_many_languages_keep_pages_under_the_byte_limit(monkeypatch):
    monkeypatch.setattr("urlset.integrations.django.sections.MAX_BYTES", 100_000)
    monkeypatch.setattr("urlset.integrations.django.views.MAX_BYTES", 100_000)
    articles(300)

    class Translated(Articles):
        limit = 50_000
        i18n = True
        alternates = True
        languages = tuple(f"l{number}" for number in range(20))

        def location(self, item):
            return f"/{'x' * 20}/{item[0].slug if isinstance(item, tuple) else item.slug}/"

    with sitemaps(articles=Translated):
        index = urlset.parse(body(get("/sitemap.xml")))
        sizes = [len(body(get(path_of(sitemap)))) for sitemap in index.sitemaps]

    assert len(sizes) > 1
    assert max(sizes) <= 100_000


# ── pages stay the same ──


def test_rows_that_are_added_change_the_last_page_only():
    articles(250)
    with sitemaps(articles=Articles):
        before = [body(get(f"/sitemap-articles.xml?p={page}")) for page in (1, 2, 3)]
        Article.objects.bulk_create(
            Article(slug=f"new{number}", updated=NEW_YEAR) for number in range(100)
        )
        after = [body(get(f"/sitemap-articles.xml?p={page}")) for page in (1, 2, 3, 4)]

    assert after[:2] == before[:2]
    assert after[2] != before[2]


def test_rows_that_are_removed_leave_the_other_pages_alone():
    articles(250)
    with sitemaps(articles=Articles):
        before = [body(get(f"/sitemap-articles.xml?p={page}")) for page in (1, 2, 3)]
        Article.objects.filter(slug="a5").delete()
        after = [body(get(f"/sitemap-articles.xml?p={page}")) for page in (1, 2, 3)]

    assert after[1:] == before[1:]
    assert b"/a5/" in before[0]
    assert b"/a5/" not in after[0]


def test_keys_in_random_order_never_exceed_the_limit():
    class Products(Sitemap):
        limit = 50
        lastmod_field = "changed"

        def items(self):
            return Product.objects.all()

    with sitemaps(products=Products):
        seen: set[str] = set()
        for _ in range(6):
            Product.objects.bulk_create(Product(changed=date(2024, 1, 2)) for _ in range(40))
            index = urlset.parse(body(get("/sitemap.xml")))
            for sitemap in index.sitemaps:
                found = locs(get(path_of(sitemap)))
                assert len(found) <= 50
        index = urlset.parse(body(get("/sitemap.xml")))
        for sitemap in index.sitemaps:
            seen.update(locs(get(path_of(sitemap))))
        assert len(seen) == 240
        assert index.sitemaps[0].lastmod_text == "2024-01-02"


def test_change_of_a_row_moves_the_date_of_its_page_only():
    articles(250)
    with sitemaps(articles=Articles):
        get("/sitemap.xml")
        Article.objects.filter(slug="a7").update(updated=NEW_YEAR + timedelta(days=9))
        index = urlset.parse(body(get("/sitemap.xml")))

    assert [sitemap.lastmod for sitemap in index.sitemaps] == [
        NEW_YEAR + timedelta(days=9),
        NEW_YEAR + timedelta(minutes=199),
        NEW_YEAR + timedelta(minutes=249),
    ]


def test_generic_sitemap_uses_its_date_field():
    articles(250)
    generic = GenericSitemap(
        {"queryset": Article.objects.all(), "date_field": "updated"}, changefreq="daily"
    )
    generic.limit = 100
    with sitemaps(articles=generic):
        index = urlset.parse(body(get("/sitemap.xml")))
        (first, *_) = urlset.parse(body(get("/sitemap-articles.xml"))).entries

    assert len({sitemap.lastmod for sitemap in index.sitemaps}) == 3
    assert (first.lastmod, first.changefreq) == (NEW_YEAR, "daily")


def test_urls_equal_those_of_django_for_the_same_classes():
    from django.contrib import sitemaps as contrib

    articles(230)
    Article.objects.filter(slug__endswith="7").update(is_public=False)

    class Same:
        limit = 100
        changefreq = "weekly"
        priority = 0.25
        protocol = "https"

        def items(self):
            return Article.objects.filter(is_public=True).order_by("pk")

        def lastmod(self, item):
            return item.updated

    class Theirs(Same, contrib.Sitemap):
        pass

    class Ours(Same, Sitemap):
        pass

    def all_of(site):
        with sitemaps(articles=site):
            index = urlset.parse(body(get("/sitemap.xml")))
            paths = [one.loc.removeprefix("https://example.com") for one in index.sitemaps]
            found = [entry for path in paths for entry in entries(get(path))]
            return [entry._replace(source=None, offset=None, line=None) for entry in found]

    assert all_of(Ours) == all_of(Theirs)
    assert len(all_of(Ours)) == 207
