"""Access logs as a source: formats, status history, and private data that is never written."""

import bz2
import gzip
import io
import json
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import arro3.core as arro3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.errors import ConfigurationError, SourceError
from urlset.sources.logs.privacy_filter import TargetFilter
from urlset.sources.logs.source import AccessLog

SITE = "https://example.com/"


def line(target="/a", status=200, *, day=1, time="12:00:00", method="GET", before=""):
    return (
        f"{before}192.0.2.1 - - [{day:02}/Nov/2026:{time} +0000] "
        f'"{method} {target} HTTP/1.1" {status} 512 "https://example.com/?r=1" "Mozilla/5.0 (X)"\n'
    )


@pytest.fixture
def read(tmp_path):
    """Write texts as logs and read them: ``{loc: reason}``, and the source."""

    def run(*texts, base=SITE, **options):
        paths = []
        for number, text in enumerate(texts):
            path = tmp_path / f"access.log.{number}"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(str(path))
        source = AccessLog(paths, base, **options)
        rows = [row for batch in source.batches() for row in rows_of(batch)]
        return {row["loc"]: row["reason"] for row in rows}, source

    return run


def rows_of(batch):
    return arro3.Table.from_batches([batch]).to_struct_array().to_pylist()


COMMON = '192.0.2.1 - kim [01/Nov/2026:12:00:00 +0100] "GET /a?sid=1 HTTP/1.1" 200 512\n'
FORMATS = {
    "common": COMMON,
    "combined": line("/a?sid=1"),
    "virtual host": line("/a?sid=1", before="example.com:443 "),
    "user of two words": COMMON.replace("kim", "Kim Lee"),
    "no version": COMMON.replace(" HTTP/1.1", ""),
    "HTTP/2": COMMON.replace("1.1", "2"),
    "crlf": COMMON.replace("\n", "\r\n"),
    "mark": "\ufeff" + COMMON,
    "no end of line": COMMON.rstrip(),
    "syslog": "Nov  1 12:00:00 web nginx: " + COMMON,
    "session in the path, encoded": line("/a%3bJSESSIONID%3d0F3A?x=1"),
    "escapes": COMMON.replace("/a?sid=1", r"/a?q=\"b\"&sid=1"),
    "absolute": line("https://kim:secret@EXAMPLE.com:443/a?sid=1"),
    "session in the path": line("/a;jsessionid=0F3A?x=1"),
    "w3c": "#Version: 1.0\n"
    "#Fields: date time cs-method cs-uri-stem cs-uri-query sc-status cs-host\n"
    "2026-11-01 12:00:00 GET /a sid=1 200 example.com\n",
    "w3c, time alone": "#Date: 2026-11-01 00:00:00\n#Fields: time cs-method cs-uri sc-status\n"
    "12:00:00 GET /a?sid=1 200\n",
    "w3c, no date": "#Fields: time cs-method cs-uri sc-status\n12:00:00 GET /a?sid=1 200\n",
    "w3c, quoted": "#Fields: date time cs(User-Agent) cs-method cs-uri sc-status\n"
    '2026-11-01 12:00:00 "a b" GET /a?sid=1 200\n',
    "w3c, tabs": "#Version: 1.0\n"
    "#Fields: date time cs-method cs(Host) cs-uri-stem sc-status cs-uri-query x-host-header\n"
    "2026-11-01\t12:00:00\tGET\td1.cdn.example.net\t/a\t200\tsid=1\texample.com\n",
    "nginx": json.dumps(
        {"time_iso8601": "2026-11-01T12:00:00+01:00", "host": "example.com", "status": "200",
         "request_method": "GET", "request_uri": "/a?sid=1"}
    ),
    "nginx, request line": json.dumps(
        {"time_local": "01/Nov/2026:12:00:00 +0000", "request": "GET /a?sid=1 HTTP/1.1",
         "status": 200}
    ),
    "caddy": json.dumps(
        {"ts": 1793707205.5, "status": 200,
         "request": {"method": "GET", "host": "example.com", "uri": "/a?sid=1"}}
    ),
    "traefik": json.dumps(
        {"RequestMethod": "GET", "RequestPath": "/a?sid=1", "RequestHost": "example.com",
         "DownstreamStatus": 200, "StartUTC": "2026-11-01T12:00:00.123456789Z"}
    ),
    "cloudfront": json.dumps(
        {"date": "2026-11-01", "time": "12:00:00", "cs-method": "GET", "cs-uri-stem": "/a",
         "cs-uri-query": "sid=1", "sc-status": "200", "x-host-header": "example.com"}
    ),
    "elastic": json.dumps(
        {"@timestamp": "2026-11-01T12:00:00.000Z", "host": {"name": "web-1"},
         "http": {"request": {"method": "GET"}, "response": {"status_code": 200}},
         "url": {"original": "/a?sid=1", "domain": "example.com"}}
    ),
    "docker": json.dumps({"log": COMMON, "stream": "stdout"}),
}  # fmt: skip
PACKERS: dict[str, Any] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("several", [str, Path, lambda path: [Path(path)], lambda path: (path,)])
def test_files_are_named_by_texts_and_by_paths(tmp_path, several):
    path = tmp_path / "access.log"
    path.write_text(COMMON)

    source = AccessLog(several(str(path)), "https://example.com")

    assert source.paths == [str(path)]
    assert source.name == str(path)


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_detected_by_content(read, name):
    found, source = read(FORMATS[name])

    assert found == {"https://example.com/a": None}
    assert source.notes == source.failures == []


