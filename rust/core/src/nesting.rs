//! Detection of well-nested elements: each start tag in them has its end tag, in the right order.
//!
//! An entry inside a well-nested element is content of that element. Inside any other element, an
//! entry shows that an end tag is missing.

use std::collections::{HashMap, HashSet};

use crate::context::Context;
use crate::references::begins_name;
use crate::search::{find, find_byte};
use crate::tags::{end_tag, start_tag};

/// Elements without child elements.
const LEAVES: [&[u8]; 3] = [b"lastmod", b"changefreq", b"priority"];

/// Open element.
struct OpenElement<'a> {
    name: &'a [u8],
    start: usize,
    /// Whether a tag inside the element has no counterpart.
    is_damaged: bool,
}

/// Returns whether the element at `start` is well nested.
///
/// The first call scans the document once; later calls only look up the result.
pub fn is_well_nested(context: &mut Context<'_>, start: usize) -> bool {
    let (text, root) = (context.bytes, context.root_start);
    context.well_nested.get_or_insert_with(|| well_nested_elements(text, root)).contains(&start)
}

fn well_nested_elements(text: &[u8], mut at: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut stack: Vec<OpenElement<'_>> = Vec::new();
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    while let Some(start) = find_byte(text, b'<', at, text.len()) {
        let Some(after) = skip_construct(text, start) else { break };
        at = after;
        match text.get(start + 1) {
            Some(b'/') => {
                let Some(tag) = end_tag(text, start) else { continue };
                at = tag.end;
                let name = &text[start + 2..tag.name_end];
                match count.get_mut(name) {
                    Some(number) if *number > 0 => {}
                    _ => {
                        if let Some(top) = stack.last_mut() {
                            top.is_damaged = true;
                        }
                        continue;
                    }
                }
                let mut is_damaged = false;
                while let Some(top) = stack.pop() {
                    count.entry(top.name).and_modify(|number| *number -= 1);
                    if top.name == name {
                        is_damaged |= top.is_damaged;
                        if !is_damaged && !LEAVES.contains(&name) {
                            found.insert(top.start);
                        }
                        break;
                    }
                    is_damaged = true;
                }
                if let Some(top) = stack.last_mut() {
                    top.is_damaged |= is_damaged;
                }
            }
            Some(byte) if begins_name(*byte) => {
                let Some((name_end, end)) = start_tag(text, start) else { continue };
                at = end;
                if text[end - 2] != b'/' || end - 2 < name_end {
                    let name = &text[start + 1..name_end];
                    stack.push(OpenElement { name, start, is_damaged: false });
                    *count.entry(name).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the offset to continue at: after a comment, a section or an instruction, or None if it
/// is unterminated. After any other `<` it is the next byte.
fn skip_construct(text: &[u8], start: usize) -> Option<usize> {
    let pairs: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    for (opener, closer) in pairs {
        if text[start..].starts_with(opener) {
            return find(text, closer, start + opener.len()).map(|end| end + closer.len());
        }
    }
    Some(start + 1)
}
