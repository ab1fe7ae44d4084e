"""Result of a build, and its reports: counts, changes, excluded URLs, explanations of URLs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.builder.canonical_urls import CanonicalUrls
from urlset.builder.json_forms import BuildJson, EntryValues, SetChange
from urlset.builder.ledger import File, Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import exclusion_sql
from urlset.dates import format_date
from urlset.errors import TargetError
from urlset.formats.detect import expect_no_store
from urlset.notebook import html_table
from urlset.result import Result
from urlset.store import ScratchDatabase, quoted
from urlset.temp_files import (
    AtomicFile,
    expect_replaceable,
    expect_writable,
    write_error_reason,
)
from urlset.terminal_text import escape_json, pluralize
from urlset.writer.result import PublishedFileJson, Rejection


@dataclass(frozen=True)
class BuiltFile:
    """File of the set; for an index, ``urls`` counts the listed sitemaps.

    ``bytes`` is the uncompressed size, as the protocol counts it, ``packed_bytes`` the published
    size. ``lastmod`` is when its bytes changed; ``changed`` says whether this build changed them.
    """

    name: str
    urls: int
    bytes: int
    packed_bytes: int
    lastmod: str
    changed: bool
    section: str = ""

    @classmethod
    def of(cls, file: File, *, changed: bool) -> BuiltFile:
        """Convert a file of the ledger to the file of a result."""
        assert file.lastmod is not None  # a published file has it
        lastmod, sizes = format_date(file.lastmod), (file.bytes, file.packed_bytes)
        return cls(file.name, file.urls, *sizes, lastmod, changed, file.section)


@dataclass(frozen=True, repr=False)
class Build(Result):
    """Result of a build.

    ``added``, ``changed`` and ``removed`` count URLs, compared with the ledger. ``rejected`` has
    the rows that cannot be written. ``excluded_counts`` counts excluded URLs by reason
    (``noindex``, ``filter 1: drop:/private/``), and ``excluded`` has the first of each reason
    (option ``excluded`` writes all of them to a file). ``undated`` counts URLs without a
    ``lastmod``; ``duplicates`` counts repeated rows. ``removed_files`` were removed, ``notes`` has
    further remarks, ``incomplete`` what could not be read. ``sources`` has the name and the type
    (``html``, ``table``, ``log``, …) of each source. ``reused`` has the names of those whose rows
    the last build has, so that they were not read again.
    """

    target: str
    base_url: str
    urls: int
    files: tuple[BuiltFile, ...]
    indexes: tuple[BuiltFile, ...]
    added: int
    changed: int
    removed: int
    rejected: tuple[Rejection, ...] = ()
    excluded_counts: Mapping[str, int] | None = None
    duplicates: int = 0
    removed_files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    undated: int = 0
    sources: tuple[tuple[str, str | None], ...] = ()
    reused: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs to list in robots.txt: of the indexes, or else of the only file."""
        base = self.base_url if self.base_url.endswith("/") else f"{self.base_url}/"
        return tuple(base + file.name for file in self.indexes or self.files)

    @property
    def changed_files(self) -> tuple[BuiltFile, ...]:
        """The files and indexes whose bytes changed."""
        return tuple(file for file in (*self.files, *self.indexes) if file.changed)

    def _repr_html_(self) -> str:
        """Return the counts and the first files as an HTML table, for notebooks."""
        columns = ("name", "urls", "bytes", "lastmod", "changed", "section")
        rows = ([getattr(file, name) for name in columns] for file in (*self.indexes, *self.files))
        return html_table(self.caption, columns, rows)

    @property
    def subject(self) -> str:
        """The target, as the end of a phrase."""
        return f"in {self.target!r}"

    @property
    def _totals(self) -> str:
        """Numbers of URLs and files, and what changed."""
        counts = f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed"
        files = len(self.files) + len(self.indexes)
        excluded = sum((self.excluded_counts or {}).values()) + len(self.rejected)
        return (
            f"{pluralize(self.urls, 'URL')} in {pluralize(files, 'file')}; "
            f"{counts}, {excluded:,} excluded"
        )

    def to_dict(self) -> BuildJson:
        """Return the result as plain data for JSON."""
        return {
            **super().to_dict(),
            "urls": self.urls,
            "files": [{**_file(file), "urls": file.urls} for file in self.files],
            "indexes": [{**_file(index), "sitemaps": index.urls} for index in self.indexes],
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "removed_files": list(self.removed_files),
            "rejected": [rejection._asdict() for rejection in self.rejected],
            "excluded_counts": dict(self.excluded_counts or {}),
            "undated": self.undated,
            "duplicates": self.duplicates,
            "notes": list(self.notes),
            "why": list(self.why),
        }