@pytest.mark.parametrize("packer", PACKERS)
def test_packing_is_detected_by_content(read, packer):
    found, _ = read(PACKERS[packer]((line() * 1_000).encode()))

    assert found == {"https://example.com/a": None}


def test_fields_may_change_in_the_middle(read):
    found, source = read(
        "#Fields: date time cs-method cs-uri-stem sc-status\n2026-11-01 12:00:00 GET /a 200\n"
        "#Fields: sc-status cs-uri-stem cs-method date time\n404 /a GET 2026-11-02 12:00:00\n"
        "200 /b GET 2026-11-02 12:00:00\n200 /short\n"
    )

    assert found == {"https://example.com/a": "404 since 2026-11-02", "https://example.com/b": None}
    assert source.notes == ["1 of 6 lines could not be read, first: line 6 of " + source.paths[0]]


def test_standard_input_is_a_file(monkeypatch):
    data = gzip.compress(line().encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data))))

    (batch,) = AccessLog("-", SITE).batches()

    assert [row["source"] for row in rows_of(batch)] == ["-"]


def test_candidate_says_where_it_was_seen_first(read):
    _, source = read(line("/x.css") + line("/a") + line("/a"))

    again = AccessLog(source.paths, SITE)
    rows = [row for batch in again.batches() for row in rows_of(batch)]

    assert [(row["source"], row["line"]) for row in rows] == [(source.paths[0], 2)]


@pytest.mark.parametrize(
    "text",
    [
        line(method="HEAD"), line(method="POST"), line(status=500), line(status=206),
        line(status=403), line(status=404), line(status=301),
        line("/wp-login.php"), line("/.env"), line("/.git/config"), line("/a/.hidden/b"),
        line("/a%00.html"), line("/../etc/passwd"), line("/a/%2e%2e/b"), line("/%2e%2e%2fb"),
        line("//evil.example/a"), line("/a%5cb"), line("/a%3Fsid=1"), line("/a&sid=1"),
        line("/style.css"), line("/a/photo.JPG?v=1"), line("/favicon.ico"), line("/feed.xml"),
        line("/reader@example.com/"), line("/u/reader%40example.com"),
        line("/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"), line("/(S(abcdef012345))/a"),
        line("/reset/0f3a9c1b2d4e5f60"), line("/unsubscribe/en/Zk3JxP9aQw7LmN2v"),
        line("http://other.example/a"), line("/a", before="www.example.com "),
        line("/a", before="example.com.evil.example:443 "), line("*"), line("other:443"),
        line("/" + "a" * 3_000), line("/a b"), line(r"/a\" 200 "), line(r"/a\x22b"),
        '192.0.2.1 - - [01/Nov/2026:12:00:00 +0000] "-" 400 0\n',
        '192.0.2.1 - - [01/Nov/2026:12:00:00 +0000] "\\x16\\x03\\x01" 400 0\n',
    ],
)  # fmt: skip
def test_what_is_no_page_is_left_out(read, text):
    found, source = read(text + line("/page"))

    assert found == {"https://example.com/page": None}
    assert not any(note.startswith("1 of 2 lines could not") for note in source.notes)


def test_pages_that_only_look_private_are_pages(read):
    paths = [
        "/sessions/2026-opening-keynote", "/@kim", "/verify/how-to", "/login", "/a.b/v1.2.3",
        "/sessions/12345678", "/a;b/c", "/tokens/erc-20/", "/a=b", "/(draft)", "/report.pdf",
    ]  # fmt: skip

    found, _ = read("".join(map(line, paths)))

    assert set(found) == {f"https://example.com{path}" for path in paths}


