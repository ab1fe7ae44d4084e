//! Conversion of Arrow streams with the schema of entries, or some of its columns, to columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, StringArray, StructArray};
use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use urlset_core::canonical_urls;
use urlset_core::columns::{
    ALTERNATE_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, List, NEWS_FIELDS, OptionalRecord,
    PRICE_FIELDS, Record, RecordList, SEGMENT_FIELDS, TEXT_COLUMNS, TVSHOW_FIELDS, TextColumn,
    TextList, Texts, VIDEO_FIELDS, VIDEO_TEXT_FIELDS, Videos,
};

use crate::columns::Columns;

/// Message that states what was expected and found.
type Message = String;

/// Converts the batches of an Arrow C stream. If the type of a column differs from the schema,
/// returns an equivalent stream for another reader.
#[pyfunction]
pub fn columns_from_arrow<'py>(
    py: Python<'py>,
    capsule: Bound<'py, PyCapsule>,
) -> PyResult<Bound<'py, PyAny>> {
    let value_error = |error: String| PyValueError::new_err(error);
    let reader = open(&capsule)?;
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

/// Returns whether all URLs of an Arrow C stream are certainly canonical, and those of entries contain
/// none of the marks.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 passes owned arguments")]
pub fn are_canonical(
    py: Python<'_>,
    capsule: Bound<'_, PyCapsule>,
    marks: Vec<PyBackedStr>,
    is_secure: bool,
) -> PyResult<bool> {
    let reader = open(&capsule)?;
    if !fits(reader.schema().fields()) {
        return Ok(false);
    }
    let marks: Vec<&str> = marks.iter().map(|mark| &**mark).collect();
    for batch in reader {
        let Ok(batch) = batch else { return Ok(false) };
        if !py.detach(|| is_canonical(&batch, &marks, is_secure)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the same for a batch. If it has no other URLs than `loc`, they are not copied.
fn is_canonical(batch: &RecordBatch, marks: &[&str], is_secure: bool) -> bool {
    let is_bare = ["images", "videos", "alternates"].iter().all(|name| {
        batch.column_by_name(name).is_none_or(|array| array.null_count() == array.len())
    });
    let locs = batch.column_by_name("loc").and_then(|array| array.as_string_opt::<i32>());
    match locs {
        Some(locs) if is_bare && locs.null_count() == 0 => {
            let offsets = locs.value_offsets();
            let ends = offsets.first().zip(offsets.last());
            let (start, end) = ends.map_or((0, 0), |(start, end)| (index(*start), index(*end)));
            let bytes = locs.value_data().get(start..end).unwrap_or_default();
            let urls = (0..locs.len()).map(|row| locs.value(row).as_bytes());
            canonical_urls::are_canonical_locs(bytes, urls, marks, is_secure)
        }
        _ => {
            let mut entries = Entries::default();
            let is_added = add_batch(&mut entries, batch).is_ok();
            entries.close();
            is_added && canonical_urls::are_canonical(&entries, marks, is_secure)
        }
    }
}

fn index(offset: i32) -> usize {
    usize::try_from(offset).unwrap_or_default()
}

/// Moves an Arrow C stream out of its capsule.
pub fn open(capsule: &Bound<'_, PyCapsule>) -> PyResult<RecordBatchStreamReader> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let pointer = pointer.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to an `ArrowArrayStream` (the Arrow PyCapsule
    // interface), which `capsule` keeps alive; `from_raw` moves the stream out and leaves a
    // released one behind. The critical section keeps other threads from moving it, too.
    let reader = with_critical_section(capsule, || unsafe {
        RecordBatchStreamReader::from_raw(pointer.as_ptr())
    });
    reader.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns whether the known columns have the types of the schema, and there is a `loc`.
/// Nullability does not matter: a null list is read as an empty one.
fn fits(fields: &Fields) -> bool {
    let is_right = |field: &FieldRef| match field.name().as_str() {
        "lastmod" => matches!(field.data_type(), DataType::Timestamp(TimeUnit::Microsecond, _)),
        "priority" => *field.data_type() == DataType::Float64,
        "images" => is_list(field.data_type(), |item| is_record(item, &IMAGE_FIELDS)),
        "videos" => is_list(field.data_type(), is_video),
        "news" => is_record(field.data_type(), &NEWS_FIELDS),
        "alternates" => is_list(field.data_type(), |item| is_record(item, &ALTERNATE_FIELDS)),
        name => text_column(name).is_none() || *field.data_type() == DataType::Utf8,
    };
    fields.find("loc").is_some() && fields.iter().all(is_right)
}

fn text_column(name: &str) -> Option<&'static TextColumn> {
    TEXT_COLUMNS.iter().find(|column| column.name == name)
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
        name => VIDEO_TEXT_FIELDS.contains(&name) && *field.data_type() == DataType::Utf8,
    };
    fields.len() == VIDEO_FIELDS.len() && fields.iter().all(is_right)
}

fn expected(name: &str, expected_type: &str, array: &dyn Array) -> Message {
    format!(
        "expected column {name:?} as {expected_type}, found {}; cast it first",
        array.data_type()
    )
}

fn strings<'b>(name: &str, array: &'b dyn Array) -> Result<&'b StringArray, Message> {
    array.as_string_opt::<i32>().ok_or_else(|| expected(name, "string", array))
}