def _file(file: BuiltFile) -> PublishedFileJson:
    return {
        "name": file.name,
        "bytes": file.bytes,
        "packed_bytes": file.packed_bytes,
        "lastmod": file.lastmod,
        "changed": file.changed,
    }


Counts = Mapping[str, int]
"""Number of URLs that were ``added``, ``changed`` and ``removed``."""

MAX_EXAMPLES = 100
"""Maximum exclusions per reason in a result; the file has all of them."""


class Excluded(NamedTuple):
    """URL that is not listed: where its source lists it, and the reason.

    Attributes:
        url: The URL; empty for a rejected row without one.
        source: Document or source that lists it.
        line: Line in it, from 1.
        reason: Why it is not listed.
    """

    url: str
    source: str
    line: int | None
    reason: str


def count_excluded(db: ScratchDatabase, settings: BuildOptions) -> dict[str, int]:
    """Return the number of excluded URLs by the kind of reason, most frequent first."""
    return dict(
        db.rows(f"""
            SELECT {_kind(exclusion_sql(settings))}, count(*) FROM merged g
            WHERE {exclusion_sql(settings)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1""")
    )


def examples_of(
    db: ScratchDatabase, settings: BuildOptions, names: Sequence[str], counts: Mapping[str, int]
) -> tuple[Excluded, ...]:
    """Return the first excluded URLs for each reason in ``counts``, in that order."""
    if not counts:
        return ()
    rows = db.rows(f"""
        SELECT {_kind("e.reason")}, unnest(arg_min(e, e.loc, {MAX_EXAMPLES}), recursive := true)
        FROM ({_query(settings)} WHERE {exclusion_sql(settings)} IS NOT NULL) e GROUP BY 1""")
    order = {kind: number for number, kind in enumerate(counts)}
    rows.sort(key=lambda row: (order[row[0]], row[1].encode()))
    return tuple(_excluded(row[1:], names) for row in rows)


def write_excluded(
    db: ScratchDatabase,
    settings: BuildOptions,
    names: Sequence[str],
    rejected: Sequence[Rejection],
    path: Path,
) -> None:
    """Write all exclusions as JSON lines, by the names of their sources; rejected rows come last.

    Raises TargetError if the file cannot be written.
    """
    query = f"{_query(settings)} WHERE {exclusion_sql(settings)} IS NOT NULL ORDER BY loc"
    with _write_errors(path):
        expect_replaceable(path)
        expect_no_store(path)
        with AtomicFile(path, is_locked=True).writing() as file:
            for batch in db.batches(query):
                for row in rows_of(as_table(batch)):
                    file.write(_line(_excluded(row, names)._asdict()))
            for one in rejected:
                reason = f"refused: {one.reason}"
                excluded = Excluded(one.loc or "", one.source or "", one.line, reason)
                file.write(_line(excluded._asdict()))


def _line(values: Mapping[str, Any]) -> str:
    return escape_json(json.dumps(values, ensure_ascii=False)) + "\n"


