"""A source that cannot be read is no removal: what it listed stays in the set, and is reported."""

import os

import pytest

import urlset
from tests.builder.test_build import BASE, Site, pages
from tests.cli.test_commands import command
from tests.http_walks import quick
from tests.site_box import SiteBox
from tests.sources.test_folder import PAGE, make
from urlset.builder import build
from urlset.engine import get
from urlset.errors import GateError, SourceError
from urlset.model import Image
from urlset.sources import Candidate, CandidateRows


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


class Failing(CandidateRows):
    """A database that goes away after its first rows."""

    def __init__(self, rows, name):
        super().__init__(rows, name)

    def batches(self):
        yield from super().batches()
        raise SourceError(f"{self.name}: password authentication failed")


def of_sources(site, *sources, **options):
    options = {"base_url": BASE, "ledger": site.ledger, "on_error": "skip"} | options
    return build(list(sources), site.out, now=site.now, **options)


def paths(site, name="sitemap.xml"):
    return [loc.removeprefix(BASE) for loc in site.locs(name)]


def test_urls_of_a_source_that_fails_stay_listed_with_their_values(site):
    date = "2026-01-02T03:04:05+02:00"
    images = (Image(f"{BASE}a.png"),)
    shop = [
        Candidate("/z/1", lastmod_text=date, priority=0.5),
        Candidate("/z/2", images=images, section="x"),
    ]
    of_sources(site, CandidateRows(shop, "shop"), CandidateRows(pages(1, 2), "list"))
    before = site.entries()

    made = of_sources(site, Failing([], "shop"), CandidateRows(pages(2, 3), "list"))

    after = site.entries()
    assert sorted(after) == ["p002", "p003", "z/1", "z/2"]
    assert {path: after[path]._replace(line=0, offset=0) for path in ("z/1", "z/2")} == {
        path: before[path]._replace(line=0, offset=0) for path in ("z/1", "z/2")
    }
    assert (made.added, made.changed, made.removed) == (1, 0, 1)
    assert made.incomplete == ("shop: password authentication failed",)
    assert any(
        note.startswith("2 URLs stay listed as published, because shop") for note in made.notes
    )

    again = of_sources(site, CandidateRows(shop[:1], "shop"), CandidateRows(pages(2, 3), "list"))

    assert again.removed == 1
    assert sorted(site.entries()) == ["p002", "p003", "z/1"]


def test_rows_read_before_the_failure_count(site):
    of_sources(site, CandidateRows(pages(1, 2), "shop"), CandidateRows(pages(7), "list"))

    made = of_sources(site, Failing(pages(1, 5), "shop"), CandidateRows(pages(7), "list"))

    assert (made.added, made.removed) == (1, 0)
    assert paths(site) == ["p001", "p002", "p005", "p007"]


def test_a_url_of_two_sources_stays_while_one_of_them_fails(site):
    of_sources(site, CandidateRows(pages(1, 2), "a"), CandidateRows(pages(2, 3, 4), "b"))

    made = of_sources(site, CandidateRows(pages(1), "a"), Failing([], "b"))

    assert made.removed == 0
    assert paths(site) == ["p001", "p002", "p003", "p004"]

    made = of_sources(site, CandidateRows(pages(1), "a"), CandidateRows(pages(3, 4), "b"))

    assert made.removed == 1
    assert paths(site) == ["p001", "p003", "p004"]


def test_a_filter_excludes_what_stays_listed(site):
    of_sources(site, CandidateRows(pages(1, 2), "a"), CandidateRows(pages(3, 4), "b"))

    made = of_sources(site, CandidateRows(pages(1, 2), "a"), Failing([], "b"), filters="drop:p003")

    assert paths(site) == ["p001", "p002", "p004"]
    assert made.excluded_counts == {"filter 1: drop:p003": 1}
    assert made.excluded[0].source == "the published set"


def test_a_ledger_without_sources_keeps_all_urls(site):
    of_sources(site, CandidateRows(pages(1, 2, 3), "a"))
    site.ledger.unlink()

    made = of_sources(site, CandidateRows(pages(1), "a"), Failing([], "b"))

    assert made.removed == 0
    assert paths(site) == ["p001", "p002", "p003"]


