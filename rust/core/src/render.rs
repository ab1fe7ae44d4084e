//! Entries written as the bytes of one document, which is full at whichever limit comes first.
//!
//! One entry a line, children in the order of the schema, the five escapes, and only those
//! namespaces declared that are used: the same entries give the same bytes.

use crate::columns::{Entries, IMAGE_FIELDS, NEWS_FIELDS, TVSHOW_FIELDS, VIDEO_FIELDS, Videos};
use crate::dates::{format_instant, parse_date};
use crate::namespaces::{Ns, SITEMAP_NS, uri_of};
use crate::packing::utf8;
use crate::values::escape;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const FOOTER: &str = "</urlset>\n";
const PREFIXES: [(Ns, &str); 4] =
    [(Ns::Image, "image"), (Ns::Video, "video"), (Ns::News, "news"), (Ns::Xhtml, "xhtml")];

/// One document being written.
pub struct Renderer {
    is_text: bool,
    max_urls: i64,
    max_bytes: i64,
    max_news: i64,
    count: i64,
    news: i64,
    /// Which of [`PREFIXES`] are used.
    used: [bool; 4],
    body: Vec<u8>,
}

impl Renderer {
    /// Begins a document: a list of URLs, or a `urlset`.
    #[must_use]
    pub fn new(is_text: bool, max_urls: i64, max_bytes: i64, max_news: i64) -> Self {
        let (count, news, used, body) = (0, 0, [false; 4], Vec::new());
        Self { is_text, max_urls, max_bytes, max_news, count, news, used, body }
    }

    /// The number of entries in the document.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Takes entries from `start` on until the document is full; gives where it stopped.
    ///
    /// The first entry is taken whatever its size: one that is over the limit by itself is for
    /// the caller to refuse.
    pub fn add(&mut self, entries: &Entries, start: usize) -> usize {
        let rows = entries.row().saturating_sub(start);
        let most = usize::try_from(self.max_bytes).unwrap_or(0).min(MAX_RESERVED);
        self.body.reserve((rows * USUAL_ENTRY).min(most.saturating_sub(self.body.len())));
        for row in start..entries.row() {
            let size = self.body.len();
            let mut used = self.used;
            let mut news = self.news;
            if self.is_text {
                self.body.extend_from_slice(entries.loc.get(row).unwrap_or_default());
                self.body.push(b'\n');
            } else {
                let has_news = entries.news.valid.get(row);
                used[0] |= !entries.images.list.get(row).is_empty();
                used[1] |= !entries.videos.list.get(row).is_empty();
                used[2] |= has_news;
                used[3] |= !entries.alternates.list.get(row).is_empty();
                news += i64::from(has_news);
                url(&mut self.body, entries, row);
            }
            let bytes = self.body.len() + self.frame(used);
            let is_full = self.count >= self.max_urls
                || news > self.max_news
                || i64::try_from(bytes).unwrap_or(i64::MAX) > self.max_bytes;
            if is_full && self.count > 0 {
                self.body.truncate(size);
                return row;
            }
            self.count += 1;
            (self.used, self.news) = (used, news);
        }
        entries.row()
    }

    /// The document: header, entries, footer.
    #[must_use]
    pub fn parts(&self) -> (String, &[u8], &'static str) {
        let (header, footer) =
            if self.is_text { (String::new(), "") } else { (header(self.used), FOOTER) };
        (header, &self.body, footer)
    }

    fn frame(&self, used: [bool; 4]) -> usize {
        if self.is_text {
            return 0;
        }
        let declarations: usize =
            declared(used).map(|(prefix, uri)| prefix.len() + uri.len() + 10).sum();
        let plain = "<urlset xmlns=\"\">\n".len() + SITEMAP_NS.len();
        DECLARATION.len() + plain + declarations + FOOTER.len()
    }
}

/// The prefixes that are used, and their namespaces.
fn declared(used: [bool; 4]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let pairs = PREFIXES.into_iter().zip(used).filter(|(_, used)| *used);
    pairs.map(|((ns, prefix), _)| (prefix, uri_of(ns).unwrap_or_default()))
}

fn header(used: [bool; 4]) -> String {
    let declarations = declared(used).map(|(prefix, uri)| format!(" xmlns:{prefix}=\"{uri}\""));
    let declarations: String = declarations.collect();
    format!("{DECLARATION}<urlset xmlns=\"{SITEMAP_NS}\"{declarations}>\n")
}

