"""A site of 500 documents with every fault there is, at random: no entry is lost in silence.

Three such sites are played, in `make soak` a hundred.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter

import pytest

from tests import site_box
from tests.amounts import amount
from tests.http_walks import quick
from tests.site_box import Player, SiteBox, gz, index_of, page, redirect, urlset_of
from urlset.http import drive_in_thread
from urlset.reader import DocumentRecord
from urlset.reader.discovery import Discovery
from urlset.reader.site_walk import SiteWalk

DOCUMENTS = 500
SEEDS = amount(3, 100)


def faults(box: SiteBox, path: str, body: bytes, chance: random.Random) -> dict[str, Player]:
    """Every way to serve a document; in those of BAD, a part of it never arrives."""
    at = chance.randrange(len(body))
    packed = gz(body)
    honest = page(body)
    there = f"/there{path}"
    box.play(there, honest)
    box.play(f"/round{path}", redirect(path))
    turn = site_box.in_turn
    return {
        "honest": honest,
        "gzip": page(packed, kind="application/gzip"),
        "gzip-twice": page(gz(packed)),
        "encoded": page(packed, content_encoding="gzip"),
        "encoded-in-chunks": site_box.chunked(
            packed, chance.randrange(1, 99), content_encoding="gzip"
        ),
        "deflated": page(zlib.compress(body), content_encoding="deflate"),
        "claims-to-be-encoded": page(body, content_encoding="gzip"),
        "chunks": site_box.chunked(body, chance.randrange(1, 200)),
        "until-close": site_box.until_close(body),
        "wrong-type": page(body, kind=chance.choice(["text/html", "image/png", ""])),
        "redirect": redirect(there),
        "slow": site_box.slow(0.05, honest),
        "500-then-right": turn(page(b"oops", 500), honest),
        "429-then-right": turn(page(b"", 429, retry_after="0"), honest),
        "reset-then-right": turn(site_box.reset, honest),
        "hang-up-then-right": turn(site_box.hang_up, honest),
        "cut-then-right": turn(site_box.cut(body, at), honest),
        "chunks-cut-then-right": turn(site_box.chunked(body, 50, cut_at=at), honest),
        "stalled-then-right": turn(site_box.stalled(body, at), honest),
        "gibberish-then-right": turn(site_box.gibberish, honest),
        "404": page(b"gone", 404),
        "500": page(b"oops", 500),
        "429": page(b"", 429),
        "reset": site_box.reset,
        "hang-up": site_box.hang_up,
        "gibberish": site_box.gibberish,
        "cut": site_box.cut(body, at),
        "chunks-cut": site_box.chunked(body, 50, cut_at=at),
        "cut-without-a-length": site_box.until_close(body[:at]),
        "length-too-short": site_box.claims(at, body),
        "length-too-long": site_box.claims(len(body) + 9, body),
        "stalled": site_box.stalled(body, at),
        "gzip-cut": page(packed[: len(packed) // 2]),
        "encoded-cut": page(packed[: len(packed) // 2], content_encoding="gzip"),
        "soft-404": page("<!doctype html><html><body>Sorry</body></html>", kind="text/html"),
        "empty": page(b""),
        "redirect-loop": redirect(f"/round{path}"),
        "redirect-elsewhere": redirect("file:///etc/passwd"),
        "endless": site_box.endless(body[:-9], b" " * 65_536),
        "brotli": page(body[::-1], content_encoding="br"),
    }


BAD = """404 500 429 reset hang-up gibberish cut chunks-cut cut-without-a-length length-too-short
length-too-long stalled gzip-cut encoded-cut soft-404 empty redirect-loop redirect-elsewhere endless
brotli""".split()


def play_site(box: SiteBox, seed: int) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Put a site with faults into the box; gives the entries and the fault of each document."""
    chance = random.Random(seed)
    entries: dict[str, list[str]] = {}
    played: dict[str, str] = {}
    indexes: list[str] = []
    for i in range(10):
        children = [f"/{i}-{n}.xml" for n in range(DOCUMENTS // 10)]
        indexes.append(f"/index-{i}.xml")
        # A few of the indexes fail, too, but pass: else what they list is not there to be counted.
        index = index_of(map(box.url, children))
        passing = site_box.in_turn(page(b"", 503), page(index))
        box.play(indexes[-1], chance.choice([passing, page(index), page(gz(index))]))
        for path in children:
            count = chance.randrange(1, 30)
            body = urlset_of(box.url(path), count)
            known = faults(box, path, body, chance)
            # Half of them are as they should be, more or less.
            good = [name for name in known if name not in BAD]
            played[path] = chance.choice(good if chance.random() < 0.5 else list(known))
            box.play(path, known[played[path]])
            entries[path] = [f"{box.url(path)}/{n}" for n in range(count)]
    box.put_robots(*[f"Sitemap: {path}" for path in indexes])
    return entries, played


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_entry_is_read_or_its_document_is_listed_as_failed(box: SiteBox, seed: int):
    entries, played = play_site(box, seed)
    walk = SiteWalk(Discovery(box.site), max_bytes=500_000)
    policy = quick(read_timeout_s=1.0, total_timeout_s=60.0, concurrency=32, per_host=32)

    locs: Counter[str] = Counter()
    records: dict[str, DocumentRecord] = {}
    for record, document in drive_in_thread(walk, policy):
        path = str(record.source).removeprefix(box.site)
        assert path not in records, f"{path} is told twice"
        records[path] = record
        if document is not None:
            locs.update(entry.loc for entry in document.entries)

    lost = {
        path: (played[path], records.get(path))
        for path, own in entries.items()
        if (path not in records or records[path].error is None) and any(not locs[x] for x in own)
    }
    assert not lost, f"seed {seed}: {lost}"
    assert len(records) == DOCUMENTS + 10
    # Nothing is invented and nothing comes twice.
    known = {loc for own in entries.values() for loc in own}
    assert not set(locs) - known, f"seed {seed}"
    assert max(locs.values()) == 1
    # What passes has passed, and what fails has failed.
    wrong = {
        path: (fault, records[path].error)
        for path, fault in played.items()
        if path in records and (fault not in BAD) != (records[path].error is None)
    }
    assert not wrong, f"seed {seed}: {wrong}"
    assert sum(r.entries for r in records.values()) == locs.total()
