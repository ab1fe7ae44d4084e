"""Shows the main job: reads a site's sitemaps, checks broken ones, builds new ones, reads those.

Needs no network: the site that is read over HTTP is served on this machine. Every command is the
real one, shown as you would type it; the result lies in ``demo-output/`` afterwards, or in the
folder that is given as an argument.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
SITE = ROOT / "examples" / "site"
ENVIRONMENT = {**os.environ, "no_proxy": "127.0.0.1"}
RESULT = sys.argv[1] if len(sys.argv) > 1 else "demo-output"


def main() -> int:
    """Run the commands one after another; 1 where one does not end as it should."""
    shutil.rmtree(ROOT / "demo-output", ignore_errors=True)
    good: list[bool] = []
    with served() as site:
        good += [
            step(
                "Read a whole site over HTTP: robots.txt leads to its index, and that to the rest.",
                f"read {site} --format txt",
            ),
            step("How its sitemaps hang together.", f"read {site} --tree"),
            step(
                "What it has where, asked in SQL; --output site.duckdb keeps the tables.",
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
            "The same as data: one JSON object a line, here those of one section.",
            "read examples/site/sitemap.xml --match /blog/ --format jsonl",
        ),
        step(
            "Check a broken sitemap. Exit code 1 says that there are errors.",
            "check examples/site/broken.xml",
            expected=1,
        ),
        step(
            "What of it can be mended without an assumption, shown and not written.",
            "check examples/site/broken.xml --fix --diff --select X,S",
            expected=1,
        ),
        step(
            "Build a gzipped sitemap from a list of 2,500 URLs, split, with its index.",
            "build examples/site/urls.txt --base-url https://www.example.com/ "
            f"--gzip --max-urls 1000 --output {RESULT}",
        ),
        step(
            "Read it back: the index, its three files, and all 2,500 URLs.",
            f"read {RESULT}/sitemap.xml.gz --format txt --output {RESULT}/urls.txt",
        ),
        step(
            "And check it: no errors. A list of URLs knows no dates, which is a warning.",
            f"check {RESULT}/sitemap.xml.gz",
        ),
    ]
    print(f"\nThe result lies in {ROOT / RESULT}:")
    for path in sorted((ROOT / RESULT).iterdir()):
        print(f"  {path.name:<20} {path.stat().st_size:>8,} bytes")
    return 0 if all(good) else 1


@contextmanager
def served() -> Iterator[str]:
    """Serve the example site on a free port of this machine, and give its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Serves the files of the site, and lets its index name them where they are served."""

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
        """Say nothing: what the command says is what counts."""


def step(what: str, arguments: str, *, expected: int = 0) -> bool:
    """Show a command and run it; tell whether it ended with the exit code expected."""
    print(f"\n# {what}\n$ urlset {arguments}", flush=True)
    command = [sys.executable, "-m", "urlset", *shlex.split(arguments)]
    code = subprocess.run(command, cwd=ROOT, check=False, env=ENVIRONMENT).returncode
    if code != expected:
        print(f"demo: expected exit code {expected}, found {code}", file=sys.stderr)
    return code == expected


if __name__ == "__main__":
    sys.exit(main())
