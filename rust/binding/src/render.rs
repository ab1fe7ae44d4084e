//! Python class for a document that is being rendered.

use std::sync::{LockResult, Mutex, MutexGuard};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use urlset_core::render::Renderer as Inner;

use crate::columns::Columns;
use crate::py_buffer;

/// Python object that renders one document.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct Renderer(Mutex<Inner>);

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (kind, max_urls, max_bytes, max_news, stylesheet=None))]
    fn new(
        kind: &str,
        max_urls: i64,
        max_bytes: i64,
        max_news: i64,
        stylesheet: Option<&str>,
    ) -> Self {
        Self(Mutex::new(Inner::new(kind == "text", max_urls, max_bytes, max_news, stylesheet)))
    }

    #[getter]
    fn count(&self, py: Python<'_>) -> PyResult<i64> {
        with(self.0.lock_py_attached(py), |inner| inner.count())
    }

    #[pyo3(signature = (columns, start, end=None))]
    fn add(
        &self,
        py: Python<'_>,
        columns: &Bound<'_, Columns>,
        start: usize,
        end: Option<usize>,
    ) -> PyResult<usize> {
        let entries = std::sync::Arc::clone(&columns.get().entries);
        let end = end.unwrap_or_else(|| entries.row());
        py.detach(|| with(self.0.lock(), |inner| inner.add(&entries, start, end)))
    }

    #[pyo3(signature = (mark=""))]
    fn finish<'py>(&self, py: Python<'py>, mark: &str) -> PyResult<Bound<'py, PyBytes>> {
        with(self.0.lock_py_attached(py), |inner| {
            let (header, body, footer) = inner.parts(mark);
            py_buffer::concat(py, [header.as_bytes(), body, footer.as_bytes()])
        })?
    }
}

fn with<T>(
    lock: LockResult<MutexGuard<'_, Inner>>,
    work: impl FnOnce(&mut Inner) -> T,
) -> PyResult<T> {
    let mut inner =
        lock.map_err(|_| PyRuntimeError::new_err("an earlier call panicked; create a new object"))?;
    Ok(work(&mut inner))
}
