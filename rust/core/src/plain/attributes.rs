//! The attributes of a start tag.

use super::{Piece, Scan, Span};
use crate::values::Place;

impl<'a> Scan<'a> {
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
