//! Markup as nearly everybody writes it, read without a tree: small steps along the bytes, each of
//! which fails where there is anything to decide.

use crate::search::{Look, find_end};
use crate::tokens::is_blank;
use crate::urls::trim;
use crate::values::{Place, any, is_noncharacter};

/// A value: where it lies, in the text or among the decoded ones.
#[derive(Clone, Copy)]
pub enum Piece {
    /// In the text.
    Text(usize, usize),
    /// In [`Scan::made`].
    Made(usize, usize),
}

/// A text at the start of a longer one.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The longer one.
    pub rest: &'a [u8],
    /// The length of the text.
    pub length: usize,
}

/// Where a value stands in the text.
#[derive(Clone, Copy)]
pub struct Span {
    /// In what markup.
    pub place: Place,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Attributes of one element that are read here; there are no more in any extension.
const MOST_ATTRIBUTES: usize = 6;

/// A place in a document.
pub struct Scan<'a> {
    /// The document.
    pub text: &'a [u8],
    /// The place.
    pub at: usize,
    /// Decoded values, one behind the other.
    pub made: Vec<u8>,
    /// Line ends that were met.
    pub lines: u32,
    found: [(&'a [u8], Piece); MOST_ATTRIBUTES],
    count: usize,
}

impl<'a> Scan<'a> {
    /// Begins at the start of a document.
    pub fn new(text: &'a [u8]) -> Self {
        let found = [(&text[..0], Piece::Text(0, 0)); MOST_ATTRIBUTES];
        Self { text, at: 0, made: Vec::new(), lines: 1, found, count: 0 }
    }

    /// What follows.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over white space.
    #[inline]
    pub fn skip_blanks(&mut self) {
        // What stands before nearly every tag, in one step: a line end and up to seven blanks.
        const MARKS: u64 = u64::from_le_bytes([b'<'; 8]);
        const INDENT: u64 = u64::from_le_bytes(*b"\n       ");
        const LOW: u64 = u64::from_le_bytes([1; 8]);
        if let Some(chunk) = self.rest().first_chunk::<8>() {
            let bytes = u64::from_le_bytes(*chunk);
            let other = bytes ^ MARKS;
            let is_mark = other.wrapping_sub(LOW) & !other & (LOW << 7);
            let length = is_mark.trailing_zeros() / 8;
            if length == 0 {
                return;
            }
            let before = u64::MAX >> (64 - 8 * length);
            if (bytes ^ INDENT) & before == 0 {
                self.at += length as usize;
                self.lines += 1;
            }
        }
        while let Some(byte) = self.text.get(self.at).filter(|byte| is_blank(**byte)) {
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
    pub fn text_to(&mut self, end_tag: &[u8]) -> Option<Span> {
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
            return Some(Span { place: Place::Text, start, end: start + length });
        }
        if !self.eat(b"<![CDATA[") {
            return None;
        }
        let start = self.at;
        let length = memchr::memmem::find(self.rest(), b"]]>")?;
        self.at += length + 3;
        Some(Span { place: Place::Cdata, start, end: start + length })
    }

    /// The bytes of a piece.
    #[inline]
    pub fn get(&self, piece: Piece) -> &[u8] {
        match piece {
            Piece::Text(start, end) => self.text.get(start..end),
            Piece::Made(start, end) => self.made.get(start..end),
        }
        .unwrap_or_default()
    }

    /// Steps over the text of an element up to its end tag, if nothing is to be decoded in it and
    /// nothing to be trimmed; may stay anywhere else.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the end tag is known where it is called")]
    pub fn bare_text(&mut self, end_tag: &[u8]) -> Option<Start<'a>> {
        self.bare(Look::Text, end_tag)
    }

    /// Steps over a text or a value and what follows it, if all is as usual; stays where it is
    /// or anywhere behind it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what follows is known where it is called")]
    pub fn bare(&mut self, look: Look, following: &[u8]) -> Option<Start<'a>> {
        let rest = self.rest();
        let (length, is_odd) = find_end(rest, look)?;
        let is_mark = |at: usize| rest.get(at).is_some_and(|byte| (0x21..0x80).contains(byte));
        let is_bare = !is_odd && length > 0 && is_mark(0) && is_mark(length - 1);
        self.at += length;
        (is_bare && self.eat(following)).then_some(Start { rest, length })
    }

    /// Decodes a value in which nothing is odd: the five references of XML and no other.
    #[inline]
    pub fn value(&mut self, span: Span) -> Option<Piece> {
        let Span { place, start, end } = span;
        let raw = self.text.get(start..end)?;
        if !any(raw, is_odd) {
            return Some(Piece::Text(start, end));
        }
        if any(raw, |byte| is_odd(byte) & (byte != b'&')) {
            return self.decode(place, raw);
        }
        if place == Place::Cdata {
            return Some(Piece::Text(start, end));
        }
        // Nothing but references, as in every other URL.
        let made = self.made.len();
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'&', rest) {
            let (before, reference) = rest.split_at_checked(at)?;
            let (decoded, length) = predefined(reference)?;
            self.made.extend_from_slice(before);
            self.made.push(decoded);
            rest = reference.get(length..)?;
        }
        self.made.extend_from_slice(rest);
        Some(Piece::Made(made, self.made.len()))
    }

