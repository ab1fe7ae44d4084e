//! Resolution of relative references.

use std::borrow::Cow;

/// Components of a reference (RFC 3986 appendix B). `query` and `fragment` include their
/// delimiters.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

fn split(url: &str) -> Parts<'_> {
    let scheme = super::scheme(url);
    let rest = scheme.map_or(url, |scheme| &url[scheme.len() + 1..]);
    let (authority, rest) = match rest.strip_prefix("//") {
        Some(tail) => {
            let end = tail.find(['/', '?', '#']).unwrap_or(tail.len());
            (Some(&tail[..end]), &tail[end..])
        }
        None => (None, rest),
    };
    let (rest, fragment) = rest.split_at(rest.find('#').unwrap_or(rest.len()));
    let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    Parts { scheme, authority, path, query, fragment }
}

/// Resolves a reference against a base URL (RFC 3986 section 5.2).
#[must_use]
pub fn resolve(reference: &str, base: &str) -> String {
    let Parts { scheme, authority, path, mut query, fragment } = split(reference);
    let base = split(base);
    if scheme.is_some() {
        return reference.to_owned();
    }
    let mut path = Cow::Borrowed(path);
    if authority.is_none() {
        if path.is_empty() {
            path = Cow::Borrowed(base.path);
            query = if query.is_empty() { base.query } else { query };
        } else if path.starts_with('/') {
            path = Cow::Owned(without_dots(&path));
        } else {
            let folder = &base.path[..base.path.rfind('/').map_or(0, |slash| slash + 1)];
            let folder = if folder.is_empty() { "/" } else { folder };
            path = Cow::Owned(without_dots(&format!("{folder}{path}")));
        }
    }
    let authority = authority.or(base.authority);
    if authority.is_some() && !path.is_empty() && !path.starts_with('/') {
        path = Cow::Owned(format!("/{path}"));
    }
    let scheme = base.scheme.unwrap_or("None"); // as in Python
    format!("{scheme}://{}{path}{query}{fragment}", authority.unwrap_or_default())
}

/// Removes the dot segments of a path (RFC 3986 section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut segments = Vec::new();
    let mut last = "";
    for (number, segment) in path.split('/').enumerate() {
        last = segment;
        match segment {
            _ if number == 0 => {}
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    if matches!(last, "." | "..") {
        segments.push("");
    }
    format!("/{}", segments.join("/"))
}
