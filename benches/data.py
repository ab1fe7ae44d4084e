"""The documents that everybody reads: two sitemaps of 50,000 entries, the same on every machine.

``plain`` has what most sitemaps have. ``extended`` has images, language versions, videos and
news in about the shares of a big shop with a magazine; it stays under the 52,428,800 bytes
that the protocol allows (https://www.sitemaps.org/protocol.html), and under the 1,000 articles
that Google reads of one file. Both are indented, as most generators write them.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple
from xml.sax.saxutils import escape, unescape

ENTRIES = 50_000
ARTICLES = 1_000
MAX_BYTES = 52_428_800
SEED = 20_261_121
CACHE = Path(__file__).parent / ".cache"
SITE = "https://www.example.com"

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NAMESPACES = "".join(
    f'\n        xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "image": "http://www.google.com/schemas/sitemap-image/1.1",
        "news": "http://www.google.com/schemas/sitemap-news/0.9",
        "video": "http://www.google.com/schemas/sitemap-video/1.1",
        "xhtml": "http://www.w3.org/1999/xhtml",
    }.items()
)

WORDS = (
    "adjustable alpine amber bamboo basket blue bottle bread bright canvas ceramic chair "
    "classic coffee copper cotton cushion deluxe desk easy espresso family filter garden "
    "glass green guide hand handmade heavy holiday hooded indoor iron jacket kettle kids "
    "kitchen lamp large leather light linen lounge mat mini modern mountain natural nordic "
    "oak office organic outdoor oven pan pillow plant pocket portable premium quick recycled "
    "review round rug sand set shelf silver slim small smart soft solid spring steel stone "
    "storage summer table tea teak travel trail vintage walnut warm water white wide winter "
    "wireless wood wool"
).split()
ACCENTED = ["Café", "Zürich", "niño", "crème", "façade", "Køln", "東京", "Άνοιξη", "зима"]
SECTIONS = ["blog", "shop", "products", "help", "magazine", "recipes", "stores", "support"]
LANGUAGES = ["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt-BR", "sv", "x-default", "zh-Hant"]
FREQUENCIES = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]


class Document(NamedTuple):
    """A document on disk, plain and packed."""

    name: str
    entries: int
    path: Path
    packed: Path

    @property
    def bytes(self) -> int:
        """The size of the unpacked document."""
        return self.path.stat().st_size


def documents() -> list[Document]:
    """Give both documents, made now if this recipe has not been followed before."""
    recipe = f"{zlib.crc32(Path(__file__).read_bytes()):08x}"
    folder = CACHE / f"data-{recipe}"
    return [_document(folder, "plain", _plain), _document(folder, "extended", _extended)]


def _document(folder: Path, name: str, write: Callable[[Random], Iterator[str]]) -> Document:
    path, packed = folder / f"{name}.xml", folder / f"{name}.xml.gz"
    if not packed.exists():
        folder.mkdir(parents=True, exist_ok=True)
        data = "".join(write(Random(SEED))).encode()
        if len(data) > MAX_BYTES:
            raise ValueError(f"expected at most {MAX_BYTES} bytes, found {len(data)} in {name}")
        path.write_bytes(data)
        unfinished = packed.with_suffix(".part")
        unfinished.write_bytes(gzip.compress(data, 6, mtime=0))
        unfinished.replace(packed)
    return Document(name, ENTRIES, path, packed)


def _plain(random: Random) -> Iterator[str]:
    yield f"{HEAD}>\n"
    for number in range(ENTRIES):
        yield f"  <url>\n{core(random, number)}  </url>\n"
    yield "</urlset>\n"


def _extended(random: Random) -> Iterator[str]:
    yield f"{HEAD}{NAMESPACES}>\n"
    for number in range(ENTRIES):
        yield f"  <url>\n{core(random, number)}"
        if random.random() < 0.35:
            yield _alternates(random, number)
        if random.random() < 0.60:
            yield from (_image(random, number) for _ in range(random.randrange(1, 4)))
        if random.random() < 0.20:
            yield _video(random, number)
        if number < ARTICLES:
            yield _news(random)
        yield "  </url>\n"
    yield "</urlset>\n"


def core(random: Random, number: int) -> str:
    lines = f"    <loc>{_url(random, number)}</loc>\n    <lastmod>{_moment(random)}</lastmod>\n"
    if random.random() < 0.75:
        lines += f"    <changefreq>{random.choice(FREQUENCIES)}</changefreq>\n"
        lines += f"    <priority>{random.randrange(11) / 10}</priority>\n"
    return lines


def _url(random: Random, number: int) -> str:
    slug = "-".join(random.choice(WORDS) for _ in range(random.randrange(3, 7)))
    section = random.choice(SECTIONS)
    style = random.random()
    if style < 0.6:
        return f"{SITE}/{section}/{random.choice(WORDS)}/{slug}-{number}"
    if style < 0.8:
        year, month = random.randrange(2010, 2027), number % 12 + 1
        return f"{SITE}/{section}/{year}/{month:02}/{slug}-{number}.html"
    if style < 0.95:
        colour, page = random.choice(WORDS), random.randrange(1, 40)
        return f"{SITE}/{section}/{slug}?id={number}&amp;color={colour}&amp;page={page}"
    return f"{SITE}/{section}/caf%C3%A9-{slug}/{number}/"


def _moment(random: Random) -> str:
    year, month = random.randrange(2012, 2027), random.randrange(1, 13)
    date = f"{year}-{month:02}-{random.randrange(1, 29):02}"
    time = f"{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}"
    style = random.random()
    if style < 0.30:
        return date
    if style < 0.60:
        return f"{date}T{time}Z"
    if style < 0.85:
        return f"{date}T{time}+00:00"
    if style < 0.95:
        return f"{date}T{time}{random.choice(('+02:00', '-05:00', '+05:30'))}"
    return f"{date}T{time}.{random.randrange(1000):03}Z"


def _text(random: Random, words: int) -> str:
    chosen = [random.choice(WORDS) for _ in range(words)]
    chosen[0] = chosen[0].capitalize()
    if random.random() < 0.2:
        chosen[random.randrange(words)] = random.choice(ACCENTED)
    if random.random() < 0.1:
        chosen.insert(1, "&")
    return escape(" ".join(chosen))


def _alternates(random: Random, number: int) -> str:
    slug = f"{random.choice(WORDS)}-{random.choice(WORDS)}-{number}"
    start = random.randrange(len(LANGUAGES) - 7)
    return "".join(
        f'    <xhtml:link rel="alternate" hreflang="{language}" href="{SITE}/{language}/{slug}"/>\n'
        for language in LANGUAGES[start : start + random.randrange(3, 8)]
    )


def _image(random: Random, number: int) -> str:
    file = f"{random.choice(WORDS)}-{random.choice(WORDS)}-{number}-{random.randrange(10_000)}.jpg"
    lines = f"      <image:loc>https://cdn.example.com/images/{file}</image:loc>\n"
    if random.random() < 0.5:
        lines += f"      <image:caption>{_text(random, 9)}</image:caption>\n"
    if random.random() < 0.5:
        lines += f"      <image:title>{_text(random, 4)}</image:title>\n"
    return f"    <image:image>\n{lines}    </image:image>\n"


def _video(random: Random, number: int) -> str:
    description = _text(random, random.randrange(40, 110))
    if random.random() < 0.1:
        description = f"<![CDATA[{unescape(description)}]]>"
    elements = {
        "thumbnail_loc": f"https://cdn.example.com/thumbs/{number}.jpg",
        "title": _text(random, 6),
        "description": description,
        "content_loc": f"https://video.example.com/{number}.mp4",
        "player_loc": f"https://www.example.com/player?video={number}&amp;autoplay=1",
        "duration": str(random.randrange(10, 7200)),
        "rating": str(random.randrange(51) / 10),
        "view_count": str(random.randrange(1_000_000)),
        "publication_date": _moment(random),
        "family_friendly": random.choice(("yes", "no")),
        "tag": random.choice(WORDS),
    }
    lines = "".join(f"      <video:{k}>{v}</video:{k}>\n" for k, v in elements.items())
    return f"    <video:video>\n{lines}    </video:video>\n"


def _news(random: Random) -> str:
    return (
        "    <news:news>\n      <news:publication>\n"
        "        <news:name>The Example Times</news:name>\n"
        "        <news:language>en</news:language>\n      </news:publication>\n"
        f"      <news:publication_date>{_moment(random)}</news:publication_date>\n"
        f"      <news:title>{_text(random, 10)}</news:title>\n    </news:news>\n"
    )


if __name__ == "__main__":
    for document in documents():
        print(document.path)
