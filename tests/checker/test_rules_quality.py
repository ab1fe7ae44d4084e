"""Rules about content without benefit: hints, styles, sizes; and similar valid input."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from urlset.checker import Finding, check
from urlset.checker.examples import Example, Many, documents_of

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITE = "https://example.com"


def entry(path: str, more: str = "") -> str:
    return f"<url><loc>{SITE}/{path}</loc>{more}</url>"


def found(code: str, documents: Example, **options) -> list[Finding]:
    return list(check(documents_of(documents), select=[code], now=MOMENT, **options))


def messages(code: str, documents: Example, **options) -> list[str]:
    return [finding.message for finding in found(code, documents, **options)]


def urls(paths: Iterable[str]) -> str:
    return "".join(map(entry, paths))


def test_ignored_hints_are_reported_once_for_a_document():
    both = Many(entry("{n}", "<changefreq>daily</changefreq><priority>0.0</priority>"), 1_200)

    [finding] = found("P001", both)
    assert finding.line is None
    assert finding.message == ("1,200 changefreq and 1,200 priority: Google and Bing ignore both")
    assert messages("P001", entry("", "<priority>0.5</priority>")) == [
        "1 priority: Google and Bing ignore it"
    ]
    assert messages("P001", entry("", "<changefreq>never</changefreq>")) == [
        "1 changefreq: Google and Bing ignore it"
    ]
    assert messages("P001", entry("")) == []
    assert messages("P001", both, profile="yandex") == []
    assert len(messages("P001", both, profile="google")) == 1


def test_constant_priority():
    def priorities(*values: str) -> str:
        return "".join(entry("", f"<priority>{value}</priority>") for value in values)

    assert messages("P002", priorities(*["0.8"] * 10)) == ["All 10 priorities are 0.8"]
    assert messages("P002", priorities(*["0"] * 10)) == ["All 10 priorities are 0.0"]
    assert messages("P002", priorities(*["0.8"] * 9)) == []
    assert messages("P002", priorities(*["0.8"] * 9, "0.7")) == []
    assert messages("P002", priorities(*["0.8"] * 10) + entry("")) == []


@pytest.mark.parametrize(
    ("changefreq", "lastmod", "days"),
    [
        ("daily", "2025-11-01", 385),
        ("hourly", "2020-01-01T00:00:00Z", 2_516),
        ("always", "2025-11-20T11:00:00Z", 366),
        ("daily", "2025-11-21", None),
        ("weekly", "2020-01-01", None),
        ("daily", "2025", None),
        ("daily", "yesterday", None),
        ("daily", "2030-01-01", None),
    ],
)
def test_hint_contradiction(changefreq: str, lastmod: str, days: int | None):
    document = entry("", f"<lastmod>{lastmod}</lastmod>\n<changefreq>{changefreq}</changefreq>")

    findings = found("P003", document)

    words = f"changefreq is {changefreq}, but nothing has changed for {days:,} days" if days else ""
    assert [finding.message for finding in findings] == ([words] if days else [])
    assert [(finding.line, finding.column) for finding in findings] == ([(4, 1)] if days else [])


def test_not_compressed():
    [(url, data)] = documents_of(Many(entry("a-page-with-a-longer-name/{n}"), 20_000)).items()

    [finding] = check({url: data}, select=["P004"])
    assert finding.message == f"{len(data):,} bytes are not compressed"
    assert list(check({url: gzip.compress(data, 1)}, select=["P004"])) == []
    assert list(check({url: data, f"{url}.gz": gzip.compress(data, 1)}, select=["P004"])) == []
    small = data[: 1_048_576 - 9] + b"</urlset>"
    assert list(check({url: small}, select=["P004"])) == []


def test_mixed_slashes_side_by_side():
    mixed = urls([f"shop/{n}" for n in range(19)] + ["shop/x/"])

    assert messages("P006", mixed) == [
        f"Mixed slashes at the end (1 like {SITE}/shop/x/, 19 like {SITE}/shop/0)"
    ]


@pytest.mark.parametrize(
    "paths",
    [
        [f"shop/{n}" for n in range(20)] + ["shop/x/"],  # less than one in twenty
        [f"{n}" for n in range(18)] + ["x/"],  # few
        [f"blog-{n}/" for n in range(10)] + [f"blog-{n}/post" for n in range(10)],  # folders
        [f"shop/{n}.html" for n in range(20)] + [f"shop/{n}/" for n in range(20)],
        [f"shop/{n}/?a" for n in range(20)] + [f"shop/{n}?a" for n in range(20)],
        [""] + [f"{n}" for n in range(19)],  # the home page has its slash
        ["%C3%A4/"] * 10 + ["%c3%a4/"] * 10,
        [f"{letter}/{n}" for letter in "abAB" for n in range(4)],
        ["?A=b"] * 10 + ["?a=b"] * 10,
    ],
)
def test_styles_that_are_not_mixed(paths: list[str]):
    assert messages("P006", urls(paths)) == []


def test_mixed_case_of_folders():
    mixed = urls([f"Blog/{n}" for n in range(5)] + [f"blog/{n}" for n in range(15)])

    assert messages("P006", mixed) == [
        f"Mixed upper and lower case (15 like {SITE}/blog/0, 5 like {SITE}/Blog/0)"
    ]


def test_low_value_urls():
    wanted = {
        "cart": "a shopping cart", "checkout/1": "a shopping cart", "Login": "a login",
        "account/": "a login", "wp-admin/": "the administration of the site",
        "blog/feed/": "a feed", "blog/page/12": "one of the pages of a list",
        "?p=3": "one of the pages of a list", "search?q=a": "the results of a search",
        "?s=a": "the results of a search",
        "shoes?sort=price": "a list in another order, or filtered",
        "shoes?a=b&amp;filter_size=4": "a list in another order, or filtered",
        "login.php": "a login", "search.html": "the results of a search",
        "en/genindex.html": "an index of words", "genindex/": "an index of words",
    }  # fmt: skip
    fine = [
        "cartoon", "blog/logging", "accounting/", "feedback", "page/about", "research",
        "feed-the-cat", "search.html.txt", "genindexes", "searching.html",
        "shoes?resort=1", "rss-explained", "administration/city", "index.php?p=3&amp;id=1", "",
    ]  # fmt: skip

    findings = found("P007", urls([*wanted, *fine]))

    assert [finding.message for finding in findings] == [
        f"URL looks like {kind}" for kind in wanted.values()
    ]
    assert findings[0].loc == f"{SITE}/cart"


def test_fragmented_set():
    def index(count: int) -> str:
        locs = (f"{SITE}/{n}.xml" for n in range(count))
        return "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)

    small = {f"{n}.xml": entry("") for n in range(21)}
    [finding] = found("P501", small | {"index.xml": index(21)})
    assert finding.message == "21 sitemaps hold 1 URLs on average; 50,000 fit in each"
    assert finding.source == f"{SITE}/index.xml"
    assert len(messages("P501", small)) == 1
    small.popitem()
    assert messages("P501", small | {"index.xml": index(20)}) == []
    filled: dict = {f"{n}.xml": entry("") for n in range(21)}
    filled["0.xml"] = Many(entry("{n}"), 21_000)
    assert messages("P501", filled) == []


def test_both_cases_are_shown_when_they_are_equally_frequent():
    text = "".join(f"{SITE}/Blog/{n}\n{SITE}/blog/{n}\n" for n in range(12))

    messages = [found.message for found in check(text.encode())]

    assert f"Mixed upper and lower case (12 like {SITE}/blog/0, 12 like {SITE}/Blog/0)" in messages
