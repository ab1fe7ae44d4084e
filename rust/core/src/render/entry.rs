//! Rendering of an entry.

use super::extensions::EXTENSIONS;
use crate::columns::Entries;
use crate::dates::{format_instant, parse_date, w3c_instant};
use crate::escape::escape;
use crate::utf8::utf8;

/// Common priorities.
const TENTHS: [&[u8]; 11] =
    [b"0.0", b"0.1", b"0.2", b"0.3", b"0.4", b"0.5", b"0.6", b"0.7", b"0.8", b"0.9", b"1.0"];

/// Renders a `url` element.
pub(super) fn url(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    out.extend_from_slice(b"<url><loc>");
    escape(entries.loc.get(row).unwrap_or_default(), false, out);
    out.extend_from_slice(b"</loc>");
    lastmod(out, entries, row);
    if let Some(word) = entries.changefreq.get(row) {
        wrapped(out, b"<changefreq>", word, b"</changefreq>");
    }
    if let Some(value) = entries.priority.get(row) {
        out.extend_from_slice(b"<priority>");
        match (0..11_u8).find(|tenth| (f64::from(*tenth) / 10.0).to_bits() == value.to_bits()) {
            Some(tenth) => out.extend_from_slice(TENTHS[usize::from(tenth)]),
            None => out.extend_from_slice(decimal(value).as_bytes()),
        }
        out.extend_from_slice(b"</priority>");
    }
    for extension in EXTENSIONS {
        (extension.render)(out, entries, row);
    }
    out.extend_from_slice(entries.extra.get(row).unwrap_or_default());
    out.extend_from_slice(b"</url>\n");
}

/// Renders the date as written if it is a W3C date, else the instant in that format.
fn lastmod(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    let text = entries.lastmod_text.get(row);
    let (open, close) = (b"<lastmod>", b"</lastmod>");
    if let Some(text) = text.filter(|text| is_w3c(text)) {
        wrapped(out, open, text, close);
    } else if let Some(instant) = entries.lastmod.get(row) {
        wrapped(out, open, format_instant(instant).as_bytes(), close);
    }
}

/// Formats a number without an exponent, as the schema requires, with the fewest digits that parse
/// to the same number.
fn decimal(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific.to_lowercase(); // nan, inf
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let text = value.to_string();
        return if text.contains('.') { text } else { text + ".0" };
    }
    let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
    format!("0.{}{}", "0".repeat(zeros), mantissa.replace('.', ""))
}

fn is_w3c(text: &[u8]) -> bool {
    w3c_instant(text).is_some() || utf8(text).is_some_and(|text| parse_date(text).code.is_none())
}

fn wrapped(out: &mut Vec<u8>, open: &[u8], value: &[u8], close: &[u8]) {
    out.extend_from_slice(open);
    escape(value, false, out);
    out.extend_from_slice(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_an_exponent() {
        for (value, text) in [(0.8, "0.8"), (1.0, "1.0"), (1e-5, "0.00001"), (0.00012, "0.00012")] {
            assert_eq!(decimal(value), text);
        }
    }
}
