//! Python class that reads pages which were visited.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use urlset_core::html::{self, Anchor, BaseUrl};

use crate::detached::detached;
use crate::html::{PyDecisions, file_page};

/// Python object that reads pages of a site, with the `meta` elements of some names.
#[pyclass(frozen, module = "urlset.engine._native")]
pub struct PageReader {
    names: Vec<String>,
    limit: usize,
    is_volatile: Py<PyAny>,
    stable_target: Py<PyAny>,
}

type PyVisitedPage<'py> = (
    Bound<'py, PyTuple>,
    Vec<(String, &'static str)>,
    Vec<(String, String)>,
    Vec<(&'static str, String)>,
    bool,
    usize,
    Option<Bound<'py, PyTuple>>,
);

#[pymethods]
impl PageReader {
    #[new]
    fn new(
        names: Vec<String>,
        limit: usize,
        is_volatile: Py<PyAny>,
        stable_target: Py<PyAny>,
    ) -> Self {
        Self { names, limit, is_volatile, stable_target }
    }

    /// Reads a page; returns None for one that another engine, or the repair, has to read.
    fn read<'py>(
        &self,
        py: Python<'py>,
        data: &[u8],
        url: &str,
        origin: &str,
        resolve: &Bound<'py, PyAny>,
        has_links: bool,
    ) -> PyResult<Option<PyVisitedPage<'py>>> {
        let Some(base) = BaseUrl::new(url, origin) else { return Ok(None) };
        let is_volatile = self.is_volatile.clone_ref(py);
        let stable_target = self.stable_target.clone_ref(py);
        let decisions = PyDecisions { origin, is_volatile, stable_target };
        let data = html::with_line_feeds(data);
        let read = || html::visited_page(&data, &base, origin, &self.names, self.limit, &decisions);
        let Some(found) = detached(py, data.len(), read)? else { return Ok(None) };
        let mut links = Links::default();
        for anchor in &found.anchors {
            links.add(anchor, &base, resolve, has_links)?;
        }
        let html::HeadLinks { canonicals, alternates, pagination } = found.head;
        Ok(Some((
            file_page(py, found.page)?,
            canonicals,
            alternates,
            pagination,
            found.has_scripts,
            links.count,
            has_links.then(|| links.columns(py)).transpose()?,
        )))
    }
}

/// Links of a page by target and relation, in the order in which they were found.
#[derive(Default)]
struct Links<'a> {
    count: usize,
    found: Vec<(String, &'a str, usize)>,
    places: HashMap<(String, &'a str), usize>,
}

impl<'a> Links<'a> {
    /// Adds a link, whose target `resolve` returns if it is unusual.
    fn add(
        &mut self,
        anchor: &'a Anchor<'_>,
        base: &BaseUrl<'_>,
        resolve: &Bound<'_, PyAny>,
        has_links: bool,
    ) -> PyResult<()> {
        let target = match base.resolve(&anchor.href) {
            Some(_) if !has_links => None,
            Some(target) => Some(target.into_owned()),
            None => match resolve.call1((&*anchor.href,))?.extract::<Option<String>>()? {
                Some(target) => Some(target),
                None => return Ok(()),
            },
        };
        self.count += 1;
        let Some(target) = target.filter(|_| has_links) else { return Ok(()) };
        match self.places.entry((target, &anchor.rel)) {
            Entry::Occupied(place) => self.found[*place.get()].2 += 1,
            Entry::Vacant(place) => {
                self.found.push((place.key().0.clone(), &anchor.rel, 1));
                place.insert(self.found.len() - 1);
            }
        }
        Ok(())
    }

    /// Returns the columns target, relation, whether it has nofollow, and number, as text.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let targets = PyTuple::new(py, self.found.iter().map(|(target, ..)| target))?;
        let relations = self.found.iter().map(|(_, relation, _)| Some(*relation));
        let relations = relations.map(|relation| relation.filter(|text| !text.is_empty()));
        let flag = |relation: &str| {
            let flag = if relation.contains("nofollow") { "true" } else { "false" };
            PyString::intern(py, flag)
        };
        let flags = self.found.iter().map(|(_, relation, _)| flag(relation));
        let counts = self.found.iter().map(|(.., count)| match count {
            1 => PyString::intern(py, "1"),
            count => PyString::new(py, &count.to_string()),
        });
        let columns = [
            targets,
            PyTuple::new(py, relations.collect::<Vec<_>>())?,
            PyTuple::new(py, flags)?,
            PyTuple::new(py, counts)?,
        ];
        PyTuple::new(py, columns)
    }
}
