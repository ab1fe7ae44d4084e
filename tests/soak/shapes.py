"""Documents of a given size in odd and hostile shapes, for tests of complexity.

Each shape is a function from a size in bytes to a document of about that size. A check of a
document should take time in proportion to its bytes, whatever the shape.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable

__all__ = ["SHAPES", "Shape"]

Shape = Callable[[int], bytes]

_NS = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
    ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
)
_HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {_NS}>\n'
_TAIL = "</urlset>\n"
_INDEX = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
)
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv")
_VIDEO = (
    "<video:video><video:thumbnail_loc>https://e.com/{i}.jpg</video:thumbnail_loc>"
    "<video:title>t{i}</video:title><video:description>d{i}</video:description>"
    "<video:content_loc>https://e.com/{i}.mp4</video:content_loc></video:video>"
)
_NEWS = (
    "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>2026-01-01</news:publication_date>"
    "<news:title>t{i}</news:title></news:news>"
)


def _fill(template: str, size: int) -> str:
    """Return copies of a template, numbered in place of ``{i}``, of about this size in all."""
    count = max(1, size // max(1, len(template.replace("{i}", "12345").encode())))
    return "".join(template.replace("{i}", str(i)) for i in range(count))


def _document(entries: str) -> bytes:
    return (_HEAD + entries + _TAIL).encode("utf-8", "surrogatepass")


def _many(entry: str) -> Shape:
    """Return a shape of many entries."""
    return lambda size: _document(_fill(entry + "\n", size))


def _many_on_one_line(entry: str) -> Shape:
    return lambda size: _document(_fill(entry, size))


def _one(part: str, before: str = "<url><loc>https://e.com/</loc>", after: str = "</url>") -> Shape:
    """Return a shape of one entry with many parts."""
    return lambda size: _document(before + _fill(part, size) + after)


def _long_loc(part: str, start: str = "https://e.com/") -> Shape:
    """Return a shape of one long URL."""
    return _one(part, f"<url><loc>{start}", "</loc></url>")


def _locs(loc: str) -> Shape:
    """Return a shape of many entries with nothing but a loc."""
    return _many(f"<url><loc>{loc}</loc></url>")


def _index(child: str) -> Shape:
    return lambda size: (_INDEX + _fill(child + "\n", size) + "</sitemapindex>\n").encode()


def _raw(part: str, before: str = "", after: str = "") -> Shape:
    """Return a shape of anything, repeated."""
    return lambda size: (before + _fill(part, size) + after).encode("utf-8", "surrogatepass")


def _clique(size: int) -> bytes:
    """Return entries that each list all others as versions in other languages."""
    count = max(2, math.isqrt(size // 90))
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{_LANGUAGES[i % 10]}" href="https://e.com/{i}"/>'
        for i in range(count)
    )
    return _document(
        "".join(f"<url><loc>https://e.com/{i}</loc>{links}</url>\n" for i in range(count))
    )


def _broken_clique(size: int) -> bytes:
    """Return such entries of which each lists one URL that lists nothing back."""
    count = max(2, math.isqrt(size // 90))
    link = '<xhtml:link rel="alternate" hreflang="{}" href="https://e.com/{}"/>'
    links = "".join(link.format(_LANGUAGES[i % 10], i) for i in range(count))
    return _document(
        "".join(
            f"<url><loc>https://e.com/{i}</loc>{links}{link.format('ja', f'x{i}')}</url>\n"
            for i in range(count)
        )
    )


def _nested(name: str) -> Shape:
    def shape(size: int) -> bytes:
        count = size // (2 * len(name) + 5)
        inner = f"<{name}>" * count + f"</{name}>" * count
        return _document(f"<url><loc>https://e.com/</loc>{inner}</url>")

    return shape


def _attributes(where: str) -> Shape:
    def shape(size: int) -> bytes:
        many = _fill(' a{i}="b"', size)
        if where == "root":
            root = _HEAD.replace("<urlset ", f"<urlset{many} ")
            return (root + "<url><loc>https://e.com/</loc></url>" + _TAIL).encode()
        return _document(f"<url{many}><loc>https://e.com/</loc></url>")

    return shape


def _namespaces(size: int) -> bytes:
    many = _fill(' xmlns:n{i}="https://e.com/{i}"', size)
    root = _HEAD.replace("<urlset ", f"<urlset{many} ")
    return (root + "<url><loc>https://e.com/</loc><n1:a/></url>" + _TAIL).encode()


def _encoded(encoding: str, mark: bytes = b"") -> Shape:
    entry = "<url><loc>https://e.com/ä{i}é𝒳?a&b</loc></url>\n"

    def shape(size: int) -> bytes:
        text = _HEAD.replace("UTF-8", encoding) + _fill(entry, size // 2) + _TAIL
        return mark + text.encode(encoding, "replace")

    return shape


def _feed(item: str, *, atom: bool = False) -> Shape:
    def shape(size: int) -> bytes:
        if atom:
            body = f'<feed xmlns="http://www.w3.org/2005/Atom">{_fill(item, size)}</feed>'
        else:
            body = f'<rss version="2.0"><channel>{_fill(item, size)}</channel></rss>'
        return ('<?xml version="1.0" encoding="UTF-8"?>\n' + body).encode()

    return shape


def _doctype(size: int) -> bytes:
    entities = _fill('<!ENTITY e{i} "x">', size)
    return f"<!DOCTYPE urlset [{entities}]><urlset><url><loc>https://e.com/&e1;</loc></url></urlset>".encode()


_ALTERNATE = '<xhtml:link rel="alternate" hreflang="{}" href="https://e.com/{{i}}"/>'
_OPEN = f"{_HEAD}<url><loc>https://e.com/</loc>"

SHAPES: dict[str, Shape] = {
    # What is usual, as a measure for the rest.
    "plain": _many(
        "<url><loc>https://e.com/page/{i}</loc><lastmod>2026-01-02</lastmod>"
        "<changefreq>weekly</changefreq><priority>0.5</priority></url>"
    ),
    "plain on one line": _many_on_one_line(
        "<url><loc>https://e.com/{i}</loc><lastmod>2026-01-02</lastmod></url>"
    ),
    # One entry with much in it.
    "alternates, one language": _one(_ALTERNATE.format("en")),
    "alternates, invalid languages": _one(_ALTERNATE.format("x{i}")),
    "alternates, one URL": _one(_ALTERNATE.format("de").replace("{i}", "")),
    "alternates, relative": _one('<xhtml:link rel="alternate" hreflang="en" href="/{i}"/>'),
    "videos": _one(_VIDEO),
    "videos, empty": _one("<video:video></video:video>"),
    "video tags": _one(
        "<video:tag>t{i}</video:tag>",
        "<url><loc>https://e.com/</loc><video:video>",
        "</video:video></url>",
    ),
    "images": _one("<image:image><image:loc>https://e.com/{i}.png</image:loc></image:image>"),
    "images, empty": _one("<image:image/>"),
    "images, relative": _one("<image:image><image:loc>/i{i}.png</image:loc></image:image>"),
    "news elements": _one(_NEWS),
    "locs in one entry": _one("<loc>https://e.com/{i}</loc>"),
    "lastmods in one entry": _one("<lastmod>2026-13-0{i}</lastmod>"),
    "priorities in one entry": _one("<priority>{i}</priority>"),
    "unknown elements": _one("<thing{i}>x</thing{i}>"),
    "unknown prefixes": _one("<p{i}:a>x</p{i}:a>"),
    "extension elements": _one('<x:a xmlns:x="https://e.com/x">{i}</x:a>'),
    "text between elements": _one("words {i}<b/>"),
    # One long value.
    "loc of ./a/": _long_loc("./a/"),
    "loc of a/../": _long_loc("a/../"),
    "loc of ../": _long_loc("../"),
    "loc of slashes": _long_loc("/"),
    "loc of percent signs": _long_loc("%"),
    "loc of %41": _long_loc("%41"),
    "loc of %C3": _long_loc("%C3"),
    "loc of parameters": _long_loc("a{i}=b&amp;", "https://e.com/?"),
    "loc of the same parameter": _long_loc("a=b&amp;", "https://e.com/?"),
    "loc of raw ampersands": _long_loc("a&b", "https://e.com/?"),
    "loc of question marks": _long_loc("?"),
    "loc of number signs": _long_loc("#"),
    "loc of semicolons": _long_loc(";a"),
    "loc of brackets": _long_loc("(["),
    "loc of spaces": _long_loc("a "),
    "loc of at signs": _long_loc("@", "https://"),
    "loc of colons": _long_loc(":", "https://e"),
    "loc of a long host": _long_loc("a.", "https://"),
    "loc of a long label": _long_loc("a", "https://"),
    "loc of a long port": _long_loc("1", "https://e.com:"),
    "loc of letters beyond ASCII": _long_loc("ä"),
    "loc of a host beyond ASCII": _long_loc("ä.", "https://"),
    "loc of line ends": _long_loc("a\n"),
    "loc of references": _long_loc("&#x61;"),
    "loc of unknown entities": _long_loc("&x{i};"),
    "loc of templates": _long_loc("{{a}}"),
    "loc of index.html": _long_loc("/index.html"),
    "loc of segments, repeated": _long_loc("blog/"),
    "lastmod of digits": _one("9", "<url><loc>https://e.com/</loc><lastmod>", "</lastmod></url>"),
    "priority of zeros": _one(
        "0", "<url><loc>https://e.com/</loc><priority>0.", "</priority></url>"
    ),
    "changefreq of letters": _one(
        "always", "<url><loc>https://e.com/</loc><changefreq>", "</changefreq></url>"
    ),
    "hreflang of parts": _one(
        "-en",
        '<url><loc>https://e.com/</loc><xhtml:link rel="alternate" hreflang="en',
        '" href="https://e.com/"/></url>',
    ),
    "title of words": _one(
        "word ",
        "<url><loc>https://e.com/</loc><video:video><video:title>",
        "</video:title></video:video></url>",
    ),
    # Many entries.
    "news": _many("<url><loc>https://e.com/{i}</loc>" + _NEWS + "</url>"),
    "clique of languages": _clique,
    "clique of languages, broken": _broken_clique,
    "languages without return": _many(
        "<url><loc>https://e.com/{i}</loc>"
        + _ALTERNATE.format("de").replace("{i}", "x{i}")
        + "</url>"
    ),
    "languages, all to one": _many(
        "<url><loc>https://e.com/{i}</loc>" + _ALTERNATE.format("de").replace("{i}", "") + "</url>"
    ),
    "the same loc": _locs("https://e.com/"),
    "the same loc, other dates": _many(
        "<url><loc>https://e.com/</loc><lastmod>2020-01-01T00:00:0{i}Z</lastmod></url>"
    ),
    "locs that differ in case": _many(
        "<url><loc>https://e.com/A{i}</loc></url><url><loc>https://e.com/a{i}</loc></url>"
    ),
    "locs that differ in a slash": _many(
        "<url><loc>https://e.com/{i}</loc></url><url><loc>https://e.com/{i}/</loc></url>"
    ),
    "locs on many hosts": _locs("https://h{i}.example/"),
    "locs with fragments": _locs("https://e.com/#a{i}"),
    "locs with parameters": _locs("https://e.com/?utm_source=x&amp;sid={i}&amp;color=null"),
    "locs that are invalid": _locs("ftp://e.com/{i}"),
    "locs that are relative": _locs("/a/{i}"),
    "locs that are empty": _locs(""),
    "locs with raw ampersands": _locs("https://e.com/?a={i}&b"),
    "locs with raw ampersands, one line": _many_on_one_line(
        "<url><loc>https://e.com/?a={i}&b</loc></url>"
    ),
    "locs with spaces, one line": _many_on_one_line("<url><loc>https://e.com/ {i} b</loc></url>"),
    "locs on localhost, one line": _many_on_one_line("<url><loc>http://localhost/{i}</loc></url>"),
    "dates that are impossible": _many(
        "<url><loc>https://e.com/{i}</loc><lastmod>2026-02-30</lastmod></url>"
    ),
    "dates that are impossible, one line": _many_on_one_line(
        "<url><loc>https://e.com/{i}</loc><lastmod>2026-02-30</lastmod></url>"
    ),
    "images in many entries": _many(
        "<url><loc>https://e.com/{i}</loc>"
        + "<image:image><image:loc>/x.png</image:loc></image:image>" * 50
        + "</url>"
    ),
    "videos without fields": _many(
        "<url><loc>https://e.com/{i}</loc>" + "<video:video/>" * 50 + "</url>"
    ),
    "children": _index("<sitemap><loc>https://e.com/{i}.xml</loc></sitemap>"),
    "children with fragments": _index("<sitemap><loc>https://e.com/a.xml#{i}</loc></sitemap>"),
    "children, all the same": _index("<sitemap><loc>https://e.com/a.xml</loc></sitemap>"),
    "children on many hosts": _index("<sitemap><loc>https://h{i}.example/a.xml</loc></sitemap>"),
    "children in many folders": _index("<sitemap><loc>https://e.com/{i}/{i}/a.xml</loc></sitemap>"),
    # Text and feeds.
    "text": _raw("https://e.com/{i}\n"),
    "text on one line": _raw("https://e.com/{i} "),
    "text with tabs": _raw("https://e.com/{i}\t"),
    "text without ends": _raw("https://e.com/{i}"),
    "text of words": _raw("word {i}\n", "https://e.com/\n"),
    "text of empty lines": _raw("\n", "https://e.com/\n"),
    "text with carriage returns": _raw("https://e.com/{i}\r"),
    "rss": _feed(
        "<item><link>https://e.com/{i}</link>"
        "<pubDate>Mon, 05 Jan 2026 00:00:00 GMT</pubDate></item>"
    ),
    "rss with links in one item": _feed("<link>https://e.com/{i}</link>"),
    "rss with enclosures": _feed(
        '<item><link>https://e.com/{i}</link><enclosure url="https://e.com/{i}.mp3"/></item>'
    ),
    "atom": _feed(
        '<entry><link href="https://e.com/{i}"/><updated>2026-01-01</updated></entry>', atom=True
    ),
    "atom with links in one entry": _feed(
        '<link rel="alternate" href="https://e.com/{i}"/>', atom=True
    ),
    # Markup.
    "comments": _one("<!-- {i} -->"),
    "comments between entries": _many("<!-- {i} --><url><loc>https://e.com/{i}</loc></url>"),
    "one long comment": _raw("x", f"{_HEAD}<!--", f"-->{_TAIL}"),
    "comments with two dashes": _raw("-- ", f"{_HEAD}<!--", f"-->{_TAIL}"),
    "CDATA": _many("<url><loc><![CDATA[https://e.com/{i}]]></loc></url>"),
    "CDATA in one loc": _long_loc("<![CDATA[a]]>"),
    "instructions": _one("<?a b?>"),
    "attributes of an entry": _attributes("entry"),
    "attributes of the root": _attributes("root"),
    "namespaces": _namespaces,
    "entities": _doctype,
    "nested elements": _nested("a"),
    "nested entries": _nested("url"),
    "nested locs": _nested("loc"),
    "entries in upper case": _many("<URL><LOC>https://e.com/{i}</LOC></URL>"),
    "entries that never end": _raw("<url><loc>https://e.com/{i}</loc>", _HEAD),
    "locs that never end": _raw("<loc>https://e.com/{i}", _HEAD),
    "end tags that are wrong": _many("<url><loc>https://e.com/{i}</lastmod></url>"),
    "end tags alone": _raw("</url>", _OPEN),
    "less-than signs": _raw("<", _OPEN),
    "end-tag openers": _raw("</", _OPEN),
    "ampersands": _raw("&", _OPEN),
    "comment openers": _raw("<!--", _OPEN),
    "CDATA openers": _raw("<![CDATA[", _OPEN),
    "CDATA closers": _raw("]]>", _OPEN),
    "instruction openers": _raw("<?", _OPEN),
    "quotes in a tag": _raw("\"'", f"{_OPEN}<a "),
    "doctype openers": _raw("<!DOCTYPE x [<!ENTITY "),
    "NUL bytes": _raw("\0", _OPEN),
    "control characters": _raw("\x01a", f"{_OPEN}<a>"),
    "white space": _raw(" \n", _OPEN, f"</url>{_TAIL}"),
    "carriage returns": _many("<url>\r<loc>https://e.com/{i}?a&b</loc>\r</url>\r"),
    "documents one after another": _raw(f"{_HEAD}<url><loc>https://e.com/{{i}}</loc></url>{_TAIL}"),
    # Encodings, in which each character has another width.
    "UTF-16": _encoded("utf-16-le", codecs.BOM_UTF16_LE),
    "windows-1252": _encoded("windows-1252"),
    "UTF-8 that is broken": lambda size: _many("<url><loc>https://e.com/{i}ä</loc></url>")(
        size
    ).replace(b"\xc3", b"\xff"),
}
