"""Format a request as text, as it is sent, for ``--dry-run``; secrets are replaced."""

from __future__ import annotations

from urllib.parse import urlsplit

from urlset.http import Policy, Request, origin_of, request_url

HIDDEN = "…"
"""Stands for a secret."""


def request_text(request: Request, policy: Policy) -> str:
    """Return the request line, the headers and the body that a request is sent with."""
    url = urlsplit(request_url(request.url) or request.url)
    target = url.path + (f"?{url.query}" if url.query else "")
    secrets = request.secrets
    if secrets is not None and secrets.query:
        target += ("&" if url.query else "?") + "&".join(f"{n}={HIDDEN}" for n in secrets.query)
    headers = {"Host": url.netloc, **policy.headers_for(origin_of(request.url) or "")}
    headers |= dict(request.headers)
    if secrets is not None:
        headers |= dict.fromkeys(secrets.headers, HIDDEN)
    body = request.body or b""
    if body or request.method != "GET":
        headers["Content-Length"] = str(len(body))
    lines = [f"{request.method} {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", body.decode(errors="replace")])
