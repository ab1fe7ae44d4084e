"""Links of the llms.txt of a site: which are read, what is reported, and what stays silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.example_site import audited
from tests.http_walks import quick
from tests.live.audit.test_audit import MOMENT
from tests.site_box import SiteBox, cut
from urlset.checker.examples import ExampleResponse, page, redirect, site
from urlset.live.audit import probes

TITLE = "# Tea\n\n## Pages\n\n"
TEA = site(tea=page("Tea"))


def llms_txt(*links: str) -> ExampleResponse:
    text = TITLE + "".join(f"- [a]({link})\n" for link in links)
    return ExampleResponse(text, headers=(("content-type", "text/plain"),))


def found_in(example: dict[str, Any], **settings: Any) -> list[tuple[str, str | None]]:
    """Rule and path of each finding about the llms.txt."""
    with audited(example, MOMENT, **settings) as result:
        return [
            (finding.code, (finding.loc or "").removeprefix("https://example.com"))
            for finding in result.findings
            if finding.code.startswith("M")
        ]


def links_of(box: SiteBox, **settings: Any) -> list[str]:
    """URLs of the links that an audit of a site with one page reads."""
    box.put("/", "<title>Home</title>", kind="text/html")
    box.put("/urls.txt", box.url("/"), kind="text/plain")
    settings = {"confirm_after_s": 0.0, "policy": quick(), **settings}
    with urlset.audit(box.url("/urls.txt"), **settings) as result:
        rows = result.store.query("SELECT url FROM llms_txt_links ORDER BY line, url")
        return [url.removeprefix(box.site) for (url,) in rows]


def test_a_finding_has_the_line_of_the_link():
    example = {**TEA, "llms.txt": llms_txt("https://example.com/tea", "/gone", "/gone")}

    with audited(example, MOMENT) as result:
        [finding] = [f for f in result.findings if f.code == "M007"]

    assert (finding.source, finding.line) == ("https://example.com/llms.txt", 6)
    assert finding.message.endswith("https://example.com/gone, which returns HTTP 404")


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_a_link_that_is_refused_is_unknown(status: int):
    example = {**TEA, "llms.txt": llms_txt("/a"), "a": ExampleResponse(status=status)}

    assert found_in(example) == []


def test_links_to_other_sites_are_reported_only_if_they_are_dead():
    other = "https://other.example"
    example = {
        **TEA,
        "llms.txt": llms_txt(*(f"{other}/{name}" for name in ("gone", "moved", "hidden", "page"))),
        f"{other}/moved": redirect(f"{other}/page"),
        f"{other}/hidden": page("Hidden", '<meta name="robots" content="noindex">'),
        f"{other}/page": page("Page"),
    }

    assert found_in(example) == [("M007", f"{other}/gone")]


def test_escapes_of_markdown_are_decoded_and_fragments_ignored():
    links = (r"/a\_b?c=1&amp;d=2", "/tea#green", "</a (b)>", "//example.com/tea")
    example = {**TEA, "llms.txt": llms_txt(*links), "a_b?c=1&d=2": page("A")}
    example["a%20(b)"] = ExampleResponse("# A", headers=(("content-type", "text/markdown"),))

    assert found_in(example) == [("M010", "/a_b?c=1&d=2")]


def test_a_sitemap_that_cannot_be_read_leaves_unlisted_pages_unknown():
    example = {
        "robots.txt": "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml",
        "a.xml": TEA["sitemap.xml"],
        "b.xml": ExampleResponse(status=503),
        "tea": page("Tea"),
        "coffee": page("Coffee"),
        "llms.txt": llms_txt("/coffee", "/gone"),
    }

    assert found_in(example) == [("M007", "/gone")]
    assert ("M010", "/coffee") in found_in(example | {"b.xml": TEA["sitemap.xml"]})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!doctype html><a href='/x'>x</a> [a](/x)", "text/plain"),
        ("# Tea\n[a](/x)", "text/html; charset=utf-8"),
        ("", "text/plain"),
        ('{"error": "not found"}', "application/json"),
        ("\0\1\2](/x)", "application/octet-stream"),
    ],
)
def test_what_is_no_llms_txt_has_no_links(text: str, kind: str):
    with SiteBox() as box:
        box.put("/llms.txt", text, kind=kind)
        expected = ["/x"] if text.startswith("\0") else []  # a file without text may have links

        assert links_of(box) == expected


def test_an_llms_txt_that_is_disallowed_or_switched_off_is_not_requested():
    with SiteBox() as box:
        box.put("/llms.txt", f"{TITLE}[a](/x)", kind="text/plain")
        assert links_of(box) == ["/x"]
        count = box.paths.count("/llms.txt")

        assert links_of(box, llms_txt=False) == []
        box.put_robots("User-agent: *", "Disallow: /llms.txt")
        assert links_of(box) == []
        assert box.paths.count("/llms.txt") == count == 1


def test_of_an_llms_txt_that_is_cut_the_whole_lines_are_read(monkeypatch: pytest.MonkeyPatch):
    text = f"{TITLE}[a](/whole)\n[b](/partial-name)\n".encode()
    end = text.index(b"-name")
    with SiteBox() as box:
        box.play("/llms.txt", cut(text, end, kind="text/plain"))
        assert links_of(box) == ["/whole"]

        box.put("/llms.txt", text, kind="text/plain")
        assert links_of(box) == ["/whole", "/partial-name"]
        monkeypatch.setattr(probes, "MAX_BYTES", end)
        assert links_of(box) == ["/whole"]


def test_a_link_counts_as_fixed_only_if_it_was_checked_again(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    dead = {**TEA, "llms.txt": llms_txt("/a")}

    def change_after(example: dict[str, Any]) -> list[str]:
        with audited(example, MOMENT, path) as result:
            query = "SELECT change FROM audit_findings WHERE code = 'M007'"
            return [change for (change,) in result.store.query(query)]

    assert change_after(dead) == [None]
    assert change_after(dead) == ["still there"]
    assert change_after({**dead, "llms.txt": ExampleResponse(status=503)}) == ["not checked"]
    assert change_after({**dead, "a": ExampleResponse(status=503)}) == ["not checked"]
    assert change_after(dead) == ["still there"]
    markdown = ExampleResponse("# A", headers=(("content-type", "text/markdown"),))
    assert change_after({**dead, "a": markdown}) == ["fixed"]
