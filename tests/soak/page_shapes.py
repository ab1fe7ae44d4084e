"""HTML pages of a given size in odd and hostile shapes, for tests of complexity."""

from __future__ import annotations

import json
from collections.abc import Callable

__all__ = ["PAGE_SHAPES"]

Shape = Callable[[int], bytes]

_HEAD = "<!doctype html><html><head><title>t</title>"


def _fill(template: str, size: int) -> str:
    count = max(1, size // max(1, len(template.replace("{i}", "12345").encode())))
    return "".join(template.replace("{i}", str(i)) for i in range(count))


def _repeated(part: str, before: str = "", after: str = "") -> Shape:
    return lambda size: (before + _fill(part, size) + after).encode("utf-8", "surrogatepass")


def _json_ld(part: str, before: str = "", after: str = "") -> Shape:
    start = f'{_HEAD}<script type="application/ld+json">{before}'
    return _repeated(part, start, f"{after}</script></head><body>words</body></html>")


def _nested_json(opening: str, closing: str) -> Shape:
    def shape(size: int) -> bytes:
        count = size // (len(opening) + len(closing))
        data = opening * count + "1" + closing * count
        return (
            f'{_HEAD}<script type="application/ld+json">{data}</script><body>words</body>'
        ).encode()

    return shape


def _json_graph(size: int) -> bytes:
    """Return a page whose things refer to each other in a circle."""
    count = size // 90
    things = [
        {"@id": f"#{i}", "@type": "Article", "mainEntity": {"@id": f"#{(i + 1) % count}"}}
        for i in range(count)
    ]
    data = json.dumps({"@graph": things})
    return f'{_HEAD}<script type="application/ld+json">{data}</script><p>words'.encode()


def _utf16(size: int) -> bytes:
    text = _HEAD + _fill('<p>ä{i}𝒳 <a href="/{i}">words</a>', size // 2)
    return b"\xff\xfe" + text.encode("utf-16-le")


PAGE_SHAPES: dict[str, Shape] = {
    "paragraphs": _repeated(
        '<p>Words of a page {i}. <a href="/{i}">More</a></p>', f"{_HEAD}<body>"
    ),
    "attributes of one element": _repeated(' a{i}="b"', f"{_HEAD}<body><p", ">words</p>"),
    "attributes without values": _repeated(" a{i}", f"{_HEAD}<body><p", ">words</p>"),
    "one long attribute": _repeated("x", f'{_HEAD}<body><p title="', '">words</p>'),
    "attribute that never ends": _repeated("x ", f'{_HEAD}<body><p title="'),
    "quotes in a tag": _repeated("\"'", f"{_HEAD}<p "),
    "nested divisions": _repeated("<div>", f"{_HEAD}<body>"),
    "nested formatting": _repeated("<b><i>", f"{_HEAD}<body>"),
    "misnested formatting": _repeated("<b><p>", f"{_HEAD}<body>"),
    "nested tables": _repeated("<table><tr><td>", f"{_HEAD}<body>"),
    "cells out of tables": _repeated("<td>a", f"{_HEAD}<body><table>"),
    "nested links": _repeated('<a href="/{i}">', f"{_HEAD}<body>"),
    "nested templates": _repeated("<template>", f"{_HEAD}<body>"),
    "nested lists": _repeated("<ul><li>", f"{_HEAD}<body>"),
    "nested vector graphics": _repeated("<svg><foreignObject>", f"{_HEAD}<body>"),
    "titles": _repeated("<title>t{i}</title>", "<!doctype html><head>"),
    "one long title": _repeated("word ", "<!doctype html><title>", "</title><p>words"),
    "robots": _repeated('<meta name="robots" content="noindex">', _HEAD),
    "robots in one element": _repeated("a,", f'{_HEAD}<meta name="robots" content="', '">'),
    "canonicals": _repeated('<link rel="canonical" href="/{i}">', _HEAD),
    "alternates": _repeated('<link rel="alternate" hreflang="en" href="/{i}">', _HEAD),
    "words of rel": _repeated("alternate ", f'{_HEAD}<link href="/" rel="', '">'),
    "bases": _repeated('<base href="/{i}/">', _HEAD),
    "refreshes": _repeated('<meta http-equiv="refresh" content="0;url=/{i}">', _HEAD),
    "one long refresh": _repeated(" ;,", f'{_HEAD}<meta http-equiv="refresh" content="0', '">'),
    "dates": _repeated('<meta name="date" content="2026-01-0{i}">', _HEAD),
    "times": _repeated('<time datetime="2026-01-0{i}">x</time>', f"{_HEAD}<body>"),
    "one long date": _repeated("9", f'{_HEAD}<meta name="date" content="', '">'),
    "images": _repeated('<img src="/{i}.png" alt="x">', f"{_HEAD}<body>"),
    "one long srcset": _repeated("/{i}.png {i}w, ", f'{_HEAD}<body><img srcset="', '">'),
    "videos": _repeated('<video src="/{i}.mp4"></video>', f"{_HEAD}<body>"),
    "open graph": _repeated('<meta property="og:image" content="/{i}.png">', _HEAD),
    "scripts": _repeated("<script>a</script>", f"{_HEAD}<body>"),
    "scripts that never end": _repeated("<script><!--<script>", f"{_HEAD}<body>"),
    "JSON-LD, deep arrays": _nested_json("[", "]"),
    "JSON-LD, deep objects": _nested_json('{"a":', "}"),
    "JSON-LD, deep graphs": _nested_json('{"@graph":[', "]}"),
    "JSON-LD, never closed": _json_ld('{"a":['),
    "JSON-LD, circle": _json_graph,
    "JSON-LD, one long text": _json_ld("\\u0061", '{"headline":"', '"}'),
    "JSON-LD, one long number": _json_ld("9", '{"datePublished":', "}"),
    "JSON-LD, many types": _json_ld('"T{i}",', '{"@type":[', '"T"]}'),
    "JSON-LD, many scripts": _repeated(
        '<script type="application/ld+json">{"@type":"Article","dateModified":"2026"}</script>',
        _HEAD,
    ),
    "comments": _repeated("<!-- {i} -->", f"{_HEAD}<body>"),
    "comments that never end": _repeated("<!--", f"{_HEAD}<body>"),
    "conditional comments": _repeated("<!--[if IE]><p><![endif]-->", f"{_HEAD}<body>"),
    "CDATA": _repeated("<![CDATA[x]]>", f"{_HEAD}<body><svg>"),
    "instructions": _repeated("<?a?>", f"{_HEAD}<body>"),
    "references": _repeated("&amp;", f"{_HEAD}<body><p>"),
    "unknown references": _repeated("&x{i};", f"{_HEAD}<body><p>"),
    "numbers of characters": _repeated("&#x1F600;", f"{_HEAD}<body><p>"),
    "less-than signs": _repeated("<", f"{_HEAD}<body>"),
    "end tags": _repeated("</p>", f"{_HEAD}<body>"),
    "end tags of nothing": _repeated("</x{i}>", f"{_HEAD}<body>"),
    "unknown elements": _repeated("<x-{i}>a</x-{i}>", f"{_HEAD}<body>"),
    "NUL bytes": _repeated("\0", f"{_HEAD}<body>"),
    "white space": _repeated(" \n", f"{_HEAD}<body>"),
    "one long word": _repeated("x", f"{_HEAD}<body><p>"),
    "lines of one letter": _repeated("<br>x", f"{_HEAD}<body><p>"),
    "character sets": _repeated('<meta charset="x{i}">', "<!doctype html><head>"),
    "UTF-16": _utf16,
    "bytes that are no text": lambda size: (bytes(range(256)) * (size // 256 + 1))[:size],
}
