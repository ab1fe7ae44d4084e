"""URLs of the project; tests set the sitemaps."""

from typing import Any

from django.urls import path

from urlset.integrations.django import views

SITEMAPS: dict[str, Any] = {}

urlpatterns = [
    path("sitemap.xml", views.index, {"sitemaps": SITEMAPS}),
    path("all.xml", views.sitemap, {"sitemaps": SITEMAPS}),
    path(
        "sitemap-<section>.xml",
        views.sitemap,
        {"sitemaps": SITEMAPS},
        name="django.contrib.sitemaps.views.sitemap",
    ),
]
