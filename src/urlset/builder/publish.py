"""Publish a set: stage sitemaps, indexes, style sheet and robots.txt, and commit to the ledger."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from urlset.builder.allocation import Allocator
from urlset.builder.file_mark import MARK, digest_of, is_marked, marked
from urlset.builder.included_sitemaps import ListedSitemap
from urlset.builder.ledger import File, Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.render import FileRenderer
from urlset.builder.resolve import rules_of
from urlset.builder.result import Counts
from urlset.builder.sections import FileNames
from urlset.dates import format_date
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.formats.detect import has_sitemap_ending, sniff
from urlset.model import ProgressEvent
from urlset.protocol import MAX_BYTES, PROLOG_LIMIT
from urlset.publisher import Target, expired_orphans, update_orphans
from urlset.store import ScratchDatabase, quoted
from urlset.temp_files import (
    AtomicFile,
    expect_no_outside_link,
    expect_replaceable,
    write_error_reason,
)
from urlset.writer import stylesheet
from urlset.writer.file_set import render_indexes
from urlset.writer.robots_txt import with_sitemaps

Listed = tuple[str, datetime | None]


@dataclass
class Published:
    """Staged set: its files and indexes, and which of them are new (``changed``).

    ``companions`` are staged files that no index lists. ``retired`` are files to remove now,
    ``orphans`` files that wait for removal, with the time since when. ``included`` are sitemaps of
    other systems that the index lists.
    """

    files: list[File] = field(default_factory=list)
    indexes: list[File] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    retired: list[str] = field(default_factory=list)
    orphans: dict[str, datetime] = field(default_factory=dict)
    companions: list[str] = field(default_factory=list)
    included: list[ListedSitemap] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of all files, indexes last."""
        return [file.name for file in (*self.files, *self.indexes)]

    @property
    def new_names(self) -> list[str]:
        """The staged names in the order in which they become visible: indexes last."""
        return [*self.companions, *(name for name in self.names if name in self.changed)]


def publish(
    allocator: Allocator,
    renderer: FileRenderer,
    ledger: Ledger,
    settings: BuildOptions,
    target: Target,
    progress: Callable[[ProgressEvent], None],
    *,
    included: list[ListedSitemap],
) -> Published:
    """Stage every file whose published version is missing or outdated, and all indexes."""
    names = FileNames(settings)
    files = sorted(allocator.files.values(), key=lambda file: (file.section, file.position))
    names_by_number = names.assign(files)
    existing = frozenset(target.names())
    is_other = ledger.shape != shape_of(settings)

    def is_to_write(file: File) -> bool:
        return is_other or is_stale(file, names_by_number[file.number], target, existing)

    with ThreadPoolExecutor(DIGEST_THREADS) as pool:  # a digest releases the GIL
        found = itertools.compress(files, pool.map(is_to_write, files))
        stale = {file.number for file in found}
    staged = {file.number: file for file in files}
    published = Published(included=included)
    to_render = allocator.dirty & set(staged) | stale
    for count, file in enumerate(renderer.render(allocator, names_by_number, to_render), 1):
        staged[file.number] = file
        progress(ProgressEvent(documents=count, total=len(to_render)))
    published.files = [staged[file.number] for file in files]
    if names.is_indexed(files):
        published.indexes = list(stage_indexes(published, names, renderer, settings))
    published.changed = renderer.staged_names
    _retire(published, ledger, settings, target)
    return published


def shape_of(settings: BuildOptions) -> str:
    """Return a text that identifies the file format; if it changes, every file is rewritten.

    :attr:`Ledger.format` is its second word.
    """
    return f"2 {settings.format} {settings.stylesheet or ''}"


def is_stale(file: File, name: str, target: Target, existing: frozenset[str]) -> bool:
    """Return whether a published file is missing, renamed, or differs from the ledger.

    Files of a bucket are not compared, because each of them would have to be fetched.
    """
    if file.digest is None or file.name != name or name not in existing:
        return True
    return not target.is_remote and digest_of(target.read(name) or b"") != file.digest


def stage_indexes(
    published: Published, names: FileNames, renderer: FileRenderer, settings: BuildOptions
) -> Iterator[File]:
    """Stage the indexes of the files of a set; yield each."""
    for section, files in _index_groups(published, names, settings):
        most = MAX_BYTES - len(MARK)
        staged = render_indexes(files, "", settings.stylesheet, max_bytes=most)
        for number, (data, count) in enumerate(staged, 1):
            name = names.index(section, number)
            yield renderer.stage(File(0, section, number, count, name=name), marked(data))


