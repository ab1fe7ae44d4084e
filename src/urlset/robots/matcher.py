"""Rules of robots.txt: parse their groups, match paths as Google does, translate to RE2.

Only user-agent, allow and disallow lines form groups (RFC 9309 sections 2.1 and 2.2). Every other
line, known or not, does not affect the group (section 2.2.4):
https://github.com/google/robotstxt/blob/master/robots.cc

The longest matching pattern decides; of those with equal length, one that allows (section 2.2.2).
A match takes time linear in the length of the path. Patterns without ``*`` are looked up in a
table. The others are grouped by the text before their first ``*``. Each group is one automaton that
reads a path character by character, with one bit for each state of each pattern, so that it needs
no backtracking.

:mod:`urlset.robots.matcher` compares patterns with the path and query of a URL after both were
decoded and encoded again. SQL cannot do that, so each pattern has two forms: one for URLs without
percent-encoding, in which each character is literal, and one for all other URLs, in which each
character may be encoded. Both match every URL that the pattern matches. The first form matches no
other URL if the pattern is exact.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import quote_from_bytes, unquote

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


class Group(NamedTuple):
    """Product tokens of crawlers, and the rules for them."""

    agents: set[str]
    rules: list[RuleLine]


class Groups:
    """The groups of a robots.txt, by the product token of a crawler."""

    def __init__(self, groups: list[Group], delays: dict[str, float]):
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
    groups: list[Group] = []
    delays: dict[str, float] = {}
    delayed: set[str] = set()
    delay_s: float | None = None
    is_delay_over = False
    for kind, value in _lines(text):
        if kind == "agent":
            if not groups or groups[-1].rules or is_delay_over:
                if delay_s is not None:  # once for all agents, however many delays follow them
                    delays.update(dict.fromkeys(delayed, delay_s))
                delayed, delay_s = set(), None
            if not groups or groups[-1].rules:
                groups.append(Group(set(), []))
            names = agents_of(value)
            groups[-1].agents.update(names)
            delayed.update(names)
            is_delay_over = False
        elif kind == "delay":
            # Crawl-delay is not standardized. It applies to the agents directly above it, while
            # the allow and disallow lines below apply to the whole group.
            is_delay_over = True
            seconds = _seconds(value)
            delay_s = delay_s if seconds is None else seconds
        elif groups:
            groups[-1].rules.append(RuleLine(kind == "allow", value))
    if delay_s is not None:
        delays.update(dict.fromkeys(delayed, delay_s))
    return Groups(groups, delays)


def _lines(text: str) -> Iterator[tuple[Kind, str]]:
    for field, value in fields_of(text):
        known = _FIELD.match(field)
        if known is not None:
            yield known.lastgroup, value  # type: ignore[misc]


def fields_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each line of a robots.txt that has both, without comments.

    >>> list(fields_of("Content-Signal: search=yes # for all"))
    [('Content-Signal', 'search=yes')]
    """
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
        yield field.strip(_SPACE), value.strip(_SPACE)


def agents_of(value: str) -> set[str]:
    """Return the product tokens, in lower case, of the value of a user-agent line."""
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


_PLAIN = re.compile(r"[A-Za-z0-9_.~/=-]*")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_PATH_START = re.compile(r"[/?;]")
_NO_MATCH = -1


class CompiledRule(NamedTuple):
    """A rule with its pattern normalized for comparison.

    ``text`` is percent-encoded as :func:`path_of` encodes paths; ``*`` and a final ``$`` are
    special. ``length`` is the length by which Google ranks the rule.
    """

    is_allowing: bool
    text: str
    length: int


def compile_rules(lines: Iterable[RuleLine]) -> list[CompiledRule]:
    """Compile the allow and disallow lines of a group to rules, those with precedence first.

    Empty lines are ignored.
    """
    found: dict[CompiledRule, None] = {}
    for line in lines:
        if not line.value:
            continue
        found[_compiled(line.is_allowing, line.value)] = None
        folder, slash, page = line.value.rpartition("/")
        if line.is_allowing and slash and page.startswith("index.htm"):
            # Like Google: a rule that allows the index page of a folder allows the folder.
            found[_compiled(True, f"{folder}/$")] = None
    return sorted(found, key=lambda rule: (-rule.length, not rule.is_allowing))


