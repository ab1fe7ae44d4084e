"""The app of the project."""

from django.apps import AppConfig


class ShopConfig(AppConfig):
    name = "tests.integrations.django_project"
    label = "shop"
    default_auto_field = "django.db.models.BigAutoField"