    fn decode(&mut self, place: Place, raw: &[u8]) -> Option<Piece> {
        let made = self.made.len();
        let mut copied = 0;
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            let rest = &raw[at..];
            at += match byte {
                b'&' if place != Place::Cdata => {
                    let (decoded, length) = predefined(rest)?;
                    self.made.extend_from_slice(&raw[copied..at]);
                    self.made.push(decoded);
                    copied = at + length;
                    length
                }
                b'\n' if place != Place::Attribute => {
                    self.lines += 1;
                    1
                }
                b'\t' if place != Place::Attribute => 1,
                0..0x20 => return None,
                b']' if place == Place::Text && rest.starts_with(b"]]>") => return None,
                0xef if is_noncharacter(rest) => return None,
                _ => 1,
            };
        }
        self.made.extend_from_slice(&raw[copied..]);
        Some(Piece::Made(made, self.made.len()))
    }

    /// A piece without white space around it; none where nothing is left.
    #[inline]
    pub fn trimmed(&self, piece: Piece) -> Option<Piece> {
        let bytes = self.get(piece);
        let is_mark = |byte: &u8| (0x21..0x80).contains(byte);
        if bytes.first().is_some_and(is_mark) && bytes.last().is_some_and(is_mark) {
            return Some(piece);
        }
        let text = simdutf8::basic::from_utf8(bytes).ok()?;
        let kept = trim(text);
        let before = text.len() - text.trim_start_matches(crate::urls::is_space).len();
        let cut = |start: usize| (start + before, start + before + kept.len());
        (!kept.is_empty()).then(|| match piece {
            Piece::Text(start, _) => {
                let (start, end) = cut(start);
                Piece::Text(start, end)
            }
            Piece::Made(start, _) => {
                let (start, end) = cut(start);
                Piece::Made(start, end)
            }
        })
    }

    /// Steps over the rest of a start tag behind its name; gives whether it ends in `/>`.
    #[inline]
    pub fn tag_end(&mut self) -> Option<bool> {
        self.count = 0;
        if self.eat(b">") { Some(false) } else { self.read_attributes() }
    }

    fn read_attributes(&mut self) -> Option<bool> {
        loop {
            let before = self.at;
            self.skip_blanks();
            if self.eat(b">") {
                return Some(false);
            }
            if self.eat(b"/>") {
                return Some(true);
            }
            let rest = self.rest();
            let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))?;
            let name = rest.get(..length)?;
            let is_name = name.first().is_some_and(|byte| !byte.is_ascii_digit());
            let is_known = self.attributes().any(|(known, _)| known == name);
            if self.at == before || !is_name || is_known || name == b"xmlns" {
                return None;
            }
            self.at += length;
            let start = self.at + 2;
            if !self.eat(b"=\"") {
                return None;
            }
            let end = start + memchr::memchr2(b'"', b'<', self.rest())?;
            self.at = end;
            if !self.eat(b"\"") {
                return None;
            }
            let value = self.value(Span { place: Place::Attribute, start, end })?;
            *self.found.get_mut(self.count)? = (name, value);
            self.count += 1;
        }
    }

    /// The attributes of the last start tag.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a [u8], Piece)> + '_ {
        self.found.iter().take(self.count).copied()
    }

    /// The trimmed value of an attribute.
    pub fn attribute(&self, name: &[u8]) -> Option<&[u8]> {
        let (_, piece) = self.attributes().find(|(known, _)| *known == name)?;
        self.trimmed(piece).map(|piece| self.get(piece))
    }
}

/// What a value may hold that is not itself, or (a line end) is to be counted.
fn is_odd(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'&') | (byte == b']') | (byte == 0xef)
}

fn predefined(text: &[u8]) -> Option<(u8, usize)> {
    let references: [(&[u8], u8); 5] =
        [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
    let found = references.into_iter().find(|(written, _)| text.starts_with(written))?;
    Some((found.1, found.0.len()))
}
