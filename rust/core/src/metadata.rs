//! Values of `changefreq` and `priority`.

/// Returns the `changefreq` value that equals a text, ignoring case.
#[must_use]
pub fn changefreq_word(text: &[u8]) -> Option<&'static str> {
    let words = ["daily", "weekly", "monthly", "hourly", "yearly", "always", "never"];
    words.into_iter().find(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// Parses a decimal number from 0 to 1.
#[must_use]
pub fn priority_value(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() < 2
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    if !is_decimal {
        return None;
    }
    text.parse().ok().filter(|value| (0.0..=1.0).contains(value)).map(f64::abs)
}
