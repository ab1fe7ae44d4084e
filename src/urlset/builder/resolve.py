"""What is to be published, decided in SQL: one row for each URL, its section and its ``lastmod``.

``given`` is what all sources together say of each URL; ``decided`` what of it is to be published;
``differing`` where that is not what the ledger has.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import blake2b

from urlset.builder.canonical_urls import GUESSED
from urlset.builder.incremental import portions_of, split
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.sections import SECTION, section_of
from urlset.dates import format_date
from urlset.errors import StoreError
from urlset.sources import GUESSES
from urlset.store import ScratchDatabase, quoted

__all__ = [
    "EARLIEST",
    "IS_CHANGED",
    "check_patterns",
    "exclusion_sql",
    "is_future",
    "is_plausible",
    "resolve",
    "rules_of",
    "sort_key",
]

_W3C = r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?"

_EVIDENCE = {
    "given": "g.lastmod_text",
    "page": "g.page_lastmod",
    "git": "g.git_lastmod",
    "header": "g.header_lastmod",
    "mtime": "g.mtime_lastmod",
}

# Beware: fifty million hashes are told apart in little memory, as many strings are not; and among
# so many some URLs have the hash of another one.
_TWINS = """
CREATE TABLE twins AS
SELECT loc, count(*) AS times FROM staged WHERE hash(loc) IN (
    SELECT hash(loc) AS h FROM staged GROUP BY h HAVING count(*) > 1)
GROUP BY loc HAVING count(*) > 1"""
# Beware: the rows of a source have no order, so that the same input in another order gives the
# same bytes. Of two rows of a source for one URL that differ, the least wins, whatever stands in
# it; of two dates that it gives, the latest. A date that cannot be true replaces none that can.
_MERGED = """
CREATE TABLE merged AS
WITH keyed AS (
    SELECT s.*, row(s.source, reason IS NOT NULL, coalesce(changefreq, '~'), coalesce(priority, 2),
        coalesce(more, '~'), size) AS rank
    FROM staged s SEMI JOIN twins t ON s.loc = t.loc)
SELECT loc, min(source) AS source, arg_min(id, rank) AS id,
    arg_min(lastmod_text, row({is_doubtful}, source,
        -epoch(try_cast(lastmod_text AS TIMESTAMPTZ)), lastmod_text)) AS lastmod_text,
    arg_min_null(changefreq, rank) AS changefreq, arg_min_null(priority, rank) AS priority,
    arg_min(size, rank) AS size, arg_min_null(more, rank) AS more,
    arg_min(place, rank) AS place, arg_min(line, rank) AS line,
    {evidence}
FROM keyed GROUP BY loc"""
_GIVEN = """
CREATE VIEW given AS
SELECT {columns} FROM staged s ANTI JOIN merged m ON s.loc = m.loc
UNION ALL SELECT {columns} FROM merged"""
# The dates of all sources, also those that `given` has no more.
_GIVEN_DATES = """
CREATE VIEW given_dates AS
SELECT loc, lastmod_text, reason FROM staged s ANTI JOIN merged m ON s.loc = m.loc
UNION ALL
SELECT DISTINCT m.loc, s.lastmod_text, m.reason FROM staged s JOIN merged m ON s.loc = m.loc"""
_GIVEN_DATES_ALONE = "CREATE VIEW given_dates AS SELECT loc, lastmod_text, reason FROM staged"
_ALONE = "CREATE VIEW given AS SELECT {columns} FROM staged"

_DECIDED = """
SELECT d.*, {lastmod} AS lastmod, {origin} AS lastmod_from
FROM (
    SELECT g.id, g.loc, {own}, coalesce(g.size, u.size) AS size, g.source, g.place, g.line,
        {section} AS section, {fingerprint} AS fingerprint, {content} AS content_lastmod,
        u.loc IS NOT NULL AS is_known, u.file AS old_file, u.lastmod AS old_lastmod,
        u.size AS old_size, u.first_seen, {adopted} AS adopted_lastmod, {old}, {evidence}
    FROM {given} g LEFT JOIN {urls} u ON g.loc = u.loc
    WHERE {wanted}) d"""

_ALL_NEW = """
CREATE VIEW differing AS SELECT *, 'added' AS state, true AS is_changed FROM decided"""
_DIFFERING = """
SELECT *, {is_changed} AS is_changed,
    CASE WHEN NOT is_known THEN 'added' WHEN section <> old_section OR {is_compacted} THEN 'moved'
        WHEN {is_changed} THEN 'changed' ELSE 'noted' END AS state
