"""Discovery of the sitemaps of a site: robots.txt, home page, well-known paths, soft 404s."""

import time

import pytest

from tests.http_walks import quick
from tests.site_box import SiteBox, cut, gz, page, redirect, reset, silent, urlset_of
from urlset.errors import SourceError
from urlset.http import Response, drive_in_thread
from urlset.option_names import flags_in_messages
from urlset.protocol import WELL_KNOWN_PATHS
from urlset.reader import DocumentRecord, read
from urlset.reader.discovery import MAX_LEADS, Discovery
from urlset.reader.site_walk import SiteWalk

HTML = "<!doctype html><html><head><title>Oops</title>{}</head><body>Not here</body></html>"


def walk_site(box: SiteBox, **policy: object) -> tuple[SiteWalk, list[DocumentRecord]]:
    walk = SiteWalk(Discovery(f"{box.site}/any/page?of=it"))
    return walk, [visit.record for visit in drive_in_thread(walk, quick(**policy))]


def outcomes(walk: SiteWalk) -> list[tuple[str, str]]:
    return [(trial.how, trial.outcome) for trial in walk.attempts]


def test_robots_declares(box: SiteBox):
    a, b = box.put_urlset("/a.xml"), box.put_urlset("/b")
    box.put_robots("User-agent: *", "Disallow:", f"Sitemap: {a}", "Site-map: /b")

    walk, records = walk_site(box)

    assert {(r.source, r.parent, r.how, r.entries) for r in records} == {
        (a, box.url("/robots.txt"), "robots", 1),
        (b, box.url("/robots.txt"), "robots", 1),
    }
    assert {r.declared_by for r in records} == {box.url("/robots.txt")}
    # Nobody is asked for what may be there when somebody has said what is.
    assert box.paths[:2] == ["/robots.txt", "/"]
    assert sorted(box.paths[2:]) == ["/a.xml", "/b"]
    assert ("robots", "found") in outcomes(walk)


def test_declaration_holds_for_what_is_below(box: SiteBox):
    box.put_index("/i.xml", ["/c.xml"])
    box.put_urlset("/c.xml")
    box.put_robots("Sitemap: /i.xml")

    _, records = walk_site(box)

    assert [(r.how, r.depth, r.declared_by) for r in records] == [
        ("robots", 0, box.url("/robots.txt")),
        ("index", 1, box.url("/robots.txt")),
    ]


def test_home_page_names_by_element_and_header(box: SiteBox):
    box.put_urlset("/one.xml")
    box.put_urlset("/two.xml")
    html = HTML.format('<link rel="sitemap" href="/one.xml">')
    box.put("/", html, kind="text/html", link='</two.xml>; rel="sitemap"')

    _, records = walk_site(box)

    assert sorted((r.source, r.how) for r in records) == [
        (box.url("/one.xml"), "link"),
        (box.url("/two.xml"), "link"),
    ]
    assert "/sitemap.xml" not in box.paths


def test_sitemap_that_is_named_twice_is_asked_for_once(box: SiteBox):
    box.put_urlset("/a.xml", 2)
    box.put_robots("Sitemap: /a.xml", "Sitemap: /%61.xml")
    box.put("/", HTML.format('<link rel="sitemap" href="/a.xml#x">'), kind="text/html")

    _, records = walk_site(box)

    assert [(r.how, r.entries) for r in records] == [("robots", 2)]
    assert box.paths == ["/robots.txt", "/", "/a.xml"]


@pytest.mark.parametrize("path", WELL_KNOWN_PATHS)
def test_well_known_path(box: SiteBox, path: str):
    if path.endswith(".txt"):
        box.put(path, "https://example.com/1\nhttps://example.com/2\n", kind="text/plain")
    else:
        data = urlset_of("https://example.com", 2)
        box.put(path, gz(data) if path.endswith(".gz") else data)

    walk, records = walk_site(box)

    assert [(r.source, r.how, r.entries, r.error) for r in records] == [
        (box.url(path), "well-known", 2, None)
    ]
    assert sorted(box.paths[2:]) == sorted(WELL_KNOWN_PATHS)
    assert (
        len([o for o in outcomes(walk) if o == ("well-known", "absent")])
        == len(WELL_KNOWN_PATHS) - 1
    )


