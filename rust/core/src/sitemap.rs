//! What one `url` or `sitemap` element says: its loc, its metadata, and what is wrong with them.

use crate::codes::{
    L006, S007, S008, S009, S010, S012, S013, S014, S016, S017, S019, S020, S022, U001, U003, U006,
    X022,
};
use crate::context::{Context, Sitemap};
use crate::dates::parse_date;
use crate::extensions;
use crate::names::{Key, Role};
use crate::tree::Tree;
use crate::urls::{is_http, split_urls, trim};
use crate::values::is_doubly_escaped;

/// `image:image` in one `url` (Google, image sitemaps).
const MAX_IMAGES: usize = 1_000;

/// The first lastmod, changefreq and priority of an entry.
#[derive(Clone, Copy, Default)]
struct Firsts {
    lastmod: Option<usize>,
    changefreq: Option<usize>,
    priority: Option<usize>,
}

/// Makes entries, or a child of an index, of an element that is complete.
pub fn finish_element(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) {
    let node = tree.node(number);
    if node.name.key == Key::Loc {
        context.marks.add(S016, node.start, node.tag_end, "");
        add_urls(context, tree, &[number], number);
        return;
    }
    let is_child = node.name.key == Key::Sitemap;
    let root = tree.open_nodes().rev().map(|outer| &tree.node(outer).name);
    let root = root.filter(|name| name.role == Role::Root).map(|name| name.key).next();
    if root == Some(if is_child { Key::Urlset } else { Key::Sitemapindex }) {
        context.marks.add(S014, node.start, node.tag_end, &node.name.local);
    }
    check_attributes(context, tree, number);
    let mut children = Vec::new();
    collect_children(context, tree, number, &mut children);
    let is_loc = |child: &usize| {
        let name = &tree.node(*child).name;
        name.role == Role::Value && name.key == Key::Loc
    };
    let mut locs: Vec<usize> = children.iter().copied().filter(is_loc).collect();
    if locs.is_empty() {
        locs.push(number);
    }
    let firsts = first_values(context, tree, &children);
    if is_child {
        add_sitemap(context, tree, number, &locs, firsts, &children);
    } else {
        metadata(context, tree, number, firsts, &children);
        add_urls(context, tree, &locs, number);
    }
}

/// The children, those of unknown elements among them, since a loc may hide there.
fn collect_children(
    context: &mut Context<'_>,
    tree: &Tree<'_>,
    number: usize,
    found: &mut Vec<usize>,
) {
    for child in tree.children(number) {
        let node = tree.node(child);
        if node.name.role == Role::Unknown {
            let key = &[node.name.raw];
            context.marks.once(S010, key, node.start, node.tag_end, &node.name.local);
            collect_children(context, tree, child, found);
        } else {
            found.push(child);
        }
    }
}

/// The first of each value; more of them are noted, and so are empty ones.
fn first_values(context: &mut Context<'_>, tree: &Tree<'_>, children: &[usize]) -> Firsts {
    let mut firsts = Firsts::default();
    for child in children.iter().copied() {
        let node = tree.node(child);
        if node.name.role != Role::Value {
            continue;
        }
        check_attributes(context, tree, child);
        if tree.children(child).next().is_some() {
            context.marks.add(S017, node.start, node.tag_end, &node.name.local);
        }
        let first = match node.name.key {
            Key::Lastmod => &mut firsts.lastmod,
            Key::Changefreq => &mut firsts.changefreq,
            Key::Priority => &mut firsts.priority,
            _ => continue,
        };
        if first.is_some() {
            context.marks.add(S008, node.start, node.tag_end, &node.name.local);
            continue;
        }
        *first = Some(child);
        if tree.content(&context.buffer, child).is_some_and(|text| trim(&text).is_empty()) {
            context.marks.add(S009, node.start, node.tag_end, &node.name.local);
        }
    }
    firsts
}

