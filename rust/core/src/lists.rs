//! Plain text sitemaps: one URL per line, and other content found in such files.

use memchr::{memchr2, memmem};

use crate::codes::{T001, T002, T003, T004};
use crate::context::Context;
use crate::metadata::changefreq_word;
use crate::urls::{is_http, is_inner_space, split_words, trim};

/// Reads the lines from `start` on. Returns false if none of them is a URL.
///
/// A line is accepted or rejected as a whole. A line with white space is accepted if each word is a
/// URL, or if it is a single URL with spaces. Ambiguous lines are reported (T001).
pub fn read_list(context: &mut Context<'_>, start: usize) -> bool {
    let text = context.bytes;
    let mut is_layout_reported = false;
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        let length = memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let end = at + length;
        let (next, is_cr) = match rest.get(length..) {
            Some([b'\r', b'\n', ..]) => (end + 2, false),
            Some([b'\r', ..]) => (end + 1, true),
            Some([_, ..]) => (end + 1, false),
            _ => (end, false),
        };
        let line = context.slice(at, end);
        let value = trim(line);
        if !value.is_empty() && !read_line(context, value, at, end) {
            context.diagnostics.add(T001, at, end, value);
        }
        if !is_layout_reported && (is_cr || value.len() != line.len() || line.is_empty()) {
            is_layout_reported = true;
            context.diagnostics.add(T003, at, next, "");
        }
        at = next;
    }
    let has_entries = context.entries.row() > 0;
    if !has_entries {
        context.diagnostics.keep_first(T001);
    }
    has_entries
}

/// Reads a line. Returns false if it does not consist of URLs.
fn read_line(context: &mut Context<'_>, value: &str, offset: usize, end: usize) -> bool {
    // Control characters, and characters of markup that RFC 3986 does not allow.
    let is_clean =
        |byte: u8| (byte >= 0x20 || byte == b'\t') && !matches!(byte, b'<' | b'>' | b'"');
    let is_clean = value.bytes().all(is_clean);
    let is_one = is_clean && is_spaced_url(value);
    if !is_clean || !is_one && !split_words(value).all(is_http) {
        return false;
    }
    let Context { diagnostics, entries, positions, base, .. } = context;
    let mut count = 0;
    let (whole, words) = if is_one { (Some(value), "") } else { (None, value) };
    for word in whole.into_iter().chain(split_words(words)) {
        count += 1;
        if let Some(url) = diagnostics.parse_url(word, *base, offset, end) {
            let (offset, line) = (positions.source_offset(offset), positions.line(offset));
            entries.loc.set(entries.row(), url.as_bytes());
            entries.commit_at(offset, line);
        }
    }
    if count > 1 {
        diagnostics.add(T002, offset, end, &count.to_string());
    }
    if let Some(escaped) = first_escape(value) {
        diagnostics.add(T004, offset, end, escaped);
    }
    true
}

/// Returns whether a line is one URL with spaces, not columns of dates, numbers, words or comments.
fn is_spaced_url(value: &str) -> bool {
    if !is_http(value) || !value.contains(' ') {
        return false;
    }
    if value.contains(|character| character != ' ' && is_inner_space(character)) {
        return false;
    }
    let mut words = split_words(value).skip(1).peekable();
    words.peek().is_some()
        && words.all(|word| {
            word.contains(|character: char| {
                character.is_ascii_alphabetic() || !character.is_ascii()
            }) && !word.starts_with('#')
                && changefreq_word(word.as_bytes()) != Some(word)
                && !is_http(word)
        })
}

/// Returns the first XML escape in a value.
fn first_escape(value: &str) -> Option<&'static str> {
    memmem::find_iter(value.as_bytes(), b"&").find_map(|at| {
        let names = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
        names.into_iter().find(|name| value[at..].starts_with(name))
    })
}
