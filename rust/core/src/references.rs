//! XML names and references: lengths and meanings.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Returns the length of a leading `&#1;`, `&#x1;` or `&name;`, or 1 for a bare ampersand.
#[must_use]
pub fn reference_length(bytes: &[u8]) -> usize {
    let inside = &bytes[1..];
    let length = match inside {
        [b'#', b'x', rest @ ..] => 2 + run(rest, |byte| byte.is_ascii_hexdigit()),
        [b'#', rest @ ..] => 1 + run(rest, |byte| byte.is_ascii_digit()),
        _ => name_length(inside),
    };
    let is_empty = match inside {
        [b'#', b'x', ..] => length == 2,
        [b'#', ..] => length == 1,
        _ => length == 0,
    };
    if !is_empty && inside.get(length) == Some(&b';') { length + 2 } else { 1 }
}

fn run(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !fits(*byte)).unwrap_or(bytes.len())
}

/// Returns whether a name may begin with this byte.
#[inline]
#[must_use]
pub fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

#[inline]
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.') || byte >= 0x80
}

/// Returns the length of a leading name, or 0 if there is none.
#[inline]
#[must_use]
pub fn name_length(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(|byte| begins_name(*byte)) { run(bytes, is_in_name) } else { 0 }
}

/// Meaning of a reference.
pub(crate) enum Meaning<'b> {
    /// Bare ampersand.
    Ampersand,
    /// Character number, or None if it has too many digits.
    Number(Option<u32>),
    /// Entity name.
    Name(&'b [u8]),
}

/// Parses a reference that [`reference_length`] has measured. Numbers have at most `digits` digits.
pub(crate) fn meaning(reference: &[u8], digits: usize) -> Meaning<'_> {
    let Some((b';', inside)) = reference.get(1..).and_then(<[u8]>::split_last) else {
        return Meaning::Ampersand;
    };
    let (text, radix) = match inside {
        [b'#', b'x', rest @ ..] => (rest, 16),
        [b'#', rest @ ..] => (rest, 10),
        name => return Meaning::Name(name),
    };
    let text = &text[run(text, |byte| byte == b'0')..];
    if text.len() > digits {
        return Meaning::Number(None);
    }
    let value = text
        .iter()
        .fold(0, |sum, digit| sum * radix + char::from(*digit).to_digit(16).unwrap_or_default());
    Meaning::Number(Some(value))
}

/// Returns a character if XML allows it.
pub(crate) fn character(number: u32) -> Option<char> {
    char::from_u32(number).filter(|character| match character {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => *other >= ' ',
    })
}

/// Returns the character of one of the five entities that XML predefines.
pub(crate) fn predefined(name: &[u8]) -> Option<char> {
    match name {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        _ => None,
    }
}

/// Returns the value of an HTML5 entity, from the same table as Python's `html.entities.html5`.
pub(crate) fn html_entity(name: &str) -> Option<&'static str> {
    static TABLE: OnceLock<HashMap<&'static str, String>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let line = |line: &'static str| {
            let (name, codes) = line.split_once(' ')?;
            let parse = |code| char::from_u32(u32::from_str_radix(code, 16).ok()?);
            Some((name, codes.split(' ').filter_map(parse).collect()))
        };
        include_str!("html_entities.txt").lines().filter_map(line).collect()
    });
    table.get(name).map(String::as_str)
}

/// Returns whether bytes begin with U+FFFE or U+FFFF.
pub(crate) fn is_noncharacter(bytes: &[u8]) -> bool {
    matches!(bytes, [0xef, 0xbf, 0xbe | 0xbf, ..])
}

/// Returns whether a decoded value still contains an escape.
#[must_use]
pub fn is_doubly_escaped(value: &[u8]) -> bool {
    memchr::memchr_iter(b'&', value).any(|at| {
        let reference = &value[at..];
        let length = reference_length(reference);
        match meaning(&reference[..length], 0) {
            Meaning::Ampersand => false,
            // Only lower-case digits count.
            Meaning::Number(_) => !reference[..length].iter().any(u8::is_ascii_uppercase),
            Meaning::Name(name) => predefined(name).is_some(),
        }
    })
}
