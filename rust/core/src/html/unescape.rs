//! Character references, as `html.unescape` of Python replaces them.

use std::borrow::Cow;

use crate::references::html_entity;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 32;

/// Entities that are known without a semicolon.
const WITHOUT_SEMICOLON: &str = " \
AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml \
GT Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG \
THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig agrave amp aring atilde \
auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12 \
frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not \
ntilde oacute ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg \
sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml ";

/// Characters of the numbers from 0x80 to 0x9f.
const WINDOWS_1252: &str = "\u{20ac}\u{81}\u{201a}\u{192}\u{201e}\u{2026}\u{2020}\u{2021}\u{2c6}\
\u{2030}\u{160}\u{2039}\u{152}\u{8d}\u{17d}\u{8f}\u{90}\u{2018}\u{2019}\u{201c}\u{201d}\u{2022}\
\u{2013}\u{2014}\u{2dc}\u{2122}\u{161}\u{203a}\u{153}\u{9d}\u{17e}\u{178}";

/// Returns a text with its character references replaced.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    let Some(mut at) = memchr::memchr(b'&', text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let mut target = String::with_capacity(text.len());
    let mut last = 0;
    loop {
        target.push_str(&text[last..at]);
        last = at + push_reference(&text[at + 1..], &mut target) + 1;
        match memchr::memchr(b'&', &text.as_bytes()[last..]) {
            Some(offset) => at = last + offset,
            None => break,
        }
    }
    target.push_str(&text[last..]);
    Cow::Owned(target)
}

/// Appends the meaning of a reference without its ampersand; returns the length that it covers.
fn push_reference(text: &str, target: &mut String) -> usize {
    let (radix, digits) = match text.as_bytes() {
        [b'#', b'x' | b'X', ..] => (16, 2),
        [b'#', ..] => (10, 1),
        _ => return push_named(text, target),
    };
    let mut number = 0_u32;
    let mut end = digits;
    while let Some(digit) =
        text.as_bytes().get(end).and_then(|byte| char::from(*byte).to_digit(radix))
    {
        number = number.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == digits {
        target.push('&');
        return 0;
    }
    match number {
        0x0d => target.push('\r'),
        0x80..=0x9f => target.extend(WINDOWS_1252.chars().nth(number as usize - 0x80)),
        0 | 0xd800..=0xdfff | 0x11_0000.. => target.push('\u{fffd}'),
        0x1..=0x8 | 0xb | 0xe..=0x1f | 0x7f | 0xfdd0..=0xfdef => {}
        number if number & 0xfffe == 0xfffe => {}
        number => target.extend(char::from_u32(number)),
    }
    end + usize::from(text.as_bytes().get(end) == Some(&b';'))
}

/// The most frequent entities; their values are found without the table.
const USUAL: [(&str, char); 5] =
    [("lt;", '<'), ("gt;", '>'), ("amp;", '&'), ("quot;", '"'), ("nbsp;", '\u{a0}')];

fn push_named(text: &str, target: &mut String) -> usize {
    if let Some((name, value)) = USUAL.iter().find(|(name, _)| text.starts_with(name)) {
        target.push(*value);
        return name.len();
    }
    let mut end = 0;
    for (count, (at, found)) in text.char_indices().enumerate() {
        if count == MAX_NAME || matches!(found, '\t' | '\n' | '\x0c' | ' ' | '<' | '&' | '#' | ';')
        {
            break;
        }
        end = at + found.len_utf8();
    }
    let name = &text[..end];
    if text.as_bytes().get(end) == Some(&b';')
        && let Some(value) = html_entity(name)
    {
        target.push_str(value);
        return end + 1;
    }
    if let Some(name) = entity_at(name)
        && let Some(value) = html_entity(name)
    {
        target.push_str(value);
        return name.len();
    }
    target.push('&');
    0
}

/// Returns the longest entity that is known without a semicolon and with which a text begins.
fn entity_at(text: &str) -> Option<&str> {
    // All are ASCII and have 2 to 6 letters.
    let known = (2..=text.len().min(6)).rev().filter_map(|length| text.get(..length));
    let mut known = known.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    known.find(|name| WITHOUT_SEMICOLON.contains(&format!(" {name} ")))
}

/// Returns whether letters begin with an entity that is known without a semicolon.
pub(super) fn begins_with_entity(letters: &[u8]) -> bool {
    std::str::from_utf8(letters).is_ok_and(|letters| entity_at(letters).is_some())
}
