"""The documents after the one that the caller uses are parsed in threads; nothing else changes."""

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import urlset
from tests.http_walks import quick
from tests.reader.test_order import Shuffled
from tests.site_box import SiteBox, index_of, page, slow, urlset_of
from urlset import Document
from urlset.engine import available
from urlset.errors import SourceError
from urlset.http import Request, Response, Walk, drive_in_thread
from urlset.reader import document_walk, parse_ahead, site_walk
from urlset.reader.discovery import Discovery
from urlset.reader.files import FileSystemSource
from urlset.reader.parse_ahead import MAX_BYTES, MIN_BYTES, ParseAhead
from urlset.reader.site_walk import SiteWalk

native = pytest.mark.skipif("native" not in available(), reason="the native engine is not built")


@pytest.fixture(autouse=True)
def small_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count documents of any size as large, and two processors."""
    monkeypatch.setattr(parse_ahead, "MIN_BYTES", 1)
    monkeypatch.setattr(parse_ahead, "_threads", lambda _: 2)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("urlset-parse")]


def make_folder(folder: Path, count: int) -> None:
    names = [f"https://e.com/{number:02}.xml" for number in range(count)]
    (folder / "index.xml").write_bytes(index_of([*names[:6], "https://e.com/gone.xml", *names[6:]]))
    for number, name in enumerate(names):
        (folder / f"{number:02}.xml").write_bytes(urlset_of(name, number % 3))


@pytest.fixture
def parsers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that parsed a document."""
    found = []
    for module in (document_walk, site_walk):

        def parse(*arguments, _parse=module.parse_document, **options):
            found.append(threading.current_thread().name)
            return _parse(*arguments, **options)

        monkeypatch.setattr(module, "parse_document", parse)
    return found


@pytest.mark.parametrize("has_index", [True, False])
def test_a_folder_gives_the_same_with_and_without_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsers: list[str], has_index: bool
):
    make_folder(tmp_path, 40)
    if not has_index:
        (tmp_path / "index.xml").unlink()
    source = urlset.read(tmp_path, base_url="https://e.com/")

    ahead = ([tuple(entry) for entry in source], [record[:8] for record in source.documents])
    in_threads = sum(name.startswith("urlset-parse") for name in parsers)
    expect(lambda: not threads())
    monkeypatch.setattr(parse_ahead, "_threads", lambda _: 0)
    alone = ([tuple(entry) for entry in source], [record[:8] for record in source.documents])

    assert ahead == alone
    assert len(ahead[0]) == 39
    assert in_threads
    assert len(parsers) == 2 * (40 + has_index)  # each document once in each reading


def test_a_child_that_cannot_be_read_is_reported_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    make_folder(tmp_path, 9)
    from urlset.reader import files

    def load(path: str, max_bytes: int, *, _load=files.load_file):
        if path.endswith("05.xml"):
            raise SourceError("no luck")
        return _load(path, max_bytes)

    monkeypatch.setattr(files, "load_file", load)

    source = urlset.read(tmp_path)
    list(source)

    names = [Path(record.source or "").name for record in source.documents]
    assert names == [
        *("index.xml", "00.xml", "01.xml", "02.xml", "03.xml", "04.xml", "05.xml"),
        *("gone.xml", "06.xml", "07.xml", "08.xml"),
    ]
    assert [r.error for r in source.documents if "05.xml" in (r.source or "")] == ["no luck"]


def test_a_reading_that_ends_early_ends_the_threads(tmp_path: Path):
    make_folder(tmp_path, 30)

    with contextlib.closing(urlset.read(tmp_path).visits()) as visits:
        for _ in range(4):
            next(visits)
        running = threads()

    assert running
    expect(lambda: not threads())


