//! Columns as lists of Python values, for `zip`.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};
use urlset_core::columns::{Entries, List, OptionalRecord, RecordList, Texts, Videos};

type Object<'py> = Bound<'py, PyAny>;

/// The fields of some rows: values for each field but the source, to be had by iteration. What
/// no row has is repeated without end.
pub fn lists<'py>(
    py: Python<'py>,
    entries: &Entries,
    rows: Range<usize>,
) -> PyResult<Vec<Object<'py>>> {
    let models = Models::get(py)?;
    let none = py.None().into_bound(py);
    let empty = PyTuple::empty(py).into_any();
    let repeat = py.import("itertools")?.getattr("repeat")?;
    let text = |texts: &Texts| {
        if texts.is_blank() {
            return repeat.call1((&none,));
        }
        let values = rows.clone().map(|row| text_or(py, texts, row, &none));
        Ok(PyList::new(py, values)?.into_any())
    };
    let items = |column: &List, item: &dyn Fn(usize) -> PyResult<Object<'py>>| {
        if column.items() == 0 { repeat.call1((&empty,)) } else { list(py, rows.clone(), item) }
    };
    Ok(vec![
        text(&entries.loc)?,
        lastmods(py, entries, rows.clone(), &none)?,
        text(&entries.lastmod_text)?,
        repeated(py, &entries.changefreq, rows.clone(), &none)?,
        priorities(py, entries, rows.clone(), &none)?,
        items(&entries.images.list, &|row| {
            records(py, &entries.images, row, models.image.bind(py), &empty)
        })?,
        items(&entries.videos.list, &|row| videos(py, &entries.videos, row, models, &empty))?,
        if entries.news.valid.count() == 0 {
            repeat.call1((&none,))?
        } else {
            list(py, rows.clone(), |row| {
                record(py, &entries.news, row, models.news.bind(py), &none)
            })?
        },
        items(&entries.alternates.list, &|row| {
            records(py, &entries.alternates, row, models.alternate.bind(py), &empty)
        })?,
        text(&entries.extra)?,
        PyList::new(py, entries.offset.get(rows.clone()).unwrap_or_default())?.into_any(),
        PyList::new(py, entries.line.get(rows).unwrap_or_default())?.into_any(),
    ])
}

fn list<'py>(
    py: Python<'py>,
    rows: Range<usize>,
    value: impl FnMut(usize) -> PyResult<Object<'py>>,
) -> PyResult<Object<'py>> {
    Ok(PyList::new(py, rows.map(value).collect::<PyResult<Vec<_>>>()?)?.into_any())
}

fn text_or<'py>(py: Python<'py>, texts: &Texts, row: usize, none: &Object<'py>) -> Object<'py> {
    match texts.get(row) {
        Some(text) => string(py, text).into_any(),
        None => none.clone(),
    }
}

fn string<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyString> {
    PyString::new(py, urlset_core::packing::utf8(text).unwrap_or_default())
}

/// A column whose values are few: the same string is used again.
fn repeated<'py>(
    py: Python<'py>,
    texts: &Texts,
    rows: Range<usize>,
    none: &Object<'py>,
) -> PyResult<Object<'py>> {
    let mut last: Option<(&[u8], Object<'py>)> = None;
    list(py, rows, |row| {
        let Some(text) = texts.get(row) else {
            return Ok(none.clone());
        };
        if let Some((_, value)) = last.as_ref().filter(|(known, _)| *known == text) {
            return Ok(value.clone());
        }
        let value = string(py, text).into_any();
        last = Some((text, value.clone()));
        Ok(value)
    })
}

fn priorities<'py>(
    py: Python<'py>,
    entries: &Entries,
    rows: Range<usize>,
    none: &Object<'py>,
) -> PyResult<Object<'py>> {
    let mut last: Option<(u64, Object<'py>)> = None;
    list(py, rows, |row| {
        let Some(number) = entries.priority.get(row) else {
            return Ok(none.clone());
        };
        let bits = number.to_bits();
        if let Some((_, value)) = last.as_ref().filter(|(known, _)| *known == bits) {
            return Ok(value.clone());
        }
        let value = number.into_pyobject(py)?.into_any();
        last = Some((bits, value.clone()));
        Ok(value)
    })
}

fn lastmods<'py>(
    py: Python<'py>,
    entries: &Entries,
    rows: Range<usize>,
    none: &Object<'py>,
) -> PyResult<Object<'py>> {
    let instants = Instants::new(py)?;
    let mut last: Option<(i64, Object<'py>)> = None;
    list(py, rows, |row| {
        let Some(instant) = entries.lastmod.get(row) else {
            return Ok(none.clone());
        };
        if let Some((_, value)) = last.as_ref().filter(|(known, _)| *known == instant) {
            return Ok(value.clone());
        }
        let value = instants.make(py, instant)?;
        last = Some((instant, value.clone()));
        Ok(value)
    })
}

