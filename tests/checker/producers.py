"""What the tests of producers share: how documents are written, and how they are judged.

All cases are one check: each has a host of its own.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from urlset.checker import Finding, check
from urlset.checker.examples import Example, documents_of

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW = "2026-11-21T11:58:00Z"
"""When a document was made, by a producer that takes it for the time of a change."""

Cases = Mapping[str, tuple[Example, str]]
"""By producer and defect: its documents, and the codes of what is found in them."""


def page(path: str, lastmod: str | None = "2026-11-20T08:00:00Z", more: str = "") -> str:
    """An entry; ``path`` may be a whole URL."""
    loc = path if "://" in path else f"https://example.com/{path}"
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<url><loc>{loc}</loc>{date}{more}</url>\n"


def pages(number: int, lastmod: str | None = None, more: str = "") -> str:
    """Entries that differ; without ``lastmod`` each is of another hour."""
    return "".join(
        page(f"p{n}", lastmod or f"2026-10-{n % 30 + 1:02}T{n // 30 % 24:02}:00:00Z", more)
        for n in range(number)
    )


def child(name: str, lastmod: str | None = "2026-11-21T08:00:00Z") -> str:
    """An entry of an index."""
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<sitemap><loc>https://example.com/{name}</loc>{date}</sitemap>\n"


def judged(cases: Cases) -> dict[str, list[Finding]]:
    """What is found in the documents of each case."""
    names = {f"case{n}.example.com": name for n, name in enumerate(cases)}
    documents = {}
    for host, name in names.items():
        for url, data in documents_of(cases[name][0]).items():
            moved = data.replace(b"example.com", host.encode())
            if url.endswith(".gz"):
                moved = gzip.compress(moved, 1, mtime=0)
            documents[url.replace("example.com", host)] = moved
    asked = {code for _, codes in cases.values() for code in codes.split()}
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in check(documents, now=MOMENT, extend_select=sorted(asked)):
        found[names[urlsplit(finding.source or "").hostname or ""]].append(finding)
    return found


def verdict(findings: list[Finding], codes: str) -> tuple[set[str], set[tuple[str, str]]]:
    """What was expected and not found, and what was found and is false: errors and warnings."""
    expected = set(codes.split())
    missing = expected - {finding.code for finding in findings}
    false = {(f.code, f.message) for f in findings if f.level != "info" and f.code not in expected}
    return missing, false
