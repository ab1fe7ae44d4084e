"""Find the entries of a document that have no readable URL, and are omitted."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.document import Document
from urlset.engine_rules import RULES
from urlset.model import Problem
from urlset.urls import parse_url

_RELATIVE = "U001"
"""Code of a relative URL. With a base, most are resolved, and the entry is read."""

_LINE = "T001"
"""Code of a line of a list of URLs that is not a URL."""

_CODES = frozenset({"S007", "U002", "U015", _RELATIVE, _LINE})


def unreadable_entries(document: Document) -> Iterator[Problem]:
    r"""Yield the problem of each entry whose URL is missing or not readable.

    >>> from urlset import parse
    >>> [found.detail for found in unreadable_entries(parse(b"https://example.com/\nfoo\n"))]
    ['foo']
    """
    for problem in document.problems:
        if problem.code in _CODES and not _is_harmless(problem, document.base_url):
            yield problem


def _is_harmless(problem: Problem, base_url: str | None) -> bool:
    """Return whether a problem is a relative URL that is resolved, or a comment in a list."""
    if problem.code == _RELATIVE:
        return parse_url(problem.detail, base_url).url is not None
    return problem.code == _LINE and problem.detail.startswith("#")


def unreadable_count(document: Document) -> int:
    """Return the number of these entries; of relative URLs, at most 10,000 count."""
    count = sum(1 for _ in unreadable_entries(document))
    return count + sum(document.omitted.get(RULES[code].name, 0) for code in _CODES - {_RELATIVE})
