"""The documentation is true: its code runs, and the engine decides what its tables say."""

import gzip
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import urlset
from urlset.checker import CATALOGUE
from urlset.dates import parse_date

ROOT = Path(__file__).parents[2]
WITH_OWN_TEST = {"comparing.md", "django.md", "scale.md"}
"""Guides whose blocks need files: tests/docs/test_comparing_guide.py runs them."""
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if path.is_file() and path.name not in WITH_OWN_TEST
]
BLOCK = re.compile(r"(?P<mark><!-- not run -->\s*\n)?^```python\n(?P<code>.*?)^```$", re.M | re.S)
CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
BASE = "https://example.com/dir/sitemap.xml"
A = "<url><loc>https://example.com/a</loc></url>"
LIST = b"".join(b"https://example.com/%d\n" % (n * n) for n in range(1000))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_code_in_the_documentation_runs(path, tmp_path, monkeypatch, capsys):
    """Block after block in one namespace, as a reader would type them, in an empty folder."""
    text = path.read_text()
    namespace: dict[str, Any] = {"__name__": path.stem}
    monkeypatch.chdir(tmp_path)
    for found in BLOCK.finditer(text):
        if found["mark"] is None:
            lines = text.count("\n", 0, found.start("code"))  # so that errors name the line
            exec(compile("\n" * lines + found["code"], path, "exec"), namespace)


def test_problems_are_printed_as_the_guide_says(tmp_path, monkeypatch, capsys):
    test_code_in_the_documentation_runs(ROOT / "docs" / "reading.md", tmp_path, monkeypatch, capsys)
    printed = capsys.readouterr().out
    shown = re.search(r"That prints\n\n((?: {4}.*\n)+)", (ROOT / "docs" / "reading.md").read_text())
    assert shown is not None
    assert shown[1].replace("    ", "") in printed


