//! Entries as columns, in the layout of Apache Arrow, cheap to fill row by row.
//!
//! A column that is rarely used costs nothing for the rows that leave it out: a row is given
//! with its number, and the ones missed before it are filled in then, or by [`Entries::close`].

mod entries;
mod primitive;
mod record;

pub use entries::{
    ALTERNATE_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS, SEGMENT_FIELDS,
    TVSHOW_FIELDS, VIDEO_FIELDS, Videos,
};
pub use primitive::{Bits, Floats, Instants, List, Texts};
pub use record::{OptionalRecord, Record, RecordList, TextList};
