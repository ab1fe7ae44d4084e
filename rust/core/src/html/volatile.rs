//! Parts of the content that change without a change of the page: lines, and parts of links.
//!
//! `src/urlset/engine/reference/html/content.py` specifies them. What is not decided here is decided
//! there; it is rare.

use std::borrow::Cow;

use super::chars::{is_space, match_word, push_words};
use crate::search::any;

const MAX_VOLATILE_LINE: usize = 400;
const MAX_LINK: usize = 2_048;

/// Words that say that a page was built.
const STAMPS: [&str; 11] = [
    "generated",
    "built",
    "rendered",
    "compiled",
    "published",
    "deployed",
    "updated",
    "cached",
    "build",
    "erstellt",
    "generado",
];

/// First words of a line with a colon before a number that may be volatile, as are [`STAMPS`].
const VOLATILE: [&str; 23] = [
    "this",
    "the",
    "page",
    "site",
    "website",
    "doc",
    "docs",
    "documentation",
    "was",
    "last",
    "view",
    "views",
    "pageview",
    "pageviews",
    "visit",
    "visits",
    "hits",
    "visitor",
    "visitors",
    "aufrufe",
    "vues",
    "visitas",
    "seite",
];

/// Starts of the words after a number that may be volatile.
const UNITS: [&[u8]; 8] =
    [b"view", b"page", b"visi", b"hits", b"reads", b"aufrufe", b"vues", b"visual"];

/// Starts of Russian words for views.
const VIEWS_IN_RUSSIAN: [&str; 4] = ["пр", "Пр", "пР", "ПР"];

/// First words of a line with a duration that may be volatile.
const TIMED: [&str; 4] = ["generated", "rendered", "loaded", "erstellt"];

/// Returns whether a line may be volatile, such as the date of a build; most are not.
pub(super) fn may_be_volatile(line: &str) -> bool {
    if !any(line.as_bytes(), |byte| byte.is_ascii_digit()) {
        return false;
    }
    let start = line.trim_start_matches(is_space);
    let is_number = |found: char| {
        found.is_ascii_digit() || matches!(found, '.' | ',' | '\'') || is_space(found)
    };
    let Some(first) = start.chars().next() else { return false };
    let is_possible = if first.is_ascii_digit() {
        let unit = start.trim_start_matches(is_number);
        let unit = unit.strip_prefix(['k', 'K', 'm', 'M']).unwrap_or(unit);
        let unit = unit.trim_start_matches(is_space);
        !unit.is_empty()
            && (unit.starts_with(|found: char| {
                found == '\u{212a}' || (found.is_numeric() && !found.is_ascii())
            }) || VIEWS_IN_RUSSIAN.iter().any(|start| unit.starts_with(start))
                || UNITS.iter().any(|word| match_word(unit.as_bytes(), 0, word).is_some()))
    } else if first.is_ascii_alphabetic() {
        let end = start.bytes().position(|byte| !byte.is_ascii_alphabetic());
        let (word, rest) = start.split_at(end.unwrap_or(start.len()));
        let starts_with = |begin: &&str| {
            word.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))
        };
        let second = rest.trim_start_matches(is_space).bytes().next().unwrap_or_default();
        // Letters of a word of the list, and those that Python takes for an s, a k or an i.
        rest.starts_with(['é', 'É', '\u{17f}', '\u{212a}', '\u{130}', '\u{131}'])
            || ["build", "commit", "rev"].iter().any(starts_with)
            || (is_one_of(word, &TIMED) && may_end_with_seconds(line))
            || ((is_one_of(word, &VOLATILE) || is_one_of(word, &STAMPS))
                && has_number_after_colon(rest))
            || (is_one_of(word, &["page", "seite"])
                && may_end_with_seconds(line)
                && (!second.is_ascii() || b"grle".contains(&second.to_ascii_lowercase())))
    } else {
        // A digit of another script, or a letter that Python takes for an s, a k or an i.
        !first.is_ascii()
            && (first.is_numeric()
                || matches!(first, '\u{17f}' | '\u{212a}' | '\u{130}' | '\u{131}'))
    };
    is_possible && line.chars().count() <= MAX_VOLATILE_LINE
}

/// Returns whether the last letter of a line may be that of a second.
fn may_end_with_seconds(line: &str) -> bool {
    let line = line.trim_end_matches(is_space);
    let last = line.strip_suffix('.').unwrap_or(line).chars().next_back();
    last.is_some_and(|last| {
        !last.is_ascii() || matches!(last.to_ascii_lowercase(), 's' | 'c' | 'd' | 'n')
    })
}

/// Returns whether a colon, and at most one space, is followed by what may be a digit.
fn has_number_after_colon(text: &str) -> bool {
    memchr::memchr_iter(b':', text.as_bytes()).any(|at| {
        let rest = text[at + 1..].trim_start_matches(is_space);
        rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || !byte.is_ascii())
    })
}

/// Words of a line with the time of a build, with their blanks, before the word that says so.
const STAMP_STARTS: [&[&str]; 4] = [
    &["this ", "the "],
    &["page ", "site ", "website ", "doc ", "docs ", "documentation "],
    &["was "],
    &["last "],
];

