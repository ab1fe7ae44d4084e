//! Whole entries as nearly everybody writes them, put into the columns without a tree.
//!
//! Whatever is unusual makes an entry fail here, without a trace; then the tree reads it. So
//! there is one answer to every question, and here only those that nobody would ask.

use crate::codes::{S019, S020};
use crate::columns::{Entries, Texts};
use crate::context::Context;
use crate::dates::{parse_date, w3c_instant};
use crate::names::Key;
use crate::namespaces::{Ns, uri_of};
use crate::plain::{Piece, Scan, Span};
use crate::sitemap::{changefreq_word, priority_value};
use crate::tree::Tree;
use crate::urls::{has_space, http_length, is_authority};
use crate::values::{Place, any, is_doubly_escaped};

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
    pub(crate) scan: Scan<'a>,
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
    loc: Option<Piece>,
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
        let loc = self.scan.get(seen.loc?);
        let images = entries.images.list.get(entries.row()).len();
        if self.scan.at - start > MAX_ENTRY || images > MAX_IMAGES {
            return None;
        }
        for (code, start, end) in seen.odd.into_iter().flatten() {
            marks.add(code, start, end, crate::context::utf8(&context.bytes[start..end]));
        }
        places.set_line(start, line);
        if entries.row() == SAMPLE {
            entries.expect(context.bytes.len() / (start + 1));
        }
        entries.commit_at(loc, places.source_offset(start), line);
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
                        self.loc(seen)?;
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

    fn loc(&mut self, seen: &mut Seen) -> Option<()> {
        let span = self.scan.text_to(b"</loc>")?;
        if seen.loc.is_some() || span.end - span.start >= MAX_LOC {
            return None;
        }
        let raw = self.scan.text.get(span.start..span.end)?;
        let is_odd =
            any(raw, |byte| (byte <= 0x20) | (byte > 0x7e) | (byte == b'&') | (byte == b']'));
        let plain = Piece::Text(span.start, span.end);
        let piece = if is_odd { self.scan.value(span)? } else { plain };
        let loc = self.scan.get(piece);
        if is_odd && simdutf8::basic::from_utf8(loc).is_ok_and(has_space) {
            return None;
        }
        if is_odd && is_doubly_escaped(loc) {
            return None;
        }
        let ends = |byte: Option<&u8>| byte.is_none_or(|b| matches!(b, b'/' | b'?' | b'#'));
        let is_known = !self.origin.is_empty()
            && loc.starts_with(&self.origin)
            && ends(loc.get(self.origin.len()));
        if !is_known {
            let scheme = http_length(loc);
            let rest = loc.get(scheme..).filter(|_| scheme > 0)?;
            let length = rest.iter().position(|byte| ends(Some(byte))).unwrap_or(rest.len());
            if !is_authority(simdutf8::basic::from_utf8(&rest[..length]).ok()?) {
                return None;
            }
            self.origin.clear();
            self.origin.extend_from_slice(&loc[..scheme + length]);
        }
        seen.loc = Some(piece);
        Some(())
    }

    /// The text of a value in which nothing is to be decoded and nothing to be trimmed.
    fn bare(&mut self, end_tag: &[u8]) -> Option<(usize, usize)> {
        let Span { start, end, .. } = self.scan.text_to(end_tag)?;
        let text = self.scan.text.get(start..end)?;
        let is_bare = text.iter().all(|byte| (0x20..0x7f).contains(byte) && *byte != b'&')
            && text.first().is_some_and(|byte| *byte != b' ')
            && text.last() != Some(&b' ')
            && memchr::memmem::find(text, b"]]>").is_none();
        is_bare.then_some((start, end))
    }

    fn lastmod(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
        if std::mem::replace(&mut seen.has_lastmod, true) {
            return None;
        }
        let row = entries.row();
        // The three lengths that nearly all have; a date has no "<" in it.
        for length in [10, 20, 25] {
            let Some(rest) = self.scan.rest().get(length..) else {
                break;
            };
            if rest.starts_with(b"</lastmod>") {
                let text = &self.scan.rest()[..length];
                let instant = if self.date.0 == text {
                    self.date.1
                } else if let Some(instant) = w3c_instant(text) {
                    self.date.0.clear();
                    self.date.0.extend_from_slice(text);
                    self.date.1 = instant;
                    instant
                } else {
                    break;
                };
                entries.lastmod_text.set_short(row, self.scan.rest(), length);
                entries.lastmod.set(row, instant);
                self.scan.at += length + b"</lastmod>".len();
                return Some(());
            }
        }
        let (start, end) = self.bare(b"</lastmod>")?;
        let text = &self.scan.text[start..end];
        let date = parse_date(crate::context::utf8(text));
        seen.odd[0] = date.code.map(|code| (code, start, end));
        entries.lastmod_text.set(row, text);
        if let Some(instant) = date.instant {
            entries.lastmod.set(row, instant);
        }
        Some(())
    }

    fn changefreq(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
        if std::mem::replace(&mut seen.has_changefreq, true) {
            return None;
        }
        let word = match self.scan.rest().first()? {
            b'd' => "daily",
            b'w' => "weekly",
            b'm' => "monthly",
            b'h' => "hourly",
            b'y' => "yearly",
            b'a' => "always",
            _ => "never",
        };
        let start = self.scan.at;
        if self.scan.eat(word.as_bytes()) && self.scan.eat(b"</changefreq>") {
            let (row, rest) = (entries.row(), &self.scan.text[start..]);
            entries.changefreq.set_short(row, rest, word.len());
            return Some(());
        }
        self.scan.at = start;
        let (start, end) = self.bare(b"</changefreq>")?;
        let text = &self.scan.text[start..end];
        let word = changefreq_word(text).map(str::as_bytes);
        if let Some(word) = word {
            entries.changefreq.set(entries.row(), word);
        }
        seen.odd[1] = (word != Some(text)).then_some((S019, start, end));
        Some(())
    }

    fn priority(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
        if std::mem::replace(&mut seen.has_priority, true) {
            return None;
        }
        if let [whole @ (b'0' | b'1'), b'.', digit @ b'0'..=b'9', rest @ ..] = self.scan.rest()
            && rest.starts_with(b"</priority>")
            && (*whole == b'0' || *digit == b'0')
        {
            let value = f64::from((whole - b'0') * 10 + (digit - b'0')) / 10.0;
            entries.priority.set(entries.row(), value);
            self.scan.at += 3 + b"</priority>".len();
            return Some(());
        }
        let (start, end) = self.bare(b"</priority>")?;
        let value = priority_value(crate::context::utf8(&self.scan.text[start..end]));
        match value {
            Some(value) => entries.priority.set(entries.row(), value),
            None => seen.odd[2] = Some((S020, start, end)),
        }
        Some(())
    }

    /// An element of text alone, up to its end tag.
    fn leaf(&mut self, end_tag: &[u8]) -> Option<Option<Piece>> {
        let span = self.scan.text_to(end_tag)?;
        let piece = self.scan.value(span)?;
        Some(self.scan.trimmed(piece))
    }

    /// An element of text alone, into a column that has nothing for the row yet.
    fn field(&mut self, column: &mut Texts, row: usize, end_tag: &[u8]) -> Option<()> {
        if column.get(row).is_some() {
            return None;
        }
        let at = self.scan.at;
        if let Some(text) = self.scan.bare_text(end_tag) {
            column.set(row, text);
            return Some(());
        }
        self.scan.at = at;
        // One that is empty counts as the first one, too; then another is for the tree.
        let piece = self.leaf(end_tag)??;
        column.set(row, self.scan.get(piece));
        Some(())
    }

    fn image(&mut self, entries: &mut Entries) -> Option<()> {
        let image = entries.images.list.push(entries.row());
        let columns = &mut entries.images.items.fields;
        loop {
            self.scan.skip_blanks();
            if self.scan.eat(b"<image:loc>") {
                self.field(&mut columns[0], image, b"</image:loc>")?;
            } else if self.scan.eat(b"<image:title>") {
                self.field(&mut columns[3], image, b"</image:title>")?;
            } else if self.scan.eat(b"<image:caption>") {
                self.field(&mut columns[1], image, b"</image:caption>")?;
            } else if self.scan.eat(b"<image:license>") {
                self.field(&mut columns[4], image, b"</image:license>")?;
            } else if self.scan.eat(b"<image:geo_location>") {
                self.field(&mut columns[2], image, b"</image:geo_location>")?;
            } else {
                let is_whole = columns[0].get(image).is_some();
                return (self.scan.eat(b"</image:image>") && is_whole).then_some(());
            }
        }
    }

    fn link(&mut self, entries: &mut Entries) -> Option<()> {
        if self.usual_link(entries).is_some() {
            return Some(());
        }
        if !self.scan.tag_end()? {
            return None;
        }
        let scan = &self.scan;
        let is_alternate = scan
            .attributes()
            .any(|(name, piece)| name == b"rel" && scan.get(piece) == b"alternate");
        let has_empty = scan.attributes().any(|(_, piece)| scan.get(piece).is_empty());
        let [hreflang, href, media] =
            [&b"hreflang"[..], b"href", b"media"].map(|name| scan.attribute(name));
        if !is_alternate || has_empty || href.is_none() || hreflang.or(media).is_none() {
            return None;
        }
        entries.alternates.push(entries.row(), [hreflang, href, media]);
        Some(())
    }

    /// A link with the three attributes that nearly all have, in their usual order; stays where
    /// it is for all others.
    fn usual_link(&mut self, entries: &mut Entries) -> Option<()> {
        let (at, made) = (self.scan.at, self.scan.made.len());
        let mut value = |before: &[u8]| {
            if !self.scan.eat(before) {
                return None;
            }
            let start = self.scan.at;
            let length = memchr::memchr2(b'"', b'<', self.scan.rest())?;
            self.scan.at += length;
            let end = start + length;
            let piece = self.scan.value(Span { place: Place::Attribute, start, end })?;
            self.scan.trimmed(piece)
        };
        let hreflang = value(b" rel=\"alternate\" hreflang=\"");
        let href = hreflang.and_then(|_| value(b"\" href=\""));
        if let (Some(hreflang), Some(href)) = (hreflang, href)
            && (self.scan.eat(b"\"/>") || self.scan.eat(b"\" />"))
        {
            let [hreflang, href] = [hreflang, href].map(|piece| self.scan.get(piece));
            entries.alternates.push(entries.row(), [Some(hreflang), Some(href), None]);
            return Some(());
        }
        self.scan.at = at;
        self.scan.made.truncate(made);
        None
    }

    fn news(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
        if std::mem::replace(&mut seen.has_news, true) {
            return None;
        }
        let row = entries.row();
        entries.news.begin(row);
        let columns = &mut entries.news.items.fields;
        let mut has_publication = false;
        loop {
            self.scan.skip_blanks();
            if self.scan.eat(b"<news:publication>") {
                if std::mem::replace(&mut has_publication, true) {
                    return None;
                }
                self.publication(columns, row)?;
            } else if self.scan.eat(b"<news:publication_date>") {
                self.field(&mut columns[4], row, b"</news:publication_date>")?;
            } else if self.scan.eat(b"<news:title>") {
                self.field(&mut columns[5], row, b"</news:title>")?;
            } else if self.scan.eat(b"<news:keywords>") {
                self.field(&mut columns[6], row, b"</news:keywords>")?;
            } else if self.scan.eat(b"<news:genres>") {
                self.field(&mut columns[3], row, b"</news:genres>")?;
            } else if self.scan.eat(b"<news:access>") {
                self.field(&mut columns[2], row, b"</news:access>")?;
            } else if self.scan.eat(b"<news:stock_tickers>") {
                self.field(&mut columns[7], row, b"</news:stock_tickers>")?;
            } else {
                return self.scan.eat(b"</news:news>").then_some(());
            }
        }
    }

    fn publication(&mut self, columns: &mut [Texts; 8], row: usize) -> Option<()> {
        loop {
            self.scan.skip_blanks();
            if self.scan.eat(b"<news:name>") {
                self.field(&mut columns[0], row, b"</news:name>")?;
            } else if self.scan.eat(b"<news:language>") {
                self.field(&mut columns[1], row, b"</news:language>")?;
            } else {
                return self.scan.eat(b"</news:publication>").then_some(());
            }
        }
    }
}