def path_of(url: str) -> str:
    """Return the path and query of a URL, normalized for comparison with patterns.

    Percent-encoding is decoded and encoded again, except that of ``/`` and ``%``, so that all
    forms of a URL are equal (RFC 9309 section 2.2.2).

    >>> path_of("https://example.com/%7Ea%2fb?q=ä#top")
    '/~a%2Fb%3Fq=%C3%A4'
    """
    text = url.partition("#")[0]
    rest = text.partition("://")[2] or text
    start = _PATH_START.search(rest)
    path = rest[start.start() :] if start is not None else "/"
    path = path if path.startswith("/") else f"/{path}"
    return path if _PLAIN.fullmatch(path) else _normal(path, b"/%", "/%=")


class Matcher:
    """Matcher of paths against the compiled rules of one group."""

    def __init__(self, rules: Iterable[CompiledRule]):
        self._whole: dict[str, int] = {}
        self._prefixes: dict[str, int] = {}
        wild: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for rule in rules:
            rank = 2 * rule.length + rule.is_allowing
            text = rule.text
            if text.endswith(("*", "*$")):  # an open end, as without it
                text = text.removesuffix("$").rstrip("*")
            if "*" in text:
                prefix, _, rest = text.partition("*")
                wild[prefix].append((rest, rank))
                continue
            table = self._whole if text.endswith("$") else self._prefixes
            text = text.removesuffix("$")
            table[text] = max(rank, table.get(text, 0))
        self._wild = {prefix: _Automaton(texts) for prefix, texts in wild.items()}
        self._lengths = sorted(set(map(len, self._prefixes)))
        self._wild_lengths = sorted(set(map(len, self._wild)))

    def allows(self, path: str) -> bool:
        """Return whether a path, normalized by :func:`path_of`, is allowed."""
        best = self._whole.get(path, _NO_MATCH)
        for length in self._lengths:
            if length > len(path):
                break
            best = max(best, self._prefixes.get(path[:length], _NO_MATCH))
        for length in self._wild_lengths:
            if length > len(path):
                break
            automaton = self._wild.get(path[:length])
            if automaton is not None and automaton.highest > best:
                best = max(best, automaton.rank(path[length:]))
        return best == _NO_MATCH or bool(best % 2)


