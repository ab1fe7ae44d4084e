"""Hostile input: bombs, depth, NULs, truncation, noise; never an exception, never half a URL."""

import gzip
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.cpu_time import growth
from urlset import Document
from urlset.engine import available, get
from urlset.protocol import MAX_ATTRIBUTES, MAX_DIAGNOSTICS

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
BASE = "https://example.com/dir/sitemap.xml"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{CORE}">\n'
A = "<url><loc>https://example.com/a</loc></url>"
B = "<url><loc>https://example.com/b</loc></url>"


def parse(engine, text: str | bytes, **options) -> Document:
    data = text.encode() if isinstance(text, str) else text
    document = urlset.parse(data, base_url=BASE, engine=engine.name, **options)
    for problem in document.problems:
        assert 0 <= problem.offset <= problem.end
    return document


def locs(document: Document) -> list[str]:
    return [row.loc for row in (*document.entries, *document.sitemaps)]


def codes(document: Document) -> set[str]:
    return {problem.code for problem in document.problems}


# ── bombs ──


def test_billion_laughs(engine):
    levels = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(12))
    text = f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{levels}]>\n'
    body = f"{A}<url><loc>https://example.com/&l12;</loc></url>{B}</urlset>"
    document = parse(engine, text + HEAD.split("\n", 1)[1] + body)
    assert locs(document) == ["https://example.com/a", "https://example.com/b"]
    assert {"X015", "X016"} <= codes(document)


def test_entities_that_name_each_other(engine):
    text = '<!DOCTYPE u [<!ENTITY a "&b;"><!ENTITY b "&a;"><!ENTITY c "&c;">]>'
    body = "".join(f"<url><loc>https://example.com/&{name};</loc></url>" for name in "abc")
    document = parse(engine, f'{text}<urlset xmlns="{CORE}">{A}{body}</urlset>')
    assert locs(document) == ["https://example.com/a"]
    assert "X016" in codes(document)


def test_quadratic_entities(engine):
    """One long entity, named often: what is made of it stays under the limit of a document."""
    text = f'<!DOCTYPE u [<!ENTITY a "{"x" * 9_999}">]>'
    body = f"<url><loc>https://example.com/</loc><lastmod>{'&a;' * 30_000}</lastmod></url>"
    document = parse(engine, f'{text}<urlset xmlns="{CORE}">{body}{A}</urlset>')
    assert locs(document) == ["https://example.com/", "https://example.com/a"]
    first = next(iter(document.entries))
    assert first.lastmod_text is None
    assert "X016" in codes(document)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc how much memory there is")
