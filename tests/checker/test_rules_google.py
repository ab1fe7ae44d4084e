"""Rules about images, videos, news and other extensions (group G)."""

# ruff: noqa: E501
from __future__ import annotations

from datetime import UTC, datetime
from html import escape

import pytest

from urlset.checker import Finding, check
from urlset.protocol import PREFIXES, SITEMAP_NS, URIS

NS = f'xmlns="{SITEMAP_NS}" ' + " ".join(
    f'xmlns:{prefix}="{URIS[ns]}"' for prefix, ns in PREFIXES.items()
)
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOSTILE = [
    "'",
    '"',
    "{0}",
    "%",
    "\\",
    "日本",
    "e\u0301",
    "-",
    "0",
    "a" * 5_000,
    "' OR 1=1 --",
    "\ufffd",
]


def found(code: str, *pages: str, ns: str = NS) -> list[Finding]:
    """What a rule finds on pages, each given as what is inside its ``url``."""
    entries = "\n".join(
        f"<url><loc>https://example.com/{n}</loc>{page}</url>" for n, page in enumerate(pages)
    )
    return list(check(f"<urlset {ns}>\n{entries}\n</urlset>".encode(), select=[code], now=MOMENT))


def caught(code: str, *pages: str) -> dict[int, str]:
    """The numbers of the pages on which a rule finds something, with its words."""
    return {int(str(f.loc).rpartition("/")[2]): f.message for f in found(code, *pages)}


def verdicts(code: str, page: str, values: list[str]) -> list[str]:
    """The values that a rule objects to, each in a page of its own; its words are one short line."""
    numbers = caught(code, *(page.replace("…", escape(value)) for value in values))
    assert all(len(words) < 400 and "\n" not in words for words in numbers.values())
    return [values[n] for n in sorted(numbers)]


URLS_GOOD = [
    "https://example.com/a.jpg", "HTTP://EXAMPLE.COM/a", "https://пример.рф/日本.jpg", "http://a",
    "https://example.com:8080/a?b=c&d[0]=e;f,(g)!*'", "https://[::1]/a.png", "https://a.b/%20",
]  # fmt: skip
URLS_BAD = [
    "/a.jpg", "//example.com/a.jpg", "a.jpg", "www.example.com/a.jpg", "https:///a", "https://",
    "ftp://a.b/c", "data:image/png;base64,AAAA", "https://a.b/c d.jpg", "https://a.b/\u00a0c",
    "https://a.b/<c>", "https://a.b/c|d", "https://a.b/{c}", "https://a.b\\c", "https://a.b/c`",
]  # fmt: skip


def test_image_loc_invalid():
    page = "<image:image><image:loc>…</image:loc></image:image>"

    assert verdicts("G002", page, [*URLS_GOOD, *URLS_BAD, *HOSTILE]) == [*URLS_BAD, *HOSTILE]


@pytest.mark.parametrize("name", ["thumbnail_loc", "content_loc", "player_loc"])
def test_video_url_invalid(name):
    page = f"<video:video><video:{name}>…</video:{name}></video:video>"
    ftp = ["ftp://a.b/c.mp4", "FTP://a.b/c.mp4"]
    bad = [url for url in URLS_BAD if not url.startswith("ftp")]
    bad += [
        "rtmp://a.b/c",
        "blob:https://a.b/c",
        "https://a.b/c.swf",
        "https://a.b/c.SWF?d",
        "ftp://",
    ]

    assert verdicts("G023", page, [*URLS_GOOD, *ftp, *bad, *HOSTILE]) == [*bad, *HOSTILE]


def test_video_url_words_name_the_element():
    page = "<video:video><video:player_loc>/a.html</video:player_loc></video:video>"

    assert caught("G023", page)[0] == 'video:player_loc "/a.html" is not a full http(s) URL'


@pytest.mark.parametrize(
    ("code", "page"),
    [
        ("G005", "<image:image><image:loc>…</image:loc></image:image>"),
        ("G022", "<video:video><video:content_loc>…</video:content_loc></video:video>"),
        ("G022", "<video:video><video:player_loc>…</video:player_loc></video:video>"),
    ],
)
def test_same_url_as_the_page(code, page):
    same = ["https://example.com/0", "https://EXAMPLE.com:443/0"]
    other = ["https://example.com/0.jpg", "https://example.com/00", "http://example.com/0"]

    got = [url for url in same + other if caught(code, page.replace("…", url))]

    assert got == same


