//! Aggregation of access logs in the common and combined formats.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use memchr::memchr_iter;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::dates::parse_log_time;
use crate::log_paths::is_surely_page;
use crate::url_hashes::{IdentityHasher, UrlHash, random_hasher};

/// Text that hits and the aggregator share.
pub type Text = Arc<[u8]>;

/// Successful requests for a path.
#[derive(Debug, PartialEq, Eq)]
pub struct LogHit {
    /// Virtual host; empty if the log has none.
    pub host: Text,
    /// Path.
    pub path: Text,
    /// Number of lines.
    pub count: u64,
    /// Time of the latest line, in seconds since 1970-01-01 UTC.
    pub last: i64,
    /// Number of the first line, counted from 0.
    pub line: usize,
    /// Whether the path certainly needs no further check.
    pub is_page: bool,
}

/// Parts of a line: host, marker, time, method, path, tail, status, and the whole line if it could
/// not be parsed.
pub type LineParts<'a> = [&'a [u8]; 8];

/// Lines that the caller has to evaluate: number of the first one, latest time in seconds since
/// 1970-01-01 UTC, count, parts of the first one.
pub type LogRow<'a> = (usize, Option<i64>, u64, LineParts<'a>);

/// Maximum number of paths whose hits are kept; a hundred megabytes of them at most.
const MAX_PATHS: usize = 1 << 17;

/// Aggregates the blocks of one log.
///
/// The hits of a path in the first block, or in the first one after a line that the caller had to
/// evaluate, are returned with that block. Later ones are kept until the next such line, or the end.
///
/// A path is known by a hash, as in [`crate::url_hashes`]: comparing texts costs a cache miss a line.
#[derive(Debug)]
pub struct LogAggregator {
    keeps_queries: bool,
    hasher: SipHasher13,
    /// Indexes of pages by the hash of virtual host and path.
    indexes: HashMap<UrlHash, usize, BuildHasherDefault<IdentityHasher>>,
    hosts: HashSet<Text>,
    /// Virtual host and path of each page.
    texts: Vec<(Text, Text)>,
    pages: Vec<Page>,
}

/// Successful requests for a path. In fewer bytes than a cache line.
#[derive(Debug)]
struct Page {
    /// Requests that are kept.
    kept: Requests,
    /// Requests in the current block.
    current: Requests,
    /// Number of the first line in the current block.
    line: usize,
    /// Whether the caller has to evaluate the lines of the current block.
    has_rows: bool,
    /// Index of the last row, if it holds successful requests.
    row: Option<usize>,
    /// Whether the last block had no line to evaluate: hits are kept.
    is_kept: bool,
    /// Whether the path certainly needs no further check.
    is_sure: bool,
}

#[derive(Debug)]
struct Requests {
    count: u64,
    last: i64,
}

impl Default for Requests {
    fn default() -> Self {
        Self { count: 0, last: i64::MIN }
    }
}

/// Line that was parsed.
struct Request<'a> {
    line: &'a [u8],
    number: usize,
    /// Hash of virtual host and path, if the line may be aggregated.
    key: Option<UrlHash>,
    second: Option<i64>,
    is_success: bool,
    /// Index of the page.
    index: usize,
}

