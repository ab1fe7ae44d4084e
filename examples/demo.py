"""Run the main commands: read a site, check a broken sitemap, build sitemaps and update them.

No network is needed: the site is served on this machine. Every command is shown as you would type
it. The result is in ``demo-output/`` afterwards, or in the folder that is passed as an argument.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from box.server import Box

ROOT = Path(__file__).parents[1]
SITE = ROOT / "examples" / "site"
KEY = "73134416ae45434d98edc086e0bf6740"
ENVIRONMENT = {**os.environ, "no_proxy": "127.0.0.1", "URLSET_INDEXNOW_KEY": KEY}
GARDEN = ROOT / "examples" / "garden"
RESULT = ROOT / (sys.argv[1] if len(sys.argv) > 1 else "demo-output")
BUILD = "build public/ --base-url https://example.com/ --output maps/ --max-urls 4"


def main() -> int:
    """Run the commands one after another and return 1 if an exit code is not the expected one."""
    shutil.rmtree(ROOT / "demo-output", ignore_errors=True)
    RESULT.mkdir(parents=True, exist_ok=True)
    good: list[bool] = []
    with served() as site:
        good += [
            step(
                "Read a whole site over HTTP: robots.txt names the index, which lists the rest.",
                f"read {site} --format txt",
            ),
            step("Show its documents as a tree.", f"read {site} --tree"),
            step(
                "Count its URLs by section in SQL; --output site.duckdb keeps the tables.",
                f"read {site} --sql 'SELECT url_section(loc) AS section, count(*) AS urls, "
                "max(lastmod) AS latest FROM entries GROUP BY ALL ORDER BY urls DESC'",
            ),
        ]
    good += [
        step(
            "Read a sitemap index with the files it lists: XML, gzip, text, RSS.",
            "read examples/site/sitemap.xml",
        ),
        step(
            "The same as data: one JSON object per line, here for one section.",
            "read examples/site/sitemap.xml --include /blog/ --format jsonl",
        ),
        step(
            "Check a broken sitemap. Exit code 1 means that there are errors.",
            "check examples/site/broken.xml",
            expected=1,
        ),
        step(
            "Show the safe fixes; nothing is written.",
            "check examples/site/broken.xml --fix --diff --select X,S",
            expected=1,
        ),
    ]
    good += build_garden()
    good += announce_changes()
    good += audit_box()
    print(f"\nThe result is in {RESULT}:")
    for path in sorted((RESULT / "maps").iterdir()):
        print(f"  {path.name:<20} {path.stat().st_size:>8,} bytes")
    return 0 if all(good) else 1


def audit_box() -> Iterator[bool]:
    """Audit a site of 437 pages with planted faults, and write the report."""
    report = RESULT / "report.html"
    with Box() as box:
        yield step(
            "Audit a site with planted faults: visit what its sitemaps list, follow its links.",
            f"audit {box.origin('shop')} --crawl --confirm-after 0 --max-examples 1 "
            f"--report {shown(report)}",
            expected=1,
        )
    yield report.exists()
    print(f"\nOpen the report in a browser: {report}")


def build_garden() -> Iterator[bool]:
    """Build the sitemaps of a folder of HTML, change a page, and build them again."""
    shutil.copytree(GARDEN, RESULT / "public")
    print(f"\n$ cp -r examples/garden {shown(RESULT)}/public; cd {shown(RESULT)}")
    yield step(
        "Build the sitemaps of a site of 13 pages, with at most four URLs in a file.",
        BUILD,
        where=RESULT,
    )
    before = contents()
    shutil.copytree(RESULT / "maps", RESULT / "maps-before")
    about = RESULT / "public" / "about.html"
    old, new = "24 a year", "26 a year"
    text = about.read_text(encoding="utf-8")
    yield old in text
    print("\n$ cp -r maps maps-before")
    print("\n# One page changes.")
    print(f"$ sed -i 's/{old}/{new}/' public/about.html")
    about.write_text(text.replace(old, new), encoding="utf-8")
    time.sleep(1)  # dates have a precision of one second: the index gets another date
    yield step(
        "Build again: one sitemap is written, and the index.",
        f"{BUILD} --changes changes.jsonl",
        where=RESULT,
    )
    after = contents()
    for name, data in after.items():
        print(f"  {name:<16} {'unchanged' if data == before.get(name) else 'written again'}")
    changed = [name for name in after if after[name] != before.get(name)]
    yield len(changed) == 2 and changed[-1] == "sitemap.xml"
    yield step(
        "Compare the two builds: which URLs changed?",
        "diff maps-before/ maps/",
        where=RESULT,
    )
    yield step(
        "Why is that page listed, and where does its date come from?",
        f"{BUILD} --why /about.html",
        where=RESULT,
    )
    yield step("Read them back, and check them.", "read maps/sitemap.xml --tree", where=RESULT)
    yield step(
        "No errors; one page has no date.",
        "check maps/ --base-url https://example.com/",
        where=RESULT,
    )


def announce_changes() -> Iterator[bool]:
    """Announce what the second build changed to an engine on this machine, twice."""
    received: list[object] = []

    class Engine(Handler):
        """Receive submissions of IndexNow."""

        def do_POST(self) -> None:
            """Answer 200."""
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    print("\n$ urlset submit --new-key public/")
    print(f"$ export URLSET_INDEXNOW_KEY={KEY}")
    with served(Engine) as engine:
        command = f"submit changes.jsonl --endpoint {engine}/indexnow --no-preflight"
        yield step("Announce exactly what changed, here to a fake engine.", command, where=RESULT)
        yield step("Once more: nothing is new, and nothing is sent.", command, where=RESULT)
    print(f"\nThe engine received: {json.dumps(received)}")
    yield received == [
        {"host": "example.com", "key": KEY, "urlList": ["https://example.com/about.html"]}
    ]


def contents() -> dict[str, bytes]:
    """Return the published sitemaps by name."""
    return {path.name: path.read_bytes() for path in sorted((RESULT / "maps").iterdir())}


def shown(path: Path) -> str:
    """Return a path as a person would type it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


