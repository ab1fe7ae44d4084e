"""SQL of users and of configuration files reaches the tables, and nothing else."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.checker import custom_rule
from urlset.cli.app import run
from urlset.errors import QueryError, SourceError, StoreError
from urlset.sources.tables.table import Table
from urlset.store import Store
from urlset.store.sandbox import TimeLimit, TimeLimitError

PAGES = b"https://example.com/a https://example.com/b"

# Every statement is to be refused. SECRET and TARGET stand for paths outside of the store.
HOSTILE = {
    "two statements": "SELECT 1; COPY (SELECT 'x') TO 'TARGET'",
    "second statement behind a comment": "SELECT 1 -- a\n; COPY (SELECT 'x') TO 'TARGET'",
    "second statement behind a block comment": "SELECT 1 /* ; */ ; COPY (SELECT 1) TO 'TARGET'",
    "no-break spaces": "SELECT\u00a01;\u2003COPY\u00a0(SELECT 1)\u00a0TO\u00a0'TARGET'",
    "NUL": "SELECT 1\0; COPY (SELECT 1) TO 'TARGET'",
    "copy to": "COPY (SELECT 'x') TO 'TARGET'",
    "copy from": "COPY entries FROM 'SECRET'",
    "attach": "ATTACH 'TARGET' AS other",
    "detach": "DETACH store",
    "use": "USE memory",
    "install": "INSTALL httpfs",
    "install from": "INSTALL httpfs FROM 'http://127.0.0.1:9/'",
    "load": "LOAD httpfs",
    "load a file": "LOAD 'TARGET'",
    "pragma": "PRAGMA database_list",
    "pragma that writes": "PRAGMA enable_profiling",
    "set": "SET enable_external_access = true",
    "set variable": "SET VARIABLE now = 1",
    "reset": "RESET lock_configuration",
    "call": "CALL force_checkpoint()",
    "export": "EXPORT DATABASE 'TARGET'",
    "import": "IMPORT DATABASE 'TARGET'",
    "checkpoint": "CHECKPOINT",
    "force checkpoint": "FORCE CHECKPOINT store",
    "vacuum": "VACUUM",
    "prepare": "PREPARE p AS SELECT 1",
    "execute": "EXECUTE p",
    "explain analyze": "EXPLAIN ANALYZE SELECT 1",
    "create": "CREATE TABLE t AS SELECT 1",
    "create a macro": "CREATE MACRO m() AS TABLE SELECT * FROM read_text('SECRET')",
    "create a secret": "CREATE SECRET s (TYPE http)",
    "insert": "INSERT INTO entries (loc) VALUES ('x')",
    "update": "UPDATE entries SET loc = 'x'",
    "delete": "DELETE FROM entries",
    "drop": "DROP TABLE entries",
    "truncate": "TRUNCATE entries",
    "merge": "MERGE INTO entries USING entries AS o ON true WHEN MATCHED THEN DELETE",
    "begin": "BEGIN; SELECT 1",
    "comment on": "COMMENT ON TABLE entries IS 'x'",
    "select into": "SELECT 1 INTO t",
    "insert inside WITH": "WITH a AS (INSERT INTO entries (loc) VALUES ('x') RETURNING loc) FROM a",
    "delete inside WITH": "WITH a AS (DELETE FROM entries RETURNING loc) SELECT * FROM a",
    "file as a table": "SELECT * FROM 'SECRET'",
    "CSV as a table": 'FROM "SECRET.csv"',
    "file of another folder": "FROM '../../*.parquet'",
    "URL as a table": "FROM 'http://127.0.0.1:9/x.parquet'",
    "bucket as a table": "FROM 's3://bucket/x.parquet'",
    "read_csv": "SELECT * FROM read_csv('SECRET')",
    "READ_CSV in capitals": "SELECT * FROM READ_CSV('SECRET')",
    "qualified read_csv": "SELECT * FROM system.main.read_csv('SECRET')",
    "quoted read_csv": "SELECT * FROM \"read_csv\"('SECRET')",
    "read_csv_auto": "SELECT * FROM read_csv_auto('SECRET')",
    "read_text": "SELECT * FROM read_text('SECRET')",
    "read_blob": "SELECT content FROM read_blob('SECRET')",
    "read_json": "SELECT * FROM read_json('SECRET')",
    "read_parquet": "SELECT * FROM read_parquet('SECRET')",
    "parquet_metadata": "SELECT * FROM parquet_metadata('SECRET')",
    "read_duckdb": "SELECT * FROM read_duckdb('SECRET')",
    "sniff_csv": "SELECT * FROM sniff_csv('SECRET')",
    "read_text of a URL": "SELECT * FROM read_text('http://127.0.0.1:9/')",
    "glob": "SELECT * FROM glob('/*')",
    "read_text in a subquery": "SELECT (SELECT content FROM read_text('SECRET'))",
    "read_text in EXISTS": "SELECT EXISTS (FROM read_text('SECRET'))",
    "read_text in IN": "SELECT 'x' IN (SELECT content FROM read_text('SECRET'))",
    "read_text in WITH": "WITH a AS (FROM read_text('SECRET')) SELECT * FROM a",
    "read_text in LIMIT": "FROM entries LIMIT (SELECT count(*) FROM read_text('SECRET'))",
    "read_text in ORDER BY": "FROM entries ORDER BY (SELECT content FROM read_text('SECRET'))",
    "read_text in a lateral join": "FROM entries e, LATERAL (FROM read_text('SECRET')) t",
    "read_text in UNION": "SELECT 1 UNION ALL SELECT content FROM read_text('SECRET')",
    "read_text in DESCRIBE": "DESCRIBE SELECT * FROM read_text('SECRET')",
    "read_text in SUMMARIZE": "SUMMARIZE SELECT * FROM read_text('SECRET')",
    "read_text in PIVOT": "FROM read_text('SECRET') PIVOT (count(*) FOR size IN (1))",
    "read_text behind a comment": "SELECT * FROM /* x */ read_text /* y */ ('SECRET')",
    "query": "SELECT * FROM query('FROM read_text(''SECRET'')')",
    "query_table": "SELECT * FROM query_table('SECRET')",
    "serialized SQL": "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "plan": "SELECT json_serialize_plan('SELECT 1')",
    "setting in a plan": "SELECT json_serialize_plan('SELECT current_setting(''temp_directory'')', "
    "optimize := true)",
    "pointer": "SELECT * FROM arrow_scan(1, 2, 3)",
    "python": "SELECT * FROM python_map_function((SELECT 1))",
    "getenv": "SELECT getenv('HOME')",
    "setting": "SELECT current_setting('temp_directory')",
    "settings": "SELECT * FROM duckdb_settings()",
    "secrets": "SELECT * FROM duckdb_secrets()",
    "logging": "SELECT * FROM enable_logging()",
    "write_log": "SELECT write_log('x')",
    "checkpoint function": "SELECT * FROM checkpoint('store')",
    "sequence": "SELECT nextval('s')",
    "sleep": "SELECT sleep_ms(100000000)",
    "nothing": " -- nothing",
    "bytes that are not UTF-8": "SELECT '\udcff'",
    "too long": "SELECT '" + "x" * 60_000 + "'",
    "too deep": "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
}


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Store.open() as store:
        store.fill(urlset.read(PAGES))
        yield store


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a statement for this test; afterwards, nothing may be there that it names."""
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("token")
    Path(f"{secret}.csv").write_text("a\ntoken\n")
    before = sorted(tmp_path.rglob("*"))
    yield lambda text: text.replace("SECRET", str(secret)).replace("TARGET", str(tmp_path / "new"))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_statement_is_refused_by_a_store(name, store, hostile):
    with pytest.raises(QueryError) as caught:
        store.query(hostile(HOSTILE[name]))

    assert "token" not in str(caught.value)
    assert list(store.query("SELECT count(*) FROM entries")) == [(2,)]


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "too deep"])
def test_hostile_statement_is_refused_as_a_rule(name, hostile):
    rule = custom_rule(1, {"name": "mine", "message": "x", "sql": hostile(HOSTILE[name])})

    with pytest.raises(QueryError, match=r"the SQL of rule Z001 \(mine\)"):
        urlset.check(PAGES, rules=[rule])  # before anything is read


