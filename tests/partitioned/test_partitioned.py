"""Parts of a source have together what one reading of it has, however it is divided."""

import pickle
import random
import shutil
import time
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.http_walks import quick
from tests.site_box import Hit, Player, SiteBox, Wire, gz, held, index_of, page, urlset_of
from tests.waits import SOON_S
from urlset.arrow.batches import column_values
from urlset.errors import SourceError
from urlset.partitioned import TABLES, plan, read, read_tables, table_schema
from urlset.partitioned.rows import BATCH_ROWS
from urlset.reader.document_walk import parse_location

HOST = "https://example.com"
RECORD = """source url loc parent how depth kind size entry_count sitemap_count problem_count error
skipped""".split()


def rows(parts: list[Any], table: Any = "entries", **options: Any) -> list[dict[str, Any]]:
    """Read parts as other processes do, from a pickle."""
    copies = [pickle.loads(pickle.dumps(part)) for part in parts]
    batches = chain.from_iterable(read(part, table=table, **options) for part in copies)
    return [row for batch in batches for row in pyarrow.record_batch(batch).to_pylist()]


def counted(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(map(repr, found))


def expected_rows(entries: urlset.Entries) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "urlset.read: the result is incomplete")
        found: list[dict[str, Any]] = entries.to_arrow().to_pylist()
    return found


def expected_records(entries: urlset.Entries) -> list[dict[str, Any]]:
    found = []
    for record in entries.documents:
        values = record._asdict() | {"url": record.base_url}
        values |= {"entry_count": record.entries, "sitemap_count": record.sitemaps}
        found.append({name: values[name] for name in RECORD})
    return found


def random_tree(source: random.Random) -> dict[str, bytes]:
    """Return sitemaps and nested indexes, with missing and repeated children, and damage."""
    names = [f"{'deep/' * source.randint(0, 1)}{n}.xml" for n in range(source.randint(1, 8))]
    tree: dict[str, bytes] = {}
    for number, name in enumerate(names):
        others = source.choices([*names, "gone.xml", "odd.php"], k=source.randint(0, 4))
        body: bytes = source.choice(
            [
                urlset_of(f"{HOST}/{number}", source.randint(0, 4)),
                urlset_of(f"{HOST}/{number}", source.randint(0, 4)),
                index_of(f"{HOST}/{other}" for other in others),
                f"{HOST}/{number}/a\n{HOST}/{number}/b\n".encode(),
                b"<html><title>404</title></html>",
                b"",
                urlset_of("/relative", 2)[:-9] + b"<sitemap><loc>/odd.php</loc></sitemap></urlset>",
            ]
        )
        if source.random() < 0.3:
            place = source.randrange(len(body) + 1)
            body = source.choice([body[:place], body[:place] + b"<\0&" + body[place:]])
        if source.random() < 0.2:
            body = gz(body)
            body = body[: source.randint(1, len(body))] if source.random() < 0.3 else body
        tree[name] = body
    tree["odd.php"] = urlset_of(f"{HOST}/odd", 1)
    return tree


