"""``manage.py urlset``, and the system checks."""

import contextlib
import gc
import importlib
import io
import re
from datetime import UTC, datetime, timedelta

import pytest

import urlset
from tests.integrations.django_hosts import configure, database, sitemaps
from tests.s3 import ask
from urlset.integrations.django import GenericSitemap, Sitemap

configure()
django_test = importlib.import_module("django.test")
management = importlib.import_module("django.core.management")
checks = importlib.import_module("django.core.checks")
models = importlib.import_module("tests.integrations.django_project.models")
Article = models.Article
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


class Articles(Sitemap):
    lastmod_field = "updated"

    def items(self):
        return Article.objects.filter(is_public=True)


class Pages(Sitemap):
    def items(self):
        return ["/", "/about"]

    def location(self, item):
        return item


class Broken(Pages):
    def items(self):
        return ["/", "/about", None]

    def location(self, item):
        if item is None:
            raise RuntimeError("the database is gone")
        return item


SITEMAPS = {"articles": Articles, "pages": Pages}


@pytest.fixture(autouse=True)
def rows():
    with database():
        Article.objects.bulk_create(
            Article(slug=f"a{n}", updated=NEW_YEAR + timedelta(days=n)) for n in range(20)
        )
        yield


@pytest.fixture
def run(tmp_path):
    def run(*arguments, given=SITEMAPS, **more):
        settings = {
            "SITEMAPS": given,
            "BASE_URL": "https://example.com/",
            "OUTPUT": tmp_path / "public",
            "LEDGER": tmp_path / "ledger.duckdb",
            **more,
        }
        out = io.StringIO()
        with django_test.override_settings(URLSET=settings):
            management.call_command("urlset", *arguments, stdout=out, stderr=out)
        return out.getvalue()

    return run


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "public"


# ── build ──


def test_build_publishes_each_section_and_writes_only_what_changes(run, folder):
    first = run("build")
    again = run("build")
    Article.objects.filter(slug="a3").update(updated=NEW_YEAR + timedelta(days=99))
    changed = run("build")

    index = urlset.parse((folder / "sitemap.xml").read_bytes())
    names = [one.loc.rpartition("/")[2] for one in index.sitemaps]
    locs = {e.loc for name in names for e in urlset.parse((folder / name).read_bytes()).entries}
    assert any("articles" in name for name in names)
    assert any("pages" in name for name in names)
    assert len(locs) == 22
    assert "https://example.com/articles/a3/" in locs
    assert "22 URLs in 2 files and 1 index" in first
    assert ", 0 files new or changed" in again
    # A file, and the index, unless it has the same date: that of the second of the build before.
    assert re.search(r", [12] files? new or changed", changed)


def test_name_of_the_sitemaps_in_the_settings(run):
    assert "22 URLs" in run("build", given="tests.integrations.test_django_command.SITEMAPS")


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("given", [SITEMAPS, {"broken": Broken}, None])
def test_a_build_leaves_the_frozen_objects_of_its_caller(run, given, frozen):
    if frozen:
        gc.freeze()
    try:
        with contextlib.suppress(management.CommandError, RuntimeError):
            run("build", given=given)
        assert bool(gc.get_freeze_count()) == frozen
    finally:
        gc.unfreeze()


def test_a_failure_midway_leaves_the_published_files(run, folder):
    # django-static-sitemaps deletes the live file first.
    run("build")
    before = {path.name: path.read_bytes() for path in folder.glob("*.xml")}

    with pytest.raises(RuntimeError, match="the database is gone"):
        run("build", given={"articles": Articles, "pages": Broken})

    assert {path.name: path.read_bytes() for path in folder.glob("*.xml")} == before


@pytest.mark.parametrize("failing", ["items", "location"])
def test_a_failure_of_the_project_keeps_its_type_and_names_the_section(run, failing):
    def fail(*_):
        raise ValueError("no slug")

    broken = type("Failing", (Pages,), {failing: fail})
    with pytest.raises(ValueError, match="no slug") as caught:
        run("build", given={"articles": Articles, "shop": broken})

    assert caught.value.__notes__ == ["The section 'shop' of the sitemaps was being read."]


