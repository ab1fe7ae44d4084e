//! Markup: where tags, comments and sections begin and end, and what to make of broken ones.
//!
//! Every scan for the end of something stops at the next `<` or consumes what it scanned, so the
//! whole is linear in the length of the document whatever the document is.

use memchr::{memchr, memmem};

use crate::asides::{comment, instruction};
use crate::attributes::attributes;
use crate::codes::X002;
use crate::context::Context;
use crate::tree::Tree;
use crate::values::{begins_name, name_length};

/// Whether a byte is white space of XML.
#[inline]
#[must_use]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The offset of the first byte from `start` on that is not white space.
#[inline]
#[must_use]
pub fn skip_space(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len())
}

/// Where a byte is, between two offsets.
#[inline]
#[must_use]
pub fn find_byte(text: &[u8], byte: u8, start: usize, end: usize) -> Option<usize> {
    memchr(byte, text.get(start..end)?).map(|at| start + at)
}

/// Where a few bytes are, from `start` on.
#[must_use]
pub fn find(text: &[u8], needle: &[u8], start: usize) -> Option<usize> {
    memmem::find(text.get(start..)?, needle).map(|at| start + at)
}

/// Where some bytes are, from `start` on and before `end`.
#[must_use]
pub fn find_within(text: &[u8], needle: &[u8], start: usize, end: usize) -> Option<usize> {
    memmem::find(text.get(start..end)?, needle).map(|at| start + at)
}

/// Handles the `<` at `start` and gives where to go on.
///
/// What is no markup is handed on as text. The length of the document is given where it ends
/// inside the markup; nothing is handed on then.
pub fn markup<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    match context.bytes.get(start + 1) {
        Some(b'/') => close(context, tree, start),
        Some(b'!') => declaration(context, tree, start),
        Some(b'?') => {
            let Some(end) = instruction(context, start) else {
                return context.bytes.len();
            };
            tree.aside(context, start, end);
            end
        }
        Some(byte) if begins_name(*byte) => open(context, tree, start),
        Some(_) => literal(context, tree, start),
        None => context.bytes.len(),
    }
}

/// The end of a start tag that is in order: behind its `>`. `at` is behind its name.
fn tag_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'>' => return Some(at + 1),
            b'<' => return None,
            quote @ (b'"' | b'\'') => {
                let rest = text.get(at + 1..)?;
                let length = memchr::memchr2(*quote, b'<', rest)?;
                if rest[length] == b'<' {
                    return None;
                }
                at += length + 2;
            }
            _ => at += 1,
        }
    }
}

/// Where the name of a start tag ends, and where the tag; none if it has no end.
#[must_use]
pub fn start_tag(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let name_end = start + 1 + name_length(&text[start + 1..]);
    if let Some(end) = tag_end(text, name_end) {
        return Some((name_end, end));
    }
    let closed = find_byte(text, b'>', start, next_markup(text, start))?;
    Some((name_end.min(closed), closed + 1))
}

/// An end tag.
pub struct EndTag {
    /// Where its name ends; there is none where that is directly behind the slash.
    pub name_end: usize,
    /// Where the tag ends.
    pub end: usize,
    /// Whether it is as it must be.
    pub is_well_formed: bool,
}

/// Reads an end tag; none if it is no tag, or the document ends inside it.
#[must_use]
pub fn end_tag(text: &[u8], start: usize) -> Option<EndTag> {
    let name_end = start + 2 + name_length(&text[start + 2..]);
    let has_name = name_end > start + 2;
    let at = skip_space(text, name_end);
    if has_name && text.get(at) == Some(&b'>') {
        return Some(EndTag { name_end, end: at + 1, is_well_formed: true });
    }
    let following = next_markup(text, start);
    let end = find_byte(text, b'>', start, following).map(|at| at + 1);
    if end.is_none() && (!has_name || following == text.len()) {
        return None;
    }
    Some(EndTag { name_end, end: end.unwrap_or(following), is_well_formed: false })
}

fn open<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    let text = context.bytes;
    let Some((name_end, end)) = start_tag(text, start) else {
        return unfinished(context, tree, start);
    };
    let is_empty = text[end - 2] == b'/' && end - 2 >= name_end;
    let span_end = if is_empty { end - 2 } else { end - 1 };
    let marker = tree.marker(context);
    if name_end < span_end {
        attributes(context, &mut tree.attributes, name_end, span_end);
    }
    tree.open(context, &text[start + 1..name_end], marker, start, end, is_empty);
    end
}

fn close<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    let text = context.bytes;
    let Some(EndTag { name_end, end, is_well_formed }) = end_tag(text, start) else {
        return unfinished(context, tree, start);
    };
    if !is_well_formed {
        context.marks.add(X002, start, end, "malformed end tag");
    }
    if name_end > start + 2 {
        tree.close(context, &text[start + 2..name_end], start, end);
    } else {
        tree.end_text();
    }
    end
}

fn declaration<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    let text = context.bytes;
    let rest = &text[start..];
    if rest.starts_with(b"<!--") {
        let Some(end) = comment(context, start) else {
            return text.len();
        };
        tree.aside(context, start, end);
        return end;
    }
    if rest.starts_with(b"<![CDATA[") {
        let Some(end) = find(text, b"]]>", start + 9) else {
            return text.len();
        };
        tree.cdata(context, start + 9, end);
        return end + 3;
    }
    let Some(end) = find_byte(text, b'>', start, next_markup(text, start)) else {
        return unfinished(context, tree, start);
    };
    context.marks.add(X002, start, end + 1, "declaration out of place");
    end + 1
}

fn next_markup(text: &[u8], start: usize) -> usize {
    find_byte(text, b'<', start + 1, text.len()).unwrap_or(text.len())
}

fn unfinished<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    let length = context.bytes.len();
    let is_last = next_markup(context.bytes, start) == length;
    if is_last { length } else { literal(context, tree, start) }
}

fn literal<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    context.marks.add(X002, start, start + 1, "\"<\" in text must be written &lt;");
    tree.text(context, start, start + 1);
    start + 1
}
