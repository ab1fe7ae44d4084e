"""Made-up web archives, with what is in them: robots.txt files in one, sitemaps in the other."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path

HOSTS = 300
TLDS = ("com", "org", "de", "jp")

FORMS = {
    "as it should be": "https://{host}/sitemap.xml",
    "relative": "/sitemap.xml",
    "other scheme": "http://{host}/sitemap.xml",
    "www or not": "https://www.{host}/sitemap.xml",
    "other host": "https://cdn.example.net/{host}.xml",
    "empty": "",
}
_WEIGHTS = (80, 6, 5, 5, 3, 1)

CONTENTS = ("good", "one date", "future", "no dates", "broken", "html", "gone", "gzip")


class Truth(Counter[str]):
    """What the archives hold, as counts by name."""


def write_archives(folder: Path, truth: Truth | None = None) -> list[Path]:
    """Write two archives into a folder; count what they hold in ``truth``."""
    truth = Truth() if truth is None else truth
    draw = random.Random(1)
    robots, sitemaps = [], []
    for number in range(HOSTS):
        host = f"site-{number}.{draw.choice(TLDS)}"
        form = draw.choices([*FORMS], _WEIGHTS)[0]
        declares, is_there = draw.random() < 0.6, draw.random() < 0.85
        truth["hosts"] += 1
        if not is_there:
            truth["absent"] += 1
            robots.append(record(f"https://{host}/robots.txt", b"not found", 404))
            continue
        lines = ["User-agent: *", "Disallow: /cart"]
        if declares:
            truth[f"line {form}"] += 1
            lines.append(f"Sitemap: {FORMS[form].format(host=host)}")
        truth["declare"] += declares and form != "empty"
        bom = "\ufeff" if draw.random() < 0.05 else ""
        body = (bom + "\n".join(lines) + "\n").encode()
        robots.append(record(f"https://{host}/robots.txt", body))
        if declares and form == "as it should be":
            content = draw.choice(CONTENTS)
            truth[f"sitemap {content}"] += 1
            sitemaps.append(_sitemap(host, content, draw.randrange(2, 30), truth))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "robots.warc.gz", folder / "sitemaps.warc.gz"]
    for path, records in zip(paths, (robots, sitemaps), strict=True):
        path.write_bytes(b"".join(records))
    return paths


def _sitemap(host: str, content: str, count: int, truth: Truth) -> bytes:
    url = f"https://{host}/sitemap.xml"
    if content == "gone":
        return record(url, b"gone", 410)
    if content == "html":
        return record(url, b"<!doctype html><title>Not found</title>")
    dates = {"one date": "2026-01-05", "future": "2999-01-01"}
    entries = []
    for number in range(count):
        date = dates.get(content) or f"2026-01-{number % 27 + 1:02d}"
        lastmod = "" if content == "no dates" else f"<lastmod>{date}</lastmod>"
        entries.append(f"<url><loc>https://{host}/{number}</loc>{lastmod}</url>")
    truth["urls"] += count
    truth["dated"] += 0 if content == "no dates" else count
    text = "".join(entries)
    if content == "broken":
        text = text.replace("/1</loc>", "/1?a=1&b=2</loc>")  # not escaped
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{text}</urlset>'.encode()
    return record(url, gzip.compress(body) if content == "gzip" else body)


def record(url: str, body: bytes, status: int = 200, **headers: str) -> bytes:
    """Return the record of a response (https://iipc.github.io/warc-specifications/), compressed."""
    lines = [f"HTTP/1.1 {status} X", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]
    block = "\r\n".join([*lines, "", ""]).encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n")
