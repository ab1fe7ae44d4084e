"""Convert URLs to ASCII: percent-encode path and query, convert host names to Punycode."""

from __future__ import annotations

import re

from urlset.urls import split_origin

__all__ = ["escaped"]

# Characters that RFC 3986 does not allow in path and query; brackets stay, as in browsers.
_WRONG = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?\[\]%-]+|%(?![0-9A-Fa-f]{2})")


def escaped(url: str) -> str | None:
    """Return an absolute URL in ASCII; None if the host or the text has no ASCII form.

    >>> escaped("https://example.com/käse?a|b#100%"), escaped("https://münchen.example/50%")
    ('https://example.com/k%C3%A4se?a%7Cb#100%', 'https://xn--mnchen-3ya.example/50%25')
    """
    rest, mark, fragment = url.partition("#")
    scheme, authority, rest = split_origin(rest)
    if not authority.isascii():
        from urlset.http.request_url import ascii_host

        account, at, host = authority.rpartition("@")
        name, colon, port = host.partition(":")
        found = ascii_host(name.lower())
        if found is None:
            return None
        authority = f"{account}{at}{found}{colon}{port}"
    try:
        return f"{scheme}://{authority}{_WRONG.sub(_percent, rest)}{mark}{fragment}"
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
