//! Fields of the records in entries: one list of names for each class of
//! `urlset.model`.
//!
//! Note: `src/urlset/fields.py` is the specification of these lists; a test compares them.

/// Fields of `urlset.model.Image`.
pub const IMAGE_FIELDS: [&str; 5] = ["loc", "caption", "geo_location", "title", "license"];

/// Fields of `urlset.model.Video`, in order.
pub const VIDEO_FIELDS: [&str; 29] = [
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
    "content_segments",
    "view_count",
    "publication_date",
    "tags",
    "category",
    "family_friendly",
    "restriction",
    "restriction_relationship",
    "gallery_loc",
    "gallery_loc_title",
    "prices",
    "requires_subscription",
    "uploader",
    "uploader_info",
    "tvshow",
    "platform",
    "platform_relationship",
    "live",
    "ids",
];

/// Fields of `urlset.model.Video` that hold a list or a structure.
pub const VIDEO_NESTED_FIELDS: [&str; 5] = ["content_segments", "tags", "prices", "tvshow", "ids"];

/// Fields of `urlset.model.Video` that hold a single text, in order.
pub const VIDEO_TEXT_FIELDS: [&str; 24] = {
    let mut names = [""; 24];
    let (mut index, mut text) = (0, 0);
    while index < VIDEO_FIELDS.len() {
        if position(&VIDEO_NESTED_FIELDS, VIDEO_FIELDS[index]).is_none() {
            names[text] = VIDEO_FIELDS[index];
            text += 1;
        }
        index += 1;
    }
    assert!(text == names.len());
    names
};

/// Index in [`VIDEO_FIELDS`] of each of [`VIDEO_TEXT_FIELDS`].
pub const VIDEO_TEXT_INDEXES: [usize; 24] = {
    let mut indexes = [0; 24];
    let mut text = 0;
    while text < indexes.len() {
        indexes[text] = video_index(VIDEO_TEXT_FIELDS[text]);
        text += 1;
    }
    indexes
};

/// Returns the index of a field of `urlset.model.Video`.
///
/// # Panics
///
/// There is no such field. In a constant this is a compile error.
#[must_use]
pub const fn video_index(name: &str) -> usize {
    index_of(&VIDEO_FIELDS, name)
}

/// Returns the index of one of [`VIDEO_TEXT_FIELDS`], which is also the number of its column.
///
/// # Panics
///
/// There is no such field. In a constant this is a compile error.
#[must_use]
pub const fn video_text(name: &str) -> usize {
    index_of(&VIDEO_TEXT_FIELDS, name)
}

/// Returns the index of a field of a record.
///
/// # Panics
///
/// There is no such field. In a constant this is a compile error.
#[must_use]
pub const fn field_index(names: &[&str], name: &str) -> usize {
    index_of(names, name)
}

/// Returns the index of a name.
pub(super) const fn index_of(names: &[&str], wanted: &str) -> usize {
    match position(names, wanted) {
        Some(index) => index,
        None => panic!("there is no field of this name"),
    }
}

const fn position(names: &[&str], wanted: &str) -> Option<usize> {
    let mut index = 0;
    while index < names.len() {
        if is_equal(names[index].as_bytes(), wanted.as_bytes()) {
            return Some(index);
        }
        index += 1;
    }
    None
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Fields of `urlset.model.ContentSegment`.
pub const SEGMENT_FIELDS: [&str; 2] = ["loc", "duration"];

/// Fields of `urlset.model.Price`.
pub const PRICE_FIELDS: [&str; 4] = ["value", "currency", "type", "resolution"];

/// Fields of `urlset.model.VideoId`.
pub const ID_FIELDS: [&str; 2] = ["value", "type"];

/// Fields of `urlset.model.TvShow`.
pub const TVSHOW_FIELDS: [&str; 6] = [
    "show_title",
    "video_type",
    "episode_title",
    "season_number",
    "episode_number",
    "premier_date",
];

/// Fields of `urlset.model.News`.
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

/// Fields of `urlset.model.Alternate`.
pub const ALTERNATE_FIELDS: [&str; 3] = ["hreflang", "href", "media"];
