"""From a placing to what is published: files, indexes, and the ledger that remembers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from urlset.builder.allocation import Allocator
from urlset.builder.file_mark import MARK, marked
from urlset.builder.ledger import File, Ledger
from urlset.builder.names import FileNames
from urlset.builder.options import BuildOptions
from urlset.builder.render import FileRenderer, digest_of
from urlset.builder.reports import Counts
from urlset.builder.resolve import rules_of
from urlset.dates import format_date
from urlset.protocol import MAX_BYTES
from urlset.publisher import Target, expired_orphans, update_orphans
from urlset.store import ScratchDatabase, quoted
from urlset.writer.index import render_indexes

__all__ = ["commit", "record_intent"]

Listed = tuple[str, datetime | None]

__all__ = ["Published", "publish", "shape_of"]


@dataclass
class Published:
    """The set as it is staged: its files and indexes, and which of them are new (``changed``).

    ``besides`` are staged files that no index lists; ``retired`` will be taken away, ``orphans``
    wait for that since then.
    """

    files: list[File] = field(default_factory=list)
    indexes: list[File] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    retired: list[str] = field(default_factory=list)
    orphans: dict[str, datetime] = field(default_factory=dict)
    besides: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of all, the indexes last."""
        return [file.name for file in (*self.files, *self.indexes)]

    @property
    def new_names(self) -> list[str]:
        """What is staged, in the order in which it is to be seen: the indexes last."""
        return [*self.besides, *(name for name in self.names if name in self.changed)]


def publish(
    placing: Allocator,
    rendering: FileRenderer,
    ledger: Ledger,
    settings: BuildOptions,
    target: Target,
    progress: Callable[[str], None],
) -> Published:
    """Stage every file that is not as it is to be, and the indexes of all."""
    names = FileNames(settings)
    files = sorted(placing.files.values(), key=lambda file: (file.section, file.position))
    named = names.of(files)
    _date(placing, named, ledger)
    there = frozenset(target.names())
    is_other = ledger.shape != shape_of(settings)
    stale = {
        file.number
        for file in files
        if is_other or _is_stale(file, named[file.number], target, there)
    }
    made = {file.number: file for file in files}
    published = Published()
    wanted = placing.dirty & set(made) | stale
    for count, file in enumerate(rendering.render(placing, named, wanted), 1):
        made[file.number] = file
        progress(f"{count:,} of {len(wanted):,} files")
    published.files = [made[file.number] for file in files]
    if names.is_indexed(files):
        published.indexes = list(_indexes(published, names, rendering, ledger, settings))
    published.changed = rendering.made
    _retired(published, ledger, settings, target)
    return published


def _date(placing: Allocator, named: Mapping[int, str], ledger: Ledger) -> None:
    """Files packed anew have the dates of those of their names: true, if the bytes are the same."""
    if all(file.lastmod for file in placing.files.values()):
        return
    before = {file.name: file.lastmod for file in ledger.files()}
    for number, file in placing.files.items():
        placing.files[number] = replace(file, lastmod=file.lastmod or before.get(named[number]))


def shape_of(settings: BuildOptions) -> str:
    """What all files look like but for their entries: when it changes, all are written anew."""
    return f"2 {settings.format} {settings.stylesheet or ''}"


def _is_stale(file: File, name: str, target: Target, there: frozenset[str]) -> bool:
    """Whether what lies in the target is not what the ledger says, or not what is wanted.

    A bucket is believed: each file of it would have to be fetched.
    """
    if file.digest is None or file.name != name or name not in there:
        return True
    return not target.is_remote and digest_of(target.read(name) or b"") != file.digest


def _indexes(
    published: Published,
    names: FileNames,
    rendering: FileRenderer,
    ledger: Ledger,
    settings: BuildOptions,
) -> Iterator[File]:
    before = ledger.indexes()
    for section, files in _index_groups(published.files, settings):
        most = MAX_BYTES - len(MARK)
        made = render_indexes(files, settings.base, settings.stylesheet, max_bytes=most)
        for number, (data, count) in enumerate(made, 1):
            name = names.index(section, number)
            old = before.get(name)
            file = File(0, section, number, count, name=name)
            if old is not None:
                file = replace(file, lastmod=old.lastmod, digest=old.digest)
            yield rendering.stage(file, marked(data))


def _index_groups(files: list[File], settings: BuildOptions) -> Iterable[tuple[str, list[Listed]]]:
    groups: dict[str, list[Listed]] = {}
    for file in files:
        section = file.section if settings.index == "section" else ""
        groups.setdefault(section, []).append((file.name, file.lastmod))
    return groups.items()


def _retired(published: Published, ledger: Ledger, settings: BuildOptions, target: Target) -> None:
    """Note what was published and is no part of the set any more, indexes before their children.

    It is taken away once it has been so for as long as the grace of the settings.
    """
    kept = set(published.names)
    before = ledger.orphans()
    old = [*ledger.indexes(), *(file.name for file in ledger.files()), *before]
    there = set(target.names())
    names = [name for name in dict.fromkeys(old) if name not in kept and name in there]
    orphans = update_orphans(before, names, settings.now)
    published.retired = expired_orphans(orphans, settings.now, settings.grace)
    published.orphans = {n: since for n, since in orphans.items() if n not in published.retired}


