//! Dates in the W3C Datetime profile, and in other formats that sitemaps contain.
//!
//! Exact port of `src/urlset/dates.py`.

mod calendar;
mod forms;
mod log_time;
mod scanner;
mod strict;

use crate::codes::{D001, D002, D003, D004};

use calendar::{days, days_of_month, has_leap_second};
use forms::{Parts, Rfc822, compact, is_before_christ, iso, long, month_number, rfc822, w3c};

pub use calendar::{InstantText, fields, format_fields, format_instant, is_instant};
pub use log_time::parse_log_time;
pub use strict::{is_atom_date, is_rss_date, w3c_instant};

/// Precision of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `1997`
    Year,
    /// `1997-07`
    Month,
    /// `1997-07-16`
    Day,
    /// `1997-07-16T19:20+01:00`
    Minute,
    /// `1997-07-16T19:20:30+01:00`
    Second,
    /// `1997-07-16T19:20:30.45+01:00`
    Fraction,
}

impl Precision {
    /// Returns the name that Python uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Fraction => "fraction",
        }
    }
}

/// Result of parsing a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Microseconds since 1970-01-01 UTC, if the date is valid.
    pub instant: Option<i64>,
    /// Precision, if the date is valid.
    pub precision: Option<Precision>,
    /// Whether a time zone is given.
    pub has_zone: bool,
    /// Code of the reported problem; None for a W3C date.
    pub code: Option<&'static str>,
}

/// Returns the result for an invalid date.
const fn no_instant(code: &'static str) -> Date {
    Date { instant: None, precision: None, has_zone: false, code: Some(code) }
}

/// Parses a date in any unambiguous format.
#[must_use]
pub fn parse_date(text: &str) -> Date {
    let text = text.as_bytes();
    if let Some(parts) = w3c(text) {
        return assemble(&parts, None);
    }
    if let Some((parts, code)) = iso(text) {
        return assemble(&parts, code);
    }
    if let Some(parts) = compact(text) {
        let is_local = parts.hour.is_some() && parts.zone.is_none();
        return assemble(&parts, Some(if is_local { D002 } else { D001 }));
    }
    if let Some(found) = rfc822(text) {
        return from_rfc822(&found);
    }
    if let Some((month, parts)) = long(text)
        && let Some(number) = month_number(month)
    {
        return assemble(&Parts { month: Some(number), ..parts }, Some(D001));
    }
    no_instant(if is_before_christ(text) { D004 } else { D001 })
}

fn from_rfc822(found: &Rfc822<'_>) -> Date {
    let Some(month) = month_number(found.month) else {
        return no_instant(D001);
    };
    let mut parts = Parts { month: Some(month), ..found.parts };
    if found.year_digits == 2 {
        // RFC 2822 section 4.3
        parts.year += if parts.year < 50 { 2000 } else { 1900 };
    }
    let date = assemble(&parts, Some(D001));
    if date.code == Some(D003) && date.instant.is_none() { no_instant(D001) } else { date }
}

/// Converts the components to an instant.
fn assemble(parts: &Parts<'_>, code: Option<&'static str>) -> Date {
    let Some(offset) = offset_minutes(parts.zone) else {
        return no_instant(D003);
    };
    let Some(mut instant) = local_microseconds(parts)
        .map(|local| local - i64::from(offset) * 60_000_000)
        .filter(|instant| is_instant(*instant))
    else {
        return no_instant(D004);
    };
    if parts.second == Some(60) {
        if !has_leap_second(instant) {
            return no_instant(D004);
        }
        instant += 1_000_000;
    }
    Date {
        instant: Some(instant),
        precision: Some(precision(parts)),
        has_zone: parts.zone.is_some(),
        code: if offset.abs() > 14 * 60 { Some(D003) } else { code },
    }
}

