//! Python bindings of the native engine. They take and return plain types and release the GIL
//! during work that takes long (`detached.rs`). `engine/_native.pyi` documents them for Python callers.
//!
//! # Threads
//!
//! The module also works without a GIL (`gil_used = false`). Everything that threads can share:
//!
//! | what | why it is safe |
//! |---|---|
//! | `LAST_UTF8` | mutex; nothing is released while it is held |
//! | `Models` (`to_rows.rs`), interned names | `PyOnceLock`: one value, immutable |
//! | HTML entities, number of processors (`core`) | `OnceLock` |
//! | number of busy threads (`core`) | atomic; there is no other static, and no `unsafe`, in `core` |
//! | `ScannedPage`, `DocumentBytes` | immutable after creation |
//! | `Columns`, its Arrow streams | immutable after creation, counted by `Arc` |
//! | `Renderer`, `UrlHashes`, `KnownRows`, `LogAggregator` | mutex |
//! | `Rows` | one caller at a time: `PyO3` refuses a second one with a `RuntimeError` |
//! | Arrow capsules of others | the stream is moved out in a critical section of the capsule |
//! | dicts of callers | read in a critical section; lists by index with checks |
//! | `bytes`, `str`, tuples of callers | immutable |
//! | `bytes` and tuples that are being filled | no other thread has a reference yet |
//! | libdeflate | one decompressor per call; its only static is the detected processor |
//!
//! Large buffers come from `allocator.rs`, which has no state per thread, and the others from the
//! system. An allocator with such state depends on the start and end of threads that an extension
//! module does not control: mimalloc 3.3 ended half of the processes with a thousand short-lived
//! threads.
//!
//! `core` starts threads for documents of a megabyte or more, if processors are idle. They end before
//! the call returns and use nothing of Python.
//!
//! Whoever waits for a mutex is detached from the interpreter (`lock_py_attached`, or within
//! `detach`). Otherwise a thread that holds the mutex and waits for the GIL, or for a pause of all
//! threads, never continues. `tests/engine/test_threads.py` uses everything from several threads.

#![allow(clippy::needless_for_each, reason = "a method chain may end with its side effect")]
#![allow(clippy::similar_names, reason = "a decompressor and its output have similar names")]
#![allow(clippy::needless_pass_by_value, reason = "PyO3 passes extracted arguments by value")]

mod allocator;
mod columns;
mod detached;
mod folders;
mod from_arrow;
mod from_json;
mod from_rows;
mod from_user_rows;
mod gunzip;
mod html;
mod known_rows;
mod logs;
mod object_cache;
mod py_buffer;
mod render;
mod spans;
mod to_arrow;
mod to_rows;
mod url_hashes;
mod user_values;
mod visited;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};
use urlset_core::{Diagnostic, OffsetRun, Sitemap};

use crate::columns::Columns;
use crate::detached::detached;
use crate::render::Data;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

type PyDiagnostic<'py> = (&'static str, usize, usize, Bound<'py, PyString>, Option<&'static str>);
type PySitemap<'py> =
    (String, Option<Bound<'py, PyAny>>, Option<String>, Option<Bound<'py, PyString>>, u64, u32);
type PyParsed<'py> = (
    &'static str,
    Columns,
    Vec<PySitemap<'py>>,
    Vec<PyDiagnostic<'py>>,
    BTreeMap<&'static str, usize>,
);

/// Last long `bytes` object that [`is_utf8`] has accepted. The reference keeps it alive, so it
/// cannot change before [`parse`] reads it.
static LAST_UTF8: Mutex<Option<Py<PyBytes>>> = Mutex::new(None);

/// Minimum size of data that [`LAST_UTF8`] remembers.
const MIN_CACHED_BYTES: usize = 1 << 20;

/// Returns bytes as text, if they are UTF-8. Skips the check for [`LAST_UTF8`].
fn utf8<'b>(py: Python<'_>, data: &'b Data<'_>) -> Option<&'b str> {
    let last = LAST_UTF8.lock_py_attached(py).ok().and_then(|mut last| last.take());
    let bytes = data.as_bytes();
    if last.is_some_and(|last| last.is(data.as_object())) {
        // SAFETY: `is_utf8` has checked the same immutable object.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    detached(py, bytes.len(), || urlset_core::utf8::utf8(bytes))
}

/// Parses a document. Returns kind, columns, the fields of sitemaps and of diagnostics, and the
/// numbers of omitted diagnostics.
#[pyfunction]
fn parse<'py>(
    py: Python<'py>,
    text: Data<'py>,
    base: Option<&str>,
    source: Option<Bound<'py, PyString>>,
    runs: Vec<(i64, i64, i64, i64)>,
) -> PyResult<PyParsed<'py>> {
    let run = |(text_start, source_start, text_width, source_width)| OffsetRun {
        text_start,
        source_start,
        text_width,
        source_width,
    };
    let runs: Vec<OffsetRun> = runs.into_iter().map(run).collect();
    let text = utf8(py, &text).ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err("expected text in UTF-8, found other bytes")
    })?;
    let parsed = detached(py, text.len(), || urlset_core::parse(text, base, &runs));
    let mut datetimes = object_cache::DatetimeCache::new(py)?;
    let sitemap = |sitemap: Sitemap| {
        let lastmod = sitemap.lastmod.map(|instant| datetimes.get(py, instant)).transpose()?;
        let Sitemap { loc, lastmod_text, offset, line, .. } = sitemap;
        Ok((loc, lastmod, lastmod_text, source.clone(), offset, line))
    };
    let sitemaps = parsed.sitemaps.into_iter().map(sitemap).collect::<PyResult<_>>()?;
    let diagnostic = |Diagnostic { code, offset, end, detail, level }: Diagnostic| {
        (code, offset, end, PyString::new(py, &detail), level)
    };
    let diagnostics = parsed.diagnostics.into_iter().map(diagnostic).collect();
    let omitted = parsed.omitted.into_iter().collect();
    Ok((parsed.kind, Columns { entries: Arc::new(parsed.entries) }, sitemaps, diagnostics, omitted))
}

