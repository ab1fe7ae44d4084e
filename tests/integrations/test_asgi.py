"""ASGI: sitemaps in Starlette, FastAPI, Litestar; each measured defect of fastapi-sitemap."""

import gzip
import importlib

import pytest

import urlset
from tests.integrations.web_servers import uvicorn_server
from urlset.integrations.asgi import AsgiSitemapsMiddleware, Sitemaps, route_urls

BASE = "https://example.com/"


def locs(answer):
    assert answer.status == 200
    document = urlset.parse(answer.body)
    assert not document.problems
    return [entry.loc for entry in document.entries]


def rows():
    return [{"loc": f"/{n}", "lastmod": "2026-01-31"} for n in range(3)]


def check_everything(ask, prefix=""):
    """Everything that a server has to do, through a host."""
    first = ask(f"{prefix}/sitemap.xml")
    assert len(locs(first)) == 3
    assert first.headers["content-type"] == "application/xml"
    again = ask(f"{prefix}/sitemap.xml", if_none_match=first.headers["etag"])
    since = ask(f"{prefix}/sitemap.xml", if_modified_since=first.headers["last-modified"])
    packed = ask(f"{prefix}/sitemap.xml", accept_encoding="gzip")
    part = ask(f"{prefix}/sitemap.xml", range="bytes=-10")
    head = ask(f"{prefix}/sitemap.xml", "HEAD")
    assert (again.status, again.body, since.status) == (304, b"", 304)
    assert gzip.decompress(packed.body) == first.body
    assert packed.headers["vary"] == "Accept-Encoding"
    assert (part.status, part.body) == (206, first.body[-10:])
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == first.headers["content-length"]
    assert ask(f"{prefix}/sitemap.xml", "POST", content_length="0").status == 405
    for path in ("/sitemap-9.xml", "/..%2fsitemap.xml", "/%2e%2e/%2e%2e/etc/passwd"):
        assert ask(prefix + path).status == 404
    hostile = ask(f"{prefix}/sitemap.xml", x_forwarded_host="evil.example")
    assert hostile.body == first.body


def test_the_application_alone():
    with uvicorn_server(Sitemaps(rows, base_url=BASE)) as ask:
        check_everything(ask)


def test_mounted_in_starlette():
    applications = pytest.importorskip("starlette.applications", reason="Starlette is missing")
    routing = importlib.import_module("starlette.routing")
    sitemaps = Sitemaps(rows, base_url=f"{BASE}maps/")

    with uvicorn_server(
        applications.Starlette(routes=[routing.Mount("/maps", app=sitemaps)])
    ) as ask:
        check_everything(ask, "/maps")
        assert ask("/sitemap.xml").status == 404


def test_middleware_of_starlette():
    applications = pytest.importorskip("starlette.applications", reason="Starlette is missing")
    responses = importlib.import_module("starlette.responses")
    routing = importlib.import_module("starlette.routing")

    async def home(request):
        return responses.PlainTextResponse("home")

    app = applications.Starlette(routes=[routing.Route("/", home)])
    app.add_middleware(AsgiSitemapsMiddleware, sitemaps=Sitemaps(rows, base_url=BASE))

    with uvicorn_server(app) as ask:
        check_everything(ask)
        assert ask("/").body == b"home"


@pytest.fixture
def fastapi_app():
    fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed")
    app = fastapi.FastAPI()

    @app.get("/")
    async def home() -> str:
        return "home"

    @app.get("/items/{number}")
    async def item(number: int) -> str:
        return f"item {number}"

    @app.post("/form")
    async def form() -> str:
        return "form"

    return app


def test_fastapi_routes_that_are_added_later_are_listed(fastapi_app):
    # fastapi-sitemap misses them.
    sitemaps = Sitemaps(lambda: route_urls(fastapi_app), base_url=BASE)
    fastapi_app.add_middleware(AsgiSitemapsMiddleware, sitemaps=sitemaps)

    @fastapi_app.get("/late")
    async def late() -> str:
        return "late"

    with uvicorn_server(fastapi_app) as ask:
        found = locs(ask("/sitemap.xml"))

    assert found == ["https://example.com/", "https://example.com/late"]


def test_fastapi_routes_of_routers_and_mounted_applications_are_listed(fastapi_app):
    fastapi = importlib.import_module("fastapi")
    inner = fastapi.APIRouter(prefix="/inner")
    router = fastapi.APIRouter(prefix="/shop")
    mounted = fastapi.FastAPI()
    for owner, path in ((inner, "/a"), (router, ""), (router, "/{n}"), (mounted, "/b c")):
        owner.get(path)(lambda: "page")
    mounted.post("/form")(lambda: "form")
    router.include_router(inner)
    fastapi_app.include_router(router, prefix="/v1")
    fastapi_app.include_router(inner, include_in_schema=False, prefix="/hidden")
    fastapi_app.mount("/sub", mounted)
    fastapi_app.mount("/{tenant}", mounted)

    found = sorted(route_urls(fastapi_app))

    assert found == ["/", "/sub/b%20c", "/v1/shop", "/v1/shop/inner/a"]


