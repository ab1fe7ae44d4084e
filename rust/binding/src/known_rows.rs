//! Python class for a set of published rows.

use std::sync::{Mutex, MutexGuard};

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, TimestampMicrosecondType};
use arrow_array::{Array, PrimitiveArray, RecordBatch, StringArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::known_rows::{KnownRows as Inner, Row};

use crate::from_arrow::open;

/// Python object with the rows that are published already.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct KnownRows(Mutex<Inner>);

#[pymethods]
impl KnownRows {
    #[new]
    fn new(py: Python<'_>, rows: usize) -> Self {
        // A query runs meanwhile: the pages of a large set are slow to get.
        py.detach(|| Self(Mutex::new(Inner::with_capacity(rows))))
    }

    fn add(&self, py: Python<'_>, rows: Bound<'_, PyCapsule>, group: u32) -> PyResult<bool> {
        for batch in batches(&rows)? {
            if !py.detach(|| Ok::<_, PyErr>(self.inner()?.add(rows_of(&batch)?, group)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn unknown(
        &self,
        py: Python<'_>,
        rows: Bound<'_, PyCapsule>,
        group: u32,
    ) -> PyResult<Vec<usize>> {
        let mut unknown = Vec::new();
        let mut first = 0;
        for batch in batches(&rows)? {
            let found =
                py.detach(|| Ok::<_, PyErr>(self.inner()?.unknown(rows_of(&batch)?, group)));
            unknown.extend(found?.into_iter().map(|row| first + row));
            first += batch.num_rows();
        }
        Ok(unknown)
    }

    fn not_found(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        py.detach(|| Ok(self.inner()?.not_found()))
    }
}

impl KnownRows {
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let message = "an earlier call panicked; create a new object";
        self.0.lock().map_err(|_| PyRuntimeError::new_err(message))
    }
}

fn batches(rows: &Bound<'_, PyCapsule>) -> PyResult<Vec<RecordBatch>> {
    let found: Result<Vec<_>, _> = open(rows)?.collect();
    found.map_err(|error| PyValueError::new_err(error.to_string()))
}

fn rows_of(batch: &RecordBatch) -> PyResult<impl Iterator<Item = Row<'_>>> {
    let locs = texts(batch, "loc")?.ok_or_else(|| PyValueError::new_err("expected a loc"))?;
    let dates = texts(batch, "lastmod_text")?;
    let instants = numbers::<TimestampMicrosecondType>(batch, "lastmod")?;
    let frequencies = texts(batch, "changefreq")?;
    let priorities = numbers::<Float64Type>(batch, "priority")?;
    Ok((0..batch.num_rows()).map(move |row| Row {
        loc: text(locs, row).unwrap_or_default(),
        lastmod_text: dates.and_then(|dates| text(dates, row)),
        lastmod: instants.and_then(|instants| number(instants, row)),
        changefreq: frequencies.and_then(|frequencies| text(frequencies, row)),
        priority: priorities.and_then(|priorities| number(priorities, row)),
    }))
}

fn texts<'b>(batch: &'b RecordBatch, name: &str) -> PyResult<Option<&'b StringArray>> {
    let column = batch.column_by_name(name);
    column.map(|array| array.as_string_opt().ok_or_else(|| other_type(name))).transpose()
}

fn numbers<'b, T: ArrowPrimitiveType>(
    batch: &'b RecordBatch,
    name: &str,
) -> PyResult<Option<&'b PrimitiveArray<T>>> {
    let column = batch.column_by_name(name);
    column.map(|array| array.as_primitive_opt().ok_or_else(|| other_type(name))).transpose()
}

fn other_type(name: &str) -> PyErr {
    PyValueError::new_err(format!("expected column {name:?} in the type of the entry schema"))
}

fn text(array: &StringArray, row: usize) -> Option<&[u8]> {
    array.is_valid(row).then(|| array.value(row).as_bytes())
}

fn number<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    array.is_valid(row).then(|| array.value(row))
}
