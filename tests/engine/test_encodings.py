"""Encodings: every label of the standard, what is not known, what is damaged."""

import codecs
from concurrent.futures import ThreadPoolExecutor

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine, source_offset
from urlset.formats.encoding import _CODECS, codec_of

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"

# https://encoding.spec.whatwg.org/#names-and-labels: one label of each encoding, and a text of it.
LABELS = [
    ("ibm866", "cp866", "жук"), ("iso-8859-2", "iso8859-2", "žluť"), ("latin3", "iso8859-3", "ĉ"),
    ("iso-ir-110", "iso8859-4", "ķ"), ("cyrillic", "iso8859-5", "жук"),
    ("arabic", "iso8859-6", "كلب"), ("greek", "iso8859-7", "άλφα"),
    ("visual", "iso8859-8", "כלב"), ("iso-8859-8-i", "iso8859-8", "כלב"),
    ("l6", "iso8859-10", "ŋ"), ("iso8859-13", "iso8859-13", "ž"),
    ("iso885914", "iso8859-14", "ŵ"), ("l9", "iso8859-15", "€"),
    ("iso-8859-16", "iso8859-16", "ș"), ("koi", "koi8-r", "жук"), ("koi8-ru", "koi8-u", "їжак"),
    ("x-mac-roman", "mac-roman", "é"), ("dos-874", "cp874", "ไทย"),
    ("windows-874", "cp874", "ไทย"), ("tis-620", "cp874", "ไทย"), ("x-cp1250", "cp1250", "ž"),
    ("windows-1251", "cp1251", "жук"), ("us-ascii", "cp1252", "’"),
    ("windows-1253", "cp1253", "ά"), ("latin5", "cp1254", "ğ"), ("windows-1255", "cp1255", "כ"),
    ("windows-1256", "cp1256", "ك"), ("windows-1257", "cp1257", "ž"),
    ("windows-1258", "cp1258", "đ"), ("x-mac-cyrillic", "mac-cyrillic", "жук"),
    ("x-gbk", "gb18030", "中文"), ("chinese", "gb18030", "中文"),
    ("x-x-big5", "big5hkscs", "中文"), ("x-euc-jp", "euc_jp", "日本"),
    ("iso-2022-jp", "iso2022_jp", "日本"), ("windows-31j", "cp932", "日本①"),
    ("x-sjis", "cp932", "日本"), ("ms_kanji", "cp932", "日本"), ("windows-949", "cp949", "한국"),
    ("korean", "cp949", "한국"), ("csiso2022kr", "iso2022_kr", "한국"),
    ("hz-gb-2312", "hz", "中文"),
]  # fmt: skip


def text_of(*paths: str, encoding: str) -> str:
    urls = "".join(f"<url><loc>https://e.com/{path}</loc></url>\n" for path in paths)
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    return f'{declaration}\n<urlset xmlns="{CORE}">\n{urls}</urlset>'


def parse(engine: Engine, data: bytes, charset: str | None = None) -> Document:
    content_type = f"text/xml; charset={charset}" if charset else None
    return urlset.parse(data, engine=engine.name, content_type=content_type)


