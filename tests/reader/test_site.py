"""`urlset.read` of a site: iteration while fetching, filters, early end, errors."""

import asyncio
import contextlib
import re
import threading
import time
import tracemalloc
from datetime import UTC, date, datetime

import duckdb
import polars
import pytest

import urlset
from tests import site_box
from tests.http_walks import quick
from tests.site_box import SiteBox, index_of, page, urlset_of
from tests.waits import SOON_S
from urlset.engine import get
from urlset.errors import SourceError


def read(url: str, **options):
    return urlset.read(url, **({"policy": quick()} | options))


def small_site(box: SiteBox) -> None:
    """Two good children and one that is gone."""
    box.put_robots("Sitemap: /s.xml")
    box.put_index("/s.xml", ["/a.xml", "/gone.xml", "/b.xml"])
    box.put_urlset("/a.xml", 3)
    box.put_urlset("/b.xml", 2)


def paths(box: SiteBox, entries) -> list[str]:
    return [entry.loc.removeprefix(box.site) for entry in entries]


def test_site_is_read_whole_and_what_failed_is_listed(box: SiteBox):
    small_site(box)

    entries = read(box.site)

    assert sorted(paths(box, entries)) == [
        "/a.xml/0",
        "/a.xml/1",
        "/a.xml/2",
        "/b.xml/0",
        "/b.xml/1",
    ]
    records = {str(r.source).removeprefix(box.site): r for r in entries.documents}
    assert {path: (r.kind, r.entries, r.error) for path, r in records.items()} == {
        "/s.xml": ("index", 0, None),
        "/a.xml": ("urlset", 3, None),
        "/gone.xml": (None, 0, "HTTP 404 Not Found"),
        "/b.xml": ("urlset", 2, None),
    }
    child = records["/a.xml"]
    assert (child.how, child.depth, child.parent) == ("index", 1, box.url("/s.xml"))
    assert child.declared_by == box.url("/robots.txt")
    assert child.fetched is not None
    assert child.fetched.status == 200
    assert [s.loc.removeprefix(box.site) for s in entries.sitemaps] == [
        "/a.xml",
        "/gone.xml",
        "/b.xml",
    ]
    assert [trial.how for trial in entries.attempts] == ["robots", "home", "robots"]


def test_url_of_a_sitemap_is_read_without_looking_for_others(box: SiteBox):
    small_site(box)

    assert len(list(read(box.url("/a.xml")))) == 3
    assert box.paths == ["/a.xml"]


def test_fail_fast_raises(box: SiteBox):
    small_site(box)

    with pytest.raises(SourceError, match=r"gone\.xml: HTTP 404"):
        list(read(box.site, fail_fast=True))


def test_nothing_at_all_raises_and_says_what_was_tried(box: SiteBox):
    entries = read(box.site)

    with pytest.raises(SourceError, match="no sitemap found: tried 14 URLs"):
        list(entries)
    assert len(entries.attempts) == 14
    with pytest.raises(SourceError, match="HTTP 404"):
        list(read(box.url("/s.xml")))


@pytest.mark.filterwarnings("ignore:urlset.read. the result is incomplete")
def test_same_entries_by_for_by_async_for_and_by_arrow(box: SiteBox):
    small_site(box)
    entries = read(box.site)

    async def collect() -> list[urlset.Entry]:
        return [entry async for entry in entries]

    rows = sorted(entries)
    assert sorted(asyncio.run(collect())) == rows
    assert len(entries.documents) == 4
    table = polars.DataFrame(entries)
    assert sorted(table["loc"]) == [entry.loc for entry in rows]
    assert len(entries.documents) == 4
    stream = entries
    assert stream is entries
    assert duckdb.connect().execute("SELECT count(*) FROM stream").fetchall() == [(5,)]


def test_async_for_over_files(tmp_path):
    (tmp_path / "sitemap.txt").write_text("https://e.com/1\nhttps://e.com/2\n")

    async def collect() -> list[str]:
        return [entry.loc async for entry in urlset.read(tmp_path)]

    assert asyncio.run(collect()) == ["https://e.com/1", "https://e.com/2"]


