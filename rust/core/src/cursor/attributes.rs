//! Attributes of a start tag.

use super::{Cursor, Slice, Span};
use crate::values::ValueKind;

impl<'a> Cursor<'a> {
    /// Skips the rest of a start tag after its name. Returns whether the tag ends with `/>`.
    #[inline]
    pub fn tag_end(&mut self) -> Option<bool> {
        self.attribute_count = 0;
        if self.eat(b">") { Some(false) } else { self.read_attributes() }
    }

    fn read_attributes(&mut self) -> Option<bool> {
        loop {
            let before = self.at;
            self.skip_spaces();
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
            let value = self.value(Span { kind: ValueKind::Attribute, start, end })?;
            *self.attributes.get_mut(self.attribute_count)? = (name, value);
            self.attribute_count += 1;
        }
    }

    /// Returns the attributes of the last start tag.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a [u8], Slice)> + '_ {
        self.attributes.iter().take(self.attribute_count).copied()
    }

    /// Returns the trimmed value of an attribute.
    pub fn attribute(&self, name: &[u8]) -> Option<&[u8]> {
        let (_, slice) = self.attributes().find(|(known, _)| *known == name)?;
        self.trimmed(slice).map(|slice| self.get(slice))
    }
}
