"""Killed builds into a bucket: a crawler that follows the dates of the index misses nothing.

The bucket is an S3 server on loopback; ``SIGKILL`` comes before or after a request to write.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import urlset
from tests.amounts import amount
from tests.s3 import ask

BASE = "https://example.com/maps/"
SECTIONS = "abc"
VICTIM = """
import os, pathlib, signal, sys
import urlset
from urlset.object_store import ObjectStore

ledger, left, is_before = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "before"
put = ObjectStore.put

def put_or_die(*arguments):
    global left
    left -= 1
    if left == 0 and is_before:
        os.kill(os.getpid(), signal.SIGKILL)
    put(*arguments)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

ObjectStore.put = put_or_die
urlset.build(
    [{"loc": loc} for loc in sys.argv[4:]],
    "s3://shop/maps",
    base_url="https://example.com/maps/",
    ledger=ledger,
    sections=[f"{name}=/{name}/" for name in "abc"],
)
"""


class Bucket:
    """What the bucket serves, and a crawler that requests a sitemap if its date is another one."""

    def __init__(self, server: str):
        self._server = server
        self.dates: dict[str, str | None] = {}
        self.bodies: dict[str, bytes] = {}

    def get(self, name: str) -> bytes:
        return bytes(ask(f"{self._server}/shop/maps/{name}")[1])

    def listed(self) -> dict[str, str | None]:
        """Return the dates of the sitemaps in the index; raise if one of them is missing."""
        index = urlset.parse(self.get("sitemap.xml"))
        dates = {s.loc.removeprefix(BASE): s.lastmod_text for s in index.sitemaps}
        for name in dates:
            self.get(name)
        return dates

    def crawl(self) -> None:
        """Request the sitemaps whose dates have changed, as a crawler does."""
        for name, date in self.listed().items():
            if name not in self.dates or self.dates[name] != date:
                assert (date or "") > (self.dates.get(name) or ""), f"{name} goes back to {date}"
                self.bodies[name] = self.get(name)
            self.dates[name] = date


def locs(extra: dict[str, int]) -> list[str]:
    """Return three URLs of each section, and further ones."""
    return [f"/maps/{name}/{n}" for name in SECTIONS for n in range(3 + extra.get(name, 0))]


def publish(ledger: Path, urls: list[str], puts: int = 0, when: str = "before") -> int:
    """Build in a process that is killed at a request to write, if it makes so many."""
    time.sleep(1.1)  # dates have seconds
    command = [sys.executable, "-c", VICTIM, str(ledger), str(puts), when, *urls]
    return subprocess.run(command, check=False, capture_output=True).returncode


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(amount(3, 60)))
def test_no_change_is_hidden_by_the_date_of_a_killed_publication(
    seed: int, s3: str, s3_server: str, tmp_path: Path
):
    draw = random.Random(seed)
    ledger, bucket = tmp_path / "ledger.duckdb", Bucket(s3_server)
    assert publish(ledger, locs({})) == 0
    bucket.crawl()
    extra: dict[str, int] = {}
    for _ in range(2):
        for name in draw.sample(SECTIONS, draw.randint(1, 3)):
            extra[name] = extra.get(name, 0) + 1
        publish(ledger, locs(extra), draw.randint(1, 5), draw.choice(("before", "after")))
        bucket.listed()  # no sitemap of the index is missing
        if draw.random() < 0.5:
            bucket.crawl()

    assert publish(ledger, locs(extra)) == 0
    bucket.crawl()

    published = {name: bucket.get(name) for name in bucket.dates}
    assert bucket.bodies == published, "a sitemap changed, and its date did not"
    found = [entry.loc for body in published.values() for entry in urlset.parse(body).entries]
    assert sorted(found) == sorted(f"https://example.com{loc}" for loc in locs(extra))
