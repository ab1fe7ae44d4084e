//! Whole entries as nearly everybody writes them, put into the columns without a tree.
//!
//! Whatever is unusual makes an entry fail here, without a trace; then the tree reads it. So
//! there is one answer to every question, and here only those that nobody would ask.

mod extensions;
mod values;
mod video;

use crate::columns::Entries;
use crate::context::{Context, utf8};
use crate::names::Key;
use crate::namespaces::{Ns, uri_of};
use crate::plain::Scan;
use crate::tree::Tree;

/// Bytes of an entry, at most; the caps on nodes and values are out of reach then.
const MAX_ENTRY: usize = 262_144;

/// A URL of this length or more is looked at by the tree, which counts its characters.
const MAX_LOC: usize = 2_048;

/// Entries after which it is guessed how many there will be.
const SAMPLE: usize = 1_024;

/// `image:image` in one `url`.
const MAX_IMAGES: usize = 1_000;

/// Reads plain entries of one root.
pub struct Fast<'a> {
    scan: Scan<'a>,
    has_image: bool,
    has_video: bool,
    has_news: bool,
    has_xhtml: bool,
    /// The scheme and the authority of the last URL: they are mostly those of the next one.
    origin: Vec<u8>,
    /// The last date that was in order, and its instant.
    date: (Vec<u8>, i64),
    /// Entries that failed, one after the other, and how many are left to the tree for that.
    failed: usize,
    left: usize,
}

/// What is known of an entry while it is read.
#[derive(Default)]
struct Seen {
    has_loc: bool,
    has_lastmod: bool,
    has_changefreq: bool,
    has_priority: bool,
    has_news: bool,
    /// A date, a word and a number that are odd.
    odd: [Option<(&'static str, usize, usize)>; 3],
}

impl<'a> Fast<'a> {
    /// Begins behind the start tag of a root; none where the root is not plain itself.
    pub fn new(context: &Context<'a>, tree: &Tree<'a>) -> Option<Self> {
        let root = tree.only_open()?;
        if root.name.raw != b"urlset" || root.name.key != Key::Urlset {
            return None;
        }
        let is_bound =
            |prefix: &[u8], ns| root.bindings.get(prefix).map(|uri| &**uri) == uri_of(ns);
        Some(Self {
            scan: Scan::new(context.bytes),
            has_image: is_bound(b"image", Ns::Image),
            has_video: is_bound(b"video", Ns::Video),
            has_news: is_bound(b"news", Ns::News),
            has_xhtml: is_bound(b"xhtml", Ns::Xhtml),
            origin: Vec::new(),
            date: (Vec::new(), 0),
            failed: 0,
            left: 0,
        })
    }

    /// Reads entries from `at` on, as long as they are plain; gives where to go on.
    pub fn read(&mut self, context: &mut Context<'a>, at: usize) -> usize {
        let mut end = at;
        self.scan.at = at;
        self.scan.skip_blanks();
        if !self.scan.rest().starts_with(b"<url>") {
            return at;
        }
        if self.left > 0 {
            self.left -= 1;
            return at;
        }
        self.scan.at = at;
        self.scan.lines = context.places.line(at);
        loop {
            self.scan.skip_blanks();
            let start = self.scan.at;
            let line = self.scan.lines;
            if !self.scan.eat(b"<url>") {
                return end;
            }
            let mut seen = Seen::default();
            self.scan.made.clear();
            let is_read = self.entry(&mut context.entries, &mut seen).is_some();
            if !is_read || self.commit(context, &seen, start, line).is_none() {
                context.entries.rollback();
                self.failed = (self.failed + 1).min(8);
                self.left = self.failed - 1;
                return end;
            }
            self.failed = 0;
            end = self.scan.at;
        }
    }

    fn commit(
        &self,
        context: &mut Context<'a>,
        seen: &Seen,
        start: usize,
        line: u32,
    ) -> Option<()> {
        let Context { entries, marks, places, .. } = context;
        let images = entries.images.list.get(entries.row()).len();
        if !seen.has_loc || self.scan.at - start > MAX_ENTRY || images > MAX_IMAGES {
            return None;
        }
        for (code, start, end) in seen.odd.into_iter().flatten() {
            marks.add(code, start, end, utf8(&context.bytes[start..end]));
        }
        places.set_line(start, line);
        if entries.row() == SAMPLE {
            entries.expect(context.bytes.len() / (start + 1));
        }
        entries.commit_at(places.source_offset(start), line);
        context.news_count += usize::from(seen.has_news);
        Some(())
    }

    /// The inside of a `url`, and its end tag.
    fn entry(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
        loop {
            self.scan.skip_blanks();
            let rest = self.scan.rest();
            match rest.get(1)? {
                b'l' => {
                    if self.scan.eat(b"<loc>") {
                        self.loc(entries, seen)?;
                    } else if self.scan.eat(b"<lastmod>") {
                        self.lastmod(entries, seen)?;
                    } else {
                        return None;
                    }
                }
                b'c' if self.scan.eat(b"<changefreq>") => self.changefreq(entries, seen)?,
                b'p' if self.scan.eat(b"<priority>") => self.priority(entries, seen)?,
                b'/' => return self.scan.eat(b"</url>").then_some(()),
                b'i' if self.has_image && self.scan.eat(b"<image:image>") => self.image(entries)?,
                b'x' if self.has_xhtml && self.scan.eat(b"<xhtml:link") => self.link(entries)?,
                b'v' if self.has_video && self.scan.eat(b"<video:video>") => self.video(entries)?,
                b'n' if self.has_news && self.scan.eat(b"<news:news>") => {
                    self.news(entries, seen)?;
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
    fn the_tree_would_say_the_same() {
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
            let marks = |parsed: &Parsed, shift| {
                let mark = |mark: &crate::Mark| (mark.code, mark.offset - shift, mark.end - shift);
                parsed.marks.iter().map(mark).collect::<Vec<_>>()
            };
            assert_eq!(marks(&fast, 0), marks(&tree, 1), "{inside}");
        }
    }

    #[test]
    fn what_fails_leaves_no_trace() {
        let good = "<url><loc>http://a/</loc></url>";
        let odd = "<url><loc>http://b/</loc><lastmod>2024</lastmod><odd/></url>";
        let parsed = read(&[good, odd, good].concat());
        assert_eq!(parsed.entries.row(), 3);
        assert_eq!(parsed.entries.loc.get(1), Some(&b"http://b/"[..]));
        assert_eq!((parsed.entries.lastmod.get(0), parsed.entries.lastmod.get(2)), (None, None));
        assert_eq!(parsed.marks.iter().map(|mark| mark.code).collect::<Vec<_>>(), ["S010"]);
    }
}
