"""Tolerances of the reader: compression: gzip in layers, in members, damaged; other formats."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
A, B = "https://example.com/a", "https://example.com/b"
BODY = f'<urlset xmlns="{CORE}"><url><loc>{A}</loc></url><url><loc>{B}</loc></url></urlset>'
WHOLE = f"{DECLARATION}\n{BODY}".encode()


def read(engine: Engine, data: bytes, **options: str) -> Document:
    return urlset.parse(data, engine=engine.name, **options)  # type: ignore[arg-type]


def locs(document: Document) -> list[str]:
    return [entry.loc for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


def urls(*paths: str, encoding: str = "UTF-8") -> str:
    inner = "".join(f"<url><loc>https://example.com/{path}</loc></url>" for path in paths)
    return f'<?xml version="1.0" encoding="{encoding}"?><urlset xmlns="{CORE}">{inner}</urlset>'


# 41 | gzip without `.gz` | magic `1F 8B` decides | X027 (of the name: not the parser's)
# 42 | `.gz` name, plain content (proxy undid it) | parse plain | X027
@pytest.mark.parametrize("source", ["https://example.com/sitemap.xml", None])
def test_row_41_gzip_without_gz(engine, source):
    document = read(engine, gzip.compress(WHOLE), source=source)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])
    assert (document.layers, document.size) == (1, len(WHOLE))


def test_row_42_gz_without_gzip(engine):
    document = read(engine, WHOLE, source="https://example.com/sitemap.xml.gz")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])


# 43 | gzip twice | loop up to 3 layers | X028
@pytest.mark.parametrize("layers", [2, 3])
def test_row_43_gzip_in_layers(engine, layers):
    data = WHOLE
    for _ in range(layers):
        data = gzip.compress(data)
    document = read(engine, data)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X028"])


def test_row_43_four_layers_are_too_many(engine):
    data = WHOLE
    for _ in range(4):
        data = gzip.compress(data)
    document = read(engine, data)
    assert (document.kind, locs(document)) == ("unknown", [])
    assert "X028" in codes(document)


# 44 | multi-member gzip | loop members | –
def test_row_44_gzip_in_members(engine):
    data = b"".join(gzip.compress(WHOLE[at : at + 40]) for at in range(0, len(WHOLE), 40))
    document = read(engine, data)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])


# 45 | bytes after the gzip stream | keep data, report | X026
@pytest.mark.parametrize(
    ("rest", "expected"), [(b"junk", ["X026"]), (b"\x1f", ["X026"]), (b"\0" * 100, [])]
)
def test_row_45_bytes_after_gzip(engine, rest, expected):
    document = read(engine, gzip.compress(WHOLE) + rest)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], expected)


# 46 | gzip cut off / no trailer / bad CRC | keep what inflates | X025
def test_row_46_gzip_without_its_trailer(engine):
    for cut in range(1, 9):
        document = read(engine, gzip.compress(WHOLE)[:-cut])
        assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X025"])


@pytest.mark.parametrize("place", [-8, -1])
def test_row_46_gzip_with_a_bad_checksum_or_length(engine, place):
    data = bytearray(gzip.compress(WHOLE))
    data[place] ^= 0xFF
    document = read(engine, bytes(data))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X025"])


def test_row_46_gzip_cut_off(engine):
    paths = [f"{number * 7919 % 10_007}/{number}" for number in range(2_000)]
    text = urls(*paths)
    document = read(engine, gzip.compress(text.encode())[:-2_000])
    found = locs(document)
    assert 1_000 < len(found) < 2_000
    assert found == [f"https://example.com/{path}" for path in paths[: len(found)]]
    assert codes(document) == ["X009", "X025"]


# 47 | zlib/brotli/zstd body | file-level: zlib yes, others error | X029
@pytest.mark.parametrize("level", [1, 6, 9])
def test_row_47_zlib(engine, level):
    document = read(engine, zlib.compress(WHOLE, level))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X029"])


def zipped() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sitemap.xml", WHOLE)
    return target.getvalue()


@pytest.mark.parametrize(
    "data",
    [bz2.compress(WHOLE), lzma.compress(WHOLE), zipped(), b"\x28\xb5\x2f\xfd\x04\0"],
    ids=["bzip2", "xz", "zip", "zstd"],
)
def test_row_47_other_archives(engine, data):
    document = read(engine, data)
    assert (document.kind, locs(document)) == ("unknown", [])
    assert "X029" in codes(document)
