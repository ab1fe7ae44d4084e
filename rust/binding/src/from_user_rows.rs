//! Conversion of rows from user code to columns, for rows that need no conversion of values.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyFloat, PyList, PyString, PyTuple, PyType};
use urlset_core::columns::{
    ENTRY_FIELDS, Entries, PROTOCOL_TEXTS, Record, RecordList, TEXT_COLUMNS, Texts, Videos,
    entry_index, video_index,
};

use crate::columns::Columns;
use crate::object_cache::DatetimeCache;

type Object<'py> = Bound<'py, PyAny>;

/// Classes that rows and their values must have exactly.
struct Classes<'py> {
    entry: Bound<'py, PyType>,
    image: Bound<'py, PyType>,
    video: Bound<'py, PyType>,
    segment: Bound<'py, PyType>,
    price: Bound<'py, PyType>,
    tvshow: Bound<'py, PyType>,
    video_id: Bound<'py, PyType>,
    news: Bound<'py, PyType>,
    alternate: Bound<'py, PyType>,
    datetime: Bound<'py, PyType>,
    utc: Object<'py>,
}

/// Number of the rendered fields of an entry, which come first.
const RENDERED: usize = entry_index("source");

const LOC: usize = entry_index("loc");
const LASTMOD: usize = entry_index("lastmod");
const LASTMOD_TEXT: usize = entry_index("lastmod_text");
const CHANGEFREQ: usize = entry_index("changefreq");
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

/// Converts entries, dicts and URLs. A row that needs a conversion of values, or that may not be
/// written in any case, gets an empty URL.
///
/// `classes` contains the classes of [`Classes`] in order, then the time zone UTC.
#[pyfunction]
pub fn columns_from_user_rows(
    py: Python<'_>,
    rows: Bound<'_, PyList>,
    classes: Bound<'_, PyTuple>,
) -> PyResult<Columns> {
    let class = |number: usize| Ok::<_, PyErr>(classes.get_item(number)?.cast_into::<PyType>()?);
    let classes = Classes {
        entry: class(0)?,
        image: class(1)?,
        video: class(2)?,
        segment: class(3)?,
        price: class(4)?,
        tvshow: class(5)?,
        video_id: class(6)?,
        news: class(7)?,
        alternate: class(8)?,
        datetime: class(9)?,
        utc: classes.get_item(10)?,
    };
    let mut entries = Entries::default();
    let mut datetimes = DatetimeCache::new(py)?;
    for row in rows.iter() {
        if add(&mut entries, &row, &classes, &mut datetimes).is_err() {
            entries.rollback();
            entries.commit(b"");
        }
    }
    entries.close();
    Ok(Columns { entries: Arc::new(entries) })
}

fn not_plain<T>() -> PyResult<T> {
    Err(PyTypeError::new_err("expected a plain value"))
}

fn add(
    entries: &mut Entries,
    item: &Object<'_>,
    classes: &Classes<'_>,
    datetimes: &mut DatetimeCache,
) -> PyResult<()> {
    if let Ok(loc) = item.cast_exact::<PyString>() {
        entries.commit(loc.to_str()?.as_bytes());
        return Ok(());
    }
    if let Ok(dict) = item.cast_exact::<PyDict>() {
        return add_fields(entries, &fields_of(dict)?, classes, datetimes);
    }
    if !item.get_type().is(&classes.entry) {
        return not_plain();
    }
    let tuple = item.cast::<PyTuple>()?;
    let mut fields = [const { None }; RENDERED];
    for (field, value) in fields.iter_mut().zip(tuple.iter()) {
        *field = Some(value).filter(|value| !value.is_none());
    }
    add_fields(entries, &fields, classes, datetimes)
}

type Fields<'py> = [Option<Object<'py>>; RENDERED];

/// Returns the fields of a dict, which another thread cannot change meanwhile.
fn fields_of<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Fields<'py>> {
    with_critical_section(dict, || plain_fields(dict))
}

