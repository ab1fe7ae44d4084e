//! Text and links of the content of a page.

use std::borrow::Cow;

use super::chars::{is_space, match_word, push_words};
use super::unescape::unescape;
use crate::search::any;

const MAX_VOLATILE_LINE: usize = 400;
const MAX_LINK: usize = 2_048;

/// Signs at the end of a line with which documentation links a heading to itself.
const PERMALINKS: [char; 3] = [' ', '\u{b6}', '\u{f0c1}'];

/// Characters that are not displayed.
const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Text of a page without boilerplate, in parts, and targets of its links and images.
#[derive(Default)]
pub struct Content {
    text: String,
    ends: Vec<usize>,
    links: Vec<(usize, String)>,
    pub(super) main: Vec<(usize, usize)>,
    pub(super) articles: Vec<(usize, usize)>,
}

impl Content {
    pub(super) fn push(&mut self, part: &str) {
        self.text.push_str(part);
        self.ends.push(self.text.len());
    }

    /// Adds text between blanks, so that it is the same once references are replaced.
    pub(super) fn push_escaped(&mut self, value: &str) {
        self.text.push(' ');
        for found in value.chars() {
            match found {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                other => self.text.push(other),
            }
        }
        self.push(" ");
    }

    pub(super) fn link(&mut self, target: String) {
        self.links.push((self.ends.len(), target));
    }

    pub(super) fn parts(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Returns the main content, line by line.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut target = String::new();
        let text = self.visible_text(self.span());
        for line in text.split('\n') {
            let start = target.len();
            push_words(line, &mut target);
            let length = target[start..].trim_end_matches(PERMALINKS).len();
            target.truncate(start + length);
            if length > 0 {
                target.push('\n');
            }
        }
        target.pop();
        target
    }

    /// Returns the words of the main content without volatile lines, and in a second line the
    /// targets of its links.
    ///
    /// # Errors
    ///
    /// The error of one of the functions, which decide about a line and about a link.
    pub fn words<E>(
        &self,
        origin: &str,
        mut is_volatile: impl FnMut(&str) -> Result<bool, E>,
        mut stable_target: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<String, E> {
        let span = self.span();
        let mut words = String::new();
        for line in self.visible_text(span).split('\n') {
            if !may_be_volatile(line) || !is_volatile(line)? {
                push_words(line, &mut words);
            }
        }
        words.push('\n');
        let links = self.links.iter().filter(|(at, _)| (span.0..=span.1).contains(at));
        for (_, link) in links {
            let target = match plain_target(link, origin) {
                Some(target) => Cow::Borrowed(target),
                None => Cow::Owned(stable_target(link)?),
            };
            if !target.is_empty() {
                if !words.ends_with('\n') {
                    words.push(' ');
                }
                words.push_str(&target);
            }
        }
        Ok(words)
    }

    /// Returns the range of the parts with the main content: the first one with any text.
    fn span(&self) -> (usize, usize) {
        let only = if let [article] = self.articles[..] { Some(article) } else { None };
        let mut spans = self.main.iter().copied().chain(only);
        spans.find(|span| self.has_text(*span)).unwrap_or((0, self.ends.len()))
    }

    fn has_text(&self, (begin, end): (usize, usize)) -> bool {
        let end = end.min(self.ends.len());
        // Note: the last part may be empty, and an empty text is no white space in Python.
        (begin..end).any(|part| {
            let text = self.range(part, part + 1);
            text.is_empty() || !text.chars().all(is_space)
        })
    }

    /// Returns the text of a range of parts.
    fn range(&self, begin: usize, end: usize) -> &str {
        let offset = |part: usize| match part.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(self.text.len()),
            None => 0,
        };
        self.text.get(offset(begin)..offset(end)).unwrap_or_default()
    }

    fn visible_text(&self, (begin, end): (usize, usize)) -> Cow<'_, str> {
        let text = unescape(self.range(begin, end));
        let found = INVISIBLE.iter().any(|sign| {
            let mut buffer = [0; 4];
            let sign = sign.encode_utf8(&mut buffer);
            memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some()
        });
        if found { Cow::Owned(text.replace(INVISIBLE, "")) } else { text }
    }
}