def write_tree(tree: dict[str, bytes], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, body in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


@given(st.integers(0, 2**32), st.sampled_from(["folder", "file", "memory"]), st.booleans())
def test_parts_of_a_random_tree_equal_one_reading(tmp_path_factory, seed, form, follow):
    chosen = random.Random(seed)
    tree = random_tree(chosen)
    folder = tmp_path_factory.getbasetemp() / "tree"
    write_tree(tree, folder)
    memory = {f"{HOST}/{name}": body for name, body in tree.items()}
    source = {"folder": folder, "file": folder / next(iter(tree)), "memory": memory}[form]
    options: dict[str, Any] = {"base_url": f"{HOST}/" if chosen.random() < 0.5 else None}
    options |= {"follow": follow, "since": "2000-01-01" if chosen.random() < 0.2 else None}
    try:
        whole = urlset.read(source, **options)
        expected = expected_rows(whole)
    except SourceError:
        try:
            parts = plan(source, **options)
        except SourceError:
            return
        assert rows(parts) == []  # found to be no sitemaps when they are read
        return

    parts = plan(source, part_bytes=chosen.choice([1, 300, 1 << 20]), **options)
    chosen.shuffle(parts)

    assert counted(rows(parts)) == counted(expected)
    records = [{name: row[name] for name in RECORD} for row in rows(parts, "documents")]
    assert counted(records) == counted(expected_records(whole))


def test_parts_keep_the_order_of_documents_and_have_the_size_asked_for(tmp_path):
    tree = {f"{n}.xml": urlset_of(f"{HOST}/{n}", 20) for n in range(10)}
    write_tree({"index.xml": index_of(f"{HOST}/{name}" for name in tree), **tree}, tmp_path)
    size = len(tree["1.xml"])

    parts = plan(tmp_path / "index.xml", part_bytes=3 * size)

    assert [row["loc"] for row in rows(parts)] == [e.loc for e in urlset.read(tmp_path)]
    assert len(parts) in (4, 5)
    assert all(part.size <= 3 * size for part in parts)
    assert len(plan(tmp_path, parts=2)) in (2, 3)


def test_large_documents_are_planned_by_their_first_bytes(tmp_path, monkeypatch):
    body = urlset_of(HOST, 3_000)
    write_tree({"index.xml": index_of([f"{HOST}/a.xml"]), "a.xml": body}, tmp_path)
    loaded: list[int] = []

    def parse(location: Any, data: bytes, *options: Any) -> Any:
        loaded.append(len(data))
        return parse_location(location, data, *options)

    monkeypatch.setattr("urlset.reader.planned.parse_location", parse)
    parts = plan(tmp_path)

    assert len(body) > max(loaded) == 65_536
    assert len(rows(parts)) == 3_000


def test_a_child_listed_after_the_first_bytes_of_a_urlset_is_reported(tmp_path):
    late = b"<sitemap><loc>https://example.com/late.php</loc></sitemap></urlset>"
    body = urlset_of(HOST, 3_000).replace(b"</urlset>", late)
    write_tree({"a.xml": body, "late.php": urlset_of(HOST, 1)}, tmp_path)

    parts = plan(tmp_path / "a.xml")

    assert len(rows(parts)) == 3_000
    (failed,) = [row for row in rows(parts, "documents") if row["error"]]
    assert failed["source"] == "https://example.com/late.php"
    assert "does not begin as an index" in failed["error"]


def test_document_that_vanishes_is_a_row(tmp_path):
    write_tree({"a.xml": urlset_of(HOST, 1), "b.xml": urlset_of(HOST, 2)}, tmp_path)
    parts = plan([tmp_path / "a.xml", tmp_path / "b.xml"])
    (tmp_path / "a.xml").unlink()

    assert len(rows(parts)) == 2
    errors = [row["error"] for row in rows(parts, "documents")]
    assert "expected a file or a folder, found nothing" in errors[0]
    assert errors[1] is None


def test_missing_source_raises_when_it_is_planned(tmp_path):
    with pytest.raises(SourceError, match="found nothing at"):
        plan(tmp_path / "none.xml")
    with pytest.raises(SourceError, match="found none"):
        plan([])


def test_sites_of_one_host_are_in_one_part_and_no_other_host_is_requested():
    with SiteBox("127.0.0.1") as a, SiteBox("127.0.0.2") as b, SiteBox("127.0.0.3") as other:
        for box in (a, b):
            box.put_urlset("/own.xml", 2)
            box.put_urlset("/more.xml", 1)
            box.put_index("/i.xml", ["/own.xml", other.url("/foreign.xml")])
            box.put_robots("Sitemap: /i.xml", f"Sitemap: {other.url('/declared.xml')}")
        urls = [a.site, b.site, a.url("/more.xml")]

        parts = plan(urls, policy=quick())
        found = rows(parts)
        documents = rows(parts, "documents")

        assert sorted(len(part.sources) for part in parts) == [1, 2]
        assert Counter(row["source"] for row in found) == {
            a.url("/own.xml"): 2, b.url("/own.xml"): 2, a.url("/more.xml"): 1,
        }  # fmt: skip
        failed = {row["source"] for row in documents if row["error"]}
        assert failed == {other.url("/foreign.xml"), other.url("/declared.xml")}
        assert other.paths == []
        other.put_urlset("/foreign.xml", 3)
        second = plan(sorted(failed), policy=quick())
        assert len(second) == 1
        assert len(rows(second)) == 3


def test_one_site_is_read_as_a_whole_with_other_hosts():
    with SiteBox("127.0.0.1") as a, SiteBox("127.0.0.2") as other:
        a.put_index("/i.xml", ["/gone.xml", other.put_urlset("/foreign.xml", 2)])
        parts = plan(a.url("/i.xml"), policy=quick())
        whole = urlset.read(a.url("/i.xml"), policy=quick())

        assert counted(rows(parts)) == counted(expected_rows(whole))
        assert len(rows(parts)) == 2
        statuses = {row["source"]: row["status"] for row in rows(parts, "documents")}
        assert statuses[a.url("/gone.xml")] == 404


def test_site_that_fails_is_a_row_and_the_others_are_read(box: SiteBox):
    box.put_urlset("/a.xml", 2)
    urls = [box.url("/none.xml"), box.url("/a.xml"), "http://127.0.0.9:1/b.xml"]

    parts = plan(urls, policy=quick(), parts=1)

    assert len(parts) == 1
    assert len(rows(parts)) == 2
    errors = {row["source"]: row["error"] for row in rows(parts, "documents")}
    assert {url for url, error in errors.items() if error} == {urls[0], urls[2]}


def test_robots_files_are_a_table(box: SiteBox):
    box.put_robots("Sitemap: /a.xml")
    box.put_urlset("/a.xml", 1)

    (row,) = rows(plan(box.site, policy=quick()), "robots")

    assert row["url"] == box.url("/robots.txt")
    assert [line["url"] for line in row["sitemaps"]] == [box.url("/a.xml")]


def test_store_and_parquet_are_parts(tmp_path):
    entries = urlset.read(f"{HOST}/a\n{HOST}/b\n".encode())
    entries.to_duckdb(tmp_path / "s.duckdb")
    entries.to_parquet(tmp_path / "s.parquet")

    parts = plan([tmp_path / "s.duckdb", tmp_path / "s.parquet"])

    assert [row["loc"] for row in rows(parts)] == [f"{HOST}/a", f"{HOST}/b"] * 2


def test_bucket_is_divided(s3: str):
    from urlset.publisher import open_target

    files = {"a.xml": urlset_of(HOST, 2), "b.xml.gz": gz(urlset_of(f"{HOST}/b", 1))}
    files["sitemap_index.xml"] = index_of(f"{HOST}/{name}" for name in [*files, "gone.xml"])
    with open_target(s3, "sitemap") as target:
        for name, data in files.items():
            target.stage(name, data)
        target.swap(list(files), [])
    whole = urlset.read(f"{s3}/")

    parts = plan(f"{s3}/", part_bytes=1)

    assert len(parts) == 4
    assert counted(rows(parts)) == counted(expected_rows(whole))
    assert b"minioadmin" not in pickle.dumps(parts)


def test_columns_and_filters_are_applied(tmp_path):
    body = urlset_of(HOST, 3).replace(b"</loc>", b"</loc><lastmod>2026-01-01</lastmod>", 1)
    parts = plan(body)

    assert list(rows(parts, columns=["line", "loc"])[0]) == ["line", "loc"]
    assert len(rows(parts, since="2025-01-01")) == 1
    assert len(rows(parts, include="/2$")) == 1
    assert len(rows(parts, exclude="/2$", hosts=["example.com"])) == 2
    assert rows(parts, hosts=["example.org"]) == []
    assert [row["host"] for row in rows(parts, columns=["host"])] == ["example.com"] * 3
    assert len(rows(plan(body, since="2025-01-01"))) == 1


def test_only_the_documents_asked_for_are_loaded(tmp_path):
    write_tree({"a.xml": urlset_of(HOST, 1), "b.xml": urlset_of(HOST, 2)}, tmp_path)
    (part,) = plan(tmp_path)
    (tmp_path / "a.xml").unlink()

    assert len(rows([part], sources=[str(tmp_path / "b.xml")])) == 2
    assert rows([part], sources=[]) == []


def test_several_tables_are_read_in_one_pass():
    (part,) = plan(index_of([f"{HOST}/a.xml"]))

    found = dict(read_tables(part, dict.fromkeys(TABLES)))

    assert set(found) == {"documents", "sitemaps", "problems"} - {"problems"}
    assert found["sitemaps"].column("loc").to_pylist() == [f"{HOST}/a.xml"]
    for table in found:
        assert found[table].schema == table_schema(table)


def test_small_documents_share_a_batch(tmp_path):
    write_tree({f"{n}.xml": urlset_of(f"{HOST}/{n}", 100) for n in range(100)}, tmp_path)
    (part,) = plan(tmp_path)

    sizes = [batch.num_rows for batch in read(part)]

    assert sum(sizes) == 10_000
    assert sizes[0] >= BATCH_ROWS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["lock"]}, "did you mean 'loc'"),
        ({"table": "entry"}, "did you mean 'entries'"),
        ({"since": "yesterday"}, "since: expected a date"),
    ],
)
def test_invalid_arguments_raise_before_reading(options, message):
    (part,) = plan(b"https://example.com/")

    with pytest.raises(ValueError, match=message):
        read(part, **options)


