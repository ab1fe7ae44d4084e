"""A server that attacks the crawler: every crawl ends, within its limits, and says what it cut."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests import site_box
from tests.live_sites import crawl, html, put_page, put_site
from tests.site_box import Hit, SiteBox, Wire, endless, head, page, redirect
from urlset.live.crawl import frontier, runner

HTML = "text/html; charset=utf-8"
PAGES = 16


def shown(box: SiteBox, folder: Path, **options):
    """Crawl and return the rows of pages by path."""
    with crawl(box, folder / "site.duckdb", **options) as result:
        rows = result.query("SELECT url, verdict, unknown_reason, error, byte_count FROM pages")
        return {row[0].removeprefix(box.site): row[1:] for row in rows}


def excluded(box: SiteBox, folder: Path) -> dict[str, str]:
    """Return the discovered URLs that were excluded, with the reason."""
    import duckdb

    with duckdb.connect(str(folder / "site.duckdb"), read_only=True) as store:
        rows = store.execute("SELECT url, excluded_by FROM frontier WHERE state = 'excluded'")
        return {url.removeprefix(box.site): str(reason) for url, reason in rows.fetchall()}


# Bodies.


def test_endless_page_ends_at_the_size_limit(box, tmp_path):
    put_site(box, {"/": ["/endless", "/tea"], "/tea": []})
    box.play("/endless", endless(b"<html><title>a</title>", b"x" * 65_536))

    pages = shown(box, tmp_path, total_timeout_s=20.0)

    assert pages["/tea"][0] == "ok"
    assert pages["/endless"][3] <= 8 * 1_048_576 + 65_536


def test_page_that_drips_ends_at_the_time_limit(box, tmp_path):
    put_site(box, {"/": ["/drip", "/tea"], "/tea": []})
    box.play("/drip", endless(b"<html>", b"x", pause_s=0.05))

    pages = shown(box, tmp_path, total_timeout_s=0.5, retries=0)

    assert pages["/tea"][0] == "ok"
    assert pages["/drip"][0] in {"unknown", "unreachable"}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_gzip_bombs_and_deep_data_stay_within_memory(box, tmp_path):
    bomb = gzip.compress(b" " * 300_000_000, 9)
    deep = '{"a":' * 200_000 + "1" + "}" * 200_000
    nested = "<div>" * 300_000
    put_site(box, {"/": ["/bomb", "/json", "/nested", "/attributes", "/tea"], "/tea": []})
    box.put("/bomb", bomb, kind=HTML, content_encoding="gzip")
    script = f'<script type="application/ld+json">{deep}</script>'
    put_page(box, "/json", head=script)
    put_page(box, "/nested", body=nested)
    names = " ".join(f"a{number}" for number in range(300_000))
    put_page(box, "/attributes", body=f"<p {names}>")
    code = textwrap.dedent(f"""
        import urlset
        policy = urlset.Policy(retries=0, proxies={{}}, concurrency=2)
        with urlset.crawl({box.site!r}, {str(tmp_path / "site.duckdb")!r}, policy=policy,
                          confirm_after_s=0.0) as result:
            assert result.verdicts.get("ok", 0) >= 5, result.verdicts
        # Not ru_maxrss, which begins with that of the process that started this one.
        with open("/proc/self/status") as status:
            [peak] = [line.split()[1] for line in status if line.startswith("VmHWM")]
        print(int(peak) // 1024)
    """)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 900, "MB at the peak"


def test_headers_of_a_megabyte_are_a_failure_of_that_page_only(box, tmp_path):
    put_site(box, {"/": ["/long", "/many", "/tea"], "/tea": []})
    box.put("/long", html("long"), kind=HTML, x_long="x" * 1_000_000)
    lots = {f"x_{number}": "x" * 100 for number in range(20_000)}
    box.put("/many", html("many"), kind=HTML, **lots)

    pages = shown(box, tmp_path, retries=0)

    assert pages["/tea"][0] == "ok"
    assert {pages[path][0] for path in ("/long", "/many")} <= {"unknown", "unreachable", "ok"}


def test_page_with_a_million_links_ends_at_the_limits(box, tmp_path):
    links = "".join(f"<a href=/{number}>" for number in range(1_000_000))
    box.put("/", f"<html><title>a</title>{links}", kind=HTML)

    pages = shown(box, tmp_path, max_pages=5, read_sitemaps=False)

    assert len(pages) <= 5


@pytest.fixture
def amplifier(box, monkeypatch):
    """Put pages whose short links become long by their base; they exceed the memory of DuckDB."""
    monkeypatch.setattr(runner, "_MEMORY", "SET GLOBAL memory_limit = '60MB'")
    monkeypatch.setattr(frontier, "MAX_TEXT", 4 << 20, raising=False)
    paths = [f"/{number}" for number in range(PAGES)]
    put_site(box, {"/": paths}, ["/", *paths])
    for number in range(PAGES):
        links = "".join(f"<a href={link:x}>" for link in range(2_000))
        base = f'<base href="/{"b" * 3_900}{number}/">'
        box.put(f"/{number}", f"<html><head>{base}</head><body>{links}", kind=HTML)
    return box


def test_pages_with_long_links_do_not_end_a_crawl(amplifier, tmp_path):
    with crawl(amplifier, tmp_path / "site.duckdb", exclude="bbb") as result:
        [row] = result.query("SELECT count(*), count(DISTINCT target) FROM links")

    assert result.verdicts == {"ok": PAGES + 1}
    assert row == (PAGES * 2_001, PAGES * 2_001)
    assert result.incomplete == (f"exclude: {PAGES * 2_000:,} URLs with a match of exclude",)


def test_a_journal_with_long_links_is_written_in_portions(amplifier, tmp_path, monkeypatch):
    path = tmp_path / "site.duckdb"

    def stop(self):
        if len(self._records) >= PAGES // 2:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(frontier.Frontier, "flush", stop)
        patch.setattr(frontier, "MAX_TEXT", 1 << 30, raising=False)
        with pytest.raises(SystemExit):
            crawl(amplifier, path, exclude="bbb")
    journal = Path(f"{path}.journal")
    paths = {
        json.loads(line)[0].removeprefix(amplifier.site)
        for line in journal.read_bytes().splitlines()
    }
    assert len(paths) >= PAGES // 2

    with crawl(amplifier, path, exclude="bbb") as result:
        [row] = result.query("SELECT count(*) FROM links")

    assert result.verdicts == {"ok": PAGES + 1}
    assert row == (PAGES * 2_001,)
    assert not journal.exists()
    assert all(amplifier.paths.count(path) == 1 for path in paths - {"/"})


def test_links_of_absurd_length_are_not_followed(box, tmp_path):
    put_site(box, {"/": [f"/{'x' * 200_000}", f"/?q={'y' * 100_000}", "/tea"], "/tea": []})

    pages = shown(box, tmp_path)

    assert pages["/tea"][0] == "ok"
    assert all(len(path) < 10_000 for path in pages)


# Where it leads.


FORBIDDEN = [
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "gopher://127.0.0.1:25/",
    "ftp://127.0.0.1/",
]


@pytest.mark.parametrize("target", FORBIDDEN)
def test_redirect_to_a_forbidden_address_is_not_followed(box, tmp_path, target):
    put_site(box, {"/": ["/out", "/tea"], "/tea": []})
    box.play("/out", redirect(target))

    pages = shown(box, tmp_path)

    assert pages["/tea"][0] == "ok"
    assert pages["/out"][0] != "ok"
    assert not [path for path in pages if "169.254" in path or path.startswith(("file", "ftp"))]


@pytest.mark.promise
def test_links_to_other_addresses_are_never_requested(box, tmp_path):
    with SiteBox() as other:
        links = [
            *FORBIDDEN,
            other.url("/a"),
            "javascript:alert(1)",
            "data:text/html,a",
            "//[",
            "\\",
        ]
        meta = f'<meta http-equiv="refresh" content="0;url={other.url("/b")}">'
        canonical = f'<link rel="canonical" href="{other.url("/c")}">'
        alternate = f'<link rel="alternate" hreflang="de" href="{other.url("/d")}">'
        following = f'<link rel="next" href="{other.url("/e")}">'
        base = f'<base href="{other.url("/f/")}">'
        put_site(box, {"/": [*links, "/page", "/based"]}, listed=["/"])
        put_page(box, "/page", head=meta + canonical + alternate + following)
        put_page(box, "/based", "g", "h?i", head=base)
        box.play("/moved", redirect(other.url("/j")))
        put_page(box, "/tea", "/moved")

        shown(box, tmp_path)

        assert [path for path in other.paths if path != "/robots.txt"] == []


def test_sitemap_with_other_addresses_leads_nowhere(box, tmp_path):
    with SiteBox() as other:
        put_site(box, {"/": []})
        locs = [*FORBIDDEN, other.url("/a"), box.url("/tea")]
        put_page(box, "/tea")
        rows = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
        box.put("/sitemap.xml", f"<urlset>{rows}</urlset>")

        pages = shown(box, tmp_path)

        assert pages["/tea"][0] == "ok"
        assert [path for path in other.paths if path != "/robots.txt"] == []


def test_redirect_loops_end(box, tmp_path):
    with SiteBox("localhost") as other:
        put_site(box, {"/": ["/self", "/a", "/over", "/tea"], "/tea": []})
        box.play("/self", redirect("/self"))
        box.play("/a", redirect("/b"))
        box.play("/b", redirect("/a"))
        box.play("/over", redirect(other.url("/back")))
        other.play("/back", redirect(box.url("/over")))

        pages = shown(box, tmp_path)

    assert pages["/tea"][0] == "ok"
    assert pages["/self"][0] == "redirect-loop"
    assert pages["/a"][0] == pages["/b"][0] == "redirect-loop"


def test_redirects_that_never_end_are_cut(box, tmp_path):
    async def further(hit: Hit, wire: Wire) -> bool:
        number = int(hit.path.rpartition("/")[2]) + 1
        await wire.send(head(302, 0, location=f"/r/{number}"))
        return True

    put_site(box, {"/": ["/r/0", "/tea"], "/tea": []})
    box.otherwise = further

    pages = shown(box, tmp_path)

    assert pages["/tea"][0] == "ok"
    assert len(box.paths) < 200


# Traps.


def test_calendar_without_end_is_cut_and_reported(box, tmp_path):
    async def month(hit: Hit, wire: Wire) -> bool:
        year, number = (int(part) for part in hit.path.strip("/").split("/")[1:])
        after = f"/calendar/{year + number // 12}/{number % 12 + 1:02}/"
        text = html(f"{year}-{number}", after).encode()
        await wire.send(head(200, len(text), HTML) + text)
        return True

    put_site(box, {"/": ["/calendar/2026/11/", "/tea"], "/tea": []})
    box.otherwise = month

    with crawl(box, tmp_path / "site.duckdb", read_sitemaps=False) as result:
        traps = [tuple(row[1:3]) for row in result.traps]
        assert "calendar" in {kind for kind, _ in traps}
        assert not result.is_complete
        assert any("trap" in reason for reason in result.incomplete)
    assert len(box.paths) < 600


def test_sessions_in_urls_are_cut(box, tmp_path):
    async def session(hit: Hit, wire: Wire) -> bool:
        links = [
            f"/shop?PHPSESSID={len(box.hits):032x}",
            f"/basket;jsessionid={len(box.hits):032X}",
        ]
        text = html("shop", *links).encode()
        await wire.send(head(200, len(text), HTML, set_cookie=f"id={len(box.hits)}") + text)
        return True

    put_site(box, {"/": ["/shop", "/tea"], "/tea": []})
    box.otherwise = session

    with crawl(box, tmp_path / "site.duckdb", read_sitemaps=False) as result:
        assert "session" in {row[1] for row in result.traps}
    assert len(box.paths) < 100
    assert not [hit for hit in box.hits if "cookie" in hit.headers]


def test_path_that_repeats_is_cut(box, tmp_path):
    async def deeper(hit: Hit, wire: Wire) -> bool:
        text = html("deeper", "a/b/").encode()
        await wire.send(head(200, len(text), HTML) + text)
        return True

    put_site(box, {"/": ["/d/", "/tea"], "/tea": []})
    box.otherwise = deeper

    with crawl(box, tmp_path / "site.duckdb", read_sitemaps=False) as result:
        assert {row[1] for row in result.traps} & {"repeated-path", "depth"}
    assert len(box.paths) < 100


def test_pages_without_end_stop_at_the_limit_which_is_the_reason(box, tmp_path):
    async def maze(hit: Hit, wire: Wire) -> bool:
        number = abs(hash(hit.path))
        text = html("maze", *[f"/maze/{number % 999_983 + each}" for each in range(10)]).encode()
        await wire.send(head(200, len(text), HTML) + text)
        return True

    box.otherwise = maze
    box.put("/robots.txt", "", 404)

    with crawl(box, tmp_path / "site.duckdb", max_pages=100) as result:
        assert not result.is_complete
        assert any("max-pages" in reason for reason in result.incomplete)
    assert 90 < len(box.paths) < 250


# robots.txt.


def test_robots_txt_of_wildcards_costs_no_time(box, tmp_path):
    pattern = "/" + "*a" * 500 + "$"
    put_site(box, {"/": [f"/{'a' * 1_000}b{number}" for number in range(30)]})
    box.put_robots("User-agent: *", *[f"Disallow: {pattern}{number}" for number in range(400)])
    box.otherwise = page(html("a"), kind=HTML)

    pages = shown(box, tmp_path, read_sitemaps=False)

    assert len(pages) == 31


def test_robots_txt_without_end_is_read_to_its_limit(box, tmp_path):
    put_site(box, {"/": ["/tea", "/private/a"], "/tea": []})
    put_page(box, "/private/a")
    rules = b"User-agent: *\nDisallow: /private/\n"
    box.play("/robots.txt", endless(rules, b"Disallow: /x\n" * 1_000))

    pages = shown(box, tmp_path, total_timeout_s=20.0)

    assert pages["/tea"][0] == "ok"
    assert "/private/a" not in box.paths


def test_robots_txt_that_fails_means_that_nothing_is_visited(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    box.put("/robots.txt", "", 503)

    shown(box, tmp_path, retries=0)

    assert "/tea" not in box.paths


def test_crawl_delay_of_years_ends(box, tmp_path):
    put_site(box, {"/": [], "/tea": []})
    box.put_robots("User-agent: *", "Crawl-delay: 999999999")

    with crawl(box, tmp_path / "site.duckdb", max_minutes=0.0, read_sitemaps=False) as result:
        assert not result.is_complete


def test_retry_after_of_years_is_not_waited_for(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    box.put("/tea", "", 429, retry_after="99999999")

    pages = shown(box, tmp_path, max_minutes=0.05)

    assert pages.get("/tea", ("unknown",))[0] == "unknown"


# Text.


def test_hostile_text_is_stored_as_text(box, tmp_path):
    title = "</title><script>alert(1)</script>\x1b[31m\u202e'); DROP TABLE pages; --"
    text = html("x").replace("<title>x", f"<title>{title.replace('</title>', '&lt;/title>')}")
    put_site(box, {"/": ["/hostile", "/%00%1b%0d%0a", "/'\"<>", "/tea"], "/tea": []})
    box.put("/hostile", text, kind=HTML)
    box.otherwise = page(html("any"), kind=HTML)

    with crawl(box, tmp_path / "site.duckdb") as result:
        titles = {row[0] for row in result.query("SELECT title FROM pages")}

    assert any("DROP TABLE pages" in (each or "") for each in titles)


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe\x00", b"<" * 500_000, b"<!--" * 100_000, b"&#" * 200_000]
)
def test_bytes_that_are_no_page_are_read_all_the_same(box, tmp_path, raw):
    put_site(box, {"/": ["/raw", "/tea"], "/tea": []})
    box.put("/raw", raw, kind=HTML)

    pages = shown(box, tmp_path)

    assert pages["/raw"][0] == pages["/tea"][0] == "ok"


@pytest.mark.parametrize(
    "player",
    [site_box.gibberish, site_box.reset, site_box.hang_up, site_box.cut(b"<html>" * 99, 50)],
    ids=["gibberish", "reset", "hang-up", "cut"],
)
def test_answer_that_is_none_is_unknown_or_unreachable(box, tmp_path, player):
    put_site(box, {"/": ["/odd", "/tea"], "/tea": []})
    box.play("/odd", player)

    pages = shown(box, tmp_path, retries=0)

    assert pages["/tea"][0] == "ok"
    assert pages["/odd"][0] in {"unknown", "unreachable"}
