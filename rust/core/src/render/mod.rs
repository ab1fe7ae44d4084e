//! Rendering of entries to a document with limits on entries, bytes and news.
//!
//! Each entry takes one line, with its children in the order of the schema and the five escapes of
//! sitemaps.org. Only used namespaces are declared. Equal entries give equal bytes.

mod element;
mod entry;
mod extensions;

use crate::columns::Entries;
use crate::escape::escape;
use crate::namespaces::{SITEMAP_NS, uri_of};
use crate::utf8::utf8;
use entry::url;
use extensions::EXTENSIONS;

/// XML declaration of a rendered document.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// End tag of the root element.
const FOOTER: &str = "</urlset>\n";

/// Whether each of [`EXTENSIONS`] is used.
type Used = [bool; EXTENSIONS.len()];

/// Document that is being rendered.
pub struct Renderer {
    is_text: bool,
    max_urls: i64,
    max_bytes: i64,
    max_news: i64,
    /// Lines before the root element.
    declaration: String,
    count: i64,
    news: i64,
    used: Used,
    /// Size of all but the body with the namespaces in `used`, in bytes.
    frame: usize,
    body: Vec<u8>,
}

impl Renderer {
    /// Creates a document: a list of URLs, or a `urlset` with an optional style sheet URL.
    #[must_use]
    pub fn new(
        is_text: bool,
        max_urls: i64,
        max_bytes: i64,
        max_news: i64,
        stylesheet: Option<&str>,
    ) -> Self {
        let declaration = declaration(stylesheet);
        let (count, news, used, body) = (0, 0, [false; EXTENSIONS.len()], Vec::new());
        let frame = if is_text { 0 } else { frame(&declaration, used) };
        Self { is_text, max_urls, max_bytes, max_news, declaration, count, news, used, frame, body }
    }

    /// Returns the number of entries in the document.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Adds the entries from `start` to `end` until the document is full. Returns the row where it
    /// stopped.
    ///
    /// The first entry is added whatever its size. The caller has to reject an entry that exceeds a
    /// limit by itself.
    pub fn add(&mut self, entries: &Entries, start: usize, end: usize) -> usize {
        let end = end.min(entries.row());
        let rows = end.saturating_sub(start);
        let most = usize::try_from(self.max_bytes).unwrap_or(0).min(MAX_RESERVED);
        let reserve = |body: &mut Vec<u8>, size: usize| {
            body.reserve(size.min(most.saturating_sub(body.len())));
        };
        let before = self.body.len();
        reserve(&mut self.body, rows.min(SAMPLE_ROWS) * USUAL_ENTRY);
        for row in start..end {
            let size = self.body.len();
            if row == start + SAMPLE_ROWS {
                // Growth by doubling would copy large entries, and touch more fresh memory.
                let usual = (size - before) / SAMPLE_ROWS;
                reserve(&mut self.body, (end - row).saturating_mul(usual + usual / 8));
            }
            let mut used = self.used;
            let mut news = self.news;
            if self.is_text {
                self.body.extend_from_slice(entries.loc.get(row).unwrap_or_default());
                self.body.push(b'\n');
            } else {
                let has_news = entries.news.valid.get(row);
                for (is_used, extension) in used.iter_mut().zip(&EXTENSIONS) {
                    *is_used |= (extension.is_used)(entries, row);
                }
                news += i64::from(has_news);
                url(&mut self.body, entries, row);
            }
            let frame = if used == self.used { self.frame } else { frame(&self.declaration, used) };
            let bytes = self.body.len() + frame;
            let is_full = self.count >= self.max_urls
                || news > self.max_news
                || i64::try_from(bytes).unwrap_or(i64::MAX) > self.max_bytes;
            if is_full && self.count > 0 {
                self.body.truncate(size);
                return row;
            }
            self.count += 1;
            (self.used, self.frame, self.news) = (used, frame, news);
        }
        end
    }