/// Sets the fields of the row that is being made.
fn metadata(
    context: &mut Context<'_>,
    tree: &Tree<'_>,
    number: usize,
    firsts: Firsts,
    children: &[usize],
) {
    let row = context.entries.row();
    if let Some(lastmod) = firsts.lastmod
        && let Some((instant, text)) = read_lastmod(context, tree, lastmod)
    {
        context.entries.lastmod_text.set(row, text.as_bytes());
        if let Some(instant) = instant {
            context.entries.lastmod.set(row, instant);
        }
    }
    if let Some(word) = firsts.changefreq.and_then(|node| changefreq(context, tree, node)) {
        context.entries.changefreq.set(row, word.as_bytes());
    }
    if let Some(value) = firsts.priority.and_then(|node| priority(context, tree, node)) {
        context.entries.priority.set(row, value);
    }
    extensions::read(context, tree, children);
    let images = context.entries.images.list.get(row).len();
    if images > MAX_IMAGES {
        let node = tree.node(number);
        context.marks.add(L006, node.start, node.tag_end, &images.to_string());
    }
}

/// Reads a date of the sitemap formats and notes what is wrong with it (D001 to D004).
fn read_lastmod(
    context: &mut Context<'_>,
    tree: &Tree<'_>,
    number: usize,
) -> Option<(Option<i64>, String)> {
    let text = value(context, tree, number)?;
    let date = parse_date(&text);
    if let Some(code) = date.code {
        let node = tree.node(number);
        context.marks.add(code, node.tag_end, node.end, &text);
    }
    Some((date.instant, text))
}

/// The word of `changefreq` that a text is, in any case.
#[must_use]
pub fn changefreq_word(text: &[u8]) -> Option<&'static str> {
    let words = ["daily", "weekly", "monthly", "hourly", "yearly", "always", "never"];
    words.into_iter().find(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

fn changefreq(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) -> Option<&'static str> {
    let text = tree.content(&context.buffer, number)?;
    let trimmed = trim(&text);
    if trimmed.is_empty() {
        return None;
    }
    let word = changefreq_word(trimmed.as_bytes());
    if word != Some(&text) {
        let node = tree.node(number);
        context.marks.add(S019, node.tag_end, node.end, &text);
    }
    word
}

fn priority(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) -> Option<f64> {
    let text = value(context, tree, number)?;
    let found = priority_value(&text);
    if found.is_none() {
        let node = tree.node(number);
        context.marks.add(S020, node.tag_end, node.end, &text);
    }
    found
}

/// A decimal number from 0 to 1.
#[must_use]
pub fn priority_value(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() < 2
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    if !is_decimal {
        return None;
    }
    text.parse().ok().filter(|value| (0.0..=1.0).contains(value)).map(f64::abs)
}

/// Adds the entries of one `url`: the first loc has the metadata, others stand alone.
///
/// `locs` is the entry itself where it has no loc: its own text may be the URL.
fn add_urls(context: &mut Context<'_>, tree: &Tree<'_>, locs: &[usize], number: usize) {
    let mut count = 0;
    for (order, loc) in locs.iter().copied().enumerate() {
        let text = match url_text(context, tree, loc) {
            UrlText::Some(text) => text,
            UrlText::Blank => continue,
            UrlText::Uncertain => {
                count += 1;
                context.entries.rollback();
                continue;
            }
        };
        let (offset, end) = (tree.node(loc).tag_end, tree.node(loc).end);
        let Context { marks, entries, places, base, .. } = context;
        split_urls(&text, |part| {
            let url = marks.url(part, *base, offset, end);
            let place = if count == 0 { tree.node(number).start } else { tree.node(loc).start };
            if order + count > 0 {
                marks.add(S008, offset, end, "loc");
            }
            if let Some(url) = url {
                entries.loc.set(entries.row(), url.as_bytes());
                entries.commit_at(places.source_offset(place), places.line(place));
            } else if count == 0 {
                entries.rollback();
            }
            count += 1;
        });
    }
    if count == 0 {
        let node = tree.node(number);
        context.entries.rollback();
        context.marks.add(S007, node.start, node.tag_end, &node.name.local);
    }
}

/// The text of a loc.
enum UrlText {
    /// It is this.
    Some(String),
    /// There is none.
    Blank,
    /// Nobody can tell what it is.
    Uncertain,
}

