//! URLs of an entry.

use crate::codes::{S007, S008, S013, U001, U003, U006, X022};
use crate::context::Context;
use crate::names::Role;
use crate::nodes::Nodes;
use crate::references::is_doubly_escaped;
use crate::urls::{has_space, is_http, split_urls, trim};

/// Adds the entries of a `url` element. The first loc gets the metadata; further ones become
/// entries without metadata.
///
/// `locs` contains the entry itself if it has no loc, because its own text may be the URL.
pub(super) fn add_urls(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    locs: &[usize],
    number: usize,
) {
    let mut count = 0;
    for (order, loc) in locs.iter().copied().enumerate() {
        let text = match url_text(context, nodes, loc) {
            UrlText::Some(text) => text,
            UrlText::Blank => continue,
            UrlText::Uncertain => {
                count += 1;
                context.entries.rollback();
                continue;
            }
        };
        let (offset, end) = (nodes.node(loc).tag_end, nodes.node(loc).end);
        let Context { diagnostics, entries, positions, base, .. } = context;
        each_url(&text, |part| {
            let url = diagnostics.parse_url(part, *base, offset, end);
            let place = if count == 0 { nodes.node(number).start } else { nodes.node(loc).start };
            if order + count > 0 {
                diagnostics.add(S008, offset, end, "loc");
            }
            if let Some(url) = url {
                entries.loc.set(entries.row(), url.as_bytes());
                entries.commit_at(positions.source_offset(place), positions.line(place));
            } else if count == 0 {
                entries.rollback();
            }
            count += 1;
        });
    }
    if count == 0 {
        let node = nodes.node(number);
        context.entries.rollback();
        context.diagnostics.add(S007, node.start, node.tag_end, &node.name.local);
    }
}

/// Text of a loc.
pub(super) enum UrlText {
    /// Known text.
    Some(String),
    /// No text.
    Blank,
    /// Unknown text.
    Uncertain,
}

/// Returns the text of a loc, or of an entry without a loc. Reports several URLs in it and double
/// escaping.
pub(super) fn url_text(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) -> UrlText {
    let node = nodes.node(number);
    let is_entry = node.name.role == Role::Entry;
    let text = if is_entry {
        nodes.own_text(&context.buffer, number)
    } else {
        nodes.content(&context.buffer, number)
    };
    let Some(text) = text else {
        if is_entry {
            return UrlText::Blank;
        }
        if nodes.is_certain(number) {
            context.diagnostics.add(U003, node.tag_end, node.end, "more than 1,048,576");
        }
        return UrlText::Uncertain;
    };
    let trimmed = trim(&text);
    if trimmed.is_empty() || is_entry && !is_http(trimmed) {
        return UrlText::Blank;
    }
    if is_entry {
        context.diagnostics.escalate(S013, node.start);
    }
    if is_doubly_escaped(text.as_bytes()) {
        context.diagnostics.add(X022, node.tag_end, node.end, &text);
    }
    let is_markup = !is_entry && nodes.children(number).next().is_some();
    if is_markup && !is_http(trimmed) {
        // The text is a link text, not a reference.
        context.diagnostics.add(U001, node.tag_end, node.end, &text);
        return UrlText::Uncertain;
    }
    let mut parts = Vec::new();
    split_urls(&text, |part| parts.push(part));
    let is_preceded = parts.len() > 1 && !is_http(parts[0]);
    if is_preceded {
        context.diagnostics.add(U001, node.tag_end, node.end, &text);
        if parts[1..].iter().any(|part| has_space(part)) {
            return UrlText::Uncertain; // the URL in the text has no certain end
        }
    }
    if parts.len() > 1 + usize::from(is_preceded) {
        context.diagnostics.add(U006, node.tag_end, node.end, &text);
    }
    UrlText::Some(text.into_owned())
}

/// Calls `each` with each URL of a value, but not with text before the first of several URLs.
pub(super) fn each_url<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let mut first = None;
    split_urls(text, |part| {
        if let Some(text) = first.replace(part).filter(|text| is_http(text)) {
            each(text);
        }
    });
    if let Some(last) = first {
        each(last);
    }
}
