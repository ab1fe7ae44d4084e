//! Values: the five references decoded, white space around them trimmed.

use super::{Piece, Scan, Span};
use crate::references::is_noncharacter;
use crate::search::any;
use crate::urls::trim;
use crate::values::Place;

impl Scan<'_> {
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
