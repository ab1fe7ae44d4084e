//! Decoding of character data: references, forbidden characters, line ends.

use crate::codes::{X002, X003, X004, X005, X016};
use crate::context::{Buffer, Context};
use crate::diagnostics::READ_LIMIT;
use crate::references::{
    Meaning, character, html_entity, is_noncharacter, meaning, predefined, reference_length,
};
use crate::search::any;
use crate::utf8::utf8_or_empty;

/// Location of a decoded value.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// In the text, unchanged.
    Text(usize, usize),
    /// In [`Buffer::decoded`].
    Decoded(usize, usize),
    /// Unknown, because of an entity.
    Uncertain,
}

impl Value {
    /// Returns the text, unless it is uncertain.
    #[must_use]
    pub fn get<'b>(self, buffer: &'b Buffer<'_>) -> Option<&'b str> {
        match self {
            Self::Text(start, end) => buffer.text.get(start..end),
            Self::Decoded(start, end) => buffer.decoded.get(start..end),
            Self::Uncertain => None,
        }
    }
}

/// Kind of markup that contains a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Character data.
    Text,
    /// Attribute value, in which white space is normalized to spaces (XML 1.0 section 3.3.3).
    Attribute,
    /// CDATA section, in which `&` and `<` stand for themselves.
    Cdata,
}

/// Returns whether bytes contain nothing that [`decode`] has to change or report.
#[inline]
#[must_use]
pub fn is_plain(bytes: &[u8], kind: ValueKind) -> bool {
    match kind {
        ValueKind::Text => !any(bytes, |byte| {
            ((byte < 0x20) & (byte != b'\n') & (byte != b'\t'))
                | (byte == b'&')
                | (byte == b']')
                | (byte == 0xef)
        }),
        ValueKind::Attribute => !any(bytes, |byte| (byte < 0x20) | (byte == b'&') | (byte == 0xef)),
        ValueKind::Cdata => {
            !any(bytes, |byte| ((byte < 0x20) & (byte != b'\n') & (byte != b'\t')) | (byte == 0xef))
        }
    }
}

/// Decodes a span of the text and reports its problems.
pub fn decode(context: &mut Context<'_>, kind: ValueKind, start: usize, end: usize) -> Value {
    let text = context.slice(start, end);
    let raw = text.as_bytes();
    if is_plain(raw, kind) {
        return Value::Text(start, end);
    }
    let decoded_start = context.buffer.decoded.len();
    let mut is_certain = true;
    let mut is_changed = false;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = next_special(raw, at, kind) {
        let length = found.length(raw);
        let span = start + found.at..start + found.at + length;
        at = found.at + length;
        if found.kind == SpecialKind::SectionEnd {
            context.diagnostics.add(X002, span.start, span.end, "\"]]>\" in text");
            continue;
        }
        is_changed = true;
        context.buffer.decoded.push_str(&text[copied..found.at]);
        copied = at;
        match found.kind {
            SpecialKind::Reference => is_certain &= reference(context, span.start, span.end),
            SpecialKind::Space => {
                context.buffer.decoded.push(if kind == ValueKind::Attribute { ' ' } else { '\n' });
            }
            _ => forbidden(context, span.start, span.end),
        }
    }
    if !is_certain {
        context.buffer.decoded.truncate(decoded_start);
        return Value::Uncertain;
    }
    if !is_changed {
        return Value::Text(start, end);
    }
    context.buffer.decoded.push_str(&text[copied..]);
    Value::Decoded(decoded_start, context.buffer.decoded.len())
}

/// Kind of a byte sequence that decoding changes or reports.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpecialKind {
    Reference,
    Forbidden,
    Space,
    SectionEnd,
}

/// Byte sequence that decoding changes or reports.
struct Special {
    at: usize,
    kind: SpecialKind,
}

impl Special {
    fn length(&self, raw: &[u8]) -> usize {
        match self.kind {
            SpecialKind::Reference => reference_length(&raw[self.at..]),
            SpecialKind::Forbidden => {
                if raw[self.at] == 0xef {
                    3
                } else {
                    1
                }
            }
            SpecialKind::Space => {
                if raw[self.at] == b'\r' && raw.get(self.at + 1) == Some(&b'\n') {
                    2
                } else {
                    1
                }
            }
            SpecialKind::SectionEnd => 3,
        }
    }
}

/// Returns the next special byte sequence from `at` on.
fn next_special(raw: &[u8], mut at: usize, kind: ValueKind) -> Option<Special> {
    loop {
        let byte = *raw.get(at)?;
        let kind = match byte {
            b'&' if kind != ValueKind::Cdata => SpecialKind::Reference,
            b'\r' => SpecialKind::Space,
            b'\t' | b'\n' if kind == ValueKind::Attribute => SpecialKind::Space,
            b'\t' | b'\n' => {
                at += 1;
                continue;
            }
            0..0x20 => SpecialKind::Forbidden,
            b']' if kind == ValueKind::Text && raw[at..].starts_with(b"]]>") => {
                SpecialKind::SectionEnd
            }
            0xef if is_noncharacter(&raw[at..]) => SpecialKind::Forbidden,
            _ => {
                at += 1;
                continue;
            }
        };
        return Some(Special { at, kind });
    }
}

fn forbidden(context: &mut Context<'_>, start: usize, end: usize) {
    let code = match context.bytes[start..end] {
        [byte] => u32::from(byte),
        [.., last] => 0xfffe + u32::from(last & 1),
        [] => 0,
    };
    context.diagnostics.add(X005, start, end, &format!("U+{code:04X}"));
}

/// Appends the expansion of a reference. Returns false if it is uncertain.
fn reference(context: &mut Context<'_>, start: usize, end: usize) -> bool {
    let text = context.slice(start, end);
    match meaning(text.as_bytes(), 8) {
        Meaning::Ampersand => {
            context.diagnostics.add(X003, start, end, "");
            context.buffer.decoded.push('&');
        }
        Meaning::Number(number) => match number.and_then(character) {
            Some(character) => context.buffer.decoded.push(character),
            None => context.diagnostics.add(X005, start, end, text),
        },
        Meaning::Name(name) => return entity(context, name, start, end),
    }
    true
}

fn entity(context: &mut Context<'_>, name: &[u8], start: usize, end: usize) -> bool {
    if let Some(character) = predefined(name) {
        context.buffer.decoded.push(character);
        return true;
    }
    let shown = utf8_or_empty(name);
    if context.entities.has(name) {
        context.entities_used = true;
        if let Some((value, length)) = context.entities.expand(name) {
            context.expanded_characters += length;
            if context.expanded_characters <= READ_LIMIT {
                context.buffer.decoded.push_str(value);
                return true;
            }
        }
        context.diagnostics.add(X016, start, end, &format!("Entity &{shown}; expands too far"));
        return false;
    }
    context.diagnostics.add(X004, start, end, shown);
    match html_entity(shown) {
        Some(value) => context.buffer.decoded.push_str(value),
        None if context.has_unknown_entities => return false,
        None => context.buffer.decoded.push_str(context.slice(start, end)),
    }
    true
}