/// Returns the fields of a dict without unknown keys. `url` is an alias of `loc`.
fn plain_fields<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Fields<'py>> {
    let mut fields = [const { None }; RENDERED];
    let mut url = None;
    let mut has_loc = false;
    for (key, value) in dict.iter() {
        let key = key.cast_exact::<PyString>()?;
        let name = key.to_str()?;
        has_loc |= name == "loc";
        let value = Some(value).filter(|value| !value.is_none());
        match ENTRY_FIELDS[..RENDERED].iter().position(|field| *field == name) {
            Some(index) => fields[index] = value,
            None if name == "url" => url = value,
            None => return not_plain(),
        }
    }
    if !has_loc {
        fields[LOC] = url;
    }
    Ok(fields)
}

fn add_fields(
    entries: &mut Entries,
    fields: &Fields<'_>,
    classes: &Classes<'_>,
    datetimes: &mut DatetimeCache,
) -> PyResult<()> {
    let row = entries.row();
    let field = |index: usize| fields[index].as_ref();
    let mut extensions = TEXT_COLUMNS[PROTOCOL_TEXTS..].iter();
    if extensions.any(|column| field(column.index).is_some()) {
        return not_plain();
    }
    let dates = (field(LASTMOD), field(LASTMOD_TEXT));
    add_date(&mut entries.lastmod_text, row, dates, classes, datetimes)?;
    set(&mut entries.changefreq, row, field(CHANGEFREQ))?;
    if let Some(value) = field(PRIORITY) {
        entries.priority.set(row, value.cast_exact::<PyFloat>()?.value());
    }
    let is_given = |index: usize| field(index).is_some_and(|values| !is_empty_tuple(values));
    if field(NEWS).is_some() || [IMAGES, VIDEOS, ALTERNATES].into_iter().any(is_given) {
        add_extensions(entries, fields, classes)?;
    }
    let Some(loc) = field(LOC) else { return not_plain() };
    entries.commit(loc.cast_exact::<PyString>()?.to_str()?.as_bytes());
    Ok(())
}

/// Adds what most entries do not have.
#[inline(never)]
fn add_extensions(
    entries: &mut Entries,
    fields: &Fields<'_>,
    classes: &Classes<'_>,
) -> PyResult<()> {
    let row = entries.row();
    let field = |index: usize| fields[index].as_ref();
    add_list(&mut entries.images, row, field(IMAGES), &classes.image)?;
    add_list(&mut entries.alternates, row, field(ALTERNATES), &classes.alternate)?;
    for video in items(field(VIDEOS))? {
        add_video(&mut entries.videos, row, &video, classes)?;
    }
    if let Some(news) = field(NEWS) {
        entries.news.set_present(row);
        add_record(&mut entries.news.items, row, news, &classes.news)?;
    }
    Ok(())
}

/// Sets the text of a date: from a datetime in UTC, or a text for the same instant.
fn add_date(
    column: &mut Texts,
    row: usize,
    (lastmod, text): (Option<&Object<'_>>, Option<&Object<'_>>),
    classes: &Classes<'_>,
    datetimes: &mut DatetimeCache,
) -> PyResult<()> {
    let Some(lastmod) = lastmod else { return set(column, row, text) };
    if !lastmod.get_type().is(&classes.datetime)
        || !lastmod.getattr(pyo3::intern!(lastmod.py(), "tzinfo"))?.is(&classes.utc)
    {
        return not_plain();
    }
    let Some(text) = text else {
        let written = lastmod.call_method0(pyo3::intern!(lastmod.py(), "isoformat"))?;
        let written = written.cast::<PyString>()?.to_str()?;
        let Some(moment) = written.strip_suffix("+00:00") else { return not_plain() };
        column.set(row, [moment, "Z"].concat().as_bytes());
        return Ok(());
    };
    let stated = text.cast_exact::<PyString>()?.to_str()?;
    let instant = urlset_core::dates::w3c_instant(stated.as_bytes()).or_else(|| {
        let date = urlset_core::dates::parse_date(stated);
        date.instant.filter(|_| date.code.is_none())
    });
    let Some(instant) = instant else { return not_plain() };
    if !datetimes.get(lastmod.py(), instant)?.eq(lastmod)? {
        return not_plain();
    }
    column.set(row, stated.as_bytes());
    Ok(())
}

