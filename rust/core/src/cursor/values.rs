//! Values: decoding of the five predefined references, trimming.

use super::{Cursor, Slice, Span};
use crate::references::is_noncharacter;
use crate::search::any;
use crate::urls::trim;
use crate::values::ValueKind;

impl Cursor<'_> {
    /// Decodes a value. Fails if it contains anything but text and the five predefined references
    /// of XML.
    #[inline]
    pub fn value(&mut self, span: Span) -> Option<Slice> {
        let Span { kind, start, end } = span;
        let raw = self.text.get(start..end)?;
        if !any(raw, is_special) {
            return Some(Slice::Text(start, end));
        }
        if any(raw, |byte| is_special(byte) & (byte != b'&')) {
            return self.decode(kind, raw);
        }
        if kind == ValueKind::Cdata {
            return Some(Slice::Text(start, end));
        }
        // Fast case: references only, as in many URLs.
        let decoded_start = self.decoded.len();
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'&', rest) {
            let (before, reference) = rest.split_at_checked(at)?;
            let (decoded, length) = predefined(reference)?;
            self.decoded.extend_from_slice(before);
            self.decoded.push(decoded);
            rest = reference.get(length..)?;
        }
        self.decoded.extend_from_slice(rest);
        Some(Slice::Decoded(decoded_start, self.decoded.len()))
    }

    fn decode(&mut self, kind: ValueKind, raw: &[u8]) -> Option<Slice> {
        let decoded_start = self.decoded.len();
        let mut copied = 0;
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            let rest = &raw[at..];
            at += match byte {
                b'&' if kind != ValueKind::Cdata => {
                    let (decoded, length) = predefined(rest)?;
                    self.decoded.extend_from_slice(&raw[copied..at]);
                    self.decoded.push(decoded);
                    copied = at + length;
                    length
                }
                b'\n' if kind != ValueKind::Attribute => {
                    self.lines += 1;
                    1
                }
                b'\t' if kind != ValueKind::Attribute => 1,
                0..0x20 => return None,
                b']' if kind == ValueKind::Text && rest.starts_with(b"]]>") => return None,
                0xef if is_noncharacter(rest) => return None,
                _ => 1,
            };
        }
        self.decoded.extend_from_slice(&raw[copied..]);
        Some(Slice::Decoded(decoded_start, self.decoded.len()))
    }

    /// Returns a slice without surrounding white space, or None if nothing is left.
    #[inline]
    pub fn trimmed(&self, slice: Slice) -> Option<Slice> {
        let bytes = self.get(slice);
        let is_graphic = |byte: &u8| (0x21..0x80).contains(byte);
        if bytes.first().is_some_and(is_graphic) && bytes.last().is_some_and(is_graphic) {
            return Some(slice);
        }
        let text = simdutf8::basic::from_utf8(bytes).ok()?;
        let trimmed = trim(text);
        let before = text.len() - text.trim_start_matches(crate::urls::is_space).len();
        let cut = |start: usize| (start + before, start + before + trimmed.len());
        (!trimmed.is_empty()).then(|| match slice {
            Slice::Text(start, _) => {
                let (start, end) = cut(start);
                Slice::Text(start, end)
            }
            Slice::Decoded(start, _) => {
                let (start, end) = cut(start);
                Slice::Decoded(start, end)
            }
        })
    }
}

/// Returns whether a byte of a value may need decoding, or (a line end) has to be counted.
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'&') | (byte == b']') | (byte == 0xef)
}

fn predefined(text: &[u8]) -> Option<(u8, usize)> {
    let references: [(&[u8], u8); 5] =
        [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
    let found = references.into_iter().find(|(written, _)| text.starts_with(written))?;
    Some((found.1, found.0.len()))
}
