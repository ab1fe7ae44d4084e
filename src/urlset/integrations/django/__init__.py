"""Django: drop-in for ``django.contrib.sitemaps``, and ``manage.py urlset``.

Keep the classes and change one import::

    from urlset.integrations.django import GenericSitemap, Sitemap, views

With ``"urlset.integrations.django"`` in ``INSTALLED_APPS`` there are system checks and the command.
"""

from __future__ import annotations

from urlset.integrations.django import views
from urlset.integrations.django.sitemaps import DjangoSitemap as Sitemap
from urlset.integrations.django.sitemaps import GenericSitemap
from urlset.integrations.django.views import index, sitemap

__all__ = ["GenericSitemap", "Sitemap", "index", "sitemap", "views"]
