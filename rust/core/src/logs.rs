//! Aggregation of access logs in the common and combined formats.

use std::collections::HashMap;

use memchr::memchr_iter;

use crate::dates::parse_log_time;

/// Path whose requests in a block of lines all succeeded.
#[derive(Debug, PartialEq, Eq)]
pub struct LogHit<'a> {
    /// Virtual host; empty if the log has none.
    pub host: &'a [u8],
    /// Path.
    pub path: &'a [u8],
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

/// Aggregates a block of whole lines. Returns the paths that all requests found, and the lines that
/// the caller has to evaluate.
#[must_use]
pub fn aggregate_log(block: &[u8], keeps_queries: bool) -> (Vec<LogHit<'_>>, Vec<LogRow<'_>>) {
    let mut keys = HashMap::new();
    let mut is_mixed = Vec::new();
    let mut lines = Vec::with_capacity(block.len() / 128);
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
        let is_plain = tail.is_empty() || (!keeps_queries && tail[0] == b'?');
        let key = is_plain.then(|| {
            let host = if marker.is_empty() { marker } else { host };
            let key = *keys.entry((host, path)).or_insert(is_mixed.len());
            if key == is_mixed.len() {
                is_mixed.push(false);
            }
            is_mixed[key] |= clock.1.is_none() || (status != b"200" && status != b"304");
            key
        });
        lines.push((key, (number, clock.1, parts)));
    }
    let mut hits: Vec<LogHit<'_>> = Vec::new();
    let mut rows = Vec::new();
    let mut hit_indexes = vec![usize::MAX; is_mixed.len()];
    for (key, row) in lines {
        let (line, Some(last), [host, marker, _, _, path, ..]) = row else {
            rows.push(row);
            continue;
        };
        let Some(key) = key.filter(|&key| !is_mixed[key]) else {
            rows.push(row);
            continue;
        };
        if hit_indexes[key] == usize::MAX {
            hit_indexes[key] = hits.len();
            let host = if marker.is_empty() { marker } else { host };
            hits.push(LogHit { host, path, count: 0, last, line });
        }
        let hit = &mut hits[hit_indexes[key]];
        hit.count += 1;
        hit.last = hit.last.max(last);
    }
    (hits, rows)
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

    #[test]
    fn successful_requests_are_aggregated() {
        let block = line("/a", 200, 7) + &line("/a?b", 304, 5) + "nonsense\n";

        let (hits, rows) = aggregate_log(block.as_bytes(), false);

        let hit = LogHit { host: b"", path: b"/a", count: 2, last: 1_793_707_207, line: 0 };
        assert_eq!(hits, [hit]);
        assert_eq!(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn lines_of_a_path_with_other_statuses_keep_their_order() {
        let block = line("/a", 200, 7) + &line("/a", 404, 5) + &line("/b", 200, 60);

        let (hits, rows) = aggregate_log(block.as_bytes(), false);

        assert_eq!(hits, []);
        assert_eq!(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
