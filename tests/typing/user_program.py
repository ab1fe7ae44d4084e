"""A program of a user, which type checkers read; nothing runs it.

``assert_type`` states what a checker must infer: a public value that becomes ``Any`` fails.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type

import urlset
from urlset import (
    Alternate,
    Audit,
    Build,
    Crawl,
    Diff,
    Document,
    Entries,
    Entry,
    Finding,
    Findings,
    Fixed,
    FixedDocument,
    Image,
    News,
    PageChange,
    Policy,
    Problem,
    ProgressEvent,
    Publication,
    Sitemap,
    Submission,
    Video,
    Watch,
)


def show(event: ProgressEvent) -> None:
    """Log the progress."""
    logging.info("%d URLs in %d documents, %s", event.urls, event.documents, event.source)


def parse_one(data: bytes) -> list[str]:
    """Parse bytes, and use what an entry has."""
    document = urlset.parse(data, base_url="https://example.com/")
    assert_type(document, Document)
    for problem in document.problems:
        assert_type(problem, Problem)
        assert_type(problem.message, str)
    for entry in document.entries:
        assert_type(entry, Entry)
        assert_type(entry.loc, str)
        assert_type(entry.lastmod, datetime | None)
        assert_type(entry.priority, float | None)
        assert_type(entry.images, tuple[Image, ...])
        assert_type(entry.videos, tuple[Video, ...])
        assert_type(entry.news, News | None)
        assert_type(entry.alternates, tuple[Alternate, ...])
    for sitemap in document.sitemaps:
        assert_type(sitemap, Sitemap)
    return [entry.loc for entry in document.entries if entry.lastmod is not None]


def read_site(site: str | Path) -> None:
    """Read documents and sites."""
    policy = Policy(read_timeout_s=10.0)
    entries = urlset.read(site, policy=policy, max_bytes=10_000_000, follow=True)
    assert_type(entries, Entries)
    for entry in entries:
        assert_type(entry, Entry)
    assert_type(iter(entries), Iterator[Entry])


def write_site(folder: Path) -> None:
    """Write and build."""
    rows = [
        Entry(loc="https://example.com/", lastmod=datetime.now(UTC), images=(Image(loc="a.png"),)),
        Entry(loc="https://example.com/b", priority=0.5),
    ]
    publication = urlset.write(rows, folder, base_url="https://example.com/", gzip=True)
    assert_type(publication, Publication)
    assert_type(publication.urls, int)
    assert_type(publication.folder, Path)
    built = urlset.build("urls.csv", folder, base_url="https://example.com/")
    assert_type(built, Build)
    assert_type(built.added, int)
    assert_type(built.incomplete, tuple[str, ...])


def check_site(site: str) -> bool:
    """Check and fix."""
    findings = urlset.check(site, base_url="https://example.com/", select=["U012"])
    assert_type(findings, Findings)
    for finding in findings:
        assert_type(finding, Finding)
        assert_type(finding.message, str)
        assert_type(finding.line, int | None)
    fixed = urlset.fix("sitemap.xml", unsafe=False)
    assert_type(fixed, Fixed)
    assert_type(fixed.counts, Counter[str])
    for document in fixed.documents:
        assert_type(document, FixedDocument)
        assert_type(document.after, bytes)
    return findings.ok


def visit_site(site: str) -> None:
    """Crawl, audit, watch, compare and announce."""
    with urlset.crawl(site, store="site.duckdb", max_pages=100) as crawl:
        assert_type(crawl, Crawl)
    with urlset.audit(site, store="audit.duckdb", progress=show, sample=50) as audit:
        assert_type(audit, Audit)
        assert_type(audit.findings, list[Finding])
        assert_type(audit.is_complete, bool)
    with urlset.diff("before", "after") as difference:
        assert_type(difference, Diff)
        for change in difference:
            assert_type(change, PageChange)
            assert_type(change.loc, str)
    watched = urlset.watch(site, store="history.duckdb", progress=show)
    assert_type(watched, Watch)
    assert_type(watched.started, datetime)
    sent = urlset.submit(["https://example.com/b"], progress=show)
    assert_type(sent, Submission)
    assert_type(sent.incomplete, tuple[str, ...])


def handle() -> str:
    """Catch errors, and read the configuration."""
    try:
        configuration = urlset.load_config()
        assert_type(configuration, urlset.Configuration)
    except urlset.ConfigurationError as error:
        return str(error)
    except urlset.UrlsetError as error:
        return str(error)
    assert_type(urlset.__version__, str)
    return urlset.__version__