/// Returns whether a line is the time of a build: `Built on 21 November 2026 at 10:00:12 UTC`.
///
/// Lines with other letters than ASCII are none here.
pub(super) fn is_stamp(line: &str) -> bool {
    let mut words = String::new();
    push_words(line, &mut words);
    if !words.is_ascii() {
        return false;
    }
    let mut rest = &words[..];
    let after = |text: &str, word: &str| {
        let start = text.get(..word.len())?;
        start.eq_ignore_ascii_case(word).then_some(word.len())
    };
    for starts in STAMP_STARTS {
        let length = starts.iter().find_map(|word| after(rest, word));
        rest = &rest[length.unwrap_or(0)..];
    }
    let Some(length) = STAMPS.iter().find_map(|word| after(rest, word)) else { return false };
    let rest = &rest.as_bytes()[length..];
    if rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return false;
    }
    let is_end = |byte: &u8| matches!(byte, b'.' | b'!' | b'?');
    let first = rest.iter().position(is_end).unwrap_or(rest.len()).min(60);
    (0..=first).any(|at| {
        let hour = rest[at..].iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
        (1..=hour).filter_map(|length| minutes_end(rest, at + length)).any(|end| {
            [Some(end), minutes_end(rest, end)].into_iter().flatten().any(|end| {
                let tail = rest[end..].strip_suffix(b".").unwrap_or(&rest[end..]);
                tail.len() <= 40 && !tail.iter().any(is_end)
            })
        })
    })
}

/// Returns the end of a colon and two digits at an offset.
fn minutes_end(text: &[u8], at: usize) -> Option<usize> {
    let [b':', one, two, ..] = text.get(at..)? else { return None };
    (one.is_ascii_digit() && two.is_ascii_digit()).then_some(at + 3)
}

/// Returns a link without its volatile parts; None if it may have one that is not recognized here.
pub(super) fn plain_target<'l>(link: &'l str, origin: &str) -> Option<Cow<'l, str>> {
    let link = link.trim_matches(is_space);
    let starts_with =
        |word: &str| link.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts_with("data:") || starts_with("javascript:") {
        return Some(Cow::Borrowed(""));
    }
    if link.len() > MAX_LINK {
        return None;
    }
    let link = link.strip_prefix(origin).unwrap_or(link);
    let has_special = any(link.as_bytes(), |byte| matches!(byte, b'%' | b'?'));
    if has_special && !link.is_ascii() {
        return None;
    }
    let (path, query) = match memchr::memchr(b'?', link.as_bytes()).filter(|_| has_special) {
        Some(at) => (&link[..at], Some(&link[at + 1..])),
        None => (link, None),
    };
    if has_asset_name(path) && (query.is_some() || may_have_hash(path)) {
        return None;
    }
    let link = match query {
        Some(query) if query.split('&').any(may_be_session) => return None,
        Some(query) => match query.trim_end_matches('&').len() {
            0 => path,
            length => &link[..path.len() + 1 + length],
        },
        None => link,
    };
    Some(if has_special { unquoted(link) } else { Cow::Borrowed(link) })
}

/// Returns whether the name of an asset may have a hash, such as `app.3f9a1c.js`.
fn may_have_hash(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_separator = |at: usize| matches!(bytes.get(at), Some(b'.' | b'-' | b'_'));
    let is_in_hash = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !path.is_ascii() {
        return true;
    }
    for end in (bytes.len().saturating_sub(9)..bytes.len()).filter(|at| bytes[*at] == b'.') {
        let is_extension = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
        if end + 1 == bytes.len() || !bytes[end + 1..].iter().all(is_extension) {
            continue;
        }
        let length = bytes[..end].iter().rev().take_while(is_in_hash).count();
        let digits = bytes[end - length..end].iter().filter(|byte| byte.is_ascii_digit()).count();
        if (6..=64).contains(&length)
            && (1..length).contains(&digits)
            && is_separator((end - length).wrapping_sub(1))
        {
            return true;
        }
        let Some(word) = end.checked_sub(8).map(|start| &bytes[start..end]) else { continue };
        if is_separator(end.wrapping_sub(9))
            && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            && word.iter().any(u8::is_ascii_digit)
            && word.iter().any(u8::is_ascii_lowercase)
            && word.iter().any(u8::is_ascii_uppercase)
        {
            return true;
        }
    }
    false
}

/// Starts of the names of parameters that may be of a session.
const SESSIONS: [&str; 14] = [
    "nonce",
    "_wpnonce",
    "wpnonce",
    "_token",
    "token",
    "csrf",
    "authenticity_token",
    "sid",
    "phpsessid",
    "jsessionid",
    "sessionid",
    "utm_",
    "fbclid",
    "gclid",
];

fn may_be_session(parameter: &str) -> bool {
    SESSIONS.iter().any(|name| {
        parameter.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    })
}

/// Returns ASCII text without percent-encoding; bytes that are not UTF-8 become U+FFFD.
fn unquoted(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(mut at) = memchr::memchr(b'%', bytes) else { return Cow::Borrowed(text) };
    let mut target = Vec::with_capacity(text.len());
    let mut last = 0;
    loop {
        target.extend(&bytes[last..at]);
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        last = if let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) {
            target.extend(u8::try_from(high * 16 + low));
            at + 3
        } else {
            target.push(b'%');
            at + 1
        };
        match memchr::memchr(b'%', &bytes[last..]) {
            Some(offset) => at = last + offset,
            None => break,
        }
    }
    target.extend(&bytes[last..]);
    Cow::Owned(String::from_utf8_lossy(&target).into_owned())
}

/// Extensions of assets, which may have a hash in their names.
const ASSETS: [&str; 19] = [
    "avif", "bmp", "css", "gif", "ico", "jpg", "jpeg", "js", "mjs", "mp3", "mp4", "pdf", "png",
    "svg", "ttf", "webm", "webp", "woff", "woff2",
];

fn has_asset_name(link: &str) -> bool {
    let Some(dot) = memchr::memrchr(b'.', link.as_bytes()) else { return false };
    let extension = &link[dot + 1..];
    extension.len() <= 15 && (!extension.is_ascii() || is_one_of(extension, &ASSETS))
}

/// Returns whether a word is in a list of words in lower case.
fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}