class Early(Shuffled):
    """A network whose responses the walk may also take while it yields results."""

    taken = 0

    def drive(
        self, walk: SiteWalk
    ) -> Iterator[tuple[str | None, str | None, str | None, str | None]]:
        waiting: list[Request] = []

        def fill() -> None:
            while len(waiting) < self._random.randint(1, 40) and (request := walk.next_request()):
                waiting.append(request)

        def respond() -> Response:
            request = waiting.pop(self._random.randrange(len(waiting)))
            body = self._documents.get(request.url)
            status = 404 if body is None else 200
            return Response(request, request.url, status=status, body=body or b"")

        held: Response | None = None
        while True:
            fill()
            if held is None and not waiting:
                return
            response, held = held or respond(), None
            for record, _ in walk.handle(response):
                while held is None and waiting and self._random.random() < 0.8:
                    response = respond()
                    if walk.take_early(response):
                        self.taken += 1
                        fill()
                    else:
                        held = response
                yield record.source, record.how, record.declared_by, record.error


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ordered", [True, False])
def test_a_site_gives_the_same_if_responses_are_taken_early(seed: int, ordered: bool):
    maker = random.Random(1)
    documents = {}
    names = [f"https://{host}.example/{n}.xml" for n in range(60) for host in "abc"]
    for number, name in enumerate(names):
        if number < 40:
            documents[name] = index_of([*maker.sample(names, 9), "https://a.example/gone.xml"])
        elif number % 7:
            documents[name] = urlset_of(name, 1)
    documents["https://a.example/robots.txt"] = b"Sitemap: https://a.example/1.xml\n"

    def walk(network: Shuffled):
        site = SiteWalk(Discovery("https://a.example/"), robots=True, ordered=ordered)
        with contextlib.closing(site):
            return list(network.drive(site))

    early = Early(documents, seed)

    expected, found = walk(Shuffled(documents, 1_000)), walk(early)

    assert early.taken > 10
    expect(lambda: not threads())
    if ordered:
        assert found == expected
    else:
        assert {source for source, *_ in found} == {source for source, *_ in expected}


def test_documents_of_a_site_are_parsed_while_the_caller_uses_one(box: SiteBox, parsers: list[str]):
    children = [f"/{number}.xml" for number in range(12)]
    box.put_index("/s.xml", children)
    for child in children:
        box.put_urlset(child, 2)
    locs = []

    for entry in urlset.read(box.url("/s.xml"), policy=quick()):
        locs.append(entry.loc)
        time.sleep(0.02)  # others arrive meanwhile

    assert locs == [f"{box.url(child)}/{n}" for child in children for n in (0, 1)]
    assert len(parsers) == 13
    assert any(name.startswith("urlset-parse") for name in parsers)
    expect(lambda: not threads())


def test_requests_are_sent_while_the_caller_uses_a_document(box: SiteBox):
    children = [f"/{number}.xml" for number in range(100)]
    box.put_index("/s.xml", children)
    for child in children:
        box.put_urlset(child, 1)
    walk = SiteWalk([box.url("/s.xml")], ordered=True)

    with contextlib.closing(walk), contextlib.closing(drive_in_thread(walk, quick())) as visits:
        names = [next(visits).record.source for _ in range(4)]
        before = len(box.paths)
        next(visits)
        expect(lambda: len(box.paths) > before)

    assert names == [box.url(path) for path in ("/s.xml", *children[:3])]


def test_a_walk_does_not_guess_before_it_has_read_what_it_took(box: SiteBox):
    box.put_robots("Sitemap: /page.xml", "Sitemap: /b.xml")
    box.put("/page.xml", "<html><p>Not found")
    box.play("/b.xml", slow(0.05, page(urlset_of(box.url("/b.xml"), 1))))
    walk = SiteWalk(Discovery(box.site), ordered=True)

    with contextlib.closing(walk):
        for _ in drive_in_thread(walk, quick()):
            time.sleep(0.3)  # the second one arrives meanwhile

    assert set(box.paths) == {"/robots.txt", "/", "/page.xml", "/b.xml"}


def test_responses_are_reported_once_and_in_order(box: SiteBox):
    children = [f"/{number}.xml" for number in range(9)]
    box.put_index("/s.xml", children)
    for child in children:
        box.put_urlset(child, 1)
    seen: list[str] = []

    entries = urlset.read(box.url("/s.xml"), policy=quick(concurrency=1))
    for _ in entries.visits(lambda response: seen.append(response.request.url)):
        time.sleep(0.01)

    sitemaps = [url for url in seen if url.endswith(".xml")]
    assert sitemaps == [box.url(path) for path in ("/s.xml", *children)]


def test_a_large_document_is_followed_by_as_many_as_fit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parse_ahead, "MIN_BYTES", MIN_BYTES)
    text = b"<urlset><url><loc>https://e.com/</loc></url></urlset>"
    ahead = ParseAhead()
    limits = []

    for size in (MIN_BYTES - 1, MIN_BYTES, MAX_BYTES // 2, MAX_BYTES, 10 * MAX_BYTES, 100):
        document = urlset.parse(text)
        document.size = size
        ahead.observe(document)
        limits.append(ahead.limit)

    assert limits == [0, 2, 2, 1, 1, 0]


def test_what_is_not_taken_is_dropped():
    ahead = ParseAhead()
    ahead.observe(urlset.parse(b"<urlset/>"))
    is_free = threading.Event()

    def parse(name: str) -> Document:
        is_free.wait(60)
        return urlset.parse(b"<urlset/>", source=name)

    ahead.start({name: partial(parse, name) for name in "abc"})
    ahead.start({name: partial(parse, name) for name in "bcd"})
    is_free.set()
    with contextlib.closing(ahead):
        found = [document and document.source for document in map(ahead.take, "abcd")]

    assert found[0] is None
    assert found[1] == "b"
    assert found[3] is None  # only two at once
    expect(lambda: not threads())


def test_without_more_threads_the_caller_parses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    make_folder(tmp_path, 9)

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)

    assert len(list(urlset.read(tmp_path))) == 9


