"""Hide secrets in URLs that the user names: logins, tokens, signatures of buckets.

URLs that documents list are not changed: their text is their identity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from urlset.http.request_url import document_key, request_url

MASK = "***"
"""Text in place of the value of a secret parameter."""

# Tokens and passwords; signatures of S3, Google Cloud Storage, CloudFront and Azure (`sig`). The
# lookahead keeps a value that is hidden already.
_SECRET = re.compile(
    r"(?<=[?&;#])((?:(?:access|api|auth|bearer|feed|id|job|oauth|private|refresh|rss|session|user)"
    r"[_-]?token|token|jwt|(?:access|api|private|secret)[_-]?key|"
    r"(?:client[_-]?)?secret|password|passwd|pwd|sig|signature|awsaccesskeyid|"
    r"x-(?:amz|goog)-(?:signature|credential|security-token))=)(?!\*\*\*)([^&;#]++)",
    re.IGNORECASE,
)


# Also of another scheme, and with too few or too many slashes: the URL of an error. A drive of
# Windows has one letter.
_URL = re.compile(r"[a-z][a-z0-9+.-]+:[/\\]+", re.IGNORECASE)
_LOGIN = re.compile(r"[^/?#\\]*[@\uff20]")


def without_secrets(url: str) -> str:
    """Return a URL as files and messages show it; text that is no URL is unchanged.

    The login is removed, and the values of secret parameters of the query are hidden.

    >>> without_secrets("https://me:s3cret@example.com/map.xml?page=2&token=abc")
    'https://example.com/map.xml?page=2&token=***'
    """
    start = _URL.match(url)
    if start is None:
        return url
    login = _LOGIN.match(url, start.end())
    return _masked(url[: start.end()] + url[login.end() :] if login else url, MASK)


def hidden_query(url: str, known: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a URL with hidden secrets, and the known URLs with this one.

    URLs that differ in their secrets only get different masks. ``known`` has the URLs to request,
    by the key of the URL with hidden secrets; ``url`` has no login.
    """
    sent = request_url(url)
    shown = _masked(url, MASK)
    if sent is None or shown == url:
        return url, {**known}
    number = 1
    while known.get(document_key(shown), sent) != sent:
        number += 1
        shown = _masked(url, f"{MASK}{number}")
    return shown, {**known, document_key(shown): sent}


def sent_url(url: str, known: Mapping[str, str]) -> str:
    """Return the URL to request for one with hidden secrets; other URLs are unchanged."""
    return known.get(document_key(url), url) if known and MASK in url else url


def echoed_secrets(url: str, known: Mapping[str, str]) -> bool:
    """Return whether a URL from a server has the value of a secret parameter of a known URL."""
    values = {found[2] for sent in known.values() for found in _SECRET.finditer(sent)}
    return any(found[2] in values for found in _SECRET.finditer(url))


def _masked(url: str, mask: str) -> str:
    return _SECRET.sub(lambda found: found[1] + mask, url)
