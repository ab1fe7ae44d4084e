//! DOCTYPE declarations: skipped, except that internal entities are stored.
//!
//! External entities are never fetched.

use memchr::memmem;

use crate::codes::{X002, X015, X016};
use crate::context::{Context, SearchCache};
use crate::references::name_length;
use crate::search::{find_byte, is_xml_space, skip_space};

/// Relevant part of a DOCTYPE.
enum Part<'a> {
    /// Comment, processing instruction or quoted text.
    Other,
    /// Declaration of an internal entity: name and value.
    Entity(&'a [u8], &'a [u8]),
    /// Declaration of or reference to any other entity.
    External,
    /// `[`, `]` or `>`.
    Delimiter(u8),
    /// Comment or processing instruction without an end.
    Unterminated,
}

/// Splits a DOCTYPE into parts. Remembers when a kind of quote does not occur again, so that no
/// rest is searched twice.
struct Parts<'a, 'f> {
    text: &'a [u8],
    search_cache: &'f mut SearchCache<'a>,
    has_no: [bool; 2],
}

impl<'a> Parts<'a, '_> {
    /// Returns start, end and kind of the next part from `at` on.
    fn next(&mut self, mut at: usize) -> Option<(usize, usize, Part<'a>)> {
        loop {
            let rest = self.text.get(at..)?;
            at += rest.iter().position(|byte| b"<\"'[]>%".contains(byte))?;
            let byte = self.text[at];
            let found = match byte {
                b'[' | b']' | b'>' => Some((at + 1, Part::Delimiter(byte))),
                b'%' => Some((at + 1, Part::External)),
                b'<' => self.tag(at),
                quote => self.quote(quote, at + 1).map(|end| (end + 1, Part::Other)),
            };
            if let Some((end, part)) = found {
                return Some((at, end, part));
            }
            at += 1;
        }
    }

    fn tag(&mut self, at: usize) -> Option<(usize, Part<'a>)> {
        let rest = &self.text[at..];
        let mut to = |delimiter: &'static [u8], from| {
            let end = self
                .search_cache
                .find(delimiter, from)
                .map(|end| (end + delimiter.len(), Part::Other));
            Some(end.unwrap_or((from, Part::Unterminated)))
        };
        if rest.starts_with(b"<!--") {
            return to(b"-->", at + 4);
        }
        if rest.starts_with(b"<?") {
            return to(b"?>", at + 2);
        }
        if !rest.starts_with(b"<!ENTITY") {
            return None;
        }
        let entity = self.entity(at + 8);
        Some(entity.unwrap_or((at + 8, Part::External)))
    }

    fn entity(&mut self, at: usize) -> Option<(usize, Part<'a>)> {
        let name_start = skip_space(self.text, at);
        let name_end = name_start + name_length(self.text.get(name_start..)?);
        let value = skip_space(self.text, name_end);
        if name_start == at || name_end == name_start || value == name_end {
            return None;
        }
        let quote = *self.text.get(value).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let end = self.quote(quote, value + 1)?;
        let part = Part::Entity(&self.text[name_start..name_end], &self.text[value + 1..end]);
        Some((end + 1, part))
    }

    /// Returns the offset of the next quote from `from` on.
    fn quote(&mut self, quote: u8, from: usize) -> Option<usize> {
        let which = usize::from(quote == b'"');
        if self.has_no[which] {
            return None;
        }
        let found = find_byte(self.text, quote, from, self.text.len());
        self.has_no[which] = found.is_none();
        found
    }
}

/// Reads the DOCTYPE at `start` and returns its end. An unterminated DOCTYPE ends at its first `>`.
pub fn read_doctype(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let mut parts = Parts { text, search_cache: &mut context.search_cache, has_no: [false; 2] };
    let mut is_inside = false;
    let mut is_external = false;
    let mut at = start + 9;
    let mut scanned = Vec::new();
    loop {
        // No scan from a known offset finds an end, so many unterminated DOCTYPEs take no longer
        // than one.
        let is_known = context.unterminated_doctypes.contains(&(at, is_inside));
        scanned.push((at, is_inside));
        let next = if is_known { None } else { parts.next(at) };
        let Some((begin, end, part)) = next else {
            context.unterminated_doctypes.extend(scanned);
            return unterminated(context, start);
        };
        is_external |= names_external(&text[at..begin]);
        at = end;
        match part {
            Part::Delimiter(b'>') if !is_inside => break,
            Part::Delimiter(b'[') => is_inside = true,
            Part::Delimiter(b']') => is_inside = false,
            Part::External => is_external = true,
            Part::Entity(name, value) => context.entities.declare(name, value),
            Part::Unterminated => {
                context.unterminated_doctypes.extend(scanned);
                return unterminated(context, start);
            }
            Part::Delimiter(_) | Part::Other => {}
        }
    }
    let name = skip_space(text, start + 9);
    let is_named = name > start + 9 && text.get(name..).is_some_and(|rest| name_length(rest) > 0);
    let is_proper = is_named && text[start..].starts_with(b"<!DOCTYPE");
    if context.has_doctype || !is_proper {
        context.diagnostics.add(X002, start, at, "malformed DOCTYPE");
    }
    context.has_doctype = true;
    context.diagnostics.add(X015, start, at, "");
    if is_external {
        context.has_unknown_entities = true;
        let detail = "DOCTYPE declares an external or parameter entity";
        context.diagnostics.add(X016, start, at, detail);
    }
    at
}

fn unterminated(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let end = find_byte(text, b'>', start, text.len()).map_or(text.len(), |at| at + 1);
    context.diagnostics.add(X002, start, end, "DOCTYPE without an end");
    context.diagnostics.add(X015, start, end, "");
    end
}

/// Returns whether `SYSTEM` or `PUBLIC` occurs between white space.
fn names_external(text: &[u8]) -> bool {
    [&b"SYSTEM"[..], b"PUBLIC"].iter().any(|word| {
        memmem::find_iter(text, word).any(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| is_xml_space(*byte));
            is_blank(before) && is_blank(text.get(at + word.len()))
        })
    })
}
