//! Character data: references, characters that XML forbids, line ends — text as it is meant.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::codes::{X002, X003, X004, X005, X016};
use crate::context::{Buffer, Context, utf8};

/// Characters that all entities of one document together may expand to.
const READ_LIMIT: usize = 2 * 52_428_800;

/// Where a decoded value lies.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// In the text, as it is.
    Text(usize, usize),
    /// In [`Buffer::made`].
    Made(usize, usize),
    /// An entity makes it uncertain.
    Uncertain,
}

impl Value {
    /// The text, unless it is uncertain.
    #[must_use]
    pub fn get<'b>(self, buffer: &'b Buffer<'_>) -> Option<&'b str> {
        match self {
            Self::Text(start, end) => buffer.text.get(start..end),
            Self::Made(start, end) => buffer.made.get(start..end),
            Self::Uncertain => None,
        }
    }
}

/// In what kind of markup a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Character data.
    Text,
    /// The value of an attribute, where white space becomes blanks (XML 1.0 section 3.3.3).
    Attribute,
    /// A CDATA section, where `&` and `<` are themselves.
    Cdata,
}

/// Whether bytes hold nothing that [`decode`] would have to look at.
#[inline]
#[must_use]
pub fn is_plain(bytes: &[u8], place: Place) -> bool {
    match place {
        Place::Text => !any(bytes, |byte| {
            ((byte < 0x20) & (byte != b'\n') & (byte != b'\t'))
                | (byte == b'&')
                | (byte == b']')
                | (byte == 0xef)
        }),
        Place::Attribute => !any(bytes, |byte| (byte < 0x20) | (byte == b'&') | (byte == 0xef)),
        Place::Cdata => {
            !any(bytes, |byte| ((byte < 0x20) & (byte != b'\n') & (byte != b'\t')) | (byte == 0xef))
        }
    }
}

/// Whether there is such a byte. Sixteen at a time, without branches, become vector code; the
/// last sixteen are looked at again rather than one by one.
#[inline]
pub fn any(bytes: &[u8], is_odd: impl Fn(u8) -> bool) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else {
        return bytes.iter().any(|byte| is_odd(*byte));
    };
    let mut odd = [0; 16];
    for chunk in bytes.as_chunks::<16>().0.iter().chain([last]) {
        for (odd, byte) in odd.iter_mut().zip(chunk) {
            *odd |= u8::from(is_odd(*byte));
        }
    }
    odd != [0; 16]
}

