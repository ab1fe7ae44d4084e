"""Mends what a check found: small edits, each compared, and what was dropped is listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from urlset.checker.rule import Profile, Rule
from urlset.checker.rule_selection import MIN_PREFIX, catalogue_with, rules_named, selector
from urlset.errors import SourceError
from urlset.fixer.diff import unified_diff
from urlset.fixer.fix_document import Dropped
from urlset.fixer.fix_set import Fixed, FixedDocument, fix_set
from urlset.fixer.options import FixOptions
from urlset.fixer.replace_files import write_fixed
from urlset.model import Level
from urlset.protocol import READ_LIMIT
from urlset.reader import Source, document_source, is_url

__all__ = ["Dropped", "Fixed", "FixedDocument", "fix", "unified_diff", "write_fixed"]


def fix(
    source: Source,
    *,
    unsafe: bool = False,
    base: str | None = None,
    engine: str | None = None,
    limit_bytes: int = READ_LIMIT,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    profile: Profile | None = None,
    moment: datetime | None = None,
) -> Fixed:
    """Mend what :func:`urlset.check` would find, in memory: :func:`write_fixed` writes it.

    Fixes are safe ones: the document means what it meant, as every reader should have read it,
    and nothing but white space and comments is dropped. ``unsafe`` makes those, too, that take
    something for granted, or drop something. Only sitemaps are fixed: no file that has NUL bytes,
    that cannot be decoded, or that is something else by its content. What others may still read is
    removed only where ``select`` or ``extend_select`` names its rule. The other arguments are
    those of a check.

    Raises :class:`urlset.SourceError` where there is nothing to read, and for a URL, which
    cannot be written to; ``ValueError`` for a rule that there is not.

    >>> fixed = fix(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")
    >>> fixed.documents[0].after
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.com/?a&amp;b</loc></url></urlset>'
    """
    if is_url(source):
        raise SourceError(
            f"expected a file or a folder to fix, found a URL: {source}; save it as a file "
            "(curl -O), fix that, and publish it"
        )
    catalogue = catalogue_with(rules, levels)
    wanted = selector(
        select, ignore, extend_select, profile=profile, rules=catalogue, ignore_in=ignore_in
    )
    named = [name for name in (*(select or ()), *extend_select) if len(name.strip()) >= MIN_PREFIX]
    wishes = FixOptions(
        rules=catalogue,
        wanted=wanted,
        named={code for name in named for code in rules_named(name.strip(), catalogue)},
        is_unsafe=unsafe,
        moment=moment or datetime.now(UTC),
        engine=engine,
        limit=limit_bytes,
        profile=profile,
    )
    return fix_set(document_source(source, base, limit_bytes), wishes)