def test_entries_come_while_others_are_still_being_fetched(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml", "/slow.xml"])
    box.put_urlset("/a.xml", 3)
    box.play("/slow.xml", site_box.silent)

    iterator = iter(read(box.url("/s.xml"), policy=quick(read_timeout_s=60, total_timeout_s=60)))

    assert next(iterator).loc == box.url("/a.xml/0")
    began = time.monotonic()
    iterator.close()
    assert time.monotonic() - began < SOON_S


def fetcher_threads() -> list[str]:
    """Return the threads that fetch, and do not end soon."""
    found = [t for t in threading.enumerate() if t.name == "urlset fetcher"]
    for thread in found:
        thread.join(SOON_S)
    return [thread.name for thread in found if thread.is_alive()]


@pytest.mark.parametrize("way", ["break", "error", "async", "limit", "arrow"])
def test_leaving_early_stops_the_fetching(box: SiteBox, way: str):
    box.put_index("/s.xml", [f"/{n}.xml" for n in range(2_000)])
    box.otherwise = page(urlset_of("http://e.com", 5))
    entries = read(box.url("/s.xml"), limit=3 if way in ("limit", "arrow") else None)

    async def leave() -> None:
        async for _ in entries:
            break
        await asyncio.sleep(0.2)

    began = time.monotonic()
    if way == "break":
        for _ in entries:
            break
    elif way == "error":
        with contextlib.suppress(KeyboardInterrupt):
            for _ in entries:
                raise KeyboardInterrupt
    elif way == "async":
        asyncio.run(leave())
    elif way == "limit":
        assert len(list(entries)) == 3
    else:
        assert polars.DataFrame(entries).height == 3

    assert time.monotonic() - began < SOON_S
    assert not fetcher_threads()
    # What was under way when it ended, and not the 2,000.
    assert len(box.hits) < 200


def test_memory_does_not_grow_with_the_site(box: SiteBox):
    body = urlset_of("http://e.com/" + "x" * 200, 2_000)  # half a megabyte
    # The box has its share: it is in this process, and slower where an engine leaves it less time.
    children, limit = (90, 24_000_000) if get().name == "native" else (180, 52_000_000)
    box.put("/s.xml", index_of([f"{box.site}/{n}" for n in range(children)]))

    async def another(hit: site_box.Hit, wire: site_box.Wire) -> bool:
        return await page(body.replace(b"xxx", hit.path.rjust(3).encode()[-3:], 1))(hit, wire)

    box.otherwise = another
    entries = read(box.url("/s.xml"), policy=quick(concurrency=4, max_held_bytes=4_000_000))

    tracemalloc.start()
    count = sum(1 for _ in entries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == children * 2_000
    assert peak < limit, f"{peak:,} bytes at the peak, of {children * len(body):,} in all"


# ── what is wanted ───────────────────────────────────────────────────────────────────────────


def dated(*pairs: tuple[str, str | None]) -> bytes:
    rows = [
        f"<url><loc>{loc}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>"
        for loc, day in pairs
    ]
    root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{root}{''.join(rows)}</urlset>".encode()


@pytest.mark.parametrize(
    ("since", "wanted"),
    [
        ("2026-01-15", ["/new.xml", "/today.xml", "/undated.xml"]),
        (date(2026, 1, 15), ["/new.xml", "/today.xml", "/undated.xml"]),
        # A file that was changed on that day may have been at its end.
        (datetime(2026, 1, 15, 23, tzinfo=UTC), ["/new.xml", "/today.xml", "/undated.xml"]),
        (datetime(2026, 1, 16), ["/new.xml", "/undated.xml"]),  # noqa: DTZ001 - UTC is meant
        ("2027", ["/undated.xml"]),
    ],
)
def test_since_skips_the_children_that_did_not_change(box: SiteBox, since, wanted):
    days = {"/old.xml": "2026-01-01", "/today.xml": "2026-01-15", "/new.xml": "2026-02-01"}
    days["/undated.xml"] = ""
    index = index_of(map(box.url, days))
    for path, day in days.items():
        loc = f"<loc>{box.url(path)}</loc>".encode()
        index = index.replace(loc, loc + f"<lastmod>{day}</lastmod>".encode()) if day else index
        box.put_urlset(path)
    box.put("/s.xml", index)

    entries = read(box.url("/s.xml"), since=since)
    list(entries)

    assert sorted(set(box.paths) - {"/s.xml", "/robots.txt"}) == wanted
    skipped = {str(r.source).removeprefix(box.site): r for r in entries.documents if r.skipped}
    assert set(skipped) == set(days) - set(wanted)
    assert "not changed since" in str(skipped["/old.xml"].skipped)
    assert not any(record.error for record in entries.documents)


@pytest.mark.parametrize(
    ("options", "wanted", "reason"),
    [
        ({"follow_only": r"/blog-\d"}, ["/blog-1.xml", "/blog-2.xml"], "no match of follow_only"),
        (
            {"follow_only": ["shop", re.compile("BLOG-2", re.IGNORECASE)]},
            ["/blog-2.xml", "/shop.xml"],
            "no match of follow_only",
        ),
        ({"max_documents": 2}, ["/blog-1.xml", "/shop.xml"], "after 2 sitemaps (max_documents)"),
        ({"max_documents": 0}, [], "after 0 sitemaps (max_documents)"),
        # Only the chosen ones count.
        (
            {"follow_only": "blog", "max_documents": 2},
            ["/blog-1.xml", "/blog-2.xml"],
            "no match of follow_only",
        ),
    ],
)
@pytest.mark.parametrize("place", ["site", "file", "folder", "memory"])
def test_children_of_an_index_are_chosen_before_they_are_read(
    box: SiteBox, tmp_path, options, wanted, reason, place
):
    children = ["/shop.xml", "/blog-1.xml", "/news.xml", "/blog-2.xml"]
    documents = {"/s.xml": index_of(map(box.url, children))}
    documents |= {path: urlset_of(box.url(path), 3) for path in children}
    for path, body in documents.items():
        box.put(path, body)
        (tmp_path / path[1:]).write_bytes(body)
    sources = {
        "site": box.url("/s.xml"),
        "file": tmp_path / "s.xml",
        "folder": tmp_path,
        "memory": {box.url(path): body for path, body in documents.items()},
    }

    entries = read(sources[place], **options)

    assert {entry.loc.rpartition("/")[0] for entry in entries} == set(map(box.url, wanted))
    skipped = {r.loc.removeprefix(box.site): r.skipped for r in entries.documents if r.skipped}
    assert set(skipped) == set(children) - set(wanted)
    assert reason in skipped.values()
    if place == "site":
        assert sorted(set(box.paths) - {"/s.xml", "/robots.txt"}) == wanted


def test_since_leaves_out_older_entries_in_rows_and_in_arrow(box: SiteBox):
    url = box.put(
        "/s.xml",
        dated(
            ("http://e.com/old", "2025-12-31"),
            ("http://e.com/", None),
            ("http://e.com/new", "2026-01-01"),
        ),
    )
    entries = read(url, since="2026-01-01")

    assert [entry.loc for entry in entries] == ["http://e.com/new"]
    assert polars.DataFrame(entries)["loc"].to_list() == ["http://e.com/new"]
    assert entries.documents[0].entries == 3  # the record tells what is there


@pytest.mark.parametrize("base", ["https://e.com/shop/", "https://e.com/shop/sitemap.xml"])
def test_the_location_rule_of_a_file_is_that_of_its_published_url(tmp_path, base):
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text("https://e.com/shop/a\nhttps://e.com/b\nhttps://www.e.com/shop/c\n")
    read(sitemap, base_url=base).to_duckdb(tmp_path / "site.duckdb")

    for source, options in [
        (sitemap, {"base_url": base}),
        (sitemap.read_bytes(), {"base_url": base}),
        (tmp_path / "site.duckdb", {}),
    ]:
        found = [entry.loc for entry in read(source, scope="sitemap", **options)]
        assert found == ["https://e.com/shop/a"]
    assert len(list(read(sitemap, scope="sitemap"))) == 3  # nothing says where it is published


@pytest.mark.parametrize("declared", ["sitemap.xml", "index.xml"])
def test_the_location_rule_of_a_folder_knows_what_its_robots_txt_declares(tmp_path, declared):
    base, maps = "https://e.com", tmp_path / "maps"
    maps.mkdir()
    (tmp_path / "robots.txt").write_text(f"Sitemap: {base}/maps/{declared}\n")
    (maps / "index.xml").write_bytes(index_of([f"{base}/maps/sitemap.xml"]))
    urls = [(f"{base}/maps/in", None), (f"{base}/above", None), ("https://www.e.com/other", None)]
    (maps / "sitemap.xml").write_bytes(dated(*urls))
    (maps / "other.xml").write_bytes(dated((f"{base}/not-declared", None)))
    allowed = [f"{base}/maps/in", f"{base}/above"]

    found = read(tmp_path, base_url=base, scope="sitemap")
    read(tmp_path, base_url=base).to_duckdb(tmp_path / "site.duckdb")

    assert [entry.loc for entry in found] == allowed
    assert [e.loc for e in read(tmp_path / "site.duckdb", scope="sitemap")] == allowed
    outside = urlset.check(tmp_path, base_url=base, select=["U028", "U029"])
    assert {finding.loc for finding in outside} == {
        f"{base}/not-declared",
        "https://www.e.com/other",
    }


def test_files_are_filtered_alike(tmp_path):
    (tmp_path / "sitemap.xml").write_bytes(
        index_of(["http://e.com/a.xml"]).replace(b"</loc>", b"</loc><lastmod>2020-01-01</lastmod>")
    )
    (tmp_path / "a.xml").write_bytes(
        dated(("http://e.com/1", "2026-01-01"), ("http://e.com/2", None))
    )

    skipping = urlset.read(tmp_path / "sitemap.xml", since="2025-01-01")
    assert list(skipping) == []
    assert [bool(r.skipped) for r in skipping.documents] == [False, True]
    assert [
        e.loc for e in urlset.read(tmp_path / "a.xml", include="/[12]$", exclude="2", limit=9)
    ] == ["http://e.com/1"]


@pytest.mark.filterwarnings("ignore:urlset.read. the result is incomplete")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": "/a.xml"}, ["/a.xml/0", "/a.xml/1", "/a.xml/2"]),
        ({"include": re.compile("A.XML/0", re.IGNORECASE)}, ["/a.xml/0"]),
        ({"exclude": "/[12]$"}, ["/a.xml/0", "/b.xml/0"]),
        ({"include": ["/0$", re.compile("/2$")], "exclude": ("/b", "/2$")}, ["/a.xml/0"]),
        ({"limit": 0}, []),
        ({"include": "nowhere"}, []),
        ({"hosts": ["other.example"]}, []),
    ],
)
def test_filters_are_the_same_for_rows_and_for_arrow(box: SiteBox, engine, options, expected):
    small_site(box)
    entries = read(box.site, engine=engine.name, **options)

    assert sorted(paths(box, entries)) == expected
    assert sorted(polars.DataFrame(entries)["loc"].str.replace(box.site, "")) == expected


