//! Links of a page as written, and whether it has scripts.

use std::borrow::Cow;

use super::Unusual;
use super::chars::{char_at, is_space, match_word, skip_space, space_length};
use super::unescape::unescape;

/// A link (`a` or `area`).
pub struct Anchor<'t> {
    /// Target.
    pub href: Cow<'t, str>,
    /// Attribute `rel` in lower case.
    pub rel: String,
}

const RAW: [&[u8]; 7] =
    [b"script", b"style", b"template", b"noscript", b"textarea", b"xmp", b"iframe"];

/// Returns the links of repaired markup, at most `limit`.
///
/// # Errors
///
/// The page has markup that the reference engine has to read.
pub fn anchors(text: &str, limit: usize) -> Result<Vec<Anchor<'_>>, Unusual> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'<', &bytes[at..]) {
        at += offset + 1;
        match bytes.get(at) {
            Some(b'!') if bytes[at..].starts_with(b"!--") => {
                let end = memchr::memmem::find(&bytes[at + 3..], b"-->");
                at = end.map_or(text.len(), |length| at + 6 + length);
            }
            Some(b'a' | b'A') => {
                let area =
                    match_word(bytes, at, b"area").filter(|end| space_length(text, *end) > 0);
                let name_end = if space_length(text, at + 1) > 0 { Some(at + 1) } else { area };
                let Some(start) = name_end else { continue };
                let start = start + space_length(text, start);
                let Some(length) = memchr::memchr2(b'<', b'>', &bytes[start..]) else { break };
                at = start + length;
                if bytes[at] == b'<' {
                    continue;
                }
                if let Some(anchor) = anchor(&text[start..at]) {
                    found.push(anchor);
                    if found.len() == limit {
                        break;
                    }
                }
            }
            Some(b's' | b'S' | b't' | b'T' | b'n' | b'N' | b'x' | b'X' | b'i' | b'I' | 0x80..) => {
                at = raw_text_end(text, at)?.unwrap_or(at);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the end of the raw text whose name may be at an offset, or None if it is none.
fn raw_text_end(text: &str, at: usize) -> Result<Option<usize>, Unusual> {
    let bytes = text.as_bytes();
    let find = |name: &&[u8]| match_word(bytes, at, name).map(|end| (name.len(), end));
    let Some((length, end)) = RAW.iter().find_map(find) else { return Ok(None) };
    match char_at(text, end) {
        Some(found) if found.is_ascii_alphanumeric() || found == '_' => return Ok(None),
        Some(found) if !found.is_ascii() && !is_space(found) => return Err(Unusual),
        _ if end - at > length => return Err(Unusual),
        _ => {}
    }
    let name = &bytes[at..end];
    for offset in memchr::memmem::find_iter(&bytes[end..], b"</") {
        let start = end + offset + 2;
        let Some(found) = bytes.get(start..start + length) else { break };
        if found.eq_ignore_ascii_case(name) {
            return Ok(Some(start + length));
        }
        if !found.is_ascii() && match_word(bytes, start, &name.to_ascii_lowercase()).is_some() {
            return Err(Unusual);
        }
    }
    Ok(Some(text.len()))
}

fn anchor(attributes: &str) -> Option<Anchor<'_>> {
    let href = unescape(attribute(attributes, b"href")?);
    let bytes = attributes.as_bytes();
    let has_rel = bytes.windows(3).any(|part| part.eq_ignore_ascii_case(b"rel"));
    let rel = if has_rel {
        unescape(attribute(attributes, b"rel").unwrap_or("")).to_lowercase()
    } else {
        String::new()
    };
    Some(Anchor { href, rel })
}

/// Returns the first value of an attribute, at the start of a text or after white space.
fn attribute<'t>(text: &'t str, name: &[u8]) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        if let Some(end) = match_word(bytes, at, name)
            && let Some(value) = value_after(text, end)
        {
            return Some(value);
        }
        // The next offset after white space.
        loop {
            match space_length(text, at) {
                0 if at >= bytes.len() => return None,
                0 => at += 1,
                length => {
                    at += length;
                    break;
                }
            }
        }
    }
}

fn value_after(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let at = skip_space(text, at);
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    let at = skip_space(text, at + 1);
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at) {
        let length = memchr::memchr(*quote, &bytes[at + 1..])?;
        return Some(&text[at + 1..at + 1 + length]);
    }
    Some(unquoted(&text[at..])).filter(|value| !value.is_empty())
}

/// Returns the start of a text up to white space, a quotation mark or `>`.
fn unquoted(text: &str) -> &str {
    let is_end = |found: char| is_space(found) || matches!(found, '"' | '\'' | '>');
    &text[..text.find(is_end).unwrap_or(text.len())]
}

/// Returns whether markup has a script that is run; data such as JSON-LD is not run.
#[must_use]
pub fn has_scripts(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|begin| {
        let Some(end) = match_word(bytes, begin + 1, b"script") else { return false };
        let is_script = matches!(bytes.get(end), Some(b'/' | b'>')) || space_length(text, end) > 0;
        let length = memchr::memchr2(b'<', b'>', &bytes[end..]).unwrap_or(bytes.len() - end);
        is_script && !has_data_type(&text[end..end + length])
    })
}

/// Returns whether the attributes of a script have a type that is not run.
fn has_data_type(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match space_length(text, at) {
            0 => {
                at += 1;
                continue;
            }
            length => at += length,
        }
        let Some(end) = match_word(bytes, at, b"type") else { continue };
        let end = skip_space(text, end);
        if bytes.get(end) != Some(&b'=') {
            continue;
        }
        let start = skip_space(text, end + 1);
        let start = start + usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
        let kind = unquoted(&text[start..]);
        let is_run = [&b"javascript"[..], b"ecmascript", b"module"]
            .iter()
            .any(|word| (0..kind.len()).any(|at| match_word(kind.as_bytes(), at, word).is_some()));
        if !kind.is_empty() && !is_run {
            return true;
        }
    }
    false
}