/// The text of a loc, or of an entry without one, which is noted where it holds several URLs or
/// is escaped twice.
fn url_text(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) -> UrlText {
    let node = tree.node(number);
    let is_entry = node.name.role == Role::Entry;
    let text = if is_entry {
        tree.own_text(&context.buffer, number)
    } else {
        tree.content(&context.buffer, number)
    };
    let Some(text) = text else {
        if is_entry {
            return UrlText::Blank;
        }
        if tree.is_certain(number) {
            context.marks.add(U003, node.tag_end, node.end, "more than 1,048,576");
        }
        return UrlText::Uncertain;
    };
    let trimmed = trim(&text);
    if trimmed.is_empty() || is_entry && !is_http(trimmed) {
        return UrlText::Blank;
    }
    if is_entry {
        context.marks.raise(S013, node.start);
    }
    if is_doubly_escaped(text.as_bytes()) {
        context.marks.add(X022, node.tag_end, node.end, &text);
    }
    let is_markup = !is_entry && tree.children(number).next().is_some();
    if is_markup && !is_http(trimmed) {
        // The text of a link, not a reference.
        context.marks.add(U001, node.tag_end, node.end, &text);
        return UrlText::Uncertain;
    }
    let mut parts = 0;
    split_urls(&text, |_| parts += 1);
    if parts > 1 {
        context.marks.add(U006, node.tag_end, node.end, &text);
    }
    UrlText::Some(text.into_owned())
}

fn add_sitemap(
    context: &mut Context<'_>,
    tree: &Tree<'_>,
    number: usize,
    locs: &[usize],
    firsts: Firsts,
    children: &[usize],
) {
    for child in children.iter().copied() {
        let node = tree.node(child);
        let is_value = node.name.role == Role::Value;
        if !(is_value && matches!(node.name.key, Key::Loc | Key::Lastmod)) {
            context.marks.add(S022, node.start, node.tag_end, &node.name.local);
        }
    }
    let mut lastmod = firsts.lastmod.and_then(|node| read_lastmod(context, tree, node));
    let mut count = 0;
    for (order, loc) in locs.iter().copied().enumerate() {
        let text = match url_text(context, tree, loc) {
            UrlText::Some(text) => text,
            UrlText::Blank => continue,
            UrlText::Uncertain => {
                count += 1;
                lastmod = None;
                continue;
            }
        };
        let (offset, end) = (tree.node(loc).tag_end, tree.node(loc).end);
        let Context { marks, sitemaps, places, base, .. } = context;
        split_urls(&text, |part| {
            let url = marks.url(part, *base, offset, end);
            let place = if count == 0 { tree.node(number).start } else { tree.node(loc).start };
            if order + count > 0 {
                marks.add(S008, offset, end, "loc");
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
                    offset: places.source_offset(place),
                    line: places.line(place),
                });
            }
            count += 1;
        });
    }
    if count == 0 {
        let node = tree.node(number);
        context.marks.add(S007, node.start, node.tag_end, &node.name.local);
    }
}

/// Notes attributes on an element of the protocol, which has none (S012).
pub fn check_attributes(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) {
    let name = &tree.node(number).name;
    for attribute in tree.attributes_of(number) {
        let own = attribute.name;
        let is_allowed = own == b"xmlns"
            || [&b"xmlns:"[..], b"xml:", b"xsi:"].iter().any(|prefix| own.starts_with(prefix));
        if !is_allowed {
            let words = format!("{} on <{}>", crate::context::utf8(own), name.local);
            let key = &[name.raw, own];
            context.marks.once(S012, key, attribute.start, attribute.end, &words);
        }
    }
}

/// The trimmed text of a value, which is noted when it is escaped twice; none where it is blank.
fn value(context: &mut Context<'_>, tree: &Tree<'_>, number: usize) -> Option<String> {
    let text = tree.content(&context.buffer, number)?;
    let text = trim(&text);
    if is_doubly_escaped(text.as_bytes()) {
        let node = tree.node(number);
        context.marks.add(X022, node.tag_end, node.end, text);
    }
    (!text.is_empty()).then(|| text.to_owned())
}
