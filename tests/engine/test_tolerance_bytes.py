"""Tolerances of the reader: bytes: byte order marks, text around the root, encodings."""

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


# 9 | UTF-8 BOM | strip | X013
def test_row_09_byte_order_mark(engine):
    document = read(engine, b"\xef\xbb\xbf" + WHOLE)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X013"])


# 10 | leading newline / blank lines before `<?xml` | strip whitespace | X006
@pytest.mark.parametrize("blank", [b"\n", b" ", b"\t", b"\r\n" * 30])
def test_row_10_leading_blank_lines(engine, blank):
    document = read(engine, blank + WHOLE)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X006"])


@pytest.mark.parametrize(("count", "words"), [(1, "1 byte"), (2, "2 bytes")])
def test_bytes_are_counted_in_words(engine, count, words):
    (problem,) = read(engine, b"\n" * count + WHOLE).problems
    assert problem.message == f"{words} of white space before the XML declaration"
    (problem,) = read(engine, A.encode() + b"\xe9" * count).problems
    assert problem.message.startswith(f"{words} {'is' if count == 1 else 'are'} not valid UTF-8")


def test_row_10_leading_blank_lines_without_declaration_are_legal(engine):
    document = read(engine, f"\n\n{BODY}".encode())
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])


# 11 | BOM after newline, double BOM | strip | X014
@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("\n\ufeff", ["X006", "X014"]),
        ("\ufeff\ufeff", ["X013", "X014"]),
        ("\ufeff\n\ufeff", ["X006", "X013", "X014"]),
    ],
)
def test_row_11_misplaced_byte_order_mark(engine, start, expected):
    document = read(engine, start.encode() + WHOLE)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], expected)


# 12 | PHP notice / HTML before `<?xml` | skip to first `<?xml` or known root within 64 KiB | X007
@pytest.mark.parametrize(
    "junk",
    [
        "<br />\n<b>Notice</b>:  Undefined index: x in <b>/www/s.php</b> on line <b>3</b><br />\n",
        "Warning: session_start(): https://example.com/no in /s.php on line 3\n",
        "<!-- cached --><div class='x'>",
        "<script>if (a < b && c) {}</script>\n",
        "x" * 60_000,
        "&nbsp;",
    ],
)
@pytest.mark.parametrize("rest", [WHOLE, BODY.encode()])
def test_row_12_junk_before_the_root(engine, junk, rest):
    document = read(engine, junk.encode() + rest)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X007"])


def test_row_12_junk_beyond_64_kib(engine):
    document = read(engine, b"<p>" + b"x" * 70_000 + WHOLE)
    assert (document.kind, locs(document)) == ("unknown", [])
    assert any(problem.level == "error" for problem in document.problems)


# 13 | no XML declaration; single quotes; XML 1.1; extra attributes | accept | X017
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BODY, []),
        (f"<?xml version='1.0' encoding='UTF-8'?>\n{BODY}".replace('"', "'"), []),
        (f'<?xml version="1.1" encoding="UTF-8" standalone="yes"?>\n{BODY}', []),
        (BODY.replace("<url>", '<url id="1" xml:lang="de">'), ["S012"]),
        (BODY.replace("<loc>", '<loc type="page">'), ["S012"]),
        (BODY.replace("<urlset", '<urlset version="1"'), ["S012"]),
    ],
)
def test_row_13_declaration_and_attributes(engine, text, expected):
    document = read(engine, text.encode())
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], expected)


# 14 | trailing junk, NUL padding | stop at root end tag | X008 X005
@pytest.mark.parametrize(
    ("junk", "expected"),
    [
        (b"<!-- Page cached by X in 0.3 s -->\n", []),
        (b"\nDebug: 0.123 s\n", ["X008"]),
        (b"<script>x()</script>", ["X008"]),
        (b"<url><loc>https://example.com/no</loc></url>", ["X008"]),
        (b"</urlset>", ["X008"]),
        (b"\0" * 512, ["X005"]),
        (b"\n\0\0\n", ["X005"]),
    ],
)
def test_row_14_trailing_junk(engine, junk, expected):
    document = read(engine, WHOLE + junk)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], expected)


# 19 | Latin-1/cp1252 bytes under a UTF-8 declaration | decode the bad runs as cp1252, report | X010
def test_row_19_latin1_bytes_under_a_utf8_declaration(engine):
    data = urls("caf~", "größe/~~", "plain").encode().replace(b"~", b"\xe9")
    document = read(engine, data)
    expected = [f"https://example.com/{path}" for path in ("café", "größe/éé", "plain")]
    assert (document.kind, locs(document), codes(document)) == ("urlset", expected, ["X010"])
    (problem,) = document.problems
    assert (problem.offset, data[problem.offset]) == (data.index(b"\xe9"), 0xE9)