def _index_groups(
    published: Published, names: FileNames, settings: BuildOptions
) -> Iterable[tuple[str, list[Listed]]]:
    """Return the URLs that the index of each section lists; of all sections, if it is one."""
    groups: dict[str, list[Listed]] = {}
    for file in published.files:
        section = file.section if settings.index == "section" else ""
        groups.setdefault(section, []).append((settings.base + file.name, file.lastmod))
    if published.included:
        # Another system may list this set: its files are listed once, and no index is.
        own = {file.name for file in published.files} | {
            names.index(key, 1) for key in (*groups, "")
        }
        others = [
            one for one in published.included if one.loc.removeprefix(settings.base) not in own
        ]
        groups.setdefault("", []).extend(others)
    return groups.items()


def _retire(published: Published, ledger: Ledger, settings: BuildOptions, target: Target) -> None:
    """Find published files that left the set; those after the grace period are to be removed.

    A file is removed once it has been outside of the set for the grace period, indexes before
    their children. A file with other content stays: the ledger may be that of a stranger.
    """
    kept = set(published.names)
    before = ledger.orphans()
    old = [*ledger.indexes(), *(file.name for file in ledger.files()), *before]
    existing = set(target.names())
    names = [name for name in dict.fromkeys(old) if name not in kept and name in existing]
    orphans = update_orphans(before, names, settings.now)
    expired = expired_orphans(orphans, settings.now, settings.grace)
    published.retired = [name for name in expired if _is_sitemap(name, target)]
    published.orphans = {name: since for name, since in orphans.items() if name not in expired}


def _is_sitemap(name: str, target: Target) -> bool:
    data = target.read(name) if has_sitemap_ending(name) else None
    return data is not None and (not data or sniff(data[:PROLOG_LIMIT]) is not None)


_URL = """loc, {file} AS file, section, lastmod, lastmod_from, changefreq, priority, more, size,
fingerprint, content_lastmod, adopted_lastmod, coalesce(first_seen, {now}) AS first_seen,
provenance AS source"""
_FILE = "number section position name urls bytes packed_bytes news digest lastmod".split()
_INDEX = "name urls bytes packed_bytes digest lastmod".split()

_REMOVED = "SELECT loc FROM diff WHERE state = 'removed'"
_STAYS = "state IN ('changed', 'metadata')"
_UPDATED = """section lastmod lastmod_from changefreq priority more size fingerprint content_lastmod
adopted_lastmod source""".split()

DIGEST_THREADS = min(os.cpu_count() or 1, 4)
"""Threads that compare published files with the ledger, each with one file in memory."""

MAX_UPDATES = 10_000
"""Maximum rows of the ledger that are updated in place; DuckDB keeps updates in memory."""

FILES, ROWS = 256, 1_600_000
"""Maximum files, and approximate maximum URLs, that one statement commits to the ledger."""

Range = tuple[int, tuple[int, int]]


def record_intent(
    db: ScratchDatabase,
    ledger: Ledger,
    settings: BuildOptions,
    published: Published,
    target: Target,
) -> None:
    """Record the names of the new files in the ledger before the swap, as orphans until the commit.

    If the build is killed between the swap and the commit, nothing else identifies them as ours:
    the next build removes those that are not in its set.
    """
    existing = set(target.names())
    staged = published.new_names[len(published.companions) :]
    names = [name for name in reversed(staged) if name not in existing]
    if not names:
        return
    with db.transaction():
        db.insert_rows(ledger.table("orphans"), [(name, settings.now) for name in names])


