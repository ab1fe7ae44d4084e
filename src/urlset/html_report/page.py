"""Compose the report: one HTML file without requests, within fixed limits of size."""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from urlset.errors import TargetError
from urlset.formats.detect import expect_no_store
from urlset.html_report.charts import Segment, StackedRow, diverging_bars, legend, stacked_bars
from urlset.html_report.findings import (
    LEVELS,
    Detail,
    are_findings_first,
    findings_section,
    first_steps,
    sql_block,
)
from urlset.html_report.model import Figure, LastmodTrial, ReportInput, RuleChange, SourceFigures
from urlset.html_report.tables import number_table, packed_data
from urlset.html_report.text import code_block, safe, share, unbroken_dates, untrusted, web_url
from urlset.option_names import is_command, option
from urlset.temp_files import AtomicFile, expect_replaceable, expect_writable, write_error_reason
from urlset.terminal_text import pluralize

MAX_HTML_BYTES = 300_000
"""Maximum size of the page without the compressed examples."""

_ORDER = (
    "depths verdicts folders sections-of-changes patterns "
    "sections-of-files changes funnel coverage weak-links speed languages dates trial "
    "days-new days-removed days-changed bands rates alerts".split()
)
"""Order of the figures, before those that are not named here: narrow ones follow each other,
because two of them share a row."""

_FLEXIBLE = ("dates", "trial")  # wide figures that can be narrow


_DATA_SUFFIXES = frozenset(
    ".arrow .csv .db .duckdb .feather .gz .json .jsonl .md .ndjson .parquet .sarif .sqlite "
    ".toml .tsv .txt .warc .xlsx .xml .yaml .yml .zip .zst".split()
)
"""Suffixes of files that are no HTML."""

_DETAILS = (Detail(10, 100, True), Detail(5, 20, True), Detail(5, 10, False), Detail(2, 5, False))
_LEAST = Detail(0, 0, False)


def html_report(report: ReportInput) -> str:
    """Return the report as one HTML document.

    It is at most 300 kB plus 1.5 MB of compressed examples: the more rules have findings, the
    fewer examples of each are kept. It sends no requests, and shows foreign text as text only.
    """
    for detail in (*_DETAILS, _LEAST):
        body = _body(report, detail)
        if len(body.encode(errors="replace")) <= MAX_HTML_BYTES - 40_000:  # style and script
            break
    data, _ = packed_data(report.log, detail.examples)
    return _document(f"{report.kind.capitalize()} of {safe(report.site, 100)}", body, data)


def write_html_report(report: ReportInput, path: str | os.PathLike[str]) -> None:
    """Write the report to a file, which is replaced atomically.

    Raises:
        urlset.TargetError: The file cannot be written.
        ValueError: The file has the suffix of a data format.
    """
    expect_html_suffix(path)
    text = html_report(report)
    with _map_errors(path):
        expect_replaceable(Path(path))
        expect_no_store(Path(path))
        with AtomicFile(Path(path)).writing(errors="replace") as file:
            file.write(text)


def expect_report_target(path: str | os.PathLike[str]) -> None:
    """Fail if a report cannot be written to a path; called before long work.

    Raises:
        urlset.TargetError: The file cannot be written.
        ValueError: The file has the suffix of a data format.
    """
    expect_html_suffix(path)
    with _map_errors(path):
        expect_writable(Path(path))
        expect_no_store(Path(path))


def expect_html_suffix(path: str | os.PathLike[str], name: str = "report") -> None:
    """Raise ``ValueError`` for a report with the suffix of another format than HTML.

    Args:
        path: The file of the report.
        name: The argument or option that names it.

    >>> expect_html_suffix("r.html"), expect_html_suffix("r")
    (None, None)
    >>> expect_html_suffix("r.csv")
    Traceback (most recent call last):
    ValueError: report: expected another suffix for html, found 'r.csv'; use 'r.html'
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in _DATA_SUFFIXES:
        return
    other = str(file.with_suffix(".html"))
    advice = shlex.quote(other) if is_command() else repr(other)
    json = option("format", "json") if is_command() else ".to_dict() of the result"
    raise ValueError(
        f"{name}: expected another suffix for html, found {str(file)!r}; use {advice}"
        + (f"; {json} has it as JSON" if suffix == ".json" else "")
    )


@contextmanager
def _map_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = write_error_reason(path, error)
        raise TargetError(f"cannot write the report {os.fspath(path)!r}: {why}") from error


def _document(title: str, body: str, data: str) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="data">"{data}"</script>
<script>{script}</script>
</body>
</html>
"""


