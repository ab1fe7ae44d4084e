"""SQL rules about files: names, feeds and namespaces; and input that they must not report."""

import gzip
import zlib

import pytest

from urlset.checker import check
from urlset.checker.examples import PAGE, whole
from urlset.http import Policy

PLAIN = whole().encode()
PACKED = gzip.compress(PLAIN, mtime=0)
TEXT = b"https://example.com/\n"
FEED = (
    b'<rss version="2.0"><channel><item><link>https://example.com/a</link></item></channel></rss>'
)
HTML = b"<!DOCTYPE html><html><body>Not found</body></html>"
SITEMAP_NS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def reported(documents, *codes):
    """The findings of these rules in each document, as level and words, by what it is called."""
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in check(documents, select=list(codes)):
        name = str(finding.source).rpartition("/")[2]
        found.setdefault(name, []).append((finding.level, finding.message))
    return found


# ── X027, T005: what the name of a file tells ────────────────────────────────────────────────


def at(names):
    return {f"https://example.com/{name}": data for name, data in names.items()}


def test_gz_name_mismatch():
    found = reported(
        at(
            {
                "a.xml.gz": PLAIN,
                "B.XML.GZ": PLAIN,
                "c.xml": PACKED,
                "d.xml.gz": PACKED,
                "e.xml.gzip": PACKED,
                "f.xml": PLAIN,
                "g.php?file=a.xml.gz": PLAIN,
                "h.xml.gz?v=2": PACKED,
                "i.xml.gz?v=2": PLAIN,
                "empty.gz": b"",
                "page.gz": HTML,
                "zlib.xml": zlib.compress(PLAIN),
                "gz": PLAIN,
            }
        ),
        "X027",
    )

    assert found == {
        "a.xml.gz": [("warning", "Name a.xml.gz ends in .gz but the file is not gzip")],
        "B.XML.GZ": [("warning", "Name b.xml.gz ends in .gz but the file is not gzip")],
        "c.xml": [("info", "File is gzip but its name c.xml does not end in .gz")],
        "i.xml.gz?v=2": [("warning", "Name i.xml.gz ends in .gz but the file is not gzip")],
    }


def test_text_extension():
    # Google: "must end in .txt"; sitemaps.org: any name.
    found = reported(
        at(
            {
                "a.txt": TEXT,
                "B.TXT": TEXT,
                "c.txt.gz": gzip.compress(TEXT),
                "d.csv": TEXT,
                "e.txt?v=1.csv": TEXT,
                "f?name=a.txt": TEXT,
                "g.xml": PLAIN,
                "h.feed": FEED,
                "itxt": TEXT,
                "list/": TEXT,  # no name
                "i.txt.bak": TEXT,
            }
        ),
        "T005",
    )

    assert found == {
        name: [("warning", f"Name of a text sitemap should end in .txt, found {shown}")]
        for name, shown in {
            "d.csv": "d.csv",
            "f?name=a.txt": "f",
            "itxt": "itxt",
            "i.txt.bak": "i.txt.bak",
        }.items()
    }


@pytest.mark.parametrize("name", ["a#1.txt", "a?b.txt", "50%.txt"])
def test_name_of_a_path_is_taken_as_it_is(tmp_path, name):
    (tmp_path / name).write_bytes(TEXT)

    assert reported(tmp_path / name, "X027", "T005") == {}


@pytest.mark.parametrize("data", [PACKED, TEXT, gzip.compress(TEXT)])
def test_bytes_have_no_name(data):
    assert reported(data, "X027", "T005") == {}


# ── F004 ─────────────────────────────────────────────────────────────────────────────────────

ROBOTS = "https://example.com/robots.txt"


@pytest.mark.parametrize(
    ("documents", "is_found"),
    [
        ({ROBOTS: b"", **at({"a.xml": FEED})}, True),
        ({ROBOTS: b"", **at({"a.xml": FEED, "b.xml": FEED})}, True),
        (at({"a.xml": FEED}), False),  # nobody knows what else the site has
        ({ROBOTS: b"", **at({"a.xml": FEED, "b.xml": PLAIN})}, False),
        ({ROBOTS: b"", **at({"a.xml": FEED, "b.xml": HTML})}, False),  # what should it have been?
    ],
)
def test_feed_only_recent(documents, is_found):
    words = "All sitemaps of the site are feeds, which list only recent URLs"

    assert reported(documents, "F004") == ({"a.xml": [("info", words)]} if is_found else {})


# ── S005 ─────────────────────────────────────────────────────────────────────────────────────


def page(child: str, path: str = "") -> str:
    return PAGE.replace(".com/", f".com/{path}").replace("</url>", f"{child}</url>")


def test_unknown_namespace():
    own = ' xmlns:a="urn:a" xmlns:b="urn:b" xmlns:mobile="http://www.google.com/schemas/sitemap-mobile/1.0"'
    entries = [
        page("<a:x/><a:y b:k='1'/>", "1"),
        page("<a:x>xmlns='no'</a:x><mobile:mobile/>", "2"),
        page('<z xmlns="urn:z&amp;y"/>', "3"),
        page("", "4"),
    ]

    found = reported(whole("\n".join(entries), attributes=own).encode(), "S005")

    words = "Elements in the namespace {}, which no search engine is known to read (entries: {})"
    assert sorted(found["None"]) == [
        ("info", words.format("urn:a", 2)),
        ("info", words.format("urn:b", 1)),
        ("info", words.format("urn:z&amp;y", 1)),
    ]


