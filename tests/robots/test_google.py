# ruff: noqa: E501 - cases are read in rows
"""What robots.txt allows: Google's published cases, a model of its parser, protego, and cost."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cpu_time import growth
from tests.robots.google_robots import google_allows
from urlset.robots import Robots, read_robots
from urlset.robots.matcher import CompiledRule, Matcher

SITE = "http://foo.bar"
FISH = "/fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html /fish.html?id=anything"
PHP = (
    "/filename.php /folder/filename.php /folder/filename.php?parameters "
    "//folder/any.php.file.html /filename.php/ /index?f=filename.php/"
)
GROUPS = """allow: /foo/bar/

user-agent: FooBot
disallow: /
allow: /x/
user-agent: BarBot
disallow: /
allow: /y/


allow: /w/
user-agent: BazBot

user-agent: FooBot
allow: /z/
disallow: /
"""


class Case(NamedTuple):
    """A robots.txt, whom it is read for, and paths that are allowed or not."""

    name: str
    robots: str
    agent: str = "FooBot"
    allowed: str = ""
    disallowed: str = ""


def foo(*rules: str) -> str:
    return "\n".join(["user-agent: FooBot", *rules, ""])


# https://github.com/google/robotstxt/blob/master/robots_test.cc, by the names there.
CASES = [
    Case("SystemTest", "", allowed="/"),
    Case("SystemTest", foo("disallow: /"), agent="", allowed="/"),
    Case("SystemTest", foo("disallow: /"), disallowed="/"),
    Case("LineSyntax_Line", foo("disallow: /"), disallowed="/x/y"),
    Case("LineSyntax_Line", "foo: FooBot\nbar: /\n", allowed="/x/y"),
    Case("LineSyntax_Line", "user-agent FooBot\ndisallow /\n", disallowed="/x/y"),
    Case("LineSyntax_Groups", GROUPS, "FooBot", "/x/b /z/d", "/y/c /foo/bar/"),
    Case("LineSyntax_Groups", GROUPS, "BarBot", "/y/c /w/a", "/z/d /foo/bar/"),
    Case("LineSyntax_Groups", GROUPS, "BazBot", "/z/d", "/foo/bar/"),
    *(
        Case("Groups_OtherRules", text, agent, disallowed="/")
        for agent in ("FooBot", "BarBot")
        for text in (
            f"User-agent: BarBot\nSitemap: {SITE}/sitemap\nUser-agent: *\nDisallow: /\n",
            "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n",
        )
    ),
    *(
        Case("REPLineNamesCaseInsensitive", text, allowed="/x/y", disallowed="/a/b")
        for text in (
            "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n",
            "user-agent: FooBot\nallow: /x/\ndisallow: /\n",
            "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n",
        )
    ),
    *(
        Case(
            "UserAgentValueCaseInsensitive",
            f"User-Agent: {name}\nAllow: /x/\nDisallow: /\n",
            agent,
            "/x/y",
            "/a/b",
        )
        for name in ("FOO BAR", "foo bar", "FoO bAr")
        for agent in ("Foo", "foo")
    ),
    *(
        Case(
            "AcceptUserAgentUpToFirstSpace",
            "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n",
            agent,
            *paths,
        )
        for agent, paths in (("Foo", ("/x/y", "")), ("Foo Bar", ("", "/x/y")))
    ),
    Case("GlobalGroups_Secondary", "", allowed="/x/y"),
    Case(
        "GlobalGroups_Secondary",
        "user-agent: *\nallow: /\n" + foo("disallow: /"),
        disallowed="/x/y",
    ),
    Case("GlobalGroups_Secondary", "user-agent: *\nallow: /\n" + foo("disallow: /"), "BarBot", "/x/y"),
    Case(
        "GlobalGroups_Secondary",
        foo("allow: /") + "user-agent: BarBot\ndisallow: /\nuser-agent: BazBot\ndisallow: /\n",
        "QuxBot",
        "/x/y",
    ),
    Case("Value_CaseSensitive", foo("disallow: /x/"), disallowed="/x/y"),
    Case("Value_CaseSensitive", foo("disallow: /X/"), allowed="/x/y"),
    Case("LongestMatch", foo("disallow: /x/page.html", "allow: /x/"), disallowed="/x/page.html"),
    Case("LongestMatch", foo("allow: /x/page.html", "disallow: /x/"), "foobot", "/x/page.html", "/x/"),
    Case("LongestMatch", foo("disallow: ", "allow: "), allowed="/x/page.html"),
    Case("LongestMatch", foo("disallow: /", "allow: /"), allowed="/x/page.html"),
    Case("LongestMatch", foo("disallow: /x", "allow: /x/"), "FooBot", "/x/", "/x"),
    Case("LongestMatch", foo("disallow: /x/page.html", "allow: /x/page.html"), "FooBot", "/x/page.html"),
    Case("LongestMatch", foo("allow: /page", "disallow: /*.html"), "FooBot", "/page", "/page.html"),
    Case("LongestMatch", foo("allow: /x/page.", "disallow: /*.html"), "FooBot", "/x/page.html", "/x/y.html"),
    Case("LongestMatch", "User-agent: *\nDisallow: /x/\n" + foo("Disallow: /y/"), "FooBot", "/x/page", "/y/page"),
    Case(
        "Encoding",
        foo("Disallow: /", "Allow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par"),
        allowed="/foo/bar?qux=taz&baz=http://foo.bar?tar&par",
    ),
    Case("Encoding", foo("Disallow: /", "Allow: /foo/bar/ツ"), allowed="/foo/bar/%E3%83%84"),
    Case("Encoding", foo("Disallow: /", "Allow: /foo/bar/%E3%83%84"), allowed="/foo/bar/%E3%83%84"),
    Case("Encoding", foo("Disallow: /", "Allow: /foo/bar/%62%61%7A"), allowed="/foo/bar/%62%61%7A"),
    Case(
        "SpecialCharacters",
        foo("Disallow: /foo/bar/quz", "Allow: /foo/*/qux"),
        "FooBot",
        "/foo/quz /foo//quz /foo/bax/quz",
        "/foo/bar/quz",
    ),
    Case(
        "SpecialCharacters",
        foo("Disallow: /foo/bar$", "Allow: /foo/bar/qux"),
        "FooBot",
        "/foo/bar/qux /foo/bar/ /foo/bar/baz",
        "/foo/bar",
    ),
    Case(
        "SpecialCharacters",
        foo("# Disallow: /", "Disallow: /foo/quz#qux", "Allow: /"),
        "FooBot",
        "/foo/bar",
        "/foo/quz",
    ),
    Case(
        "IndexHTMLisDirectory",
        "User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n",
        "foobot",
        "/allowed-slash/ /allowed-slash/index.html",
        "/allowed-slash/index.htm /anyother-url",
    ),
    *(
        Case("DocumentationChecks", foo("disallow: /", rule), "FooBot", good, bad)
        for rule, good, bad in (
            ("allow: /fish", FISH, "/bar /Fish.asp /catfish /?id=fish"),
            ("allow: /fish*", FISH, "/bar /Fish.bar /catfish /?id=fish"),
            (
                "allow: /fish/",
                "/fish/ /fish/salmon /fish/?salmon /fish/salmon.html /fish/?id=anything",
                "/bar /fish /fish.html /Fish/Salmon.html",
            ),
            ("allow: /*.php", PHP, "/bar /php/ /index?php /windows.PHP"),
            (
                "allow: /*.php$",
                "/filename.php /folder/filename.php",
                "/bar /filename.php?parameters /filename.php/ /filename.php5 /php/ /filename?php "
                "/aaaphpaaa //windows.PHP",
            ),
            ("allow: /fish*.php", "/fish.php /fishheads/catfish.php?parameters", "/bar /Fish.PHP"),
            ("allow: /p", "/page", "/"),
            ("allow: /$", "/", "/page.html"),
        )
    ),
    Case("DocumentationChecks", foo("allow: /folder", "disallow: /folder"), allowed="/folder/page"),
    Case("DocumentationChecks", foo("allow: /page", "disallow: /*.htm"), disallowed="/page.htm"),
]  # fmt: skip


def robots(text: str) -> Robots:
    return Robots(f"{SITE}/robots.txt", text=text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_google_published_case(case: Case):
    parsed = robots(case.robots)

    for paths, is_allowed in ((case.allowed, True), (case.disallowed, False)):
        for path in paths.split():
            assert parsed.allows(SITE + path, case.agent) == is_allowed, path
            assert google_allows(case.robots, case.agent, SITE + path) == is_allowed, path


def test_google_line_too_long():
    # "long lines are ignored after 8 * 2083 bytes": GoogleOnly_LineTooLong, there.
    path = "/x/".ljust(8 * 2083 - len("disallow: ") + 1 - 3, "a")
    parsed = robots(foo(f"disallow: {path}/qux"))

    assert parsed.allows(f"{SITE}/fux", "FooBot")
    assert not parsed.allows(f"{SITE}{path}/fux", "FooBot")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", "/"),
        ("http://www.example.com", "/"),
        ("http://www.example.com/a/", "/a/"),
        ("http://www.example.com/a#fragment", "/a"),
        ("example.com/a/", "/a/"),
        ("/a", "/a"),
        ("a/b", "/b"),
    ],
)
def test_google_path_of_a_url(url: str, path: str):
    # TestGetPathParamsQuery, there.
    parsed = robots(foo(f"disallow: {path}$"))

    assert not parsed.allows(url, "FooBot")


def test_spec_percent_encoded_character_equals_the_character():
    # "/foo/bar/%62%61%7A" matches "/foo/bar/baz", and of what is not ASCII the bytes count:
    # https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2
    parsed = robots(foo("disallow: /foo/bar/%62%61%7A", "disallow: /U+E38384/ツ", "disallow: /%fe"))

    for path in ("foo/bar/baz", "foo/bar/%62az", "U+E38384/%e3%83%84", "U+E38384/ツ", "%FE"):
        assert not parsed.allows(f"{SITE}/{path}", "FooBot")
    assert parsed.allows(f"{SITE}/%FF", "FooBot")


@pytest.mark.parametrize(
    "line",
    ["Crawl-delay: 10", "Host: foo.bar", "Noindex: /x", "Request-rate: 1/5", "Visit-time: 0400-0845",
     "Clean-param: a", "<!-- hootsuite -->", "Content-Signal: search=yes", "Disallows", "nonsense"],
)  # fmt: skip
def test_unknown_line_does_not_end_a_group(line: str):
    """As on hootsuite.com and bitbucket.org: the rules below are for both agents.

    RFC 9309 section 2.2.4: other records "MUST NOT interfere with the parsing of explicitly
    defined records".
    """
    text = f"User-agent: FooBot\n{line}\nUser-agent: BarBot\nDisallow: /\n"

    assert [robots(text).allows(f"{SITE}/", agent) for agent in ("FooBot", "BarBot", "Qux")] == [
        False,
        False,
        True,
    ]


def test_agent_with_a_version_or_digits():
    text = "User-agent: FooBot/2.1\nDisallow: /a\n\nUser-agent: Bot2\nDisallow: /b\n"

    assert not robots(text).allows(f"{SITE}/a", "FooBot")
    assert not robots(text).allows(f"{SITE}/b", "bot2")
    assert robots("User-agent: Foo\nDisallow: /").allows(f"{SITE}/", "FooBot")


def test_family_of_a_crawler():
    text = "User-agent: Googlebot\nDisallow: /g\nUser-agent: Yandex\nDisallow: /y\n"

    assert not robots(text).allows(f"{SITE}/g", "Googlebot-Image")
    assert not robots(text).allows(f"{SITE}/y", "YandexBot")
    assert robots(text).allows(f"{SITE}/g", "Google")


def test_crawl_delay_is_for_the_agents_above_it():
    text = (
        "User-agent: a\nUser-agent: b\nCrawl-delay: 1\nUser-agent: c\nCrawl-delay: 5\nDisallow: /"
    )
    parsed = robots(f"{text}\nUser-agent: d\nCrawl-delay: soon\nCrawl-delay: -1\nCrawl-delay: inf")

    assert [parsed.crawl_delay_s(agent) for agent in "abcd"] == [1, 1, 5, 0]
    assert not parsed.allows(f"{SITE}/", "a")


def test_delays_of_many_agents_take_linear_time():
    def read(count: int) -> None:
        agents = "".join(f"User-agent: a{number}\n" for number in range(count))
        assert robots(agents + "Crawl-delay: 1\n" * count).crawl_delay_s("a0") == 1

    assert growth(read, 500, 8_000) < 100  # 16 times as long; quadratic is 256


LINES = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["User-agent", "user agent", "Useragent", "Allow", "Allowed", "Disallow",
                             "Disalow", "Dissallow", "Sitemap", "Crawl-delay", "x", ""]),
            st.sampled_from([": ", ":", " ", "\t", " : ", "::"]),
            st.one_of(
                st.sampled_from(["FooBot", "*", "* x", "BarBot/1", "foobot bar", "*foobot", ""]),
                st.lists(st.sampled_from(["/", "a", "b", "*", "**", "$", "?", "=", "ä", "index.html",
                                          "index.htm", " ", "#", "http://", "%C3%A4", "%c3%a4"]),
                         max_size=6).map("".join),
            ),
        ).map("".join),
        st.sampled_from(["", " ", "# comment", "\x0b", "disallow", "\u2028Disallow: /", "Allow /a b"]),
    ),
    max_size=12,
).map("\n".join)  # fmt: skip
URLS = st.lists(
    st.sampled_from(["/", "a", "b", "*", "$", "?", "=", "%C3%A4", "index.html", "//", ";", "#"]),
    max_size=6,
).map(lambda parts: f"{SITE}/" + "".join(parts))


@given(LINES, st.sampled_from(["FooBot", "BarBot", "Qux"]), URLS)
@example("User-agent: *\nDisallow: /*$\nAllow: /a$", "FooBot", f"{SITE}/a$")
@example(
    "User-agent: FooBot\nUser-agent: *\nDisallow: /\n\nUser-agent: FooBot\nAllow: /a",
    "FooBot",
    f"{SITE}/a",
)
def test_answer_is_that_of_googles_parser(text: str, agent: str, url: str):
    assert robots(text).allows(url, agent) == google_allows(text, agent, url)


@given(
    st.lists(st.tuples(st.booleans(), st.text("ab/*$", max_size=6)), max_size=8),
    st.text("ab/", max_size=10),
)
def test_answer_is_that_of_protego(rules: list[tuple[bool, str]], rest: str):
    """Where it reads as Google does: with ``$`` only at the end of a pattern."""
    protego = pytest.importorskip("protego", reason="protego is not installed (an oracle)")
    text = "User-agent: *\n" + "".join(
        f"{'Allow' if allows else 'Disallow'}: /{pattern.rstrip('$').replace('$', 'a')}"
        f"{'$' * pattern.endswith('$')}\n"
        for allows, pattern in rules
    )
    url = f"{SITE}/{rest}"

    assert robots(text).allows(url, "x") == protego.Protego.parse(text).can_fetch(url, "x")


def test_real_files_read_as_googles_parser_reads_them(shared: Path):
    """Every pattern of each file, as a path, and for each agent that the file names."""
    for path in sorted((shared / "corpus" / "robots").glob("*.txt")):
        parsed = read_robots(path.read_bytes(), f"{SITE}/robots.txt")
        lines = [line.partition(":") for line in parsed.text.splitlines()]
        agents = {line[2].strip() for line in lines if line[0].strip().lower() == "user-agent"}
        names = [name for name in sorted(agents) if name.replace("-", "").isalpha()][:5]
        paths = [line[2].strip() for line in lines if line[0].strip().lower() == "disallow"]
        urls = [SITE + rest.replace("*", "x").removesuffix("$") for rest in paths[:40]]
        urls = [url for url in urls if url.isascii() and "%" not in url]
        for agent in [*names, "urlset"]:
            if agent.rpartition("-")[0].lower() in map(str.lower, agents):
                continue  # has a family, which the model does not know
            for url in urls:
                expected = google_allows(parsed.text, agent, url)
                is_itself = url.partition("?")[0] == f"{SITE}/robots.txt"
                assert parsed.allows(url, agent) == (expected or is_itself), (path.name, agent, url)


def hostile() -> str:
    """500 KiB of patterns each of which has many ways to begin to match."""
    lines = (f"Disallow: /*a*a*a*a*{number}b$\n" for number in range(20_000))
    return ("User-agent: *\n" + "".join(lines))[:500_000].rpartition("\n")[0]


def test_many_wildcards_are_compiled_once(monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []

    class Counted(Matcher):
        def __init__(self, rules: Iterable[CompiledRule]):
            made.append(1)
            super().__init__(rules)

    monkeypatch.setattr("urlset.robots.matcher.Matcher", Counted)
    parsed = robots(hostile())

    assert [parsed.allows(f"{SITE}/banana/a{n}b") for n in (7, "x", 99_999)] == [False, True, False]
    assert parsed.allows(f"{SITE}/banana/7b")
    assert len(made) == 1


@pytest.mark.parametrize("unit", ["a", "ab", "aa1b"])
def test_cost_of_a_decision_is_linear_in_the_url(unit: str):
    parsed = robots(hostile())
    parsed.allows(f"{SITE}/a")

    def decide(size: int) -> None:
        parsed.allows(f"{SITE}/" + unit * (size // len(unit)))

    assert growth(decide, 200, 1_600) < 24  # 8 times as long; quadratic is 64


def test_a_decision_among_20_000_wildcards_is_quick():
    """It took 70 to 130 ms for each URL; 100 URLs now take as long as one did."""
    parsed = robots(hostile())
    urls = [f"{SITE}/{'banana/' * 8}{number}" for number in range(100)]
    parsed.allows(urls[0])
    began = time.process_time()

    for url in urls:
        parsed.allows(url)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "line", ["Disallow: /" + "*a" * 8_000, "Disallow: /" + "a*" * 8_000 + "$", "Allow: /index.htm"]
)
def test_long_and_many_equal_lines(line: str):
    parsed = robots("User-agent: *\n" + f"{line}\n" * 30)

    assert parsed.allows(f"{SITE}/{'a' * 2_000}b")
