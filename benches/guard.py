"""Compare the public calls with yardsticks of the standard library: ``make guard``.

Each work and its yardstick run in turn in one process, and the least CPU time of several rounds
counts, so that a busy machine does not fail the guard. The ratio is the CPU time of the yardstick
divided by that of the work: higher is faster. ``floors.json`` has the best ratio that was recorded
for each work. A work below 70 % of it fails, which is more than the ratios scatter (15 %).

``--update`` raises the recorded ratios to those measured, and never lowers one. Whoever lowers one
by hand writes its ``reason`` beside it: the guard compares the file with its earlier versions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
import xml.parsers.expat
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import urlset
from urlset.engine import available
from urlset.html import read_page

FLOORS = Path(__file__).with_name("floors.json")
TOLERANCE = 0.7
RETRIES = 3
HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    b' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
)
SITE = "https://www.example.com"


class Work(NamedTuple):
    """A call to measure, its yardstick, and the number of rounds."""

    name: str
    call: Callable[[], object]
    yardstick: Callable[[], object]
    rounds: int = 5


def main() -> int:
    """Measure all works; return 1 if one is too slow, or a floor fell without a reason."""
    options = _options()
    if "native" not in available():
        print("The guard compares the native engine, which is not built: ratios are skipped.")
        return 0
    floors: dict[str, dict[str, Any]] = json.loads(FLOORS.read_text("utf-8"))
    failures = [*_unexplained_falls(floors)]
    print(f"{'work':34}{'ratio':>9}{'best':>9}")
    with tempfile.TemporaryDirectory(prefix="urlset-guard-") as folder:
        for work in works(Path(folder)):
            if options.match and options.match not in work.name:
                continue
            ratio = measure(work)
            best = floors.get(work.name, {}).get("ratio", 0.0)
            note = ""
            for _ in range(RETRIES):  # a burst of other programs may have hit it
                if ratio < TOLERANCE * best:
                    ratio = max(ratio, measure(work))
            if ratio < TOLERANCE * best:
                note = f"  TOO SLOW: {ratio / best:.0%} of the best; {TOLERANCE:.0%} is the limit"
                failures.append(f"{work.name} is slower than it has been")
            print(f"{work.name:34}{ratio:9.3f}{best:9.3f}{note}", flush=True)
            if options.update and ratio > best:
                floors.setdefault(work.name, {})["ratio"] = round(ratio, 4)
    if options.update:
        FLOORS.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", "utf-8")
    for failure in failures:
        print(f"guard: {failure}", file=sys.stderr)
    return bool(failures)


def measure(work: Work) -> float:
    """Return how many times the work fits into its yardstick, in CPU time."""
    work.call()  # imports and caches
    ours, theirs = [], []
    for _ in range(work.rounds):
        theirs.append(_cpu_s(work.yardstick))
        ours.append(_cpu_s(work.call))
    return min(theirs) / max(min(ours), 1e-6)


def _cpu_s(call: Callable[[], object]) -> float:
    """Return the CPU seconds of a call, including processes that it starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.process_time()
    call()
    spent = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent + after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def works(folder: Path) -> Iterator[Work]:
    """Yield the works; files are made in the folder."""
    page, rich, one = plain(20_000), extended(10_000), plain(1)
    packed = gzip.compress(page)
    small = plain(2_000)
    yield Work("parse", lambda: urlset.parse(page), lambda: expat(page), 9)
    yield Work("parse, gzip", lambda: urlset.parse(packed), lambda: expat(page), 9)
    yield Work("parse, extensions", lambda: urlset.parse(rich), lambda: expat(rich), 9)
    yield Work("parse to objects", lambda: [*urlset.parse(page).entries], lambda: expat(page), 7)
    yield Work(
        "parse, reference engine",
        lambda: urlset.parse(small, engine="reference"),
        lambda: expat(small),
    )
    document = urlset.parse(page)
    entries = [*document.entries]
    rows = [{"loc": f"{SITE}/{i}", "lastmod": "2026-01-05"} for i in range(20_000)]
    yield Work("render columns", lambda: urlset.render(document.entries), lambda: expat(page), 7)
    yield Work("render objects", lambda: urlset.render(entries), lambda: expat(page))
    yield Work("render dicts", lambda: urlset.render(rows), lambda: expat(page))
    yield Work("check 20,000 entries", lambda: [*urlset.check(page)], lambda: expat(page))
    yield Work("check one entry", lambda: [*urlset.check(one)], loop)
    yield from _live_works(folder)
    yield from _shell_works(folder, one)