def test_image_duplicates_are_reported_once_with_their_number():
    image = "<image:image><image:loc>https://a.b/{}</image:loc></image:image>"
    page = "".join(image.format(name) for name in "abaca")

    (finding,) = found("G004", page, image.format("a"))

    assert finding.message == "Image https://a.b/a is listed 3 times on this page"


def test_removed_tags_are_named():
    image = "<image:image><image:loc>https://a.b/c</image:loc>{}</image:image>"
    video = "<video:video>{}</video:video>"
    news = "<news:news>{}</news:news>"

    assert caught(
        "G003", image.format("<image:license>a</image:license><image:title>b</image:title>")
    )[0].startswith("image:title, image:license of")
    assert caught("G036", video.format('<video:player_loc allow_embed="yes">a</video:player_loc>'))[
        0
    ].startswith("allow_embed of")
    assert (
        "video:tvshow"
        in caught(
            "G036",
            video.format("<video:tvshow><video:show_title>a</video:show_title></video:tvshow>"),
        )[0]
    )
    assert caught("G057", news.format("<news:genres>Blog</news:genres>"))[0].startswith(
        "news:genres:"
    )
    assert not caught("G003", image.format("<image:title> </image:title>"))
    assert not caught("G036", video.format("<video:player_loc>https://a.b/</video:player_loc>"))


def test_video_missing_parts_are_named():
    page = "<video:video><video:title>a</video:title><video:description> </video:description></video:video>"

    assert caught("G020", page)[0] == "video:video without video:thumbnail_loc, video:description"
    assert len(found("G020", page + page)) == 2


PAGES = [
    "https://a.b/c.html", "https://a.b/c.HTM#d", "https://a.b/c.php", "https://youtu.be/x",
    "https://www.youtube.com/watch?v=x", "https://player.vimeo.com/video/1", "https://vimeo.com/1",
]  # fmt: skip
FILES = [
    "https://a.b/c.mp4", "https://a.b/c.m3u8?d.html", "https://a.b/get.php?id=1", "https://a.b/c",
    "https://a.html/c", "https://cdn.vimeo.com/1.mp4", "https://notyoutube.com/watch",
    "https://a.b.php",
]  # fmt: skip


def test_video_content_looks_like_page():
    page = "<video:video><video:content_loc>…</video:content_loc></video:video>"

    assert verdicts("G024", page, [*PAGES, *FILES, *HOSTILE]) == PAGES


VALUES = {
    ("G025", "duration"): (
        ["1", "90", "28800", "00060"],
        ["0", "28801", "-1", "1.5", "1e3", "1:30", "PT90S", "90s", "9" * 40, "٣"],
    ),
    ("G026", "rating"): (
        ["0", "0.0", "5", "5.00", "4.999", "3."],
        ["5.01", "6", "-1", "4,5", "1e0", "NaN", "50"],
    ),
    ("G026", "view_count"): (["0", "12345678901234567890123"], ["-1", "1.5", "1,000", "1k"]),
    ("G029", "live"): (["yes", "No", "YES"], ["true", "1", "y", "false", "oui"]),
    ("G029", "family_friendly"): (["yes"], ["no!"]),
    ("G029", "requires_subscription"): (["no"], ["0"]),
}


@pytest.mark.parametrize(("code", "name"), VALUES)
def test_video_values(code, name):
    good, bad = VALUES[code, name]
    hostile = [value for value in HOSTILE if value not in good]
    page = f"<video:video><video:{name}>…</video:{name}></video:video>"

    assert verdicts(code, page, [*good, *bad, *hostile]) == [*bad, *hostile]
    assert f'"{bad[-1]}"' in caught(code, page.replace("…", bad[-1]))[0]