impl LogAggregator {
    /// Creates an aggregator. Queries are part of the path if `keeps_queries` is set.
    #[must_use]
    pub fn new(keeps_queries: bool) -> Self {
        Self {
            keeps_queries,
            hasher: random_hasher(),
            indexes: HashMap::default(),
            hosts: HashSet::default(),
            texts: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Aggregates a block of whole lines. Returns hits, the lines that the caller has to evaluate
    /// after them, and the number of all lines.
    pub fn add<'a>(&mut self, block: &'a [u8]) -> (Vec<LogHit>, Vec<LogRow<'a>>, usize) {
        let mut hits = if self.pages.len() < MAX_PATHS { Vec::new() } else { self.finish() };
        // Two loops: the second one is short, so that the processor waits for several pages at once.
        let (mut requests, line_count) = self.requests(block);
        let mut found = Vec::new();
        for request in &mut requests {
            let Some(key) = request.key else { continue };
            request.index = match self.indexes.get(&key) {
                Some(index) => *index,
                None => self.add_page(key, request.line),
            };
            let page = &mut self.pages[request.index];
            if page.current.count == 0 {
                page.line = request.number;
                found.push(request.index);
            }
            page.current.count += 1;
            page.current.last = page.current.last.max(request.second.unwrap_or(i64::MIN));
            page.has_rows |= !request.is_success;
        }
        let rows = self.rows(&requests);
        for index in found {
            let page = &mut self.pages[index];
            page.row = None;
            let current = std::mem::take(&mut page.current);
            let has_rows = std::mem::take(&mut page.has_rows);
            let is_kept = std::mem::replace(&mut page.is_kept, !has_rows);
            if has_rows && page.kept.count > 0 {
                let kept = std::mem::take(&mut page.kept);
                hits.push(self.hit(index, &kept, 0));
            } else if !has_rows && is_kept {
                page.kept.count += current.count;
                page.kept.last = page.kept.last.max(current.last);
            } else if !has_rows {
                let line = page.line;
                hits.push(self.hit(index, &current, line));
            }
        }
        (hits, rows, line_count)
    }

    /// Returns the lines that the caller has to evaluate. Successful requests for a page are one
    /// row, up to its next other line, and to one whose page is not known.
    fn rows<'a>(&mut self, requests: &[Request<'a>]) -> Vec<LogRow<'a>> {
        let mut rows: Vec<LogRow<'a>> = Vec::new();
        let mut first_open = 0;
        for request in requests {
            if request.key.is_some() {
                let page = &mut self.pages[request.index];
                if !page.has_rows {
                    continue;
                }
                let row = page.row.filter(|&row| request.is_success && row >= first_open);
                page.row = request.is_success.then_some(row.unwrap_or(rows.len()));
                if let Some((_, second, count, _)) = row.map(|row| &mut rows[row]) {
                    *second = (*second).max(request.second);
                    *count += 1;
                    continue;
                }
            } else {
                first_open = rows.len() + 1;
            }
            let unparsed = [b"", b"", b"", b"", b"", b"", b"", request.line];
            let parts = parts(request.line).unwrap_or(unparsed);
            rows.push((request.number, request.second, 1, parts));
        }
        rows
    }

    /// Returns the hits that are kept. The aggregator is empty afterwards.
    pub fn finish(&mut self) -> Vec<LogHit> {
        let kept = self.pages.iter().enumerate().filter(|(_, page)| page.kept.count > 0);
        let hits = kept.map(|(index, page)| self.hit(index, &page.kept, 0)).collect();
        *self = Self::new(self.keeps_queries);
        hits
    }

    fn hit(&self, index: usize, requests: &Requests, line: usize) -> LogHit {
        let (host, path) = &self.texts[index];
        LogHit {
            host: Arc::clone(host),
            path: Arc::clone(path),
            count: requests.count,
            last: requests.last,
            line,
            is_page: self.pages[index].is_sure,
        }
    }

    /// Parses the lines of a block. Those of methods other than GET are dropped. Also returns the
    /// number of all lines.
    fn requests<'a>(&self, block: &'a [u8]) -> (Vec<Request<'a>>, usize) {
        let mut requests = Vec::with_capacity(block.len() / 128);
        let (mut start, mut line_count) = (0, 0);
        let mut clock: (&[u8], Option<i64>) = (b"", None);
        for (number, end) in memchr_iter(b'\n', block).enumerate() {
            let line = &block[start..end];
            start = end + 1;
            line_count = number + 1;
            let mut request =
                Request { line, number, key: None, second: None, is_success: false, index: 0 };
            if let Some([host, marker, time, method, path, tail, status, _]) = parts(line) {
                if method != b"GET" {
                    continue;
                }
                if time != clock.0 {
                    clock = (time, parse_log_time(time));
                }
                request.second = clock.1;
                if tail.is_empty() || (!self.keeps_queries && tail[0] == b'?') {
                    let mut hasher = self.hasher;
                    if !marker.is_empty() {
                        hasher.write(host);
                    }
                    hasher.write(b"\n");
                    hasher.write(path);
                    request.key = Some(hasher.finish128().as_u64());
                }
                request.is_success = clock.1.is_some() && (status == b"200" || status == b"304");
            }
            requests.push(request);
        }
        (requests, line_count)
    }

    /// Adds the page of a line. Returns its index.
    fn add_page(&mut self, key: UrlHash, line: &[u8]) -> usize {
        let [host, marker, _, _, path, ..] = parts(line).unwrap_or_default();
        let host = if marker.is_empty() { marker } else { host };
        let host: Text = self.hosts.get(host).cloned().unwrap_or_else(|| {
            let host = Text::from(host);
            self.hosts.insert(Arc::clone(&host));
            host
        });
        let index = self.pages.len();
        self.indexes.insert(key, index);
        self.texts.push((host, path.into()));
        self.pages.push(Page {
            kept: Requests::default(),
            current: Requests::default(),
            line: 0,
            has_rows: false,
            row: None,
            is_kept: false,
            is_sure: is_surely_page(path),
        });
        index
    }
}

/// Unread rest of a log line. Each method reads a part at its start, or fails.
struct LineCursor<'a>(&'a [u8]);