@contextmanager
def served(handler: type[BaseHTTPRequestHandler] | None = None) -> Iterator[str]:
    """Serve the example site, or a handler, on a free port of this machine; yield its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler or Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Serve the files of the site, with an index that lists their URLs on this machine."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a file, or with 404."""
        names = {f"/{path.relative_to(SITE).as_posix()}": path for path in SITE.rglob("*.*")}
        body, status = b"Not here.", 404
        if self.path == "/robots.txt":
            body, status = b"User-agent: *\nAllow: /\n\nSitemap: /sitemap.xml\n", 200
        elif self.path in names:
            here = f"http://{self.headers['host']}".encode()
            body, status = names[self.path].read_bytes(), 200
            if self.path == "/sitemap.xml":
                body = body.replace(b"https://www.example.com", here)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing, so that only the output of the command is shown."""


def step(what: str, arguments: str, *, expected: int = 0, where: Path = ROOT) -> bool:
    """Show a command, run it, and return whether it has the expected exit code."""
    comment = textwrap.fill(what, 78, initial_indent="# ", subsequent_indent="# ")
    print(f"\n{comment}\n{typed(arguments)}", flush=True)
    command = [sys.executable, "-P", "-m", "urlset", *shlex.split(arguments)]
    code = subprocess.run(command, cwd=where, check=False, env=ENVIRONMENT).returncode
    if code != expected:
        print(f"demo: expected exit code {expected}, found {code}", file=sys.stderr)
    return code == expected


def typed(arguments: str) -> str:
    """Return a command as it would be typed into a terminal of 80 columns."""
    lines = textwrap.wrap(f"$ urlset {arguments}", 72, break_on_hyphens=False)
    text = lines[0]
    for line in lines[1:]:
        # Within quotes a line may simply end.
        text += ("" if text.count("'") % 2 else " \\") + f"\n      {line}"
    return text


if __name__ == "__main__":
    sys.exit(main())
