//! Columns of elements as `bytes` objects.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::spans::ElementSpans;

type PyColumns<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Returns the elements of a document as columns of 64 and 32 bits, and their names.
#[pyfunction]
pub fn element_spans<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
) -> PyResult<(PyColumns<'py>, PyColumns<'py>, Vec<Bound<'py, PyBytes>>)> {
    let bytes = text.as_bytes();
    let spans = py
        .detach(|| urlset_core::utf8::utf8(bytes).map(urlset_core::spans::element_spans))
        .ok_or_else(|| PyValueError::new_err("expected text in UTF-8, found other bytes"))?;
    let offsets = |column: &[usize]| {
        column_bytes(py, column, |offset| i64::try_from(*offset).unwrap_or(i64::MAX).to_ne_bytes())
    };
    let rows = |column: &[u32]| column_bytes(py, column, |row| row.to_ne_bytes());
    let parent = |row: &Option<u32>| row.unwrap_or(NO_ROW).to_ne_bytes();
    let ElementSpans { starts, content_starts, content_ends, ends, .. } = &spans;
    Ok((
        (offsets(starts)?, offsets(content_starts)?, offsets(content_ends)?, offsets(ends)?),
        (
            column_bytes(py, &spans.parents, parent)?,
            rows(&spans.following)?,
            rows(&spans.names)?,
            rows(&spans.entries)?,
        ),
        spans.name_table.iter().map(|name| PyBytes::new(py, name)).collect(),
    ))
}

/// The bits of -1: Python reads the rows as signed integers.
const NO_ROW: u32 = u32::MAX;

fn column_bytes<'py, T, const SIZE: usize>(
    py: Python<'py>,
    column: &[T],
    bytes_of: impl Fn(&T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, column.len() * SIZE, |buffer| {
        for (place, value) in buffer.as_chunks_mut::<SIZE>().0.iter_mut().zip(column) {
            *place = bytes_of(value);
        }
        Ok(())
    })
}