/// First words of a line with a time of day, or with a colon before a number, that may be volatile.
const VOLATILE: [&str; 34] = [
    "this",
    "the",
    "page",
    "site",
    "website",
    "doc",
    "docs",
    "documentation",
    "was",
    "last",
    "generated",
    "built",
    "rendered",
    "compiled",
    "published",
    "deployed",
    "updated",
    "cached",
    "build",
    "erstellt",
    "generado",
    "view",
    "views",
    "pageview",
    "pageviews",
    "visit",
    "visits",
    "hits",
    "visitor",
    "visitors",
    "aufrufe",
    "vues",
    "visitas",
    "seite",
];

/// Starts of the words after a number that may be volatile.
const UNITS: [&[u8]; 8] =
    [b"view", b"page", b"visi", b"hits", b"reads", b"aufrufe", b"vues", b"visual"];

/// First words of a line with a duration that may be volatile.
const TIMED: [&str; 4] = ["generated", "rendered", "loaded", "erstellt"];

/// Returns whether a line may be volatile, such as the date of a build; most are not.
fn may_be_volatile(line: &str) -> bool {
    if !any(line.as_bytes(), |byte| byte.is_ascii_digit()) {
        return false;
    }
    let start = line.trim_start_matches(is_space);
    let is_number = |found: char| {
        found.is_ascii_digit() || matches!(found, '.' | ',' | '\'') || is_space(found)
    };
    let Some(first) = start.chars().next() else { return false };
    let is_possible = if first.is_ascii_digit() {
        let unit = start.trim_start_matches(is_number);
        let unit = unit.strip_prefix(['k', 'K', 'm', 'M']).unwrap_or(unit);
        let unit = unit.trim_start_matches(is_space);
        !unit.is_empty()
            && (!unit.as_bytes()[0].is_ascii()
                || UNITS.iter().any(|word| match_word(unit.as_bytes(), 0, word).is_some()))
    } else if first.is_ascii_alphabetic() {
        let end = start.bytes().position(|byte| !byte.is_ascii_alphabetic());
        let (word, rest) = start.split_at(end.unwrap_or(start.len()));
        let starts_with = |begin: &&str| {
            word.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))
        };
        let second = rest.trim_start_matches(is_space).bytes().next().unwrap_or_default();
        rest.chars().next().is_some_and(|next| !next.is_ascii() && !is_space(next))
            || ["build", "commit", "rev"].iter().any(starts_with)
            || is_one_of(word, &TIMED)
            || (rest.contains(':') && is_one_of(word, &VOLATILE))
            || (is_one_of(word, &["page", "seite"])
                && (!second.is_ascii() || b"grle".contains(&second.to_ascii_lowercase())))
    } else {
        // A digit of another script, or a letter that Python takes for an s, a k or an i.
        !first.is_ascii()
            && (first.is_numeric()
                || matches!(first, '\u{17f}' | '\u{212a}' | '\u{130}' | '\u{131}'))
    };
    is_possible && line.chars().count() <= MAX_VOLATILE_LINE
}

/// Returns a link without white space around it and its origin, if no other part of it is volatile.
fn plain_target<'l>(link: &'l str, origin: &str) -> Option<&'l str> {
    let link = link.trim_matches(is_space);
    let has_special = link.bytes().any(|byte| matches!(byte, b'%' | b'?'));
    let starts_with =
        |word: &str| link.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts_with("data:") || starts_with("javascript:") {
        return Some("");
    }
    if has_special || link.len() > MAX_LINK || has_asset_name(link) {
        return None;
    }
    Some(link.strip_prefix(origin).unwrap_or(link))
}

/// Extensions of assets, which may have a hash in their names.
const ASSETS: [&str; 19] = [
    "avif", "bmp", "css", "gif", "ico", "jpg", "jpeg", "js", "mjs", "mp3", "mp4", "pdf", "png",
    "svg", "ttf", "webm", "webp", "woff", "woff2",
];

fn has_asset_name(link: &str) -> bool {
    let Some(dot) = memchr::memrchr(b'.', link.as_bytes()) else { return false };
    let extension = &link[dot + 1..];
    extension.len() <= 15 && (!extension.is_ascii() || is_one_of(extension, &ASSETS))
}

/// Returns whether a word is in a list of words in lower case.
fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}
