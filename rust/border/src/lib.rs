//! The page between the native engine and Python: plain types in, plain types out, the GIL
//! released while there is work. Documented for those who call it in `engine/_native.pyi`.

#![allow(clippy::needless_for_each, reason = "a chain that ends in a verb reads well")]
#![allow(clippy::similar_names, reason = "what unpacks, and what is unpacked")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over, and what is extracted is owned"
)]

mod arrow_in;
mod arrow_out;
mod given;
mod gunzip;
mod memory;
mod objects;
mod render;
mod room;
mod rows_in;
mod rows_out;
mod seen;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyString, PyTuple};
use urlset_core::columns::Entries;
use urlset_core::{Mark, Run, Sitemap};

use crate::rows_out::Rows;

#[global_allocator]
static MEMORY: memory::Memory = memory::Memory;

/// Entries in columns.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct Columns {
    entries: Arc<Entries>,
}

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.entries.row()
    }

    /// Returns the URL of a row.
    fn loc<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyString>> {
        let loc = self.entries.loc.get(row).and_then(urlset_core::packing::utf8);
        let loc = loc.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such row"))?;
        Ok(PyString::new(py, loc))
    }

    /// Gives the rows, one by one.
    fn rows(&self, py: Python<'_>, source: Option<Bound<'_, PyString>>) -> PyResult<Rows> {
        Rows::new(py, Arc::clone(&self.entries), source)
    }

    /// Gives an Arrow C stream of one batch.
    fn arrow_c_stream<'py>(
        &self,
        py: Python<'py>,
        source: Option<&str>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        arrow_out::stream(py, self, source)
    }
}

type PyMark<'py> = (&'static str, usize, usize, Bound<'py, PyString>, Option<&'static str>);
type PySitemap<'py> =
    (String, Option<Bound<'py, PyAny>>, Option<String>, Option<Bound<'py, PyString>>, u64, u32);
type PyParsed<'py> =
    (&'static str, Columns, Vec<PySitemap<'py>>, Vec<PyMark<'py>>, BTreeMap<&'static str, usize>);

/// Long bytes that were UTF-8 when somebody asked last: they cannot change while they are here, and
/// are read next.
static KNOWN: Mutex<Option<Py<PyBytes>>> = Mutex::new(None);

/// Bytes that are worth to be remembered.
const LONG: usize = 1 << 20;

/// Bytes as text, if they are UTF-8; those that are known to be are not looked at again.
fn utf8<'b>(data: &'b Bound<'_, PyBytes>) -> Option<&'b str> {
    let known = KNOWN.lock().ok().and_then(|mut known| known.take());
    let bytes = data.as_bytes();
    if known.is_some_and(|known| known.is(data)) {
        // SAFETY: `is_utf8` has looked at these very bytes, which nobody could change since.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    data.py().detach(|| urlset_core::packing::utf8(bytes))
}

/// Reads a document: kind, columns, the fields of sitemaps and of marks, marks left out.
#[pyfunction]
fn parse<'py>(
    py: Python<'py>,
    text: Bound<'py, PyBytes>,
    base: Option<&str>,
    source: Option<Bound<'py, PyString>>,
    runs: Vec<(i64, i64, i64, i64)>,
) -> PyResult<PyParsed<'py>> {
    let run = |(text_start, source_start, text_width, source_width)| Run {
        text_start,
        source_start,
        text_width,
        source_width,
    };
    let runs: Vec<Run> = runs.into_iter().map(run).collect();
    let text = utf8(&text).ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err("expected text in UTF-8, found other bytes")
    })?;
    let parsed = py.detach(|| urlset_core::parse(text, base, &runs));
    let mut instants = objects::Instants::new(py)?;
    let sitemap = |sitemap: Sitemap| {
        let lastmod = sitemap.lastmod.map(|instant| instants.get(py, instant)).transpose()?;
        let Sitemap { loc, lastmod_text, offset, line, .. } = sitemap;
        Ok((loc, lastmod, lastmod_text, source.clone(), offset, line))
    };
    let sitemaps = parsed.sitemaps.into_iter().map(sitemap).collect::<PyResult<_>>()?;
    let mark = |Mark { code, offset, end, detail, level }: Mark| {
        (code, offset, end, PyString::new(py, &detail), level)
    };
    let marks = parsed.marks.into_iter().map(mark).collect();
    let omitted = parsed.omitted.into_iter().collect();
    Ok((parsed.kind, Columns { entries: Arc::new(parsed.entries) }, sitemaps, marks, omitted))
}

