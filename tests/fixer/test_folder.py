"""`check --fix` of a folder: only sitemaps are changed, whatever other files it has."""
# ruff: noqa: E501 - the tables of file types have a row for several types

from __future__ import annotations

import gzip
import hashlib
import os
import random
import shutil
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from tests.cli.test_commands import NS, command
from urlset import fix, parse, read, unified_diff, write_fixed
from urlset.errors import SourceError
from urlset.formats.detect import has_sitemap_ending
from urlset.reader.documents import rejection_reason

XMP = (
    b'<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 5.4.0">\n'
    b' <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
    b'  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
    b"   <dc:source>https://example.com/a?b&c</dc:source>\n"
    b'  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end="w"?>'
)
QUOTED = f"<urlset {NS}><url><loc>https://example.com/?a&b</loc></url></urlset>".encode()
FEED = b'<rss version="2.0"><channel><item><link>https://example.com/?a&b</link></item></channel>'
BAD_LATIN = f"<urlset {NS}><url><loc>https://e.com/\xe9?a&b</loc></url></urlset>".encode("latin-1")
LINES = b"\n https://example.com/a \n\nhttps://example.com/b\n"
PAYLOADS = {"xmp": XMP, "quoted": QUOTED, "feed": FEED, "lines": LINES}

# How files of binary formats begin (https://www.iana.org/assignments/media-types,
# https://en.wikipedia.org/wiki/List_of_file_signatures), with one of their endings.
MAGIC = {
    "png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff\xe1\x00\x18Exif\0\0", "gif": b"GIF89a\x01\0",
    "webp": b"RIFF\x24\0\0\0WEBPVP8X", "bmp": b"BM6\0\0\0", "tif": b"II*\0\x08\0\0\0",
    "tiff": b"MM\0*\0\0\0\x08", "ico": b"\0\0\1\0\1\0", "cur": b"\0\0\2\0", "psd": b"8BPS\0\1",
    "heic": b"\0\0\0\x18ftypheic", "avif": b"\0\0\0\x1cftypavif", "jp2": b"\0\0\0\x0cjP  \r\n",
    "jxl": b"\xff\n\xfa", "xcf": b"gimp xcf v011\0", "dds": b"DDS |\0\0\0", "exr": b"v/1\1",
    "hdr": b"#?RADIANCE\n\0", "pcx": b"\n\5\1\x08", "ppm": b"P6\n2 2\n255\n\xff", "icns": b"icns\0",
    "cr2": b"II*\0\x10\0\0\0CR", "nef": b"MM\0*\0\0\0\x08\0", "dng": b"II*\0\x08\0\0\0\x1b",
    "wmf": b"\xd7\xcd\xc6\x9a", "emf": b"\1\0\0\0 EMF\0", "djvu": b"AT&TFORM\0", "qoi": b"qoif\0",
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "ps": b"%!PS-Adobe-3.0\n\x04", "eps": b"\xc5\xd0\xd3\xc6",
    "ai": b"%PDF-1.5\r%\xe2\xe3", "indd": b"\6\6\xed\xf5\xd8\x1d", "mp3": b"ID3\4\0\0", "aac": b"\xff\xf1",
    "wav": b"RIFF\x24\0\0\0WAVEfmt ", "aif": b"FORM\0\0\0\0AIFF", "flac": b"fLaC\0", "ogg": b"OggS\0",
    "opus": b"OggS\0\2OpusHead", "m4a": b"\0\0\0\x20ftypM4A ", "mid": b"MThd\0\0", "amr": b"#!AMR\n\0",
    "au": b".snd\0", "wma": b"0&\xb2u\x8ef\xcf\x11", "mp4": b"\0\0\0\x18ftypmp42", "mov": b"\0\0\0\x14ftypqt  ",
    "mkv": b"\x1aE\xdf\xa3", "webm": b"\x1aE\xdf\xa3\x93", "avi": b"RIFF\0\0\0\0AVI ", "flv": b"FLV\1\5",
    "wmv": b"0&\xb2u\x8e", "mpg": b"\0\0\1\xba", "3gp": b"\0\0\0\x14ftyp3gp5", "swf": b"CWS\x0a\0",
    "zip": b"PK\3\4\x14\0", "jar": b"PK\3\4\n\0", "docx": b"PK\3\4\x14\0\6\0", "xlsx": b"PK\3\4\x14\0\6",
    "pptx": b"PK\3\4\x14\0\6\1", "odt": b"PK\3\4mimetype", "ods": b"PK\3\4mimetypea", "epub": b"PK\3\4mimet",
    "apk": b"PK\3\4\0\0", "xpi": b"PK\3\4\1", "whl": b"PK\3\4\2", "nupkg": b"PK\3\4\3", "doc": b"\xd0\xcf\x11\xe0",
    "xls": b"\xd0\xcf\x11\xe0\xa1", "ppt": b"\xd0\xcf\x11\xe0\xa1\xb1", "msi": b"\xd0\xcf\x11\xe0\0",
    "rar": b"Rar!\x1a\7\0", "7z": b"7z\xbc\xaf\x27\x1c", "xz": b"\xfd7zXZ\0", "bz2": b"BZh91AY&SY",
    "zst": b"\x28\xb5\x2f\xfd", "lz4": b"\x04\x22\x4d\x18", "lz": b"LZIP\1", "br": b"\x8b\x03\x80",
    "gz": b"\x1f\x8b\x08\0", "tgz": b"\x1f\x8b\x08\x08", "tar": b"a.txt".ljust(257, b"\0") + b"ustar\0",
    "cpio": b"070701\0", "deb": b"!<arch>\ndebian-binary\0", "rpm": b"\xed\xab\xee\xdb", "cab": b"MSCF\0",
    "iso": b"\0" * 64 + b"CD001", "dmg": b"x\x01sb`\0", "img": b"\xeb\x3c\x90", "vmdk": b"KDMV\0",
    "exe": b"MZ\x90\0", "dll": b"MZ\x90\0\3", "so": b"\x7fELF\2\1", "o": b"\x7fELF\1", "a": b"!<arch>\n\0",
    "dylib": b"\xcf\xfa\xed\xfe", "class": b"\xca\xfe\xba\xbe\0", "pyc": b"\xa7\r\r\n\0", "wasm": b"\0asm\1\0",
    "dex": b"dex\n035\0", "elc": b";ELC\x17\0", "beam": b"FOR1\0", "luac": b"\x1bLua", "pdb": b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0",
    "ttf": b"\0\1\0\0\0\x11", "otf": b"OTTO\0\x0b", "woff": b"wOFF\0", "woff2": b"wOF2\0", "eot": b"LP\0\0",
    "pfb": b"\x80\1\xb2\x1f", "pcf": b"\1fcp\xff", "bdf": b"STARTFONT 2.1\n\0", "sqlite": b"SQLite format 3\0",
    "duckdb": b"\0" * 8 + b"DUCK", "parquet": b"PAR1\x15", "arrow": b"ARROW1\0\0", "orc": b"ORC\0",
    "avro": b"Obj\1", "db": b"\0\6\x15\x61", "mdb": b"\0\1\0\0Standard Jet DB", "dbf": b"\3\x7a\1\1",
    "pcap": b"\xd4\xc3\xb2\xa1", "mo": b"\xde\x12\4\x95", "gmo": b"\x95\4\x12\xde", "nib": b"NIBArchive\0",
    "pkl": b"\x80\4\x95", "npy": b"\x93NUMPY\1\0", "npz": b"PK\3\4N", "h5": b"\x89HDF\r\n\x1a\n", "mat": b"MATLAB 5.0\0",
    "onnx": b"\x08\7\x12\7", "pt": b"PK\3\4P", "gguf": b"GGUF\3\0", "safetensors": b"\x40\0\0\0{", "swp": b"b0VIM 8.2\0",
    "gpg": b"\x99\1\x0d\4", "p12": b"0\x82\x0a\0", "der": b"0\x82\3\0", "jks": b"\xfe\xed\xfe\xed", "keychain": b"kych\0",
    "torrent": b"d8:announce\xff\0", "lnk": b"L\0\0\0\1\x14\2", "chm": b"ITSF\3\0", "mobi": b"BOOKMOBI\0",
    "blend": b"BLENDER-v300\0", "glb": b"glTF\2\0", "stl": b"solid\0", "3ds": b"MM\0\0", "dwg": b"AC1032\0",
    "shp": b"\0\0\x27\x0a", "tfm": b"\0\x12\0", "dvi": b"\xf7\2", "pak": b"PACK\0", "bin": b"\0\xff\0\xff", "dat": b"\1\2\3\0",
}  # fmt: skip
TEXTS = {
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg"><metadata>', b"</metadata><path/></svg>\n"),
    "html": (b"<!DOCTYPE html>\n<html><body><pre>", b"</pre></body></html>\n"),
    "htm": (b"<html><body>", b"</body></html>"), "xhtml": (b"<html>", b"</html>"),
    "md": (b"# A\n\n```xml\n", b"\n```\n"), "rst": (b"A\n=\n\n", b"\n"), "adoc": (b"= A\n\n", b"\n"),
    "json": (b'{"a": "', b'"}\n'), "jsonl": (b'{"loc": "', b'"}\n'), "yaml": (b"a: |\n  ", b"\n"),
    "toml": (b'a = """', b'"""\n'), "ini": (b"[a]\nb = ", b"\n"), "csv": (b"loc,lastmod\n", b",\n"),
    "tsv": (b"loc\tlastmod\n", b"\t\n"), "sql": (b"INSERT INTO a VALUES ('", b"');\n"),
    "py": (b'A = """', b'"""\n'), "js": (b"const a = `", b"`;\n"), "ts": (b"const a = `", b"`;\n"),
    "css": (b"/* ", b" */\n"), "scss": (b"// ", b"\n"), "sh": (b"#!/bin/sh\ncat <<E\n", b"\nE\n"),
    "zsh": (b"#compdef a\n", b"\n"), "pl": (b"print <<E;\n", b"\nE\n"), "rb": (b"a = <<E\n", b"\nE\n"),
    "php": (b"<?php echo '", b"';\n"), "go": (b"const a = `", b"`\n"), "rs": (b'const A: &str = r#"', b'"#;\n'),
    "c": (b"/* ", b" */\n"), "h": (b"/* ", b" */\n"), "cpp": (b'auto a = R"(', b')";\n'), "java": (b"/* ", b" */\n"),
    "kt": (b'val a = """', b'"""\n'), "swift": (b'let a = """', b'"""\n'), "lua": (b"a = [[", b"]]\n"), "r": (b'a <- "', b'"\n'),
    "tex": (b"\\begin{verbatim}\n", b"\n\\end{verbatim}\n"), "bib": (b"@misc{a, url = {", b"}}\n"), "vcf": (b"BEGIN:VCARD\nURL:", b"\n"),
    "ics": (b"BEGIN:VCALENDAR\nURL:", b"\n"), "eml": (b"From: a@example.com\n\n", b"\n"), "log": (b"GET / ", b" 200\n"),
    "patch": (b"--- a\n+++ b\n@@ -1 +1 @@\n+", b"\n"), "po": (b'msgid ""\nmsgstr "', b'"\n'), "conf": (b"a = ", b"\n"),
    "cmake": (b"# ", b"\n"), "mk": (b"# ", b"\n"), "url": (b"[InternetShortcut]\nURL=", b"\n"), "mirrors": (b"#LOC:AT\n", b"\n"),
    "pom": (b"<project><url>", b"</url></project>\n"), "xsl": (b"<xsl:stylesheet>", b"</xsl:stylesheet>\n"),
    "xsd": (b"<xs:schema>", b"</xs:schema>\n"), "rdf": (b"<x>", b"</x>\n"), "kml": (b"<kml>", b"</kml>\n"), "gpx": (b"<gpx>", b"</gpx>\n"),
    "opml": (b"<opml>", b"</opml>\n"), "plist": (b"<plist><string>", b"</string></plist>\n"), "xmp": (b"", b"\n"), "webmanifest": (b'{"a":"', b'"}'),
    # These may be sitemaps by their ending: the content decides.
    "docbook.a.xml": (b'<?xml version="1.0"?>\n<book><para>', b"</para></book>\n"),
    "cdata.a.xml": (b"<book><para><![CDATA[", b"]]></para></book>\n"),
    "image.a.xml": (b'<svg xmlns="http://www.w3.org/2000/svg"><metadata>', b"</metadata></svg>\n"),
    "page.a.xml": (b"<html><body><pre>", b"</pre></body></html>\n"),
    "README.a.txt": (b"A program\n=========\n\nSee also the pages:\n\nand\nmore\nwords\n\n", b"\nthe end\n"),
    "logged.a.txt": (b"\n".join(b"2026-01-01 fetched %d" % n for n in range(9)), b"\nended\n"),
    "binary.a.txt": (b"\0\1\2", b"\0"), "latin.a.txt": (b"caf\xe9\na\nb\nc\nd\n", b"\n"),
}  # fmt: skip


