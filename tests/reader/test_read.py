import gzip
import io
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.site_box import urlset_of
from urlset.engine import Engine
from urlset.errors import EngineError, SourceError
from urlset.reader import read
from urlset.reader.document_sources import path_suffixes
from urlset.reader.documents import KEPT_PROBLEMS

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*paths: str) -> bytes:
    urls = "".join(f"<url><loc>https://e.com/{path}</loc></url>\n" for path in paths)
    return f"{HEAD}<urlset {NS}>\n{urls}</urlset>\n".encode()


def index(*locs: str) -> bytes:
    sitemaps = "".join(f"<sitemap><loc>{loc}</loc></sitemap>\n" for loc in locs)
    return f"{HEAD}<sitemapindex {NS}>\n{sitemaps}</sitemapindex>\n".encode()


def write(folder, **files: bytes):
    """Writes files; a double underscore in a name is a dot, a single one at its front a folder."""
    for name, data in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def paths(entries) -> list[str]:
    return [entry.loc.removeprefix("https://e.com/") for entry in entries]


def errors(entries) -> list[tuple[str | None, str]]:
    return [(r.source, r.error) for r in entries.documents if r.error]


# ── kinds of source ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, io.BytesIO])
def test_read_bytes_and_open_files(make, engine: Engine):
    entries = read(make(urlset("a", "b")), engine=engine.name)

    assert paths(entries) == ["a", "b"]
    assert entries.documents[0].source is None


def test_read_twice_gives_the_same_even_of_a_stream():
    entries = read(io.BytesIO(urlset("a")))

    assert paths(entries) == paths(entries) == ["a"]


def test_read_unbuffered_file_that_gives_a_byte_at_a_time():
    class Trickle(io.RawIOBase):
        data = io.BytesIO(urlset("a"))

        def read(self, size=-1):
            return self.data.read(min(size, 1))

    assert paths(read(Trickle())) == ["a"]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_read_path(tmp_path, kind, engine: Engine):
    write(tmp_path, sitemap__xml=urlset("a"))

    entries = read(kind(tmp_path / "sitemap.xml"), engine=engine.name)

    assert [(entry.source, entry.line) for entry in entries] == [(str(tmp_path / "sitemap.xml"), 3)]


def test_read_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(urlset("a")))))

    entries = read("-")

    assert paths(entries) == ["a"]
    assert entries.documents[0].source == "-"
    assert entries.documents[0].packed_size < entries.documents[0].size


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_read_pipe_that_comes_once():
    reading, writing = os.pipe()
    os.write(writing, urlset("a"))
    os.close(writing)

    entries = read(f"/dev/fd/{reading}")

    assert paths(entries) == paths(entries) == ["a"]
    os.close(reading)


def test_read_text_file_says_how_to_open_it():
    with pytest.raises(SourceError, match='"rb"'):
        list(read(io.StringIO("https://e.com/")))  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [None, 3, ["a"]])
def test_read_of_an_unknown_source_type(source):
    with pytest.raises(SourceError, match="expected a path"):
        read(source)


def test_read_missing_file_is_reported_at_once(tmp_path):
    with pytest.raises(SourceError, match="found nothing at") as raised:
        read(tmp_path / "none.xml")

    assert isinstance(raised.value, OSError)


def test_read_path_with_a_nul():
    with pytest.raises(SourceError, match=r"null (byte|character)"):
        read("a\0b")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no file that fails to read")
def test_read_file_that_cannot_be_read():
    entries = read("/proc/self/mem")

    with pytest.raises(SourceError, match="expected a readable file"):
        list(entries)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no file that fails to read")
def test_read_folder_with_a_file_that_cannot_be_read_goes_on(tmp_path, monkeypatch):
    write(tmp_path, a__xml=urlset("a"), b__xml=urlset("b"))
    opened = open

    def failing(path, *arguments, **options):
        if str(path).endswith("a.xml"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *arguments, **options)

    monkeypatch.setattr("builtins.open", failing)
    entries = read(tmp_path)

    assert paths(entries) == ["b"]
    assert "no permission" in errors(entries)[0][1]


def test_read_unknown_engine_is_reported_at_once():
    with pytest.raises(EngineError):
        read(b"", engine="steam")


def test_read_file_whose_name_is_not_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.xml"
    try:
        with open(path, "wb") as file:
            file.write(urlset("a"))
    except OSError:
        pytest.skip("names are UTF-8 here")

    entries = read(os.fsdecode(path))

    assert [entry.source for entry in entries] == [f"{tmp_path}/\\xff.xml"]


