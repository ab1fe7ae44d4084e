//! Python class for a document that is being rendered.

use std::ffi::c_int;
use std::sync::{LockResult, Mutex, MutexGuard};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
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

    /// Returns the document without a copy; the renderer has no entries then.
    #[pyo3(signature = (mark=""))]
    fn document(&self, py: Python<'_>, mark: &str) -> PyResult<DocumentBytes> {
        py.detach(|| with(self.0.lock(), |inner| DocumentBytes(inner.take(mark))))
    }

    #[pyo3(signature = (mark=""))]
    fn finish<'py>(&self, py: Python<'py>, mark: &str) -> PyResult<Bound<'py, PyBytes>> {
        with(self.0.lock_py_attached(py), |inner| {
            let (header, body, footer) = inner.parts(mark);
            py_buffer::concat(py, [header.as_bytes(), body, footer.as_bytes()])
        })?
    }
}

/// Python object with the bytes of a rendered document, in a buffer for reading.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct DocumentBytes(Vec<u8>);

#[pymethods]
impl DocumentBytes {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        bytes_of(other).is_some_and(|other| self.0 == other)
    }

    /// # Safety
    ///
    /// `view` is null, or one that may be filled.
    unsafe fn __getbuffer__(
        found: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = &found.get().0;
        let start = bytes.as_ptr().cast_mut().cast();
        let size = ffi::Py_ssize_t::try_from(bytes.len())?;
        // SAFETY: the view is read-only and refers to the object, which never changes its bytes.
        match unsafe { ffi::PyBuffer_FillInfo(view, found.as_ptr(), start, size, 1, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(found.py())),
        }
    }
}

/// Returns the bytes of a `bytes` object or a document; None for another object.
pub fn bytes_of<'b>(data: &'b Bound<'_, PyAny>) -> Option<&'b [u8]> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Some(bytes.as_bytes());
    }
    data.cast::<DocumentBytes>().ok().map(|document| &document.get().0[..])
}

/// Bytes of a `bytes` object or a document, as an argument.
pub struct Data<'py>(Bound<'py, PyAny>);

impl Data<'_> {
    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        bytes_of(&self.0).unwrap_or_default()
    }

    /// Returns the object.
    pub fn as_object(&self) -> &Bound<'_, PyAny> {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Data<'py> {
    type Error = PyErr;

    fn extract(data: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let data = data.to_owned();
        match bytes_of(&data) {
            Some(_) => Ok(Self(data)),
            None => Err(PyTypeError::new_err("expected bytes or a rendered document")),
        }
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