@pytest.mark.parametrize("form", ["csv", "duckdb"])
@pytest.mark.parametrize(
    "name", ["two statements", "copy to", "attach", "load", "file as a table", "read_text", "query"]
)
def test_hostile_statement_is_refused_of_a_table(name, form, tmp_path, hostile):
    text = hostile(HOSTILE[name])
    path = tmp_path / "secret.csv"
    if form == "duckdb":
        path = tmp_path / "new.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE pages AS SELECT 'https://example.com/' AS loc")
    try:
        with pytest.raises(QueryError):
            list(Table(path, query=text).batches())
    finally:
        if form == "duckdb":
            path.unlink()


CONDITIONS = {
    "closes the parenthesis": "true) UNION ALL (SELECT 1",
    "closes it and reads": "true) UNION ALL FROM read_text('/etc/passwd') WHERE (true",
    "closes it and adds a column": "true), (true",
    "closes it and adds a table": "true) FROM entries WHERE (true",
    "closes it and ends the statement": "true); COPY (SELECT 1) TO 'x'; SELECT (true",
    "hides the parenthesis": "true --",
    "hides it in a block": "true /*",
    "subquery": "loc = (SELECT content FROM read_text('/etc/passwd'))",
    "function": "getenv('HOME') <> ''",
    "order": "true) ORDER BY (SELECT 1",
    "nothing": "",
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_condition_of_a_rule_is_one_expression(name):
    rule = custom_rule(
        1, {"name": "mine", "message": "x", "view": "urls", "where": CONDITIONS[name]}
    )

    if name == "hides the parenthesis":  # the comment ends with its line
        assert len(list(urlset.check(PAGES, rules=[rule], select=["mine"]))) == 2
        return
    with pytest.raises(QueryError, match="the SQL of rule Z001"):
        urlset.check(PAGES, rules=[rule])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("view", "urls, read_text('/etc/passwd')"),
        ("view", "(SELECT 1)"),
        ("view", "'/etc/passwd'"),
        ("message", "{n:'), (SELECT content FROM read_text(''x'')), ('}"),
        ("message", "{n:>2000000000}"),
        ("message", "{(SELECT 1)}"),
        ("message", "{loc!r}"),
    ],
)
def test_other_keys_of_a_rule_are_no_sql(key, value):
    table = {"name": "mine", "message": "x", "view": "urls", "where": "true"}

    with pytest.raises(ValueError, match="expected"):
        custom_rule(1, table | {key: value})


