"""Sitemaps and robots.txt files of web archives; warcio is the oracle of what is in a file."""

import gzip
import sys
from pathlib import Path

import pyarrow
import pytest
from examples.census.fixture import record

import urlset
from tests.cli.test_commands import command
from tests.site_box import gz, index_of, urlset_of
from urlset.errors import SourceError
from urlset.partitioned import plan, read

pytest.importorskip("fastwarc", reason="no fastwarc")

HOST = "https://example.com"


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    pieces = [body[:half], body[half:], b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.warc.gz"
    page = b"<!doctype html><html><body>Tea, see sitemap.xml</body></html>"
    records = [
        record(f"{HOST}/robots.txt", b"\xef\xbb\xbfSitemap: /map.php\nSitemap : /b.xml\n"),
        record(f"{HOST}/", page, Content_Type="text/html"),
        record(f"{HOST}/map.php", urlset_of("/relative", 2), Content_Type="text/xml"),
        record(f"{HOST}/map.php", urlset_of("/again", 2)),
        record(f"{HOST}/b.xml", chunked(urlset_of(HOST, 3)), Transfer_Encoding="chunked"),
        record(f"{HOST}/c.xml.gz", gz(urlset_of(f"{HOST}/c", 1))),
        record(f"{HOST}/d.xml", gz(urlset_of(f"{HOST}/d", 1)), Content_Encoding="gzip"),
        record(f"{HOST}/index.xml", index_of([f"{HOST}/gone.xml"])),
        record(f"{HOST}/sitemap.xml", page, 404),
        record("https://other.example/robots.txt", b"", 404),
    ]
    path.write_bytes(b"".join(records))
    return path


def test_every_sitemap_of_an_archive_is_read(crawl):
    entries = urlset.read(crawl)

    counts: dict[str, int] = {}
    for entry in entries:
        counts[str(entry.source)] = counts.get(str(entry.source), 0) + 1
    assert counts == {
        f"{HOST}/map.php": 2, f"{HOST}/b.xml": 3, f"{HOST}/c.xml.gz": 1, f"{HOST}/d.xml": 1,
    }  # fmt: skip
    assert entries.head(1)[0].loc.startswith(f"{HOST}/relative")
    assert len(list(entries)) == 7
    errors = {each.source: each.error for each in entries.documents if each.error}
    assert errors == {f"{HOST}/sitemap.xml": "HTTP 404"}
    assert [each.loc for each in entries.sitemaps] == [f"{HOST}/gone.xml"]


def test_of_several_captures_the_first_sitemap_is_read(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    url, first, later = f"{HOST}/sitemap.xml", urlset_of(f"{HOST}/a", 1), urlset_of(f"{HOST}/b", 2)
    captures = [record(url, b"", 503), record(url, first), record(url, first), record(url, later)]
    path.write_bytes(b"".join([*captures, record(url, b"", 404)]))

    entries = urlset.read(path)

    assert len(list(entries)) == 1
    assert [(each.error, each.skipped) for each in entries.documents] == [
        (None, None),
        (None, "another capture with other content; the first one is read"),
    ]


@pytest.mark.parametrize("uri", [f"{HOST}/sitemap.xml", "file:///sitemap.xml", "dns:example.com"])
def test_a_resource_is_a_document(tmp_path, uri):
    path = tmp_path / "files.warc.gz"
    body = urlset_of(HOST, 2)
    head = (
        f"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {uri}\r\n"
        f"Content-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    resource = gzip.compress(head.encode() + body + b"\r\n\r\n")
    path.write_bytes(resource + record(f"{HOST}/b.xml", body))

    entries = urlset.read(path)

    expected = [uri] if uri.startswith(HOST) else []
    assert list(dict.fromkeys(entry.source for entry in entries)) == [*expected, f"{HOST}/b.xml"]


@pytest.mark.parametrize("status", [202, 204, 206, 226])
def test_a_response_that_is_not_the_whole_document_is_a_failure(tmp_path, status):
    path = tmp_path / "crawl.warc.gz"
    body = urlset_of(HOST, 2)
    path.write_bytes(record(f"{HOST}/sitemap.xml", body, status) + record(f"{HOST}/b", body, 203))

    entries = urlset.read(path)

    assert {entry.source for entry in entries} == {f"{HOST}/b"}
    assert [each.error for each in entries.documents if each.error] == [f"HTTP {status}"]


def test_responses_are_those_that_warcio_finds(crawl):
    warcio = pytest.importorskip("warcio.archiveiterator", reason="no warcio")
    expected = {}
    with crawl.open("rb") as file:
        for found in warcio.ArchiveIterator(file):
            body = found.content_stream().read()
            url = found.rec_headers.get_header("WARC-Target-URI")
            is_first = url not in expected
            if is_first and found.http_headers.get_statuscode() == "200" and b"<urlset" in body:
                expected[url] = [e.loc for e in urlset.parse(body, base_url=url).entries]

    entries = urlset.read(crawl)
    actual: dict[str, list[str]] = {}
    for entry in entries:
        actual.setdefault(str(entry.source), []).append(entry.loc)

    assert {url: actual[url] for url in expected} == expected
    assert len(expected) >= 2


def test_an_archive_is_a_part_and_says_which_hosts_declare_what(crawl):
    (part,) = plan([crawl])

    rows = [row for b in read(part, table="robots") for row in pyarrow.record_batch(b).to_pylist()]

    assert part.kind == "warc"
    assert [row["state"] for row in rows] == ["read", "absent"]
    assert [line["url"] for line in rows[0]["sitemaps"]] == [f"{HOST}/map.php", f"{HOST}/b.xml"]
    assert sum(batch.num_rows for batch in read(part)) == 7


def test_an_archive_of_robots_files_is_a_failure_with_robots_files(tmp_path):
    path = tmp_path / "robots.warc.gz"
    path.write_bytes(record(f"{HOST}/robots.txt", b"Sitemap: /map.xml\n"))
    (part,) = plan([path])

    robots = [
        row for b in read(part, table="robots") for row in pyarrow.record_batch(b).to_pylist()
    ]
    rows = [
        row for b in read(part, table="documents") for row in pyarrow.record_batch(b).to_pylist()
    ]

    assert [line["url"] for row in robots for line in row["sitemaps"]] == [f"{HOST}/map.xml"]
    assert ["found none" in row["error"] for row in rows] == [True]
    assert list(read(part)) == []


def test_command_reads_an_archive(crawl, capsys, monkeypatch, tmp_path):
    ran = command(capsys, monkeypatch, tmp_path)("read", str(crawl), "--format", "txt")

    assert len(ran.out.split()) == 7


def test_damaged_archive_keeps_the_records_before_the_damage(crawl):
    data = crawl.read_bytes()
    crawl.write_bytes(data[:-200])

    whole = urlset.read(crawl)

    assert len(list(whole)) == 7


WHOLE = record(f"{HOST}/a.xml", urlset_of(HOST, 3))
PAGE = record(f"{HOST}/", b"<html>Tea</html>")
UNZIPPED = gzip.decompress(WHOLE)
WITHOUT_SITEMAPS = {
    "pages.warc.gz": PAGE * 3,
    "magic.warc": b"WARC/1.0\r\n",
    "magic.warc.gz": gzip.compress(b"WARC/1.0\r\n" + bytes(range(200))),
    "length.warc": UNZIPPED.replace(b"Content-Length: ", b"Content-Length: " + b"9" * 20, 1),
    "negative.warc": UNZIPPED.replace(b"Content-Length: ", b"Content-Length: -", 1),
    "cut.warc.gz": WHOLE[:150],
    "cut.warc": UNZIPPED[:100],
    "frame.warc.zst": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
    "random.warc.gz": bytes(range(256)) * 9,
    "empty.warc.gz": b"",
    "packed.warc.gz": gzip.compress(b""),
}


@pytest.mark.parametrize("name", WITHOUT_SITEMAPS)
def test_archive_without_a_sitemap_is_an_error(name, tmp_path, capsys, monkeypatch):
    path = tmp_path / name
    path.write_bytes(WITHOUT_SITEMAPS[name])

    with pytest.raises(SourceError):
        list(urlset.read(path, fail_fast=True))
    ran = command(capsys, monkeypatch, tmp_path)("read", str(path), "--format", "txt")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("name", ["cut.warc.gz", "cut.warc"])
@pytest.mark.parametrize("last", [PAGE, record(f"{HOST}/b.xml", urlset_of(HOST, 2))])
def test_archive_that_ends_within_a_record_is_incomplete(name, last, tmp_path):
    data = WHOLE + last
    path = tmp_path / name
    path.write_bytes((data if name.endswith(".gz") else gzip.decompress(data))[:-30])

    entries = urlset.read(path)

    assert [entry.loc for entry in entries][:3] == [
        e.loc for e in urlset.parse(urlset_of(HOST, 3)).entries
    ]
    failures = {str(each.source): each.failure for each in entries.documents if each.error}
    assert failures[str(path)] == "incomplete"


@pytest.mark.parametrize("name", ["whole.warc.gz", "whole.warc"])
def test_whole_archive_is_complete(name, tmp_path):
    data = WHOLE + PAGE + record(f"{HOST}/b.xml", urlset_of(HOST, 5_000)) + PAGE
    path = tmp_path / name
    path.write_bytes(data if name.endswith(".gz") else gzip.decompress(data))

    entries = urlset.read(path)

    assert len(list(entries)) == 5_003
    assert not [each.error for each in entries.documents if each.error]


def test_file_of_another_kind_is_not_an_archive(tmp_path):
    path = tmp_path / "map.warc"
    path.write_bytes(urlset_of(HOST, 2))

    assert len(list(urlset.read(path))) == 2


def test_without_fastwarc_it_says_what_to_install(crawl, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)

    with pytest.raises(SourceError, match=r"pip install 'urlset\[warc\]'"):
        list(urlset.read(crawl))


HOSTILE = {
    "a long header": record(f"{HOST}/evil.xml", b"", x="a" * 1_000_000),
    "many headers": record(f"{HOST}/evil.xml", b"", x="\r\n".join(["a"] + ["x: a"] * 50_000)),
    "no gzip": record(f"{HOST}/evil", b"<html>", Content_Encoding="gzip"),
    "cut gzip": record(f"{HOST}/evil", gz(b"<html>" * 99)[:-20], Content_Encoding="gzip"),
    "gzip in layers": record(f"{HOST}/evil", b"x", Content_Encoding="gzip, " * 50 + "gzip"),
    "no chunks": record(f"{HOST}/evil", b"zz\r\n" * 99, Transfer_Encoding="chunked"),
    "no HTTP": record(f"{HOST}/evil", b"x").replace(b"HTTP/1.1", b"HTTQ"),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_response_that_cannot_be_decoded_hides_no_other(hostile, tmp_path):
    path = tmp_path / "crawl.warc.gz"
    first = record(f"{HOST}/a.xml", urlset_of(f"{HOST}/a", 1))
    last = record(f"{HOST}/b.xml", urlset_of(f"{HOST}/b", 1))
    path.write_bytes(first + hostile + last)

    entries = urlset.read(path)

    assert [entry.loc for entry in entries] == [f"{HOST}/a/0", f"{HOST}/b/0"]
    errors = {each.source: each.error for each in entries.documents if each.error}
    assert set(errors) <= {f"{HOST}/evil.xml"}


def test_a_sitemap_that_is_not_in_its_encoding_is_read(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(record(f"{HOST}/a.xml", urlset_of(HOST, 2), Content_Encoding="gzip"))

    assert len(list(urlset.read(path))) == 2


def test_another_capture_is_not_said_to_be_skipped_by_an_option(
    crawl, capsys, monkeypatch, tmp_path
):
    ran = command(capsys, monkeypatch, tmp_path)("read", str(crawl), "--format", "txt")

    assert "1 document skipped by another capture" in ran.err
    assert "--since" not in ran.err
