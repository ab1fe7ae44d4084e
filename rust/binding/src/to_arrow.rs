//! Conversion of columns to an Arrow stream of one batch, which shares their memory.

use std::sync::Arc;

use crate::detached::detached;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, TimestampMicrosecondType, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, ListArray, PrimitiveArray, RecordBatch,
    RecordBatchIterator, StringArray, StructArray,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer,
    ScalarBuffer, ToByteSlice,
};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use bytes::Bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::columns::{
    ALTERNATE_FIELDS, Bits, ENTRY_FIELDS, Entries, ID_FIELDS, IMAGE_FIELDS, List, NEWS_FIELDS,
    OptionalRecord, PRICE_FIELDS, Record, RecordList, SEGMENT_FIELDS, TEXT_COLUMNS, TVSHOW_FIELDS,
    Texts, VIDEO_TEXT_FIELDS, video_index,
};

type ArrayResult = Result<ArrayRef, ArrowError>;
type FieldsAndArrays = (Vec<Arc<Field>>, Vec<ArrayRef>);

/// Returns an Arrow C stream of one batch. `sources` fill that column: each with its number of rows.
pub fn stream<'py>(
    py: Python<'py>,
    entries: &Arc<Entries>,
    sources: &[(Option<&str>, usize)],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = detached(py, 64 * entries.row(), || batch(entries, sources));
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Part of the columns that keeps all of them alive.
struct Shared<F> {
    entries: Arc<Entries>,
    part: F,
}

impl<F: Fn(&Entries) -> &[u8]> AsRef<[u8]> for Shared<F> {
    fn as_ref(&self) -> &[u8] {
        (self.part)(&self.entries)
    }
}

fn batch(
    entries: &Arc<Entries>,
    sources: &[(Option<&str>, usize)],
) -> Result<RecordBatch, ArrowError> {
    let columns = ArrowColumns { entries };
    let rows = entries.row();
    let column = |name: &'static str| {
        let array: ArrayRef = match name {
            "lastmod" => Arc::new(
                columns
                    .numbers::<TimestampMicrosecondType>(
                        rows,
                        |e| e.lastmod.values(),
                        |e| e.lastmod.valid(),
                    )?
                    .with_timezone("UTC"),
            ),
            "priority" => Arc::new(columns.numbers::<Float64Type>(
                rows,
                |e| e.priority.values(),
                |e| e.priority.valid(),
            )?),
            "images" => columns.records(&IMAGE_FIELDS, rows, |e| &e.images)?,
            "videos" => columns.videos(rows)?,
            "news" => columns.optional(&NEWS_FIELDS, rows, |e| &e.news)?,
            "alternates" => columns.records(&ALTERNATE_FIELDS, rows, |e| &e.alternates)?,
            "source" => Arc::new(repeated(sources)?),
            "offset" => {
                let offset = columns.buffer(|e| e.offset.to_byte_slice());
                positions::<UInt64Type>(offset, entries.offset.len(), rows)
            }
            "line" => {
                let line = columns.buffer(|e| e.line.to_byte_slice());
                positions::<UInt32Type>(line, entries.line.len(), rows)
            }
            name => {
                let text = TEXT_COLUMNS.iter().find(|text| text.name == name);
                let text = text.ok_or_else(|| ArrowError::SchemaError(name.to_owned()))?;
                columns.texts(rows, text.get)
            }
        };
        let is_nullable = name != "loc" && !matches!(array.data_type(), DataType::List(_));
        Ok((Field::new(name, array.data_type().clone(), is_nullable), array))
    };
    let columns: Result<Vec<_>, ArrowError> = ENTRY_FIELDS.into_iter().map(column).collect();
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns?.into_iter().unzip();
    let schema = Arc::new(arrow_schema::Schema::new(fields));
    RecordBatch::try_new(schema, arrays)
}

