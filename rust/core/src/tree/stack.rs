//! Opening and closing of elements.

use super::Tree;
use crate::codes::{S017, X002};
use crate::context::Context;
use crate::feeds;
use crate::names::Role;
use crate::nodes::{Item, Marker, Node, begins_entry, is_loc};
use crate::sitemap;
use crate::utf8::utf8_or_empty;

impl<'a> Tree<'a> {
    /// Opens an element.
    pub(super) fn push(&mut self, node: Node<'a>) {
        let begins = begins_entry(&node.name, self.names.is_feed);
        let number = self.nodes.list.len();
        if self.entry_depth > 0 {
            if !self.nodes.top().is_some_and(|top| top.is_cut) {
                self.nodes.append(Item::Node(number));
            }
            self.entry_nodes += 1;
            if let Some(top) = self.nodes.stack.last() {
                let top = &mut self.nodes.list[*top];
                top.keys.insert(node.name.key);
                top.has_loc |= is_loc(&node.name);
            }
        }
        self.nodes.list.push(node);
        self.nodes.stack.push(number);
        if self.entry_depth == 0 && begins {
            self.entry_depth = self.nodes.stack.len();
        }
    }

    /// Closes the innermost element. The end of an entry evaluates it and clears the vectors.
    pub(super) fn pop(&mut self, context: &mut Context<'a>, end: usize) {
        let Some(number) = self.nodes.stack.pop() else {
            return;
        };
        self.nodes.list[number].end = end;
        if self.nodes.stack.len() + 1 == self.entry_depth {
            self.entry_depth = 0;
            self.entry_nodes = 0;
            if self.names.is_feed {
                feeds::finish_item(context, &self.nodes, number);
            } else {
                sitemap::finish_element(context, &self.nodes, number);
            }
        }
        if self.entry_depth == 0 {
            let Marker { nodes, items, attributes, decoded } = self.nodes.list[number].marker;
            self.nodes.list.truncate(nodes);
            self.nodes.items.truncate(items);
            self.nodes.attributes.truncate(attributes);
            context.buffer.decoded.truncate(decoded);
        }
        self.is_done = self.nodes.stack.is_empty();
    }

    /// Closes the innermost element and reports its missing end tag.
    pub(super) fn pop_unclosed(&mut self, context: &mut Context<'a>, end: usize) {
        let Some(top) = self.nodes.top() else { return };
        let detail = format!("<{}> is not closed", utf8_or_empty(top.name.raw));
        context.diagnostics.add(X002, top.start, top.tag_end, &detail);
        self.pop(context, end);
    }

    /// Processes an end tag that closes no open element, and reports it.
    ///
    /// If the element was closed early, all tags are present: a value contains markup (S017), and
    /// the XML is well-formed.
    pub(super) fn close_late(
        &mut self,
        context: &mut Context<'a>,
        raw: &[u8],
        start: usize,
        end: usize,
    ) {
        let found = self.closed_early.iter().rposition(|closed| closed.name.raw == raw);
        let Some(closed) = found.and_then(|at| self.closed_early.remove(at)) else {
            context.diagnostics.add(
                X002,
                start,
                end,
                &format!("</{}> closes nothing", utf8_or_empty(raw)),
            );
            self.cut();
            return;
        };
        if context.diagnostics.retract(X002, closed.start) {
            context.diagnostics.add(S017, closed.start, closed.tag_end, &closed.name.local);
        }
    }
    /// Ignores later text of the current value, because after an unexpected end tag it may belong to
    /// any element.
    pub(super) fn cut(&mut self) {
        let is_entry = self.nodes.stack.len() == self.entry_depth;
        let Some(top) = self.nodes.stack.last().filter(|_| self.entry_depth > 0) else { return };
        let top = &mut self.nodes.list[*top];
        let holds_text = match top.name.role {
            Role::Value | Role::Leaf => true,
            Role::Plain => !is_entry,
            _ => false,
        };
        top.is_cut |= top.has_text && holds_text;
    }
}