def test_starlette_routes_of_mounts_are_listed_and_those_of_other_hosts_are_not():
    applications = pytest.importorskip("starlette.applications", reason="Starlette is missing")
    routing = importlib.import_module("starlette.routing")

    async def page(request):
        raise NotImplementedError

    pages = [routing.Route("/", page), routing.Route("/é?", page), routing.Route("/{n}", page)]
    routes = [routing.Mount("/docs", routes=pages), routing.Host("api.example.com", pages[0])]
    app = applications.Starlette(routes=[*routes, routing.WebSocketRoute("/ws", page)])

    assert list(route_urls(app)) == ["/docs/", "/docs/%C3%A9%3F"]


def test_fastapi_pages_have_no_invented_dates(fastapi_app):
    # fastapi-sitemap writes the current day for all.
    fastapi_app.mount("/", Sitemaps(lambda: route_urls(fastapi_app), base_url=BASE))

    with uvicorn_server(fastapi_app) as ask:
        assert b"lastmod" not in ask("/sitemap.xml").body


def test_fastapi_sitemap_is_split(fastapi_app):
    def many():
        yield from route_urls(fastapi_app)
        yield from (f"/items/{n}" for n in range(250))

    fastapi_app.mount("/maps", Sitemaps(many, base_url=f"{BASE}maps/", max_urls=100))

    with uvicorn_server(fastapi_app) as ask:
        index = urlset.parse(ask("/maps/sitemap.xml").body)
        found = [url for one in index.sitemaps for url in locs(ask(one.loc[len(BASE) - 1 :]))]

    assert len(index.sitemaps) == 3
    assert len(set(found)) == 251


def test_mounted_in_litestar():
    litestar = pytest.importorskip("litestar", reason="Litestar is not installed")
    handlers = importlib.import_module("litestar.handlers")
    sitemaps = Sitemaps(rows, base_url=f"{BASE}maps/")

    types = importlib.import_module("litestar.types")

    async def maps(scope, receive, send):
        await sitemaps(scope, receive, send)

    maps.__annotations__ = {  # Litestar reads them
        "scope": types.Scope, "receive": types.Receive, "send": types.Send, "return": None,
    }  # fmt: skip
    mounted = handlers.asgi("/maps", is_mount=True, copy_scope=True)(maps)
    with uvicorn_server(litestar.Litestar([mounted], logging_config=None)) as ask:
        check_everything(ask, "/maps")


def test_around_litestar():
    # Its middleware runs after the routes, so the application is wrapped.
    litestar = pytest.importorskip("litestar", reason="Litestar is not installed")

    @litestar.get("/")
    async def home() -> str:
        return "home"

    app = AsgiSitemapsMiddleware(
        litestar.Litestar([home], logging_config=None), Sitemaps(rows, base_url=BASE)
    )

    with uvicorn_server(app) as ask:
        check_everything(ask)
        assert ask("/").body == b"home"


def test_asynchronous_rows_run_in_the_loop_of_the_application():
    import asyncio

    loops = set()

    async def asynchronous():
        for number in range(2_500):
            if number % 1_000 == 0:
                await asyncio.sleep(0)
                loops.add(asyncio.get_running_loop())
            yield f"/{number}"

    with uvicorn_server(Sitemaps(asynchronous, base_url=BASE)) as ask:
        assert len(locs(ask("/sitemap.xml"))) == 2_500

    assert len(loops) == 1


def test_rows_that_fail_are_unavailable_and_the_server_goes_on():
    async def broken():
        yield "/a"
        raise RuntimeError("the database is gone")

    with uvicorn_server(Sitemaps(broken, base_url=BASE)) as ask:
        assert [ask("/sitemap.xml").status for _ in range(3)] == [503, 503, 503]
        assert ask("/sitemap.xml").headers["retry-after"] == "60"
        assert ask("/other").status == 404


def test_robots_txt():
    robots = "User-agent: *\nDisallow:\n"
    with uvicorn_server(Sitemaps(rows, base_url=BASE, robots=robots)) as ask:
        text = ask("/robots.txt").body.decode()

    assert "Sitemap: https://example.com/sitemap.xml\n" in text


def test_twenty_requests_at_once_are_answered_with_one_build():
    from concurrent.futures import ThreadPoolExecutor

    calls = []

    def counted():
        calls.append(1)
        return rows()

    with uvicorn_server(Sitemaps(counted, base_url=BASE)) as ask, ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda _: ask("/sitemap.xml").status, range(20)))

    assert statuses == [200] * 20
    assert len(calls) == 1
