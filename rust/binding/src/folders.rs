//! Lists folders. A thread that releases the GIL for each file waits for it as often.

use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Name, whether it is a symbolic link, kind, size, time of modification, and state of a file.
type Row = (OsString, bool, Option<&'static str>, u64, i64, Option<String>);

/// Returns the visible names of a folder, sorted by their bytes, and the rows of its folders and of
/// the files with one of the endings; None if it cannot be read, or not all of it.
#[pyfunction]
pub fn list_folder(
    py: Python<'_>,
    path: PathBuf,
    endings: Vec<String>,
) -> Option<(Vec<OsString>, Vec<Row>)> {
    py.detach(|| examined(visible(path)?, &endings)).ok()
}

fn visible(path: PathBuf) -> io::Result<Vec<(OsString, DirEntry)>> {
    let mut entries = Vec::new();
    for entry in path.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(b".") {
            entries.push((name, entry));
        }
    }
    Ok(entries)
}

fn examined(
    mut entries: Vec<(OsString, DirEntry)>,
    endings: &[String],
) -> io::Result<(Vec<OsString>, Vec<Row>)> {
    entries.sort_unstable_by(|(one, _), (other, _)| {
        one.as_encoded_bytes().cmp(other.as_encoded_bytes())
    });
    let mut names = Vec::with_capacity(entries.len());
    let mut rows = Vec::new();
    for (name, entry) in entries {
        rows.extend(row(&name, &entry, endings)?);
        names.push(name);
    }
    Ok((names, rows))
}

/// Returns the row of a folder or of a file with one of the endings.
fn row(name: &OsStr, entry: &DirEntry, endings: &[String]) -> io::Result<Option<Row>> {
    let found = entry.file_type().ok();
    let is_link = found.is_some_and(|kind| kind.is_symlink());
    let is_page = has_ending(name, endings);
    if !is_page && !is_link && found.is_some_and(|kind| !kind.is_dir()) {
        return Ok(None);
    }
    let row = |kind, size, modified, state| (name.to_owned(), is_link, kind, size, modified, state);
    let status = if is_link { entry.path().metadata() } else { entry.metadata() };
    Ok(match status {
        Ok(found) if found.is_dir() => Some(row(Some("folder"), 0, 0, None)),
        _ if !is_page => None,
        Ok(found) => {
            let kind = if found.is_file() { "file" } else { "other" };
            let (modified, state) = state(&found).ok_or(io::ErrorKind::Unsupported)?;
            Some(row(Some(kind), found.len(), modified, state))
        }
        Err(_) => Some(row(None, 0, 0, None)),
    })
}

fn has_ending(name: &OsStr, endings: &[String]) -> bool {
    let name = name.to_string_lossy();
    if name.is_ascii() {
        let name = name.as_bytes();
        return endings.iter().any(|ending| {
            let start = name.len().checked_sub(ending.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(ending.as_bytes()))
        });
    }
    let name = name.to_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Returns the time of modification in nanoseconds, and the state; None for times that a number
/// cannot hold.
#[cfg(unix)]
fn state(found: &Metadata) -> Option<(i64, Option<String>)> {
    use std::os::unix::fs::MetadataExt;
    let time =
        |seconds: i64, nanoseconds| seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds);
    let modified = time(found.mtime(), found.mtime_nsec())?;
    let changed = time(found.ctime(), found.ctime_nsec())?;
    let state = || format!("{} {modified} {changed} {}", found.size(), found.ino());
    Some((modified, (found.ino() != 0).then(state)))
}

#[cfg(not(unix))]
fn state(_: &Metadata) -> Option<(i64, Option<String>)> {
    None
}
