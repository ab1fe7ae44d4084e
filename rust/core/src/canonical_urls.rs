//! Detection of entries whose URLs are certainly canonical, so that a build changes none.
//!
//! `urlset.builder.canonical_urls` is the specification. It inspects the URLs of all other entries.

use memchr::memmem;

use crate::columns::{
    ALTERNATE_FIELDS, Entries, IMAGE_FIELDS, List, Texts, field_index, video_text,
};
use crate::search::any;

/// Bytes that are searched at once.
const BLOCK: usize = 65_536;

/// Columns of URLs in records of entries.
const IMAGE_LOC: usize = field_index(&IMAGE_FIELDS, "loc");
const ALTERNATE_HREF: usize = field_index(&ALTERNATE_FIELDS, "href");
const VIDEO_URLS: [usize; 3] =
    [video_text("thumbnail_loc"), video_text("content_loc"), video_text("player_loc")];

/// Returns whether all URLs are certainly canonical, and none of those of the entries themselves
/// contains one of some texts. `is_secure` requires https.
#[must_use]
pub fn are_canonical(entries: &Entries, marks: &[&str], is_secure: bool) -> bool {
    let Entries { loc, images, videos, alternates, .. } = entries;
    let is_nested_canonical = |list: &List, urls: &Texts| {
        !contains_any(urls.bytes(), &["&amp;"])
            && (0..list.items()).all(|item| is_missing_or(urls, item, is_secure))
    };
    (0..entries.row()).all(|row| loc.get(row).is_some_and(|url| is_canonical(url, is_secure)))
        && !contains_any(loc.bytes(), marks)
        && is_nested_canonical(&images.list, &images.items.fields[IMAGE_LOC])
        && is_nested_canonical(&alternates.list, &alternates.items.fields[ALTERNATE_HREF])
        && VIDEO_URLS
            .iter()
            .all(|url| is_nested_canonical(&videos.list, &videos.texts.fields[*url]))
}

/// Returns the same as [`are_canonical`] for entries that have only a URL. `bytes` are these, one after
/// another.
pub fn are_canonical_locs<'a>(
    bytes: &[u8],
    mut locs: impl Iterator<Item = &'a [u8]>,
    marks: &[&str],
    is_secure: bool,
) -> bool {
    locs.all(|url| is_canonical(url, is_secure)) && !contains_any(bytes, marks)
}

/// Returns whether one of some texts is in the bytes of a column, or where two of its texts meet.
fn contains_any(bytes: &[u8], marks: &[&str]) -> bool {
    let finders: Vec<_> = marks.iter().map(memmem::Finder::new).collect();
    let overlap = marks.iter().map(|mark| mark.len()).max().unwrap_or_default();
    // Each block is searched for all of them while the cache of the processor has it.
    (0..bytes.len()).step_by(BLOCK).any(|start| {
        let block = &bytes[start..bytes.len().min(start + BLOCK + overlap)];
        finders.iter().any(|finder| finder.find(block).is_some())
    })
}

fn is_missing_or(urls: &Texts, item: usize, is_secure: bool) -> bool {
    urls.get(item).is_none_or(|url| is_canonical(url, is_secure))
}

/// Returns whether a URL has the scheme http or https in lower case, a host of letters, digits, `.`,
/// `_` and `-`, perhaps a port, and a rest of certain characters.
fn is_canonical(url: &[u8], is_secure: bool) -> bool {
    let rest = url.strip_prefix(b"https://");
    let rest = rest.or_else(|| url.strip_prefix(b"http://").filter(|_| !is_secure));
    let Some(rest) = rest else { return false };
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    is_authority(authority)
        && !any(rest, is_other_byte)
        && memchr::memchr_iter(b'%', rest).all(|at| is_escape(&rest[at + 1..]))
}

fn is_authority(authority: &[u8]) -> bool {
    let colon = authority.iter().position(|byte| *byte == b':');
    let (host, port) = authority.split_at(colon.unwrap_or(authority.len()));
    let is_host_byte =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !host.is_empty()
        && host.iter().all(is_host_byte)
        && (port.is_empty()
            || (matches!(port.len(), 2..=6) && port[1..].iter().all(u8::is_ascii_digit)))
}

/// Returns whether a byte is none that a canonical path or query may have. Brackets and colons may
/// belong to a template.
fn is_other_byte(byte: u8) -> bool {
    (byte <= 0x20)
        | (byte > 0x7e)
        | (byte == b'"')
        | (byte == b'#')
        | (byte == b':')
        | (byte == b'<')
        | (byte == b'>')
        | matches!(byte, b'['..=b'^')
        | (byte == b'`')
        | matches!(byte, b'{'..=b'}')
}

/// Returns whether two hexadecimal digits follow a `%`, and not those of a bracket or a brace.
fn is_escape(rest: &[u8]) -> bool {
    let Some([first, second]) = rest.first_chunk() else { return false };
    let is_bracket =
        matches!(first, b'5' | b'7') && matches!(second.to_ascii_uppercase(), b'B' | b'D');
    first.is_ascii_hexdigit() && second.is_ascii_hexdigit() && !is_bracket
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_urls_are_canonical() {
        for url in ["https://a.example", "https://a_b:8080/c%20d/~e?f=(g)", "https://localhost?a"] {
            assert!(is_canonical(url.as_bytes(), true), "{url}");
        }
        assert!(is_canonical(b"http://a.example/", false));
    }

    #[test]
    fn texts_are_found_where_blocks_meet() {
        for before in BLOCK - 6..=BLOCK + 1 {
            let mut texts = Texts::default();
            texts.set(0, &vec![b'a'; before]);
            texts.set(1, b"&amp;");
            assert!(contains_any(texts.bytes(), &["?", "&amp;"]), "{before}");
            assert!(!contains_any(texts.bytes(), &["?", "&amp;b"]), "{before}");
        }
    }

    #[test]
    fn other_urls_are_not() {
        for url in [
            "http://a/",
            "HTTPS://a/",
            "/a",
            "https://",
            "https://a:/",
            "https://a:123456/",
            "https://a@b/",
            "https://a/#b",
            "https://a/b c",
            "https://a/{b}",
            "https://a/%7Bb",
            "https://a/%5d",
            "https://a/%2",
            "https://a/b:c",
            "https://a/\u{e9}",
            "https://a/[b]",
            "https://a/\\",
            "https://a/`",
        ] {
            assert!(!is_canonical(url.as_bytes(), true), "{url}");
        }
    }
}
