//! Diagnostics of a document, limited in number so that memory stays bounded.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use crate::codes::{L009, U001, U003};
use crate::urls::{ParsedUrl, UrlIssue, parse_url, resolve, trim};

/// Exclusive upper limit of the length of a `loc`, in characters (sitemaps.org).
pub const MAX_LOC: usize = 2_048;

/// Maximum number of characters that all entities of a document expand to, and of bytes that the
/// bases of its relative URLs add.
pub const READ_LIMIT: usize = 2 * 52_428_800;

/// Message about relative URLs beyond the limit.
const EXPANDED: &str = "Relative URLs expand to more than 104,857,600 bytes; cut";

/// Maximum number of characters of a value in a message.
const SNIPPET_CHARACTERS: usize = 80;

/// Maximum number of diagnostics kept per code. Note: `src/urlset/protocol.py` has the same number.
const MAX_PER_CODE: usize = 10_000;

/// Number of latest diagnostics of a code that [`Diagnostics::retract`] searches.
const RETRACTION_WINDOW: usize = 257;

/// Problem in a document: `urlset.engine.Diagnostic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Code of the lint rule.
    pub code: &'static str,
    /// Start offset in the text, in bytes.
    pub offset: usize,
    /// End offset in the text, in bytes.
    pub end: usize,
    /// Detail for the message.
    pub detail: String,
    /// Level, if it differs from that of the rule.
    pub level: Option<&'static str>,
}

impl Diagnostic {
    /// Orders by position, then by code and detail.
    fn order(&self, other: &Self) -> Ordering {
        let key = |diagnostic: &Self| (diagnostic.offset, diagnostic.code, diagnostic.end);
        key(self).cmp(&key(other)).then_with(|| self.detail.cmp(&other.detail))
    }
}

/// Diagnostics of one code.
struct Group {
    code: &'static str,
    diagnostics: Vec<Diagnostic>,
    omitted: usize,
    /// Keys of the diagnostics that are reported once.
    keys: HashSet<Vec<u8>>,
}

impl Group {
    /// Sorts the diagnostics and keeps the first [`MAX_PER_CODE`].
    fn prune(&mut self) {
        self.diagnostics.sort_by(Diagnostic::order);
        self.omitted += self.diagnostics.len().saturating_sub(MAX_PER_CODE);
        self.diagnostics.truncate(MAX_PER_CODE);
    }
}

/// Diagnostics of a document.
#[derive(Default)]
pub struct Diagnostics {
    groups: Vec<Group>,
    key: Vec<u8>,
    /// Bytes of URLs that the document does not have: of the bases of its relative URLs.
    added_bytes: usize,
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn add(&mut self, code: &'static str, offset: usize, end: usize, detail: &str) {
        self.add_as(code, offset, end, detail, None);
    }

    /// Adds a diagnostic with its own level.
    pub fn add_as(
        &mut self,
        code: &'static str,
        offset: usize,
        end: usize,
        detail: &str,
        level: Option<&'static str>,
    ) {
        let group = self.group(code);
        group.diagnostics.push(Diagnostic { code, offset, end, detail: snippet(detail), level });
        if group.diagnostics.len() >= 2 * MAX_PER_CODE {
            group.prune();
        }
    }

    /// Adds a diagnostic unless one with the same code and key was added before.
    pub fn add_once(
        &mut self,
        code: &'static str,
        key: &[&[u8]],
        offset: usize,
        end: usize,
        detail: &str,
    ) {
        let mut joined_key = std::mem::take(&mut self.key);
        joined_key.clear();
        for part in key {
            joined_key.extend_from_slice(part);
            joined_key.push(0);
        }
        let keys = &mut self.group(code).keys;
        if !keys.contains(&joined_key) && keys.len() < MAX_PER_CODE {
            keys.insert(joined_key.clone());
            self.add(code, offset, end, detail);
        }
        self.key = joined_key;
    }

    /// Sets the level of the latest diagnostics of a code to error, back to the offset `start`.
    pub fn escalate(&mut self, code: &'static str, start: usize) {
        let diagnostics = self.group(code).diagnostics.iter_mut().rev();
        diagnostics
            .take_while(|diagnostic| diagnostic.offset >= start)
            .for_each(|diagnostic| diagnostic.level = Some("error"));
    }