    /// Returns header, entries and footer of the document; after the XML declaration is `mark`,
    /// unless the document is text.
    #[must_use]
    pub fn parts(&self, mark: &str) -> (String, &[u8], &'static str) {
        let (header, footer) = if self.is_text {
            (String::new(), "")
        } else {
            let mut header = self.declaration.clone() + &root(self.used);
            header.insert_str(DECLARATION.len(), mark);
            (header, FOOTER)
        };
        (header, &self.body, footer)
    }

    /// Returns the bytes of the document with `mark` as in [`Self::parts`], in the memory of its
    /// entries: a copy of a large document takes as long as its rendering. The renderer has no
    /// entries then.
    pub fn take(&mut self, mark: &str) -> Vec<u8> {
        let (header, _, footer) = self.parts(mark);
        let mut data = std::mem::take(&mut self.body);
        let (start, length) = (header.len(), data.len());
        data.reserve_exact(start + footer.len());
        data.resize(start + length, 0);
        data.copy_within(..length, start);
        data[..start].copy_from_slice(header.as_bytes());
        data.extend_from_slice(footer.as_bytes());
        data
    }
}

/// Returns the size of the lines around the entries, in bytes.
fn frame(declaration: &str, used: Used) -> usize {
    let declarations: usize =
        declared(used).map(|(prefix, uri)| prefix.len() + uri.len() + 10).sum();
    declaration.len()
        + "<urlset xmlns=\"\">\n".len()
        + SITEMAP_NS.len()
        + declarations
        + FOOTER.len()
}

/// Returns the used prefixes with their namespaces.
fn declared(used: Used) -> impl Iterator<Item = (&'static str, &'static str)> {
    let pairs = EXTENSIONS.into_iter().zip(used).filter(|(_, used)| *used);
    pairs.map(|(extension, _)| (extension.prefix, uri_of(extension.ns).unwrap_or_default()))
}

/// Returns the lines before the root. The URL is escaped as in an attribute, so that a `?>` in it
/// cannot end the instruction.
fn declaration(stylesheet: Option<&str>) -> String {
    let Some(address) = stylesheet else { return DECLARATION.to_owned() };
    let mut href = Vec::new();
    escape(address.as_bytes(), true, &mut href);
    let href = utf8(&href).unwrap_or_default();
    format!("{DECLARATION}<?xml-stylesheet type=\"text/css\" href=\"{href}\"?>\n")
}

fn root(used: Used) -> String {
    let declarations = declared(used).map(|(prefix, uri)| format!(" xmlns:{prefix}=\"{uri}\""));
    let declarations: String = declarations.collect();
    format!("<urlset xmlns=\"{SITEMAP_NS}\"{declarations}>\n")
}

/// Typical minimum size of an entry, and maximum reservation, in bytes.
const USUAL_ENTRY: usize = 192;
/// Entries after which the size of the others is estimated.
const SAMPLE_ROWS: usize = 250;
const MAX_RESERVED: usize = 52_428_800;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_full_at_its_limits() {
        let mut entries = Entries::default();
        for loc in ["http://a/?a&b", "http://b/", "http://c/"] {
            entries.commit(loc.as_bytes());
        }
        let mut renderer = Renderer::new(false, 9, 1 << 20, 9, None);
        assert_eq!(renderer.add(&entries, 0, 9), 3);
        let (header, body, footer) = renderer.parts("");
        let text = format!("{header}{}{footer}", utf8(body).unwrap());
        assert!(text.contains("<url><loc>http://a/?a&amp;b</loc></url>\n"), "{text}");
        assert!(text.ends_with("</urlset>\n"), "{text}");
        let size = i64::try_from(text.len()).unwrap();
        assert_eq!(Renderer::new(false, 9, size, 9, None).add(&entries, 0, 3), 3);
        assert_eq!(Renderer::new(false, 9, size - 1, 9, None).add(&entries, 0, 3), 2);
        assert_eq!(Renderer::new(false, 2, size, 9, None).add(&entries, 0, 3), 2);
        assert_eq!(Renderer::new(false, 0, 0, 9, None).add(&entries, 1, 3), 2);
        assert_eq!(Renderer::new(false, 9, size, 9, None).add(&entries, 0, 2), 2);
        assert_eq!(utf8(&renderer.take("")).unwrap(), text);
    }
}
