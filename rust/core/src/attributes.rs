//! Attributes of a start tag, well-formed or not.

use crate::codes::{X002, X021};
use crate::context::Context;
use crate::references::name_length;
use crate::search::{find_byte, is_xml_space, skip_space};
use crate::utf8::utf8_or_empty;
use crate::values::{Value, ValueKind, decode};

/// Maximum number of attributes stored per element.
const MAX_ATTRIBUTES: usize = 256;

/// Attribute of a start tag.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Name as written.
    pub name: &'a [u8],
    /// Decoded value.
    pub value: Value,
    /// Start offset of the value.
    pub start: usize,
    /// End offset of the value.
    pub end: usize,
}

/// Adds the attributes between two offsets to `found`. Of two attributes with the same name, the
/// first one counts.
pub fn attributes<'a>(
    context: &mut Context<'a>,
    found: &mut Vec<Attribute<'a>>,
    start: usize,
    end: usize,
) {
    let text = context.bytes;
    let first = found.len();
    let mut is_malformed = false;
    let mut at = start;
    while at < end {
        let name_start = skip_space(&text[..end], at);
        let name_end = name_start + name_length(&text[name_start..end]);
        if name_end == name_start {
            is_malformed |= name_start < end;
            at = name_start + 1;
            continue;
        }
        let name = &text[name_start..name_end];
        is_malformed |= name_start == at;
        let Some((value_start, value_end, next)) = value(&text[..end], name_end) else {
            is_malformed = true;
            at = name_end;
            continue;
        };
        is_malformed |= next == value_end;
        at = next;
        if found[first..].iter().any(|other| other.name == name) {
            context.diagnostics.add(X021, name_start, next, utf8_or_empty(name));
        } else if found.len() - first < MAX_ATTRIBUTES {
            let value = decode(context, ValueKind::Attribute, value_start, value_end);
            found.push(Attribute { name, value, start: value_start, end: value_end });
        } else {
            is_malformed = true;
        }
    }
    if is_malformed {
        context.diagnostics.add(X002, start, end, "malformed attributes");
    }
}

/// Returns the start and end of the value after an attribute name, and the offset to continue at.
/// The end equals that offset only for a value without quotes.
fn value(text: &[u8], name_end: usize) -> Option<(usize, usize, usize)> {
    let at = skip_space(text, name_end);
    if text.get(at) != Some(&b'=') {
        return None;
    }
    let at = skip_space(text, at + 1);
    let quote = *text.get(at)?;
    if matches!(quote, b'"' | b'\'') {
        let end = find_byte(text, quote, at + 1, text.len())?;
        return Some((at + 1, end, end + 1));
    }
    let ends =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b'<' | b'=' | b'>' | b'`') || is_xml_space(*byte);
    let end = text[at..].iter().position(ends).map_or(text.len(), |length| at + length);
    (end > at).then_some((at, end, end))
}
