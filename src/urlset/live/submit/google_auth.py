"""Access to Google: a bearer token, or a service account that requests one (RFC 7523)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from urlset.errors import SourceError
from urlset.http import Request, Response, Secrets, bearer_auth, origin_of
from urlset.live.submit.answers import api_request, error_of, json_of

TOKEN_URL = "https://oauth2.googleapis.com/token"
LIFETIME_S = 3_600
"""Longest lifetime that Google accepts for an assertion."""


class Credentials:
    """Credentials for Google: a token, or a service account; the ``repr`` has no secret."""

    __slots__ = ("account", "token")

    def __init__(self, token: str | None = None, account: Mapping[str, Any] | None = None):
        self.token: str | None = token
        self.account: Mapping[str, Any] | None = account

    @property
    def name(self) -> str:
        """Name of the account for messages."""
        return str(self.account["client_email"]) if self.account else "the token"

    def __repr__(self) -> str:
        return f"<Credentials of {self.name}>"


def read_credentials(text: str, origin: str) -> Credentials:
    """Parse the text of credentials: the JSON of a service account, or a token.

    Raises:
        ValueError: The text has another form; the message does not contain it.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text.startswith("{"):
        token = text.removeprefix("Bearer ").strip()
        if not _is_token(token):
            raise ValueError(f"{origin}: expected a token or the JSON file of a service account")
        return Credentials(token)
    try:
        account = json.loads(text)
    except (ValueError, RecursionError):
        account = None
    names = ("client_email", "private_key")
    if not isinstance(account, dict) or not all(isinstance(account.get(n), str) for n in names):
        raise ValueError(
            f"{origin}: expected the JSON file of a service account with client_email and "
            "private_key"
        )
    return Credentials(account=account)


def secrets_of(token: str) -> Secrets:
    """Return the header ``Authorization`` with a bearer token."""
    return Secrets(headers={"Authorization": bearer_auth(token)})


def token_request(credentials: Credentials, scope: str, now: datetime) -> Request:
    """Return the request for a token of a service account.

    Raises:
        SourceError: The package ``google-auth`` is not installed, or the key is invalid.
    """
    account = credentials.account or {}
    url = str(account.get("token_uri") or TOKEN_URL)
    if origin_of(url) is None:
        raise SourceError(f"service account {credentials.name}: expected a URL in token_uri")
    issued = int(now.timestamp())
    claims = {
        "iss": account["client_email"],
        "scope": scope,
        "aud": url,
        "iat": issued,
        "exp": issued + LIFETIME_S,
    }
    assertion = _signed(claims, credentials)
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    return api_request(
        url,
        "google-token",
        urlencode({"grant_type": grant, "assertion": assertion}).encode(),
        content_type="application/x-www-form-urlencoded",
        secrets=Secrets(texts=(assertion,)),
    )


def token_of(response: Response, credentials: Credentials) -> str:
    """Return the token in the response to :func:`token_request`.

    Raises:
        SourceError: It has none.
    """
    value = json_of(response)
    token = value.get("access_token") if isinstance(value, Mapping) else None
    if response.status == 200 and isinstance(token, str) and _is_token(token):
        return token
    if response.status == 200:
        raise SourceError(
            f"Google issues no token for {credentials.name}: expected a token in access_token"
        )
    answer = error_of(response)
    reason = answer.text or answer.code or response.message or f"HTTP {response.status}"
    raise SourceError(f"Google issues no token for {credentials.name}: {reason}")


def _is_token(text: str) -> bool:
    """Return whether a text can be sent as a token: printable ASCII without spaces."""
    return text.isascii() and text.isprintable() and len(text.split()) == 1 and " " not in text


def _signed(claims: Mapping[str, Any], credentials: Credentials) -> str:
    """Return claims as a JSON Web Token, signed with the key of the account."""
    try:
        from google.auth import crypt, jwt
    except ImportError as error:
        raise SourceError(
            "a service account needs the package google-auth: pip install 'urlset[google]'"
        ) from error
    try:
        signer = crypt.RSASigner.from_service_account_info(credentials.account)  # type: ignore[no-untyped-call]
        token: bytes = jwt.encode(signer, claims)  # type: ignore[no-untyped-call]
        return token.decode()
    except (ValueError, TypeError, AttributeError):
        pass
    # Note: not chained. The message of the library may contain parts of the key.
    raise SourceError(f"service account {credentials.name}: private_key is no RSA key")
