//! The tree of one entry: start and end tags made into elements, missing ends supplied.
//!
//! Only the entry being read is kept, in vectors that are used again for the next one. Where a
//! tag is missing, an element ends at the next tag that cannot stand inside it; an entry that
//! the end of the document cuts off is not an entry.

mod placement;
mod stack;

use std::collections::VecDeque;
use std::rc::Rc;

use crate::codes::{S006, S013, S015, X002, X020, X023, X024};
use crate::context::{Context, utf8};
use crate::feeds;
use crate::misc::is_declaration;
use crate::names::{Bindings, Name, Names, Role, split_name};
use crate::nodes::{Item, Marker, NONE, Node, Nodes};
use crate::search::is_xml_space;
use crate::sitemap;
use crate::values::{Value, ValueKind, decode};

// Caps on hostile documents. Beware: `src/urlset/protocol.py` has the same numbers.
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 131_072;
const MAX_NAMESPACES: usize = 32;

/// Characters of a namespace that is bound; a longer one is none.
const MAX_URI: usize = 256;

/// Builds entries out of markup.
pub struct Tree<'a> {
    /// The elements that are kept.
    pub nodes: Nodes<'a>,
    /// The names of the document.
    pub names: Names<'a>,
    /// Whether the root was closed.
    pub is_done: bool,
    entry_depth: usize,
    entry_nodes: usize,
    overflow: usize,
    closed_early: VecDeque<EarlyClosed<'a>>,
}

/// An element that was closed before something that may not stand inside it.
struct EarlyClosed<'a> {
    name: Rc<Name<'a>>,
    start: usize,
    tag_end: usize,
}

impl<'a> Tree<'a> {
    /// Begins a root element.
    #[must_use]
    pub fn new(names: Names<'a>) -> Self {
        Self {
            nodes: Nodes::default(),
            names,
            is_done: false,
            entry_depth: 0,
            entry_nodes: 0,
            overflow: 0,
            closed_early: VecDeque::new(),
        }
    }

    // ── what the tokens say ──

    /// How much there is of everything; taken before the attributes of an element are read.
    #[must_use]
    pub fn marker(&self, context: &Context<'a>) -> Marker {
        Marker {
            nodes: self.nodes.list.len(),
            items: self.nodes.items.len(),
            attributes: self.nodes.attributes.len(),
            decoded: context.buffer.decoded.len(),
        }
    }

    /// Takes a start tag, whose attributes lie behind the marker.
    pub fn open(
        &mut self,
        context: &mut Context<'a>,
        raw: &'a [u8],
        marker: Marker,
        start: usize,
        end: usize,
        is_empty: bool,
    ) {
        if self.nodes.stack.len() >= MAX_DEPTH || self.entry_nodes >= MAX_NODES {
            context.diagnostics.add_once(
                X002,
                &[b"depth"],
                start,
                end,
                "too many elements, or too deep",
            );
            self.overflow += usize::from(!is_empty);
            self.nodes.attributes.truncate(marker.attributes);
            context.buffer.decoded.truncate(marker.decoded);
            return;
        }
        let outer = self.nodes.top().map(|top| Rc::clone(&top.bindings)).unwrap_or_default();
        let bindings = self.bind(context, outer, marker.attributes);
        if self.nodes.stack.is_empty() {
            self.names.set_root(context, raw, &bindings, start, end);
        }
        let mut name = self.names.resolve(context, raw, &bindings, start, end);
        // What ends here leaves its attributes behind those of the new element: they are moved.
        let marker =
            Marker { nodes: self.nodes.list.len(), items: self.nodes.items.len(), ..marker };
        let mut marker = marker;
        if self.names.is_feed {
            self.end_item_before(context, &name, start, &mut marker);
        } else {
            name = self.place(context, name, start, end, &mut marker);
        }
        if name.role == Role::Root && !self.nodes.stack.is_empty() {
            context.diagnostics.add(S015, start, end, &name.local);
        }
        self.push(Node {
            name,
            bindings,
            start,
            tag_end: end,
            end,
            marker,
            attributes_end: self.nodes.attributes.len(),
            first: NONE,
            last: NONE,
            keys: 0,
            has_text: false,
            has_loc: false,
            is_cut: false,
        });
        if let [root] = self.nodes.stack[..] {
            if self.names.is_feed {
                feeds::check_version(context, &self.nodes, root);
            } else if self.nodes.list[root].name.role == Role::Root {
                sitemap::check_attributes(context, &self.nodes, root);
            }
        }
        if is_empty {
            self.pop(context, end);
        }
    }

    /// Takes an end tag: it ends the nearest element of its name, and all inside that.
    pub fn close(&mut self, context: &mut Context<'a>, raw: &[u8], start: usize, end: usize) {
        if self.overflow > 0 {
            self.overflow -= 1;
            return;
        }
        let Some(depth) = self.find(context, raw, start, end) else {
            self.close_late(context, raw, start, end);
            return;
        };
        while self.nodes.stack.len() > depth + 1 {
            let role = self.nodes.top().map(|top| top.name.role);
            if self.entry_depth > 0 && matches!(role, Some(Role::Unknown | Role::Extra)) {
                // A tag, or "<" in the text around it: nobody can tell.
                self.nodes.append(Item::Text(Value::Uncertain));
            }
            self.pop_unclosed(context, start);
        }
        self.pop(context, start);
    }