fn add_batch(entries: &mut Entries, batch: &RecordBatch) -> Result<(), Message> {
    let first = entries.row();
    for TextColumn { name, get_mut, .. } in TEXT_COLUMNS {
        if let Some(array) = batch.column_by_name(name).filter(|_| name != "loc") {
            add_texts(get_mut(entries), first, strings(name, array)?);
        }
    }
    let Entries { images, videos, news, alternates, .. } = entries;
    if let Some(array) = batch.column_by_name("images") {
        add_records(images, first, &IMAGE_FIELDS, "images", array)?;
    }
    if let Some(array) = batch.column_by_name("videos") {
        add_videos(videos, first, array)?;
    }
    if let Some(array) = batch.column_by_name("news") {
        add_optional(news, first, &NEWS_FIELDS, "news", array)?;
    }
    if let Some(array) = batch.column_by_name("alternates") {
        add_records(alternates, first, &ALTERNATE_FIELDS, "alternates", array)?;
    }
    add_numbers(entries, first, batch)?;
    let locs = batch.column_by_name("loc").ok_or("expected a column \"loc\", found none")?;
    let locs = strings("loc", locs)?;
    if let Some(row) = (0..locs.len()).find(|row| locs.is_null(*row)) {
        return Err(format!("expected a loc in every row, found none in row {}", first + row));
    }
    add_texts(&mut entries.loc, first, locs);
    entries.commit_many(batch.num_rows());
    Ok(())
}

fn add_numbers(entries: &mut Entries, first: usize, batch: &RecordBatch) -> Result<(), Message> {
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
    if array.null_count() < array.len() {
        let valid = array.nulls().map(|nulls| nulls.inner().sliced());
        column.extend(first, array.value_offsets(), array.values(), valid.as_deref());
    }
}

fn structs<'b>(name: &str, array: &'b dyn Array) -> Result<&'b StructArray, Message> {
    array.as_struct_opt().ok_or_else(|| expected(name, "struct", array))
}

/// Returns the ranges of rows that are not null.
fn valid_ranges(array: &dyn Array) -> Vec<(usize, usize)> {
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        Some(nulls) => nulls.valid_slices().collect(),
        None => vec![(0, array.len())],
    }
}

/// Adds an Arrow array of structures to a column of records, from row `first` on.
fn add_record<const N: usize>(
    record: &mut Record<N>,
    first: usize,
    array: &StructArray,
    names: &[&str; N],
) -> Result<(), Message> {
    for (column, name) in record.fields.iter_mut().zip(names) {
        if let Some(texts) = array.column_by_name(name) {
            add_texts(column, first, strings(name, texts)?);
        }
    }
    Ok(())
}

fn add_optional<const N: usize>(
    column: &mut OptionalRecord<N>,
    first: usize,
    names: &[&str; N],
    name: &str,
    array: &dyn Array,
) -> Result<(), Message> {
    let array = structs(name, array)?;
    for (start, end) in valid_ranges(array) {
        (start..end).for_each(|row| column.set_present(first + row));
        add_record(&mut column.items, first + start, &array.slice(start, end - start), names)?;
    }
    Ok(())
}

/// Adds lists to the rows from `first` on. Returns the items of each range of lists, with the
/// number of its first item.
fn add_lists(
    list: &mut List,
    first: usize,
    name: &str,
    array: &dyn Array,
) -> Result<Vec<(usize, ArrayRef)>, Message> {
    let lists = array.as_list_opt::<i32>().ok_or_else(|| expected(name, "list", array))?;
    let mut found = Vec::new();
    for (start, end) in valid_ranges(lists) {
        let ends = &lists.value_offsets()[start..=end];
        let index = |end: i32| usize::try_from(end).unwrap_or(0);
        let (begin, size) = (index(ends[0]), index(ends[end - start]) - index(ends[0]));
        if let Some(number) = list.extend(first + start, ends)
            && size > 0
        {
            found.push((number, lists.values().slice(begin, size)));
        }
    }
    Ok(found)
}

fn add_records<const N: usize>(
    column: &mut RecordList<N>,
    first: usize,
    names: &[&str; N],
    name: &str,
    array: &dyn Array,
) -> Result<(), Message> {
    for (number, items) in add_lists(&mut column.list, first, name, array)? {
        add_record(&mut column.items, number, structs(name, &items)?, names)?;
    }
    Ok(())
}

fn add_videos(videos: &mut Videos, first: usize, array: &dyn Array) -> Result<(), Message> {
    for (number, items) in add_lists(&mut videos.list, first, "videos", array)? {
        let items = structs("videos", &items)?;
        add_record(&mut videos.texts, number, items, &VIDEO_TEXT_FIELDS)?;
        if let Some(array) = items.column_by_name("content_segments") {
            let column = &mut videos.content_segments;
            add_records(column, number, &SEGMENT_FIELDS, "content_segments", array)?;
        }
        if let Some(array) = items.column_by_name("prices") {
            add_records(&mut videos.prices, number, &PRICE_FIELDS, "prices", array)?;
        }
        if let Some(array) = items.column_by_name("ids") {
            add_records(&mut videos.ids, number, &ID_FIELDS, "ids", array)?;
        }
        if let Some(array) = items.column_by_name("tags") {
            add_tags(&mut videos.tags, number, array)?;
        }
        if let Some(array) = items.column_by_name("tvshow") {
            add_optional(&mut videos.tvshow, number, &TVSHOW_FIELDS, "tvshow", array)?;
        }
    }
    Ok(())
}

/// Adds tags one by one, because the array may contain nulls, which are skipped.
fn add_tags(tags: &mut TextList, first: usize, array: &dyn Array) -> Result<(), Message> {
    let lists = array.as_list_opt::<i32>().ok_or_else(|| expected("tags", "list", array))?;
    let texts = strings("tags", lists.values())?;
    for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
        let ends = lists.value_offsets();
        for tag in ends[row]..ends[row + 1] {
            let tag = usize::try_from(tag).unwrap_or(0);
            if texts.is_valid(tag) {
                tags.push(first + row, texts.value(tag).as_bytes());
            }
        }
    }
    Ok(())
}
