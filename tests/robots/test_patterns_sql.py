"""Regular expressions for robots.txt patterns, compared with the matcher."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urlset.robots import Robots
from urlset.robots.matcher import PLAIN_PATH, alternatives, regexes_of

PIECES = st.sampled_from(
    [
        *"/aAbéF2 ?&=%*$.-_~;+@!'\"[]\\|ü木😀",
        *"%2F %2f %61 %C3%A9 %c3 %20 %3F %2 %41 %zz %%41 %25 %2A 3F // %00".split(),
        *["/private", "index.html"],
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map("".join)


@given(TEXTS, TEXTS)
@example("/*2F", "a/b")
@example("/a%", "a%25")
@example("/*6", "x&y")
def test_what_robots_forbid_is_matched_and_what_is_exact_is_forbidden(pattern: str, rest: str):
    url = f"https://example.com/{rest.replace(' ', '%20')}"
    path = url.removeprefix("https://example.com")
    robots = Robots("https://example.com/robots.txt", text=f"User-agent: *\nDisallow: {pattern}\n")
    patterns = robots.patterns("Googlebot")
    regexes = [regexes_of(one.text) for one in patterns]
    is_odd = re.search("%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)", path) is not None
    is_plain = re.fullmatch(PLAIN_PATH, path) is not None

    hits = [
        one
        for one in regexes
        if (form := one.plain if is_plain else one.encoded) is not None
        and re.match(f"(?s){form}".replace("$", r"\Z") if form.endswith("$") else form, path)
    ]

    if not robots.allows(url, "Googlebot"):
        assert hits or is_odd
    elif is_plain and not path.startswith("/robots.txt"):
        assert not [one for one in hits if one.is_exact]


@pytest.mark.parametrize(
    "pattern", ["/a.b", "/[x", "/*.pdf$", "/%C3%A9'", "/%00", "/(?", "/%5C%7B"]
)
def test_duckdb_takes_the_regular_expressions(pattern: str):
    for form in (regexes_of(pattern).plain, regexes_of(pattern).encoded):
        if form is not None:
            duckdb.connect().execute("SELECT regexp_matches('/a', ?)", [next(alternatives([form]))])


def test_alternatives_are_put_together_and_not_too_long():
    many = list(alternatives(f"/{number:08}" for number in range(2_000)))

    assert 1 < len(many) < 10
    assert all(len(one) < 10_000 for one in many)
