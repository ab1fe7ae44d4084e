//! Entries as columns in the layout of Apache Arrow, filled row by row.
//!
//! A sparse column costs nothing for rows without a value: values are set by row number, and
//! missing rows before them are filled in at that time or by [`Entries::close`].

mod bits;
mod entries;
mod fields;
mod list;
mod numbers;
mod record;
mod reserve;
mod texts;

pub use bits::Bits;
pub use entries::{
    ENTRY_FIELDS, Entries, FIELDS, PROTOCOL_TEXTS, TEXT_COLUMNS, TextColumn, Videos, entry_index,
};
pub use fields::{
    ALTERNATE_FIELDS, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS, SEGMENT_FIELDS,
    TVSHOW_FIELDS, VIDEO_FIELDS, VIDEO_TEXT_FIELDS, VIDEO_TEXT_INDEXES, field_index, video_index,
    video_text,
};
pub use list::List;
pub use numbers::{Floats, Instants};
pub use record::{OptionalRecord, Record, RecordList, TextList};
pub use texts::Texts;
