//! Elements of a document: their byte ranges, names and nesting.
//!
//! Nothing is decoded, repaired or reported.

use std::collections::HashMap;

use crate::context::Context;
use crate::prolog::{Format, read_prolog};
use crate::tags::{Tag, Tags};

/// Local names of entries.
const ENTRIES: [&[u8]; 4] = [b"url", b"sitemap", b"item", b"entry"];

/// Elements in document order, as columns: `urlset.engine.ElementSpans`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ElementSpans<'a> {
    /// Start of each start tag.
    pub starts: Vec<usize>,
    /// End of each start tag.
    pub content_starts: Vec<usize>,
    /// Start of each end tag; the end of the element if it has none.
    pub content_ends: Vec<usize>,
    /// End of each element.
    pub ends: Vec<usize>,
    /// Row of the innermost element that is open at the start tag, if any.
    pub parents: Vec<Option<u32>>,
    /// Row of the first element that begins after this one is closed.
    pub following: Vec<u32>,
    /// Name of each element, as a row of `name_table`.
    pub names: Vec<u32>,
    /// Rows of the entries.
    pub entries: Vec<u32>,
    /// Names as written.
    pub name_table: Vec<&'a [u8]>,
}

/// Returns the elements of a document; none if it is not XML.
#[must_use]
pub fn element_spans(text: &str) -> ElementSpans<'_> {
    let mut builder = Builder::default();
    if let Format::Xml(root) = read_prolog(&mut Context::new(text, None, &[])) {
        for tag in Tags::new(text.as_bytes(), root) {
            if tag.is_end { builder.close(&tag) } else { builder.open(&tag) }
        }
    }
    while !builder.stack.is_empty() {
        builder.pop_unclosed(text.len());
    }
    builder.spans
}

/// Name of elements, of which the open ones are counted.
struct Name {
    /// Number of its lower case.
    lower: usize,
    is_entry: bool,
    /// Number of open elements.
    open: usize,
}

/// Element whose end was not found yet.
#[derive(Clone, Copy)]
struct OpenElement {
    row: u32,
    name: u32,
}

/// Entry whose end was not found yet.
struct OpenEntry {
    row: u32,
    /// Start of the first entry in it.
    cut: Option<usize>,
}

#[derive(Default)]
struct Builder<'a> {
    spans: ElementSpans<'a>,
    stack: Vec<OpenElement>,
    open_entries: Vec<OpenEntry>,
    ids: HashMap<&'a [u8], u32>,
    names: Vec<Name>,
    lower_ids: HashMap<Vec<u8>, usize>,
    /// Number of open elements of each name in lower case.
    open_lower: Vec<usize>,
}

impl<'a> Builder<'a> {
    /// Adds an element.
    fn open(&mut self, tag: &Tag<'a>) {
        let row = to_u32(self.spans.starts.len());
        let id = self.id(tag.name);
        let name = &mut self.names[id as usize];
        self.spans.starts.push(tag.start);
        self.spans.content_starts.push(tag.end);
        self.spans.content_ends.push(tag.end);
        self.spans.ends.push(tag.end);
        self.spans.parents.push(self.stack.last().map(|top| top.row));
        self.spans.following.push(row + 1);
        self.spans.names.push(id);
        if name.is_entry {
            self.spans.entries.push(row);
            if let Some(entry) = self.open_entries.last_mut() {
                entry.cut.get_or_insert(tag.start);
            }
        }
        if !tag.is_empty {
            name.open += 1;
            self.open_lower[name.lower] += 1;
            self.stack.push(OpenElement { row, name: id });
            if name.is_entry {
                self.open_entries.push(OpenEntry { row, cut: None });
            }
        }
    }

    /// Ends the innermost element of a name and all elements in it. Letter case is the fallback.
    fn close(&mut self, tag: &Tag<'a>) {
        let id = match self.stack.last() {
            Some(top) if self.spans.name_table[top.name as usize] == tag.name => Some(top.name),
            _ => self.ids.get(tag.name).copied(),
        };
        if let Some(id) = id
            && self.names[id as usize].open > 0
        {
            while self.stack.last().is_some_and(|top| top.name != id) {
                self.pop_unclosed(tag.start);
            }
        } else if let Some(lower) = self.lower_ids.get(&tag.name.to_ascii_lowercase()).copied()
            && self.open_lower[lower] > 0
        {
            while let Some(top) = self.stack.last()
                && self.names[top.name as usize].lower != lower
            {
                self.pop_unclosed(tag.start);
            }
        } else {
            return;
        }
        if let Some((row, _)) = self.pop() {
            self.spans.content_ends[row] = tag.start;
            self.spans.ends[row] = tag.end;
        }
    }

    /// Ends an element without an end tag.
    fn pop_unclosed(&mut self, end: usize) {
        let around = self.open_entries.last().and_then(|entry| entry.cut);
        if let Some((row, own)) = self.pop() {
            let cut = own.map_or(around, |entry| entry.cut);
            let end = cut.filter(|cut| *cut > self.spans.starts[row]).unwrap_or(end);
            self.spans.content_ends[row] = end;
            self.spans.ends[row] = end;
        }
    }

    /// Removes the innermost open element. Returns its row and, if it is one, its entry.
    fn pop(&mut self) -> Option<(usize, Option<OpenEntry>)> {
        let OpenElement { row, name } = self.stack.pop()?;
        self.spans.following[row as usize] = to_u32(self.spans.starts.len());
        let name = &mut self.names[name as usize];
        name.open -= 1;
        self.open_lower[name.lower] -= 1;
        let entry = self.open_entries.pop_if(|entry| entry.row == row);
        Some((row as usize, entry))
    }

    fn id(&mut self, written: &'a [u8]) -> u32 {
        if let Some(id) = self.ids.get(written) {
            return *id;
        }
        let id = to_u32(self.names.len());
        self.ids.insert(written, id);
        self.spans.name_table.push(written);
        let lower_name = written.to_ascii_lowercase();
        let local = lower_name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        let is_entry = ENTRIES.contains(&local);
        let number = self.lower_ids.len();
        let lower = *self.lower_ids.entry(lower_name).or_insert(number);
        if lower == self.open_lower.len() {
            self.open_lower.push(0);
        }
        self.names.push(Name { lower, is_entry, open: 0 });
        id
    }
}

/// Converts a row number. A text with more elements would not fit into memory.
fn to_u32(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unclosed_entry_ends_where_the_next_one_begins() {
        let text = "<urlset><url><loc>a</LOC><url><b></urlset>";
        let spans = element_spans(text);
        let elements: Vec<&str> =
            spans.starts.iter().zip(&spans.ends).map(|(start, end)| &text[*start..*end]).collect();
        assert_eq!(elements, [text, "<url><loc>a</LOC>", "<loc>a</LOC>", "<url><b>", "<b>"]);
        assert_eq!(spans.parents, [None, Some(0), Some(1), Some(1), Some(3)]);
        assert_eq!(spans.following, [5, 5, 3, 5, 5]);
        assert_eq!(spans.entries, [1, 3]);
    }
}
