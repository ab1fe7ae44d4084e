//! Conversion of Python entries to columns.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use urlset_core::columns::{
    ENTRY_FIELDS, Entries, Record, RecordList, TEXT_COLUMNS, Texts, entry_index, video_index,
};

use crate::columns::Columns;

type Object<'py> = Bound<'py, PyAny>;
type Fields<'py> = [Object<'py>; ENTRY_FIELDS.len()];

const LOC: usize = entry_index("loc");
const LASTMOD: usize = entry_index("lastmod");
const PRIORITY: usize = entry_index("priority");
const IMAGES: usize = entry_index("images");
const VIDEOS: usize = entry_index("videos");
const NEWS: usize = entry_index("news");
const ALTERNATES: usize = entry_index("alternates");

const SEGMENTS: usize = video_index("content_segments");
const TAGS: usize = video_index("tags");
const PRICES: usize = video_index("prices");
const TVSHOW: usize = video_index("tvshow");
const IDS: usize = video_index("ids");

/// Converts rows of `urlset.model.Entry`.
///
/// `format_date` is called with each lastmod whose text is missing or not a W3C date. Its result
/// becomes the text, so that the offset of a datetime is preserved.
#[pyfunction]
pub fn columns_from_rows(rows: Object<'_>, format_date: Object<'_>) -> PyResult<Columns> {
    let mut entries = Entries::default();
    for row in rows.try_iter()? {
        let row = row?.cast_into::<PyTuple>()?;
        if row.len() != ENTRY_FIELDS.len() {
            return Err(PyTypeError::new_err(format!("expected an Entry, found {row:?}")));
        }
        let mut values = row.iter();
        // Without a Vec, as there is one for each row.
        let fields: Fields<'_> = std::array::from_fn(|_| values.next().expect("checked above"));
        add_entry(&mut entries, &fields, &format_date)?;
    }
    entries.close();
    Ok(Columns { entries: Arc::new(entries) })
}

fn add_entry(entries: &mut Entries, fields: &Fields<'_>, format_date: &Object<'_>) -> PyResult<()> {
    let row = entries.row();
    for column in TEXT_COLUMNS.into_iter().filter(|column| column.index != LOC) {
        set((column.get_mut)(entries), row, &fields[column.index])?;
    }
    let lastmod = &fields[LASTMOD];
    if !lastmod.is_none() {
        let is_w3c = |text: &[u8]| {
            let text = urlset_core::utf8::utf8(text).unwrap_or_default();
            urlset_core::dates::parse_date(text).code.is_none()
        };
        if !entries.lastmod_text.get(row).is_some_and(is_w3c) {
            entries.lastmod_text.truncate(row);
            set(&mut entries.lastmod_text, row, &format_date.call1((lastmod,))?)?;
        }
    }
    let [priority, images, videos, news, alternates] =
        [PRIORITY, IMAGES, VIDEOS, NEWS, ALTERNATES].map(|index| &fields[index]);
    if !priority.is_none() {
        entries.priority.set(row, priority.extract()?);
    }
    if images.is_truthy()? {
        add_list(&mut entries.images, row, images)?;
    }
    if videos.is_truthy()? {
        for video in videos.try_iter()? {
            add_video(entries, row, &video?)?;
        }
    }
    if !news.is_none() {
        entries.news.set_present(row);
        add_record(&mut entries.news.items, row, news)?;
    }
    if alternates.is_truthy()? {
        add_list(&mut entries.alternates, row, alternates)?;
    }
    entries.commit(fields[LOC].cast::<PyString>()?.to_str()?.as_bytes());
    if entries.loc.get(row).is_none() {
        return Err(PyOverflowError::new_err("expected URLs of at most 2 GiB together"));
    }
    Ok(())
}

#[inline]
fn set(column: &mut Texts, row: usize, value: &Object<'_>) -> PyResult<()> {
    if !value.is_none() {
        column.set(row, value.cast::<PyString>()?.to_str()?.as_bytes());
    }
    Ok(())
}

fn add_record<const N: usize>(
    record: &mut Record<N>,
    row: usize,
    value: &Object<'_>,
) -> PyResult<()> {
    let values = value.cast::<PyTuple>()?;
    for (column, value) in record.fields.iter_mut().zip(values.iter()) {
        set(column, row, &value)?;
    }
    Ok(())
}

fn add_list<const N: usize>(
    column: &mut RecordList<N>,
    row: usize,
    values: &Object<'_>,
) -> PyResult<()> {
    for value in values.try_iter()? {
        let item = column.list.push(row);
        add_record(&mut column.items, item, &value?)?;
    }
    Ok(())
}

fn add_video(entries: &mut Entries, row: usize, value: &Object<'_>) -> PyResult<()> {
    let videos = &mut entries.videos;
    let video = videos.list.push(row);
    let values = value.cast::<PyTuple>()?;
    let mut texts = videos.texts.fields.iter_mut();
    for (number, value) in values.iter().enumerate() {
        match number {
            SEGMENTS => add_list(&mut videos.content_segments, video, &value)?,
            TAGS => {
                for tag in value.try_iter()? {
                    videos.tags.push(video, tag?.cast::<PyString>()?.to_str()?.as_bytes());
                }
            }
            PRICES => add_list(&mut videos.prices, video, &value)?,
            TVSHOW => {
                if !value.is_none() {
                    videos.tvshow.set_present(video);
                    add_record(&mut videos.tvshow.items, video, &value)?;
                }
            }
            IDS => add_list(&mut videos.ids, video, &value)?,
            _ => {
                if let Some(column) = texts.next() {
                    set(column, video, &value)?;
                }
            }
        }
    }
    Ok(())
}