/// Decodes a stretch of the text and notes what is wrong in it.
pub fn decode(context: &mut Context<'_>, place: Place, start: usize, end: usize) -> Value {
    let text = context.slice(start, end);
    let raw = text.as_bytes();
    if is_plain(raw, place) {
        return Value::Text(start, end);
    }
    let made = context.buffer.made.len();
    let mut is_certain = true;
    let mut is_changed = false;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = next_odd(raw, at, place) {
        let length = found.length(raw);
        let span = start + found.at..start + found.at + length;
        at = found.at + length;
        if found.what == What::SectionEnd {
            context.marks.add(X002, span.start, span.end, "\"]]>\" in text");
            continue;
        }
        is_changed = true;
        context.buffer.made.push_str(&text[copied..found.at]);
        copied = at;
        match found.what {
            What::Reference => is_certain &= reference(context, span.start, span.end),
            What::Space => {
                context.buffer.made.push(if place == Place::Attribute { ' ' } else { '\n' });
            }
            _ => forbidden(context, span.start, span.end),
        }
    }
    if !is_certain {
        context.buffer.made.truncate(made);
        return Value::Uncertain;
    }
    if !is_changed {
        return Value::Text(start, end);
    }
    context.buffer.made.push_str(&text[copied..]);
    Value::Made(made, context.buffer.made.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Reference,
    Forbidden,
    Space,
    SectionEnd,
}

struct Odd {
    at: usize,
    what: What,
}

impl Odd {
    fn length(&self, raw: &[u8]) -> usize {
        match self.what {
            What::Reference => reference_length(&raw[self.at..]),
            What::Forbidden => {
                if raw[self.at] == 0xef {
                    3
                } else {
                    1
                }
            }
            What::Space => {
                if raw[self.at] == b'\r' && raw.get(self.at + 1) == Some(&b'\n') {
                    2
                } else {
                    1
                }
            }
            What::SectionEnd => 3,
        }
    }
}

/// The next place from `at` on that is not itself.
fn next_odd(raw: &[u8], mut at: usize, place: Place) -> Option<Odd> {
    loop {
        let byte = *raw.get(at)?;
        let what = match byte {
            b'&' if place != Place::Cdata => What::Reference,
            b'\r' => What::Space,
            b'\t' | b'\n' if place == Place::Attribute => What::Space,
            b'\t' | b'\n' => {
                at += 1;
                continue;
            }
            0..0x20 => What::Forbidden,
            b']' if place == Place::Text && raw[at..].starts_with(b"]]>") => What::SectionEnd,
            0xef if is_noncharacter(&raw[at..]) => What::Forbidden,
            _ => {
                at += 1;
                continue;
            }
        };
        return Some(Odd { at, what });
    }
}

/// U+FFFE or U+FFFF.
pub(crate) fn is_noncharacter(bytes: &[u8]) -> bool {
    matches!(bytes, [0xef, 0xbf, 0xbe | 0xbf, ..])
}

fn forbidden(context: &mut Context<'_>, start: usize, end: usize) {
    let code = match context.bytes[start..end] {
        [byte] => u32::from(byte),
        [.., last] => 0xfffe + u32::from(last & 1),
        [] => 0,
    };
    context.marks.add(X005, start, end, &format!("U+{code:04X}"));
}

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

/// Adds what a reference stands for; false where that is uncertain.
fn reference(context: &mut Context<'_>, start: usize, end: usize) -> bool {
    let text = context.slice(start, end);
    match meaning(text.as_bytes(), 8) {
        Meaning::Ampersand => {
            context.marks.add(X003, start, end, "");
            context.buffer.made.push('&');
        }
        Meaning::Number(number) => match number.and_then(character) {
            Some(character) => context.buffer.made.push(character),
            None => context.marks.add(X005, start, end, text),
        },
        Meaning::Name(name) => return entity(context, name, start, end),
    }
    true
}

/// A character that XML allows.
fn character(number: u32) -> Option<char> {
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

fn entity(context: &mut Context<'_>, name: &[u8], start: usize, end: usize) -> bool {
    if let Some(character) = predefined(name) {
        context.buffer.made.push(character);
        return true;
    }
    let shown = utf8(name);
    if context.entities.has(name) {
        context.entities_used = true;
        if let Some((value, length)) = context.entities.expand(name) {
            context.expanded += length;
            if context.expanded <= READ_LIMIT {
                context.buffer.made.push_str(value);
                return true;
            }
        }
        context.marks.add(X016, start, end, &format!("Entity &{shown}; expands too far"));
        return false;
    }
    context.marks.add(X004, start, end, shown);
    match html_entity(shown) {
        Some(value) => context.buffer.made.push_str(value),
        None if context.has_unknown_entities => return false,
        None => context.buffer.made.push_str(context.slice(start, end)),
    }
    true
}

/// The entities of HTML5, as Python's `html.entities.html5` has them.
fn html_entity(name: &str) -> Option<&'static str> {
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

/// Adds a value as XML: the five escapes of sitemaps.org, and line ends that would be lost.
pub fn escape(value: &[u8], is_attribute: bool, out: &mut Vec<u8>) {
    let is_odd = |b: u8| (b == b'&') | (b == b'<') | (b == b'>') | (b == b'"') | (b == b'\'');
    if !any(value, |byte| is_odd(byte) | (byte < 0x20)) {
        out.extend_from_slice(value);
        return;
    }
    let mut copied = 0;
    for (at, byte) in value.iter().enumerate() {
        if *byte > b'>' {
            continue;
        }
        let written: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&apos;",
            b'\r' => b"&#13;",
            b'\n' if is_attribute => b"&#10;",
            b'\t' if is_attribute => b"&#9;",
            _ => continue,
        };
        out.extend_from_slice(&value[copied..at]);
        out.extend_from_slice(written);
        copied = at + 1;
    }
    out.extend_from_slice(&value[copied..]);
}