def test_the_only_source_that_fails_changes_nothing(site):
    of_sources(site, CandidateRows(pages(1, 2), "a"))
    before = site.bytes()

    made = of_sources(site, Failing([], "a"))

    assert site.bytes() == before
    assert (made.removed, made.incomplete) == (0, ("a: password authentication failed",))


def test_a_first_build_without_rows_names_the_cause(site):
    with pytest.raises(SourceError) as caught:
        of_sources(site, Failing([], "a"))

    assert str(caught.value) == "a: password authentication failed; nothing was published"


def test_the_command_names_the_cause_and_advises_no_force(run, tmp_path, monkeypatch):
    monkeypatch.delenv("SHOP", raising=False)

    code, _, err = run(
        "build", "env:SHOP", "--base-url", BASE, "-o", "public", "--on-error", "skip"
    )

    assert code == 2
    assert "variable SHOP" in err
    assert "--force" not in err


def test_a_missing_file_keeps_its_urls(run, tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"{BASE}a{n}\n" for n in range(20)))
    (tmp_path / "b.txt").write_text("".join(f"{BASE}b{n}\n" for n in range(50)))
    args = "build", "a.txt", "b.txt", "--base-url", BASE, "-o", "public", "--on-error", "skip"
    assert run(*args)[0] == 0
    (tmp_path / "a.txt").unlink()

    code, _, err = run(*args)

    assert code == 1
    assert len(list(urlset.read(tmp_path / "public" / "sitemap.xml"))) == 70
    assert "20 URLs stay listed as published, because a.txt could not be read completely" in err
    assert " new or changed; not complete\n" in err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions")
def test_pages_below_an_unreadable_folder_stay_listed(site):
    _check_unreadable_folder(site, lambda folder: folder.chmod(0))


def test_pages_below_a_folder_that_cannot_be_listed_stay(site, monkeypatch):
    engine = get(None)
    list_folder = engine.list_folder

    def refuse(folder):
        def listed(path, endings):
            if path == str(folder):
                raise PermissionError(13, "Permission denied")
            return list_folder(path, endings)

        monkeypatch.setattr(engine, "list_folder", listed)

    _check_unreadable_folder(site, refuse)


@pytest.fixture
def maps(site, monkeypatch):
    monkeypatch.chdir(site.folder)
    for name in ("a", "b", "d/x", "e/y"):
        path = site.folder / "maps" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{BASE}{name}\n")
    (site.folder / "other.txt").write_text(f"{BASE}other\n")
    return site.folder / "maps"


def refuse_folder(monkeypatch, refused):
    """Let the system refuse to list a folder; ``chmod`` does not apply to root."""
    scandir = os.scandir

    def scan(path="."):
        if not isinstance(path, int) and os.path.abspath(path) == str(refused):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)


