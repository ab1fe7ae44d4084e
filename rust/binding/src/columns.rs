//! Python class for entries in columns.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyCapsule, PyString};
use urlset_core::columns::Entries;

use crate::to_arrow::stream;
use crate::to_rows::Rows;

/// Python object with entries in columns.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct Columns {
    /// Entries, shared with iterators and Arrow streams.
    pub entries: Arc<Entries>,
}

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.entries.row()
    }

    /// Returns the URL of a row.
    fn loc<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyString>> {
        let loc = self.entries.loc.get(row).and_then(urlset_core::utf8::utf8);
        let loc = loc.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("row out of range"))?;
        Ok(PyString::new(py, loc))
    }

    /// Returns an iterator over the rows.
    fn rows(&self, py: Python<'_>, source: Option<Bound<'_, PyString>>) -> PyResult<Rows> {
        Rows::new(py, Arc::clone(&self.entries), source)
    }

    /// Returns an Arrow C stream of one batch.
    fn arrow_c_stream<'py>(
        &self,
        py: Python<'py>,
        source: Option<&str>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, &self.entries, &[(source, self.entries.row())])
    }
}

/// Returns an Arrow C stream of one batch with the rows of several columns, each with its source.
#[pyfunction]
pub fn joined_stream<'py>(
    py: Python<'py>,
    parts: Vec<(Bound<'py, Columns>, Option<PyBackedStr>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let columns: Vec<_> = parts.iter().map(|(part, _)| Arc::clone(&part.get().entries)).collect();
    let joined = py.detach(|| {
        let mut joined = Entries::default();
        columns.iter().for_each(|entries| joined.append(entries));
        joined.close();
        Arc::new(joined)
    });
    let sources = parts.iter().map(|(_, source)| source.as_deref());
    let sources: Vec<_> = sources.zip(columns.iter().map(|entries| entries.row())).collect();
    stream(py, &joined, &sources)
}
