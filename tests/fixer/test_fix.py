"""`fix`: what is changed, what is kept, and that other bytes are untouched."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from urlset import parse
from urlset.checker import CATALOGUE
from urlset.errors import SourceError
from urlset.fixer import Fixed, fix, overlay, unified_diff
from urlset.http.request_url import document_key

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
ENGINE = [code for code, rule in CATALOGUE.items() if rule.is_engine_rule]
SAFE = [code for code in ENGINE if CATALOGUE[code].fix_safety == "safe"]


def sitemap(body: str, attributes: str = NS) -> bytes:
    declaration = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{declaration}\n<urlset {attributes}>\n{body}\n</urlset>\n".encode()


def after(data: bytes, fixed: Fixed) -> bytes:
    return fixed.documents[0].after if fixed.documents else data


def fix_data(data: bytes, *select: str, unsafe: bool = False, base: str | None = None) -> bytes:
    fixed = fix(data, select=select or ENGINE, unsafe=unsafe, base_url=base, now=MOMENT)
    return after(data, fixed)


def locs(data: bytes) -> list[str]:
    document = parse(data)
    return [row.loc for row in (*document.entries, *document.sitemaps)]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("<loc>https://e.com/?a&b</loc>", "<loc>https://e.com/?a&amp;b</loc>"),
        ("<loc>https://e.com/?a&amp;b</loc>", "<loc>https://e.com/?a&amp;b</loc>"),
        ("<loc>https://e.com/?a&reg=b</loc>", "<loc>https://e.com/?a&amp;reg=b</loc>"),
        ("<loc>https://e.com/caf&eacute;</loc>", "<loc>https://e.com/café</loc>"),
        ("<loc><![CDATA[https://e.com/?a&b]]></loc>", "<loc><![CDATA[https://e.com/?a&b]]></loc>"),
        ("<LOC>https://e.com/</LOC>", "<loc>https://e.com/</loc>"),
        ("<loc>\n https://e.com/ </loc>", "<loc>https://e.com/</loc>"),
        ("<loc>https://e.com/a b</loc>", "<loc>https://e.com/a%20b</loc>"),
        ("<loc>https://e.com/<!-- x -->a</loc>", "<loc>https://e.com/a</loc>"),
        (
            "<loc>https://e.com/</loc><priority>0,5</priority><changefreq>Daily</changefreq>",
            "<loc>https://e.com/</loc><priority>0.5</priority><changefreq>daily</changefreq>",
        ),
    ],
)
def test_a_fix_changes_what_is_wrong_and_nothing_else(before: str, expected: str) -> None:
    assert fix_data(sitemap(f"<url>{before}</url>")) == sitemap(f"<url>{expected}</url>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<loc>https://e.com/</loc><lastmod/>", "<loc>https://e.com/</loc>"),
        ("<loc>https://e.com/</loc><loc>https://e.com/</loc>", "<loc>https://e.com/</loc>"),
        ("<loc>https://e.com/</loc> and more", "<loc>https://e.com/</loc>"),
        ("<loc>https://e.com/</loc><x>a</x>", "<loc>https://e.com/</loc>"),
    ],
)
def test_only_an_unsafe_fix_drops_what_is_no_space_or_comment(before: str, after: str) -> None:
    data = sitemap(f"<url>{before}</url>")
    assert fix_data(data) == data
    assert fix_data(data, unsafe=True) == sitemap(f"<url>{after}</url>")


@pytest.mark.parametrize("behind", ["and more", "<svg/>", "<!DOCTYPE a>", "in 0.2 s <!-- a -->"])
def test_a_safe_fix_cuts_nothing_off(behind: str) -> None:
    data = sitemap("<url><loc>https://e.com/</loc></url>") + behind.encode()
    assert fix_data(data) == data
    assert behind.encode() not in fix_data(data, unsafe=True)


def test_old_news_of_an_archive_are_removed_only_by_the_name_of_their_rule() -> None:
    news = (
        "<url><loc>https://e.com/a</loc><n:news><n:publication><n:name>The Rye</n:name>"
        "<n:language>en</n:language></n:publication><n:publication_date>2019-01-31"
        "</n:publication_date><n:title>Harvest</n:title></n:news></url>"
    )
    space = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'
    data = sitemap(news, f"{NS} {space}")

    assert fix(data, now=MOMENT).documents == []
    assert b"Harvest" in after(data, fix(data, unsafe=True, now=MOMENT))
    named = fix(data, select=["news-too-old"], now=MOMENT)
    assert b"Harvest" not in after(data, named)
    assert locs(after(data, named)) == ["https://e.com/a"]


@pytest.mark.parametrize("select", [["X"], None], ids=["rules of the engine", "all rules"])
def test_progress_is_called_after_each_document(select: list[str] | None, tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(sitemap("<url><loc>https://example.com/?a&b</loc></url>"))
    events: list[urlset.ProgressEvent] = []

    fixed = fix(tmp_path, select=select, progress=events.append)

    assert len(fixed.documents) == 2
    assert [(event.documents, event.urls) for event in events] == [(1, 1), (2, 2)]
    assert sorted(Path(event.source or "").name for event in events) == ["a.xml", "b.xml"]


def test_what_another_fix_makes_possible_is_fixed_in_the_same_run() -> None:
    page = "<url><loc>https://e.com/{}</loc><lastmod>2024-8-18</lastmod></url>\n"
    data = sitemap(page.format("a") + "</url>\n" + page.format("b") + page.format("b"))

    once = fix_data(data, "X", "D", "U", unsafe=True)

    assert [problem.code for problem in parse(once).problems] == []
    assert locs(once) == ["https://e.com/a", "https://e.com/b"]
    assert fix_data(once, "X", "D", "U", unsafe=True) == once


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("2026-1-5", "2026-01-05"),
        ("2026-01-05 10:00:00", "2026-01-05"),
        ("2026-01-05T10:00:00", "2026-01-05"),
        ("2026-01-05T10:00:00+0100", "2026-01-05T10:00:00+01:00"),
        ("2026-01-05T10:00:00-05", "2026-01-05T10:00:00-05:00"),
        ("2026-01-05 10:00:00 Z", "2026-01-05T10:00:00Z"),
        ("Mon, 05 Jan 2026 10:00:00 GMT", "2026-01-05T10:00:00Z"),
        ("2026-01-05Z", "2026-01-05Z"),  # valid: a date of XML Schema may have an offset
        ("20260105", "2026-01-05"),
        ("2026-01-05T10:00:00.123456+02:00", "2026-01-05T10:00:00.123456+02:00"),
    ],
)
def test_a_date_keeps_its_moment_and_its_offset(before: str, expected: str) -> None:
    page = "<url><loc>https://e.com/</loc><lastmod>{}</lastmod></url>"
    assert fix_data(sitemap(page.format(before))) == sitemap(page.format(expected))


@pytest.mark.parametrize("text", ["yesterday", "01/02/2026", "2026-02-30", "2026-13-01"])
def test_a_date_that_nobody_knows_is_left_and_removed_only_when_asked_for(text: str) -> None:
    data = sitemap(f"<url><loc>https://e.com/</loc><lastmod>{text}</lastmod></url>")

    assert fix_data(data) == data
    assert b"yesterday" not in fix_data(data, unsafe=True)
    assert locs(fix_data(data, unsafe=True)) == ["https://e.com/"]


@pytest.mark.parametrize("text", ["0000-00-00", "-0001-11-30T00:00:00+00:00"])
def test_a_date_that_is_none_is_removed_and_listed(text: str) -> None:
    data = sitemap(f"<url><loc>https://e.com/</loc><lastmod>{text}</lastmod></url>")
    assert fix(data, select=["D"], now=MOMENT).documents == []
    fixed = fix(data, select=["D"], unsafe=True, now=MOMENT)
    assert b"lastmod" not in after(data, fixed)
    assert [(drop.code, drop.line) for drop in fixed.dropped] == [("D004", 3)]
    assert text in fixed.dropped[0].what


def _index(*locs: str) -> bytes:
    children = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex {NS}>{children}</sitemapindex>".encode()


@pytest.mark.parametrize("base", [None, "https://e.com/"])
def test_an_index_child_gets_no_date_of_a_file_that_is_not_its_own(
    base: str | None, tmp_path: Path
) -> None:
    """Its name alone is that of the index, or of a file that has another URL."""
    own = ["https://e.com/a.xml", "http://e.com/b.xml", "https://e.com/b.xml"]
    others = ["en/sitemap.xml", "de/a.xml", "en/a.xml", "de/c.xml", "en/c.xml"]
    (tmp_path / "sitemap.xml").write_bytes(_index(*(f"https://e.com/{n}" for n in others), *own))
    for name in "abc":
        body = sitemap(f"<url><loc>https://e.com/{name}</loc></url>")
        (tmp_path / f"{name}.xml").write_bytes(body)

    [document] = fix(tmp_path, select=["D503"], base_url=base).documents

    children = {child.loc: child.lastmod_text for child in parse(document.after).sitemaps}
    assert [loc for loc, date in children.items() if date] == own


def test_many_spellings_of_one_url_are_compared_once_each(tmp_path: Path, monkeypatch) -> None:
    keys: list[str] = []

    def key_of(url: str) -> str:
        keys.append(url)
        return document_key(url)

    monkeypatch.setattr(overlay, "document_key", key_of)
    names = ["".join(parts) for parts in product(*(("%61", "a") for _ in range(6)))]
    urls = [f"https://e.com/x/{name}.xml" for name in names]
    (tmp_path / "sitemap.xml").write_bytes(_index(*urls))
    (tmp_path / "aaaaaa.xml").write_bytes(sitemap("<url><loc>https://e.com/a</loc></url>"))

    [document] = fix(tmp_path, select=["D503"], base_url="https://e.com/").documents

    assert all(child.lastmod for child in parse(document.after).sitemaps)
    assert len(keys) < 20 * len(urls)


def test_bytes_that_are_not_utf8_keep_every_fix_away() -> None:
    page = "<url><loc>https://e.com/caf\xe9?a&b</loc></url>"
    data = sitemap(page).decode().encode("latin-1")
    assert fix_data(data) == data
    assert fix_data(data, unsafe=True) == data


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1", "windows-1252"])
def test_other_encodings_become_utf8(encoding: str) -> None:
    text = sitemap("<url><loc>https://e.com/\xe9</loc></url>").decode()
    data = text.replace("UTF-8", encoding).encode(encoding)
    assert fix_data(data) == text.encode()


def test_gzip_stays_gzip_and_is_the_same_each_time() -> None:
    data = sitemap("<url><loc>https://e.com/?a&b</loc></url>")
    packed = gzip.compress(data)

    one, two = fix_data(packed), fix_data(packed)

    assert one == two
    assert gzip.decompress(one) == fix_data(data)
    assert fix_data(one) == one


def test_two_layers_of_gzip_become_one() -> None:
    data = sitemap("<url><loc>https://e.com/</loc></url>")
    assert gzip.decompress(fix_data(gzip.compress(gzip.compress(data)))) == data


def test_damaged_gzip_is_not_touched_unless_asked_for() -> None:
    pages = "".join(f"<url><loc>https://e.com/?{n}&{n * n}</loc></url>" for n in range(2_000))
    packed = gzip.compress(sitemap(pages))[:-4_000]
    assert fix_data(packed) == packed
    result = gzip.decompress(fix_data(packed, unsafe=True))
    assert locs(result) == [loc for loc in locs(packed) if loc]
    assert result.endswith(b"</urlset>\n")


def test_a_truncated_document_loses_only_the_entry_that_was_not_finished() -> None:
    data = sitemap("<url><loc>https://e.com/a</loc></url>\n<url><loc>https://e.com/b")
    data = data[: data.index(b"/b") + 2]
    fixed = fix(data, select=["X"], unsafe=True)
    assert after(data, fixed) == sitemap("<url><loc>https://e.com/a</loc></url>")
    assert [(d.code, d.line) for d in fixed.dropped] == [("X009", 3)]
    assert "https://e.com/b" in fixed.dropped[0].what


def test_a_fix_is_undone_where_it_would_make_something_worse() -> None:
    # The entity is not known: without the DOCTYPE, its name would become a part of the URL.
    data = (
        b'<!DOCTYPE urlset [<!ENTITY base SYSTEM "base.txt">]>'
        + sitemap("<url><loc>https://e.com/&base;</loc></url>").split(b"\n", 1)[1]
    )
    fixed = fix(data, select=["X"], unsafe=True)
    assert after(data, fixed) == data
    assert any(code in ("X015", "X016") for code, _, _ in fixed.remaining)


def test_several_urls_in_one_entry_get_entries_of_their_own_in_their_order() -> None:
    tags = "".join(f"<loc>https://e.com/{n}</loc>" for n in range(4))
    data = sitemap(f"<url>{tags}<lastmod>2026-01-01</lastmod></url>")
    assert fix_data(data) == data
    result = fix_data(data, unsafe=True)
    assert locs(result) == locs(data)
    assert result.count(b"<url>") == 4


def test_one_harmful_change_does_not_stop_the_others() -> None:
    pages = [f"<url><loc>https://e.com/{n}?a&b</loc></url>" for n in range(20)]
    data = sitemap("\n".join(pages))
    assert fix_data(data).count(b"&amp;") == 20


def test_a_whole_document_is_fixed_in_passes() -> None:
    data = sitemap("<url><loc>https://e.com/?a&b</loc></url>" * 25_000)
    fixed = fix(data, select=["X003"])
    assert after(data, fixed) == data.replace(b"&", b"&amp;")
    assert fixed.counts == {"X003": 25_000}


def test_what_is_selected_is_fixed_and_nothing_else() -> None:
    data = sitemap("<url><loc>https://e.com/?a&b</loc><lastmod/></url>")
    fixed = fix_data(data, "S009", unsafe=True)
    assert fixed == sitemap("<url><loc>https://e.com/?a&b</loc></url>")


def test_what_others_may_read_goes_only_when_it_is_named() -> None:
    sheet = b'<?xml-stylesheet type="text/xsl" href="a.xsl"?>\n'
    data = sheet + sitemap("<url><loc>https://e.com/</loc></url>").split(b"\n", 1)[1]
    assert after(data, fix(data, select=["X"])) == data
    assert after(data, fix(data, select=["X018"])) == data.removeprefix(sheet)
    assert after(data, fix(data, extend_select=["xsl-stylesheet"])) == data.removeprefix(sheet)


def test_a_url_cannot_be_fixed() -> None:
    with pytest.raises(SourceError, match="save it as a file"):
        fix("https://example.com/sitemap.xml")


def test_too_many_urls_are_split_into_files_and_an_index() -> None:
    pages = "".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(50_001))
    name = "https://e.com/sitemap.xml"

    fixed = fix({name: sitemap(pages)}, select=["L"], now=MOMENT)

    documents = {document.key: parse(document.after) for document in fixed.documents}
    assert [len(document.entries) for document in documents.values()] == [0, 50_000, 1]
    assert [child.loc for child in documents[name].sitemaps] == [
        "https://e.com/sitemap-1.xml",
        "https://e.com/sitemap-2.xml",
    ]
    again = fix({str(d.key): d.after for d in fixed.documents}, select=["L"], now=MOMENT)
    assert again.documents == []


def test_a_part_of_an_index_that_is_split_is_listed_there_too() -> None:
    pages = "".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(50_001))
    child = "<sitemap><loc>https://e.com/a.xml</loc></sitemap>"
    site = {
        "https://e.com/sitemap.xml": f"<sitemapindex {NS}>{child}</sitemapindex>".encode(),
        "https://e.com/a.xml": sitemap(pages),
    }

    fixed = fix(site, select=["L"], now=MOMENT)

    site |= {str(document.key): document.after for document in fixed.documents}
    assert locs(site["https://e.com/sitemap.xml"]) == [
        "https://e.com/a.xml",
        "https://e.com/a-2.xml",
    ]
    assert len(locs(site["https://e.com/a.xml"])) == 50_000
    assert locs(site["https://e.com/a-2.xml"]) == ["https://e.com/50000"]


def test_a_split_needs_the_url() -> None:
    pages = "".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(50_001))
    fixed = fix(sitemap(pages), select=["L"])
    assert fixed.documents == []
    assert "pass base_url" in fixed.remaining[0][2]


def test_a_diff_shows_lines_around_a_change() -> None:
    pages = "\n".join(f"<url><loc>https://e.com/{n}</loc></url>" for n in range(20))
    data = sitemap(pages.replace("/10<", "/?a&b<"))
    text = "".join(unified_diff(fix({"https://e.com/s.xml": data}, select=["X"]).documents[0]))
    assert text.startswith("--- https://e.com/s.xml\n+++ https://e.com/s.xml\n@@ -10,7 +10,7 @@\n")
    assert "-<url><loc>https://e.com/?a&b</loc></url>\n+<url><loc>https://e.com/?a&amp;b" in text
    assert len(text.splitlines()) == 11


# ── random damage ────────────────────────────────────────────────────────────────────────────

CLEAN = [
    "<url><loc>https://example.com/{n}</loc><lastmod>2026-01-0{d}</lastmod></url>",
    "<url>\n  <loc>https://example.com/{n}?a=1&amp;b=2</loc>\n  <priority>0.5</priority>\n</url>",
    "<url><loc><![CDATA[https://example.com/{n}?x&y]]></loc><changefreq>daily</changefreq></url>",
]
DAMAGE: list[tuple[str, str]] = [
    ("&amp;", "&"),
    ("<loc>https", "<loc>\n https"),
    ("<priority>0.5</priority>", "<priority>0,5</priority>"),
    ("<priority>0.5</priority>", "<priority> </priority>"),
    ("daily", "Daily"),
    ("http://www.sitemaps.org/schemas/sitemap/0.9", "https://www.sitemaps.org/schemas/sitemap/0.9"),
    (' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"', ""),
    ("<?xml", "\ufeff\n<?xml"),
    ("<?xml", "\n\n<?xml"),
    ("</urlset>\n", "</urlset>\n<!-- done -->\nin 0.2 s"),
    ("url>", "URL>"),
    ("<url><loc>", "<url><!-- x --><loc><!-- y -->"),
    ("/loc>", "/loc><image:image><image:loc>https://example.com/a.png</image:loc></image:image>"),
    ("<urlset", "<!DOCTYPE urlset>\n<urlset"),
    ("example.com/1", "example.com/caf&eacute;"),
    ("</loc>", "\x01</loc>"),
    ("encoding='UTF-8'", "encoding='latin-1'"),
]
# Of two of these in one date nobody could say what it was.
DATES = [
    ("</lastmod>", " 10:00</lastmod>"),
    ("</lastmod>", "T10:00:00+0200</lastmod>"),
    ("2026-01-0", "2026-1-"),
    ("<lastmod>2026-01-01</lastmod>", "<lastmod>2026-01-01</lastmod>" * 2),
]


def damaged(seed: int) -> bytes:
    chance = random.Random(seed)
    pages = [
        chance.choice(CLEAN).format(n=n, d=chance.randint(1, 9))
        for n in range(chance.randint(1, 6))
    ]
    text = sitemap("\n".join(pages)).decode()
    for old, new in [*chance.sample(DAMAGE, chance.randint(1, 5)), chance.choice(DATES)]:
        text = text.replace(old, new, chance.choice([1, -1]))
    data = text.encode()
    return gzip.compress(data, mtime=0) if chance.random() < 0.2 else data


@settings(max_examples=amount(40, 800), deadline=None)
@given(st.integers(0, 1 << 32))
def test_random_damage_is_fixed_and_stays_so(seed: int) -> None:
    data = damaged(seed)

    result = fix_data(data, *SAFE)

    left = {problem.code for problem in parse(result).problems} & set(SAFE)
    assert not left, f"seed {seed}: {left}\n{result!r}"
    assert locs(result) == locs(data), f"seed {seed}"
    assert fix_data(result, *SAFE) == result, f"seed {seed}"


@settings(max_examples=amount(20, 400), deadline=None)
@given(st.integers(0, 1 << 32))
def test_unsafe_fixes_of_random_damage_end_too(seed: int) -> None:
    data = damaged(seed)
    once = fix_data(data, unsafe=True, base="https://example.com/sitemap.xml")
    assert fix_data(once, unsafe=True, base="https://example.com/sitemap.xml") == once
    assert len(locs(once)) >= len(set(locs(data)))


@settings(max_examples=amount(20, 400), deadline=None)
@given(st.binary(max_size=60), st.integers(0, 400))
def test_any_bytes_anywhere_lose_no_url(noise: bytes, at: int) -> None:
    data = sitemap("".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(5)))
    data = data[:at] + noise + data[at:]
    assert locs(fix_data(data)) == locs(data)


# ── real sitemaps ────────────────────────────────────────────────────────────────────────────

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "sitemaps"
FILES = sorted(CORPUS.iterdir())[::7] if CORPUS.is_dir() else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_real_sitemap_keeps_its_urls(path: Path) -> None:
    data = path.read_bytes()

    result = fix_data(data, *SAFE)

    assert fix_data(result, *SAFE) == result
    about_urls = {"U005", "U006", "T004"}
    if not about_urls & {problem.code for problem in parse(data).problems}:
        assert locs(result) == locs(data)
    counts = Counter(problem.code for problem in parse(result).problems)
    before = Counter(problem.code for problem in parse(data).problems)
    worse = [c for c in counts if counts[c] > before[c] and CATALOGUE[c].level == "error"]
    assert worse == []


def test_fix_is_a_public_name(tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")

    fixed = urlset.fix(path)

    assert isinstance(fixed, urlset.Fixed)
    assert [document.key for document in fixed.documents] == [str(path)]
    assert "+" in "".join(urlset.unified_diff(fixed.documents[0]))
    assert urlset.write_fixed(fixed.documents) == [path]
    assert b"?a&amp;b" in path.read_bytes()
    assert not urlset.fix(path).documents


_URL = "https://example.com/x"
_LOC, _DATE = f"<loc>{_URL}</loc>", "<lastmod>2026-01-02</lastmod>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<url>\n<url>{_LOC}</url>\n</url>", [_URL]),
        (f"<url>{_DATE}<url>{_LOC}</url></url>", [_URL]),
        (f"<url><url>{_LOC}</url><url>{_DATE}</url></url><url>{_DATE}</url>", [_URL]),
        (f"<url><url>{_DATE}</url></url>", []),
    ],
)
def test_an_entry_with_an_entry_in_it_is_not_removed(before: str, after: list[str]) -> None:
    data = sitemap(before)

    assert locs(data) == after
    assert locs(fix_data(data, unsafe=True)) == after
    assert locs(fix_data(data, "S007", unsafe=True)) == after
