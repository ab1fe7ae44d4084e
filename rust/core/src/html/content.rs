//! Text and links of the content of a page.

use std::borrow::Cow;

use super::chars::{is_space, push_words};
use super::unescape::unescape;
use super::volatile::{is_stamp, may_be_volatile, plain_target};

/// Signs at the end of a line with which documentation links a heading to itself.
const PERMALINKS: [char; 3] = [' ', '\u{b6}', '\u{f0c1}'];

/// Characters that are not displayed.
const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Decides about lines and links of the content that are not decided here; they are rare.
pub trait Decisions {
    /// Error of a decision.
    type Error;

    /// Returns whether a line is volatile.
    ///
    /// # Errors
    ///
    /// It cannot be decided.
    fn is_volatile(&self, line: &str) -> Result<bool, Self::Error>;

    /// Returns a link without its volatile parts.
    ///
    /// # Errors
    ///
    /// It cannot be decided.
    fn stable_target(&self, link: &str) -> Result<String, Self::Error>;
}

/// Text of a page without boilerplate, in parts, and targets of its links and images.
#[derive(Default)]
pub struct Content {
    text: String,
    ends: Vec<usize>,
    /// Number of parts before each link, and where its target ends in `targets`.
    links: Vec<(usize, usize)>,
    targets: String,
    pub(super) main: Vec<(usize, usize)>,
    pub(super) articles: Vec<(usize, usize)>,
}

impl Content {
    /// Returns the content of a page of some bytes, of which about a third is text.
    pub(super) fn of_page(bytes: usize) -> Self {
        let text = String::with_capacity(bytes / 2);
        Self { text, ends: Vec::with_capacity(bytes / 32), ..Self::default() }
    }

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

    pub(super) fn link(&mut self, target: &str) {
        self.targets.push_str(target);
        self.links.push((self.ends.len(), self.targets.len()));
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
    /// The error of a decision.
    pub fn words<D: Decisions>(&self, origin: &str, decisions: &D) -> Result<String, D::Error> {
        let span = self.span();
        let text = self.visible_text(span);
        let mut words = String::with_capacity(text.len() + self.targets.len() + self.links.len());
        for line in text.split('\n') {
            if may_be_volatile(line) && (is_stamp(line) || decisions.is_volatile(line)?) {
                continue;
            }
            push_words(line, &mut words);
        }
        words.push('\n');
        let mut start = 0;
        for (at, end) in &self.links {
            let link = &self.targets[start..*end];
            start = *end;
            if !(span.0..=span.1).contains(at) {
                continue;
            }
            let target = match plain_target(link, origin) {
                Some(target) => target,
                None => Cow::Owned(decisions.stable_target(link)?),
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
        (begin..end).any(|part| !self.range(part, part + 1).chars().all(is_space))
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
        let found = !text.is_ascii()
            && INVISIBLE.iter().any(|sign| {
                let mut buffer = [0; 4];
                let sign = sign.encode_utf8(&mut buffer);
                memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some()
            });
        if found { Cow::Owned(text.replace(INVISIBLE, "")) } else { text }
    }
}
