//! Date formats. Each function implements a pattern of `src/urlset/dates.py`. The patterns are
//! deterministic, so no backtracking is needed.

use crate::codes::{D001, D002, D003};

use super::scanner::{Scanner, is_space, number};

/// Components of a date.
#[derive(Clone, Copy, Default)]
pub(super) struct Parts<'a> {
    /// Year.
    pub(super) year: u32,
    /// Month, from 1.
    pub(super) month: Option<u32>,
    /// Day of the month, from 1.
    pub(super) day: Option<u32>,
    /// Hour.
    pub(super) hour: Option<u32>,
    /// Minute.
    pub(super) minute: Option<u32>,
    /// Second; 60 in a leap second.
    pub(super) second: Option<u32>,
    /// Digits of the fraction of a second.
    pub(super) fraction: Option<&'a [u8]>,
    /// Time zone as written.
    pub(super) zone: Option<&'a [u8]>,
}

/// Parses a date in the W3C Datetime profile.
pub(super) fn w3c(text: &[u8]) -> Option<Parts<'_>> {
    let mut scan = Scanner::new(text);
    let mut parts = Parts { year: scan.digits(4)?, ..Parts::default() };
    if scan.is_at_end() {
        return Some(parts);
    }
    scan.eat(b'-')?;
    parts.month = Some(scan.digits(2)?);
    if scan.is_at_end() {
        return Some(parts);
    }
    scan.eat(b'-')?;
    parts.day = Some(scan.digits(2)?);
    if scan.is_at_end() {
        return Some(parts);
    }
    scan.eat(b'T')?;
    parts.hour = Some(scan.digits(2)?);
    scan.eat(b':')?;
    parts.minute = Some(scan.digits(2)?);
    if scan.eat(b':').is_some() {
        parts.second = Some(scan.digits(2)?);
        parts.fraction = scan.fraction(b".")?;
    }
    parts.zone = Some(scan.w3c_zone()?);
    scan.is_at_end().then_some(parts)
}

/// Parses a date similar to ISO 8601. Returns its components and the code of its problem, if it has
/// one.
pub(super) fn iso(text: &[u8]) -> Option<(Parts<'_>, Option<&'static str>)> {
    let mut scan = Scanner::new(text);
    let mut parts = Parts { year: scan.digits(4)?, ..Parts::default() };
    let separator = scan.eat_one(b"-/")?;
    parts.month = Some(scan.one_or_two()?);
    scan.eat(separator)?; // `2013-01/02` may be an interval (ISO 8601)
    parts.day = Some(scan.one_or_two()?);
    let has_letter = scan.eat_one(b"Tt").is_some();
    let has_spaces = !has_letter && scan.skip_spaces() > 0;
    if has_letter || (has_spaces && scan.peek().is_some_and(|byte| byte.is_ascii_digit())) {
        parts.hour = Some(scan.one_or_two()?);
        scan.eat(b':')?;
        parts.minute = Some(scan.digits(2)?);
        if scan.eat(b':').is_some() {
            parts.second = Some(scan.digits(2)?);
            parts.fraction = scan.fraction(b".,")?;
        }
        scan.skip_spaces();
    }
    let zone_start = scan.at;
    parts.zone = scan.zone_to_end(&[b"Z", b"z", b"UTC", b"GMT"])?;
    let has_time = parts.hour.is_some();
    if !has_certain_zone(&parts) {
        return None;
    }
    let code = match parts.zone {
        None if has_time => Some(D002),
        None => Some(D001),
        Some(zone) => {
            let is_w3c_zone = zone == b"Z" || zone.len() == 6;
            let is_detached = zone_start.checked_sub(1).is_some_and(|i| is_space(text[i]));
            // A day with an offset is a date of XML Schema, which the schema of the protocol
            // allows.
            let is_day = zone_start == 10 && text[4] == b'-' && text[7] == b'-' && !is_detached;
            if is_w3c_zone && !has_time && is_day {
                None
            } else if !(has_time && is_w3c_zone) || is_detached || text.contains(&b't') {
                Some(D003)
            } else {
                Some(D001)
            }
        }
    };
    Some((parts, code))
}

/// Parses a date in the basic format of ISO 8601, without separators.
pub(super) fn compact(text: &[u8]) -> Option<Parts<'_>> {
    let mut scan = Scanner::new(text);
    let mut parts = Parts { year: scan.digits(4)?, ..Parts::default() };
    parts.month = Some(scan.digits(2)?);
    parts.day = Some(scan.digits(2)?);
    if scan.eat_one(b"Tt").is_some() {
        parts.hour = Some(scan.digits(2)?);
        parts.minute = Some(scan.digits(2)?);
        if scan.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            parts.second = Some(scan.digits(2)?);
            parts.fraction = scan.fraction(b".,")?;
        }
    }
    parts.zone = scan.zone_to_end(&[b"Z", b"z"])?;
    has_certain_zone(&parts).then_some(parts)
}

