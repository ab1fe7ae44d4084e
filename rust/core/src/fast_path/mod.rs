//! Fast path: reads entries in their common form directly into the columns, without a tree.
//!
//! An entry with anything unusual fails here without side effects, and the tree reads it instead.
//! The tree remains the only implementation of all other cases.

mod extensions;
mod values;
mod video;

use crate::columns::Entries;
use crate::context::Context;
use crate::cursor::Cursor;
use crate::names::Key;
use crate::namespaces::{Ns, uri_of};
use crate::tree::Tree;
use crate::utf8::utf8_or_empty;

/// Maximum size of an entry in bytes. Entries below it cannot reach the limits on nodes and values.
const MAX_ENTRY_BYTES: usize = 262_144;

/// The tree reads URLs of this length in bytes or more, because it counts characters.
const MAX_LOC: usize = 2_048;

/// Number of entries after which the total is estimated.
const SAMPLE_ENTRIES: usize = 1_024;

/// Maximum number of images per entry.
const MAX_IMAGES: usize = 1_000;

/// Reader of common entries in one root element.
pub struct FastPath<'a> {
    cursor: Cursor<'a>,
    has_image: bool,
    has_video: bool,
    has_news: bool,
    has_xhtml: bool,
    /// Scheme and authority of the last URL, which the next URL usually shares.
    origin: Vec<u8>,
    /// Last valid date and its instant.
    date: (Vec<u8>, i64),
    /// Number of consecutive failed entries, and number of entries that the tree reads next because
    /// of them.
    failures: usize,
    skips: usize,
}

