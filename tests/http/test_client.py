"""One HTTP request: body, headers, errors, size limits and timeouts."""

import asyncio

import aiohttp
import pytest

from tests import site_box
from tests.http_walks import fetch, quick
from tests.site_box import SiteBox, page, urlset_of
from urlset.http.content_encoding import BodyDecoder
from urlset.http.limits import Lease, MemoryBudget

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
def test_url_that_is_not_http_is_not_fetched(url: str):
    response = fetch(url)

    assert (response.status, response.error) == (None, "bad-url")


# Conditional requests, headers, sizes.


def test_conditional_request(box: SiteBox):
    url = box.play("/a", page(b"", 304, etag='"1"'))

    response = fetch(url, etag='"1"', last_modified="Fri, 01 Aug 2025 00:00:00 GMT")

    assert (response.status, response.error, response.body) == (304, None, b"")
    assert box.hits[0].headers["if-none-match"] == '"1"'
    assert box.hits[0].headers["if-modified-since"] == "Fri, 01 Aug 2025 00:00:00 GMT"


def test_the_target_of_a_redirect_is_requested_without_conditions(box: SiteBox):
    url = box.play("/a", site_box.redirect(box.play("/b", page(b"b", etag='"1"'))))

    response = fetch(url, etag='"1"', last_modified="Fri, 01 Aug 2025 00:00:00 GMT")

    assert (response.status, response.body, response.request.url) == (200, b"b", url)
    first, second = box.hits
    assert {"if-none-match", "if-modified-since"} <= set(first.headers)
    assert {"if-none-match", "if-modified-since"}.isdisjoint(second.headers)
    assert (response.request.etag, response.request.last_modified) == (None, None)


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
    url = box.play("/a", site_box.claims(len(BODY) + 10, BODY))

    response = fetch(url, quick(retries=0, read_timeout_s=0.3))

    assert (response.error, response.is_whole, response.body) == ("stalled", False, BODY)
    assert response.message == f"no data after {len(BODY):,} of {len(BODY) + 10:,} bytes for 0.3 s"


def test_length_too_short_does_not_harm_the_next(box: SiteBox):
    short = box.play("/a", site_box.claims(100, BODY))

    assert fetch(short).body == BODY[:100]
    assert [fetch(box.put(f"/{n}", BODY)).body for n in range(3)] == [BODY] * 3


def test_body_without_a_length(box: SiteBox):
    assert fetch(box.play("/a", site_box.until_close(BODY))).body == BODY


def test_stalled_transfer_ends(box: SiteBox):
    url = box.play("/a", site_box.stalled(BODY, 700))

    response = fetch(url, quick(retries=0, read_timeout_s=0.2))

    assert (response.error, response.is_whole, response.body) == ("stalled", False, BODY[:700])


def test_server_that_never_answers(box: SiteBox):
    response = fetch(box.play("/a", site_box.silent), quick(retries=1, read_timeout_s=0.2))

    assert (response.error, response.status, response.attempts) == ("stalled", None, 2)
    assert response.message == "no response for 0.2 s (2 attempts)"


def test_slow_drip_ends_with_the_whole_time(box: SiteBox):
    # Measured: most readers never end here.
    url = box.play("/a", site_box.endless(BODY[:300], b"<url/>", 0.05))

    response = fetch(url, quick(total_timeout_s=0.5))

    assert (response.error, response.is_whole, response.attempts) == ("timeout", False, 1)
    assert response.body.startswith(BODY[:300])


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


def test_connection_is_refused():
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

    monkeypatch.setattr("urlset.http.transport.lookup", lookup)

    response = fetch("http://nowhere.example/", quick(retries=0))

    assert response.error == "dns"
    assert response.message == "the host has no address: Name or service not known"


def test_bytes_before_a_fault_are_ours_even_where_both_come_at_once():
    # Note: aiohttp raises the fault first, and then gives nothing more.
    from aiohttp.base_protocol import BaseProtocol
    from aiohttp.streams import StreamReader

    from urlset.http import exchange

    async def run() -> bytes:
        loop = asyncio.get_running_loop()
        content = StreamReader(BaseProtocol(loop), 65_536, loop=loop)
        content.feed_data(b"what came")
        content.set_exception(aiohttp.ClientPayloadError())
        with Lease(MemoryBudget(1000)) as lease:
            received = exchange._Received(lease)
            received.decoder = BodyDecoder(None, 1000)
            async with asyncio.timeout(None) as clock:
                with pytest.raises(aiohttp.ClientPayloadError):
                    await exchange._receive_body(content, 1000, received, clock)
        return received.decoder.body()

    assert asyncio.run(run()) == b"what came"