/// Makes aware datetimes.
pub struct Instants<'py> {
    datetime: Object<'py>,
    utc: Object<'py>,
}

impl<'py> Instants<'py> {
    /// Finds the class.
    pub fn new(py: Python<'py>) -> PyResult<Self> {
        let module = py.import("datetime")?;
        Ok(Self { datetime: module.getattr("datetime")?, utc: module.getattr("UTC")? })
    }

    /// Makes the datetime of an instant of the years 1 to 9999.
    ///
    /// By the ten bytes that a datetime is pickled as: 60 ns, where seven numbers take 160
    /// (Python 3.11).
    pub fn make(&self, py: Python<'py>, instant: i64) -> PyResult<Object<'py>> {
        let state = urlset_core::dates::fields(instant);
        self.datetime.call1((PyBytes::new(py, &state), &self.utc))
    }
}

/// The classes of `urlset.model`.
struct Models {
    image: Py<PyType>,
    video: Py<PyType>,
    news: Py<PyType>,
    alternate: Py<PyType>,
    segment: Py<PyType>,
    price: Py<PyType>,
    tvshow: Py<PyType>,
    id: Py<PyType>,
}

impl Models {
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static MODELS: PyOnceLock<Models> = PyOnceLock::new();
        MODELS.get_or_try_init(py, || {
            let module = py.import("urlset.model")?;
            let class = |name| -> PyResult<Py<PyType>> {
                Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
            };
            Ok(Self {
                image: class("Image")?,
                video: class("Video")?,
                news: class("News")?,
                alternate: class("Alternate")?,
                segment: class("ContentSegment")?,
                price: class("Price")?,
                tvshow: class("TvShow")?,
                id: class("VideoId")?,
            })
        })
    }
}

fn call<'py>(
    py: Python<'py>,
    class: &Bound<'py, PyType>,
    fields: &[Texts],
    row: usize,
) -> PyResult<Object<'py>> {
    let none = py.None().into_bound(py);
    let values = fields.iter().map(|texts| text_or(py, texts, row, &none));
    class.call1(PyTuple::new(py, values.collect::<Vec<_>>())?)
}

fn records<'py, const N: usize>(
    py: Python<'py>,
    column: &RecordList<N>,
    row: usize,
    class: &Bound<'py, PyType>,
    empty: &Object<'py>,
) -> PyResult<Object<'py>> {
    let items = column.list.get(row);
    if items.is_empty() {
        return Ok(empty.clone());
    }
    let made = items.map(|item| call(py, class, &column.items.fields, item));
    Ok(PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

fn record<'py, const N: usize>(
    py: Python<'py>,
    column: &OptionalRecord<N>,
    row: usize,
    class: &Bound<'py, PyType>,
    none: &Object<'py>,
) -> PyResult<Object<'py>> {
    if column.valid.get(row) {
        call(py, class, &column.items.fields, row)
    } else {
        Ok(none.clone())
    }
}

fn videos<'py>(
    py: Python<'py>,
    column: &Videos,
    row: usize,
    models: &Models,
    empty: &Object<'py>,
) -> PyResult<Object<'py>> {
    let videos = column.list.get(row);
    if videos.is_empty() {
        return Ok(empty.clone());
    }
    let made = videos.map(|video| self::video(py, column, video, models, empty));
    Ok(PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

fn video<'py>(
    py: Python<'py>,
    column: &Videos,
    video: usize,
    models: &Models,
    empty: &Object<'py>,
) -> PyResult<Object<'py>> {
    let none = py.None().into_bound(py);
    let mut texts = column.texts.fields.iter().map(|texts| text_or(py, texts, video, &none));
    let mut values = Vec::with_capacity(29);
    values.extend(texts.by_ref().take(10));
    let segments = &column.content_segments;
    values.push(records(py, segments, video, models.segment.bind(py), empty)?);
    values.extend(texts.by_ref().take(2));
    let tags = column.tags.list.get(video).map(|tag| text_or(py, &column.tags.texts, tag, &none));
    values.push(PyTuple::new(py, tags.collect::<Vec<_>>())?.into_any());
    values.extend(texts.by_ref().take(6));
    values.push(records(py, &column.prices, video, models.price.bind(py), empty)?);
    values.extend(texts.by_ref().take(3));
    values.push(record(py, &column.tvshow, video, models.tvshow.bind(py), &none)?);
    values.extend(texts);
    values.push(records(py, &column.ids, video, models.id.bind(py), empty)?);
    models.video.bind(py).call1(PyTuple::new(py, values)?)
}
