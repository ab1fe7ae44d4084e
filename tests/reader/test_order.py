"""A site is read in the order of its sitemaps, whatever arrives first, and is fetched once."""

import asyncio
import contextlib
import random
import subprocess
import sys
import tracemalloc
import weakref
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from threading import Event

import pytest

import urlset
from tests import site_box
from tests.http_walks import quick
from tests.site_box import SiteBox, held, index_of, page, redirect, slow, urlset_of
from urlset.engine import available
from urlset.errors import SourceError
from urlset.http import Request, Response, response_cache
from urlset.http.response_cache import ResponseCache, ResponseStore
from urlset.reader import document_queue
from urlset.reader.discovery import Discovery
from urlset.reader.site_walk import SiteWalk


def read(url: str, **options):
    return urlset.read(url, **({"policy": quick(concurrency=8, per_host=8)} | options))


def nested_site(box: SiteBox) -> list[str]:
    """Indexes in indexes, of which the first documents come last; the paths in their order."""
    box.put_robots("Sitemap: /i.xml", "Sitemap: /last.xml")
    box.put("/", '<link rel="sitemap" href="/home.xml"><link rel="sitemap" href="/b.xml">')
    box.play(
        "/i.xml", slow(0.15, page(index_of(box.url(p) for p in ("/j.xml", "/b.xml", "/k.xml"))))
    )
    box.play(
        "/j.xml", slow(0.1, page(index_of(box.url(p) for p in ("/a.xml", "/gone.xml", "/a2.xml"))))
    )
    box.put_index("/k.xml", ["/c.xml", "/to-a.xml"])
    box.play("/a.xml", slow(0.2, page(urlset_of(box.url("/a.xml"), 2))))
    box.play("/to-a.xml", redirect("/a.xml"))
    for path in ("/a2.xml", "/b.xml", "/c.xml", "/last.xml", "/home.xml"):
        box.put_urlset(path, 2)
    return "/i.xml /j.xml /a.xml /gone.xml /a2.xml /k.xml /c.xml /to-a.xml /last.xml".split()


def test_site_is_read_in_the_order_of_its_indexes(box: SiteBox):
    expected = nested_site(box)

    entries = read(box.site)
    locs = [entry.loc.removeprefix(box.site) for entry in entries]

    found = [str(record.source).removeprefix(box.site) for record in entries.documents]
    # The home page lists /b.xml, too, so that it comes with what that lists.
    assert found == [*expected, "/home.xml", "/b.xml"]
    assert locs == [f"/{name}.xml/{n}" for name in "a a2 c last home b".split() for n in (0, 1)]
    assert [r.same_as for r in entries.documents if r.same_as] == [box.url("/a.xml")]


class Shuffled:
    """Takes the requests of a walk and answers them in a random order, as a network does."""

    def __init__(self, documents: dict[str, bytes], seed: int):
        self._documents = documents
        self._random = random.Random(seed)

    def drive(
        self, walk: SiteWalk
    ) -> Iterator[tuple[str | None, str | None, str | None, str | None]]:
        waiting: list[Request] = []
        while True:
            while len(waiting) < self._random.randint(1, 40) and (request := walk.next_request()):
                waiting.append(request)
            if not waiting:
                return
            request = waiting.pop(self._random.randrange(len(waiting)))
            body = self._documents.get(request.url)
            status = 404 if body is None else 200
            response = Response(request, request.url, status=status, body=body or b"")
            for record, _ in walk.handle(response):
                yield record.source, record.how, record.declared_by, record.error


@pytest.mark.parametrize("seed", range(12))
def test_order_does_not_depend_on_which_response_comes_first(seed: int):
    maker = random.Random(1)
    documents = {}
    names = [f"https://{host}.example/{n}.xml" for n in range(60) for host in "abc"]
    for number, name in enumerate(names):
        if number < 40:
            listed = maker.sample(names, 9)
            documents[name] = index_of([*listed, "https://a.example/gone.xml"])
        elif number % 7:
            documents[name] = urlset_of(name, 1)
    for host in "abc":
        lines = [f"Sitemap: {name}" for name in maker.sample(names, 5)]
        documents[f"https://{host}.example/robots.txt"] = "\n".join(lines).encode()
    documents["https://a.example/"] = b'<link rel="sitemap" href="/1.xml">'

    def walk(order: int):
        made = SiteWalk(
            Discovery("https://a.example/"), robots=True, ordered=True, max_documents=150
        )
        with contextlib.closing(made):
            return list(Shuffled(documents, order).drive(made))

    first, again = walk(1_000), walk(seed)

    assert len(first) > 100
    assert again == first


