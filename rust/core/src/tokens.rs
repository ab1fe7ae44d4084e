//! Tokenizer: finds tags, comments and sections, and repairs malformed ones.
//!
//! Each scan for a delimiter stops at the next `<` or consumes the scanned text, so the total time
//! is linear in the length of any document.

use crate::attributes::attributes;
use crate::codes::X002;
use crate::context::Context;
use crate::misc::{comment, instruction};
use crate::references::begins_name;
use crate::search::{find, find_byte};
use crate::tags::{EndTag, end_tag, next_markup, start_tag};
use crate::tree::Tree;

/// Passes the tag, comment or section at `start` to the tree. Returns the offset after it.
///
/// Text that only resembles markup is passed on as text. If the document ends inside the markup,
/// nothing is passed on, and the length of the document is returned.
pub fn read_markup<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    match context.bytes.get(start + 1) {
        Some(b'/') => close(context, tree, start),
        Some(b'!') => declaration(context, tree, start),
        Some(b'?') => {
            let Some(end) = instruction(context, start) else {
                return context.bytes.len();
            };
            tree.misc(context, start, end);
            end
        }
        Some(byte) if begins_name(*byte) => open(context, tree, start),
        Some(_) => literal(context, tree, start),
        None => context.bytes.len(),
    }
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
        attributes(context, &mut tree.nodes.attributes, name_end, span_end);
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
        context.diagnostics.add(X002, start, end, "malformed end tag");
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
        tree.misc(context, start, end);
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
    context.diagnostics.add(X002, start, end + 1, "declaration out of place");
    end + 1
}

fn unfinished<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    let length = context.bytes.len();
    let is_last = next_markup(context.bytes, start) == length;
    if is_last { length } else { literal(context, tree, start) }
}

fn literal<'a>(context: &mut Context<'a>, tree: &mut Tree<'a>, start: usize) -> usize {
    context.diagnostics.add(X002, start, start + 1, "\"<\" in text must be written &lt;");
    tree.text(context, start, start + 1);
    start + 1
}
