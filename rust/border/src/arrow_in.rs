//! Columns made of an Arrow stream that has our schema, or some columns of it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch, RecordBatchReader, StringArray, StructArray};
use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use urlset_core::columns::{
    ALTERNATE_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PRICE_FIELDS, Record,
    RecordList, SEGMENT_FIELDS, TVSHOW_FIELDS, Texts, VIDEO_FIELDS, Videos,
};

use crate::Columns;

/// What is not as expected: a sentence.
type Fault = String;

/// Takes the batches of an Arrow C stream; or, where a type is another than ours, gives back a
/// stream of the same for somebody else to read.
#[pyfunction]
pub fn columns_from_arrow<'py>(
    py: Python<'py>,
    capsule: Bound<'py, PyCapsule>,
) -> PyResult<Bound<'py, PyAny>> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let pointer = pointer.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to an `ArrowArrayStream` (the Arrow
    // PyCapsule interface), which `capsule` keeps alive; `from_raw` moves the stream out and
    // leaves a released one behind.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) };
    let value_error = |error: String| PyValueError::new_err(error);
    let reader = reader.map_err(|error| value_error(error.to_string()))?;
    if !fits(reader.schema().fields()) {
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        return Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any());
    }
    let mut entries = Entries::default();
    for batch in reader {
        let batch = batch.map_err(|error| value_error(error.to_string()))?;
        py.detach(|| add_batch(&mut entries, &batch)).map_err(value_error)?;
    }
    entries.close();
    Ok(Bound::new(py, Columns { entries: Arc::new(entries) })?.into_any())
}

/// Whether the columns that have our names have our types, and there is a `loc`. (Nullability is
/// no type: an absent list is read as an empty one.)
fn fits(fields: &Fields) -> bool {
    let is_right = |field: &FieldRef| match field.name().as_str() {
        "loc" | "lastmod_text" | "changefreq" | "extra" => *field.data_type() == DataType::Utf8,
        "lastmod" => matches!(field.data_type(), DataType::Timestamp(TimeUnit::Microsecond, _)),
        "priority" => *field.data_type() == DataType::Float64,
        "images" => is_list(field.data_type(), |item| is_record(item, &IMAGE_FIELDS)),
        "videos" => is_list(field.data_type(), is_video),
        "news" => is_record(field.data_type(), &NEWS_FIELDS),
        "alternates" => is_list(field.data_type(), |item| is_record(item, &ALTERNATE_FIELDS)),
        _ => true,
    };
    fields.find("loc").is_some() && fields.iter().all(is_right)
}

fn is_list(found: &DataType, is_item: impl Fn(&DataType) -> bool) -> bool {
    matches!(found, DataType::List(item) if is_item(item.data_type()))
}

fn is_record(found: &DataType, names: &[&str]) -> bool {
    let DataType::Struct(fields) = found else {
        return false;
    };
    let is_text = |field: &FieldRef| *field.data_type() == DataType::Utf8;
    fields.iter().map(|field| field.name()).eq(names) && fields.iter().all(is_text)
}

fn is_video(found: &DataType) -> bool {
    let DataType::Struct(fields) = found else {
        return false;
    };
    let is_right = |field: &FieldRef| match field.name().as_str() {
        "content_segments" => is_list(field.data_type(), |item| is_record(item, &SEGMENT_FIELDS)),
        "prices" => is_list(field.data_type(), |item| is_record(item, &PRICE_FIELDS)),
        "ids" => is_list(field.data_type(), |item| is_record(item, &ID_FIELDS)),
        "tags" => is_list(field.data_type(), |item| *item == DataType::Utf8),
        "tvshow" => is_record(field.data_type(), &TVSHOW_FIELDS),
        name => VIDEO_FIELDS.contains(&name) && *field.data_type() == DataType::Utf8,
    };
    fields.len() == VIDEO_FIELDS.len() + 5 && fields.iter().all(is_right)
}

fn expected(name: &str, wanted: &str, array: &dyn Array) -> Fault {
    format!("expected column {name:?} as {wanted}, found {}; cast it first", array.data_type())
}

fn strings<'b>(name: &str, array: &'b dyn Array) -> Result<&'b StringArray, Fault> {
    array.as_string_opt::<i32>().ok_or_else(|| expected(name, "string", array))
}

fn add_batch(entries: &mut Entries, batch: &RecordBatch) -> Result<(), Fault> {
    let first = entries.row();
    let Entries { lastmod_text, changefreq, extra, images, videos, news, alternates, .. } = entries;
    let columns = [("lastmod_text", lastmod_text), ("changefreq", changefreq), ("extra", extra)];
    for (name, column) in columns {
        if let Some(array) = batch.column_by_name(name) {
            add_texts(column, first, strings(name, array)?);
        }
    }
    if let Some(array) = batch.column_by_name("images") {
        add_records(images, first, &IMAGE_FIELDS, "images", array)?;
    }
    if let Some(array) = batch.column_by_name("videos") {
        add_videos(videos, first, array)?;
    }
    if let Some(array) = batch.column_by_name("news") {
        let structs = structs("news", array)?;
        let rows = valid_rows(structs);
        rows.iter().for_each(|row| news.begin(first + row));
        add_record(
            &mut news.items,
            structs,
            &NEWS_FIELDS,
            rows.iter().map(|row| (*row, first + row)),
        )?;
    }
    if let Some(array) = batch.column_by_name("alternates") {
        add_records(alternates, first, &ALTERNATE_FIELDS, "alternates", array)?;
    }
    add_numbers(entries, first, batch)?;
    let locs = batch.column_by_name("loc").ok_or("expected a column \"loc\", found none")?;
    let locs = strings("loc", locs)?;
    for row in 0..batch.num_rows() {
        if locs.is_null(row) {
            return Err(format!("expected a loc in every row, found none in row {}", first + row));
        }
        entries.commit(locs.value(row).as_bytes());
    }
    Ok(())
}

