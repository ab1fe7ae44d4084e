//! Conversion of rows from user code to columns, for rows that need little conversion of values.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use urlset_core::columns::{
    ALTERNATE_FIELDS, ENTRY_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS,
    PROTOCOL_TEXTS, Record, RecordList, SEGMENT_FIELDS, TEXT_COLUMNS, TVSHOW_FIELDS, VIDEO_FIELDS,
    Videos, entry_index, video_index,
};
use urlset_core::json;

use crate::columns::Columns;
use crate::user_values::{Values, not_plain, number_of, set};

type Object<'py> = Bound<'py, PyAny>;

/// Class of `urlset.model` whose instances, or dicts with its fields as keys, are records.
struct Kind<'py, const N: usize> {
    class: Bound<'py, PyType>,
    names: &'static [&'static str; N],
    /// The names as interned strings: the keys of most dicts are the same objects.
    keys: [Bound<'py, PyString>; N],
}

/// Classes that rows and their values must have exactly.
struct Classes<'py> {
    entry: Kind<'py, { ENTRY_FIELDS.len() }>,
    image: Kind<'py, { IMAGE_FIELDS.len() }>,
    video: Kind<'py, { VIDEO_FIELDS.len() }>,
    segment: Kind<'py, { SEGMENT_FIELDS.len() }>,
    price: Kind<'py, { PRICE_FIELDS.len() }>,
    tvshow: Kind<'py, { TVSHOW_FIELDS.len() }>,
    video_id: Kind<'py, { ID_FIELDS.len() }>,
    news: Kind<'py, { NEWS_FIELDS.len() }>,
    alternate: Kind<'py, { ALTERNATE_FIELDS.len() }>,
}

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

/// Converts entries, dicts and URLs. A row that needs another conversion of values, or that may not
/// be written in any case, gets an empty URL.
///
/// `classes` contains the classes of [`Classes`] in order, then `date`, `datetime` and the time
/// zone UTC.
#[pyfunction]
pub fn columns_from_user_rows(
    py: Python<'_>,
    rows: Bound<'_, PyList>,
    classes: Bound<'_, PyTuple>,
) -> PyResult<Columns> {
    let mut values = Values::new(py, [9, 10, 11].map(|number| classes.get_item(number)))?;
    let classes = Classes {
        entry: Kind::new(classes.get_item(0)?, &ENTRY_FIELDS)?,
        image: Kind::new(classes.get_item(1)?, &IMAGE_FIELDS)?,
        video: Kind::new(classes.get_item(2)?, &VIDEO_FIELDS)?,
        segment: Kind::new(classes.get_item(3)?, &SEGMENT_FIELDS)?,
        price: Kind::new(classes.get_item(4)?, &PRICE_FIELDS)?,
        tvshow: Kind::new(classes.get_item(5)?, &TVSHOW_FIELDS)?,
        video_id: Kind::new(classes.get_item(6)?, &ID_FIELDS)?,
        news: Kind::new(classes.get_item(7)?, &NEWS_FIELDS)?,
        alternate: Kind::new(classes.get_item(8)?, &ALTERNATE_FIELDS)?,
    };
    let mut entries = Entries::default();
    for row in rows.iter() {
        if add(&mut entries, &row, &classes, &mut values).is_err() {
            entries.rollback();
            entries.commit(b"");
        }
    }
    entries.close();
    Ok(Columns { entries: Arc::new(entries) })
}

type Fields<'py, const N: usize> = [Option<Object<'py>>; N];