/// Returns whether the text after a day is certainly an offset. `-01` and `-0100` are ambiguous.
fn has_certain_zone(parts: &Parts<'_>) -> bool {
    let is_short = |zone: &[u8]| matches!(zone.first(), Some(b'+' | b'-')) && zone.len() != 6;
    parts.hour.is_some() || !parts.zone.is_some_and(is_short)
}

/// Date in the format of RFC 822.
pub(super) struct Rfc822<'a> {
    /// Name of the month.
    pub(super) month: &'a [u8],
    /// Number of digits of the year.
    pub(super) year_digits: usize,
    /// Components other than the month.
    pub(super) parts: Parts<'a>,
}

/// Parses a date in the format of RFC 822.
pub(super) fn rfc822(text: &[u8]) -> Option<Rfc822<'_>> {
    let mut scan = Scanner::new(text);
    let weekday = scan.run(|byte| byte.is_ascii_alphabetic());
    if !weekday.is_empty() {
        if !WEEKDAYS.iter().any(|day| weekday.eq_ignore_ascii_case(day.as_bytes())) {
            return None;
        }
        if scan.eat(b',').is_some() {
            scan.skip_spaces();
        } else {
            scan.require_spaces()?;
        }
    }
    let mut parts = Parts { day: Some(scan.one_or_two()?), ..Parts::default() };
    scan.require_spaces()?;
    let month = month_word(&mut scan)?;
    scan.require_spaces()?;
    let year = scan.run(|byte| byte.is_ascii_digit());
    if !matches!(year.len(), 2 | 4) {
        return None;
    }
    parts.year = number(year);
    let found = |parts| Some(Rfc822 { month, year_digits: year.len(), parts });
    if scan.is_at_end() {
        return found(parts);
    }
    scan.require_spaces()?;
    parts.hour = Some(scan.one_or_two()?);
    scan.eat(b':')?;
    parts.minute = Some(scan.digits(2)?);
    if scan.eat(b':').is_some() {
        parts.second = Some(scan.digits(2)?);
    }
    if scan.is_at_end() {
        return found(parts);
    }
    scan.skip_spaces();
    let start = scan.at;
    let name = scan.run(|byte| byte.is_ascii_alphabetic());
    if name.is_empty() {
        scan.eat_one(b"+-")?;
        scan.digits(2)?;
        let _ = scan.eat(b':');
        scan.digits(2)?;
    } else if name.len() > 3 {
        return None;
    }
    parts.zone = Some(&text[start..scan.at]);
    scan.comment_to_end()?;
    found(parts)
}

/// Names of weekdays in lower case.
const WEEKDAYS: [&str; 17] = [
    "mon",
    "monday",
    "tue",
    "tues",
    "tuesday",
    "wed",
    "wednesday",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "fri",
    "friday",
    "sat",
    "saturday",
    "sun",
    "sunday",
];

/// Matches `([A-Za-z]{3,9})\.?`.
fn month_word<'a>(scan: &mut Scanner<'a>) -> Option<&'a [u8]> {
    let word = scan.run(|byte| byte.is_ascii_alphabetic());
    let _ = scan.eat(b'.');
    (3..=9).contains(&word.len()).then_some(word)
}

/// Parses a date such as `Oct 1, 2004`. Returns the name of its month and the other components.
pub(super) fn long(text: &[u8]) -> Option<(&[u8], Parts<'_>)> {
    let mut scan = Scanner::new(text);
    let month = month_word(&mut scan)?;
    scan.require_spaces()?;
    let day = Some(scan.one_or_two()?);
    let _ = scan.eat(b',');
    scan.require_spaces()?;
    let year = scan.digits(4)?;
    scan.is_at_end().then_some((month, Parts { year, day, ..Parts::default() }))
}

/// Returns whether a text is a date with a negative year.
pub(super) fn is_before_christ(text: &[u8]) -> bool {
    let scan = &mut Scanner::new(text);
    let mut date = || {
        scan.eat(b'-')?;
        scan.digits(4)?;
        scan.eat(b'-')?;
        scan.digits(2)?;
        scan.eat(b'-')?;
        scan.digits(2)?;
        if scan.is_at_end() {
            return Some(());
        }
        scan.eat(b'T')?;
        if scan.run(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.')).is_empty() {
            return None;
        }
        if !scan.is_at_end() {
            scan.w3c_zone()?;
        }
        scan.is_at_end().then_some(())
    };
    date().is_some()
}

/// Returns the number of a month from its full or abbreviated name.
pub(super) fn month_number(word: &[u8]) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_word = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    let index = if is_word("sept") {
        8
    } else {
        MONTHS.iter().position(|month| is_word(month) || is_word(&month[..3]))?
    };
    u32::try_from(index + 1).ok()
}
