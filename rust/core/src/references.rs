//! References and names: how long they are, and what they stand for.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The length of `&#1;`, `&#x1;` or `&name;`; 1 for an ampersand alone.
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

/// Whether a name may begin with this byte.
#[inline]
#[must_use]
pub fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

#[inline]
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.') || byte >= 0x80
}

/// The length of the name that bytes begin with; 0 where they do not begin with one.
#[inline]
#[must_use]
pub fn name_length(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(|byte| begins_name(*byte)) { run(bytes, is_in_name) } else { 0 }
}

/// What a reference stands for.
pub(crate) enum Meaning<'b> {
    /// An ampersand that is none.
    Ampersand,
    /// The number of a character; none where there are too many digits.
    Number(Option<u32>),
    /// The name of an entity.
    Name(&'b [u8]),
}

/// Reads what [`reference_length`] measured; numbers of at most `digits` digits.
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

/// A character that XML allows.
pub(crate) fn character(number: u32) -> Option<char> {
    char::from_u32(number).filter(|character| match character {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => *other >= ' ',
    })
}

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

/// The entities of HTML5, as Python's `html.entities.html5` has them.
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

/// U+FFFE or U+FFFF.
pub(crate) fn is_noncharacter(bytes: &[u8]) -> bool {
    matches!(bytes, [0xef, 0xbf, 0xbe | 0xbf, ..])
}

/// Tells whether a decoded value looks escaped still.
#[must_use]
pub fn is_doubly_escaped(value: &[u8]) -> bool {
    memchr::memchr_iter(b'&', value).any(|at| {
        let reference = &value[at..];
        let length = reference_length(reference);
        match meaning(&reference[..length], 0) {
            Meaning::Ampersand => false,
            // Lower-case digits alone.
            Meaning::Number(_) => !reference[..length].iter().any(u8::is_ascii_uppercase),
            Meaning::Name(name) => predefined(name).is_some(),
        }
    })
}
