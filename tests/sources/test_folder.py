"""A folder of HTML as a source: URLs of files, excluded pages and reasons, notes."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from urlset import SourceError
from urlset import engine as engines
from urlset.sources import CANDIDATE, Candidate, HtmlFolder
from urlset.sources.html.files import FileUrls, same_page

BASE = "https://example.com/"
PAGE = "<!doctype html><title>Tea</title><p>Of many kinds."


def make(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, said in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(said if isinstance(said, bytes) else said.encode())
        os.utime(path, (1_767_323_045, 1_767_323_045))
    return root


def reported(source: HtmlFolder) -> list[Any]:
    names = [name for name, _ in CANDIDATE]
    rows = []
    for batch in source.batches():
        assert batch.column_names == names
        rows += [
            Candidate(*(batch[name][number].as_py() for name in names))
            for number in range(batch.num_rows)
        ]
    return rows


def reasons(root: Path, **options) -> dict[str, str | None]:
    return {
        row.loc.removeprefix(BASE): row.reason
        for row in reported(HtmlFolder(root, BASE, **options))
    }


def test_urls_of_files_in_their_order(tmp_path: Path):
    files = [
        "index.html",
        "about.html",
        "tea/index.htm",
        "tea/green.xhtml",
        "z/default.html",
        "B.HTML",
    ]
    make(tmp_path, dict.fromkeys(files, PAGE))

    assert list(reasons(tmp_path)) == [
        "B.HTML", "about.html", "", "tea/green.xhtml", "tea/", "z/",
    ]  # fmt: skip
    assert list(reasons(tmp_path, strip_html=True)) == [
        "B", "about", "", "tea/green", "tea/", "z/",
    ]  # fmt: skip
    assert list(reasons(tmp_path, strip_html=True, trailing_slash=True)) == [
        "B/", "about/", "", "tea/green/", "tea/", "z/",
    ]  # fmt: skip
    assert list(reasons(tmp_path, strip_html=True, trailing_slash=False)) == [
        "B", "about", "", "tea/green", "tea", "z",
    ]  # fmt: skip


def test_base_url_may_have_a_path():
    assert (
        FileUrls("https://example.com/docs?x#y").url("a/index.html")
        == "https://example.com/docs/a/"
    )


def test_field_paths_are_percent_encoded(tmp_path: Path):
    # FIELD: hugesitemap writes `a b.html` and `q?x#y.html` as they are.
    make(tmp_path, dict.fromkeys(["a b.html", "q?x#y.html", "50%.html", "ä/ö&'.html"], PAGE))

    assert list(reasons(tmp_path)) == [
        "50%25.html", "a%20b.html", "q%3Fx%23y.html", "%C3%A4/%C3%B6&'.html",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text there")
def test_name_that_is_no_text(tmp_path: Path):
    (tmp_path / os.fsdecode(b"\xff.html")).write_text(PAGE)

    (row,) = reported(HtmlFolder(tmp_path, BASE))

    assert row.loc == f"{BASE}%FF.html"


REASONS: dict[str, tuple[str | bytes, str | None]] = {
    "noindex.html": (f"<meta name=robots content=noindex>{PAGE}", "noindex"),
    "none.html": (f"<meta name=googlebot content=none>{PAGE}", "noindex"),
    "moved.html": (
        f"<meta http-equiv=refresh content='0; url=/new.html'>{PAGE}",
        f"redirect: {BASE}new.html",
    ),
    "reloads.html": (f"<meta http-equiv=refresh content='60; url=/reloads.html'>{PAGE}", None),
    "copy.html": (f"<link rel=canonical href=/tea.html>{PAGE}", f"canonical: {BASE}tea.html"),
    "elsewhere.html": (
        f"<link rel=canonical href=https://other.example/elsewhere.html>{PAGE}",
        "canonical: https://other.example/elsewhere.html",
    ),
    "self.html": (f"<link rel=canonical href=/self.html>{PAGE}", None),
    "part.html": ("<p>a part of a page", "no page"),
    "json.html": ('{"a": 1}', "no page"),
    "picture.html": (b"\x89PNG\r\n\x1a\n\0\0", "no page"),
    "empty.html": ("\n", "empty"),
    "404.html": ("<title>Tea</title><h1>404</h1><p>Nothing here.", "error page"),
    "de/404.html": ("<title>Tee</title><h1>Seite nicht gefunden</h1>", "error page"),
    "500/index.html": ("<title>Internal Server Error - Tea</title>", "error page"),
    "old-offer.html": (
        "<title>Page not found | Tea</title><h1>Page not found</h1><p>Sorry.",
        "soft 404",
    ),
    "gone/index.html": ("<title>Seite nicht gefunden</title><h1>404</h1>", "soft 404"),
    "help/not-found-pages.html": (
        "<title>How to write a page not found</title><h1>404: page not found</h1><p>Be kind.",
        None,
    ),
    "film.html": (
        f"<title>Not found</title><h1>Not found</h1><p>{'A film of the year 1999. ' * 100}",
        None,
    ),
    "comic/404/index.html": ("<title>404</title><h1>Not found</h1>", None),
    "rooms/a/404.html": ("<title>404</title><h1>Not found</h1>", None),
    "google0123456789abcdef.html": ("google-site-verification: x", "verification file"),
    "googles.html": (PAGE, None),
}


def test_reasons(tmp_path: Path):
    make(tmp_path, {name: said for name, (said, _) in REASONS.items()})

    found = reasons(tmp_path)

    assert found == {
        name.replace("/index.html", "/"): reason for name, (_, reason) in REASONS.items()
    }


NAVIGATION = "<ul>" + "".join(f"<li><a href=/{n}>Chapter {n}</a>" for n in range(500)) + "</ul>"


def page_of(title: str, text: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title><body><main><h1>{title}</h1>{text}"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("templates/404/index.html", page_of("Custom 404 page", "<p>Create a template.")),
        ("std/error/index.html", page_of("std::error", "<p>Interfaces for working with Errors.")),
        ("error/index.html", page_of("std::error", "<p>Interfaces for working with Errors.")),
        ("404.html", page_of("HTTP 404 explained", "<p>It means that. " * 200)),
        ("404.html", page_of("Area code of Atlanta", "<p>It is in Georgia.")),
        ("error_codes/E0404.html", page_of("E0404", "<p>You tried to implement a trait.")),
        ("blog/404.html", page_of("404", "<p>Not found: a novel.")),
        ("shop/500.html", page_of("Room 500", "<p>Error free.")),
        ("google0123456789abcdef.html", page_of("Our stand at the fair", "<p>Come.")),
    ],
)
def test_a_page_with_the_name_of_another_kind_is_listed(path: str, page: str, tmp_path: Path):
    make(tmp_path, {path: page})

    assert list(reasons(tmp_path).values()) == [None]


@pytest.mark.parametrize("name", ["{}.html", "{}/index.html", "comic/{}/index.html", "en/{}.html"])
def test_a_number_among_other_numbers_is_a_page(name: str, tmp_path: Path):
    text = "<p>Error: an error occurred."
    make(tmp_path, {name.format(n): page_of(f"Comic {n}", text) for n in range(398, 520)})

    assert set(reasons(tmp_path).values()) == {None}


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("404.html", page_of("Garden", "<h2>404</h2><p>Page not found")),
        ("404/index.html", page_of("Page Not Found | Garden", "<p>We could not find it.")),
        ("error.html", page_of("Oops", "<p>Something went wrong.")),
        ("50x.html", page_of("Error", "<p>An error occurred.")),
        ("ja/404.html", page_of("庭", "<p>お探しのページは見つかりませんでした。")),
        ("zh-Hans/404.html", page_of("页面不存在")),
        ("pt-br/404/index.html", page_of("Página não encontrada")),
        ("fr/404.html", page_of("Oups", "<p>Cette page n’existe pas.")),
        ("404.html", page_of("MkDocs", f"{NAVIGATION}<h1>404</h1><p><b>Page not found</b></p>")),
        ("404.html", page_of("Garden", f"{NAVIGATION}<h2>Sorry, this page was not found.</h2>")),
    ],
)
def test_an_error_page_is_known_by_name_and_content(path: str, page: str, tmp_path: Path):
    make(tmp_path, {path: page})

    assert list(reasons(tmp_path).values()) == ["error page"]


def test_a_page_with_the_name_of_an_error_page_is_listed_and_reported(tmp_path: Path):
    make(tmp_path, {"404.html": page_of("Area code of Atlanta")})
    source = HtmlFolder(tmp_path, BASE)

    reported(source)

    assert len(source.notes) == 1
    assert "404.html" in source.notes[0]


def test_what_is_no_page_is_passed_over(tmp_path: Path):
    names = [
        ".git/index.html",
        ".well-known/a.html",
        ".hidden.html",
        "sitemap.xml",
        "a.css",
        "a.php",
    ]
    make(tmp_path, dict.fromkeys([*names, "index.html"], PAGE))

    assert list(reasons(tmp_path)) == [""]
    assert list(reasons(tmp_path, extensions=(".php",), strip_html=True)) == ["a"]


def test_canonical_in_another_form_is_the_page_s_word_for_its_url(tmp_path: Path):
    make(
        tmp_path,
        {
            "about.html": f"<link rel=canonical href=/about>{PAGE}",
            "tea/index.html": f"<link rel=canonical href=/tea>{PAGE}",
            "http.html": f"<link rel=canonical href=http://example.com/http.html>{PAGE}",
        },
    )
    source = HtmlFolder(tmp_path, BASE)

    rows = reported(source)

    assert [(row.loc, row.reason) for row in rows] == [
        (f"{BASE}about", None),
        (f"{BASE}http.html", None),
        (f"{BASE}tea", None),
    ]
    assert any("another form" in note and "2 ×" in note for note in source.notes)
    assert any("another scheme" in note and "http.html" in note for note in source.notes)


def test_two_files_of_one_page_are_reported(tmp_path: Path):
    files = ["about.html", "about/index.html", "tea/index.html", "tea/index.htm"]
    make(tmp_path, dict.fromkeys(files, PAGE))
    source = HtmlFolder(tmp_path, BASE, strip_html=True)

    locs = [row.loc.removeprefix(BASE) for row in reported(source)]

    # A reason would speak against the URL itself: the second file of one is a note.
    assert sorted(locs) == ["about", "about/", "tea/"]
    assert any("about.html and about/index.html" in note for note in source.notes)
    assert any("tea/index.htm (index.html)" in note for note in source.notes)


def test_evidence(tmp_path: Path):
    page = f'<meta property="article:modified_time" content="2026-01-02T03:04:05+01:00">{PAGE}'
    make(tmp_path, {"a.html": page})

    (row,) = reported(HtmlFolder(tmp_path, BASE))
    (bare,) = reported(HtmlFolder(tmp_path, BASE, evidence=()))
    (content,) = reported(HtmlFolder(tmp_path, BASE, evidence=("content",)))

    assert (row.lastmod, row.lastmod_text) == (None, None)  # nobody gave one
    assert row.page_lastmod == "2026-01-02T03:04:05+01:00"
    assert row.mtime_lastmod == bare.mtime_lastmod == "2026-01-02T03:04:05Z"
    assert (bare.page_lastmod, bare.fingerprint) == (None, None)
    assert (content.page_lastmod, content.fingerprint) == (None, row.fingerprint)
    assert row.fingerprint is not None
    assert row.source == str(tmp_path / "a.html")


def test_extensions_on_request(tmp_path: Path):
    head = "<link rel=alternate hreflang=de href=/de/><title>x</title>"
    make(tmp_path, {"a.html": f"<html><head>{head}</head><body><img src=/a.png>"})

    (plain,) = reported(HtmlFolder(tmp_path, BASE))
    (rich,) = reported(
        HtmlFolder(tmp_path, BASE, images=True, alternates=True, videos=True, news=True)
    )

    assert (plain.images, plain.alternates) == ([], [])
    assert [image["loc"] for image in rich.images] == [f"{BASE}a.png"]
    assert [alternate["href"] for alternate in rich.alternates] == [f"{BASE}de/"]
    assert (rich.videos, rich.news) == ([], None)


def test_links_are_followed_on_request(tmp_path: Path):
    make(tmp_path / "site", {"a/x.html": PAGE})
    (tmp_path / "site" / "b.html").symlink_to(tmp_path / "site" / "a" / "x.html")
    (tmp_path / "site" / "a" / "up").symlink_to(tmp_path / "site")
    source = HtmlFolder(tmp_path / "site", BASE)
    follower = HtmlFolder(tmp_path / "site", BASE, follow_symlinks=True)

    assert [row.loc for row in reported(source)] == [f"{BASE}a/x.html"]
    assert source.notes == ["1 × symbolic links to pages, which are not followed"]
    assert [row.loc for row in reported(follower)] == [f"{BASE}a/x.html", f"{BASE}b.html"]
    assert any("links to a parent folder" in note for note in follower.notes)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_cannot_be_read_is_reported(tmp_path: Path):
    make(tmp_path, {"a.html": PAGE})
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere")
    source = HtmlFolder(tmp_path, BASE, follow_symlinks=True)

    rows = {row.loc.removeprefix(BASE): row.reason for row in reported(source)}

    assert rows["a.html"] is None
    assert rows["pipe.html"] == "unreadable: no regular file"
    assert str(rows["gone.html"]).startswith("unreadable: ")
    assert len(source.failures) == 2
    assert all(str(tmp_path) in failure for failure in source.failures)


def test_folder_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(SourceError, match="expected a folder of HTML, found No such file"):
        reported(HtmlFolder(tmp_path / "nowhere", BASE))
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match="expected a folder of HTML, found Not a directory"):
        reported(HtmlFolder(tmp_path / "file", BASE))


def test_pages_come_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make(tmp_path, {f"{number:03}.html": PAGE for number in range(10)})
    monkeypatch.setattr("urlset.sources.candidates.BATCH_ROWS", 4)
    source = HtmlFolder(tmp_path, BASE)
    batches = source.batches()

    first = next(batches)
    (tmp_path / "009.html").unlink()

    # What lies behind the first batch has not been read when that is given.
    assert first.num_rows == 4
    assert [batch.num_rows for batch in batches] == [4, 2]
    assert len(source.failures) == 1


FORMS = {
    "https://example.com/tea": True,
    "http://EXAMPLE.com/tea/": True,
    "https://example.com:443/tea/index.html": True,
    "https://example.com/tea.html": True,
    "https://example.com/t%65a": True,
    "https://example.com/tea?x=1": False,
    "https://www.example.com/tea": False,
    "https://example.com/Tea": False,
}


@pytest.mark.parametrize("url", FORMS)
def test_forms_of_one_url(url: str):
    assert same_page(url, "https://example.com/tea") is FORMS[url]


GARDEN = Path(__file__).parents[2] / "examples" / "garden"


def test_example_site():
    found = {name: reason for name, reason in reasons(GARDEN).items() if reason}

    assert found == {
        "404.html": "error page",
        "blog/old-tulips-print.html": f"canonical: {BASE}blog/old-tulips.html",
        "directions.html": f"redirect: {BASE}visit.html",
        "members.html": "noindex",
    }


def test_example_site_built_again_has_the_same_fingerprints(tmp_path: Path):
    for path in GARDEN.rglob("*.html"):
        again = tmp_path / path.relative_to(GARDEN)
        again.parent.mkdir(parents=True, exist_ok=True)
        page = path.read_text(encoding="utf-8")
        page = page.replace("09:41:07", "18:03:59").replace("v=20260320", "v=20260321")
        again.write_text(page.replace("Corks go", "Corn goes"), encoding="utf-8")

    before = {row.loc: row.fingerprint for row in reported(HtmlFolder(GARDEN, BASE))}
    after = {row.loc: row.fingerprint for row in reported(HtmlFolder(tmp_path, BASE))}

    changed = [loc for loc in before if before[loc] != after[loc]]
    assert changed == [f"{BASE}blog/compost.html"]


@pytest.mark.parametrize("engine", ["reference", None])
def test_pages_are_scanned_by_the_engine_that_is_named(tmp_path: Path, monkeypatch, engine):
    make(tmp_path, {"a.html": PAGE, "b.html": "<h1>B</b></h1>"})
    names: list[str | None] = []
    original = engines.get

    def recorded(name: str | None) -> engines.Engine:
        names.append(name)
        return original(name)

    monkeypatch.setattr("urlset.html.facts.get", recorded)
    source = HtmlFolder(tmp_path, BASE, evidence=("content",), engine=engine)

    assert len(reported(source)) == 2
    assert set(names) == {engine}
