"""Make the tables of measured figures from ``benches/results/*.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["with_figures"]

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benches" / "results"

_REGION = re.compile(r"(<!-- figures: ([a-z-]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
NATIVE, REFERENCE = "urlset (native)", "urlset (reference)"


def with_figures(text: str) -> str:
    """Return the text of a page with its regions ``<!-- figures: NAME -->`` filled."""

    def fill(found: re.Match[str]) -> str:
        try:
            lines = [*TABLES[found[2]]()]
        except FileNotFoundError:
            lines = [f"Not recorded yet: `make bench` measures the {found[2]}."]
        return "\n".join([found[1], *lines, "", found[3]])

    return _REGION.sub(fill, text)


def _record(group: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((RESULTS / f"{group}.json").read_text("utf-8"))
    return record


def _rows(group: str, key: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of a record that have a figure, by work and runner."""
    rows = _record(group)["rows"]
    return {(row.get("work", ""), row.get("who", "")): row for row in rows if key in row}


def _origin(group: str) -> str:
    """Return where and when a group was measured."""
    record = _record(group)
    machine = record["machine"]
    return (
        f"Measured on {record['date']} at commit {record['commit']}: {machine['system']}, "
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}. In "
        "parentheses the interval of the middle half of the runs, or of all if there are fewer "
        "than eight."
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}"


def _interval(figure: dict[str, float]) -> str:
    low, high = _number(figure["low"]), _number(figure["high"])
    return f"{_number(figure['median'])} ({low}–{high})"


def _seconds(figure: dict[str, float]) -> str:
    digits = 0 if figure["median"] >= 20 else 1 if figure["median"] >= 2 else 2
    low, high = (f"{figure[key]:.{digits}f}" for key in ("low", "high"))
    return f"{figure['median']:.{digits}f} s ({low}–{high})"


_READERS = (
    ("**urlset, native engine**", NATIVE, "Arrow", "Arrow"),
    ("a bare scanner that checks nothing", "bare scanner", "Arrow", "its own columns"),
    ("xml2arrow", "xml2arrow", "Arrow", "Arrow"),
    ("**urlset, native engine**", NATIVE, "objects", "Python objects"),
    ("lxml.iterparse (four elements)", "lxml.iterparse", "objects", "Python objects"),
    ("Scrapy", "Scrapy", "objects", "Python objects"),
    ("urlset, reference engine", REFERENCE, "objects", "Python objects"),
    ("sitemap.js", "sitemap.js", "objects", "JavaScript objects"),
    ("advertools", "advertools", "objects", "pandas"),
    ("trafilatura (URLs alone)", "trafilatura", "objects", "Python objects"),
    ("ultimate-sitemap-parser", "ultimate-sitemap-parser", "objects", "Python objects"),
)


def _reading() -> Iterator[str]:
    rows = _rows("documents", "mb_s")
    yield "| reading, MB/s | to | plain | extended |"
    yield "|---|---|--:|--:|"
    for name, who, target, shown in _READERS:
        found = [rows.get((f"{kind} → {target}", who)) for kind in ("plain", "extended")]
        if not any(found):
            continue
        version = next((row["version"] for row in found if row and row.get("version")), None)
        title = f"{name} {version}" if version and who not in (NATIVE, REFERENCE) else name
        cells = " | ".join(_interval(row["mb_s"]) if row else "" for row in found)
        yield f"| {title} | {shown} | {cells} |"
    yield ""
    yield _origin("documents")


def _writing() -> Iterator[str]:
    rows = _rows("documents", "mb_s")
    yield "| writing the plain document, MB/s | from | as bytes | as a file |"
    yield "|---|---|--:|--:|"
    for name, who, source, shown in (
        ("**urlset, native engine**", NATIVE, "Arrow", "Arrow"),
        ("**urlset, native engine**", NATIVE, "entries", "Python objects"),
        ("**urlset, native engine**", NATIVE, "dicts", "dicts"),
        ("sitemap.js", "sitemap.js", "Arrow", "JavaScript objects"),
        ("urlset, reference engine", REFERENCE, "Arrow", "Arrow"),
    ):
        found = [rows.get((f"{source} → plain{end}", who)) for end in ("", ", a file")]
        if any(found):
            cells = " | ".join(_interval(row["mb_s"]) if row else "" for row in found)
            yield f"| {name} | {shown} | {cells} |"