ENDLESS = [
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM range(1000000000000) t(n) WHERE n % 7 = 8",
    "SELECT count(*) FROM range(1000000) a, range(1000000) b, entries WHERE a.range * b.range = -1",
]


@pytest.mark.parametrize("query", ENDLESS)
def test_query_that_does_not_end_is_ended(query, store):
    with pytest.raises(QueryError, match=r"ran longer than 0\.2 seconds"):
        store.query(query, timeout_s=0.2)

    assert list(store.query("SELECT 1")) == [(1,)]


def test_rule_that_does_not_end_is_ended():
    rule = custom_rule(1, {"name": "mine", "message": "x", "sql": ENDLESS[0]})

    with pytest.raises(QueryError, match=r"rule Z001 \(mine\).*ran longer than 0.2 seconds"):
        list(urlset.check(PAGES, rules=[rule], rule_timeout_s=0.2))


def test_query_of_a_table_that_does_not_end_is_ended(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("loc\nhttps://example.com/\n")
    query = "SELECT loc FROM input, range(1000000000000) t(n) WHERE n % 7 = 8"

    with pytest.raises(QueryError, match=r"ran longer than 0\.2 seconds"):
        list(Table(path, query=query, query_timeout_s=0.2).batches())


def test_query_of_a_sqlite_file_that_does_not_end_is_ended(tmp_path):
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE pages (loc)")
    connection.close()
    query = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t"

    with pytest.raises(QueryError, match=r"ran longer than 0\.2 seconds"):
        list(Table(path, query=query, query_timeout_s=0.2).batches())


def test_rule_that_needs_too_much_memory_is_an_error():
    query = "SELECT list(a.range || repeat('x', 9999)) FROM range(999999) a"
    rule = custom_rule(1, {"name": "mine", "message": "x", "sql": query})

    with pytest.raises(QueryError, match=r"rule Z001 \(mine\)"):
        list(urlset.check(PAGES, rules=[rule]))


@pytest.mark.parametrize(
    "query",
    [
        "FROM entries",
        "SELECT url_section(loc), count(*) FROM entries GROUP BY ALL ORDER BY ALL",
        "WITH a AS (SELECT loc FROM entries) SELECT * FROM a WHERE url_host(loc) = 'example.com'",
        "DESCRIBE entries",
        "SHOW TABLES",
        "SUMMARIZE entries",
        "SELECT unnest(range(3)), [x + 1 FOR x IN range(3)], format('{:,}', 1000)",
        "SELECT * EXCLUDE (loc), row_number() OVER (ORDER BY loc) FROM entries",
        "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'entries'",
        "FROM entries PIVOT (count(*) FOR changefreq IN ('daily', 'weekly'))",
        "SELECT now(), random(), uuid(), 'a;b', $$;$$ -- end;",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 9) FROM t;",
        "VALUES (1), (2)",
    ],
)
def test_queries_that_only_read_tables_are_answered(query, store):
    store.check(query)
    store.query(query)


