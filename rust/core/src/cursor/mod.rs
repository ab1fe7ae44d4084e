//! Markup as nearly everybody writes it, read without a tree: small steps along the bytes, each of
//! which fails where there is anything to decide.

mod attributes;
mod values;

use crate::search::{Mode, find_end, is_xml_space};
use crate::values::ValueKind;

/// A value: where it lies, in the text or among the decoded ones.
#[derive(Clone, Copy)]
pub enum Slice {
    /// In the text.
    Text(usize, usize),
    /// In [`Cursor::made`].
    Decoded(usize, usize),
}

/// A text at the start of a longer one.
#[derive(Clone, Copy)]
pub struct Prefix<'a> {
    /// The longer one.
    pub rest: &'a [u8],
    /// The length of the text.
    pub length: usize,
}

/// Where a value stands in the text.
#[derive(Clone, Copy)]
pub struct Span {
    /// In what markup.
    pub kind: ValueKind,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Attributes of one element that are read here; there are no more in any extension.
const MAX_ATTRIBUTES: usize = 6;

/// A kind in a document.
pub struct Cursor<'a> {
    /// The document.
    pub text: &'a [u8],
    /// The kind.
    pub at: usize,
    /// Decoded values, one behind the other.
    pub decoded: Vec<u8>,
    /// Line ends that were met.
    pub lines: u32,
    attributes: [(&'a [u8], Slice); MAX_ATTRIBUTES],
    attribute_count: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the start of a document.
    pub fn new(text: &'a [u8]) -> Self {
        let attributes = [(&text[..0], Slice::Text(0, 0)); MAX_ATTRIBUTES];
        let (decoded, lines, attribute_count) = (Vec::new(), 1, 0);
        Self { text, at: 0, decoded, lines, attributes, attribute_count }
    }

    /// What follows.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over white space.
    #[inline]
    pub fn skip_spaces(&mut self) {
        // What stands before nearly every tag, in one step: a line end and up to seven blanks.
        const MARKS: u64 = u64::from_le_bytes([b'<'; 8]);
        const INDENT: u64 = u64::from_le_bytes(*b"\n       ");
        const LOW: u64 = u64::from_le_bytes([1; 8]);
        if let Some(chunk) = self.rest().first_chunk::<8>() {
            let bytes = u64::from_le_bytes(*chunk);
            let other = bytes ^ MARKS;
            let is_graphic = other.wrapping_sub(LOW) & !other & (LOW << 7);
            let length = is_graphic.trailing_zeros() / 8;
            if length == 0 {
                return;
            }
            let before = u64::MAX >> (64 - 8 * length);
            if (bytes ^ INDENT) & before == 0 {
                self.at += length as usize;
                self.lines += 1;
            }
        }
        while let Some(byte) = self.text.get(self.at).filter(|byte| is_xml_space(**byte)) {
            self.at += 1;
            let is_end =
                *byte == b'\n' || (*byte == b'\r' && self.text.get(self.at) != Some(&b'\n'));
            self.lines += u32::from(is_end);
        }
    }

    /// Steps over these bytes, if they follow.
    #[inline]
    pub fn eat(&mut self, bytes: &[u8]) -> bool {
        let is_there = self.rest().starts_with(bytes);
        if is_there {
            self.at += bytes.len();
        }
        is_there
    }

    /// Steps over the text of an element up to its end tag, `</…>` given whole. A section of
    /// CDATA may stand there instead of text.
    #[inline]
    pub fn text_until(&mut self, end_tag: &[u8]) -> Option<Span> {
        let span = self.text()?;
        self.eat(end_tag).then_some(span)
    }

    /// Steps over the text of an element.
    #[inline]
    pub fn text(&mut self) -> Option<Span> {
        let start = self.at;
        let length = memchr::memchr(b'<', self.rest())?;
        self.at += length;
        if length > 0 || self.text.get(self.at + 1) != Some(&b'!') {
            return Some(Span { kind: ValueKind::Text, start, end: start + length });
        }
        if !self.eat(b"<![CDATA[") {
            return None;
        }
        let start = self.at;
        let length = memchr::memmem::find(self.rest(), b"]]>")?;
        self.at += length + 3;
        Some(Span { kind: ValueKind::Cdata, start, end: start + length })
    }

    /// The bytes of a slice.
    #[inline]
    pub fn get(&self, slice: Slice) -> &[u8] {
        match slice {
            Slice::Text(start, end) => self.text.get(start..end),
            Slice::Decoded(start, end) => self.decoded.get(start..end),
        }
        .unwrap_or_default()
    }

    /// Steps over the text of an element up to its end tag, if nothing is to be decoded in it and
    /// nothing to be trimmed; may stay anywhere else.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the end tag is known where it is called")]
    pub fn plain_text(&mut self, end_tag: &[u8]) -> Option<Prefix<'a>> {
        self.plain(Mode::Text, end_tag)
    }

    /// Steps over a text or a value and what follows it, if all is as usual; stays where it is
    /// or anywhere behind it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what follows is known where it is called")]
    pub fn plain(&mut self, mode: Mode, following: &[u8]) -> Option<Prefix<'a>> {
        let rest = self.rest();
        let (length, is_odd) = find_end(rest, mode)?;
        let is_graphic = |at: usize| rest.get(at).is_some_and(|byte| (0x21..0x80).contains(byte));
        let is_plain = !is_odd && length > 0 && is_graphic(0) && is_graphic(length - 1);
        self.at += length;
        (is_plain && self.eat(following)).then_some(Prefix { rest, length })
    }
}