def test_two_names_of_one_file_are_one_document(box: SiteBox):
    box.put("/sitemap.xml", urlset_of("https://example.com", 3))
    box.put("/sitemap_index.xml", urlset_of("https://example.com", 3))
    box.play("/wp-sitemap.xml", redirect("/sitemap.xml"))

    walk, records = walk_site(box)

    assert sum(r.entries for r in records) == 3
    assert sorted(o for _, o in outcomes(walk)).count("same") == 2


def test_soft_404_is_not_a_sitemap(box: SiteBox):
    # Measured: Crawlee takes every 200 for a sitemap.
    box.otherwise = page(HTML.format(""), kind="text/html")

    walk, records = walk_site(box)

    assert [(r.source, r.how, r.error) for r in records] == [
        (f"{box.site}/", "site", f"no sitemap found: tried {2 + len(WELL_KNOWN_PATHS)} URLs")
    ]
    assert {o for how, o in outcomes(walk) if how == "well-known"} == {"not-a-sitemap"}


def test_soft_404_that_redirects_home_is_not_a_sitemap(box: SiteBox):
    box.otherwise = redirect("/")
    box.put("/", HTML.format(""), kind="text/html")

    walk, records = walk_site(box)

    assert str(records[0].error).startswith("no sitemap found")
    assert {o for how, o in outcomes(walk) if how == "well-known"} == {"not-a-sitemap"}


def test_soft_404_in_plain_text_is_not_a_sitemap(box: SiteBox):
    box.otherwise = page("Sorry.\nNothing here.\nTry https://example.com/\n", kind="text/plain")

    _, records = walk_site(box)

    assert str(records[0].error).startswith("no sitemap found")


def test_declared_url_that_is_not_a_sitemap_is_reported_and_the_others_are_tried(box: SiteBox):
    box.put_robots("Sitemap: /gone.xml", "Sitemap: /soft.xml")
    box.put("/soft.xml", HTML.format(""), kind="text/html")
    box.put_urlset("/sitemap.xml", 2)

    _, records = walk_site(box)

    assert {(str(r.source).removeprefix(box.site), r.how, r.error) for r in records} == {
        ("/gone.xml", "robots", "HTTP 404 Not Found"),
        ("/soft.xml", "robots", "expected a sitemap, found an HTML page"),
        ("/sitemap.xml", "well-known", None),
    }


def test_a_page_in_place_of_a_sitemap_is_answered_with_what_to_name(box: SiteBox):
    url = box.put("/docs/", HTML.format(""), kind="text/html")

    (record,) = list(read(url, policy=quick()).documents)

    assert record.error == (
        f"expected a sitemap, found an HTML page; name its sitemap, or {box.site}/ to search for "
        "the sitemaps"
    )


def test_feeds_are_the_last_resort(box: SiteBox):
    feed = '<rss version="2.0"><channel><item><link>https://example.com/1</link></item></channel></rss>'
    box.put("/feed", feed)
    link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    box.put("/", HTML.format(link), kind="text/html")

    _, records = walk_site(box)

    assert [(r.source, r.how, r.kind, r.entries) for r in records] == [
        (box.url("/feed"), "feed", "rss", 1)
    ]
    assert box.paths.index("/feed") == len(box.paths) - 1


def test_feeds_are_not_read_where_there_are_sitemaps(box: SiteBox):
    link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    box.put("/", HTML.format(link), kind="text/html")
    box.put_urlset("/sitemap.xml")

    walk_site(box)

    assert "/feed" not in box.paths


def test_spec_robots_that_fails_disallows_the_search(box: SiteBox):
    # "If the robots.txt file is unreachable due to server or network errors, this means the
    # robots.txt file is undefined and the crawler MUST assume complete disallow."
    # https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4
    box.put("/robots.txt", "oops", 500)
    box.put_urlset("/sitemap.xml", 2)

    walk, records = walk_site(box)

    assert set(box.paths) == {"/robots.txt"}
    failed, site = records
    assert failed.error == "HTTP 500 Internal Server Error (3 attempts)"
    assert str(site.error).endswith(
        "; 13 more were not tried, because robots.txt could not be read; "
        "Policy(obey_robots=False) tries them"
    )
    assert {a.outcome for a in walk.attempts if a.how != "robots"} == {"disallowed"}
    assert walk.discovery is not None
    assert walk.discovery.robots is not None
    assert walk.discovery.robots.state == "unreachable"