FROM ({rest}) d
WHERE {is_compacted} OR NOT is_known OR section <> old_section OR {is_changed} OR {is_noted}"""
# Beware: not in one statement with the other, which would take twice the memory.
_REMOVED = """
INSERT INTO differing BY NAME
SELECT loc, file AS old_file, lastmod AS old_lastmod, size AS old_size, true AS is_changed,
    'removed' AS state
FROM {urls} u WHERE NOT EXISTS (SELECT 1 FROM {given} g WHERE g.loc = u.loc AND {wanted}){others}"""
_IS_GUESS = f"coalesce(g.reason IN ({', '.join(map(quoted, (*GUESSES, *GUESSED)))}), true)"
_SEEN = ("lastmod", "changefreq", "priority", "more", "size")
_UNSEEN = ("fingerprint", "content_lastmod", "lastmod_from")
_OWN = ("changefreq", "priority", "more")
_REMEMBERED = (*_OWN, *_UNSEEN, "adopted_lastmod")
_SPARSE = (*_OWN, "fingerprint", *(column.removeprefix("g.") for column in _EVIDENCE.values()))


def rules_of(settings: BuildOptions) -> str:
    """What decides of an entry beside what its sources say: when it changes, all are looked at."""
    rules = (settings.base, settings.lastmod, settings.sections, settings.filters, EARLIEST)
    return blake2b(repr(rules).encode(), digest_size=16).hexdigest()


def check_patterns(bench: ScratchDatabase, settings: BuildOptions) -> None:
    """Raise ``ValueError`` for a pattern that is none, before anything is read."""
    section_of(settings)
    named = [(f"filter {n}", f.pattern) for n, f in enumerate(settings.filters, 1)]
    found = [(spec, SECTION.fullmatch(spec)) for spec in settings.sections]
    named += [(f"section {spec.partition('=')[0]}", match[2]) for spec, match in found if match]
    for what, pattern in named:
        try:
            bench.fetch_one(f"SELECT regexp_matches('', {quoted(pattern)})")
        except StoreError as error:
            raise ValueError(
                f"expected a regular expression (RE2) in {what}, found {pattern!r}: {error.detail}"
            ) from error


def resolve(
    bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions, *, is_familiar: bool
) -> int:
    """Make the views and tables of this module; gives how many rows were listed before.

    ``is_familiar`` says that it is known which rows the ledger has.
    """
    same = split(bench, ledger, settings, rules_of(settings)) if is_familiar else None
    doubles = _merge(bench, settings, is_single=same is not None)
    wanted = f"{exclusion_sql(settings)} IS NULL"
    words = {**_expressions(bench, ledger, settings), "wanted": wanted}
    bench.run(f"CREATE VIEW decided AS {_DECIDED.format(given='given', **words)}")
    if ledger.is_new:
        bench.run(_ALL_NEW)
        return doubles
    given = "given" if same is None else "fresh"
    made = "CREATE TABLE differing AS"
    for its_given, its_urls in portions_of(bench, given, ledger.table("urls")):
        query = _DIFFERING.format(
            rest=_DECIDED.format(given=its_given, **{**words, "urls": its_urls}),
            is_compacted="true" if settings.compact else "false",
            is_changed=IS_CHANGED,
            is_noted=_differ(_UNSEEN),
        )
        bench.run(f"{made} {query}")
        made = "INSERT INTO differing"
    (known,) = bench.fetch_one(
        f"SELECT count(*) - (SELECT count(*) FROM differing WHERE NOT is_known) FROM {given} g "
        f"WHERE {wanted}"
    )
    if known + (same or 0) < ledger.count():  # counting costs less than a join
        others = "" if same is None else " AND u.rowid NOT IN (SELECT known FROM same)"
        for its_given, its_urls in portions_of(bench, given, ledger.table("urls")):
            named = {**words, "given": its_given, "urls": its_urls}
            bench.run(_REMOVED.format(others=others, **named))
    return doubles


def _expressions(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> dict[str, str]:
    """What stands in the view ``decided``."""
    there = _filled(bench, "staged", _SPARSE)
    before = _filled(bench, ledger.table("urls"), _REMEMBERED)
    dates = {
        name: _believed(column, settings) if column[2:] in there else "NULL::VARCHAR"
        for name, column in _EVIDENCE.items()
    }
    columns = {name: f"d.{name}_date" for name in (*_EVIDENCE, "created")}
    columns["content"] = "d.content_lastmod"
    dates["created"] = _created(bench, ledger, settings)
    chosen: list[str] = [] if settings.is_text else list(settings.lastmod)
    if "content" in chosen and "adopted_lastmod" in before:  # the ledger knows it, the last of all
        columns["adopted"] = "d.adopted_lastmod"
        chosen.append("adopted")
    origins = "".join(f" WHEN {columns[name]} IS NOT NULL THEN {quoted(name)}" for name in chosen)
    old = (*_OWN, "section", *_UNSEEN)
    now = quoted(format_date(settings.now))
    has_content = "fingerprint" in there | before
    return {
        "lastmod": f"coalesce({', '.join(columns[name] for name in chosen)})"
        if chosen
        else "NULL::VARCHAR",
        "origin": f"CASE{origins} END" if origins else "NULL::VARCHAR",
        "own": ", ".join(f"g.{n}" if n in there else f"{_null(n)} AS {n}" for n in _OWN),
        "section": section_of(settings),
        "fingerprint": "coalesce(g.fingerprint, u.fingerprint)" if has_content else "NULL::VARCHAR",
        "content": f"CASE WHEN g.fingerprint <> u.fingerprint THEN {now} ELSE u.content_lastmod END"
        if has_content
        else "u.content_lastmod"
        if "content_lastmod" in before
        else "NULL::VARCHAR",
        "adopted": "u.adopted_lastmod" if "adopted_lastmod" in before else "NULL::VARCHAR",
        "old": ", ".join(
            f"{f'u.{n}' if n in before or n == 'section' else _null(n)} AS old_{n}" for n in old
        ),
        "evidence": ", ".join(f"{text} AS {name}_date" for name, text in dates.items()),
        "urls": ledger.table("urls"),
    }


def _created(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> str:
    """An expression: the build that listed a page first, unless it was the first one of all.

    What the first build lists was there before; nobody knows since when.
    """
    (first,) = bench.fetch_one(f"SELECT min(built_at) FROM {ledger.table('builds')}")
    if "created" not in settings.lastmod or first is None:
        return "NULL::VARCHAR"
    gone = f"(SELECT max(first_seen) FROM {ledger.table('gone')} w WHERE w.loc = g.loc)"
    now = f"TIMESTAMPTZ {quoted(format_date(settings.now))}"
    seen = f"coalesce(u.first_seen, if(u.loc IS NULL, coalesce({gone}, {now}), NULL))"
    text = f"strftime(make_timestamp(epoch_us({seen})), '%Y-%m-%dT%H:%M:%SZ')"
    return f"if({seen} > TIMESTAMPTZ {quoted(format_date(first))}, {text}, NULL)"


def _filled(bench: ScratchDatabase, table: str, columns: tuple[str, ...]) -> frozenset[str]:
    """The columns that hold anything at all: what is empty need not be carried along."""
    counts = bench.fetch_one(f"SELECT {', '.join(f'count({n}) > 0' for n in columns)} FROM {table}")
    return frozenset(name for name, is_there in zip(columns, counts, strict=True) if is_there)


def _null(name: str) -> str:
    return "NULL::DOUBLE" if name == "priority" else "NULL::VARCHAR"


def _differ(names: tuple[str, ...]) -> str:
    return "(" + " OR ".join(f"({n} IS DISTINCT FROM old_{n})" for n in names) + ")"


IS_CHANGED = _differ(_SEEN)
"""An expression: whether an entry of ``decided`` is not what was published."""


def exclusion_sql(settings: BuildOptions) -> str:
    """An expression of SQL: why a URL of ``given`` is left out, or null.

    A reason that is known counts before all filters, one that is a guess behind them.
    """
    cases = "".join(
        f" WHEN regexp_matches(g.loc, {quoted(rule.pattern)}) THEN "
        + ("NULL" if rule.action == "keep" else quoted(f"filter {n}: drop:{rule.pattern}"))
        for n, rule in enumerate(settings.filters, 1)
    )
    if not cases:
        return "g.reason"
    return f"CASE WHEN NOT {_IS_GUESS} THEN g.reason{cases} ELSE g.reason END"


def sort_key(settings: BuildOptions, loc: str = "loc") -> str:
    """An expression that puts URLs into the order of a file; what all begin with is passed over."""
    base = settings.base
    return f"(NOT starts_with({loc}, {quoted(base)})), substr({loc}, {len(base) + 1}), {loc}"


def _merge(bench: ScratchDatabase, settings: BuildOptions, *, is_single: bool) -> int:
    """Make ``given``: one row for each URL, of all that sources say; gives how many are merged.

    ``is_single`` says that none is listed twice.
    """
    texts = [
        "section", "reason", "fingerprint", "page_lastmod", "git_lastmod", "header_lastmod",
        "mtime_lastmod", *settings.kept_columns,
    ]  # fmt: skip
    own = ["loc", "source", "id", "lastmod_text", "changefreq", "priority", "size", "more", "place",
           "line"]  # fmt: skip
    columns = ", ".join(f'"{name}"' for name in dict.fromkeys([*own, *texts]))
    doubles = 0 if is_single else _find_twins(bench)
    if not doubles:
        bench.run(_ALONE.format(columns=columns))
        bench.run(_GIVEN_DATES_ALONE)
        return 0
    orders = {"reason": f"({_IS_GUESS.replace('g.reason', 'reason')}), "}  # what is known first
    for column in _EVIDENCE.values():
        orders[column[2:]] = f"({_believed(column[2:], settings)} IS NULL), "
    evidence = ", ".join(
        f'arg_min("{name}", row({orders.get(name, "")}source, "{name}")) AS "{name}"'
        for name in dict.fromkeys(texts)
    )
    is_doubtful = f"(NOT {is_plausible('lastmod_text', settings)})"
    bench.run(_MERGED.format(evidence=evidence, is_doubtful=is_doubtful))
    bench.run(_GIVEN.format(columns=columns))
    bench.run(_GIVEN_DATES)
    return doubles


def _find_twins(bench: ScratchDatabase) -> int:
    """Make ``twins``: the URLs that are listed more than once; gives how many rows are too many."""
    rows, hashes = bench.fetch_one("SELECT count(*), count(DISTINCT hash(loc)) FROM staged")
    if rows == hashes:
        return 0
    bench.run(_TWINS)
    (doubles,) = bench.fetch_one("SELECT coalesce(sum(times - 1), 0)::BIGINT FROM twins")
    return int(doubles)


def _believed(column: str, settings: BuildOptions) -> str:
    """A date that may be true: none of the future, none before 1995, and not without its day."""
    text = f"if({is_plausible(column, settings)}, {column}, NULL)"
    if column == _EVIDENCE["given"]:
        return text
    return f"if(regexp_full_match({column}, {quoted(_W3C)}), {text}, NULL)"


EARLIEST = "1995-01-02"
"""Dates before this one are the default value of some system; a day is left for time zones."""


def is_plausible(column: str, settings: BuildOptions) -> str:
    """Return an expression of SQL: whether a date has a day, and may be true."""
    return (
        f"({column} >= {quoted(EARLIEST)} AND strlen({column}) >= 10 "
        f"AND NOT {is_future(column, settings)})"
    )


def is_future(column: str, settings: BuildOptions) -> str:
    """Return an expression of SQL: whether a date is more than a day ahead."""
    latest = format_date(settings.now + timedelta(days=1))
    near = quoted(format_date(settings.now - timedelta(days=1)))  # most are before it
    return (
        f"({column} >= {near} AND coalesce(try_cast({column} AS TIMESTAMPTZ) > "
        f"TIMESTAMPTZ {quoted(latest)}, {column} >= {quoted(latest)}))"
    )
