"""A comparison of the URLs that `include` and `exclude` select."""

import json
import re
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.live.diff.test_changes import SITE, changes, listing, sitemap
from urlset.cli.app import run

BEFORE = ("/shop/a", "/shop/b", "/shop/b?page=2", "/blog/a", "/about")
AFTER = ("/shop/a", "/shop/c", "/shop/c?page=2", "/blog/b", "/about")


def index(*names: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{SITE}/{name}</loc></sitemap>" for name in names)
    return (
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
    ).encode()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(listing(*BEFORE))
    (tmp_path / "b.txt").write_bytes(listing(*AFTER))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": "/shop/"}, {"b": "removed", "b?page=2": "removed", "c": "added",
                                 "c?page=2": "added"}),
        ({"include": "/shop/", "exclude": r"\?"}, {"b": "removed", "c": "added"}),
        ({"include": ["/shop/b$", re.compile("/SHOP/C$", re.IGNORECASE)]},
         {"b": "removed", "c": "added"}),
        ({"include": "(?i)/SHOP/", "exclude": ["page", "/c$"]}, {"b": "removed"}),
        ({"include": "(?<=/shop/)[b](?!.)"}, {"b": "removed"}),  # no expression of RE2
        ({"include": "/about$"}, {}),
    ],
)  # fmt: skip
def test_patterns_mean_what_they_mean_for_read(options, expected):
    found = changes(listing(*BEFORE), listing(*AFTER), moves=False, **options)

    assert found == {f"{kind} /shop/{name}": () for name, kind in expected.items()}
    for state in (BEFORE, AFTER):
        selected = [entry.loc for entry in urlset.read(listing(*state), **options)]
        with urlset.diff(listing(*state), b"", **options) as everything:
            assert [change.loc for change in everything.of("removed")] == sorted(selected)


def test_numbers_are_those_of_the_selected_urls():
    with urlset.diff(listing(*BEFORE), listing(*AFTER), include="/shop/", exclude="page") as found:
        assert found.counts == (1, 1, 0, 0, 0, 1, 2, 2)
        assert [section[:5] for section in found.sections] == [("/shop/", 2, 2, 1, 1)]
        assert found.notes == ["Only URLs that include and exclude select are compared."]
        assert found.to_dict()["counts"]["before"] == 2
        assert found.to_dict()["notes"] == found.notes
        assert {json.loads(line)["loc"] for line in found.jsonl()} == {
            f"{SITE}/shop/b",
            f"{SITE}/shop/c",
        }
        assert found.notes[0] in found.to_markdown()


def test_changed_and_listed_twice_urls_are_selected():
    before = sitemap({"/a": "2026-01-01", "/b": "2026-01-01"})
    after = sitemap({"/a": "2026-02-01", "/b": "2026-02-01"})

    assert changes(before, after, exclude="/b") == {"changed /a": ("lastmod",)}
    with urlset.diff(listing("/a", "/b", "/a"), listing("/a"), include="/a") as found:
        assert (found.counts.before, found.counts.after, found.counts.unchanged) == (1, 1, 1)


def test_moves_are_searched_among_the_selected_urls():
    before, after = listing("/blog/tea-time"), listing("/articles/tea-time")

    assert list(changes(before, after)) == ["moved /articles/tea-time"]
    assert list(changes(before, after, include="/blog/")) == ["removed /blog/tea-time"]


def test_every_kind_of_state(files):
    (files / "set").mkdir()
    (files / "set" / "index.xml").write_bytes(index("one.xml", "two.xml"))
    half = len(BEFORE) // 2
    (files / "set" / "one.xml").write_bytes(sitemap(dict.fromkeys(BEFORE[:half])))
    (files / "set" / "two.xml").write_bytes(sitemap(dict.fromkeys(BEFORE[half:])))
    with urlset.Store.open(files / "a.duckdb") as store:
        store.fill(urlset.read("a.txt"))
    urlset.read("a.txt").to_parquet("a.parquet")
    (files / "a.csv").write_text("loc\n" + "".join(f"{SITE}{path}\n" for path in BEFORE))
    entries = list(urlset.read("a.txt"))

    states: list[Any] = ["a.txt", "set", "set/index.xml", "a.duckdb", "a.parquet", "a.csv", entries]
    states.append(urlset.read("a.txt"))
    for state in states:
        found = changes(state, "b.txt", include="/shop/", exclude="page", moves=False)
        assert found == {"removed /shop/b": (), "added /shop/c": ()}, state
        found = changes("b.txt", state, include="/shop/", exclude="page", moves=False)
        assert found == {"removed /shop/c": (), "added /shop/b": ()}, state


