//! Attributes of a tag.

use std::borrow::Cow;

use super::chars::{char_at, is_space, skip_space, space_length};
use super::unescape::unescape;
use crate::search::find_near;

/// Iterator over the attributes of a tag: names as written, and values with their references.
pub(super) struct Attributes<'a> {
    text: &'a str,
    at: usize,
}

/// Returns the attributes in the text of a tag after its name.
pub(super) fn attributes(text: &str) -> Attributes<'_> {
    Attributes { text, at: 0 }
}

/// Returns the value of the first attribute with a name, which is ASCII in lower case.
pub(super) fn attribute<'a>(text: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let (_, value) = attributes(text).find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
    Some(unescape(value))
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut start = self.at;
        loop {
            match bytes.get(start)? {
                b'"' | b'\'' | b'>' | b'/' | b'=' => start += 1,
                _ => match space_length(text, start) {
                    0 => break,
                    length => start += length,
                },
            }
        }
        let end = start + run(&text[start..], |byte| matches!(byte, b'>' | b'/' | b'='));
        let (value, after) = value(text, end).unwrap_or(("", end));
        self.at = after;
        Some((&text[start..end], value))
    }
}

/// Returns the value after a name that ends at an offset, and its end with its quotation mark.
fn value(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let at = skip_space(text, at);
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    let at = skip_space(text, at + 1);
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at) {
        let length = find_near(*quote, &bytes[at + 1..])?;
        return Some((&text[at + 1..at + 1 + length], at + length + 2));
    }
    let length = run(&text[at..], |byte| byte == b'>');
    (length > 0).then(|| (&text[at..at + length], at + length))
}

/// Returns the length of the text up to white space, a quotation mark or another end.
fn run(text: &str, is_end: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' | b'\'' | b'\t'..=b'\r' | 0x1c..=0x20 => break,
            0x80.. => match char_at(text, at) {
                Some(found) if !is_space(found) => at += found.len_utf8(),
                _ => break,
            },
            _ if is_end(*byte) => break,
            _ => at += 1,
        }
    }
    at
}