impl<'py, const N: usize> Kind<'py, N> {
    fn new(class: Object<'py>, names: &'static [&'static str; N]) -> PyResult<Self> {
        let keys = names.map(|name| PyString::intern(class.py(), name));
        Ok(Self { class: class.cast_into()?, names, keys })
    }

    /// Returns the fields of an instance of exactly this class, or of a dict, without None.
    fn fields(&self, value: &Object<'py>) -> PyResult<Fields<'py, N>> {
        let mut fields = [const { None }; N];
        if value.get_type().is(&self.class) {
            for (field, value) in fields.iter_mut().zip(value.cast::<PyTuple>()?.iter()) {
                *field = given(value);
            }
            return Ok(fields);
        }
        self.read(value.cast_exact()?, &mut fields, |_, _| not_plain())?;
        Ok(fields)
    }

    /// Reads the fields from a dict, which another thread cannot change meanwhile. Calls `other`
    /// with each unknown key and its value.
    fn read(
        &self,
        dict: &Bound<'py, PyDict>,
        fields: &mut Fields<'py, N>,
        mut other: impl FnMut(&str, Object<'py>) -> PyResult<()>,
    ) -> PyResult<()> {
        with_critical_section(dict, || {
            for (key, value) in dict.iter() {
                let known = self.keys.iter().position(|name| name.is(&key));
                let known = known.map_or_else(|| self.index_of(&key), |known| Ok(Some(known)))?;
                match known {
                    Some(index) => fields[index] = given(value),
                    None => other(key.cast_exact::<PyString>()?.to_str()?, value)?,
                }
            }
            Ok(())
        })
    }

    /// Returns the index of a field by its name: a key that was computed is not interned.
    fn index_of(&self, key: &Object<'py>) -> PyResult<Option<usize>> {
        let key = key.cast_exact::<PyString>()?.to_str()?;
        Ok(self.names.iter().position(|name| *name == key))
    }
}

fn add<'py>(
    entries: &mut Entries,
    item: &Object<'py>,
    classes: &Classes<'py>,
    values: &mut Values<'py>,
) -> PyResult<()> {
    if let Ok(loc) = item.cast_exact::<PyString>() {
        entries.commit(loc.to_str()?.as_bytes());
        return Ok(());
    }
    let fields = match item.cast_exact::<PyDict>() {
        Ok(dict) => dict_fields(dict, &classes.entry)?,
        Err(_) => classes.entry.fields(item)?,
    };
    let row = entries.row();
    let field = |index: usize| fields[index].as_ref();
    let mut extensions = TEXT_COLUMNS[PROTOCOL_TEXTS..].iter();
    if extensions.any(|column| field(column.index).is_some()) {
        return not_plain();
    }
    let dates = (field(LASTMOD), field(LASTMOD_TEXT));
    values.set_lastmod(&mut entries.lastmod_text, row, dates)?;
    set(&mut entries.changefreq, row, field(CHANGEFREQ))?;
    if let Some(value) = field(PRIORITY) {
        entries.priority.set(row, number_of(value)?);
    }
    let is_given = |index: usize| field(index).is_some_and(|values| !is_empty_tuple(values));
    if field(NEWS).is_some() || [IMAGES, VIDEOS, ALTERNATES].into_iter().any(is_given) {
        add_extensions(entries, &fields, classes, values)?;
    }
    let Some(loc) = field(LOC) else { return not_plain() };
    entries.commit(loc.cast_exact::<PyString>()?.to_str()?.as_bytes());
    Ok(())
}

/// Returns the fields of a row. `url` is an alias of `loc`.
fn dict_fields<'py, const N: usize>(
    dict: &Bound<'py, PyDict>,
    entry: &Kind<'py, N>,
) -> PyResult<Fields<'py, N>> {
    let mut fields = [const { None }; N];
    let mut url = None;
    entry.read(dict, &mut fields, |key, value| {
        url = given(value);
        if key == "url" { Ok(()) } else { not_plain() }
    })?;
    // A `loc` of None has no alias: it is an error.
    if url.is_some() && !dict.contains(&entry.keys[LOC])? {
        fields[LOC] = url;
    }
    Ok(fields)
}

