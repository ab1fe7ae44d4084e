"""Attacks by addresses: a public document leads to no private host, in whatever spelling."""

from __future__ import annotations

import asyncio

import pytest

import urlset
from tests.site_box import SiteBox
from urlset.http import Policy, Request, Response, request_url
from urlset.http.client import Fetcher
from urlset.http.ssrf import is_allowed_via_proxy
from urlset.robots import read_robots

PRIVATE = """
    169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
    [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]
    [fe80::1] [fc00::1] [::1] [::] 0.0.0.0 0 127.1 127.0.1 0x7f.1 017700000001 2130706433
    localhost localhost. foo.localhost 10.0.0.1 192.168.0.1 172.16.0.1 100.64.0.1 100.100.100.200
    198.18.0.1 192.0.0.192 168.63.129.16 224.0.0.1 255.255.255.255 240.0.0.1 １２７.0.0.1
    127。0。0。1 [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b:1::7f00:1] [2001:db8::1] [2001::1]
    [fd00:ec2::254] [fec0::1] [ff02::1] [5f00::1] 192.88.99.1 [100::1] [3fff::1] 169.254.169.254.
    [0:0:0:0:0:ffff:7f00:1] [::ffff:127.0.0.1%25eth0] me@127.0.0.1 example.com@127.0.0.1
    example.com:80@[::1] metadata.google.internal instance-data
""".split()

TARGETS = """
    file:///etc/passwd data:text/plain,x ftp://example.com/ gopher://127.0.0.1:11211/x
    //169.254.169.254/x \\\\169.254.169.254\\x http:///169.254.169.254/ javascript:alert(1)
    http://example.com@169.254.169.254/ http://example.com:80@169.254.169.254/ jar:http://a!/b
    http://169.254.169.254:80/ https://169.254.169.254/ unix:///var/run/docker.sock
""".split()


def fetch(request: Request) -> Response:
    async def run() -> Response:
        async with Fetcher(Policy(retries=0)) as fetcher:
            return await asyncio.wait_for(fetcher.fetch(request), 60)

    return asyncio.run(run())


@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_host_is_not_requested(host):
    url = f"http://{host}/latest/meta-data/"
    if request_url(url) is None:
        assert fetch(Request(url)).error == "bad-url"
        return
    name = url.split("/")[2].rpartition("@")[2].strip("[]")

    assert not is_allowed_via_proxy("public", name)
    assert fetch(Request(url)).error in ("blocked", "bad-url", "dns")


@pytest.mark.parametrize("target", TARGETS)
def test_a_redirect_leads_to_no_other_scheme_and_no_special_host(target):
    with SiteBox() as box:
        box.put("/a", b"", 302, location=target)
        response = fetch(Request(box.url("/a"), scope="anywhere"))

    is_here = response.url.startswith(f"{box.site}/")  # backslashes are a relative path
    assert response.error in ("blocked", "bad-redirect") or (is_here and response.status == 404)


LONG_PORT = "http://example.com:" + "1" * 6_000 + "/"


@pytest.mark.parametrize("port", ["1" * 6_000, "0" * 6_000, "²", "٣", "65536", "-1", "8 0", "0x50"])
def test_a_port_that_is_no_number_is_no_url(port):
    assert request_url(f"http://example.com:{port}/") is None


@pytest.mark.parametrize("port", ["8080", "008080", "0" * 6_000 + "8080"])
def test_zeros_before_a_port_are_removed(port):
    assert request_url(f"http://example.com:{port}/") == "http://example.com:8080/"


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/a", "", {"location": LONG_PORT}),
        ("/a", f'<a href="{LONG_PORT}">x</a>', {}),
        ("/a", f'<link rel=canonical href="{LONG_PORT}">', {}),
        ("/a", f'<meta http-equiv=refresh content="0; url={LONG_PORT}">', {}),
        ("/a", f'<base href="{LONG_PORT}"><a href="b">x</a>', {}),
        ("/a", f'<link rel=alternate hreflang=de href="{LONG_PORT}">', {}),
        ("/a", "x", {"link": f"<{LONG_PORT}>; rel=canonical"}),
        ("/robots.txt", f"Sitemap: {LONG_PORT}\nUser-agent: *\nAllow: /", {}),
        ("/sitemap.txt", f"{LONG_PORT}\n", {}),
        ("/sitemap.xml", f"<sitemapindex><sitemap><loc>{LONG_PORT}</loc></sitemap></sitemapindex>",
         {}),
    ],
    ids=["Location", "link", "canonical", "refresh", "base", "hreflang", "Link", "robots.txt",
         "list", "index"],
)  # fmt: skip
def test_a_port_of_thousands_of_digits_ends_no_run(path, body, headers, tmp_path):
    with SiteBox() as box:
        box.put("/", '<a href="/a">x</a>', kind="text/html")
        box.put("/sitemap.txt", f"{box.url('/')}\n{box.url('/a')}\n", kind="text/plain")
        status = 302 if "location" in headers else 200
        box.put(path, body, status, kind="text/html" if path == "/a" else "text/plain", **headers)
        urlset.crawl(box.url("/"), tmp_path / "a.duckdb", confirm_after_s=0)
        urlset.check(box.url("/"))

        assert "/" in box.paths


@pytest.mark.parametrize("delay", ["1" * 400, "1e999", "nan", "inf", "-1", "٣", "1_0", "²"])
def test_a_crawl_delay_is_a_number(delay):
    text = f"User-agent: *\nCrawl-delay: {delay}\n".encode()

    assert 0 <= read_robots(text, "https://example.com/robots.txt").crawl_delay_s() <= 60