/// State of an entry that is being read.
#[derive(Default)]
struct EntryState {
    has_loc: bool,
    has_lastmod: bool,
    has_changefreq: bool,
    has_priority: bool,
    has_news: bool,
    /// Invalid lastmod, changefreq and priority: code, start, end.
    invalid: [Option<(&'static str, usize, usize)>; 3],
}

impl<'a> FastPath<'a> {
    /// Creates a reader positioned after the start tag of a root. Returns None for an unusual root
    /// element.
    pub fn new(context: &Context<'a>, tree: &Tree<'a>) -> Option<Self> {
        let root = tree.only_open()?;
        if root.name.raw != b"urlset" || root.name.key != Key::Urlset {
            return None;
        }
        let is_bound =
            |prefix: &[u8], ns| root.bindings.get(prefix).map(|uri| &**uri) == uri_of(ns);
        Some(Self {
            cursor: Cursor::new(context.bytes),
            has_image: is_bound(b"image", Ns::Image),
            has_video: is_bound(b"video", Ns::Video),
            has_news: is_bound(b"news", Ns::News),
            has_xhtml: is_bound(b"xhtml", Ns::Xhtml),
            origin: Vec::new(),
            date: (Vec::new(), 0),
            failures: 0,
            skips: 0,
        })
    }

    /// Reads common entries from `at` on. Returns the offset to continue at.
    pub fn read(&mut self, context: &mut Context<'a>, at: usize) -> usize {
        let mut end = at;
        self.cursor.at = at;
        self.cursor.skip_spaces();
        if !self.cursor.rest().starts_with(b"<url>") {
            return at;
        }
        if self.skips > 0 {
            self.skips -= 1;
            return at;
        }
        self.cursor.at = at;
        self.cursor.lines = context.positions.line(at);
        loop {
            self.cursor.skip_spaces();
            let start = self.cursor.at;
            let line = self.cursor.lines;
            if !self.cursor.eat(b"<url>") {
                return end;
            }
            let mut state = EntryState::default();
            self.cursor.decoded.clear();
            let is_read = self.entry(&mut context.entries, &mut state).is_some();
            if !is_read || self.commit(context, &state, start, line).is_none() {
                context.entries.rollback();
                self.failures = (self.failures + 1).min(8);
                self.skips = self.failures - 1;
                return end;
            }
            self.failures = 0;
            end = self.cursor.at;
        }
    }

    fn commit(
        &self,
        context: &mut Context<'a>,
        state: &EntryState,
        start: usize,
        line: u32,
    ) -> Option<()> {
        let Context { entries, diagnostics, positions, .. } = context;
        let images = entries.images.list.get(entries.row()).len();
        if !state.has_loc || self.cursor.at - start > MAX_ENTRY_BYTES || images > MAX_IMAGES {
            return None;
        }
        for (code, start, end) in state.invalid.into_iter().flatten() {
            diagnostics.add(code, start, end, utf8_or_empty(&context.bytes[start..end]));
        }
        positions.set_line(start, line);
        if entries.row() == SAMPLE_ENTRIES {
            entries.reserve_times(context.bytes.len() / (start + 1));
        }
        entries.commit_at(positions.source_offset(start), line);
        context.news_count += usize::from(state.has_news);
        Some(())
    }

    /// Reads the content of a `url` element and its end tag.
    fn entry(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        loop {
            self.cursor.skip_spaces();
            let rest = self.cursor.rest();
            match rest.get(1)? {
                b'l' => {
                    if self.cursor.eat(b"<loc>") {
                        self.loc(entries, state)?;
                    } else if self.cursor.eat(b"<lastmod>") {
                        self.lastmod(entries, state)?;
                    } else {
                        return None;
                    }
                }
                b'c' if self.cursor.eat(b"<changefreq>") => self.changefreq(entries, state)?,
                b'p' if self.cursor.eat(b"<priority>") => self.priority(entries, state)?,
                b'/' => return self.cursor.eat(b"</url>").then_some(()),
                b'i' if self.has_image && self.cursor.eat(b"<image:image>") => {
                    self.image(entries)?;
                }
                b'x' if self.has_xhtml && self.cursor.eat(b"<xhtml:link") => self.link(entries)?,
                b'v' if self.has_video && self.cursor.eat(b"<video:video>") => {
                    self.video(entries)?;
                }
                b'n' if self.has_news && self.cursor.eat(b"<news:news>") => {
                    self.news(entries, state)?;
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Parsed, parse};

    const ROOT: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
        xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\" \
        xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\" \
        xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">";

    fn read(entry: &str) -> Parsed {
        parse(&format!("{ROOT}\n{entry}</urlset>"), None, &[])
    }

    #[test]
    fn fast_path_and_tree_return_the_same() {
        for inside in [
            "<loc>http://a/?b&amp;c</loc><lastmod>2024-01-02</lastmod><changefreq>daily</changefreq>\
             <priority>0.8</priority>",
            "<lastmod>yesterday</lastmod><changefreq>Often</changefreq><priority>9</priority>\
             <loc><![CDATA[http://a/]]></loc>",
            "<loc>http://a/</loc>\n <image:image>\r\n<image:title> a ] é </image:title>\
             <image:loc>http://b/</image:loc></image:image>",
            "<loc>http://a/</loc><xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://b/\"/>\
             <xhtml:link href='http://c/' rel=\"alternate\" media=\"m\" />",
            "<loc>http://a/</loc><video:video><video:title>T</video:title><video:price \
             currency=\"EUR\">1</video:price><video:tvshow><video:show_title>S</video:show_title>\
             </video:tvshow></video:video>",
            "<loc>http://a/</loc><news:news><news:publication><news:name>N</news:name>\
             </news:publication><news:title>T</news:title></news:news>",
        ] {
            let [fast, tree] = ["<url>", "<url >"].map(|tag| read(&format!("{tag}{inside}</url>")));
            assert_eq!(format!("{:?}", fast.entries), format!("{:?}", tree.entries), "{inside}");
            let diagnostics = |parsed: &Parsed, shift| {
                let diagnostic = |diagnostic: &crate::Diagnostic| {
                    (diagnostic.code, diagnostic.offset - shift, diagnostic.end - shift)
                };
                parsed.diagnostics.iter().map(diagnostic).collect::<Vec<_>>()
            };
            assert_eq!(diagnostics(&fast, 0), diagnostics(&tree, 1), "{inside}");
        }
    }

    #[test]
    fn failed_entries_have_no_side_effects() {
        let good = "<url><loc>http://a/</loc></url>";
        let odd = "<url><loc>http://b/</loc><lastmod>2024</lastmod><odd/></url>";
        let parsed = read(&[good, odd, good].concat());
        assert_eq!(parsed.entries.row(), 3);
        assert_eq!(parsed.entries.loc.get(1), Some(&b"http://b/"[..]));
        assert_eq!((parsed.entries.lastmod.get(0), parsed.entries.lastmod.get(2)), (None, None));
        assert_eq!(
            parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
            ["S010"]
        );
    }
}
