"""Recognize a build whose rows and published files are all those of the last build.

Then nothing is read, rendered or published. Whatever could make a difference, such as another
option, a file that another program changed, or articles whose age counts, leads to a full build.
"""

from __future__ import annotations

from typing import NamedTuple

from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.publish import Published, is_stale, shape_of
from urlset.builder.resolve import rules_of
from urlset.builder.reuse import SourceReuse
from urlset.builder.sections import FileNames
from urlset.publisher import Target
from urlset.writer import stylesheet


class UnchangedSet(NamedTuple):
    """The published set, and what the last build reported about its rows."""

    published: Published
    warnings: list[str]


def unchanged_set(
    ledger: Ledger, reuse: SourceReuse, settings: BuildOptions, target: Target
) -> UnchangedSet | None:
    """Return the published set if a full build would publish it again; otherwise None."""
    if (
        ledger.is_new
        or settings.compact
        or settings.why
        or settings.changes
        or settings.excluded
        or settings.exclude_by_robots
        or settings.include_sitemaps
        or stylesheet.local_file_name(settings.stylesheet)
        or ledger.shape != shape_of(settings)
        or ledger.rules != rules_of(settings)
        or ledger.orphans()
    ):
        return None
    warnings = ledger.last_warnings()
    if warnings is None or not reuse.are_all_unchanged(settings):
        return None
    files, indexes = ledger.files(), list(ledger.indexes().values())
    if any(file.news for file in files):
        return None
    names = FileNames(settings).assign(files)
    existing = frozenset(target.names())
    named = [(file, names[file.number]) for file in files] + [(one, one.name) for one in indexes]
    if any(is_stale(file, name, target, existing) for file, name in named):
        return None
    return UnchangedSet(Published(files, indexes), warnings)