@cache
def _asset(name: str) -> str:
    return files("urlset.html_report").joinpath(name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _version() -> str:
    try:
        return version("urlset")
    except PackageNotFoundError:  # a checkout that is not installed
        return ""


def _body(report: ReportInput, detail: Detail) -> str:
    charts = [*_source_parts(report)]
    findings = [] if report.kind == "crawl" else [*findings_section(report, detail)]
    tables = [*_section_tables(report)]
    parts = [
        _HATCH,
        _header(report),
        "<main>",
        *(tables if report.kind == "report" else ()),
        *((*findings, *charts) if are_findings_first(report) else (*charts, *findings)),
        *(tables if report.kind != "report" else ()),
        "</main>",
        _footer(report, detail),
    ]
    return "\n".join(parts)


_HATCH = (
    '<svg width="0" height="0" class="hidden" aria-hidden="true"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/>'
    '<rect class="hatch-line" width="2.5" height="6"/></pattern></defs></svg>'
)


def _header(report: ReportInput) -> str:
    site = escape(safe(report.site, 100))
    if url := web_url(report.site):
        site = f'<a href="{escape(url)}" rel="noreferrer">{site}</a>'
    sentence = report.sentence or _sentence(report)
    notes = [*report.notes]
    if len(report.sources) == 1:
        notes += report.sources[0].notes
    noted = "".join(f"<p>{_unbroken(escape(safe(note, 500)))}</p>" for note in notes)
    links = [("charts", "Charts")] if report.sources else []
    if report.kind != "crawl":  # a crawl evaluates no rules
        at = 0 if are_findings_first(report) else len(links)
        links.insert(at, ("findings", "Changes" if report.kind == "diff" else "Findings"))
    if any(source.sections for source in report.sources):
        at = 0 if report.kind == "report" else len(links)
        links.insert(at, ("sections", _sections_title(report)))
    links.append(("about", "About"))
    menu = "".join(f'<li><a href="#{key}">{text}</a></li>' for key, text in links)
    return (
        f'<header><div class="top"><p class="eyebrow"><b>urlset {report.kind}</b> '
        f"<bdi>{site}</bdi> "
        f'<time datetime="{report.moment.isoformat(timespec="seconds")}">{_when(report.moment)}'
        f'</time></p><nav aria-label="Contents"><ul>{menu}</ul></nav></div>'
        + _headline(sentence, report.kind)
        + first_steps(report)
        + (f'<div class="notes">{noted}</div>' if noted else "")
        + "</header>"
    )


def _headline(sentence: str, kind: str) -> str:
    """Return the first clause as the heading, and of an audit the others below it."""
    clause, mark, rest = sentence.partition("; ") if kind == "audit" else (sentence, "", "")
    if not mark:
        return f"<h1>{_unbroken(escape(safe(sentence, 500)))}</h1>"
    return (
        f"<h1>{_unbroken(escape(safe(clause, 500)))}.</h1>"
        f'<p class="rest">{_unbroken(escape(safe(rest[:1].upper() + rest[1:], 800)))}</p>'
    )


def _unbroken(text: str) -> str:
    """Return HTML whose dates, and numbers with their percent sign, stay on one line."""
    return unbroken_dates(text.replace(" %", "\N{NARROW NO-BREAK SPACE}%"))


def _sentence(report: ReportInput) -> str:
    """Return the first sentence: that of the only source, or the number of findings."""
    counts = [sum(levels[level] for levels in report.log.levels.values()) for level, _ in LEVELS]
    if len(report.sources) == 1 and report.sources[0].is_live:
        return report.sources[0].sentence
    words = (("error", "errors"), ("warning", "warnings"), ("info", "info"))
    found = [pluralize(count, *pair) for count, pair in zip(counts, words, strict=True) if count]
    where = f"{pluralize(len(report.sources), 'source')} checked"
    if len(report.sources) == 1:
        where = report.sources[0].sentence
    return f"{where}: {', '.join(found) or 'no findings'}."


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}".replace(" ", "\N{NO-BREAK SPACE}")


