//! Reader for common XML markup that needs no tree. Each method handles one construct and fails on
//! anything unusual.

mod attributes;
mod values;

use crate::search::{Mode, find_end, is_xml_space};
use crate::values::ValueKind;

/// Location of a value: in the text or among the decoded values.
#[derive(Clone, Copy)]
pub enum Slice {
    /// In the text.
    Text(usize, usize),
    /// In [`Cursor::decoded`].
    Decoded(usize, usize),
}

/// Text at the start of a longer slice.
#[derive(Clone, Copy)]
pub struct Prefix<'a> {
    /// Slice that starts with the text.
    pub rest: &'a [u8],
    /// Length of the text.
    pub length: usize,
}

/// Position of a value in the text.
#[derive(Clone, Copy)]
pub struct Span {
    /// Kind of markup that contains the value.
    pub kind: ValueKind,
    /// Start offset.
    pub start: usize,
    /// End offset.
    pub end: usize,
}

/// The tree reads longer CDATA sections. The end of a section that has none is not searched far.
const MAX_CDATA: usize = 16 << 10;

/// Maximum number of attributes per element; no extension has more.
const MAX_ATTRIBUTES: usize = 6;

/// Reading position in a document.
pub struct Cursor<'a> {
    /// Text of the document.
    pub text: &'a [u8],
    /// Current offset.
    pub at: usize,
    /// Concatenated decoded values.
    pub decoded: Vec<u8>,
    /// Number of the current line.
    pub lines: u32,
    attributes: [(&'a [u8], Slice); MAX_ATTRIBUTES],
    attribute_count: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a document.
    pub fn new(text: &'a [u8]) -> Self {
        let attributes = [(&text[..0], Slice::Text(0, 0)); MAX_ATTRIBUTES];
        let (decoded, lines, attribute_count) = (Vec::new(), 1, 0);
        Self { text, at: 0, decoded, lines, attributes, attribute_count }
    }

    /// Returns the rest of the text.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips white space.
    #[inline]
    pub fn skip_spaces(&mut self) {
        // Fast case: a line end and up to seven spaces, which come before most tags.
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

    /// Skips `bytes` if they come next. Returns whether they did.
    #[inline]
    pub fn eat(&mut self, bytes: &[u8]) -> bool {
        let is_there = self.rest().starts_with(bytes);
        if is_there {
            self.at += bytes.len();
        }
        is_there
    }

    /// Skips the text of an element and its end tag, which is given as `</…>`. The text may be a
    /// CDATA section.
    #[inline]
    pub fn text_until(&mut self, end_tag: &[u8]) -> Option<Span> {
        let span = self.text()?;
        self.eat(end_tag).then_some(span)
    }

    /// Skips the text of an element.
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
        let rest = self.rest();
        let length = memchr::memmem::find(&rest[..rest.len().min(MAX_CDATA)], b"]]>")?;
        self.at += length + 3;
        Some(Span { kind: ValueKind::Cdata, start, end: start + length })
    }

    /// Returns the bytes of a slice.
    #[inline]
    pub fn get(&self, slice: Slice) -> &[u8] {
        match slice {
            Slice::Text(start, end) => self.text.get(start..end),
            Slice::Decoded(start, end) => self.decoded.get(start..end),
        }
        .unwrap_or_default()
    }

    /// Skips the text of an element and its end tag, if the text needs no decoding and no trimming.
    /// After a failure, the position is unspecified.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the end tag is a constant at each call")]
    pub fn plain_text(&mut self, end_tag: &[u8]) -> Option<Prefix<'a>> {
        self.plain(Mode::Text, end_tag)
    }

    /// Skips a value and the bytes that follow it, if the value needs no decoding and no trimming.
    /// After a failure, the position is unspecified.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the mode and the following bytes are constants at each call"
    )]
    pub fn plain(&mut self, mode: Mode, following: &[u8]) -> Option<Prefix<'a>> {
        let rest = self.rest();
        let (length, is_special) = find_end(rest, mode)?;
        let is_graphic = |at: usize| rest.get(at).is_some_and(|byte| (0x21..0x80).contains(byte));
        let is_plain = !is_special && length > 0 && is_graphic(0) && is_graphic(length - 1);
        self.at += length;
        (is_plain && self.eat(following)).then_some(Prefix { rest, length })
    }
}