def tables(path: Path) -> dict[str, list[list[str]]]:
    """The rows of each table, by the heading above it."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in path.read_text().splitlines() if path.is_file() else ():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| ") and not line.startswith("|--"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            found.setdefault(heading, []).append([c.strip().replace("\\|", "|") for c in cells])
    return {heading: rows[1:] for heading, rows in found.items()}


TABLES = tables(ROOT / "docs" / "reading.md")


def sitemap(body: str) -> bytes:
    return f'<?xml version="1.0"?>\n<urlset xmlns="{CORE}">\n{body}\n</urlset>'.encode()


def code(cell: str) -> str | None:
    """What a cell shows, when it is nothing but code; ⏎ is a line break."""
    found = re.fullmatch(r"`([^`]+)`", cell)
    return found[1].replace("⏎", "\n") if found else None


# Inputs that do not fit into the cell of a table, with the URLs that "the URL" or "both" stand for.
LONG = "https://example.com/" + "a" * 2028
INPUTS: dict[str, tuple[bytes, list[str]]] = {
    "a URL of 2,048 characters": (sitemap(f"<url><loc>{LONG}</loc></url>"), [LONG]),
    "a loc over 1 MiB": (sitemap(f"<url><loc>{LONG}{'a' * (1 << 20)}</loc></url>"), []),
    "the same URL twice": (sitemap(A + A), ["https://example.com/a"] * 2),
    "an entity from outside in a loc": (
        b'<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        + sitemap(A + "<url><loc>https://example.com/&e;</loc></url>").split(b"\n", 1)[1],
        ["https://example.com/a"],
    ),
    "a byte of windows-1252 in a loc": (
        sitemap("<url><loc>https://example.com/caf\xe9</loc></url>").decode().encode("cp1252"),
        ["https://example.com/café"],
    ),
    "a document that ends in a loc": (sitemap(A + A)[:-40], ["https://example.com/a"]),
    "gzip that was cut off": (gzip.compress(sitemap(A + A), 0)[:-40], ["https://example.com/a"]),
    "a gzipped list that was cut off": (
        gzip.compress(LIST, 0)[: 15 + 100],
        LIST[:100].decode().split()[:-1],
    ),
    "a list in a zip archive, not compressed": (
        b"PK\x03\x04\x14\0\0\0\0\0" + b"\0" * 16 + b"\x05\0\0\0a.txt\n" + LIST[:60] + b"PK\x01\x02",
        LIST[:60].decode().split()[:2],
    ),
    "an HTML page with a `<urlset>` in it": (
        b"<!DOCTYPE html><html><body>" + sitemap(A) + b"</body></html>",
        [],
    ),
}


@pytest.mark.parametrize("cells", TABLES.get("URLs", []) + TABLES.get("Structure", []))
def test_decision_is_what_the_engine_does(engine, cells):
    given, outcome, reported = cells
    body = code(given)
    if body is None:
        data, expected = INPUTS[given]
    else:
        data = sitemap(f"<url>{body}</url>" if body.startswith("<loc") else body)
        expected = [text for text in re.findall(r"`([^`]+)`", outcome) if text.startswith("http")]

    document = urlset.parse(data, base_url=BASE, engine=engine.name)

    assert [row.loc for row in (*document.entries, *document.sitemaps)] == expected
    assert expected or outcome.startswith("nothing")
    found = {problem.code for problem in document.problems} - {"S021"}
    assert found == set(reported.replace("–", "").split())
    if "without a base, nothing" in outcome:
        assert not list(urlset.parse(data, engine=engine.name).entries)
    assert document.kind == "html" or "`html`" not in outcome


def test_inputs_are_all_in_the_tables():
    shown = {cells[0] for name in ("URLs", "Structure") for cells in TABLES[name]}
    assert set(INPUTS) <= shown


@pytest.mark.parametrize("cells", TABLES.get("Dates", []))
def test_date_is_read_as_the_table_says(engine, cells):
    given, outcome, precision, reported = cells
    text = code(given) or ""
    data = sitemap(f"<url><loc>{BASE}</loc><lastmod>{text}</lastmod></url>")

    document = urlset.parse(data, engine=engine.name)

    [entry] = document.entries
    instant = code(outcome)
    assert (instant is None) == (outcome == "nothing")
    assert entry.lastmod == (instant and datetime.fromisoformat(instant))
    assert entry.lastmod_text == (text.strip() or None)
    assert (parse_date(text.strip()).precision or "–") == precision
    assert [problem.code for problem in document.problems] == reported.replace("–", "").split()


def test_the_guide_has_its_tables():
    assert {name: len(TABLES[name]) for name in ("URLs", "Structure", "Dates")} == {
        "URLs": 24,
        "Structure": 19,
        "Dates": 30,
    }


# ── where the rules depart from the catalogue ────────────────────────────────────────────────

DEPARTURES = ROOT / "docs" / "departures.md"
PLANNED = 231


def rows_of(heading: str) -> list[list[str]]:
    """The cells of the table in a section, without its head."""
    section = DEPARTURES.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


def codes_in(cell: str) -> list[str]:
    codes = []
    for part in cell.split(", "):
        first, _, last = part.partition("–")
        numbers = range(int(first[1:]), int((last or first)[1:]) + 1)
        codes += [f"{first[0]}{number:03}" for number in numbers]
    return codes


def added() -> dict[str, str]:
    """The rules that the catalogue did not have: their names by their codes."""
    rows = rows_of("Rules that were added")
    return {row[0].split()[0]: row[0].split()[1].strip("`") for row in rows}


def test_departures_name_every_rule_that_is_absent():
    absent = [code for row in rows_of("Rules that are absent") for code in codes_in(row[0])]

    assert not set(absent) & set(CATALOGUE)
    planned_here = len(CATALOGUE) - len(added())
    assert len(set(absent)) == len(absent) == PLANNED - planned_here
    assert {code: CATALOGUE[code].name for code in added()} == added()
    text = DEPARTURES.read_text(encoding="utf-8")
    assert f"{PLANNED} rules. {planned_here} of" in text


def test_departures_name_the_levels_that_rules_have():
    rows = rows_of("Levels that differ")
    for title, theirs, ours, _ in rows:
        code, name = title.replace("`", "").split()
        rule = CATALOGUE[code]
        words = f"{rule.level_sql} {rule.sql}"
        levels = {rule.level, *re.findall(r"'(error|warning|info)'", words)}
        assert (rule.name, levels) == (name, set(ours.split(", ")))
        assert levels != {theirs}


def test_departures_are_all_there_are(shared):
    planned = {rule["code"]: rule for rule in json.loads((shared / "rules.json").read_text())}
    absent = {code for row in rows_of("Rules that are absent") for code in codes_in(row[0])}
    others = {row[0][:4] for row in rows_of("Levels that differ")}
    defaults = {row[0][:4]: (row[1], row[2]) for row in rows_of("Defaults that differ")}
    names = {"on": True, "off": False, "profile": False}

    assert len(planned) == PLANNED
    assert set(planned) - set(CATALOGUE) == absent
    assert set(CATALOGUE) - set(planned) == set(added())
    for code, rule in CATALOGUE.items():
        if code in added():
            continue
        assert rule.name == planned[code]["name"]
        assert rule.level == planned[code]["severity"] or code in others
        default = planned[code]["default"]
        ours = "on" if rule.is_default else "off"
        assert defaults.pop(code, None) == (
            None if names[default] == rule.is_default else (default, ours)
        )
    assert not defaults