fn local_microseconds(parts: &Parts<'_>) -> Option<i64> {
    let (year, month, day) = (parts.year, parts.month.unwrap_or(1), parts.day.unwrap_or(1));
    let hour = parts.hour.unwrap_or(0);
    let minute = parts.minute.unwrap_or(0);
    // A leap second is computed from the second before it.
    let second = parts.second.map_or(0, |second| if second == 60 { 59 } else { second });
    let is_possible = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !is_possible {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + i64::from(hour * 3_600 + minute * 60 + second);
    Some(seconds * 1_000_000 + i64::from(microseconds(parts.fraction.unwrap_or(b""))))
}

/// Returns the first six digits of a fraction of a second as microseconds.
fn microseconds(fraction: &[u8]) -> u32 {
    (0..6).fold(0, |sum, i| sum * 10 + fraction.get(i).map_or(0, |digit| u32::from(digit - b'0')))
}

fn precision(parts: &Parts<'_>) -> Precision {
    match parts {
        Parts { hour: None, month: None, .. } => Precision::Year,
        Parts { hour: None, day: None, .. } => Precision::Month,
        Parts { hour: None, .. } => Precision::Day,
        Parts { fraction: Some(_), .. } => Precision::Fraction,
        Parts { second: Some(_), .. } => Precision::Second,
        _ => Precision::Minute,
    }
}

/// Returns the offset from UTC in minutes of `Z`, `+hh`, `+hhmm`, `+hh:mm` or a zone name of RFC
/// 822 section 5.1. The military zones of that RFC are not supported, because it specifies them
/// incorrectly.
fn offset_minutes(zone: Option<&[u8]>) -> Option<i32> {
    let Some(zone) = zone else {
        return Some(0);
    };
    let sign = match zone.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return named_zone(zone),
    };
    let digit = |i: usize| zone.get(i).map_or(0, |digit| i32::from(digit - b'0'));
    let hours = digit(1) * 10 + digit(2);
    let first = if zone.get(3) == Some(&b':') { 4 } else { 3 };
    let minutes = digit(first) * 10 + digit(first + 1);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn named_zone(zone: &[u8]) -> Option<i32> {
    const ZONES: [(&[u8], i32); 12] = [
        (b"ut", 0),
        (b"utc", 0),
        (b"gmt", 0),
        (b"z", 0),
        (b"est", -300),
        (b"edt", -240),
        (b"cst", -360),
        (b"cdt", -300),
        (b"mst", -420),
        (b"mdt", -360),
        (b"pst", -480),
        (b"pdt", -420),
    ];
    ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(zone)).map(|(_, minutes)| *minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<i64> {
        parse_date(text).instant
    }

    #[test]
    fn w3c_formats_are_parsed_with_their_precision() {
        for (text, seconds, precision) in [
            ("1997", 852_076_800, Precision::Year),
            ("1997-07", 867_715_200, Precision::Month),
            ("1997-07-16", 869_011_200, Precision::Day),
            ("1997-07-16T19:20+01:00", 869_077_200, Precision::Minute),
            ("1997-07-16T19:20:30+01:00", 869_077_230, Precision::Second),
        ] {
            let date = parse_date(text);
            assert_eq!(date.instant, Some(seconds * 1_000_000), "{text}");
            assert_eq!((date.precision, date.code), (Some(precision), None), "{text}");
            let quick = w3c_instant(text.as_bytes());
            assert!(quick.is_none() || quick == date.instant, "{text}");
        }
        assert_eq!(at("1997-07-16T19:20:30.45+01:00"), Some(869_077_230_450_000));
        assert_eq!(at("2016-12-31T23:59:60Z"), at("2017-01-01T00:00:00Z"));
        assert_eq!(parse_date("2013-01-27+01:00").code, None);
    }

    #[test]
    fn other_formats_are_parsed_and_reported() {
        for (text, code) in [
            ("2004-10-01 18:23:17", D002),
            ("20041001", D001),
            ("2004-10-01T18:23:17+0000", D003),
            ("Fri, 01 Oct 2004 18:23:17 GMT", D001),
            ("Oct 1, 2004", D001),
        ] {
            let date = parse_date(text);
            assert_eq!(date.code, Some(code), "{text}");
            assert!(date.instant.is_some(), "{text}");
        }
    }

    #[test]
    fn formatting_an_instant_reverses_parsing() {
        for text in ["0001-01-01T00:00:00Z", "2024-02-29T23:59:59.000001Z", "9999-12-31T23:59:59Z"]
        {
            let again = at(text).map(format_instant);
            assert_eq!(again.as_ref().map(InstantText::as_bytes), Some(text.as_bytes()));
        }
    }

    #[test]
    fn invalid_dates_have_no_instant() {
        for (text, code) in [
            ("01/10/2004", D001),
            ("2004-02-30", D004),
            ("0000", D004),
            ("2016-12-31T23:59:60+01:00", D004),
            ("2015-12-31T23:59:60Z", D004),
            ("0001-01-01T00:00+00:01", D004),
            ("9999-12-31T23:59-00:01", D004),
            ("-0001-01-01", D004),
            ("2004-10-01T18:23+25:00", D003),
            ("", D001),
        ] {
            let date = parse_date(text);
            assert_eq!((date.instant, date.code), (None, Some(code)), "{text}");
        }
    }
}
