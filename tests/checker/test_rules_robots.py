"""Rules about robots.txt: its content, its form, and what it means for the sitemaps."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from urlset.checker import Finding, check
from urlset.checker.examples import documents_of
from urlset.robots import Robots

SITE = "https://example.com"
PAGE = "<url><loc>https://example.com/</loc></url>"
LINE = "Sitemap: https://example.com/sitemap.xml"


def found(
    code: str, robots: str | bytes, documents: dict | None = None, **options
) -> list[Finding]:
    documents = {"sitemap.xml": PAGE} if documents is None else documents
    return list(check(documents_of({"robots.txt": robots, **documents}), select=[code], **options))


def messages(code: str, robots: str | bytes, documents: dict | None = None) -> list[str]:
    return [finding.message for finding in found(code, robots, documents)]


@pytest.mark.parametrize(
    ("robots", "is_told"),
    [
        ("", True),
        ("User-agent: *\nDisallow:", True),
        ("# Sitemap: https://example.com/sitemap.xml", True),
        (LINE, False),
        ("SITEMAP:https://example.com/sitemap.xml", False),
        ("Sitemap: /sitemap.xml", False),  # R002
        ("Sitemap: none", False),
        ("Sitemaps: https://example.com/sitemap.xml", False),  # R003
        ("<!DOCTYPE html><p>Welcome", False),  # R008
        ("Sitemap: https://cdn.example.net/s.xml", False),
    ],
)
def test_no_sitemap_line(robots: str, is_told: bool):
    findings = found("R001", robots)

    assert [finding.source for finding in findings] == [f"{SITE}/robots.txt"] * is_told


def test_no_sitemap_line_matters_where_there_are_sitemaps():
    documents = {"https://other.example/sitemap.xml": PAGE}

    assert messages("R001", "User-agent: *", documents) == []


def test_duplicate_lines():
    robots = f"{LINE}\r\nUser-agent: *\r\n sitemap :{SITE}/sitemap.xml # main\r\n{LINE}\r\n"

    [finding] = found("R004", robots)

    assert (finding.source, finding.line) == (f"{SITE}/robots.txt", 3)
    assert finding.message == f"{SITE}/sitemap.xml is declared 3 times"
    assert messages("R004", f"{LINE}\n# {LINE}\n{LINE}.gz\n{LINE}?a") == []


@pytest.mark.parametrize(
    ("loc", "declared"),
    [
        ("http://example.com/sitemap.xml", "http://example.com"),
        ("https://www.example.com/sitemap.xml", "https://www.example.com"),
        ("http://www.example.com/sitemap.xml", "http://www.example.com"),
        ("https://EXAMPLE.com:443/sitemap.xml", None),
        ("https://cdn.example.com/sitemap.xml", None),
        ("https://example.com:8443/sitemap.xml", None),
    ],
)
def test_variants(loc: str, declared: str | None):
    findings = found("R005", f"User-agent: *\nSitemap: {loc}")

    words = [f"Declared as {declared}; the site is https://example.com"] if declared else []
    assert [finding.message for finding in findings] == words
    assert [(finding.line, finding.loc) for finding in findings] == [(2, loc)] * len(words)


@pytest.mark.parametrize(
    ("robots", "is_told"),
    [
        ("<!DOCTYPE html><p>Welcome", True),
        ("\n <HTML lang=en>", True),
        ("<!-- a theme --><html>", True),
        (f"{LINE}\n<html>", False),
        ("# <html>", False),
        ("<not html", False),
        ("", False),
    ],
)
def test_html(robots: str, is_told: bool):
    assert messages("R008", robots) == ["robots.txt is an HTML page"] * is_told


def test_disallowed_sitemaps():
    documents = {"maps/a.xml": PAGE, "sitemap.xml": PAGE}
    robots = "User-agent: *\nDisallow: /maps/"

    [finding] = found("R009", robots, documents)
    assert finding.source == f"{SITE}/maps/a.xml"
    assert finding.message == (
        f"{SITE}/maps/a.xml is disallowed for Googlebot by {SITE}/robots.txt"
    )
    assert messages("R009", f"{robots}\nAllow: /maps/*.xml", documents) == []
    # Of the same host and scheme only; and where it is not known, nothing is told.
    others = {"http://example.com/maps/a.xml": PAGE, "https://a.example.com/maps/a.xml": PAGE}
    assert messages("R009", robots, others) == []


@pytest.mark.parametrize(
    ("robots", "profile", "agent"),
    [
        ("User-agent: *\nDisallow: /", None, "Googlebot"),
        ("User-agent: googlebot\nDisallow: /", None, "Googlebot"),
        ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", None, None),
        ("User-agent: bingbot\nDisallow: /", None, None),
        ("User-agent: bingbot\nDisallow: /", "bing", "bingbot"),
        ("User-agent: Yandex\nDisallow: /", "yandex", "YandexBot"),
        ("User-agent: Baiduspider\nDisallow: /", "baidu", "Baiduspider"),
        ("User-agent: AhrefsBot\nDisallow: /", "google", None),
    ],
)
def test_disallowed_for_whom(robots: str, profile, agent: str | None):
    findings = found("R010", robots, profile=profile)

    words = f"{SITE}/ is disallowed for {agent} by {SITE}/robots.txt"
    assert [finding.message for finding in findings] == ([words] if agent else [])


def test_disallowed_pages_in_any_spelling():
    locs = [
        f"{SITE}/private/a", f"{SITE}:443/private/a", "HTTPS://Example.COM/private/a",
        f"{SITE}/%70rivate/a", f"{SITE}/a?b=/private/&amp;sort=1", f"{SITE}/%C3%A4/x",
        f"{SITE}/ä/x",
        "https://user@example.com/private/a", f"{SITE}/private/open", f"{SITE}/Private/a",
        f"{SITE}/a#/private/", "http://example.com/private/a", "https://b.example.com/private/a",
        f"{SITE}?sort=1", f"{SITE}", f"{SITE}/a?re=sort", f"{SITE}/%zz/sort=",
    ]  # fmt: skip
    robots = (
        "User-agent: *\nDisallow: /private/\nDisallow: /*sort=\nDisallow: /ä/\n"
        "Allow: /private/open\nDisallow: /%zz/"
    )
    entries = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)

    findings = found("R010", robots, {"sitemap.xml": entries})

    told = Robots(f"{SITE}/robots.txt", text=robots)
    ours = [loc for loc in locs if loc.lower().startswith((SITE, "https://user@"))]
    expected = [loc for loc in ours if not told.allows(loc.replace("&amp;", "&"), "Googlebot")]
    assert [f.loc for f in findings] == [loc.replace("&amp;", "&") for loc in expected]
    assert len(expected) == 10
    assert findings[0].column == 6


def test_disallowed_images_and_videos():
    video = (
        "<video:video><video:thumbnail_loc>https://example.com/t/v.jpg</video:thumbnail_loc>"
        "<video:content_loc>https://example.com/v.mp4</video:content_loc></video:video>"
    )
    images = "".join(
        f"<image:image>\n<image:loc>{SITE}/{path}</image:loc></image:image>"
        for path in ("ok.jpg", "t/i.jpg", "t/open.jpg")
    )
    page = f"<url><loc>{SITE}/</loc>{images}{video}</url>"
    robots = (
        "User-agent: *\nDisallow: /t/\nDisallow: /v\n"
        "User-agent: Googlebot-Image\nDisallow: /t/\nAllow: /t/open"
    )

    findings = found("R010", robots, {"sitemap.xml": page})

    assert [(finding.message.split(" is ")[0], finding.line) for finding in findings] == [
        (f"{SITE}/t/v.jpg", 3),
        (f"{SITE}/v.mp4", 3),
        (f"{SITE}/t/i.jpg", 5),
    ]
    assert "for Googlebot-Image" in findings[2].message


PATHS = st.lists(
    st.sampled_from(
        ["/", "a", "b/", "%61", "%2F", "ä", "?", "&amp;", "x=1", ".pdf", "$", "*", "%"]
    ),
    max_size=5,
).map("".join)
PATTERNS = st.lists(
    st.sampled_from(["/", "a", "b/", "%61", "*", "ä", "?", "&", "x=1", ".pdf", "$", "1", "%2"]),
    min_size=1,
    max_size=4,
).map("".join)
RULES = st.lists(
    st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), min_size=1, max_size=6
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RULES, st.lists(PATHS, min_size=20, max_size=40, unique=True))
def test_disallowed_is_what_robots_say(rules: list[tuple[str, str]], paths: list[str]):
    robots = "User-agent: *\n" + "".join(f"{kind}: /{pattern}\n" for kind, pattern in rules)
    entries = "".join(f"<url><loc>{SITE}/{path}</loc></url>\n" for path in paths)

    findings = found("R010", robots, {"sitemap.xml": entries})

    told = Robots(f"{SITE}/robots.txt", text=robots)
    locs = [f"{SITE}/{path}".replace("&amp;", "&") for path in paths]
    expected = [loc for loc in locs if not told.allows(loc, "Googlebot")]
    assert [finding.loc for finding in findings] == expected


def test_disallowed_by_a_long_robots_txt():
    lines = "".join(
        f"Disallow: /shop/{number:06}/\nDisallow: /*s{number}=\n" for number in range(8_000)
    )
    entries = "".join(
        f"<url><loc>{SITE}/{path}</loc></url>" for path in ("shop/007999/a", "shop/8000", "?s7=1")
    )

    findings = found("R010", f"User-agent: *\n{lines}", {"sitemap.xml": entries})

    assert [finding.loc for finding in findings] == [f"{SITE}/shop/007999/a", f"{SITE}/?s7=1"]


@pytest.mark.parametrize(
    ("loc", "what"),
    [
        (f"{SITE}/robots.txt", "robots.txt itself"),
        (f"{SITE}/", "the home page"),
        (f"{SITE}", "the home page"),
        (f"{SITE}/page", "an HTML page"),
        (f"{SITE}/?sitemap=1", None),
        (f"{SITE}/sitemap.xml", None),
        (f"{SITE}/missing.xml", None),
        (f"{SITE}/sitemap/robots.txt", None),
    ],
)
def test_declared_but_no_sitemap(loc: str, what: str | None):
    documents = {"sitemap.xml": PAGE, "page": "<!DOCTYPE html><html><body>Hello</body></html>"}

    findings = found("R011", f"User-agent: *\nSitemap: {loc}", documents)

    assert [f.message for f in findings] == ([f"{loc} is not a sitemap but {what}"] if what else [])
    assert [f.line for f in findings] == ([2] if what else [])


def test_a_home_page_that_is_a_sitemap_is_one():
    assert messages("R011", f"Sitemap: {SITE}/", {"": PAGE}) == []


SHOP = "https://shop.example.com"


@pytest.mark.parametrize(
    ("robots", "is_told"),
    [
        ({}, False),  # not known
        ({f"{SHOP}/robots.txt": "User-agent: *"}, True),
        ({f"{SHOP}/robots.txt": f"Sitemap: {SITE}/other.xml"}, True),
        ({f"{SHOP}/robots.txt": LINE}, False),
        ({f"{SHOP}/robots.txt": f"Sitemap: {SITE}/index.xml"}, False),  # by the index
        ({"robots.txt": LINE}, False),
    ],
)
def test_cross_submission(robots: dict[str, str], is_told: bool):
    entries = f"{PAGE}<url><loc>{SHOP}/a</loc></url><url><loc>{SHOP}/b</loc></url>"
    index = f"<sitemap><loc>{SITE}/sitemap.xml</loc></sitemap>"
    documents = documents_of({"index.xml": index, "sitemap.xml": entries, **robots})

    words = (
        "robots.txt of shop.example.com does not declare this sitemap, which lists 2 of its URLs"
    )
    assert [f.message for f in check(documents, select=["R012"])] == [words] * is_told


@pytest.mark.parametrize(
    ("name", "robots", "is_told"),
    [
        ("maps/all.xml", "User-agent: *", True),
        ("maps/all.xml", f"Sitemap: {SITE}/maps/all.xml", False),
        ("maps/all.xml", "Sitemap: https://EXAMPLE.com:443/maps/all.xml", False),
        ("sitemap.xml", "User-agent: *", False),
        ("sitemap_index.xml", "User-agent: *", False),
        ("maps/all.xml", None, False),
    ],
)
def test_undiscoverable(name: str, robots: str | None, is_told: bool):
    documents = {name: PAGE} | ({} if robots is None else {"robots.txt": robots})

    findings = list(check(documents_of(documents), select=["R013"]))

    assert [finding.source for finding in findings] == [f"{SITE}/{name}"] * is_told


def test_undiscoverable_is_what_nothing_leads_to():
    index = f"<sitemap><loc>{SITE}/maps/a.xml</loc></sitemap>"
    documents = {"sitemap.xml": index, "maps/a.xml": PAGE, "maps/b.xml": PAGE}

    assert messages("R013", "User-agent: *", documents) == []  # b.xml: I504 tells it
    documents = {"maps/index.xml": index, "maps/a.xml": PAGE}
    [finding] = found("R013", "User-agent: *", documents)
    assert finding.source == f"{SITE}/maps/index.xml"
