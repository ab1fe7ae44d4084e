//! An element and what it holds, for those who say what it means.

use std::borrow::Cow;
use std::rc::Rc;

use super::{Marker, Tree};
use crate::attributes::Attribute;
use crate::context::Buffer;
use crate::names::{Bindings, Name};
use crate::values::Value;

/// Characters of one value. Beware: `src/urlset/protocol.py` has the same number.
const MAX_VALUE: usize = 1_048_576;

/// An element.
pub struct Node<'a> {
    /// Its name.
    pub name: Rc<Name<'a>>,
    /// The namespaces in scope.
    pub bindings: Rc<Bindings<'a>>,
    /// Where its start tag begins.
    pub start: usize,
    /// Where its start tag ends.
    pub tag_end: usize,
    /// Where its content ended.
    pub end: usize,
    pub(super) marker: Marker,
    pub(super) attributes_end: usize,
    pub(super) first: usize,
    pub(super) last: usize,
    /// The keys of its children, one bit each.
    pub(super) keys: u64,
    /// Whether it holds text that is not white space.
    pub(super) has_text: bool,
    /// Whether one of its children is a loc.
    pub(super) has_loc: bool,
    /// Whether a wrong end tag ended its value: what follows is not in it.
    pub(super) is_cut: bool,
}

/// What an element holds.
#[derive(Clone, Copy)]
pub enum Item {
    /// A text.
    Text(Value),
    /// An element, by its number.
    Node(usize),
}

impl<'a> Tree<'a> {
    /// An element.
    #[must_use]
    pub fn node(&self, number: usize) -> &Node<'a> {
        &self.nodes[number]
    }

    /// The attributes of an element.
    #[must_use]
    pub fn attributes_of(&self, number: usize) -> &[Attribute<'a>] {
        let node = &self.nodes[number];
        &self.attributes[node.marker.attributes..node.attributes_end]
    }

    /// The value of an attribute.
    #[must_use]
    pub fn attribute<'b>(
        &'b self,
        buffer: &'b Buffer<'_>,
        number: usize,
        name: &[u8],
    ) -> Option<&'b str> {
        let found = self.attributes_of(number).iter().find(|attribute| attribute.name == name)?;
        found.value.get(buffer)
    }

    /// What an element holds, in document order.
    pub fn items(&self, number: usize) -> impl Iterator<Item = Item> + '_ {
        let mut next = self.nodes[number].first;
        std::iter::from_fn(move || {
            let (item, following) = *self.items.get(next)?;
            next = following;
            Some(item)
        })
    }

    /// The elements directly inside.
    pub fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.items(number).filter_map(|item| match item {
            Item::Node(child) => Some(child),
            Item::Text(_) => None,
        })
    }

    /// All the text inside, joined; none where a part of it is uncertain or it is too long.
    #[must_use]
    pub fn content<'b>(&self, buffer: &'b Buffer<'_>, number: usize) -> Option<Cow<'b, str>> {
        let mut value = Cow::Borrowed("");
        self.join(buffer, number, &mut value)?;
        let is_short = value.len() <= MAX_VALUE || value.chars().count() <= MAX_VALUE;
        is_short.then_some(value)
    }

    fn join<'b>(
        &self,
        buffer: &'b Buffer<'_>,
        number: usize,
        value: &mut Cow<'b, str>,
    ) -> Option<()> {
        for item in self.items(number) {
            match item {
                Item::Text(text) => *value += text.get(buffer)?,
                Item::Node(child) => self.join(buffer, child, value)?,
            }
        }
        Some(())
    }

    /// Whether every part of the text inside is known.
    #[must_use]
    pub fn is_certain(&self, number: usize) -> bool {
        self.items(number).all(|item| match item {
            Item::Text(text) => !matches!(text, Value::Uncertain),
            Item::Node(child) => self.is_certain(child),
        })
    }

    /// The texts directly inside, joined; none where a part of it is uncertain.
    #[must_use]
    pub fn own_text<'b>(&self, buffer: &'b Buffer<'_>, number: usize) -> Option<Cow<'b, str>> {
        let mut value = Cow::Borrowed("");
        for item in self.items(number) {
            if let Item::Text(text) = item {
                value += text.get(buffer)?;
            }
        }
        Some(value)
    }
}