fn set(column: &mut Texts, row: usize, value: Option<&Object<'_>>) -> PyResult<()> {
    if let Some(value) = value {
        column.set(row, value.cast_exact::<PyString>()?.to_str()?.as_bytes());
    }
    Ok(())
}

/// Returns whether a value is the default of a list, which most entries have.
fn is_empty_tuple(value: &Object<'_>) -> bool {
    value.cast_exact::<PyTuple>().is_ok_and(PyTupleMethods::is_empty)
}

/// Returns the items of a list or a tuple. Other iterables fail, because they may be read only
/// once.
fn items<'py>(
    values: Option<&Object<'py>>,
) -> PyResult<impl Iterator<Item = Object<'py>> + use<'py>> {
    let tuple = match values {
        None => None,
        Some(values) => Some(match values.cast_exact::<PyTuple>() {
            Ok(tuple) => tuple.clone(),
            Err(_) => values.cast_exact::<PyList>()?.to_tuple(),
        }),
    };
    Ok(tuple.into_iter().flatten())
}

fn add_list<const N: usize>(
    column: &mut RecordList<N>,
    row: usize,
    values: Option<&Object<'_>>,
    class: &Bound<'_, PyType>,
) -> PyResult<()> {
    for value in items(values)? {
        let item = column.list.push(row);
        add_record(&mut column.items, item, &value, class)?;
    }
    Ok(())
}

fn add_record<const N: usize>(
    record: &mut Record<N>,
    row: usize,
    value: &Object<'_>,
    class: &Bound<'_, PyType>,
) -> PyResult<()> {
    for (texts, value) in record.fields.iter_mut().zip(fields_in(value, class)?.iter()) {
        set(texts, row, given(&value))?;
    }
    Ok(())
}

fn add_video(
    videos: &mut Videos,
    row: usize,
    value: &Object<'_>,
    classes: &Classes<'_>,
) -> PyResult<()> {
    let video = videos.list.push(row);
    let mut texts = videos.texts.fields.iter_mut();
    for (number, value) in fields_in(value, &classes.video)?.iter().enumerate() {
        let value = given(&value);
        match number {
            SEGMENTS => add_list(&mut videos.content_segments, video, value, &classes.segment)?,
            TAGS => {
                for tag in items(value)? {
                    let tag = tag.cast_exact::<PyString>()?;
                    videos.tags.push(video, tag.to_str()?.as_bytes());
                }
            }
            PRICES => add_list(&mut videos.prices, video, value, &classes.price)?,
            TVSHOW => {
                if let Some(show) = value {
                    videos.tvshow.set_present(video);
                    add_record(&mut videos.tvshow.items, video, show, &classes.tvshow)?;
                }
            }
            IDS => add_list(&mut videos.ids, video, value, &classes.video_id)?,
            _ => {
                if let Some(column) = texts.next() {
                    set(column, video, value)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the fields of an instance of exactly this class.
fn fields_in<'a, 'py>(
    value: &'a Object<'py>,
    class: &Bound<'py, PyType>,
) -> PyResult<&'a Bound<'py, PyTuple>> {
    if value.get_type().is(class) { Ok(value.cast::<PyTuple>()?) } else { not_plain() }
}

/// Returns a value that is not None.
fn given<'a, 'py>(value: &'a Object<'py>) -> Option<&'a Object<'py>> {
    Some(value).filter(|value| !value.is_none())
}
