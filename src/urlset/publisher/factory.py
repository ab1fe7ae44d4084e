"""Finds the target that an output names: a folder, or a prefix of a bucket."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from urlset.errors import TargetError
from urlset.object_store import SCHEMES
from urlset.publisher.dry_run import DryRun
from urlset.publisher.local import FolderTarget
from urlset.publisher.target import Target

__all__ = ["CACHE_CONTROL", "Encoding", "open_target"]

Encoding = Literal["gzip"]

CACHE_CONTROL = "max-age=3600"
"""An hour: crawlers ask for a sitemap some times a day, and Google Cloud says the same unasked
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
    """Choose the target of an output; nothing is touched before its context is entered.

    A path, or a ``file://`` URL, is a folder. ``s3://bucket/prefix``, ``gs://``, ``az://`` and
    ``abfs://`` are object stores: they need ``urlset[cloud]``, and take credentials and endpoints
    from the environment as their own tools do (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL``, …).
    ``label`` is the name of the set, for staging folders and messages.

    Of object stores only: ``cache_control`` is that header (None: not sent);
    ``encoding="gzip"`` stores ``.xml`` and ``.txt`` packed, to be served with
    ``Content-Encoding: gzip`` (what ``read`` and ``staged`` give is unpacked); ``allow_http``
    lets an endpoint other than this machine be spoken to without encryption.

    Of folders only: ``is_dry_run`` leaves all as it is, and wants no more rights than to read.

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
            "expected no encoding for a folder, for its web server decides how files are sent; "
            "publish .xml.gz, or leave it to the server"
        )
    folder = _path(text) if scheme else Path(output)
    return DryRun(folder, label) if is_dry_run else FolderTarget(folder, label)


def _path(url: str) -> Path:
    split = urlsplit(url)
    if split.netloc not in ("", "localhost"):
        raise TargetError(
            f"expected file:///path, found {url!r}, which names the host {split.netloc!r}"
        )
    return Path(url2pathname(split.path) if os.name == "nt" else unquote(split.path))
