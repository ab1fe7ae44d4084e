"""Links, pipes and configurations of a stranger."""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import duckdb
import pytest

import urlset
from urlset.checker.baseline import Baseline
from urlset.cli import main
from urlset.config import load_config
from urlset.errors import ConfigurationError, QueryError, SourceError, StoreError
from urlset.sources.tables.table import Table, sqlite_batches
from urlset.sources.text import TextSource

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    folder.mkdir()
    (tmp_path / "secret").write_text("SECRET=value\n")
    monkeypatch.chdir(folder)
    return folder


@posix
@pytest.mark.parametrize("command", ["check", "read"])
@pytest.mark.parametrize("name", ["sitemap.xml", "folder/secret", "robots.txt"])
def test_a_link_out_of_the_checkout_is_not_read_in_ci(checkout, command, name):
    (checkout / "sitemap.xml").symlink_to("../secret")
    (checkout / "robots.txt").symlink_to("../secret")
    (checkout / "folder").symlink_to("..")

    ran = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", command, name],
        env=os.environ | {"CI": "true"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert ran.returncode != 0
    assert "SECRET" not in ran.stdout + ran.stderr
    assert "a link that leads out of the working directory" in ran.stdout + ran.stderr


@posix
@pytest.mark.parametrize("value", ["", "false", "0"])
def test_a_link_of_the_user_is_read_outside_of_ci(checkout, monkeypatch, value):
    monkeypatch.setenv("CI", value)
    (checkout.parent / "a.txt").write_text("https://example.com/a\n")
    (checkout / "sitemap.txt").symlink_to("../a.txt")

    assert [entry.loc for entry in urlset.read("sitemap.txt")] == ["https://example.com/a"]


@posix
def test_a_link_within_the_checkout_is_read_in_ci(checkout, monkeypatch):
    monkeypatch.setenv("CI", "true")
    (checkout / "a.txt").write_text("https://example.com/a\n")
    (checkout / "sitemap.txt").symlink_to("a.txt")

    assert len(list(urlset.read("sitemap.txt"))) == 1


@posix
def test_a_named_pipe_is_refused(checkout):
    os.mkfifo(checkout / "sitemap.xml")

    with pytest.raises(SourceError, match="it is a pipe"):
        list(urlset.read("sitemap.xml"))


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, "a = " + "{a=" * 100_000, "[" + "a." * 100_000 + "b]"]
)
def test_a_deeply_nested_configuration_is_a_clear_error(tmp_path, text):
    path = tmp_path / "urlset.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError):
        load_config(path)


def test_a_key_of_many_parts_is_named_as_the_fault(tmp_path):
    path = tmp_path / "urlset.toml"
    path.write_text("a" + ".a" * 1_000 + " = 1")

    with pytest.raises(ConfigurationError, match="expected keys of at most 100 parts"):
        load_config(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5_000])
def test_a_deeply_nested_baseline_is_a_clear_error(tmp_path, text):
    path = tmp_path / "baseline.json"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match="expected a baseline"):
        Baseline.read(path)


VIEWS = """pg_settings duckdb_settings duckdb_databases duckdb_logs duckdb_secrets duckdb_variables
    duckdb_extensions duckdb_memory duckdb_temporary_files pragma_database_list pg_database
    main.pg_settings system.main.duckdb_settings DUCKDB_SETTINGS "pg_settings"
    pg_catalog.pg_settings
    """.split()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("query", ["FROM {}", "SELECT (SELECT count(*) FROM {}) FROM entries"])
def test_views_of_settings_and_paths_are_refused(view, query, tmp_path):
    urlset.read(b"https://example.com/a\n").to_duckdb(tmp_path / "a.duckdb")
    with urlset.Store.open(tmp_path / "a.duckdb") as opened:
        with pytest.raises(QueryError, match="neither settings nor paths"):
            opened.query(query.format(view))
        assert list(opened.query("FROM duckdb_tables LIMIT 1"))


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit", "markdown"])
@pytest.mark.parametrize(
    "content",
    [
        b"TOKEN=hunter2\0PATH=/bin\0",
        b"machine example.com login a password hunter2\n",
        b"<config><password>hunter2</password></config>",
        b"\0\1\2hunter2",
        b'{"password": "hunter2"}',
    ],
)
def test_text_of_a_file_that_is_no_sitemap_is_not_quoted(tmp_path, capsys, content, form):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(content)

    main(["check", str(path), "--format", form])

    assert "hunter2" not in capsys.readouterr().out
    assert not any("hunter2" in str(finding) for finding in urlset.check(str(path)))


