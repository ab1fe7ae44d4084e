//! Digests of entries with extensions, by which a build notices that one changed.

use memchr::memmem::Finder;

use crate::blake2b::{blake2b_128, hexadecimal};
use crate::columns::Entries;

/// Start of the tags of extensions, with the prefixes that the renderer writes.
const TAGS: [&str; 4] = ["<image:", "<video:", "<news:", "<xhtml:"];
const DATE: &[u8] = b"<lastmod>";
const DATE_END: &[u8] = b"</lastmod>";

/// Returns a hexadecimal digest of the bytes of each entry with an extension, without its date; None for
/// the others. The last entry of the text ends at `end`.
#[must_use]
pub fn entry_digests(text: &[u8], entries: &Entries, end: usize) -> Vec<Option<String>> {
    let tags = TAGS.map(Finder::new);
    let date = [DATE, DATE_END].map(Finder::new);
    let start = |row: usize| {
        let offset = entries.offset.get(row).and_then(|offset| usize::try_from(*offset).ok());
        offset.unwrap_or(end)
    };
    let mut undated = Vec::new();
    let digest = |row| {
        let entry = text.get(start(row)..start(row + 1)).unwrap_or_default();
        let has_extension = tags.iter().any(|tag| tag.find(entry).is_some());
        if !has_extension && entries.extra.get(row).is_none() {
            return None;
        }
        undated.clear();
        add_undated(&mut undated, entry, &date);
        Some(hexadecimal(blake2b_128(&undated, [0; 16])))
    };
    (0..entries.row()).map(digest).collect()
}

/// Adds an entry without its first date.
fn add_undated(undated: &mut Vec<u8>, entry: &[u8], [begin, end]: &[Finder<'_>; 2]) {
    let found = begin.find(entry).and_then(|start| {
        let length = end.find(&entry[start..])? + DATE_END.len();
        Some((start, start + length))
    });
    let (start, end) = found.unwrap_or_default();
    undated.extend_from_slice(&entry[..start]);
    undated.extend_from_slice(&entry[end..]);
}
