"""Commands that are interrupted by Ctrl-C at a chosen moment, on a site on loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Literal, NamedTuple

from tests.live_sites import html
from tests.site_box import Hit, SiteBox, Wire, page, urlset_of

How = Literal["process", "group", "twice"]

HANGS_S = 90
"""Seconds after which a process counts as hanging; on an idle machine it ends in one."""

CONFIRM_AFTER_S = "15"
# The processes of pytest-xdist ignore SIGINT, and their children inherit that.
_RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from urlset.cli.app import run; sys.exit(run(sys.argv[1:]))"
)


class Ended(NamedTuple):
    """How a command ended: exit code as shells show it, stderr, and the requests of the server."""

    code: int
    stderr: str
    hits: int


class LinkedSite:
    """Site of numbered pages that link to each other, of which some are listed, and one fails."""

    def __init__(self, box: SiteBox, pages: int):
        self.pages = pages
        self.hits = 0
        self._changed = threading.Condition()
        self._filler = "".join(f"<p>Paragraph {n} of a page.</p>" for n in range(200))
        box.put("/sitemap.xml", urlset_of(box.site, min(pages, 50)))
        box.put_robots("User-agent: *", "Allow: /", f"Sitemap: {box.url('/sitemap.xml')}")
        box.otherwise = self._play

    async def _play(self, hit: Hit, wire: Wire) -> bool:
        with self._changed:
            self.hits += 1
            self._changed.notify_all()
        name = hit.path.strip("/")
        if name and not name.isdigit():
            return await page(b"no", 404)(hit, wire)
        number = int(name or 0)
        if number == 7:
            return await page(b"later", 503)(hit, wire)
        links = [f"/{(number * 7 + n) % self.pages}" for n in range(1, 30)]
        text = html(name or "home", *links, body=self._filler)
        return await page(text, kind="text/html")(hit, wire)

    def wait_for(self, hits: int, process: subprocess.Popen[bytes]) -> None:
        """Wait for a number of requests, or until no further one arrives for a while."""
        with self._changed:
            while self.hits < hits and process.poll() is None:
                before = self.hits
                self._changed.wait(4)
                if before and self.hits == before:  # the pause before second visits
                    return


def interrupted(
    verb: str,
    box: SiteBox,
    site: LinkedSite,
    folder: Path,
    *,
    at: int,
    how: How,
    gap_s: float = 0,
    options: tuple[str, ...] = (),
) -> Ended:
    """Run a command, interrupt it after ``at`` requests for pages, and return how it ended."""
    store = str(folder / "site.duckdb")
    arguments = {
        "audit": ["--crawl", "--store", store, "--confirm-after", CONFIRM_AFTER_S],
        "crawl": ["--store", store, "--confirm-after", CONFIRM_AFTER_S],
        "watch": ["--store", store],
        "sync": ["--store", store],
    }
    site.hits = 0
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, verb, box.site, *arguments[verb], *options, "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    site.wait_for(at, process)
    send = os.kill if how == "process" else os.killpg
    if process.poll() is None:
        send(process.pid, signal.SIGINT)
    if how == "twice":
        time.sleep(gap_s)
        if process.poll() is None:
            send(process.pid, signal.SIGINT)
    try:
        _, stderr = process.communicate(timeout=HANGS_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise AssertionError(f"{verb} hangs after {at} requests ({how})") from None
    code = process.returncode
    if how == "twice" and code == -signal.SIGINT:  # the second one, after the command had ended
        code = 128 + signal.SIGINT
    return Ended(code, stderr.decode(errors="replace"), site.hits)
