"""The cases of other readers' own tests: ours agrees, or peer_differences.toml says why it differs.

The cases lie in the folder `shared` beside the checkout, with their sources and licences. What a
case asserts is compared and no more.
"""

import base64
import json
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import urlset
from urlset import Document, Entry, Sitemap, Video
from urlset.dates import parse_date
from urlset.formats.compression import inflate
from urlset.robots import Robots, read_robots

FOLDER = Path(__file__).parents[3] / "shared" / "peer-cases"
DIFFERENCES = tomllib.loads((Path(__file__).parent / "peer_differences.toml").read_text())
FILES = ("crawlee_python", "crawler_commons", "scrapy", "small_projects")
LIMIT = 10_000_000
PAGEMAP = "{http://www.google.com/schemas/sitemap-pagemap/1.0}"
INVALID = ("unknown", "html", "empty")


def cases(*, is_robots: bool = False) -> list[Any]:
    found = [
        case
        for name in FILES
        if (path := FOLDER / f"{name}.json").is_file()
        for case in json.loads(path.read_text())
        if (case["expected"].get("type") == "robots") == is_robots
    ]
    return [pytest.param(case, id=case["name"]) for case in found]


def values(kind: str) -> list[Any]:
    path = FOLDER / "crawler_commons_values.json"
    rows = json.loads(path.read_text())[kind] if path.is_file() else []
    return [pytest.param(row, id=f"{kind}:{row['input']}") for row in rows]


def judge(name: str, differs: list[str]) -> None:
    """Fail on a difference that nobody explained, and on an explanation of none."""
    if name in DIFFERENCES:
        assert differs, f"{name} agrees: take it out of peer_differences.toml"
    else:
        assert not differs


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder `shared` beside the checkout")
@pytest.mark.parametrize("case", cases(is_robots=True))
def test_peer_case_of_robots(case):
    data = base64.b64decode(case["input_base64"])

    robots = read_robots(data, case["url"], case["content_type"])

    judge(case["name"], list(_of_robots(case["expected"], robots)))


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder `shared` beside the checkout")
@pytest.mark.parametrize("case", cases())
def test_peer_case(engine, case):
    data = base64.b64decode(case["input_base64"])

    document = urlset.parse(
        data,
        base_url=case["url"],
        content_type=case["content_type"],
        engine=engine.name,
        max_bytes=case["options"].get("max_decompressed_bytes", LIMIT),
    )

    judge(case["name"], list(differences(case, document, data)))


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder `shared` beside the checkout")
def test_no_difference_is_stale():
    names = {param.values[0]["name"] for param in cases() + cases(is_robots=True)}
    names |= {f"priority:{param.values[0]['input']}" for param in values("priority")}
    names |= {f"lastmod:{param.values[0]['input']}" for param in values("lastmod")}
    names |= {f"rss_pubdate:{param.values[0]['input']}" for param in values("rss_pubdate")}
    assert set(DIFFERENCES) <= names


def test_every_difference_has_its_reason():
    assert all(len(reason.split()) >= 8 for reason in DIFFERENCES.values())


@pytest.mark.parametrize("row", values("lastmod"))
def test_lastmod_of_crawler_commons(engine, row):
    entry = only_entry(engine, f"<lastmod>{row['input']}</lastmod>")
    expected = row["expected_utc"] and parse_date(row["expected_utc"]).instant
    judge(f"lastmod:{row['input']}", ["instant"] if entry.lastmod != expected else [])


@pytest.mark.parametrize("row", values("priority"))
def test_priority_of_crawler_commons(engine, row):
    entry = only_entry(engine, f"<priority>{row['input']}</priority>")
    judge(f"priority:{row['input']}", ["value"] if entry.priority != row["expected"] else [])


@pytest.mark.parametrize("row", values("rss_pubdate"))
def test_pubdate_of_crawler_commons(engine, row):
    item = f"<item><link>https://example.com/</link><pubDate>{row['input']}</pubDate></item>"
    data = f"<rss version='2.0'><channel>{item}</channel></rss>".encode()
    [entry] = urlset.parse(data, engine=engine.name).entries
    found = entry.lastmod or entry.lastmod_text
    judge(f"rss_pubdate:{row['input']}", [] if same(row["expected"], found) else ["instant"])


def only_entry(engine: Any, inner: str) -> Entry:
    data = f"<urlset><url><loc>https://example.com/</loc>{inner}</url></urlset>".encode()
    [entry] = urlset.parse(data, engine=engine.name).entries
    return entry


def differences(case: dict[str, Any], document: Document, data: bytes) -> Iterator[str]:
    """What the case asserts and the document does not say."""
    expected = case["expected"]
    rows: list[Any] = list(document.sitemaps if document.kind == "index" else document.entries)
    has_error = any(problem.level == "error" for problem in document.problems)
    kind = expected.get("type")
    if kind == "body":
        yield from _of_body(expected["body_base64"], document, data)
    elif kind == "detect":
        if not _is_format(expected["format"], document):
            yield f"format {document.kind}"
    elif kind == "invalid":
        if rows or (not has_error and document.kind not in INVALID):
            yield f"valid, {document.kind}, {len(rows)} rows"
    elif kind is not None and kind != document.kind:
        yield f"kind {document.kind}"
    if expected.get("error") and not has_error:
        yield "no error"
    if "count" in expected and expected["count"] != len(rows):
        yield f"count {len(rows)}"
    if "first" in expected and not agrees(expected["first"], seen(rows[0])):
        yield f"first {rows[0]}"
    if "urls" in expected:
        yield from _of_urls(expected, [seen(row) for row in rows])
    for wanted in expected.get("contains", ()):
        if not any(agrees(wanted, seen(row)) for row in rows):
            yield f"nothing like {wanted}"
    if "sitemap_lastmod" in expected:
        yield "the date of a feed's channel is not kept"
    if "has_extension" in expected:
        field = re.match(r"\w+", expected["has_extension"])
        assert field is not None
        if not any(seen(row).get(field[0]) or seen(row).get(field[0] + "s") for row in rows):
            yield f"no {field[0]}"
    if "rule" in expected and not _RULES[case["name"]](document):
        yield expected["rule"]


