//! Character data: references, characters that XML forbids, line ends — text as it is meant.

use crate::codes::{X002, X003, X004, X005, X016};
use crate::context::{Buffer, Context, utf8};
use crate::references::{
    Meaning, character, html_entity, is_noncharacter, meaning, predefined, reference_length,
};
use crate::search::any;

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

fn forbidden(context: &mut Context<'_>, start: usize, end: usize) {
    let code = match context.bytes[start..end] {
        [byte] => u32::from(byte),
        [.., last] => 0xfffe + u32::from(last & 1),
        [] => 0,
    };
    context.marks.add(X005, start, end, &format!("U+{code:04X}"));
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
