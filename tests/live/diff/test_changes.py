"""What two states have in common: added, removed and changed URLs, of all kinds of sources."""

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from random import Random

import pytest

import urlset
from tests.amounts import amount
from urlset.cli.app import run
from urlset.live.diff import PageChange, Reason
from urlset.live.diff.tables import Tables

SITE = "https://example.com"
PATHS = [f"/{folder}/{name}" for folder in ("a", "b", "%41", "é") for name in range(8)]


def listing(*paths: str) -> bytes:
    return "".join(f"{SITE}{path}\n" for path in paths).encode()


def sitemap(
    entries: Mapping[str, str | None] | Iterable[tuple[str, str | None]], *, extra: str = ""
) -> bytes:
    rows = "".join(
        f"<url><loc>{SITE}{path}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}{extra}</url>"
        for path, date in (entries.items() if isinstance(entries, Mapping) else entries)
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


def changes(before: object, after: object, **options: object) -> dict[str, tuple[str, ...]]:
    """Return the reasons of each change, by its kind and path."""
    with urlset.diff(before, after, **options) as found:  # type: ignore[arg-type]
        return {
            f"{change.change} {change.loc.removeprefix(SITE)}": tuple(
                why.reason for why in change.why
            )
            for change in found
        }


def test_added_and_removed_urls():
    found = changes(listing("/a", "/b"), listing("/b", "/c"))

    assert found == {"removed /a": (), "added /c": ()}


def test_same_state_twice_has_no_change():
    with urlset.diff(listing("/a"), listing("/a")) as found:
        assert list(found) == []
        assert found.counts.unchanged == found.counts.before == found.counts.after == 1
        assert not found.sections
        assert not found.patterns


def test_lastmod_that_changed():
    before = sitemap({"/a": "2026-01-01", "/b": "2026-01-01", "/c": None})
    after = sitemap({"/a": "2026-02-01", "/b": "2026-01-01T00:00:00Z", "/c": "2026-01-01"})

    assert changes(before, after) == {"changed /a": ("lastmod",), "changed /c": ("lastmod",)}


def test_field_that_only_one_state_has_is_not_compared():
    assert changes(listing("/a"), sitemap({"/a": "2026-01-01"})) == {}


def test_fields_that_changed_are_named():
    image = '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">{}</image:image>'
    extra = "<changefreq>{}</changefreq>" + image.format(
        "<image:loc>https://example.com/{}</image:loc>"
    )

    found = changes(
        sitemap({"/a": None}, extra=extra.format("daily", "1.png")),
        sitemap({"/a": None}, extra=extra.format("weekly", "2.png")),
    )

    assert found == {"changed /a": ("changefreq", "images")}


def test_spelling_of_a_url_is_a_change_of_it():
    found = changes(b"https://example.com/%7Eme", b"https://EXAMPLE.com:443/x/../~me")

    assert found == {"changed https://EXAMPLE.com:443/x/../~me": ("spelling",)}


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        ("/a%2Fb", "/a/b"),
        ("/a%3Fb", "/a?b"),
        ("/a%23b", "/a#b"),
        ("/a%2541b", "/a%41b"),
        ("/?a=b%26c", "/?a=b&c"),
        ("/?a=b%2Bc", "/?a=b+c"),
    ],
)
def test_an_escape_that_is_needed_makes_another_url(escaped, plain):
    lower = f"%{escaped.partition('%')[2].lower()}"
    spelled = escaped.partition("%")[0] + lower

    assert changes(listing(escaped, plain), listing(plain)) == {f"removed {escaped}": ()}
    assert changes(listing(escaped, "/x"), listing(spelled, "/x")) in (
        {},
        {f"changed {spelled}": ("spelling",)},
    )


@pytest.mark.parametrize(
    ("one", "other"), [("/a%2Bb", "/a+b"), ("/a%26b", "/a&b"), ("/?a=b%2Fc%3Fd", "/?a=b/c?d")]
)
def test_an_escape_that_is_not_needed_is_a_spelling(one, other):
    assert changes(listing(one), listing(other)) == {f"changed {other}": ("spelling",)}


def test_url_with_another_scheme_or_slash_moved():
    found = changes(b"http://www.example.com/tea", b"https://example.com/tea/")

    assert found == {"moved /tea/": ("same-page",)}


