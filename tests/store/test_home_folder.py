"""Files of DuckDB in the home folder of a user are neither run nor loaded nor written."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from urlset.cli.app import run
from urlset.store import ScratchDatabase
from urlset.store.connection import connect

SOURCES = sorted((Path(__file__).parents[2] / "src" / "urlset").rglob("*.py"))
EXTENSIONS = ("excel", "icu", "httpfs", "sqlite_scanner", "json", "parquet", "spatial")
QUERIES = (
    "FROM read_xlsx('a.xlsx')",
    "FROM 'a.xlsx'",
    "SELECT count(*) FROM 's3://bucket/a.parquet'",
    "FROM sqlite_scan('a.db', 'b')",
    "SELECT ST_Point(1, 2)",
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home folder with settings, extensions and credentials of DuckDB, each of them broken."""
    folder = tmp_path / "home"
    with duckdb.connect() as connection:
        ((system,),) = connection.execute("PRAGMA platform").fetchall()
    extensions = folder / ".duckdb" / "extensions" / f"v{duckdb.__version__}" / system
    extensions.mkdir(parents=True)
    for name in EXTENSIONS:
        (extensions / f"{name}.duckdb_extension").write_bytes(b"x" * 1_000)
    (folder / ".duckdb" / "stored_secrets").mkdir()
    (folder / ".duckdb" / "stored_secrets" / "a.duckdb_secret").write_bytes(b"x" * 100)
    text = f"COPY (SELECT 1) TO '{tmp_path}/sprung' (FORMAT csv);\n.shell touch {tmp_path}/sprung\n"
    (folder / ".duckdbrc").write_text(text)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def message(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(query)
    return str(caught.value)


def test_the_trap_is_one(home: Path):
    with duckdb.connect() as connection:
        loaded = message(connection, QUERIES[0])
        opened = message(connection, "FROM duckdb_secrets()")

    assert "is not a DuckDB extension" in loaded
    assert str(home / ".duckdb") in opened


@pytest.mark.parametrize("query", QUERIES)
def test_an_extension_is_not_loaded(home: Path, query: str):
    before = files(home)
    with connect() as connection:
        text = message(connection, query)

    assert "is not a DuckDB extension" not in text
    assert "automatically" not in text.replace("consider enabling auto", "")
    assert files(home) == before


def test_stored_credentials_are_not_read(home: Path):
    with connect() as connection:
        assert connection.execute("FROM duckdb_secrets()").fetchall() == []
        assert "persistent" in message(connection, "CREATE PERSISTENT SECRET s (TYPE http)").lower()
    with ScratchDatabase() as database:
        assert list(database.rows("FROM duckdb_secrets()")) == []

    assert (home / ".duckdb" / "stored_secrets" / "a.duckdb_secret").exists()


def test_every_connection_is_opened_with_these_settings():
    opened = [
        (path.name, {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords})
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "duckdb.connect"
    ]

    assert opened
    assert [(name, given) for name, given in opened if given.get("config") != "CLOSED"] == []
    others = [p.name for p in SOURCES if "duckdb.sql(" in p.read_text(encoding="utf-8")]
    assert others == []


COMMANDS = (
    "read sitemap.xml --output out.duckdb",
    "read out.duckdb --sql SELECT_loc_FROM_entries",
    "check out.duckdb",
    "check sitemap.xml",
    "diff out.duckdb sitemap.xml",
    "build out.duckdb --output public --base-url https://example.com/",
    "build a.db --output public2 --base-url https://example.com/",
    "build a.xlsx --output public3 --base-url https://example.com/",
)


def test_commands_leave_the_home_folder_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
        "<url><loc>https://example.com/a</loc></url></urlset>"
    )
    Path("a.xlsx").write_bytes(b"PK\3\4" + bytes(100))
    Path("a.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    before = files(home)

    codes = [run([w.replace("_", " ") for w in line.split()]) for line in COMMANDS]

    out, err = capfd.readouterr()
    assert codes[0] == codes[1] == 0, out + err
    assert ".duckdb/" not in out + err
    assert files(home) == before
    assert not (tmp_path / "sprung").exists()


def test_a_process_of_the_command_leaves_the_home_folder_alone(home: Path, tmp_path: Path):
    (tmp_path / "urls.txt").write_text("https://example.com/a\n")
    before = files(home)

    done = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", "read", "urls.txt", "-q", "--sql", "FROM entries"],
        cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert files(home) == before
    assert not (tmp_path / "sprung").exists()
