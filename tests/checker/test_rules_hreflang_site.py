"""Rules about hreflang links between pages, compared with a slow reference."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checker.test_rules_hreflang import Link, found, full, sitemap

Pages = list[tuple[str, list[Link]]]

TWO: Pages = [("/a", [("en", "/a"), ("de", "/b")]), ("/b", [("en", "/a"), ("de", "/b")])]


def pairs(code: str, pages: Pages) -> list[tuple[str, str]]:
    """Who does not agree with whom, as paths: the entry, and the URL that the words name."""
    told = []
    for finding in found(code, sitemap(*pages)):
        words = finding.message.replace("Lists ", "").split()
        told.append((str(finding.loc)[19:], words[0][19:]))
    return sorted(told)


@pytest.mark.parametrize("code", ["H501", "H502", "H503", "H504"])
def test_a_whole_cluster_is_clean(code):
    assert pairs(code, TWO) == []
    assert found(code, sitemap(TWO[0]), sitemap(TWO[1])) == []


def test_links_across_documents_are_returned():
    a = ("/a", [("en", "/a"), ("de", "/b")])

    (finding,) = found("H501", sitemap(a), sitemap(("/b", [])))

    assert finding.message.startswith('Lists https://example.com/b as "de"')
    assert finding.level == "error"


def test_a_page_that_is_listed_twice_may_return_a_link_from_either_entry():
    assert pairs("H501", [*TWO, ("/a", [])]) == []


def test_a_page_that_is_not_in_the_set_cannot_be_asked():
    assert pairs("H501", TWO[:1]) == []


def test_only_an_x_default_that_does_not_answer_is_a_warning():
    pages: Pages = [("/a", [("en", "/a"), ("x-default", "/")]), ("/", [])]

    assert [f.level for f in found("H501", sitemap(*pages))] == ["warning"]


def test_only_the_links_to_themselves_are_missing():
    """That is told of each page by H008."""
    assert pairs("H503", [("/a", [("de", "/b")]), ("/b", [("en", "/a")])]) == []
    three = [("de", "/b"), ("fr", "/c")]
    pages: Pages = [("/a", three), ("/b", [("en", "/a"), ("fr", "/c")]), ("/c", [("en", "/a")])]
    assert {path for path, _ in found_in("H503", pages)} == {"/a", "/c"}


def test_urls_that_are_equal_answer_one_another():
    pages: Pages = [
        ("/a", [("en", "/a"), ("de", "HTTPS://Example.com:443/%62")]),
        ("/b", [("en", "/%61"), ("de", "/b")]),
    ]

    assert pairs("H501", pages) == pairs("H503", pages) == []


def test_target_not_listed_is_reported_once_for_each_url():
    pages: Pages = [("/a", [("en", "/a"), ("de", "/x")]), ("/b", [("en", "/b"), ("de", "/x")])]

    (finding,) = found("H502", sitemap(pages[0]), sitemap(pages[1]))

    assert finding.message.endswith("/x is in no sitemap of the set; pages that list it: 2")
    assert finding.loc == full("/a")


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ([sitemap(TWO[0])], "one sitemap alone may be one of many"),
        ([sitemap(TWO[0]), b"<html><body></body></html>"], "it may stand in what was not read"),
        ([sitemap(TWO[0]), sitemap(("/c", []))[:-30]], "it may stand in what was cut off"),
        (
            [sitemap(("/a", [("en", "/a"), ("de", "https://example.org/")])), sitemap(("/c", []))],
            "other hosts have sitemaps of their own",
        ),
        (
            [sitemap(("/a", [("en", "/a"), ("x-default", "/")])), sitemap(("/c", []))],
            "an x-default mostly redirects",
        ),
    ],
)
def test_target_not_listed_is_not_reported_where_it_cannot_be_known(documents, why):
    assert found("H502", *documents) == [], why


def test_language_conflict_names_both():
    pages: Pages = [
        ("/a", [("en", "/a"), ("de", "/b")]),
        ("/b", [("en", "/a"), ("de-AT", "/b"), ("de-CH", "/b")]),
    ]

    (finding,) = found("H504", sitemap(*pages))

    assert finding.message == (
        'Lists https://example.com/b as "de", which calls itself "de-at", "de-ch"'
    )


def test_language_conflict_needs_a_word_of_the_page_itself():
    # x-default is no language; case and "_" make no other one.
    pages: Pages = [
        ("/a", [("en", "/a"), ("de", "/b"), ("x-default", "/b")]),
        ("/b", [("en_", "/a"), ("DE", "/b")]),
        ("/c", [("en", "/a")]),
    ]

    assert [words for words in pairs("H504", pages) if words[0] == "/a"] == []


PATHS = st.sampled_from(["/a", "/b", "/c", "/d"])
LINKS = st.lists(st.tuples(st.sampled_from(["en", "de", "x-default"]), PATHS), max_size=4)


@settings(max_examples=25)
@given(st.lists(st.tuples(PATHS, LINKS), min_size=1, max_size=6))
def test_sets_agree_with_a_slow_twin(pages):
    lists: dict[str, list[dict[str, set[str]]]] = {}
    for path, links in pages:
        targets: dict[str, set[str]] = {}
        for tag, href in links:
            targets.setdefault(href, set()).add(tag)
        lists.setdefault(path, []).append(targets)

    unanswered, unlike = set(), set()
    for path, entries in lists.items():
        for targets in entries:
            for other in targets.keys() & lists.keys() - {path}:
                if not any(path in answer for answer in lists[other]):
                    unanswered.add((path, other))
                elif not any(answer.keys() | {other} == targets.keys() | {path}
                             for answer in lists[other]):  # fmt: skip
                    unlike.add(path)

    assert set(pairs("H501", pages)) == unanswered
    assert {path for path, _ in found_in("H503", pages)} == unlike


def found_in(code: str, pages: Pages) -> list[tuple[str, str]]:
    return [(str(f.loc)[19:], f.message) for f in found(code, sitemap(*pages))]
