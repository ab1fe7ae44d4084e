//! Python class for a set of URLs.

use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use urlset_core::url_hashes::UrlHashes as Inner;

use crate::columns::Columns;

/// Python object with the set of URLs that are already written.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct UrlHashes(Mutex<Inner>);

#[pymethods]
impl UrlHashes {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Inner::default()))
    }

    fn add(
        &self,
        py: Python<'_>,
        columns: &Bound<'_, Columns>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<usize>> {
        let entries = Arc::clone(&columns.get().entries);
        py.detach(|| {
            let inner = self.0.lock();
            let mut inner = inner.map_err(|_| {
                PyRuntimeError::new_err("an earlier call panicked; create a new object")
            })?;
            Ok(inner.add(&entries, start, end))
        })
    }
}
