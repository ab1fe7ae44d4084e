"""Hide secrets in URLs that the user names: logins, tokens, signatures of buckets.

URLs that documents list are not changed: their text is their identity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from urlset.http.request_url import document_key, request_url, without_login

MASK = "***"
"""Text in place of the value of a secret parameter."""

# Tokens and passwords; signatures of S3, Google Cloud Storage, CloudFront and Azure (`sig`). The
# lookahead keeps a value that is hidden already.
_SECRET = re.compile(
    r"(?<=[?&;#])((?:(?:access|api|auth|id|refresh|session)[_-]?token|token|jwt|api[_-]?key|"
    r"(?:client[_-]?)?secret|password|passwd|pwd|sig|signature|awsaccesskeyid|"
    r"x-(?:amz|goog)-(?:signature|credential|security-token))=)(?!\*\*\*)([^&;#]++)",
    re.IGNORECASE,
)


def without_secrets(url: str) -> str:
    """Return an http(s) URL as files and messages show it; other text is unchanged.

    The login is removed, and the values of secret parameters of the query are hidden.

    >>> without_secrets("https://me:s3cret@example.com/map.xml?page=2&token=abc")
    'https://example.com/map.xml?page=2&token=***'
    """
    is_url = url[:8].lower().startswith(("http://", "https://"))
    return _masked(without_login(url), MASK) if is_url else url


def hidden_query(url: str, known: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a URL with hidden secrets, and the known URLs with this one.

    URLs that differ in their secrets only get different masks.

    Args:
        url: URL without a login.
        known: URLs to request, by the key of the URL with hidden secrets.
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
