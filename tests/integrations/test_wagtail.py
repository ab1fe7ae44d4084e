"""The recipe of docs/django.md for Wagtail, in a project with real pages."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import read_sections

GUIDE = Path(__file__).parents[2] / "docs" / "django.md"
SETTINGS = """
SECRET_KEY = "for tests"
ALLOWED_HOSTS = ["*"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = [
    "wagtail.users", "wagtail.images", "wagtail.documents", "wagtail.admin", "wagtail.search",
    "wagtail", "modelcluster", "taggit", "django.contrib.admin", "django.contrib.auth",
    "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
    "django.contrib.staticfiles", "urlset.integrations.django",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware"]
ROOT_URLCONF = "project.urls"
STATIC_URL = "/static/"
USE_TZ = True
WAGTAIL_SITE_NAME = "site"
WAGTAILADMIN_BASE_URL = "https://example.com"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
"""
URLS = """
from django.urls import include, path
from shop.wagtail_sitemaps import PageSitemap
from urlset.integrations.django import views
from wagtail import urls
found = {"sitemaps": {"pages": PageSitemap}}
urlpatterns = [
    path("sitemap.xml", views.index, found),
    path("sitemap-<section>.xml", views.sitemap, found,
         name="django.contrib.sitemaps.views.sitemap"),
    path("", include(urls)),
]
"""
SCRIPT = """
import json, os
from types import SimpleNamespace
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.test import Client
from django.utils import timezone
from wagtail.contrib.sitemaps.sitemap_generator import Sitemap as Theirs
from wagtail.models import Page, Site
site = Site.objects.get(is_default_site=True)
root = site.root_page
for number in range(1200):
    root.add_child(instance=Page(
        title=f"page {number}", slug=f"page-{number}", live=number % 100 != 7,
        last_published_at=timezone.now()))
import urlset
def locs(path):
    response = Client().get(path)
    assert response.status_code == 200
    data = b"".join(response) if response.streaming else response.content
    return [entry.loc for entry in urlset.parse(data).entries]
found = Theirs().get_urls(page=1, site=SimpleNamespace(domain="localhost"))
theirs = [url["location"] for url in found]
call_command("check")
index = urlset.parse(Client().get("/sitemap.xml").content)
print(json.dumps({"ours": locs("/sitemap-pages.xml"), "theirs": theirs,
                  "dates": [bool(one.lastmod) for one in index.sitemaps]}))
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("wagtail") is None, reason="Wagtail is not installed")
def test_the_recipe_lists_the_pages_that_wagtail_lists(tmp_path):
    (section,) = [part for part in read_sections(GUIDE) if part.title == "Wagtail"]
    for name in ("project", "shop"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "project" / "settings.py").write_text(SETTINGS)
    (tmp_path / "project" / "urls.py").write_text(URLS)
    for block in section.blocks:
        (tmp_path / block.name).write_text(block.text)
    (tmp_path / "script.py").write_text(SCRIPT)

    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["theirs"]) > 1_000
    assert sorted(found["ours"]) == sorted(found["theirs"])
    assert found["dates"] == [True]
