//! Start tags of well-formed pages, with their attributes.

use super::chars::is_space;
use super::places::lower_case;
use super::roles::{has_skipped_name_after, role_of};
use super::traits::Name;
use super::unescape::begins_with_entity;
use super::{RoleIn, Tag};
use crate::references::html_entity;
use crate::search::{Bytes, any, find_value};

/// Maximum number of attributes of an element.
const MAX_ATTRIBUTES: usize = 24;

/// A start tag, whose memory is used for the next one.
pub(super) struct StartTag<'t> {
    /// Offset of the tag.
    pub begin: usize,
    pub name: Name<'t>,
    /// Text after the name.
    pub rest: &'t str,
    /// Whether it ends its element, which is of SVG.
    pub is_closed: bool,
    role_in: RoleIn,
    attributes: [(&'t str, &'t str); MAX_ATTRIBUTES],
    count: usize,
}

impl<'t> StartTag<'t> {
    pub fn new() -> Self {
        Self {
            begin: 0,
            name: Name::new(b""),
            rest: "",
            is_closed: false,
            role_in: RoleIn::Nothing,
            attributes: [("", ""); MAX_ATTRIBUTES],
            count: 0,
        }
    }

    /// Returns the tag for a scanner, which continues at an offset.
    pub fn tag(&self, end: usize) -> Tag<'t, '_> {
        let known = Some(&self.attributes[..self.count]);
        Tag { rest: self.rest, end, known, role_in: self.role_in }
    }

    /// Returns whether a role may be read of it.
    pub fn may_have_role(&self) -> bool {
        !matches!(self.role_in, RoleIn::Nothing)
    }

    /// Reads the tag at an offset; returns its end, or None if it is not well-formed.
    pub fn read(&mut self, text: &'t str, begin: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        (bytes.get(begin) == Some(&b'<')).then_some(())?;
        let (name, name_end) = name_at(text, begin + 1)?;
        (self.begin, self.name) = (begin, name);
        (self.count, self.role_in) = (0, RoleIn::Nothing);
        let mut at = name_end;
        loop {
            let start = at;
            while is_html_space(*bytes.get(at)?) {
                at += 1;
            }
            match bytes[at] {
                b'>' => {
                    self.rest = &text[name_end..at];
                    self.is_closed = false;
                    return Some(at + 1);
                }
                b'/' => {
                    (bytes.get(at + 1) == Some(&b'>')).then_some(())?;
                    self.rest = &text[name_end..=at];
                    self.is_closed = self.name.traits.is_svg;
                    // The end of an element with a role matters.
                    let has_role = self.is_closed && !matches!(role_of(self.rest), Ok(None));
                    return (!has_role).then_some(at + 2);
                }
                _ if at == start => return None,
                _ => at = self.read_attribute(text, at)?,
            }
        }
    }

    /// Reads the attribute at an offset; returns its end.
    fn read_attribute(&mut self, text: &'t str, start: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = start + length_of(&bytes[start..], IN_ATTRIBUTE)?;
        (at > start).then_some(())?;
        let name = &text[start..at];
        let known = &self.attributes[..self.count];
        if known.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return None; // a parser removes the second one
        }
        let attribute = self.attributes.get_mut(self.count)?;
        self.count += 1;
        if bytes.get(at) != Some(&b'=') {
            *attribute = (name, "");
            let is_end = matches!(bytes.get(at), Some(b'>' | b'/' | b' ' | b'\n' | b'\t'));
            return is_end.then_some(at);
        }
        at += 1;
        let kind = NameKind::of(name);
        let (value, has_special) = if let [quote @ (b'"' | b'\''), inner @ ..] = &bytes[at..] {
            let find_special = |bytes: Bytes| bytes.near(b'<') | bytes.equal_to(b'&');
            let (length, has_special) = find_value(inner, *quote, find_special, is_special)?;
            let start = at + 1;
            at = start + length + 1;
            (&text[start..start + length], has_special)
        } else {
            let start = at;
            at += length_of(&bytes[at..], IN_PLAIN_VALUE)?;
            let value = &text[start..at];
            // Only in quotation marks, each word of a class is compared.
            let has_role = match kind {
                NameKind::Role => true,
                NameKind::Class => has_skipped_name_after(value.as_bytes()),
                NameKind::Other => false,
            };
            (!value.is_empty() && !has_role && !value.ends_with('/')).then_some(())?;
            (value, any(value.as_bytes(), is_special))
        };
        *attribute = (name, value);
        if kind != NameKind::Other && matches!(self.role_in, RoleIn::Nothing) {
            self.role_in = RoleIn::Attributes;
        }
        if has_special {
            let value = value.as_bytes();
            if memchr::memchr2(b'<', b'>', value).is_some() {
                return None;
            }
            let is_link = self.name.text == b"a" && name == "href" && !value.contains(&b'=');
            for at in memchr::memchr_iter(b'&', value) {
                is_plain_reference(&value[at + 1..], !is_link).then_some(())?;
            }
            // In the text of a tag, a role is found in the value of another attribute, too.
            if value.contains(&b'=') {
                // The repair writes apostrophes, which then are quotation marks in the text.
                let has_mark = |mark: &[u8]| memchr::memmem::find(value, mark).is_some();
                if has_mark(b"&#39;") || has_mark(b"&#x27;") {
                    return None;
                }
                self.role_in = RoleIn::Text;
            }
        }
        Some(at)
    }
}