def _live_works(folder: Path) -> Iterator[Work]:
    sitemap, changed = folder / "sitemap.xml", folder / "changed.xml"
    page = plain(20_000)
    sitemap.write_bytes(page)
    changed.write_bytes(page.replace(b"item-7<", b"item-seven<").replace(b"01-05T", b"02-05T"))
    yield Work("read a file", lambda: [*urlset.read(str(sitemap))], lambda: expat(page))
    yield Work(
        "diff of two files",
        lambda: urlset.diff(str(sitemap), str(changed)).counts,
        lambda: expat(page),
    )
    public = folder / "public"
    public.mkdir()
    texts = [html(number) for number in range(200)]
    for number, text in enumerate(texts):
        (public / f"page-{number}.html").write_text(text, "utf-8")

    def parse_html() -> None:
        for text in texts:
            HTMLParser().feed(text)

    built = iter(range(1_000))

    def build() -> None:
        number = next(built)
        _build(public, folder / f"out-{number}", folder / f"{number}.duckdb")

    again = (folder / "again", folder / "again.duckdb")
    _build(public, *again)
    yield Work("build 200 pages of HTML", build, parse_html, 3)
    yield Work("build them again", lambda: _build(public, *again), parse_html, 3)
    yield Work("facts of 200 pages", lambda: _facts(texts), parse_html, 5)


def _build(source: Path, target: Path, ledger: Path) -> None:
    urlset.build(str(source), str(target), base_url=f"{SITE}/", ledger=str(ledger))


def _facts(texts: list[str]) -> None:
    for text in texts:
        read_page(text.encode(), f"{SITE}/page.html")


def _shell_works(folder: Path, one: bytes) -> Iterator[Work]:
    path = folder / "one.xml"
    path.write_bytes(one)
    python = (sys.executable, "-P", "-W", "ignore")

    def run(*argv: str) -> None:
        subprocess.run([*python, *argv], check=True, cwd=folder, capture_output=True)

    def start() -> None:
        run("-c", "import asyncio, json, sqlite3, typing, xml.etree.ElementTree")

    yield Work("import urlset, in a shell", lambda: run("-c", "import urlset"), start)
    yield Work("urlset --help, in a shell", lambda: run("-m", "urlset", "--help"), start)
    yield Work("urlset read, in a shell", lambda: run("-m", "urlset", "read", "one.xml"), start)
    yield Work(
        "urlset check, in a shell",
        lambda: run("-m", "urlset", "check", "one.xml"),
        start,
    )


def plain(count: int) -> bytes:
    """Return a document whose entries have the four core elements."""
    return (
        HEAD
        + b"".join(
            b"  <url>\n    <loc>https://www.example.com/products/category-%d/item-%d</loc>\n"
            b"    <lastmod>2026-01-%02dT10:00:00+00:00</lastmod>\n"
            b"    <changefreq>daily</changefreq>\n    <priority>0.8</priority>\n  </url>\n"
            % (i % 97, i, i % 28 + 1)
            for i in range(count)
        )
        + b"</urlset>"
    )


def extended(count: int) -> bytes:
    """Return a document whose entries have an image and two alternates."""
    return (
        HEAD
        + b"".join(
            b"<url><loc>https://www.example.com/products/category-%d/item-%d</loc>"
            b"<lastmod>2026-01-%02d</lastmod><image:image>"
            b"<image:loc>https://cdn.example.com/i/%d.jpg</image:loc></image:image>"
            b'<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de/%d"/>'
            b'<xhtml:link rel="alternate" hreflang="en" href="https://www.example.com/en/%d"/>'
            b"</url>\n" % (i % 97, i, i % 28 + 1, i, i, i)
            for i in range(count)
        )
        + b"</urlset>"
    )


def html(number: int) -> str:
    """Return a page with twelve sections and links."""
    text = "".join(
        f'<h2 id="h{k}">Part {k} of {number}</h2><p>{"word " * 80}'
        f'<a href="/page-{k}.html">next</a></p>'
        for k in range(12)
    )
    return (
        f'<!doctype html><html lang="en"><head><title>Page {number}</title></head>'
        f"<body><main>{text}</main></body></html>"
    )


def expat(data: bytes) -> None:
    """Parse XML with the standard library, with a handler of start tags that does nothing."""
    parser = xml.parsers.expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda _name, _attributes: None
    parser.Parse(data, True)


def loop() -> None:
    """Add numbers in plain Python."""
    total = 0
    for i in range(300_000):
        total += i


def _unexplained_falls(floors: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the works whose recorded ratio fell below an earlier version without a reason."""
    for name, best in _recorded_best().items():
        now = floors.get(name, {})
        if now.get("ratio", 0.0) < best and not now.get("reason"):
            yield f'floors.json: "{name}" fell from {best} to {now.get("ratio")} without a "reason"'


def _recorded_best() -> dict[str, float]:
    """Return the highest ratio of each work in the committed versions of the file."""
    best: dict[str, float] = {}
    for commit in _git("log", "--format=%H", "--", FLOORS.name).split():
        try:
            version = json.loads(_git("show", f"{commit}:./{FLOORS.name}"))
        except ValueError:
            continue
        for name, entry in version.items():
            if not entry.get("reason"):
                best[name] = max(best.get(name, 0.0), entry["ratio"])
    return best


def _git(*arguments: str) -> str:
    """Return the output of git, or an empty text without git or a repository."""
    try:
        ran = subprocess.run(
            ["git", *arguments], cwd=FLOORS.parent, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return ran.stdout if ran.returncode == 0 else ""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="raise the recorded ratios")
    parser.add_argument("--match", metavar="TEXT", help="only works whose name contains this text")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
