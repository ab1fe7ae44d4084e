"""Publish files atomically to a folder or an object store: stage, read back, then swap.

Visitors see complete files at every moment, and an index only after the files that it lists. On
any failure the previous files are restored. If a process is killed, the next publication restores
them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit

from urlset.errors import TargetError
from urlset.object_store import SCHEMES
from urlset.option_schema import Encoding
from urlset.publisher.journal import FolderLock, sync_files
from urlset.publisher.local import DryRun, FolderTarget
from urlset.publisher.target import Target, expired_orphans, update_orphans

__all__ = [
    "CACHE_CONTROL",
    "FolderLock",
    "FolderTarget",
    "Target",
    "expired_orphans",
    "open_target",
    "sync_files",
    "update_orphans",
]

CACHE_CONTROL = "max-age=3600"
"""Default header: an hour. Crawlers request a sitemap a few times a day, and it is the default
of Google Cloud
(https://cloud.google.com/storage/docs/metadata#cache-control)."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def open_target(
    output: str | os.PathLike[str],
    label: str,
    *,
    cache_control: str | None = CACHE_CONTROL,
    encoding: Encoding | None = None,
    allow_http: bool = False,
    is_dry_run: bool = False,
) -> Target:
    """Return the target for a folder or bucket URL; its context manager starts a publication.

    A path or a ``file://`` URL is a folder. ``s3://bucket/prefix``, ``gs://``, ``az://`` and
    ``abfs://`` are object stores: they need ``urlset[cloud]``, and read credentials and endpoints
    from the environment as their own tools do (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL``, …).

    Args:
        output: Path or URL.
        label: Name of the set, for staging folders and messages.
        cache_control: Value of that header (object stores only); None to send none.
        encoding: ``"gzip"`` compresses ``.xml`` and ``.txt`` in object stores, to be served with
            ``Content-Encoding: gzip``; ``read`` and ``read_staged`` return decompressed bytes.
        allow_http: Whether to use an endpoint on another machine without encryption.
        is_dry_run: Whether to change nothing (folders only); this needs read permission only.

    Raises:
        TargetError: The output is neither a folder nor a supported object store.
        ValueError: The encoding is unknown, or the output is a folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_target(folder, "sitemap") as target:
    ...     target.stage("sitemap.txt", b"https://example.com/")
    ...     target.swap(["sitemap.txt"], [])
    ...     target.names()
    ['sitemap.txt']
    """
    if encoding is not None and encoding not in get_args(Encoding):
        raise ValueError(f"expected encoding to be one of {get_args(Encoding)}, found {encoding!r}")
    text = os.fspath(output)
    scheme = found[1].lower() if (found := _SCHEME.match(text)) else None
    if scheme in SCHEMES:
        from urlset.publisher.bucket import Bucket

        return Bucket.of(
            text, cache_control=cache_control, encoding=encoding, allow_http=allow_http
        )
    if scheme not in (None, "file"):
        raise TargetError(
            f"expected a folder or a bucket to publish to, found a {scheme}:// address; "
            "write a path, or s3://bucket/prefix, gs://…, az://…"
        )
    if encoding is not None:
        raise ValueError(
            "expected no encoding for a folder, because its web server sets the encoding; publish "
            ".xml.gz, or configure the server"
        )
    folder = _path(text) if scheme else Path(output)
    return DryRun(folder, label) if is_dry_run else FolderTarget(folder, label)


def _path(url: str) -> Path:
    split = urlsplit(url)
    if split.netloc not in ("", "localhost"):
        raise TargetError(
            f"expected file:///path, found {url!r}, which names the host {split.netloc!r}"
        )
    if os.name != "nt":
        return Path(unquote(split.path))
    from urllib.request import url2pathname  # loads TLS

    return Path(url2pathname(split.path))