def _when(moment: datetime) -> str:
    zone = " UTC" if moment.utcoffset() is not None and not moment.utcoffset() else ""
    return f"{_day(moment)}, {moment:%H:%M}{zone}".replace(" ", "\N{NO-BREAK SPACE}")


def _source_parts(report: ReportInput) -> Iterator[str]:
    """Yield the HTML of the numbers and charts of each source."""
    extra = [*_lastmod_figures(report.lastmod_trial, report.lastmod_sql), *_change_figures(report)]
    if not report.sources and not extra:
        return
    yield '<section id="charts" aria-label="Charts">'
    for source in report.sources:
        is_last = source is report.sources[-1]
        if len(report.sources) > 1:
            yield f'<h2 class="source">{untrusted(source.name)}</h2>'
            yield f'<p class="lead">{escape(source.sentence)}.</p>'
        else:
            yield '<h2 class="hidden">Charts</h2>'
        yield _numbers(source)
        figures = _arranged([*source.figures, *(extra if is_last else [])])
        suffix = "" if len(report.sources) == 1 else f"-{report.sources.index(source) + 1}"
        yield '<div class="grid">'
        yield from (_figure(figure, suffix) for figure in figures)
        yield "</div>"
    yield "</section>"


def _arranged(figures: Sequence[Figure]) -> list[Figure]:
    """Sort figures in the order of the report; make narrow ones share a row.

    A narrow one without a neighbor shares its row with a wide one that can be narrow, or is wide.
    """
    places = {key: place for place, key in enumerate(_ORDER)}
    found = sorted(figures, key=lambda figure: places.get(figure.key, len(_ORDER)))
    at = 0
    while at < len(found):
        if found[at].is_wide:
            at += 1
            continue
        following = found[at + 1] if at + 1 < len(found) else None
        if following is not None and (not following.is_wide or following.key in _FLEXIBLE):
            found[at + 1] = following._replace(is_wide=False)
            at += 2
        else:
            found[at] = found[at]._replace(is_wide=True)
            at += 1
    return found


def _numbers(source: SourceFigures) -> str:
    items = "".join(
        f'<div class="{escape(role) or "neutral"}"><dt>{escape(label)}</dt>'
        f"<dd>{escape(number)}</dd></div>"
        for label, number, role in source.numbers
    )
    return f'<dl class="numbers">{items}</dl>{sql_block("SQL of these numbers", source.sql)}'


def _figure(figure: Figure, suffix: str) -> str:
    key = f"{figure.key}{suffix}"
    wide = " wide" if figure.is_wide else ""
    chart = figure.chart
    if "<table" not in chart:  # a matrix is a table already
        chart = f'<div class="chart" role="img" aria-labelledby="{key}-title">{chart}</div>'
    return (
        f'<figure class="card{wide}" id="{key}" aria-labelledby="{key}-title">'
        f'<figcaption><h3 id="{key}-title">{_unbroken(escape(figure.title))}</h3>'
        f"<p>{_unbroken(escape(figure.about))}</p></figcaption>{chart}"
        f"<details><summary>Numbers and SQL</summary>"
        f"{number_table(figure.columns, figure.rows)}{code_block(figure.sql)}</details></figure>"
    )


_TRIAL = (
    ("fine", "truthful"),
    ("redirect", "late"),
    ("not-indexable", "early"),
    ("error", "invented"),
    ("unknown", "not known"),
)


def _lastmod_figures(trial: Sequence[LastmodTrial], sql: str) -> Iterator[Figure]:
    if not trial:
        return
    rows = sorted(trial, key=lambda row: -(row.dates + row.unknown))[:12]
    truthful = sum(row.truthful for row in trial)
    judged = sum(row.dates for row in trial)
    title = "No date could be compared with its page"
    if judged:
        title = f"{share(truthful, judged)} of the dates that could be compared are truthful"
    drawn = []
    for row in rows:
        parts = [Segment(role, value) for (role, _), value in zip(_TRIAL, row[2:], strict=True)]
        note = share(row.truthful, row.dates) if row.dates else "–"
        drawn.append(StackedRow(row.section, parts, note))
    yield Figure(
        "trial",
        title,
        "lastmod against the Last-Modified header, the date on the page, and changes of the "
        "content since the previous audit. At the end of each bar: the share of truthful dates.",
        stacked_bars(drawn, _TRIAL),
        ("section", *(label for _, label in _TRIAL)),
        [(row.section, *row[2:]) for row in trial[:200]],
        sql,
        True,
    )


