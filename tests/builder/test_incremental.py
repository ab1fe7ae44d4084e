"""What the ledger has as it is given is not judged again: all else is, and nothing shows of it."""

from datetime import UTC, datetime, timedelta

import pytest

import urlset
from urlset.arrow import batches
from urlset.arrow.streams import ColumnType, rows_to_batch
from urlset.builder import build, incremental, roundtrip
from urlset.errors import EntryError
from urlset.model import Image
from urlset.sources import Candidate, CandidateRows

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MONDAY = datetime(2026, 11, 16, 10, tzinfo=UTC)
KINDS: dict[str, ColumnType] = {
    "loc": "string",
    "lastmod": "instant",
    "changefreq": "string",
    "priority": "number",
}


class Given:
    """A source of one batch, with those columns of an entry that are named."""

    name = "given"

    def __init__(self, names, *rows):
        self.failures, self.notes = [], []
        self._columns = [(name, KINDS[name]) for name in names.split()]
        self._rows = rows

    def batches(self):
        yield rows_to_batch(self._columns, self._rows)


@pytest.fixture
def make(tmp_path):
    def made(*sources, **options):
        ledger = tmp_path / "ledger.duckdb"
        options = {"base_url": BASE, "ledger": ledger, "now": NOON} | options
        return build(list(sources), tmp_path / "public", **options)

    return made


@pytest.fixture
def judged(monkeypatch):
    """How many rows were judged, batch by batch."""
    counts = []
    judge = roundtrip.RoundTrip.check

    def counted(self, entries):
        counts.append(entries.num_rows)
        return judge(self, entries)

    monkeypatch.setattr(roundtrip.RoundTrip, "check", counted)
    return counts


def pages(count, **dates):
    return [(f"{BASE}p{n:03}", dates.get(f"p{n:03}", MONDAY)) for n in range(count)]


def test_what_is_as_it_was_is_not_judged_again(make, judged):
    make(Given("loc lastmod", *pages(100)))

    again = make(Given("loc lastmod", *pages(100)), now=NOON + DAY)

    assert judged == [100]
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    assert not again.changed_files


def test_what_changed_is_judged_alone(make, judged, tmp_path):
    make(Given("loc lastmod", *pages(100)))

    again = make(Given("loc lastmod", *pages(101, p007=MONDAY + DAY)), now=NOON + DAY)

    assert judged == [100, 2]
    assert (again.added, again.changed, again.removed) == (1, 1, 0)
    dates = {entry.loc: entry.lastmod for entry in urlset.read(tmp_path / "public/sitemap.xml")}
    assert dates[f"{BASE}p007"] == MONDAY + DAY
    assert len(dates) == 101


def test_a_fraction_of_a_second_is_no_change(make):
    odd = MONDAY + timedelta(microseconds=120_000)
    make(Given("loc lastmod", *pages(3, p001=odd)))

    again = make(Given("loc lastmod", *pages(3, p001=odd)), now=NOON + DAY)

    assert again.changed == 0


@pytest.mark.parametrize("column", ["changefreq", "priority"])
def test_another_value_is_a_change(make, tmp_path, column):
    values = {"changefreq": ("daily", "weekly"), "priority": (0.5, 0.8)}[column]
    make(Given(f"loc {column}", (f"{BASE}a", values[0]), (f"{BASE}b", values[0])))

    again = make(Given(f"loc {column}", (f"{BASE}a", values[0]), (f"{BASE}b", values[1])))

    assert (again.changed, again.removed) == (1, 0)
    entries = list(urlset.read(tmp_path / "public/sitemap.xml"))
    assert [getattr(entry, column) for entry in entries] == list(values)


def test_what_may_not_be_written_is_refused_in_a_later_build_too(make):
    make(Given("loc", (f"{BASE}a",)))

    with pytest.raises(EntryError, match="given, row 2: loc: "):
        make(Given("loc", (f"{BASE}a",), ("ftp://example.com/b",)))

    skipped = make(Given("loc", (f"{BASE}a",), ("ftp://example.com/b",)), on_error="skip")
    assert (skipped.urls, len(skipped.rejected)) == (1, 1)


def test_twins_of_which_one_is_as_it_was(make, tmp_path):
    make(Given("loc changefreq", (f"{BASE}a", "daily"), (f"{BASE}b", None)))

    again = make(
        Given("loc changefreq", (f"{BASE}a", "weekly"), (f"{BASE}b", None)),
        Given("loc changefreq", (f"{BASE}a", "daily"), (f"{BASE}b", None)),
    )

    assert (again.changed, again.duplicates) == (1, 2)
    (first, _) = urlset.read(tmp_path / "public/sitemap.xml")
    assert first.changefreq == "weekly"


def test_what_is_gone_is_noticed_by_its_number(make):
    make(Given("loc lastmod", *pages(10)))

    again = make(Given("loc lastmod", *pages(9), (f"{BASE}new", None)))

    assert (again.added, again.removed, again.urls) == (1, 1, 10)


def test_rewritten_urls_are_rewritten_once(make, tmp_path):
    rewrite = urlset.builder.Rewrite.of(r"\.com/=>.com/en/")
    make(Given("loc", (f"{BASE}a",)), rewrites=[rewrite])

    make(Given("loc", (f"{BASE}a",), (f"{BASE}b",)), rewrites=[rewrite])

    locs = [entry.loc for entry in urlset.read(tmp_path / "public/sitemap.xml")]
    assert locs == [f"{BASE}en/a", f"{BASE}en/b"]


def test_of_entries_the_columns_that_hold_anything_are_looked_at():
    pictures = (Image(f"{BASE}a.png"),)
    (empty,) = CandidateRows([Candidate(BASE, lastmod_text="2026-11-01", priority=0.5)]).batches()
    (more,) = CandidateRows([Candidate(BASE), Candidate(BASE, images=pictures)]).batches()

    plain = incremental.core_columns(batches.entry_columns(empty))

    assert plain is not None
    assert sorted(plain.schema.names) == ["lastmod_text", "loc", "priority"]
    assert incremental.core_columns(batches.entry_columns(more)) is None
    assert incremental.core_columns(batches.entry_columns(more.slice(0, 1))) is not None
