//! Placement of elements: which element may hold which, and under which name.

use std::rc::Rc;

use super::{EarlyClosed, MAX_DEPTH, Tree};
use crate::codes::S011;
use crate::context::Context;
use crate::names::{Key, Name, Role};
use crate::namespaces::Ns;
use crate::nesting::is_well_nested;
use crate::nodes::{Marker, Node, may_hold};
use crate::utf8::utf8_or_empty;
use crate::values::Value;

impl<'a> Tree<'a> {
    /// Closes an item of a feed before the next one, unless it is well nested.
    pub(super) fn end_item_before(
        &mut self,
        context: &mut Context<'a>,
        name: &Name<'a>,
        start: usize,
        marker: &mut Marker,
    ) {
        if matches!(name.key, Key::Item | Key::Entry) {
            while self.entry_depth > 0 && !self.is_well_nested(context) {
                self.pop_before(context, start, marker);
            }
        }
    }

    /// Closes elements that cannot hold the new one. Returns the name of the new element in this
    /// place.
    pub(super) fn place(
        &mut self,
        context: &mut Context<'a>,
        name: Rc<Name<'a>>,
        start: usize,
        end: usize,
        marker: &mut Marker,
    ) -> Rc<Name<'a>> {
        while let Some(top) = self.nodes.top().filter(|_| self.entry_depth > 0) {
            if top.name.role == Role::Container
                && let Some(adopted) = adopt(context, top, &name, start, end)
            {
                return Rc::new(adopted);
            }
            if may_hold(&top.name, &name) {
                break;
            }
            if is_foreign(top, &name) && self.is_well_nested(context) {
                return Rc::new(Name { role: Role::Unknown, ..Name::clone(&name) });
            }
            self.pop_before(context, start, marker);
        }
        name
    }

    /// Returns whether the innermost element is well nested.
    fn is_well_nested(&self, context: &mut Context<'a>) -> bool {
        self.nodes.top().is_some_and(|top| is_well_nested(context, top.start))
    }

    /// Closes the innermost element before an element whose attributes are already read, and
    /// preserves these attributes when the end of an entry clears the vectors.
    pub(super) fn pop_before(
        &mut self,
        context: &mut Context<'a>,
        start: usize,
        marker: &mut Marker,
    ) {
        if let Some(Node { name, start, tag_end, .. }) = self.nodes.top() {
            let closed = EarlyClosed { name: Rc::clone(name), start: *start, tag_end: *tag_end };
            if self.closed_early.len() >= MAX_DEPTH {
                self.closed_early.pop_front();
            }
            self.closed_early.push_back(closed);
        }
        let is_entry = self.nodes.stack.len() == self.entry_depth;
        if !is_entry {
            self.pop_unclosed(context, start);
            return;
        }
        let attributes = self.nodes.attributes.split_off(marker.attributes);
        let decoded = context.buffer.decoded.split_off(marker.decoded);
        self.pop_unclosed(context, start);
        let (old, new) = (marker.decoded, context.buffer.decoded.len());
        *marker = self.marker(context);
        context.buffer.decoded.push_str(&decoded);
        self.nodes.attributes.extend(attributes.into_iter().map(|mut attribute| {
            if let Value::Decoded(from, to) = attribute.value {
                attribute.value = Value::Decoded(from - old + new, to - old + new);
            }
            attribute
        }));
    }
}

/// Returns the name for a `<loc>` inside `<image:image>` that lacks its prefix.
fn adopt<'a>(
    context: &mut Context<'a>,
    container: &Node<'a>,
    name: &Name<'a>,
    start: usize,
    end: usize,
) -> Option<Name<'a>> {
    if name.ns != Ns::Core {
        return None;
    }
    let lower = name.local.to_ascii_lowercase();
    let key = Key::of(lower.as_bytes());
    if !key.is_in(container.name.key) || container.keys.contains(key) {
        return None;
    }
    context.diagnostics.add_once(S011, &[name.raw], start, end, utf8_or_empty(name.raw));
    let role = if key.is_container() { Role::Container } else { Role::Leaf };
    Some(Name {
        raw: name.raw,
        ns: container.name.ns,
        key,
        local: lower.into(),
        role,
        uri: container.name.uri.clone(),
    })
}

/// Returns whether an element belongs to the open element, provided that the latter has its end
/// tag.
///
/// Structured data inside an entry has its own `url` and `loc`. An entry directly inside an entry
/// without a loc counts as an entry, and the outer one as a wrapper.
fn is_foreign(top: &Node<'_>, name: &Name<'_>) -> bool {
    match name.role {
        Role::Value => matches!(top.name.role, Role::Container | Role::Leaf),
        Role::Entry | Role::Root => top.name.role != Role::Entry || top.has_loc,
        _ => false,
    }
}
