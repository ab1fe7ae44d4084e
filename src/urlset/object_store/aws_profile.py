"""Read the AWS profile from ``~/.aws/credentials`` and ``~/.aws/config``.

It follows the tools of AWS: https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import ConfigParser, Error
from pathlib import Path
from typing import NamedTuple

from urlset.errors import TargetError

__all__ = ["AwsProfile", "aws_profile"]

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


def aws_profile(environment: Mapping[str, str]) -> AwsProfile:
    """Return the settings of the profile in ``AWS_PROFILE``, or of the default profile.

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
