"""Object stores (S3, Google Cloud, Azure): a prefix of a bucket, to be read and written."""

from __future__ import annotations

from urlset.object_store.store import (
    SCHEMES,
    ObjectInfo,
    ObjectStore,
    VersionConflict,
    is_object_url,
)

__all__ = ["SCHEMES", "ObjectInfo", "ObjectStore", "VersionConflict", "is_object_url"]
