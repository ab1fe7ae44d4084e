"""Preferences about AI: examples of draft-ietf-aipref-attach, and statements that disagree."""

from __future__ import annotations

import pytest

from tests.cpu_time import growth
from urlset.robots.ai_preferences import RobotsPreferences, ai_preferences, parse_usage

# The example of draft-ietf-aipref-attach, in our words.
ROBOTS = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    ("agent", "path", "train_ai"),
    [
        ("urlset", "/test", False),
        ("urlset", "/ai-ok/test", True),
        ("ExampleBot", "/test", True),
        ("ExampleBot", "/ai-ok/test", True),
    ],
)
def test_the_longest_path_of_the_group_of_the_crawler_wins(agent, path, train_ai):
    robots = RobotsPreferences(ROBOTS, agent)
    assert ai_preferences(f"https://example.com{path}", robots, {}).train_ai is train_ai


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("train-ai=y, search=n", {"train-ai": True, "search": False}),
        ('train-ai=y, train-ai, search=n, search="n"', {"train-ai": None, "search": None}),
        ("train-ai;allow=n, train-ai=y", {"train-ai": True}),
        ('train-ai;has;parameters="?"', {"train-ai": None}),
        ("Train-AI=y", {}),
        ("train-ai=y,", {}),
        ("train-ai=y search=n", {}),
        ("train-ai=(y n);a=1 , search=n", {"train-ai": None, "search": False}),
        ("train-ai=?1, search=:YQ==:", {"train-ai": None, "search": None}),
        ("", {}),
    ],
)
def test_usage_is_a_dictionary_of_structured_fields(value, found):
    assert parse_usage(value) == found


def test_a_no_prevails_over_a_yes():
    robots = RobotsPreferences("User-agent: *\nContent-Usage: train-ai=y, search=y")
    found = ai_preferences(
        "https://example.com/", robots, {"content-usage": "train-ai=n"}, ["max-snippet:5"]
    )
    assert found[:3] == (False, True, None)
    assert found.statements == (
        "robots.txt Content-Usage: train-ai=y, search=y",
        "header Content-Usage: train-ai=n",
    )


def test_a_statement_ends_the_lines_of_user_agents():
    text = "User-agent: a\nContent-Signal: search=no\nUser-agent: b\nDisallow: /x"
    signals = {agent: list(RobotsPreferences(text, agent).of("https://e.com/")) for agent in "ab"}
    assert signals == {"a": [("Content-Signal", "search=no")], "b": []}


def test_other_schemes_are_reported_and_never_presumed():
    robots = RobotsPreferences("License: https://example.com/license.xml")
    found = ai_preferences(
        "https://example.com/", robots, {"tdm-reservation": "1"}, ["noai", "gptbot noindex"]
    )
    assert found[:4] == (False, None, None, "https://example.com/license.xml")
    assert found.statements[1:] == ("header TDM-Reservation: 1", "robots noai")


@pytest.mark.parametrize("text", ["a=" + "(" * 20_000, "a;" * 20_000, 'a="' + "\\" * 20_000])
def test_hostile_values_end(text):
    """With a pattern that backtracks, this would not end."""
    assert parse_usage(text) == {}


@pytest.mark.parametrize(
    "lines",
    [
        "User-agent: a{n}\n",
        "User-agent: *\nContent-Signal: ai-train=no\n",
        "User-agent: *\nContent-Usage: /{n}* train-ai=n\n",
    ],
)
def test_robots_txt_of_many_groups_takes_linear_time(lines):
    def read(count: int) -> None:
        text = "".join(lines.replace("{n}", str(number)) for number in range(count))
        ai_preferences("https://example.com/", RobotsPreferences(text), {})

    assert growth(read, 500, 8_000) < 100  # 16 times as long; quadratic is 256


def test_thousands_of_agents_with_thousands_of_statements_take_linear_time():
    def read(count: int) -> None:
        agents = "".join(f"User-agent: a{number}\n" for number in range(count))
        RobotsPreferences(agents + "Content-Usage: train-ai=n\n" * count)

    assert growth(read, 250, 4_000) < 100  # 16 times as long; quadratic is 256


def test_statements_of_a_page_are_bounded():
    lines = "".join(f"Content-Signal: a{n}={'b' * 3_000}\n" for n in range(500))
    robots = RobotsPreferences(f"User-agent: *\n{lines}Content-Signal: ai-train=no\n")

    found = ai_preferences("https://example.com/", robots, {"tdm-reservation": "c" * 9_000})

    assert found.train_ai is False
    assert len(found.statements) == 100
    assert {len(text) for text in found.statements} == {2_048}


def test_groups_of_one_crawler_are_combined():
    text = "User-agent: a\nUser-agent: b\nContent-Signal: search=yes\n"
    robots = RobotsPreferences(f"{text}User-agent: b\nContent-Signal: ai-train=no\n", "b")

    assert ai_preferences("https://example.com/", robots, {})[:2] == (False, True)
