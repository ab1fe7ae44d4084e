//! Roles of elements: what is main content, and what is on every page.

use super::Unusual;
use super::chars::{
    char_at, is_letter_at, is_letter_before, is_space, match_word, skip_space, space_length,
};
use crate::search::find_near;

/// Role of an element, by its attribute `role`, or by the name of its class or id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// `main`.
    Main,
    /// `banner`, `contentinfo` or `complementary`.
    Boilerplate,
    /// `navigation`, a notice about cookies, or a counter of views.
    Skipped,
}

/// Returns the role in the text of a tag after its name.
pub(super) fn role_of(text: &str) -> Result<Option<Role>, Unusual> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Inside of a character, there is no white space.
    while let Some(offset) = bytes[at..].iter().position(|byte| *byte <= b' ' || *byte >= 0x80) {
        at += offset;
        let length = space_length(text, at);
        if length == 0 {
            at += 1;
            continue;
        }
        at += length;
        // The first letters of role, class and id.
        if !matches!(bytes.get(at), Some(b'r' | b'R' | b'c' | b'C' | b'i' | b'I' | 0x80..)) {
            continue;
        }
        if let Some(start) = value_start(text, at, b"role") {
            let quotes = usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
            if let Some(role) = named_role(text, start + quotes)? {
                return Ok(Some(role));
            }
        }
        let value = value_start(text, at, b"class").or_else(|| value_start(text, at, b"id"));
        if value.is_some_and(|start| has_skipped_name(bytes, start)) {
            return Ok(Some(Role::Skipped));
        }
    }
    Ok(None)
}

/// Returns the role in the attributes of a well-formed tag, none of which has an equals sign.
pub(super) fn role_of_attributes(attributes: &[(&str, &str)]) -> Result<Option<Role>, Unusual> {
    for (name, value) in attributes {
        let is_named = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        if is_named("role") {
            let role = named_role(value, 0)?;
            if role.is_some() {
                return Ok(role);
            }
        } else if (is_named("class") || is_named("id"))
            && has_skipped_name_from(value.as_bytes(), 0)
        {
            return Ok(Some(Role::Skipped));
        }
    }
    Ok(None)
}

/// Returns the start of the value of an attribute whose name is at an offset.
fn value_start(text: &str, at: usize, name: &[u8]) -> Option<usize> {
    let at = skip_space(text, match_word(text.as_bytes(), at, name)?);
    (text.as_bytes().get(at) == Some(&b'=')).then(|| skip_space(text, at + 1))
}

const ROLES: [(&[u8], Role); 5] = [
    (b"main", Role::Main),
    (b"navigation", Role::Skipped),
    (b"banner", Role::Boilerplate),
    (b"contentinfo", Role::Boilerplate),
    (b"complementary", Role::Boilerplate),
];

/// Returns the role whose name is at an offset.
fn named_role(text: &str, at: usize) -> Result<Option<Role>, Unusual> {
    let bytes = text.as_bytes();
    for (word, role) in ROLES {
        let Some(end) = match_word(bytes, at, word) else { continue };
        return match bytes.get(end) {
            Some(0x80..) if !char_at(text, end).is_some_and(is_space) => Err(Unusual),
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => Ok(None),
            // With a letter that is not ASCII, it is another role.
            _ => Ok(Some(if end - at == word.len() { role } else { Role::Skipped })),
        };
    }
    Ok(None)
}

/// Returns whether a value that starts at an offset names what is skipped.
fn has_skipped_name(bytes: &[u8], start: usize) -> bool {
    let Some(quote @ (b'"' | b'\'')) = bytes.get(start) else {
        return is_skipped_name(bytes, start);
    };
    let value = &bytes[start + 1..];
    let length = find_near(*quote, value).unwrap_or(value.len());
    (start + 1..start + 1 + length).any(|at| is_skipped_name(bytes, at))
}

/// Returns whether a value names what is skipped after its first character.
pub(super) fn has_skipped_name_after(value: &[u8]) -> bool {
    has_skipped_name_from(value, 1)
}

fn has_skipped_name_from(value: &[u8], start: usize) -> bool {
    (start..value.len()).any(|at| is_skipped_name(value, at))
}

const ABOUT_COOKIES: [&[u8]; 5] = [b"cookies", b"cookie", b"consent", b"gdpr", b"ccpa"];
const NOTICES: [&[u8]; 10] = [
    b"consent", b"banner", b"bar", b"notice", b"popup", b"law", b"message", b"modal", b"dialog",
    b"overlay",
];

#[inline(always)]
#[expect(clippy::inline_always, reason = "most bytes need one comparison")]
fn is_skipped_name(bytes: &[u8], at: usize) -> bool {
    let byte = |at: usize| bytes.get(at).map_or(0, u8::to_ascii_lowercase);
    matches!(bytes.get(at), Some(b'c' | b'g' | b'v' | b'p' | b'C' | b'G' | b'V' | b'P'))
        && matches!(byte(at + 1), b'o' | b'd' | b'c' | b'i' | b'a' | 0x80..)
        && !is_letter_before(bytes, at)
        && begins_skipped_name(bytes, at)
}

fn begins_skipped_name(bytes: &[u8], at: usize) -> bool {
    let is_end = |end: usize| !is_letter_at(bytes, end);
    let after_dash = |end: usize| end + usize::from(bytes.get(end) == Some(&b'-'));
    let notices = ABOUT_COOKIES.iter().filter_map(|word| match_word(bytes, at, word));
    let mut notices = notices.flat_map(|end| {
        let end = end + usize::from(matches!(bytes.get(end), Some(b'-' | b'_')));
        NOTICES.iter().filter_map(move |word| match_word(bytes, end, word))
    });
    if notices.any(is_end) {
        return true;
    }
    if let Some(end) = match_word(bytes, at, b"page") {
        return match_word(bytes, after_dash(end), b"views").is_some_and(is_end);
    }
    let counter =
        match_word(bytes, at, b"view").and_then(|end| match_word(bytes, after_dash(end), b"count"));
    counter.is_some_and(|end| {
        let end = match_word(bytes, end, b"er").unwrap_or(end);
        is_end(match_word(bytes, end, b"s").unwrap_or(end))
    })
}
