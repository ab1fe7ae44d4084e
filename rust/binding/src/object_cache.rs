//! Fast creation and reuse of Python objects: named tuples, strings, floats, datetimes.

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

/// Any Python object.
pub type Object<'py> = Bound<'py, PyAny>;

/// Factory for named tuples of one class. A new tuple is a copy of one with default values.
pub struct TupleClass {
    kind: Py<PyType>,
    /// Arguments of `tuple.__new__` after the class: the tuple of default values.
    defaults: Py<PyTuple>,
    new: ffi::newfunc,
}

impl TupleClass {
    /// Creates a factory from a subclass of `tuple` and the default values.
    ///
    /// The defaults and all values set later must be unable to refer back to the tuple: strings,
    /// numbers, and tuples of these.
    pub fn new(class: &Bound<'_, PyType>, defaults: Vec<Object<'_>>) -> PyResult<Self> {
        let py = class.py();
        if !class.is_subclass_of::<PyTuple>()? {
            return Err(pyo3::exceptions::PyTypeError::new_err("expected a subclass of tuple"));
        }
        let new = new_of(&py.get_type::<PyTuple>())?;
        let defaults = PyTuple::new(py, [PyTuple::new(py, defaults)?])?;
        Ok(Self { kind: class.clone().unbind(), defaults: defaults.unbind(), new })
    }

    /// Creates a tuple with default values.
    #[inline]
    pub fn make<'py>(&self, py: Python<'py>) -> PyResult<NewTuple<'py>> {
        let (class, arguments) = (self.kind.as_ptr().cast(), self.defaults.as_ptr());
        // SAFETY: the same call as the interpreter makes for `tuple.__new__(class, defaults)`;
        // `new` has checked that `class` is a subclass of `tuple`.
        let object = unsafe { (self.new)(class, arguments, std::ptr::null_mut()) };
        // SAFETY: the call returns a new reference, or null and sets an error.
        unsafe { Bound::from_owned_ptr_or_err(py, object) }.map(NewTuple)
    }
}

/// Returns the function behind `__new__` of a class.
fn new_of(class: &Bound<'_, PyType>) -> PyResult<ffi::newfunc> {
    // SAFETY: the slot of a type is null or has the type of its number, here `newfunc`.
    let new = unsafe {
        let slot = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new);
        std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::newfunc>>(slot)
    };
    new.ok_or_else(|| PySystemError::new_err(format!("expected {class} to have a tp_new")))
}

/// Tuple without another reference.
pub struct NewTuple<'py>(Object<'py>);

impl<'py> NewTuple<'py> {
    /// Creates a plain tuple. The caller must set all its slots.
    #[inline]
    pub fn tuple(py: Python<'py>, size: usize) -> PyResult<Self> {
        // SAFETY: the call returns a new reference, or null and sets an error.
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyTuple_New(size.try_into()?)) }.map(Self)
    }

    /// Sets a field.
    #[inline]
    pub fn set(&self, slot: usize, value: Object<'py>) -> PyResult<()> {
        // An index that does not fit the type is out of range of any tuple.
        let slot = ffi::Py_ssize_t::try_from(slot).unwrap_or(ffi::Py_ssize_t::MAX);
        // SAFETY: the function takes over the reference and checks its arguments.
        match unsafe { ffi::PyTuple_SetItem(self.0.as_ptr(), slot, value.into_ptr()) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(self.0.py())),
        }
    }

    /// Returns the tuple and removes it from the garbage collector, because it cannot be part of a
    /// cycle. Repeated visits of all entries of a document took a third of the time to create them.
    #[inline]
    pub fn finish(self) -> Object<'py> {
        // SAFETY: a tuple is an object that the collector may track.
        unsafe { ffi::PyObject_GC_UnTrack(self.0.as_ptr().cast()) };
        self.0
    }
}

/// Cache of objects by value. It has few slots, and each value has one possible slot.
struct ObjectCache<K> {
    slots: Vec<Option<(K, Py<PyAny>)>>,
}

impl<K: Copy + PartialEq> ObjectCache<K> {
    const BITS: u32 = 8;

    fn new() -> Self {
        Self { slots: std::iter::repeat_with(|| None).take(1 << Self::BITS).collect() }
    }

