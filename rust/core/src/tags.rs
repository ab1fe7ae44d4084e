//! Start tags and end tags: their names and ends.

use crate::references::{begins_name, name_length};
use crate::search::{find, find_byte, find_within, skip_space};

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

/// Offsets of an end tag, and whether it is well-formed.
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

/// Tag with its range in the text.
pub struct Tag<'a> {
    /// Name as written; empty for a malformed end tag without a name.
    pub name: &'a [u8],
    /// Offset of its `<`.
    pub start: usize,
    /// End offset.
    pub end: usize,
    /// Whether it is an end tag.
    pub is_end: bool,
    /// Whether it is the tag of an element without content.
    pub is_empty: bool,
}

/// Iterator over the tags outside comments, CDATA sections and instructions.
pub struct Tags<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tags<'a> {
    /// Returns the tags from an offset on.
    pub const fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        let text = self.text;
        while let Some(start) = find_byte(text, b'<', self.at, text.len()) {
            self.at = start + 1;
            match text.get(start + 1) {
                Some(b'/') => {
                    if let Some(EndTag { name_end, end, .. }) = end_tag(text, start) {
                        self.at = end;
                        let name = &text[start + 2..name_end];
                        return Some(Tag { name, start, end, is_end: true, is_empty: false });
                    }
                }
                Some(b'!' | b'?') => {
                    // An unterminated construct extends to the end of the text.
                    self.at = skip_construct(text, start).unwrap_or(text.len());
                }
                Some(byte) if begins_name(*byte) => {
                    if let Some((name_end, end)) = start_tag(text, start) {
                        self.at = end;
                        let name = &text[start + 1..name_end];
                        let is_empty = text[end - 2] == b'/' && end - 2 >= name_end;
                        return Some(Tag { name, start, end, is_end: false, is_empty });
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Returns the offset to continue at: after a comment, a section or an instruction, or None if it
/// is unterminated. After any other `<` it is the next byte.
fn skip_construct(text: &[u8], start: usize) -> Option<usize> {
    let pairs: [(&[u8], &[u8]); 2] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>")];
    for (opener, closer) in pairs {
        if text[start..].starts_with(opener) {
            return find(text, closer, start + opener.len()).map(|end| end + closer.len());
        }
    }
    if !text[start..].starts_with(b"<?") {
        return Some(start + 1);
    }
    // Without `?>` before the next tag, an instruction ends at the first `>`.
    let following = next_markup(text, start);
    find_within(text, b"?>", start + 2, following)
        .map(|end| end + 2)
        .or_else(|| find_byte(text, b'>', start + 2, following).map(|end| end + 1))
        .or_else(|| find(text, b"?>", start + 2).map(|end| end + 2))
}