def _change_figures(report: ReportInput) -> Iterator[Figure]:
    if report.changes is None:
        return
    changes = [row for row in report.changes if row.new or row.fixed]
    new, fixed = (sum(getattr(row, name) for row in report.changes) for name in ("new", "fixed"))
    since = f" since {_day(report.previous)}" if report.previous else " since the previous audit"
    title = f"{pluralize(new, 'new finding')} and {fixed:,} fixed{since}"
    if not new and not fixed:
        title = f"Nothing changed{since}"
    ranked = sorted(changes, key=lambda row: -(row.new + row.fixed))[:12]

    def label(row: RuleChange) -> str:
        rule = report.rules.get(row.code)
        return f"{row.code} {rule.name}" if rule else row.code

    rows = [
        (label(row), row.fixed, row.new, f"{row.fixed:,} fixed, {row.new:,} new") for row in ranked
    ]
    yield Figure(
        "changes",
        title,
        "Findings by rule: fixed to the left, new to the right.",
        diverging_bars(rows) + legend([("fine", "fixed"), ("error", "new")]),
        ("rule", "new", "fixed", "still there"),
        [(label(row), row.new, row.fixed, row.still) for row in report.changes[:300]],
        report.changes_sql,
    )


def _sections_title(report: ReportInput) -> str:
    return {"report": "Sites", "crawl": "Pages"}.get(report.kind, "Sections")


def _section_tables(report: ReportInput) -> Iterator[str]:
    shown = [source for source in report.sources if source.sections is not None]
    if not shown:
        return
    yield '<section id="sections" aria-labelledby="sections-title">'
    yield f'<h2 id="sections-title">{_sections_title(report)}</h2>'
    for number, source in enumerate(shown, start=1):
        assert source.sections is not None
        if len(shown) > 1:
            yield f"<h3>{untrusted(source.name)}</h3>"
        for table in (source.sections, *source.tables):
            if table is not source.sections:
                yield f"<h3>{escape(table.title)}</h3>"
            yield f"<p>{escape(table.about)}</p>"
            yield number_table(table.columns, table.rows, key=f"{table.key}-{number}")
            yield sql_block("SQL of this table", table.sql)
    yield "</section>"


_ALL_URLS = (
    "To list the URLs of a rule that are not in the report, keep the tables with "
    "<code>{store}</code>, and run the SQL of the rule there."
)
_STORE_QUERY = "To run a query on all rows: <code>urlset read site.duckdb --sql QUERY</code>."
_QUERIES = {
    "diff": "To run a query on all rows, write them with <code>urlset diff BEFORE AFTER --format "
    "jsonl --output changes.jsonl</code>, and query that file with DuckDB."
}


def _footer(report: ReportInput, detail: Detail) -> str:
    rest = ""
    if report.kind == "audit":
        rest = _ALL_URLS.format(store=escape(option("store", "site.duckdb")))
    known = ""
    if report.known:
        known = f" {pluralize(report.known, 'finding')} in the baseline are not shown."
    limits = (
        " It contains at most 1,000 examples and 10,000 URLs of each rule; "
        f"every count covers all findings.{known} {rest}"
    )
    if report.kind == "crawl":  # it has no findings
        limits = ""
    views = ""
    if report.views_sql and detail.has_sql:
        views = (
            "<p>The queries of the rules use views. To run one, open the store with DuckDB "
            "(<code>duckdb site.duckdb</code>), and create them first.</p>"
            f"{sql_block('SQL of the views', report.views_sql)}"
        )
    return (
        '<footer id="about"><h2>About this report</h2>'
        f"<p>Made by urlset {escape(_version())} on "
        f"{_when(report.moment)}. This file is complete: it sends no requests and can be moved, "
        f"mailed and printed.{limits}</p>"
        "<p>Every number is the result of the SQL query below it. "
        f"{_QUERIES.get(report.kind, _STORE_QUERY)}</p>"
        f"{views}</footer>"
    )
