//! Parsing of URLs: converts the text of a document to the URL to request.
//!
//! Exact port of `src/urlset/urls.py`. A valid URL is borrowed, not copied.

mod hosts;
mod resolve;

use std::borrow::Cow;

use crate::codes::{U001, U002, U005, U006, U015};
use crate::search::any;

pub use hosts::{is_authority, is_host};
pub use resolve::resolve;

/// Problem of a value: a lint code and the detail of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlIssue {
    /// Code of the lint rule.
    pub code: &'static str,
    /// Detail for the message.
    pub detail: String,
    /// Level, if it differs from that of the rule.
    pub level: Option<&'static str>,
}

impl UrlIssue {
    fn new(code: &'static str, detail: &str) -> Self {
        Self { code, detail: detail.to_owned(), level: None }
    }
}

/// Result of parsing a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedUrl<'a> {
    /// URL to request, if there is one.
    pub url: Option<Cow<'a, str>>,
    /// Issues in the order in which they were found.
    pub issues: Vec<UrlIssue>,
}

/// Returns whether a character is Unicode white space or one of the zero-width characters that
/// editors leave around values. Inside a value they may belong to a word, such as U+200C in
/// Persian.
#[must_use]
pub fn is_space(character: char) -> bool {
    is_inner_space(character) || matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}')
}

/// Returns whether a character is Unicode white space or the byte order mark, which are not allowed
/// inside a URL.
#[must_use]
pub fn is_inner_space(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

fn is_ascii_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

/// Trims all characters of [`is_space`]. Fast if there are none.
#[must_use]
pub fn trim(text: &str) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(|byte| (0x21..0x80).contains(byte));
    let bytes = text.as_bytes();
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        text
    } else {
        text.trim_matches(is_space)
    }
}

/// Returns whether a URL begins with `http://` or `https://`, ignoring case.
#[must_use]
pub fn is_http(url: &str) -> bool {
    http_length(url.as_bytes()) > 0
}

/// Returns the length of a leading `http://` or `https://`, ignoring case, or 0.
#[must_use]
pub fn http_length(url: &[u8]) -> usize {
    let begins = |with: &[u8]| url.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with));
    if begins(b"http://") {
        7
    } else if begins(b"https://") {
        8
    } else {
        0
    }
}

/// Parses the text of a `loc` or of the link of a feed as an http(s) URL.
#[must_use]
pub fn parse_url<'a>(text: &'a str, base: Option<&str>) -> ParsedUrl<'a> {
    let mut issues = Vec::new();
    let url = parse(text, base, &mut issues);
    ParsedUrl { url, issues }
}

fn parse<'a>(
    text: &'a str,
    base: Option<&str>,
    issues: &mut Vec<UrlIssue>,
) -> Option<Cow<'a, str>> {
    let trimmed = trim(text);
    if trimmed.len() != text.len() && !trimmed.is_empty() {
        let is_ascii = text.trim_matches(is_ascii_space) == trimmed;
        issues.push(UrlIssue { level: is_ascii.then_some("info"), ..UrlIssue::new(U005, "") });
    }
    let written = unwrapped(trimmed);
    if written.len() != trimmed.len() {
        issues.push(UrlIssue::new(U001, trimmed));
    }
    if written.contains('\u{fffd}') {
        // U+FFFD replaces undecodable bytes; RFC 3987 does not allow it in an IRI.
        issues.push(UrlIssue::new(U001, written));
        return None;
    }
    let mut url = Cow::Borrowed(written);
    if has_space(written) {
        issues.push(UrlIssue::new(U006, written));
        url = Cow::Owned(repair_inner_space(written));
    }
    if !is_http(&url) {
        url = Cow::Owned(absolute(&url, written, base, issues)?);
    }
    let authority = split_origin(&url).1;
    if !is_authority(authority) {
        issues.push(UrlIssue::new(U015, authority));
        return None;
    }
    Some(url)
}

/// Returns whether a URL contains white space other than zero-width characters.
#[must_use]
pub fn has_space(url: &str) -> bool {
    any(url.as_bytes(), |byte| (byte <= 0x20) | (byte > 0x7e)) && url.contains(is_inner_space)
}