def test_read_base_resolves_references():
    entries = read(b"<urlset><url><loc>/a</loc></url></urlset>", base_url="https://e.com/x/")

    assert paths(entries) == ["a"]


# ── documents, problems, Arrow ───────────────────────────────────────────────────────────────


def test_documents_report_what_was_met(tmp_path, engine: Engine):
    write(
        tmp_path, index__xml=index("https://e.com/a.xml.gz"), a__xml__gz=gzip.compress(urlset("a"))
    )

    entries = read(tmp_path / "index.xml", engine=engine.name)

    first, second = entries.documents
    assert (first.kind, first.entries, first.sitemaps, first.parent) == ("index", 0, 1, None)
    assert (second.kind, second.entries, second.parent) == ("urlset", 1, first.source)
    assert second.size == len(urlset("a"))
    assert second.packed_size == (tmp_path / "a.xml.gz").stat().st_size
    assert second.encoding == "utf-8"
    assert [sitemap.loc for sitemap in entries.sitemaps] == ["https://e.com/a.xml.gz"]


def test_documents_grow_while_entries_are_read(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/a.xml", "https://e.com/b.xml"))
    write(tmp_path, a__xml=urlset("a"), b__xml=urlset("b"))
    entries = read(tmp_path / "index.xml")

    iterator = iter(entries)

    assert next(iterator).loc == "https://e.com/a"
    assert len(entries.documents) == 2
    assert list(iterator)
    assert len(entries.documents) == 3


def test_problems_are_those_of_all_documents(tmp_path):
    write(tmp_path, a__xml=b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")

    entries = read(tmp_path / "a.xml")

    assert [problem.rule for problem in entries.problems] == [
        "missing-namespace",
        "unescaped-ampersand",
    ]
    assert entries.documents[0].problem_count == 2


def test_problems_that_are_kept_have_a_limit(monkeypatch):
    monkeypatch.setattr("urlset.reader.documents.KEPT_PROBLEMS", 3)

    entries = read(b"https://e.com/\n" + b"x\n" * 10)

    assert len(entries.problems) == 3
    assert entries.documents[0].problem_count == 10
    assert KEPT_PROBLEMS > 3


@pytest.mark.parametrize(("group_s", "sizes"), [(60, [3]), (0, [2, 1])])
def test_batches_of_the_arrow_stream(tmp_path, engine: Engine, monkeypatch, group_s, sizes):
    """Small documents share one, if they are not slow to come."""
    arro3 = pytest.importorskip("arro3.core")
    monkeypatch.setattr("urlset.arrow.streams._GROUP_S", group_s)
    write(tmp_path, index__xml=index("https://e.com/a.xml", "https://e.com/b.txt"))
    write(tmp_path, a__xml=urlset("a", "b"), b__txt=b"https://e.com/c\n")

    batches = list(
        arro3.RecordBatchReader.from_arrow(read(tmp_path / "index.xml", engine=engine.name))
    )

    assert [batch.num_rows for batch in batches] == sizes
    assert batches[-1].column("loc").to_pylist()[-1] == "https://e.com/c"


def test_rows_of_a_store_are_read_before_it_is_closed(tmp_path):
    """They are on disk, so those of small documents are not joined later."""
    write(tmp_path, a__xml=urlset("a", "b"), c__txt=b"https://e.com/c\n")
    read(tmp_path).to_duckdb(tmp_path / "s.duckdb")
    pyarrow = pytest.importorskip("pyarrow")

    stored = read(tmp_path / "s.duckdb")
    stored.to_csv(tmp_path / "s.csv")
    stored.to_duckdb(tmp_path / "copy.duckdb")

    assert paths(stored) == ["a", "b", "c"]
    assert pyarrow.table(stored)["loc"].to_pylist() == [entry.loc for entry in stored]
    assert stored.to_arrow().num_rows == 3
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 4
    assert paths(read(tmp_path / "copy.duckdb")) == ["a", "b", "c"]


def test_arrow_stream_of_nothing_has_the_schema():
    arro3 = pytest.importorskip("arro3.core")

    reader = arro3.RecordBatchReader.from_arrow(read(b""))

    assert reader.schema.names[0] == "loc"
    with pytest.warns(RuntimeWarning, match="incomplete"):
        assert list(reader) == []


# ── what is no sitemap, or half of one ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "an empty file"),
        (b"<!doctype html><html><body>404</body></html>", "an HTML page"),
        (b"just words", "something else"),
        (urlset("a")[:-20], "cut off"),
        (gzip.compress(urlset("a"))[:-9], "cut off"),
    ],
)
def test_read_of_an_incomplete_sitemap_reports_an_error(data, words, engine: Engine):
    entries = read(data, engine=engine.name)

    assert words in errors(entries)[0][1]
    with pytest.raises(SourceError, match=words):
        list(read(data, engine=engine.name, fail_fast=True))


