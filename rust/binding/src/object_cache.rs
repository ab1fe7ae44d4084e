//! Python objects made in great numbers: named tuples, texts, datetimes.

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

/// Any object.
pub type Object<'py> = Bound<'py, PyAny>;

/// Makes named tuples of one class: copies of a defaults one, in which some fields are set then.
pub struct TupleClass {
    kind: Py<PyType>,
    /// The arguments of `tuple.__new__` behind the class: the defaults one alone.
    defaults: Py<PyTuple>,
    new: ffi::newfunc,
}

impl TupleClass {
    /// Takes a subclass of `tuple` and the values that fields have which are not set. They, and
    /// whatever is set, must be what cannot lead back to the tuple: texts, numbers, such tuples.
    pub fn new(class: &Bound<'_, PyType>, defaults: Vec<Object<'_>>) -> PyResult<Self> {
        let py = class.py();
        if !class.is_subclass_of::<PyTuple>()? {
            return Err(pyo3::exceptions::PyTypeError::new_err("expected a class of tuples"));
        }
        let new = new_of(&py.get_type::<PyTuple>())?;
        let defaults = PyTuple::new(py, [PyTuple::new(py, defaults)?])?;
        Ok(Self { kind: class.clone().unbind(), defaults: defaults.unbind(), new })
    }

    /// Makes a defaults one.
    #[inline]
    pub fn make<'py>(&self, py: Python<'py>) -> PyResult<NewTuple<'py>> {
        let (class, arguments) = (self.kind.as_ptr().cast(), self.defaults.as_ptr());
        // SAFETY: as the interpreter calls it for `tuple.__new__(class, defaults)`; that `class` is
        // a subclass of `tuple` was looked at.
        let made = unsafe { (self.new)(class, arguments, std::ptr::null_mut()) };
        // SAFETY: a new reference, or null and an error.
        unsafe { Bound::from_owned_ptr_or_err(py, made) }.map(NewTuple)
    }
}

/// The function behind `__new__` of a class.
fn new_of(class: &Bound<'_, PyType>) -> PyResult<ffi::newfunc> {
    // SAFETY: the slot of a type, which is null or what its number says: here, a `newfunc`.
    let new = unsafe {
        let slot = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new);
        std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::newfunc>>(slot)
    };
    new.ok_or_else(|| PySystemError::new_err(format!("expected {class} to have a tp_new")))
}

/// A tuple that nobody else has yet.
pub struct NewTuple<'py>(Object<'py>);

impl<'py> NewTuple<'py> {
    /// A plain tuple, all of whose slots must be set.
    #[inline]
    pub fn tuple(py: Python<'py>, size: usize) -> PyResult<Self> {
        // SAFETY: a new reference, or null and an error.
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyTuple_New(size.try_into()?)) }.map(Self)
    }

    /// Sets a field.
    #[inline]
    pub fn set(&self, slot: usize, value: Object<'py>) -> PyResult<()> {
        // A slot that is too big for the type is none of the tuple's either.
        let slot = ffi::Py_ssize_t::try_from(slot).unwrap_or(ffi::Py_ssize_t::MAX);
        // SAFETY: the function takes the reference over, and looks at all else by itself.
        match unsafe { ffi::PyTuple_SetItem(self.0.as_ptr(), slot, value.into_ptr()) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(self.0.py())),
        }
    }

    /// The tuple. The garbage collector need not know it, for it cannot be part of a circle: to
    /// visit all entries of a document again and again took a third of the time to make them.
    #[inline]
    pub fn finish(self) -> Object<'py> {
        // SAFETY: a tuple is an object that the collector may know.
        unsafe { ffi::PyObject_GC_UnTrack(self.0.as_ptr().cast()) };
        self.0
    }
}

/// Objects that are used again for the same value; a few, each in the only slot it can have.
struct ObjectCache<K> {
    slots: Vec<Option<(K, Py<PyAny>)>>,
}

impl<K: Copy + PartialEq> ObjectCache<K> {
    const BITS: u32 = 8;

    fn new() -> Self {
        Self { slots: std::iter::repeat_with(|| None).take(1 << Self::BITS).collect() }
    }

    /// The object of a value; `bits` are what tells values apart.
    #[inline]
    fn get<'py>(
        &mut self,
        py: Python<'py>,
        key: K,
        bits: u64,
        make: impl FnOnce() -> PyResult<Object<'py>>,
    ) -> PyResult<Object<'py>> {
        // Fibonacci's hashing.
        let slot = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS);
        let slot = &mut self.slots[usize::try_from(slot).unwrap_or(0)];
        if let Some((_, cache)) = slot.as_ref().filter(|(cache, _)| *cache == key) {
            return Ok(cache.bind(py).clone());
        }
        let made = make()?;
        if let Some((_, old)) = slot.replace((key, made.clone().unbind())) {
            old.drop_ref(py);
        }
        Ok(made)
    }
}

/// Makes texts; short ones that come again are the same object.
pub struct StringCache(ObjectCache<(u64, u64, usize)>);

impl StringCache {
    /// Begins without any.
    pub fn new() -> Self {
        Self(ObjectCache::new())
    }

    /// Makes the text of some UTF-8.
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

/// All of a text of at most sixteen bytes: how it begins and how it ends, which may overlap.
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
    // SAFETY: pointer and length are those of a slice; the bytes are looked at; what comes is a
    // new reference, or null and an error.
    unsafe {
        let made = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), length);
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// Makes numbers; those that come again are the same object.
pub struct FloatCache(ObjectCache<u64>);

impl FloatCache {
    /// Begins without any.
    pub fn new() -> Self {
        Self(ObjectCache::new())
    }

    /// Makes a float.
    pub fn get<'py>(&mut self, py: Python<'py>, number: f64) -> PyResult<Object<'py>> {
        let bits = number.to_bits();
        self.0.get(py, bits, bits, || Ok(number.into_pyobject(py)?.into_any()))
    }
}

/// Makes aware datetimes; those that come again are the same object.
pub struct DatetimeCache {
    datetime: Py<PyType>,
    new: ffi::newfunc,
    utc: Py<PyAny>,
    cache: ObjectCache<i64>,
}

impl DatetimeCache {
    /// Finds the class.
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

    /// Makes the datetime of an instant of the years 1 to 9999.
    ///
    /// By the ten bytes that a datetime is pickled as: 60 ns, where seven numbers take 160
    /// (Python 3.11).
    pub fn get<'py>(&mut self, py: Python<'py>, instant: i64) -> PyResult<Object<'py>> {
        let Self { datetime, new, utc, cache } = self;
        cache.get(py, instant, instant.cast_unsigned(), || {
            let state = PyBytes::new(py, &urlset_core::dates::fields(instant));
            let arguments = (state, &*utc).into_pyobject(py)?;
            // SAFETY: as the interpreter calls it for `datetime(state, utc)`; a new reference
            // comes, or null and an error.
            unsafe {
                let made = new(datetime.as_ptr().cast(), arguments.as_ptr(), std::ptr::null_mut());
                Bound::from_owned_ptr_or_err(py, made)
            }
        })
    }
}
