"""Object stores (S3, Google Cloud, Azure): read and conditionally write the objects of a prefix."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from urlset.errors import TargetError
from urlset.hidden_fields import repr_without

if TYPE_CHECKING:
    from configparser import ConfigParser

    from obstore import Attributes as Attributes
    from obstore import ObjectMeta, PutResult
    from obstore import UpdateVersion as UpdateVersion
    from obstore.store import ClientConfig, RetryConfig
    from obstore.store import ObjectStore as Backend

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl")

RETRY_S = 60
"""Seconds in which a request is retried; the default of the library is three minutes."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_SECRET = re.compile(r"KEY|SECRET|TOKEN|SAS|CREDENTIAL|PASSWORD|ACCOUNT", re.IGNORECASE)
_QUERY = re.compile(r"\?[^\s\"'<>]+")
_MAX_MESSAGE = 300
_secrets: set[str] = set()  # secrets of profiles, which messages must not contain


class VersionConflict(Exception):
    """Error for an object whose version is not the expected one; callers map it."""


class ObjectInfo(NamedTuple):
    """Content of an object: its bytes, its headers by name, and the identifier of its version."""

    data: bytes
    attributes: Attributes
    version: UpdateVersion


class ObjectStore:
    """Prefix of a bucket; keys are relative to it.

    Raises :class:`urlset.TargetError`, whose message holds no credentials, and ``VersionConflict``.
    """

    def __init__(self, store: Backend, url: str):
        self._store = store
        self.url = url

    @classmethod
    def of(cls, url: str, *, allow_http: bool) -> ObjectStore:
        """Open a store by its URL, without a request.

        Credentials are read from the environment, and for S3 from the files of AWS, too
        (``~/.aws/credentials``, ``AWS_PROFILE``). ``AWS_ENDPOINT_URL`` selects another S3
        server (MinIO, Ceph, moto), by https or on this machine.
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
        with _map_errors("open", url):
            store = from_url(url, config=config, client_options=client, retry_config=retries)
        return cls(store, url)

    def names(self) -> list[str]:
        """Return the names of the objects directly under the prefix, sorted."""
        with _map_errors("list", self.url):
            found = self._store.list_with_delimiter()["objects"]
        return sorted(meta["path"].rpartition("/")[2] for meta in found)

    def sizes(self, limit: int) -> dict[str, int]:
        """Return the first ``limit`` keys found under the prefix, sorted, with sizes in bytes.

        Keys are relative to the prefix.
        """
        with _map_errors("list", self.url):
            pages = self._store.list(chunk_size=1_000)
            found: list[tuple[str, int]] = []
            for page in pages:
                found += [(self._relative(meta["path"]), meta["size"]) for meta in page]
                if len(found) >= limit:
                    break
        return dict(sorted(found[:limit]))

    def read(self, key: str, limit: int) -> bytes | None:
        """Return at most ``limit`` + 1 bytes of an object; None if there is none."""
        with _map_errors("read", f"{self.url}/{key}".rstrip("/")):
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
        """Return an object; None if there is none."""
        with _map_errors("read", f"{self.url}/{key}"):
            try:
                found = self._store.get(key)
                data = bytes(found.bytes())
            except FileNotFoundError:
                return None
            return ObjectInfo(data, found.attributes, _version(found.meta))

    def head(self, key: str) -> UpdateVersion | None:
        """Return the version identifier of an object; None if there is none."""
        with _map_errors("read", f"{self.url}/{key}"):
            try:
                return _version(self._store.head(key))
            except FileNotFoundError:
                return None

    def modified(self, key: str) -> datetime | None:
        """Return when an object was written, in UTC to the second; None if there is none."""
        with _map_errors("read", f"{self.url}/{key}"):
            try:
                found = self._store.head(key)["last_modified"]
            except FileNotFoundError:
                return None
            return found.astimezone(UTC).replace(microsecond=0)

    def put(
        self, key: str, data: bytes, attributes: Attributes, expected: UpdateVersion | None
    ) -> UpdateVersion:
        """Write an object if its version is ``expected`` (None: if there is none).

        Return the new version. Raise :class:`VersionConflict` if the store refuses the write.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _map_errors("write", f"{self.url}/{key}"):
            try:
                return _version(
                    self._store.put(
                        key,
                        data,
                        attributes=attributes,
                        mode="create" if expected is None else expected,
                        use_multipart=False,
                    )
                )
            except (AlreadyExistsError, PreconditionError, FileNotFoundError) as error:
                raise VersionConflict(_safe_message(error)) from error

    def delete(self, key: str) -> None:
        """Delete an object if it exists."""
        with _map_errors("remove", f"{self.url}/{key}"):
            try:
                self._store.delete(key)
            except FileNotFoundError:
                return


def is_object_url(text: str) -> bool:
    """Return whether a text is the URL of an object store, as ``s3://bucket/prefix``."""
    return text.partition("://")[0].lower() in SCHEMES and "://" in text


def _version(meta: ObjectMeta | PutResult) -> UpdateVersion:
    # Without None values: the library does not accept them.
    version: UpdateVersion = {}
    if (e_tag := meta.get("e_tag")) is not None:
        version["e_tag"] = e_tag
    if (number := meta.get("version")) is not None:
        version["version"] = number
    return version


