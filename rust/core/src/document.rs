//! Parser of a whole document: its kind, its root elements and the text around them.

use memchr::memmem;

use crate::codes::X024;
use crate::codes::{
    I005, L001, L002, L004, L005, L007, S001, S021, X001, X005, X008, X009, X014, X015,
};
use crate::columns::Entries;
use crate::context::{Context, OffsetRun, Sitemap};
use crate::diagnostics::Diagnostic;
use crate::fast_path::FastPath;
use crate::lists::read_list;
use crate::misc::{comment, instruction, is_declaration};
use crate::names::Names;
use crate::prolog::{BOM, FRAGMENTS, Format, ROOTS, excerpt, find_root, local_name, read_prolog};
use crate::search::{find_byte, find_within, is_xml_space, skip_space};
use crate::tokens::read_markup;
use crate::tree::Tree;
use crate::utf8::utf8_or_empty;

// Note: `src/urlset/protocol.py` has the same numbers.
const MAX_URLS: usize = 50_000;
const MAX_BYTES: u64 = 52_428_800;
const MAX_NEWS: usize = 1_000;

/// Result of parsing a document.
pub struct Parsed {
    /// Kind of the document: a value of `urlset.model.Kind`.
    pub kind: &'static str,
    /// Entries.
    pub entries: Entries,
    /// Children of a sitemap index.
    pub sitemaps: Vec<Sitemap>,
    /// Problems, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of omitted diagnostics per code.
    pub omitted: Vec<(&'static str, usize)>,
}

/// Parses a document of any format.
#[must_use]
pub fn parse(text: &str, base: Option<&str>, runs: &[OffsetRun]) -> Parsed {
    let mut context = Context::new(text, base, runs);
    let kind = read_document(&mut context);
    let Context { mut entries, sitemaps, diagnostics, .. } = context;
    entries.close();
    let (diagnostics, omitted) = diagnostics.finish();
    Parsed { kind, entries, sitemaps, diagnostics, omitted }
}

fn read_document(context: &mut Context<'_>) -> &'static str {
    if has_no_content(context.bytes) {
        context.diagnostics.add(X001, 0, 0, "");
        return "empty";
    }
    let kind = match read_prolog(context) {
        Format::Xml(start) => read_roots(context, start),
        Format::Text(start) => {
            if read_list(context, start) {
                "text"
            } else {
                "unknown"
            }
        }
        Format::Html => "html",
        Format::Unknown => "unknown",
    };
    if context.entities_used {
        context.diagnostics.escalate(X015, 0);
    }
    check_limits(context, kind);
    kind
}

/// Returns whether a text consists of white space and byte order marks.
fn has_no_content(text: &[u8]) -> bool {
    let mut at = skip_space(text, 0);
    while text[at..].starts_with(BOM) {
        at = skip_space(text, at + BOM.len());
    }
    at == text.len()
}

fn read_roots(context: &mut Context<'_>, start: usize) -> &'static str {
    let first = local_name(&context.bytes[start..]);
    let is_fragment = FRAGMENTS.iter().any(|name| first.eq_ignore_ascii_case(name.as_bytes()));
    let names = if is_fragment { FRAGMENTS } else { ROOTS };
    context.root_start = start;
    let (kind, mut end) = read_root(context, start);
    while let Some(begin) = end.and_then(|end| next_root(context, end, names)) {
        end = read_root(context, begin).1;
    }
    let has_entries = context.entries.row() > 0;
    match (kind, context.sitemaps.is_empty()) {
        ("urlset", false) if !has_entries => "index",
        ("index", true) if has_entries => "urlset",
        _ => kind,
    }
}

/// Returns the start of the next root element after the end of one, if there is one. Reports the
/// text between them.
fn next_root(context: &mut Context<'_>, start: usize, names: &[&str]) -> Option<usize> {
    let text = context.bytes;
    let at = skip_misc(context, start);
    if at == text.len() {
        return None;
    }
    let root = find_root(text, at, text.len(), names);
    let begin = root.map_or(text.len(), |(begin, _)| begin);
    let declaration = root.and_then(|_| find_within(text, b"<?xml", at, begin));
    let junk_end = declaration.unwrap_or(begin);
    let junk = &text[at..junk_end];
    if !is_space_or_byte_order_mark(junk) {
        if junk.iter().all(|byte| *byte == 0 || is_xml_space(*byte)) {
            context.diagnostics.add(X005, at, junk_end, "U+0000");
        } else {
            context.diagnostics.add(X008, at, junk_end, excerpt(context.slice(at, junk_end)));
        }
    } else if !junk.is_empty() {
        context.diagnostics.add(X014, at, junk_end, "");
    }
    let (begin, name_end) = root?;
    context.diagnostics.add(X024, junk_end, name_end, "");
    Some(begin)
}

/// Returns whether bytes are only white space and bytes of a byte order mark, in any order, which
/// is how Python strips them.
fn is_space_or_byte_order_mark(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| is_xml_space(*byte) || BOM.contains(byte))
}

/// Skips white space, comments and processing instructions after a root element.
fn skip_misc(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let mut at = skip_space(text, start);
    loop {
        let rest = &text[at..];
        let end = if rest.starts_with(b"<!--") {
            comment(context, at)
        } else if rest.starts_with(b"<?") && !is_declaration(rest) {
            instruction(context, at)
        } else {
            None
        };
        let Some(end) = end else { return at };
        at = skip_space(text, end);
    }
}

/// Reads a root element. Returns its kind, and its end unless that is missing.
fn read_root(context: &mut Context<'_>, start: usize) -> (&'static str, Option<usize>) {
    let text = context.bytes;
    let key = local_name(&text[start..]).to_ascii_lowercase();
    let kind = match key.as_slice() {
        b"sitemapindex" | b"sitemap" => "index",
        b"rss" | b"rdf" => "rss",
        b"feed" => "atom",
        _ => "urlset",
    };
    if FRAGMENTS.iter().any(|name| key == name.as_bytes()) {
        let detail = format!("<{}>", utf8_or_empty(&key));
        context.diagnostics.add_once(S001, &[b"fragment"], start, start + 1, &detail);
    }
    let mut tree = Tree::new(Names::new(matches!(kind, "rss" | "atom")));
    let mut at = read_markup(context, &mut tree, start);
    let mut fast_path = FastPath::new(context, &tree);
    while at < text.len() && !tree.is_done {
        if let Some(fast_path) = fast_path.as_mut().filter(|_| tree.only_open().is_some()) {
            at = fast_path.read(context, at);
        }
        let following = find_byte(text, b'<', at, text.len()).unwrap_or(text.len());
        if following > at {
            tree.text(context, at, following);
        }
        at = if following < text.len() {
            read_markup(context, &mut tree, following)
        } else {
            following
        };
    }
    if tree.is_done {
        return (kind, Some(at));
    }
    let first = tree.nodes.open_nodes().next();
    let missing =
        first.map(|first| format!("</{}>", utf8_or_empty(tree.nodes.node(first).name.raw)));
    let missing = missing.as_deref().unwrap_or("the root is open");
    context.diagnostics.add(X009, text.len(), text.len(), missing);
    (kind, None)
}

fn check_limits(context: &mut Context<'_>, kind: &str) {
    let size = context.positions.source_offset(context.bytes.len());
    let count = context.entries.row();
    let diagnostics = &mut context.diagnostics;
    if kind == "index" {
        let children = context.sitemaps.len();
        if children > MAX_URLS {
            diagnostics.add(L004, 0, 0, &with_commas(children as u64));
        }
        if size > MAX_BYTES {
            diagnostics.add(L005, 0, 0, &with_commas(size));
        }
        if children == 0 {
            diagnostics.add(I005, 0, 0, "");
        }
        return;
    }
    if matches!(kind, "html" | "unknown") {
        return;
    }
    if count > MAX_URLS {
        diagnostics.add(L001, 0, 0, &with_commas(count as u64));
    }
    if size > MAX_BYTES {
        diagnostics.add(L002, 0, 0, &with_commas(size));
    }
    if context.news_count > MAX_NEWS {
        diagnostics.add(L007, 0, 0, &with_commas(context.news_count as u64));
    }
    if count == 0 {
        let is_news = memmem::find(context.bytes, b"sitemap-news").is_some();
        diagnostics.add_as(S021, 0, 0, "", is_news.then_some("info"));
    }
}

/// Formats a number with commas between groups of three digits.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> (&'static str, usize, Vec<&'static str>) {
        let parsed = parse(text, Some("https://example.com/"), &[]);
        let codes = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        (parsed.kind, parsed.entries.row() + parsed.sitemaps.len(), codes)
    }

    #[test]
    fn kind_of_a_document_follows_from_its_content() {
        for (text, kind, count, found) in [
            ("", "empty", 0, &[X001][..]),
            ("http://a/\nhttp://b/\n", "text", 2, &[]),
            ("<html>", "html", 0, &["X019"]),
            ("<urlset><url><loc>http://a/</loc></url></urlset>", "urlset", 1, &["S002"]),
            ("<rss version='2.0'><item><link>http://a/</link></item></rss>", "rss", 1, &[]),
            (
                "<urlset><url><loc>http://a/</loc></url><url><loc>http://b",
                "urlset",
                1,
                &["S002", X009],
            ),
        ] {
            assert_eq!(codes(text), (kind, count, found.to_vec()), "{text}");
        }
    }

    #[test]
    fn parsing_any_prefix_of_a_document_does_not_panic() {
        let text = "\u{feff}<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e 'é'>]><urlset a=\"&e;\">\
            <url><loc>http://a/é?&amp;&#x41;&nbsp;<![CDATA[x]]></loc><!-- c --></url></urlset> \0";
        for (end, _) in text.char_indices() {
            let _ = parse(&text[..end], None, &[]);
        }
    }
}