@posix
def test_name_that_is_not_utf8_is_one_file_in_every_output(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "site"
    folder.mkdir()
    name = os.fsencode(folder) + b"/sitemap-\xe9.xml"
    with open(name, "wb") as file:
        file.write(b"<urlset><url><loc> https://e.com/a</loc></url></urlset>")

    main(["check", "site", "--format", "sarif"])
    assert '"uri": "site/sitemap-%e9.xml"' in capfd.readouterr().out
    main(["check", "site", "--fix", "--unsafe-fixes"])
    ran = capfd.readouterr()
    assert "backup: " in ran.out + ran.err
    assert "sitemap-\\xe9.xml.bak" in ran.out + ran.err
    assert os.path.exists(name + b".bak")


@pytest.mark.parametrize("where", ["", " WHERE n < 0"], ids=["rows", "no row"])
def test_a_view_of_sqlite_has_a_time_limit(checkout, where):
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    with closing(sqlite3.connect("a.db")) as database:
        database.execute(f"CREATE VIEW pages AS {endless} SELECT '/' || n AS loc FROM c{where}")
    table = Table("a.db", query_timeout_s=0.3)

    with pytest.raises(QueryError, match=r"ran longer than 0\.3 seconds"):
        for _ in table.batches():
            pass


def test_a_view_of_duckdb_has_a_time_limit(checkout):
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    with duckdb.connect("a.duckdb") as database:
        database.execute(f"CREATE VIEW pages AS {endless} SELECT '/' || n AS loc FROM c")
    table = Table("a.duckdb", query_timeout_s=0.3)

    with pytest.raises(QueryError, match=r"ran longer than 0\.3 seconds"):
        for _ in table.batches():
            pass


@pytest.mark.parametrize("date", ["infinity", "-infinity", "290000-01-01", "290000-01-01 (BC)"])
@pytest.mark.parametrize("suffix", ["duckdb", "parquet"])
def test_a_date_that_python_has_not_is_a_clear_error(tmp_path, suffix, date):
    path = str(tmp_path / f"a.{suffix}")
    if suffix == "duckdb":
        urlset.read(b"https://e.com/a\n").to_duckdb(path)
        with duckdb.connect(path) as database:
            database.execute("UPDATE entries SET lastmod = ?::TIMESTAMPTZ", [date])
    else:
        row = f"SELECT 'https://e.com/a' AS loc, '{date}'::TIMESTAMPTZ AS lastmod"
        duckdb.connect().execute(f"COPY ({row}) TO '{path}'")

    with pytest.raises(StoreError, match=r"expected column 'lastmod' .* out of range"):
        list(urlset.read(path))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW pages AS SELECT '/a' AS loc, hex(zeroblob(3000000)) AS title",
        "CREATE TABLE pages (loc TEXT, x TEXT AS (hex(zeroblob(3000000))) VIRTUAL)",
    ],
    ids=["view", "column"],
)
def test_a_value_of_sqlite_that_is_computed_is_no_longer_than_the_file(checkout, sql):
    with closing(sqlite3.connect("a.db")) as database:
        database.execute(sql)
        if "VIEW" not in sql:
            database.execute("INSERT INTO pages (loc) VALUES ('/a')")
            database.commit()

    with pytest.raises(SourceError, match="string or blob too big"):
        list(Table("a.db").batches())


def test_a_value_of_sqlite_may_be_as_long_as_the_file(checkout):
    with closing(sqlite3.connect("a.db")) as database:
        database.execute("CREATE TABLE pages (loc TEXT, title TEXT)")
        database.execute("INSERT INTO pages VALUES ('/a', ?)", ["a" * 6_000_000])
        database.commit()

    (batch,) = Table("a.db").batches()
    assert batch["loc"][0].as_py() == "/a"


def test_long_rows_of_a_view_of_sqlite_are_read_in_small_batches(checkout):
    rows = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300)"
    with closing(sqlite3.connect("a.db")) as database:
        database.execute(f"CREATE VIEW pages AS {rows} SELECT hex(zeroblob(150000)) AS loc FROM c")

    sizes = [batch.num_rows for batch in sqlite_batches("a.db")]
    assert sum(sizes) == 300
    assert max(sizes) < 200


@pytest.mark.parametrize("form", ["csv", "jsonl", "array"])
def test_long_rows_of_a_packed_file_are_read_in_small_batches(checkout, form):
    title = "a" * 300_000
    rows = [f'{{"loc": "/{n}", "title": "{title}"}}' for n in range(300)]
    text = {
        "csv": "\n".join(["loc,title", *(f"/{n},{title}" for n in range(300))]),
        "jsonl": "\n".join(rows),
        "array": f"[{','.join(rows)}]",
    }[form]
    (checkout / "a.gz").write_bytes(gzip.compress(text.encode(), 1))

    source = TextSource("a.gz", form="csv" if form == "csv" else "jsonl")
    sizes = [batch.num_rows for batch in source.batches()]
    assert sum(sizes) == 300
    assert max(sizes) < 200


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8")
def test_the_name_of_an_sqlite_file_may_be_no_utf8(checkout):
    name = os.fsdecode(b"a-\xe9.db")
    with closing(sqlite3.connect("a.db")) as database:
        database.execute("CREATE TABLE pages (loc TEXT)")
        database.execute("INSERT INTO pages VALUES ('/a')")
        database.commit()
    os.rename("a.db", name)

    assert [batch.num_rows for batch in Table(name).batches()] == [1]


def test_a_store_with_an_empty_url_is_shown(tmp_path, capsys):
    path = str(tmp_path / "a.duckdb")
    urlset.read(b"https://e.com/a\n").to_duckdb(path)
    with duckdb.connect(path) as database:
        database.execute("UPDATE entries SET loc = ''")

    assert main(["read", path]) == 0
    assert "loc" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_sitemap_whose_name_is_no_utf8_has_a_url(tmp_path, capsys):
    name = os.fsdecode(b"a\xff.xml")
    (tmp_path / name).write_bytes(b"<urlset/>")

    for source in (tmp_path, tmp_path / name):
        assert main(["check", str(source), "--base-url", "https://example.com/"]) == 1
        assert "S002" in capsys.readouterr().out
