"""Every work that is measured, and the runners of each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, NamedTuple

from data import Document

WORKERS = Path(__file__).parent / "workers"
NATIVE, REFERENCE, SCANNER = "urlset (native)", "urlset (reference)", "bare scanner"
USP, XML2ARROW, ZLIB = "ultimate-sitemap-parser", "xml2arrow", "zlib 6"

Side = Literal["READ", "WRITE"]


class Tools(NamedTuple):
    """The paths of the tools that run the workers; None if missing."""

    python: str | None
    node: str | None
    scanner: str | None


class Runner(NamedTuple):
    """A runner of a work: its command without runs and seconds; empty if a tool is missing."""

    who: str
    argv: tuple[str, ...]
    note: str = ""


class Work(NamedTuple):
    """A work; the first runner is urlset. ``entries`` is the number to return, or None.

    ``bytes`` is the size of the uncompressed input document.
    """

    name: str
    side: Side
    entries: int | None
    bytes: int
    runners: tuple[Runner, ...]


def works(documents: list[Document], tools: Tools) -> list[Work]:
    """List all works, reading first."""
    listed = []
    for document in documents:
        listed += _reading(document, tools)
    for document in documents:
        listed += _writing(document, tools)
    return listed


def _reading(document: Document, tools: Tools) -> list[Work]:
    name, count, size, file = document.name, document.entries, document.bytes, str(document.path)
    packed = str(document.packed)

    def peer(who: str, task: str, note: str = "") -> Runner:
        return Runner(who, _argv(tools.python, "readers.py", task, file), note)

    arrow = (
        Runner(NATIVE, _ours("arrow-native", file)),
        Runner(SCANNER, (tools.scanner, file) if tools.scanner else (), "checks nothing"),
        Runner(
            "  in memory that it keeps", (*_KEEPING, tools.scanner, file) if tools.scanner else ()
        ),
        peer(XML2ARROW, "xml2arrow", _XML2ARROW[name]),
        Runner(REFERENCE, _ours("arrow-reference", file)),
    )
    rows = (
        Runner(NATIVE, _ours("rows-native", file)),
        peer("loc by regex", "regex", "as trafilatura < 2.3"),
        peer("lxml.iterparse", "lxml", "4 core elements"),
        peer("Scrapy", "scrapy"),
        peer("advertools", "advertools", "from a file"),
        peer("trafilatura", "trafilatura", "loc alone, cleaned"),
        Runner("sitemap.js", _javascript(tools.node, "read", file)),
        peer(USP, USP),
        Runner(REFERENCE, _ours("rows-reference", file)),
    )
    gzip = (
        Runner(NATIVE, _ours("arrow-native", packed)),
        Runner(
            "gzip, xml2arrow", _argv(tools.python, "readers.py", "xml2arrow-gzip", packed), "zlib"
        ),
    )
    return [
        Work(f"{name} → Arrow", "READ", count, size, arrow),
        Work(f"{name} → objects", "READ", count, size, rows),
        Work(f"{name}.gz → Arrow", "READ", count, size, gzip),
    ]


def _writing(document: Document, tools: Tools) -> list[Work]:
    name, count, size, file = document.name, document.entries, document.bytes, str(document.path)

    def peer(who: str, task: str, note: str = "") -> Runner:
        return Runner(who, _argv(tools.python, "writers.py", task, file), note)

    def sitemap_js(task: str) -> Runner:
        return Runner("sitemap.js", _javascript(tools.node, task, file))

    by_hand = peer("f-strings by hand", "by-hand", "checks nothing")
    listed = [
        Work(
            f"Arrow → {name}",
            "WRITE",
            count,
            size,
            (
                Runner(NATIVE, _ours("xml-native", file)),
                *((by_hand,) if name == "plain" else ()),
                sitemap_js("write"),
                Runner(REFERENCE, _ours("xml-reference", file)),
            ),
        ),
        Work(
            f"Arrow → {name}.gz",
            "WRITE",
            count,
            size,
            (Runner(NATIVE, _ours("gzip-native", file)), sitemap_js("gzip")),
        ),
    ]
    of = {"Arrow": "", "entries": "-of-entries", "dicts": "-of-dicts"}
    for given, suffix in of.items():
        if suffix:
            runner = Runner(NATIVE, _ours(f"xml{suffix}-native", file))
            listed.append(Work(f"{given} → {name}", "WRITE", count, size, (runner,)))
        runner = Runner(NATIVE, _ours(f"file{suffix}-native", file))
        listed.append(Work(f"{given} → {name}, a file", "WRITE", count, size, (runner,)))
    if name == "plain":
        packers = (
            Runner(NATIVE, _ours("pack-native", file)),
            peer(ZLIB, "zlib"),
            peer("zlib-ng 6", "zlib-ng"),
            peer("libdeflate 6", "libdeflate-6"),
            peer("isal 3", "isal-3"),
            peer("isal 2", "isal-2"),
            Runner(REFERENCE, _ours("pack-reference", file)),
        )
        listed.append(Work(f"{name} → gzip", "WRITE", None, size, packers))
    return listed


# Half of the scanner's time is the kernel's, which zeroes its pages in each run. With glibc set to
# keep them, only the other half remains. No goal is measured by it: a reader that returns a table
# needs new memory for the next one.
_KEEPING = ("env", "MALLOC_TRIM_THRESHOLD_=1000000000", "MALLOC_MMAP_THRESHOLD_=1000000000")

_XML2ARROW = {"plain": "lastmod as text", "extended": "1 alternate a URL"}


def _ours(task: str, file: str) -> tuple[str, ...]:
    return _argv(sys.executable, "ours.py", task, file)


def _javascript(package: str | None, task: str, file: str) -> tuple[str, ...]:
    return ("node", str(WORKERS / "sitemap.mjs"), package, task, file) if package else ()


def _argv(program: str | None, worker: str, task: str, file: str) -> tuple[str, ...]:
    return (program, str(WORKERS / worker), task, file) if program else ()
