"""Models of the project."""

import uuid

from django.db import models


class Article(models.Model):
    slug = models.CharField(max_length=200)
    updated = models.DateTimeField(null=True, db_index=True)
    is_public = models.BooleanField(default=True)

    class Meta:
        app_label = "shop"

    def get_absolute_url(self):
        return f"/articles/{self.slug}/"


class Product(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    changed = models.DateField(null=True)

    class Meta:
        app_label = "shop"

    def get_absolute_url(self):
        return f"/products/{self.id}/"