def test_built_files_are_compared_with_a_live_site(box, tmp_path):
    old = "".join(f"{box.url(path)}\n" for path in BEFORE).encode()
    box.put("/sitemap.txt", old, kind="text/plain")
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.txt')}")
    (tmp_path / "sitemap.txt").write_text("".join(f"{box.url(path)}\n" for path in AFTER))

    with urlset.diff(
        box.site, tmp_path, include="/shop/", exclude="page", live=True, policy=quick()
    ) as found:
        assert [change.loc for change in found.of("removed")] == [box.url("/shop/b")]
        assert [change.loc for change in found.of("added")] == [box.url("/shop/c")]

    asked = set(box.paths)
    assert "/shop/b" in asked
    assert not asked & {"/blog/a", "/shop/b?page=2"}


def test_urls_of_a_failed_sitemap_that_are_not_selected_are_not_unknown(tmp_path):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.xml").write_bytes(index("shop.xml", "blog.xml"))
        (tmp_path / name / "shop.xml").write_bytes(sitemap({"/shop/a": None}))
    (tmp_path / "old" / "blog.xml").write_bytes(sitemap({"/blog/a": None}))
    states = tmp_path / "old" / "index.xml", tmp_path / "new" / "index.xml"

    with urlset.diff(*states, include="/shop/") as found:
        assert (found.counts.unknown, found.counts.unchanged) == (0, 1)
        assert not found.is_complete, "the sitemap is missing all the same"
    with urlset.diff(*states, exclude="/shop/") as found:
        assert (found.counts.unknown, found.counts.unchanged) == (1, 0)


def test_shift_of_urls_that_are_not_selected_makes_missing_ones_unknown(tmp_path):
    parts = {"post-1.xml": ("/x1", "/a1"), "post-2.xml": ("/x2", "/a2"), "post-3.xml": ("/x3",)}
    shifted = {"post-1.xml": ("/x0",), "post-2.xml": ("/x1", "/x2")}
    for name, files in (("old", parts), ("new", shifted)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.xml").write_bytes(index(*parts))
        for file, paths in files.items():
            (tmp_path / name / file).write_bytes(sitemap(dict.fromkeys(paths)))
    states = tmp_path / "old" / "index.xml", tmp_path / "new" / "index.xml"

    whole = changes(*states, moves=False)
    part = changes(*states, moves=False, include="/a")

    assert part == {name: why for name, why in whole.items() if " /a" in name}
    assert part == {"unknown /a1": ("unread",), "unknown /a2": ("unread",)}


def test_snapshots_of_a_watch(tmp_path):
    from tests.live.watch.simulated_site import SimulatedSite

    site = SimulatedSite(tmp_path / "site.duckdb")
    for paths in (BEFORE, AFTER):
        site.put("/sitemap.xml", [(path, None) for path in paths])
        site.step()
    name = str(tmp_path / "site.duckdb")

    found = changes(f"{name}@1", f"{name}@2", include="/blog/", moves=False)

    assert found == {"removed /blog/a": (), "added /blog/b": ()}


def test_no_selected_url_is_reported(files, capsys):
    text = "no URL of either state is selected by include and exclude"
    with urlset.diff("a.txt", "b.txt", include="/nothing/") as found:
        assert found.is_none_selected
        assert found.summary == found.to_dict()["summary"] == text
        assert text in found.to_markdown()
        found.report("report.html")
    assert "No URL of either state" in (files / "report.html").read_text("utf-8")
    with urlset.diff("a.txt", "b.txt", include="/blog/b") as one_side:
        assert not one_side.is_none_selected
    with urlset.diff(b"", b"", include="/nothing/") as empty:
        assert not empty.is_none_selected

    for format_ in ("text", "jsonl", "markdown"):
        options = ["--include", "/nothing/", "--format", format_]
        assert run(["diff", "a.txt", "b.txt", *options]) == 1
        ran = capsys.readouterr()
        assert "is selected by --include and --exclude" in ran.out + ran.err


def test_limits_are_shares_of_the_selected_urls(files, capsys):
    command = ["diff", "a.txt", "b.txt", "--no-moves", "--max-removed", "40%"]

    assert run([*command, "--exclude", "/(shop|blog)/"]) == 0
    assert run([*command, "--include", "/shop/", "--exclude", "page"]) == 1
    assert "1 of 2 URLs are removed, more than --max-removed 40%" in capsys.readouterr().err


def test_patterns_in_the_configuration(files, capsys):
    (files / "urlset.toml").write_text('[diff]\ninclude = ["/shop/"]\nexclude = ["page"]\n')

    assert run(["diff", "a.txt", "b.txt", "--no-moves"]) == 0
    assert "1 added, 1 removed, 0 changed; 1 unchanged" in capsys.readouterr().out
    assert run(["diff", "a.txt", "b.txt", "--no-moves", "--include", "/blog/"]) == 0
    assert "1 added, 1 removed, 0 changed; 0 unchanged" in capsys.readouterr().out


def test_invalid_expression_is_refused_before_reading(capsys):
    with pytest.raises(ValueError, match="include: expected a regular expression"):
        urlset.diff("missing.xml", "missing.xml", include="(")
    assert run(["diff", "missing.xml", "missing.xml", "--exclude", "("]) == 2
    assert "--exclude: expected a regular expression" in capsys.readouterr().err
