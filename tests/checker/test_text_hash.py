"""Hashes that identify URLs in SQL: different texts have different hashes."""

import re
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.checker.macros import MACROS

SRC = Path(urlset.__file__).parent
NUMBERED = (
    "'https://example.com/products/category-' || (i % 97) || '/item-' || i",
    "'https://www.example.com/' || (i % 100) || '/page-' || (i % 100) || '/' || i",
    "'https://example.com/20' || (i % 90 + 10) || '-' || (i % 90 + 10) || '/' || i || '-' || i",
    "'https://a.example/' || lpad(i::VARCHAR, 8, '0') || '/' || lpad(i::VARCHAR, 7, '0')",
    "'https://example.com/?a=' || i || '&b=' || i || '&c=' || i",
)


@pytest.mark.parametrize("text", NUMBERED)
def test_urls_with_equal_numbers_have_different_hashes(text):
    db = duckdb.connect()
    db.execute(f"CREATE MACRO text_hash(text) AS {MACROS['text_hash(text)']}")

    found = db.execute(
        f"SELECT count(DISTINCT text), count(DISTINCT text_hash(text)) "
        f"FROM (SELECT {text} AS text FROM range(300000) r(i))"
    ).fetchone()

    assert found == (300_000, 300_000)


def test_hash_of_duckdb_has_collisions_which_is_why_it_is_not_used():
    """If this fails, `hash` became better, and MD5 may no longer be necessary."""
    query = (
        f"SELECT count(DISTINCT hash(t)) FROM (SELECT {NUMBERED[0]} AS t FROM range(20000) r(i))"
    )
    [(found,)] = duckdb.connect().execute(query.replace("https://", "")).fetchall()
    assert found < 20_000


ALLOWED = {
    "hash(md5_number(text))": "the macro text_hash",
    "hash(duplicate_key(loc))": "for `alike_keys`, of which texts are compared by `text_hash`",
    "hash(CASE WHEN suffix(short, '/') THEN left(short, length(short) - 1) ELSE short END)": (
        "as above"
    ),
    "hash(loc)": "partitions, and a filter before URLs are compared",
    "hash(NULL)": "of no text",
    "hash(l.target, l.tag)": "of hashes",
    "hash(list_sort(list_distinct(all_urls)))": "of hashes",
    "hash(list_sort(list_distinct(pairs)))": "of hashes",
    "hash(e.priority)": "of a number",
    "hash(url)": "an order",
    "hash($part, e.document)": "of numbers",
}


def test_hash_of_texts_identifies_nothing():
    """`hash` of DuckDB may occur where two texts with the same hash change no result."""
    found = set()
    for path in SRC.rglob("*.py"):
        text = path.read_text("utf-8")
        for match in re.finditer(r"(?<![\w.])hash\(", text):
            if "def " in text[max(0, match.start() - 30) : match.start()].rsplit("\n", 1)[-1]:
                continue
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            call = re.sub(r"(?<=\()\s+|\s+(?=\))", "", text[match.start() : end])
            found.add((path.relative_to(SRC).as_posix(), call))

    python = {"model.py", "reader/site_walk.py", "reader/warc.py", "live/diff/tables.py"}
    left = {(name, call) for name, call in found if call not in ALLOWED and name not in python}
    assert left == {
        ("checker/rules/urls_duplicates.py", "hash({name})"),  # of hashes, and of a time
        ("live/submit/search_console_run.py", "hash(u.loc || '{seed}')"),  # a random order
    }


def test_two_urls_with_one_hash_of_duckdb_are_two_urls():
    pairs = [(20, 90), (21, 91)]  # each pair has one hash
    locs = [f"http://e.com/products/category-{n}/item-{n}" for pair in pairs for n in pair]
    before = "\n".join(locs).encode()

    with urlset.diff(before, before) as same, urlset.diff(before, locs[0].encode()) as fewer:
        assert same.counts.unchanged == 4
        assert (fewer.counts.unchanged, fewer.counts.removed) == (1, 3)