def commit(
    db: ScratchDatabase,
    ledger: Ledger,
    settings: BuildOptions,
    published: Published,
    ranges: Mapping[int, tuple[int, int]],
    counts: Counts,
    warnings: Sequence[str],
    *,
    has_kept: bool,
) -> None:
    """Write the resolved rows, files, counts and warnings to the ledger; within a transaction.

    ``has_kept`` is whether rows of the set before stay, because their source could not be read.
    """
    now = f"TIMESTAMPTZ {quoted(format_date(settings.now))}"
    urls, gone, builds = (ledger.table(name) for name in ("urls", "gone", "builds"))
    if not ledger.is_new:
        db.run(f"DELETE FROM {gone} WHERE loc IN ({_REMOVED})")
        db.run(f"""
            INSERT INTO {gone}
            SELECT loc, fingerprint, first_seen, (SELECT max(built_at) FROM {builds}) FROM {urls}
            WHERE loc IN ({_REMOVED})""")
        _commit_in_place(db, urls, now)
    for some in _groups(sorted(ranges.items(), key=lambda item: item[1])):
        files = "".join(f" WHEN n <= {last} THEN {number}" for number, (_, last) in some)
        placed = _URL.format(file=f"CASE{files} END", now=now)
        with db.unordered():
            db.run(f"""
                INSERT INTO {urls} BY NAME SELECT {placed} FROM new_rows
                WHERE n BETWEEN {some[0][1][0]} AND {some[-1][1][1]}""")
    returned = f"{gone} WHERE loc IN (SELECT loc FROM diff WHERE state = 'added')"
    if db.fetch_one(f"SELECT count(*) FROM {gone}") != (0,):
        db.run(f"UPDATE {urls} u SET first_seen = w.first_seen FROM {gone} w WHERE u.loc = w.loc")
        db.run(f"DELETE FROM {returned}")
    written = (("files", published.files, _FILE), ("indexes", published.indexes, _INDEX))
    for table, of_table, fields in written:
        db.run(f"DELETE FROM {ledger.table(table)}")
        rows = [[getattr(file, name) for name in fields] for file in of_table]
        db.insert_rows(ledger.table(table), rows)
    db.run(f"DELETE FROM {ledger.table('orphans')}")
    db.insert_rows(ledger.table("orphans"), list(published.orphans.items()))
    ledger.add_build(settings.now, published.files, counts, warnings)
    shape = quoted(shape_of(settings))
    rules = rules_of(settings)
    # Rows that other rules produced were not inspected: the next build resolves all of them.
    is_uniform = not has_kept or ledger.rules == rules
    stored = quoted(rules) if is_uniform else "NULL"
    db.run(f"UPDATE {ledger.table('settings')} SET shape = {shape}, rules = {stored}")


def _commit_in_place(db: ScratchDatabase, urls: str, now: str) -> None:
    """Write the rows that keep their file to the ledger, and remove those that leave theirs.

    A few are updated: a checkpoint after their removal may write a third of the ledger again.
    """
    rows = f"SELECT {_URL.format(file='old_file', now=now)} FROM diff WHERE {_STAYS}"
    (count,) = db.fetch_one(f"SELECT count(*) FROM diff WHERE {_STAYS}")
    if count > MAX_UPDATES:
        db.run(f"DELETE FROM {urls} WHERE loc IN (SELECT loc FROM diff)")
        db.run(f"INSERT INTO {urls} BY NAME {rows}")
        return
    if count:
        values = ", ".join(f"{name} = d.{name}" for name in _UPDATED)
        db.run(f"UPDATE {urls} u SET {values} FROM ({rows}) d WHERE u.loc = d.loc")
    if db.fetch_one(f"SELECT count(*) FROM diff WHERE NOT {_STAYS} AND old_file IS NOT NULL")[0]:
        db.run(f"DELETE FROM {urls} WHERE loc IN (SELECT loc FROM diff WHERE NOT {_STAYS})")


def _groups(ranges: list[Range]) -> Iterator[list[Range]]:
    """Group row ranges of files so that each group fills a row group of the ledger."""
    group: list[Range] = []
    for number, (first, last) in ranges:
        if group and (len(group) == FILES or last - group[0][1][0] >= ROWS):
            yield group
            group = []
        group.append((number, (first, last)))
    if group:
        yield group


_ENDINGS = (".xml", ".txt", ".xml.gz", ".txt.gz")

MAX_READ = 30
MAX_NOTES = 10
"""Maximum files with such a name that are looked at, and that are named."""

_PROBE = "https://example.com/sitemap.xml"


def stage_companion_files(published: Published, settings: BuildOptions, target: Target) -> None:
    """Stage the bundled style sheet, if the set uses it and it is not published yet."""
    name = stylesheet.local_file_name(settings.stylesheet)
    data = stylesheet.updated_content(target.read(name)) if name else None
    if name and data is not None:
        target.stage(name, data)
        published.companions.append(name)


def stage_copies(published: Published, names: Collection[str], target: Target) -> Iterator[str]:
    """Stage a copy of each file of another tool that is replaced; yield a note for each."""
    existing = set(target.names())
    for name in sorted(names):
        data = target.read(name)
        if data is None:
            continue
        for number in itertools.count(1):
            copy = f"{name}.bak{number if number > 1 else ''}"
            if copy not in existing:
                target.stage(copy, data)
                published.companions.append(copy)
                break
            if target.read(copy) == data:
                break
        yield f"{name} was not written by urlset and is replaced; {copy} is a copy of it"


