//! Python class of a scanned page, and the pages of files.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::detached::detached;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use urlset_core::html::{self, Decisions, Element, FilePage, Page};

/// Python object with the facts of a scanned page.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct ScannedPage {
    markup: Py<PyString>,
    page: Page<'static>,
}

/// Scans a page; returns None for markup that the reference engine has to read.
#[pyfunction]
pub fn scan_page(py: Python<'_>, markup: Bound<'_, PyString>) -> PyResult<Option<ScannedPage>> {
    let text = markup.to_str()?;
    let page = detached(py, text.len(), || html::scan(text).map(Page::into_owned));
    Ok(page.ok().map(|page| ScannedPage { markup: markup.unbind(), page }))
}

/// Returns a page as text, with line feeds, if its markup is well-formed; bytes must be UTF-8.
#[pyfunction]
pub fn well_formed_page<'py>(py: Python<'py>, data: &[u8]) -> Option<Bound<'py, PyString>> {
    let is_well_formed = |text: &&str| detached(py, text.len(), || html::is_well_formed(text));
    let data = html::with_line_feeds(data);
    let text = std::str::from_utf8(&data).ok().filter(is_well_formed)?;
    Some(PyString::new(py, text))
}

#[pymethods]
impl ScannedPage {
    #[getter]
    fn title(&self) -> Option<&str> {
        self.page.title.as_deref()
    }

    #[getter]
    fn language(&self) -> Option<&str> {
        self.page.language.as_deref()
    }

    #[getter]
    fn data(&self) -> &[String] {
        &self.page.data
    }

    /// Creates the elements: name, attributes, and whether they are in the head and in boilerplate.
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        elements(py, &self.page.elements)
    }

    fn lines(&self, py: Python<'_>) -> String {
        py.detach(|| self.page.content.lines())
    }

    fn words(
        &self,
        py: Python<'_>,
        origin: &str,
        is_volatile: Py<PyAny>,
        stable_target: Py<PyAny>,
    ) -> PyResult<String> {
        let decisions = PyDecisions { origin, is_volatile, stable_target };
        py.detach(|| self.page.content.words(origin, &decisions))
    }

    /// Returns target and relation of each link; None for markup that is unusual.
    fn anchors<'py>(
        &self,
        py: Python<'py>,
        limit: usize,
    ) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
        let text = self.markup.bind(py).to_str()?;
        let Ok(found) = detached(py, text.len(), || html::anchors(text, limit)) else {
            return Ok(None);
        };
        let none = PyString::intern(py, "");
        let tuple = |anchor: html::Anchor<'_>| {
            let href = PyString::new(py, &anchor.href);
            let rel =
                if anchor.rel.is_empty() { none.clone() } else { PyString::new(py, &anchor.rel) };
            PyTuple::new(py, [href, rel])
        };
        found.into_iter().map(tuple).collect::<PyResult<_>>().map(Some)
    }

    fn has_scripts(&self, py: Python<'_>) -> PyResult<bool> {
        let text = self.markup.bind(py).to_str()?;
        Ok(detached(py, text.len(), || html::has_scripts(text)))
    }
}

fn elements<'py>(py: Python<'py>, elements: &[Element<'_>]) -> PyResult<Bound<'py, PyList>> {
    let found = PyList::empty(py);
    for element in elements {
        let attributes = PyDict::new(py);
        for (name, value) in &element.attributes {
            if !attributes.contains(name)? {
                attributes.set_item(name, value)?;
            }
        }
        let name = PyString::intern(py, element.name);
        found.append((name, attributes, element.in_head, element.in_boilerplate))?;
    }
    Ok(found)
}

/// Python functions that decide about lines and links, which the reference engine has.
pub struct PyDecisions<'o> {
    /// Origin of the page.
    pub origin: &'o str,
    /// Returns whether a line is volatile.
    pub is_volatile: Py<PyAny>,
    /// Returns a link without its volatile parts.
    pub stable_target: Py<PyAny>,
}

impl Decisions for PyDecisions<'_> {
    type Error = PyErr;

    fn is_volatile(&self, line: &str) -> PyResult<bool> {
        Python::attach(|py| self.is_volatile.call1(py, (line,))?.extract(py))
    }

    fn stable_target(&self, link: &str) -> PyResult<String> {
        Python::attach(|py| self.stable_target.call1(py, (link, self.origin))?.extract(py))
    }
}

/// Reads the pages of files. One that needs another engine, or cannot be read, is None. An ordinary
/// page, without a word of `error_words` in its title, is its fingerprint and redirect.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arguments of a Python function")]
pub fn scan_files<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    max_bytes: usize,
    origin: &str,
    names: Option<Vec<String>>,
    error_words: Vec<String>,
    is_volatile: Py<PyAny>,
    stable_target: Py<PyAny>,
) -> PyResult<Vec<Option<Bound<'py, PyTuple>>>> {
    let decisions = PyDecisions { origin, is_volatile, stable_target };
    let pages = py.detach(|| {
        let mut buffer = vec![0; STEP];
        let mut page = |path: &PathBuf| match read(path, max_bytes, &mut buffer) {
            Ok(data) => html::file_page(data, max_bytes, origin, names.as_deref(), &decisions),
            Err(_) => Ok(None),
        };
        paths.iter().map(&mut page).collect::<PyResult<Vec<_>>>()
    })?;
    let row = |page: FilePage<'_>| {
        if page.is_ordinary(&error_words) {
            return (&page.fingerprint, page.refresh()).into_pyobject(py);
        }
        file_page(py, page)
    };
    pages.into_iter().map(|page| page.map(row).transpose()).collect()
}

/// Returns the fields of a page of a file as a tuple; without elements, one of texts only.
pub fn file_page<'py>(py: Python<'py>, page: FilePage<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let none = PyTuple::empty(py);
    let elements = match &page.elements[..] {
        [] => none.clone().into_any(),
        found => elements(py, found)?.into_any(),
    };
    let FilePage { title, language, description, fingerprint, data, .. } = page;
    let data = if data.is_empty() { none.into_any() } else { data.into_pyobject(py)? };
    (title, language, description, fingerprint, elements, data).into_pyobject(py)
}

/// Number of bytes of a new buffer, which is doubled if a page needs it. Most are smaller.
const STEP: usize = 131_072;

/// Reads a file into a buffer: its first `max_bytes`, and at least one more if there are more.
fn read<'b>(path: &Path, max_bytes: usize, buffer: &'b mut Vec<u8>) -> io::Result<&'b [u8]> {
    let mut file = open(path)?;
    let mut length = 0;
    loop {
        match file.read(&mut buffer[length..]) {
            Ok(0) => return Ok(&buffer[..length]),
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length > max_bytes {
            return Ok(&buffer[..length]);
        }
        if length == buffer.len() {
            buffer.resize(2 * length, 0);
        }
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe in the place of the file must not block the thread.
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
