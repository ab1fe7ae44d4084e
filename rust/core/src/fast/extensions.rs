//! Images, links and news as nearly everybody writes them (see `fast`).

use super::{Fast, Seen};
use crate::columns::{Entries, Texts};
use crate::plain::{Piece, Start};
use crate::search::Look;

impl<'a> Fast<'a> {
    /// An element of text alone, up to its end tag.
    fn leaf(&mut self, end_tag: &[u8]) -> Option<Option<Piece>> {
        let span = self.scan.text_to(end_tag)?;
        let piece = self.scan.value(span)?;
        Some(self.scan.trimmed(piece))
    }

    /// An element of text alone, into a column that has nothing for the row yet.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the end tag is known where it is called")]
    pub(super) fn field(&mut self, column: &mut Texts, row: usize, end_tag: &[u8]) -> Option<()> {
        if column.get(row).is_some() {
            return None;
        }
        let at = self.scan.at;
        if let Some(Start { rest, length }) = self.scan.bare_text(end_tag) {
            column.set_start(row, rest, length);
            return Some(());
        }
        self.scan.at = at;
        // One that is empty counts as the first one, too; then another is for the tree.
        let piece = self.leaf(end_tag)??;
        column.set(row, self.scan.get(piece));
        Some(())
    }

    pub(super) fn image(&mut self, entries: &mut Entries) -> Option<()> {
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

    pub(super) fn link(&mut self, entries: &mut Entries) -> Option<()> {
        let at = self.scan.at;
        if let Some([hreflang, href]) = self.bare_link() {
            let link = entries.alternates.list.push(entries.row());
            let columns = &mut entries.alternates.items.fields;
            columns[0].set_start(link, hreflang.rest, hreflang.length);
            columns[1].set_start(link, href.rest, href.length);
            return Some(());
        }
        self.scan.at = at;
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

    /// A link with the three attributes that nearly all have, in their usual order.
    #[inline]
    fn bare_link(&mut self) -> Option<[Start<'a>; 2]> {
        if !self.scan.eat(b" rel=\"alternate\" hreflang=\"") {
            return None;
        }
        let hreflang = self.scan.bare(Look::Value, b"\" href=\"")?;
        let href = self.scan.bare(Look::Value, b"\"")?;
        (self.scan.eat(b"/>") || self.scan.eat(b" />")).then_some([hreflang, href])
    }

    pub(super) fn news(&mut self, entries: &mut Entries, seen: &mut Seen) -> Option<()> {
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
