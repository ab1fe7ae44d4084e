"""Fix the findings of a check by small edits, each verified; list all content that is dropped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from urlset.arguments import checked_arguments
from urlset.checker.rule import Rule
from urlset.checker.rule_selection import MIN_PREFIX, catalogue_with, rules_named, selector
from urlset.errors import SourceError
from urlset.fixer.fix_document import Dropped
from urlset.fixer.fix_set import Fixed, FixedDocument, SetFixer
from urlset.fixer.options import FixOptions
from urlset.fixer.output import unified_diff, write_fixed
from urlset.model import Level, ProgressEvent
from urlset.option_schema import Profile, check_options
from urlset.reader import Source, document_source, is_url

__all__ = ["Dropped", "Fixed", "FixedDocument", "fix", "unified_diff", "write_fixed"]


@checked_arguments
def fix(
    source: Source,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    unsafe: bool = False,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    profile: Profile | None = None,
    base_url: str | None = None,
    engine: str | None = None,
    max_bytes: int = 104_857_600,
    now: datetime | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Fixed:
    """Fix the findings of :func:`urlset.check` in memory; :func:`write_fixed` writes the result.

    By default only safe fixes are made: the document keeps its meaning, and only white space and
    comments are dropped. Only sitemaps are fixed. A file is never changed if it has NUL bytes,
    cannot be decoded, or is not a sitemap by its content.

    Args:
        source: File, folder, bytes or stream, as for :func:`urlset.read`; not a URL.
        unsafe: Also make fixes that rest on an assumption or drop content.
        select: Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that
            covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by
            default.
        ignore: Rules that are excluded.
        extend_select: Check these rules, too. Some rules are off by default.
        ignore_in: Rules that are not checked in some documents, by a pattern of their paths.
        levels: Levels of rules that differ from the catalogue, by rule.
        rules: Custom rules.
        profile: Check the rules of this search engine, too.
        base_url: URL at which the source is published: of the folder, or of the file. One that ends
            with / is the folder that contains the file.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        max_bytes: Maximum size of a decompressed document; the rest is not read.
        now: Current time; by default the clock's.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        The changed documents, the number of fixes by rule, what was dropped, and what was not
        fixed.

    Raises:
        SourceError: There is nothing to read, or the source is a URL, which cannot be written.
        ValueError: A rule does not exist.

    >>> fixed = fix(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")
    >>> fixed.documents[0].after
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.com/?a&amp;b</loc></url></urlset>'
    """
    if is_url(source):
        from urlset.http import without_secrets

        raise SourceError(
            f"expected a file or a folder to fix, found a URL: {without_secrets(source)}; save it "
            "as a file (curl -O), fix that, and publish it"
        )
    check_options("fix", locals())
    catalogue = catalogue_with(rules, levels)
    is_selected = selector(
        select, ignore, extend_select, profile=profile, rules=catalogue, ignore_in=ignore_in
    )
    named = [name for name in (*(select or ()), *extend_select) if len(name.strip()) >= MIN_PREFIX]
    options = FixOptions(
        rules=catalogue,
        is_selected=is_selected,
        named={code for name in {*named} for code in rules_named(name.strip(), catalogue)},
        is_unsafe=unsafe,
        now=now or datetime.now(UTC),
        engine=engine,
        max_bytes=max_bytes,
        profile=profile,
    )
    fixed = SetFixer(document_source(source, base_url, max_bytes), options, progress).fix()
    fixed.source = os.fsdecode(source) if isinstance(source, str | os.PathLike) else None
    return fixed
