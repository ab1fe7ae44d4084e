"""Ledgers and stores that are damaged, cut off or of another kind: a message, and nothing lost."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.cli.app import run
from urlset.errors import StoreError
from urlset.store import Store

LEDGER = Path(".urlset/ledger.duckdb")
BUILD = ["build", "urls.txt", "--output", "public"]


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text("".join(f"https://example.com/{n}\n" for n in range(200)))


def damaged(data: bytes) -> dict[str, bytes]:
    """Return damaged versions of a DuckDB file, whose header is 12,288 bytes long."""
    chance = random.Random(7)

    def flipped(low: int, high: int) -> bytes:
        made = bytearray(data)
        for place in chance.sample(range(low, high), 40):
            made[place] ^= 1 << chance.randrange(8)
        return bytes(made)

    return {
        "text": b"hello\n" * 100,
        "SQLite": b"SQLite format 3\0" + bytes(4096),
        **{f"cut at {n}": data[:n] for n in (12, 100, 4096, 8192, 12288)},
        "cut in the middle": data[: len(data) // 2],
        "cut at the end": data[:-1],
        "zeros": data[:12] + bytes(len(data) - 12),
        "random": data[:12] + chance.randbytes(len(data) - 12),
        "flipped in the header": flipped(12, 4096),
        "flipped in the body": flipped(12_288, 200_000),
    }


NAMES = list(damaged(bytes(300_000)))


@pytest.mark.parametrize("name", NAMES)
def test_damaged_ledger_is_reported_and_nothing_is_published(name, capsys):
    assert run(BUILD) == 0
    published = Path("public/sitemap.xml").read_bytes()
    data = damaged(LEDGER.read_bytes())[name]
    LEDGER.write_bytes(data)
    Path("urls.txt").write_text("https://example.com/new\n" * 200)
    capsys.readouterr()

    assert run([*BUILD, "--force", "shrunk"]) == 2

    words = capsys.readouterr().err
    assert "remove it" in words
    assert "urlset itself" not in words
    assert len(words.splitlines()) == 1
    assert Path("public/sitemap.xml").read_bytes() == published
    assert LEDGER.read_bytes() == data
    LEDGER.unlink()
    assert run([*BUILD, "--force", "shrunk"]) == 0  # it is rebuilt from what is published


def test_damaged_log_of_a_ledger_costs_nothing_that_was_committed():
    assert run(BUILD) == 0
    Path(f"{LEDGER}.wal").write_bytes(b"hello" * 1000)

    assert run(BUILD) == 0
    with duckdb.connect(str(LEDGER), read_only=True) as ledger:
        [(schema,)] = ledger.execute(
            "SELECT schema_name FROM duckdb_schemas() WHERE starts_with(schema_name, 'set_')"
        ).fetchall()
        assert ledger.execute(f"SELECT count(*) FROM {schema}.urls").fetchall() == [(200,)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {0}.settings SET version = 1",
        "UPDATE {0}.settings SET version = 999",
        "ALTER TABLE {0}.urls DROP COLUMN loc",
        "ALTER TABLE {0}.files ALTER COLUMN name TYPE INTEGER USING 1",
    ],
)
def test_ledger_of_another_shape_is_refused(statement, capsys):
    assert run(BUILD) == 0
    with duckdb.connect(str(LEDGER)) as ledger:
        [(schema,)] = ledger.execute(
            "SELECT schema_name FROM duckdb_schemas() WHERE starts_with(schema_name, 'set_')"
        ).fetchall()
        ledger.execute(statement.format(schema))
    Path("urls.txt").write_text("https://example.com/new\n")
    capsys.readouterr()

    code = run([*BUILD, "--force", "shrunk"])

    words = capsys.readouterr().err
    assert code == 2
    assert "remove it" in words
    assert "urlset itself" not in words


@pytest.mark.parametrize("name", [name for name in NAMES if name != "text"])
def test_damaged_store_is_reported(name, capsys):
    assert run(["read", "urls.txt", "--output", "s.duckdb"]) == 0
    data = damaged(Path("s.duckdb").read_bytes())[name]
    for arguments in (
        ["read", "s.duckdb"],
        ["read", "s.duckdb", "--sql", "FROM entries"],
        ["check", "s.duckdb"],
        ["build", "s.duckdb", "--output", "public"],
    ):
        Path("s.duckdb").write_bytes(data)
        capsys.readouterr()
        assert run(arguments) in (1, 2), arguments
        words = capsys.readouterr().err
        assert "urlset itself" not in words, arguments
        assert "Traceback" not in words


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE urlset_store SET version = 0", "read the sitemaps again"),
        ("UPDATE urlset_store SET version = 999", "update urlset"),
        ("DROP TABLE urlset_store", "expected a urlset store"),
        ("DELETE FROM urlset_store", "update urlset"),
        ("ALTER TABLE entries DROP COLUMN extra", "differs from what urlset creates"),
        ("ALTER TABLE problems ALTER COLUMN line TYPE VARCHAR", "differs from what urlset creates"),
    ],
)
def test_store_of_another_shape_is_refused(statement, words):
    with Store.open("s.duckdb") as store:
        store.fill(urlset.read("urls.txt"))
    with duckdb.connect("s.duckdb") as connection:
        connection.execute(statement)

    with pytest.raises(StoreError, match=words):
        Store.open("s.duckdb", read_only=True)
