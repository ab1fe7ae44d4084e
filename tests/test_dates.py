"""Parsing dates: the instant of each form, to the microsecond, and its problems."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset import dates
from urlset.dates import format_date, from_microseconds, microseconds, parse_date

# text | instant in UTC, or – | precision | has a zone | code, or – for a W3C date
W3C = """
1997                            | 1997-01-01T00:00:00        | year     | no  | –
1997-07                         | 1997-07-01T00:00:00        | month    | no  | –
1997-07-16                      | 1997-07-16T00:00:00        | day      | no  | –
1997-07-16T19:20+01:00          | 1997-07-16T18:20:00        | minute   | yes | –
1997-07-16T19:20Z               | 1997-07-16T19:20:00        | minute   | yes | –
1997-07-16T19:20:30+01:00       | 1997-07-16T18:20:30        | second   | yes | –
1997-07-16T19:20:30.45+01:00    | 1997-07-16T18:20:30.450000 | fraction | yes | –
1997-07-16T19:20:30.1234567Z    | 1997-07-16T19:20:30.123456 | fraction | yes | –
2024-02-29                      | 2024-02-29T00:00:00        | day      | no  | –
2024-01-01T00:00:00-00:00       | 2024-01-01T00:00:00        | second   | yes | –
2024-01-01T00:00:00+14:00       | 2023-12-31T10:00:00        | second   | yes | –
0001-01-01                      | 0001-01-01T00:00:00        | day      | no  | –
9999-12-31T23:59:59.999999Z     | 9999-12-31T23:59:59.999999 | fraction | yes | –
"""
FORGIVEN = """
1997-7-6                        | 1997-07-06T00:00:00        | day      | no  | D001
1997/07/16                      | 1997-07-16T00:00:00        | day      | no  | D001
19970716                        | 1997-07-16T00:00:00        | day      | no  | D001
2024-01-01T1:02:03Z             | 2024-01-01T01:02:03        | second   | yes | D001
2024-01-01T10:20:30,5Z          | 2024-01-01T10:20:30.500000 | fraction | yes | D001
20240101T101010Z                | 2024-01-01T10:10:10        | second   | yes | D001
Fri, 01 Oct 2004 18:23:17 GMT   | 2004-10-01T18:23:17        | second   | yes | D001
1 Oct 2004 18:23 -0330          | 2004-10-01T21:53:00        | minute   | yes | D001
Friday, 1 October 04 18:23 EST  | 2004-10-01T23:23:00        | minute   | yes | D001
1 Oct 76                        | 1976-10-01T00:00:00        | day      | no  | D001
October 1, 2004                 | 2004-10-01T00:00:00        | day      | no  | D001
Oct. 1 2004                     | 2004-10-01T00:00:00        | day      | no  | D001
1997-07-16 19:20:30             | 1997-07-16T19:20:30        | second   | no  | D002
1997-07-16T19:20                | 1997-07-16T19:20:00        | minute   | no  | D002
19970716T1920                   | 1997-07-16T19:20:00        | minute   | no  | D002
1997-07-16T19:20:30+0100        | 1997-07-16T18:20:30        | second   | yes | D003
1997-07-16T19:20:30+01          | 1997-07-16T18:20:30        | second   | yes | D003
1997-07-16T19:20:30 +01:00      | 1997-07-16T18:20:30        | second   | yes | D003
1997-07-16t19:20:30z            | 1997-07-16T19:20:30        | second   | yes | D003
1997-07-16 19:20 UTC            | 1997-07-16T19:20:00        | minute   | yes | D003
1997-07-16Z                     | 1997-07-16T00:00:00        | day      | yes | –
1997-07-16+01:00                | 1997-07-15T23:00:00        | day      | yes | –
2016-12-31T23:59:60Z            | 2017-01-01T00:00:00        | second   | yes | –
2017-01-01T08:59:60.5+09:00     | 2017-01-01T00:00:00.500000 | fraction | yes | –
2024-01-01T00:00:00+14:01       | 2023-12-31T09:59:00        | second   | yes | D003
"""
# What has two meanings, or none, is no instant.
WITHOUT_INSTANT = """
01/10/2004                      | – | –        | no  | D001
01.10.2004                      | – | –        | no  | D001
1-2-2004                        | – | –        | no  | D001
now                             | – | –        | no  | D001
1096654997                      | – | –        | no  | D001
2004-W40-5                      | – | –        | no  | D001
2004-275                        | – | –        | no  | D001
2024-01-01T10Z                  | – | –        | no  | D001
2024-05-08 08:53:11 AM          | – | –        | no  | D001
2004-10-01T18:23:17+00:00Z      | – | –        | no  | D001
+2024-01-01                     | – | –        | no  | D001
12024-01-01                     | – | –        | no  | D001
２０２４-01-01                      | – | –        | no  | D001
1 Foo 2024                      | – | –        | no  | D001
1 Oct 2004 18:23 A              | – | –        | no  | D001
2024-01-01T00:00:00+24:00       | – | –        | no  | D003
2024-01-01T00:00:00+01:60       | – | –        | no  | D003
0000-00-00                      | – | –        | no  | D004
0000-01-01                      | – | –        | no  | D004
2023-02-29                      | – | –        | no  | D004
2024-13-01                      | – | –        | no  | D004
1997-00                         | – | –        | no  | D004
2024-01-01T24:00:00Z            | – | –        | no  | D004
2024-01-01T23:59:60Z            | – | –        | no  | D004
2024-01-01T10:60Z               | – | –        | no  | D004
31 Feb 2024                     | – | –        | no  | D004
-0001-11-30T00:00:00+00:00      | – | –        | no  | D004
0001-01-01T00:00:00+01:00       | – | –        | no  | D004
9999-12-31T23:59:59-01:00       | – | –        | no  | D004
"""


def rows(table: str) -> list[list[str | None]]:
    lines = (line.split("|") for line in table.strip().splitlines())
    return [[None if cell.strip() == "–" else cell.strip() for cell in line] for line in lines]


@pytest.mark.parametrize(
    ("text", "instant", "precision", "zone", "code"),
    rows(W3C) + rows(FORGIVEN) + rows(WITHOUT_INSTANT),
)
def test_date(text, instant, precision, zone, code):
    expected = instant and datetime.fromisoformat(instant).replace(tzinfo=UTC)
    assert parse_date(text) == (expected, precision, zone == "yes", code)


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "-", "T", "Z", "2024-01-01\0", "٢٠٢٤-٠١-٠١", "1" * 99]
)
def test_date_of_nonsense(text):
    assert parse_date(text) == (None, None, False, "D001")


def test_date_guesses_nothing_of_today():
    """No month and no day come from the clock, as in readers that use dateutil."""
    for text in ("2004", "2004-10"):
        instant = parse_date(text).instant
        assert instant is not None
        assert (instant.day, instant.hour) == (1, 0)


@given(st.text())
def test_date_never_raises(text):
    date_ = parse_date(text)
    assert date_.code is not None or date_.instant is not None


@given(st.datetimes(timezones=st.timezones()).filter(lambda moment: moment.year > 1))
def test_date_is_read_as_it_was_written(moment):
    offset = moment.utcoffset()
    assert offset is not None
    if offset.seconds % 60:  # local mean times of long ago have no W3C form
        return
    found = parse_date(format_date(moment))
    assert found.instant == moment.astimezone(UTC)
    assert found.code == (None if abs(offset) <= timedelta(hours=14) else "D003")


@given(st.dates())
def test_day_is_read_as_it_was_written(day):
    assert parse_date(format_date(day)).instant == datetime(
        day.year, day.month, day.day, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=UTC), "2026-01-02T03:04:05.000060Z"),
        (
            datetime(2026, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=-5))),
            "2026-01-02T03:04:00-05:00",
        ),
    ],
)
def test_format_date(moment, text):
    assert format_date(moment) == text


def test_format_date_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        format_date(datetime(2026, 1, 2))  # noqa: DTZ001 - that is the point


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_lose_nothing(moment):
    assert from_microseconds(microseconds(moment)) == moment


@pytest.mark.parametrize(
    "text",
    [
        "2013-01-27-01",
        "2013-01-27+01",
        "2013-01-27-0100",
        "2013-01-27 -01",
        "2013/01/27-0100",
        "20130127-01",
        "20130127-0100",
        "2013-01/27",
        "2013/01-27",
        "2013-01/02 10:00",
        "before 01 Oct 2004",
        "not 01 Oct 2004",
        "expires, 01 Oct 2004 18:23:17 GMT",
        "01 Marble 2004",
        "01 Sepia 2004",
        "Decade 01, 2004",
        "Mayor 01, 2004",
    ],
)
def test_date_that_may_mean_something_else_is_none(text):
    """What follows a day may be a number of the file, an hour or an offset; a word, no month."""
    assert parse_date(text) == (None, None, False, "D001")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2013-01-27-01:00", None),  # a date of XML Schema
        ("2013-01-27Z", None),
        ("2013-01-27T10:00-01", "D003"),
        ("20130127T1000-0100", "D001"),
        ("2013/1/27", "D001"),
        ("Tues, 27 Sept. 2013 10:00 GMT", "D001"),
        ("wednesday, 27 SEPTEMBER 2013", "D001"),
        ("Sept 27, 2013", "D001"),
    ],
)
def test_date_with_one_meaning_is_read(text, code):
    date = parse_date(text)
    assert date.instant is not None
    assert (date.code, date.instant.year, date.instant.day) == (code, 2013, 27)


PARTS = ("2026", "-01", "-31", "T08:00", ":59", ".25", "Z", "+01:00", " ", "+0100", "1")


@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join))
def test_patterns_for_sql_are_those_of_the_parser(text):
    """DuckDB uses the pattern as it is; see `regexp_full_match` in the statements."""
    parsed = dates._W3C.fullmatch(text)
    has_day = parsed is not None and parsed[3] is not None

    assert (re.fullmatch(dates.W3C, text) is not None) == (parsed is not None)
    assert (re.fullmatch(dates.W3C_DAY, text) is not None) == has_day
    assert (re.fullmatch(dates.NO_DAY, text) is not None) == (parsed is not None and not has_day)
    if re.fullmatch(dates.XSD, text):
        assert parse_date(text).code in (None, "D002", "D004")


@pytest.mark.parametrize(
    "text",
    ["2026", "2026-01", "2026-01-31", "2026-01-31T08:00Z", "2026-01-31T08:00:59.25+01:00", "20260"],
)
def test_patterns_mean_the_same_to_duckdb(text):
    query = "SELECT regexp_full_match($text, $pattern)"
    for pattern in (dates.W3C, dates.W3C_DAY, dates.NO_DAY, dates.XSD, dates.LOG_TIME):
        found = duckdb.connect().execute(query, {"text": text, "pattern": pattern}).fetchone()

        assert found == (re.fullmatch(pattern, text) is not None,)


DAYS = (
    "1999-12-31",
    "2026-02-28",
    "2026-02-29",
    "2024-02-29",
    "2026-13-01",
    "2099-00-10",
    "2026-1-1",
)
TIMES = (
    "",
    "T00:00:00",
    "T23:59:59",
    "T24:00:00",
    "T08:30:60",
    "T08:30",
    "T08:30:00.5",
    " 08:30:00",
)
ZONES = ("", "Z", "+00:00", "-00:00", "+13:59", "-11:30", "+14:00", "+23:59", "+01", "z")


@pytest.mark.parametrize("day", DAYS)
def test_common_dates_are_read_as_by_the_pattern(monkeypatch, day):
    texts = [f"{day}{time}{zone}" for time in TIMES for zone in ZONES]
    found = [parse_date(text) for text in texts]
    monkeypatch.setattr(dates, "_parse_common", lambda _: None)

    assert found == [parse_date(text) for text in texts]
