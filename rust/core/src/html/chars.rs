//! White space and letters as the regular expressions of Python define them.

/// Returns whether a character is white space in Python.
#[inline]
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Returns the length of the white space character at an offset, or 0 if there is another one.
#[inline]
pub(super) fn space_length(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(b'\t'..=b'\r' | 0x1c..=0x20) => 1,
        Some(0x80..) => {
            char_at(text, at).filter(|found| is_space(*found)).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

/// Returns the offset of the first character from `at` on that is not white space.
#[inline]
pub(super) fn skip_space(text: &str, mut at: usize) -> usize {
    loop {
        match space_length(text, at) {
            0 => return at,
            length => at += length,
        }
    }
}

/// Returns the character at an offset, which is a boundary of characters.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Returns the end of an ASCII word in lower case at an offset, in any letter case.
///
/// Without regard to case, Python takes `ſ` for an `s`, `K` (Kelvin) for a `k`, and `ı` and `İ` for
/// an `i`.
pub(super) fn match_word(text: &[u8], mut at: usize, word: &[u8]) -> Option<usize> {
    for letter in word {
        at += match (letter, text.get(at..)?) {
            (_, [byte, ..]) if byte.to_ascii_lowercase() == *letter => 1,
            (b's', [0xc5, 0xbf, ..]) | (b'i', [0xc4, 0xb0 | 0xb1, ..]) => 2,
            (b'k', [0xe2, 0x84, 0xaa, ..]) => 3,
            _ => return None,
        };
    }
    Some(at)
}

/// Returns whether there is a letter from a to z at an offset, in any case.
pub(super) fn is_letter_at(text: &[u8], at: usize) -> bool {
    match text.get(at..) {
        Some([byte, ..]) if byte.is_ascii() => byte.is_ascii_alphabetic(),
        Some(rest) => is_folded_letter(rest),
        None => false,
    }
}

/// Returns whether there is a letter from a to z before an offset, in any case.
pub(super) fn is_letter_before(text: &[u8], at: usize) -> bool {
    match text.get(..at) {
        Some([.., byte]) if byte.is_ascii() => byte.is_ascii_alphabetic(),
        Some(before) => [2, 3].into_iter().any(|length| {
            before.len() >= length && is_folded_letter(&before[before.len() - length..])
        }),
        None => false,
    }
}

fn is_folded_letter(text: &[u8]) -> bool {
    matches!(text, [0xc5, 0xbf, ..] | [0xc4, 0xb0 | 0xb1, ..] | [0xe2, 0x84, 0xaa, ..])
}

/// Appends words separated by single blanks, as `" ".join(text.split())` in Python.
pub(super) fn push_words(text: &str, target: &mut String) {
    let mut push = |word: &str| {
        if !target.is_empty() && !target.ends_with('\n') {
            target.push(' ');
        }
        target.push_str(word);
    };
    if !text.is_ascii() {
        text.split(is_space).filter(|word| !word.is_empty()).for_each(push);
        return;
    }
    let text = text.trim_matches(|found: char| is_ascii_space(found as u8));
    let bytes = text.as_bytes();
    if text.is_empty() {
        return;
    }
    if bytes.windows(2).fold(true, |is_plain, pair| is_plain & !is_wide_space(pair[0], pair[1])) {
        return push(text);
    }
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(|byte| !is_ascii_space(*byte)) {
        let start = at + skipped;
        let length = bytes[start..].iter().position(|byte| is_ascii_space(*byte));
        at = length.map_or(bytes.len(), |length| start + length);
        push(&text[start..at]);
    }
}

/// Returns whether a byte is white space that becomes another one, or none.
fn is_wide_space(byte: u8, next: u8) -> bool {
    is_ascii_space(byte) & ((byte != b' ') | is_ascii_space(next))
}

fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=0x20)
}
