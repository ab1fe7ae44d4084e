//! Evaluation of `url` and `sitemap` elements: loc, metadata and their problems.

mod loc;

use crate::codes::{L006, S007, S008, S009, S010, S012, S014, S016, S017, S019, S020, S022, X022};
use crate::context::{Context, Sitemap};
use crate::dates::parse_date;
use crate::extensions;
use crate::metadata::{changefreq_word, priority_value};
use crate::names::{Key, Role};
use crate::nesting::is_well_nested;
use crate::nodes::Nodes;
use crate::references::is_doubly_escaped;
use crate::urls::trim;
use crate::utf8::utf8_or_empty;
use loc::{UrlText, add_urls, each_url, url_text};

/// Maximum number of `image:image` elements per `url` (Google, image sitemaps).
const MAX_IMAGES: usize = 1_000;

/// First lastmod, changefreq and priority of an entry.
#[derive(Clone, Copy, Default)]
struct FirstValues {
    lastmod: Option<usize>,
    changefreq: Option<usize>,
    priority: Option<usize>,
}

/// Creates entries, or a child of an index, from a complete element.
pub fn finish_element(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let node = nodes.node(number);
    if node.name.key == Key::Loc {
        context.diagnostics.add(S016, node.start, node.tag_end, "");
        add_urls(context, nodes, &[number], number);
        return;
    }
    let is_child = node.name.key == Key::Sitemap;
    let root = nodes.open_nodes().rev().map(|outer| &nodes.node(outer).name);
    let root = root.filter(|name| name.role == Role::Root).map(|name| name.key).next();
    if root == Some(if is_child { Key::Urlset } else { Key::Sitemapindex }) {
        context.diagnostics.add(S014, node.start, node.tag_end, &node.name.local);
    }
    check_attributes(context, nodes, number);
    let mut children = Vec::new();
    collect_children(context, nodes, number, &mut children);
    let is_loc = |child: &usize| {
        let name = &nodes.node(*child).name;
        name.role == Role::Value && name.key == Key::Loc
    };
    let mut locs: Vec<usize> = children.iter().copied().filter(is_loc).collect();
    if locs.is_empty() {
        locs.push(number);
    }
    let firsts = first_values(context, nodes, &children);
    if is_child {
        add_sitemap(context, nodes, number, &locs, firsts, &children);
    } else {
        metadata(context, nodes, number, firsts, &children);
        add_urls(context, nodes, &locs, number);
    }
}

/// Collects the child elements. The children of an unknown element without a matching end tag
/// count, too, because only the missing tag puts them inside it.
fn collect_children(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    number: usize,
    found: &mut Vec<usize>,
) {
    for child in nodes.children(number) {
        let node = nodes.node(child);
        if node.name.role != Role::Unknown {
            found.push(child);
            continue;
        }
        let key = &[node.name.raw];
        context.diagnostics.add_once(S010, key, node.start, node.tag_end, &node.name.local);
        if nodes.children(child).next().is_some() && !is_well_nested(context, node.start) {
            collect_children(context, nodes, child, found);
        }
    }
}

/// Returns the first element of each value. Reports duplicate and empty values.
fn first_values(context: &mut Context<'_>, nodes: &Nodes<'_>, children: &[usize]) -> FirstValues {
    let mut firsts = FirstValues::default();
    for child in children.iter().copied() {
        let node = nodes.node(child);
        if node.name.role != Role::Value {
            continue;
        }
        check_attributes(context, nodes, child);
        if nodes.children(child).next().is_some() {
            context.diagnostics.add(S017, node.start, node.tag_end, &node.name.local);
        }
        let first = match node.name.key {
            Key::Lastmod => &mut firsts.lastmod,
            Key::Changefreq => &mut firsts.changefreq,
            Key::Priority => &mut firsts.priority,
            _ => continue,
        };
        if first.is_some() {
            context.diagnostics.add(S008, node.start, node.tag_end, &node.name.local);
            continue;
        }
        *first = Some(child);
        if nodes.content(&context.buffer, child).is_some_and(|text| trim(&text).is_empty()) {
            context.diagnostics.add(S009, node.start, node.tag_end, &node.name.local);
        }
    }
    firsts
}

