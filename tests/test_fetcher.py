"""A fetch: what comes is kept, what goes wrong is told, and nothing has no end."""

import gzip
import random
import time
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests import site_box
from tests.site_box import SiteBox, fetch, gz, page, quick, redirect, urlset_of
from urlset.fetcher import Request
from urlset.fetcher.retrying import retry_after_s

BODY = urlset_of("https://example.com", 50)


def test_honest_answer_is_whole(box: SiteBox):
    url = box.put("/a", BODY, etag='"1"', last_modified="Fri, 01 Aug 2025 00:00:00 GMT")

    response = fetch(url + "#part")

    assert (response.status, response.body, response.is_whole) == (200, BODY, True)
    assert (response.error, response.message, response.attempts) == (None, None, 1)
    assert response.wire_size == len(BODY)
    assert response.headers["etag"] == '"1"'
    assert response.url == url
    assert response.started is not None
    assert 0 < (response.first_byte_s or 0) <= response.seconds


def test_path_is_sent_as_written(box: SiteBox):
    # yarl would make %7e a ~ and %2F a /: another URL, for some servers.
    path = "/%7ea%2fb//c;d='e'/?q=[1]&r=%zz+|"
    box.put(path, BODY)

    assert fetch(box.url(path)).status == 200
    assert box.paths == [path]


def test_path_in_any_script_is_encoded(box: SiteBox):
    box.put("/%E6%97%A5%20%3Cx%3E", BODY)

    assert fetch(box.url("/日 <x>")).status == 200


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://", "ftp://e.com/", "http://a b/", "x"]
)
def test_no_http_url_is_not_fetched(url: str):
    response = fetch(url)

    assert (response.status, response.error) == (None, "bad-url")


# Conditional requests, headers, sizes.


def test_conditional_request(box: SiteBox):
    url = box.play("/a", page(b"", 304, etag='"1"'))

    response = fetch(url, etag='"1"', last_modified="Fri, 01 Aug 2025 00:00:00 GMT")

    assert (response.status, response.error, response.body) == (304, None, b"")
    assert box.hits[0].headers["if-none-match"] == '"1"'
    assert box.hits[0].headers["if-modified-since"] == "Fri, 01 Aug 2025 00:00:00 GMT"


def test_error_page_is_not_read_beyond_its_cap(box: SiteBox):
    # Measured: USP reads a 300 MB 404 page whole, for 930 MB of memory.
    url = box.play("/a", site_box.page(b"x" * 10_000_000, 404))

    response = fetch(url)

    assert (response.status, response.error) == (404, "status")
    assert response.message == "HTTP 404 Not Found"
    assert len(response.body) == 65_536
    assert response.wire_size < 2_000_000
    assert not response.has_document


# Faults of the transfer.


def test_cut_transfer_keeps_what_came(box: SiteBox):
    url = box.play("/a", site_box.cut(BODY, 1000))

    response = fetch(url)

    assert (response.error, response.is_whole, response.attempts) == ("cut", False, 3)
    assert response.body == BODY[:1000]
    assert response.message == (
        f"the transfer was cut off after 1,000 of {len(BODY):,} bytes (3 attempts)"
    )


def test_cut_transfer_is_whole_the_next_time(box: SiteBox):
    url = box.play("/a", site_box.in_turn(site_box.cut(BODY, 1000), page(BODY)))

    response = fetch(url)

    assert (response.error, response.body, response.attempts) == (None, BODY, 2)


def test_of_failed_attempts_the_best_counts(box: SiteBox):
    players = site_box.cut(BODY, 500), site_box.cut(BODY, 1500), page(b"sorry", 503)
    url = box.play("/a", site_box.in_turn(*players))

    response = fetch(url)

    assert (response.error, response.attempts, response.body) == ("cut", 3, BODY[:1500])


def test_chunks(box: SiteBox):
    assert fetch(box.play("/a", site_box.chunked(BODY, 7))).body == BODY


def test_chunks_without_an_end_are_cut(box: SiteBox):
    response = fetch(box.play("/a", site_box.chunked(BODY, 100, cut_at=900)))

    assert (response.error, response.is_whole, response.body) == ("cut", False, BODY[:900])


def test_length_too_long_keeps_what_came(box: SiteBox):
    response = fetch(box.play("/a", site_box.claims(len(BODY) + 10, BODY)), quick(retries=0))

    assert (response.error, response.is_whole, response.body) == ("stalled", False, BODY)
    assert (
        response.message
        == f"nothing came after {len(BODY):,} of {len(BODY) + 10:,} bytes for 0.3 s"
    )


def test_length_too_short_does_not_harm_the_next(box: SiteBox):
    short = box.play("/a", site_box.claims(100, BODY))

    assert fetch(short).body == BODY[:100]
    assert [fetch(box.put(f"/{n}", BODY)).body for n in range(3)] == [BODY] * 3


def test_body_without_a_length(box: SiteBox):
    assert fetch(box.play("/a", site_box.until_close(BODY))).body == BODY


