//! State of one document during a parse: text, diagnostics, positions.

use std::collections::HashSet;

use crate::columns::Entries;
use crate::diagnostics::Diagnostics;
use crate::entities::Entities;
use crate::search::find;

/// Run of decoded text with its position in the source: `urlset.engine.OffsetRun`.
#[derive(Clone, Copy, Debug)]
pub struct OffsetRun {
    /// Start offset in the text.
    pub text_start: i64,
    /// Start offset in the source.
    pub source_start: i64,
    /// Bytes per character in the text.
    pub text_width: i64,
    /// Bytes per character in the source.
    pub source_width: i64,
}

/// Child of a sitemap index: `urlset.model.Sitemap`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitemap {
    /// URL.
    pub loc: String,
    /// Date as an instant, in microseconds since 1970-01-01 UTC.
    pub lastmod: Option<i64>,
    /// Date as written in the document.
    pub lastmod_text: Option<String>,
    /// Byte offset of the element in the source.
    pub offset: u64,
    /// Line of the element, counted from 1.
    pub line: u32,
}

/// Text of a document, and the decoded values that differ from it.
pub struct Buffer<'a> {
    /// Text of the document.
    pub text: &'a str,
    /// Concatenated decoded values.
    pub decoded: String,
}

/// Results of earlier searches, so that no part of the text is searched twice for the same
/// delimiter.
///
/// Without it, a document with many opening delimiters and few or no closing ones would take
/// quadratic time.
pub struct SearchCache<'a> {
    text: &'a [u8],
    cached: Vec<(&'static [u8], usize, Option<usize>)>,
}

impl<'a> SearchCache<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, cached: Vec::new() }
    }

    /// Returns the offset of the next `word` from `start` on.
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

/// State of the parse of one document. An object serves one document and is never reused.
///
/// Its parts are separate fields so that a value in the buffer can be borrowed while a diagnostic
/// is added.
pub struct Context<'a> {
    /// Bytes of the document.
    pub bytes: &'a [u8],
    /// URL of the document.
    pub base: Option<&'a str>,
    /// Text and decoded values.
    pub buffer: Buffer<'a>,
    /// Entries found.
    pub entries: Entries,
    /// Children found in a sitemap index.
    pub sitemaps: Vec<Sitemap>,
    /// Problems found.
    pub diagnostics: Diagnostics,
    /// Ends of comments and processing instructions.
    pub search_cache: SearchCache<'a>,
    /// Conversion of offsets to lines and source offsets.
    pub positions: Positions<'a>,
    /// Entities declared in the DOCTYPE.
    pub entities: Entities<'a>,
    /// Whether a declared entity was used.
    pub entities_used: bool,
    /// Whether entities may be declared outside the document.
    pub has_unknown_entities: bool,
    /// Offsets inside unterminated DOCTYPEs, each with whether it is in the internal subset.
    pub unterminated_doctypes: HashSet<(usize, bool)>,
    /// Start offset of the first root element.
    pub root_start: usize,
    /// Start offsets of the well-nested elements; computed on first use (see `nesting`).
    pub well_nested: Option<HashSet<usize>>,
    /// Whether a DOCTYPE was found.
    pub has_doctype: bool,
    /// Number of characters that entities expanded to.
    pub expanded_characters: usize,
    /// Number of entries with news.
    pub news_count: usize,
    /// Whether threads have read a root element: those of a document with many are short.
    pub is_read_ahead: bool,
}

impl<'a> Context<'a> {
    /// Creates the state of a document.
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
            is_read_ahead: false,
        }
    }

    /// Returns a part of the text, or an empty string if an offset is not at a character boundary.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.buffer.text.get(start..end).unwrap_or_default()
    }
}

/// Conversion of offsets in the text to lines and to offsets in the source.
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

    /// Returns the line of an offset, counted from 1. Offsets come in ascending order.
    pub fn line(&mut self, offset: usize) -> u32 {
        let passed = self.bytes.get(self.line_offset..offset).unwrap_or_default();
        let is_bare = |at: &usize| passed.get(at + 1) != Some(&b'\n');
        let lines = memchr::memchr_iter(b'\n', passed).count()
            + memchr::memchr_iter(b'\r', passed).filter(is_bare).count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.line_offset = offset;
        self.line
    }

    /// Converts offsets in the text to offsets in the source.
    pub fn convert(&self, offsets: &mut [u64]) {
        if !self.runs.is_empty() {
            for offset in offsets {
                *offset = usize::try_from(*offset).map_or(0, |offset| self.source_offset(offset));
            }
        }
    }

    /// Sets the line of an offset that the caller has counted.
    pub fn set_line(&mut self, offset: usize, line: u32) {
        self.line_offset = offset;
        self.line = line;
    }

    /// Returns the source offset of a byte of the text.
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