def paths(document: Document) -> list[str]:
    return [entry.loc.removeprefix("https://e.com/") for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


@pytest.mark.parametrize(("label", "codec", "word"), LABELS)
def test_spec_label_is_known(engine, label, codec, word):
    for declared, charset in ((label, None), ("UTF-8", label), (label.upper(), None)):
        data = text_of(word, "a", word, encoding=declared).encode(codec)
        document = parse(engine, data, charset)
        assert (paths(document), codes(document)) == ([word, "a", word], ["X011"])


def test_spec_every_label_has_a_codec():
    """228 labels; not read are ISO-2022-CN (two), x-user-defined and "replacement"."""
    assert len(_CODECS) == 224
    for label, codec in _CODECS.items():
        assert codec_of(label.upper()) == codec
        assert codecs.lookup(codec)
    for label in ("iso-2022-cn", "x-user-defined", "replacement", "punycode", "rot13", "hex", "\0"):
        assert codec_of(label) is None


@pytest.mark.parametrize("label", ["x-unknown", "iso-2022-cn", "x-user-defined", "win 1251"])
def test_unknown_encoding_gives_no_url_of_what_is_not_ascii(engine, label):
    data = text_of("a", "жук", "b", encoding=label).encode("windows-1251")
    document = parse(engine, data)

    assert (paths(document), {"U001", "X012"} - set(codes(document))) == (["a", "b"], set())
    assert f'Encoding "{label}" is not known: what is not ASCII cannot be read' in [
        problem.message for problem in document.problems
    ]
    lost = next(problem for problem in document.problems if problem.code == "U001")
    assert data[lost.offset : lost.end] == "https://e.com/жук".encode("windows-1251")


def test_unknown_encoding_whose_bytes_are_valid_utf_8_by_chance(engine):
    """Two bytes of windows-1251 that are one character of UTF-8, and one that is none."""
    data = text_of("Р°", "ы", encoding="x-unknown").encode("windows-1251")

    assert paths(parse(engine, data)) == []


def test_unknown_encoding_that_shifts(engine):
    data = text_of("a", "\x1b$)A\x0eVPND\x0f", encoding="iso-2022-cn").encode()

    assert (paths(parse(engine, data))) == ["a"]


def test_unknown_encoding_of_utf_8_is_read(engine):
    data = text_of("жук", encoding="x-unknown").encode()

    assert (paths(parse(engine, data)), codes(parse(engine, data))) == (["жук"], ["X012"])


def test_unknown_charset_of_http_gives_way_to_the_declaration(engine):
    data = text_of("жук", encoding="windows-1251").encode("windows-1251")

    assert paths(parse(engine, data, "x-unknown")) == ["жук"]


@pytest.mark.parametrize(
    ("label", "bad"), [("GBK", b"\xff"), ("windows-1253", b"\xd2"), ("x-sjis", b"\x81\x7f")]
)
def test_bytes_that_are_not_of_the_encoding_cost_their_url_alone(engine, label, bad):
    word = {"GBK": "中文", "windows-1253": "άλφα", "x-sjis": "日本"}[label]
    data = text_of(word, "~", word, encoding=label).encode(codec_of(label) or "").replace(b"~", bad)
    document = parse(engine, data)

    assert (paths(document), codes(document)) == ([word, word], ["U001", "X010", "X011"])
    last = list(document.entries)[-1]
    assert data[last.offset :].startswith(b"<url>")
    lost = next(problem for problem in document.problems if problem.code == "U001")
    assert data[lost.offset : lost.end] == b"https://e.com/" + bad


def test_utf_8_with_a_bad_byte_under_a_false_declaration_is_still_utf_8(engine):
    data = text_of("größe", "жук", "caf~", encoding="GBK").encode().replace(b"~", b"\xe9")

    assert paths(parse(engine, data)) == ["größe", "жук", "café"]


def test_urls_with_u_fffd_are_no_urls(engine, tmp_path):
    document = parse(engine, text_of("a", "caf\ufffd", encoding="UTF-8").encode())
    assert (paths(document), codes(document)) == (["a"], ["U001"])

    data = text_of("a", "b", encoding="UTF-16").encode("utf-16-le").replace(b"b\0<", b"\0\xdc<")
    assert paths(parse(engine, data)) == ["a"]

    with pytest.raises(ValueError, match=r"U\+FFFD"):
        urlset.write([{"loc": "https://e.com/caf\ufffd"}], tmp_path)


def test_offsets_of_every_width(engine):
    data = text_of("日本a中", "~", "b日", encoding="x-sjis").encode("cp932").replace(b"~", b"\xfd")
    document = parse(engine, data)

    for at, byte in enumerate(document.text):
        if byte == ord("<"):
            assert data[source_offset(at, document.runs)] == byte


def test_damaged_documents_are_decoded_in_threads_apart():
    texts = [
        text_of(*["中~"] * count, encoding="GBK").encode("gbk").replace(b"~", b"\xff")
        for count in range(1, 60)
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: len(urlset.parse(text).entries), texts))
    assert found == [0] * 59


def test_fix_keeps_bytes_that_it_cannot_read():
    data = text_of("a", "жук", encoding="x-unknown").encode("windows-1251")
    fixed = urlset.fix(data, unsafe=True)

    assert all("жук".encode("windows-1251") in document.after for document in fixed.documents)
