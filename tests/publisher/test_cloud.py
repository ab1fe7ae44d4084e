"""Targets that are buckets: headers, conditions, what a failure leaves; on S3 and in memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.s3 import KEY, SECRET, ask
from urlset.errors import TargetError
from urlset.publisher import open_target

obstore = pytest.importorskip("obstore", reason="obstore is not installed (urlset[cloud])")

from obstore.store import LocalStore, MemoryStore  # noqa: E402

from urlset import object_store  # noqa: E402
from urlset.object_store import ObjectStore, VersionConflict  # noqa: E402
from urlset.publisher.bucket import Bucket  # noqa: E402


class Faulty(ObjectStore):
    """A store in memory whose n-th write or removal fails, done or not."""

    def __init__(self, store: MemoryStore, fail_at: int = 0, *, done: bool = False, times: int = 1):
        super().__init__(store, "memory://maps")
        self.fails = range(fail_at, fail_at + times)
        self.done = done
        self.calls = 0

    def put(self, *arguments):
        return self._call(super().put, *arguments)

    def delete(self, *arguments):
        self._call(super().delete, *arguments)

    def _call(self, real, *arguments):
        self.calls += 1
        if self.calls not in self.fails:
            return real(*arguments)
        if self.done:
            real(*arguments)
        raise TargetError("cannot write: the network went away")


def bucket(store: MemoryStore, **options) -> Bucket:
    return Bucket(ObjectStore(store, "memory://maps"), **options)


def publish(target: Bucket, files: dict[str, bytes], retired: tuple[str, ...] = ()) -> None:
    with target:
        for name, data in files.items():
            target.stage(name, data)
        target.swap(list(files), retired)


def contents(store: MemoryStore) -> dict[str, tuple[bytes, dict]]:
    names = [meta["path"] for meta in store.list_with_delimiter()["objects"]]
    found = {name: store.get(name) for name in names}
    return {name: (bytes(got.bytes()), dict(got.attributes)) for name, got in found.items()}


# ── what is stored ──


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sitemap.xml", "application/xml"),
        ("sitemap.txt", "text/plain; charset=utf-8"),
        ("sitemap.xml.gz", "application/gzip"),
        ("sitemap.css", "text/css; charset=utf-8"),
        ("other", "application/octet-stream"),
    ],
)
def test_field_headers_say_what_a_file_is(name, kind):
    # kjvarga/sitemap_generator#329, #338: a .gz with Content-Encoding is unpacked on its way, and
    # is no longer what its name says; without Cache-Control a cache keeps it as long as it likes.
    store = MemoryStore()

    publish(bucket(store), {name: b"data"})

    assert contents(store) == {
        name: (b"data", {"Content-Type": kind, "Cache-Control": "max-age=3600"})
    }


def test_cache_control_can_be_set_and_left_out():
    store = MemoryStore()

    publish(bucket(store, cache_control="no-cache"), {"a.xml": b""})
    publish(bucket(store, cache_control=None), {"b.xml": b""})

    found = contents(store)
    assert found["a.xml"][1]["Cache-Control"] == "no-cache"
    assert "Cache-Control" not in found["b.xml"][1]


def test_encoding_is_seen_by_visitors_only():
    store = MemoryStore()
    packed = bucket(store, encoding="gzip")

    with packed as target:
        for name in ("a.xml", "b.txt", "c.xml.gz"):
            target.stage(name, b"data")
            assert target.read_staged(name) == b"data"
            assert target.has_staged(name, b"data")
            assert not target.has_staged(name, b"date")
        target.swap(["a.xml", "b.txt", "c.xml.gz"], [])
        assert [target.read(name) for name in target.names()] == [b"data"] * 3

    found = contents(store)
    assert gzip.decompress(found["a.xml"][0]) == gzip.decompress(found["b.txt"][0]) == b"data"
    assert found["a.xml"][1]["Content-Encoding"] == "gzip"
    assert found["a.xml"][1]["Content-Type"] == "application/xml"
    assert found["c.xml.gz"][0] == b"data"
    assert "Content-Encoding" not in found["c.xml.gz"][1]


def test_leaving_without_a_swap_leaves_all_as_found():
    store = MemoryStore()
    publish(bucket(store), {"a.xml": b"1"})
    before = contents(store)

    with bucket(store) as target:
        target.stage("a.xml", b"2")
        target.stage("b.xml", b"2")
        folder = target._stage

    assert contents(store) == before
    assert not folder.exists()


def test_name_that_leads_elsewhere_is_refused():
    with bucket(MemoryStore()) as target:
        for ask in (target.read, target.modified, lambda name: target.stage(name, b"")):
            with pytest.raises(TargetError, match="without its folder"):
                ask("a/b.xml")


# ── conditions ──


@pytest.mark.parametrize("known", [True, False], ids=["read", "only put"])
@pytest.mark.parametrize("before", [b"1", None])
def test_second_publisher_is_refused_and_the_first_ones_files_stay(known, before):
    store = MemoryStore()
    publish(bucket(store), {"other.xml": b"1"} | ({"a.xml": before} if before else {}))

    with bucket(store) as late:
        if known:
            assert late.read("a.xml") == before
        late.stage("child.xml", b"late")
        late.stage("other.xml", b"late")
        late.stage("a.xml", b"late")
        publish(bucket(store), {"a.xml": b"first"})
        there = contents(store)
        with pytest.raises(
            TargetError, match=r"expected .*found version.*another process"
        ) as caught:
            late.swap(["child.xml", "other.xml", "a.xml"], [])

    assert "were rolled back" in str(caught.value)
    assert contents(store) == there


def test_retired_file_that_was_written_since_is_not_removed():
    store = MemoryStore()
    publish(bucket(store), {"a.xml": b"1"})

    with bucket(store) as late:
        late.read("a.xml")
        publish(bucket(store), {"a.xml": b"2"})
        with pytest.raises(TargetError, match="another process publishes there"):
            late.swap([], ["a.xml"])

    assert contents(store)["a.xml"][0] == b"2"


def test_two_publishers_at_once_never_mix():
    store = MemoryStore()
    publish(bucket(store), {"a.xml": b"0", "b.xml": b"0"})
    refused: list[str] = []
    barrier = threading.Barrier(4)

    def one(word: bytes) -> None:
        try:
            with bucket(store) as target:
                for name in ("a.xml", "b.xml"):
                    target.read(name)
                    target.stage(name, word)
                barrier.wait()
                target.swap(["a.xml", "b.xml"], [])
        except TargetError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=one, args=(b"%d" % n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = contents(store)
    assert len(refused) >= 3
    assert found["a.xml"] == found["b.xml"]


# ── failures ──


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [1, 2, 3, 4, 5])
def test_failure_at_any_step_puts_all_back(at, done):
    store = MemoryStore()
    publish(bucket(store), {"1.xml": b"1", "index.xml": b"1", "2.xml": b"1", "3.xml": b"1"})
    before = contents(store)
    failing = Bucket(Faulty(store, at, done=done), cache_control="no-store")

    with pytest.raises(
        TargetError, match=r"network went away; all changes in .* were rolled back$"
    ):
        publish(failing, {"1.xml": b"2", "new.xml": b"2", "index.xml": b"2"}, ("2.xml", "3.xml"))

    assert contents(store) == before


def test_failure_that_cannot_be_undone_says_which_files_are_left():
    store = MemoryStore()
    publish(bucket(store), {"1.xml": b"1", "index.xml": b"1"})
    failing = Bucket(Faulty(store, 2, times=9))

    with pytest.raises(TargetError, match=r"rolled back except for 1\.xml; publish"):
        publish(failing, {"1.xml": b"2", "index.xml": b"2"})

    assert contents(store)["index.xml"][0] == b"1"
    publish(bucket(store), {"1.xml": b"2", "index.xml": b"2"})


def test_interrupt_puts_all_back():
    store = MemoryStore()
    publish(bucket(store), {"1.xml": b"1"})
    before = contents(store)

    class Interrupted(Faulty):
        def put(self, *arguments):
            super().put(*arguments)
            if self.calls == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(Bucket(Interrupted(store)), {"1.xml": b"2", "2.xml": b"2"})

    assert contents(store) == before


def test_request_that_was_sent_twice_is_no_conflict():
    # The answer to the first is lost, the library asks again, and meets its own file.
    store = MemoryStore()

    class Twice(Faulty):
        def put(self, *arguments):
            super().put(*arguments)
            super().put(*arguments)

    publish(Bucket(Twice(store)), {"1.xml": b"1"})

    assert contents(store)["1.xml"][0] == b"1"


class Damaging(Faulty):
    """A store that drops the last byte of what it is given from the n-th write on."""

    def put(self, key, data, *arguments):
        self.calls += 1
        cut = data[:-1] if self.calls in self.fails else data
        return ObjectStore.put(self, key, cut, *arguments)


def test_store_that_keeps_other_bytes_is_reported():
    store = MemoryStore()

    with pytest.raises(
        TargetError, match=r"expected the uploaded bytes, found other ones.*were rolled back$"
    ) as caught:
        publish(Bucket(Damaging(store, 1)), {"1.xml": b"data"})

    assert "another process" not in str(caught.value)
    assert contents(store) == {}


def test_damaged_objects_that_cannot_be_restored_are_named():
    store = MemoryStore()
    publish(bucket(store), {"1.xml": b"old", "index.xml": b"old"})

    with pytest.raises(TargetError, match=r"rolled back except for index\.xml, new\.xml, 1\.xml;"):
        publish(
            Bucket(Damaging(store, 3, times=9)),
            {"1.xml": b"data", "new.xml": b"data", "index.xml": b"data"},
        )

    found = {name: data for name, (data, _) in contents(store).items()}
    assert found == {"1.xml": b"ol", "index.xml": b"ol", "new.xml": b"data"}


class Refusing(Faulty):
    """A store that refuses each write from the n-th on, as with status 412 or 404."""

    def put(self, *arguments):
        self.calls += 1
        if self.calls in self.fails:
            raise VersionConflict("412 Precondition Failed")
        return ObjectStore.put(self, *arguments)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_refused_writes_are_no_other_process_and_what_stays_is_named(at):
    store = MemoryStore()
    publish(bucket(store), {"1.xml": b"1", "2.xml": b"1", "index.xml": b"1"})
    before = contents(store)
    left = ["1.xml", "2.xml"][: at - 1]

    with pytest.raises(TargetError, match=r"refuses to replace .*\(412 Precond") as caught:
        publish(
            Bucket(Refusing(store, at, times=99)),
            {"1.xml": b"2", "2.xml": b"2", "index.xml": b"2"},
        )

    message = str(caught.value)
    assert "another process" not in message
    if left:
        assert f"rolled back except for {', '.join(reversed(left))}; publish again" in message
    else:
        assert message.endswith("were rolled back")
    after = contents(store)
    assert [name for name in before if after[name] != before[name]] == left


def test_new_objects_stay_if_the_index_that_lists_them_cannot_be_restored():
    store = MemoryStore()
    publish(bucket(store), {"index.xml": b"1", "old.xml": b"1"})

    class Late(Refusing):
        def delete(self, key):
            if key == "old.xml":
                raise TargetError("cannot remove: the network went away")
            super().delete(key)

    with pytest.raises(TargetError, match=r"except for index\.xml, new\.xml; publish again"):
        publish(
            Bucket(Late(store, 3, times=99)), {"new.xml": b"2", "index.xml": b"2"}, ("old.xml",)
        )

    assert {name: data for name, (data, _) in contents(store).items()} == {
        "index.xml": b"2", "new.xml": b"2", "old.xml": b"1",
    }  # fmt: skip


def test_store_without_headers_is_reported(tmp_path):
    with pytest.raises(TargetError, match=r"cannot write file://x/1\.xml"):
        publish(Bucket(ObjectStore(LocalStore(tmp_path), "file://x")), {"1.xml": b"data"})


# ── addresses ──


@pytest.mark.parametrize(
    "url", [f"s3://{KEY}:{SECRET}@bucket/", "s3:///prefix", "s3://bucket/?sig=abc", "gs://b/#x"]
)
def test_address_with_more_than_a_place_is_refused_without_being_repeated(url):
    with pytest.raises(TargetError, match="bucket/prefix and nothing else") as caught:
        open_target(url, "sitemap")

    assert SECRET not in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "is_right"),
    [
        ("http://127.0.0.1:9000", True),
        ("http://[::1]:9000", True),
        ("http://localhost:9000", True),
        ("https://minio.example.com", True),
        ("http://minio.example.com", False),
        ("http://127.0.0.1.example.com", False),
    ],
)
def test_endpoint_in_the_clear_is_this_machine_or_asked_for(endpoint, is_right, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)

    if is_right:
        open_target("s3://bucket/maps", "sitemap")
    else:
        with pytest.raises(TargetError, match="expected an endpoint by https"):
            open_target("s3://bucket/maps", "sitemap")
        open_target("s3://bucket/maps", "sitemap", allow_http=True)


@pytest.mark.parametrize("url", ["s3://b/p", "gs://b/p", "az://c/p", "abfs://c/p"])
def test_encoding_is_of_object_stores(url, tmp_path, monkeypatch):
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")
    monkeypatch.setenv("GOOGLE_SKIP_SIGNATURE", "true")

    assert open_target(url, "sitemap", encoding="gzip").location == url
    with pytest.raises(ValueError, match="expected no encoding for a folder"):
        open_target(tmp_path, "sitemap", encoding="gzip")
    with pytest.raises(ValueError, match="expected encoding to be one of"):
        open_target(url, "sitemap", encoding="br")  # type: ignore[arg-type]


def test_without_obstore_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore.store", None)

    with pytest.raises(TargetError, match=r"pip install 'urlset\[cloud\]'"):
        open_target("s3://bucket/", "sitemap")


def test_folder_needs_no_obstore(tmp_path):
    code = (
        "import sys; from urlset.publisher import open_target\n"
        "with open_target(sys.argv[1], 'sitemap') as t: t.stage('a', b''); t.swap(['a'], [])\n"
        "assert 'obstore' not in sys.modules"
    )
    path = str(Path(__file__).parents[2] / "src")

    subprocess.run([sys.executable, "-c", code, tmp_path], env={"PYTHONPATH": path}, check=True)


def test_words_of_a_store_are_reported_without_credentials(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    error = OSError(f"Error PUT https://a.example/x?sig=abc with {SECRET}: 403: <Error>{KEY}")

    words = object_store._safe_message(error)

    assert words == "Error PUT https://a.example/x?… with …: 403"


# ── S3, by moto on loopback ──


def test_s3_publication_appears_with_its_headers(s3, s3_server):
    with open_target(s3, "sitemap", encoding="gzip") as target:
        assert target.names() == []
        target.stage("sitemap-1.xml", b"<child/>")
        target.stage("robots.txt", b"hello")
        target.stage("sitemap.xml", b"<index/>")
        assert target.names() == []
        target.swap(["sitemap-1.xml", "robots.txt", "sitemap.xml"], [])
        assert target.names() == ["robots.txt", "sitemap-1.xml", "sitemap.xml"]
        assert target.modified("sitemap.xml") is not None

    headers, data = ask(f"{s3_server}/shop/maps/sitemap.xml")
    assert gzip.decompress(data) == b"<index/>"
    assert headers["Content-Type"] == "application/xml"
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Cache-Control"] == "max-age=3600"


def test_s3_next_publication_replaces_and_retires(s3):
    with open_target(s3, "sitemap") as target:
        for name in ("1.xml", "2.xml", "sitemap.xml"):
            target.stage(name, b"old")
        target.swap(["1.xml", "2.xml", "sitemap.xml"], [])

    with open_target(f"{s3}/", "sitemap") as target:
        assert target.read("sitemap.xml") == b"old"
        target.stage("1.xml", b"new")
        target.stage("sitemap.xml", b"new")
        target.swap(["1.xml", "sitemap.xml"], ["2.xml", "gone.xml"])

        assert target.names() == ["1.xml", "sitemap.xml"]
        assert [target.read(name) for name in target.names()] == [b"new", b"new"]


@pytest.mark.parametrize("before", [b"0", None])
def test_s3_condition_holds_where_the_race_is_closest(s3, before):
    # Between our last look and our write: only the store itself can see it (If-Match,
    # If-None-Match), https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    if before is not None:
        with open_target(s3, "sitemap") as target:
            target.stage("sitemap.xml", before)
            target.swap(["sitemap.xml"], [])

    class Late(ObjectStore):
        def put(self, key, data, attributes, expected):
            with open_target(s3, "sitemap") as first:
                first.stage("sitemap.xml", b"first")
                first.swap(["sitemap.xml"], [])
            super().put(key, data, attributes, expected)

    inner = ObjectStore.of(s3, allow_http=False)
    with Bucket(Late(inner._store, s3)) as late:
        late.stage("sitemap.xml", b"late")
        with pytest.raises(TargetError, match="expected the uploaded bytes, found version"):
            late.swap(["sitemap.xml"], [])

        assert late.read("sitemap.xml") == b"first"


def test_s3_errors_are_reported_without_credentials(s3, monkeypatch):
    with (
        pytest.raises(TargetError, match=r"cannot list s3://none/maps: .*404") as caught,
        open_target("s3://none/maps", "sitemap") as target,
    ):
        target.names()

    assert caught.value.__cause__ is None
    assert KEY not in str(caught.value)
    assert SECRET not in str(caught.value)
