"""The ledger after a publication: what differs from it is written into it, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from urlset.builder.ledger import File, Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.publish import Published, shape_of
from urlset.builder.unchanged_rows import rules_of
from urlset.dates import format_date
from urlset.publisher import Target
from urlset.store import ScratchDatabase, quoted

__all__ = ["Counts", "commit", "count_changes", "count_undated", "record_intent"]

_URL = """loc, {file} AS file, section, lastmod, lastmod_from, changefreq, priority, more, size,
fingerprint, content_lastmod, adopted_lastmod, coalesce(first_seen, {now}) AS first_seen"""
_FILE = "number section position name urls bytes packed_bytes news digest lastmod".split()
_INDEX = "name urls bytes packed_bytes digest lastmod".split()

_REMOVED = "SELECT loc FROM differing WHERE state = 'removed'"

FILES, ROWS = 256, 1_600_000
"""The most files, and about the most of their URLs, that one statement writes into the ledger."""

Range = tuple[int, tuple[int, int]]
Counts = Mapping[str, int]
"""How many URLs were ``added``, ``changed`` and ``removed``."""


def count_changes(bench: ScratchDatabase) -> Counts:
    """What the build makes of the set, URL by URL."""
    added, changed, removed = bench.one("""
        SELECT count(*) FILTER (state = 'added'),
            count(*) FILTER (state IN ('changed', 'moved') AND is_changed),
            count(*) FILTER (state = 'removed')
        FROM differing""")
    return {"added": added, "changed": changed, "removed": removed}


def count_undated(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> int:
    """How many URLs of the set have no ``lastmod`` afterwards, where the form has room for one."""
    if settings.is_text:
        return 0
    (before,) = bench.one(f"SELECT count(*) - count(lastmod) FROM {ledger.table('urls')}")
    (more,) = bench.one("""
        SELECT count(*) FILTER (state <> 'removed' AND lastmod IS NULL)
            - count(*) FILTER (state <> 'added' AND old_lastmod IS NULL) FROM differing""")
    return int(before + more)


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
        bench.fill(ledger.table("orphans"), [(name, settings.now) for name in names])


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
    if bench.one(f"SELECT count(*) FROM {gone}") != (0,):
        bench.run(
            f"UPDATE {urls} u SET first_seen = w.first_seen FROM {gone} w WHERE u.loc = w.loc"
        )
        bench.run(f"DELETE FROM {returned}")
    _write_files(bench, ledger, published)
    numbers = ", ".join(str(counts[name]) for name in ("added", "changed", "removed"))
    bench.run(f"DELETE FROM {ledger.table('orphans')}")
    bench.fill(ledger.table("orphans"), list(published.orphans.items()))
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
        bench.fill(ledger.table(table), [_values(file, fields) for file in files])


def _values(file: File, fields: list[str]) -> list[object]:
    return [getattr(file, name) for name in fields]
