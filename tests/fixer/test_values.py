"""Functions that fix values: URLs, dates, texts, robots.txt lines, and overlapping edits."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.dates import parse_date
from urlset.fixer.edits import Change, Edit, apply, without_overlaps
from urlset.fixer.fix_set import FixedDocument, fix_robots
from urlset.fixer.fixers import urls
from urlset.fixer.fixers.values import better_date
from urlset.fixer.output import unified_diff
from urlset.fixer.registry import FindingLocation

SAFE: Any = SimpleNamespace(
    is_unsafe=False, document=SimpleNamespace(base_url="https://e.com/a/s.xml")
)
UNSAFE: Any = SimpleNamespace(is_unsafe=True, document=SAFE.document)


@pytest.mark.parametrize(
    ("fixer", "url", "better"),
    [
        (urls.absolute, "/a", "https://e.com/a"),
        (urls.absolute, "b?c", "https://e.com/a/b?c"),
        (urls.absolute, "//f.com/a", "https://f.com/a"),
        (urls.absolute, "www.e.com/a", "https://www.e.com/a"),
        (urls.absolute, "https://e.com/a", None),
        (urls.absolute, "mailto:a@e.com", None),
        (urls.without_space, "https://e.com/a b", "https://e.com/a%20b"),
        (urls.without_space, "https://e.com/a\xa0b", "https://e.com/a%C2%A0b"),
        (urls.without_space, "https://e.com/a\n  b", "https://e.com/ab"),
        (urls.without_space, "https://e.com/a https://e.com/b", None),
        (urls.encoded, 'https://e.com/a"<b>|{c}^`', "https://e.com/a%22%3Cb%3E%7C%7Bc%7D%5E%60"),
        (urls.encoded, "https://e.com/a\\b", "https://e.com/a/b"),
        (
            urls.ascii_path,
            "https://e.com/ä?ö=%C3%BC#ß",
            "https://e.com/%C3%A4?%C3%B6=%C3%BC#%C3%9F",
        ),
        (urls.ascii_path, "https://bücher.example/a", "https://bücher.example/a"),
        (urls.ascii_host, "https://bücher.example:81/ä", "https://xn--bcher-kva.example:81/ä"),
        (urls.ascii_host, "https://e.com/ä", None),
        (urls.percent_encoded, "https://e.com/100%?a=%2", "https://e.com/100%25?a=%252"),
        (urls.decoded_once, "https://e.com/a%2520b", "https://e.com/a%20b"),
        (urls.without_fragment, "https://e.com/a?b#c", "https://e.com/a?b"),
        (urls.without_user, "https://u:p@e.com:81/a@b", "https://e.com:81/a@b"),
        (urls.without_port, "https://e.com:443/a", "https://e.com/a"),
        (urls.without_port, "https://e.com:0443/a", "https://e.com/a"),
        (urls.without_port, "http://e.com:80", "http://e.com"),
        (urls.without_port, "https://e.com:80/a", None),
        (urls.with_one_slash, "https://e.com//a///b?c=//", "https://e.com/a/b?c=//"),
        (urls.with_one_slash, "https://e.com/web/http://f.com/", "https://e.com/web/http://f.com/"),
        (urls.over_https, "HTTP://e.com/", "https://e.com/"),
        (urls.normalized, "HTTPS://E.com", "https://e.com/"),
        (urls.normalized, "https://e.com/a/./b/../c%7e%2f?x=%c3", "https://e.com/a/c~%2F?x=%C3"),
    ],
)
def test_a_url_is_written_as_it_should_be(fixer: Any, url: str, better: str | None) -> None:
    assert fixer(url, UNSAFE) == better
    if better is not None:
        assert fixer(better, UNSAFE) in (better, None)


@pytest.mark.parametrize("url", ["https://e.com/a\xa0b", "https://e.com/a\nb", "https://e.com/\tb"])
def test_white_space_that_may_mean_anything_is_left(url: str) -> None:
    assert urls.without_space(url, SAFE) is None


def test_a_backslash_is_left() -> None:
    assert urls.encoded("https://e.com/a\\b", SAFE) == "https://e.com/a\\b"


@pytest.mark.parametrize(
    ("url", "parameter", "better"),
    [
        ("https://e.com/?utm_source=x&a=1", "utm_source", "https://e.com/?a=1"),
        ("https://e.com/?a=1&utm_source=x#b", "utm_source", "https://e.com/?a=1#b"),
        ("https://e.com/?utm_source=x", "utm_source", "https://e.com/"),
        ("https://e.com/?my_utm_source=x", "utm_source", "https://e.com/?my_utm_source=x"),
        ("https://e.com/a;jsessionid=0F?b", "jsessionid", "https://e.com/a?b"),
    ],
)
def test_a_parameter_is_left_out(url: str, parameter: str, better: str) -> None:
    finding = FindingLocation("U018", 0, 0, "warning", url, (("parameter", parameter),))
    context: Any = SimpleNamespace(finding=finding)
    assert urls.without_parameter(url, context) == better


@given(st.text(max_size=30), st.booleans())
def test_a_better_date_is_a_date(text: str, is_unsafe: bool) -> None:
    better = better_date(text, is_unsafe=is_unsafe)
    if better:
        assert parse_date(better).code is None
        assert better_date(better, is_unsafe=is_unsafe) is None


@given(st.datetimes(), st.sampled_from([" ", "T", "t"]), st.sampled_from(["Z", " +02", "-0330"]))
def test_a_better_date_is_the_same_moment(moment: Any, mark: str, zone: str) -> None:
    text = f"{moment:%Y-%m-%d}{mark}{moment:%H:%M:%S}{zone}".rjust(20, "0")
    before = parse_date(text)
    better = better_date(text, is_unsafe=False)
    if better and before.instant is not None:
        assert parse_date(better).instant == before.instant


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=20))
def test_edits_that_are_apart_do_not_overlap(spans: list[tuple[int, int]]) -> None:
    data = bytes(range(40))
    made = [Change("X003", (Edit(start, start + size, b"-"),)) for start, size in spans]
    kept = sorted(edit for change in without_overlaps(made) for edit in change.edits)
    assert all(one.end <= two.start for one, two in pairwise(kept))
    removed = sum(edit.end - edit.start for edit in kept)
    assert len(apply(data, without_overlaps(made))) == len(data) - removed + len(kept)


@given(st.lists(st.sampled_from("abcd\n"), max_size=60), st.lists(st.sampled_from("abcd\n")))
def test_a_diff_can_be_applied(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old).encode(), "\n".join(new).encode()
    document = FixedDocument("a", "a", before, after, before, after)
    lines = "".join(unified_diff(document))
    if before == after:
        assert lines == ""
        return
    body = [line for line in lines.split("\n")[2:] if line[:1] in "-+ "]
    assert len([x for x in body if x[:1] == "-"]) <= len(before.split(b"\n"))
    assert [x for x in body if x[:1] in "-+"]


def robots(text: str, *addresses: str) -> str:
    options: Any = SimpleNamespace(allows=lambda *_: True, engine=None)
    return fix_robots(text.encode(), "https://e.com/robots.txt", options, addresses).data.decode()


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("User-agent: *\nSitemap: /a.xml\n", "User-agent: *\nSitemap: https://e.com/a.xml\n"),
        ("Sitemaps: https://e.com/a.xml", "Sitemap: https://e.com/a.xml\n"),
        (
            "Sitemap: https://e.com/a.xml https://e.com/b.xml\r\n",
            "Sitemap: https://e.com/a.xml\r\nSitemap: https://e.com/b.xml\r\n",
        ),
        (
            "Sitemap: https://e.com/a.xml\nDisallow: /x\nSitemap: https://e.com/a.xml\n",
            "Sitemap: https://e.com/a.xml\nDisallow: /x\n",
        ),
        ("\ufeffSitemap: https://e.com/a.xml\n", "Sitemap: https://e.com/a.xml\n"),
        ("Disallow:", "Disallow:\nSitemap: https://e.com/s.xml\n"),
        ("Sitemap: https://e.com/a.xml\n", "Sitemap: https://e.com/a.xml\n"),
    ],
)
def test_lines_of_a_robots_txt(before: str, expected: str) -> None:
    assert robots(before, "https://e.com/s.xml") == expected
    assert robots(expected, "https://e.com/s.xml") == expected
