//! Columns of entries: one for each field of `urlset.model.Entry`.

use super::fields::{
    ALTERNATE_FIELDS, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS, SEGMENT_FIELDS,
    TVSHOW_FIELDS, VIDEO_FIELDS, VIDEO_TEXT_FIELDS, index_of,
};
use super::list::List;
use super::numbers::{Floats, Instants};
use super::record::{OptionalRecord, Record, RecordList, TextList};
use super::reserve::reserve_times;
use super::texts::Texts;

/// Fields of `urlset.model.Entry`, in order.
pub const ENTRY_FIELDS: [&str; 13] = [
    "loc",
    "lastmod",
    "lastmod_text",
    "changefreq",
    "priority",
    "images",
    "videos",
    "news",
    "alternates",
    "extra",
    "source",
    "offset",
    "line",
];

/// Returns the index of a field of `urlset.model.Entry`.
///
/// # Panics
///
/// There is no such field. In a constant this is a compile error.
#[must_use]
pub const fn entry_index(name: &str) -> usize {
    index_of(&ENTRY_FIELDS, name)
}

/// Column of entries that holds texts.
#[derive(Clone, Copy, Debug)]
pub struct TextColumn {
    /// Name of the field.
    pub name: &'static str,
    /// Index of the field in [`ENTRY_FIELDS`].
    pub index: usize,
    /// Returns the column.
    pub get: fn(&Entries) -> &Texts,
    /// Returns the column to change.
    pub get_mut: fn(&mut Entries) -> &mut Texts,
}

macro_rules! text_columns {
    ($($name:ident)*) => {
        [$(TextColumn {
            name: stringify!($name),
            index: entry_index(stringify!($name)),
            get: |entries| &entries.$name,
            get_mut: |entries| &mut entries.$name,
        },)*]
    };
}

/// Columns of texts: first those of the protocol, then those of extensions.
pub const TEXT_COLUMNS: [TextColumn; 4] = text_columns![loc lastmod_text changefreq extra];

/// Number of the [`TEXT_COLUMNS`] that are elements of the protocol.
pub const PROTOCOL_TEXTS: usize = 3;

/// Fields of each class of `urlset.model` that rows of columns are converted to.
pub const FIELDS: [(&str, &[&str]); 9] = [
    ("Entry", &ENTRY_FIELDS),
    ("Image", &IMAGE_FIELDS),
    ("Video", &VIDEO_FIELDS),
    ("ContentSegment", &SEGMENT_FIELDS),
    ("Price", &PRICE_FIELDS),
    ("VideoId", &ID_FIELDS),
    ("TvShow", &TVSHOW_FIELDS),
    ("News", &NEWS_FIELDS),
    ("Alternate", &ALTERNATE_FIELDS),
];

/// Videos of all entries. The nested lists and structures use the number of the video as row.
#[derive(Clone, Debug, Default)]
pub struct Videos {
    /// Videos of each entry.
    pub list: List,
    /// Text fields, in the order of [`VIDEO_TEXT_FIELDS`].
    pub texts: Record<{ VIDEO_TEXT_FIELDS.len() }>,
    /// Segments of the content.
    pub content_segments: RecordList<{ SEGMENT_FIELDS.len() }>,
    /// Tags.
    pub tags: TextList,
    /// Prices.
    pub prices: RecordList<{ PRICE_FIELDS.len() }>,
    /// TV show that a video belongs to.
    pub tvshow: OptionalRecord<{ TVSHOW_FIELDS.len() }>,
    /// Identifiers.
    pub ids: RecordList<{ ID_FIELDS.len() }>,
}

impl Videos {
    fn append(&mut self, first: usize, other: &Self) {
        if let Some(video) = self.list.append(first, &other.list) {
            self.texts.append(video, &other.texts);
            self.content_segments.append(video, &other.content_segments);
            self.tags.append(video, &other.tags);
            self.prices.append(video, &other.prices);
            self.tvshow.append(video, &other.tvshow);
            self.ids.append(video, &other.ids);
        }
    }

    fn truncate(&mut self, rows: usize) {
        let videos = self.list.truncate(rows);
        self.truncate_items(videos);
    }

    fn truncate_items(&mut self, videos: usize) {
        self.texts.truncate(videos);
        self.content_segments.truncate(videos);
        self.tags.truncate(videos);
        self.prices.truncate(videos);
        self.tvshow.truncate(videos);
        self.ids.truncate(videos);
    }

    fn close(&mut self, rows: usize) {
        self.list.close(rows);
        let videos = self.list.items();
        self.texts.close(videos);
        self.content_segments.close(videos);
        self.tags.close(videos);
        self.prices.close(videos);
        self.tvshow.close(videos);
        self.ids.close(videos);
    }
}

