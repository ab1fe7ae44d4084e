"""Parse the groups of a robots.txt as Google's parser does (RFC 9309 sections 2.1 and 2.2).

Only user-agent, allow and disallow lines form groups. Every other line, known or not, does not
affect the group (section 2.2.4): https://github.com/google/robotstxt/blob/master/robots.cc
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["Groups", "RuleLine", "parse_groups"]

MAX_LINE = 16_663
"""Bytes of a line that are read: ``kMaxLineLen`` of Google's parser, which ignores the rest."""

Kind = Literal["agent", "allow", "disallow", "delay"]

_END_OF_LINE = re.compile(r"\r\n|\r|\n")
# Google matches the start of a field, and accepts these misspellings.
_FIELD = re.compile(
    r"(?P<agent>user-?agent|user agent)|(?P<allow>allow)"
    r"|(?P<disallow>disallow|dissallow|dissalow|disalow|diasllow|disallaw)"
    r"|(?P<delay>crawl[- ]?delay)",
    re.IGNORECASE,
)
_WITHOUT_COLON = re.compile(r"([^ \t]+)[ \t]+([^ \t]+)")
_TOKEN = re.compile(r"[A-Za-z_-]*")  # a product token; section 2.2.1
_WIDE_TOKEN = re.compile(r"[^\s/]*")  # also with digits, which other crawlers use
_SPACE = " \t\n\v\f\r"


class RuleLine(NamedTuple):
    """An allow or disallow line of a group; ``value`` is the pattern as written."""

    is_allowing: bool
    value: str


class _Group(NamedTuple):
    agents: set[str]
    rules: list[RuleLine]


class Groups:
    """The groups of a robots.txt, by the product token of a crawler."""

    def __init__(self, groups: list[_Group], delays: dict[str, float]):
        self._groups = groups
        self._delays = delays
        self._agents = {agent for group in groups for agent in group.agents}

    def name_for(self, agent: str) -> str:
        """Return the name of the group that applies to a crawler: its own, or ``*``.

        A crawler without its own group follows the group of its family: Googlebot-Image that of
        Googlebot, YandexBot that of Yandex.
        https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers
        https://yandex.com/support/webmaster/en/robot-workings/user-agent
        """
        name = agent.strip().lower()
        while name:
            if name in self._agents:
                return name
            is_of_family = name.startswith("yandex") and "-" not in name and name != "yandex"
            name = "yandex" if is_of_family else name.rpartition("-")[0]
        return "*"

    def rules(self, name: str) -> list[RuleLine]:
        """Return the rules of all groups with this name, each once."""
        found = (rule for group in self._groups if name in group.agents for rule in group.rules)
        return list(dict.fromkeys(found))

    def delay_s(self, name: str) -> float | None:
        """Return the last valid ``Crawl-delay`` for this name, or None."""
        return self._delays.get(name)


def parse_groups(text: str) -> Groups:
    r"""Parse the groups of a robots.txt; invalid content does not raise.

    >>> groups = parse_groups("User-agent: a\nCrawl-delay: 2\nUser-agent: b\nDisallow: /x")
    >>> groups.rules("a"), groups.delay_s("a"), groups.delay_s("b")
    ([RuleLine(is_allowing=False, value='/x')], 2.0, None)
    """
    groups: list[_Group] = []
    delays: dict[str, float] = {}
    delayed: set[str] = set()
    is_delay_over = False
    for kind, value in _lines(text):
        if kind == "agent":
            if not groups or groups[-1].rules or is_delay_over:
                delayed = set()
            if not groups or groups[-1].rules:
                groups.append(_Group(set(), []))
            names = _names(value)
            groups[-1].agents.update(names)
            delayed.update(names)
            is_delay_over = False
        elif kind == "delay":
            # Crawl-delay is not standardized. It applies to the agents directly above it, while
            # the allow and disallow lines below apply to the whole group.
            is_delay_over = True
            seconds = _seconds(value)
            if seconds is not None:
                delays.update(dict.fromkeys(delayed, seconds))
        elif groups:
            groups[-1].rules.append(RuleLine(kind == "allow", value))
    return Groups(groups, delays)


def _lines(text: str) -> Iterator[tuple[Kind, str]]:
    for line in _END_OF_LINE.split(text):
        if len(line) > MAX_LINE // 4:
            line = line.encode(errors="replace")[:MAX_LINE].decode(errors="ignore")
        line = line.partition("\0")[0].partition("#")[0].strip(_SPACE)
        field, colon, value = line.partition(":")
        if not colon:
            found = _WITHOUT_COLON.fullmatch(line)
            if found is None:
                continue
            field, value = found.groups()
        known = _FIELD.match(field.strip(_SPACE))
        if known is not None:
            yield known.lastgroup, value.strip(_SPACE)  # type: ignore[misc]


def _names(value: str) -> set[str]:
    if value[:1] == "*" and (len(value) == 1 or value[1] in _SPACE):
        return {"*"}
    tokens = (pattern.match(value) for pattern in (_TOKEN, _WIDE_TOKEN))
    return {token[0].lower() for token in tokens if token is not None and token[0]} - {"*"}


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