def test_read_limit_cuts_and_reports(tmp_path, engine: Engine):
    write(tmp_path, a__txt=b"https://e.com/aa\n" * 100)

    entries = read(tmp_path / "a.txt", engine=engine.name, max_bytes=100)

    assert set(paths(entries)) == {"aa"}  # and no half one
    assert "cut off" in errors(entries)[0][1]


# ── an index and what lies beside it ─────────────────────────────────────────────────────────


def test_index_child_is_the_longest_end_of_its_path(tmp_path):
    write(tmp_path, sitemap__xml=index("https://e.com/x/en/a.xml", "https://e.com/x/de/a.xml"))
    for language in ("en", "de"):
        write(tmp_path / language, a__xml=urlset(language))
    write(tmp_path, a__xml=urlset("wrong"))

    assert paths(read(tmp_path / "sitemap.xml")) == ["en", "de"]


def test_index_child_with_an_encoded_name_and_a_query(tmp_path):
    locs = ("https://e.com/a%20b.xml", "https://e.com/s.xml?page=2", "https://e.com/c.xml?v=1")
    write(tmp_path, index__xml=index(*locs))
    (tmp_path / "a b.xml").write_bytes(urlset("a b".replace(" ", "")))
    (tmp_path / "s.xml?page=2").write_bytes(urlset("page2"))
    (tmp_path / "c.xml").write_bytes(urlset("c"))

    entries = read(tmp_path / "index.xml")

    assert paths(entries) == ["ab", "page2", "c"]


def test_index_children_that_would_be_the_same_file_are_reported(tmp_path):
    locs = ("https://e.com/s.php?page=1", "https://e.com/s.php?page=2")
    write(tmp_path, index__xml=index(*locs), s__php=urlset("a"))

    entries = read(tmp_path / "index.xml")

    assert paths(entries) == ["a"]
    assert errors(entries) == [
        (locs[1], "is the same file as https://e.com/s.php?page=1; read once")
    ]


def test_index_child_listed_twice_is_read_once(tmp_path):
    write(tmp_path, index__xml=index(*["https://e.com/a.xml"] * 2), a__xml=urlset("a"))

    entries = read(tmp_path / "index.xml")

    assert paths(entries) == ["a"]
    assert errors(entries) == []


