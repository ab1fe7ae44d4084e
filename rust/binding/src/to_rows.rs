//! Conversion of columns to Python entries, one at a time.

use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple, PyType};
use urlset_core::columns::{
    ALTERNATE_FIELDS, ENTRY_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, OptionalRecord,
    PRICE_FIELDS, Record, RecordList, SEGMENT_FIELDS, TEXT_COLUMNS, TVSHOW_FIELDS, VIDEO_FIELDS,
    VIDEO_TEXT_INDEXES, Videos, video_index,
};

use crate::object_cache::{DatetimeCache, FloatCache, NewTuple, Object, StringCache, TupleClass};

/// Iterator over the entries of columns. It creates one entry at a time: many at once would burden
/// the garbage collector and leave the processor cache before they are read.
#[pyclass(module = "urlset.engine._native")]
pub struct Rows {
    entries: Arc<Entries>,
    row: usize,
    entry: TupleClass,
    strings: StringCache,
    floats: FloatCache,
    datetimes: DatetimeCache,
}

impl Rows {
    pub fn new(
        py: Python<'_>,
        entries: Arc<Entries>,
        source: Option<Bound<'_, PyString>>,
    ) -> PyResult<Self> {
        let [none, empty] = [py.None().into_bound(py), PyTuple::empty(py).into_any()];
        let mut defaults = vec![none; ENTRY_FIELDS.len()];
        for index in [entry::IMAGES, entry::VIDEOS, entry::ALTERNATES] {
            defaults[index] = empty.clone();
        }
        if let Some(source) = source {
            defaults[entry::SOURCE] = source.into_any();
        }
        Ok(Self {
            entries,
            row: 0,
            entry: TupleClass::new(&class(py, "Entry")?, defaults)?,
            strings: StringCache::new(),
            floats: FloatCache::new(),
            datetimes: DatetimeCache::new(py)?,
        })
    }
}

/// Indexes of the fields of `urlset.model.Entry` that do not hold text.
mod entry {
    use urlset_core::columns::entry_index;

    pub const LASTMOD: usize = entry_index("lastmod");
    pub const PRIORITY: usize = entry_index("priority");
    pub const IMAGES: usize = entry_index("images");
    pub const VIDEOS: usize = entry_index("videos");
    pub const NEWS: usize = entry_index("news");
    pub const ALTERNATES: usize = entry_index("alternates");
    pub const SOURCE: usize = entry_index("source");
    pub const OFFSET: usize = entry_index("offset");
    pub const LINE: usize = entry_index("line");
}

/// Indexes of the fields of `urlset.model.Video` that do not hold text.
const SEGMENTS: usize = video_index("content_segments");
const TAGS: usize = video_index("tags");
const PRICES: usize = video_index("prices");
const TVSHOW: usize = video_index("tvshow");
const IDS: usize = video_index("ids");

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __length_hint__(&self) -> usize {
        self.entries.row() - self.row
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        let row = self.row;
        if row == self.entries.row() {
            return Ok(None);
        }
        self.row += 1;
        let Self { entries, strings, .. } = self;
        let models = Models::get(py)?;
        let tuple = self.entry.make(py)?;
        for column in &TEXT_COLUMNS {
            if let Some(text) = (column.get)(entries).get(row) {
                tuple.set(column.index, strings.get(py, text)?)?;
            }
        }
        if let Some(instant) = entries.lastmod.get(row) {
            tuple.set(entry::LASTMOD, self.datetimes.get(py, instant)?)?;
        }
        if let Some(number) = entries.priority.get(row) {
            tuple.set(entry::PRIORITY, self.floats.get(py, number)?)?;
        }
        records(py, &models.image, &entries.images, row, strings, (&tuple, entry::IMAGES))?;
        let videos = entries.videos.list.get(row);
        if !videos.is_empty() {
            let videos =
                tuple_of(py, videos, |number| video(py, models, &entries.videos, number, strings))?;
            tuple.set(entry::VIDEOS, videos)?;
        }
        optional(py, &models.news, &entries.news, row, strings, (&tuple, entry::NEWS))?;
        let alternates = &entries.alternates;
        records(py, &models.alternate, alternates, row, strings, (&tuple, entry::ALTERNATES))?;
        if let Some(offset) = entries.offset.get(row) {
            tuple.set(entry::OFFSET, offset.into_pyobject(py)?.into_any())?;
        }
        if let Some(line) = entries.line.get(row) {
            tuple.set(entry::LINE, line.into_pyobject(py)?.into_any())?;
        }
        Ok(Some(tuple.finish()))
    }
}

