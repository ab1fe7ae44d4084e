"""Worker process of a crawl: the same records, also if it is killed."""

import pickle
from functools import partial

import pytest

import urlset
from tests.site_box import SiteBox
from urlset.http import Request, Response
from urlset.live.visits import page_worker
from urlset.live.visits.page_record import read_record
from urlset.live.visits.page_rows import PAGE_COLUMNS, read_rows, rows_of, rows_of_line
from urlset.live.visits.page_urls import UrlResolver
from urlset.live.visits.page_worker import PageWorker

FIXED = {"fetched_at", "checked_at", "seconds"}
COUNT = 30


def response(number):
    url = f"https://example.com/{number}"
    body = f'<html><title>{number}</title><a href="/x{number}" rel=nofollow>x</a>'.encode()
    headers = {"content-type": "text/html"}
    return Response(Request(url), url, status=200, headers=headers, body=body)


def plain(page):
    values = dict(zip(PAGE_COLUMNS, page.values, strict=True))
    row = {name: value for name, value in values.items() if name not in FIXED}
    return page.url, page.verdict, row, page.links, page.is_unchanged


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_worker_returns_the_records_of_this_process(is_killed):
    read = partial(read_rows, UrlResolver())
    worker = PageWorker(read)
    found = []
    for number in range(COUNT):
        worker.submit(response(number), {"crawl": 7})
        if is_killed and number == COUNT // 2:
            worker._process.kill()
            worker._process.wait()
        found += worker.take(waits=worker.pending > 5)
    while worker.pending:
        found += worker.take(waits=True)
    is_alive = worker.is_alive
    worker.close()

    expected = [read(response(number), {"crawl": 7}) for number in range(COUNT)]
    assert sorted(map(plain, found)) == sorted(map(plain, expected))
    assert [rows_of_line(page.line) for page in found] == found
    assert is_alive is not is_killed


def test_results_that_cannot_be_read_end_the_worker(monkeypatch):
    # Otherwise both processes would wait for the other one to read from a full pipe.
    def load(file):
        raise pickle.UnpicklingError("invalid load key")

    monkeypatch.setattr("pickle.load", load)
    read = partial(read_rows, UrlResolver())
    worker = PageWorker(read)
    found = []
    for number in range(COUNT):
        links = "".join(f'<a href="/tea-{n}-of-{number}">tea</a>' for n in range(4_000))
        large = response(number)
        worker.submit(large._replace(body=large.body + links.encode()), {"crawl": 7})
        found += worker.take(waits=worker.pending > 5)
    while worker.pending:
        found += worker.take(waits=True)
    assert not worker.is_alive
    worker.close()
    assert sorted(page.url for page in found) == sorted(response(n).url for n in range(COUNT))


def test_a_crawl_with_a_worker_has_the_same_tables(monkeypatch):
    queries = (
        "SELECT * EXCLUDE (seconds, first_byte_s, fetched_at, checked_at) FROM pages ORDER BY url",
        "SELECT * FROM links ORDER BY ALL",
        "SELECT url, state, depth, origins, referrer_count FROM frontier ORDER BY url",
    )
    tables = []
    with SiteBox() as box:
        for number in range(COUNT):
            links = "".join(f'<a href="/{n % COUNT}">x</a>' for n in (number * 2, number * 3))
            box.put(f"/{number}", f"<html><title>{number}</title>{links}", kind="text/html")
        box.put("/", '<a href="/1">1</a><a href="/2">2</a><a href="/5">5</a>', kind="text/html")
        for start in (0, 1_000):
            monkeypatch.setattr(page_worker, "WORKER_FROM", start)
            policy = urlset.Policy(proxies={}, concurrency=1, per_host=1)
            with urlset.crawl(box.site, policy=policy, read_sitemaps=False) as found:
                tables.append([list(found.query(query)) for query in queries])

    assert tables[0] == tables[1]
    assert len(tables[0][0]) > COUNT // 2


def test_the_journal_keeps_a_record_as_it_is():
    rows = rows_of(read_record(response(1), UrlResolver()))

    assert rows_of_line(rows.line) == rows
