//! Python class for the aggregation of an access log.

use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use urlset_core::logs::{LogAggregator as Inner, LogHit, LogRow};

/// Python object that aggregates the blocks of one log.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct LogAggregator(Mutex<Inner>);

type PyHit<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64, i64, usize, bool);
type PyLine<'py> = (usize, Option<i64>, u64, Bound<'py, PyTuple>);

#[pymethods]
impl LogAggregator {
    #[new]
    fn new(keeps_queries: bool) -> Self {
        Self(Mutex::new(Inner::new(keeps_queries)))
    }

    fn add<'py>(
        &self,
        py: Python<'py>,
        block: &[u8],
    ) -> PyResult<(Vec<PyHit<'py>>, Vec<PyLine<'py>>, usize)> {
        let (hits, rows, line_count) = py.detach(|| Ok::<_, PyErr>(self.inner()?.add(block)))?;
        let row = |(line, second, count, parts): LogRow<'_>| {
            Ok((line, second, count, PyTuple::new(py, parts.map(|text| PyBytes::new(py, text)))?))
        };
        let rows = rows.into_iter().map(row).collect::<PyResult<_>>()?;
        Ok((in_python(py, hits), rows, line_count))
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<PyHit<'py>>> {
        let hits = py.detach(|| Ok::<_, PyErr>(self.inner()?.finish()))?;
        Ok(in_python(py, hits))
    }
}

impl LogAggregator {
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.0
            .lock()
            .map_err(|_| PyRuntimeError::new_err("an earlier call panicked; create a new object"))
    }
}

fn in_python(py: Python<'_>, hits: Vec<LogHit>) -> Vec<PyHit<'_>> {
    let hit = |hit: LogHit| {
        let [host, path] = [&hit.host, &hit.path].map(|text| PyBytes::new(py, text));
        (host, path, hit.count, hit.last, hit.line, hit.is_page)
    };
    hits.into_iter().map(hit).collect()
}
