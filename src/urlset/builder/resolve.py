"""Resolve the staged rows in SQL: one row per URL, its section, its ``lastmod``, its change.

``merged`` has what all sources together state about each URL, ``resolved`` what is to be published
of it, ``diff`` the rows of that which differ from the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from hashlib import blake2b

from urlset.builder.canonical_urls import CANONICAL_VERSION, GUESSED
from urlset.builder.incremental import partitions, split
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.provenance import Provenance
from urlset.builder.sections import SECTION, section_of
from urlset.builder.working_tables import (
    CHANGED_ROWS,
    DEDUPLICATED,
    DIFF,
    DUPLICATE_URLS,
    KNOWN_ROWS,
    MERGED,
    RESOLVED,
    SOURCE_DATES,
    STAGED,
    STAGED_WIDE,
)
from urlset.dates import W3C_DAY, format_date
from urlset.errors import StoreError
from urlset.option_names import option
from urlset.option_schema import options_of
from urlset.sources import GUESSES
from urlset.store import ScratchDatabase, quoted

_EVIDENCE = {
    "given": "g.lastmod_text",
    "page": "g.page_lastmod",
    "git": "g.git_lastmod",
    "header": "g.header_lastmod",
    "mtime": "g.mtime_lastmod",
}

# Note: 50 million hashes are compared in little memory, as many strings are not. Different URLs may
# have the same hash, so the second step compares the URLs.
_DUPLICATE_URLS = f"""
{DUPLICATE_URLS.create_table}
SELECT loc, count(*) AS times FROM staged WHERE hash(loc) IN (
    SELECT hash(loc) AS h FROM staged GROUP BY h HAVING count(*) > 1)
GROUP BY loc HAVING count(*) > 1"""
# Note: rows of a source have no order, so that the same input in another order produces the same
# bytes. Of two different rows of a source for one URL the smallest wins, whatever its values. Of
# two dates the latest wins. An implausible date never replaces a plausible one.
_DEDUPLICATED = (
    f"{DEDUPLICATED.create_table} "
    + """
WITH keyed AS (
    SELECT s.*, row(s.source, reason IS NOT NULL, coalesce(changefreq, '~'), coalesce(priority, 2),
        coalesce(more, '~'), size) AS rank
    FROM staged s SEMI JOIN duplicate_urls t ON s.loc = t.loc)
SELECT loc, min(source) AS source, if(min(source) = max(source), min(source), NULL) AS only_source,
    arg_min(id, rank) AS id,
    arg_min(lastmod_text, row({is_implausible}, source,
        -epoch(try_cast(lastmod_text AS TIMESTAMPTZ)), lastmod_text)) AS lastmod_text,
    arg_min_null(changefreq, rank) AS changefreq, arg_min_null(priority, rank) AS priority,
    arg_min(size, rank) AS size, arg_min_null(more, rank) AS more,
    arg_min(source_document, rank) AS source_document, arg_min(line, rank) AS line,
    {evidence}
FROM keyed GROUP BY loc"""
)
_MERGED = (
    f"{MERGED.create_view} "
    + """
