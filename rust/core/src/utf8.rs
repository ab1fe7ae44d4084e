//! Conversion of bytes to text.

/// Returns bytes as text, if they are UTF-8.
#[must_use]
pub fn utf8(data: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(data).ok()
}

/// Returns a name as text. It is UTF-8, because it was cut out of the document at ASCII bytes; the
/// new check costs little, because names are only shown in diagnostics.
#[must_use]
pub fn utf8_or_empty(bytes: &[u8]) -> &str {
    simdutf8::basic::from_utf8(bytes).unwrap_or_default()
}