/// Joins wrapped lines as browsers do, and encodes spaces.
fn repair_inner_space(url: &str) -> String {
    let mut joined = String::with_capacity(url.len() + 16);
    let mut rest = url;
    while let Some(start) = rest.find(is_ascii_space) {
        joined.push_str(&rest[..start]);
        let tail = rest[start..].trim_start_matches(is_ascii_space);
        let run = &rest[start..rest.len() - tail.len()];
        if !run.contains(['\r', '\n']) {
            run.chars().filter(|character| *character == ' ').for_each(|_| joined.push_str("%20"));
        }
        rest = tail;
    }
    joined.push_str(rest);
    joined
}

/// Removes quotes, brackets or parentheses around a whole URL or path.
fn unwrapped(text: &str) -> &str {
    let (Some(opener), Some(closer)) = (text.chars().next(), text.chars().next_back()) else {
        return text;
    };
    let is_pair = matches!(
        (opener, closer),
        ('"', '"')
            | ('\'', '\'')
            | ('`', '`')
            | ('“' | '„', '”')
            | ('„', '“')
            | ('‘', '’')
            | ('«', '»')
            | ('(', ')')
            | ('[', ']')
            | ('<', '>')
    );
    let end = text.len() - closer.len_utf8();
    if !is_pair || end < opener.len_utf8() {
        return text;
    }
    let inner = text[opener.len_utf8()..end].trim_matches(is_space);
    let is_one = match (inner.find(opener), inner.find(closer)) {
        (_, None) => true,
        (Some(opens), Some(closes)) => opens < closes,
        (None, Some(_)) => false,
    };
    let is_url = is_http(inner) || inner.starts_with('/');
    if is_one && is_url && !inner.contains(is_inner_space) { inner } else { text }
}

/// Resolves a relative reference and records the issue. Returns None if it is ambiguous.
///
/// `written` is the same text before spaces were encoded.
fn absolute(
    url: &str,
    written: &str,
    base: Option<&str>,
    issues: &mut Vec<UrlIssue>,
) -> Option<String> {
    let scheme = scheme(url);
    if let Some(scheme) = scheme
        && !scheme.eq_ignore_ascii_case("http")
        && !scheme.eq_ignore_ascii_case("https")
    {
        issues.push(UrlIssue::new(U002, scheme));
        return None;
    }
    if !issues.iter().any(|issue| issue.code == U001) {
        issues.push(UrlIssue::new(U001, url));
    }
    let base = base.filter(|base| scheme.is_none() && is_http(base))?;
    let (base_scheme, authority, _) = split_origin(base);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (first, rest) = written.split_at(written.find(['/', '?', '#']).unwrap_or(written.len()));
    if first.contains('.') && first.eq_ignore_ascii_case(host) {
        return Some(format!("{base_scheme}://{url}"));
    }
    (!is_ambiguous(first, rest)).then(|| resolve(url, base))
}

/// Returns the scheme of a reference (RFC 3986 section 3.1).
///
/// Counterpart of `scheme_of` in `src/urlset/urls.py`.
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let bytes = scheme.as_bytes();
    let fits = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte));
    fits.then_some(scheme)
}

/// Returns whether a text only resembles a relative reference, so that resolving it would invent a
/// URL.
///
/// Examples: a host without a scheme (`www.example.com`, `example.com/a`; but not `index.html`), a
/// broken scheme (`1https://`, `https//`), text in quotes or with spaces, and the placeholder of a
/// template (`{{ site.url }}/a`, `undefined/a`).
fn is_ambiguous(first: &str, rest: &str) -> bool {
    let Some(begin) = first.chars().next() else {
        return false;
    };
    let is_forbidden = |character: char| {
        matches!(character, ':' | '<' | '>' | '{' | '}' | '"' | '|' | '\\' | '^' | '`')
            || is_inner_space(character)
    };
    let is_opener =
        matches!(begin, '\'' | '“' | '‘' | '„' | '«' | '(' | '[' | '”' | '’' | '»' | ')' | ']');
    if first.contains(is_forbidden) || is_opener || has_invalid_escape(first.as_bytes()) {
        return true;
    }
    if begin == '.' {
        return false;
    }
    let is_word = |words: &[&str], text: &str| words.iter().any(|w| w.eq_ignore_ascii_case(text));
    // Placeholders that templates write for a missing value.
    if is_word(&["null", "undefined", "none", "nan"], first) {
        return true;
    }
    let letters: String = first.chars().filter(char::is_ascii_alphabetic).collect();
    if is_word(&["http", "https"], &letters) {
        return true;
    }
    let labels = first.split('.').count();
    let last = first.rsplit('.').next().unwrap_or_default();
    let is_name = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    labels > 2 || (rest.starts_with('/') && labels > 1 && is_name)
}