@pytest.mark.parametrize(
    ("status", "hint", "flag", "verbs"),
    [
        (500, "because robots.txt could not be read", "; --ignore-robots tries them", ["read"]),
        (403, "urlset: allow it there", ", or set another --user-agent", ["read", "crawl"]),
        (401, "the server wants a valid login", ": set --auth-file", ["read", "crawl"]),
    ],
)
def test_a_hint_names_only_options_of_the_command(
    box: SiteBox, status: int, hint: str, flag: str, verbs: list[str]
):
    for path in ["/robots.txt", "/", *WELL_KNOWN_PATHS]:
        box.put(path, "go away", status)

    for verb in ["read", "crawl", "build", "mcp"]:
        with flags_in_messages(verb):
            _, records = walk_site(box)

        assert str(records[-1].error).endswith(hint + flag * (verb in verbs))


@pytest.mark.parametrize("how", ["cut", "too large"])
def test_robots_of_which_a_part_is_missing_is_reported_and_the_rest_is_used(box: SiteBox, how: str):
    # Measured: a cut robots.txt ends the whole reading of USP with an exception.
    lines = f"Sitemap: {box.put_urlset('/a.xml', 2)}\n".encode() + b"# \n" * 100
    if how == "cut":
        box.play("/robots.txt", cut(lines, len(lines) - 50))
    else:
        box.put("/robots.txt", lines + b"# \n" * 1_500_000)

    _, records = walk_site(box)

    told = {str(r.source).removeprefix(box.site): r.error for r in records}
    assert sum(r.entries for r in records) == 2
    assert told["/a.xml"] is None
    assert str(told["/robots.txt"]).startswith(WORDS[how])


WORDS = {"cut": "the transfer was cut off", "too large": "more than the 4,096,000 bytes"}


def test_urls_that_fail_are_reported_when_nothing_is_found(box: SiteBox):
    box.put("/sitemap.xml", "busy", 503)

    _, records = walk_site(box)

    assert [r.error for r in records] == [
        f"no sitemap found: tried 14 URLs, of which 1 failed ({box.url('/sitemap.xml')}: "
        "HTTP 503 Service Unavailable (3 attempts))"
    ]


@pytest.mark.parametrize(
    ("status", "text", "hint"),
    [
        (
            403,
            "Forbidden",
            "the server may block urlset: allow it there, or set another Policy.user_agent",
        ),
        (401, "Unauthorized", "the server wants a valid login: set auth"),
    ],
)
def test_a_site_that_refuses_every_request_may_have_sitemaps(
    box: SiteBox, status: int, text: str, hint: str
):
    paths = ["/robots.txt", "/", *WELL_KNOWN_PATHS]
    for path in paths:
        box.put(path, "go away", status)

    _, records = walk_site(box)

    assert [r.error for r in records] == [
        f"no sitemap found: tried {len(paths)} URLs, of which {len(paths)} were refused "
        f"({box.url('/robots.txt')}: HTTP {status} {text}); {hint}"
    ]


def test_refused_and_failed_urls_are_counted_apart(box: SiteBox):
    box.put("/", "go away", 403)
    box.put("/sitemap.xml", "busy", 503)

    _, records = walk_site(box)

    assert "tried 14 URLs, of which 1 failed (" in str(records[0].error)
    assert f"and 1 was refused ({box.url('/')}: HTTP 403 Forbidden)" in str(records[0].error)


@pytest.mark.parametrize("player", [reset, silent])
def test_site_that_does_not_respond_is_reported_early(box: SiteBox, player):
    box.otherwise = player

    _, records = walk_site(box, retries=0, read_timeout_s=0.2)

    assert [r.how for r in records] == ["robots", "site"]
    assert all(r.error for r in records)
    assert str(records[1].error).startswith("the site does not respond: ")
    assert set(box.paths) == {"/robots.txt"}


def test_crawl_delay_is_kept(box: SiteBox):
    box.put_robots("User-agent: *", "Crawl-delay: 0.1", "Sitemap: /i.xml")
    box.put_index("/i.xml", ["/1", "/2"])
    for n in "12":
        box.put_urlset(f"/{n}")

    began = time.monotonic()
    walk_site(box)

    late = [hit.at - began - 0.1 * number for number, hit in enumerate(box.hits[1:])]
    assert len(late) == 4
    assert min(late) > -0.01, late


def test_not_a_site():
    with pytest.raises(SourceError, match="expected the URL of a site"):
        Discovery("example.com/sitemap.xml")


