//! Images, links and news in their common form (see [`super`]).

use super::run::{EntryReader, EntryState};
use crate::columns::{Entries, Texts};
use crate::cursor::{Prefix, Slice};
use crate::search::Mode;

impl<'a> EntryReader<'a> {
    /// Reads an element that contains only text, with its end tag.
    fn leaf(&mut self, end_tag: &[u8]) -> Option<Option<Slice>> {
        let span = self.cursor.text_until(end_tag)?;
        let slice = self.cursor.value(span)?;
        Some(self.cursor.trimmed(slice))
    }

    /// Reads an element that contains only text into a column that has no value for the row yet.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the end tag is a constant at each call")]
    pub(super) fn field(&mut self, column: &mut Texts, row: usize, end_tag: &[u8]) -> Option<()> {
        if column.get(row).is_some() {
            return None;
        }
        let at = self.cursor.at;
        if let Some(Prefix { rest, length }) = self.cursor.plain_text(end_tag) {
            column.set_start(row, rest, length);
            return Some(());
        }
        self.cursor.at = at;
        // An empty element counts as the first of its name, so the tree has to read the entry.
        let slice = self.leaf(end_tag)??;
        column.set(row, self.cursor.get(slice));
        Some(())
    }

    /// Reads the content of an `image:image` element and its end tag.
    pub(super) fn image(&mut self, entries: &mut Entries) -> Option<()> {
        let image = entries.images.list.push(entries.row());
        let columns = &mut entries.images.items.fields;
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat(b"<image:loc>") {
                self.field(&mut columns[0], image, b"</image:loc>")?;
            } else if self.cursor.eat(b"<image:title>") {
                self.field(&mut columns[3], image, b"</image:title>")?;
            } else if self.cursor.eat(b"<image:caption>") {
                self.field(&mut columns[1], image, b"</image:caption>")?;
            } else if self.cursor.eat(b"<image:license>") {
                self.field(&mut columns[4], image, b"</image:license>")?;
            } else if self.cursor.eat(b"<image:geo_location>") {
                self.field(&mut columns[2], image, b"</image:geo_location>")?;
            } else {
                let is_well_nested = columns[0].get(image).is_some();
                return (self.cursor.eat(b"</image:image>") && is_well_nested).then_some(());
            }
        }
    }

    /// Reads the attributes of an `xhtml:link` element and the end of its tag.
    pub(super) fn link(&mut self, entries: &mut Entries) -> Option<()> {
        let at = self.cursor.at;
        if let Some([hreflang, href]) = self.plain_link() {
            let link = entries.alternates.list.push(entries.row());
            let columns = &mut entries.alternates.items.fields;
            columns[0].set_start(link, hreflang.rest, hreflang.length);
            columns[1].set_start(link, href.rest, href.length);
            return Some(());
        }
        self.cursor.at = at;
        if !self.cursor.tag_end()? {
            return None;
        }
        let cursor = &self.cursor;
        let is_alternate = cursor
            .attributes()
            .any(|(name, slice)| name == b"rel" && cursor.get(slice) == b"alternate");
        let has_empty = cursor.attributes().any(|(_, slice)| cursor.get(slice).is_empty());
        let [hreflang, href, media] =
            [&b"hreflang"[..], b"href", b"media"].map(|name| cursor.attribute(name));
        if !is_alternate || has_empty || href.is_none() || hreflang.or(media).is_none() {
            return None;
        }
        entries.alternates.push(entries.row(), [hreflang, href, media]);
        Some(())
    }

    /// Reads a link with the three common attributes in their usual order.
    #[inline]
    fn plain_link(&mut self) -> Option<[Prefix<'a>; 2]> {
        if !self.cursor.eat(b" rel=\"alternate\" hreflang=\"") {
            return None;
        }
        let hreflang = self.cursor.plain(Mode::Attribute, b"\" href=\"")?;
        let href = self.cursor.plain(Mode::Attribute, b"\"")?;
        (self.cursor.eat(b"/>") || self.cursor.eat(b" />")).then_some([hreflang, href])
    }

    /// Reads the content of a `news:news` element and its end tag.
    pub(super) fn news(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        if std::mem::replace(&mut state.has_news, true) {
            return None;
        }
        let row = entries.row();
        entries.news.set_present(row);
        let columns = &mut entries.news.items.fields;
        let mut has_publication = false;
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat(b"<news:publication>") {
                if std::mem::replace(&mut has_publication, true) {
                    return None;
                }
                self.publication(columns, row)?;
            } else if self.cursor.eat(b"<news:publication_date>") {
                self.field(&mut columns[4], row, b"</news:publication_date>")?;
            } else if self.cursor.eat(b"<news:title>") {
                self.field(&mut columns[5], row, b"</news:title>")?;
            } else if self.cursor.eat(b"<news:keywords>") {
                self.field(&mut columns[6], row, b"</news:keywords>")?;
            } else if self.cursor.eat(b"<news:genres>") {
                self.field(&mut columns[3], row, b"</news:genres>")?;
            } else if self.cursor.eat(b"<news:access>") {
                self.field(&mut columns[2], row, b"</news:access>")?;
            } else if self.cursor.eat(b"<news:stock_tickers>") {
                self.field(&mut columns[7], row, b"</news:stock_tickers>")?;
            } else {
                return self.cursor.eat(b"</news:news>").then_some(());
            }
        }
    }

    /// Reads the content of a `news:publication` element and its end tag.
    fn publication(&mut self, columns: &mut [Texts], row: usize) -> Option<()> {
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat(b"<news:name>") {
                self.field(&mut columns[0], row, b"</news:name>")?;
            } else if self.cursor.eat(b"<news:language>") {
                self.field(&mut columns[1], row, b"</news:language>")?;
            } else {
                return self.cursor.eat(b"</news:publication>").then_some(());
            }
        }
    }
}
