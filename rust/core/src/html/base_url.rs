//! Base URL of a page that was visited, against which usual references are resolved.
//!
//! `UrlResolver` in `src/urlset/live/visits/page_urls.py` is the specification. It resolves all
//! other references.

use std::borrow::Cow;

/// Bytes of a URL; longer ones are left to the specification.
const MAX_URL: usize = 4_096;

/// URL of a page in its normal form, with only usual characters.
pub struct BaseUrl<'u> {
    url: &'u str,
    origin: &'u str,
    folder: &'u str,
}

impl<'u> BaseUrl<'u> {
    /// Returns the base for a URL, whose normalized origin is known; None if it is not usual.
    #[must_use]
    pub fn new(url: &'u str, origin: &str) -> Option<Self> {
        let path = url.strip_prefix(origin).filter(|path| !origin.is_empty() && is_path(path))?;
        let end =
            url.len() - path.len() + memchr::memchr(b'?', path.as_bytes()).unwrap_or(path.len());
        let slash = memchr::memrchr(b'/', &url.as_bytes()[..end])?;
        Some(Self { url, origin: &url[..url.len() - path.len()], folder: &url[..=slash] })
    }

    /// Returns the normal form of the URL of a usual reference; None for all others.
    #[must_use]
    pub fn resolve<'r>(&'r self, reference: &'r str) -> Option<Cow<'r, str>> {
        let end = memchr::memchr(b'#', reference.as_bytes()).unwrap_or(reference.len());
        if end == 0 {
            return Some(Cow::Borrowed(self.url));
        }
        self.resolve_path(&reference[..end])
    }

    /// Returns the same for a reference without a fragment, which is not empty.
    fn resolve_path<'r>(&'r self, reference: &'r str) -> Option<Cow<'r, str>> {
        let joined = if reference.starts_with('/') {
            is_path(reference).then_some([self.origin, reference])?
        } else if let Some(path) = reference.strip_prefix(self.origin) {
            return (is_path(path) && reference.len() <= MAX_URL)
                .then_some(Cow::Borrowed(reference));
        } else {
            let (folder, rest) = self.climb(reference);
            (rest.is_empty() || is_rest(rest.as_bytes())).then_some([folder, rest])?
        };
        let length = joined[0].len() + joined[1].len();
        (length <= MAX_URL).then(|| Cow::Owned(joined.concat()))
    }

    /// Returns the folder of a relative reference, and the reference without `./` and `../`.
    fn climb<'r>(&self, mut reference: &'r str) -> (&'u str, &'r str) {
        let mut folder = self.folder;
        loop {
            if let Some(rest) = reference.strip_prefix("../") {
                let above = memchr::memrchr(b'/', &folder.as_bytes()[..folder.len() - 1]);
                let end = above.map_or(0, |slash| slash + 1);
                folder = &folder[..end.max(self.origin.len() + 1)];
                reference = rest;
            } else if let Some(rest) = reference.strip_prefix("./") {
                reference = rest;
            } else {
                return (folder, reference);
            }
        }
    }

    /// Returns the URL of a reference in the head, of which an empty one is none.
    pub(super) fn resolve_in_head(&self, reference: &str) -> Option<String> {
        let reference = reference.split('#').next().filter(|path| !path.is_empty())?;
        self.resolve_path(reference).map(Cow::into_owned)
    }
}

fn is_path(path: &str) -> bool {
    path == "/" || path.strip_prefix('/').is_some_and(|rest| is_rest(rest.as_bytes()))
}

/// Returns whether a path without its first slash, and a query, have only usual characters, no
/// empty segment, and none that begins with a dot.
fn is_rest(text: &[u8]) -> bool {
    let end = memchr::memchr(b'?', text).unwrap_or(text.len());
    let (path, query) = text.split_at(end);
    let mut before = b'/';
    let is_usual = path.iter().all(|byte| {
        let is_begin = before == b'/';
        before = *byte;
        is_segment_byte(*byte) || (matches!(byte, b'.' | b'/') && !is_begin)
    });
    let is_query_byte = |byte: &u8| is_segment_byte(*byte) || matches!(byte, b'.' | b'/' | b'?');
    is_usual && !path.is_empty() && query.iter().all(is_query_byte)
}

fn is_segment_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'~' | b'!' | b'$' | b'&'..=b'-' | b';' | b'=' | b'@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(reference: &str) -> Option<String> {
        let base = BaseUrl::new("https://a.example/x/y/z?q", "https://a.example")?;
        base.resolve(reference).map(Cow::into_owned)
    }

    #[test]
    fn usual_references_are_resolved() {
        for (reference, url) in [
            ("b", "/x/y/b"),
            ("b/?c=/d#e", "/x/y/b/?c=/d"),
            ("/", "/"),
            ("/b.html", "/b.html"),
            ("#top", "/x/y/z?q"),
            ("", "/x/y/z?q"),
            ("./", "/x/y/"),
            ("../b", "/x/b"),
            ("../../../../b", "/b"),
            ("https://a.example/b", "/b"),
        ] {
            assert_eq!(resolved(reference), Some(format!("https://a.example{url}")), "{reference}");
        }
    }

    #[test]
    fn other_references_are_not() {
        for reference in [
            "mailto:b",
            "//b/",
            "a//b",
            "/.b",
            "b/../c",
            "..",
            ".",
            "?b",
            " b",
            "b c",
            "%7eb",
            "b\u{e9}",
            "https://a.example",
            "https://a.example.org/b",
            "HTTPS://a.example/b",
            "b?c:d",
            "a:b",
        ] {
            assert_eq!(resolved(reference), None, "{reference}");
        }
        assert_eq!(resolved(&"b".repeat(4_100)), None);
        assert!(BaseUrl::new("https://a.example/%7e", "https://a.example").is_none());
        assert!(BaseUrl::new("https://a.example", "https://a.example").is_none());
        assert!(BaseUrl::new("/b", "").is_none());
    }
}
