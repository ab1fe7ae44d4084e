//! Aggregation of access logs in the common and combined formats.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memchr_iter;

use crate::dates::parse_log_time;

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
}

/// Parts of a line: host, marker, time, method, path, tail, status, and the whole line if it could
/// not be parsed.
pub type LineParts<'a> = [&'a [u8]; 8];

/// Line that the caller has to evaluate: number, seconds since 1970-01-01 UTC, parts.
pub type LogRow<'a> = (usize, Option<i64>, LineParts<'a>);

/// Maximum number of paths whose hits are kept; a hundred megabytes of them at most.
const MAX_PATHS: usize = 1 << 17;

/// Aggregates the blocks of one log.
///
/// The hits of a path in the first block, or in the first one after a line that the caller had to
/// evaluate, are returned with that block. Later ones are kept until the next such line, or the end.
#[derive(Debug, Default)]
pub struct LogAggregator {
    keeps_queries: bool,
    /// Indexes of paths by virtual host and path.
    indexes: HashMap<Text, HashMap<Text, usize>>,
    paths: Vec<Page>,
}

/// Path with its successful requests.
#[derive(Debug)]
struct Page {
    host: Text,
    path: Text,
    /// Requests that are kept.
    kept: Requests,
    /// Requests in the current block.
    current: Requests,
    /// Whether the caller has to evaluate the lines of the current block.
    has_rows: bool,
    /// Whether the last block had no line to evaluate: hits are kept.
    is_kept: bool,
}

#[derive(Debug)]
struct Requests {
    count: u64,
    last: i64,
    line: usize,
}

impl Default for Requests {
    fn default() -> Self {
        Self { count: 0, last: i64::MIN, line: 0 }
    }
}

impl Page {
    fn hit(&self, requests: &Requests) -> LogHit {
        let Requests { count, last, line } = *requests;
        LogHit { host: Arc::clone(&self.host), path: Arc::clone(&self.path), count, last, line }
    }
}

impl LogAggregator {
    /// Creates an aggregator. Queries are part of the path if `keeps_queries` is set.
    #[must_use]
    pub fn new(keeps_queries: bool) -> Self {
        Self { keeps_queries, ..Self::default() }
    }

    /// Aggregates a block of whole lines. Returns hits, and the lines that the caller has to
    /// evaluate after them.
    pub fn add<'a>(&mut self, block: &'a [u8]) -> (Vec<LogHit>, Vec<LogRow<'a>>) {
        let mut hits = if self.paths.len() < MAX_PATHS { Vec::new() } else { self.finish() };
        let mut lines = Vec::with_capacity(block.len() / 128);
        let mut found = Vec::new();
        let mut start = 0;
        let mut clock: (&[u8], Option<i64>) = (b"", None);
        for (number, end) in memchr_iter(b'\n', block).enumerate() {
            let line = &block[start..end];
            start = end + 1;
            let Some(parts) = parts(line) else {
                lines.push((None, (number, None, [b"", b"", b"", b"", b"", b"", b"", line])));
                continue;
            };
            let [host, marker, time, method, path, tail, status, _] = parts;
            if method != b"GET" {
                continue;
            }
            if time != clock.0 {
                clock = (time, parse_log_time(time));
            }
            let is_plain = tail.is_empty() || (!self.keeps_queries && tail[0] == b'?');
            let index = is_plain.then(|| {
                let index = self.index(if marker.is_empty() { marker } else { host }, path);
                let path = &mut self.paths[index];
                if path.current.count == 0 {
                    path.current.line = number;
                    found.push(index);
                }
                path.current.count += 1;
                path.current.last = path.current.last.max(clock.1.unwrap_or(i64::MIN));
                path.has_rows |= clock.1.is_none() || (status != b"200" && status != b"304");
                index
            });
            lines.push((index, (number, clock.1, parts)));
        }
        let is_row = |index: &Option<usize>| index.is_none_or(|index| self.paths[index].has_rows);
        let rows = lines.into_iter().filter(|(index, _)| is_row(index)).map(|(_, row)| row);
        let rows = rows.collect();
        for index in found {
            let path = &mut self.paths[index];
            let current = std::mem::take(&mut path.current);
            let has_rows = std::mem::take(&mut path.has_rows);
            if has_rows && path.kept.count > 0 {
                let kept = std::mem::take(&mut path.kept);
                hits.push(path.hit(&kept));
            } else if !has_rows && path.is_kept {
                path.kept.count += current.count;
                path.kept.last = path.kept.last.max(current.last);
            } else if !has_rows {
                hits.push(path.hit(&current));
            }
            path.is_kept = !has_rows;
        }
        (hits, rows)
    }

    /// Returns the hits that are kept. The aggregator is empty afterwards.
    pub fn finish(&mut self) -> Vec<LogHit> {
        self.indexes.clear();
        let paths = std::mem::take(&mut self.paths);
        let kept = paths.iter().filter(|path| path.kept.count > 0);
        kept.map(|path| path.hit(&path.kept)).collect()
    }

    /// Returns the index of a path, which is added if it is new.
    fn index(&mut self, host: &[u8], path: &[u8]) -> usize {
        if let Some(index) = self.indexes.get(host).and_then(|paths| paths.get(path)) {
            return *index;
        }
        let (host, path): (Text, Text) = (host.into(), path.into());
        let index = self.paths.len();
        self.indexes.entry(Arc::clone(&host)).or_default().insert(Arc::clone(&path), index);
        self.paths.push(Page {
            host,
            path,
            kept: Requests::default(),
            current: Requests::default(),
            has_rows: false,
            is_kept: false,
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
        LogHit { host: Arc::new([]), path: path.into(), count, last, line: 0 }
    }

    #[test]
    fn successful_requests_are_aggregated() {
        let block = line("/a", 200, 7) + &line("/a?b", 304, 5) + "nonsense\n";
        let mut log = LogAggregator::new(false);

        let (hits, rows) = log.add(block.as_bytes());

        assert_eq!(hits, [hit(b"/a", 2, 1_793_707_207)]);
        assert_eq!(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [2]);
        assert_eq!(log.finish(), []);
    }

    #[test]
    fn lines_of_a_path_with_other_statuses_keep_their_order() {
        let block = line("/a", 200, 7) + &line("/a", 404, 5) + &line("/b", 200, 60);

        let (hits, rows) = LogAggregator::new(false).add(block.as_bytes());

        assert_eq!(hits, []);
        assert_eq!(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [0, 1, 2]);
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
