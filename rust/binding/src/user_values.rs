//! Conversion of values from user code to texts, as `urlset.writer.values` converts them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};
use urlset_core::columns::Texts;

use crate::object_cache::DatetimeCache;

type Object<'py> = Bound<'py, PyAny>;

/// Converter of values. It knows the classes that dates must have exactly.
pub struct Values<'py> {
    date: Object<'py>,
    datetime: Object<'py>,
    utc: Object<'py>,
    datetimes: DatetimeCache,
}

impl<'py> Values<'py> {
    /// Creates a converter. `classes` are `date`, `datetime` and the time zone UTC.
    pub fn new(py: Python<'py>, classes: [PyResult<Object<'py>>; 3]) -> PyResult<Self> {
        let [date, datetime, utc] = classes;
        let datetimes = DatetimeCache::new(py)?;
        Ok(Self { date: date?, datetime: datetime?, utc: utc?, datetimes })
    }

    /// Sets a text, or the text of a number, a truth value or a date.
    #[inline]
    pub fn set_text(
        &self,
        column: &mut Texts,
        row: usize,
        value: Option<&Object<'py>>,
    ) -> PyResult<()> {
        match value {
            Some(value) if !value.is_exact_instance_of::<PyString>() => {
                self.set_converted(column, row, value)
            }
            value => set(column, row, value),
        }
    }

    #[inline(never)]
    fn set_converted(&self, column: &mut Texts, row: usize, value: &Object<'py>) -> PyResult<()> {
        if let Ok(flag) = value.cast_exact::<PyBool>() {
            column.set(row, if flag.is_true() { b"yes" } else { b"no" });
        } else if value.is_exact_instance_of::<PyInt>() {
            column.set(row, value.extract::<i64>()?.to_string().as_bytes());
        } else if let Ok(number) = value.cast_exact::<PyFloat>() {
            // In this range, Rust and Python write the same shortest digits, without an exponent.
            let number = number.value();
            if number != 0.0 && !(1e-4..1e15).contains(&number.abs()) {
                return not_plain();
            }
            column.set(row, format!("{number:?}").as_bytes());
        } else {
            return self.set_date(column, row, value);
        }
        Ok(())
    }

    /// Sets the text of a date: from a date, a datetime with a zone, or a text. A datetime in UTC
    /// may also have a text for the same instant.
    pub fn set_lastmod(
        &mut self,
        column: &mut Texts,
        row: usize,
        (lastmod, text): (Option<&Object<'py>>, Option<&Object<'py>>),
    ) -> PyResult<()> {
        let (Some(lastmod), Some(text)) = (lastmod, text) else {
            return match lastmod {
                Some(value) if !value.is_exact_instance_of::<PyString>() => {
                    self.set_date(column, row, value)
                }
                value => set(column, row, value.or(text)),
            };
        };
        if !lastmod.get_type().is(&self.datetime)
            || !lastmod.getattr(pyo3::intern!(lastmod.py(), "tzinfo"))?.is(&self.utc)
        {
            return not_plain();
        }
        let stated = text.cast_exact::<PyString>()?.to_str()?;
        let Some(instant) = instant_of(stated) else { return not_plain() };
        if !self.datetimes.get(lastmod.py(), instant)?.eq(lastmod)? {
            return not_plain();
        }
        column.set(row, stated.as_bytes());
        Ok(())
    }

    /// Sets the text of a date, or of a datetime with a zone.
    fn set_date(&self, column: &mut Texts, row: usize, value: &Object<'py>) -> PyResult<()> {
        let class = value.get_type();
        let is_day = class.is(&self.date);
        if !is_day && !class.is(&self.datetime) {
            return not_plain();
        }
        if !is_day && let Some(fields) = self.fields_in_utc(value)? {
            column.set(row, urlset_core::dates::format_fields(fields).as_bytes());
            return Ok(());
        }
        let written = value.call_method0(pyo3::intern!(value.py(), "isoformat"))?;
        let written = written.cast::<PyString>()?.to_str()?;
        if let Some(moment) = written.strip_suffix("+00:00") {
            column.set(row, [moment, "Z"].concat().as_bytes());
        } else if instant_of(written).is_some() {
            column.set(row, written.as_bytes());
        } else {
            return not_plain(); // without a zone, or with an offset that no W3C date may have
        }
        Ok(())
    }

    /// Returns the numbers of a datetime in UTC, from its pickled form: a tenth of the time of
    /// `isoformat`.
    fn fields_in_utc(&self, datetime: &Object<'_>) -> PyResult<Option<[u8; 10]>> {
        let reduced = datetime.call_method0(pyo3::intern!(datetime.py(), "__reduce__"))?;
        let arguments = reduced.cast_into::<PyTuple>()?.get_item(1)?.cast_into::<PyTuple>()?;
        if arguments.len() < 2 || !arguments.get_item(1)?.is(&self.utc) {
            return Ok(None);
        }
        Ok(arguments.get_item(0)?.cast::<PyBytes>()?.as_bytes().first_chunk().copied())
    }
}

/// Returns the instant of a W3C date.
fn instant_of(text: &str) -> Option<i64> {
    urlset_core::dates::w3c_instant(text.as_bytes()).or_else(|| {
        let date = urlset_core::dates::parse_date(text);
        date.instant.filter(|_| date.code.is_none())
    })
}

/// Sets a text.
pub fn set(column: &mut Texts, row: usize, value: Option<&Object<'_>>) -> PyResult<()> {
    if let Some(value) = value {
        column.set(row, value.cast_exact::<PyString>()?.to_str()?.as_bytes());
    }
    Ok(())
}

/// Returns a number, which may also be an integer or a decimal as text.
pub fn number_of(value: &Object<'_>) -> PyResult<f64> {
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        return Ok(number.value());
    }
    if value.is_exact_instance_of::<PyInt>() {
        return Ok(value.extract::<i32>()?.into());
    }
    let text = value.cast_exact::<PyString>()?.to_str()?;
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_decimal).map_or_else(not_plain, Ok)
}

/// Returns the error for a value that only the validation in Python understands.
pub fn not_plain<T>() -> PyResult<T> {
    Err(PyTypeError::new_err("expected a plain value"))
}