def test_international_host_is_known_by_either_name(read):
    text = line("/a", before="xn--bcher-kva.example ") + line("/b", before="b\u00fccher.example ")

    found, _ = read(text, base="https://b\u00fccher.example/")

    assert list(found) == ["https://b\u00fccher.example/a", "https://b\u00fccher.example/b"]


def test_request_cannot_forge_a_status(read):
    found, _ = read(line(r"/a\" 200 1", 404) + line(r"/b HTTP/1.1\" 200 ", 400) + line("/page"))

    assert found == {"https://example.com/page": None}


def test_assets_are_kept_where_they_are_wanted(read):
    found, _ = read(line("/photo.jpg?v=1"), keep_assets=True)

    assert found == {"https://example.com/photo.jpg": None}


def test_parameters_are_kept_by_name_and_in_order(read):
    text = line("/a?sid=1&page=2&id=7&page=3") + line("/a?id=7&page=2") + line("/a?%70age=%32#x")

    found, _ = read(text, keep_parameters=["id", "page"])

    assert list(found) == ["https://example.com/a?id=7&page=2", "https://example.com/a?page=2"]


def test_percent_encoding_has_one_form(read):
    raw = "/b\u00fccher".encode()
    spellings = [b"/b%c3%bccher", b"/b%C3%BCcher", rb"/b\xc3\xbccher", raw, b"/%62%C3%BCcher"]

    found, _ = read(b"".join(line("/X").encode().replace(b"/X", one, 1) for one in spellings))

    assert found == {"https://example.com/b%C3%BCcher": None}


@pytest.mark.parametrize(
    ("statuses", "reason"),
    [
        ([200, 404], "404 since 2026-11-02"),
        ([200, 404, 410, 404], "404 since 2026-11-02"),
        ([200, 410], "410 since 2026-11-02"),
        ([200, 301, 301], "redirects since 2026-11-02"),
        ([404, 200], None),
        ([404, 404, 304], None),
        ([200, 404, 500], "404 since 2026-11-02"),
        ([200, 404, 200, 308], "redirects since 2026-11-04"),
        ([200, 302], "redirects since 2026-11-02"),
        ([200, 200, 302], None),
        ([200, 302, 200, 200, 307], None),
        ([200] * 11 + [302] * 10, "redirects since 2026-11-12"),
    ],
)
def test_last_state_decides(read, statuses, reason):
    lines = [line("/a", status, day=day) for day, status in enumerate(statuses, 1)]

    for texts in (["".join(lines)], lines, lines[::-1]):
        found, _ = read(*texts)

        assert found == {"https://example.com/a": reason}


@pytest.mark.parametrize("sep", ["", "far", None], ids=["lines", "blocks", "files"])
@pytest.mark.parametrize(
    ("statuses", "reason"),
    [
        ([200, 404], "404 since 2026-11-01"),
        ([404, 200], None),
        ([304, 404, 410], "410 since 2026-11-01"),
        ([410, 404, 304], None),
    ],
)
def test_of_lines_of_the_same_second_the_later_one_decides(read, statuses, reason, sep):
    lines = [line("/a", status, day=1) for status in statuses]
    texts = lines
    if sep is not None:
        fill = "".join(line(f"/fill/{n}", day=1) for n in range(15_000)) * (sep == "far")
        texts = [fill.join(lines)]

    found, _ = read(*texts)

    assert found["https://example.com/a"] == reason


@pytest.mark.parametrize(("hits", "misses", "is_gone"), [
    (10_000, 1, False), (10_000, 9, False), (10_000, 10, True), (100, 1, True), (101, 1, False),
])  # fmt: skip
def test_rare_flicker_is_no_removal(read, hits, misses, is_gone):
    found, _ = read(line("/a") * hits + line("/a", 404, day=2) * misses)

    assert (found["https://example.com/a"] is not None) is is_gone


def test_seldom_seen_pages_are_left_out_on_request(read):
    found, _ = read(line("/a") + line("/b") * 2, min_hits=2)

    assert list(found) == ["https://example.com/b"]


def test_damaged_lines_are_counted(read):
    text = line() * 3 + "\x00\xff damaged\n\n" + line("/b") + line(day=99) + '{"a":\n'

    found, source = read(text)

    assert sorted(found) == ["https://example.com/a", "https://example.com/b"]
    assert source.notes == [f"3 of 8 lines could not be read, first: line 4 of {source.paths[0]}"]


def test_damaged_gzip_is_read_as_far_as_it_goes(read):
    packed = gzip.compress("".join(line(f"/{number}") for number in range(90_000)).encode())

    found, source = read(packed[:-2_000])

    assert 10_000 < len(found) < 90_000
    assert "cannot be read to its end" in source.failures[0]