def test_stalled_transfer_ends(box: SiteBox):
    url = box.play("/a", site_box.stalled(BODY, 700))

    began = time.monotonic()
    response = fetch(url, quick(retries=0, read_timeout_s=0.2))

    assert (response.error, response.is_whole, response.body) == ("stalled", False, BODY[:700])
    assert time.monotonic() - began < 2


def test_server_that_never_answers(box: SiteBox):
    response = fetch(box.play("/a", site_box.silent), quick(retries=1, read_timeout_s=0.2))

    assert (response.error, response.status, response.attempts) == ("stalled", None, 2)
    assert response.message == "no answer came for 0.2 s (2 attempts)"


def test_slow_drip_ends_with_the_whole_time(box: SiteBox):
    # Measured: most readers never end here.
    url = box.play("/a", site_box.endless(BODY[:300], b"<url/>", 0.05))

    response = fetch(url, quick(total_timeout_s=0.5))

    assert (response.error, response.is_whole, response.attempts) == ("timeout", False, 1)
    assert response.body.startswith(BODY[:300])
    assert response.seconds < 2


def test_endless_body_ends_at_the_cap(box: SiteBox):
    url = box.play("/a", site_box.endless(b"", b"x" * 65_536))

    response = fetch(url, quick(max_bytes=1_000_000))

    assert (response.error, response.is_whole) == ("too-large", False)
    assert len(response.body) == 1_000_000
    assert response.wire_size < 2_000_000
    assert response.message == "more than the 1,000,000 bytes that are allowed; cut there"


def test_request_may_have_a_lower_cap(box: SiteBox):
    assert len(fetch(box.put("/a", BODY), max_bytes=10).body) == 10


@pytest.mark.parametrize("player", [site_box.reset, site_box.hang_up])
def test_connection_closed_instead_of_an_answer(box: SiteBox, player: site_box.Player):
    response = fetch(box.play("/a", player))

    assert (response.error, response.status, response.attempts) == ("connect", None, 3)
    assert str(response.message).startswith("no connection: ")


def test_nobody_listens():
    with SiteBox() as box:
        url = box.url("/a")

    response = fetch(url, quick(retries=0))

    assert response.error == "connect"


def test_answer_that_is_not_http(box: SiteBox):
    response = fetch(box.play("/a", site_box.gibberish), quick(retries=0))

    assert response.error == "protocol"


def test_tls_where_there_is_none(box: SiteBox):
    url = box.put("/a", BODY).replace("http:", "https:")

    response = fetch(url)

    assert (response.error, response.attempts) == ("tls", 1)


def test_name_without_an_address(monkeypatch: pytest.MonkeyPatch):
    def lookup(*_: object) -> object:
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr("urlset.fetcher.connecting.lookup", lookup)

    response = fetch("http://nowhere.example/", quick(retries=0))

    assert response.error == "dns"
    assert response.message == "the host has no address: Name or service not known"


# Retries.


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_status_is_retried(box: SiteBox, status: int):
    url = box.play("/a", site_box.in_turn(page(b"", status), page(b"", status), page(BODY)))

    response = fetch(url)

    assert (response.body, response.attempts, response.error) == (BODY, 3, None)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 501, 505])
def test_lasting_status_is_not_retried(box: SiteBox, status: int):
    # Measured: Crawlee for JavaScript asks four times for a 404.
    response = fetch(box.play("/a", page(b"", status)))

    assert (response.status, response.error, response.attempts) == (status, "status", 1)


def test_retries_end(box: SiteBox):
    response = fetch(box.play("/a", page(b"busy", 503)), quick(retries=3))

    assert response.attempts == len(box.hits) == 4
    assert response.message == "HTTP 503 Service Unavailable (4 attempts)"


def test_retry_after_is_waited_for(box: SiteBox):
    url = box.play("/a", site_box.in_turn(page(b"", 429, retry_after="1"), page(BODY)))

    response = fetch(url)

    assert response.body == BODY
    assert 0.95 < box.hits[1].at - box.hits[0].at < 1.6


def test_retry_after_holds_for_the_whole_host(box: SiteBox):
    box.play("/busy", site_box.in_turn(page(b"", 503, retry_after="1"), page(BODY)))
    box.put("/other", BODY)
    urls = [box.url("/busy"), *[box.url("/other")] * 3]
    walk = site_box.Asking(*[Request(url, reach="anywhere") for url in urls])

    list(site_box.drive_in_thread(walk, quick(concurrency=1)))

    assert box.hits[1].at - box.hits[0].at > 0.95


def test_retry_after_too_long_is_not_waited_for(box: SiteBox):
    url = box.play("/a", page(b"", 429, retry_after="3600"))

    response = fetch(url)

    assert len(box.hits) == 1
    assert response.message == (
        "HTTP 429 Too Many Requests; the server asks to come back after 3,600 s"
    )


