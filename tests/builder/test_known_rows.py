"""Rows that the ledger has are not staged again, and nothing else is different."""

import random
from copy import copy
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.amounts import amount
from urlset import engine as engines
from urlset.arrow import batches, entries_to_stream
from urlset.builder import incremental, ingest, known_rows, resolve
from urlset.builder.canonical_urls import CANONICAL_VERSION, CanonicalUrls
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import rules_of
from urlset.dates import format_date
from urlset.option_schema import options_of
from urlset.sources import Candidate, CandidateRows

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def candidate(chance: random.Random, number: int) -> Candidate:
    """A row with dates of several forms, and at times with further fields."""
    loc = f"{BASE}{number:03}" + chance.choice(["", "", "", "?q=ä", "/../x"])
    row = Candidate(loc)
    kind = chance.randrange(9)
    if kind < 4:
        row = row._replace(lastmod=NOON - timedelta(days=chance.randrange(1, 5)))
    elif kind < 6:
        row = row._replace(lastmod_text=f"2026-01-{chance.randrange(1, 9):02}")
    elif kind < 7:
        row = row._replace(lastmod_text=f"2026-12-{chance.randrange(1, 9):02}")
    if chance.random() < 0.1:
        row = row._replace(priority=0.5, changefreq="daily")
    if chance.random() < 0.05:
        row = row._replace(images=(urlset.Image(f"{BASE}i.png"),))
    if chance.random() < 0.05:
        row = row._replace(reason="noindex")
    if chance.random() < 0.1:
        row = row._replace(page_lastmod=f"2026-02-{chance.randrange(1, 9):02}")
    return row


def edited(chance: random.Random, rows: list[Candidate]) -> list[Candidate]:
    rows = list(rows)
    for _ in range(chance.randrange(5)):
        kind = chance.randrange(4)
        if kind == 0 and len(rows) > 1:
            del rows[chance.randrange(len(rows))]
        elif kind == 1:
            rows.append(candidate(chance, chance.randrange(200)))
        elif kind == 2:
            rows.append(chance.choice(rows))  # a duplicate
        else:
            at = chance.randrange(len(rows))
            rows[at] = rows[at]._replace(lastmod=None, lastmod_text="2026-03-03")
    if chance.random() < 0.2:
        chance.shuffle(rows)
    return rows


def stripped(chance: random.Random, rows: list[Candidate]) -> list[Candidate]:
    """Rows without evidence and extensions, with dates of one form: only then any is known."""
    found = []
    is_text = chance.random() < 0.5
    for row in rows:
        text = row.lastmod_text or row.page_lastmod
        if is_text and row.lastmod:
            row = row._replace(lastmod=None, lastmod_text=format_date(row.lastmod))
        elif is_text:
            row = row._replace(lastmod_text=text)
        elif text:
            row = row._replace(lastmod=datetime.fromisoformat(f"{text[:10]}T00:00:00+00:00"))
            row = row._replace(lastmod_text=None)
        found.append(row._replace(page_lastmod=None, reason=None, images=()))
    return found


def ledger_of(path: Path) -> dict[str, list[Any]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"ATTACH '{path}' AS ledger (READ_ONLY)")
        names = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'ledger'"
        ).fetchall()
        return {
            name: sorted(
                connection.execute(
                    f"SELECT COLUMNS(*)::VARCHAR FROM ledger.{schema}.{name}"
                ).fetchall(),
                key=repr,
            )
            for schema, name in names
        }


def built(folder: Path, steps: list[list[list[Candidate]]], **options: Any) -> list[Any]:
    """Build all steps; return what each published, reported, and wrote to the ledger."""
    found = []
    for step, sources in enumerate(steps):
        given = [CandidateRows(rows) for rows in sources]
        for number, source in enumerate(given):
            source.name = f"source {number}"
        result = urlset.build(
            given,
            "public",
            base_url=BASE,
            ledger=folder / "ledger.duckdb",
            now=NOON + timedelta(hours=step),
            max_urls=20,
            force=("shrunk", "zero", "source"),
            on_error="skip",
            **options,
        )
        files = {path.name: path.read_bytes() for path in sorted((folder / "public").iterdir())}
        found.append((result.to_dict(), files, ledger_of(folder / "ledger.duckdb")))
    return found


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(amount(4, 100)))
def test_results_are_those_of_a_comparison_in_sql(tmp_path: Path, monkeypatch, seed: int):
    chance = random.Random(seed)
    sources = [
        [candidate(chance, chance.randrange(200)) for _ in range(chance.randrange(1, 90))]
        for _ in range(chance.choice([1, 1, 2, 3]))
    ]
    steps = [sources]
    for _ in range(4):
        steps.append([edited(chance, rows) for rows in steps[-1]])
        if chance.random() < 0.8:
            steps[-1] = [stripped(chance, rows) for rows in steps[-1]]
    if len(sources) > 1:
        steps.append(steps[-1][1:])
    options: dict[str, Any] = {"grace": "30m"} if chance.random() < 0.3 else {}
    if chance.random() < 0.3:
        options["sections"] = ("one=/0",)

    results = []
    for is_known in (True, False):
        folder = tmp_path / str(is_known)
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setattr(known_rows, "MAX_ROWS", 10**9 if is_known else -1)
        results.append(built(folder, steps, **options))

    for step, (with_known, without) in enumerate(zip(*results, strict=True)):
        assert with_known == without, f"seed {seed}, step {step}"


