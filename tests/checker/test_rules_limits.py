"""Rules about limits: both sides of each, and files that are full on purpose."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from urlset.checker import CATALOGUE, Finding, check
from urlset.checker.examples import Example, Many, documents_of
from urlset.reporter.rule_page import rule_page

PAGE = "<url><loc>https://example.com/{n}</loc></url>"
CHILD = "<sitemap><loc>https://example.com/sitemap-{n}.xml</loc></sitemap>"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def found(code: str, documents: Example, **options) -> list[Finding]:
    its = documents if isinstance(documents, Mapping) else documents_of(documents)
    return list(check(documents_of(its), select=[code], **options))


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (45_000, None),
        (45_001, "90% of the limit: 45,001 of 50,000 URLs"),
        (50_000, "100% of the limit: 50,000 of 50,000 URLs"),
        (50_001, None),  # that is L001
    ],
)
def test_near_limit_of_urls(count: int, words: str | None):
    findings = found("L003", Many(PAGE, count))

    assert [finding.message for finding in findings] == ([words] if words else [])


def test_near_limit_of_bytes():
    padding = b" " * (47_185_921 - 200)
    head, tail = f"<urlset {NS}><url><loc>https://e.com/</loc></url>".encode(), b"</urlset>"
    document = head + padding + b" " * (200 - len(head) - len(tail)) + tail

    [finding] = check(document, select=["L003"])
    assert finding.message == "90% of the limit: 47,185,921 of 52,428,800 bytes"
    assert list(check(document.replace(b" </urlset>", b"</urlset>"), select=["L003"])) == []


def test_near_limit_is_not_reported_for_what_somebody_has_split():
    full = Many(PAGE, 46_000)

    assert found("L003", {"sitemap-1.xml": full}) == []
    assert found("L003", {"sitemap2.xml.gz": full}) == []
    listed = CHILD.replace("-{n}", "")
    assert found("L003", {"index.xml": listed, "sitemap.xml": full}) == []


def test_near_limit_of_an_index():
    [finding] = check(documents_of(Many(CHILD, 46_000))["https://example.com/sitemap.xml"],
                      select=["L003"], follow=False)  # fmt: skip

    assert finding.message == "92% of the limit: 46,000 of 50,000 sitemaps"


@pytest.mark.parametrize(
    ("profile", "name", "words"),
    [
        ("baidu", "a" * 236, None),
        ("baidu", "a" * 237, "URL has 257 bytes; Baidu accepts at most 256"),
        ("baidu", "ä" * 119, "URL has 258 bytes; Baidu accepts at most 256"),
        ("yandex", "a" * 1_004, None),
        ("yandex", "a" * 1_005, "URL has 1,025 characters; Yandex accepts at most 1,024"),
        ("yandex", "ä" * 1_004, None),
        ("google", "a" * 1_900, None),
        (None, "a" * 1_900, None),
    ],
)
def test_engine_profile_limit_of_urls(profile, name: str, words: str | None):
    findings = found("L008", PAGE.replace("{n}", name), profile=profile)

    assert [finding.message for finding in findings] == ([words] if words else [])
    assert [finding.column for finding in findings] == ([6] if words else [])


def test_engine_profile_limit_of_files_and_dates():
    document = (
        f"<urlset {NS}><url><loc>https://e.com/</loc><lastmod>{{}}</lastmod></url>{{}}</urlset>"
    )

    [large] = check(document.format("2026-01-01", " " * 10_485_760).encode(), select=["L008"],
                    profile="baidu")  # fmt: skip
    assert large.message.startswith("File has 10,485,")
    assert large.message.endswith("bytes; Baidu accepts at most 10,485,760")
    [long] = check(document.format("2" * 101, "").encode(), select=["L008"], profile="yandex")
    assert long.message == "lastmod has 101 bytes; Yandex accepts at most 100"
    assert list(check(document.format("2" * 100, "").encode(), select=["L008"],
                      profile="yandex")) == []  # fmt: skip


def test_too_many_index_files_is_reported_once_for_each_site():
    child = CHILD.replace("-{n}", "")
    indexes = {f"index-{n}.xml": child for n in range(500)}

    assert found("L501", indexes) == []
    [finding] = found("L501", indexes | {"one-more.xml": child})
    assert finding.message == (
        "One of 501 index files of example.com; Search Console accepts 500 per site"
    )
    others = {f"https://other.example/{n}.xml": child for n in range(3)}
    assert len(found("L501", indexes | others)) == 0


def test_a_page_shows_only_the_first_of_many_documents():
    lines = list(rule_page(CATALOGUE["L501"]))

    assert "… and 499 more documents" in lines
    assert sum(line.startswith("`index-") for line in lines) == 3
    assert not any("more documents" in line for line in rule_page(CATALOGUE["I001"]))