def test_files_are_there_at_every_moment_of_a_build(run, folder):
    run("build")
    seen = []

    class Watching(Pages):
        def location(self, item):
            seen.append((folder / "sitemap.xml").is_file())
            return f"{item}?new"

    run("build", given={"articles": Articles, "pages": Watching})

    assert seen
    assert all(seen)


def test_a_gate_ends_the_command_with_its_exit_code(run):
    run("build")
    Article.objects.all().delete()

    with pytest.raises(management.CommandError) as caught:
        run("build")
    assert caught.value.returncode == 11
    assert "shrunk" in str(caught.value)
    assert "2 URLs" in run("build", "--force", "shrunk")


class Foreign(Pages):
    def get_urls(self, *_, **__):
        return [{"location": "https://shop.example.org/", "item": None}]


def test_messages_name_the_settings_and_the_options_of_manage_py(run, tmp_path):
    with pytest.raises(management.CommandError) as caught:
        run("build", given={"pages": Foreign})
    message = str(caught.value)
    assert "allow the host with URLSET['BUILD']['allowed_hosts']" in message
    assert message.endswith("If this is intended: --force hosts")
    assert "--allowed-host" not in message

    run("build", BUILD={"allowed_hosts": ["shop.example.org"]}, given={"pages": Foreign})
    with pytest.raises(
        management.CommandError, match=r"URLSET\['SUBMIT'\]\['max_wait_s'\] limits the time"
    ):
        run("submit", SUBMIT={"max_minutes": 3})


def test_progress_is_shown_on_request(run, monkeypatch):
    command = importlib.import_module("urlset.integrations.django.management.commands.urlset")
    monkeypatch.setattr(command, "PROGRESS_S", 0.0)

    silent, shown = run("build"), run("--verbosity", "2", "build")

    assert not any(line.startswith("20 URLs") for line in silent.splitlines())
    assert any(line.startswith("20 URLs") for line in shown.splitlines())


def test_dry_run_writes_nothing(run, folder):
    assert "22 URLs" in run("build", "--dry-run")
    assert not folder.exists()


def test_output_in_a_bucket(run, s3, s3_server):
    run("build", "--output", s3)

    index = urlset.parse(ask(f"{s3_server}/shop/maps/sitemap.xml")[1])
    assert len(index.sitemaps) == 2


def test_options_of_build_in_the_settings(run, folder):
    run("build", BUILD={"gzip": True, "max_urls": 5, "sections": ()})

    assert len(list(folder.glob("sitemap-*.xml.gz"))) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"SITEMAPS": {}}, "expected the dict of the sitemaps"),
        ({"BASE_URL": ""}, "expected the URL of the output"),
        ({"OUTPUT": None}, "expected a folder or a bucket"),
        ({"BASEURL": "x"}, "URLSET: expected keys of"),
        ({"BASE_URL": "example.com"}, r"expected URLSET\['BASE_URL'\] to be the http"),
        ({"BUILD": {"gzp": True}}, r"URLSET\['BUILD'\]: build\(\) has no argument 'gzp'; did"),
        ({"BUILD": {"base_url": "x"}}, r"found the key 'base_url'; use URLSET\['BASE_URL'\]"),
    ],
)
def test_mistakes_in_the_settings(run, settings, message):
    more = {"given": settings.pop("SITEMAPS")} if "SITEMAPS" in settings else {}

    with pytest.raises(management.CommandError, match=message) as caught:
        run("build", **more, **settings)
    assert caught.value.returncode in (1, 2)


