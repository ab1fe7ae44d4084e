//! Entries as columns, in the layout of Apache Arrow, cheap to fill row by row.
//!
//! A column that is rarely used costs nothing for the rows that leave it out: a row is given
//! with its number, and the ones missed before it are filled in then, or by [`Entries::close`].

mod bits;
mod entries;
mod list;
mod numbers;
mod record;
mod reserve;
mod texts;

pub use bits::Bits;
pub use entries::{
    ALTERNATE_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS, SEGMENT_FIELDS,
    TVSHOW_FIELDS, VIDEO_FIELDS, Videos,
};
pub use list::List;
pub use numbers::{Floats, Instants};
pub use record::{OptionalRecord, Record, RecordList, TextList};
pub use texts::Texts;
