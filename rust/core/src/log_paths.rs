//! Paths in access logs that are certainly pages without private data.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Words that may precede a secret.
const SECRET_WORDS: [&str; 12] = [
    "sess",
    "token",
    "reset",
    "verif",
    "confirm",
    "unsubscribe",
    "invit",
    "activat",
    "passw",
    "magic",
    "login",
    "optout",
];
/// Beginnings of parts of administration paths, of tokens and of telephone numbers.
const SUSPECT_BEGINNINGS: [&[u8]; 9] = [
    b"_",
    b"wp-",
    b"xmlrpc",
    b"cgi-bin",
    b"cdn-cgi",
    b"phpmyadmin",
    b"server-status",
    b"eyj",
    b"00",
];
/// Endings of pages.
const PAGE_ENDINGS: [&[u8]; 6] = [b"html", b"htm", b"php", b"asp", b"aspx", b"pdf"];

/// Length in bytes; longer URLs may be too long for a sitemap.
const MAX_PATH: usize = 512;
/// Number of digits, below that of a telephone number without separators.
const MAX_DIGITS: usize = 11;
/// Length in bytes of a part that may be a token if it has this many capitals.
const TOKEN: (usize, usize) = (16, 3);

static SECRET_FINDERS: LazyLock<[Finder<'_>; 12]> = LazyLock::new(|| SECRET_WORDS.map(Finder::new));

/// Returns whether the filter of targets certainly accepts a path as it is.
///
/// The filter is `urlset.sources.logs.privacy_filter`, and the caller asks it about all other
/// paths. The path has only bytes that need no further evaluation (see [`crate::logs`]).
pub fn is_surely_page(path: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    let has_pair = |first, is_second: fn(u8) -> bool| {
        lower.windows(2).any(|pair| pair[0] == first && is_second(pair[1]))
    };
    path.len() <= MAX_PATH
        && !path.iter().any(|byte| matches!(byte, b'&' | b'(' | b'+' | b':' | b'@' | b'~'))
        && !has_pair(b'/', |byte| matches!(byte, b'/' | b'.'))
        && !has_pair(b'.', |byte| byte.is_ascii_digit())
        && lower.split(|byte| !byte.is_ascii_digit()).all(|digits| digits.len() <= MAX_DIGITS)
        && SECRET_FINDERS.iter().all(|word| word.find(&lower).is_none())
        && lower.split(|&byte| byte == b'/').all(is_sure_part)
        && path.split(|&byte| byte == b'/').all(is_no_token)
        && is_page_name(lower.rsplit(|&byte| byte == b'/').next().unwrap_or_default())
}

fn is_sure_part(part: &[u8]) -> bool {
    let word = part.strip_prefix(b"my").unwrap_or(part);
    let word = word.strip_prefix(b"-").unwrap_or(word);
    !SUSPECT_BEGINNINGS.iter().any(|beginning| part.starts_with(beginning))
        && !is_number_word(word)
        && !word.strip_suffix(b"s").is_some_and(is_number_word)
}

/// Returns whether a word, without its plural, may precede the number of a person, an order or a
/// telephone.
fn is_number_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"account"
            | b"user"
            | b"member"
            | b"customer"
            | b"client"
            | b"patient"
            | b"profile"
            | b"person"
            | b"order"
            | b"invoice"
            | b"receipt"
            | b"booking"
            | b"reservation"
            | b"payment"
            | b"transaction"
            | b"basket"
            | b"cart"
            | b"checkout"
            | b"otp"
            | b"pin"
            | b"tel"
            | b"phone"
            | b"call"
            | b"sms"
            | b"ip"
            | b"u"
    )
}

fn is_no_token(part: &[u8]) -> bool {
    let (length, capitals) = TOKEN;
    part.len() < length || part.iter().filter(|byte| byte.is_ascii_uppercase()).count() < capitals
}

fn is_page_name(name: &[u8]) -> bool {
    let dot = name.iter().rposition(|&byte| byte == b'.');
    dot.is_none_or(|dot| PAGE_ENDINGS.contains(&&name[dot + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_paths_are_surely_pages() {
        for path in ["/", "/a/b", "/shop/red-lamp-12345", "/C/IndexPage.html", "/2026/11/news/"] {
            assert!(is_surely_page(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn suspect_paths_need_a_check() {
        for path in
            ["/a//b", "/.git", "/a.css", "/my-orders/7", "/lesson/reset/x", "/AbCdEfGhIjKlMnOp"]
        {
            assert!(!is_surely_page(path.as_bytes()), "{path}");
        }
    }
}