def test_index_child_that_is_missing_is_reported(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/a.xml", "https://e.com/b.xml"))
    write(tmp_path, b__xml=urlset("b"))

    entries = read(tmp_path / "index.xml")

    assert paths(entries) == ["b"]
    [(source, error)] = errors(entries)
    assert source == "https://e.com/a.xml"
    assert "missing" in error
    assert "'a.xml'" in error
    assert entries.documents[1].parent == str(tmp_path / "index.xml")
    with pytest.raises(SourceError, match="missing"):
        list(read(tmp_path / "index.xml", fail_fast=True))


def test_index_without_following():
    entries = read(index("https://e.com/a.xml"), follow=False)

    assert list(entries) == []
    assert errors(entries) == []
    assert len(entries.sitemaps) == 1


def test_index_from_a_stream_has_no_folder_for_its_children():
    entries = read(io.BytesIO(index("https://e.com/a.xml")))

    assert "has no folder to look in" in errors(entries)[0][1]


@pytest.mark.parametrize(
    "loc",
    [
        "https://e.com/../secret.xml",
        "https://e.com/%2e%2e/secret.xml",
        "https://e.com/..%2fsecret.xml",
        "https://e.com/%2e%2e%2fsecret.xml",
        "https://e.com/..%5csecret.xml",
        "https://e.com//etc/passwd",
        "https://e.com/%2fetc%2fpasswd",
        "https://e.com/a/b/../../../secret.xml",
        "https://e.com/secret.xml%00.xml",
        "https://e.com/",
        "https://e.com/.",
        "https://e.com/..",
        "https://e.com?secret.xml",
        "https://e.com/" + "a/" * 900,
        "https://e.com/" + "a" * 1_500,
    ],
)
def test_index_child_never_leaves_the_folder(tmp_path, loc):
    write(tmp_path, secret__xml=urlset("secret"))
    folder = write(tmp_path / "public", index__xml=index(loc))

    entries = read(folder / "index.xml")

    assert list(entries) == []
    assert "missing" in errors(entries)[0][1]


PIECES = st.sampled_from(
    ["..", ".", "/", "\\", "%2e", "%2f", "%5c", "%00", "a", "?", "#", "~", ":"]
)


@given(st.lists(PIECES | st.characters(codec="utf-8"), max_size=30).map("".join))
def test_index_child_of_any_name_is_looked_for_in_the_folder_only(name):
    for tail in path_suffixes(f"https://e.com/{name}"):
        path = os.path.normpath(os.path.join("/folder", *tail))
        assert os.path.dirname(path).startswith("/folder")
        assert path.count("/") == len(tail) + 1


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_index_child_that_is_a_link_out_of_the_folder_is_not_read(tmp_path):
    write(tmp_path, secret__xml=urlset("secret"))
    folder = write(tmp_path / "public", index__xml=index("https://e.com/a.xml"))
    (folder / "a.xml").symlink_to(tmp_path / "secret.xml")

    entries = read(folder / "index.xml")

    assert list(entries) == []
    assert "leads out" in errors(entries)[0][1]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_index_child_in_a_folder_that_is_a_link_out_is_not_read(tmp_path):
    write(tmp_path / "other", a__xml=urlset("secret"))
    folder = write(tmp_path / "public", index__xml=index("https://e.com/maps/a.xml"))
    (folder / "maps").symlink_to(tmp_path / "other")

    assert list(read(folder / "index.xml")) == []
    assert list(read(folder, follow=False)) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_sitemap_in_a_folder_that_is_a_link_out_is_reported(tmp_path):
    write(tmp_path, secret__xml=urlset("secret"))
    folder = tmp_path / "public"
    folder.mkdir()
    for name in ("sitemap.xml", "other.xml"):  # without the name of a sitemap, it may be any file
        (folder / name).symlink_to(tmp_path / "secret.xml")
    words = "sitemap.xml: symbolic link that leads out of"

    with pytest.raises(SourceError, match=words):
        list(read(folder))
    write(folder, a__xml=urlset("a"))
    entries = read(folder)
    assert paths(entries) == ["a"]
    assert [error for source, error in errors(entries) if str(source).endswith("sitemap.xml")] == [
        f"symbolic link that leads out of {str(folder)!r}; not followed: to read it, name the file "
        "itself"
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_index_that_is_a_link_has_its_children_in_the_folder_of_the_link(tmp_path):
    write(tmp_path / "real", index__xml=index("https://e.com/a.xml"), a__xml=urlset("elsewhere"))
    folder = write(tmp_path / "public", a__xml=urlset("here"))
    (folder / "index.xml").symlink_to(tmp_path / "real" / "index.xml")

    assert paths(read(folder / "index.xml")) == ["here"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_index_child_that_is_a_pipe_does_not_hang(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/a.xml"))
    os.mkfifo(tmp_path / "a.xml")

    assert "missing" in errors(read(tmp_path / "index.xml"))[0][1]


def test_index_that_lists_itself_is_reported(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/index.xml", "https://e.com/a.xml"))
    write(tmp_path, a__xml=urlset("a"))

    entries = read(tmp_path / "index.xml")

    assert paths(entries) == ["a"]
    assert "lists itself" in errors(entries)[0][1]


@pytest.mark.parametrize("base_url", [None, "https://e.com/", "https://e.com/sitemap.xml"])
@pytest.mark.parametrize(
    "loc",
    ["https://e.com/de/sitemap.xml", "https://e.com/sitemap.xml?page=2", "https://e.com/d%C3%A9/sitemap.xml"],
)  # fmt: skip
def test_child_of_the_name_of_its_index_is_missing_without_a_file_of_its_own(
    loc: str, base_url: str | None, tmp_path
):
    """One sitemap for each language, or page, is often called as their index."""
    write(tmp_path, sitemap__xml=index(loc, "https://e.com/a.xml"), a__xml=urlset("a"))

    entries = read(tmp_path / "sitemap.xml", base_url=base_url)

    assert paths(entries) == ["a"]
    assert [(where, "listed but missing" in error) for where, error in errors(entries)] == [
        (loc, True)
    ]


def test_child_of_the_name_of_an_index_above_it_is_missing(tmp_path):
    write(tmp_path / "de", index__xml=index("https://e.com/de/sitemap.xml"))
    write(tmp_path, sitemap__xml=index("https://e.com/de/index.xml"))

    [(where, error)] = errors(read(tmp_path, base_url="https://e.com/"))

    assert (where, "listed but missing" in error) == ("https://e.com/de/sitemap.xml", True)


def test_index_below_a_folder_of_the_site_that_lists_itself_is_reported(tmp_path):
    write(tmp_path, sitemap__xml=index("https://e.com/maps/sitemap.xml"))

    found = errors(read(tmp_path / "sitemap.xml", base_url="https://e.com/maps/"))

    assert ["lists itself" in error for _, error in found] == [True]


def test_index_above_another_is_one_error_and_not_missing(tmp_path):
    """In its own folder the inner index has the name of the outer one."""
    write(tmp_path / "a", sitemap__xml=index("https://e.com/sitemap.xml", "https://e.com/a/p.xml"))
    write(tmp_path / "a", p__xml=urlset("p"))
    write(tmp_path, sitemap__xml=index("https://e.com/a/sitemap.xml"))

    entries = read(tmp_path, base_url="https://e.com")

    assert paths(entries) == ["p"]
    assert ["lists itself" in error for _, error in errors(entries)] == [True]


def test_sitemap_of_the_name_of_an_index_below_it_is_read(tmp_path):
    write(tmp_path / "maps", sitemap__xml=index("https://e.com/sitemap.xml"))
    write(tmp_path, sitemap__xml=urlset("a"))

    entries = read(tmp_path, base_url="https://e.com/")

    assert (paths(entries), errors(entries)) == (["a"], [])


@pytest.mark.parametrize(
    "loc", ["https://e.com:443/sitemap.xml", "http://E.com/sitemap.xml", "https://e.com/s.xml"]
)
def test_index_that_lists_itself_in_another_spelling_is_reported(loc: str, tmp_path):
    write(tmp_path, sitemap__xml=index(loc))
    (tmp_path / "s.xml").symlink_to(tmp_path / "sitemap.xml")

    found = errors(read(tmp_path / "sitemap.xml", base_url="https://e.com/"))

    assert ["lists itself" in error for _, error in found] == [True]


def test_index_in_memory_that_lists_itself_in_another_spelling_is_reported():
    documents = {"https://e.com/?a=é": index("https://e.com:443/?a=%C3%A9")}

    assert ["lists itself" in error for _, error in errors(read(documents))] == [True]


def test_index_of_the_same_path_on_another_host_is_missing(tmp_path):
    locs = ("http://E.com/sitemap.xml", "https://shop.e.com/sitemap.xml")
    write(tmp_path, sitemap__xml=index(*locs))

    found = errors(read(tmp_path / "sitemap.xml", base_url="https://e.com/"))

    assert [error.split(":")[0] for _, error in found] == [
        "an index lists itself, or an index above it; not followed again",
        "listed but missing",
    ]


def test_index_cycle_is_reported(tmp_path):
    write(tmp_path, a__xml=index("https://e.com/b.xml"), b__xml=index("https://e.com/a.xml"))

    entries = read(tmp_path / "a.xml")

    assert [r.kind for r in entries.documents] == ["index", "index", None]
    assert "above it" in errors(entries)[0][1]


def test_index_ten_deep_is_followed_and_no_deeper(tmp_path):
    for depth in range(12):
        write(tmp_path, **{f"{depth}__xml": index(f"https://e.com/{depth + 1}.xml")})
    write(tmp_path, **{"12__xml": urlset("end")})

    entries = read(tmp_path / "0.xml")

    assert sum(record.kind == "index" for record in entries.documents) == 11
    assert "indexes deep" in errors(entries)[0][1]


def test_nested_index_finds_children_from_the_top(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/a/index.xml"))
    write(tmp_path / "a", index__xml=index("https://e.com/b/pages.xml"), pages__xml=urlset("no"))
    write(tmp_path / "b", pages__xml=urlset("yes"))

    assert paths(read(tmp_path / "index.xml")) == ["yes"]


def test_index_base_of_a_child_is_its_loc(tmp_path):
    write(tmp_path, index__xml=index("https://e.com/maps/a.xml"))
    write(tmp_path, a__xml=b"<urlset><url><loc>/b</loc></url></urlset>")

    assert paths(read(tmp_path / "index.xml")) == ["b"]


# ── folders ──────────────────────────────────────────────────────────────────────────────────


def test_folder_reads_what_is_a_sitemap_by_content(tmp_path, engine: Engine):
    write(tmp_path, one__xml=urlset("1"), two__xml__gz=gzip.compress(urlset("2")))
    write(tmp_path, three__txt=b"https://e.com/3\n", page__html=b"<html><p>https://e.com/x</p>")
    write(tmp_path, no_ending=urlset("7"), other__dat=urlset("8"), access__log=b"https://e.com/9\n")
    write(
        tmp_path, README__md=b"# Words\n\nhttps://e.com/x\n\nMore\nwords\n", pom__xml=b"<project/>"
    )
    write(tmp_path, picture__png=b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    write(tmp_path / "sub", four__xml=urlset("4"))
    write(tmp_path / ".git", five__xml=urlset("5"))
    write(tmp_path, wide__xml=urlset("6").decode().replace("UTF-8", "UTF-16").encode("utf-16"))

    entries = read(tmp_path, engine=engine.name)

    assert paths(entries) == ["1", "3", "2", "6", "4"]
    assert errors(entries) == []
    assert paths(read(tmp_path / "no_ending", engine=engine.name)) == ["7"]


def test_folder_reads_children_of_an_index_once_and_under_it(tmp_path):
    write(tmp_path, a__xml=urlset("a"), b__xml=urlset("b"), z__xml=index("https://e.com/a.xml"))

    entries = read(tmp_path)

    assert paths(entries) == ["a", "b"]
    assert [(os.path.basename(r.source or ""), bool(r.parent)) for r in entries.documents] == [
        ("z.xml", False),
        ("a.xml", True),
        ("b.xml", False),
    ]


def test_folder_reports_a_sitemap_by_name_that_is_none(tmp_path):
    write(tmp_path, a__xml=urlset("a"), sitemap__xml=b"", sitemap2__xml__gz=b"<html>")

    assert sorted(os.path.basename(source or "") for source, _ in errors(read(tmp_path))) == [
        "sitemap.xml",
        "sitemap2.xml.gz",
    ]


def test_folder_without_a_sitemap_is_an_error(tmp_path):
    write(tmp_path, README__md=b"# Words\n")

    with pytest.raises(SourceError, match="found none"):
        list(read(tmp_path))


def test_folder_base_is_that_of_the_folder(tmp_path):
    write(tmp_path / "maps", a__xml=b"<urlset><url><loc>b</loc></url></urlset>")

    assert paths(read(tmp_path, base_url="https://e.com/")) == ["maps/b"]


# ── memory ───────────────────────────────────────────────────────────────────────────────────


def test_read_holds_no_more_than_two_documents(tmp_path):
    import gc
    import weakref

    from urlset.document import Document

    names = [f"{number}.xml" for number in range(6)]
    write(tmp_path, index__xml=index(*(f"https://e.com/{name}" for name in names)))
    write(tmp_path, **{name.replace(".", "__"): urlset("a") for name in names})
    alive: weakref.WeakSet[Document] = weakref.WeakSet()
    most = 0

    for visit in read(tmp_path / "index.xml").visits():
        if visit.document is not None:
            alive.add(visit.document)
        gc.collect()
        most = max(most, len(alive))

    assert most <= 2


@pytest.mark.parametrize("name", ["HEAD:public/", "HEAD~1:sitemap.xml", "v1.0:./a"])
def test_a_revision_is_one_for_diff(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SourceError, match="only `urlset diff` takes a revision of git"):
        read(name)


@pytest.mark.parametrize("name", ["missing.xml", "./a:b", "C:/public/sitemap.xml"])
def test_other_missing_paths_are_to_be_checked(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SourceError, match="check the path"):
        read(name)


DAMAGED = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 50


def test_file_of_a_folder_that_cannot_be_decompressed_is_reported(tmp_path):
    (tmp_path / "a.xml").write_bytes(urlset_of("https://e.com/a", 1))
    (tmp_path / "pages.xml.gz").write_bytes(DAMAGED)
    (tmp_path / "photo.gz").write_bytes(DAMAGED)  # its name is not that of a sitemap
    (tmp_path / "empty.xml.gz").write_bytes(gzip.compress(b""))

    entries = read(tmp_path)

    assert [entry.loc for entry in entries] == ["https://e.com/a/0"]
    (reason,) = entries.incomplete
    assert reason == (
        f"{tmp_path}/pages.xml.gz: expected a sitemap, found data that cannot be decompressed; "
        "write the file again"
    )
