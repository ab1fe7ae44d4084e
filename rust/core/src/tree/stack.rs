//! Elements opened and closed.

use super::{Item, Marker, NONE, Node, Tree};
use crate::codes::{S017, X002};
use crate::context::{Context, utf8};
use crate::feeds;
use crate::names::{Key, Role};
use crate::sitemap;

impl<'a> Tree<'a> {
    pub(super) fn top(&self) -> Option<&Node<'a>> {
        self.stack.last().map(|number| &self.nodes[*number])
    }

    pub(super) fn append(&mut self, item: Item) {
        let Some(top) = self.stack.last() else { return };
        let number = self.items.len();
        self.items.push((item, NONE));
        let node = &mut self.nodes[*top];
        match self.items.get_mut(node.last) {
            Some((_, next)) => *next = number,
            None => node.first = number,
        }
        node.last = number;
    }

    pub(super) fn push(&mut self, node: Node<'a>) {
        let begins = if self.names.is_feed {
            matches!(node.name.key, Key::Item | Key::Entry)
        } else {
            let is_loc = node.name.role == Role::Value && node.name.key == Key::Loc;
            is_loc || node.name.role == Role::Entry
        };
        let number = self.nodes.len();
        if self.entry_depth > 0 {
            if !self.top().is_some_and(|top| top.is_cut) {
                self.append(Item::Node(number));
            }
            self.entry_nodes += 1;
            if let Some(top) = self.stack.last() {
                let top = &mut self.nodes[*top];
                top.keys |= node.name.key.bit();
                top.has_loc |= node.name.role == Role::Value && node.name.key == Key::Loc;
            }
        }
        self.nodes.push(node);
        self.stack.push(number);
        if self.entry_depth == 0 && begins {
            self.entry_depth = self.stack.len();
        }
    }

    pub(super) fn pop(&mut self, context: &mut Context<'a>, end: usize) {
        let Some(number) = self.stack.pop() else {
            return;
        };
        self.nodes[number].end = end;
        if self.stack.len() + 1 == self.entry_depth {
            self.entry_depth = 0;
            self.entry_nodes = 0;
            if self.names.is_feed {
                feeds::finish_item(context, self, number);
            } else {
                sitemap::finish_element(context, self, number);
            }
        }
        if self.entry_depth == 0 {
            let Marker { nodes, items, attributes, made } = self.nodes[number].marker;
            self.nodes.truncate(nodes);
            self.items.truncate(items);
            self.attributes.truncate(attributes);
            context.buffer.made.truncate(made);
        }
        self.is_done = self.stack.is_empty();
    }

    pub(super) fn pop_unclosed(&mut self, context: &mut Context<'a>, end: usize) {
        let Some(top) = self.top() else { return };
        let words = format!("<{}> is not closed", utf8(top.name.raw));
        context.marks.add(X002, top.start, top.tag_end, &words);
        self.pop(context, end);
    }

    /// Takes an end tag that closes nothing, unless it is that of an element closed early: then
    /// all tags were there, markup stood in a value (S017), and the XML is well-formed.
    pub(super) fn close_late(
        &mut self,
        context: &mut Context<'a>,
        raw: &[u8],
        start: usize,
        end: usize,
    ) {
        let found = self.closed_early.iter().rposition(|closed| closed.name.raw == raw);
        let Some(closed) = found.and_then(|at| self.closed_early.remove(at)) else {
            context.marks.add(X002, start, end, &format!("</{}> closes nothing", utf8(raw)));
            self.cut();
            return;
        };
        if context.marks.withdraw(X002, closed.start) {
            context.marks.add(S017, closed.start, closed.tag_end, &closed.name.local);
        }
    }
    /// Ends the value that is open: text behind a wrong end tag may belong to anything.
    pub(super) fn cut(&mut self) {
        let is_entry = self.stack.len() == self.entry_depth;
        let Some(top) = self.stack.last().filter(|_| self.entry_depth > 0) else { return };
        let top = &mut self.nodes[*top];
        let holds_text = match top.name.role {
            Role::Value | Role::Leaf => true,
            Role::Plain => !is_entry,
            _ => false,
        };
        top.is_cut |= top.has_text && holds_text;
    }
}