/// Returns the column of offsets or lines. Only parsed entries have them.
fn positions<T: ArrowPrimitiveType>(buffer: Buffer, count: usize, rows: usize) -> ArrayRef {
    if count == rows {
        Arc::new(PrimitiveArray::<T>::new(scalars(buffer, rows), None))
    } else {
        Arc::new(PrimitiveArray::<T>::new_null(rows))
    }
}

fn scalars<T: ArrowNativeType>(buffer: Buffer, rows: usize) -> ScalarBuffer<T> {
    ScalarBuffer::new(buffer, 0, rows)
}

/// Returns a column with each text in its number of rows.
fn repeated(texts: &[(Option<&str>, usize)]) -> Result<StringArray, ArrowError> {
    let rows = texts.iter().map(|(_, rows)| rows).sum();
    let size =
        |(text, rows): &(Option<&str>, usize)| text.map_or(0, str::len).saturating_mul(*rows);
    let size = texts.iter().map(size).fold(0, usize::saturating_add);
    if i32::try_from(size).is_err() {
        return Err(ArrowError::OffsetOverflowError(size));
    }
    let (mut ends, mut bytes) = (Vec::with_capacity(rows + 1), Vec::with_capacity(size));
    let mut valid = BooleanBufferBuilder::new(rows);
    ends.push(0);
    let mut end = 0;
    for (text, rows) in texts {
        let text = text.as_ref();
        valid.append_n(*rows, text.is_some());
        let text = text.copied().unwrap_or_default();
        bytes.extend_from_slice(text.repeat(*rows).as_bytes());
        let step = i32::try_from(text.len()).unwrap_or(i32::MAX);
        ends.extend((1..=i32::try_from(*rows).unwrap_or(i32::MAX)).map(|row| end + row * step));
        end = ends[ends.len() - 1];
    }
    let nulls = NullBuffer::new(valid.finish());
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    StringArray::try_new(
        OffsetBuffer::new(ScalarBuffer::from(ends)),
        Buffer::from_vec(bytes),
        nulls,
    )
}

/// Conversion of single columns.
struct ArrowColumns<'a> {
    entries: &'a Arc<Entries>,
}

