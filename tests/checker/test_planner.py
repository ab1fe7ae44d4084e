"""Views of a check: those that can have no rows are not planned, and no finding depends on it."""

import gzip
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from urlset.checker import CATALOGUE, check, custom_rule, evaluate, planner, views
from urlset.store import StoreSession

HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def _document(*locs: str) -> bytes:
    return (HEAD + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + "</urlset>").encode()


PLAIN = _document("https://www.example.com/a", "https://www.example.com/b")
COMPLEX = _document(
    "https://www.example.com/a?x=1&amp;y=2",
    "https://WWW.example.com/a?y=2&amp;x=1",
    "http://localhost:3000/b/",
    "http://localhost:3000/b",
)


def _created(monkeypatch: pytest.MonkeyPatch, document: bytes) -> set[str]:
    statements: list[str] = []
    original = StoreSession.run

    def run(self: StoreSession, statement: str) -> int:
        statements.append(statement)
        return original(self, statement)

    monkeypatch.setattr(StoreSession, "run", run)
    list(check(document))
    # Without the empty tables, whose statements have column names instead of a query.
    pattern = re.compile(r"CREATE (?:TABLE (?!\w+ \()|VIEW |MACRO )(\w+)")
    found = (pattern.match(text) for text in statements)
    return {match[1] for match in found if match}


def test_slow_views_are_not_planned_for_plain_urls(monkeypatch):
    created = _created(monkeypatch, PLAIN)

    assert {"duplicate_keys", "alike_keys", "sources"} <= created
    assert not created & {
        "normal_of", "duplicate_key", "duplicates", "declaring_hosts", "unlisted_feeds",
        "repeated_keys", "parameterized", "images", "videos", "alternates",
    }  # fmt: skip


def test_views_are_planned_where_urls_need_them(monkeypatch):
    created = _created(monkeypatch, COMPLEX)

    assert {"normal_of", "duplicate_key", "duplicates", "parameterized"} <= created


@pytest.mark.parametrize("name", views.EMPTY_TABLES)
def test_empty_table_has_columns_and_types_of_its_view(monkeypatch, name):
    described: dict[str, set[tuple[str, str]]] = {}

    def plan(sessions, rules, **options):
        chosen = planner.plan(sessions, rules, **options)
        sessions[0].run(f"CREATE TEMP TABLE replacement ({views.EMPTY_TABLES[name]})")
        for table in ("replacement", name):
            described[table] = {row[:2] for row in sessions[0].rows(f"DESCRIBE {table}")}
        return chosen

    monkeypatch.setattr(evaluate, "plan", plan)
    # A custom rule may read every column, so no empty table replaces its views.
    reading = custom_rule(1, {"name": "own", "message": "found", "sql": f"SELECT * FROM {name}"})

    assert not list(check(PLAIN, rules=[reading], select=["own"]))
    assert described["replacement"] <= described[name]


def test_custom_rules_read_all_columns_of_empty_views():
    columns = "authority, fragment, is_proven, sitemap_folder FROM url_scopes"
    own = custom_rule(1, {"name": "own", "message": "found", "sql": f"SELECT {columns}"})

    assert [finding.code for finding in check(PLAIN, rules=[own])] == [
        finding.code for finding in check(PLAIN)
    ]


UNUSED = HEAD.replace(" ", ' xmlns:x="urn:x" ', 1)
LOCS = (
    "https://www.example.com/a",
    "https://www.example.com/a/",
    "http://www.example.com/A",
    "https://example.org/robots.txt",
    "https://www.example.com/sitemap.xml",
    "https://www.example.com/b?x=1&amp;y=2",
)
VALUES = (
    "<lastmod>2026-11-20</lastmod>",
    "<lastmod>2026</lastmod>",
    "<lastmod>2999-01-01T00:00:00Z</lastmod>",
    "<lastmod>yesterday</lastmod>",
    "<changefreq>daily</changefreq>",
    "<priority>0.5</priority>",
)
EVERY = [code for code, rule in CATALOGUE.items() if not rule.is_live]


@st.composite
def files(draw) -> dict[str, bytes]:
    """A folder with one or two small files: sitemaps or lists, some with the name of another."""
    found = {}
    for name in draw(st.sets(st.sampled_from(["sitemap.xml", "b.xml.gz", "c.txt"]), min_size=1)):
        times = draw(st.sampled_from([1, 1, 2, 10, 20]))
        locs = draw(st.lists(st.sampled_from(LOCS), min_size=times, max_size=times))
        values = draw(st.lists(st.sampled_from(VALUES), max_size=2, unique=True))
        entries = "".join(f"<url><loc>{loc}</loc>{''.join(values)}</url>" for loc in locs)
        text = draw(
            st.sampled_from(
                [
                    f"{HEAD}{entries}</urlset>",
                    f"{UNUSED}{entries}</urlset>",
                    "\n".join(locs),
                ]
            )
        ).encode()
        found[name] = gzip.compress(text) if draw(st.booleans()) else text
    return found


@settings(max_examples=amount(12, 500))
@given(files(), st.sampled_from([None, "https://www.example.com/"]))
def test_no_finding_depends_on_what_is_skipped(found, base_url):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name, data in found.items():
            Path(folder, name).write_bytes(data)
        source = next(iter(found)) if len(found) == 1 else ""
        options = {"select": EVERY, "base_url": base_url, "now": datetime(2026, 11, 26, tzinfo=UTC)}
        quick = list(check(Path(folder, source), **options))
        patch.setattr(planner, "_empty_views", lambda _: set())

        assert quick == list(check(Path(folder, source), **options))