@pytest.mark.parametrize("pack", ["gzip", "gzip twice", "zlib", "members", "cut"])
def test_bomb_is_cut_at_the_limit(pack):
    """300 MiB in 300 KB, read up to 20 MiB where 256 MiB more are to be had."""
    code = f"""
import gzip, resource, sys, zlib, urlset
from urlset.engine import available
piece = {A!r}.encode() * 20 + b" " * (1 << 20)
packer = zlib.compressobj(9, zlib.DEFLATED, 15 if {pack!r} == "zlib" else 31)
bomb = b"".join(packer.compress(piece) for _ in range({60 if pack == "members" else 300}))
bomb += b"" if {pack!r} == "cut" else packer.flush()
bomb *= {5 if pack == "members" else 1}
bomb = gzip.compress(bomb) if {pack!r} == "gzip twice" else bomb
available()
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (pages, pages))
for engine in available():
    document = urlset.parse(bomb, engine=engine, max_bytes=20 << 20)
    assert document.size == 20 << 20, document.size
    assert "L009" in [problem.code for problem in document.problems], document.problems
    assert {{entry.loc for entry in document.entries}} == {{"https://example.com/a"}}
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# ── depth, width, length ──


@pytest.mark.parametrize("tag", ["a", "url", "loc", "urlset", "sitemapindex", "image:image", "x:y"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_nesting_100_000_deep(engine, tag, is_closed):
    deep = f"<{tag}>" * 100_000 + f"</{tag}>" * 100_000 * is_closed
    document = parse(engine, f"{HEAD}{A}{deep}")
    assert set(locs(document)) == {"https://example.com/a"}
    assert codes(document) & {"X002", "X009"}


HUGE = {
    "an attribute": f'<url a="{"x" * (1 << 20)}">',
    "attributes": "<url" + "".join(f' a{n}="{n}"' for n in range(100_000)) + ">",
    "namespaces": "<url" + "".join(f' xmlns:a{n}="urn:{n}"' for n in range(100_000)) + ">",
    "a name": f"<url><{'n' * (1 << 20)}/>",
    "white space": f"<url{' ' * (1 << 20)}>",
    "elements": "<url><o:a xmlns:o='urn:o'>" + "<o:a>" * 100_000 + "</o:a>" * 100_001,
}


@pytest.mark.parametrize("start", HUGE.values(), ids=HUGE)
def test_entry_with_1_mib_of(engine, start):
    document = parse(engine, f"{HEAD}{start}<loc>https://example.com/a</loc></url>{B}</urlset>")
    assert locs(document) == ["https://example.com/a", "https://example.com/b"]
    assert len(document.problems) <= MAX_ATTRIBUTES + 1
    assert all(len(problem.message) < 1000 for problem in document.problems)


def test_loc_over_1_mib(engine):
    loc = f"<url><loc>https://example.com/{'x' * (1 << 20)}</loc></url>"
    document = parse(engine, f"{HEAD}{A}{loc}{B}</urlset>")
    assert locs(document) == ["https://example.com/a", "https://example.com/b"]
    assert "U003" in codes(document)


def test_long_base_of_many_links(engine):
    """A document does not become the square of itself: 81 kB would be 53 MB."""
    base = "https://example.com/" + "b" * 40_000 + "/"
    for feed in (f'<feed xml:base="{base}">', f'<feed xml:base="{base[20:]}">'):
        document = parse(engine, feed + '<entry><link href="a"/></entry>' * 1_300 + "</feed>")
        assert locs(document) == ["https://example.com/dir/a"] * 1_300


@pytest.mark.parametrize("mark", ["b", "é", "\U0001f600"])
def test_bases_count_up_to_the_length_of_a_loc(engine, mark):
    def link(*bases: str) -> str:
        around = "".join(f'<channel xml:base="{base}">' for base in bases)
        document = parse(engine, f"<rss>{around}<item><link>a</link></item>")
        return locs(document)[0]

    short, long = ("https://example.com/" + mark * (2_048 - 21 + n) + "/" for n in (-1, 0))
    assert len(short) == 2_047
    assert link(short) == short + "a"
    assert link(long) == "https://example.com/dir/a"
    assert link("https://example.com/x/", long) == "https://example.com/x/a"
    assert link("https://example.com/x/", long[20:]) == "https://example.com/x/a"
    assert link(short, "y/") == short + "a"
    assert link(short, "/y/") == "https://example.com/y/a"
    assert link(short, "../" * 683) == short + "a"
    assert link(short, "../" * 682) == "https://example.com/a"


WHOLE = (HEAD + A + "</urlset>").encode()
NULS = [
    b"\0", b"\0" * 100_000, b"<\0u\0r\0l\0", b"\0<" * 1000, WHOLE[:-9] + b"\0" * 100_000,
    WHOLE + b"\0" * 100_000, b"\0\0\0" + WHOLE, WHOLE.replace(b"<", b"\0<"),
    WHOLE.replace(b">", b">\0"),
]  # fmt: skip


@pytest.mark.parametrize("data", NULS)
def test_nuls(engine, data):
    document = parse(engine, data)
    assert set(locs(document)) <= {"https://example.com/a"}
    assert any(problem.level == "error" for problem in document.problems)


def test_problems_are_capped(engine):
    """Of each rule the first 10,000 are told, the rest is counted; no entry is lost for it."""
    entries = [f"<url><loc>https://example.com/{n}?a&b</loc></url>" for n in range(25_000)]
    document = parse(engine, HEAD + "".join(entries) + "<url/></urlset>")
    assert len(document.entries) == 25_000
    assert [p.code for p in document.problems].count("X003") == MAX_DIAGNOSTICS == 10_000
    assert document.omitted == {"unescaped-ampersand": 15_000}
    assert "S007" in codes(document)


# ── truncation ──

EXTRAS = (
    '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>'
    "https://example.com/image.jpg</image:loc></image:image>"
    '<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="/de"/>'
)
URLS = (
    f"<url>\n <loc>https://example.com/a?b=c&amp;d&eacute;=&#233;</loc>{EXTRAS}</url>\n"
    "<url><loc>\n  https://example.com/long/path<!-- - -->/more \n</loc>"
    "<lastmod>2026-01-02T03:04:05Z</lastmod></url>"
    "<url><loc><![CDATA[https://example.com/é?<x>]]></loc></url>"
    "<url><loc>/relative/path</loc><priority>0.5</priority></url>"
    "<url>https://example.com/text/of/url</url><loc>https://example.com/alone</loc>"
    "<url><loc>https://example.com/mis</lco></url><url><loc>https://example.com/open</url>"
    "<url><loc>https://example.com/1 https://example.com/22</loc></url>"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/base/">'
    "<entry><link href='https://example.com/atom/1?a&amp;b'/><updated>2026-01-02</updated></entry>"
    '<entry><link rel="alternate" href="two"/></entry></feed>'
)
RSS = (
    "<rss version='2.0'><channel><item><link>https://example.com/rss/1</link>"
    "<pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate></item><item>"
    "<guid>https://example.com/guid</guid></item></channel></rss>"
)
INDEX = f'<sitemapindex xmlns="{CORE}">{URLS.replace("url>", "sitemap>")}</sitemapindex>'
LIST = "".join(f"https://example.com/{n * 7919 % 1000}/page\n" for n in range(60))
DOCUMENTS = {
    "urlset": (HEAD + URLS + "</urlset>").encode(),
    "index": INDEX.encode(),
    "entities": f'<!DOCTYPE u [<!ENTITY e "a/b/c">]>{HEAD[39:]}<url><loc>https://example.com/&e;/d'
    f"</loc></url>{A}</urlset>".encode(),
    "two": (HEAD + A + "</urlset>" + HEAD + B + "</urlset>").encode(),
    "fragments": (A + B).encode(),
    "latin-1": (HEAD + URLS + "</urlset>").replace("UTF-8", "ISO-8859-1").encode("latin-1"),
    "cp1252 unsaid": (HEAD + URLS + "</urlset>").encode("cp1252"),
    "utf-16": (HEAD + URLS + "</urlset>").encode("utf-16"),
    "utf-32-be": (HEAD + A + B + "</urlset>").encode("utf-32-be"),
    "rss": RSS.encode(),
    "atom": ATOM.encode(),
    "gzip": gzip.compress((HEAD + URLS + A * 9 + "</urlset>").encode(), mtime=0),
    "gzip of a list": gzip.compress(LIST.encode(), mtime=0),
    "gzip of two members": gzip.compress(LIST.encode(), mtime=0) * 2,
    "gzip twice": gzip.compress(gzip.compress(LIST.encode(), mtime=0), mtime=0),
    "zlib of a list": zlib.compress(LIST.encode()),
}


@pytest.mark.parametrize("data", DOCUMENTS.values(), ids=DOCUMENTS)
def test_truncation_at_every_byte(engine, data):
    """What half a document says is a part of what the whole says, and that it is half is told."""
    whole = locs(parse(engine, data))
    assert whole
    for length in range(len(data)):
        document = parse(engine, data[:length])
        found = locs(document)
        assert set(found) <= set(whole), (length, data[max(0, length - 40) : length])
        if len(found) < len(whole):
            assert document.problems or 2 * length == len(data), length  # the first of two


@pytest.mark.parametrize("data", [DOCUMENTS["urlset"], LIST.encode(), zlib.compress(LIST.encode())])
def test_limit_at_every_byte(engine, data):
    document = parse(engine, data)
    for limit in range(document.size):
        cut = parse(engine, data, max_bytes=limit)
        assert set(locs(cut)) <= set(locs(document)), limit
        assert "L009" in codes(cut), limit


# ── noise ──


@given(st.binary(max_size=300))
def test_random_bytes(engine, data):
    parse(engine, data)


PIECES = st.sampled_from(
    b"<urlset> <url> <loc> </loc> </url> </urlset> <sitemapindex> <sitemap> <rss> <item> <link> "
    b"<feed> <entry> https://example.com/ /a & &amp; &e; &#0; < > \" ' = <!-- --> <![CDATA[ ]]> <? "
    b"?> <?xml <!DOCTYPE [ ] <!ENTITY % SYSTEM <image:image> <image:loc> </image:image> xmlns= "
    b"xmlns:a= \xef\xbb\xbf \xff\xfe \0 \xe9 \xc3\xa9 \r \n \t \xc2\xa0 \x1f\x8b <a <LOC> </ <a:b "
    b"/> href= <x:link".split(b" ")
)


@given(st.lists(PIECES, max_size=40).map(b" ".join), st.booleans())
def test_random_markup(engine, data, is_closed):
    document = parse(engine, data.replace(b" ", b"") if is_closed else data)
    assert all(loc.lower().startswith(("http://", "https://")) for loc in locs(document))


@given(st.sampled_from([*DOCUMENTS.values()]), st.integers(0, 2000), st.integers(0, 20), PIECES)
def test_mutated_documents(engine, data, position, removed, piece):
    parse(engine, data[:position] + piece + data[position + removed :])


# ── linear time ──

UNITS = """<!-- <!--a-- <? <?x <![CDATA[ <a" <a|b=' <a|b= & &a </x </x> <x> <a < <! <!DOCTYPE|a|[
<!ENTITY|a|" % ]]> <url> <x:y> <urlset> <image:image> \0 \ufeff \xe9 " = """.split()  # | is a blank
PLACES = {
    "body": (HEAD + A, "</urlset>"),
    "loc": (f"{HEAD}<url><loc>https://example.com/", "</loc></url></urlset>"),
    "doctype": ("<!DOCTYPE a [", f"]>{HEAD[39:]}{A}</urlset>"),
    "attribute": (HEAD + '<url a="', '"></url></urlset>'),
}


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Limit the CPU time."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds:.1f} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_time_is_linear(engine, place):
    """Four times as much of it takes four times as long: sixteen times would be stopped."""
    before, after = PLACES[place]
    for unit in (unit.replace("|", " ") for unit in UNITS):
        size = 25_000 if engine.name == "reference" else 250_000
        start = time.process_time()
        with alarm(30):
            parse(engine, before + unit * (size // len(unit)) + after)
        taken = time.process_time() - start
        with alarm(2 + 10 * taken):
            parse(engine, before + unit * (4 * size // len(unit)) + after)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "<!DOCTYPE a [<!-- >",
        "<!DOCTYPE a [<? >",
        "<urlset></urlset><!-- ",
        "</urlset><!--<urlset>",
        "<urlset></urlset><?x <",
        f"<urlset>{A}</urlset>",
    ],
)
def test_time_is_linear_where_nothing_ends(engine, unit):
    """What was searched in vain, to the end of the document, is not searched again.

    Threads that read the rest of a document ahead are not started again, either.
    """

    size = 50_000 if engine.name == "reference" else 400_000
    assert growth(lambda size: parse(engine, unit * (size // len(unit))), size, 8 * size) < 24


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@pytest.mark.parametrize(
    "unit",
    [A * 15_000 + "<!-- " + "<url><loc><![CDATA[" * 30_000 + " -->", A + " " * 1_000_000],
    ids=["comment", "space"],
)
def test_time_is_linear_where_threads_read_ahead(unit):
    """They try entries in a comment; and a part may have white space alone."""

    def parse_units(count: int) -> None:
        inside = unit * count if "!" in unit else A + unit[len(A) :] * count + A
        parse(get("native"), HEAD + inside + "</urlset>")

    assert growth(parse_units, 3, 24) < 24


def test_junk_behind_many_members_of_gzip(engine):
    """Its last four bytes promise 2 GiB: no room of that kind is made for each member."""
    data = gzip.compress(b"http://e.com/\n", mtime=0) * 20_000
    assert engine.gunzip(data + b"junk\xff\xff\xff\x7f", 1 << 30) is None
    assert engine.gunzip(data, 1 << 30) == b"http://e.com/\n" * 20_000


def test_plain_document_is_cut_at_the_limit():
    data = b"".join(b"http://e.com/%d\n" % n for n in range(10))

    document = urlset.parse(data, max_bytes=len(b"http://e.com/0\n") * 3 + 4)

    assert [entry.loc for entry in document.entries] == [f"http://e.com/{n}" for n in range(3)]
    assert (document.size, document.is_whole) == (49, False)
    assert "L009" in {problem.code for problem in document.problems}