/// Names of attributes of which a role is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Role,
    Class,
    Other,
}

impl NameKind {
    fn of(name: &str) -> Self {
        match name.len() {
            2 if name.eq_ignore_ascii_case("id") => Self::Class,
            4 if name.eq_ignore_ascii_case("role") => Self::Role,
            5 if name.eq_ignore_ascii_case("class") => Self::Class,
            _ => Self::Other,
        }
    }
}

/// Returns whether a byte is an ampersand, or one from `<` to `?`.
fn is_special(byte: u8) -> bool {
    (byte & !3 == b'<') | (byte == b'&')
}

/// Returns the name of an element at an offset, and its end.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a result in memory is read before it is written back")]
pub(super) fn name_at(text: &str, start: usize) -> Option<(Name<'_>, usize)> {
    let bytes = text.as_bytes().get(start..)?;
    if let Some(word) = bytes.first_chunk::<8>()
        && let Some((name, length)) = Name::starting(bytes, u64::from_le_bytes(*word))
        && KINDS[usize::from(bytes[length])] & (IN_NAME | IS_UPPER) == 0
    {
        return Some((name, start + length));
    }
    let (name, end) = any_name_at(text, start)?;
    Some((Name::new(name.as_bytes()), end))
}

/// Returns the name of an element at an offset, in lower case, and its end.
fn any_name_at(text: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes().get(start..)?;
    let length = length_of(bytes, IN_NAME)?;
    if bytes[length].is_ascii_uppercase() {
        let length = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
        return Some((lower_case(&text[start..start + length])?, start + length));
    }
    let end = start + length;
    bytes.first()?.is_ascii_lowercase().then(|| (&text[start..end], end))
}

/// Kinds of bytes in [`KINDS`].
const IN_NAME: u8 = 1;
const IN_ATTRIBUTE: u8 = 2;
const IN_PLAIN_VALUE: u8 = 4;
const IS_UPPER: u8 = 8;

/// Kinds of each byte: those that a name, an attribute or a value without quotation marks may have.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let is_letter = byte.is_ascii_alphanumeric();
        let mut kind = 0;
        if (is_letter && !byte.is_ascii_uppercase()) || byte == b'-' {
            kind |= IN_NAME;
        }
        if is_letter || matches!(byte, b'-' | b'_' | b':' | b'.' | b'@') {
            kind |= IN_ATTRIBUTE;
        }
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`') {
            kind |= IN_PLAIN_VALUE;
        }
        if byte.is_ascii_uppercase() {
            kind |= IS_UPPER;
        }
        kinds[byte as usize] = kind;
        byte += 1;
    }
    kinds
};

/// Returns the number of bytes of a kind before the first other one.
#[inline]
fn length_of(text: &[u8], kind: u8) -> Option<usize> {
    text.iter().position(|byte| KINDS[usize::from(*byte)] & kind == 0)
}

pub(super) fn is_html_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c')
}

/// Returns whether what follows an ampersand means the same to all parsers.
///
/// A role may be read in the text of a tag, so that a letter in a value could complete its name. The
/// target of a link has letters as numbers to hide an address.
pub(super) fn is_plain_reference(text: &[u8], may_have_role: bool) -> bool {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match text.get(length) {
        Some(b'#') if length == 0 => {}
        Some(b';') if length > 0 => {}
        _ => return !begins_with_entity(&text[..length]),
    }
    let window = &text[..text.len().min(40)];
    let Some(length) = memchr::memchr(b';', window) else { return false };
    let name = &text[..length];
    if matches!(name, b"amp" | b"lt" | b"gt" | b"quot" | b"apos" | b"nbsp" | b"#39" | b"#x27") {
        return true;
    }
    let (digits, radix) = match name {
        [b'#', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'#', digits @ ..] => (digits, 10),
        _ if may_have_role => return false,
        _ => return std::str::from_utf8(name).is_ok_and(|name| html_entity(name).is_some()),
    };
    let number =
        std::str::from_utf8(digits).ok().and_then(|text| u32::from_str_radix(text, radix).ok());
    let Some(found) = number.and_then(char::from_u32) else { return false };
    let code = u32::from(found);
    // Python removes some characters.
    let is_plain = if may_have_role {
        found.is_ascii_punctuation() && !matches!(found, '-' | '_' | '=' | '\'')
    } else {
        (!is_space(found) || found == '\u{a0}')
            && !matches!(code, 0..0x20 | 0x7f..0xa0 | 0xfdd0..=0xfdef)
            && code & 0xfffe != 0xfffe
    };
    is_plain && !digits.starts_with(b"+")
}