def test_hosts_are_compared_with_their_ports(box: SiteBox):
    small_site(box)

    assert len(list(read(box.site, hosts=[f"127.0.0.1:{box.port}"]))) == 5
    assert len(list(read(box.site, hosts="127.0.0.1"))) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"since": "yesterday"}, "since: expected a date"),
        ({"include": "("}, "include: expected a regular expression"),
        ({"hosts": ["a b"]}, "hosts: expected a host"),
        ({"limit": -1}, "limit: expected a whole number of at least 0"),
        ({"base_url": "e.com"}, "base_url: expected an http.s. URL like https:"),
        ({"limit": 10**20}, "limit: expected a whole number of at most 9,223,372,036,854,775,807"),
    ],
)
def test_misuse_is_reported_before_anything_is_fetched(box: SiteBox, options, message):
    with pytest.raises(ValueError, match=message):
        read(box.site, **options)
    assert not box.hits


def test_location_rule_spec_a_6(box: SiteBox):
    # https://www.sitemaps.org/protocol.html#location
    own, other = box.site, f"http://localhost:{box.port}"
    listed = [f"{own}/maps/in", f"{own}/above", f"{other}/maps/elsewhere", f"{own}/MAPS/case"]
    url = box.put("/maps/s.xml", dated(*[(loc, None) for loc in listed]))

    assert [e.loc for e in read(url, scope="sitemap")] == listed[:1]

    # Declared by the robots.txt of the host, it may lie anywhere and list all of that host.
    box.put_robots("Sitemap: /maps/s.xml")
    assert [e.loc for e in read(own, scope="sitemap")] == [listed[0], listed[1], listed[3]]
    assert [e.loc for e in read(own)] == listed


