"""The parameter `progress` of `urlset.read`: called for each document while it is read."""

import asyncio
import pickle

import pytest

import urlset
from tests.http_walks import quick
from urlset.model import ProgressEvent

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urls(name: str, count: int) -> str:
    rows = "".join(f"<url><loc>https://e.com/{name}/{n}</loc></url>" for n in range(count))
    return f"<urlset {NS}>{rows}</urlset>"


@pytest.fixture
def site(tmp_path):
    """An index of two sitemaps and a missing one."""
    names = ("a.xml", "b.xml", "lost.xml")
    rows = "".join(f"<sitemap><loc>https://e.com/{name}</loc></sitemap>" for name in names)
    (tmp_path / "index.xml").write_text(f"<sitemapindex {NS}>{rows}</sitemapindex>")
    (tmp_path / "a.xml").write_text(urls("a", 3))
    (tmp_path / "b.xml").write_text(urls("b", 2))
    return tmp_path / "index.xml"


def numbers(events: list[ProgressEvent]) -> list[tuple[int, int]]:
    return [(event.documents, event.urls) for event in events]


ALL = [(1, 0), (2, 3), (3, 5), (4, 5)]


def test_called_for_each_document_while_it_is_read(site):
    events: list[ProgressEvent] = []
    entries = urlset.read(site, progress=events.append)
    assert events == []

    seen = [(entry.loc, len(events)) for entry in entries]

    assert numbers(events) == ALL
    assert [count for _, count in seen] == [2, 2, 2, 3, 3], "before the entries of the document"
    assert [str(event.source).rpartition("/")[2] for event in events] == [
        "index.xml", "a.xml", "b.xml", "lost.xml",
    ]  # fmt: skip
    assert [event.error is None for event in events] == [True, True, True, False]


def test_events_are_those_of_check(site):
    events: list[ProgressEvent] = []
    checked: list[ProgressEvent] = []

    list(urlset.read(site, progress=events.append))
    with urlset.check(site, progress=checked.append) as found:
        list(found)

    assert events == checked


@pytest.mark.parametrize("form", ["arrow", "csv", "jsonl", "json", "text", "parquet", "duckdb"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_called_while_the_entries_are_exported(site, tmp_path, form):
    events: list[ProgressEvent] = []
    entries = urlset.read(site, progress=events.append)

    if form == "arrow":
        pytest.importorskip("pyarrow")
        entries.to_arrow()
    else:
        getattr(entries, f"to_{form}")(tmp_path / f"out.{form}")

    assert numbers(events) == ALL


def test_numbers_begin_again_and_are_those_before_filters(site):
    events: list[ProgressEvent] = []
    entries = urlset.read(site, include="/b/1", progress=events.append)

    assert [len(list(entries)) for _ in range(2)] == [1, 1]
    assert numbers(events) == [*ALL, *ALL]


def test_reading_that_ends_early(site):
    events: list[ProgressEvent] = []

    urlset.read(site, progress=events.append).head(2)
    list(urlset.read(site, limit=4, progress=events.append))

    assert numbers(events) == [*ALL[:2], *ALL[:3]]


def test_documents_of_a_site_also_in_a_loop_of_events(box):
    box.put("/sitemap.xml", urls("a", 3))
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
    events: list[ProgressEvent] = []
    entries = urlset.read(box.site, policy=quick(), progress=events.append)

    async def count() -> int:
        return sum([1 async for _ in entries])

    assert asyncio.run(count()) == 3
    assert events == [ProgressEvent(3, 1, None, box.url("/sitemap.xml"))]


def test_called_once_for_a_document_of_many_entries():
    events: list[ProgressEvent] = []

    assert len(urlset.read(urls("a", 20_000).encode(), progress=events.append)) == 20_000

    assert numbers(events) == [(1, 20_000)]


def test_representation_of_a_store_is_no_reading(site, tmp_path):
    urlset.read(site).to_duckdb(tmp_path / "site.duckdb")
    events: list[ProgressEvent] = []
    entries = urlset.read(tmp_path / "site.duckdb", progress=events.append)

    assert "https://e.com/a/0" in repr(entries)
    assert events == []
    assert len(list(entries)) == 5
    assert events[-1].urls == 5


def test_error_of_the_callback_ends_the_reading(site):
    def stop(event: ProgressEvent) -> None:
        if event.documents == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(urlset.read(site, progress=stop))


def test_copy_of_the_entries_has_no_callback(site):
    events: list[ProgressEvent] = []
    entries = urlset.read(site, progress=lambda event: events.append(event))

    copy = pickle.loads(pickle.dumps(entries))

    assert len(list(copy)) == 5
    assert events == []
    assert len(list(entries)) == 5
    assert numbers(events) == ALL