def test_store_can_be_filled_after_a_query(tmp_path):
    (tmp_path / "a.txt").write_bytes(PAGES)
    (tmp_path / "b.txt").write_bytes(b"https://example.com/c")
    for path in (None, tmp_path / "s.duckdb"):
        with Store.open(path) as store:
            store.fill(urlset.read(tmp_path / "a.txt"))
            assert len(store.query("FROM entries")) == 2
            store.fill(urlset.read(tmp_path / "b.txt"))
            assert len(store.query("FROM entries")) == 3
    with Store.open(tmp_path / "s.duckdb", read_only=True) as store:
        assert len(store.query("FROM entries")) == 3


def test_volatile_functions_of_duckdb_are_each_judged():
    """A version of DuckDB that brings new ones needs a decision about them."""
    from urlset.store import sandbox

    harmless = (
        "current_connection_id current_query current_query_id current_transaction_id error "
        "gen_random_uuid random stats txid_current uuid uuidv4 uuidv7 vector_type"
    ).split()
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            "WHERE function_type = 'scalar' AND has_side_effects"
        ).fetchall()

    assert {name for (name,) in found} <= {*harmless, *sandbox._FUNCTIONS}


# ── files of others ──


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a store, and change it by SQL."""
    monkeypatch.chdir(tmp_path)
    Path("secret").write_text("token")

    def changed(*statements: str) -> str:
        with Store.open("s.duckdb") as store:
            store.fill(urlset.read(PAGES))
        with duckdb.connect("s.duckdb") as connection:
            for statement in statements:
                connection.execute(statement)
        return "s.duckdb"

    return changed


@pytest.mark.parametrize(
    "statements",
    [
        [
            "ALTER TABLE entries RENAME TO e",
            "CREATE VIEW entries AS SELECT * REPLACE ((SELECT content FROM read_text('secret')) "
            "AS loc) FROM e",
        ],
        ["CREATE OR REPLACE MACRO url_host(loc) AS (SELECT content FROM read_text('secret'))"],
        ["CREATE OR REPLACE VIEW links AS FROM read_text('secret')"],
        ["ALTER TABLE entries ADD COLUMN more VARCHAR DEFAULT getvariable('x')"],
        ["DROP TABLE problems"],
        ["CREATE SCHEMA other", "CREATE VIEW other.entries AS FROM read_text('secret')"],
    ],
    ids=["view for a table", "macro", "view", "default", "no table", "other schema"],
)
def test_store_with_other_definitions_is_refused(statements, foreign):
    path = foreign(*statements)

    for read_only in (True, False):
        with pytest.raises(StoreError, match="differs from what urlset creates"):
            Store.open(path, read_only=read_only)


def test_views_and_macros_of_a_foreign_store_are_not_used(foreign):
    path = foreign(
        "CREATE VIEW v AS FROM read_text('secret')",
        "CREATE MACRO m() AS 1",
        "CREATE TABLE t (n INT)",
    )

    with Store.open(path, read_only=True) as store:
        assert len(store.query("FROM t")) == 0
        for query in ("FROM v", "SELECT m()", "SELECT * FROM V", "SUMMARIZE v", "DESCRIBE v"):
            with pytest.raises(QueryError, match="was not created by urlset"):
                store.query(query)


def test_view_of_a_foreign_database_reads_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret").write_text("token")
    with duckdb.connect("a.duckdb") as connection:
        connection.execute("CREATE VIEW pages AS SELECT content AS loc FROM read_text('secret')")

    with pytest.raises(SourceError, match="reads another file"):
        list(Table("a.duckdb").batches())
    with pytest.raises(QueryError, match=r"reads another file|disabled"):
        list(Table("a.duckdb", query="SELECT loc FROM pages").batches())


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS FROM read_text('secret')",
        "CREATE MACRO m() AS 1",
        "CREATE TABLE t (n INTEGER, m INTEGER GENERATED ALWAYS AS (n + 1))",
        "CREATE TABLE t (n INTEGER DEFAULT 3)",
    ],
)
def test_ledger_holds_tables_only(statement, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text("https://example.com/\n")
    assert run(["build", "urls.txt", "--output", "public"]) == 0
    with duckdb.connect(".urlset/ledger.duckdb") as connection:
        connection.execute(statement)

    assert run(["build", "urls.txt", "--output", "public"]) == 2
    assert "expected a file with tables only" in capsys.readouterr().err


# ── the command line ──


def test_configuration_of_a_repository_writes_no_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("https://example.com/\n")
    Path("urlset.toml").write_text(
        "[[check.rules]]\nname = 'mine'\nmessage = 'x'\n"
        f"sql = \"SELECT 1 AS x; COPY (SELECT 'x') TO '{tmp_path / 'new'}'\"\n"
    )

    assert run(["check", "a.txt"]) == 2
    assert "the SQL of rule Z001 (mine): expected one query" in capsys.readouterr().err
    assert sorted(os.listdir()) == ["a.txt", "urlset.toml"]


def test_statements_that_end_before_they_are_interrupted_count():
    with duckdb.connect() as connection:
        with TimeLimit(60).applied_to(connection):
            time.sleep(0.05)

        expected = r"it ran longer than 0\.001 seconds"
        with pytest.raises(TimeLimitError, match=expected), TimeLimit(0.001).applied_to(connection):
            time.sleep(0.05)


def test_time_limits_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("https://example.com/\n")
    Path("urlset.toml").write_text(
        f"[[check.rules]]\nname = 'mine'\nmessage = 'x'\nsql = '{ENDLESS[0]}'\n"
    )

    assert run(["check", "a.txt", "--rule-timeout", "0.2"]) == 2
    assert "ran longer than 0.2 seconds" in capsys.readouterr().err
    assert run(["read", "a.txt", "--sql", ENDLESS[0], "--sql-timeout", "0.2"]) == 2
    assert "--sql: the query was ended" in capsys.readouterr().err


# ── findings of rules about no document ──


def test_finding_of_a_rule_without_a_document_names_the_source(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("https://example.com/\n")
    Path("urlset.toml").write_text(
        "[[check.rules]]\nname = 'few'\nlevel = 'error'\nmessage = '{n} URLs'\n"
        "sql = 'SELECT count(*) AS n FROM entries'\n"
    )

    assert run(["check", "a.txt", "--select", "few", "--format", "json"]) == 1
    out = capsys.readouterr().out
    assert '"source": "a.txt"' in out
    assert "<bytes>" not in out
    assert run(["check", "a.txt", "--select", "few"]) == 1
    assert "a.txt" in capsys.readouterr().out


def test_a_query_with_a_long_constant_is_checked_in_time(store):
    start = time.process_time()

    store.check("SELECT repeat('x', 10000000)")

    assert time.process_time() - start < 3


def test_a_checked_query_has_no_parameters(store):
    with pytest.raises(QueryError, match="parameters without values"):
        store.check("SELECT ?")
