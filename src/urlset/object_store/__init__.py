"""Object stores (S3, Google Cloud, Azure): read and write the objects of a prefix."""

from __future__ import annotations

from urlset.object_store.store import (
    SCHEMES,
    ObjectInfo,
    ObjectStore,
    VersionConflict,
    is_object_url,
)

__all__ = ["SCHEMES", "ObjectInfo", "ObjectStore", "VersionConflict", "is_object_url"]