def test_three_runs_of_the_command_give_the_same_bytes(box: SiteBox, tmp_path: Path):
    nested_site(box)
    outputs = []
    for number in range(3):
        path = tmp_path / f"{number}.jsonl"
        code = "from urlset.cli import main; main()"
        subprocess.run(
            [sys.executable, "-c", code, "read", box.site, "-o", path],
            check=False,
            capture_output=True,
            timeout=60,
        )
        outputs.append(path.read_bytes())

    assert outputs[0].count(b"\n") == 12
    assert outputs[0] == outputs[1] == outputs[2]


def test_without_order_what_comes_first_is_given_first(box: SiteBox):
    is_free = Event()
    box.put_index("/s.xml", ["/slow.xml", "/quick.xml"])
    box.play("/slow.xml", held(is_free, page(urlset_of(box.url("/slow.xml"), 1))))
    box.put_urlset("/quick.xml", 1)

    unordered = []
    for entry in read(box.url("/s.xml"), ordered=False):
        unordered.append(entry.loc)
        is_free.set()
    ordered = [entry.loc for entry in read(box.url("/s.xml"))]

    assert ordered == [box.url("/slow.xml/0"), box.url("/quick.xml/0")]
    assert unordered == ordered[::-1]


def test_memory_is_bounded_while_the_first_child_is_waited_for(box: SiteBox, monkeypatch):
    """Sixty documents of a megabyte wait on the disk for one that is slow."""
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 1 << 20)
    big = urlset_of(box.url("/" + "x" * 900), 1_000)
    box.put_index("/s.xml", ["/slow.xml", *(f"/{n}.xml" for n in range(100))])
    box.otherwise = page(big)
    box.play("/slow.xml", slow(0.4, page(urlset_of("http://e.com", 1))))

    tracemalloc.start()
    try:
        visits = read(box.url("/s.xml"), keep=False).visits()
        records = [record.source for record, _ in visits]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert records[1:4] == [box.url(path) for path in ("/slow.xml", "/0.xml", "/1.xml")]
    assert len(records) == 102
    # The reference engine needs more for the one document that it parses; a hundred would be 95 MB.
    assert peak < (30 if "native" in available() else 60) * len(big)


def test_no_more_is_fetched_ahead_than_may_wait(box: SiteBox):
    box.put_index("/s.xml", ["/slow.xml", *(f"/{n}.xml" for n in range(400))])
    box.otherwise = page(urlset_of("http://e.com", 1))
    box.play("/slow.xml", site_box.silent)

    with contextlib.closing(
        iter(read(box.url("/s.xml"), policy=quick(read_timeout_s=1.0)))
    ) as entries:
        next(entries)
        before = len(box.paths)

    assert before <= 2 + 2 * document_queue.MAX_AHEAD


def test_full_disk_is_reported(box: SiteBox, monkeypatch):
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    nested_site(box)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ResponseStore, "_write", full)

    with pytest.raises(SourceError, match="No space left on device; free disk space there"):
        list(read(box.site))
    assert len(list(read(box.site, ordered=False))) == 12


# Used twice.


def test_entries_used_twice_are_fetched_once(box: SiteBox):
    nested_site(box)
    entries = read(box.site)

    first = list(entries)
    count = len(box.hits)
    again = list(entries)
    frame = entries.__arrow_c_stream__

    assert again == first
    assert frame() is not None
    assert len(box.hits) == count
    assert [r.same_as for r in entries.documents if r.same_as] == [box.url("/a.xml")]


def test_findings_used_twice_are_fetched_once(box: SiteBox):
    nested_site(box)
    findings = urlset.check(box.site, policy=quick())

    first = list(findings)
    count = len(box.hits)

    assert first
    assert list(findings) == first
    assert len(box.hits) == count


def test_entries_used_in_a_loop_and_outside_of_it_are_fetched_once(box: SiteBox):
    nested_site(box)
    entries = read(box.site)

    async def collect():
        return [entry async for entry in entries]

    first = asyncio.run(collect())
    count = len(box.hits)

    assert list(entries) == first == asyncio.run(collect())
    assert len(box.hits) == count


