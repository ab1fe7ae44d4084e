"""Preferences of a site about the use of its pages by AI: for training, search or answers.

All of them are signals, which nothing enforces:

- ``Content-Usage``, in robots.txt and as a header (draft-ietf-aipref-attach and -vocab);
- ``Content-Signal`` in robots.txt (https://contentsignals.org);
- ``License`` in robots.txt (https://rslstandard.org);
- ``noai`` among the robots directives of a page, and the reservation of text and data mining
  (https://www.w3.org/community/tdmrep/).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from urlset.robots.matcher import (
    Group,
    Groups,
    Matcher,
    RuleLine,
    agents_of,
    compile_rules,
    fields_of,
    path_of,
)

_KEY = r"[a-z*][a-z0-9_.*-]*"
# Bare items of RFC 9651, section 3.3: number, string, token, bytes, boolean, date, display string.
_ITEM = (
    r"(?:-?\d{1,15}(?:\.\d{1,3})?|\"(?:[ !#-\[\]-~]|\\[\"\\])*\"|[A-Za-z*][\w!#$%&'*+.^`|~:/-]*"
    r"|:[A-Za-z0-9+/=]*:|\?[01]|@-?\d{1,15}|%\"[ !#-~]*\")"
)
_PARAMETERS = rf"(?:; *{_KEY}(?:={_ITEM})?)*"
_LIST = rf"\( *(?:{_ITEM}{_PARAMETERS}(?: +{_ITEM}{_PARAMETERS})* *)?\)"
_MEMBER = re.compile(rf"({_KEY})(?:=(?:({_ITEM})|{_LIST}))?{_PARAMETERS}", re.ASCII)
_COMMA = re.compile(r"[ \t]*,[ \t]*")

MAX_USAGES = 1_000
"""Different ``Content-Usage`` lines of a group, each of which is matched with each page."""

MAX_STATEMENTS = 100
MAX_STATEMENT = 2_048
"""Characters of a statement. A robots.txt of 500 KB would otherwise be stored with each page."""

_SIGNALS = {"search": "search", "ai-train": "train-ai", "ai-input": "ai-input"}
_ANSWERS = {"y": True, "n": False, "yes": True, "no": False}


class AiPreferences(NamedTuple):
    """Preferences about one page. None means that nothing is stated, neither yes nor no.

    Attributes:
        train_ai: Whether the page may be used to train AI models.
        search: Whether search engines may use the page.
        ai_input: Whether AI may use the page to answer, as in retrieval.
        license: URL of the license that robots.txt names.
        statements: The first 100 statements, as written, with the place of each, cut after 2,048
            characters: ``robots.txt Content-Signal: ai-train=no``.
    """

    train_ai: bool | None = None
    search: bool | None = None
    ai_input: bool | None = None
    license: str | None = None
    statements: tuple[str, ...] = ()


class _Usage(NamedTuple):
    length: int  # of the path pattern, as Google ranks it; 0 without one
    matcher: Matcher | None
    value: str


class _Statements(NamedTuple):
    members: set[str]
    usages: list[str]
    signals: list[str]


class RobotsPreferences:
    """Preferences that the text of a robots.txt states for one crawler."""

    def __init__(self, text: str, agent: str = "urlset"):
        groups: list[_Statements] = []
        is_open = False  # whether a user-agent line belongs to the group of the one above it
        self._licenses: list[str] = []
        for field, value in fields_of(text):
            name = field.lower()
            if name in ("user-agent", "useragent", "user agent"):
                if not is_open:
                    groups.append(_Statements(set(), [], []))
                is_open = True
                groups[-1].members.update(agents_of(value))
            elif name in ("content-usage", "content-signal", "allow", "disallow"):
                is_open = False
                if groups and name.startswith("content"):
                    own = groups[-1]
                    (own.usages if name == "content-usage" else own.signals).append(value)
            elif name == "license" and value:
                self._licenses.append(value)
        name = Groups([Group(each.members, []) for each in groups], {}).name_for(agent)
        chosen = [each for each in groups if name in each.members]
        usages = dict.fromkeys(value for each in chosen for value in each.usages)
        self._usages = [_usage(value) for value in islice(usages, MAX_USAGES)]
        self._signals = list(dict.fromkeys(value for each in chosen for value in each.signals))

    def of(self, url: str) -> Iterator[tuple[str, str]]:
        r"""Yield name and value of each statement that applies to a URL that may be crawled.

        Of ``Content-Usage``, those with the longest path that matches apply, among the first 1,000
        of the crawler.

        >>> robots = RobotsPreferences(
        ...     "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y"
        ... )
        >>> [list(robots.of(f"https://example.com{path}")) for path in ("/test", "/ok/test")]
        [[('Content-Usage', 'train-ai=n')], [('Content-Usage', 'train-ai=y')]]
        """
        path = path_of(url)
        found = [
            usage
            for usage in self._usages
            if usage.matcher is None or not usage.matcher.allows(path)
        ]
        longest = max((usage.length for usage in found), default=0)
        yield from (("Content-Usage", u.value) for u in found if u.length == longest)
        yield from (("Content-Signal", value) for value in self._signals)
        yield from (("License", value) for value in self._licenses)


def ai_preferences(
    url: str,
    robots: RobotsPreferences | None,
    headers: Mapping[str, str],
    directives: Iterable[str] = (),
) -> AiPreferences:
    r"""Return the preferences about a page, from robots.txt, its headers and its directives.

    Where statements differ, a no prevails over a yes (draft-ietf-aipref-vocab).

    Args:
        url: URL of the page.
        robots: What robots.txt states.
        headers: Headers of the response, with lower-case names.
        directives: Robots directives of the page, such as ``noai`` or ``googlebot noindex``.

    >>> robots = RobotsPreferences("User-agent: *\nContent-Signal: search=yes, ai-train=no")
    >>> ai_preferences("https://example.com/", robots, {})[:3]
    (False, True, None)
    """
    stated: dict[str, list[bool]] = {"train-ai": [], "search": [], "ai-input": []}
    statements: list[str] = []
    licenses: list[str] = []
    found = [("robots.txt ", *pair) for pair in (robots.of(url) if robots else ())]
    named = ("Content-Usage", "TDM-Reservation", "TDM-Policy")
    found += [("header ", n, headers[n.lower()]) for n in named if n.lower() in headers]
    for place, name, value in found:
        statements.append(f"{place}{name}: {value}")
        pairs: dict[str, bool | None] = {}
        if name == "License":
            licenses.append(value)
        elif name == "Content-Signal":
            pairs = _signals(value)
        elif name == "Content-Usage":
            pairs = parse_usage(value)
        for label, answer in pairs.items():
            if label in stated and answer is not None:
                stated[label].append(answer)
    for directive in directives:
        if directive.rpartition(" ")[2] in ("noai", "noimageai"):
            statements.append(f"robots {directive}")
        if directive == "noai":
            stated["train-ai"].append(False)
    train, search, answer = (_combined(values) for values in stated.values())
    shown = tuple(text[:MAX_STATEMENT] for text in statements[:MAX_STATEMENTS])
    return AiPreferences(train, search, answer, next(iter(licenses), None), shown)


def parse_usage(value: str) -> dict[str, bool | None]:
    """Parse a ``Content-Usage`` dictionary (RFC 9651): True for ``y``, False for ``n``, else None.

    A value that is no dictionary states nothing.

    >>> parse_usage("train-ai=y, search=n"), parse_usage("Train-AI=y")
    ({'train-ai': True, 'search': False}, {})
    """
    found: dict[str, bool | None] = {}
    text = value.strip(" ")
    position = 0
    while position < len(text):
        member = _MEMBER.match(text, position)
        if member is None:
            return {}
        found[member[1]] = {"y": True, "n": False}.get(member[2] or "")
        position = member.end()
        if position == len(text):
            return found
        comma = _COMMA.match(text, position)
        if comma is None or comma.end() == len(text):
            return {}
        position = comma.end()
    return found


def _signals(value: str) -> dict[str, bool | None]:
    pairs = (part.partition("=") for part in re.split(r"[,;]", value.lower()))
    return {
        _SIGNALS[name.strip()]: _ANSWERS.get(answer.strip())
        for name, _, answer in pairs
        if name.strip() in _SIGNALS
    }


def _usage(value: str) -> _Usage:
    if not value.startswith("/"):
        return _Usage(0, None, value)
    pattern, *rest = value.split(None, 1)
    rules = compile_rules([RuleLine(False, pattern)])
    return _Usage(rules[0].length, Matcher(rules), rest[0] if rest else "")


def _combined(answers: list[bool]) -> bool | None:
    return all(answers) if answers else None
