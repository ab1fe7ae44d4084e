"""A failure is not a removal: URLs that only an unread document may list are unknown."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import urlset
from tests.amounts import amount
from tests.http_walks import quick
from tests.site_box import (
    SiteBox,
    cut,
    gibberish,
    hang_up,
    index_of,
    page,
    redirect,
    reset,
)  # fmt: skip
from urlset.cli.app import run
from urlset.errors import SourceError
from urlset.live.diff.text import report_diff
from urlset.live.diff.unread import DocumentOutcome, Unread, unread_documents

SITE = "https://example.com"
SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap(*paths: str) -> bytes:
    rows = "".join(f"<url><loc>{SITE}{path}</loc></url>\n" for path in paths)
    return f'<urlset xmlns="{SITEMAPS}">\n{rows}</urlset>'.encode()


def index(*names: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{SITE}/{name}</loc></sitemap>\n" for name in names)
    return f'<sitemapindex xmlns="{SITEMAPS}">\n{rows}</sitemapindex>'.encode()


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir()
    for name, data in files.items():
        (path / name).write_bytes(data)
    return path


def kinds(before: object, after: object) -> dict[str, str]:
    """Return the kind of change of each path."""
    with urlset.diff(before, after) as found:  # type: ignore[arg-type]
        return {change.loc.removeprefix(SITE): change.change for change in found}


FILES = {
    "sitemap.xml": index("pages.xml", "blog.xml"),
    "pages.xml": sitemap("/a", "/b"),
    "blog.xml": sitemap("/blog/x", "/blog/y"),
}


def test_the_text_has_the_whole_reason(tmp_path):
    name = f"{'long' * 20}.xml"
    files = FILES | {"sitemap.xml": index("pages.xml", "blog.xml", name)}

    with urlset.diff(folder(tmp_path / "a", FILES), folder(tmp_path / "b", files)) as found:
        text = ["".join(span.text for span in line) for line in report_diff(found, width=80)]
        (reason,) = found.incomplete

    assert f"  0 URLs: {reason}" in text


def test_urls_of_a_missing_child_are_unknown_and_no_others(tmp_path):
    before = folder(tmp_path / "old", FILES)
    files = {**FILES, "pages.xml": sitemap("/a")}
    del files["blog.xml"]
    after = folder(tmp_path / "new", files)

    assert kinds(before / "sitemap.xml", after / "sitemap.xml") == {
        "/b": "removed", "/blog/x": "unknown", "/blog/y": "unknown",
    }  # fmt: skip
    assert kinds(after / "sitemap.xml", before / "sitemap.xml") == {
        "/b": "added", "/blog/x": "unknown", "/blog/y": "unknown",
    }  # fmt: skip


def test_exit_code_of_what_neither_state_has(tmp_path, capsys):
    files = {name: data for name, data in FILES.items() if name != "blog.xml"}
    state = folder(tmp_path / "new", files) / "sitemap.xml"

    assert run(["diff", str(state), str(state), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["is_complete"], found["counts"]["unknown"]) == (False, 0)


def test_reason_names_the_document(tmp_path):
    files = {name: data for name, data in FILES.items() if name != "blog.xml"}
    before, after = folder(tmp_path / "old", FILES), folder(tmp_path / "new", files)

    with urlset.diff(before, after) as found:
        [(detail, count)] = found.unread
        [change, _] = found.of("unknown")

    assert count == 2
    assert detail.startswith("https://example.com/blog.xml: ")
    assert change.why[0].reason == "unread"
    assert change.why[0].detail == detail


def test_text_has_the_whole_reason(tmp_path):
    files = {name: data for name, data in FILES.items() if name != "blog.xml"}
    before, after = folder(tmp_path / "old", FILES), folder(tmp_path / "new", files)

    with urlset.diff(before, after) as found:
        text = "\n".join("".join(s.text for s in line) for line in report_diff(found, width=40))
        [(detail, _)] = found.unread

    assert f"  2 URLs: {detail}\n" in text


def test_truncated_document_lists_what_was_read(tmp_path):
    before = folder(tmp_path / "old", FILES)
    half = FILES["blog.xml"].partition(b"<url><loc>https://example.com/blog/y")[0]
    after = folder(tmp_path / "new", {**FILES, "blog.xml": half, "pages.xml": sitemap("/a")})

    assert kinds(before, after) == {"/b": "removed", "/blog/y": "unknown"}


def test_failed_document_that_is_new_may_list_everything(tmp_path):
    before = folder(tmp_path / "old", FILES)
    files = {"sitemap.xml": index("pages.xml", "all.xml"), "pages.xml": sitemap("/a")}
    after = folder(tmp_path / "new", files)

    assert set(kinds(before, after).values()) == {"unknown"}


def test_pages_of_a_list_shift_to_the_next_sitemap(tmp_path):
    names = ("post-sitemap1.xml", "post-sitemap2.xml", "page-sitemap.xml")
    before = folder(
        tmp_path / "old",
        {"sitemap.xml": index(*names), names[0]: sitemap("/1", "/2"), names[1]: sitemap("/3"),
         names[2]: sitemap("/about")},
    )  # fmt: skip
    # /0 is new, so that /2 is in the second page now, which cannot be read.
    after = folder(
        tmp_path / "new",
        {"sitemap.xml": index(*names), names[0]: sitemap("/0", "/1"), names[2]: sitemap("/about")},
    )

    assert kinds(before, after) == {"/0": "added", "/2": "unknown", "/3": "unknown"}


def test_pages_of_a_list_shift_to_a_sitemap_that_the_index_does_not_name_any_more(tmp_path):
    names = ("post-sitemap1.xml", "post-sitemap2.xml", "post-sitemap3.xml")
    lists = [("/1", "/2"), ("/3", "/4"), ("/5",)]
    files = {name: sitemap(*paths) for name, paths in zip(names, lists, strict=True)}
    before = folder(tmp_path / "old", {"sitemap.xml": index(*names), **files})
    # /0 is new, so that /4 is in the third page now, which the truncated index does not name.
    files = {names[0]: sitemap("/0", "/1"), names[1]: sitemap("/2", "/3")}
    whole = index(*names)
    truncated = whole[: whole.index(names[2].encode())]
    after = folder(tmp_path / "new", {"sitemap.xml": truncated, **files})

    assert kinds(before, after) == {"/0": "added", "/4": "unknown", "/5": "unknown"}


def outcomes(*rows: tuple[str, str | None, str | None]) -> list[DocumentOutcome]:
    return [DocumentOutcome(name, parent=parent, fault=fault) for name, parent, fault in rows]


def test_documents_below_a_failed_index_are_unread():
    here = outcomes(("i", None, None), ("sub", "i", None), ("c1", "sub", None), ("c2", "i", None))
    other = outcomes(("i", None, None), ("sub", "i", "HTTP 503"), ("c2", "i", None))

    assert unread_documents(here, other) == Unread(
        None, {"sub": "sub: HTTP 503", "c1": "sub: HTTP 503"}
    )


def test_document_that_was_not_found_is_unread_if_discovery_has_a_gap():
    here = outcomes(("https://e.com/a.xml", None, None), ("https://e.com/b.xml", None, None))
    other = outcomes(("https://e.com/a.xml", None, None), ("https://e.com/c.xml", None, None))

    assert unread_documents(here, other).documents == {}
    assert unread_documents(here, other, ["HTTP 503"]).documents == {
        "https://e.com/b.xml": "HTTP 503"
    }


def test_incomplete_crawl_makes_missing_pages_unknown(tmp_path):
    from tests.live_sites import crawl, put_site

    with SiteBox() as box:
        put_site(box, {"/": ["/a", "/b"], "/a": ["/c"], "/b": [], "/c": []}, listed=())
        crawl(box, tmp_path / "whole.duckdb", read_sitemaps=False).close()
        crawl(box, tmp_path / "part.duckdb", read_sitemaps=False, max_pages=2).close()
        with urlset.diff(tmp_path / "whole.duckdb", tmp_path / "part.duckdb") as found:
            assert (found.counts.removed, found.counts.unknown) == (0, 2)
        box.play("/c", page(b"gone", 410))
        crawl(box, tmp_path / "later.duckdb", read_sitemaps=False).close()
        with urlset.diff(tmp_path / "whole.duckdb", tmp_path / "later.duckdb") as found:
            assert [change.change for change in found] == ["removed"]


# ── random faults of a site ──

NAMES = ("posts-1", "posts-2", "posts-3", "pages", "shop")


def play_site(box: SiteBox, urls: dict[str, list[str]]) -> dict[str, bytes]:
    """Put a site into the box: robots.txt, two indexes, and five sitemaps; return the bodies."""
    bodies = {f"/{name}.xml": sitemap(*urls[name]) for name in NAMES}
    bodies["/posts.xml"] = index_of(box.url(f"/{name}.xml") for name in NAMES[:3])
    bodies["/rest.xml"] = index_of(box.url(f"/{name}.xml") for name in NAMES[3:])
    lines = f"Sitemap: {box.url('/posts.xml')}\nSitemap: {box.url('/rest.xml')}\n"
    for path, body in bodies.items():
        box.put(path, body)
    box.play("/robots.txt", page(lines, kind="text/plain"))
    return bodies


def fault(draw: random.Random, body: bytes):
    """Return a player that fails, or sends a part of the document or something else."""
    at = draw.randrange(1, len(body))
    part = body[: draw.randrange(60, len(body) - 20)]
    return draw.choice([
        page(b"overloaded", 503, kind="text/plain"), page(b"slow down", 429), page(b"", 403),
        page(b"<html><title>Just a moment</title></html>", kind="text/html"), page(b"", 500),
        cut(body, at), page(part), reset, hang_up, gibberish, page(b""), redirect("/login", 302),
    ])  # fmt: skip


def pages_of(draw: random.Random, posts: list[str], size: int) -> dict[str, list[str]]:
    """Return the URLs of each sitemap; posts are in pages of a fixed size, newest first."""
    found = {f"posts-{n + 1}": posts[n * size : (n + 1) * size] for n in range(3)}
    found["posts-3"] += posts[3 * size :]
    found["pages"] = [f"/page-{n}" for n in range(6)]
    found["shop"] = [f"/shop/{n}" for n in range(9)]
    return found


def check_seed(box: SiteBox, seed: int, tmp_path: Path, *, is_after: bool) -> int:
    """Read a changing site twice, once with faults; return the number of URLs that are unknown."""
    draw = random.Random(seed)
    posts = [f"/post/{n}" for n in range(30)]
    size = 10
    clean, faulty = pages_of(draw, posts, size), pages_of(draw, posts, size)
    if draw.random() < 0.5:  # the site shifts its posts to the next page
        faulty = pages_of(draw, [f"/post/new-{seed}", *posts], size)
    gone = draw.sample(sorted({*posts, *faulty["shop"]}), 2)
    play_site(box, clean)
    path = tmp_path / f"clean-{seed}.duckdb"
    urlset.read(f"{box.site}/", policy=quick(retries=0)).to_duckdb(path)
    for urls in faulty.values():
        urls[:] = [url for url in urls if url not in gone]
    bodies = play_site(box, faulty)
    for name in draw.sample(sorted(bodies), draw.choice([1, 1, 2, 3])):
        box.play(name, fault(draw, bodies[name]))
    if draw.random() < 0.2:
        faults = [page(b"", 503), reset, page(b"", 429), page(b"", 403)]
        box.play("/robots.txt", draw.choice(faults))
    known = {SITE + url for urls in clean.values() for url in urls}
    real = {SITE + url for urls in faulty.values() for url in urls}
    live = urlset.read(f"{box.site}/", policy=quick(retries=0))
    states = (path, live) if is_after else (live, path)
    try:
        with urlset.diff(*states, moves=False) as found:
            missing = {change.loc for change in found.of("removed" if is_after else "added")}
            unknown = found.counts.unknown
    except urlset.SourceError:  # nothing could be read
        return 0
    finally:
        path.unlink()
    wrong = missing - (known - real)
    assert not wrong, f"seed {seed}: {sorted(wrong)[:3]} are still listed"
    return unknown


@pytest.mark.soak
@pytest.mark.parametrize("start", range(0, amount(25, 100), 25))
def test_no_false_removal_under_random_faults(start, tmp_path):
    with SiteBox() as box:
        unknown = [
            check_seed(box, seed, tmp_path, is_after=True) for seed in range(start, start + 25)
        ]

    assert sum(map(bool, unknown)) >= 10  # the faults matter


def test_no_false_addition_under_random_faults(tmp_path):
    with SiteBox() as box:
        unknown = [check_seed(box, seed, tmp_path, is_after=False) for seed in range(100, 120)]

    assert sum(map(bool, unknown)) >= 8


@pytest.mark.parametrize("content", [b"<html><title>x</title></html>", bytes(range(256))])
@pytest.mark.parametrize("side", [0, 1, 2])
def test_a_file_that_is_no_sitemap_is_no_state(content, side, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"https://example.com/a")
    (tmp_path / "wrong.xml").write_bytes(content)
    names = ["a.txt", "a.txt"]
    for number in (0, 1) if side == 2 else (side,):
        names[number] = "wrong.xml"

    with pytest.raises(SourceError, match=r"wrong\.xml: expected a sitemap"):
        urlset.diff(*(tmp_path / name for name in names))


def test_a_sitemap_that_only_a_refused_robots_txt_names_is_unknown(box: SiteBox, tmp_path: Path):
    box.put_robots("User-agent: *", f"Sitemap: {box.put_urlset('/maps/a.xml', 2)}")
    home = f'<link rel="sitemap" href="{box.put_urlset("/b.xml", 3)}">'
    box.put("/", f"<!doctype html><head>{home}</head>", kind="text/html")
    urlset.read(f"{box.site}/", policy=quick()).to_duckdb(tmp_path / "before.duckdb")
    box.put("/robots.txt", "go away", 403)

    with urlset.diff(
        tmp_path / "before.duckdb", urlset.read(f"{box.site}/", policy=quick()), moves=False
    ) as found:
        counts = found.counts

    assert (counts.removed, counts.unknown) == (0, 2)