def _query(settings: BuildOptions) -> str:
    reason = exclusion_sql(settings)
    return f"SELECT loc, source, source_document, line, {reason} AS reason FROM merged g"


def _excluded(row: Sequence[Any], names: Sequence[str]) -> Excluded:
    loc, source, document, line, reason = row
    return Excluded(loc, document or names[source - 1], line, reason)


def _kind(reason: str) -> str:
    """Return SQL for the kind of an exclusion: its reason without the URL at its end."""
    return f"regexp_replace({reason}, ': https?://.*$', '')"


_FIELDS = tuple(EntryValues.__annotations__)


def changes(db: ScratchDatabase) -> Iterator[SetChange]:
    """Yield each change of the set as a dict: ``change``, ``loc``, ``before`` and ``after``.

    ``before`` is null for an added URL, ``after`` for a removed one.
    """
    names = ", ".join([*(f"old_{name}" for name in _FIELDS), *_FIELDS])
    query = f"""
        SELECT if(state = 'moved', 'changed', state), loc, {names}
        FROM diff WHERE state IN ('added', 'removed')
            OR (state IN ('changed', 'moved') AND is_changed)
        ORDER BY loc"""
    for batch in db.batches(query):
        for change, loc, *values in rows_of(as_table(batch)):
            before, after = values[: len(_FIELDS)], values[len(_FIELDS) :]
            yield {
                "change": change,
                "loc": loc,
                "before": None if change == "added" else _values(before),
                "after": None if change == "removed" else _values(after),
            }


def _values(row: Sequence[Any]) -> EntryValues:
    lastmod, changefreq, priority = row
    return {"lastmod": lastmod, "changefreq": changefreq, "priority": priority}


@contextmanager
def changes_written(db: ScratchDatabase, path: Path | None) -> Iterator[None]:
    """Write the changes as JSON lines to a staged file, and replace ``path`` with it at the end.

    Note: this runs within the transaction of the ledger. After a kill in between, changes are
    reported again, not lost.

    Raises:
        urlset.TargetError: The file cannot be written; if possible, before anything is published.
    """
    if path is None:
        yield
        return
    with _write_errors(path):
        expect_replaceable(path)
        expect_no_store(path)
        staged = AtomicFile(path, is_locked=True)
    try:
        with _write_errors(path), os.fdopen(staged.descriptor, "w", encoding="utf-8") as file:
            file.writelines(map(_line, changes(db)))
        yield
        with _write_errors(path):
            staged.commit()
    finally:
        staged.discard()


def check_outputs(settings: BuildOptions, target_name: str) -> None:
    """Check that the changes and the exclusions can be written, before any source is read.

    ``target_name`` is where the set is published; its folder may be created by the first
    publication. Raises TargetError if one of them cannot be written.
    """
    for path in (settings.changes, settings.excluded):
        if path is None:
            continue
        folder = path.parent
        if not folder.exists() and os.path.abspath(folder) == os.path.abspath(target_name):
            continue
        with _write_errors(path):
            expect_writable(path)
            expect_no_store(path)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TargetError(f"cannot write {path}: {write_error_reason(path, error)}") from error


_STAGED = (
    "lastmod_text page_lastmod git_lastmod header_lastmod mtime_lastmod fingerprint reason"
).split()


def explain(
    db: ScratchDatabase,
    url: str,
    settings: BuildOptions,
    sources: Sequence[str],
    names: Mapping[int, str],
    ranges: Mapping[int, tuple[int, int]],
) -> Iterator[str]:
    """Explain why a URL is in the set, or is not, line by line."""
    loc = CanonicalUrls(settings).url(url)
    yield loc
    rows = db.rows(
        f"SELECT source, source_document, line, {', '.join(_STAGED)} FROM staged WHERE loc = ? "
        "ORDER BY source, id",
        [loc],
    )
    for source, document, line, *values in rows:
        where = f"{document}:{line}" if document and line else document or sources[source - 1]
        yield f"  found in {where}"
        for name, value in zip(_STAGED, values, strict=True):
            if value is not None:
                yield f"    {name.removesuffix('_text').replace('_', ' ')} {value}"
    if not rows:
        yield "  not in any source"
        return
    excluded = db.rows(f"SELECT {exclusion_sql(settings)} FROM merged g WHERE loc = ?", [loc])
    if excluded and excluded[0][0] is not None:
        yield f"  excluded: {excluded[0][0]}"
        return
    yield from _explain_included(db, loc, settings)
    number = _file_number(db, loc, ranges)
    if number is not None:
        yield f"  in {names[number]}"


