"""Rules about single URLs: input that each reports, and similar valid input."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest

from urlset.checker import check

LOCAL = "file:///srv/www/sitemap.xml"
SITEMAP = "https://example.com/sitemap.xml"


def listing(*locs: str) -> bytes:
    entries = "".join(f"<url><loc>{escape(loc)}</loc></url>" for loc in locs)
    return (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()
    )


def reported(code: str, *locs: str, at: str = LOCAL) -> dict[str | None, str]:
    """What a rule says of each URL."""
    return {f.loc: f.message for f in check({at: listing(*locs)}, select=[code])}


HOME = "https://example.com"

CASES = {
    "U004": (["http://a.io", "https://t.c"], ["http://a.io/", "https://t.co"]),
    "U007": (
        [f"{HOME}/a|b", f"{HOME}/?q=a\\b", f"{HOME}/?q=<b>", f"{HOME}/^", f"{HOME}/`", f'{HOME}/"'],
        [f"{HOME}/a'b", f"{HOME}/?a[]=1&b=(c)", f"{HOME}/~a!$*,;:@", f"{HOME}/é", f"{HOME}/{{id}}"],
    ),
    "U008": (
        [f"{HOME}/é", f"{HOME}/?q=日本", f"{HOME}/\U0001f600"],
        [f"{HOME}/%C3%A9", "https://bücher.example.com/a", f"{HOME}/#é"],
    ),
    "U009": (
        ["https://bücher.example.com/", "https://例え.jp"],
        ["https://xn--bcher-kva.example.com/é"],
    ),
    "U010": (
        [f"{HOME}/100%", f"{HOME}/a%2", f"{HOME}/%zz", f"{HOME}/?q=%2x", f"{HOME}/%%20"],
        [f"{HOME}/%20", f"{HOME}/%aF?%00", f"{HOME}/item/%s"],
    ),
    "U011": (
        [f"{HOME}/a%2520b", f"{HOME}/?q=a%253D"],
        [f"{HOME}/100%25", f"{HOME}/%25of", f"{HOME}/?u=https%3A%2F%2Fa.b%2F%3Fc%3D%2520d"],
    ),
    "U012": ([f"{HOME}/#a", f"{HOME}/#!/a", f"{HOME}/?a#b"], [f"{HOME}/#", f"{HOME}/%23a"]),
    "U013": (
        ["https://a:b@example.com/", "https://a@example.com", "https://@example.com/"],
        [f"{HOME}/@me", f"{HOME}?mail=a@example.com", f"{HOME}/#a@b"],
    ),
    "U014": (
        ["http://example.com:80/", "https://example.com:443", "https://example.com:8443/a"],
        [f"{HOME}/a:80", "http://localhost:3000/", "https://[2001:4860::1]/", f"{HOME}/?:81"],
    ),
    "U016": (
        [
            "http://localhost/", "http://B.LOCAL:3000/a", "http://intranet/a", "http://a.local",
            "https://staging.internal/", "http://127.0.0.1/", "http://10.1.2.3:80/",
            "http://172.16.0.1/", "http://172.31.255.1/", "http://192.168.1.1/", "http://[::1]/",
            "http://[fe80::1]/", "http://169.254.1.1/", "https://shop.test/", "http://router.lan/",
            "http://nas.home.arpa/", "http://100.64.0.1/", "http://localhost./",
        ],
        [
            "https://example.com/", "https://local.example.com/", "https://test.de/",
            "http://172.32.0.1/", "http://172.15.0.1/", "http://11.0.0.1/", "http://8.8.8.8/",
            "http://10.example.com/", "https://[2606:4700::1111]/", "http://a.dev/",
            "http://192.169.1.1/", "http://100.128.0.1/", "https://www.localhost.com/",
        ],
    ),
    "U017": (
        [
            "HTTPS://example.com/", "https://Example.com/", "https://example.com", f"{HOME}/%7Ea",
            f"{HOME}/%e4", f"{HOME}/a/../b", f"{HOME}/./a", f"{HOME}/a/..",
            "http://example.com:80/",
            f"{HOME}/?a=%41",
        ],
        [f"{HOME}/~a", f"{HOME}/%E4", f"{HOME}/.well-known/a", f"{HOME}/a..b", f"{HOME}/%2F",
         f"{HOME}/?a=/../b", f"{HOME}/?q=%", f"{HOME}/..a", "http://example.com:8080/",
         f"{HOME}/!%21"],
    ),
    "U018": (
        [
            f"{HOME}/?PHPSESSID=1", f"{HOME}/a;jsessionid=1F", f"{HOME}/?a=1&utm_source=x",
            f"{HOME}/?gclid=1", f"{HOME}/?fbclid=a#b", f"{HOME}/(S(abcdefghij0123456789abcd))/a",
            f"{HOME}/?sid=0123456789abcdef0123456789abcdef", f"{HOME}/?UTM_Medium=x",
            f"{HOME}/?_ga=2",
        ],
        [
            f"{HOME}/?sid=12", f"{HOME}/?session=morning", f"{HOME}/utm_source=1",
            f"{HOME}/?a=gclid",
            f"{HOME}/?q=utm_source", f"{HOME}/gclid", f"{HOME}/?side=1", f"{HOME}/?spm=1",
            f"{HOME}/a(b)/c", f"{HOME}/;v=1",
        ],
    ),
    "U019": (
        [
            f"{HOME}/{{slug}}", f"{HOME}/${{id}}/a", f"{HOME}/%7Bslug%7D",
            f"{HOME}/{{{{%20url%20}}}}",
            f"{HOME}/[slug]", f"{HOME}/[...all]/a", f"{HOME}/:id", f"{HOME}/undefined/a",
            f"{HOME}/?id=undefined", f"{HOME}/a/NaN", f"{HOME}/[object%20Object]", f"{HOME}/%s/a",
            f"{HOME}/__template__/", f"{HOME}/%PUBLIC_URL%/a", f"{HOME}/{{0}}", f"{HOME}/<int:id>",
            f"{HOME}/{{post-slug}}",
        ],
        [
            f"{HOME}/undefined-behaviour", f"{HOME}/null.html", f"{HOME}/Null", f"{HOME}/a:id",
            f"{HOME}/?a[b]=c", f"{HOME}/{{3F2504E0-4F89-11D3-9A0C-0305E82C3301}}",
            f"{HOME}/__init__",
            f"{HOME}/[1]", f"{HOME}/wiki/:de:Brot", f"{HOME}/nano", f"{HOME}/%sa", f"{HOME}/a=b",
            f'{HOME}/?f={{"a":1}}', f"{HOME}/objects/object", f"{HOME}/:smile:",
        ],
    ),
    "U020": (
        [
            f"{HOME}/a.jpg", f"{HOME}/a.CSS", f"{HOME}/a.woff2?v=1", f"{HOME}/js/a.js",
            f"{HOME}/main.js", f"{HOME}/a.min.js", f"{HOME}/a.tar.gz", f"{HOME}/feed.rss",
            f"{HOME}/data/a.json", f"{HOME}/app.js.map",
        ],
        [
            f"{HOME}/wiki/File:Rye.jpg", f"{HOME}/tech/node.js", f"{HOME}/a.pdf", f"{HOME}/a.html",
            f"{HOME}/jpg", f"{HOME}/wiki/Datei%3ARye.jpg", f"{HOME}/package.json", f"{HOME}/a.jpg/",
            f"{HOME}/?f=a.jpg", f"{HOME}/.mp4", f"{HOME}/v1.2", f"{HOME}/a.xml", f"{HOME}/a.txt",
        ],
    ),
    "U021": (
        [
            f"{HOME}/robots.txt", f"{HOME}/sitemap.xml", f"{HOME}/a/sitemap_index.xml",
            f"{HOME}/post-sitemap.xml.gz", f"{HOME}/sitemap-1.xml", f"{HOME}/sitemap2.xml",
            f"{HOME}/sitemap.txt",
        ],
        [f"{HOME}/sitemap", f"{HOME}/sitemap.html", f"{HOME}/a.xml", f"{HOME}/a/robots.txt",
         f"{HOME}/what-is-a-sitemap.html", f"{HOME}/sitemaps-explained.txt"],
    ),
    "U022": (
        [f"{HOME}//", f"{HOME}/a//b", f"{HOME}//a?b",
         f"{HOME}/https://a.b/c", f"{HOME}/http://a.b/"],
        [f"{HOME}/a/", f"{HOME}/?a=//b", f"{HOME}/web/2020/https://a.b/c", f"{HOME}/#//"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_it_objects_to_these_and_not_to_those(code: str) -> None:
    bad, good = CASES[code]

    found = reported(code, *bad, *good)

    assert set(bad) - set(found) == set()
    assert set(found) - set(bad) == set()


@pytest.mark.parametrize(
    ("code", "loc", "words"),
    [
        ("U004", "http://a.io", "URL has 11 characters, fewer than the 12 of the schema"),
        ("U007", f"{HOME}/a|b", "Character | must be percent-encoded, as %7C"),
        ("U007", f"{HOME}/a}}b", "Character } must be percent-encoded, as %7D"),
        ("U008", f"{HOME}/é", "é is not ASCII and should be percent-encoded, as %C3%A9"),
        ("U012", f"{HOME}/#!/a", "URL has a fragment (#!/a)"),
        ("U013", "https://me:secret@example.com/", 'information ("me" before the @)'),
        ("U014", "https://example.com:443/", "Port 443 is the default port of https"),
        ("U014", "https://example.com:8443/", "Port 8443 is not the default port of https"),
        ("U016", "http://Localhost/", "Host localhost is not public"),
        ("U017", "HTTP://A.com:80/x/../%7eb%e4/.?%7E", "which is http://a.com/~b%E4/?~"),
        ("U018", f"{HOME}/a;jsessionid=1", "Parameter jsessionid is a session id"),
        ("U018", f"{HOME}/?utm_source=a", "Parameter utm_source is a tracking tag"),
        ("U018", f"{HOME}/?sid={'a' * 32}", "Parameter sid is a session id"),
        ("U019", f"{HOME}/{{{{ a.b | c }}}}/d", "template value {{%20a.b%20|%20c%20}}"),
        ("U019", f"{HOME}/undefined/d", "template value undefined"),
        ("U020", f"{HOME}/a.JPG", "A .jpg file is not a page"),
        ("U021", f"{HOME}/robots.txt", "A robots.txt is listed as a page"),
    ],
)
def test_the_words_have_the_value(code: str, loc: str, words: str) -> None:
    assert words in "".join(reported(code, loc).values())


def test_a_word_that_a_page_may_be_about_is_a_warning() -> None:
    locs = [f"{HOME}/dictionary/undefined", f"{HOME}/null/", f"{HOME}/NaN/a", f"{HOME}/?a=NaN"]

    levels = [f.level for f in check({LOCAL: listing(*locs)}, select=["U019"])]

    assert levels == ["warning", "warning", "error", "warning"]


def test_where_the_sitemap_lies_on_that_host_it_is_no_news() -> None:
    """Also where it lies elsewhere: then that is an error, reported by U028."""
    assert reported("U016", "http://localhost/a", at="http://localhost/sitemap.xml") == {}
    assert reported("U014", "http://a.com:8080/a", at="http://a.com:8080/sitemap.xml") == {}


def test_a_child_of_an_index_is_no_page_but_a_url() -> None:
    index = (
        b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<sitemap><loc>https://example.com/a|b/sitemap.xml</loc></sitemap></sitemapindex>"
    )

    assert [f.code for f in check({SITEMAP: index}, select=["U0"])] == ["U007"]


def test_nothing_that_a_loc_can_hold_fails() -> None:
    hard = "a%00%ff%" + "\u202e\U000e0001" + "[" * 20 + "%2" + "\\" * 9 + "'\"{?&;=#//../.:}"
    locs = [f"{scheme}://e.com{mark}{hard}" for scheme in ("http", "HTTPS") for mark in "/?#"]

    codes = {f.code for f in check({LOCAL: listing(*locs)}, select=["U", "U017"])}

    assert {"U007", "U008", "U010"} <= codes