def _jobs() -> Iterator[str]:
    yield "| a whole job | time | peak memory |"
    yield "|---|--:|--:|"
    site = _rows("site", "seconds")
    for who, target in (("urlset → Arrow", "Arrow"), ("urlset → objects", "Python objects")):
        if row := site.get(("", who)):
            count = f"{row['count']:,} URLs in 200 gzipped sitemaps"
            yield f"| read a site over HTTP, {count}, as {target} | {_cells(row)} |"
    for record in _record("check")["rows"]:
        if "seconds" in record and record["count"] in (1, 200):
            yield f"| check {record['entries']:,} URLs by all rules | {_cells(record)} |"
    names = {
        "build, gzip": "build {} URLs from Parquet",
        "build again, one URL changed": "build {} URLs again, one changed",
        "build, gzip, of more": "build {} URLs from Parquet",
    }
    builds = {record["work"]: record for record in _record("build")["rows"]}
    for name, text in names.items():
        if "seconds" in (record := builds.get(name, {})):
            count = f"{record['count']:,}"
            yield f"| {text.format(count)} | {_cells(record)} |"


def _cells(row: dict[str, Any]) -> str:
    return f"{_seconds(row['seconds'])} | {row['peak_mb'] / 1000:.2f} GB"


def _site() -> Iterator[str]:
    yield "| reader | URLs/s | CPU s | peak MB | URLs |"
    yield "|---|--:|--:|--:|--:|"
    for (_, who), row in _rows("site", "urls_s").items():
        version = f" {row['version']}" if row.get("version") else ""
        cpu, peak = _number(row["cpu_s"]["median"]), f"{row['peak_mb']:,}"
        yield f"| {who}{version} | {_interval(row['urls_s'])} | {cpu} | {peak} | {row['count']:,} |"
    yield ""
    yield _origin("site")


def _builds() -> Iterator[str]:
    yield "| build | URLs | time | peak memory |"
    yield "|---|--:|--:|--:|"
    for (work, _), row in _rows("build", "seconds").items():
        yield f"| {work} | {row['count']:,} | {_cells(row)} |"
    yield ""
    yield _origin("build")


def _checks() -> Iterator[str]:
    yield "| check: documents | URLs | time | peak memory |"
    yield "|--:|--:|--:|--:|"
    for row in _record("check")["rows"]:
        if "seconds" in row:
            yield f"| {row['count']} | {row['entries']:,} | {_cells(row)} |"
    yield ""
    yield _origin("check")


def _pages() -> Iterator[str]:
    yield "| pages of a site | pages | pages/s | CPU s | peak MB |"
    yield "|---|--:|--:|--:|--:|"
    for (work, _), row in _rows("pages", "seconds").items():
        low, middle, high = (
            row["count"] / row["seconds"][key] for key in ("high", "median", "low")
        )
        rate = f"{_number(middle)} ({_number(low)}–{_number(high)})"
        cpu = _number(row["cpu_s"]["median"])
        yield f"| {work} | {row['count']:,} | {rate} | {cpu} | {row['peak_mb']:,} |"
    yield ""
    yield _origin("pages")


def _inputs() -> Iterator[str]:
    yield "| job | number | time | µs of CPU for each | peak memory |"
    yield "|---|--:|--:|--:|--:|"
    for (work, _), row in _rows("jobs", "seconds").items():
        count = f"{row['count']:,} {row['unit']}".strip()
        each = row["cpu_s"] / row["count"] * 1e6
        cells = f"{_seconds(row['seconds'])} | {_number(each)} | {row['peak_mb']:,} MB"
        yield f"| {work} | {count} | {cells} |"
    yield ""
    yield _origin("jobs")


GROUPS = ("documents", "site", "check", "build", "pages", "jobs")


