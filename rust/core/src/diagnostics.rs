//! The problems of a document, bounded: no document fills the memory with them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use crate::codes::{U001, U003};
use crate::urls::{ParsedUrl, UrlIssue, parse_url, resolve, trim};

/// A `loc` has fewer characters than this (sitemaps.org).
pub const MAX_LOC: usize = 2_048;

/// Characters of a value that a message shows.
const SNIPPET_CHARACTERS: usize = 80;

/// Problems of one code that are kept. Beware: `src/urlset/protocol.py` has the same number.
const MAX_PER_CODE: usize = 10_000;

/// Problems of one code among which one that is to be taken back is looked for.
const RETRACTION_WINDOW: usize = 257;

/// A problem: `urlset.engine.Diagnostic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The lint code.
    pub code: &'static str,
    /// Where it begins in the text, in bytes.
    pub offset: usize,
    /// Where it ends.
    pub end: usize,
    /// The words.
    pub detail: String,
    /// The level, where it is not the rule's own.
    pub level: Option<&'static str>,
}

impl Diagnostic {
    /// By place, and by what is said where that is the same.
    fn order(&self, other: &Self) -> Ordering {
        let key = |diagnostic: &Self| (diagnostic.offset, diagnostic.code, diagnostic.end);
        key(self).cmp(&key(other)).then_with(|| self.detail.cmp(&other.detail))
    }
}

/// The problems of one code.
struct Group {
    code: &'static str,
    diagnostics: Vec<Diagnostic>,
    omitted: usize,
    /// What was met, of what is noted once.
    keys: HashSet<Vec<u8>>,
}

impl Group {
    /// Keeps the first ones.
    fn prune(&mut self) {
        self.diagnostics.sort_by(Diagnostic::order);
        self.omitted += self.diagnostics.len().saturating_sub(MAX_PER_CODE);
        self.diagnostics.truncate(MAX_PER_CODE);
    }
}

/// The problems of a document.
#[derive(Default)]
pub struct Diagnostics {
    groups: Vec<Group>,
    key: Vec<u8>,
}

impl Diagnostics {
    /// Notes a problem.
    pub fn add(&mut self, code: &'static str, offset: usize, end: usize, detail: &str) {
        self.add_as(code, offset, end, detail, None);
    }

    /// Notes a problem, with a level of its own.
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

    /// Notes a problem the first time only that it is met with this key in the document.
    pub fn add_once(
        &mut self,
        code: &'static str,
        key: &[&[u8]],
        offset: usize,
        end: usize,
        detail: &str,
    ) {
        let mut whole = std::mem::take(&mut self.key);
        whole.clear();
        for part in key {
            whole.extend_from_slice(part);
            whole.push(0);
        }
        let keys = &mut self.group(code).keys;
        if !keys.contains(&whole) && keys.len() < MAX_PER_CODE {
            keys.insert(whole.clone());
            self.add(code, offset, end, detail);
        }
        self.key = whole;
    }

    /// Makes errors of the latest problems of this code, as far back as they stand behind.
    pub fn escalate(&mut self, code: &'static str, start: usize) {
        let diagnostics = self.group(code).diagnostics.iter_mut().rev();
        diagnostics
            .take_while(|diagnostic| diagnostic.offset >= start)
            .for_each(|diagnostic| diagnostic.level = Some("error"));
    }

    /// Takes back a problem, if it is among the last of its code; tells whether it was.
    pub fn retract(&mut self, code: &'static str, offset: usize) -> bool {
        let diagnostics = &mut self.group(code).diagnostics;
        let first = diagnostics.len().saturating_sub(RETRACTION_WINDOW);
        let found = diagnostics[first..].iter().rposition(|diagnostic| diagnostic.offset == offset);
        found.is_some_and(|at| {
            diagnostics.remove(first + at);
            true
        })
    }

    /// Forgets all problems of this code but the first.
    pub fn keep_first(&mut self, code: &'static str) {
        let group = self.group(code);
        group.omitted = 0;
        group.diagnostics.truncate(1);
    }

    /// The problems in their order: of each code the first ones, and how many more there were.
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

    /// Reads a URL and notes its issues.
    pub fn parse_url<'t>(
        &mut self,
        text: &'t str,
        base: Option<&str>,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        self.report(parse_url(text, base), offset, end)
    }

    /// Reads a URL where the document itself states the base: a relative reference is no issue.
    pub fn parse_url_with_stated_base<'t>(
        &mut self,
        text: &'t str,
        base: &str,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        let mut found = parse_url(text, Some(base));
        if found.issues.iter().any(|issue| issue.code == U001)
            && found.url.as_deref() == Some(&*resolve(trim(text), base))
        {
            found.issues.retain(|issue| issue.code != U001);
        }
        self.report(found, offset, end)
    }

    fn report<'t>(
        &mut self,
        found: ParsedUrl<'t>,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        for UrlIssue { code, detail, level } in &found.issues {
            self.add_as(code, offset, end, detail, *level);
        }
        let url = found.url?;
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

/// Shortens a value for a message: one line, 80 characters.
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
    fn the_first_problems_are_kept_and_the_rest_is_counted() {
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
    fn a_problem_can_be_taken_back() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add("X002", 1, 2, "");
        diagnostics.add("X002", 3, 4, "");
        assert!(diagnostics.retract("X002", 1));
        assert!(!diagnostics.retract("X002", 1));
        assert_eq!(diagnostics.finish().0.len(), 1);
    }
}
