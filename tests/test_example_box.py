"""The sites in the box serve what their data says, so that other tests may rely on it."""

from __future__ import annotations

import socket
from collections import Counter
from http.client import HTTPConnection, HTTPMessage
from urllib.parse import urlsplit

import pytest
from examples.box.answers import access_log
from examples.box.pages import Page, sites
from examples.box.server import Box, RandomFaults

import urlset

SITES = sites()


def ask(url: str, method: str = "GET", **headers: str) -> tuple[int, HTTPMessage, bytes]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        pairs = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path, headers=pairs)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def box():
    with Box() as served:
        yield served


def test_there_are_enough_pages_faults_and_decoys():
    pages = [page for site in SITES.values() for page in site.pages.values()]
    counts = Counter(rule for site in SITES.values() for rule, _ in site.expected)

    assert len(SITES["shop"].pages) >= 300
    # Of several sitemaps that are the same page, the first is reported by these two rules.
    once = {"html-document", "robots-sitemap-not-a-sitemap"}
    assert {rule for rule, count in counts.items() if count < 2} == once, "each rule twice"
    assert len([page for page in pages if page.why and not page.expect]) >= 60


@pytest.mark.parametrize("name", SITES)
def test_every_path_that_the_data_names_exists(name):
    site = SITES[name]
    here = {*site.pages, *site.sitemaps}
    named = {path for _, path in site.expected} | {
        path
        for page in site.pages.values()
        for path in (*page.alternates.values(), *page.listed_alternates.values(), *page.images)
    }
    assert named <= here


@pytest.mark.parametrize("name", SITES)
def test_a_reader_finds_the_pages_that_are_listed(box, name):
    site = SITES[name]
    lost = {
        sitemap.section
        for sitemap in site.sitemaps.values()
        if sitemap.expect or sitemap.serve == "html"
    }
    listed = {page.path for page in site.pages.values() if page.listed}
    found = {entry.loc.removeprefix(box.origin(name)) for entry in urlset.read(box.origin(name))}

    assert found <= listed
    assert {SITES[name].pages[path].section for path in listed - found} <= lost


def test_every_page_is_served_with_its_status(box):
    def is_plain(page: Page) -> bool:
        return not page.serve and not page.first

    for name, site in SITES.items():
        found = {
            path: ask(box.origin(name) + path)[0]
            for path, page in site.pages.items()
            if is_plain(page) and path.isascii()
        }
        assert found == {path: site.pages[path].status for path in found}
        assert len(found) > 20


def test_the_server_answers_conditional_requests(box):
    url = box.origin("shop") + "/guide/01/"
    status, headers, body = ask(url)

    assert (status, bool(body)) == (200, True)
    assert ask(url, If_None_Match=str(headers["ETag"]))[0] == 304
    assert ask(url, If_None_Match='"another"')[0] == 200
    assert ask(url, If_Modified_Since=str(headers["Last-Modified"]))[0] == 304
    assert ask(url, If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0] == 200


def test_the_server_has_the_manners_that_the_data_states(box):
    shop = box.origin("shop")

    assert ask(f"{shop}/products/no-head/", "HEAD")[0] == 405
    assert ask(f"{shop}/guide/01/", "HEAD")[::2] == (200, b"")
    assert [ask(f"{shop}/products/429-once/")[0] for _ in range(3)] == [429, 200, 200]
    assert ask(f"{shop}/products/any-other/")[::2] == ask(f"{shop}/products/whatever/")[::2]
    assert ask(f"{shop}/blog/any-other/")[0] == 404
    with pytest.raises(ConnectionError):
        ask(box.origin("office") + "/handbook/hangs-up/")


def test_random_faults_are_those_of_the_seed():
    shop = SITES["shop"]
    faults = RandomFaults(7, kinds=("429", "503"))
    affected = faults.affected(shop)

    assert affected == RandomFaults(7, kinds=("429", "503")).affected(shop)
    assert affected != RandomFaults(8).affected(shop)
    assert 5 < len(affected) < 60
    with Box(faults=faults) as box:
        for url in sorted(box.affected("shop"))[:5]:
            assert [ask(url)[0] for _ in range(2)] in ([429, 429], [503, 503])


def test_a_random_timeout_answers_nothing():
    faults = RandomFaults(1, share=1.0, kinds=("timeout",))
    with Box(faults=faults) as box:
        parts = urlsplit(box.origin("shop"))
        with socket.create_connection((parts.hostname, parts.port)) as connection:
            connection.settimeout(0.1)
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            with pytest.raises(TimeoutError):
                connection.recv(1)


def test_the_access_log_has_the_pages_that_visitors_know():
    lines = access_log(SITES["shop"]).splitlines()
    known = [page for page in SITES["shop"].pages.values() if page.visits]

    assert len(known) == 3
    for page in known:
        assert sum(f'"GET {page.path} HTTP' in line for line in lines) == page.visits
