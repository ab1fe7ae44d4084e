//! Conversion of bytes to text.

use std::thread;

use crate::threads::Processors;

/// Minimum number of bytes for each of several threads. To start a thread takes as long as the check
/// of 300 KB.
const MIN_PART: usize = 2 << 20;

/// Returns bytes as text, if they are UTF-8.
#[must_use]
pub fn utf8(data: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(data).ok()
}

/// Returns whether bytes are UTF-8. Several threads check many bytes.
#[must_use]
pub fn is_utf8(data: &[u8]) -> bool {
    let processors = Processors::take(data.len() / MIN_PART);
    let mut parts = Vec::with_capacity(processors.count());
    let mut rest = data;
    for left in (2..=processors.count()).rev() {
        let size = rest.len() / left;
        // A character has up to three bytes after its first.
        let inside = rest[size..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let (part, after) = rest.split_at(size + inside);
        parts.push(part);
        rest = after;
    }
    thread::scope(|scope| {
        let check = |part| {
            let work = move || utf8(part).is_some();
            thread::Builder::new().spawn_scoped(scope, work).ok().ok_or(part)
        };
        let threads: Vec<_> = parts.into_iter().map(check).collect();
        utf8(rest).is_some()
            & threads.into_iter().all(|thread| match thread {
                Ok(thread) => thread.join().unwrap_or_default(),
                Err(part) => utf8(part).is_some(),
            })
    })
}

/// Returns a name as text. It is UTF-8, because it was cut out of the document at ASCII bytes; the
/// new check costs little, because names are only shown in diagnostics.
#[must_use]
pub fn utf8_or_empty(bytes: &[u8]) -> &str {
    simdutf8::basic::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_divided_between_characters() {
        for character in ["a", "é", "東", "😀"] {
            for shift in 0..4 {
                let text = "x".repeat(shift) + &character.repeat(3 * MIN_PART / character.len());
                assert!(is_utf8(text.as_bytes()), "{character} {shift}");
                let mut bytes = text.into_bytes();
                let middle = bytes.len() / 2;
                bytes[middle] = 0xff;
                assert!(!is_utf8(&bytes), "{character} {shift}");
            }
        }
        assert!(!is_utf8(&vec![0x80; 3 * MIN_PART]));
        assert!(is_utf8(b""));
    }
}