/// Sets the fields of the current row.
fn metadata(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    number: usize,
    firsts: FirstValues,
    children: &[usize],
) {
    let row = context.entries.row();
    if let Some(lastmod) = firsts.lastmod
        && let Some((instant, text)) = read_lastmod(context, nodes, lastmod)
    {
        context.entries.lastmod_text.set(row, text.as_bytes());
        if let Some(instant) = instant {
            context.entries.lastmod.set(row, instant);
        }
    }
    if let Some(word) = firsts.changefreq.and_then(|node| changefreq(context, nodes, node)) {
        context.entries.changefreq.set(row, word.as_bytes());
    }
    if let Some(value) = firsts.priority.and_then(|node| priority(context, nodes, node)) {
        context.entries.priority.set(row, value);
    }
    extensions::read(context, nodes, children);
    let images = context.entries.images.list.get(row).len();
    if images > MAX_IMAGES {
        let node = nodes.node(number);
        context.diagnostics.add(L006, node.start, node.tag_end, &images.to_string());
    }
}

/// Parses a date and reports its problems (D001 to D004).
fn read_lastmod(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    number: usize,
) -> Option<(Option<i64>, String)> {
    let text = value(context, nodes, number)?;
    let date = parse_date(&text);
    if let Some(code) = date.code {
        let node = nodes.node(number);
        context.diagnostics.add(code, node.tag_end, node.end, &text);
    }
    Some((date.instant, text))
}

fn changefreq(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) -> Option<&'static str> {
    let text = nodes.content(&context.buffer, number)?;
    let trimmed = trim(&text);
    if trimmed.is_empty() {
        return None;
    }
    let word = changefreq_word(trimmed.as_bytes());
    if word != Some(&text) {
        let node = nodes.node(number);
        context.diagnostics.add(S019, node.tag_end, node.end, &text);
    }
    word
}

fn priority(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) -> Option<f64> {
    let text = value(context, nodes, number)?;
    let found = priority_value(&text);
    if found.is_none() {
        let node = nodes.node(number);
        context.diagnostics.add(S020, node.tag_end, node.end, &text);
    }
    found
}

fn add_sitemap(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    number: usize,
    locs: &[usize],
    firsts: FirstValues,
    children: &[usize],
) {
    for child in children.iter().copied() {
        let node = nodes.node(child);
        let is_value = node.name.role == Role::Value;
        if !(is_value && matches!(node.name.key, Key::Loc | Key::Lastmod)) {
            context.diagnostics.add(S022, node.start, node.tag_end, &node.name.local);
        }
    }
    let mut lastmod = firsts.lastmod.and_then(|node| read_lastmod(context, nodes, node));
    let mut count = 0;
    for (order, loc) in locs.iter().copied().enumerate() {
        let text = match url_text(context, nodes, loc) {
            UrlText::Some(text) => text,
            UrlText::Blank => continue,
            UrlText::Uncertain => {
                count += 1;
                lastmod = None;
                continue;
            }
        };
        let (offset, end) = (nodes.node(loc).tag_end, nodes.node(loc).end);
        let Context { diagnostics, sitemaps, positions, base, .. } = context;
        each_url(&text, |part| {
            let url = diagnostics.parse_url(part, *base, offset, end);
            let place = if count == 0 { nodes.node(number).start } else { nodes.node(loc).start };
            if order + count > 0 {
                diagnostics.add(S008, offset, end, "loc");
            }
            let (lastmod, lastmod_text) = match lastmod.take() {
                Some((instant, text)) => (instant, Some(text)),
                None => (None, None),
            };
            if let Some(url) = url {
                sitemaps.push(Sitemap {
                    loc: url.into_owned(),
                    lastmod,
                    lastmod_text,
                    offset: positions.source_offset(place),
                    line: positions.line(place),
                });
            }
            count += 1;
        });
    }
    if count == 0 {
        let node = nodes.node(number);
        context.diagnostics.add(S007, node.start, node.tag_end, &node.name.local);
    }
}

/// Reports attributes on elements of the protocol, which has none (S012).
pub fn check_attributes(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let name = &nodes.node(number).name;
    for attribute in nodes.attributes_of(number) {
        let own = attribute.name;
        let is_allowed = own == b"xmlns"
            || [&b"xmlns:"[..], b"xml:", b"xsi:"].iter().any(|prefix| own.starts_with(prefix));
        if !is_allowed {
            let detail = format!("{} on <{}>", utf8_or_empty(own), name.local);
            let key = &[name.raw, own];
            context.diagnostics.add_once(S012, key, attribute.start, attribute.end, &detail);
        }
    }
}

/// Returns the trimmed text of a value, or None if it is empty. Reports double escaping.
fn value(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) -> Option<String> {
    let text = nodes.content(&context.buffer, number)?;
    let text = trim(&text);
    if is_doubly_escaped(text.as_bytes()) {
        let node = nodes.node(number);
        context.diagnostics.add(X022, node.tag_end, node.end, text);
    }
    (!text.is_empty()).then(|| text.to_owned())
}
