//! Comments, processing instructions and XML declarations (the production `Misc` of XML).

use crate::codes::X002;
use crate::context::Context;
use crate::search::{find_byte, find_within, is_xml_space, skip_space};

/// Returns the end of the comment at `start`, or None if it is unterminated.
pub fn comment(context: &mut Context<'_>, start: usize) -> Option<usize> {
    let end = context.search_cache.find(b"-->", start + 4)?;
    if context.search_cache.find(b"--", start + 4) != Some(end) {
        context.diagnostics.add(X002, start, end + 3, "\"--\" inside a comment");
    }
    Some(end + 3)
}

/// Returns the end of the processing instruction at `start`, or None if it is unterminated.
///
/// An instruction without `?>` before the next tag ends at its first `>`.
pub fn instruction(context: &mut Context<'_>, start: usize) -> Option<usize> {
    let text = context.bytes;
    let following = find_byte(text, b'<', start + 1, text.len()).unwrap_or(text.len());
    let end = if let Some(end) = find_within(text, b"?>", start + 2, following) {
        end + 2
    } else if let Some(end) = find_byte(text, b'>', start, following) {
        let detail = "processing instruction does not end in ?>";
        context.diagnostics.add(X002, start, end + 1, detail);
        return Some(end + 1);
    } else {
        context.search_cache.find(b"?>", start + 2)? + 2
    };
    if !is_target(&text[start + 2..end - 2]) {
        context.diagnostics.add(X002, start, end, "malformed processing instruction");
    }
    Some(end)
}

/// Returns whether the content of an instruction starts with a valid target.
fn is_target(inside: &[u8]) -> bool {
    let begins = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80;
    let goes_on = |byte: u8| begins(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    let length = inside.iter().position(|byte| !goes_on(*byte)).unwrap_or(inside.len());
    let target = &inside[..length];
    inside.first().is_some_and(|byte| begins(*byte))
        && inside.get(length).is_none_or(|byte| is_xml_space(*byte))
        && (target == b"xml" || !target.eq_ignore_ascii_case(b"xml"))
}

/// Returns whether a text starts with an XML declaration.
#[must_use]
pub fn is_declaration(text: &[u8]) -> bool {
    text.starts_with(b"<?xml")
        && text.get(5).is_some_and(|byte| is_xml_space(*byte) || *byte == b'?')
}

/// Returns the end of the XML declaration at `start`. Reports an invalid one.
pub fn declaration(context: &mut Context<'_>, start: usize, is_first: bool) -> Option<usize> {
    let end = instruction(context, start)?;
    if !is_first {
        context.diagnostics.add(X002, start, end, "XML declaration out of place");
    } else if is_proper(&context.bytes[start..end]).is_none() {
        context.diagnostics.add(X002, start, end, "malformed XML declaration");
    }
    Some(end)
}

/// Checks that a declaration has a version, then optionally an encoding and `standalone`.
fn is_proper(text: &[u8]) -> Option<()> {
    let version = |value: &[u8]| {
        let digits = value.strip_prefix(b"1.").unwrap_or_default();
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    let encoding = |value: &[u8]| {
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        value.first().is_some_and(u8::is_ascii_alphabetic) && value.iter().all(fits)
    };
    let standalone = |value: &[u8]| value == b"yes" || value == b"no";
    let mut rest = pseudo_attribute(text.strip_prefix(b"<?xml")?, b"version", version)?;
    rest = pseudo_attribute(rest, b"encoding", encoding).unwrap_or(rest);
    rest = pseudo_attribute(rest, b"standalone", standalone).unwrap_or(rest);
    (rest.get(skip_space(rest, 0)..)? == b"?>").then_some(())
}

/// Returns the rest of a text after a leading ` name="value"`.
fn pseudo_attribute<'b>(
    text: &'b [u8],
    name: &[u8],
    fits: impl Fn(&[u8]) -> bool,
) -> Option<&'b [u8]> {
    let start = skip_space(text, 0);
    let rest = text.get(start..)?.strip_prefix(name).filter(|_| start > 0)?;
    let rest = rest.get(skip_space(rest, 0)..)?.strip_prefix(b"=")?;
    let rest = rest.get(skip_space(rest, 0)..)?;
    let (quote, rest) = rest.split_first()?;
    let end = memchr::memchr(*quote, rest).filter(|_| matches!(quote, b'"' | b'\''))?;
    fits(&rest[..end]).then(|| &rest[end + 1..])
}
