//! What one document needs while it is read: its text, the diagnostics made so far, offsets and lines.

use std::collections::HashSet;

use crate::columns::Entries;
use crate::diagnostics::Diagnostics;
use crate::entities::Entities;
use crate::search::find;

/// A stretch of decoded text and where it stood: `urlset.engine.OffsetRun`.
#[derive(Clone, Copy, Debug)]
pub struct OffsetRun {
    /// Where it begins in the text.
    pub text_start: i64,
    /// Where it began in the original bytes.
    pub source_start: i64,
    /// Bytes of a character in the text.
    pub text_width: i64,
    /// Bytes of a character in the original.
    pub source_width: i64,
}

/// A child of a sitemap index: `urlset.model.Sitemap`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitemap {
    /// The URL.
    pub loc: String,
    /// The instant, in microseconds since 1970-01-01 UTC.
    pub lastmod: Option<i64>,
    /// What stood there.
    pub lastmod_text: Option<String>,
    /// Where the element begins, in bytes of the original.
    pub offset: u64,
    /// Where it begins, in lines from 1.
    pub line: u32,
}

/// The text of a document, and the decoded values that do not stand in it as they are.
pub struct Buffer<'a> {
    /// The document.
    pub text: &'a str,
    /// The decoded values, one behind the other.
    pub decoded: String,
}

/// Where words were found that were searched for; none is searched for twice.
///
/// Else a document of many beginnings and no end, or one, would take the square of its length.
pub struct SearchCache<'a> {
    text: &'a [u8],
    cached: Vec<(&'static [u8], usize, Option<usize>)>,
}

impl<'a> SearchCache<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, cached: Vec::new() }
    }

    /// Where the next such word is, from `start` on.
    pub fn find(&mut self, word: &'static [u8], start: usize) -> Option<usize> {
        let number = self.cached.iter().position(|cached| cached.0 == word);
        if let Some((_, begin, found)) = number.map(|number| self.cached[number])
            && begin <= start
            && found.is_none_or(|found| start <= found)
        {
            return found;
        }
        let found = find(self.text, word, start);
        match number {
            Some(number) => self.cached[number] = (word, start, found),
            None => self.cached.push((word, start, found)),
        }
        found
    }
}

/// The state of one document; one object per document, never reused. Its parts are apart so
/// that a value in the buffer can be held while a mark is made.
pub struct Context<'a> {
    /// The bytes of the document.
    pub bytes: &'a [u8],
    /// The URL of the document.
    pub base: Option<&'a str>,
    /// The text and what was decoded.
    pub buffer: Buffer<'a>,
    /// What was found.
    pub entries: Entries,
    /// What was found in an index.
    pub sitemaps: Vec<Sitemap>,
    /// What was wrong.
    pub diagnostics: Diagnostics,
    /// The ends of comments and instructions.
    pub search_cache: SearchCache<'a>,
    /// Offsets and lines.
    pub positions: Positions<'a>,
    /// The entities that the DOCTYPE declares.
    pub entities: Entities<'a>,
    /// Whether one of them was used.
    pub entities_used: bool,
    /// Whether there may be entities that are declared elsewhere.
    pub has_unknown_entities: bool,
    /// Positions in unterminated DOCTYPEs, and whether they were inside its brackets.
    pub unterminated_doctypes: HashSet<(usize, bool)>,
    /// Where the first root begins.
    pub root_start: usize,
    /// Where elements begin that are well nested; read when one is asked for (see `nesting`).
    pub well_nested: Option<HashSet<usize>>,
    /// Whether a DOCTYPE was met.
    pub has_doctype: bool,
    /// Characters that entities have expanded to.
    pub expanded_characters: usize,
    /// Entries with news.
    pub news_count: usize,
}

impl<'a> Context<'a> {
    /// Begins a document.
    #[must_use]
    pub fn new(text: &'a str, base: Option<&'a str>, runs: &'a [OffsetRun]) -> Self {
        Self {
            bytes: text.as_bytes(),
            base,
            buffer: Buffer { text, decoded: String::new() },
            entries: Entries::default(),
            sitemaps: Vec::new(),
            diagnostics: Diagnostics::default(),
            search_cache: SearchCache::new(text.as_bytes()),
            positions: Positions::new(text.as_bytes(), runs),
            entities: Entities::default(),
            has_unknown_entities: false,
            has_doctype: false,
            unterminated_doctypes: HashSet::new(),
            root_start: 0,
            well_nested: None,
            entities_used: false,
            expanded_characters: 0,
            news_count: 0,
        }
    }

    /// A part of the text, which must begin and end between characters; else nothing.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.buffer.text.get(start..end).unwrap_or_default()
    }
}

/// Where things are, for people and in the original bytes.
pub struct Positions<'a> {
    bytes: &'a [u8],
    runs: &'a [OffsetRun],
    line_offset: usize,
    line: u32,
}

impl<'a> Positions<'a> {
    fn new(bytes: &'a [u8], runs: &'a [OffsetRun]) -> Self {
        Self { bytes, runs, line_offset: 0, line: 1 }
    }

    /// The line of an offset, from 1; offsets come in rising order.
    pub fn line(&mut self, offset: usize) -> u32 {
        let passed = self.bytes.get(self.line_offset..offset).unwrap_or_default();
        let is_bare = |at: &usize| passed.get(at + 1) != Some(&b'\n');
        let lines = memchr::memchr_iter(b'\n', passed).count()
            + memchr::memchr_iter(b'\r', passed).filter(is_bare).count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.line_offset = offset;
        self.line
    }

    /// Says what the line of an offset is, which somebody has counted.
    pub fn set_line(&mut self, offset: usize, line: u32) {
        self.line_offset = offset;
        self.line = line;
    }

    /// Where a byte of the text stood in the original bytes.
    #[must_use]
    pub fn source_offset(&self, offset: usize) -> u64 {
        if self.runs.is_empty() {
            return offset as u64;
        }
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let after = self.runs.partition_point(|run| run.text_start <= offset);
        let run = self.runs[after.saturating_sub(1)];
        let characters = (offset - run.text_start).div_euclid(run.text_width.max(1));
        u64::try_from(run.source_start + characters * run.source_width).unwrap_or(0)
    }
}

/// A name, which is UTF-8 for it was cut out of the document beside ASCII, as text. (Checking
/// anew costs little: names are shown when they are odd.)
#[must_use]
pub fn utf8(bytes: &[u8]) -> &str {
    simdutf8::basic::from_utf8(bytes).unwrap_or_default()
}
