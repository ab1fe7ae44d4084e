"""Pages with status 200 whose title and first heading say that there is no page."""

from __future__ import annotations

import pytest

from tests.live_sites import audit, put_page, put_site
from tests.site_box import SiteBox
from urlset.html.not_found import _NOT_FOUND, says_not_found


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Page not found", "Page not found"),
        ("404 | Example", "404"),
        ("Example – Seite nicht gefunden", "<span>Seite</span> nicht&nbsp;gefunden!"),
        ("Page introuvable - Musée", "Page introuvable."),
        ("ページが見つかりません", "ページが見つかりません"),
        ("Error 404: Not Found", "404 - Page Not Found"),
    ],
)
def test_error_pages_of_several_languages(title: str, heading: str):
    assert says_not_found(title, f'<body><h1 class="x">{heading}</h1>'.encode())


@pytest.mark.parametrize("phrase", sorted(_NOT_FOUND))
def test_each_phrase(phrase: str):
    for title in (phrase, phrase.capitalize(), f"{phrase}!", f"{phrase.replace(' ', '-')}. | Shop"):
        assert says_not_found(title, f"<h1>{title.partition(' | ')[0]}</h1>".encode()), title


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Page not found", "Our menu"),  # a title that was forgotten in a template
        ("Our menu", "Page not found"),
        ("How to design a 404 page", "How to design a 404 page"),
        ("Page not found: the documentary", "Page not found: the documentary"),
        ("Room 404 | Hotel", "Room 404"),
        ("", ""),
        (None, "404"),
    ],
)
def test_pages_that_are_none(title: str | None, heading: str):
    assert not says_not_found(title, f"<h1>{heading}</h1>".encode())


def test_a_page_without_a_heading_is_none():
    assert not says_not_found("404", b"<h1>404" + b"<h1 x" * 100_000)


def test_an_audit_reports_a_listed_page_that_says_not_found(box: SiteBox):
    put_site(box, {"/": ["/tea"], "/tea": [], "/gone": []})
    text = "<!doctype html><title>Page not found | Shop</title><h1>Page not found</h1><p>Sorry"
    box.put("/gone", text, kind="text/html")
    put_page(box, "/tea")

    with audit(box) as result:
        [finding] = [finding for finding in result.findings if finding.code == "N108"]

    assert (finding.loc, finding.basis) == (box.url("/gone"), "observed")
    assert finding.message.endswith(
        'returns a page whose title and heading say "not found": Page not found | Shop, '
        "with status 200"
    )