type Text<'b> = Option<&'b [u8]>;

/// Bytes that an entry mostly takes at least, and bytes that are set aside at most.
const USUAL_ENTRY: usize = 192;
const MAX_RESERVED: usize = 52_428_800;

/// The priorities that nearly everybody writes.
const TENTHS: [&[u8]; 11] =
    [b"0.0", b"0.1", b"0.2", b"0.3", b"0.4", b"0.5", b"0.6", b"0.7", b"0.8", b"0.9", b"1.0"];

fn url(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    out.extend_from_slice(b"<url><loc>");
    escape(entries.loc.get(row).unwrap_or_default(), false, out);
    out.extend_from_slice(b"</loc>");
    lastmod(out, entries, row);
    if let Some(word) = entries.changefreq.get(row) {
        wrapped(out, b"<changefreq>", word, b"</changefreq>");
    }
    if let Some(value) = entries.priority.get(row) {
        out.extend_from_slice(b"<priority>");
        match (0..11_u8).find(|tenth| (f64::from(*tenth) / 10.0).to_bits() == value.to_bits()) {
            Some(tenth) => out.extend_from_slice(TENTHS[usize::from(tenth)]),
            None => out.extend_from_slice(decimal(value).as_bytes()),
        }
        out.extend_from_slice(b"</priority>");
    }
    for image in entries.images.list.get(row) {
        out.extend_from_slice(b"<image:image>");
        for (name, texts) in IMAGE_FIELDS.iter().zip(&entries.images.items.fields) {
            element(out, "image:", name, texts.get(image), &[]);
        }
        out.extend_from_slice(b"</image:image>");
    }
    for number in entries.videos.list.get(row) {
        video(out, &entries.videos, number);
    }
    if entries.news.valid.get(row) {
        news(out, entries, row);
    }
    for alternate in entries.alternates.list.get(row) {
        let [hreflang, href, media] = &entries.alternates.items.fields;
        let attributes = [
            ("rel", Some(&b"alternate"[..])),
            ("hreflang", hreflang.get(alternate)),
            ("media", media.get(alternate)),
            ("href", href.get(alternate)),
        ];
        element(out, "xhtml:", "link", None, &attributes);
    }
    out.extend_from_slice(entries.extra.get(row).unwrap_or_default());
    out.extend_from_slice(b"</url>\n");
}

/// The text that stood there when it is a W3C date, else the instant in that form.
fn lastmod(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    let text = entries.lastmod_text.get(row);
    let (open, close) = (b"<lastmod>", b"</lastmod>");
    if let Some(text) = text.filter(|text| utf8(text).is_some_and(is_w3c)) {
        wrapped(out, open, text, close);
    } else if let Some(instant) = entries.lastmod.get(row) {
        wrapped(out, open, format_instant(instant).as_bytes(), close);
    }
}

/// A number as the schema wants it, without an exponent: the shortest that reads the same.
fn decimal(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific.to_lowercase(); // nan, inf
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let text = value.to_string();
        return if text.contains('.') { text } else { text + ".0" };
    }
    let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
    format!("0.{}{}", "0".repeat(zeros), mantissa.replace('.', ""))
}

fn is_w3c(text: &str) -> bool {
    parse_date(text).code.is_none()
}

fn wrapped(out: &mut Vec<u8>, open: &[u8], value: &[u8], close: &[u8]) {
    out.extend_from_slice(open);
    escape(value, false, out);
    out.extend_from_slice(close);
}

