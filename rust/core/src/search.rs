//! Byte searches: delimiters and special bytes.
//!
//! Values are short, so these functions are inlined instead of calling a function that is fast on
//! long input. They examine sixteen bytes at once.

use std::ops::BitOr;

use wide::u8x16;

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
    fn find_special(self, bytes: Bytes) -> Found {
        let special = bytes.equal_to(b'&') | bytes.equal_to(b']');
        match self {
            Self::Text => special | bytes.below(0x20) | bytes.equal_to(0xef),
            Self::Attribute => {
                special | bytes.below(0x20) | bytes.equal_to(0xef) | bytes.equal_to(b'<')
            }
            Self::Url => special | bytes.below(0x21) | bytes.above_graphic(),
        }
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

const BLOCK: usize = 16;

/// Sixteen bytes, which are examined at once.
#[derive(Clone, Copy)]
pub struct Bytes(u8x16);

/// Which of sixteen bytes are found: those whose highest bit is set.
#[derive(Clone, Copy)]
pub struct Found(u8x16);

impl Bytes {
    /// Finds bytes below a limit, which is not 0.
    #[inline]
    #[must_use]
    pub fn below(self, limit: u8) -> Found {
        Found(self.0.min(u8x16::splat(limit - 1)).simd_eq(self.0))
    }

    /// Finds a byte.
    #[inline]
    #[must_use]
    pub fn equal_to(self, byte: u8) -> Found {
        Found(self.0.simd_eq(u8x16::splat(byte)))
    }

    /// Finds a byte, or one that differs from it in the two lowest bits.
    #[inline]
    #[must_use]
    pub fn near(self, byte: u8) -> Found {
        Self(self.0 & u8x16::splat(!3)).equal_to(byte & !3)
    }

    /// Finds bytes above 0x7e.
    #[inline]
    fn above_graphic(self) -> Found {
        self.equal_to(0x7f) | Found(self.0)
    }
}

impl Found {
    /// Returns the number of the first byte that is found.
    #[inline]
    fn first(self) -> Option<usize> {
        let bits = self.0.to_bitmask();
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    #[inline]
    fn any(self) -> bool {
        self.0.to_bitmask() != 0
    }

    /// Returns whether any of the first bytes is found; `count` is less than sixteen.
    #[inline]
    fn any_before(self, count: usize) -> bool {
        self.0.to_bitmask() & ((1 << count) - 1) != 0
    }
}

impl BitOr for Found {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Returns the length of a value up to its delimiter, and whether it contains a special byte.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the mode is a constant at each call")]
pub fn find_end(text: &[u8], mode: Mode) -> Option<(usize, bool)> {
    let find_special = |bytes| mode.find_special(bytes);
    find_value(text, mode.end(), find_special, |byte| mode.is_special(byte))
}

/// As [`find_end`], with any delimiter and special bytes.
///
/// `find_special` finds the special bytes of sixteen, and `is_special` says whether one is.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the functions are constants at each call")]
pub fn find_value(
    text: &[u8],
    end: u8,
    find_special: impl Fn(Bytes) -> Found,
    is_special: impl Fn(u8) -> bool,
) -> Option<(usize, bool)> {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut has_special = false;
    let mut start = 0;
    for block in blocks {
        let bytes = Bytes(u8x16::new(*block));
        let special = find_special(bytes);
        if let Some(length) = bytes.equal_to(end).first() {
            return Some((start + length, has_special | special.any_before(length)));
        }
        has_special |= special.any();
        start += BLOCK;
    }
    let length = rest.iter().position(|byte| *byte == end)?;
    has_special |= rest[..length].iter().any(|byte| is_special(*byte));
    Some((start + length, has_special))
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

    #[test]
    fn find_value_finds_special_bytes_before_the_end() {
        let find_special = |bytes: Bytes| bytes.near(b'<') | bytes.equal_to(b'&');
        let is_special = |byte: u8| (b'<'..=b'?').contains(&byte) || byte == b'&';
        for length in 0..40 {
            for position in 0..length {
                for byte in 0..=255_u8 {
                    let mut text = vec![b'a'; length];
                    text[position] = byte;
                    text.extend(b"\"&<");
                    let end = if byte == b'"' { position } else { length };
                    let found = find_value(&text, b'"', find_special, is_special);
                    assert_eq!(found, Some((end, is_special(byte))), "{byte} at {position}");
                }
            }
        }
    }
}