/// Returns whether bytes are UTF-8.
#[pyfunction]
fn is_utf8(py: Python<'_>, data: Bound<'_, PyBytes>) -> bool {
    let bytes = data.as_bytes();
    let is_utf8 = detached(py, bytes.len(), || urlset_core::utf8::is_utf8(bytes));
    if is_utf8
        && bytes.len() >= MIN_CACHED_BYTES
        && let Ok(mut last) = LAST_UTF8.lock_py_attached(py)
    {
        let former = last.replace(data.unbind());
        drop(last);
        drop(former);
    }
    is_utf8
}

/// Compresses data with gzip.
#[pyfunction]
fn gzip<'py>(py: Python<'py>, data: Data<'py>) -> Bound<'py, PyBytes> {
    let data = data.as_bytes();
    let packed = py.detach(|| urlset_core::gzip::compress(data));
    PyBytes::new(py, &packed)
}

type PyDate = (Option<i64>, Option<&'static str>, bool, Option<&'static str>);

/// Parses a date. Returns microseconds, precision, whether a zone is given, and the code of its
/// problem.
#[pyfunction]
fn parse_date(text: &str) -> PyDate {
    let date = urlset_core::dates::parse_date(text);
    (
        date.instant,
        date.precision.map(urlset_core::dates::Precision::name),
        date.has_zone,
        date.code,
    )
}

type PyUrl = (Option<String>, Vec<(&'static str, String, Option<&'static str>)>);

/// Parses a URL. Returns the URL and its issues.
#[pyfunction]
fn parse_url(text: &str, base: Option<&str>) -> PyUrl {
    let found = urlset_core::urls::parse_url(text, base);
    let issues =
        found.issues.into_iter().map(|issue| (issue.code, issue.detail, issue.level)).collect();
    (found.url.map(std::borrow::Cow::into_owned), issues)
}

type Names = Vec<(&'static str, Vec<&'static str>)>;

/// Returns the fields of each class of `urlset.model`, the elements of each container of an
/// extension, and the elements of each namespace.
#[pyfunction]
fn field_tables() -> (Names, Names, Names) {
    let fields = urlset_core::columns::FIELDS.iter();
    let fields = fields.map(|(class, names)| (*class, names.to_vec())).collect();
    (fields, urlset_core::container_elements(), urlset_core::namespace_elements())
}

/// Returns the rows that are not certainly valid.
#[pyfunction]
fn uncertain_rows(py: Python<'_>, columns: &Bound<'_, Columns>, is_text: bool) -> Vec<usize> {
    let entries = Arc::clone(&columns.get().entries);
    py.detach(|| urlset_core::validity::uncertain_rows(&entries, is_text))
}

/// Returns a hexadecimal digest of each entry of a parsed text that has an extension.
#[pyfunction]
fn entry_digests(
    py: Python<'_>,
    text: Bound<'_, PyBytes>,
    columns: &Bound<'_, Columns>,
    end: usize,
) -> Vec<Option<String>> {
    let entries = Arc::clone(&columns.get().entries);
    let text = text.as_bytes();
    py.detach(|| urlset_core::digests::entry_digests(text, &entries, end))
}

/// The native engine.
#[pymodule(gil_used = false)]
mod _native {
    /// Optimization level of the compiler: `3` for a release, `0` for the engine of `make demo`.
    #[pymodule_export]
    const OPT_LEVEL: &str = env!("URLSET_OPT_LEVEL");
    #[pymodule_export]
    use super::{
        entry_digests, field_tables, gzip, is_utf8, parse, parse_date, parse_url, uncertain_rows,
    };
    #[pymodule_export]
    use crate::columns::{Columns, joined_stream};
    #[pymodule_export]
    use crate::folders::list_folder;
    #[pymodule_export]
    use crate::from_arrow::{are_canonical, columns_from_arrow};
    #[pymodule_export]
    use crate::from_json::columns_from_json;
    #[pymodule_export]
    use crate::from_rows::columns_from_rows;
    #[pymodule_export]
    use crate::from_user_rows::columns_from_user_rows;
    #[pymodule_export]
    use crate::gunzip::gunzip;
    #[pymodule_export]
    use crate::html::{ScannedPage, scan_files, scan_page, well_formed_page};
    #[pymodule_export]
    use crate::known_rows::KnownRows;
    #[pymodule_export]
    use crate::logs::LogAggregator;
    #[pymodule_export]
    use crate::render::{DocumentBytes, Renderer};
    #[pymodule_export]
    use crate::spans::element_spans;
    #[pymodule_export]
    use crate::url_hashes::UrlHashes;
    #[pymodule_export]
    use crate::visited::PageReader;
}
