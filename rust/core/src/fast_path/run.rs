//! Consecutive common entries (see [`super`]).

use std::ops::Range;

use super::Failures;
use crate::columns::Entries;
use crate::cursor::Cursor;
use crate::search::find;

/// Maximum size of an entry in bytes. Entries below it cannot reach the limits on nodes and values.
const MAX_ENTRY_BYTES: usize = 262_144;

/// Number of entries after which the total is estimated.
pub const SAMPLE_ENTRIES: usize = 1_024;

/// Maximum number of images per entry.
const MAX_IMAGES: usize = 1_000;

/// Maximum number of runs in a part, and of entries that are not common: more of them gain little,
/// and those in a comment are none.
const MAX_RUNS: usize = 64;

const ENTRY: &[u8] = b"<url>";

/// Extensions whose namespace the root binds to the usual prefix.
#[derive(Clone, Copy)]
pub struct Extensions {
    pub image: bool,
    pub video: bool,
    pub news: bool,
    pub xhtml: bool,
}

/// Reader of common entries.
pub struct EntryReader<'a> {
    pub cursor: Cursor<'a>,
    pub extensions: Extensions,
    /// Scheme and authority of the last URL, which the next URL usually shares.
    pub origin: Vec<u8>,
    /// Last valid date and its instant.
    pub date: (Vec<u8>, i64),
    /// Part of the document whose entries fill the columns.
    pub part: Range<usize>,
}

/// State of an entry that is being read.
#[derive(Default)]
pub struct EntryState {
    pub has_loc: bool,
    pub has_lastmod: bool,
    pub has_changefreq: bool,
    pub has_priority: bool,
    pub has_news: bool,
    /// Invalid lastmod, changefreq and priority: code, start, end.
    pub invalid: [Option<(&'static str, usize, usize)>; 3],
}

/// What is noted of entries beside their columns.
#[derive(Default)]
pub struct Notes {
    /// Invalid values: code, start, end.
    pub invalid: Vec<(&'static str, usize, usize)>,
    /// Number of entries with news.
    pub news: usize,
}

/// Consecutive entries.
#[derive(Default)]
pub struct Run {
    /// Offset of the first entry.
    pub start: usize,
    /// End of the last entry.
    pub end: usize,
    /// Number of line ends in it.
    pub lines: u32,
    /// Entries. Their lines count from that of the first, which is 0.
    pub entries: Entries,
    pub notes: Notes,
}

/// End of consecutive entries.
pub struct Stop {
    /// End of the last one, if there is one, and its line.
    pub end: Option<usize>,
    pub line: u32,
    /// Offset of the next entry, if one follows.
    pub next: Option<usize>,
    /// Whether that entry is not common; otherwise it begins at the limit or later.
    pub is_failure: bool,
}

impl<'a> EntryReader<'a> {
    pub fn new(text: &'a [u8], extensions: Extensions) -> Self {
        let (origin, date, part) = (Vec::new(), (Vec::new(), 0), 0..text.len());
        Self { cursor: Cursor::new(text), extensions, origin, date, part }
    }

    /// Returns the offset of the entry that follows `at` after white space.
    pub fn next_entry(&mut self, at: usize) -> Option<usize> {
        self.cursor.at = at;
        self.cursor.skip_spaces();
        self.cursor.rest().starts_with(ENTRY).then_some(self.cursor.at)
    }

    /// Reads the entries from `start` on, which is on line `line`, that begin before `limit`.
    pub fn read(
        &mut self,
        entries: &mut Entries,
        notes: &mut Notes,
        start: usize,
        line: u32,
        limit: usize,
    ) -> Stop {
        (self.cursor.at, self.cursor.lines) = (start, line);
        let mut stop = Stop { end: None, line, next: None, is_failure: false };
        loop {
            self.cursor.skip_spaces();
            let start = self.cursor.at;
            let line = self.cursor.lines;
            if !self.cursor.eat(ENTRY) {
                return stop;
            }
            if start >= limit {
                stop.next = Some(start);
                return stop;
            }
            let mut state = EntryState::default();
            self.cursor.decoded.clear();
            let is_read = self.entry(entries, &mut state).is_some();
            if !is_read || self.commit(entries, notes, &state, start, line).is_none() {
                entries.rollback();
                (stop.next, stop.is_failure) = (Some(start), true);
                return stop;
            }
            (stop.end, stop.line) = (Some(self.cursor.at), self.cursor.lines);
        }
    }

    /// Reads the runs of the entries that begin in a part of the document. Entries that are not
    /// common, and all other text, are between them.
    pub fn runs(&mut self, part: Range<usize>, spare: &mut impl FnMut() -> Entries) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut failures = Failures::default();
        let mut attempts = 0;
        let mut at = part.start;
        let text = self.cursor.text;
        let last = (part.end + ENTRY.len() - 1).min(text.len());
        self.part = part;
        while let Some(start) = find(&text[..last], ENTRY, at)
            && attempts < MAX_RUNS
        {
            at = start + ENTRY.len();
            if failures.skips > 0 {
                failures.skips -= 1;
                continue;
            }
            attempts += 1;
            let mut run = Run { start, entries: spare(), ..Run::default() };
            let stop = self.read(&mut run.entries, &mut run.notes, start, 0, self.part.end);
            if let Some(end) = stop.end {
                at = end;
                failures = Failures::default();
                run.entries.close();
                (run.end, run.lines) = (end, stop.line);
                runs.push(run);
            }
            if stop.is_failure {
                failures.add();
                at = stop.next.map_or(at, |next| next + ENTRY.len());
            } else if stop.next.is_some() {
                break;
            }
        }
        runs
    }

    fn commit(
        &self,
        entries: &mut Entries,
        notes: &mut Notes,
        state: &EntryState,
        start: usize,
        line: u32,
    ) -> Option<()> {
        let images = entries.images.list.get(entries.row()).len();
        if !state.has_loc || self.cursor.at - start > MAX_ENTRY_BYTES || images > MAX_IMAGES {
            return None;
        }
        notes.invalid.extend(state.invalid.into_iter().flatten());
        notes.news += usize::from(state.has_news);
        if entries.row() == SAMPLE_ENTRIES {
            entries.reserve_times(self.part.len() / (start.saturating_sub(self.part.start) + 1));
        }
        entries.commit_at(start as u64, line);
        Some(())
    }

    /// Reads the content of a `url` element and its end tag.
    fn entry(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        loop {
            self.cursor.skip_spaces();
            let rest = self.cursor.rest();
            match rest.get(1)? {
                b'l' => {
                    if self.cursor.eat(b"<loc>") {
                        self.loc(entries, state)?;
                    } else if self.cursor.eat(b"<lastmod>") {
                        self.lastmod(entries, state)?;
                    } else {
                        return None;
                    }
                }
                b'c' if self.cursor.eat(b"<changefreq>") => self.changefreq(entries, state)?,
                b'p' if self.cursor.eat(b"<priority>") => self.priority(entries, state)?,
                b'/' => return self.cursor.eat(b"</url>").then_some(()),
                b'i' if self.extensions.image && self.cursor.eat(b"<image:image>") => {
                    self.image(entries)?;
                }
                b'x' if self.extensions.xhtml && self.cursor.eat(b"<xhtml:link") => {
                    self.link(entries)?;
                }
                b'v' if self.extensions.video && self.cursor.eat(b"<video:video>") => {
                    self.video(entries)?;
                }
                b'n' if self.extensions.news && self.cursor.eat(b"<news:news>") => {
                    self.news(entries, state)?;
                }
                _ => return None,
            }
        }
    }
}
