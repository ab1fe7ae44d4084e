"""Moved URLs: each kind of evidence, what is no evidence, and a synthetic migration."""

from __future__ import annotations

import pytest

import urlset
from tests.live.diff.migration import migrate, score
from urlset import Entry

SITE = "https://example.com"


def moves(before: list[str], after: list[str], **options: object) -> dict[str, str]:
    """Return the new path of each moved path."""
    found = find(before, after, **options)
    return {str(c.previous_loc).removeprefix(SITE): c.loc.removeprefix(SITE) for c in found}


def find(before: list[str], after: list[str], **options: object) -> list[urlset.PageChange]:
    states = ([Entry(path if "://" in path else SITE + path) for path in paths]
              for paths in (before, after))  # fmt: skip
    with urlset.diff(*states, **options) as diff:  # type: ignore[arg-type]
        return list(diff.of("moved"))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("http://example.com/tea", "/tea", "same-page"),
        ("/tea/", "/tea", "same-page"),
        ("/index.html", "/", "same-page"),
        ("/blog/rye-bread-at-home", "/articles/rye-bread-at-home", "same-segment"),
        ("/blog/rye-bread-at-home.html", "/articles/Rye_Bread_at_Home/", "same-segment"),
        ("/a/café-münchen", "/b/cafe-munchen", "same-segment"),
        ("/p/123456", "/product/123456-red-shirt", "same-id"),
        ("/x?id=0f8fad5b-d9cb-469f-a165-70867728950e",
         "/y/0f8fad5b-d9cb-469f-a165-70867728950e", "same-id"),
        ("/blog/how-to-bake-rye-bread", "/blog/bake-rye-bread", "similar-segment"),
        ("/blog/rye-bread-recieve", "/blog/rye-bread-receive", "similar-segment"),
        ("/blog/bread-rye-sour", "/blog/sour-rye-bread", "similar-segment"),
    ],
)  # fmt: skip
def test_evidence(before, after, reason):
    [change] = find([before, "/other"], [after, "/other"])

    assert change.why[0].reason == reason
    assert change.why[0].confidence is not None
    assert 0.7 <= change.why[0].confidence <= 1


@pytest.mark.parametrize("end", ["/", "/index.html", "/?lang=de"])
def test_the_home_page_moves_with_the_pages_of_a_site_that_changes_its_host(end):
    names = [end, "/about-the-bakery", "/blog/rye-bread-at-home", "/blog/a-cake-for-sunday"]

    found = moves(names, [f"https://bakery.example{name}" for name in names])

    assert found == {name: f"https://bakery.example{name}" for name in names}


def test_the_home_page_is_no_page_without_letters():
    names = ["/about-the-bakery", "/blog/rye-bread-at-home", "/blog/a-cake-for-sunday"]
    kept = [f"https://bakery.example{name}" for name in names]
    moved = dict(zip(names, kept, strict=True))
    idea = "/%F0%9F%92%A1"

    assert moves(["/", "/about"], [idea, "/about"]) == {}
    assert moves(["/?lang=de", "/about"], ["/@?lang=de", "/about"]) == {}
    assert moves(["/tea/@", "/about"], ["/tea/+", "/about"]) == {}
    assert moves(["/", *names], [f"https://bakery.example{idea}", *kept]) == moved
    both = {name: f"https://bakery.example{name}" for name in ("/", idea)}
    assert moves([*both, *names], [*both.values(), *kept]) == both | moved


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/blog/rye-bread-2", "/blog/rye-bread-3"),
        ("/blog/rye-bread", "/blog/rye-bread-2"),
        ("/shop/red-cotton-shirt", "/shop/blue-cotton-shirt"),
        ("/blog/rye", "/blog/tea"),
        ("/news/contact", "/jobs/contact"),
        ("/news/2025/", "/jobs/2025/"),
        ("/item/1234", "/item/1235"),
        ("/a/100", "/b/100"),
    ],
)
def test_what_is_no_evidence(before, after):
    assert moves([before, "/other"], [after, "/other"]) == {}


def test_ambiguous_pages_are_not_moved():
    assert moves(["/a/rye-bread-at-home"], ["/b/rye-bread-at-home", "/c/rye-bread-at-home"]) == {}
    assert moves(["/a/rye-bread-at-home", "/b/rye-bread-at-home"], ["/c/rye-bread-at-home"]) == {}


def test_each_url_is_in_one_pair():
    before = [f"/blog/{n}/sour-bread-{word}" for n, word in enumerate("abcdef")]
    after = [f"/new/sour-bread-{word}" for word in "abcdef"]

    found = moves(before, after)

    assert len(set(found.values())) == len(found) == 6


def test_renamed_folder_decides_for_names_that_occur_in_many_folders():
    folders = [f"/docs/{name}" for name in ("http", "sql", "json")]
    pages = ["install", "api", "faq"]
    before = [f"{folder}/{page}" for folder in folders for page in pages]
    before += [f"/docs/{word}-{n}" for n, word in enumerate(("quick-start", "long-story"))]
    after = [path.replace("/docs/", "/manual/") for path in before]

    assert moves(before, after) == dict(zip(before, after, strict=True))


def test_pattern_is_reported_once():
    before = [f"/blog/{2020 + n % 4}/story-of-{word}" for n, word in enumerate(WORDS)]
    after = [f"/articles/story-of-{word}" for word in WORDS]
    with urlset.diff(
        *([Entry(SITE + path) for path in paths] for paths in (before, after))
    ) as diff:
        patterns = diff.patterns

    assert patterns == [("/blog/YYYY/", "/articles/", len(WORDS))]


WORDS = "rye tea oven flour water salt yeast crust crumb starter".split()


def test_least_confidence_and_no_moves():
    before, after = ["/blog/how-to-bake-rye-bread"], ["/blog/bake-rye-bread"]

    assert len(moves(before, after)) == 1
    assert moves(before, after, min_confidence=0.95) == {}
    assert moves(before, after, moves=False) == {}
    with pytest.raises(ValueError, match="min_confidence: expected a number from 0 to 1, found 2"):
        moves(before, after, min_confidence=2)


@pytest.mark.parametrize("keeps_dates", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_migration_of_ten_thousand_pages(seed, keeps_dates):
    made = migrate(seed, keeps_dates=keeps_dates)

    with urlset.diff(made.before, made.after) as diff:
        found = {str(change.previous_loc): change.loc for change in diff.of("moved")}

    precision, recall = score(found, made.moved)
    assert precision >= 0.99, f"seed {seed}: {precision}"
    assert recall >= 0.95, f"seed {seed}: {recall}"
    assert len(set(found.values())) == len(found)