def test_url_that_is_listed_twice_is_compared_once():
    before = sitemap({"/a": "2026-01-01"}) + b""
    after = sitemap({"/a": "2026-01-01"}).replace(
        b"</urlset>",
        b"<url><loc>https://example.com/a</loc><lastmod>2026-03-01</lastmod></url></urlset>",
    )

    with urlset.diff(before, after) as found:
        assert list(found) == []
        assert found.counts.after == 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(amount(8, 200)))
def test_states_are_joined_or_grouped_with_the_same_result(seed, monkeypatch):
    random = Random(seed)

    def state(*, has_duplicates: bool) -> bytes:
        paths = random.choices(PATHS, k=30) if has_duplicates else random.sample(PATHS, 20)
        return sitemap((path, random.choice(["2026-01-01", "2026-01-02", None])) for path in paths)

    has_before, has_after = seed % 2 == 1, seed % 4 > 1
    before, after = state(has_duplicates=has_before), state(has_duplicates=has_after)
    with urlset.diff(before, after) as found:
        default = found.counts, found.sections, list(found)
    monkeypatch.setattr(Tables, "_has_single_rows", lambda *_: False)
    with urlset.diff(before, after) as found:
        assert (found.counts, found.sections, list(found)) == default


def test_states_with_many_rows_of_a_url_are_not_joined(monkeypatch):
    monkeypatch.setattr(Tables, "_join_rows", None)
    many = listing(*["a"] * 50_000)  # in a join: 2,500,000,000 rows

    with urlset.diff(many, many) as found:
        assert (found.counts.unchanged, found.counts.changed) == (1, 0)


def test_rows_are_typed():
    with urlset.diff(sitemap({"/a": "2026-01-01"}), sitemap({"/b/c": "2026-02-01"})) as found:
        removed, added = found

    assert isinstance(removed, PageChange)
    assert removed.before is not None
    assert removed.before.lastmod == datetime(2026, 1, 1, tzinfo=UTC)
    assert removed.after is None
    assert added.after is not None
    assert added.after.lastmod_text == "2026-02-01"
    assert removed.why == ()


def test_arrow_stream_can_be_read_twice():
    pytest.importorskip("pyarrow")
    with urlset.diff(listing("/a"), listing("/b/c")) as found:
        tables = [found.changes.to_arrow() for _ in range(2)]

    assert tables[0] == tables[1]
    assert tables[0].column_names == ["change", "loc", "previous_loc", "before", "after", "why"]


def test_jsonl_has_the_keys_of_the_contract(tmp_path):
    with urlset.diff(listing("/a"), sitemap({"/b/c": "2026-02-01"})) as found:
        found.to_jsonl(tmp_path / "changes.jsonl")

    lines = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    assert [list(line) for line in lines] == [["change", "loc", "before", "after", "why"]] * 2
    assert lines[1]["after"]["lastmod"] == "2026-02-01"
    assert lines[1]["before"] is None


def test_folders_stores_tables_and_entries(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, paths in ((old, ("/a", "/b")), (new, ("/b", "/c"))):
        folder.mkdir()
        (folder / "sitemap.txt").write_bytes(listing(*paths))
    urlset.read(old).to_duckdb(tmp_path / "old.duckdb")
    urlset.read(old).to_parquet(tmp_path / "old.parquet")
    urlset.read(old).to_csv(tmp_path / "old.csv")
    sources = [old, old / "sitemap.txt", tmp_path / "old.duckdb", tmp_path / "old.parquet"]
    sources += [tmp_path / "old.csv", list(urlset.read(old)), urlset.read(old)]

    for source in sources:
        assert changes(source, new) == {"removed /a": (), "added /c": ()}, source
        assert changes(new, source) == {"removed /c": (), "added /a": ()}, source
        assert changes(source, source) == {}, source


def test_sections_count_urls_by_first_segment():
    with urlset.diff(listing("/", "/blog/a", "/blog/b"), listing("/", "/blog/b", "/x")) as found:
        rows = {row.section: row for row in found.sections}

    assert rows["/blog/"][1:5] == (2, 1, 0, 1)
    assert rows["/"][1:5] == (1, 2, 1, 0)


def test_reason_is_a_tuple():
    assert Reason("unread", "x") == ("unread", "x", None)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(listing(*(f"/{n}" for n in range(20))))
    (tmp_path / "b.txt").write_bytes(listing(*(f"/{n}" for n in range(18)), "/new/x"))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--exit-code",), 1),
        (("--max-removed", "2"), 0),
        (("--max-removed", "1"), 1),
        (("--max-removed", "10%"), 0),
        (("--max-removed", "9.9%"), 1),
        (("--max-added", "0"), 1),
        (("--max-changed", "0%"), 0),
        (("--max-removed", "many"), 2),
    ],
)
def test_exit_code(files, capsys, options, code):
    assert run(["diff", "a.txt", "b.txt", "--no-moves", *options]) == code


