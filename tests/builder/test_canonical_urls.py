"""URLs of a build: resolved and percent-encoded in columns, and never what a check complains of."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import urlset
from urlset.arrow import batches, open_stream
from urlset.arrow.frames import ListedRows
from urlset.builder import BuildOptions
from urlset.builder.canonical_urls import (
    CREDENTIALS,
    TEMPLATE,
    CanonicalUrls,
    is_canonical,
    is_unfilled,
    unescaped,
)
from urlset.builder.roundtrip import RoundTrip
from urlset.engine import available, get
from urlset.http.request_url import escaped
from urlset.model import Alternate, Entry, Image, Video
from urlset.sources import Candidate, CandidateRows, open_source
from urlset.writer import values
from urlset.writer.values import ValueProblem

BASE = "https://example.com/de/"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def built(source: Any, folder: str = "public", **options: Any) -> urlset.Build:
    """A build into a folder of its own; hosts other than that of the base are allowed."""
    return urlset.build(
        source, folder, base_url=BASE, ledger=f"{folder}.ledger", force=frozenset({"hosts"}),
        **options,
    )  # fmt: skip


def by_rows(text: str, base: str) -> str:
    """A URL by the way of :func:`urlset.write`, percent-encoded; as it is where that refuses it."""
    try:
        read = values.url(unescaped(text), "loc", base)
    except (ValueProblem, UnicodeError):
        return text
    # A long one is refused later.
    return escaped(read) or text


# ── resolved in columns as row by row ────────────────────────────────────────────────────────

PIECES = st.sampled_from(
    [
        "https://",
        "http://",
        "HTTPS://",
        "//",
        "/",
        "?",
        "#",
        "a",
        "b.c",
        "..",
        ".",
        "%20",
        "%zz",
        "%",
        "ä",
        "日本",
        " ",
        "\t",
        "example.com",
        "müller.com",
        ":",
        "8080",
        "@",
        "user",
        "[",
        "]",
        "|",
        "{",
        "}",
        "&",
        "=",
        "&amp;",
        "~",
        "_",
        "-",
        "(",
        ")",
        "\u200c",
        "\x00",
        "mailto:",
    ]
)
REFERENCES = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=12)
BASES = st.sampled_from([BASE, "https://example.com/", "http://e.com:8080/a/b.c/"])


@given(REFERENCES, BASES)
@example("/a/./b", BASE)
@example("/..", BASE)
@example("//other.com/a", BASE)
@example("a?b/../c", BASE)
@example("example.com/a", BASE)
@example("/a b", BASE)
@example("NONE", BASE)
@example("https/a", BASE)
@example("h1ttp", BASE)
@example("nonesuch", BASE)
def test_resolving_in_columns_is_that_of_rows(text, base):
    urls = CanonicalUrls(BuildOptions(base_url=base))

    assert urls.url(text) == by_rows(text, urls._base)


@given(REFERENCES, BASES)
def test_canonical_url_stays_as_it_is(text, base):
    urls = CanonicalUrls(BuildOptions(base_url=base))
    made = urls.url(text)
    counted = urls.encoded

    assert urls.url(made) == made
    assert urls.encoded == counted


BATCHES = st.one_of(
    st.lists(REFERENCES, min_size=1, max_size=4),
    *(
        st.lists(st.from_regex(pattern, fullmatch=True), min_size=1, max_size=4)
        for pattern in (
            r"https?://(e\.com|example\.org)(/[a-z.]{0,3}){0,3}(\?(id|utm_source|sid)=[0-9a-f]{0,17})?",
            r"(/[a-z.]{0,3}){1,3}(\?[a-z]=[0-9])?",
            r"https://e\.com/(robots|sitemap|a)(\.txt|\.xml|/null|/__slug__|;jsessionid=1|&amp;b)?",
        )
    ),
)


@given(BATCHES, BASES)
def test_a_batch_is_made_canonical_as_its_urls_one_by_one(given, base):
    urls, others = (
        CanonicalUrls(BuildOptions(base_url=base)),
        CanonicalUrls(BuildOptions(base_url=base)),
    )
    one_by_one = [text if is_canonical(text) else others.url(text, is_page=True) for text in given]

    assert urls._canonical(given) == one_by_one
    assert urls.encoded == others.encoded


HOME = "https://e.com:443"
MIXED = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(
            [HOME, "", "/", "http://e.com:80", "https://u:p@e.com/", "/a;jsessionid=1"]
        ),
        st.sampled_from(["https://e.com/p", "https://e.com/__p", "https://e.com/p?utm_source=x"]),
        st.builds("https://e.com/{}".format, REFERENCES),
    ),
    min_size=1,
    max_size=6,
)


def inspected(
    rows: list[str | None], base: str
) -> tuple[list[str | None], list[str | None], list[int]]:
    """URLs after inspection, reasons to exclude them, and the counts of what was changed."""
    urls = CanonicalUrls(BuildOptions(base_url=base))
    entries, reasons = urls.of(batches.batch_of({"loc": batches.text_array(rows)}))
    counts = [urls.encoded, urls.untracked, urls.secured, urls.without_port]
    return batches.column_values(entries, "loc"), reasons or [None] * len(rows), counts


@given(MIXED, BASES)
@example(["https://e.com/p", HOME], BASE)
@example([HOME, "https://e.com/__p"], BASE)
@example(["/a", ""], BASE)
def test_a_url_is_inspected_in_any_batch_as_alone(rows, base):
    each = [inspected([row], base) for row in rows]

    locs, reasons, counts = inspected(rows, base)

    assert locs == [loc for found, _, _ in each for loc in found]
    assert reasons == [reason for _, found, _ in each for reason in found]
    assert counts == [
        sum(numbers) for numbers in zip(*(found for _, _, found in each), strict=True)
    ]


needs_native = pytest.mark.skipif(available()[0] != "native", reason="needs the native engine")


def in_columns(rows: list[Entry]) -> Any:
    (found,) = open_stream(ListedRows(rows))
    return batches.entry_columns(found)


@needs_native
@given(BATCHES, BATCHES, BASES)
def test_urls_that_are_certainly_canonical_stay_as_they_are(given, nested, base):
    settings = BuildOptions(base_url=base)
    links = tuple(Alternate("de", url) for url in nested)
    images = tuple(map(Image, nested))
    videos = tuple(Video(url, "T", "D", content_loc=url) for url in nested)
    rows = [Entry(url, images=images, videos=videos, alternates=links) for url in given]
    entries = in_columns(rows)

    found = CanonicalUrls(settings).of(entries)

    others = CanonicalUrls(settings)
    others._engine = get("reference")
    expected = others.of(entries)
    assert found[0].to_struct_array().to_pylist() == expected[0].to_struct_array().to_pylist()
    assert found[1] == expected[1]


@needs_native
def test_usual_urls_are_certainly_canonical(monkeypatch):
    monkeypatch.setattr(
        CanonicalUrls, "_uncertain_rows", lambda *_: pytest.fail("URLs were inspected")
    )
    url = "https://example.com/a/b-c_d/%C3%A9?e=1"
    rows = [Entry("https://example.com/a%20b", images=(Image(url),)), Entry("https://e.org")]

    entries = in_columns(rows)

    assert CanonicalUrls(BuildOptions(base_url=BASE)).of(entries) == (entries, None)


@needs_native
@pytest.mark.parametrize("images", [(), (Image("https://example.com/a"),)])
def test_only_the_rows_of_a_part_of_a_batch_count(images):
    """A part shares its buffers with the batch. Rows without images are not copied."""
    locs = ["https://example.com/a b", "https://example.com/c", "https://example.com/?sid=1"]
    entries = in_columns([Entry(loc, images=images) for loc in locs])
    are_canonical = get("native").are_canonical

    found = [
        are_canonical(batches.as_table(entries.slice(start, length)), ("?",), True)
        for start, length in ((0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (1, 0))
    ]

    assert found == [False, True, False, False, False, True]


@pytest.fixture
def judged(monkeypatch) -> list[int]:
    """How many rows each call has written and read back."""
    if available()[0] != "native":
        pytest.skip("the reference engine looks at rows one by one")
    counts: list[int] = []
    whole = RoundTrip.check

    def counting(self: RoundTrip, entries: Any) -> Any:
        counts.append(entries.num_rows)
        found = whole(self, entries)
        assert found is not None, "rows are looked at one by one"
        return found

    monkeypatch.setattr(RoundTrip, "check", counting)
    return counts


def test_relative_rows_do_not_pass_one_by_one_and_not_at_all_in_a_second_build(judged):
    query = "SELECT '/p/' || i || '?a' AS loc FROM range(50000) t(i)"
    duckdb.connect().execute(f"COPY ({query}) TO 'a.parquet'")

    first = built(open_source("a.parquet"))
    rows = sum(judged)
    second = built(open_source("a.parquet"))

    assert (first.urls, rows) == (50_000, 50_000)
    assert (second.urls, second.changed_files, sum(judged)) == (50_000, (), 50_000)


# ── percent-encoded ──────────────────────────────────────────────────────────────────────────

REPAIRED = {
    "/käse": "https://example.com/k%C3%A4se",
    "https://example.com/日本?q=ü": "https://example.com/%E6%97%A5%E6%9C%AC?q=%C3%BC",
    "/a|b": "https://example.com/a%7Cb",
    "/%zz": "https://example.com/%25zz",
    "/100%": "https://example.com/100%25",
    '/x"y<z>': "https://example.com/x%22y%3Cz%3E",
    "https://example.com/?x=1&amp;y=2": "https://example.com/?x=1&y=2",
    "https://müller.com/a": "https://xn--mller-kva.com/a",
}
EXCLUDED = {
    "https://ann:s3cret@example.com/a": CREDENTIALS,
    "/{{slug}}": TEMPLATE,
    "https://example.com/${id}/a": TEMPLATE,
    "/p/undefined": TEMPLATE,
    "/p/%7B%7Bslug%7D%7D": TEMPLATE,
    "/p/[slug]": TEMPLATE,
}
REFUSED = ("javascript:alert(1)", "ftp://example.com/a", "https://a..com/", "mailto:a@b.c")


def source_of(form: str, urls: list[str]) -> Any:
    """A source of URLs."""
    rows = [{"loc": url} for url in urls]
    if form == "rows":
        return CandidateRows([Candidate(url) for url in urls])
    if form == "text":
        Path("a.txt").write_text("\n".join(urls))
        return open_source("a.txt")
    if form in ("jsonl", "array"):
        lines = map(json.dumps, rows)
        text = "\n".join(lines) if form == "jsonl" else f"[{', '.join(lines)}]"
        Path("a.json").write_text(text)
        return open_source("a.json")
    if form == "sqlite":
        with closing(sqlite3.connect("a.db")) as connection, connection:
            connection.execute("CREATE TABLE t (loc)")
            connection.executemany("INSERT INTO t VALUES (?)", [(url,) for url in urls])
        return open_source("a.db")
    Path("a.json").write_text("\n".join(map(json.dumps, rows)))
    form = "csv" if form == "csv" else "parquet"
    duckdb.connect().execute(f"COPY (FROM read_json('a.json')) TO 'a.{form}'")
    return open_source(f"a.{form}")


@pytest.mark.parametrize("form", ["rows", "text", "csv", "jsonl", "array", "sqlite", "parquet"])
def test_a_build_has_no_url_that_a_check_calls_an_error_or_a_warning(form):
    wanted = ["/plain", "https://example.com/whole?a=b", *REPAIRED, *EXCLUDED, *REFUSED]

    result = built(source_of(form, wanted), on_error="skip")

    locs = [entry.loc for entry in urlset.read("public/sitemap.xml")]
    assert sorted(locs) == sorted(
        ["https://example.com/plain", "https://example.com/whole?a=b", *REPAIRED.values()]
    )
    assert result.excluded_counts == {CREDENTIALS: 1, TEMPLATE: len(EXCLUDED) - 1}
    assert sorted(rejected.loc or "" for rejected in result.rejected) == sorted(REFUSED)
    assert [note for note in result.notes if "canonical form" in note] == [
        f"{len(REPAIRED)} URLs written in canonical form (percent-encoded), e.g. "
        f"{next(iter(REPAIRED))}"
    ]
    assert "s3cret" not in repr(result)
    found = [f for f in urlset.check("public/sitemap.xml") if f.level in ("error", "warning")]
    # The hosts of others are here by force, and no row has a date.
    assert [f for f in found if f.code not in ("D011", "U026", "U028", "U029")] == []


def test_urls_of_images_and_alternates_are_encoded_as_those_of_pages():
    entry = Entry(
        "/käse",
        images=(
            Image("/bilder/käse 1.jpg".replace(" ", "_")),
            Image("https://cdn.example.com/ü|.png"),
        ),
        alternates=(Alternate("de", "/käse"), Alternate("en", "https://example.com/en/cheese")),
    )

    built(CandidateRows([entry, Entry("/plain")]))

    (first, _) = urlset.read("public/sitemap.xml")
    assert [image.loc for image in first.images] == [
        "https://example.com/bilder/k%C3%A4se_1.jpg",
        "https://cdn.example.com/%C3%BC%7C.png",
    ]
    assert [link.href for link in first.alternates] == [
        first.loc,
        "https://example.com/en/cheese",
    ]


def test_base_that_is_not_ascii_is_written_in_ascii():
    urlset.build(
        CandidateRows([Candidate("/a"), Candidate("b")]),
        "public",
        base_url="https://müller.com/käse",
        ledger="l.duckdb",
    )

    locs = [entry.loc for entry in urlset.read("public/sitemap.xml")]
    assert locs == [
        "https://xn--mller-kva.com/k%C3%A4se/b",
        "https://xn--mller-kva.com/a",
    ]


def test_spellings_of_one_url_are_one():
    result = built(CandidateRows([Candidate("/käse"), Candidate("/k%C3%A4se")]))

    assert (result.urls, result.duplicates) == (1, 1)


def test_keep_outweighs_the_guess_of_a_template():
    result = built(
        CandidateRows([Candidate("/p/undefined"), Candidate("/a")]), filters=["keep:/undefined$"]
    )

    assert result.urls == 2
    assert is_unfilled("https://example.com/p/undefined")


@pytest.mark.parametrize("engine", available())
@pytest.mark.parametrize("port", ["", "443", "0443", "00443"])
def test_a_default_port_is_published_in_no_spelling(engine, port):
    built([{"loc": f"https://example.com:{port}/a"}, {"loc": BASE}], engine=engine)

    assert {entry.loc for entry in urlset.read("public")} == {"https://example.com/a", BASE}