class _Automaton:
    """Automaton that matches all patterns with the same prefix, from their first ``*`` on.

    Each pattern has one bit for each of its literals, which is set when all literals before it
    have matched, and one for its end. A ``*`` is a bit that remains set.
    """

    def __init__(self, texts: Sequence[tuple[str, int]]):
        self._texts = sorted(texts, key=lambda pair: pair[1])
        self.highest = self._texts[-1][1]

    def rank(self, rest: str) -> int:
        """Return the highest precedence among the patterns that match the rest of a path."""
        start, stays, ends, literals, positions = self._bits
        state = start
        for char in rest:
            state = ((state & literals.get(char, 0)) << 1) | (state & stays)
        found = state & ends
        if not found:
            return _NO_MATCH
        return self._texts[bisect_left(positions, found.bit_length() - 1)][1]

    @cached_property
    def _bits(self) -> tuple[int, int, int, dict[str, int], list[int]]:
        size = sum(len(text) + 1 for text, _ in self._texts)
        start, stays, ends = bytearray(size // 8 + 1), bytearray(size // 8 + 1), bytearray(size)
        literals: defaultdict[str, bytearray] = defaultdict(lambda: bytearray(size // 8 + 1))
        positions: list[int] = []
        position = 0
        for text, _ in self._texts:
            is_open = not text.endswith("$")
            _set(start, position)
            _set(stays, position)
            for char in text.removesuffix("$"):
                if char == "*":
                    _set(stays, position)
                else:
                    _set(literals[char], position)
                    position += 1
            if is_open:
                _set(stays, position)
            _set(ends, position)
            positions.append(position)
            position += 1
        by_char = {char: int.from_bytes(bits, "little") for char, bits in literals.items()}
        first, stay, last = (int.from_bytes(bits, "little") for bits in (start, stays, ends))
        return first, stay, last, by_char, positions


def _set(bits: bytearray, position: int) -> None:
    bits[position >> 3] |= 1 << (position & 7)


def _compiled(is_allowing: bool, value: str) -> CompiledRule:
    body = value.removesuffix("$")
    text = body if _PLAIN.fullmatch(body) else _normal(body, b"/%*", "/%*=")
    length = sum(1 if char.isascii() else 3 * len(char.encode(errors="replace")) for char in value)
    return CompiledRule(is_allowing, text + "$" * (len(value) - len(body)), length)


def _normal(text: str, kept: bytes, safe: str) -> str:
    def decoded(found: re.Match[bytes]) -> bytes:
        byte = bytes.fromhex(found[1].decode())
        return found[0].upper() if byte in kept else byte

    return quote_from_bytes(_ESCAPE.sub(decoded, text.encode(errors="replace")), safe=safe)


PLAIN_PATH = r'/(?:[!"$&-.0-~][!"$&-~]*)?'
"""A path and query in ASCII without percent-encoding, ``//`` at the start and a fragment."""

MAX_LENGTH = 8_000
"""Most characters of one regular expression; RE2 limits the size."""

_PATTERN_PART = re.compile(r"((?:%[89A-F][0-9A-F])+)|%([0-9A-F]{2})|(.)", re.DOTALL)
_REPLACED = "\ufffd"  # replaces bytes that are not UTF-8
_HALF = re.compile(r"%(?![0-9A-F]{2})")
_END_OF_CODE = re.compile(r"[0-9A-F]{1,2}")


class Regexes(NamedTuple):
    """Regular expressions of a pattern, to be matched at the start of a path.

    ``plain`` is None if the pattern matches no path without percent-encoding.
    """

    plain: str | None
    encoded: str
    is_exact: bool


def regexes_of(pattern: str) -> Regexes:
    r"""Convert a pattern of robots.txt, percent-encoded for comparison, to regular expressions.

    >>> regexes_of("/a*.pdf$")[::2]
    ('/a.*\\.pdf$', True)
    """
    end = "$" if pattern.endswith("$") else ""
    pieces = pattern.removesuffix("$").split("*")
    plain: list[str | None] = []
    encoded: list[str] = []
    is_exact = True
    for number, piece in enumerate(pieces):
        # Note: after a star, 2F also matches within %2F; and so does %2 before a star.
        rest = _END_OF_CODE.sub("", piece, count=1) if _is_end_of_code(number, piece) else piece
        half = _HALF.search(rest)
        is_exact = is_exact and rest == piece and half is None and not _is_odd(rest)
        known = rest if half is None else rest[: half.start()]
        plain.append(_plain(known, is_cut=half is not None))
        encoded.append(_encoded(known) + (".*" if half else ""))
    whole = [piece for piece in plain if piece is not None]
    is_plain = len(whole) == len(plain)
    return Regexes(".*".join(whole) + end if is_plain else None, ".*".join(encoded) + end, is_exact)


def alternatives(patterns: Iterable[str]) -> Iterator[str]:
    """Yield a few regular expressions that together match what any of ``patterns`` matches."""
    group: list[str] = []
    length = 0
    for pattern in dict.fromkeys(patterns):
        if group and length + len(pattern) > MAX_LENGTH:
            yield _one_of(group)
            group, length = [], 0
        group.append(pattern)
        length += len(pattern)
    if group:
        yield _one_of(group)


def _one_of(patterns: list[str]) -> str:
    return f"(?s)^(?:{'|'.join(patterns)})"


def _is_odd(piece: str) -> bool:
    return _REPLACED in unquote(piece)


def _is_end_of_code(number: int, piece: str) -> bool:
    return number > 0 and _END_OF_CODE.match(piece) is not None


def _plain(piece: str, *, is_cut: bool) -> str | None:
    parts = []
    for found in _PATTERN_PART.finditer(piece):
        many, code, character = found.groups()
        if many is not None:
            if not _is_odd(many):
                return None
            parts.append(".*")
        elif code is not None:
            own = chr(int(code, 16))
            if own in "/%#" or not "!" <= own <= "~":
                return None
            parts.append(_literal(own))
        else:
            parts.append(_literal(character))
    return "".join(parts) + (".*" if is_cut else "")


def _encoded(piece: str) -> str:
    return "".join(map(_either, _PATTERN_PART.finditer(piece)))


def _either(found: re.Match[str]) -> str:
    """Return a regular expression for a character, literal or percent-encoded in any way."""
    many, code, character = found.groups()
    if many is not None:
        if _is_odd(many):
            return ".*"
        return "".join(f"(?:{_literal(c)}|{_code(c)})" for c in unquote(many))
    if code in ("2F", "25"):  # differ from the characters that they encode
        return _code(chr(int(code, 16)))
    own = character if code is None else chr(int(code, 16))
    return "/" if own == "/" else f"(?:{_literal(own)}|{_code(own)})"


def _code(character: str) -> str:
    return "".join(
        "%" + "".join(f"[{digit}{digit.lower()}]" if digit.isalpha() else digit for digit in code)
        for code in (f"{byte:02X}" for byte in character.encode(errors="replace"))
    )


def _literal(character: str) -> str:
    if character.isascii() and not character.isprintable():
        return f"\\x{ord(character):02x}"
    return re.escape(character)