    /// Returns the object for a value. `bits` is hashed to find its slot.
    #[inline]
    fn get<'py>(
        &mut self,
        py: Python<'py>,
        key: K,
        bits: u64,
        make: impl FnOnce() -> PyResult<Object<'py>>,
    ) -> PyResult<Object<'py>> {
        // Fibonacci hashing.
        let slot = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS);
        let slot = &mut self.slots[usize::try_from(slot).unwrap_or(0)];
        if let Some((_, cache)) = slot.as_ref().filter(|(cache, _)| *cache == key) {
            return Ok(cache.bind(py).clone());
        }
        let object = make()?;
        if let Some((_, old)) = slot.replace((key, object.clone().unbind())) {
            old.drop_ref(py);
        }
        Ok(object)
    }
}

/// Creates strings and reuses short ones.
pub struct StringCache(ObjectCache<(u64, u64, usize)>);

impl StringCache {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self(ObjectCache::new())
    }

    /// Returns the string for UTF-8 bytes.
    #[inline]
    pub fn get<'py>(&mut self, py: Python<'py>, text: &[u8]) -> PyResult<Object<'py>> {
        match ends(text) {
            Some((first, last)) => {
                let bits = first ^ last.rotate_left(29);
                self.0.get(py, (first, last, text.len()), bits, || string(py, text))
            }
            None => string(py, text),
        }
    }
}

/// Returns the first and last bytes of a text of at most sixteen bytes. They may overlap and
/// contain the whole text.
#[inline]
fn ends(text: &[u8]) -> Option<(u64, u64)> {
    let join = |sum, byte: &u8| sum << 8 | u64::from(*byte);
    Some(match text.len() {
        0..4 => (text.iter().fold(0, join), 0),
        4..8 => (
            u32::from_le_bytes(*text.first_chunk()?).into(),
            u32::from_le_bytes(*text.last_chunk()?).into(),
        ),
        8..=16 => {
            (u64::from_le_bytes(*text.first_chunk()?), u64::from_le_bytes(*text.last_chunk()?))
        }
        _ => return None,
    })
}

#[inline]
fn string<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Object<'py>> {
    let length = ffi::Py_ssize_t::try_from(text.len())?;
    // SAFETY: pointer and length are those of a slice; the function checks the bytes; it returns a
    // new reference, or null and sets an error.
    unsafe {
        let object = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), length);
        Bound::from_owned_ptr_or_err(py, object)
    }
}

/// Creates floats and reuses equal ones.
pub struct FloatCache(ObjectCache<u64>);

impl FloatCache {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self(ObjectCache::new())
    }

    /// Returns the float for a number.
    pub fn get<'py>(&mut self, py: Python<'py>, number: f64) -> PyResult<Object<'py>> {
        let bits = number.to_bits();
        self.0.get(py, bits, bits, || Ok(number.into_pyobject(py)?.into_any()))
    }
}

/// Creates datetimes in UTC and reuses equal ones.
pub struct DatetimeCache {
    datetime: Py<PyType>,
    new: ffi::newfunc,
    utc: Py<PyAny>,
    cache: ObjectCache<i64>,
}

impl DatetimeCache {
    /// Creates an empty cache and looks up the class.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("datetime")?;
        let datetime = module.getattr("datetime")?.cast_into::<PyType>()?;
        let utc = module.getattr("UTC")?.unbind();
        Ok(Self {
            new: new_of(&datetime)?,
            datetime: datetime.unbind(),
            utc,
            cache: ObjectCache::new(),
        })
    }

    /// Returns the datetime for an instant in the years 1 to 9999.
    ///
    /// It is created from the ten bytes of its pickled form: 60 ns, instead of 160 ns from seven
    /// numbers (Python 3.11).
    pub fn get<'py>(&mut self, py: Python<'py>, instant: i64) -> PyResult<Object<'py>> {
        let Self { datetime, new, utc, cache } = self;
        cache.get(py, instant, instant.cast_unsigned(), || {
            let state = PyBytes::new(py, &urlset_core::dates::fields(instant));
            let arguments = (state, &*utc).into_pyobject(py)?;
            // SAFETY: the same call as the interpreter makes for `datetime(state, utc)`; it returns
            // a new reference, or null and sets an error.
            unsafe {
                let object =
                    new(datetime.as_ptr().cast(), arguments.as_ptr(), std::ptr::null_mut());
                Bound::from_owned_ptr_or_err(py, object)
            }
        })
    }
}