/// An element, unless it has neither text nor attributes.
fn element(
    out: &mut Vec<u8>,
    prefix: &str,
    name: &str,
    value: Text<'_>,
    attributes: &[(&str, Text<'_>)],
) {
    if value.is_none() && attributes.iter().all(|(_, text)| text.is_none()) {
        return;
    }
    out.push(b'<');
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(name.as_bytes());
    for (name, text) in attributes {
        let Some(text) = text else { continue };
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"=\"");
        escape(text, true, out);
        out.push(b'"');
    }
    let Some(value) = value else {
        out.extend_from_slice(b"/>");
        return;
    };
    out.push(b'>');
    escape(value, false, out);
    out.extend_from_slice(b"</");
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

fn news(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    let texts = &entries.news.items.fields;
    let field = |out: &mut Vec<u8>, number: usize| {
        element(out, "news:", NEWS_FIELDS[number], texts[number].get(row), &[]);
    };
    out.extend_from_slice(b"<news:news>");
    if texts[..2].iter().any(|text| text.get(row).is_some()) {
        out.extend_from_slice(b"<news:publication>");
        field(out, 0);
        field(out, 1);
        out.extend_from_slice(b"</news:publication>");
    }
    (2..8).for_each(|number| field(out, number));
    out.extend_from_slice(b"</news:news>");
}

fn video(out: &mut Vec<u8>, videos: &Videos, video: usize) {
    let get = |number: usize| videos.texts.fields[number].get(video);
    // A field, and those behind it that are its attributes.
    let field = |out: &mut Vec<u8>, number: usize, names: &[&str]| {
        let attributes: [_; 2] = std::array::from_fn(|place| {
            let name = names.get(place).copied().unwrap_or_default();
            (name, names.get(place).and_then(|_| get(number + 1 + place)))
        });
        element(out, "video:", VIDEO_FIELDS[number], get(number), &attributes);
    };
    let item = |out: &mut Vec<u8>, name: &str, text, attributes: &[_]| {
        element(out, "video:", name, text, attributes);
    };
    out.extend_from_slice(b"<video:video>");
    (0..4).for_each(|number| field(out, number, &[]));
    field(out, 4, &["allow_embed", "autoplay"]);
    (7..10).for_each(|number| field(out, number, &[]));
    for segment in videos.content_segments.list.get(video) {
        let [loc, duration] = &videos.content_segments.items.fields;
        let attributes = [("duration", duration.get(segment))];
        item(out, "content_segment_loc", loc.get(segment), &attributes);
    }
    (10..12).for_each(|number| field(out, number, &[]));
    for tag in videos.tags.list.get(video) {
        item(out, "tag", videos.tags.texts.get(tag), &[]);
    }
    (12..14).for_each(|number| field(out, number, &[]));
    field(out, 14, &["relationship"]);
    field(out, 16, &["title"]);
    for price in videos.prices.list.get(video) {
        let [value, currency, kind, resolution] = &videos.prices.items.fields;
        let attributes = [
            ("currency", currency.get(price)),
            ("type", kind.get(price)),
            ("resolution", resolution.get(price)),
        ];
        item(out, "price", value.get(price), &attributes);
    }
    field(out, 18, &[]);
    field(out, 19, &["info"]);
    if videos.tvshow.valid.get(video) {
        out.extend_from_slice(b"<video:tvshow>");
        for (name, texts) in TVSHOW_FIELDS.iter().zip(&videos.tvshow.items.fields) {
            item(out, name, texts.get(video), &[]);
        }
        out.extend_from_slice(b"</video:tvshow>");
    }
    field(out, 21, &["relationship"]);
    field(out, 23, &[]);
    for id in videos.ids.list.get(video) {
        let [value, kind] = &videos.ids.items.fields;
        item(out, "id", value.get(id), &[("type", kind.get(id))]);
    }
    out.extend_from_slice(b"</video:video>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_full_at_its_limits() {
        let mut entries = Entries::default();
        for loc in ["http://a/?a&b", "http://b/", "http://c/"] {
            entries.commit(loc.as_bytes());
        }
        let mut whole = Renderer::new(false, 9, 1 << 20, 9);
        assert_eq!(whole.add(&entries, 0), 3);
        let (header, body, footer) = whole.parts();
        let text = format!("{header}{}{footer}", utf8(body).unwrap());
        assert!(text.contains("<url><loc>http://a/?a&amp;b</loc></url>\n"), "{text}");
        assert!(text.ends_with("</urlset>\n"), "{text}");
        let size = i64::try_from(text.len()).unwrap();
        assert_eq!(Renderer::new(false, 9, size, 9).add(&entries, 0), 3);
        assert_eq!(Renderer::new(false, 9, size - 1, 9).add(&entries, 0), 2);
        assert_eq!(Renderer::new(false, 2, size, 9).add(&entries, 0), 2);
        assert_eq!(Renderer::new(false, 0, 0, 9).add(&entries, 1), 2);
    }

    #[test]
    fn numbers_are_written_without_an_exponent() {
        for (value, text) in [(0.8, "0.8"), (1.0, "1.0"), (1e-5, "0.00001"), (0.00012, "0.00012")] {
            assert_eq!(decimal(value), text);
        }
    }
}