DATES = {
    "": [
        "2026-11-20", "2026-11-20T08:00Z", "2026-11-20T08:00:00+01:00", "2024-02-29",
        "2026-11-20T23:59:59.123456789-12:30", "2026-11-20T00:00:00+14:00",
        "2026-11-20Z", "2026-11-20+01:00",  # xsd:date, which the schemas name
    ],
    "is not a real date": [
        "2026-02-30", "2025-02-29", "0000-00-00", "0000-01-01", "2026-13-01", "2026-11-20T24:00:00Z",
        "2026-11-20T23:60Z", "2026-11-20T23:59:60Z", "2026-11-20T99:00+01:00",
    ],
    "has a time but no time zone": ["2026-11-20T08:00:00", "2026-11-20 08:00", "2026-11-20T08:00:00.5"],
    "has an offset that is not written +hh:mm": ["2026-11-20T08:00:00+0100", "2026-11-20 08:00 +01"],
    "has an impossible offset from UTC": ["2026-11-20T08:00:00+15:00", "2026-11-20T08:00-01:60", "2026-11-20+15:00"],
    "is not YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm": [
        "2026", "2026-11", "20.11.2026", "2026-11-20T08Z", "2026-11-20t08:00:00z", "2026-11-20 Z",
        "Fri, 20 Nov 2026 08:00:00 GMT", "20261120", "2026-11-20 08:00:00Z", "-0001-11-30", *HOSTILE,
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "page"),
    [
        ("G027", "<video:video><video:publication_date>…</video:publication_date></video:video>"),
        ("G027", "<video:video><video:expiration_date>…</video:expiration_date></video:video>"),
        ("G052", "<news:news><news:publication_date>…</news:publication_date></news:news>"),
    ],
)
def test_dates(code, page):
    cases = [(text, fault) for fault, texts in DATES.items() for text in texts]

    told = caught(code, *(page.replace("…", escape(text)) for text, _ in cases))

    for number, (text, fault) in enumerate(cases):
        assert told.get(number, "").endswith(fault), text
        assert (number in told) == bool(fault), text


@pytest.mark.parametrize(
    ("expires", "published", "is_caught"),
    [
        ("2026-11-21T11:59:59Z", None, True),
        ("2026-11-21T12:00:01Z", None, False),
        ("2026-11-21", None, False),
        ("2026-11-20", None, False),  # it may still be that day, west of Greenwich
        ("2026-11-19", None, True),
        ("2027-01-01", "2027-02-01", True),
        ("2027-01-01", "2027-01-01", False),
        ("2027-01-01", "no date", False),
        ("no date", "2026-01-01", False),
        ("9999-12-31", None, False),
    ],
)
def test_video_expired(expires, published, is_caught):
    more = f"<video:publication_date>{published}</video:publication_date>" if published else ""
    page = (
        f"<video:video><video:expiration_date>{expires}</video:expiration_date>{more}</video:video>"
    )

    assert bool(found("G028", page)) == is_caught


@pytest.mark.parametrize(
    ("element", "fault"),
    [
        ('relationship="allow">GB IE', None),
        ('relationship="deny">GB', None),
        ('relationship="allow">', None),
        ('relationship="allow">GB\n  IE', None),
        (">GB", "has no relationship"),
        ('relationship="Allow">GB', 'the relationship "Allow"'),
        ('relationship="allow">GB,IE', "has commas"),
        ('relationship="allow">GB UK', 'names "UK"'),
        ('relationship="allow">gb', 'names "gb"'),
        ('relationship="allow">EU', 'names "EU"'),
        ('relationship="allow">GBIE', 'names "GBIE"'),
        ('relationship="allow">{0} %', 'names "{0}"'),
    ],
)
def test_video_restriction(element, fault):
    page = f"<video:video><video:restriction {element}</video:restriction></video:video>"

    told = caught("G030", page)

    assert (fault in told[0]) if fault else told == {}


@pytest.mark.parametrize(
    ("element", "fault"),
    [
        ('relationship="allow">web', None),
        ('relationship="deny">web mobile  tv', None),
        (">web", "has no relationship"),
        ('relationship="no">web', 'the relationship "no"'),
        ('relationship="allow">Web', 'is "Web"'),
        ('relationship="allow">web,tv', 'is "web,tv"'),
    ],
)
def test_video_platform(element, fault):
    page = f"<video:video><video:platform {element}</video:platform></video:video>"

    told = caught("G031", page)

    assert (fault in told[0]) if fault else told == {}


@pytest.mark.parametrize(
    ("element", "is_caught"),
    [
        (">Ann", False),
        (">" + "a" * 255, False),
        (">" + "a" * 256, True),
        ('info="https://www.example.com/ann">Ann', False),
        ('info="https://users.example.com/ann">Ann', False),
        ('info="https://example.org/ann">Ann', True),
        ('info="https://notexample.com/">Ann', True),
        ('info="/ann">Ann', False),
    ],
)
def test_video_uploader(element, is_caught):
    page = f"<video:video><video:uploader {element}</video:uploader></video:video>"

    assert bool(found("G032", page)) == is_caught


@pytest.mark.parametrize(
    ("title", "description", "level"),
    [(100, 2048, None), (101, 2048, "info"), (100, 2049, "error"), (101, 2049, "error")],
)
def test_video_text_length_in_characters(title, description, level):
    page = (
        f"<video:video><video:title>{'é' * title}</video:title>"
        f"<video:description>{'日' * description}</video:description></video:video>"
    )

    assert [f.level for f in found("G033", page)] == ([level] if level else [])


