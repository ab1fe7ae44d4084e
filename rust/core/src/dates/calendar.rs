//! Gregorian calendar from year 1 to 9999, the range of Python's `datetime`.

/// Range of Python's `datetime`: years 1 to 9999.
const YEAR_1: i64 = days(1, 1, 1) * 86_400_000_000;
const YEAR_10000: i64 = days(10_000, 1, 1) * 86_400_000_000;

/// Returns the days from 1970-01-01 to a date, for years from 1 on.
pub(super) const fn days(year: u32, month: u32, day: u32) -> i64 {
    /// Days of a common year before each month.
    const BEFORE: [u32; 13] = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let is_late = is_leap(year) && month > 2;
    let years = year - 1;
    let count = years * 365 + years / 4 - years / 100 + years / 400;
    (count + BEFORE[(month % 13) as usize] + is_late as u32 + day) as i64 - 719_163
}

const fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Returns the number of days of a month.
pub(super) fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns whether a leap second follows an instant in the last second of a minute.
///
/// Source of the months, in UTC: <https://www.ietf.org/timezones/data/leap-seconds.list>.
pub(super) fn has_leap_second(instant: i64) -> bool {
    const JUNE: [i64; 11] = [1972, 1981, 1982, 1983, 1985, 1992, 1993, 1994, 1997, 2012, 2015];
    const DECEMBER: [i64; 16] = [
        1972, 1973, 1974, 1975, 1976, 1977, 1978, 1979, 1987, 1989, 1990, 1995, 1998, 2005, 2008,
        2016,
    ];
    let (today, rest) = (instant.div_euclid(86_400_000_000), instant.rem_euclid(86_400_000_000));
    if rest < 86_399_000_000 {
        return false;
    }
    match civil(today) {
        (year, 6, 30) => JUNE.contains(&year),
        (year, 12, 31) => DECEMBER.contains(&year),
        _ => false,
    }
}

/// Returns whether an instant lies in the years 1 to 9999.
#[must_use]
pub fn is_instant(instant: i64) -> bool {
    (YEAR_1..YEAR_10000).contains(&instant)
}

/// Text of an instant, like that of Python's `isoformat`, with a `Z`.
#[derive(Clone, Copy, Debug)]
pub struct InstantText {
    bytes: [u8; 27],
    length: usize,
}

impl InstantText {
    /// Returns the text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Formats an instant.
#[must_use]
pub fn format_instant(instant: i64) -> InstantText {
    format_fields(fields(instant))
}

/// Formats the [`fields`] of an instant, without an allocation.
#[must_use]
pub fn format_fields(fields: [u8; 10]) -> InstantText {
    let [high, low, month, day, hour, minute, second, micros @ ..] = fields;
    let [micros_high, micros_middle, micros_low] = micros;
    let year = u32::from(u16::from_be_bytes([high, low]));
    let micros = u32::from_be_bytes([0, micros_high, micros_middle, micros_low]);
    let mut bytes = *b"0000-00-00T00:00:00.000000Z";
    let pairs = [
        (0, year / 100),
        (2, year),
        (5, month.into()),
        (8, day.into()),
        (11, hour.into()),
        (14, minute.into()),
        (17, second.into()),
        (20, micros / 10_000),
        (22, micros / 100),
        (24, micros),
    ];
    for (at, value) in pairs {
        bytes[at] = digit(value / 10);
        bytes[at + 1] = digit(value);
    }
    let length = if micros == 0 { 20 } else { bytes.len() };
    bytes[19] = if micros == 0 { b'Z' } else { b'.' };
    InstantText { bytes, length }
}

/// Returns the last digit of a number.
fn digit(value: u32) -> u8 {
    b'0' + u8::try_from(value % 10).unwrap_or(0)
}

/// Returns year (two bytes, big-endian), month, day, hour, minute, second and microsecond (three
/// bytes, big-endian) of an instant in the years 1 to 9999.
#[must_use]
pub fn fields(instant: i64) -> [u8; 10] {
    let instant = instant.clamp(YEAR_1, YEAR_10000 - 1);
    let (days, rest) = (instant.div_euclid(86_400_000_000), instant.rem_euclid(86_400_000_000));
    let (year, month, day) = civil(days);
    let (seconds, micros) = (rest / 1_000_000, rest % 1_000_000);
    let [_, _, _, _, _, high, middle, low] = micros.to_be_bytes();
    let small = |value: i64| u8::try_from(value).unwrap_or(0);
    [
        small(year >> 8),
        small(year & 255),
        small(month),
        small(day),
        small(seconds / 3_600),
        small(seconds / 60 % 60),
        small(seconds % 60),
        high,
        middle,
        low,
    ]
}

/// Returns year, month and day; the inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}
