"""Parse robots.txt: its sitemaps, including malformed lines, and its rules (RFC 9309)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from urlset import engine as engines
from urlset.engine import source_offset
from urlset.engine_rules import RULES
from urlset.formats.encoding import bom_length, charset_of, decode, with_utf16_bom
from urlset.model import Problem, SitemapLine
from urlset.robots import matcher
from urlset.urls import INNER_SPACE, SPACE, parse_url, unwrap

if TYPE_CHECKING:
    from urlset.http import Response

__all__ = ["MAX_BYTES", "Pattern", "Robots", "SitemapLine", "read_robots", "robots_from_response"]

MAX_BYTES = 512_000
"""Bytes that a crawler reads at least (RFC 9309 section 2.5); Google reads no more."""

State = Literal["read", "absent", "refused", "unreachable"]

_ABSENT = (204, 404, 410)

_LINES = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|$)")
_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)
# Like Google's parser, which accepts any field that begins with sitemap or site-map:
# https://github.com/google/robotstxt/blob/master/robots.cc
_FIELD = re.compile(r"\s*(site-?map[\w-]*)(\s*[:=：]\s*|\s+(?=https?:|/|$))(.*)", re.I | re.DOTALL)
_INSIDE = re.compile(r"\s(?=site-?maps?\s*:\s*\S)", re.I)
_BARE = re.compile(r"\s*+https?://(?>\S*?(?:sitemap|\.xml))\S*+\s*+", re.I)
# Possessive, and no match starts within such a run: a line of commas is matched in linear time.
_MORE = re.compile(
    rf"(?<![{SPACE},;])(?=[{SPACE},;]*+https?://)(?=[{SPACE}]*[{INNER_SPACE},;])[{SPACE},;]++", re.I
)
_QUOTES = {'"': '"', "'": "'", "<": ">", "“": "”"}


class Pattern(NamedTuple):
    """A pattern that allows or disallows paths, percent-encoded as for the comparison."""

    is_allowing: bool
    text: str


class Robots:
    """A parsed robots.txt: declared sitemaps, rules, crawl delays and problems.

    ``state`` is ``read``; ``absent`` if the site has none, so that everything is allowed;
    ``refused`` after another status of the client (401, 403 …) or too many redirects, so that
    everything is allowed, but it may exist; or ``unreachable`` after a server error, so that
    nothing is allowed (RFC 9309). ``text`` is the part that crawlers read: the first 500 KiB.
    ``reason`` is why an unreachable one could not be read, for people.
    """

    def __init__(
        self,
        url: str,
        *,
        state: State = "read",
        text: str = "",
        sitemaps: tuple[SitemapLine, ...] = (),
        problems: tuple[Problem, ...] = (),
        reason: str | None = None,
    ):
        self.url = url
        self.state = state
        self.sitemaps = sitemaps
        self.problems = problems
        self.text = text
        self.reason = reason
        self._matchers: dict[str, tuple[list[matcher.CompiledRule], matcher.Matcher]] = {}

    def allows(self, url: str, agent: str = "urlset") -> bool:
        """Return whether a crawler may fetch a URL of the same site.

        The result is that of Google's parser, with one difference: a percent-encoded character
        equals the character itself, as RFC 9309 section 2.2.2 requires.
        """
        if self.state != "read":
            return self.state in ("absent", "refused")
        path = matcher.path_of(url)
        if path.partition("%3F")[0] == "/robots.txt":
            return True
        return self._compiled(agent)[1].allows(path)

    def patterns(self, agent: str = "urlset") -> list[Pattern]:
        """Return the patterns that apply to a crawler, those with precedence first.

        For callers that test many URLs at once. A URL that no disallowing pattern matches is
        allowed.
        """
        if self.state != "read":
            return []
        return [Pattern(rule.is_allowing, rule.text) for rule in self._compiled(agent)[0]]

    def crawl_delay_s(self, agent: str = "urlset") -> float:
        """Return the requested seconds between two requests; 0 if not specified."""
        if self.state != "read":
            return 0.0
        return self._groups.delay_s(self._groups.name_for(agent)) or 0.0

    @cached_property
    def _groups(self) -> matcher.Groups:
        return matcher.parse_groups(self.text)

    def _compiled(self, agent: str) -> tuple[list[matcher.CompiledRule], matcher.Matcher]:
        if agent not in self._matchers:
            rules = matcher.compile_rules(self._groups.rules(self._groups.name_for(agent)))
            self._matchers[agent] = rules, matcher.Matcher(rules)
        return self._matchers[agent]

    def __repr__(self) -> str:
        return f"<Robots {self.url} {self.state}: {len(self.sitemaps)} sitemaps>"


def robots_from_response(response: Response) -> Robots:
    """Return the robots.txt of a response, by its status and body (RFC 9309 section 2.3.1)."""
    status = response.status
    if response.has_document:
        return read_robots(response.body, response.url, response.headers.get("content-type"))
    is_partial = status is not None and 200 < status < 300 and status != 204
    if status is not None and status < 500 and status != 429 and not is_partial:
        # Also after too many redirects, which section 2.3.1.2 treats like 404.
        return Robots(response.url, state="absent" if status in _ABSENT else "refused")
    return Robots(response.url, state="unreachable", reason=response.message)


def read_robots(data: bytes, url: str, content_type: str | None = None) -> Robots:
    """Parse a robots.txt; invalid content does not raise.

    Sitemap lines are accepted in every syntax that sites use, also after the 500 KiB at which
    crawlers stop. R002, R003, R006 and R007 among ``problems`` report where crawlers may differ.

    >>> robots = read_robots(b"SITEMAP : /a.xml # main", "https://example.com/robots.txt")
    >>> robots.sitemaps, robots.problems[0].rule
    ((SitemapLine(url='https://example.com/a.xml', line=1),), 'robots-sitemap-relative')
    """
    problems: list[Problem] = []
    if len(data) > MAX_BYTES:
        problems.append(_problem("R006", f"{len(data):,}", MAX_BYTES, len(data), 0, 0))
    decoded = decode(with_utf16_bom(data), charset_of(content_type), engines.get(None).is_utf8)
    if bom_length(data):
        problems.append(_problem("R007", "it begins with a byte order mark", 0, 3, 1, 1))
    for mark in decoded.diagnostics:
        detail = mark.detail if mark.code == "X010" else f"it is in {mark.detail}"
        offset = source_offset(mark.offset, decoded.runs)
        problems.append(_problem("R007", detail, offset, offset + 1, 0, 0))
        break
    reader = _SitemapLines(url, is_html=decoded.text.lstrip().startswith(b"<"))
    for number, found in enumerate(_LINES.finditer(decoded.text), 1):
        line = found[1].decode(errors="replace").lstrip("\ufeff")
        offset, end = (source_offset(x, decoded.runs) for x in found.span(1))
        problems += reader.read(line, number, offset, end)
    text = decoded.text[:MAX_BYTES].decode(errors="replace").lstrip("\ufeff")
    sitemaps = tuple(SitemapLine(*pair) for pair in reader.sitemaps.items())
    return Robots(url, text=text, sitemaps=sitemaps, problems=tuple(problems))


class _SitemapLines:
    """Collector of the sitemaps that the lines of a robots.txt declare, each URL once."""

    def __init__(self, base: str, *, is_html: bool):
        self.sitemaps: dict[str, int] = {}
        self._base = base
        self._is_html = is_html

    def read(self, text: str, number: int, offset: int, end: int) -> Iterator[Problem]:
        if "map" not in text.lower() and "://" not in text:
            return
        found: list[str] = []
        for code, detail in self._fields(_COMMENT.sub("", text), found):
            shown = f"line {number}: {detail}" if code == "R003" else detail
            yield _problem(code, shown, offset, end, number, 1)
        for url in found:
            self.sitemaps.setdefault(url, number)

    def _fields(self, text: str, found: list[str]) -> Iterator[tuple[str, str]]:
        if self._is_html:
            parts = [text]
        else:
            parts = _INSIDE.split(text) if text.strip() else []
            if len(parts) > 1 and not parts[0].strip():
                del parts[0]
        for number, part in enumerate(parts):
            if field := _FIELD.fullmatch(part):
                if number:
                    yield "R003", "it begins in the middle of a line"
                yield from self._value(field[1], field[2], field[3], found)
            elif _BARE.fullmatch(part) and not self._is_html:
                yield "R003", 'a URL without "Sitemap:" before it'
                yield from self._urls(part, found)

    def _value(
        self, name: str, mark: str, text: str, found: list[str]
    ) -> Iterator[tuple[str, str]]:
        if name.lower() != "sitemap":
            yield "R003", f'the field is "{name}"; it must be "Sitemap"'
        if mark.strip() != ":" or text.startswith(":"):
            yield "R003", f'what follows "{name}" is not one ":"'
        yield from self._urls(text, found)

    def _urls(self, text: str, found: list[str]) -> Iterator[tuple[str, str]]:
        values = _MORE.split(text.lstrip(SPACE + ":=").rstrip(SPACE))
        if len(values) > 1:
            yield "R003", f"{len(values)} URLs on one line"
        for value in values:
            yield from self._url(value.strip(SPACE + ",;"), found)

    def _url(self, value: str, found: list[str]) -> Iterator[tuple[str, str]]:
        if len(value) > 1 and _QUOTES.get(value[0]) == value[-1]:
            yield "R003", f"{value[0]}{value[-1]} around the URL"
            value = value[1:-1].strip(SPACE)
        elif (bare := unwrap(value)) != value:
            yield "R003", f"{value[0]}{value[-1]} around the URL"
            value = bare
        if not value:
            yield "R002", ""
            return
        if "#" in value:
            yield "R003", '"#" begins a comment, so engines cut the URL there'
        # A single word (none, TBD) is not treated as a reference.
        base = self._base if "/" in value or "." in value else None
        url, issues = parse_url(value, base)
        codes = {issue.code: issue.detail for issue in issues}
        if "U001" in codes:
            yield "R002", value
        if "U002" in codes:
            yield "R003", f"scheme {codes['U002']} is not http or https"
        elif url is None and "U001" not in codes:
            yield "R003", f"not a URL: {value}"
        elif "U006" in codes:
            yield "R003", "white space in the URL"
        if url is not None:
            found.append(url)


def _problem(code: str, detail: str, offset: int, end: int, line: int, column: int) -> Problem:
    rule = RULES[code]
    message = rule.message(detail)
    return Problem(rule.name, code, rule.level, message, offset, end, line, column, detail)