def tree(folder: Path) -> dict[str, str]:
    """Write a file of each type with each payload; return their digests by path."""
    for payload, content in PAYLOADS.items():
        (folder / payload).mkdir()
        for ending, magic in MAGIC.items():
            body = magic + b"\0\x07\xff" + content + b"\0\x80 trailing \xfe"
            (folder / payload / f"a.{ending}").write_bytes(body)
        for ending, (start, end) in TEXTS.items():
            name = ending if ".a." in ending else f"a.{ending}"
            (folder / payload / name).write_bytes(start + content + end)
    (folder / "real.png").write_bytes(png())
    packed = gzip.compress(b"%PDF-1.7\n" + XMP)
    (folder / "manual.pdf.gz").write_bytes(packed)
    (folder / "foaf.a.xml").write_bytes(XMP[XMP.index(b"<rdf") : XMP.index(b"</x:xmp")])
    return digests(folder)


def png() -> bytes:
    """An image of one pixel with XMP in it, as a program for images writes it."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    text = b"XML:com.adobe.xmp\0\0\0\0\0" + XMP
    pixels = zlib.compress(b"\0\xff\0\0")
    parts = (
        chunk(b"IHDR", header),
        chunk(b"iTXt", text),
        chunk(b"IDAT", pixels),
        chunk(b"IEND", b""),
    )
    return MAGIC["png"] + b"".join(parts)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_tree_has_files_of_two_hundred_types() -> None:
    assert len(MAGIC.keys() | TEXTS.keys()) >= 200


@pytest.mark.parametrize("unsafe", [False, True])
def test_fixing_a_folder_changes_no_file_that_is_no_sitemap(tmp_path: Path, unsafe: bool) -> None:
    before = tree(tmp_path)
    bad = f"<urlset {NS}><url><loc>https://example.com/?a&b</loc></url></urlset>"
    (tmp_path / "pages.xml").write_text(bad)

    fixed = fix(tmp_path, unsafe=unsafe, extend_select=["G053", "X018", "P001"])
    write_fixed(fixed.documents, backup=False)

    assert [document.name for document in fixed.documents] == [str(tmp_path / "pages.xml")]
    after = digests(tmp_path)
    assert after.pop("pages.xml") != hashlib.sha256(bad.encode()).hexdigest()
    assert after == before


def test_no_file_that_is_no_sitemap_is_read_or_checked_or_built_from(tmp_path: Path) -> None:
    tree(tmp_path)
    with pytest.raises(SourceError, match="expected a folder with sitemaps, found none"):
        list(read(tmp_path))


@pytest.mark.parametrize("unsafe", [False, True])
def test_an_index_leads_no_fix_to_a_file_that_is_no_sitemap(tmp_path: Path, unsafe: bool) -> None:
    before = tree(tmp_path)
    rows = "".join(f"<sitemap><loc>https://example.com/{name}</loc></sitemap>\n" for name in before)
    (tmp_path / "sitemap.xml").write_text(f"<sitemapindex {NS}>\n{rows}</sitemapindex>\n")

    fixed = fix(tmp_path, unsafe=unsafe, ignore=["I", "D"])
    write_fixed(fixed.documents, backup=False)

    after = digests(tmp_path)
    after.pop("sitemap.xml")
    assert after == before


@pytest.mark.parametrize(
    "name", ["real.png", "xmp/a.svg", "quoted/docbook.a.xml", "lines/README.a.txt"]
)
def test_a_file_that_is_named_is_checked_but_only_a_sitemap_is_fixed(
    tmp_path: Path, name: str, capsys, monkeypatch
) -> None:
    before = tree(tmp_path)
    urlset = command(capsys, monkeypatch, tmp_path)

    ran = urlset("check", name, "--fix", "--unsafe-fixes")

    assert digests(tmp_path) == before
    assert f"not fixed: {name}: it is not a sitemap" in ran.err
    assert "nothing to fix" in ran.err


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (f"<urlset {NS}><url><loc>https://e.com/?a&b</loc></url></urlset>\0\0".encode(), "NUL"),
        (f"<urlset {NS}><url><loc>https://e.com/\xe9?a&b</loc></url>".encode("latin-1"), "valid"),
        (b"https://e.com/a\n\n https://e.com/\xff\n", "valid"),
        (
            b'<?xml version="1.0" encoding="x-nobody-knows"?>' + BAD_LATIN,
            "valid",
        ),
        (b"User-agent: *\r\n\r\nDisallow:\r\n https://e.com/ \r\n", "not a sitemap"),
    ],
)
def test_what_was_not_decoded_is_never_fixed(data: bytes, why: str) -> None:
    fixed = fix(data, unsafe=True)
    assert fixed.documents == []
    assert [(code, why in words) for code, _, words in fixed.remaining] == [("", True)]


@pytest.mark.parametrize(
    "data",
    [
        QUOTED,
        b"\xef\xbb\xbf\n \n" + QUOTED,
        b'<?xml version="1.0"?><!-- <svg> --><?x <svg> ?>' + QUOTED,
        b"<br />\n<b>Warning</b>: include() in <b>/srv/a.php</b> on line <b>1</b><br />\n" + QUOTED,
        QUOTED + b"<script>a()</script>",
        QUOTED.decode().encode("utf-16"),
        gzip.compress(QUOTED),
        b'<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://a/"><item><link>https://e.com/'
        b"</link></item></rdf:RDF>",
        b'<rdf:RDF xmlns="http://my.netscape.com/rdf/simple/0.9/"><item><link>https://e.com/</link>'
        b"</item></rdf:RDF>",
        FEED,
        LINES,
    ],
)
def test_a_sitemap_with_faults_is_one_whatever_its_name(data: bytes, tmp_path: Path) -> None:
    assert rejection_reason(parse(data)) is None
    name = "pages.txt" if data == LINES else "pages.xml.gz" if data[:1] == b"\x1f" else "pages.xml"
    (tmp_path / name).write_bytes(data)
    assert len(list(read(tmp_path))) >= 1


@settings(
    max_examples=amount(30, 600),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 1 << 32))
def test_random_mixtures_of_files_stay_as_they_are(tmp_path_factory, seed: int) -> None:
    """Bytes of one type in front of, around and behind those of another one."""
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("mixtures")
    pieces = [*MAGIC.values(), *(side for pair in TEXTS.values() for side in pair)]
    for number in range(10):
        outer = chance.choice([b"<svg>", b"<x:xmpmeta>", b"\0\xff", b"%PDF-1.4\n\xe2\0"])
        end = b"</" + outer[1:] if outer.startswith(b"<") else b"\0"
        noise = chance.choice(pieces) if not outer.startswith(b"<") else b""
        payload = chance.choice([XMP, QUOTED, FEED])
        data = outer + noise + payload + chance.choice(pieces) + end
        ending = chance.choice(["xml", "txt", "rss", "atom", "png"])
        data = gzip.compress(data) if chance.random() < 0.2 else data
        (folder / f"{number}.{ending}").write_bytes(data)
    before = digests(folder)
    with suppress(SourceError):  # as it should be: nothing in it is a sitemap
        write_fixed(fix(folder, unsafe=True).documents, backup=False)
    assert digests(folder) == before, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/usr/share/doc"), reason="no /usr/share/doc to copy from")
def test_a_sample_of_real_files_stays_as_it_is(tmp_path: Path) -> None:
    chance = random.Random(11)
    by_ending: dict[str, list[str]] = {}
    for folder, folders, names in os.walk("/usr/share"):
        folders.sort()
        for name in sorted(names):
            by_ending.setdefault(os.path.splitext(name)[1].lower(), []).append(
                os.path.join(folder, name)
            )
    for number, paths in enumerate(by_ending[ending] for ending in sorted(by_ending)):
        for path in chance.sample(paths, min(3, len(paths))):
            if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                (tmp_path / str(number)).mkdir(exist_ok=True)
                shutil.copy(path, tmp_path / str(number) / os.path.basename(path))
    before = digests(tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(QUOTED)

    write_fixed(fix(tmp_path, unsafe=True).documents, backup=False)

    after = digests(tmp_path)
    changed = {name for name in before if after[name] != before[name]}
    assert {name for name in changed if not has_sitemap_ending(name)} == set()
    for name in changed:  # lists of URLs and feeds are sitemaps; each still is one
        assert rejection_reason(parse((tmp_path / name).read_bytes())) is None


def test_the_result_of_a_fix_is_written_and_shown_as_it_is(tmp_path):
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(QUOTED)
    fixed = fix(tmp_path)

    lines = [*unified_diff(fixed)]
    written = write_fixed(fixed, backup=False)

    assert lines == [line for each in fixed.documents for line in unified_diff(each)]
    assert [path.name for path in written] == ["a.xml", "b.xml"]
    assert b"?a&amp;b" in written[1].read_bytes()


def test_a_single_fixed_document_is_written(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(QUOTED)

    assert write_fixed(fix(path).documents[0], backup=False) == [path]


@pytest.mark.parametrize("given", [None, "a.xml", [b"a.xml"]])
def test_what_is_no_fixed_document_is_refused(given):
    message = "documents: expected the result of urlset.fix, or its documents, found "
    with pytest.raises(TypeError, match=message):
        write_fixed(given)