def test_row_19_windows_1252_quotes(engine):
    document = read(engine, urls("~x~").encode().replace(b"~", b"\x92"))
    assert locs(document) == ["https://example.com/’x’"]


# 20 | honest ISO-8859-1 declaration | honour | X011
@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "iso-8859-15"])
def test_row_20_honest_declaration(engine, encoding):
    document = read(engine, urls("café", "b", encoding=encoding).encode(encoding))
    expected = ["https://example.com/café", B]
    assert (document.kind, locs(document), codes(document)) == ("urlset", expected, ["X011"])


@pytest.mark.parametrize(
    ("encoding", "path"), [("GBK", "中文"), ("windows-1251", "жук"), ("Shift_JIS", "日本")]
)
def test_row_20_honest_declaration_of_other_scripts(engine, encoding, path):
    document = read(engine, urls(path, "b", encoding=encoding).encode(encoding))
    assert (locs(document), codes(document)) == ([f"https://example.com/{path}", B], ["X011"])


# 21 | declares UTF-16, bytes UTF-8; unknown encoding | BOM > sniff > declaration > UTF-8 | X012
@pytest.mark.parametrize("encoding", ["UTF-16", "utf-32", "x-unknown", "none"])
def test_row_21_false_declaration(engine, encoding):
    document = read(engine, urls("café", "b", encoding=encoding).encode())
    expected = ["https://example.com/café", B]
    assert (document.kind, locs(document), codes(document)) == ("urlset", expected, ["X012"])


def test_row_21_declares_latin1_but_is_utf8(engine):
    document = read(engine, urls("café", "b", encoding="ISO-8859-1").encode())
    assert (locs(document), codes(document)) == (["https://example.com/café", B], ["X012"])


def test_row_21_byte_order_mark_outranks_the_declaration(engine):
    """The mark says UTF-8; one bad byte does not make all the rest Latin-1."""
    data = b"\xef\xbb\xbf" + urls("größe", "caf~", encoding="ISO-8859-1").encode().replace(
        b"~", b"\xe9"
    )
    document = read(engine, data)
    expected = ["https://example.com/größe", "https://example.com/café"]
    assert (document.kind, locs(document)) == ("urlset", expected)
    assert {"X010", "X013"} <= set(codes(document)) <= {"X010", "X012", "X013"}


# 22 | real UTF-16/32 with BOM | decode | X011
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_row_22_wide_encodings(engine, codec, mark):
    data = (mark + urls("café/日本/🐍", "b", encoding=codec[:6].upper())).encode(codec)
    document = read(engine, data)
    expected = ["https://example.com/café/日本/🐍", B]
    assert (document.kind, locs(document), codes(document)) == ("urlset", expected, ["X011"])


# 23 | HTTP charset vs declaration | BOM, then HTTP charset (RFC 7303), then declaration; fall
#      through on decode error | N005 (of the live checks)
@pytest.mark.parametrize(
    ("declared", "charset", "codec", "path"),
    [
        ("ISO-8859-1", "windows-1251", "windows-1251", "жук"),  # HTTP outranks the declaration
        ("windows-1251", "utf-8", "windows-1251", "жук"),  # HTTP is wrong, the declaration is not
        ("GBK", "utf-16", "GBK", "中文"),
        ("windows-1251", "no-such-charset", "windows-1251", "жук"),
        ("UTF-8", "iso-8859-1", "utf-8", "жук"),  # valid UTF-8 is UTF-8
    ],
)
def test_row_23_charset_of_http(engine, declared, charset, codec, path):
    data = urls(path, "b", encoding=declared).encode(codec)
    document = read(engine, data, content_type=f'application/xml; charset="{charset}"')
    assert (document.kind, locs(document)) == ("urlset", [f"https://example.com/{path}", B])


def test_row_23_byte_order_mark_outranks_the_charset_of_http(engine):
    data = ("\ufeff" + urls("жук", "b")).encode()
    document = read(engine, data, content_type="text/xml; charset=windows-1251")
    assert locs(document) == ["https://example.com/жук", B]


# 40 | wrong Content-Type (`text/html`, `text/plain`, …) | ignore header, sniff bytes | N004 (live)
@pytest.mark.parametrize(
    "content_type", ["text/html", "text/plain", "application/octet-stream", "", "x"]
)
def test_row_40_wrong_content_type(engine, content_type):
    document = read(engine, WHOLE, content_type=content_type)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])
