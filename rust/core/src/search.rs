//! The end of a text, and whether there is anything special in it. Texts are short: to call a function
//! that looks far ahead takes longer than to mode.

/// What ends a text, and what is special in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Text: special is what may have to be decoded, or counted.
    Text,
    /// The value of an attribute in double quotes: the same, and what may not be there.
    Attribute,
    /// A URL in text: the same, and what is no visible character of ASCII.
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

/// Where a text ends, and whether anything in it is odd.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is looked for is known where it is called")]
pub fn find_end(text: &[u8], mode: Mode) -> Option<(usize, bool)> {
    let length = find_near(mode.end(), text)?;
    let is_special = match (u8::try_from(length), text.first_chunk::<16>()) {
        (Ok(length @ 0..16), Some(chunk)) => {
            // All sixteen at once; but only those that belong to the text count.
            let mut flags = [0; 16];
            for (place, (flag, byte)) in (0..).zip(flags.iter_mut().zip(chunk)) {
                *flag = u8::from(mode.is_special(*byte) & (place < length));
            }
            flags != [0; 16]
        }
        _ => any(text.get(..length)?, |byte| mode.is_special(byte)),
    };
    Some((length, is_special))
}

/// Finds a byte that is near: without a call, which would take longer.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call takes longer")]
fn find_near(byte: u8, text: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(finder) = memchr::arch::x86_64::sse2::memchr::One::new(byte) {
        return finder.find(text);
    }
    memchr::memchr(byte, text)
}

/// Whether there is such a byte. Sixteen at a time, without branches, become vector code; the
/// last sixteen are looked at again rather than one by one.
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

/// Whether a byte is white space of XML.
#[inline]
#[must_use]
pub fn is_xml_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The offset of the first byte from `start` on that is not white space.
#[inline]
#[must_use]
pub fn skip_space(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !is_xml_space(*byte)).unwrap_or(rest.len())
}

/// Where a byte is, between two offsets.
#[inline]
#[must_use]
pub fn find_byte(text: &[u8], byte: u8, start: usize, end: usize) -> Option<usize> {
    memchr::memchr(byte, text.get(start..end)?).map(|at| start + at)
}

/// Where a few bytes are, from `start` on.
#[must_use]
pub fn find(text: &[u8], needle: &[u8], start: usize) -> Option<usize> {
    memchr::memmem::find(text.get(start..)?, needle).map(|at| start + at)
}

/// Where some bytes are, from `start` on and before `end`.
#[must_use]
pub fn find_within(text: &[u8], needle: &[u8], start: usize, end: usize) -> Option<usize> {
    memchr::memmem::find(text.get(start..end)?, needle).map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_in_every_place_is_seen() {
        for mode in [Mode::Text, Mode::Attribute, Mode::Url] {
            for length in 0..40 {
                for place in 0..length {
                    for byte in 0..=255_u8 {
                        let mut text = vec![b'a'; length];
                        text[place] = byte;
                        text.push(mode.end());
                        text.push(b'&');
                        let wanted = if byte == mode.end() {
                            (place, false)
                        } else {
                            (length, mode.is_special(byte))
                        };
                        assert_eq!(find_end(&text, mode), Some(wanted), "{byte} at {place}");
                    }
                }
            }
            assert_eq!(find_end(&[b'a'; 33], mode), None);
        }
    }
}
