"""A Flask application with sitemaps, for gunicorn; FOLDER and ITEMS are options."""

import os

from flask import Flask

from urlset.integrations.wsgi import Sitemaps, WsgiSitemapsMiddleware, route_urls

app = Flask(__name__)


@app.get("/")
def home():
    return "home"


@app.get("/items/<int:number>")
def item(number):
    return f"item {number}"


@app.post("/form")
def form():
    return "form"


def rows():
    yield from route_urls(app)
    for number in range(int(os.environ.get("ITEMS", "3"))):
        yield {"loc": f"/items/{number}", "lastmod": "2026-01-31"}


if "FOLDER" in os.environ:
    sitemaps = Sitemaps(os.environ["FOLDER"])
else:
    sitemaps = Sitemaps(rows, base_url="https://example.com/", max_urls=100)
app.wsgi_app = WsgiSitemapsMiddleware(app.wsgi_app, sitemaps)  # type: ignore[method-assign]


@app.get("/late")
def late():
    return "added after the sitemaps"