/// Entries in columns.
///
/// To add a row, set its fields under the number [`Entries::row`], then call [`Entries::commit`] to
/// keep it or [`Entries::rollback`] to discard it.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// URLs.
    pub loc: Texts,
    /// Dates as instants.
    pub lastmod: Instants,
    /// Dates as written in the document.
    pub lastmod_text: Texts,
    /// Change frequencies.
    pub changefreq: Texts,
    /// Priorities.
    pub priority: Floats,
    /// Images, with the fields of [`IMAGE_FIELDS`].
    pub images: RecordList<{ IMAGE_FIELDS.len() }>,
    /// Videos.
    pub videos: Videos,
    /// News, with the fields of [`NEWS_FIELDS`].
    pub news: OptionalRecord<{ NEWS_FIELDS.len() }>,
    /// Alternates, with the fields of [`ALTERNATE_FIELDS`].
    pub alternates: RecordList<{ ALTERNATE_FIELDS.len() }>,
    /// Elements of other extensions, as XML.
    pub extra: Texts,
    /// Byte offset of each entry in the source.
    pub offset: Vec<u64>,
    /// Line of each entry.
    pub line: Vec<u32>,
    rows: usize,
}

impl Entries {
    /// Returns the number of committed rows, which is also the number of the current row.
    #[inline]
    #[must_use]
    pub fn row(&self) -> usize {
        self.rows
    }

    /// Sets the URL of the current row and commits it.
    #[inline]
    pub fn commit(&mut self, loc: &[u8]) {
        self.loc.set(self.rows, loc);
        self.rows += 1;
    }

    /// Commits the current row, whose URL is set, with the position of its entry.
    #[inline]
    pub fn commit_at(&mut self, offset: u64, line: u32) {
        self.rows += 1;
        self.offset.push(offset);
        self.line.push(line);
    }

    /// Commits several rows whose fields, including the URL, are set.
    pub fn commit_many(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Adds all rows of closed columns, in order.
    pub fn append(&mut self, other: &Self) {
        let first = self.rows;
        for column in TEXT_COLUMNS {
            (column.get_mut)(self).append(first, (column.get)(other));
        }
        self.lastmod.append(first, &other.lastmod);
        self.priority.append(first, &other.priority);
        self.images.append(first, &other.images);
        self.videos.append(first, &other.videos);
        self.news.append(first, &other.news);
        self.alternates.append(first, &other.alternates);
        self.offset.extend_from_slice(&other.offset);
        self.line.extend_from_slice(&other.line);
        self.rows += other.rows;
    }

    /// Discards the current row.
    pub fn rollback(&mut self) {
        let rows = self.rows;
        for column in TEXT_COLUMNS {
            (column.get_mut)(self).truncate(rows);
        }
        self.lastmod.truncate(rows);
        self.priority.truncate(rows);
        self.images.truncate(rows);
        self.videos.truncate(rows);
        self.news.truncate(rows);
        self.alternates.truncate(rows);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.rollback();
        self.offset.clear();
        self.line.clear();
    }

    /// Reserves space for `times` times the current content. Growth by doubling would copy all
    /// values about twice, into new memory each time.
    pub fn reserve_times(&mut self, times: usize) {
        let texts = [&mut self.loc, &mut self.lastmod_text, &mut self.changefreq];
        texts.into_iter().for_each(|texts| texts.reserve_times(times));
        self.lastmod.reserve_times(times);
        self.priority.reserve_times(times);
        reserve_times(&mut self.offset, times);
        reserve_times(&mut self.line, times);
        let lists = [&mut self.images.list, &mut self.videos.list, &mut self.alternates.list];
        lists.into_iter().for_each(|list| list.reserve_times(times));
        self.images.items.reserve_times(times);
        self.videos.texts.reserve_times(times);
        self.alternates.items.reserve_times(times);
    }

    /// Extends all columns to the number of rows. Columns without values may stay empty.
    pub fn close(&mut self) {
        let rows = self.rows;
        for column in TEXT_COLUMNS {
            (column.get_mut)(self).close(rows);
        }
        self.lastmod.close(rows);
        self.priority.close(rows);
        self.images.close(rows);
        self.videos.close(rows);
        self.news.close(rows);
        self.alternates.close(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollback_discards_all_fields_of_a_row() {
        let mut entries = Entries::default();
        entries.lastmod_text.set(0, b"2024");
        entries.images.push(0, [Some(b"a"), None, None, None, None]);
        entries.commit(b"http://a/");
        for _ in 0..2 {
            entries.lastmod_text.set(1, b"2025");
            entries.lastmod.set(1, 7);
            entries.images.push(1, [Some(b"b"), Some(b"c"), None, None, None]);
            let video = entries.videos.list.push(1);
            entries.videos.tags.push(video, b"t");
            entries.news.set_present(1);
            entries.rollback();
        }
        entries.commit(b"http://b/");
        entries.close();
        assert_eq!(entries.lastmod_text.get(0), Some(&b"2024"[..]));
        assert_eq!(entries.lastmod_text.get(1), None);
        assert_eq!(entries.lastmod.get(1), None);
        assert_eq!((entries.images.list.get(0), entries.images.list.get(1)), (0..1, 1..1));
        assert!(entries.images.items.fields[1].is_all_null());
        assert_eq!((entries.videos.list.items(), entries.videos.tags.list.items()), (0, 0));
        assert_eq!(entries.news.valid.count(), 0);
    }
}
