"""International names of hosts in a store, and their form in ASCII (UTS 46), for comparing URLs."""

from __future__ import annotations

from collections.abc import Mapping

from urlset.http import request_url
from urlset.store import StoreSession, quoted
from urlset.urls import split_origin

__all__ = ["as_map", "ascii_hosts"]

_URLS = """
    SELECT loc AS url FROM entries UNION ALL SELECT loc FROM sitemaps
    UNION ALL SELECT unnest([url, loc, source, declared_by]) FROM documents
    UNION ALL SELECT unnest([url, final_url]) FROM robots
    UNION ALL SELECT unnest(list_transform(sitemaps, lambda s: s.url)) FROM robots
    UNION ALL SELECT unnest(list_transform(alternates, lambda a: a.href)) FROM entries
        WHERE len(alternates) > 0"""
_HOSTS = f"""
    SELECT DISTINCT lower(regexp_extract(url, '^[^:]*://(?:[^/?#@]*@)?([^/?#:]*)', 1)) AS host
    FROM ({_URLS}) WHERE strlen(url) > length(url)"""


def ascii_hosts(store: StoreSession) -> dict[str, str]:
    """Return the hosts that are not ASCII, in lower case, with their form in ASCII."""
    found: dict[str, str] = {}
    for (host,) in store.rows(f"SELECT host FROM ({_HOSTS}) WHERE strlen(host) > length(host)"):
        target = request_url(f"https://{host}/")
        if target is not None:
            found[host] = split_origin(target)[1]
    return found


def as_map(hosts: Mapping[str, str]) -> str:
    """Return a mapping as a value of SQL."""
    keys = ", ".join(map(quoted, hosts))
    values = ", ".join(map(quoted, hosts.values()))
    return f"MAP([{keys}]::VARCHAR[], [{values}]::VARCHAR[])"
