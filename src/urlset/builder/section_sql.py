"""The sections of a set: which URL belongs to which, as an expression of SQL."""

from __future__ import annotations

import re

from urlset.builder.options import BuildOptions
from urlset.store import quoted

__all__ = ["SECTION", "section_of"]

SECTION = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
"""A section by a pattern: its name, and what is in its URLs."""


def section_of(settings: BuildOptions) -> str:
    """An expression for the section of a URL of ``g``: a word for names of files, or nothing.

    Raises ``ValueError`` for one that is no such thing.
    """
    cases, rest = [], ["g.section"]
    for spec in settings.sections:
        if spec.startswith("column:"):
            rest.append(f'g."{spec.removeprefix("column:")}"')
        elif found := SECTION.fullmatch(spec):
            cases.append(f"WHEN regexp_matches(g.loc, {quoted(found[2])}) THEN {quoted(found[1])}")
        else:
            raise ValueError(
                "expected a section as NAME=PATTERN, column:NAME or source, found "
                f"{spec!r}; blog=/blog/ puts every URL with /blog/ in it into that section"
            )
    word = f"coalesce({', '.join(rest)}, '')"
    slug = f"regexp_replace(lower({word}), '[^a-z0-9_-]+', '-', 'g')"
    # A word of no Latin letters is told apart by its digest.
    named = (
        f"if({word} <> '' AND trim({slug}, '-') = '', 's' || md5({word})[:8], trim({slug}, '-'))"
    )
    plain = named if settings.sections else "''"
    return f"CASE {' '.join(cases)} ELSE {plain} END" if cases else plain