def test_invalid_plan_says_what_is_expected():
    with pytest.raises(ValueError, match="parts: expected 1 or more"):
        plan(b"https://example.com/", parts=0)
    with pytest.raises(TypeError, match="did you mean 'part_bytes'"):
        plan(b"https://example.com/", part_byte=1)  # type: ignore[call-arg]


def test_credentials_are_not_shown(box: SiteBox):
    parts = plan(box.site, auth=("user", "s3cret"))

    assert "s3cret" not in repr(parts)


def test_sites_of_one_part_are_read_at_the_same_time():
    count = 6
    with ExitStack() as stack:
        boxes = [stack.enter_context(SiteBox(f"127.0.0.{n + 1}")) for n in range(count)]
        urls = []
        is_free = Event()
        for number, box in enumerate(boxes):
            body = page(urlset_of(box.site, number + 1))
            box.play("/sitemap.xml", held(is_free, body))
            urls.append(box.url("/sitemap.xml"))
        [part] = plan(urls, parts=1, policy=quick(concurrency=count))
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(list, read(part, columns=["source"]))
            try:
                end = time.monotonic() + SOON_S
                while not all("/sitemap.xml" in box.paths for box in boxes):
                    assert time.monotonic() < end, "the sites are read one after another"
                    time.sleep(0.01)
            finally:
                is_free.set()
            batches = running.result(60)

        found = Counter(source for batch in batches for source in column_values(batch, "source"))
        assert found == {url: number + 1 for number, url in enumerate(urls)}
        assert len(batches) == 1, "small documents share a batch"


