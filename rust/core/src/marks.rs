//! The problems of a document, bounded: no document fills the memory with them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use crate::codes::{U001, U003};
use crate::urls::{Flaw, Url, read_url, resolve, trim};

/// A `loc` has fewer characters than this (sitemaps.org).
pub const MAX_LOC: usize = 2_048;

/// Characters of a value that a message shows.
const SNIPPET: usize = 80;

/// Problems of one code that are kept. Beware: `src/urlset/protocol.py` has the same number.
const MAX_MARKS: usize = 10_000;

/// Problems of one code among which one that is to be taken back is looked for.
const RECENT: usize = 257;

/// A problem: `urlset.engine.Mark`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
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

impl Mark {
    /// By place, and by what is said where that is the same.
    fn order(&self, other: &Self) -> Ordering {
        let key = |mark: &Self| (mark.offset, mark.code, mark.end);
        key(self).cmp(&key(other)).then_with(|| self.detail.cmp(&other.detail))
    }
}

/// The problems of one code.
struct Group {
    code: &'static str,
    marks: Vec<Mark>,
    omitted: usize,
    /// What was met, of what is noted once.
    seen: HashSet<Vec<u8>>,
}

impl Group {
    /// Keeps the first ones.
    fn prune(&mut self) {
        self.marks.sort_by(Mark::order);
        self.omitted += self.marks.len().saturating_sub(MAX_MARKS);
        self.marks.truncate(MAX_MARKS);
    }
}

/// The problems of a document.
#[derive(Default)]
pub struct Marks {
    groups: Vec<Group>,
    key: Vec<u8>,
}

impl Marks {
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
        group.marks.push(Mark { code, offset, end, detail: snippet(detail), level });
        if group.marks.len() >= 2 * MAX_MARKS {
            group.prune();
        }
    }

    /// Notes a problem the first time only that it is met with this key in the document.
    pub fn once(
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
        let seen = &mut self.group(code).seen;
        if !seen.contains(&whole) && seen.len() < MAX_MARKS {
            seen.insert(whole.clone());
            self.add(code, offset, end, detail);
        }
        self.key = whole;
    }

    /// Makes errors of the latest problems of this code, as far back as they stand behind.
    pub fn raise(&mut self, code: &'static str, start: usize) {
        let marks = self.group(code).marks.iter_mut().rev();
        marks.take_while(|mark| mark.offset >= start).for_each(|mark| mark.level = Some("error"));
    }

    /// Takes back a problem, if it is among the last of its code; tells whether it was.
    pub fn withdraw(&mut self, code: &'static str, offset: usize) -> bool {
        let marks = &mut self.group(code).marks;
        let first = marks.len().saturating_sub(RECENT);
        let found = marks[first..].iter().rposition(|mark| mark.offset == offset);
        found.is_some_and(|at| {
            marks.remove(first + at);
            true
        })
    }

    /// Forgets all problems of this code but the first.
    pub fn keep_first(&mut self, code: &'static str) {
        let group = self.group(code);
        group.omitted = 0;
        group.marks.truncate(1);
    }

    /// The problems in their order: of each code the first ones, and how many more there were.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Mark>, Vec<(&'static str, usize)>) {
        self.groups.iter_mut().for_each(Group::prune);
        let left_out = |group: &Group| (group.code, group.omitted);
        let omitted = self.groups.iter().map(left_out).filter(|(_, count)| *count > 0).collect();
        let mut marks: Vec<Mark> = self.groups.into_iter().flat_map(|group| group.marks).collect();
        marks.sort_by(Mark::order);
        (marks, omitted)
    }

    /// Reads a URL and notes its flaws.
    pub fn url<'t>(
        &mut self,
        text: &'t str,
        base: Option<&str>,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        self.note(read_url(text, base), offset, end)
    }

    /// Reads a URL where the document itself states the base: a relative reference is no flaw.
    pub fn url_in<'t>(
        &mut self,
        text: &'t str,
        base: &str,
        offset: usize,
        end: usize,
    ) -> Option<Cow<'t, str>> {
        let mut found = read_url(text, Some(base));
        if found.flaws.iter().any(|flaw| flaw.code == U001)
            && found.url.as_deref() == Some(&*resolve(trim(text), base))
        {
            found.flaws.retain(|flaw| flaw.code != U001);
        }
        self.note(found, offset, end)
    }

    fn note<'t>(&mut self, found: Url<'t>, offset: usize, end: usize) -> Option<Cow<'t, str>> {
        for Flaw { code, detail, level } in &found.flaws {
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
            let (marks, seen) = (Vec::new(), HashSet::new());
            self.groups.push(Group { code, marks, omitted: 0, seen });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }
}

/// Shortens a value for a message: one line, 80 characters.
fn snippet(text: &str) -> String {
    let shown: String = text
        .chars()
        .take(SNIPPET)
        .map(|mark| if matches!(mark, '\r' | '\n' | '\t') { ' ' } else { mark })
        .collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_problems_are_kept_and_the_rest_is_counted() {
        let mut marks = Marks::default();
        for offset in (0..30_000).rev() {
            marks.add("X003", offset, offset + 1, "");
        }
        marks.once("S010", &[b"a"], 5, 6, "");
        marks.once("S010", &[b"a"], 7, 8, "");
        let (marks, omitted) = marks.finish();
        assert_eq!((marks.len(), omitted), (10_001, vec![("X003", 20_000)]));
        assert_eq!((marks[0].offset, marks[10_000].offset), (0, 9_999));
    }

    #[test]
    fn a_problem_can_be_taken_back() {
        let mut marks = Marks::default();
        marks.add("X002", 1, 2, "");
        marks.add("X002", 3, 4, "");
        assert!(marks.withdraw("X002", 1));
        assert!(!marks.withdraw("X002", 1));
        assert_eq!(marks.finish().0.len(), 1);
    }
}