def _check(url: str) -> None:
    split = urlsplit(url)
    # Note: a secret may contain slashes; a URL parser then finds no password.
    names_user = ":" in split.netloc or (
        "@" in split.netloc and split.scheme not in ("abfs", "abfss")
    )
    if names_user or split.query or split.fragment or not split.netloc:
        raise TargetError(
            f"expected {split.scheme}://bucket/prefix and nothing else; "
            "set credentials in the environment, as AWS_ACCESS_KEY_ID and the like"
        )


def _may_be_http(url: str, allow_http: bool, endpoint: str = "") -> bool:
    """Return whether a store may use plain HTTP; raise if its endpoint needs it but may not."""
    endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), endpoint)
    if not url.startswith("s3") or urlsplit(endpoint).scheme != "http":
        return allow_http
    if allow_http or _is_loopback(urlsplit(endpoint).hostname or ""):
        return True
    raise TargetError(
        f"expected an endpoint by https, found http://{urlsplit(endpoint).hostname}, which would "
        "send files and credentials unencrypted; set AWS_ENDPOINT_URL to https, or pass allow_http"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@contextmanager
def _map_errors(what: str, where: str) -> Iterator[None]:
    """Raise errors of a store as ``TargetError``, without a cause, which may hold credentials."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        message = (
            f"cannot {what} {where}: the store rejects these credentials "
            f"({_safe_message(error)}); check the credentials in the environment and their "
            "permissions"
        )
    except (BaseError, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, TargetError):
            raise
        message = f"cannot {what} {where}: {_safe_message(error)}"
    else:
        return
    raise TargetError(message) from None


def _safe_message(error: Exception) -> str:
    """Return the first line of an error, without possible secrets."""
    words = str(error).partition("\n")[0].partition("<")[0]
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) >= 4:
            words = words.replace(value, "…")
    for value in _secrets:
        words = words.replace(value, "…")
    return _QUERY.sub("?…", words).strip(" :")[:_MAX_MESSAGE] or type(error).__name__


_INDIRECT = ("role_arn", "sso_session", "sso_start_url", "credential_process", "login_session")
_KEYS = {
    "aws_access_key_id": "access_key_id",
    "aws_secret_access_key": "secret_access_key",
    "aws_session_token": "session_token",
}


class AwsProfile(NamedTuple):
    """Settings of a profile: options of a store, and the endpoint; both may be empty."""

    options: dict[str, str]
    endpoint: str

    def __repr__(self) -> str:
        return repr_without(self, "options", "endpoint")


def aws_profile(environment: Mapping[str, str]) -> AwsProfile:
    """Return the settings of the profile in ``AWS_PROFILE``, or of the default profile.

    The files are ``~/.aws/credentials`` and ``~/.aws/config``
    (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html).
    The environment has priority: with ``AWS_ACCESS_KEY_ID`` or a web identity in it, the
    credentials in the files are ignored.

    Raises:
        TargetError: The named profile is missing, or refers to credentials elsewhere (SSO, a
            role, a process).
    """
    named = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE")
    name = named or "default"
    shared = _file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")
    config = _file(environment, "AWS_CONFIG_FILE", "config")
    sections = [
        dict(parser[section])
        for parser, section in (
            (config, name if name == "default" else f"profile {name}"),
            (shared, name),
        )
        if parser.has_section(section)
    ]
    found = {key: value for section in sections for key, value in section.items() if value}
    options: dict[str, str] = {}
    if not (environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")):
        options |= {"region": found["region"]} if "region" in found else {}
    if not environment.get("AWS_ACCESS_KEY_ID") and not environment.get(
        "AWS_WEB_IDENTITY_TOKEN_FILE"
    ):
        options |= {own: found[key] for key, own in _KEYS.items() if key in found}
        has_keys = "access_key_id" in options and "secret_access_key" in options
        if named and not has_keys:
            raise TargetError(_error_message(named, found, is_there=bool(sections)))
    endpoints = [environment.get(key) for key in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")]
    return AwsProfile(options, "" if any(endpoints) else found.get("endpoint_url", ""))


def _file(environment: Mapping[str, str], variable: str, name: str) -> ConfigParser:
    from configparser import ConfigParser, Error  # not loaded without a bucket

    parser = ConfigParser(interpolation=None, strict=False, default_section="\0")
    path = environment.get(variable) or os.path.join("~", ".aws", name)
    try:
        parser.read_string(Path(path).expanduser().read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except (OSError, RuntimeError, UnicodeDecodeError, Error) as error:
        # Note: the message of a parser quotes lines, and those hold secrets.
        words = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise TargetError(
            f"cannot read the credentials of AWS in {path}: {words}; see its format, or set "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        ) from None
    return parser


def _error_message(name: str, found: Mapping[str, str], *, is_there: bool) -> str:
    if not is_there:
        return (
            f"expected the profile {name!r} that AWS_PROFILE names, found none in "
            "~/.aws/credentials and ~/.aws/config; see `aws configure list-profiles`"
        )
    indirect = next((key for key in _INDIRECT if key in found), "no key")
    return (
        f"expected aws_access_key_id and aws_secret_access_key in the profile {name!r}, found "
        f'{indirect}; run `eval "$(aws configure export-credentials --format env)"` first'
    )