def test_wrong_place_is_not_asked_when_home_leads_to_another_site(box: SiteBox):
    with SiteBox() as other:
        box.play("/", redirect(other.url("/login")))
        other.otherwise = page(HTML.format(""), kind="text/html")
        box.put_urlset("/sitemap.xml")

        walk_site(box)

        assert other.paths == ["/login"]


def test_sitemaps_that_one_robots_txt_leads_to_are_bounded():
    finder = Discovery("https://example.com")
    request = finder.next_request()
    assert request is not None
    body = "".join(f"Sitemap: /{n}.xml\n" for n in range(MAX_LEADS + 5)).encode()

    leads = finder.handle(Response(request, request.url, 200, body=body))

    assert len(list(leads)) == MAX_LEADS


# What robots.txt asks not to be asked for.


FORBIDDING = ("User-agent: *", "Disallow: /", "Allow: /robots.txt")


def test_declared_sitemap_is_read_even_where_it_is_disallowed(box: SiteBox):
    # That engines cannot read it is worth to be told; who declares it wants it read.
    box.put_robots(*FORBIDDING, "Sitemap: /a.xml")
    box.put_urlset("/a.xml", 2)

    _, records = walk_site(box)

    assert [(r.how, r.entries, r.disallowed_by) for r in records] == [
        ("robots", 2, box.url("/robots.txt"))
    ]
    assert box.paths == ["/robots.txt", "/a.xml"]


def test_nothing_is_guessed_where_robots_txt_disallows_it(box: SiteBox):
    box.put_robots(*FORBIDDING)
    box.put_urlset("/sitemap.xml")
    box.put("/", HTML.format('<link rel="sitemap" href="/a.xml">'), kind="text/html")

    walk, records = walk_site(box)

    assert box.paths == ["/robots.txt"]
    assert [r.error for r in records] == [
        f"no sitemap found: tried 1 URL; robots.txt disallows {1 + len(WELL_KNOWN_PATHS)} more"
    ]
    skipped = [trial for trial in walk.attempts if trial.outcome == "disallowed"]
    assert [(t.url.removeprefix(box.site), t.how) for t in skipped] == [
        ("/", "home"),
        *[(path, "well-known") for path in WELL_KNOWN_PATHS],
    ]
    assert {t.detail for t in skipped} == {f"{box.url('/robots.txt')} disallows it for urlset"}


def test_only_what_is_disallowed_is_left_out(box: SiteBox):
    box.put_robots("User-agent: urlset", "Disallow: /sitemap", "Disallow: /in/", "Disallow: /feed")
    links = '<link rel="sitemap" href="/in/a.xml">'
    links += '<link rel="alternate" type="application/rss+xml" href="/feed">'
    box.put("/", HTML.format(links), kind="text/html")

    walk, _ = walk_site(box)

    allowed = [path for path in WELL_KNOWN_PATHS if not path.startswith("/sitemap")]
    assert box.paths[:2] == ["/robots.txt", "/"]
    assert sorted(box.paths[2:]) == sorted(allowed)
    skipped = {t.url.removeprefix(box.site) for t in walk.attempts if t.outcome == "disallowed"}
    assert skipped == {"/in/a.xml", "/feed", *set(WELL_KNOWN_PATHS) - set(allowed)}


def test_rules_are_those_for_our_name(box: SiteBox):
    box.put_robots("User-agent: other", "Disallow: /", "", "User-agent: me", "Disallow: /")
    box.put_urlset("/sitemap.xml")

    found = [
        [visit.record.entries for visit in drive_in_thread(SiteWalk(finder), quick())]
        for finder in (Discovery(box.site), Discovery(box.site, agent="me"))
    ]

    assert found == [[1], [0]]


def test_rules_of_a_host_do_not_hold_for_another(box: SiteBox):
    with SiteBox() as other:
        box.put_robots("User-agent: *", "Disallow: /a")
        link = f'<link rel="sitemap" href="{other.put_urlset("/a.xml", 3)}">'
        box.put("/", HTML.format(link), kind="text/html")

        _, records = walk_site(box)

    assert [(r.how, r.entries) for r in records] == [("link", 3)]


def test_robots_may_be_ignored(box: SiteBox):
    box.put_robots(*FORBIDDING)
    box.put_urlset("/sitemap.xml", 2)

    entries = read(box.site, policy=quick(obey_robots=False))

    assert len(list(entries)) == 2
    assert [bool(r.disallowed_by) for r in entries.documents] == [True]
    with pytest.raises(SourceError, match=r"robots\.txt disallows 13 more"):
        list(read(box.site, policy=quick()))
