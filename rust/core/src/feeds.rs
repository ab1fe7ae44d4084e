//! RSS 2.0, RSS 1.0 and Atom: the link of an item becomes a loc, its date a lastmod.

use std::borrow::Cow;

use crate::codes::{F001, F002, F003};
use crate::context::{Buffer, Context};
use crate::dates::{is_atom_date, is_rss_date, parse_date};
use crate::diagnostics::MAX_LOC;
use crate::names::Key;
use crate::nodes::Nodes;
use crate::urls::{is_http, resolve, trim};

/// Namespace of Atom 0.3.
const ATOM_03: &str = "http://purl.org/atom/ns#";

/// Elements that hold a date, in order of preference. Dublin Core dates are W3C dates.
const DATES: [Key; 6] =
    [Key::Updated, Key::Modified, Key::Pubdate, Key::Date, Key::Published, Key::Issued];

/// A registered relation name is equivalent to its URL at IANA (RFC 4287 section 4.2.7.2).
const ALTERNATE: [&str; 2] = ["alternate", "http://www.iana.org/assignments/relation/alternate"];

/// Reports a feed format that search engines do not list as accepted (F001).
pub fn check_version(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let node = nodes.node(number);
    let version = nodes.attribute(&context.buffer, number, b"version").unwrap_or_default();
    let is_atom_03 = || node.name.uri.as_deref() == Some(ATOM_03) || version == "0.3";
    let format_name = match node.name.key {
        Key::Rdf => Cow::Borrowed("RSS 1.0"),
        Key::Rss if version.starts_with("0.9") => Cow::Owned(format!("RSS {version}")),
        Key::Feed if is_atom_03() => Cow::Borrowed("Atom 0.3"),
        _ => return,
    };
    context.diagnostics.add(F001, node.start, node.tag_end, &format_name);
}

/// Creates an entry from an `item` or an Atom `entry`.
pub fn finish_item(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let node = nodes.node(number);
    let Some((text, place)) = link(&context.buffer, nodes, number) else {
        context.diagnostics.add(F002, node.start, node.tag_end, "");
        return;
    };
    let (base, is_stated) = base_of(context, nodes, [number, place]);
    let base = base.as_deref().filter(|base| !base.is_empty()).or(context.base);
    let buffer = &context.buffer;
    let Context { entries, diagnostics, positions, .. } = context;
    let span = nodes.node(place);
    let url = match base {
        Some(base) if is_stated => {
            diagnostics.parse_url_with_stated_base(&text, base, span.start, span.end)
        }
        _ => diagnostics.parse_url(&text, base, span.start, span.end),
    };
    let row = entries.row();
    for (key, child) in date_children(nodes, number) {
        let Some(text) = nodes.content(buffer, child) else {
            continue;
        };
        let text = trim(&text);
        if text.is_empty() {
            continue;
        }
        let instant = parse_date(text).instant;
        if !is_feed_date(key, text) {
            let node = nodes.node(child);
            diagnostics.add(F003, node.tag_end, node.end, text);
        }
        entries.lastmod_text.set(row, text.as_bytes());
        if let Some(instant) = instant {
            entries.lastmod.set(row, instant);
        }
        break;
    }
    match url {
        Some(url) => {
            let (offset, line) = (positions.source_offset(node.start), positions.line(node.start));
            entries.loc.set(entries.row(), url.as_bytes());
            entries.commit_at(offset, line);
        }
        None => entries.rollback(),
    }
}

/// Returns the base URL of the link of an item, and whether the document itself states it with an
/// http(s) URL. The `xml:base` attributes are applied from the outermost element to the item and
/// the link.
fn base_of(context: &Context<'_>, nodes: &Nodes<'_>, inner: [usize; 2]) -> (Option<String>, bool) {
    let buffer = &context.buffer;
    let own = |number| nodes.attribute(buffer, number, b"xml:base");
    let around = nodes.open_nodes().fold(None, |base, number| resolve_base(own(number), base));
    let base = resolve_base(around.as_deref(), context.base.map(str::to_owned));
    let is_stated = around.is_some()
        || inner.iter().any(|&number| {
            own(number).is_some_and(|given| is_short(given) && is_http(trim(given)))
        });
    (inner.into_iter().fold(base, |base, number| resolve_base(own(number), base)), is_stated)
}

/// Resolves an `xml:base` against the outer base. A base of `MAX_LOC` or more characters is
/// ignored, because each of many links would become as long as the base.
fn resolve_base(reference: Option<&str>, base: Option<String>) -> Option<String> {
    let Some(reference) = reference.filter(|reference| is_short(reference)).map(trim) else {
        return base;
    };
    if is_http(reference) {
        return Some(reference.to_owned());
    }
    let base = base?;
    let joined = is_http(&base).then(|| resolve(reference, &base));
    Some(joined.filter(|joined| is_short(joined)).unwrap_or(base))
}

/// Returns whether a text has fewer than `MAX_LOC` characters, without counting the rest.
fn is_short(text: &str) -> bool {
    text.len() < MAX_LOC || text.chars().nth(MAX_LOC - 1).is_none()
}

/// Returns the first link: text in RSS, or the `href` of an Atom link without relation or with
/// relation `alternate`.
///
/// Without a link, returns a `guid` that is a permalink, which is the default of a guid.
fn link<'b>(
    buffer: &'b Buffer<'_>,
    nodes: &'b Nodes<'_>,
    number: usize,
) -> Option<(Cow<'b, str>, usize)> {
    let is_word = |text: &str, word| trim(text).eq_ignore_ascii_case(word);
    for child in nodes.children(number) {
        if nodes.node(child).name.key != Key::Link {
            continue;
        }
        if let Some(href) = nodes.attribute(buffer, child, b"href") {
            let rel = nodes.attribute(buffer, child, b"rel");
            let is_alternate =
                rel.is_none_or(|rel| ALTERNATE.iter().any(|word| is_word(rel, word)));
            if is_alternate && !trim(href).is_empty() {
                return Some((Cow::Borrowed(href), child));
            }
            continue;
        }
        if let Some(text) = nodes.content(buffer, child).filter(|text| !trim(text).is_empty()) {
            return Some((text, child));
        }
    }
    nodes.children(number).filter(|child| nodes.node(*child).name.key == Key::Guid).find_map(
        |child| {
            let flag = nodes.attribute(buffer, child, b"isPermaLink");
            let text = nodes.content(buffer, child)?;
            let is_permalink = !flag.is_some_and(|flag| is_word(flag, "false"));
            (is_permalink && is_http(trim(&text))).then_some((text, child))
        },
    )
}

/// Returns the first child of each element name that holds a date, in order of preference.
fn date_children(nodes: &Nodes<'_>, number: usize) -> Vec<(Key, usize)> {
    let first = |key| nodes.children(number).find(|child| nodes.node(*child).name.key == key);
    DATES.into_iter().filter_map(|key| first(key).map(|child| (key, child))).collect()
}

fn is_feed_date(key: Key, text: &str) -> bool {
    let date = parse_date(text);
    match key {
        _ if date.instant.is_none() => false,
        Key::Pubdate => is_rss_date(text),
        Key::Date => date.code.is_none(),
        _ => is_atom_date(text),
    }
}