/// Factories of the other classes of `urlset.model`.
struct Models {
    image: TupleClass,
    video: TupleClass,
    news: TupleClass,
    alternate: TupleClass,
    segment: TupleClass,
    price: TupleClass,
    tvshow: TupleClass,
    id: TupleClass,
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("urlset.model")?.getattr(name)?.cast_into::<PyType>()?)
}

impl Models {
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static MODELS: PyOnceLock<Models> = PyOnceLock::new();
        MODELS.get_or_try_init(py, || {
            let none = py.None().into_bound(py);
            let texts = |name, count| TupleClass::new(&class(py, name)?, vec![none.clone(); count]);
            let mut video = vec![none.clone(); VIDEO_FIELDS.len()];
            for index in [SEGMENTS, TAGS, PRICES, IDS] {
                video[index] = PyTuple::empty(py).into_any();
            }
            Ok(Self {
                image: texts("Image", IMAGE_FIELDS.len())?,
                video: TupleClass::new(&class(py, "Video")?, video)?,
                news: texts("News", NEWS_FIELDS.len())?,
                alternate: texts("Alternate", ALTERNATE_FIELDS.len())?,
                segment: texts("ContentSegment", SEGMENT_FIELDS.len())?,
                price: texts("Price", PRICE_FIELDS.len())?,
                tvshow: texts("TvShow", TVSHOW_FIELDS.len())?,
                id: texts("VideoId", ID_FIELDS.len())?,
            })
        })
    }
}

/// Field of a tuple that is being created.
type Field<'m, 'py> = (&'m NewTuple<'py>, usize);

fn tuple_of<'py>(
    py: Python<'py>,
    items: Range<usize>,
    mut item: impl FnMut(usize) -> PyResult<Object<'py>>,
) -> PyResult<Object<'py>> {
    let tuple = NewTuple::tuple(py, items.len())?;
    for (index, number) in items.enumerate() {
        tuple.set(index, item(number)?)?;
    }
    Ok(tuple.finish())
}

fn record<'py, const N: usize>(
    py: Python<'py>,
    class: &TupleClass,
    record: &Record<N>,
    row: usize,
    strings: &mut StringCache,
) -> PyResult<Object<'py>> {
    let tuple = class.make(py)?;
    for (index, texts) in record.fields.iter().enumerate() {
        if let Some(text) = texts.get(row) {
            tuple.set(index, strings.get(py, text)?)?;
        }
    }
    Ok(tuple.finish())
}

fn records<'py, const N: usize>(
    py: Python<'py>,
    class: &TupleClass,
    column: &RecordList<N>,
    row: usize,
    strings: &mut StringCache,
    (tuple, index): Field<'_, 'py>,
) -> PyResult<()> {
    let items = column.list.get(row);
    if items.is_empty() {
        return Ok(());
    }
    let items = tuple_of(py, items, |item| record(py, class, &column.items, item, strings))?;
    tuple.set(index, items)
}

fn optional<'py, const N: usize>(
    py: Python<'py>,
    class: &TupleClass,
    column: &OptionalRecord<N>,
    row: usize,
    strings: &mut StringCache,
    (tuple, index): Field<'_, 'py>,
) -> PyResult<()> {
    if column.valid.get(row) {
        tuple.set(index, record(py, class, &column.items, row, strings)?)?;
    }
    Ok(())
}

fn video<'py>(
    py: Python<'py>,
    models: &Models,
    videos: &Videos,
    video: usize,
    strings: &mut StringCache,
) -> PyResult<Object<'py>> {
    let tuple = models.video.make(py)?;
    for (index, texts) in VIDEO_TEXT_INDEXES.into_iter().zip(&videos.texts.fields) {
        if let Some(text) = texts.get(video) {
            tuple.set(index, strings.get(py, text)?)?;
        }
    }
    let segments = &videos.content_segments;
    records(py, &models.segment, segments, video, strings, (&tuple, SEGMENTS))?;
    let tags = videos.tags.list.get(video);
    if !tags.is_empty() {
        let tag = |tag| strings.get(py, videos.tags.texts.get(tag).unwrap_or_default());
        tuple.set(TAGS, tuple_of(py, tags, tag)?)?;
    }
    records(py, &models.price, &videos.prices, video, strings, (&tuple, PRICES))?;
    optional(py, &models.tvshow, &videos.tvshow, video, strings, (&tuple, TVSHOW))?;
    records(py, &models.id, &videos.ids, video, strings, (&tuple, IDS))?;
    Ok(tuple.finish())
}
