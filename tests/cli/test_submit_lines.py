"""What `urlset submit` prints of a result: excluded URLs together, then sitemaps, then refusals."""

from collections import Counter
from typing import Any

from urlset.cli.submit import _lines, _report
from urlset.live.submit import Submission
from urlset.live.submit.announcement_log import RefusedUrl
from urlset.live.submit.preflight import ExcludedUrl


def test_excluded_urls_and_their_number_come_before_the_sitemaps():
    urls = [f"https://example.com/{number:02}" for number in range(12)]
    sitemap: dict[str, Any] = {
        "path": "https://example.com/sitemap.xml",
        "is_pending": True,
        "last_downloaded": None,
        "submitted": 12,
        "errors": 0,
        "warnings": 0,
    }
    found = Submission(
        excluded=[ExcludedUrl(url, "noindex", "it forbids indexing") for url in urls],
        excluded_counts=Counter(noindex=2_012),
        sitemaps=[sitemap],
    )

    lines = list(_lines(found))

    assert [line.split(":")[0] for line in lines] == ["  excluded"] * 10 + [
        "  … and 2,002 more excluded",
        "https",
    ]
    assert lines[9].endswith("/09: it forbids indexing")


def refusals(count: int, *channels: str) -> list[RefusedUrl]:
    urls = [f"https://example.com/{number:04}" for number in range(count)]
    return [RefusedUrl(name, url, "added", 422, "invalid") for name in channels for url in urls]


def test_urls_refused_before_are_listed_once_for_all_channels():
    refused = refusals(12, "bing", "yandex")
    found = Submission(refused=refused, refused_count=24, refused_earlier=12, refused_before=1)

    lines = list(_lines(found))

    assert lines == [
        *(f"  refused before: https://example.com/{number:04}: invalid" for number in range(10)),
        "  … and 2 more refused before",
    ]


def test_urls_that_this_run_excluded_were_not_refused_before(capsys):
    found = Submission(refused=refusals(1_000, "bing"), refused_count=1_500, refused_earlier=0)

    _report(found)

    assert "refused before" not in capsys.readouterr().err


def test_json_lists_the_first_thousand_of_the_urls_that_were_refused_before(capsys):
    for count, words in ((3, "lists them"), (1_500, "lists the first 1,000")):
        refused = refusals(min(count, 1_000), "bing")
        _report(Submission(refused=refused, refused_count=count, refused_earlier=count))

        expected = f"{count:,} URLs were excluded or refused before; --format json {words}, and"
        assert expected in capsys.readouterr().err
