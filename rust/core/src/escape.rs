//! Escaping of text for XML.

use crate::search::any;

/// Appends a value with the five escapes of sitemaps.org. Line ends that a parser would normalize
/// are escaped, too.
pub fn escape(value: &[u8], is_attribute: bool, out: &mut Vec<u8>) {
    let is_escaped = |b: u8| (b == b'&') | (b == b'<') | (b == b'>') | (b == b'"') | (b == b'\'');
    if !any(value, |byte| is_escaped(byte) | (byte < 0x20)) {
        out.extend_from_slice(value);
        return;
    }
    let mut copied = 0;
    for (at, byte) in value.iter().enumerate() {
        if *byte > b'>' {
            continue;
        }
        let written: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&apos;",
            b'\r' => b"&#13;",
            b'\n' if is_attribute => b"&#10;",
            b'\t' if is_attribute => b"&#9;",
            _ => continue,
        };
        out.extend_from_slice(&value[copied..at]);
        out.extend_from_slice(written);
        copied = at + 1;
    }
    out.extend_from_slice(&value[copied..]);
}