_URL = """loc, {file} AS file, section, lastmod, lastmod_from, changefreq, priority, more, size,
fingerprint, content_lastmod, adopted_lastmod, coalesce(first_seen, {now}) AS first_seen"""
_FILE = "number section position name urls bytes packed_bytes news digest lastmod".split()
_INDEX = "name urls bytes packed_bytes digest lastmod".split()

_REMOVED = "SELECT loc FROM differing WHERE state = 'removed'"

FILES, ROWS = 256, 1_600_000
"""The most files, and about the most of their URLs, that one statement writes into the ledger."""

Range = tuple[int, tuple[int, int]]


def record_intent(
    bench: ScratchDatabase,
    ledger: Ledger,
    settings: BuildOptions,
    published: Published,
    target: Target,
) -> None:
    """Write into the ledger which files are about to appear, as orphans until they are no more.

    Of a build that is killed between the swap and its commit nothing else would tell whose they
    are: the next one takes away those that are no part of its set.
    """
    there = set(target.names())
    made = published.new_names[len(published.besides) :]
    names = [name for name in reversed(made) if name not in there]
    if not names:
        return
    with bench.transaction():
        bench.insert_rows(ledger.table("orphans"), [(name, settings.now) for name in names])


def commit(
    bench: ScratchDatabase,
    ledger: Ledger,
    settings: BuildOptions,
    published: Published,
    ranges: Mapping[int, tuple[int, int]],
    counts: Counts,
) -> None:
    """Write into the ledger what was decided; within a transaction."""
    now = f"TIMESTAMPTZ {quoted(format_date(settings.now))}"
    urls, gone, builds = (ledger.table(name) for name in ("urls", "gone", "builds"))
    if not ledger.is_new:
        bench.run(f"DELETE FROM {gone} WHERE loc IN ({_REMOVED})")
        bench.run(f"""
            INSERT INTO {gone}
            SELECT loc, fingerprint, first_seen, (SELECT max(built_at) FROM {builds}) FROM {urls}
            WHERE loc IN ({_REMOVED})""")
        bench.run(f"DELETE FROM {urls} WHERE loc IN (SELECT loc FROM differing)")
        stay = _URL.format(file="old_file", now=now)
        bench.run(f"""
            INSERT INTO {urls} BY NAME SELECT {stay} FROM differing
            WHERE state IN ('changed', 'noted')""")
    for some in _groups(sorted(ranges.items(), key=lambda item: item[1])):
        files = "".join(f" WHEN n <= {last} THEN {number}" for number, (_, last) in some)
        placed = _URL.format(file=f"CASE{files} END", now=now)
        with bench.unordered():
            bench.run(f"""
                INSERT INTO {urls} BY NAME SELECT {placed} FROM queue
                WHERE n BETWEEN {some[0][1][0]} AND {some[-1][1][1]}""")
    returned = f"{gone} WHERE loc IN (SELECT loc FROM differing WHERE state = 'added')"
    if bench.fetch_one(f"SELECT count(*) FROM {gone}") != (0,):
        bench.run(
            f"UPDATE {urls} u SET first_seen = w.first_seen FROM {gone} w WHERE u.loc = w.loc"
        )
        bench.run(f"DELETE FROM {returned}")
    _write_files(bench, ledger, published)
    numbers = ", ".join(str(counts[name]) for name in ("added", "changed", "removed"))
    bench.run(f"DELETE FROM {ledger.table('orphans')}")
    bench.insert_rows(ledger.table("orphans"), list(published.orphans.items()))
    total = sum(file.urls for file in published.files)
    bench.run(f"INSERT INTO {builds} VALUES ({now}, {total}, {numbers})")
    shape = quoted(shape_of(settings))
    rules = quoted(rules_of(settings))
    bench.run(f"UPDATE {ledger.table('settings')} SET shape = {shape}, rules = {rules}")


def _groups(ranges: list[Range]) -> Iterator[list[Range]]:
    """So many files that parts of tables are full, so few that their list is not long."""
    group: list[Range] = []
    for number, (first, last) in ranges:
        if group and (len(group) == FILES or last - group[0][1][0] >= ROWS):
            yield group
            group = []
        group.append((number, (first, last)))
    if group:
        yield group


def _write_files(bench: ScratchDatabase, ledger: Ledger, published: Published) -> None:
    for table, files, fields in (
        ("files", published.files, _FILE),
        ("indexes", published.indexes, _INDEX),
    ):
        bench.run(f"DELETE FROM {ledger.table(table)}")
        bench.insert_rows(ledger.table(table), [_values(file, fields) for file in files])


def _values(file: File, fields: list[str]) -> list[object]:
    return [getattr(file, name) for name in fields]
