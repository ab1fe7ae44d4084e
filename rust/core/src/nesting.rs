//! Detection of well-nested elements: each start tag in them has its end tag, in the right order.
//!
//! An entry inside a well-nested element is content of that element. Inside any other element, an
//! entry shows that an end tag is missing.

use std::collections::{HashMap, HashSet};

use crate::context::Context;
use crate::tags::{Tag, Tags};

/// Elements without child elements.
const LEAVES: [&[u8]; 3] = [b"lastmod", b"changefreq", b"priority"];

/// Element whose end was not found yet.
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

fn well_nested_elements(text: &[u8], root: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut stack: Vec<OpenElement<'_>> = Vec::new();
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    for Tag { name, start, is_end, is_empty, .. } in Tags::new(text, root) {
        if !is_end {
            if !is_empty {
                stack.push(OpenElement { name, start, is_damaged: false });
                *count.entry(name).or_default() += 1;
            }
            continue;
        }
        if count.get(name).is_none_or(|number| *number == 0) {
            if let Some(top) = stack.last_mut() {
                top.is_damaged = true;
            }
            continue;
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
    found
}
