//! Conversion of Python entries to columns.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use urlset_core::columns::{Entries, Record, RecordList, Texts};

use crate::columns::Columns;

type Object<'py> = Bound<'py, PyAny>;

/// Converts rows of `urlset.model.Entry`.
///
/// `format_date` is called with each lastmod whose text is missing or not a W3C date. Its result
/// becomes the text, so that the offset of a datetime is preserved.
#[pyfunction]
pub fn columns_from_rows(rows: Object<'_>, format_date: Object<'_>) -> PyResult<Columns> {
    let mut entries = Entries::default();
    for row in rows.try_iter()? {
        let row = row?.cast_into::<PyTuple>()?;
        let Ok::<[Object<'_>; 13], _>(fields) = row.iter().collect::<Vec<_>>().try_into() else {
            return Err(PyTypeError::new_err(format!("expected an Entry, found {row:?}")));
        };
        add_entry(&mut entries, &fields, &format_date)?;
    }
    entries.close();
    Ok(Columns { entries: Arc::new(entries) })
}

fn add_entry(
    entries: &mut Entries,
    fields: &[Object<'_>; 13],
    format_date: &Object<'_>,
) -> PyResult<()> {
    let [loc, lastmod, text, changefreq, priority, images, videos, news, alternates, extra, ..] =
        fields;
    let row = entries.row();
    set(&mut entries.lastmod_text, row, text)?;
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
    set(&mut entries.changefreq, row, changefreq)?;
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
    set(&mut entries.extra, row, extra)?;
    entries.commit(loc.cast::<PyString>()?.to_str()?.as_bytes());
    if entries.loc.get(row).is_none() {
        return Err(PyOverflowError::new_err("expected URLs of at most 2 GiB together"));
    }
    Ok(())
}

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
            10 => add_list(&mut videos.content_segments, video, &value)?,
            13 => {
                for tag in value.try_iter()? {
                    videos.tags.push(video, tag?.cast::<PyString>()?.to_str()?.as_bytes());
                }
            }
            20 => add_list(&mut videos.prices, video, &value)?,
            24 => {
                if !value.is_none() {
                    videos.tvshow.set_present(video);
                    add_record(&mut videos.tvshow.items, video, &value)?;
                }
            }
            28 => add_list(&mut videos.ids, video, &value)?,
            _ => {
                if let Some(column) = texts.next() {
                    set(column, video, &value)?;
                }
            }
        }
    }
    Ok(())
}
