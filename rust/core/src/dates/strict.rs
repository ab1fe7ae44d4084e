//! Strict checks of single date formats.

use super::calendar::{days, days_of_month, is_instant};
use super::scanner::Scanner;

/// Parses a W3C date of the three common lengths: a day, or a time with seconds and `Z` or an
/// offset. Returns None for every date that [`super::parse_date`] has to parse or report.
#[must_use]
pub fn w3c_instant(text: &[u8]) -> Option<i64> {
    let day = text.first_chunk::<10>()?;
    let mut is_invalid = (day[4] != b'-') | (day[7] != b'-');
    let mut two = |tens: u8, ones: u8| {
        let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
        is_invalid |= (tens > 9) | (ones > 9);
        u32::from(tens) * 10 + u32::from(ones)
    };
    let year = two(day[0], day[1]) * 100 + two(day[2], day[3]);
    let (month, date) = (two(day[5], day[6]), two(day[8], day[9]));
    let mut seconds = 0;
    let mut offset = 0;
    if let Some(rest) = text.get(10..).filter(|rest| !rest.is_empty()) {
        let time = rest.first_chunk::<9>()?;
        let [hour, minute, second] =
            [two(time[1], time[2]), two(time[4], time[5]), two(time[7], time[8])];
        seconds = hour * 3_600 + minute * 60 + second;
        let mut is_late = (hour > 23) | (minute > 59) | (second > 59);
        match &rest[9..] {
            b"Z" => {}
            [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
                let (hours, minutes) = (two(*a, *b), two(*c, *d));
                offset = i64::from(hours * 60 + minutes);
                is_late |= (offset > 14 * 60) | (minutes > 59);
                offset = if *sign == b'-' { -offset } else { offset };
            }
            _ => return None,
        }
        is_invalid |= is_late | (time[0] != b'T') | (time[3] != b':') | (time[6] != b':');
    }
    if is_invalid || year == 0 || !(1..=12).contains(&month) {
        return None;
    }
    if date == 0 || date > days_of_month(year, month) {
        return None;
    }
    let seconds = days(year, month, date) * 86_400 + i64::from(seconds) - offset * 60;
    Some(seconds * 1_000_000).filter(|instant| is_instant(*instant))
}

/// Returns whether a text is a date of RSS 2.0, which refers to RFC 822.
#[must_use]
pub fn is_rss_date(text: &str) -> bool {
    let scan = &mut Scanner::new(text.as_bytes());
    let mut date = || {
        let weekday = scan.run(|byte| byte.is_ascii_alphabetic());
        if !weekday.is_empty() {
            scan.eat(b',').filter(|()| weekday.len() == 3)?;
            scan.skip_spaces();
        }
        scan.one_or_two()?;
        scan.require_spaces()?;
        (scan.run(|byte| byte.is_ascii_alphabetic()).len() == 3).then_some(())?;
        scan.require_spaces()?;
        scan.digits(4).or_else(|| scan.digits(2))?;
        scan.require_spaces()?;
        scan.digits(2)?;
        scan.eat(b':')?;
        scan.digits(2)?;
        if scan.eat(b':').is_some() {
            scan.digits(2)?;
        }
        scan.require_spaces()?;
        if scan.eat_one(b"+-").is_some() {
            scan.digits(4)?;
        } else {
            let zone = scan.run(|byte| byte.is_ascii_alphabetic());
            matches!(zone.len(), 1..=3).then_some(())?;
        }
        scan.comment_to_end()
    };
    date().is_some()
}

/// Returns whether a text is a date of Atom: RFC 3339 with seconds and a zone.
#[must_use]
pub fn is_atom_date(text: &str) -> bool {
    let scan = &mut Scanner::new(text.as_bytes());
    let mut date = || {
        scan.digits(4)?;
        scan.eat(b'-')?;
        scan.digits(2)?;
        scan.eat(b'-')?;
        scan.digits(2)?;
        scan.eat_one(b"Tt")?;
        scan.digits(2)?;
        scan.eat(b':')?;
        scan.digits(2)?;
        scan.eat(b':')?;
        scan.digits(2)?;
        scan.fraction(b".")?;
        if scan.eat(b'z').is_none() {
            scan.w3c_zone()?;
        }
        scan.is_at_end().then_some(())
    };
    date().is_some()
}