def test_limits_of_the_configuration(files, capsys):
    (files / "urlset.toml").write_text('[diff]\nmax-removed = "1"\nmoves = false\n')

    assert run(["diff", "a.txt", "b.txt"]) == 1
    assert "2 of 20 URLs are removed, more than --max-removed 1" in capsys.readouterr().err
    assert run(["diff", "a.txt", "b.txt", "--max-removed", "2"]) == 0


def test_text_fits_a_terminal(files, capsys):
    assert run(["diff", "a.txt", "b.txt"]) == 0

    text = capsys.readouterr().out
    assert text.startswith("1 added, 2 removed, 0 changed; 18 unchanged\n")
    assert max(map(len, text.splitlines())) <= 80


def test_missing_source_is_reported(files, capsys):
    assert run(["diff", "a.txt", "none.txt"]) == 2
    assert "none.txt" in capsys.readouterr().err


# ── what is not compared ──


def notes_of(tmp_path, before: str, after: str, suffix: str = "csv") -> list[str]:
    """Return the notes of a comparison of two tables."""
    for name, text in (("old", before), ("new", after)):
        (tmp_path / f"{name}.{suffix}").write_text(text)
    sources = [tmp_path / f"{name}.{suffix}" for name in ("old", "new")]
    with urlset.diff(*sources) as found:
        assert found.counts.unchanged == 1
        assert found.to_dict()["notes"] == found.notes
        return [note.replace(f"{tmp_path}{os.sep}", "") for note in found.notes]


def test_columns_of_tables_that_are_not_compared_are_named(tmp_path):
    before = "loc,price,Name\nhttps://e.com/a,1,x\n"
    after = "loc,price,stock\nhttps://e.com/a,2,x\n"

    (note,) = notes_of(tmp_path, before, after)

    assert note == (
        "Columns that are not compared, because entries have no such field: price, Name, stock."
    )


def test_many_columns_are_counted(tmp_path):
    names = [f"c{number}" for number in range(12)]
    text = f"loc,{','.join(names)}\nhttps://e.com/a{',1' * 12}\n"

    (note,) = notes_of(tmp_path, text, text)

    assert note.endswith("c8, c9 and 2 more.")


def test_keys_of_json_lines_that_are_not_compared_are_named(tmp_path):
    text = '{"loc": "https://e.com/a", "price": 1, "lastmod": "2026-01-01"}\n'

    (note,) = notes_of(tmp_path, text, text, "jsonl")

    assert note.endswith("no such field: price.")


def test_a_field_of_one_state_is_named(tmp_path):
    before = "loc,lastmod,priority\nhttps://e.com/a,2026-01-01,0.5\n"

    (note,) = notes_of(tmp_path, before, "loc\nhttps://e.com/a\n")

    assert note == "Not compared, because only old.csv has values: lastmod, priority."


def test_tables_whose_columns_are_all_compared_have_no_note(tmp_path):
    text = "loc,lastmod\nhttps://e.com/a,2026-01-01\n"

    assert notes_of(tmp_path, text, text) == []


def test_an_empty_state_is_not_said_to_lack_fields(tmp_path):
    (tmp_path / "old.csv").write_text("loc,lastmod\nhttps://e.com/a,2026-01-01\n")
    (tmp_path / "new.csv").write_text("loc\n")

    with urlset.diff(tmp_path / "old.csv", tmp_path / "new.csv") as found:
        assert found.notes == []