def _of_robots(expected: dict[str, Any], robots: Robots) -> Iterator[str]:
    """A peer gives each URL once, and compares them in any order."""
    found = sorted({line.url for line in robots.sitemaps})
    if "count" in expected and expected["count"] != len(found):
        yield f"count {len(found)}"
    if "sitemaps" in expected and sorted(expected["sitemaps"]) != found:
        yield f"sitemaps {found}"


def _of_body(body: str | None, document: Document, data: bytes) -> Iterator[str]:
    if body is None:
        if len(document.entries) or not any(p.level == "error" for p in document.problems):
            yield "body"
    elif inflate(data, LIMIT, lambda *_: None).data != base64.b64decode(body):
        yield "body"


def _is_format(wanted: str, document: Document) -> bool:
    if wanted == "gzip":
        return bool(document.layers)
    return (document.kind == "text") == (wanted == "text")


def _of_urls(expected: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[str]:
    wanted = expected["urls"]
    if expected.get("unordered"):
        rows = sorted(rows, key=lambda row: row["loc"])
        wanted = sorted(wanted, key=lambda row: row["loc"])
    if len(wanted) != len(rows):
        yield f"{len(rows)} urls"
    for one, other in zip(wanted, rows, strict=False):
        yield from (
            f"{key}: {other.get(key)!r}" for key in one if not agrees(one[key], other.get(key))
        )


def agrees(wanted: Any, found: Any) -> bool:
    """Compare what is asserted, and no more."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(agrees(wanted[k], found.get(k)) for k in wanted)
    if isinstance(wanted, list):
        return len(wanted) == len(found) and all(map(agrees, wanted, found))
    return same(wanted, found)


def same(wanted: Any, found: Any) -> bool:
    """Compare two values: "1" is 1.0, "" is None, "yes" is True, an instant is one in any form."""
    if (wanted or None) == (found or None) or found is None or wanted is None:
        return (wanted or None) == (found or None)
    if isinstance(wanted, bool):
        return bool(found == "yes") == wanted
    if isinstance(found, datetime):
        return parse_date(wanted).instant == found
    if isinstance(wanted, (int, float)) or isinstance(found, float):
        return float(wanted) == float(found)
    if isinstance(wanted, str) and (instant := parse_date(wanted).instant):
        return parse_date(found).instant == instant
    return False


def seen(row: Entry | Sitemap) -> dict[str, Any]:
    """A row in the words of the cases."""
    found: dict[str, Any] = row._asdict()
    found["has_lastmod"] = row.lastmod is not None
    found["lastmod_month"] = row.lastmod and row.lastmod.month
    if not isinstance(row, Entry):
        return found
    found["images"] = [image._asdict() for image in row.images]
    found["alternates"] = [{**a._asdict(), "rel": "alternate"} for a in row.alternates]
    found["videos"] = [_video(video) for video in row.videos]
    found["pagemap"] = list(_pagemap(row.extra or ""))
    if row.news is not None:
        news: dict[str, Any] = row.news._asdict()
        for key in ("keywords", "genres", "stock_tickers"):
            news[key] = [word.strip() for word in (news[key] or "").split(",")]
        news["valid"] = None not in (row.news.name, row.news.title)
        found["news"] = news
    return found


def _video(video: Video) -> dict[str, Any]:
    return {
        **video._asdict(),
        "tags": list(video.tags),
        "allowed_countries": (video.restriction or "").split(),
        "gallery_title": video.gallery_loc_title,
        "prices": [{**price._asdict(), "price": price.value} for price in video.prices],
        "content_segments": [[part.duration, part.loc] for part in video.content_segments],
        "tvshow": video.tvshow and video.tvshow._asdict(),
    }


def _pagemap(extra: str) -> Iterator[dict[str, str | None]]:
    for thing in etree.fromstring(f"<extra>{extra}</extra>").iter(f"{PAGEMAP}DataObject"):
        attributes = thing.iterchildren(f"{PAGEMAP}Attribute")
        named = {node.get("name"): node.get("value") or node.text for node in attributes}
        yield {"type": thing.get("type"), "id": thing.get("id"), **named}


def _is_mobile_right(document: Document) -> bool:
    return all(
        ("mobile-friendly" in entry.loc) == (":mobile" in (entry.extra or ""))
        for entry in document.entries
    )


def _is_news_whole(document: Document) -> bool:
    dates = [parse_date(e.news.publication_date or "") for e in document.entries if e.news]
    years = [date.instant.year for date in dates if date.instant is not None]
    return all(e.news and e.news.name for e in document.entries) and set(years) == {2017}


def _names_itself(document: Document) -> bool:
    return any(sitemap.loc.endswith("/sitemap_index.xml") for sitemap in document.sitemaps)


_RULES = {
    "crawler-commons/testMobileSitemap": _is_mobile_right,
    "crawler-commons/testShinpaideshuNewsSitemap": _is_news_whole,
    "advertools/sitemap_index.xml": _names_itself,  # following is for who reads a whole site
}


def test_same_is_strict_enough():
    noon = datetime(2004, 10, 1, 12, tzinfo=UTC)
    assert same("2004-10-01T14:00+02:00", noon)
    assert not same("2004-10-01T14:00Z", noon)
    assert not same("https://example.com/a", "https://example.com/b")
    assert not same(True, "no")
    assert not agrees([{"loc": "a"}], [])
