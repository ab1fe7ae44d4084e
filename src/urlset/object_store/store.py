"""A prefix of a bucket in an object store, read and written on conditions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from urlset.errors import TargetError
from urlset.object_store.aws_profile import aws_profile

if TYPE_CHECKING:
    from obstore import Attributes as Attributes
    from obstore import ObjectMeta
    from obstore import UpdateVersion as UpdateVersion
    from obstore.store import ClientConfig, RetryConfig
    from obstore.store import ObjectStore as Backend

__all__ = ["SCHEMES", "ObjectInfo", "ObjectStore", "VersionConflict", "is_object_url"]

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl")

RETRY_S = 60
"""How long a request is tried again; the library's own three minutes are long for a person."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_SECRET = re.compile(r"KEY|SECRET|TOKEN|SAS|CREDENTIAL|PASSWORD|ACCOUNT", re.IGNORECASE)
_QUERY = re.compile(r"\?[^\s\"'<>]+")
_MAX_WORDS = 300
_secrets: set[str] = set()  # of profiles; the words of a store must not repeat them


class VersionConflict(Exception):
    """What stands at a key is not what was expected there; told on by who expected it."""


class ObjectInfo(NamedTuple):
    """An object: its bytes, headers by name, and what identifies this version of it."""

    data: bytes
    attributes: Attributes
    version: UpdateVersion


class ObjectStore:
    """A prefix of a bucket; keys are relative to it.

    Raises :class:`urlset.TargetError`, whose message holds no credentials, and ``VersionConflict``.
    """

    def __init__(self, store: Backend, url: str):
        self._store = store
        self.url = url

    @classmethod
    def of(cls, url: str, *, allow_http: bool) -> ObjectStore:
        """Open a store by its URL; no request is made.

        Credentials come from the environment, and of S3 from the files of AWS, too
        (``~/.aws/credentials``, ``AWS_PROFILE``). ``AWS_ENDPOINT_URL`` names another server that
        speaks S3 (MinIO, Ceph, moto), by https or on this machine.
        """
        _check(url)
        try:
            from obstore.store import from_url
        except ModuleNotFoundError as error:
            raise TargetError(
                f"expected obstore, for {url}, found it is not installed; "
                "run pip install 'urlset[cloud]'"
            ) from error
        options, endpoint = aws_profile(os.environ) if url.startswith("s3") else ({}, "")
        _secrets.update(value for name, value in options.items() if name != "region")
        client: ClientConfig = {"allow_http": _may_be_http(url, allow_http, endpoint)}
        config: Any = {**options, **({"endpoint": endpoint} if endpoint else {})} or None
        retries: RetryConfig = {"max_retries": 5, "retry_timeout": timedelta(seconds=RETRY_S)}
        with _told("open", url):
            store = from_url(url, config=config, client_options=client, retry_config=retries)
        return cls(store, url)

    def names(self) -> list[str]:
        """The names of the objects directly under the prefix, sorted."""
        with _told("list", self.url):
            found = self._store.list_with_delimiter()["objects"]
        return sorted(meta["path"].rpartition("/")[2] for meta in found)

    def keys(self, limit: int) -> list[str]:
        """The keys of the objects under the prefix, relative to it: the first so many found."""
        with _told("list", self.url):
            pages = self._store.list(chunk_size=1_000)
            found: list[str] = []
            for page in pages:
                found += [self._relative(meta["path"]) for meta in page]
                if len(found) >= limit:
                    break
        return sorted(found[:limit])

    def read(self, key: str, limit: int) -> bytes | None:
        """The bytes of an object, at most one more than ``limit``, or None where there is none."""
        with _told("read", f"{self.url}/{key}".rstrip("/")):
            pieces: list[bytes] = []
            left = limit + 1
            try:
                for piece in self._store.get(key).stream(min_chunk_size=1 << 20):
                    pieces.append(bytes(piece)[:left])
                    left -= len(pieces[-1])
                    if left <= 0:
                        break
            except FileNotFoundError:
                return None
            return b"".join(pieces)

    def _relative(self, path: str) -> str:
        prefix = getattr(self._store, "prefix", None) or ""
        return path.removeprefix(f"{prefix}/") if prefix else path

    def get(self, key: str) -> ObjectInfo | None:
        """An object, or None where there is none."""
        with _told("read", f"{self.url}/{key}"):
            try:
                found = self._store.get(key)
                data = bytes(found.bytes())
            except FileNotFoundError:
                return None
            return ObjectInfo(data, found.attributes, _version(found.meta))

    def head(self, key: str) -> UpdateVersion | None:
        """What identifies the version of an object, or None where there is none."""
        with _told("read", f"{self.url}/{key}"):
            try:
                return _version(self._store.head(key))
            except FileNotFoundError:
                return None

    def modified(self, key: str) -> datetime | None:
        """The moment in UTC, to the second, at which an object was written, or None."""
        with _told("read", f"{self.url}/{key}"):
            try:
                found = self._store.head(key)["last_modified"]
            except FileNotFoundError:
                return None
            return found.astimezone(UTC).replace(microsecond=0)

    def put(
        self, key: str, data: bytes, attributes: Attributes, expected: UpdateVersion | None
    ) -> None:
        """Write an object if its version is ``expected`` (None: if there is none).

        Raises :class:`VersionConflict` otherwise.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _told("write", f"{self.url}/{key}"):
            try:
                self._store.put(
                    key,
                    data,
                    attributes=attributes,
                    mode="create" if expected is None else expected,
                    use_multipart=False,
                )
            except (AlreadyExistsError, PreconditionError, FileNotFoundError) as error:
                raise VersionConflict from error

    def delete(self, key: str) -> None:
        """Take an object away, if it is there."""
        with _told("remove", f"{self.url}/{key}"):
            try:
                self._store.delete(key)
            except FileNotFoundError:
                return


def is_object_url(text: str) -> bool:
    """Tell the URL of a place in an object store, as ``s3://bucket/prefix``."""
    return text.partition("://")[0].lower() in SCHEMES and "://" in text


