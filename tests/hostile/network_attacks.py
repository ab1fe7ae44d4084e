# ruff: noqa: E501 - shapes are in rows
"""Servers that do not end: each phase of a response in drops, against every command that asks."""

from __future__ import annotations

from collections.abc import Callable

from tests.hostile.commands import Attack, Stage
from tests.site_box import Hit, Player, Wire

Set = Callable[[Stage], None]


def drops(first: bytes, repeated: bytes, pause_s: float = 0.1) -> Player:
    """Return what sends a piece now and then, for ten minutes."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(first)
        for _ in range(int(600 / pause_s)):
            await wire.send(repeated)
            await wire.wait(pause_s)
        return False

    return play


OK = b"HTTP/1.1 200 OK\r\n"
HTML = b"content-type: text/html\r\n"
PHASES: dict[str, Player] = {
    "nothing": drops(b"", b""),
    "status": drops(b"HTTP/1.1 200 ", b"O"),
    "header": drops(OK + b"x: ", b"a"),
    "headers": drops(OK, b"x: a\r\n"),
    "1xx": drops(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "body": drops(OK + HTML + b"content-length: 9000000\r\n\r\n", b"a"),
    "body without a length": drops(OK + HTML + b"connection: close\r\n\r\n", b"a"),
    "body of HTTP/1.0": drops(b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n", b"a"),
    "chunks": drops(OK + HTML + b"transfer-encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "extension of a chunk": drops(OK + HTML + b"transfer-encoding: chunked\r\n\r\n1;", b"a"),
    "size of a chunk": drops(OK + HTML + b"transfer-encoding: chunked\r\n\r\n", b"0"),
    "trailers": drops(
        OK + HTML + b"transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"a: b\r\n"
    ),
    "gzip": drops(OK + HTML + b"content-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\0", b"a"),
    "error": drops(b"HTTP/1.1 503 Odd\r\n\r\n", b"a"),
    "redirect": drops(b"HTTP/1.1 302 Odd\r\nlocation: /tea\r\n\r\n", b"a"),
}
COMMANDS = {
    "read": ("/sitemap.xml", "read {site}/sitemap.xml --timeout 1"),
    "check": ("/robots.txt", "check {site} --timeout 1"),
    "check, start": ("/", "check {site} --timeout 1"),
    "crawl": ("/evil", "crawl {site} --store a.duckdb --timeout 1 --confirm-after 0 --delay 0"),
    "crawl, robots.txt": ("/robots.txt", "crawl {site} --store a.duckdb --timeout 1 --confirm-after 0 --delay 0"),
    "audit": ("/evil", "audit {site} --timeout 1 --confirm-after 0 --delay 0"),
    "audit, llms.txt": ("/llms.txt", "audit {site} --timeout 1 --confirm-after 0 --delay 0"),
    "audit, image": ("/i.png", "audit {site} --timeout 1 --confirm-after 0 --delay 0"),
    "audit, key": ("/0123456789abcdef.txt", "audit {site} --timeout 1 --confirm-after 0 --delay 0 --indexnow-key 0123456789abcdef"),
    "watch": ("/sitemap.xml", "watch {site} --store a.duckdb --timeout 1"),
    "watch, webhook": ("/hook", "watch {site} --store a.duckdb --timeout 1 --webhook {site}/hook"),
    "sync": ("/evil", "sync {site} --store a.duckdb --timeout 1 --delay 0 -o a.jsonl"),
    "diff --live": ("/evil", "diff before.txt {site} --live --timeout 1 --delay 0"),
    "submit, page": ("/evil", "submit changes.jsonl --keys keys.txt --endpoint {site}/indexnow --store a.duckdb --max-wait 3 --timeout 1"),
    "submit, key": ("/0123456789abcdef.txt", "submit changes.jsonl --keys keys.txt --endpoint {site}/indexnow --store a.duckdb --max-wait 3 --timeout 1"),
    "submit, engine": ("/indexnow", "submit changes.jsonl --keys keys.txt --endpoint {site}/indexnow --store a.duckdb --max-wait 3 --timeout 1"),
}  # fmt: skip


def stage_of(path: str, player: Player, command: str) -> Set:
    def put(stage: Stage) -> None:
        box = stage.box
        listed = ("/", "/tea") if command == "diff --live" else ("/", "/evil", "/tea")
        stage.pages(listed=listed)
        if command == "audit, image":
            box.put(
                "/sitemap.xml",
                f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>{box.url("/")}</loc><i:image><i:loc>{box.url("/i.png")}</i:loc></i:image></url></urlset>',
            )
        box.put("/0123456789abcdef.txt", "0123456789abcdef", kind="text/plain")
        box.put("/indexnow", "", 202)
        stage.file("before.txt", f"{box.url('/')}\n{box.url('/evil')}\n")
        stage.file(
            "changes.jsonl",
            "".join(
                f'{{"change": "changed", "loc": "{box.url(each)}"}}\n' for each in ("/evil", "/tea")
            ),
        )
        stage.file("keys.txt", f"127.0.0.1:{box.port} 0123456789abcdef\n")
        box.play(path, player)
        stage.expected = ()

    return put


ATTACKS = [
    *(Attack(f"drops, crawl: {name}", COMMANDS["crawl"][1], stage_of("/evil", player, "crawl")) for name, player in PHASES.items()),
    *(Attack(f"drops, read: {name}", COMMANDS["read"][1], stage_of("/sitemap.xml", player, "read")) for name, player in PHASES.items()),
    *(Attack(f"drops, {name}", words, stage_of(path, PHASES["body without a length"], name)) for name, (path, words) in COMMANDS.items()),
    *(Attack(f"silence, {name}", words, stage_of(path, PHASES["nothing"], name)) for name, (path, words) in COMMANDS.items()),
]  # fmt: skip
