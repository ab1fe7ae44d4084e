"""What a build does right that producers of sitemaps were seen to do wrong: packed files."""

import gzip
import zlib
from datetime import timedelta

import pytest

import urlset
from tests.builder.test_build import BASE, Site, pages
from urlset import engine as engines


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture(params=engines.available())
def each(tmp_path, request):
    """A site for each engine."""
    return Site(tmp_path, request.param)


# xml_sitemap_writer's, sitemap_generator's, sitemap.js'.
def test_a_packed_file_has_no_time_and_no_name_in_it(each):
    each.build(pages(*range(9)), max_urls=3, gzip=True)

    for name, data in each.bytes().items():
        assert name.endswith(".xml.gz")
        assert data[:4] == b"\x1f\x8b\x08\x00"  # RFC 1952: no FNAME among the flags
        assert data[4:8] == bytes(4)  # and no MTIME


def test_packed_files_of_two_days_have_the_same_bytes(each, tmp_path):
    other = Site(tmp_path / "other", each.engine)
    other.folder.mkdir()

    each.build(pages(*range(3)), gzip=True)
    other.build(pages(*range(3)), gzip=True, later=timedelta(days=2))

    assert each.bytes() == other.bytes()


def test_a_packed_file_is_one_whole_member(each):
    each.build(pages(*range(3)), gzip=True)

    inflater = zlib.decompressobj(31)
    data = inflater.decompress((each.out / "sitemap.xml.gz").read_bytes())
    assert (inflater.eof, inflater.unused_data) == (True, b"")
    assert data.endswith(b"</urlset>\n")


# sitemap.js': each tag is a write of its own, which takes twenty times as long.
def test_a_file_is_packed_in_one_piece_and_not_tag_by_tag(site, monkeypatch):
    packed = []
    engine = engines.get(None)
    real = engine.gzip

    def gzipped(data):
        packed.append(len(data))
        return real(data)

    monkeypatch.setattr(engine, "gzip", gzipped)
    made = site.build(pages(*range(9)), max_urls=3, gzip=True)

    assert packed == [file.bytes for file in (*made.files, *made.indexes)]


# sitemap.js' (#334): packed, and named as if it were not; Flask-Sitemap's: the other way round.
def test_the_name_of_a_file_says_whether_it_is_packed(site):
    site.build(pages(*range(4)), max_urls=3, gzip=True)
    assert all(gzip.decompress(data).startswith(b"<?xml") for data in site.bytes().values())
    assert site.names() == ["sitemap-1.xml.gz", "sitemap-2.xml.gz", "sitemap.xml.gz"]

    site.build(pages(*range(4)), max_urls=3, gzip=False)
    assert all(data.startswith(b"<?xml") for data in site.bytes().values())
    assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]


def test_the_index_names_the_packed_files_as_they_are_called(site):
    site.build(pages(*range(4)), max_urls=3, gzip=True)

    index = urlset.parse((site.out / "sitemap.xml.gz").read_bytes())
    assert [sitemap.loc for sitemap in index.sitemaps] == [
        f"{BASE}sitemap-1.xml.gz",
        f"{BASE}sitemap-2.xml.gz",
    ]
    assert len(site.locs("sitemap.xml.gz")) == 4


# sitemap_generator's (#329): packed bytes that a bucket says are text; Flask-Sitemap's:
# application/octet-stream.
def test_a_bucket_stores_what_a_packed_file_is(site, monkeypatch):
    pytest.importorskip("obstore", reason="obstore is not installed (urlset[cloud])")
    from obstore.store import MemoryStore

    from urlset.object_store import ObjectStore
    from urlset.publisher.bucket import Bucket

    store = MemoryStore()
    monkeypatch.setattr(
        "urlset.builder.pipeline.open_target",
        lambda *_, cache_control, **__: Bucket(
            ObjectStore(store, "memory://maps"), cache_control=cache_control
        ),
    )

    site.build(pages(*range(4)), max_urls=3, gzip=True)

    found = {item["path"] for some in store.list() for item in some}
    assert {"sitemap-1.xml.gz", "sitemap-2.xml.gz", "sitemap.xml.gz"} <= found
    for name in found:
        headers = store.get(name).attributes
        assert headers["Content-Type"] == "application/gzip"
        assert "Content-Encoding" not in headers


# XML of another packing is no change.
def test_a_file_that_says_the_same_is_not_packed_again(site):
    site.build(pages(*range(4)), gzip=True)
    path = site.out / "sitemap.xml.gz"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=7))
    before = path.read_bytes()

    made = site.build(pages(*range(4)), gzip=True)

    assert made.changed_files == ()
    assert path.read_bytes() == before