def test_an_error_that_is_not_about_the_options_keeps_its_type(run, monkeypatch):
    def fail(*_, **__):
        raise TypeError("not of the settings")

    module = importlib.import_module("urlset.integrations.django.management.commands.urlset")
    monkeypatch.setattr(module, "InMemorySource", fail)
    with pytest.raises(TypeError, match="not of the settings"):
        run("build")


# ── submit ──


def test_an_option_that_submit_has_not(run):
    message = r"URLSET\['SUBMIT'\]: submit\(\) has no argument 'endpoint'; did you mean"
    with pytest.raises(management.CommandError, match=message):
        run("submit", SUBMIT={"endpoint": "bing"})


def test_submit_announces_what_changed_since_the_last_build(run):
    key = "0123456789abcdef0123456789abcdef"
    run("build")
    first = run("submit", "--dry-run", SUBMIT={"keys": key, "announce_all": True})

    assert "22 new" in first
    assert "https://example.com/articles/a3/" in first


# ── checks ──


def problems(**found):
    with sitemaps(**found):
        return [message.id for message in checks.run_checks(tags=["urlset"])]


def test_sitemaps_without_mistakes_have_no_messages():
    generic = GenericSitemap({"queryset": Article.objects.all(), "date_field": "updated"})

    assert problems(articles=Articles, pages=Pages, generic=generic) == []


class TooMany(Articles):
    limit = 50_001


class NoField(Articles):
    lastmod_field = "modified"


class NoLanguages(Articles):
    alternates = True


class Sliced(Articles):
    def items(self):
        return Article.objects.all()[:10]


class ByMethod(Sitemap):
    def items(self):
        return Article.objects.all()

    def lastmod(self, item):
        return item.updated


class NoIndex(Sitemap):
    lastmod_field = "changed"

    def items(self):
        return models.Product.objects.all()


class VersionWithoutDates(Sitemap):
    cache_version = 1

    def items(self):
        return Article.objects.all()


class VersionWithRelated(Articles):
    cache_version = 1

    def items(self):
        return Article.objects.prefetch_related("category")


class NeedsRequest(Articles):
    def items(self):
        raise RuntimeError("no request")


@pytest.mark.parametrize(
    ("site", "found"),
    [
        (TooMany, ["urlset.E002"]),
        (NoField, ["urlset.E003"]),
        (NoLanguages, ["urlset.W001"]),
        (Sliced, ["urlset.W002"]),
        (ByMethod, ["urlset.W003"]),
        (NoIndex, ["urlset.W004"]),
        (NeedsRequest, []),
        (VersionWithoutDates, ["urlset.W007"]),
        (VersionWithRelated, ["urlset.W008"]),
    ],
)
def test_mistakes_are_reported(site, found):
    assert problems(site=site) == found


@django_test.override_settings(URLSET_PAGE_CACHE="default")
def test_a_page_cache_that_is_not_used_is_reported():
    assert problems(site=Articles) == ["urlset.W006"]


def test_index_without_a_url_for_sections_is_reported(monkeypatch):
    urls = importlib.import_module("tests.integrations.django_project.urls")
    with sitemaps(pages=Pages):
        monkeypatch.setattr(urls, "urlpatterns", urls.urlpatterns[:2])
        resolvers = importlib.import_module("django.urls.resolvers")
        importlib.import_module("django.urls").clear_url_caches()
        assert resolvers.get_resolver() is not None
        try:
            found = [message.id for message in checks.run_checks(tags=["urlset"])]
        finally:
            monkeypatch.undo()
            importlib.import_module("django.urls").clear_url_caches()

    assert found == ["urlset.E001"]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, ["urlset.W005"]),
        ({"URLSET_CACHE": "missing"}, ["urlset.E004"]),
        (
            {"CACHES": {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache"}}},
            [],
        ),
    ],
)
def test_cache_is_checked_for_deployment(settings, found):
    with django_test.override_settings(**settings), sitemaps(pages=Pages):
        messages = checks.run_checks(tags=["urlset"], include_deployment_checks=True)

    assert [message.id for message in messages] == found
