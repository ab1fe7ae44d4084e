//! Start of a document: detection of its format and of its root element.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::codes::{S001, X006, X007, X009, X013, X014, X018, X019};
use crate::context::Context;
use crate::doctype::read_doctype;
use crate::misc::{comment, declaration, instruction, is_declaration};
use crate::references::name_length;
use crate::search::{is_xml_space, skip_space};
use crate::utf8::utf8_or_empty;

/// Number of bytes that are searched for a root after unexpected content.
const PROLOG_LIMIT: usize = 65_536;

/// Byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// XML with a root element at this offset.
    Xml(usize),
    /// List of URLs with its first line at this offset.
    Text(usize),
    /// HTML page.
    Html,
    /// Anything else.
    Unknown,
}

/// Detects the format of a document and the start of its root element or first line.
pub fn read_prolog(context: &mut Context<'_>) -> Format {
    let start = skip_byte_order_marks(context);
    if context.bytes.get(start) != Some(&b'<') {
        return root_after_junk(context, start).unwrap_or(Format::Text(start));
    }
    let mut at = start;
    while let Some(next) = next_part(context, at, at == start) {
        at = next;
    }
    format_at(context, at)
}

/// Skips byte order marks and white space. Reports those that are not allowed.
fn skip_byte_order_marks(context: &mut Context<'_>) -> usize {
    let text = context.bytes;
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    if start > 0 {
        context.diagnostics.add(X013, 0, start, "");
    }
    let mut at = skip_space(text, start);
    let mut blanks = at - start;
    while text[at..].starts_with(BOM) {
        context.diagnostics.add(X014, at, at + BOM.len(), "");
        let begin = at + BOM.len();
        at = skip_space(text, begin);
        blanks += at - begin;
    }
    let begins_declaration = text[at..].starts_with(b"<?xml")
        && text.get(at + 5).is_some_and(|byte| is_xml_space(*byte));
    if blanks > 0 && begins_declaration {
        let unit = if blanks == 1 { "byte" } else { "bytes" };
        context.diagnostics.add(X006, start, at, &format!("{blanks} {unit}"));
    }
    at
}

/// Returns the end of the declaration, instruction, comment or DOCTYPE at `start`, if there is one.
fn next_part(context: &mut Context<'_>, start: usize, is_first: bool) -> Option<usize> {
    let text = context.bytes;
    let rest = text.get(start..)?;
    let end = if is_declaration(rest) {
        declaration(context, start, is_first)?
    } else if rest.starts_with(b"<?") {
        let end = instruction(context, start)?;
        if is_xsl(&text[start..end]) {
            context.diagnostics.add(X018, start, end, "");
        }
        end
    } else if rest.starts_with(b"<!--") {
        comment(context, start)?
    } else {
        let is_doctype = begins(rest, b"<!doctype")
            && rest.get(9).is_some_and(|byte| is_xml_space(*byte) || matches!(byte, b'[' | b'>'));
        if !is_doctype || begins_html(rest) {
            return None;
        }
        read_doctype(context, start)
    };
    Some(skip_space(text, end))
}

/// Returns whether a style sheet instruction refers to XSLT.
fn is_xsl(instruction: &[u8]) -> bool {
    let Some(rest) = instruction.strip_prefix(b"<?xml-stylesheet") else {
        return false;
    };
    if !rest.first().is_some_and(|byte| is_xml_space(*byte)) {
        return false;
    }
    let inside = &rest[1..];
    let close = memchr::memchr(b'>', inside).unwrap_or(inside.len());
    memmem::find_iter(inside, b"type").take_while(|at| *at <= close).any(|at| {
        let equals = skip_space(inside, at + 4);
        let quote = skip_space(inside, equals + 1);
        let is_quote = |at: usize| matches!(inside.get(at), Some(b'"' | b'\''));
        let value = inside.get(quote + 1..).unwrap_or_default();
        inside.get(equals) == Some(&b'=')
            && is_quote(quote)
            && [&b"text/xsl"[..], b"text/xml", b"application/xslt+xml"]
                .iter()
                .any(|kind| value.starts_with(kind) && is_quote(quote + 1 + kind.len()))
    })
}

fn begins(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
}

fn ends_name(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| is_xml_space(*byte) || matches!(byte, b'/' | b'>'))
}