/// Tells whether bytes are UTF-8.
#[pyfunction]
fn is_utf8(py: Python<'_>, data: Bound<'_, PyBytes>) -> bool {
    let bytes = data.as_bytes();
    let is_utf8 = py.detach(|| urlset_core::packing::utf8(bytes).is_some());
    if is_utf8
        && bytes.len() >= LONG
        && let Ok(mut known) = KNOWN.lock()
    {
        *known = Some(data.unbind());
    }
    is_utf8
}

/// Packs.
#[pyfunction]
fn gzip<'py>(py: Python<'py>, data: &[u8]) -> Bound<'py, PyBytes> {
    let packed = py.detach(|| urlset_core::packing::gzip(data));
    PyBytes::new(py, &packed)
}

type PyDate = (Option<i64>, Option<&'static str>, bool, Option<&'static str>);

/// Reads a date: microseconds, precision, whether there is a zone, code.
#[pyfunction]
fn parse_date(text: &str) -> PyDate {
    let date = urlset_core::dates::parse_date(text);
    (
        date.instant,
        date.precision.map(urlset_core::dates::Precision::word),
        date.has_zone,
        date.code,
    )
}

type PyUrl = (Option<String>, Vec<(&'static str, String, Option<&'static str>)>);

type PyHit<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64, i64, usize);
type PyLine<'py> = (usize, Option<i64>, Bound<'py, PyTuple>);

/// Tallies lines of an access log: what was there, and lines that need another look.
#[pyfunction]
fn tally<'py>(
    py: Python<'py>,
    block: &[u8],
    keeps_queries: bool,
) -> PyResult<(Vec<PyHit<'py>>, Vec<PyLine<'py>>)> {
    let (hits, rows) = py.detach(|| urlset_core::logs::tally(block, keeps_queries));
    let bytes = |text: &[u8]| PyBytes::new(py, text);
    let hits = hits
        .into_iter()
        .map(|hit| (bytes(hit.host), bytes(hit.path), hit.count, hit.last, hit.line))
        .collect();
    let row = |(line, second, parts): urlset_core::logs::Row<'_>| {
        Ok((line, second, PyTuple::new(py, parts.map(bytes))?))
    };
    Ok((hits, rows.into_iter().map(row).collect::<PyResult<_>>()?))
}

/// Reads a URL: the URL, and its flaws.
#[pyfunction]
fn read_url(text: &str, base: Option<&str>) -> PyUrl {
    let found = urlset_core::urls::read_url(text, base);
    let flaws = found.flaws.into_iter().map(|flaw| (flaw.code, flaw.detail, flaw.level)).collect();
    (found.url.map(std::borrow::Cow::into_owned), flaws)
}

/// The numbers of rows that are not certain to be valid as they stand.
#[pyfunction]
fn uncertain_rows(py: Python<'_>, columns: &Bound<'_, Columns>, is_text: bool) -> Vec<usize> {
    let entries = Arc::clone(&columns.get().entries);
    py.detach(|| urlset_core::validity::uncertain_rows(&entries, is_text))
}

/// The native engine.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::{Columns, gzip, is_utf8, parse, parse_date, read_url, tally, uncertain_rows};
    #[pymodule_export]
    use crate::arrow_in::columns_from_arrow;
    #[pymodule_export]
    use crate::given::columns_from_given;
    #[pymodule_export]
    use crate::gunzip::gunzip;
    #[pymodule_export]
    use crate::render::Renderer;
    #[pymodule_export]
    use crate::rows_in::columns_from_rows;
    #[pymodule_export]
    use crate::seen::Seen;
}
