"""The peers that write or compress: plain Python, and the compressors available to Python."""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from xml.sax.saxutils import escape

from stopwatch import Done, Task, Work, main

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
)
NAMES = ("loc", "lastmod", "changefreq", "priority")


def by_hand(data: bytes, _: Path) -> Work:
    """Write core elements with f-strings, as most Python generators do, without checks."""
    rows = [
        tuple(
            (name, unescape(found[1]))
            for name in NAMES
            if (found := re.search(f"<{name}>(.*?)</{name}>", block))
        )
        for block in data.decode().split("</url>")[:-1]
    ]

    def work() -> Done:
        parts = [HEAD]
        for row in rows:
            fields = "".join(f"    <{name}>{escape(value)}</{name}>\n" for name, value in row)
            parts.append(f"  <url>\n{fields}  </url>\n")
        parts.append("</urlset>\n")
        return Done(len(rows), len("".join(parts).encode()))

    return work


def _packer(pack: Callable[[bytes], bytes]) -> Callable[[bytes, Path], Work]:
    return lambda data, _: lambda: Done(None, len(data), len(pack(data)))


def isal(level: int) -> Callable[[bytes, Path], Work]:
    def prepare(data: bytes, path: Path) -> Work:
        from isal import igzip

        return _packer(lambda text: igzip.compress(text, level))(data, path)

    return prepare


def libdeflate(level: int) -> Callable[[bytes, Path], Work]:
    def prepare(data: bytes, path: Path) -> Work:
        import deflate

        return _packer(lambda text: bytes(deflate.gzip_compress(text, level)))(data, path)

    return prepare


def zlib_ng(data: bytes, path: Path) -> Work:
    from zlib_ng import gzip_ng

    return _packer(lambda text: bytes(gzip_ng.compress(text, 6)))(data, path)


if __name__ == "__main__":
    main(
        {
            "by-hand": Task("", by_hand),
            "isal-2": Task("isal", isal(2)),
            "isal-3": Task("isal", isal(3)),
            "libdeflate-6": Task("deflate", libdeflate(6)),
            "zlib": Task("", _packer(lambda text: gzip.compress(text, 6, mtime=0))),
            "zlib-ng": Task("zlib-ng", zlib_ng),
        }
    )