@pytest.mark.parametrize(("count", "is_caught"), [(32, False), (33, True)])
def test_video_tags(count, is_caught):
    page = f"<video:video>{'<video:tag>a</video:tag>' * count}</video:video>"

    assert bool(found("G034", page)) == is_caught


def news(date: str = "2026-11-20", name: str = "Rye", language: str = "en") -> str:
    return (
        f"<news:news><news:publication><news:name>{escape(name)}</news:name>"
        f"<news:language>{escape(language)}</news:language></news:publication>"
        f"<news:publication_date>{date}</news:publication_date><news:title>a</news:title></news:news>"
    )


def test_news_missing_parts_are_named():
    pages = ["<news:news></news:news>", news(), "<news:news><news:title>a</news:title></news:news>"]

    assert caught("G050", *pages) == {
        0: "news:news without news:name, news:language, news:publication_date, news:title",
        2: "news:news without news:name, news:language, news:publication_date",
    }


def test_news_language():
    good = ["en", "de", "zh-cn", "zh-tw", "fil", "zh"]
    bad = ["en-US", "EN", "zh-CN", "english", "jp", "e", "en_us", *HOSTILE]

    assert verdicts("G051", news(language="…"), good + bad) == bad


@pytest.mark.parametrize(
    ("date", "code"),
    [
        ("2026-11-19T12:00:01Z", None),
        ("2026-11-19T11:59:59Z", "G053"),
        ("2026-11-19T12:30:00+01:00", "G053"),
        ("2026-11-19", None),
        ("2026-11-18", None),
        ("2026-11-17", "G053"),
        ("2026-11-21T13:00:00Z", None),
        ("2026-11-21T13:00:01Z", "G054"),
        ("2026-11-22", None),
        ("2026-11-23", "G054"),
        ("9999-12-31T23:59:59Z", "G054"),
        ("no date", None),
    ],
)
def test_news_age(date, code):
    codes = [f.code for each in ("G053", "G054") for f in found(each, news(date))]

    assert codes == ([code] if code else [])


@pytest.mark.parametrize(
    ("date", "hours"),
    [
        ("2026-11-19T11:59:50Z", "48.1"),
        ("2026-11-19T11:48:00Z", "48.2"),
        ("2026-10-10T12:00:00Z", "1,008.0"),
    ],
)
def test_the_age_of_news_is_over_the_limit_that_is_stated(date, hours):
    [finding] = found("G053", news(date))

    assert finding.message == f"Article is {hours} hours old; the limit is 48 hours"


def test_news_name():
    names = ["The Rye", "The Rye", "the rye", "Rye!", "Wheat", "Oats (paid)", "(", "Oat)s("]

    told = caught("G056", *(news(name=name) for name in names))

    assert told == {
        2: 'news:name "the rye" is also written "The Rye"',
        3: 'news:name "Rye!" is also written "The Rye"',
        5: 'news:name "Oats (paid)" has words in parentheses',
    }


def test_dead_extensions_are_reported_once_for_each_file():
    pages = ["<mobile:mobile/>", "", "<mobile:mobile/><pagemap:PageMap/>"]

    findings = found("G070", *pages)

    assert [(f.loc, f.message.rpartition(": ")[2]) for f in findings] == [
        ("https://example.com/0", "2"),
        ("https://example.com/2", "1"),
    ]


def test_dead_extension_in_words_is_none():
    namespace = "http://www.google.com/schemas/sitemap-mobile/1.0"

    assert not found("G070", f'<x:a xmlns:x="https://x.org/">{namespace}</x:a>')


@pytest.mark.parametrize(
    ("attributes", "is_caught"),
    [
        ("", False),
        ('type="mobile"', False),
        ("type='pc,mobile'", False),
        ('type="htmladapt"', False),
        ('type="Mobile"', True),
        ('type="pc, mobile"', True),
        ('x="1" type="phone"', True),
    ],
)
def test_baidu_mobile_type(attributes, is_caught):
    namespaces = f'xmlns="{SITEMAP_NS}" xmlns:m="http://www.baidu.com/schemas/sitemap-mobile/1/"'

    assert bool(found("G071", f"<m:mobile {attributes}/>", ns=namespaces)) == is_caught
    assert not found("G071", f"<mobile:mobile {attributes}/>")  # Google's, which has no type