/// Returns whether a percent sign does not begin an escape.
fn has_invalid_escape(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(at, byte)| {
        let is_escape = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
        *byte == b'%' && !text.get(at + 1..at + 3).is_some_and(is_escape)
    })
}

/// Calls `each` with each of several URLs in a value. A value with a single URL is passed
/// unchanged.
pub fn split_urls<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let trimmed = trim(text);
    let mut start = 0;
    let mut from = 0;
    while let Some(found) = trimmed[from..].find("://") {
        let colon = from + found;
        from = colon + 3;
        let head = &trimmed[start..colon];
        let Some(before) = strip_http(head) else {
            continue;
        };
        let part = before.trim_end_matches(is_space);
        if before[part.len()..].contains(is_inner_space) {
            each(part.strip_suffix([',', ';']).unwrap_or(part));
            start += before.len();
        }
    }
    each(if start == 0 { text } else { &trimmed[start..] });
}

/// Splits a trimmed value at white space.
pub fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(is_inner_space).map(|word| word.trim_start_matches(is_space));
    words.filter(|word| !word.is_empty())
}

/// Returns the text before a trailing `http` or `https`.
fn strip_http(head: &str) -> Option<&str> {
    let strip = |head: &'_ str| {
        let at = head.len().checked_sub(4)?;
        head.get(at..).filter(|tail| tail.eq_ignore_ascii_case("http")).map(|_| at)
    };
    let at = strip(head).or_else(|| strip(head.strip_suffix(['s', 'S'])?))?;
    Some(&head[..at])
}

/// Splits an absolute URL into scheme, authority and rest.
#[must_use]
pub fn split_origin(url: &str) -> (&str, &str, &str) {
    let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    (scheme, &rest[..end], &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Option<&str> = Some("https://example.com/x/y/sitemap.xml?q");

    fn url(text: &str) -> Option<String> {
        parse_url(text, BASE).url.map(Cow::into_owned)
    }

    #[test]
    fn valid_urls_are_kept_and_others_repaired() {
        for (text, expected) in [
            ("https://example.com/a", "https://example.com/a"),
            (" https://example.com/a b ", "https://example.com/a%20b"),
            ("https://example.com/a \n\t b", "https://example.com/ab"),
            ("/a/../b", "https://example.com/b"),
            ("../b?c", "https://example.com/x/b?c"),
            ("//other.example/a", "https://other.example/a"),
            ("example.com/a", "https://example.com/a"),
            ("“https://example.com/a”", "https://example.com/a"),
            ("", "https://example.com/x/y/sitemap.xml?q"),
            ("HTTP://u@[::1]:80/", "HTTP://u@[::1]:80/"),
        ] {
            assert_eq!(url(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn texts_without_a_certain_url_are_rejected() {
        for (text, codes) in [
            ("javascript:void(0)", &[U002][..]),
            ("http:/example.com", &[U001]),
            ("www.example.com/a", &[U001]),
            ("other.example/a", &[U001]),
            ("'https://example.com/a", &[U001]),
            ("url=https://example.com/a", &[U001]),
            ("1https://example.com/a", &[U001]),
            ("ht\u{a0}tps://example.com/a", &[U006, U001]),
            ("{{ site.url }}/a", &[U006, U001]),
            ("https://a..b/", &[U015]),
            ("https://1.2.3.256/", &[U015]),
            ("https://example.com:65536/", &[U015]),
        ] {
            let found = parse_url(text, BASE);
            let found_codes: Vec<_> = found.issues.iter().map(|issue| issue.code).collect();
            assert_eq!((found.url, found_codes.as_slice()), (None, codes), "{text}");
        }
    }

    #[test]
    fn several_urls_are_split_at_white_space() {
        let mut found = Vec::new();
        split_urls(" http://a/?u=http://b \u{a0}HTTPS://c", |url| found.push(url));
        split_urls(" http://d ", |url| found.push(url));
        assert_eq!(found, ["http://a/?u=http://b", "HTTPS://c", " http://d "]);
    }
}