fn begins_html(text: &[u8]) -> bool {
    let name = if begins(text, b"<!doctype") && text.get(9).is_some_and(|byte| is_xml_space(*byte))
    {
        skip_space(text, 9)
    } else {
        1
    };
    text.first() == Some(&b'<')
        && text.get(name..).is_some_and(|name| begins(name, b"html") && ends_name(name.get(4)))
}

/// Returns the span of the local name of a leading start tag.
fn local_span(text: &[u8]) -> Range<usize> {
    let length = |start: usize| {
        let in_name =
            |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | 0x80..);
        let rest = text.get(start..).unwrap_or_default();
        rest.iter().position(|byte| !in_name(byte)).unwrap_or(rest.len())
    };
    let first = 1 + length(1);
    let begins_name =
        text.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | 0x80..));
    if begins_name && text.get(first) == Some(&b':') {
        first + 1..first + 1 + length(first + 1)
    } else {
        1..first
    }
}

/// Returns the local name of a leading start tag.
#[must_use]
pub fn local_name(text: &[u8]) -> &[u8] {
    text.get(local_span(text)).unwrap_or_default()
}

/// Returns the end of the name if a text begins with a start tag of one of the names.
fn begins_one_of(text: &[u8], names: &[&str]) -> Option<usize> {
    let Range { start, end } = local_span(text);
    let local = text.get(start..end)?;
    let is_named = names.iter().any(|name| local.eq_ignore_ascii_case(name.as_bytes()))
        && (start == 1 || names != FRAGMENTS);
    (text[0] == b'<' && is_named && ends_name(text.get(end))).then_some(end)
}

/// Root elements of sitemaps, indexes and feeds.
pub const ROOTS: &[&str] = &["urlset", "sitemapindex", "rss", "feed", "rdf"];

/// Elements that replace a missing root element. They have no prefix, because its namespace would
/// be unknown.
pub const FRAGMENTS: &[&str] = &["url", "sitemap", "loc"];

/// Returns the start and the end of the name of the next element with one of the names.
#[must_use]
pub fn find_root(text: &[u8], start: usize, end: usize, names: &[&str]) -> Option<(usize, usize)> {
    let text = text.get(..end)?;
    memchr_iter(b'<', text.get(start..)?).find_map(|at| {
        let begin = start + at;
        begins_one_of(&text[begin..], names).map(|length| (begin, begin + length))
    })
}

/// Detects the format of the text after the prolog.
fn format_at(context: &mut Context<'_>, start: usize) -> Format {
    let text = context.bytes;
    let rest = &text[start..];
    if begins_one_of(rest, ROOTS).or_else(|| begins_one_of(rest, FRAGMENTS)).is_some() {
        return Format::Xml(start);
    }
    if begins_html(rest) {
        context.diagnostics.add(X019, start, text.len().min(start + 5), "");
        return Format::Html;
    }
    if let Some(found) = root_after_junk(context, start) {
        return found;
    }
    let length = rest.get(1..).map_or(0, name_length);
    if rest.first() != Some(&b'<') || length == 0 {
        context.diagnostics.add(X009, text.len(), text.len(), "a root element");
    } else {
        let shown = format!("{}>", utf8_or_empty(&rest[..=length]));
        context.diagnostics.add(S001, start, start + 1 + length, &shown);
    }
    Format::Unknown
}

/// Finds the root element of a sitemap after unexpected content (X007).
fn root_after_junk(context: &mut Context<'_>, start: usize) -> Option<Format> {
    let text = context.bytes;
    let limit = text.len().min(start + PROLOG_LIMIT);
    let (root, _) = find_root(text, start, limit, ROOTS)?;
    let begin = memmem::rfind(&text[start..root], b"<?xml").map_or(root, |at| start + at);
    if begin > start {
        context.diagnostics.add(X007, start, begin, excerpt(context.slice(start, begin)));
    }
    let mut at = Some(begin);
    while let Some(part) = at.filter(|at| *at < root) {
        at = next_part(context, part, part == begin);
    }
    Some(Format::Xml(root))
}

/// Returns the first 400 bytes of a text, cut at a character boundary.
#[must_use]
pub fn excerpt(text: &str) -> &str {
    let end = (0..=text.len().min(400)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