/// Adds what most entries do not have.
#[inline(never)]
fn add_extensions<'py>(
    entries: &mut Entries,
    fields: &Fields<'py, { ENTRY_FIELDS.len() }>,
    classes: &Classes<'py>,
    values: &mut Values<'py>,
) -> PyResult<()> {
    let row = entries.row();
    let field = |index: usize| fields[index].as_ref();
    match field(IMAGES) {
        Some(url) if is_url(url) => {
            let image = entries.images.list.push(row);
            set(&mut entries.images.items.fields[0], image, Some(url))?;
        }
        images => add_list(&mut entries.images, row, images, &classes.image, values)?,
    }
    add_list(&mut entries.alternates, row, field(ALTERNATES), &classes.alternate, values)?;
    for video in items(field(VIDEOS))? {
        add_video(&mut entries.videos, row, &video, classes, values)?;
    }
    if let Some(news) = field(NEWS) {
        entries.news.set_present(row);
        match news.cast_exact::<PyString>() {
            Ok(text) => {
                json::add_object(&mut entries.news.items, row, &NEWS_FIELDS, text.to_str()?)
                    .map_or_else(not_plain, Ok)?;
            }
            Err(_) => add_record(&mut entries.news.items, row, news, &classes.news, values)?,
        }
    }
    Ok(())
}

/// Returns whether a value is the URL of one image. Other texts are JSON.
fn is_url(value: &Object<'_>) -> bool {
    let text = value.cast_exact::<PyString>().ok().and_then(|text| text.to_str().ok());
    text.is_some_and(|text| text.starts_with("http"))
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

fn add_list<'py, const N: usize>(
    column: &mut RecordList<N>,
    row: usize,
    list: Option<&Object<'py>>,
    kind: &Kind<'py, N>,
    values: &mut Values<'py>,
) -> PyResult<()> {
    if let Some(text) = list.and_then(|list| list.cast_exact::<PyString>().ok()) {
        return json::add_list(column, row, kind.names, text.to_str()?).map_or_else(not_plain, Ok);
    }
    for value in items(list)? {
        let item = column.list.push(row);
        if kind.names[0] == "loc" && value.is_exact_instance_of::<PyString>() {
            set(&mut column.items.fields[0], item, Some(&value))?;
        } else {
            add_record(&mut column.items, item, &value, kind, values)?;
        }
    }
    Ok(())
}

fn add_record<'py, const N: usize>(
    record: &mut Record<N>,
    row: usize,
    value: &Object<'py>,
    kind: &Kind<'py, N>,
    values: &mut Values<'py>,
) -> PyResult<()> {
    for (texts, value) in record.fields.iter_mut().zip(kind.fields(value)?) {
        values.set_text(texts, row, value.as_ref())?;
    }
    Ok(())
}

fn add_video<'py>(
    videos: &mut Videos,
    row: usize,
    value: &Object<'py>,
    classes: &Classes<'py>,
    values: &mut Values<'py>,
) -> PyResult<()> {
    let fields = classes.video.fields(value)?;
    let video = videos.list.push(row);
    let mut texts = videos.texts.fields.iter_mut();
    for (number, value) in fields.iter().enumerate() {
        let value = value.as_ref();
        match number {
            SEGMENTS => {
                let segments = &mut videos.content_segments;
                add_list(segments, video, value, &classes.segment, values)?;
            }
            TAGS => {
                for tag in items(value)? {
                    let tag = tag.cast_exact::<PyString>()?;
                    videos.tags.push(video, tag.to_str()?.as_bytes());
                }
            }
            PRICES => add_list(&mut videos.prices, video, value, &classes.price, values)?,
            TVSHOW => {
                if let Some(show) = value {
                    videos.tvshow.set_present(video);
                    add_record(&mut videos.tvshow.items, video, show, &classes.tvshow, values)?;
                }
            }
            IDS => add_list(&mut videos.ids, video, value, &classes.video_id, values)?,
            _ => {
                if let Some(column) = texts.next() {
                    values.set_text(column, video, value)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns a value that is not None.
fn given(value: Object<'_>) -> Option<Object<'_>> {
    Some(value).filter(|value| !value.is_none())
}