def test_file_that_is_no_log_is_a_failure(read, tmp_path):
    found, source = read(line(), b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "")

    assert list(found) == ["https://example.com/a"]
    assert [failure.rpartition(": ")[0] for failure in source.failures] == [source.paths[1]]
    with pytest.raises(SourceError, match="expected an access log"):
        read("hello\n")
    with pytest.raises(SourceError, match="No such file"):
        list(AccessLog(str(tmp_path / "none"), SITE).batches())


def test_long_lines_are_damaged_and_kept_nowhere(read):
    text = line() + "x" * 5_000_000 + "\n" + line("/b")

    found, source = read(text)

    assert list(found) == ["https://example.com/a", "https://example.com/b"]
    assert "1 of 3 lines" in source.notes[0]


def test_progress_is_reported_in_lines(read):
    told: list[int] = []

    read(line() * 20_000, line(), progress=told.append)

    assert told == sorted(told)
    assert told[-1] == 20_001


def test_probes_without_end_take_no_memory(read, monkeypatch):
    monkeypatch.setattr("urlset.sources.logs.status_history.MAX_PENDING", 100)
    probes = "".join(
        line(f"/{number}", 404) + line(f"/{number}.css") + line(f"/%7F{number}")
        for number in range(1_000)
    )

    found, source = read(line("/a") + probes + line("/b"))

    assert list(found) == ["https://example.com/a", "https://example.com/b"]
    assert len(source._history.known) < 300
    assert len(source._history._pending) <= 100


@pytest.mark.parametrize("base", ["example.com", "ftp://example.com/", "https://", "https://a b/"])
def test_base_url_must_be_one(base):
    with pytest.raises(ConfigurationError, match="expected a base URL"):
        AccessLog([], base)


def test_origin_is_without_user():
    assert (
        TargetFilter("HTTPS://kim:secret@Example.com:8443/x/").origin == "https://example.com:8443"
    )


SECRET = "s3cr3tv4lue"
PIECES = st.sampled_from(
    ["/", "?", "&", ";", "=", "#", "%3F", "%3f", "%3B", "%26", "@", "%40", "https://example.com",
     "//", "kim:" + SECRET + "@example.com", "?q=" + SECRET, ";jsessionid=" + SECRET, "a", ".",
     "%3Bsid%3D" + SECRET, "&sid=" + SECRET, "#" + SECRET, "\\x3f", '\\"', " ", "%", "\xff"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join), st.sampled_from(["common", "w3c", "nginx"]))
def test_no_query_leaks(tmp_path_factory, target, name):
    target = "/" + target + "?token=" + SECRET
    texts = {
        "common": line(target).encode("latin-1"),
        "w3c": f"#Fields: cs-method cs-uri sc-status\nGET {target} 200\n".encode("latin-1"),
        "nginx": json.dumps({"method": "GET", "uri": target, "status": 200}).encode(),
    }
    path = tmp_path_factory.mktemp("logs") / "access.log"
    path.write_bytes(texts[name] + texts[name].replace(b"?token=" + SECRET.encode(), b""))
    source = AccessLog(str(path), SITE)

    told = gathered(source)

    assert not any("?" in loc or SECRET in loc.partition("?")[2] for loc in told[0])
    assert not any(f"{mark}{SECRET}" in text for text in told[1] for mark in ("=", ":", "#", "%3D"))


@given(st.lists(st.binary(max_size=200) | st.sampled_from([text.encode() for text in
    FORMATS.values()]), max_size=6), st.booleans())  # fmt: skip
def test_no_bytes_raise(tmp_path_factory, pieces, is_cut):
    path = tmp_path_factory.mktemp("logs") / "access.log"
    path.write_bytes(b"\n".join(piece[: len(piece) // (2 if is_cut else 1)] for piece in pieces))

    locs, _ = gathered(AccessLog(str(path), SITE))

    assert all(loc.startswith(SITE) and "?" not in loc for loc in locs)


@given(st.binary(max_size=300))
def test_no_target_raises(target):
    for keep in ((), ("a",)):
        path, refusal = TargetFilter(SITE, keep_parameters=keep).clean(b"/" + target)

        assert (path is None) is not (refusal is None)
        assert path is None or (path.startswith("/") and path.isascii() and path.isprintable())
        assert (
            path is None or TargetFilter(SITE, keep_parameters=keep).clean(path.encode())[0] == path
        )


def gathered(source):
    try:
        rows = [row for batch in source.batches() for row in rows_of(batch)]
    except SourceError as error:
        return [], [str(error)]
    locs = [row["loc"] for row in rows]
    return locs, [*locs, *source.notes, *source.failures]