impl ArrowColumns<'_> {
    fn buffer(&self, part: impl Fn(&Entries) -> &[u8] + Send + Sync + 'static) -> Buffer {
        let shared = Shared { entries: Arc::clone(self.entries), part };
        Buffer::from(Bytes::from_owner(shared))
    }

    fn nulls(
        &self,
        rows: usize,
        part: impl Fn(&Entries) -> &Bits + Send + Sync + 'static,
    ) -> Option<NullBuffer> {
        if part(self.entries).count() == rows {
            return None;
        }
        let bits = self.buffer(move |e| part(e).bytes());
        Some(NullBuffer::new(BooleanBuffer::new(bits, 0, rows)))
    }

    fn texts(
        &self,
        rows: usize,
        part: impl Fn(&Entries) -> &Texts + Send + Sync + Copy + 'static,
    ) -> ArrayRef {
        if part(self.entries).is_all_null() {
            return Arc::new(StringArray::new_null(rows));
        }
        let ends = self.buffer(move |e| part(e).ends().to_byte_slice());
        let ends = OffsetBuffer::new(ScalarBuffer::new(ends, 0, rows + 1));
        let bytes = self.buffer(move |e| part(e).bytes());
        let nulls = self.nulls(rows, move |e| part(e).valid());
        // SAFETY: the ends were built by appending UTF-8 texts to `bytes`.
        Arc::new(unsafe { StringArray::new_unchecked(ends, bytes, nulls) })
    }

    fn numbers<T: ArrowPrimitiveType>(
        &self,
        rows: usize,
        values: impl Fn(&Entries) -> &[T::Native] + Send + Sync + Copy + 'static,
        valid: impl Fn(&Entries) -> &Bits + Send + Sync + Copy + 'static,
    ) -> Result<PrimitiveArray<T>, ArrowError> {
        if valid(self.entries).count() == 0 {
            return Ok(PrimitiveArray::new_null(rows));
        }
        let buffer = self.buffer(move |e| values(e).to_byte_slice());
        PrimitiveArray::try_new(scalars(buffer, rows), self.nulls(rows, valid))
    }

    fn list(
        &self,
        rows: usize,
        item: ArrayRef,
        part: impl Fn(&Entries) -> &List + Send + Sync + Copy + 'static,
    ) -> ArrayResult {
        let ends = if part(self.entries).items() == 0 {
            OffsetBuffer::new_zeroed(rows)
        } else {
            let ends = self.buffer(move |e| part(e).ends().to_byte_slice());
            OffsetBuffer::new(ScalarBuffer::new(ends, 0, rows + 1))
        };
        let is_nullable = !matches!(item.data_type(), DataType::Struct(_));
        let field = Arc::new(Field::new("item", item.data_type().clone(), is_nullable));
        Ok(Arc::new(ListArray::try_new(field, ends, item, None)?))
    }

    fn record<const N: usize>(
        &self,
        names: &[&str; N],
        rows: usize,
        part: impl Fn(&Entries) -> &Record<N> + Send + Sync + Copy + 'static,
    ) -> FieldsAndArrays {
        let mut parts = FieldsAndArrays::default();
        for (number, name) in names.iter().enumerate() {
            parts.0.push(Arc::new(Field::new(*name, DataType::Utf8, true)));
            parts.1.push(self.texts(rows, move |e| &part(e).fields[number]));
        }
        parts
    }

    fn records<const N: usize>(
        &self,
        names: &[&str; N],
        rows: usize,
        part: impl Fn(&Entries) -> &RecordList<N> + Send + Sync + Copy + 'static,
    ) -> ArrayResult {
        let items = part(self.entries).list.items();
        let (fields, arrays) = self.record(names, items, move |e| &part(e).items);
        let item = StructArray::try_new_with_length(fields.into(), arrays, None, items)?;
        self.list(rows, Arc::new(item), move |e| &part(e).list)
    }

    fn optional<const N: usize>(
        &self,
        names: &[&str; N],
        rows: usize,
        part: impl Fn(&Entries) -> &OptionalRecord<N> + Send + Sync + Copy + 'static,
    ) -> ArrayResult {
        let (fields, arrays) = self.record(names, rows, move |e| &part(e).items);
        let nulls = self.nulls(rows, move |e| &part(e).valid);
        let item = StructArray::try_new_with_length(fields.into(), arrays, nulls, rows)?;
        Ok(Arc::new(item))
    }

    /// Returns the column of videos: texts, lists and a structure in the order of the fields.
    fn videos(&self, rows: usize) -> ArrayResult {
        let items = self.entries.videos.list.items();
        let (mut fields, mut arrays) = self.record(&VIDEO_TEXT_FIELDS, items, |e| &e.videos.texts);
        let tags = self.entries.videos.tags.list.items();
        let tags = self.texts(tags, |e| &e.videos.tags.texts);
        let inserted = [
            (
                "content_segments",
                self.records(&SEGMENT_FIELDS, items, |e| &e.videos.content_segments)?,
            ),
            ("tags", self.list(items, tags, |e| &e.videos.tags.list)?),
            ("prices", self.records(&PRICE_FIELDS, items, |e| &e.videos.prices)?),
            ("tvshow", self.optional(&TVSHOW_FIELDS, items, |e| &e.videos.tvshow)?),
            ("ids", self.records(&ID_FIELDS, items, |e| &e.videos.ids)?),
        ];
        for (name, array) in inserted {
            let index = video_index(name);
            let is_nullable = name == "tvshow";
            let field = Field::new(name, array.data_type().clone(), is_nullable);
            fields.insert(index, Arc::new(field));
            arrays.insert(index, array);
        }
        let fields = Fields::from(fields);
        let item = StructArray::try_new_with_length(fields, arrays, None, items)?;
        self.list(rows, Arc::new(item), |e| &e.videos.list)
    }
}
