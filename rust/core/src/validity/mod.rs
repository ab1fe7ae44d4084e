//! Finds entries that are certainly valid, so that they need no further validation.
//!
//! `urlset.writer.validation` is the specification: a row that is passed here, it passes, too, and
//! leaves unchanged. What is rare (other extensions, international URLs, values that have to be
//! trimmed) is never passed; the specification decides on it.

mod metadata;

use metadata::{has_plain_news, has_plain_videos};

use crate::columns::{Entries, Texts};
use crate::dates::{is_instant, parse_date, w3c_instant};
use crate::gzip::utf8;
use crate::search::any;
use crate::urls::{http_length, is_authority, is_space};

/// A URL has fewer characters than this.
const MAX_LOC: usize = 2_048;
/// Images of one entry.
const MAX_IMAGES: usize = 1_000;
/// Alternates of one entry: far fewer than there may be elements.
const MAX_ALTERNATES: usize = 50_000;
/// Bytes of a text: however it is escaped, it is no longer than a value may be.
const MAX_TEXT: usize = 1_048_576 / 6;

/// The numbers of the rows that are not certain to be valid; `is_text`: of a list of URLs, for
/// which nothing but the URL counts.
#[must_use]
pub fn uncertain_rows(entries: &Entries, is_text: bool) -> Vec<usize> {
    (0..entries.row()).filter(|row| !is_certain(entries, *row, is_text)).collect()
}

fn is_certain(entries: &Entries, row: usize, is_text: bool) -> bool {
    let Some(loc) = entries.loc.get(row).filter(|loc| is_plain_url(loc)) else { return false };
    is_text
        || (is_date(entries, row)
            && entries.changefreq.get(row).is_none_or(is_changefreq)
            && entries.priority.get(row).is_none_or(is_priority)
            && has_plain_videos(entries, row, loc)
            && has_plain_news(entries, row)
            && entries.extra.get(row).is_none()
            && has_plain_images(entries, row)
            && has_plain_alternates(entries, row))
}

/// Whether it is an absolute URL of the characters of RFC 3986, with a host and without a user.
fn is_plain_url(url: &[u8]) -> bool {
    let Some(rest) = url.get(http_length(url)..) else { return false };
    if rest.len() == url.len() || url.len() >= MAX_LOC || any(url, is_forbidden_byte) {
        return false;
    }
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    (is_common_host(authority)
        || (!authority.contains(&b'@') && utf8(authority).is_some_and(is_authority)))
        && (!any(rest, |byte| byte == b'%') || is_encoded(rest))
}

/// What may not stand in a URL (RFC 3986, section 2): anything but visible ASCII, and of that
/// `"`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|` and `}`.
fn is_forbidden_byte(byte: u8) -> bool {
    (byte <= 0x20)
        | (byte > 0x7e)
        | (byte == b'"')
        | (byte == b'<')
        | (byte == b'>')
        | (byte == b'\\')
        | (byte == b'^')
        | (byte == b'`')
        | matches!(byte, b'{'..=b'}')
}

/// A host of two labels or more, the last of which begins with a letter, as most are.
fn is_common_host(host: &[u8]) -> bool {
    let (mut labels, mut length, mut is_alphabetic) = (1, 0, false);
    for byte in host {
        if *byte == b'.' {
            if length == 0 {
                return false;
            }
            (labels, length) = (labels + 1, 0);
        } else if byte.is_ascii_alphanumeric() || *byte == b'-' {
            is_alphabetic = if length == 0 { byte.is_ascii_alphabetic() } else { is_alphabetic };
            length += 1;
            if length > 63 {
                return false;
            }
        } else {
            return false;
        }
    }
    labels > 1 && length > 0 && is_alphabetic && host.len() < 254
}

/// Whether two hexadecimal digits follow each `%`.
fn is_encoded(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| {
        *byte != b'%'
            || text
                .get(at + 1..at + 3)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Whether a date is W3C, and its text, where there is one, that of the instant.
fn is_date(entries: &Entries, row: usize) -> bool {
    let instant = entries.lastmod.get(row);
    let Some(text) = entries.lastmod_text.get(row) else {
        return instant.is_none_or(is_instant);
    };
    let stated = w3c_instant(text).or_else(|| {
        let date = parse_date(utf8(text)?);
        date.instant.filter(|_| date.code.is_none())
    });
    stated.is_some() && (instant.is_none() || instant == stated)
}

fn is_changefreq(word: &[u8]) -> bool {
    matches!(word, b"always" | b"hourly" | b"daily" | b"weekly" | b"monthly" | b"yearly" | b"never")
}

fn is_priority(value: f64) -> bool {
    (0.0..=1.0).contains(&value) && value.is_sign_positive()
}

fn has_plain_images(entries: &Entries, row: usize) -> bool {
    let images = entries.images.list.get(row);
    let [loc, texts @ ..] = &entries.images.items.fields;
    images.len() <= MAX_IMAGES
        && images.into_iter().all(|image| {
            loc.get(image).is_some_and(is_plain_url)
                && texts.iter().all(|texts| is_plain_text(texts, image))
        })
}

fn has_plain_alternates(entries: &Entries, row: usize) -> bool {
    let alternates = entries.alternates.list.get(row);
    let [hreflang, href, media] = &entries.alternates.items.fields;
    alternates.len() <= MAX_ALTERNATES
        && alternates.into_iter().all(|link| {
            href.get(link).is_some_and(is_plain_url)
                && hreflang.get(link).is_some_and(is_language)
                && is_plain_text(media, link)
        })
}

/// Letters and digits in groups of one to eight, with a `-` between them (RFC 5646).
fn is_language(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'-')
        .all(|part| matches!(part.len(), 1..=8) && part.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether there is no text, or one that needs no trimming and has no character that XML forbids.
fn is_plain_text(texts: &Texts, row: usize) -> bool {
    let Some(text) = texts.get(row) else { return true };
    if text.is_empty() || text.len() > MAX_TEXT {
        return false;
    }
    if !any(text, |byte| !(0x20..=0x7e).contains(&byte)) {
        return text[0] != b' ' && text[text.len() - 1] != b' ';
    }
    let Some(text) = utf8(text) else { return false };
    let is_forbidden = |character: char| matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    !text.starts_with(is_space) && !text.ends_with(is_space) && !text.contains(is_forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_rfc_3986_are_certain() {
        for url in [
            "https://example.com",
            "http://example.com/a?b=%20&c[]=1#d",
            "HTTPS://example.com:8080/",
            "https://[::1]/",
            "https://localhost/a",
        ] {
            assert!(is_plain_url(url.as_bytes()), "{url}");
        }
        for url in [
            "",
            "/a",
            "https://",
            "https:///a",
            "ftp://example.com/",
            "https://user@example.com/",
            "https://example.com/a b",
            "https://example.com/%zz",
            "https://example.com/%2",
            "https://example.com/{{a}}",
            "https://example.com/é",
            "https://256.1.1.1/",
            "https://a..b/",
            "http://http/",
        ] {
            assert!(!is_plain_url(url.as_bytes()), "{url}");
        }
    }

    #[test]
    fn languages_have_the_form_of_rfc_5646() {
        assert!([&b"de"[..], b"x-default", b"zh-Hant-TW"].into_iter().all(is_language));
        assert!(![&b""[..], b"de-", b"de_AT", b"undetermined"].into_iter().any(is_language));
    }
}
