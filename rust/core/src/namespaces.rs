//! Namespaces of sitemaps, their known misspellings, and the common prefixes.
//!
//! Note: `src/urlset/protocol.py` has the same numbers and URIs.

/// Namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are named after their namespaces")]
pub enum Ns {
    Other = 0,
    Core = 1,
    Image = 2,
    Video = 3,
    News = 4,
    Xhtml = 5,
    Mobile = 6,
    Baidu = 7,
    PageMap = 8,
    Geo = 9,
    CodeSearch = 10,
}

/// Namespaces with a canonical URI.
pub const NAMESPACES: [Ns; 10] = [
    Ns::Core,
    Ns::Image,
    Ns::Video,
    Ns::News,
    Ns::Xhtml,
    Ns::Mobile,
    Ns::Baidu,
    Ns::PageMap,
    Ns::Geo,
    Ns::CodeSearch,
];

/// Namespace of the protocol.
pub const SITEMAP_NS: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Namespace of the prefix `xml`, which needs no declaration.
pub const XML_NS: &str = "http://www.w3.org/XML/1998/namespace";

/// Returns the canonical URI of a namespace.
#[must_use]
pub fn uri_of(ns: Ns) -> Option<&'static str> {
    Some(match ns {
        Ns::Other => return None,
        Ns::Core => SITEMAP_NS,
        Ns::Image => "http://www.google.com/schemas/sitemap-image/1.1",
        Ns::Video => "http://www.google.com/schemas/sitemap-video/1.1",
        Ns::News => "http://www.google.com/schemas/sitemap-news/0.9",
        Ns::Xhtml => "http://www.w3.org/1999/xhtml",
        Ns::Mobile => "http://www.google.com/schemas/sitemap-mobile/1.0",
        Ns::Baidu => "http://www.baidu.com/schemas/sitemap-mobile/1/",
        Ns::PageMap => "http://www.google.com/schemas/sitemap-pagemap/1.0",
        Ns::Geo => "http://www.google.com/geo/schemas/sitemap/1.0",
        Ns::CodeSearch => "http://www.google.com/codesearch/schemas/sitemap/1.0",
    })
}

/// Returns the namespace of a canonical or misspelled URI.
#[must_use]
pub fn namespace(uri: &str) -> Ns {
    match uri {
        "http://www.sitemaps.org/schemas/sitemap/0.9"
        | "https://www.sitemaps.org/schemas/sitemap/0.9"
        | "http://www.sitemaps.org/schemas/sitemap/0.9/"
        | "https://www.sitemaps.org/schemas/sitemap/0.9/"
        | "//www.sitemaps.org/schemas/sitemap/0.9"
        | "http://sitemaps.org/schemas/sitemap/0.9"
        | "https://sitemaps.org/schemas/sitemap/0.9"
        | "http://www.google.com/schemas/sitemap/0.84"
        | "https://www.google.com/schemas/sitemap/0.84"
        | "http://www.google.com/schemas/sitemap/0.9"
        | "https://www.google.com/schemas/sitemap/0.9"
        | "http://www.google.com/schemas/sitemap/0.90"
        | "https://www.google.com/schemas/sitemap/0.90"
        | "http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
        | "http://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd" => Ns::Core,
        "http://www.google.com/schemas/sitemap-image/1.1"
        | "https://www.google.com/schemas/sitemap-image/1.1"
        | "http://www.google.com/schemas/sitemap-image/1.1/"
        | "https://www.google.com/schemas/sitemap-image/1.1/"
        | "http://www.sitemaps.org/schemas/sitemap-image/1.1" => Ns::Image,
        "http://www.google.com/schemas/sitemap-video/1.1"
        | "https://www.google.com/schemas/sitemap-video/1.1"
        | "http://www.google.com/schemas/sitemap-video/1.1/"
        | "https://www.google.com/schemas/sitemap-video/1.1/"
        | "http://www.sitemaps.org/schemas/sitemap-video/1.1"
        | "http://www.google.com/schemas/sitemap-video/1.0" => Ns::Video,
        "http://www.google.com/schemas/sitemap-news/0.9"
        | "https://www.google.com/schemas/sitemap-news/0.9"
        | "http://www.google.com/schemas/sitemap-news/0.9/"
        | "https://www.google.com/schemas/sitemap-news/0.9/"
        | "http://www.sitemaps.org/schemas/sitemap-news/0.9"
        | "http://www.google.com/schemas/sitemap-news/0.84" => Ns::News,
        "http://www.w3.org/1999/xhtml"
        | "http://www.w3.org/1999/xhtml/"
        | "https://www.w3.org/1999/xhtml"
        | "https://www.w3.org/1999/xhtml/"
        | "http://www.w3.org/TR/xhtml11/xhtml11_schema.html" => Ns::Xhtml,
        "http://www.google.com/schemas/sitemap-mobile/1.0"
        | "https://www.google.com/schemas/sitemap-mobile/1.0" => Ns::Mobile,
        "http://www.baidu.com/schemas/sitemap-mobile/1/"
        | "http://www.baidu.com/schemas/sitemap-mobile/1" => Ns::Baidu,
        "http://www.google.com/schemas/sitemap-pagemap/1.0"
        | "https://www.google.com/schemas/sitemap-pagemap/1.0" => Ns::PageMap,
        "http://www.google.com/geo/schemas/sitemap/1.0" => Ns::Geo,
        "http://www.google.com/codesearch/schemas/sitemap/1.0" => Ns::CodeSearch,
        _ => Ns::Other,
    }
}

/// Returns the namespace of a common prefix that a document does not declare.
#[must_use]
pub fn prefix_namespace(prefix: &[u8]) -> Ns {
    match prefix.to_ascii_lowercase().as_slice() {
        b"image" => Ns::Image,
        b"video" => Ns::Video,
        b"news" => Ns::News,
        b"xhtml" => Ns::Xhtml,
        b"mobile" => Ns::Mobile,
        b"pagemap" => Ns::PageMap,
        _ => Ns::Other,
    }
}