SELECT {columns}, source AS only_source FROM staged s ANTI JOIN deduplicated m ON s.loc = m.loc
UNION ALL SELECT {columns}, only_source FROM deduplicated"""
)
# The dates of all sources, also those that `merged` does not contain.
_SOURCE_DATES = f"""
{SOURCE_DATES.create_view}
SELECT loc, lastmod_text, reason FROM staged s ANTI JOIN deduplicated m ON s.loc = m.loc
UNION ALL
SELECT DISTINCT m.loc, s.lastmod_text, m.reason
FROM staged s JOIN deduplicated m ON s.loc = m.loc"""
_SOURCE_DATES_SINGLE = f"{SOURCE_DATES.create_view} SELECT loc, lastmod_text, reason FROM {{rows}}"
_MERGED_SINGLE = f"{MERGED.create_view} SELECT {{columns}}, source AS only_source FROM staged"

_RESOLVED = """
SELECT d.*, {lastmod} AS lastmod, {origin} AS lastmod_from
FROM (
    SELECT g.id, g.loc, {own}, coalesce(g.size, u.size) AS size, g.source,
        g.source_document, g.line,
        {provenance} AS provenance, u.source AS old_provenance,
        {section} AS section, {fingerprint} AS fingerprint, {content} AS content_lastmod,
        u.loc IS NOT NULL AS is_known, u.file AS old_file, u.lastmod AS old_lastmod,
        u.size AS old_size, u.first_seen, {adopted} AS adopted_lastmod, {old}, {evidence}
    FROM {rows} g LEFT JOIN {urls} u ON g.loc = u.loc
    WHERE {is_included}) d"""

# What `_RESOLVED` finds for a row of `known_rows`, without a join.
_KNOWN = ", ".join(
    """id loc changefreq priority size source section fingerprint content_lastmod first_seen
    adopted_lastmod lastmod_from""".split()
)
_OLD_KNOWN = ", ".join(
    f"{name} AS old_{name}"
    for name in """file size changefreq priority section fingerprint content_lastmod
    lastmod_from""".split()
)
_RESOLVED_KNOWN = f"""
UNION ALL BY NAME SELECT {_KNOWN}, {_OLD_KNOWN}, true AS is_known, lastmod_text AS lastmod,
    lastmod_text AS old_lastmod, lastmod_text AS given_date, ledger_source AS provenance,
    ledger_source AS old_provenance FROM {KNOWN_ROWS}"""

_ALL_NEW = f"""
{DIFF.create_view} SELECT *, 'added' AS state, true AS is_changed FROM resolved"""
_DIFF = """
SELECT *, {is_changed} AS is_changed,
    CASE WHEN NOT is_known THEN 'added' WHEN section <> old_section OR {is_compacted} THEN 'moved'
        WHEN {differs} THEN 'changed' ELSE 'metadata' END AS state
FROM ({rest}) d
WHERE {is_compacted} OR NOT is_known OR section <> old_section OR {differs} OR {is_noted}"""
# Note: one statement for this and _DIFF would take twice the memory.
_REMOVED = """
INSERT INTO diff BY NAME
SELECT loc, file AS old_file, lastmod AS old_lastmod, size AS old_size, true AS is_changed,
    'removed' AS state
