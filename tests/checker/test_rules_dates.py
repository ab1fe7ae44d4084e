"""Rules about dates: single ones, those of a sitemap, and an index against its sitemaps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from urlset.checker import Finding, check
from urlset.checker.examples import Example, documents_of, entry

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOME = "https://example.com/"


def reported(example: Example, *codes: str) -> list[Finding]:
    found = check(documents_of(example), select=codes or ["D"], now=MOMENT)
    return [finding for finding in found]  # noqa: C416 (`list` asks for the length first)


def dated(*dates: str | None) -> str:
    """Entries with these dates."""
    return "".join(
        f"<url><loc>{HOME}{n}</loc>{'' if date is None else f'<lastmod>{date}</lastmod>'}</url>\n"
        for n, date in enumerate(dates)
    )


def child(name: str, date: str | None) -> str:
    lastmod = "" if date is None else f"<lastmod>{date}</lastmod>"
    return f"<sitemap><loc>{HOME}{name}</loc>{lastmod}</sitemap>\n"


def spread(count: int, step: timedelta) -> list[str]:
    start = datetime(2026, 11, 1, tzinfo=UTC)
    return [f"{start + n * step:%Y-%m-%dT%H:%M:%SZ}" for n in range(count)]


@pytest.mark.parametrize(
    ("date", "code"),
    [
        ("2026", "D005"),
        ("2026-11", "D005"),
        ("2026-13", "D004"),
        ("2026-11-20", None),
        ("2026-11-20T08:00Z", "D006"),
        ("2026-11-20T08:00+01:00", "D006"),
        ("2026-11-20T08:00:00+01:00", None),
        ("2026-11-20T08:00:00.5+01:00", None),
        ("2026-11-22T12:00:00Z", None),
        ("2026-11-22T12:00:01Z", "D007"),
        ("2026-11-22", None),
        ("2026-11-23", "D007"),
        ("9999-12-31", "D007"),
        ("1970-01-01", "D008"),
        ("0001-01-01T00:00:00Z", "D008"),
        ("1994-12-31T23:59:59Z", "D008"),
        ("1995-01-01", None),
        ("1970", "D005 D008"),
        ("yesterday", "D001"),
    ],
)
def test_one_date(date: str, code: str | None) -> None:
    alone = ["D001", "D004", "D005", "D006", "D007", "D008"]

    for example in (dated(date), child("a.xml", date)):
        found = reported(example, *alone)
        assert " ".join(sorted(f.code for f in found)) == (code or "")
        assert all(f'"{date}"' in f.message for f in found)


def test_a_finding_points_at_the_date() -> None:
    [finding] = reported(dated("2027-01-01"), "D007")

    assert (finding.line, finding.column) == (3, len(f"<url><loc>{HOME}0</loc>") + 1)
    assert finding.message == '"2027-01-01" is in the future: today is 2026-11-21'


# ── all dates of a sitemap ───────────────────────────────────────────────────────────────────

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
SAME = "2026-10-05T08:00:00Z"


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        ([SAME] * 10, f"100 % of 10 URLs share the lastmod {SAME}"),
        ([SAME] * 9, None),
        ([SAME] * 9 + [None], None),
        (["2026-10-05"] * 10, "100 % of 10 URLs share the lastmod 2026-10-05"),
        ([SAME] * 19 + ["2026-11-02"], f"95 % of 20 URLs share the lastmod {SAME}"),
        ([SAME] * 18 + ["2026-11-02", "2026-09-02"], None),
        (["2026-09-02"] + [SAME] * 38 + ["2026-11-02"],
         f"95 % of 40 URLs share the lastmod {SAME}"),
        (spread(61, SECOND),
         "100 % of 61 URLs share the lastmod 2026-11-01T00:00:00Z (within a minute)"),
        (spread(70, SECOND), None),
        (spread(19, DAY), None),
    ],
)  # fmt: skip
def test_dates_that_are_all_the_same(dates: list[str | None], words: str | None) -> None:
    assert [f.message for f in reported(dated(*dates), "D009")] == ([words] if words else [])


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        ("2026-10-05T08:05:00Z", "D010"),
        ("2026-10-05T07:55:00Z", "D010"),
        ("2026-10-05T08:05:01Z", "D009"),
        ("2026-10-05", "D009"),  # a day says nothing of minutes
        (None, "D009"),
    ],
)
def test_dates_that_are_the_time_of_the_sitemap(listed: str | None, code: str) -> None:
    example = {"index.xml": child("a.xml", listed), "a.xml": dated(*[SAME] * 10)}

    [finding] = reported(example, "D009", "D010")

    assert finding.code == code
    if code == "D010":
        assert finding.message == (
            f"100 % of 10 URLs have a lastmod within 5 minutes of {listed}, "
            "lastmod of the file in its index"
        )


@pytest.mark.parametrize(
    ("dates", "words", "level"),
    [
        ([None], "1 of 1 URLs have no lastmod", "info"),
        ([None, SAME, None], "2 of 3 URLs have no lastmod", "info"),
        ([SAME, "nonsense"], None, None),  # that is D001
    ],
)
def test_dates_that_are_missing(dates: list[str | None], words: str | None, level: str) -> None:
    found = reported(dated(*dates), "D011")

    assert [(f.message, f.level) for f in found] == ([(words, level)] if words else [])


def test_a_text_sitemap_can_have_no_dates() -> None:
    assert reported({"a.txt": b"https://example.com/\n"}) == []


def test_dates_without_a_time() -> None:
    [finding] = reported(dated("2026-11-20", "2026", None), "D012")

    assert finding.message == "None of 2 lastmod values has a time"
    assert reported(dated("2026-11-20", SAME), "D012") == []
    assert reported(dated(None), "D012") == []


# ── an index and its sitemaps ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("listed", "newest", "is_stale"),
    [
        ("2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z", False),
        ("2026-11-20T08:00:00Z", "2026-11-20T08:01:00Z", False),
        ("2026-11-20T08:00:00Z", "2026-11-20T08:01:01Z", True),
        ("2026-11-20", "2026-11-20T23:00:00Z", False),
        ("2026-11-20", "2026-11-21", False),  # where it is still the 20th
        ("2026-11-18", "2026-11-20", True),
        ("2026-11-20", "2030-01-01", False),  # that is D007
        (None, "2026-11-20", False),
    ],
)
def test_an_index_that_is_behind(listed: str | None, newest: str, is_stale: bool) -> None:
    example = {"index.xml": child("a.xml", listed), "a.xml": dated("2026-01-01", newest)}

    found = reported(example, "D501")

    assert len(found) == is_stale
    for finding in found:
        assert finding.loc == f"{HOME}a.xml"
        assert finding.source == f"{HOME}index.xml"
        assert f"Index says {listed}, but the sitemap has an entry of {newest}" == finding.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2026-11-20T08:00:00Z", "2026-11-20T09:00:00+01:00"),
        ("2026-11-19T10:00:00Z", "2026-11-20"),  # the earliest instant of that day
    ],
)
def test_the_last_wording_of_the_newest_date_is_named(first: str, second: str) -> None:
    for dates in ((first, second), (second, first)):
        example = {"index.xml": child("a.xml", "2026-11-10"), "a.xml": dated(*dates)}

        [finding] = reported(example, "D501")

        assert finding.message == f"Index says 2026-11-10, but the sitemap has an entry of {second}"


def test_an_index_with_one_date_for_all() -> None:
    names = [f"{n}.xml" for n in range(5)]
    same = {"index.xml": "".join(child(name, "2026-11-20") for name in names)}
    differing = {name: dated(day) for name, day in zip(names, spread(5, DAY), strict=True)}

    [finding] = reported(same | differing, "D502")

    assert finding.message.startswith("All 5 sitemaps have the lastmod 2026-11-20")
    assert reported(same | dict.fromkeys(names, dated(SAME)), "D502") == []
    assert reported(same | {names[0]: dated(SAME)}, "D502") == []  # of the others, nothing is known
    four = {"index.xml": "".join(child(name, "2026-11-20") for name in names[:4])}
    assert reported(four | differing, "D502") == []


def test_an_index_without_dates() -> None:
    [finding] = reported(child("a.xml", None) + child("b.xml", "2026-11-20"), "D503")

    assert finding.message == "1 of 2 sitemaps in the index have no lastmod"
    assert reported(child("a.xml", "nonsense"), "D503") == []


def test_an_entry_helper_is_clean() -> None:
    assert reported(entry(HOME)) == []
