"""WSGI: sitemaps in Flask and with gunicorn; each measured defect of Flask-Sitemap."""

import gzip
import os

import pytest

import urlset
from tests.integrations.web_servers import gunicorn_server
from urlset.integrations.wsgi import Sitemaps, WsgiSitemapsMiddleware, route_urls

flask = pytest.importorskip("flask", reason="Flask is not installed")
posix = pytest.mark.skipif(os.name == "nt", reason="gunicorn runs on POSIX")


def call(app, path, method="GET", **headers):
    """The answer of a WSGI application that a server would send."""
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "wsgi.url_scheme": "http"}
    environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    started = []
    body = b"".join(app(environ, lambda status, fields: started.append((status, fields))))
    status, fields = started[0]
    return int(status.split()[0]), dict(fields), body


@pytest.fixture
def flask_app():
    app = flask.Flask("app")
    calls = []

    @app.get("/")
    def home():
        return "home"

    @app.get("/items/<int:number>")
    def item(number):
        return f"item {number}"

    def rows():
        calls.append(1)
        yield from route_urls(app)
        yield from ({"loc": f"/items/{n}", "lastmod": "2026-01-31"} for n in range(250))

    sitemaps = Sitemaps(rows, base_url="https://example.com/", max_urls=100)
    app.wsgi_app = WsgiSitemapsMiddleware(app.wsgi_app, sitemaps)
    return app, calls


def test_routes_of_flask_that_need_no_argument():
    app = flask.Flask("shop", static_folder=None)
    app.add_url_rule("/blog", "blog", str, defaults={"page": 1})
    app.add_url_rule("/blog/<int:page>", "blog")
    app.route("/old", redirect_to="/blog", endpoint="old")(lambda: "page")
    app.route("/é form", methods=["GET", "POST"], endpoint="form")(lambda: "page")
    app.post("/send", endpoint="send")(lambda: "page")

    assert sorted(route_urls(app)) == ["/%C3%A9%20form", "/blog"]


# ── rows of Flask-Sitemap ──


def test_a_page_does_not_run_the_generators_again(flask_app):
    app, calls = flask_app

    for name in ("sitemap.xml", "sitemap-1.xml", "sitemap-3.xml", "sitemap-3.xml"):
        assert call(app, f"/{name}")[0] == 200

    assert len(calls) == 1


@pytest.mark.parametrize("number", ["0", "4", "999", "-1", "x"])
def test_pages_that_do_not_exist_are_not_found(flask_app, number):
    app, _ = flask_app

    assert call(app, "/sitemap.xml")[0] == 200
    assert call(app, f"/sitemap-{number}.xml")[0] == 404


def test_urls_have_the_scheme_of_the_base_url(flask_app):
    app, _ = flask_app

    _, _, data = call(app, "/sitemap-1.xml", host="evil.example")

    assert {entry.loc.partition("/items")[0] for entry in urlset.parse(data).entries} <= {
        "https://example.com",
        "https://example.com/",
    }


def test_gzip_is_a_content_encoding_and_no_download(flask_app):
    app, _ = flask_app

    _, headers, data = call(app, "/sitemap-1.xml", accept_encoding="gzip")

    assert headers["Content-Type"] == "application/xml"
    assert headers["Content-Encoding"] == "gzip"
    assert not urlset.parse(gzip.decompress(data)).problems


def test_the_index_has_dates(flask_app):
    app, _ = flask_app

    index = urlset.parse(call(app, "/sitemap.xml")[2])

    assert len(index.sitemaps) == 3
    assert all(sitemap.lastmod is not None for sitemap in index.sitemaps)


def test_routes_that_are_added_later_are_listed_and_those_with_arguments_are_not(flask_app):
    app, _ = flask_app

    @app.get("/late")
    def late():
        return "late"

    locs = [e.loc for e in urlset.parse(call(app, "/sitemap-1.xml")[2]).entries]

    assert "https://example.com/late" in locs
    assert not any("<" in loc or "static" in loc for loc in locs)


def test_other_requests_reach_the_application(flask_app):
    app, _ = flask_app
    client = app.test_client()

    assert client.get("/").text == "home"
    assert client.get("/items/3").text == "item 3"
    assert client.get("/sitemapped").status_code == 404


def test_path_with_bytes_that_are_no_utf8_is_not_found():
    app = Sitemaps(lambda: ["/a"], base_url="https://example.com/")

    for path in ("/sitemap\xff.xml", "/\xc3\x28", "/sitemap-\u20ac.xml", "", "/%2e%2e/sitemap.xml"):
        assert call(app, path)[0] == 404


# ── a real server ──


@posix
def test_flask_with_gunicorn(tmp_path):
    with gunicorn_server(
        "tests.integrations.flask_app:app", "--workers", "2", "--threads", "2", ITEMS="250"
    ) as ask:
        index = urlset.parse(ask("/sitemap.xml").body)
        pages = [ask("/" + sitemap.loc.rpartition("/")[2]) for sitemap in index.sitemaps]
        locs = [entry.loc for page in pages for entry in urlset.parse(page.body).entries]
        first = pages[0]
        again = ask("/sitemap-1.xml", if_none_match=first.headers["etag"])
        packed = ask("/sitemap-1.xml", accept_encoding="gzip")
        part = ask("/sitemap-1.xml", range="bytes=0-37")
        head = ask("/sitemap-1.xml", "HEAD")
        refused = ask("/sitemap-1.xml", "POST", content_length="0")
        outside = ask("/..%2f..%2fetc/sitemap.xml")
        home = ask("/")

    assert len(set(locs)) == 252
    assert {"https://example.com/", "https://example.com/late"} < set(locs)
    assert (again.status, again.body) == (304, b"")
    assert gzip.decompress(packed.body) == first.body
    assert (part.status, part.body) == (206, b'<?xml version="1.0" encoding="UTF-8"?>')
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(first.body))
    assert (refused.status, outside.status) == (405, 404)
    assert home.body == b"home"


@posix
def test_a_folder_of_a_build_with_gunicorn(tmp_path):
    pages = tmp_path / "urls.txt"
    pages.write_text("https://example.com/a\nhttps://example.com/b\n")
    urlset.build(pages, tmp_path / "maps", ledger=tmp_path / "ledger.duckdb")
    with gunicorn_server(
        "tests.integrations.flask_app:sitemaps", FOLDER=str(tmp_path / "maps")
    ) as ask:
        found = ask("/sitemap.xml")
        other = ask("/ledger.duckdb")

    assert len(urlset.parse(found.body).entries) == 2
    assert other.status == 404