def test_the_evidence_of_a_date_is_compared(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Candidate(f"{BASE}a", page_lastmod="2026-02-03")
    given = Candidate(f"{BASE}a", lastmod_text="2026-02-03")

    steps = built(tmp_path, [[[page]], [[given]]])

    assert [row[4] for _, _, ledger in steps for row in ledger["urls"]] == ["page", "given"]


def test_only_other_rows_are_staged(tmp_path: Path, monkeypatch):
    if engines.get().known_rows(1) is None:
        pytest.skip("this engine compares rows in SQL")
    staged: list[int] = []
    original = incremental.stage_unverified

    def counted(staging: Any, source: int, entries: Any, columns: Any) -> None:
        staged.append(entries.num_rows)
        original(staging, source, entries, columns)

    monkeypatch.setattr(ingest, "stage_unverified", counted)
    monkeypatch.chdir(tmp_path)
    rows = [Candidate(f"{BASE}{n}", lastmod_text="2026-01-01") for n in range(30)]
    changed = [rows[0]._replace(lastmod_text="2026-01-02"), *rows[1:]]

    built(tmp_path, [[rows], [rows], [changed], [[*changed, rows[5]]]])

    assert staged == [1, 1]  # nothing in the second build


def test_rows_are_known_by_all_of_their_fields():
    known = engines.get().known_rows(10)
    if known is None:
        pytest.skip("this engine compares rows in SQL")
    entry = urlset.Entry(f"{BASE}a", lastmod_text="2026-01-01T00:00:00Z", priority=0.5)
    others = [
        entry._replace(loc=f"{BASE}b"),
        entry._replace(lastmod_text="2026-01-01"),
        entry._replace(priority=None),
        entry._replace(changefreq="daily"),
    ]
    instant = entry._replace(lastmod_text=None, lastmod=datetime(2026, 1, 1, tzinfo=UTC))

    def rows(entries: list[urlset.Entry]) -> Any:
        return entries_to_stream(entries)

    assert known.add(rows([entry]), 1)
    assert [*known.unknown(rows([entry]), 2)] == [0]
    assert [*known.unknown(rows(others), 1)] == [0, 1, 2, 3]
    assert [*known.not_found()] == [0]
    assert [*known.unknown(rows([instant, entry]), 1)] == [1]
    assert [*known.not_found()] == []
    assert not known.add(rows([entry] * 50), 1)
    texts = {"loc": batches.text_array(["a"]), "lastmod": batches.text_array(["b"])}
    wrong = batches.as_table(batches.batch_of(texts)).__arrow_c_stream__()
    with pytest.raises(ValueError, match="lastmod"):
        known.unknown(wrong, 1)


DECIDES = {each.name: each.decides for each in options_of("build")}
OTHER: dict[str, Any] = {"base_url": f"{BASE}folder/", "lastmod": ("git",)}
"""Values of options that are read to become settings."""


@pytest.mark.parametrize("name", [each.name for each in fields(BuildOptions)])
def test_only_an_option_that_decides_about_rows_lets_a_build_decide_again(name: str):
    settings = BuildOptions(base_url=BASE, now=NOON)
    changed = copy(settings)
    object.__setattr__(changed, name, OTHER.get(name, ("other",)))

    is_other = rules_of(changed) != rules_of(settings)

    # The names of the files are a part of the rules: their URLs are no pages.
    assert is_other == (
        DECIDES[name] == "rows" or name in ("name", "name_pattern", "format", "gzip")
    )


def test_options_that_select_urls_or_dates_decide_about_rows():
    names = "base_url lastmod sections filters include exclude include_sitemaps"

    assert {DECIDES[name] for name in names.split()} == {"rows"}


def test_urls_of_known_rows_are_not_inspected_again(tmp_path: Path, monkeypatch):
    if engines.get().known_rows(1) is None:
        pytest.skip("this engine compares rows in SQL")
    inspected: list[int] = []
    original = CanonicalUrls.of

    def counted(self: Any, entries: Any) -> Any:
        inspected.append(entries.num_rows)
        return original(self, entries)

    monkeypatch.setattr(CanonicalUrls, "of", counted)
    monkeypatch.chdir(tmp_path)
    rows = [Candidate(f"{BASE}{n}", lastmod_text="2026-01-01") for n in range(30)]
    changed = [rows[0]._replace(lastmod_text="2026-01-02"), *rows[1:]]

    built(tmp_path, [[rows]])
    inspected.clear()
    built(tmp_path, [[rows], [changed]])

    assert inspected == [1, 1]  # the changed row: as it is read, and before it is verified


@pytest.mark.parametrize(("version", "added"), [(CANONICAL_VERSION, 0), (CANONICAL_VERSION + 1, 3)])
def test_a_new_version_of_the_canonical_form_inspects_all_rows(
    tmp_path: Path, monkeypatch, version: int, added: int
):
    if engines.get().known_rows(1) is None:
        pytest.skip("this engine compares rows in SQL")

    def with_slash(_: Any, entries: Any) -> Any:
        locs = [f"{loc}/" for loc in batches.column_values(entries, "loc")]
        return batches.replace_column(entries, "loc", batches.text_array(locs)), None

    monkeypatch.chdir(tmp_path)
    rows = [Candidate(f"{BASE}{n}") for n in range(3)]
    built(tmp_path, [[rows]])
    monkeypatch.setattr(CanonicalUrls, "of", with_slash)
    monkeypatch.setattr(resolve, "CANONICAL_VERSION", version)

    [(made, _, _)] = built(tmp_path, [[rows]])

    assert (made["added"], made["removed"]) == (added, added)