def _goals() -> Iterator[str]:
    yield "| goal | wanted | measured | |"
    yield "|---|--:|--:|---|"
    for group in GROUPS:
        for goal in _record(group)["goals"]:
            said = "met" if goal["is_met"] else "**not met**"
            measured = goal["measured"] or "not measured"
            yield f"| {goal['text']} | {goal['goal']} | {measured} | {said} |"


CORE_HOUR = 0.04
"""Assumed price of an hour of one core in US dollars: about that of the large clouds on demand."""


def _scale() -> Iterator[str]:
    """Yield the CPU time of a million URLs in each stage, and what follows for more of them."""
    yield (
        "| stage (URLs or pages measured) | measured: CPU of a million "
        "| computed: core hours for 100 M | for 1 B "
        f"| for 100 B | its price at ${CORE_HOUR:.2f} a core hour |"
    )
    yield "|---|--:|--:|--:|--:|--:|"
    for name, seconds in _stage_costs():
        hours = [seconds * millions / 3600 for millions in (100, 1_000, 100_000)]
        cells = " | ".join(f"{_rounded(hour)} h" for hour in hours)
        cpu = f"{seconds:,.1f} s" if seconds < 20 else f"{seconds:,.0f} s"
        yield f"| {name} | {cpu} | {cells} | ${_rounded(hours[-1] * CORE_HOUR)} |"
    yield ""
    origins = {_record(group)["commit"] for group in ("site", "check", "build", "pages")}
    commits = " and ".join(sorted(origins))
    yield f"The CPU times are those of [the recorded runs](performance.md) at {commits}."


def _sizes() -> Iterator[str]:
    """Yield the CPU time and the memory of each stage for growing numbers of URLs."""
    rows = {(row["stage"], row["urls"]): row for row in _record("scale")["rows"]}
    counts = sorted({count for _, count in rows})
    heads = "".join(f" | {count:,} URLs: CPU | peak memory" for count in counts)
    yield f"| stage{heads} | ratio of the CPU times |"
    yield f"|---|{'--:|' * (2 * len(counts) + 1)}"
    for stage in dict.fromkeys(stage for stage, _ in rows):
        found = [rows[stage, count] for count in counts if (stage, count) in rows]
        cells = "".join(
            f" | {row['cpu_s']:,.0f} s | {row['peak_mb'] / 1000:.1f} GB" for row in found
        )
        ratio = found[-1]["cpu_s"] / found[0]["cpu_s"]
        yield f"| {stage}{cells} | {ratio:.1f} |"
    yield ""
    commits = " and ".join(sorted({row["commit"] for row in rows.values()}))
    machine = "the machine of [the recorded runs](performance.md)"
    yield f"Measured with `benches/scale.py` at {commits}, on {machine}."


def _stage_costs() -> Iterator[tuple[str, float]]:
    """Yield each stage, and the number that was measured, with CPU seconds for a million."""
    rows = {"read: fetch and parse sitemaps": _rows("site", "urls_s")["", "urlset → Arrow"]}
    whole = max(_record("check")["rows"], key=lambda row: row.get("entries", 0))
    rows["check by all rules"] = {**whole, "count": whole["entries"]}
    builds = _rows("build", "seconds")
    rows["build from Parquet"] = builds["build, gzip, of more", ""]
    rows["build again, one URL changed"] = builds["build again, one URL changed", ""]
    pages = _rows("pages", "seconds")
    for work, name in (("urlset audit", "audit pages"), ("urlset crawl", "crawl pages")):
        if row := pages.get((work, "")):
            rows[f"{name}: fetch and validate"] = row
    for name, row in rows.items():
        yield f"{name} ({row['count']:,})", row["cpu_s"]["median"] / row["count"] * 1e6


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "reading": _reading,
    "writing": _writing,
    "jobs": _jobs,
    "site": _site,
    "builds": _builds,
    "checks": _checks,
    "pages": _pages,
    "inputs": _inputs,
    "goals": _goals,
    "scale": _scale,
    "sizes": _sizes,
}
"""Tables by the name of their region."""