@pytest.mark.parametrize(
    "attribute",
    ["", ' xmlns:a="urn:a"', ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'],
)
def test_unknown_namespace_is_of_elements(attribute):
    assert reported(whole(attributes=attribute).encode(), "S005") == {}


# ── S023 ─────────────────────────────────────────────────────────────────────────────────────

XSI = "http://www.w3.org/2001/XMLSchema-instance"
PAIR = f"{SITEMAP_NS} {SITEMAP_NS}/sitemap.xsd"
INDEX_PAIR = PAIR.replace("sitemap.xsd", "siteindex.xsd")
INDEX = (
    f'<sitemapindex xmlns="{SITEMAP_NS}"{{}}><sitemap>'
    "<loc>https://example.com/none.xml</loc></sitemap></sitemapindex>"
)


@pytest.mark.parametrize(
    ("value", "uri", "words"),
    [
        (PAIR, XSI, None),
        (f"\n  {PAIR}\n\turn:a  a.xsd ", XSI, None),
        ("", XSI, None),
        (SITEMAP_NS, XSI, "has an odd number of parts"),
        (f"{PAIR} urn:a", XSI, "has an odd number of parts"),
        (" ".join(reversed(PAIR.split())), XSI, f"names the schema {SITEMAP_NS}/sitemap.xsd where"),
        (INDEX_PAIR, XSI, "names the schema of indexes"),
        (PAIR, XSI.lower(), f"has a prefix that stands for {XSI.lower()}"),
    ],
)
def test_schema_location(value, uri, words):
    attributes = f' xmlns:xsi="{uri}" xsi:schemaLocation="{value}"'

    found = reported(whole(attributes=attributes).encode(), "S023")

    if words is None:
        assert found == {}
    else:
        [(level, message)] = found["None"]
        assert (level, message.startswith(f"xsi:schemaLocation {words}")) == ("info", True)


@pytest.mark.parametrize(("pair", "count"), [(INDEX_PAIR, 0), (PAIR, 1)])
def test_schema_location_of_an_index(pair, count):
    attributes = f' xmlns:xsi="{XSI}" xsi:schemaLocation="{pair}"'

    found = reported({"https://example.com/i.xml": INDEX.format(attributes).encode()}, "S023")

    assert sum(map(len, found.values())) == count


# ── what is not reported: a document that is broken is mended first ──────────────────────────────

BAD = "<url id='1'><loc>https://example.com/</loc><lastmod>yesterday</lastmod></url>"


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (whole(BAD), {"S012"}),
        (whole(BAD + page("<b>", "a&b")), {"X002", "X003"}),
        (whole(BAD).removesuffix("</urlset>"), {"X009"}),
        (whole(BAD).replace("urlset", "pages"), {"S001"}),
        (BAD + PAGE + PAGE, {"S001"}),  # no root; each is another document (X024)
        (f"<!DOCTYPE html><html><body>{BAD} a & b", {"X019"}),
        (f"PK\x03\x04{BAD}", {"X029"}),
        ("BZh9\nnot a URL\nhttps://example.com/ https://example.com/a", {"X029"}),
        (zlib.compress(whole(BAD).encode()), {"X029", "S012"}),
    ],
)
def test_what_follows_from_a_broken_document_is_not_reported(data, codes):
    data = data if isinstance(data, bytes) else data.encode()

    found = check(data, select=["X", "S", "T", "U012", "P005"])

    assert set(found.by_rule) == codes
    assert {finding.code for finding in found} == codes


def test_what_is_broken_hides_nothing_in_other_documents():
    broken = whole(BAD).removesuffix("</urlset>").encode()

    found = check(at({"a.xml": broken, "b.xml": whole(BAD).encode()}), select=["X", "S"])

    assert {(f.code, str(f.source)[-5:]) for f in found} == {("X009", "a.xml"), ("S012", "b.xml")}


def test_gz_name_mismatch_is_not_reported_where_the_server_packed_the_file(box):
    # Many servers send a file .gz as it is, with Content-Encoding: gzip.
    packed = box.put("/a.xml.gz", PACKED, content_encoding="gzip")
    plain = box.put("/b.xml.gz", PLAIN)
    policy = Policy(proxies={})

    assert list(check(packed, select=["X027"], policy=policy)) == []
    assert [f.level for f in check(plain, select=["X027"], policy=policy)] == ["warning"]


# ── S021, I005: what follows from entries without a URL is not reported ──────────────────────────


@pytest.mark.parametrize(
    ("entries", "codes"),
    [
        ("", "S021"),
        ("<url><loc>/a</loc></url><url><loc>/b</loc></url>", "U001"),
        ("<url></url>", "S007"),
    ],
)
def test_no_urls_is_not_reported_beside_what_is_wrong_with_each(entries, codes):
    page = whole(entries).encode()
    index = page.replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>")

    found = [finding.code for finding in check({"a.xml": page}, select=["S", "U0"])]
    of_index = [finding.code for finding in check({"i.xml": index}, select=["S", "U0", "I005"])]

    assert set(found) == {codes}
    assert set(of_index) == {codes.replace("S021", "I005")}
