//! Entities that a DOCTYPE declares, with limits on their expansion.

use std::collections::HashMap;

use crate::references::{Meaning, is_noncharacter, meaning, predefined, reference_length};

/// Maximum number of characters that one entity expands to.
const MAX_EXPANSION: usize = 10_000;

/// Maximum nesting depth of entities.
const MAX_DEPTH: usize = 16;

/// Expanded text, and its number of characters.
type Expansion = (String, usize);

/// Declared entities and their cached expansions.
#[derive(Default)]
pub struct Entities<'a> {
    declared: HashMap<&'a [u8], &'a [u8]>,
    known: HashMap<&'a [u8], Option<Expansion>>,
}

impl<'a> Entities<'a> {
    /// Adds a declaration. The first declaration of a name counts.
    pub fn declare(&mut self, name: &'a [u8], value: &'a [u8]) {
        self.declared.entry(name).or_insert(value);
    }

    /// Returns whether an entity is declared.
    #[must_use]
    pub fn has(&self, name: &[u8]) -> bool {
        self.declared.contains_key(name)
    }

    /// Expands an entity to at most 10,000 characters of text. Returns the text and its number of
    /// characters.
    ///
    /// Returns None for an entity that contains markup, refers to itself, or nests deeper than 16.
    /// Each entity is expanded once, on first use, so its cost is that of its own text.
    pub fn expand(&mut self, name: &[u8]) -> Option<(&str, usize)> {
        self.expand_at(name, 0).map(|(value, characters)| (value.as_str(), *characters))
    }

    fn expand_at(&mut self, name: &[u8], depth: usize) -> Option<&Expansion> {
        let (&name, &raw) = self.declared.get_key_value(name)?;
        if !self.known.contains_key(name) {
            self.known.insert(name, None); // so that a recursive reference fails
            if depth < MAX_DEPTH {
                let value = self.value(raw, depth);
                self.known.insert(name, value);
            }
        }
        self.known.get(name)?.as_ref()
    }

    fn value(&mut self, raw: &'a [u8], depth: usize) -> Option<Expansion> {
        let mut text = Vec::new();
        let mut characters = 0;
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            match byte {
                b'&' => {
                    let reference = &raw[at..at + reference_length(&raw[at..])];
                    at += reference.len();
                    characters += self.reference(reference, depth, &mut text)?;
                    if characters > MAX_EXPANSION {
                        return None;
                    }
                }
                b'<' | 0..=8 | 0x0b | 0x0c | 0x0e..=0x1f => return None,
                0xef if is_noncharacter(&raw[at..]) => return None,
                _ => {
                    text.push(*byte);
                    characters += usize::from(byte & 0xc0 != 0x80);
                    at += 1;
                }
            }
        }
        let value = String::from_utf8(text).unwrap_or_default();
        (characters <= MAX_EXPANSION).then_some((value, characters))
    }

    /// Appends the expansion of a reference. Returns its number of characters, or None if it is not
    /// allowed.
    fn reference(&mut self, reference: &[u8], depth: usize, text: &mut Vec<u8>) -> Option<usize> {
        match meaning(reference, 7) {
            Meaning::Ampersand | Meaning::Number(None | Some(0..0x20 | 0xfffe..)) => None,
            Meaning::Number(Some(number)) => {
                let character = char::from_u32(number)?;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                Some(1)
            }
            Meaning::Name(name) if self.has(name) => {
                let (value, characters) = self.expand_at(name, depth + 1)?;
                text.extend_from_slice(value.as_bytes());
                Some(*characters)
            }
            Meaning::Name(name) => {
                text.push(predefined(name)? as u8); // all five are ASCII
                Some(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_expand_within_bounds() {
        let mut entities = Entities::default();
        let declared: [(&[u8], &[u8]); 8] = [
            (b"a", b"x&b;&#65;&amp;"),
            (b"b", b"y"),
            (b"me", b"&you;"),
            (b"you", b"&me;"),
            (b"tag", b"<b/>"),
            (b"none", b""),
            (b"within", b"&none;"),
            (b"low", b"&#1;"),
        ];
        declared.into_iter().for_each(|(name, value)| entities.declare(name, value));
        assert_eq!(entities.expand(b"a"), Some(("xyA&", 4)));
        assert_eq!(entities.expand(b"within"), Some(("", 0)));
        for name in [&b"me"[..], b"you", b"tag", b"low", b"unknown"] {
            assert_eq!(entities.expand(name), None);
        }
    }
}
