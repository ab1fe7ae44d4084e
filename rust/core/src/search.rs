//! Byte searches: delimiters and special bytes.
//!
//! Values are short, so these functions are inlined instead of calling a function that is fast on
//! long input.

/// Kind of value to search: its delimiter and its special bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Text. Bytes that may need decoding or counting are special.
    Text,
    /// Value of an attribute in double quotes. `<` is special, too.
    Attribute,
    /// URL in text. Anything but visible ASCII is special, too.
    Url,
}

impl Mode {
    fn end(self) -> u8 {
        if self == Self::Attribute { b'"' } else { b'<' }
    }

    #[inline]
    fn is_special(self, byte: u8) -> bool {
        let is_special = (byte < 0x20) | (byte == b'&') | (byte == b']');
        match self {
            Self::Text => is_special | (byte == 0xef),
            Self::Attribute => is_special | (byte == 0xef) | (byte == b'<'),
            Self::Url => is_special | (byte == b' ') | (byte > 0x7e),
        }
    }
}

/// Returns the length of a value up to its delimiter, and whether it contains a special byte.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the mode is a constant at each call")]
pub fn find_end(text: &[u8], mode: Mode) -> Option<(usize, bool)> {
    let length = find_near(mode.end(), text)?;
    let is_special = match (u8::try_from(length), text.first_chunk::<16>()) {
        (Ok(length @ 0..16), Some(chunk)) => {
            // Check all sixteen bytes at once, but count only those of the value.
            let mut flags = [0; 16];
            for (position, (flag, byte)) in (0..).zip(flags.iter_mut().zip(chunk)) {
                *flag = u8::from(mode.is_special(*byte) & (position < length));
            }
            flags != [0; 16]
        }
        _ => any(text.get(..length)?, |byte| mode.is_special(byte)),
    };
    Some((length, is_special))
}

/// Finds a byte that is near, without a function call.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a function call takes longer than the search")]
pub fn find_near(byte: u8, text: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(finder) = memchr::arch::x86_64::sse2::memchr::One::new(byte) {
        return finder.find(text);
    }
    memchr::memchr(byte, text)
}

/// Returns whether any byte satisfies a predicate. Blocks of sixteen bytes without branches compile
/// to vector instructions; the last sixteen bytes are checked as an overlapping block.
#[inline]
pub fn any(bytes: &[u8], is_special: impl Fn(u8) -> bool) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else {
        return bytes.iter().any(|byte| is_special(*byte));
    };
    let mut special = [0; 16];
    for chunk in bytes.as_chunks::<16>().0.iter().chain([last]) {
        for (special, byte) in special.iter_mut().zip(chunk) {
            *special |= u8::from(is_special(*byte));
        }
    }
    special != [0; 16]
}

/// Returns whether a byte is white space in XML.
#[inline]
#[must_use]
pub fn is_xml_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns the offset of the first byte from `start` on that is not white space.
#[inline]
#[must_use]
pub fn skip_space(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !is_xml_space(*byte)).unwrap_or(rest.len())
}

/// Returns the offset of a byte between two offsets.
#[inline]
#[must_use]
pub fn find_byte(text: &[u8], byte: u8, start: usize, end: usize) -> Option<usize> {
    memchr::memchr(byte, text.get(start..end)?).map(|at| start + at)
}

/// Returns the offset of a short byte string from `start` on.
#[must_use]
pub fn find(text: &[u8], needle: &[u8], start: usize) -> Option<usize> {
    memchr::memmem::find(text.get(start..)?, needle).map(|at| start + at)
}

/// Returns the offset of a byte string between two offsets.
#[must_use]
pub fn find_within(text: &[u8], needle: &[u8], start: usize, end: usize) -> Option<usize> {
    memchr::memmem::find(text.get(start..end)?, needle).map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_end_checks_every_byte_at_every_position() {
        for mode in [Mode::Text, Mode::Attribute, Mode::Url] {
            for length in 0..40 {
                for position in 0..length {
                    for byte in 0..=255_u8 {
                        let mut text = vec![b'a'; length];
                        text[position] = byte;
                        text.push(mode.end());
                        text.push(b'&');
                        let wanted = if byte == mode.end() {
                            (position, false)
                        } else {
                            (length, mode.is_special(byte))
                        };
                        assert_eq!(find_end(&text, mode), Some(wanted), "{byte} at {position}");
                    }
                }
            }
            assert_eq!(find_end(&[b'a'; 33], mode), None);
        }
    }
}
