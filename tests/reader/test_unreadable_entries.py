"""Entries without a readable URL are counted, rejected by a build, and not taken for removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import urlset
from urlset.cli import main
from urlset.protocol import MAX_LOC, MAX_VALUE, READ_LIMIT
from urlset.reader.unreadable_entries import unreadable_count, unreadable_entries

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


@pytest.fixture(autouse=True)
def folder_of_the_ledger(tmp_path, monkeypatch):
    """Run each test in a folder of its own, where a build has its ledger by default."""
    monkeypatch.chdir(tmp_path)


def sitemap(*locs: str) -> str:
    entries = "\n".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f"{HEAD}\n{entries}\n</urlset>"


@pytest.mark.parametrize("loc", UNREADABLE)
def test_entries_without_a_readable_url_are_counted(loc, engine):
    read = urlset.read(sitemap(GOOD[0], loc, GOOD[1]).encode(), engine=engine.name)

    assert [entry.loc for entry in read] == GOOD[:2]
    assert [record.unreadable_count for record in read.documents] == [1]


def url(*contents: str) -> str:
    entries = "\n".join(f"<url>{content}</url>" for content in contents)
    return f"{HEAD}\n{entries}\n</urlset>"


def feed(*items: str) -> str:
    content = "\n".join(f"<item><title>x</title>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel>\n{content}\n</channel></rss>'


def atom(*links: str) -> str:
    content = "\n".join(f"<entry>{link}</entry>" for link in links)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{BASE}">{content}</feed>'


BASE = "https://example.com/sitemap.xml"
WITH_BASE = {
    "space": (url("<loc>page not/found 3</loc>", "<loc>/b</loc>"), ["page not/found 3"]),
    "markup": (url("<loc><b>x</b></loc>", "<loc>x</loc>"), ["<b>x</b>"]),
    "index": (
        "<sitemapindex><sitemap><loc>page not/b.xml</loc></sitemap>"
        "<sitemap><loc>c.xml</loc></sitemap></sitemapindex>",
        ["page not/b.xml"],
    ),
    "no host": (url("<loc>//</loc>"), ["//"]),
    "no host, bad port": (url("<loc>//:99999</loc>"), ["//:99999"]),
    "text before": (url("<loc>foo bar https://example.com/a</loc>"), []),
    "quotes": (url('<loc>"/b"</loc>', "<loc> /a </loc>"), []),
    "empty first": (url("<loc></loc><loc>/b</loc>"), []),
    "both read": (url("<loc>/a</loc><loc>/b</loc>"), []),
    "second": (url("<loc>/a</loc><loc>page not/b</loc>"), ["page not/b"]),
    "first": (url("<loc>page not/b</loc><loc>/a</loc>"), ["page not/b"]),
    "two in one": (url("<loc>https:///1 https:///2</loc>"), ["https:///1 https:///2"] * 2),
    "one of two": (
        url(f"<loc>{GOOD[0]} https://example.com/\ufffd</loc>"),
        [f"{GOOD[0]} https://example.com/\ufffd"],
    ),
    "without url": ("<loc>/a</loc><loc>page not/b</loc>", ["page not/b"]),
    "text in url": (url(GOOD[0], "mailto:b"), [""]),
    "nested": (url(f"<url><loc>{GOOD[0]}</loc></url>"), []),
    "images": (url("<image:image><image:loc>a b/c</image:loc></image:image><loc>/a</loc>"), []),
    "long": (url(f"<loc>https://example.com/{'a' * 3_000}</loc>"), []),
    "too long": (url(f"<loc>{'a' * (MAX_VALUE + 1)}</loc>"), ["a" * MAX_LOC]),
    "feed": (
        feed("<link></link>", "<link>page not/3</link>", "<link>/a</link>"),
        ["", "page not/3"],
    ),
    "atom": (
        atom('<link href="a"/>', '<link rel="self" href="b"/>', '<link href="page not/c"/>'),
        ["", "page not/c"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", WITH_BASE)
def test_with_a_base_entries_that_were_dropped_are_counted(name, encoding, engine):
    text, expected = WITH_BASE[name]

    document = urlset.parse(text.encode(encoding), base_url=BASE, engine=engine.name)

    assert [entry.loc for entry in unreadable_entries(document)] == expected
    assert unreadable_count(document) == len(expected)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{GOOD[0]}\n" + "# comment\n" * 10_050 + "x\n", 1),
        (f"{GOOD[0]}\n" * 2 + "foo bar/\n\n" * 10_050 + " x/\r\n", 10_051),
        (url(*["<loc>a</loc>"] * 10_500, *["<loc>page not/x</loc>"] * 3), 3),
        (feed(*["<link/>"] * 10_500, f"<link>{GOOD[0]}</link>"), 10_500),
    ],
    ids=["comments", "lines", "relative URLs", "feed"],
)
def test_entries_are_counted_beyond_the_number_of_kept_problems(text, count, engine):
    document = urlset.parse(text.encode(), base_url=BASE, engine=engine.name)

    assert unreadable_count(document) == count


def test_a_build_from_a_store_rejects_only_the_entries_that_were_not_read(tmp_path):
    source, store = tmp_path / "sitemap.xml", tmp_path / "store.duckdb"
    source.write_text(sitemap("/a", "page not/b", "../c", GOOD[0], "https:///2"))
    urlset.read(source, base_url=BASE).to_duckdb(store)

    made = urlset.build(urlset.read(store), tmp_path / "site", base_url=BASE, on_error="skip")

    assert made.urls == 3
    assert [(one.line, one.value) for one in made.rejected] == [
        (6, """'Host "" is not a valid host name'"""),
        (None, "'1 unreadable entry'"),
    ]


@pytest.mark.parametrize("form", [feed, atom])
def test_a_feed_item_that_lost_its_link_is_not_removed(form, tmp_path):
    links = [f'<link href="{loc}"/>' if form is atom else f"<link>{loc}</link>" for loc in GOOD]
    empty = '<link href=""/>' if form is atom else "<link></link>"
    states = {"before": links, "after": [*links[:2], empty, *links[3:]]}
    for name, items in states.items():
        (tmp_path / f"{name}.rss").write_text(form(*items))

    with urlset.diff(tmp_path / "before.rss", tmp_path / "after.rss") as found:
        assert [(change.change, change.loc) for change in found] == [("unknown", GOOD[2])]
        assert "1 entry has no readable URL" in found.incomplete[0]
    built = urlset.build(tmp_path / "after.rss", tmp_path / "site", base_url=BASE)
    assert built.urls == len(GOOD) - 1
    assert "1 item of a feed without a link omitted" in built.notes


def test_items_of_a_feed_that_never_had_a_link_hide_no_change(tmp_path):
    links = [f"<link>{loc}</link>" for loc in GOOD]
    for name, items in {"before": ["", *links], "after": ["", *links[:3]]}.items():
        (tmp_path / f"{name}.rss").write_text(feed(*items))

    with urlset.diff(tmp_path / "before.rss", tmp_path / "after.rss") as found:
        assert [(change.change, change.loc) for change in found] == [("removed", GOOD[3])]


@pytest.mark.parametrize("loc", ["page not/found 3", "<b>x</b>"])
def test_with_a_base_a_diff_and_a_build_do_not_drop_an_entry(loc, tmp_path, capsys):
    for name, locs in {"before": GOOD, "after": [*GOOD[:2], loc, *GOOD[3:]]}.items():
        (tmp_path / f"{name}.xml").write_text(sitemap(*locs))

    with urlset.diff(tmp_path / "before.xml", tmp_path / "after.xml", base_url=BASE) as found:
        assert [(change.change, change.loc) for change in found] == [("unknown", GOOD[2])]
    with pytest.raises(urlset.EntryError, match=r"after\.xml:4: loc: "):
        urlset.build(tmp_path / "after.xml", tmp_path / "site", base_url=BASE)
    assert main(["read", str(tmp_path / "after.xml"), "--base-url", BASE, "--format", "txt"]) == 0
    assert "1 entry without a readable URL omitted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("loc", "found"),
    [
        ("", "nothing"),
        ("mailto:a@b.c", "'mailto:a@b.c'"),
        ("https://example.com:99999/p", "'https://example.com:99999/p'"),
        ("https:///2", "'https:///2'"),
    ],
)
def test_rejected_entries_of_a_sitemap_have_their_url_source_and_line(loc, found, tmp_path):
    source, excluded = tmp_path / "source.xml", tmp_path / "excluded.jsonl"
    source.write_text(sitemap(GOOD[0], loc))

    made = urlset.build(
        source, tmp_path / "site", base_url=BASE, on_error="skip", excluded=excluded
    )

    (row,) = map(json.loads, excluded.read_text().splitlines())
    assert (row["url"], row["source"], row["line"]) == (loc, str(source), 3)
    assert f"expected a full http or https URL, found {found};" in row["reason"]
    assert [(one.source, one.line) for one in made.rejected] == [(str(source), 3)]


def test_rejected_lines_of_a_list_have_their_source_and_line(tmp_path):
    source, excluded = tmp_path / "urls.txt", tmp_path / "excluded.jsonl"
    source.write_text(f"{GOOD[0]}\nhttps:///3\n")

    urlset.build(source, tmp_path / "site", base_url=BASE, on_error="skip", excluded=excluded)

    (row,) = map(json.loads, excluded.read_text().splitlines())
    assert (row["url"], row["source"], row["line"]) == ("https:///3", str(source), 2)


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


def table(folder: Path, name: str, form: str, *locs: str) -> Path:
    path = folder / f"{name}.{form}"
    if form == "csv":
        path.write_text("".join(f"{text}\n" for text in ("loc", *locs)))
    else:
        path.write_text("".join(f"{json.dumps({'loc': loc})}\n" for loc in locs))
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("rest", [GOOD[:1], []], ids=["one", "none"])
def test_a_row_of_a_table_without_a_readable_url_is_not_removed(form, rest, tmp_path, capsys):
    before = table(tmp_path, "a", form, *rest, GOOD[1])
    after = table(tmp_path, "b", form, *rest, "https:///b")

    assert main(["diff", str(before), str(after)]) == 1

    output = capsys.readouterr()
    assert "1 unknown" in output.out + output.err
    with urlset.diff(before, after) as found:
        assert [(change.change, change.loc) for change in found] == [("unknown", GOOD[1])]


def test_rows_that_neither_table_can_read_hide_no_change(tmp_path):
    before = table(tmp_path, "a", "csv", *GOOD[:2], "https:///b")
    after = table(tmp_path, "b", "csv", GOOD[0], "https:///c")

    with urlset.diff(before, after) as found:
        assert [(change.change, change.loc) for change in found] == [("removed", GOOD[1])]


def test_a_store_of_a_table_has_the_number_of_its_unreadable_rows(tmp_path):
    stores = []
    for name, loc in {"a": GOOD[1], "b": "https:///b"}.items():
        source = table(tmp_path, name, "csv", GOOD[0], loc)
        stores.append(tmp_path / f"{name}.duckdb")
        main(["read", str(source), "-o", str(stores[-1])])

    with urlset.diff(*stores) as found:
        assert [(change.change, change.loc) for change in found] == [("unknown", GOOD[1])]
