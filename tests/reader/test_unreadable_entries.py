"""Entries without a readable URL are counted, rejected by a build, and not taken for removed."""

from __future__ import annotations

from pathlib import Path

import pytest

import urlset
from urlset.cli import main
from urlset.protocol import READ_LIMIT

HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
GOOD = [f"https://example.com/{n}" for n in range(4)]
UNREADABLE = [
    "https:///2",
    "https://example.com:99999/2",
    "undefined/2",
    "{{ site.url }}/2",
    "https://example.com/\ufffd",
    "mailto:me@example.com",
    "",
]


def sitemap(*locs: str) -> str:
    entries = "\n".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f"{HEAD}\n{entries}\n</urlset>"


@pytest.mark.parametrize("loc", UNREADABLE)
def test_entries_without_a_readable_url_are_counted(loc, engine):
    read = urlset.read(sitemap(GOOD[0], loc, GOOD[1]).encode(), engine=engine.name)

    assert [entry.loc for entry in read] == GOOD[:2]
    assert [record.unreadable_count for record in read.documents] == [1]


def test_relative_urls_that_are_resolved_are_not_counted():
    read = urlset.read(sitemap("/a", "www.example.com/b").encode(), base_url="https://example.com/")

    assert [entry.loc for entry in read] == ["https://example.com/a"]
    assert [record.unreadable_count for record in read.documents] == [1]


def test_the_command_says_how_many_entries_are_left_out(tmp_path, capsys):
    path = tmp_path / "sitemap.xml"
    path.write_text(sitemap(GOOD[0], *UNREADABLE), "utf-8")

    assert main(["read", str(path), "--format", "txt"]) == 0
    assert f"{len(UNREADABLE)} entries without a readable URL omitted" in capsys.readouterr().err


@pytest.mark.parametrize("loc", UNREADABLE)
def test_a_build_rejects_them_with_their_place_and_publishes_nothing(loc, tmp_path):
    source, site = tmp_path / "source.xml", tmp_path / "site"
    source.write_text(sitemap(*GOOD), "utf-8")
    urlset.build(source, site, base_url="https://example.com/")
    before = (site / "sitemap.xml").read_bytes()
    source.write_text(sitemap(*GOOD[:2], loc, *GOOD[3:]), "utf-8")

    with pytest.raises(urlset.EntryError, match=r"source\.xml:4: loc: ") as error:
        urlset.build(source, site)

    assert "expected a full http or https URL, found " in str(error.value)
    assert (site / "sitemap.xml").read_bytes() == before

    made = urlset.build(source, site, on_error="skip")
    assert len(made.rejected) == 1


def test_a_build_resolves_relative_urls_of_a_sitemap_against_its_base_url(tmp_path):
    source = tmp_path / "source.xml"
    entries = "<url><loc>/a</loc><lastmod>2026-01-02</lastmod></url><url><loc>b</loc></url>"
    source.write_text(f"{HEAD}{entries}</urlset>")

    urlset.build(source, tmp_path / "site", base_url="https://example.com/")

    built = [(entry.loc, entry.lastmod_text) for entry in urlset.read(tmp_path / "site")]
    assert built == [("https://example.com/a", "2026-01-02"), ("https://example.com/b", None)]


@pytest.mark.parametrize("loc", UNREADABLE)
def test_a_diff_does_not_take_them_for_removed(loc, tmp_path):
    states = {"before": GOOD, "after": [*GOOD[:2], loc, *GOOD[3:]]}
    for name, locs in states.items():
        (tmp_path / f"{name}.xml").write_text(sitemap(*locs), "utf-8")

    with urlset.diff(tmp_path / "before.xml", tmp_path / "after.xml") as found:
        assert [(change.change, change.loc) for change in found] == [("unknown", GOOD[2])]
        assert "1 entry has no readable URL" in found.incomplete[0]


def test_entries_that_neither_state_can_read_hide_no_change(tmp_path):
    states = {"before": [*GOOD, UNREADABLE[0]], "after": [*GOOD[:3], UNREADABLE[0]]}
    paths = {name: Path(tmp_path, f"{name}.xml") for name in states}
    for name, locs in states.items():
        paths[name].write_text(sitemap(*locs), "utf-8")

    with urlset.diff(paths["before"], paths["after"]) as found:
        assert [(change.change, change.loc) for change in found] == [("removed", GOOD[3])]


@pytest.mark.parametrize("form", ["atom", "urlset"])
def test_bases_of_many_relative_urls_do_not_fill_the_memory(form, engine):
    base = f"https://example.com/{'b' * 1_900}/"
    number = READ_LIMIT // len(base) + 100
    texts = {
        "atom": f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{base}">'
        + '<entry><link href="a"/></entry>' * number
        + "</feed>",
        "urlset": HEAD + "<url><loc>a</loc></url>" * number + f"<url><loc>{GOOD[0]}</loc></url>"
        "</urlset>",
    }

    document = urlset.parse(texts[form].encode(), base_url=base, engine=engine.name)

    assert READ_LIMIT // len(base) <= len(document.entries) < number
    assert [problem.message for problem in document.problems if problem.code == "L009"] == [
        f"Relative URLs expand to more than {READ_LIMIT:,} bytes; cut"
    ]
    assert not document.is_whole
    if form == "urlset":  # a full URL needs no base
        assert document.entries[len(document.entries) - 1].loc == GOOD[0]


def test_comments_in_a_list_are_no_entries(engine):
    read = urlset.read(f"# my pages\n{GOOD[0]}\nfoo\n".encode(), engine=engine.name)

    assert [entry.loc for entry in read] == GOOD[:1]
    assert [record.unreadable_count for record in read.documents] == [1]