fn add_numbers(entries: &mut Entries, first: usize, batch: &RecordBatch) -> Result<(), Fault> {
    if let Some(array) = batch.column_by_name("lastmod") {
        let instants = array
            .as_primitive_opt::<TimestampMicrosecondType>()
            .ok_or_else(|| expected("lastmod", "timestamp[us, UTC]", array))?;
        for row in (0..instants.len()).filter(|row| instants.is_valid(*row)) {
            let instant = instants.value(row);
            if !urlset_core::dates::is_instant(instant) {
                return Err(format!("expected lastmod from year 1 to 9999, found {instant} µs"));
            }
            entries.lastmod.set(first + row, instant);
        }
    }
    if let Some(array) = batch.column_by_name("priority") {
        let numbers = array
            .as_primitive_opt::<Float64Type>()
            .ok_or_else(|| expected("priority", "float64", array))?;
        for row in (0..numbers.len()).filter(|row| numbers.is_valid(*row)) {
            entries.priority.set(first + row, numbers.value(row));
        }
    }
    Ok(())
}

fn add_texts(column: &mut Texts, first: usize, array: &StringArray) {
    for row in (0..array.len()).filter(|row| array.is_valid(*row)) {
        column.set(first + row, array.value(row).as_bytes());
    }
}

fn structs<'b>(name: &str, array: &'b dyn Array) -> Result<&'b StructArray, Fault> {
    array.as_struct_opt().ok_or_else(|| expected(name, "struct", array))
}

fn valid_rows(array: &dyn Array) -> Vec<usize> {
    (0..array.len()).filter(|row| array.is_valid(*row)).collect()
}

/// Adds some rows of a structure, each with the number that it gets.
fn add_record<const N: usize>(
    record: &mut Record<N>,
    array: &StructArray,
    names: &[&str; N],
    rows: impl Iterator<Item = (usize, usize)> + Clone,
) -> Result<(), Fault> {
    for (column, name) in record.fields.iter_mut().zip(names) {
        let Some(texts) = array.column_by_name(name) else {
            continue;
        };
        let texts = strings(name, texts)?;
        for (row, number) in rows.clone().filter(|(row, _)| texts.is_valid(*row)) {
            column.set(number, texts.value(row).as_bytes());
        }
    }
    Ok(())
}

/// The items of lists: calls back with the row of each and its place among the items.
fn each_item<'b>(
    name: &str,
    array: &'b dyn Array,
    mut each: impl FnMut(usize, usize),
) -> Result<&'b dyn Array, Fault> {
    let lists = array.as_list_opt::<i32>().ok_or_else(|| expected(name, "list", array))?;
    for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
        let ends = lists.value_offsets();
        for item in ends[row]..ends[row + 1] {
            each(row, usize::try_from(item).unwrap_or(0));
        }
    }
    Ok(lists.values().as_ref())
}

fn add_records<const N: usize>(
    column: &mut RecordList<N>,
    first: usize,
    names: &[&str; N],
    name: &str,
    array: &dyn Array,
) -> Result<(), Fault> {
    let mut rows = Vec::new();
    let items = each_item(name, array, |row, item| {
        rows.push((item, column.list.push(first + row)));
    })?;
    add_record(&mut column.items, structs(name, items)?, names, rows.iter().copied())
}

fn add_videos(videos: &mut Videos, first: usize, array: &dyn Array) -> Result<(), Fault> {
    let mut rows = Vec::new();
    let items = each_item("videos", array, |row, item| {
        rows.push((item, videos.list.push(first + row)));
    })?;
    let items = structs("videos", items)?;
    add_record(&mut videos.texts, items, &VIDEO_FIELDS, rows.iter().copied())?;
    // Each video by itself, for the lists in it are numbered by the video, not by the batch.
    for (row, video) in rows {
        let one = |name| items.column_by_name(name).map(|column| column.slice(row, 1));
        if let Some(array) = one("content_segments") {
            let column = &mut videos.content_segments;
            add_records(column, video, &SEGMENT_FIELDS, "content_segments", &array)?;
        }
        if let Some(array) = one("prices") {
            add_records(&mut videos.prices, video, &PRICE_FIELDS, "prices", &array)?;
        }
        if let Some(array) = one("ids") {
            add_records(&mut videos.ids, video, &ID_FIELDS, "ids", &array)?;
        }
        if let Some(array) = one("tags") {
            let mut tags = Vec::new();
            let texts = each_item("tags", &array, |_, item| tags.push(item))?;
            let texts = strings("tags", texts)?;
            for tag in tags.into_iter().filter(|tag| texts.is_valid(*tag)) {
                videos.tags.push(video, texts.value(tag).as_bytes());
            }
        }
        if let Some(array) = one("tvshow").filter(|array| array.is_valid(0)) {
            videos.tvshow.begin(video);
            let show = structs("tvshow", &array)?;
            add_record(&mut videos.tvshow.items, show, &TVSHOW_FIELDS, [(0, video)].into_iter())?;
        }
    }
    Ok(())
}