    /// Takes an end tag without a name: text behind it is no part of the value before it.
    pub fn end_text(&mut self) {
        if self.overflow == 0 {
            self.cut();
        }
    }

    /// Takes character data; white space between elements is nothing.
    pub fn text(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        let between = [Role::Root, Role::Entry, Role::Container];
        let is_between = self.nodes.top().is_some_and(|top| between.contains(&top.name.role));
        if is_between && context.bytes[start..end].iter().all(|byte| is_xml_space(*byte)) {
            return;
        }
        self.add(context, ValueKind::Text, start, end);
    }

    /// Takes the inside of a CDATA section.
    pub fn cdata(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        self.add(context, ValueKind::Cdata, start, end);
    }

    /// Takes a comment or a processing instruction.
    pub fn misc(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        if is_declaration(&context.bytes[start..]) {
            context.diagnostics.add(X024, start, end, "");
        } else if let Some(top) = self.nodes.top().filter(|top| top.name.role == Role::Value) {
            context.diagnostics.add(X023, start, end, &top.name.local);
        }
    }

    /// The root, if it alone is open and nothing was too much.
    #[must_use]
    pub fn only_open(&self) -> Option<&Node<'a>> {
        let [root] = self.nodes.stack[..] else { return None };
        (self.entry_depth == 0 && self.overflow == 0).then(|| &self.nodes.list[root])
    }

    /// The namespaces in scope; the same object where the element declares none.
    fn bind(
        &self,
        context: &mut Context<'a>,
        outer: Rc<Bindings<'a>>,
        first_attribute: usize,
    ) -> Rc<Bindings<'a>> {
        let attributes = &self.nodes.attributes[first_attribute..];
        if attributes.is_empty() {
            return outer;
        }
        let mut own: Option<Bindings<'a>> = None;
        for attribute in attributes {
            let value = attribute.value.get(&context.buffer).unwrap_or_default();
            let prefix = match attribute.name.strip_prefix(b"xmlns") {
                Some([]) => &[],
                Some([b':', prefix @ ..]) if !value.is_empty() => prefix,
                _ => continue,
            };
            if value.chars().nth(MAX_URI).is_some() {
                continue;
            }
            let bindings = own.get_or_insert_with(|| Bindings::clone(&outer));
            if bindings.list.len() < MAX_NAMESPACES {
                let uri: Rc<str> = value.into();
                match bindings.list.iter_mut().find(|(bound, _)| *bound == prefix) {
                    Some((_, bound)) => *bound = uri,
                    None => bindings.list.push((prefix, uri)),
                }
            }
        }
        let bindings = own.map_or(outer, Rc::new);
        for attribute in attributes {
            let (prefix, _) = split_name(attribute.name);
            let is_plain = prefix.is_empty() || prefix == b"xml" || prefix == b"xmlns";
            if !is_plain && bindings.get(prefix).is_none() {
                context.diagnostics.add_once(
                    X020,
                    &[prefix],
                    attribute.start,
                    attribute.end,
                    utf8(prefix),
                );
            }
        }
        bindings
    }

    /// The depth of the element that an end tag means: by its name, else in any case.
    fn find(
        &self,
        context: &mut Context<'a>,
        raw: &[u8],
        start: usize,
        end: usize,
    ) -> Option<usize> {
        let name = |number: &usize| self.nodes.list[*number].name.raw;
        if let Some(depth) = self.nodes.stack.iter().rposition(|number| name(number) == raw) {
            return Some(depth);
        }
        let depth =
            self.nodes.stack.iter().rposition(|number| name(number).eq_ignore_ascii_case(raw))?;
        context.diagnostics.add(S006, start, end, &format!("/{}", utf8(raw)));
        Some(depth)
    }

    fn add(&mut self, context: &mut Context<'a>, kind: ValueKind, start: usize, end: usize) {
        let decoded_start = context.buffer.decoded.len();
        let value = decode(context, kind, start, end);
        if self.overflow == 0
            && let Some(role) = self.nodes.top().map(|top| top.name.role)
        {
            if matches!(role, Role::Root | Role::Entry) {
                let text = value.get(&context.buffer).unwrap_or_default();
                if !text.bytes().all(is_xml_space) {
                    let key = self.nodes.top().map(|top| Rc::clone(&top.name.local));
                    context.diagnostics.add(S013, start, end, &key.unwrap_or_else(|| "".into()));
                }
            }
            if self.entry_depth > 0 && !self.nodes.top().is_some_and(|top| top.is_cut) {
                let text = value.get(&context.buffer);
                if text.is_none_or(|text| !text.bytes().all(is_xml_space))
                    && let Some(top) = self.nodes.stack.last()
                {
                    self.nodes.list[*top].has_text = true;
                }
                self.nodes.append(Item::Text(value));
                return;
            }
        }
        context.buffer.decoded.truncate(decoded_start);
    }
}