def test_retry_after_as_a_date():
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert retry_after_s(format_datetime(now + timedelta(seconds=90), usegmt=True), now) == 90
    assert retry_after_s(format_datetime(now - timedelta(days=1), usegmt=True), now) == 0
    assert retry_after_s("-5") is None
    assert retry_after_s("9" * 400) is None


# Redirects.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_followed(box: SiteBox, status: int):
    url = box.play("/a", redirect("b?x#y", status))
    box.put("/b?x", BODY)

    response = fetch(url)

    assert (response.body, response.url, response.redirects) == (BODY, box.url("/b?x"), (url,))


def test_ten_redirects_are_followed_and_no_more(box: SiteBox):
    for n in range(12):
        box.play(f"/{n}", redirect(f"/{n + 1}"))
    box.put("/12", BODY)

    assert fetch(box.url("/2")).body == BODY
    response = fetch(box.url("/1"))
    assert (response.error, len(response.redirects)) == ("too-many-redirects", 10)
    assert response.message == "more than 10 redirects"


def test_redirect_loop_is_told(box: SiteBox):
    box.play("/a", redirect("/b"))
    box.play("/b", redirect("/a"))

    response = fetch(box.url("/a"))

    assert response.error == "redirect-loop"
    assert response.message == f"redirects in a circle: back to {box.url('/a')}"
    assert box.paths == ["/a", "/b"]


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://", "mailto:a@b"])
def test_redirect_to_another_scheme_is_not_followed(box: SiteBox, to: str):
    response = fetch(box.play("/a", redirect(to)))

    assert (response.error, response.body) == ("bad-redirect", b"")


def test_redirect_without_a_target(box: SiteBox):
    assert fetch(box.put("/a", b"", 302)).error == "bad-redirect"


@pytest.mark.parametrize("raw", ["/é".encode(), "/é".encode("latin-1")])
def test_redirect_to_a_path_in_raw_bytes(box: SiteBox, raw: bytes):
    box.play("/a", redirect(raw.decode("utf-8", "surrogateescape")))
    box.put("/%C3%A9", BODY)

    assert fetch(box.url("/a")).body == BODY


# Content-Encoding.


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("gzip", gz(BODY)),
        ("x-gzip", gz(BODY)),
        ("GZIP, identity", gz(BODY)),
        ("gzip", gz(BODY[:100]) + gz(BODY[100:])),
        ("gzip", gz(BODY) + b"\0" * 50),
        ("deflate", zlib.compress(BODY)),
        ("deflate", zlib.compress(BODY, wbits=-15)),
        ("deflate", gz(BODY)),
        ("gzip, gzip", gz(gz(BODY))),
        ("gzip", BODY),  # a proxy unpacked it and left the header
        ("gzip", b""),
        ("gzip", b"x"),
    ],
)
@pytest.mark.parametrize("size", [1, 100_000])
def test_encoding_is_undone(box: SiteBox, name: str, packed: bytes, size: int):
    url = box.play("/a", site_box.chunked(packed, size, content_encoding=name))

    response = fetch(url)

    assert response.body == (BODY if len(packed) > 1 else packed)
    assert (response.error, response.is_whole) == (None, True)
    assert response.wire_size == len(packed)
    assert box.hits[0].headers["accept-encoding"] == "gzip, deflate"


def test_gzip_file_is_not_touched(box: SiteBox):
    url = box.put("/a.xml.gz", gz(BODY), kind="application/gzip")

    assert fetch(url).body == gz(BODY)


def test_encoding_that_ends_too_early_is_not_whole(box: SiteBox):
    packed = gz(random.Random(1).randbytes(4000))
    url = box.put("/a", packed[:2000], content_encoding="gzip")

    response = fetch(url)

    assert (response.error, response.is_whole, response.attempts) == ("encoding", False, 3)
    assert response.message == "the gzip stream ends before its end (3 attempts)"
    assert len(response.body) > 1900


def test_damaged_encoding_keeps_what_is_before_it(box: SiteBox):
    noise = random.Random(1).randbytes(4000)
    packed = bytearray(zlib.compress(noise, 0) + b"")
    packed[2005:] = b"\xff" * len(packed[2005:])
    url = box.put("/a", bytes(packed), content_encoding="deflate")

    response = fetch(url)

    assert (response.error, response.is_whole) == ("encoding", False)
    assert response.body.startswith(noise[:1900])


def test_encoding_that_was_not_asked_for(box: SiteBox):
    response = fetch(box.put("/a", b"\x0b\x02\x80", content_encoding="br"))

    assert response.error == "encoding"
    assert response.message == "Content-Encoding br was not asked for and is not undone"


def test_bomb_in_an_encoding_stops_at_the_cap(box: SiteBox):
    # Measured: 2 GB of memory for 1 MB on the wire in three of nine readers.
    bomb = gzip.compress(b"\0" * 50_000_000, 9)
    url = box.put("/a", bomb, content_encoding="gzip")

    response = fetch(url, quick(max_bytes=1_000_000))

    assert (response.error, response.is_whole, len(response.body)) == (
        "too-large",
        False,
        1_000_000,
    )