def test_concurrency_of_a_part_bounds_its_requests():
    with ExitStack() as stack:
        boxes = [stack.enter_context(SiteBox(f"127.0.0.{n + 1}")) for n in range(5)]
        active, most, lock = [0], [0], Lock()

        def observed(body: bytes) -> Player:
            async def play(hit: Hit, wire: Wire) -> bool:
                with lock:
                    active[0] += 1
                    most[0] = max(most[0], active[0])
                await wire.wait(0.05)
                with lock:
                    active[0] -= 1
                return await page(body)(hit, wire)

            return play

        urls = []
        for box in boxes:
            names = [f"/{n}.xml" for n in range(4)]
            box.put_index("/i.xml", names)
            for name in names:
                box.play(name, observed(urlset_of(box.url(name), 1)))
            urls.append(box.url("/i.xml"))
        [part] = plan(urls, parts=1, policy=quick(concurrency=3))
        rows = sum(batch.num_rows for batch in read(part))

    assert rows == 20
    assert 2 <= most[0] <= 3


def test_consumer_that_ends_early_ends_the_other_sites():
    with ExitStack() as stack:
        boxes = [stack.enter_context(SiteBox(f"127.0.0.{n + 1}")) for n in range(4)]
        for box in boxes:
            box.put_index("/i.xml", [f"/{n}.xml" for n in range(30)])
            for number in range(30):
                box.put_urlset(f"/{number}.xml", 3_000)
        [part] = plan([box.url("/i.xml") for box in boxes], parts=1, policy=quick(concurrency=4))
        batches = read(part)
        assert next(batches).num_rows >= 3_000
        del batches
        requests = sum(len(box.paths) for box in boxes)
        time.sleep(0.3)
        assert sum(len(box.paths) for box in boxes) <= requests + 4
        assert requests < 4 * 31