@pytest.mark.parametrize("pattern", ["maps/**/*.txt", "maps/*/*.txt", "maps/[de]/?.txt"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_folder_that_a_pattern_cannot_read_keeps_its_urls(
    site, maps, monkeypatch, pattern, on_error
):
    of_sources(site, pattern, "other.txt")
    before = paths(site)
    (maps / "e" / "y.txt").write_text(f"{BASE}e/y\n{BASE}e/new\n")
    refuse_folder(monkeypatch, maps / "d")

    if on_error == "raise":
        with pytest.raises(SourceError, match=r"maps.d: Permission denied"):
            of_sources(site, pattern, "other.txt", on_error=on_error)
        assert paths(site) == before
        return
    made = of_sources(site, pattern, "other.txt")

    assert paths(site) == sorted([*before, "e/new"])
    assert (made.added, made.removed) == (1, 0)


def test_a_folder_in_which_a_pattern_matches_nothing_may_be_unreadable(site, maps, monkeypatch):
    refuse_folder(monkeypatch, maps / "d")

    of_sources(site, "maps/*.txt", "maps/e*/*.txt", on_error="raise")

    assert paths(site) == ["a", "b", "e/y"]


def test_files_after_one_that_cannot_be_opened_are_read(site, maps):
    of_sources(site, "maps/*.txt", "other.txt")
    (maps / "a.txt").write_bytes(b"\x89PNG\0\0")
    (maps / "b.txt").write_text(f"{BASE}b\n{BASE}new\n")

    made = of_sources(site, "maps/*.txt", "other.txt")

    assert paths(site) == ["a", "b", "new", "other"]
    assert (made.added, made.removed) == (1, 0)


def test_a_folder_that_cannot_be_read_is_not_called_empty(site, maps, monkeypatch):
    refuse_folder(monkeypatch, maps)

    with pytest.raises(SourceError, match="found it cannot be read: Permission denied"):
        of_sources(site, "maps", on_error="raise")


def _check_unreadable_folder(site, refuse):
    files = {"a.html": PAGE, "b.html": PAGE, "blog/index.html": PAGE, "blog/x/y.html": PAGE}
    folder = make(site.folder / "site", files)
    of_sources(site, folder)
    assert paths(site) == ["a.html", "b.html", "blog/", "blog/x/y.html"]
    (folder / "b.html").unlink()
    refuse(folder / "blog")

    try:
        made = of_sources(site, folder, on_error="raise")
    finally:
        (folder / "blog").chmod(0o755)

    assert paths(site) == ["a.html", "blog/", "blog/x/y.html"]
    assert made.removed == 1
    assert len(made.incomplete) == 1
    assert "expected a readable folder" in made.incomplete[0]


def test_a_source_that_falls_to_nothing_closes_the_gate(site):
    both = CandidateRows(pages(*range(20)), "shop"), CandidateRows(pages(*range(20, 99)), "list")
    of_sources(site, *both)
    before = site.bytes()

    fallen = CandidateRows([], "shop"), CandidateRows(pages(*range(20, 99)), "list")
    with pytest.raises(GateError, match="shop fell from 20 to 0 URLs; nothing was published") as e:
        of_sources(site, *fallen)

    assert (e.value.gate, e.value.exit_code) == ("source", 15)
    assert site.bytes() == before
    fallen = CandidateRows([], "shop"), CandidateRows(pages(*range(20, 99)), "list")
    assert of_sources(site, *fallen, force="source").removed == 20


def test_a_url_that_moves_to_another_source_belongs_to_it(site):
    of_sources(site, CandidateRows(pages(1, 2), "a"), CandidateRows(pages(3), "b"))
    of_sources(site, CandidateRows(pages(1), "a"), CandidateRows(pages(2, 3), "b"))

    made = of_sources(site, Failing([], "a"), CandidateRows(pages(3), "b"))

    assert made.removed == 1
    assert paths(site) == ["p001", "p003"]


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_urls_of_pages_as_sources_are_an_error_that_says_how_pages_are_listed(site, on_error):
    advice = 'name a file with one URL per line, or in Python pass rows: [{"loc": '
    with SiteBox() as box:
        for path in ("/a", "/b"):
            box.put(path, "<html><title>Tea</title><p>Green.</html>", kind="text/html")
        options = {
            "base_url": box.url("/"),
            "policy": quick(),
            "on_error": on_error,
            "force": "source",
        }
        with pytest.raises((SourceError, GateError)) as caught:
            of_sources(site, box.url("/a"), box.url("/b"), **options)

    assert "found an HTML page" in str(caught.value)
    assert advice in str(caught.value)


def test_rows_kept_when_the_rules_change_are_inspected_once_the_source_is_read(site):
    rows = [Candidate("http://example.com/a"), Candidate("http://example.com/b")]
    of_sources(site, CandidateRows(rows, "shop"), base_url="http://example.com/")
    kept = of_sources(site, Failing([], "shop"), force=["hosts"])
    assert (kept.urls, kept.added) == (2, 0)

    made = of_sources(site, CandidateRows(rows, "shop"))
    again = of_sources(site, CandidateRows(rows, "shop"))

    assert (made.added, made.removed, again.added, again.removed) == (2, 2, 0, 0)
    assert sorted(site.locs("sitemap.xml")) == [f"{BASE}a", f"{BASE}b"]


@pytest.mark.parametrize("more", [[], ["https://example.com/x?sid=0123456789abcdef0123"]])
def test_rows_that_a_source_listed_before_it_failed_are_not_kept_twice(site, more):
    rows = [*pages(1, 2), *map(Candidate, more)]
    of_sources(site, CandidateRows(rows, "list"))

    made = of_sources(site, Failing(rows, "list"))

    assert made.duplicates == 0
    assert not any("stay listed as published" in note for note in made.notes)
