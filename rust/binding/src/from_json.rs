//! Conversion of columns of JSON to columns of entries.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::columns::{ALTERNATE_FIELDS, Entries, IMAGE_FIELDS, NEWS_FIELDS};
use urlset_core::json::{add_list, add_object};
use urlset_core::validity::uncertain_rows;

use crate::columns::Columns;
use crate::from_arrow::open;

/// URL of each entry: these have none.
const LOC: &[u8] = b"https://e.example/";

/// Converts the columns `images`, `news` and `alternates` of an Arrow C stream, which are texts in
/// JSON; null and an empty text are nothing. Returns None if there is another column, or a value
/// that needs another conversion or validation.
#[pyfunction]
pub fn columns_from_json(
    py: Python<'_>,
    capsule: Bound<'_, PyCapsule>,
) -> PyResult<Option<Columns>> {
    let reader = open(&capsule)?;
    let is_known = |name: &str| ["images", "news", "alternates"].contains(&name);
    let fields = reader.schema();
    let mut fields = fields.fields().iter();
    if !fields.all(|field| is_known(field.name()) && *field.data_type() == DataType::Utf8) {
        return Ok(None);
    }
    let mut entries = Entries::default();
    for batch in reader {
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if py.detach(|| add_batch(&mut entries, &batch)).is_none() {
            return Ok(None);
        }
    }
    entries.close();
    let is_valid = py.detach(|| uncertain_rows(&entries, false).is_empty());
    Ok(is_valid.then(|| Columns { entries: Arc::new(entries) }))
}

fn add_batch(entries: &mut Entries, batch: &RecordBatch) -> Option<()> {
    let texts = |name| batch.column_by_name(name).and_then(|column| column.as_string_opt());
    let (images, news, alternates) = (texts("images"), texts("news"), texts("alternates"));
    for place in 0..batch.num_rows() {
        let row = entries.row();
        if let Some(text) = text_at(images, place) {
            add_list(&mut entries.images, row, &IMAGE_FIELDS, text)?;
        }
        if let Some(text) = text_at(news, place) {
            entries.news.set_present(row);
            add_object(&mut entries.news.items, row, &NEWS_FIELDS, text)?;
        }
        if let Some(text) = text_at(alternates, place) {
            add_list(&mut entries.alternates, row, &ALTERNATE_FIELDS, text)?;
        }
        entries.commit(LOC);
    }
    Some(())
}

fn text_at(column: Option<&StringArray>, row: usize) -> Option<&str> {
    let column = column.filter(|column| column.is_valid(row))?;
    Some(column.value(row)).filter(|text| !text.is_empty())
}
