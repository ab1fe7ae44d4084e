//! Start tags and end tags: their ends.

use crate::references::name_length;
use crate::search::{find_byte, skip_space};

/// Returns the end of a well-formed start tag. `at` is the end of its name.
fn tag_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'>' => return Some(at + 1),
            b'<' => return None,
            quote @ (b'"' | b'\'') => {
                let rest = text.get(at + 1..)?;
                let length = memchr::memchr2(*quote, b'<', rest)?;
                if rest[length] == b'<' {
                    return None;
                }
                at += length + 2;
            }
            _ => at += 1,
        }
    }
}

/// Returns the end of the name and the end of the start tag at `start`, or None if the tag is
/// unterminated.
#[must_use]
pub fn start_tag(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let name_end = start + 1 + name_length(&text[start + 1..]);
    if let Some(end) = tag_end(text, name_end) {
        return Some((name_end, end));
    }
    let closed = find_byte(text, b'>', start, next_markup(text, start))?;
    Some((name_end.min(closed), closed + 1))
}

/// End tag.
pub struct EndTag {
    /// End offset of its name; directly after the slash if it has no name.
    pub name_end: usize,
    /// End offset of the tag.
    pub end: usize,
    /// Whether the tag is well-formed.
    pub is_well_formed: bool,
}

/// Reads the end tag at `start`. Returns None if it is not a tag, or if the document ends inside
/// it.
#[must_use]
pub fn end_tag(text: &[u8], start: usize) -> Option<EndTag> {
    let name_end = start + 2 + name_length(&text[start + 2..]);
    let has_name = name_end > start + 2;
    let at = skip_space(text, name_end);
    if has_name && text.get(at) == Some(&b'>') {
        return Some(EndTag { name_end, end: at + 1, is_well_formed: true });
    }
    let following = next_markup(text, start);
    let end = find_byte(text, b'>', start, following).map(|at| at + 1);
    if end.is_none() && (!has_name || following == text.len()) {
        return None;
    }
    Some(EndTag { name_end, end: end.unwrap_or(following), is_well_formed: false })
}

/// Returns the offset of the next `<` after the one at `start`, or the end of the text.
#[must_use]
pub fn next_markup(text: &[u8], start: usize) -> usize {
    find_byte(text, b'<', start + 1, text.len()).unwrap_or(text.len())
}