FROM {urls} u WHERE NOT EXISTS
    (SELECT 1 FROM {rows} g WHERE g.loc = u.loc AND {is_included}){others}"""
_IS_GUESS = f"coalesce(g.reason IN ({', '.join(map(quoted, (*GUESSES, *GUESSED)))}), true)"
_PUBLISHED = ("lastmod", "changefreq", "priority", "more", "size")
_LEDGER_ONLY = ("fingerprint", "content_lastmod", "lastmod_from")
_ENTRY = ("changefreq", "priority", "more")
_STORED = (*_ENTRY, *_LEDGER_ONLY, "adopted_lastmod")
_OPTIONAL = (*_ENTRY, "fingerprint", *(column.removeprefix("g.") for column in _EVIDENCE.values()))


RULES = tuple(
    {"base_url": "base", "lastmod": "evidence"}.get(each.name, each.name)
    for each in options_of("build")
    if each.decides == "rows" and each.name in BuildOptions.__dataclass_fields__
)
"""The settings that decide which rows of the sources are published, and with which date."""


def rules_of(settings: BuildOptions) -> str:
    """Return a digest of :data:`RULES`; if it changes, all entries are resolved again.

    It includes the names of the files, whose URLs are no pages, and the version of the rules.
    """
    names = (settings.name, settings.name_pattern, settings.format, settings.gzip)
    rules = (*(getattr(settings, name) for name in RULES), EARLIEST, CANONICAL_VERSION, names)
    return blake2b(repr(rules).encode(), digest_size=16).hexdigest()


def check_patterns(db: ScratchDatabase, settings: BuildOptions) -> None:
    """Raise ``ValueError`` for an invalid pattern, before anything is read."""
    section_of(settings)
    named = [(option("include"), pattern) for pattern in settings.include]
    named += [(option("exclude"), pattern) for pattern in settings.exclude]
    named += [(f"filter {n}", f.pattern) for n, f in enumerate(settings.filters, 1)]
    found = [(spec, SECTION.fullmatch(spec)) for spec in settings.sections]
    named += [(f"section {spec.partition('=')[0]}", match[2]) for spec, match in found if match]
    for what, pattern in named:
        try:
            db.fetch_one(f"SELECT regexp_matches('', {quoted(pattern)})")
        except StoreError as error:
            raise ValueError(
                f"expected a regular expression (RE2) in {what}, found {pattern!r}: {error.detail}"
            ) from error


def resolve(
    db: ScratchDatabase,
    ledger: Ledger,
    settings: BuildOptions,
    provenance: Provenance,
    *,
    is_matched: bool,
    has_known: bool,
) -> int:
    """Create the views and tables that decide about each URL; return the number of duplicates.

    ``is_matched`` states that ``ledger_matches`` exists, ``has_known`` that ``known_rows`` does.
    """
    unchanged = None
    if is_matched:
        unchanged = split(db, ledger, settings, rules_of(settings), has_known=has_known)
    is_divided = unchanged is not None and has_known
    # The dates of rows that the ledger has were plausible when they were published.
    dated = STAGED_WIDE.name if is_divided else STAGED.name
    duplicates = _deduplicate(db, settings, dated, is_unique=unchanged is not None)
    is_included = f"{exclusion_sql(settings)} IS NULL"
    expressions = _expressions(db, ledger, settings, provenance) | {"is_included": is_included}
    changed, known = MERGED.name, ""
    if is_divided:
        # No URL is listed twice, so that `merged` has the rows of `staged`.
        changed, known = f"(SELECT *, source AS only_source FROM {STAGED_WIDE})", _RESOLVED_KNOWN
    db.run(f"{RESOLVED.create_view} {_RESOLVED.format(rows=changed, **expressions)}{known}")
    if ledger.is_new:
        db.run(_ALL_NEW)
        return duplicates
    rows = MERGED.name if unchanged is None else CHANGED_ROWS.name
    noted = (*_LEDGER_ONLY, "provenance") if provenance.is_compared else _LEDGER_ONLY
    statement = DIFF.create_table
    for rows_part, urls_part in partitions(db, rows, ledger.table("urls")):
        query = _DIFF.format(
            rest=_RESOLVED.format(rows=rows_part, **{**expressions, "urls": urls_part}),
            is_compacted="true" if settings.compact else "false",
            is_changed=changed_sql(ledger, settings),
            differs=_differs_sql(_PUBLISHED),
            is_noted=_differs_sql(noted),
        )
        db.run(f"{statement} {query}")
        statement = f"INSERT INTO {DIFF}"
    (known,) = db.fetch_one(
        f"SELECT count(*) - (SELECT count(*) FROM diff WHERE NOT is_known) FROM {rows} g "
        f"WHERE {is_included}"
    )
    if known + (unchanged or 0) < ledger.count():  # counting costs less than a join
        others = " AND u.rowid NOT IN (SELECT ledger_row FROM unchanged_rows)"
        others = "" if unchanged is None else others
        for rows_part, urls_part in partitions(db, rows, ledger.table("urls")):
            named = {**expressions, "rows": rows_part, "urls": urls_part}
            db.run(_REMOVED.format(others=others, **named))
    return duplicates


def _expressions(
    db: ScratchDatabase, ledger: Ledger, settings: BuildOptions, provenance: Provenance
) -> dict[str, str]:
    """Return the SQL expressions of the view ``resolved``."""
    found = _own_expressions(db, ledger, settings)
    found["provenance"] = provenance.sql("g.only_source")
    if provenance.kept_source is None:
        return found
    for name, row, column in (
        ("lastmod", "d", "old_lastmod"),
        ("origin", "d", "old_lastmod_from"),
        ("section", "g", "section"),
        ("provenance", "g", "source"),
    ):
        published = f"u.{column}" if row == "g" else f"d.{column}"
        is_kept = f"{row}.source = {provenance.kept_source}"
        found[name] = f"CASE WHEN {is_kept} THEN {published} ELSE {found[name]} END"
    return found


def _own_expressions(db: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> dict[str, str]:
    present = _nonempty_columns(db, STAGED.name, _OPTIONAL)
    before = _nonempty_columns(db, ledger.table("urls"), _STORED)
    dates = {
        name: _plausible_or_null(column, settings) if column[2:] in present else "NULL::VARCHAR"
        for name, column in _EVIDENCE.items()
    }
    columns = {name: f"d.{name}_date" for name in (*_EVIDENCE, "created")}
    columns["content"] = "d.content_lastmod"
    dates["created"] = _created(db, ledger, settings)
    origins_in_order: list[str] = [] if settings.is_text else list(settings.evidence)
    if "content" in origins_in_order and "adopted_lastmod" in before:
        # A date of the ledger, used last.
        columns["adopted"] = "d.adopted_lastmod"
        origins_in_order.append("adopted")
    origins = "".join(
        f" WHEN {columns[name]} IS NOT NULL THEN {quoted(name)}" for name in origins_in_order
    )
    old = (*_ENTRY, "section", *_LEDGER_ONLY)
    now = quoted(format_date(settings.now))
    has_content = "fingerprint" in present | before
    return {
        "lastmod": f"coalesce({', '.join(columns[name] for name in origins_in_order)})"
        if origins_in_order
        else "NULL::VARCHAR",
        "origin": f"CASE{origins} END" if origins else "NULL::VARCHAR",
        "own": ", ".join(f"g.{n}" if n in present else f"{_null(n)} AS {n}" for n in _ENTRY),
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


def _created(db: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> str:
    """Return SQL for the time of the build that first listed a page; NULL for the first build.

    Pages of the first build existed before it; since when is unknown.
    """
    (first,) = db.fetch_one(f"SELECT min(built_at) FROM {ledger.table('builds')}")
    if "created" not in settings.evidence or first is None:
        return "NULL::VARCHAR"
    gone = f"(SELECT max(first_seen) FROM {ledger.table('gone')} w WHERE w.loc = g.loc)"
    now = f"TIMESTAMPTZ {quoted(format_date(settings.now))}"
    seen = f"coalesce(u.first_seen, if(u.loc IS NULL, coalesce({gone}, {now}), NULL))"
    text = f"strftime(make_timestamp(epoch_us({seen})), '%Y-%m-%dT%H:%M:%SZ')"
    return f"if({seen} > TIMESTAMPTZ {quoted(format_date(first))}, {text}, NULL)"


def _nonempty_columns(db: ScratchDatabase, table: str, columns: tuple[str, ...]) -> frozenset[str]:
    """Return the columns of a table that have any value; later stages skip empty ones."""
    counts = db.fetch_one(f"SELECT {', '.join(f'count({n}) > 0' for n in columns)} FROM {table}")
    return frozenset(name for name, is_there in zip(columns, counts, strict=True) if is_there)


def _null(name: str) -> str:
    return "NULL::DOUBLE" if name == "priority" else "NULL::VARCHAR"


def _differs_sql(names: tuple[str, ...]) -> str:
    return "(" + " OR ".join(f"({n} IS DISTINCT FROM old_{n})" for n in names) + ")"


def changed_sql(ledger: Ledger, settings: BuildOptions) -> str:
    """Return SQL: whether an entry of ``resolved`` is a change of the published one.

    Another format of the files changes the size of every entry, and lists of URLs have no metadata:
    the build with which it begins reports no changed URLs.
    """
    is_reformatted = ledger.format not in (None, settings.format)
    return "false" if is_reformatted else _differs_sql(_PUBLISHED)


def exclusion_sql(settings: BuildOptions) -> str:
    """Return SQL for the reason to exclude a URL of ``merged``, or null.

    A known reason has precedence over all filters; a guess comes after them.
    """
    cases = _filter_cases(settings, "g.loc")
    if not cases:
        return "g.reason"
    return f"CASE WHEN NOT {_IS_GUESS} THEN g.reason{cases} ELSE g.reason END"


def filter_sql(settings: BuildOptions, loc: str) -> str:
    """Return an SQL condition: ``include``, ``exclude`` and filters exclude a URL."""
    cases = _filter_cases(settings, loc)
    return f"(CASE{cases} END) IS NOT NULL" if cases else "false"


def _filter_cases(settings: BuildOptions, loc: str) -> str:
    """Return the branches of a CASE with the reason of the first filter that excludes a URL."""
    cases = "".join(
        f" WHEN {found} THEN {quoted(reason)}" for found, reason in _pattern_reasons(settings, loc)
    )
    return cases + "".join(
        f" WHEN regexp_matches({loc}, {quoted(rule.pattern)}) THEN "
        + ("NULL" if rule.action == "keep" else quoted(f"filter {n}: drop:{rule.pattern}"))
        for n, rule in enumerate(settings.filters, 1)
    )


def _pattern_reasons(settings: BuildOptions, loc: str) -> Iterator[tuple[str, str]]:
    """Yield SQL conditions on a URL that exclude it, with the reasons."""
    if settings.include:
        found = " OR ".join(f"regexp_matches({loc}, {quoted(p)})" for p in settings.include)
        yield f"NOT ({found})", "include: no match"
    for pattern in settings.exclude:
        yield f"regexp_matches({loc}, {quoted(pattern)})", f"exclude: {pattern}"


def sort_key(settings: BuildOptions, loc: str = "loc") -> str:
    """Return SQL for the order of URLs in a file; the common base is skipped."""
    base = settings.base
    return f"(NOT starts_with({loc}, {quoted(base)})), substr({loc}, {len(base) + 1}), {loc}"


def _deduplicate(
    db: ScratchDatabase, settings: BuildOptions, dated: str, *, is_unique: bool
) -> int:
    """Create ``merged``, one row per URL from all sources; return the number of duplicate rows.

    ``is_unique`` states that no URL is listed twice. ``dated`` has the rows whose dates may be
    implausible, if no URL is.
    """
    texts = [
        "section", "reason", "fingerprint", "page_lastmod", "git_lastmod", "header_lastmod",
        "mtime_lastmod", *settings.kept_columns,
    ]  # fmt: skip
    own = ["loc", "source", "id", "lastmod_text", "changefreq", "priority", "size", "more",
           "source_document", "line"]  # fmt: skip
    columns = ", ".join(f'"{name}"' for name in dict.fromkeys([*own, *texts]))
    duplicates = 0 if is_unique else _find_duplicates(db)
    if not duplicates:
        db.run(_MERGED_SINGLE.format(columns=columns))
        db.run(_SOURCE_DATES_SINGLE.format(rows=dated))
        return 0
    orders = {"reason": f"({_IS_GUESS.replace('g.reason', 'reason')}), "}  # known reasons first
    for column in _EVIDENCE.values():
        orders[column[2:]] = f"({_plausible_or_null(column[2:], settings)} IS NULL), "
    evidence = ", ".join(
        f'arg_min("{name}", row({orders.get(name, "")}source, "{name}")) AS "{name}"'
        for name in dict.fromkeys(texts)
    )
    is_implausible = f"(NOT {is_plausible('lastmod_text', settings)})"
    db.run(_DEDUPLICATED.format(evidence=evidence, is_implausible=is_implausible))
    db.run(_MERGED.format(columns=columns))
    db.run(_SOURCE_DATES)
    return duplicates


def _find_duplicates(db: ScratchDatabase) -> int:
    """Create ``duplicate_urls``, URLs in more than one row; return the number of extra rows."""
    rows, hashes = db.fetch_one("SELECT count(*), count(DISTINCT hash(loc)) FROM staged")
    if rows == hashes:
        return 0
    db.run(_DUPLICATE_URLS)
    (duplicates,) = db.fetch_one("SELECT coalesce(sum(times - 1), 0)::BIGINT FROM duplicate_urls")
    return int(duplicates)


def _plausible_or_null(column: str, settings: BuildOptions) -> str:
    """Return SQL for a date that is NULL if it is in the future, before 1995 or without a day."""
    text = f"if({is_plausible(column, settings)}, {column}, NULL)"
    if column == _EVIDENCE["given"]:
        return text
    return f"if(regexp_full_match({column}, {quoted(W3C_DAY)}), {text}, NULL)"


EARLIEST = "1995-01-01"
"""First day of dates, in UTC: earlier ones are the default value of some system (rule D008)."""


def is_plausible(column: str, settings: BuildOptions) -> str:
    """Return an SQL condition: a date has a day, and is neither too early nor in the future."""
    return (
        f"(NOT {is_early(column)} AND strlen({column}) >= 10 AND NOT {is_future(column, settings)})"
    )


def sources_with_future_dates(db: ScratchDatabase, settings: BuildOptions) -> set[int]:
    """Return the positions of sources with a date that is in the future now, but not for ever."""
    dates = " OR ".join(is_future(column[2:], settings) for column in _EVIDENCE.values())
    return {
        source - 1 for (source,) in db.rows(f"SELECT DISTINCT source FROM staged WHERE {dates}")
    }


def is_early(column: str) -> str:
    """Return an SQL condition: the date in a column is before :data:`EARLIEST`."""
    # Most dates are later; an offset moves a date by less than a day.
    return (
        f"({column} < '1995-01-02' AND coalesce(try_cast({column} AS TIMESTAMPTZ) < "
        f"TIMESTAMPTZ '{EARLIEST} 00:00:00+00', {column} < '1995'))"
    )


def is_future(column: str, settings: BuildOptions) -> str:
    """Return an SQL condition: the date in a column is more than a day after the build time."""
    latest = format_date(settings.now + timedelta(days=1))
    near = quoted(format_date(settings.now - timedelta(days=1)))  # most dates are earlier
    return (
        f"({column} >= {near} AND coalesce(try_cast({column} AS TIMESTAMPTZ) > "
        f"TIMESTAMPTZ {quoted(latest)}, {column} >= {quoted(latest)}))"
    )