impl<'a> LineCursor<'a> {
    fn literal(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn until(&mut self, is_end: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.0.iter().position(|&byte| is_end(byte)).unwrap_or(self.0.len());
        let (prefix, rest) = self.0.split_at(end);
        self.0 = rest;
        prefix
    }

    /// Takes bytes up to a delimiter, at least one.
    fn until_non_empty(&mut self, is_end: impl Fn(u8) -> bool) -> Option<&'a [u8]> {
        Some(self.until(is_end)).filter(|prefix| !prefix.is_empty())
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let word = self.until_non_empty(|byte| byte == b' ')?;
        self.literal(b" ")?;
        Some(word)
    }

    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (prefix, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(prefix)
    }
}

fn parts(line: &[u8]) -> Option<LineParts<'_>> {
    let mut rest = LineCursor(line);
    let host = rest.word()?;
    let marker = if rest.literal(b"- ").is_some() {
        b""
    } else {
        let marker = rest.word().filter(|word| word[0] != b'-')?;
        rest.word()?;
        marker
    };
    rest.until_non_empty(|byte| matches!(byte, b' ' | b'['))?;
    rest.literal(b" [")?;
    let is_zoned = rest.0.get(20) == Some(&b' ') && rest.0.get(26..29) == Some(b"] \"");
    let time = rest.take(if is_zoned { 26 } else { 20 })?;
    rest.literal(b"] \"")?;
    let method = rest.until_non_empty(|byte| !byte.is_ascii_uppercase())?;
    rest.literal(b" ")?;
    if rest.0.first() != Some(&b'/') {
        return None;
    }
    let path = rest.until(|byte| !PLAIN_PATH_BYTES[usize::from(byte)]);
    let tail = rest.until(|byte| matches!(byte, b' ' | b'"' | b'\\'));
    rest.literal(b" HTTP/")?;
    rest.until_non_empty(|byte| !byte.is_ascii_digit() && byte != b'.')?;
    rest.literal(b"\" ")?;
    let status = rest.take(3).filter(|status| status.iter().all(u8::is_ascii_digit))?;
    let is_over = rest.0.first().is_none_or(|&byte| !byte.is_ascii_alphanumeric() && byte != b'_');
    is_over.then_some([host, marker, time, method, path, tail, status, b""])
}

/// Bytes of a path that need no further evaluation.
const PLAIN_PATH_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = matches!(
            byte,
            b'!' | b'$' | b'&'..=b'.' | b'/'..=b':' | b'=' | b'@'..=b'Z' | b'_' | b'a'..=b'z' | b'~'
        );
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, status: u16, second: u8) -> String {
        format!(
            "192.0.2.1 - - [03/Nov/2026:12:00:{second:02} +0000] \"GET {path} HTTP/1.1\" {status} 5\n"
        )
    }

    fn hit(path: &[u8], count: u64, last: i64) -> LogHit {
        LogHit { host: Arc::new([]), path: path.into(), count, last, line: 0, is_page: true }
    }

    #[test]
    fn successful_requests_are_aggregated() {
        let block = line("/a", 200, 7) + &line("/a?b", 304, 5) + "nonsense\n";
        let mut log = LogAggregator::new(false);

        let (hits, rows, line_count) = log.add(block.as_bytes());

        assert_eq!((hits, line_count), (vec![hit(b"/a", 2, 1_793_707_207)], 3));
        assert_eq!(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [2]);
        assert_eq!(log.finish(), []);
    }

    #[test]
    fn lines_of_a_path_with_other_statuses_keep_their_order() {
        let lines =
            [("/a", 200, 7), ("/a", 304, 3), ("/a", 404, 5), ("/a", 200, 6), ("/b", 200, 60)];
        let block: String =
            lines.iter().map(|(path, status, time)| line(path, *status, *time)).collect();

        let (hits, rows, _) = LogAggregator::new(false).add(block.as_bytes());

        assert_eq!(hits, []);
        let found: Vec<_> = rows.iter().map(|(number, _, count, _)| (*number, *count)).collect();
        assert_eq!(found, [(0, 2), (2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn hits_are_kept_until_a_line_is_evaluated() {
        let (good, bad) = (line("/a", 200, 7), line("/a", 404, 8));
        let mut log = LogAggregator::new(false);

        assert_eq!(log.add(good.as_bytes()).0, [hit(b"/a", 1, 1_793_707_207)]);
        assert_eq!(log.add(good.as_bytes()).0, []);
        assert_eq!(log.add(good.as_bytes()).0, []);
        assert_eq!(log.add(bad.as_bytes()).0, [hit(b"/a", 2, 1_793_707_207)]);
        assert_eq!(log.add(good.as_bytes()).0, [hit(b"/a", 1, 1_793_707_207)]);
        assert_eq!(log.add(good.as_bytes()).0, []);
        assert_eq!(log.finish(), [hit(b"/a", 1, 1_793_707_207)]);
    }
}