def test_second_use_goes_on_where_the_first_was_left(box: SiteBox):
    box.put_index("/s.xml", [f"/{n}.xml" for n in range(200)])
    box.otherwise = page(urlset_of("http://e.com", 1))
    entries = read(box.url("/s.xml"))
    for _ in entries:
        break

    assert len(list(entries)) == 200
    assert box.paths.count("/s.xml") == 1
    assert box.paths.count("/0.xml") == 1


def test_what_failed_and_may_pass_is_fetched_again(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml", "/gone.xml", "/busy.xml"])
    box.put_urlset("/a.xml", 1)
    box.play("/busy.xml", site_box.in_turn(page(b"", 503), page(urlset_of("http://e.com", 1))))
    entries = read(box.url("/s.xml"), policy=quick(retries=0))

    assert len(list(entries)) == 1
    assert len(list(entries)) == 2
    assert [box.paths.count(p) for p in ("/s.xml", "/a.xml", "/gone.xml", "/busy.xml")] == [
        1,
        1,
        1,
        2,
    ]


def test_site_too_large_to_be_kept_is_not_fetched_twice_in_silence(box: SiteBox, monkeypatch):
    monkeypatch.setattr(response_cache.ResponseCache.__init__, "__defaults__", (1_000,))
    nested_site(box)
    entries = read(box.site)
    assert len(list(entries)) == 12
    count = len(box.hits)

    with pytest.raises(SourceError, match="too large to cache: expected one pass"):
        list(entries)
    assert len(box.hits) == count


def test_site_that_is_not_to_be_kept(box: SiteBox):
    nested_site(box)
    entries = read(box.site, keep=False)
    assert len(list(entries)) == 12

    with pytest.raises(SourceError, match=r"already read, with keep=False.*call urlset\.read\(\)"):
        list(entries)


def test_kept_responses_are_on_the_disk_and_go_with_their_entries(
    box: SiteBox, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    nested_site(box)
    entries = read(box.site)
    list(entries)

    assert len(list(tmp_path.rglob("[0-9]*"))) == 1
    gone = weakref.ref(entries)
    del entries
    assert gone() is None
    assert list(tmp_path.iterdir()) == []


def test_response_store_packs_what_is_not_packed(monkeypatch):
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 10)
    store = ResponseStore(1_000)
    bodies = [b"", b"small", b"a" * 50_000, site_box.gz(b"b" * 100)]

    for number, body in enumerate(bodies):
        store.put(number, Response(Request("http://e.com"), "http://e.com", body=body))

    assert [store.get(number).body for number in range(4)] == bodies
    assert store.size < 500
    assert [store.pop(number).body for number in range(4)] == bodies
    assert (store.size, len(store)) == (0, 0)
    store.put("much", Response(Request("http://e.com"), "", body=random.Random(1).randbytes(2_000)))
    assert store.is_full
    assert "much" not in store
    store.close()


def test_a_file_of_the_response_store_is_removed_with_its_last_body(monkeypatch, tmp_path):
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    monkeypatch.setattr(response_cache, "FILE_BYTES", 200)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bodies = {number: bytes([number]) * 100 for number in range(5)}

    with contextlib.closing(ResponseStore()) as store:
        for number, body in bodies.items():
            store.put(number, Response(Request("http://e.com"), "http://e.com", body=body))
        files = sorted(file.name for file in tmp_path.rglob("[0-9]*"))
        found = [store.pop(number).body for number in (1, 0, 4)]
        left = [file.name for file in tmp_path.rglob("[0-9]*")]
        store.put(4, Response(Request("http://e.com"), "http://e.com", body=b"again"))

        assert (files, left) == (["1", "2", "3"], ["2"])
        assert found == [bodies[1], bodies[0], bodies[4]]
        assert [store.get(number).body for number in (2, 3, 4)] == [bodies[2], bodies[3], b"again"]


def test_a_body_that_is_written_in_part_is_not_stored(monkeypatch):
    """On a full disk, a system writes what fits."""

    class FullDisk(FileIO):
        def write(self, data) -> int:
            return super().write(data[:3])

    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    monkeypatch.setattr(response_cache, "FileIO", FullDisk)
    with contextlib.closing(ResponseStore()) as store:
        with pytest.raises(OSError, match="No space left"):
            store.put(1, Response(Request("http://e.com"), "http://e.com", body=b"abcdef"))

        assert 1 not in store
        assert store.size == 0


def test_response_cache_on_a_full_disk_is_disabled(monkeypatch):
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    cache = ResponseCache()

    cache.put(Response(Request("http://e.com"), "http://e.com", 200, body=b"a"))

    assert cache.is_full
