//! Elements of the entry that is being read, and the rules for their nesting.

use std::borrow::Cow;
use std::rc::Rc;

use crate::attributes::Attribute;
use crate::context::Buffer;
use crate::names::{Bindings, Key, KeySet, Name, Role};
use crate::values::Value;

/// Maximum number of characters of a value. Note: `src/urlset/protocol.py` has the same number.
const MAX_VALUE: usize = 1_048_576;

/// Number that stands for no item.
pub const NONE: usize = usize::MAX;

/// Lengths of the vectors before an element was added.
#[derive(Clone, Copy)]
pub struct Marker {
    /// Number of elements.
    pub nodes: usize,
    /// Number of items.
    pub items: usize,
    /// Number of attributes.
    pub attributes: usize,
    /// Number of bytes of decoded values.
    pub decoded: usize,
}

/// Element of the entry that is being read.
pub struct Node<'a> {
    /// Resolved name.
    pub name: Rc<Name<'a>>,
    /// Namespace bindings in scope.
    pub bindings: Rc<Bindings<'a>>,
    /// Start offset of the start tag.
    pub start: usize,
    /// End offset of the start tag.
    pub tag_end: usize,
    /// End offset of the content.
    pub end: usize,
    /// Lengths of the vectors before the element was added.
    pub marker: Marker,
    /// Index after its last attribute.
    pub attributes_end: usize,
    /// Number of its first item.
    pub first: usize,
    /// Number of its last item.
    pub last: usize,
    /// Keys of its children as a set of bits.
    pub keys: KeySet,
    /// Whether it contains text other than white space.
    pub has_text: bool,
    /// Whether it has a loc as child.
    pub has_loc: bool,
    /// Whether an unexpected end tag ended its value, so that later text does not belong to it.
    pub is_cut: bool,
}

/// Item in the content of an element: a text or a child element.
#[derive(Clone, Copy)]
pub enum Item {
    /// Text.
    Text(Value),
    /// Number of a child element.
    Node(usize),
}

/// Elements of one entry and the open elements around it.
///
/// The vectors are reused for the next entry.
#[derive(Default)]
pub struct Nodes<'a> {
    /// Elements.
    pub list: Vec<Node<'a>>,
    /// Items of all elements, each with the number of the next item of the same element.
    pub items: Vec<(Item, usize)>,
    /// Attributes of all elements.
    pub attributes: Vec<Attribute<'a>>,
    /// Numbers of the open elements, outermost first.
    pub stack: Vec<usize>,
}

impl<'a> Nodes<'a> {
    /// Returns the numbers of the open elements, outermost first.
    pub fn open_nodes(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.stack.iter().copied()
    }

    /// Returns the innermost open element.
    #[must_use]
    pub fn top(&self) -> Option<&Node<'a>> {
        self.stack.last().map(|number| &self.list[*number])
    }

    /// Appends an item to the innermost open element.
    pub fn append(&mut self, item: Item) {
        let Some(top) = self.stack.last() else { return };
        let number = self.items.len();
        self.items.push((item, NONE));
        let node = &mut self.list[*top];
        match self.items.get_mut(node.last) {
            Some((_, next)) => *next = number,
            None => node.first = number,
        }
        node.last = number;
    }

    /// Returns an element.
    #[must_use]
    pub fn node(&self, number: usize) -> &Node<'a> {
        &self.list[number]
    }

    /// Returns the attributes of an element.
    #[must_use]
    pub fn attributes_of(&self, number: usize) -> &[Attribute<'a>] {
        let node = &self.list[number];
        &self.attributes[node.marker.attributes..node.attributes_end]
    }

    /// Returns the value of an attribute.
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

    /// Returns the items of an element, in document order.
    pub fn items(&self, number: usize) -> impl Iterator<Item = Item> + '_ {
        let mut next = self.list[number].first;
        std::iter::from_fn(move || {
            let (item, following) = *self.items.get(next)?;
            next = following;
            Some(item)
        })
    }

    /// Returns the numbers of the child elements.
    pub fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.items(number).filter_map(|item| match item {
            Item::Node(child) => Some(child),
            Item::Text(_) => None,
        })
    }

    /// Returns the joined text of an element and its descendants, or None if a part of it is
    /// uncertain or it is too long.
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

    /// Returns whether no part of the text is uncertain.
    #[must_use]
    pub fn is_certain(&self, number: usize) -> bool {
        self.items(number).all(|item| match item {
            Item::Text(text) => !matches!(text, Value::Uncertain),
            Item::Node(child) => self.is_certain(child),
        })
    }

    /// Returns the joined text of an element without its descendants, or None if a part of it is
    /// uncertain.
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

/// Returns whether an element outside an entry begins one. A loc without an enclosing url does.
#[must_use]
pub fn begins_entry(name: &Name<'_>, is_feed: bool) -> bool {
    if is_feed {
        return matches!(name.key, Key::Item | Key::Entry);
    }
    name.role == Role::Entry || is_loc(name)
}

/// Returns whether an element is the URL of an entry.
#[must_use]
pub fn is_loc(name: &Name<'_>) -> bool {
    name.role == Role::Value && name.key == Key::Loc
}

/// Returns whether an open element inside an entry may hold an element.
#[must_use]
pub fn may_hold(top: &Name<'_>, name: &Name<'_>) -> bool {
    let is_foreign = matches!(name.role, Role::Unknown | Role::Extra);
    match (top.role, name.role) {
        (_, Role::Entry | Role::Root) => false,
        (Role::Entry | Role::Unknown | Role::Extra, _) => true,
        (Role::Container, Role::Leaf | Role::Container) => {
            name.ns == top.ns && belongs(name.key, top.key)
        }
        _ => is_foreign,
    }
}

/// Returns whether a container, rather than the element around it, holds an element.
fn belongs(key: Key, container: Key) -> bool {
    match container {
        Key::Tvshow | Key::Publication => key.is_in(container),
        _ => key != container,
    }
}
