"""The store: tables that say what they promise, filled from files, asked in SQL."""

import datetime as dt
from hashlib import blake2b
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import urlset
from urlset.errors import QueryError, SourceError, StoreError
from urlset.fields import STORE_VERSION
from urlset.store import MACROS, TABLES, VIEWS, Store
from urlset.store.writer import StoreWriter

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
RICH = f"""<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://e.com/a</loc><lastmod>2026-01-31</lastmod><priority>0.0</priority>
<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de/a"/>
<xhtml:link rel="alternate" hreflang="fr" href="https://e.com/fr/a"/>
<image:image><image:loc>https://e.com/i.jpg</image:loc></image:image></url>
<url><loc>https://e.com/b?x=1&y=2</loc><lastmod>yesterday</lastmod></url>
<url><loc>https://e.com/c</loc></url>
</urlset>
""".encode()


COLUMNS = {3: "dafe5c19dc6fbe77"}
"""Digest of the columns of the tables, by version of the store."""


def test_other_columns_have_another_version():
    columns = "\n".join(f"{t.name} {c.name} {c.type}" for t in TABLES for c in t.columns)
    digest = blake2b(columns.encode(), digest_size=8).hexdigest()

    advice = "the columns changed: increase STORE_VERSION in src/urlset/fields.py"
    assert COLUMNS.get(STORE_VERSION) == digest, f"{advice}, and write {digest!r} for it here"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An index, a sitemap, a list, and a child that is not there."""
    folder = tmp_path / "site"
    folder.mkdir()
    locs = [f"https://e.com/{name}" for name in ("pages.xml", "more.txt", "lost.xml")]
    rows = "\n".join(
        f"<sitemap><loc>{loc}</loc><lastmod>2026-01-0{n}</lastmod></sitemap>"
        for n, loc in enumerate(locs, 1)
    )
    (folder / "index.xml").write_text(f"<sitemapindex {NS}>\n{rows}\n</sitemapindex>")
    (folder / "pages.xml").write_bytes(RICH)
    (folder / "more.txt").write_text("https://e.com/c\nhttps://e.com/d\n")
    return folder


@pytest.fixture
def store():
    with Store.open() as store:
        yield store


def test_tables_are_as_they_are_written_down(store):
    for table in TABLES:
        columns = store.query(f"DESCRIBE {table.name}")
        found = [(row[0], row[1]) for row in columns]

        expected = [(column.name, column.type) for column in table.columns]
        assert [name for name, _ in found] == [name for name, _ in expected]
        for (name, kind), (_, written) in zip(found, expected, strict=True):
            kind = kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ").replace('"', "")
            assert kind.lower() == written.lower(), f"{table.name}.{name}"


def test_comments_in_the_file_are_the_words_of_the_schema(tmp_path):
    query = (
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment IS NOT NULL"
    )

    with Store.open(tmp_path / "a.duckdb") as store:
        assert set(store.query(query)) == {
            (table.name, column.name, column.doc) for table in TABLES for column in table.columns
        }
        assert set(store.query("SELECT view_name FROM duckdb_views() WHERE NOT internal")) == {
            (view.name,) for view in VIEWS
        }
    assert len(MACROS) == 5


def test_page_of_the_documentation_has_every_column(store):
    page = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    for table in TABLES:
        part = page.partition(f"\n## `{table.name}`\n")[2].partition("\n## ")[0]
        shown = [line.split("`")[1] for line in part.splitlines() if line.startswith("| `")]

        assert shown == [row[0] for row in store.query(f"DESCRIBE {table.name}")]


def test_files_fill_documents_entries_sitemaps_and_problems(store, site, engine):
    store.fill(urlset.read(site / "index.xml", engine=engine.name))

    documents = store.query(
        "SELECT document, parse_filename(source), loc, parse_filename(parent), how, depth, kind, "
        "entry_count, sitemap_count, error IS NULL FROM documents"
    )
    assert list(documents) == [
        (1, "index.xml", None, None, "given", 0, "index", 0, 3, True),
        (2, "pages.xml", "https://e.com/pages.xml", "index.xml", "index", 1, "urlset", 3, 0, True),
        (3, "more.txt", "https://e.com/more.txt", "index.xml", "index", 1, "text", 2, 0, True),
        (4, "lost.xml", "https://e.com/lost.xml", "index.xml", "index", 1, None, 0, 0, False),
    ]
    entries = list(store.query('SELECT document, entry, loc, "offset", line FROM entries'))
    assert [row[:3] for row in entries] == [
        (2, 1, "https://e.com/a"),
        (2, 2, "https://e.com/b?x=1&y=2"),
        (2, 3, "https://e.com/c"),
        (3, 1, "https://e.com/c"),
        (3, 2, "https://e.com/d"),
    ]
    assert [row[4] for row in entries] == [3, 7, 8, 1, 2]
    assert RICH[entries[1][3] :].startswith(b"<url><loc>https://e.com/b")
    sitemaps = store.query("SELECT document, sitemap, loc, lastmod_text, line FROM sitemaps")
    assert next(iter(sitemaps)) == (1, 1, "https://e.com/pages.xml", "2026-01-01", 2)
    problems = store.query('SELECT document, entry, loc, code, line, "column" FROM problems')
    assert sorted(row for row in problems if row[0] == 2) == [
        (2, 2, "https://e.com/b?x=1&y=2", "D001", 7, 49),
        (2, 2, "https://e.com/b?x=1&y=2", "X003", 7, 30),
    ]


def test_problems_are_stored_without_the_detail_of_their_message(site, tmp_path):
    (problem,) = (p for p in urlset.parse(RICH).problems if p.code == "D001")

    urlset.read(site / "pages.xml").to_duckdb(tmp_path / "a.duckdb")
    (stored,) = (p for p in urlset.read(tmp_path / "a.duckdb").problems if p.code == "D001")

    assert (problem.detail, stored.detail) == ("yesterday", "")
    assert stored == problem
    assert (stored != problem) is False
    assert {stored} == {problem}
    assert stored != problem._replace(message="other")


def test_nested_columns_and_instants_are_there(store, engine):
    store.fill(urlset.read(RICH, engine=engine.name))

    query = "SELECT lastmod, priority, images[1].loc, len(alternates), news FROM entries LIMIT 1"
    [row] = store.query(query)

    assert row[0].astimezone(dt.UTC) == dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
    assert row[1:] == (0.0, "https://e.com/i.jpg", 2, None)


def test_views_answer_what_is_asked_often(store, site):
    store.fill(urlset.read(site / "index.xml"))

    children = store.query("SELECT loc, child, kind, entry_count, error IS NULL FROM children")
    links = store.query("SELECT loc, hreflang, href FROM links")

    assert list(children) == [
        ("https://e.com/pages.xml", 2, "urlset", 3, True),
        ("https://e.com/more.txt", 3, "text", 2, True),
        ("https://e.com/lost.xml", 4, None, 0, False),
    ]
    assert list(links) == [
        ("https://e.com/a", "de", "https://e.com/de/a"),
        ("https://e.com/a", "fr", "https://e.com/fr/a"),
    ]


@pytest.mark.parametrize(
    ("loc", "host", "path", "section", "query", "folder"),
    [
        ("https://E.com", "e.com", "/", "/", None, "https://E.com/"),
        ("http://u:p@e.com:80/a/b?q#f", "e.com", "/a/b", "/a/", "q", "http://u:p@e.com:80/a/"),
        ("https://[::1]:8/x", "[::1]", "/x", "/", None, "https://[::1]:8/"),
        ("https://e.com?q=/a", "e.com", "/", "/", "q=/a", "https://e.com/"),
        ("pages/a.xml", None, None, None, None, None),
    ],
)
def test_functions_of_urls(store, loc, host, path, section, query, folder):
    heads = ("url_host", "url_path", "url_section", "url_query", "url_folder")
    asked = ", ".join(f"{head}($1)" for head in heads)

    [found] = store.query(f"SELECT {asked}", [loc])

    assert found == (host, path, section, query, folder)


def test_a_second_reading_replaces_and_what_is_gone_goes(site, tmp_path):
    path = tmp_path / "s.duckdb"
    urlset.read(site / "index.xml").to_duckdb(path)
    urlset.read(b"https://e.com/other\n").to_duckdb(path)
    (site / "index.xml").write_text(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/more.txt</loc></sitemap></sitemapindex>"
    )
    (site / "more.txt").write_text("https://e.com/new\n")
    urlset.read(site / "index.xml").to_duckdb(path)

    with Store.open(path, read_only=True) as store:
        locs = [row[0] for row in store.query("SELECT loc FROM entries ORDER BY loc")]
        names = "SELECT parse_filename(source) FROM documents WHERE source IS NOT NULL"
        assert locs == ["https://e.com/new", "https://e.com/other"]
        assert sorted(store.query(names)) == [("index.xml",), ("more.txt",)]
        orphans = "SELECT count(*) FROM {} WHERE document NOT IN (SELECT document FROM documents)"
        for table in ("entries", "sitemaps", "problems"):
            assert list(store.query(orphans.format(table))) == [(0,)]


def test_an_index_that_lists_itself_keeps_its_own_row(store, tmp_path):
    (tmp_path / "s.xml").write_text(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/s.xml</loc></sitemap></sitemapindex>"
    )

    store.fill(urlset.read(tmp_path / "s.xml"))

    rows = list(store.query("SELECT kind, error FROM documents"))
    assert rows == [
        ("index", None),
        (None, "an index lists itself, or an index above it; not followed again"),
    ]


def test_wanted_entries_keep_their_numbers(store, site, engine):
    entries = urlset.read(site / "index.xml", include="/[cd]$", limit=2, engine=engine.name)

    store.fill(entries)

    rows = list(store.query("SELECT parse_filename(source), entry, loc FROM entries"))
    assert rows == [("pages.xml", 3, "https://e.com/c"), ("more.txt", 1, "https://e.com/c")]


HOSTILE = [
    "https://e.com/');DROP/**/TABLE/**/entries;--",
    'https://e.com/"quoted"',
    "https://e.com/\\'||(SELECT(1))||\\'",
    "https://e.com/$$?,:1%s{x}",
    "https://e.com/日本",
]


def test_hostile_urls_are_only_text(store, tmp_path, engine):
    name = 'it\'s "a" file; DROP TABLE documents.xml'
    rows = "".join(f"<url><loc>{escape(loc)}</loc></url>" for loc in HOSTILE)
    (tmp_path / name).write_text(f"<urlset {NS}>{rows}</urlset>")

    for _ in range(2):  # the second time they are looked for, to be replaced
        store.fill(urlset.read(tmp_path / name, engine=engine.name))

    locs = [row[0] for row in store.query("SELECT loc FROM entries")]
    assert locs == HOSTILE
    assert list(store.query("SELECT count(*) FROM documents")) == [(1,)]


def test_nul_in_a_document_stays_where_it_is(store, engine):
    data = f"<urlset {NS}><url><loc>https://e.com/a\0b</loc></url></urlset>".encode()
    expected = [entry.loc for entry in urlset.parse(data, engine=engine.name).entries]

    store.fill(urlset.read(data, engine=engine.name))

    assert [row[0] for row in store.query("SELECT loc FROM entries")] == expected


def test_text_with_a_nul_comes_back_whole(store):
    assert list(store.query("SELECT 'a' || chr(0) || 'b', ?", ["c\0d"])) == [("a\0b", "c\0d")]


def test_answer_is_arrow_and_rows_and_can_be_asked_again(store, site):
    import polars
    import pyarrow

    store.fill(urlset.read(site))
    answer = store.query("SELECT loc, priority FROM entries ORDER BY loc")

    assert (len(answer), answer.columns) == (5, ["loc", "priority"])
    assert list(answer) == list(answer)
    assert polars.DataFrame(answer)["loc"].to_list() == pyarrow.table(answer)["loc"].to_pylist()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT nothing FROM entries", "nothing"),
        ("SELECT * FROM pages", "SHOW TABLES"),
        ("DROP TABLE entries", "expected one query"),
        ("SELECT 1; SELECT 2", "found SELECT, SELECT"),
        ("", "found nothing"),
        ("SELECT 1/0::DECIMAL(40)", "cannot be answered"),
        ("SELECT 'x'::INTEGER", "cannot be answered"),
    ],
)
def test_query_that_cannot_be_answered_is_reported_in_a_line(store, query, words):
    with pytest.raises(QueryError, match=words) as caught:
        store.query(query)

    assert "\n" not in str(caught.value)


def test_queries_change_nothing(store, site):
    store.fill(urlset.read(site))

    for query in ("DELETE FROM entries", "INSERT INTO entries (loc) VALUES ('x')", "ATTACH 'x'"):
        with pytest.raises(QueryError, match="expected one query"):
            store.query(query)

    assert list(store.query("SELECT count(*) FROM entries")) == [(5,)]


def test_other_files_are_not_taken_for_stores(tmp_path):
    import duckdb

    (tmp_path / "text.duckdb").write_text("precious")
    with duckdb.connect(tmp_path / "theirs.duckdb") as theirs:
        theirs.execute("CREATE TABLE precious (x INTEGER)")
    (tmp_path / "folder").mkdir()

    for name, words in [
        ("text.duckdb", "another kind of file"),
        ("theirs.duckdb", r"other tables \(precious\)"),
        ("folder", "a folder"),
        ("none/s.duckdb", "does not exist"),
    ]:
        with pytest.raises(StoreError, match=words):
            Store.open(tmp_path / name)

    assert (tmp_path / "text.duckdb").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "folder",
        "text.duckdb",
        "theirs.duckdb",
    ]


def test_store_that_is_open_is_reported(tmp_path):
    with Store.open(tmp_path / "s.duckdb"), pytest.raises(StoreError, match="open in this process"):
        Store.open(tmp_path / "s.duckdb")


def test_many_documents_go_in_as_they_are(store, tmp_path):
    # More than one transaction takes, so that they are cut into several.
    for number in range(30):
        lines = "".join(f"https://e.com/{number}/{n}\n" for n in range(20_000))
        (tmp_path / f"{number:02}.txt").write_text(lines)

    store.fill(urlset.read(tmp_path))

    query = (
        "SELECT count(*), count(DISTINCT loc), count(DISTINCT document), max(entry), "
        "count(*) FILTER (loc LIKE '%/' || (entry - 1)) FROM entries"
    )
    assert list(store.query(query)) == [(600_000, 600_000, 30, 20_000, 600_000)]


def test_reason_of_a_store_that_cannot_be_opened_is_for_programs(tmp_path):
    (tmp_path / "other.duckdb").write_text("no database")
    Store.open(tmp_path / "damaged.duckdb").close()
    data = bytearray((tmp_path / "damaged.duckdb").read_bytes())
    data[100:4_096] = bytes(3_996)
    (tmp_path / "damaged.duckdb").write_bytes(data)
    found = {}
    with Store.open(tmp_path / "open.duckdb"):
        for name in ("other", "damaged", "open", "lost/none"):
            with pytest.raises(StoreError) as raised:
                Store.open(tmp_path / f"{name}.duckdb")
            found[name] = raised.value.failure

    assert found == {
        "other": "other-file",
        "damaged": "damaged",
        "open": "in-use",
        "lost/none": "other",
    }


@pytest.mark.filterwarnings("ignore:urlset.read. the result is incomplete")
def test_store_can_be_read_like_the_sitemaps(site, tmp_path):
    urlset.read(site / "index.xml").to_duckdb(tmp_path / "s.duckdb")
    urlset.read(site / "index.xml").to_parquet(tmp_path / "s.parquet")
    entries = list(urlset.read(site / "index.xml"))

    stored = urlset.read(tmp_path / "s.duckdb")

    assert list(stored) == entries
    assert list(urlset.read(tmp_path / "s.parquet")) == entries
    assert [record.kind for record in stored.documents] == ["index", "urlset", "text", None]
    assert stored.problems == urlset.read(site / "index.xml").problems
    assert [entry.loc for entry in urlset.read(tmp_path / "s.duckdb", include="/d")] == [
        "https://e.com/d"
    ]


def test_a_store_without_documents_is_an_error(tmp_path):
    path = tmp_path / "s.duckdb"
    Store.open(path).close()

    with pytest.raises(SourceError, match="expected a store with sitemaps, found none"):
        list(urlset.read(path))
    with Store.open(path, read_only=True) as found:
        assert list(found.query("SELECT count(*) FROM entries")) == [(0,)]


def test_a_closed_store_says_so_in_every_method(tmp_path):
    store = Store.open(tmp_path / "a.duckdb")
    store.close()

    for use in (
        lambda: store.query("SELECT 1"),
        lambda: store.check("SELECT 1"),
        lambda: store.fill(urlset.read(b"https://example.com/a")),
        lambda: list(store.documents()),
        store.head,
        store.session,
    ):
        with pytest.raises(urlset.StoreError, match=r"expected an open store .*found a closed one"):
            use()


def test_the_result_of_a_query_names_its_columns():
    with Store.open() as store:
        found = store.query("SELECT 1 AS a, 2 AS b")

        assert repr(found) == "<QueryResult with 2 columns: a, b>"
        assert repr(store.query("SELECT 1 AS a")) == "<QueryResult with 1 column: a>"


def test_an_interval_is_a_timedelta_as_in_duckdb():
    with Store.open() as store:
        rows = list(
            store.query(
                "SELECT 'a' AS x, INTERVAL '1 month 2 days 00:00:01.5' AS y, NULL::INTERVAL AS z, "
                "-INTERVAL '3 hours' AS negative"
            )
        )

    age = dt.timedelta(days=32, seconds=1, microseconds=500_000)
    assert rows == [("a", age, None, -dt.timedelta(hours=3))]


def test_a_temporary_store_is_written_while_documents_are_read(monkeypatch, tmp_path):
    # Otherwise the rows of 50,000 small documents are in memory until the end.
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"https://example.com/{number}\n")
    counts: list[int] = []
    write = StoreWriter.write
    temporary = Store.open()

    def counted(writer: StoreWriter) -> None:
        write(writer)
        [(count,)] = writer._database.connection.execute("SELECT count(*) FROM entries").fetchall()
        counts.append(count)

    monkeypatch.setattr(StoreWriter, "write", counted)
    monkeypatch.setattr("urlset.store.writer.EVERY_S", 0.0)
    with temporary:
        temporary.fill(urlset.read(tmp_path))
    assert counts == [1, 2, 3, 3]