def _explain_included(db: ScratchDatabase, loc: str, settings: BuildOptions) -> Iterator[str]:
    yield f"  included by {_rule(db, loc, settings)}"
    (row,) = db.rows(
        "SELECT lastmod, lastmod_from, section, is_known, old_lastmod, content_lastmod, "
        "if(length(lastmod) <= 10, left(content_lastmod, length(lastmod)) > lastmod, "
        "try_cast(content_lastmod AS TIMESTAMPTZ) > try_cast(lastmod AS TIMESTAMPTZ)) "
        "FROM resolved WHERE loc = ?",
        [loc],
    )
    lastmod, origin, section, is_known, before, changed, is_later = row
    chain = " > ".join(settings.evidence)
    if lastmod is None:
        yield f"  no lastmod: {f'no evidence from {chain}' if chain else 'dates are disabled'}"
    else:
        yield f"  lastmod {lastmod} by {origin}"
        yield (
            "    published before, and adopted without a ledger: there is no other evidence"
            if origin == "adopted"
            else f"    first available of {chain}"
        )
        if is_later and origin != "content":
            yield f"    note: its content changed later, {changed}"
    if section:
        yield f"  section {section}"
    yield f"  published before, lastmod {before or 'none'}" if is_known else "  new"


def _rule(db: ScratchDatabase, loc: str, settings: BuildOptions) -> str:
    for pattern in settings.include if not settings.filters else ():
        (found,) = db.fetch_one(f"SELECT regexp_matches(?, {quoted(pattern)})", [loc])
        if found:
            return f"include: {pattern}"
    for number, rule in enumerate(settings.filters, 1):
        (found,) = db.fetch_one(f"SELECT regexp_matches(?, {quoted(rule.pattern)})", [loc])
        if found:
            return f"filter {number}: {rule.action}:{rule.pattern}"
    return "default: no filter matches" if settings.filters else "default: there are no filters"


def _file_number(db: ScratchDatabase, loc: str, ranges: Mapping[int, tuple[int, int]]) -> Any:
    rows = db.rows("SELECT n FROM new_rows WHERE loc = ?", [loc])
    if rows:
        return next(n for n, (first, last) in ranges.items() if first <= rows[0][0] <= last)
    old = db.rows("SELECT old_file FROM resolved WHERE loc = ?", [loc])
    return old[0][0] if old else None


def count_changes(
    db: ScratchDatabase, ledger: Ledger, settings: BuildOptions
) -> tuple[Counts, int]:
    """Count the added, changed and removed URLs, and the URLs of the new set without ``lastmod``.

    The latter is 0 for a list of URLs.
    """
    undated, more = (0, "0") if settings.is_text else (ledger.count_undated(), _MORE_UNDATED)
    added, changed, removed, more = db.fetch_one(f"""
        SELECT count(*) FILTER (state = 'added'),
            count(*) FILTER (state IN ('changed', 'moved') AND is_changed),
            count(*) FILTER (state = 'removed'), {more}
        FROM diff""")
    return {"added": added, "changed": changed, "removed": removed}, undated + int(more)


_MORE_UNDATED = """count(*) FILTER (state <> 'removed' AND lastmod IS NULL)
    - count(*) FILTER (state <> 'added' AND old_lastmod IS NULL)"""
