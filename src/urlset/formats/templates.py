"""Detect template files (Liquid, Jinja, PHP, ERB) from which sitemaps are generated.

In a repository of Jekyll `sitemap.xml` is a Liquid template. Read as a sitemap, its expressions
would be URLs, and a fix of them would break the site.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from urlset.formats.encoding import BOM
from urlset.protocol import PROLOG_LIMIT

__all__ = ["Template", "find_template"]

# https://jekyllrb.com/docs/front-matter/, https://gohugo.io/content-management/front-matter/
_FRONT_MATTER = re.compile(rb"(---|\+\+\+)[ \t]*\r?\n(?:.*\n)*?\1[ \t]*(?:\r?\n|$)")
_MARKS = (b"{{", b"{%", b"{#", b"<%", b"<?php", b"<?=")
# Statements. In a URL "{%" begins an encoded brace or quote: a statement begins with a word.
_STATEMENTS = {
    "PHP": re.compile(rb"<\?(?:php(?![\w.:-])|=)", re.IGNORECASE),
    "ASP, JSP or ERB": re.compile(rb"<%[-=@!#:]?"),
    "Liquid, Jinja or Twig": re.compile(
        rb"\{%[-+~]?\s*[A-Za-z_]\w*(?:\s|[-+~]?%\})|\{#[^#]{0,200}#\}", re.DOTALL
    ),
    "Liquid, Jinja, Go or Handlebars": re.compile(rb"\{\{"),
}
_EXPRESSION = re.compile(rb"\{\{|\{%[-+~]?\s*[A-Za-z_]|<%|<\?(?:php(?![\w.:-])|=)", re.IGNORECASE)
# Not structure: comments, sections, instructions of XML, the text of an element without
# children, and tags with their attributes.
_VALUE = re.compile(
    rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?(?!(?i:php)(?![\w.:-])|=).*?(?:\?>|$)"
    rb"|<(?P<name>[A-Za-z_][-.:\w]*)(?:\s[^<>]*)?>[^<]*</(?P=name)\s*>"
    rb"|</?[A-Za-z_][^<>]*>",
    re.DOTALL,
)
_LOC = re.compile(
    rb"<(?:[\w.-]+:)?(?:loc|link)(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[\s*)?(.{0,40})",
    re.IGNORECASE | re.DOTALL,
)


class Template(NamedTuple):
    """Language of a template and the span of bytes that shows it."""

    language: str
    offset: int
    end: int


def find_template(text: bytes) -> Template | None:
    r"""Return what makes a document a template; None if it is not a template.

    One of these in its first 64 KiB: front matter at the beginning; a statement or an
    expression between elements, not in the text of one or in a comment; or
    expressions with which most of the locs begin. An expression inside of a loc (``https://
    example.com/{{slug}}``) does not make a template: it is an invalid URL of a sitemap.

    >>> find_template(b"---\nlayout: null\n---\n<urlset></urlset>").language
    'front matter'
    >>> find_template(b"<urlset><url><loc>https://e.com/{{slug}}</loc></url></urlset>")
    """
    head = text[:PROLOG_LIMIT]
    start = len(head) - len(head.removeprefix(BOM).lstrip())
    if _FRONT_MATTER.match(head, start):
        return Template("front matter", start, start + 3)
    if not any(diagnostic in head for diagnostic in _MARKS):
        return None
    if not head.startswith((b"<", b"{{", b"{%", b"{#"), start):
        return None
    return _between_elements(head) or _instead_of_urls(head)


def _between_elements(head: bytes) -> Template | None:
    """Return the first statement or expression that is part of the structure."""
    structure = _VALUE.sub(lambda found: b" " * len(found[0]), head)
    found = [
        Template(language, match.start(), match.end())
        for language, pattern in _STATEMENTS.items()
        if (match := pattern.search(structure)) is not None
    ]
    return min(found, key=lambda template: template.offset, default=None)


def _instead_of_urls(head: bytes) -> Template | None:
    """Return the first expression if most locs begin with one."""
    locs = list(_LOC.finditer(head))
    begun = [match for loc in locs if (match := _EXPRESSION.match(head, loc.start(1)))]
    if not begun or 2 * len(begun) <= len(locs):
        return None
    return Template("expressions for URLs", *begun[0].span())