def _version(meta: ObjectMeta) -> UpdateVersion:
    # Without what is None: the library takes no None when it is given this back.
    version: UpdateVersion = {}
    if (e_tag := meta.get("e_tag")) is not None:
        version["e_tag"] = e_tag
    if (number := meta.get("version")) is not None:
        version["version"] = number
    return version


def _check(url: str) -> None:
    split = urlsplit(url)
    # Beware: a secret may hold slashes, and be no password to a parser then.
    names_user = ":" in split.netloc or (
        "@" in split.netloc and split.scheme not in ("abfs", "abfss")
    )
    if names_user or split.query or split.fragment or not split.netloc:
        raise TargetError(
            f"expected {split.scheme}://bucket/prefix and nothing else; "
            "credentials are given in the environment, as AWS_ACCESS_KEY_ID and the like"
        )


def _may_be_http(url: str, allow_http: bool, endpoint: str = "") -> bool:
    """Whether the endpoint may be spoken to in the clear; where it must and may not, raise."""
    endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), endpoint)
    if not url.startswith("s3") or urlsplit(endpoint).scheme != "http":
        return allow_http
    if allow_http or _is_loopback(urlsplit(endpoint).hostname or ""):
        return True
    raise TargetError(
        f"expected an endpoint by https, found http://{urlsplit(endpoint).hostname}, which would "
        "send what is published, and who publishes, in the clear; set AWS_ENDPOINT_URL to https, "
        "or ask for it with allow_http"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@contextmanager
def _told(what: str, where: str) -> Iterator[None]:
    """Say in our words what a store refused; no cause is kept, for it may hold credentials."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        told = (
            f"cannot {what} {where}: the store refuses it to these credentials "
            f"({_words(error)}); see that the environment has the right ones, and that they may"
        )
    except (BaseError, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, TargetError):
            raise
        told = f"cannot {what} {where}: {_words(error)}"
    else:
        return
    raise TargetError(told) from None


def _words(error: Exception) -> str:
    """The first line of an error, without what could be a secret."""
    words = str(error).partition("\n")[0].partition("<")[0]
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) >= 4:
            words = words.replace(value, "…")
    for value in _secrets:
        words = words.replace(value, "…")
    return _QUERY.sub("?…", words).strip(" :")[:_MAX_WORDS] or type(error).__name__
