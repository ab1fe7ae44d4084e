"""What is exactly as it was published: told by numbers of rows, so that only the rest is decided.

The familiar of the ledger were found by one join. Where nothing else could change what is decided
of them (the same rules, no evidence beside them), they are as they were, and stand in ``same``;
``fresh`` is what else was staged.
"""

from __future__ import annotations

from hashlib import blake2b

from urlset.builder.incremental import FAMILIAR
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.plausible_dates import EARLIEST
from urlset.builder.tables import TAKEN
from urlset.sources import EVIDENCE
from urlset.store import ScratchDatabase

__all__ = ["rules_of", "split"]

MAX_BITS = 1_000_000_000
"""The longest string of bits that DuckDB makes."""

_FRESH = f"""
CREATE TABLE fresh AS SELECT * FROM staged WHERE size IS NOT NULL OR reason IS NOT NULL
    OR id IN (SELECT id FROM {FAMILIAR} WHERE NOT is_same)"""
_SAME = f"""
CREATE VIEW same AS SELECT known FROM {FAMILIAR} WHERE is_same AND id NOT IN
    (SELECT id FROM fresh WHERE reason IS NOT NULL)"""
# Beware: count(DISTINCT …) takes ten times as long as to mark each in a string of bits.
_TWINS = """
SELECT (SELECT count(*) - {distinct} FROM same)
    + (SELECT count(*) - count(DISTINCT loc) FROM fresh)
    + (SELECT count(*) FROM fresh f JOIN {urls} u ON f.loc = u.loc JOIN same s ON s.known = u.rowid)
"""


def rules_of(settings: BuildOptions) -> str:
    """What decides of an entry beside what its sources say: when it changes, all are looked at."""
    rules = (settings.base, settings.lastmod, settings.sections, settings.filters, EARLIEST)
    return blake2b(repr(rules).encode(), digest_size=16).hexdigest()


def split(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> int | None:
    """Make the view ``same`` and the table ``fresh``; how many are the same, or None for neither.

    So it is where the rules are others, where a source says more than sitemaps do, or where a URL
    is listed twice.
    """
    if settings.compact or ledger.rules != rules_of(settings) or _has_evidence(bench, settings):
        return None
    bench.run(_FRESH)
    bench.run(_SAME)
    count, last = bench.one("SELECT count(*), max(known) FROM same")
    marked = f"bit_count(bitstring_agg(known, 0, {last}))" if count else "0"
    distinct = marked if (last or 0) < MAX_BITS else "count(DISTINCT known)"
    (twins,) = bench.one(_TWINS.format(urls=ledger.table("urls"), distinct=distinct))
    if twins:
        bench.run("DROP VIEW same")
        bench.run("DROP TABLE fresh")
        return None
    return int(count)


def _has_evidence(bench: ScratchDatabase, settings: BuildOptions) -> bool:
    """Whether there is a date, a fingerprint … of a page: `reason` and sections are looked at."""
    evidence = set(EVIDENCE) - {"reason", "section"} - set(settings.kept_columns)
    return not evidence.isdisjoint(bench.columns(TAKEN))