@pytest.mark.parametrize(
    ("engine", "processors", "expected"),
    [
        pytest.param("native", 8, 4, marks=native),
        pytest.param("native", 2, 2, marks=native),
        pytest.param("native", 1, 0, marks=native),
        ("reference", 8, 0),
    ],
)
def test_threads_need_processors_and_an_engine_that_shares_them(
    monkeypatch: pytest.MonkeyPatch, engine: str, processors: int, expected: int
):
    monkeypatch.undo()
    monkeypatch.setattr("os.cpu_count", lambda: processors)

    assert parse_ahead._threads(engine) == expected


def test_a_walk_that_takes_nothing_early_is_driven_as_before(box: SiteBox):
    class Plain:
        def __init__(self, walk: Walk[object]):
            self.next_request = walk.next_request
            self.handle = walk.handle

    box.put_index("/s.xml", ["/a.xml", "/b.xml"])
    box.put_urlset("/a.xml", 1)
    box.put_urlset("/b.xml", 1)
    walk = SiteWalk([box.url("/s.xml")], ordered=True)

    with contextlib.closing(walk):
        assert len(list(drive_in_thread(Plain(walk), quick()))) == 3


def expect(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition does not hold"
        time.sleep(0.005)


def test_a_file_at_two_urls_is_parsed_with_each(tmp_path: Path):
    relative = b"<urlset><url><loc>/a</loc></url></urlset>"
    locs = ["https://e.com/s0.xml", "https://a.example/s1.xml", "https://b.example/s1.xml"]
    (tmp_path / "index.xml").write_bytes(index_of(locs))
    (tmp_path / "s0.xml").write_bytes(urlset_of("https://e.com/0", 1))
    (tmp_path / "s1.xml").write_bytes(relative)

    entries = [entry.loc for entry in urlset.read(tmp_path / "index.xml")]

    assert entries[1:] == ["https://a.example/a"]  # and the same file is read once


def test_a_file_of_the_folder_is_parsed_with_the_url_in_the_index(tmp_path: Path):
    (tmp_path / "a.xml").write_bytes(index_of(["https://e.com/big.xml"]))
    (tmp_path / "b.xml").write_bytes(index_of(["https://e.com/s1.xml", "https://e.com/s2.xml"]))
    (tmp_path / "big.xml").write_bytes(urlset_of("https://e.com/0", 1))
    for number in (1, 2):
        text = f"<urlset><url><loc>/{number}</loc></url></urlset>"
        (tmp_path / f"s{number}.xml").write_text(text)

    found = [entry.loc for entry in urlset.read(tmp_path)]

    assert found == ["https://e.com/0/0", "https://e.com/1", "https://e.com/2"]


def test_leaving_the_loop_does_not_wait_for_documents_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    make_folder(tmp_path, 9)
    is_free = threading.Event()
    from urlset.reader import files

    def load(path: str, max_bytes: int, *, _load=files.load_file):
        if path.endswith(("04.xml", "05.xml")):
            is_free.wait(60)
        return _load(path, max_bytes)

    monkeypatch.setattr(files, "load_file", load)
    with contextlib.closing(urlset.read(tmp_path).visits()) as visits:
        for _ in range(5):
            visit = next(visits)
    began = threads()
    is_free.set()

    assert Path(visit.record.source or "").name == "03.xml"
    assert began
    expect(lambda: not threads())


def test_children_are_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make_folder(tmp_path, 20)
    missing = [f"https://e.com/no/{number}.xml" for number in range(200)]
    there = [f"https://e.com/{number:02}.xml" for number in range(20)]
    (tmp_path / "index.xml").write_bytes(index_of([*there[:10], *missing, *there[10:]]))
    looked_up: list[str] = []

    def child(self, loc, above, /, *, _child=FileSystemSource.child):
        looked_up.append(loc)
        return _child(self, loc, above)

    monkeypatch.setattr(FileSystemSource, "child", child)
    source = urlset.read(tmp_path / "index.xml")

    assert len(list(source)) == 19
    assert sorted(looked_up) == sorted([*there, *missing])
