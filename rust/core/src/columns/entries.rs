//! The columns of entries: `urlset.model.Entry`, field by field.

use super::list::List;
use super::numbers::{Floats, Instants};
use super::record::{OptionalRecord, Record, RecordList, TextList};
use super::reserve::reserve_times;
use super::texts::Texts;

/// The fields of `urlset.model.Image`.
pub const IMAGE_FIELDS: [&str; 5] = ["loc", "caption", "geo_location", "title", "license"];

/// The fields of `urlset.model.Video` that are one text each, in order.
pub const VIDEO_FIELDS: [&str; 24] = [
    "thumbnail_loc",
    "title",
    "description",
    "content_loc",
    "player_loc",
    "player_loc_allow_embed",
    "player_loc_autoplay",
    "duration",
    "expiration_date",
    "rating",
    "view_count",
    "publication_date",
    "category",
    "family_friendly",
    "restriction",
    "restriction_relationship",
    "gallery_loc",
    "gallery_loc_title",
    "requires_subscription",
    "uploader",
    "uploader_info",
    "platform",
    "platform_relationship",
    "live",
];

/// The fields of `urlset.model.ContentSegment`.
pub const SEGMENT_FIELDS: [&str; 2] = ["loc", "duration"];

/// The fields of `urlset.model.Price`.
pub const PRICE_FIELDS: [&str; 4] = ["value", "currency", "type", "resolution"];

/// The fields of `urlset.model.VideoId`.
pub const ID_FIELDS: [&str; 2] = ["value", "type"];

/// The fields of `urlset.model.TvShow`.
pub const TVSHOW_FIELDS: [&str; 6] = [
    "show_title",
    "video_type",
    "episode_title",
    "season_number",
    "episode_number",
    "premier_date",
];

/// The fields of `urlset.model.News`.
pub const NEWS_FIELDS: [&str; 8] = [
    "name",
    "language",
    "access",
    "genres",
    "publication_date",
    "title",
    "keywords",
    "stock_tickers",
];

/// The fields of `urlset.model.Alternate`.
pub const ALTERNATE_FIELDS: [&str; 3] = ["hreflang", "href", "media"];

/// The videos of all entries; their lists and structures have the number of the video as row.
#[derive(Clone, Debug, Default)]
pub struct Videos {
    /// Which videos belong to which entry.
    pub list: List,
    /// The texts, in the order of [`VIDEO_FIELDS`].
    pub texts: Record<24>,
    /// The pieces of a video in pieces.
    pub content_segments: RecordList<2>,
    /// The tags.
    pub tags: TextList,
    /// The prices.
    pub prices: RecordList<4>,
    /// The show that a video belongs to.
    pub tvshow: OptionalRecord<6>,
    /// The identifiers.
    pub ids: RecordList<2>,
}

impl Videos {
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

/// Entries. The fields of the row that is being made are set with [`Entries::row`] as its
/// number; then [`Entries::commit`] or [`Entries::rollback`] ends it.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// The URLs.
    pub loc: Texts,
    /// The instants.
    pub lastmod: Instants,
    /// What stood there.
    pub lastmod_text: Texts,
    /// The words.
    pub changefreq: Texts,
    /// The numbers.
    pub priority: Floats,
    /// The images, in the order of [`IMAGE_FIELDS`].
    pub images: RecordList<5>,
    /// The videos.
    pub videos: Videos,
    /// The news, in the order of [`NEWS_FIELDS`].
    pub news: OptionalRecord<8>,
    /// The alternates, in the order of [`ALTERNATE_FIELDS`].
    pub alternates: RecordList<3>,
    /// Other extensions, as XML.
    pub extra: Texts,
    /// Where each entry begins, in bytes.
    pub offset: Vec<u64>,
    /// Where each entry begins, in lines.
    pub line: Vec<u32>,
    rows: usize,
}

impl Entries {
    /// How many entries there are; the number of the row that is being made.
    #[inline]
    #[must_use]
    pub fn row(&self) -> usize {
        self.rows
    }

    /// Ends the row that is being made.
    #[inline]
    pub fn commit(&mut self, loc: &[u8]) {
        self.loc.set(self.rows, loc);
        self.rows += 1;
    }

    /// Ends the row that is being made, whose URL is set, and says where its entry begins.
    #[inline]
    pub fn commit_at(&mut self, offset: u64, line: u32) {
        self.rows += 1;
        self.offset.push(offset);
        self.line.push(line);
    }

    /// Ends so many rows at once, whose fields are set, the URL among them.
    pub fn commit_many(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Forgets the row that is being made.
    pub fn rollback(&mut self) {
        let rows = self.rows;
        self.loc.truncate(rows);
        self.lastmod.truncate(rows);
        self.lastmod_text.truncate(rows);
        self.changefreq.truncate(rows);
        self.priority.truncate(rows);
        self.images.truncate(rows);
        self.videos.truncate(rows);
        self.news.truncate(rows);
        self.alternates.truncate(rows);
        self.extra.truncate(rows);
    }

    /// Makes room for so many times what there is. (To grow by doubling copies everything about
    /// twice, into memory that is new each time.)
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

    /// Makes all columns as long as there are entries; columns without a value may stay empty.
    pub fn close(&mut self) {
        let rows = self.rows;
        self.loc.close(rows);
        self.lastmod.close(rows);
        self.lastmod_text.close(rows);
        self.changefreq.close(rows);
        self.priority.close(rows);
        self.images.close(rows);
        self.videos.close(rows);
        self.news.close(rows);
        self.alternates.close(rows);
        self.extra.close(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_rolled_back_leaves_nothing() {
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
