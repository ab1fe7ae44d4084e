//! Time format of Apache and nginx logs.

use super::calendar::{days, days_of_month};
use super::forms::month_number;

/// Parses a time such as `03/Nov/2026:12:00:05 +0100` into seconds since 1970-01-01 UTC. Without a
/// zone, it is UTC.
///
/// Returns None for an invalid time and for one before 1970.
#[must_use]
pub fn parse_log_time(text: &[u8]) -> Option<i64> {
    let shape = text.get(..20)?;
    let is_shaped = [(2, b'/'), (6, b'/'), (11, b':'), (14, b':'), (17, b':')]
        .iter()
        .all(|&(index, separator)| shape[index] == separator);
    let (day, year) = (number(&shape[..2])?, number(&shape[7..11])?);
    let month = month_number(&shape[3..6])?;
    let (hour, minute, second) =
        (number(&shape[12..14])?, number(&shape[15..17])?, number(&shape[18..])?);
    // Note: `days` requires a year from 1 on.
    let is_real = is_shaped
        && year > 0
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !is_real {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    Some(seconds - offset(&text[20..])?).filter(|&instant| instant >= 0)
}

/// Returns the offset from UTC in seconds, positive to the east.
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        [] => Some(0),
        [b' ', sign @ (b'+' | b'-'), clock @ ..] if clock.len() == 4 => {
            let seconds = number(&clock[..2])? * 3600 + number(&clock[2..])? * 60;
            Some(if *sign == b'+' { i64::from(seconds) } else { -i64::from(seconds) })
        }
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
}