    /// Removes the diagnostic of a code at an offset, if it is one of the latest. Returns whether
    /// it was.
    pub fn retract(&mut self, code: &'static str, offset: usize) -> bool {
        let diagnostics = &mut self.group(code).diagnostics;
        let first = diagnostics.len().saturating_sub(RETRACTION_WINDOW);
        let found = diagnostics[first..].iter().rposition(|diagnostic| diagnostic.offset == offset);
        found.is_some_and(|at| {
            diagnostics.remove(first + at);
            true
        })
    }

    /// Removes all diagnostics of a code except the first.
    pub fn keep_first(&mut self, code: &'static str) {
        let group = self.group(code);
        group.omitted = 0;
        group.diagnostics.truncate(1);
    }

    /// Returns the diagnostics in order, and the number of omitted ones per code.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Diagnostic>, Vec<(&'static str, usize)>) {
        self.groups.iter_mut().for_each(Group::prune);
        let omitted_of = |group: &Group| (group.code, group.omitted);
        let omitted = self.groups.iter().map(omitted_of).filter(|(_, count)| *count > 0).collect();
        let mut diagnostics: Vec<Diagnostic> =
            self.groups.into_iter().flat_map(|group| group.diagnostics).collect();
        diagnostics.sort_by(Diagnostic::order);
        (diagnostics, omitted)
    }

    /// Parses a URL and reports its issues.
    pub fn parse_url<'t>(
        &mut self,
        text: &'t str,
        base: Option<&str>,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        let base = base.filter(|_| self.added_bytes <= READ_LIMIT);
        self.report(text, parse_url(text, base), offset, end)
    }

    /// Parses a URL with a base that the document itself states, where a relative reference is not
    /// an issue.
    pub fn parse_url_with_stated_base<'t>(
        &mut self,
        text: &'t str,
        base: &str,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        if self.added_bytes > READ_LIMIT {
            return self.parse_url(text, None, offset, end);
        }
        let mut found = parse_url(text, Some(base));
        if found.issues.iter().any(|issue| issue.code == U001)
            && found.url.as_deref() == Some(&*resolve(trim(text), base))
        {
            found.issues.retain(|issue| issue.code != U001);
        }
        self.report(text, found, offset, end)
    }

    fn report<'t>(
        &mut self,
        text: &str,
        found: ParsedUrl<'t>,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        for UrlIssue { code, detail, level } in &found.issues {
            self.add_as(code, offset, end, detail, *level);
        }
        let url = found.url?;
        self.added_bytes += url.len().saturating_sub(text.len());
        if self.added_bytes > READ_LIMIT {
            self.add_once(L009, &[], offset, end, EXPANDED);
            return None;
        }
        if url.len() >= MAX_LOC {
            let length = url.chars().count();
            if length >= MAX_LOC {
                self.add(U003, offset, end, &length.to_string());
            }
        }
        Some(url)
    }

    fn group(&mut self, code: &'static str) -> &mut Group {
        let at = self.groups.iter().position(|group| group.code == code).unwrap_or_else(|| {
            let (diagnostics, keys) = (Vec::new(), HashSet::new());
            self.groups.push(Group { code, diagnostics, omitted: 0, keys });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }
}

/// Shortens a value for a message to one line of 80 characters.
fn snippet(text: &str) -> String {
    let shown: String = text
        .chars()
        .take(SNIPPET_CHARACTERS)
        .map(|character| if matches!(character, '\r' | '\n' | '\t') { ' ' } else { character })
        .collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_diagnostics_are_kept_and_the_rest_is_counted() {
        let mut diagnostics = Diagnostics::default();
        for offset in (0..30_000).rev() {
            diagnostics.add("X003", offset, offset + 1, "");
        }
        diagnostics.add_once("S010", &[b"a"], 5, 6, "");
        diagnostics.add_once("S010", &[b"a"], 7, 8, "");
        let (diagnostics, omitted) = diagnostics.finish();
        assert_eq!((diagnostics.len(), omitted), (10_001, vec![("X003", 20_000)]));
        assert_eq!((diagnostics[0].offset, diagnostics[10_000].offset), (0, 9_999));
    }

    #[test]
    fn a_diagnostic_can_be_retracted() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add("X002", 1, 2, "");
        diagnostics.add("X002", 3, 4, "");
        assert!(diagnostics.retract("X002", 1));
        assert!(!diagnostics.retract("X002", 1));
        assert_eq!(diagnostics.finish().0.len(), 1);
    }
}
