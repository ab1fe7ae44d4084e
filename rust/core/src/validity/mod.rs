//! Detection of entries that are certainly valid, which need no further validation.
//!
//! `urlset.writer.input_rows` is the specification: it accepts every row that is certain here, and
//! leaves it unchanged. Rare cases (other extensions, international URLs, values to trim) are never
//! certain, so the specification decides on them.

mod metadata;

use metadata::{has_plain_news, has_plain_videos};

use crate::columns::{Entries, PROTOCOL_TEXTS, TEXT_COLUMNS, Texts};
use crate::dates::{is_instant, parse_date, w3c_instant};
use crate::search::any;
use crate::urls::{http_length, is_authority, is_space};
use crate::utf8::utf8;

/// Exclusive upper limit of the length of a URL, in characters.
const MAX_LOC: usize = 2_048;
/// Maximum number of images of one entry.
const MAX_IMAGES: usize = 1_000;
/// Maximum number of alternates of one entry, far below the limit on elements.
const MAX_ALTERNATES: usize = 50_000;
/// Maximum size of a text in bytes. Even fully escaped, it is not longer than a value may be.
const MAX_TEXT: usize = 1_048_576 / 6;

/// Returns the rows that are not certainly valid. `is_text` selects the rules of plain text
/// sitemaps, in which only the URL counts.
#[must_use]
pub fn uncertain_rows(entries: &Entries, is_text: bool) -> Vec<usize> {
    let mut host: &[u8] = b"";
    (0..entries.row()).filter(|row| !is_certain(entries, *row, is_text, &mut host)).collect()
}

/// Returns whether a row is certainly valid. `host` is as in [`is_plain_url_of`].
fn is_certain<'a>(entries: &'a Entries, row: usize, is_text: bool, host: &mut &'a [u8]) -> bool {
    let loc = entries.loc.get(row).filter(|loc| is_plain_url_of(loc, host));
    let Some(loc) = loc else { return false };
    is_text
        || (is_date(entries, row)
            && entries.changefreq.get(row).is_none_or(is_changefreq)
            && entries.priority.get(row).is_none_or(is_priority)
            && has_plain_videos(entries, row, loc)
            && has_plain_news(entries, row)
            && !has_extension_texts(entries, row)
            && has_plain_images(entries, row)
            && has_plain_alternates(entries, row))
}

/// Returns whether a URL is absolute, has only characters of RFC 3986 and a host, but no user.
fn is_plain_url(url: &[u8]) -> bool {
    is_plain_url_of(url, &mut &b""[..])
}

/// Does what [`is_plain_url`] does. `host` is the scheme and authority of the last valid URL, which
/// are not checked again if they are those of this one.
fn is_plain_url_of<'a>(url: &'a [u8], host: &mut &'a [u8]) -> bool {
    if url.len() >= MAX_LOC || any(url, is_forbidden_byte) {
        return false;
    }
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let is_known =
        !host.is_empty() && url.starts_with(host) && url.get(host.len()).is_none_or(is_end);
    if !is_known {
        let start = http_length(url);
        let rest = &url[start..];
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let authority = &rest[..end];
        if start == 0
            || !(is_common_host(authority)
                || (!authority.contains(&b'@') && utf8(authority).is_some_and(is_authority)))
        {
            return false;
        }
        *host = &url[..start + end];
    }
    !any(url, |byte| byte == b'%') || is_encoded(url)
}

/// Returns whether RFC 3986 (section 2) forbids a byte in a URL: anything but visible ASCII, and
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

/// Returns whether a host has two labels or more and its last label begins with a letter.
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

/// Returns whether two hexadecimal digits follow each `%`.
fn is_encoded(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| {
        *byte != b'%'
            || text
                .get(at + 1..at + 3)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Returns whether the text of a date is a W3C date that equals the instant. Either may be missing.
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

/// Returns whether an entry has a text of an extension. Such texts are rare.
fn has_extension_texts(entries: &Entries, row: usize) -> bool {
    TEXT_COLUMNS[PROTOCOL_TEXTS..].iter().any(|column| (column.get)(entries).get(row).is_some())
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

/// Returns whether a text consists of groups of one to eight letters and digits, separated by `-`
/// (RFC 5646).
fn is_language(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'-')
        .all(|part| matches!(part.len(), 1..=8) && part.iter().all(u8::is_ascii_alphanumeric))
}

/// Returns whether a text is missing, or needs no trimming and contains no character that XML
/// forbids.
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