# ── manners and secrets ──────────────────────────────────────────────────────────────────────


def test_disallowed_sitemap_is_read_and_reported(box: SiteBox):
    small_site(box)
    box.put_robots(
        "User-agent: *",
        "Disallow: /a.xml",
        "",
        "User-agent: Friend",
        "Disallow:",
        "Sitemap: /s.xml",
    )

    entries = read(box.site)
    assert [bool(r.disallowed_by) for r in sorted(entries.documents)] == [True, False, False, False]

    entries = read(box.site, policy=quick(user_agent="Friend/1.0"))
    assert not any(r.disallowed_by for r in entries.documents)


def test_auth_goes_to_the_site_and_to_no_other(box: SiteBox):
    with SiteBox("127.0.0.2") as other:
        other.put_urlset("/b.xml")
        box.put_index("/s.xml", ["/a.xml", other.url("/b.xml")])
        box.put_urlset("/a.xml")

        assert len(list(read(box.url("/s.xml"), auth=("me", "s3cret")))) == 2
        assert len(list(read(box.url("/s.xml").replace("//", "//me:s3cret@")))) == 2
        assert len(list(read(box.url("/s.xml"), auth="t0ken"))) == 2

        sent = [hit.headers.get("authorization") for hit in box.hits]
        basic = "Basic bWU6czNjcmV0"
        assert sent == [basic] * 6 + ["Bearer t0ken"] * 3
        assert [hit.headers.get("authorization") for hit in other.hits] == [None] * 6


def test_check_reads_the_site_too(box: SiteBox):
    small_site(box)
    box.put("/a.xml", urlset_of(box.url("/a.xml?x&y"), 1))

    findings = urlset.check(box.site, policy=quick(), select=["X"])

    assert [(f.rule, str(f.source).removeprefix(box.site)) for f in findings] == [
        ("unescaped-ampersand", "/a.xml")
    ]
    assert [str(r.source).removeprefix(box.site) for r in findings.failed_documents] == [
        "/gone.xml"
    ]
    assert not findings.ok