def other_tool_notes(
    published: Published, settings: BuildOptions, engine: Engine, target: Target
) -> list[str]:
    """Return notes about sitemaps of other tools that remain in the folder of the set.

    Search engines that know their addresses continue to read them. The same document with another
    compression is not reported.
    """
    name = settings.name
    ours = {*published.names, *published.retired, *published.orphans, *published.companions}
    own = {name + ending for ending in _ENDINGS}
    is_other = _is_usual_name if name == "sitemap" else own.__contains__
    names = [one for one in target.names() if one not in ours and is_other(one)]
    foreign = [
        one
        for one in sorted(names, key=lambda one: (one not in own, one))[:MAX_READ]
        if not _is_same_document(one, published, engine, target)
        and (one in own or not _is_of_a_build(one, engine, target))
    ]
    return [
        f"{one} was written by another tool and remains next to this set, where it may still "
        "be read; remove it"
        for one in foreign[:MAX_NOTES]
    ] + [f"{len(foreign):,} sitemaps of another tool remain next to this set"] * (
        len(foreign) > MAX_NOTES
    )


def _is_usual_name(name: str) -> bool:
    """Return whether generators publish sitemaps under such a name.

    >>> _is_usual_name("page-sitemap.xml"), _is_usual_name("sitemap_index.xml.gz")
    (True, True)
    """
    name = name.lower()
    return "sitemap" in name and "/" not in name and name.endswith(_ENDINGS)


def _is_of_a_build(name: str, engine: Engine, target: Target) -> bool:
    """Return whether a file is of another set that urlset built."""
    data = _document(name, engine, target)
    return data is not None and is_marked(data)


def _is_same_document(name: str, published: Published, engine: Engine, target: Target) -> bool:
    other = name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz"
    if other not in published.names:
        return False
    document = _document(name, engine, target)
    return document is not None and document == _document(other, engine, target)


def _document(name: str, engine: Engine, target: Target) -> bytes | None:
    data = target.read(name)
    return engine.gunzip(data, MAX_BYTES) if data is not None and name.endswith(".gz") else data


def check_robots(path: Path, urls: Sequence[str] = (_PROBE,), *, target_name: str) -> None:
    """Check that robots.txt can be written with these URLs, before anything is published.

    ``target_name`` is where the set is published; its folder may be created by the first
    publication. Raises TargetError if the file cannot be written.
    """
    try:
        folder = path.parent
        expect_no_outside_link(path)
        expect_replaceable(path)
        if folder.is_file():
            raise NotADirectoryError
        if not folder.is_dir():
            if os.path.abspath(folder) != os.path.abspath(target_name):
                raise FileNotFoundError
        elif not os.access(folder, os.W_OK):
            raise PermissionError(None, f"its folder {str(folder)!r} may not be written")
        with_sitemaps(path.read_bytes() if path.exists() else None, urls)
    except OSError as error:
        reason = str(error) if isinstance(error, TargetError) else write_error_reason(path, error)
        raise TargetError(f"cannot write {path}: {reason}; nothing was published") from error


def write_robots(published: Published, settings: BuildOptions) -> bool:
    """Write the URLs of the indexes to robots.txt, between markers; return whether it changed.

    It is written after the publication, so that it never lists a missing file.
    """
    path = settings.robots
    assert path is not None  # only called if the option is set
    urls = sitemap_urls(published, settings)
    try:
        before = path.read_bytes() if path.exists() else None
        after = with_sitemaps(before, urls)
        if after == before:
            return False
        _replace(path, after)
    except OSError as error:
        if isinstance(error, TargetError):
            raise
        raise TargetError(
            f"cannot write {path}: {write_error_reason(path, error)}; the sitemaps are published"
        ) from error
    return True


def sitemap_urls(published: Published, settings: BuildOptions) -> list[str]:
    """Return the URLs to list in robots.txt: of the indexes, or else of the only file."""
    return [settings.base + file.name for file in published.indexes or published.files]


def _replace(path: Path, data: bytes) -> None:
    staged = AtomicFile(path, is_locked=True)
    try:
        with os.fdopen(staged.descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        staged.commit()
    finally:
        staged.discard()
