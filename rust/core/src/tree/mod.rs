//! Tree of one entry: converts start and end tags to elements and supplies missing end tags.
//!
//! Only the current entry is kept. If a tag is missing, an element ends at the next tag that it
//! cannot hold. An entry that is incomplete at the end of the document is dropped.

mod placement;
mod stack;

use std::collections::VecDeque;
use std::rc::Rc;

use crate::codes::{S006, S013, S015, X002, X020, X023, X024};
use crate::context::Context;
use crate::feeds;
use crate::misc::is_declaration;
use crate::names::{Bindings, KeySet, Name, Names, Role, split_name};
use crate::nodes::{Item, Marker, NONE, Node, Nodes};
use crate::search::is_xml_space;
use crate::sitemap;
use crate::utf8::utf8_or_empty;
use crate::values::{Value, ValueKind, decode};

// Limits for hostile documents. Note: `src/urlset/protocol.py` has the same numbers.
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 131_072;
const MAX_NAMESPACES: usize = 32;

/// Maximum number of characters of a namespace URI; a longer one is not bound.
const MAX_URI: usize = 256;

/// Builder of entries from markup.
pub struct Tree<'a> {
    /// Elements of the current entry.
    pub nodes: Nodes<'a>,
    /// Name resolver of the root element.
    pub names: Names<'a>,
    /// Whether the root element is closed.
    pub is_done: bool,
    entry_depth: usize,
    entry_nodes: usize,
    overflow: usize,
    closed_early: VecDeque<EarlyClosed<'a>>,
}

/// Element that was closed before a tag that it cannot hold.
struct EarlyClosed<'a> {
    name: Rc<Name<'a>>,
    start: usize,
    tag_end: usize,
}

impl<'a> Tree<'a> {
    /// Creates a tree for one root element.
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

    // ── tokens ──

    /// Returns the current lengths of the vectors. The caller takes it before reading the
    /// attributes of an element.
    #[must_use]
    pub fn marker(&self, context: &Context<'a>) -> Marker {
        Marker {
            nodes: self.nodes.list.len(),
            items: self.nodes.items.len(),
            attributes: self.nodes.attributes.len(),
            decoded: context.buffer.decoded.len(),
        }
    }

    /// Processes a start tag: opens its element. Its attributes were added after the marker.
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
        // Elements that end here are removed below the attributes of the new element, which
        // therefore move.
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
            keys: KeySet::default(),
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

    /// Processes an end tag. It closes the nearest element of its name and all elements inside it.
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
                // Either a tag, or a "<" in the text around it.
                self.nodes.append(Item::Text(Value::Uncertain));
            }
            self.pop_unclosed(context, start);
        }
        self.pop(context, start);
    }

    /// Processes an end tag without a name. Later text does not belong to the value before it.
    pub fn end_text(&mut self) {
        if self.overflow == 0 {
            self.cut();
        }
    }

    /// Adds character data to the open element. White space between elements is ignored.
    pub fn text(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        let between = [Role::Root, Role::Entry, Role::Container];
        let is_between = self.nodes.top().is_some_and(|top| between.contains(&top.name.role));
        if is_between && context.bytes[start..end].iter().all(|byte| is_xml_space(*byte)) {
            return;
        }
        self.add(context, ValueKind::Text, start, end);
    }

    /// Adds the content of a CDATA section to the open element.
    pub fn cdata(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        self.add(context, ValueKind::Cdata, start, end);
    }

    /// Processes a comment or a processing instruction. Reports one inside a value.
    pub fn misc(&mut self, context: &mut Context<'a>, start: usize, end: usize) {
        if is_declaration(&context.bytes[start..]) {
            context.diagnostics.add(X024, start, end, "");
        } else if let Some(top) = self.nodes.top().filter(|top| top.name.role == Role::Value) {
            context.diagnostics.add(X023, start, end, &top.name.local);
        }
    }

    /// Returns the root element if no other element is open and no limit was exceeded.
    #[must_use]
    pub fn only_open(&self) -> Option<&Node<'a>> {
        let [root] = self.nodes.stack[..] else { return None };
        (self.entry_depth == 0 && self.overflow == 0).then(|| &self.nodes.list[root])
    }

    /// Returns the namespace bindings in scope: the outer object itself if the element declares
    /// none.
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
                    utf8_or_empty(prefix),
                );
            }
        }
        bindings
    }

    /// Returns the depth of the element that an end tag closes: by exact name, else ignoring case.
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
        context.diagnostics.add(S006, start, end, &format!("/{}", utf8_or_empty(raw)));
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
