//! An element and what it holds, for those who say what it means.

use std::borrow::Cow;
use std::rc::Rc;

use crate::attributes::Attribute;
use crate::context::Buffer;
use crate::names::{Bindings, Key, Name, Role};
use crate::values::Value;

/// Characters of one value. Beware: `src/urlset/protocol.py` has the same number.
const MAX_VALUE: usize = 1_048_576;

/// No item.
pub const NONE: usize = usize::MAX;

/// How much of everything there was before an element.
#[derive(Clone, Copy)]
pub struct Marker {
    /// Elements.
    pub nodes: usize,
    /// Items.
    pub items: usize,
    /// Attributes.
    pub attributes: usize,
    /// Bytes of decoded values.
    pub decoded: usize,
}

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
    /// What there was before it.
    pub marker: Marker,
    /// Where its attributes end.
    pub attributes_end: usize,
    /// Its first item.
    pub first: usize,
    /// Its last item.
    pub last: usize,
    /// The keys of its children, one bit each.
    pub keys: u64,
    /// Whether it holds text that is not white space.
    pub has_text: bool,
    /// Whether one of its children is a loc.
    pub has_loc: bool,
    /// Whether a wrong end tag ended its value: what follows is not in it.
    pub is_cut: bool,
}

/// What an element holds.
#[derive(Clone, Copy)]
pub enum Item {
    /// A text.
    Text(Value),
    /// An element, by its number.
    Node(usize),
}

/// The elements of one entry, and those around it that are open.
#[derive(Default)]
pub struct Nodes<'a> {
    /// The elements.
    pub list: Vec<Node<'a>>,
    /// What they hold, each with the number of the next item of the same element.
    pub items: Vec<(Item, usize)>,
    /// Their attributes.
    pub attributes: Vec<Attribute<'a>>,
    /// The numbers of the elements that are open, from the outside in.
    pub stack: Vec<usize>,
}

impl<'a> Nodes<'a> {
    /// The elements that are open, from the outside in.
    pub fn open_nodes(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.stack.iter().copied()
    }

    /// The innermost element that is open.
    #[must_use]
    pub fn top(&self) -> Option<&Node<'a>> {
        self.stack.last().map(|number| &self.list[*number])
    }

    /// Adds an item to it.
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

    /// An element.
    #[must_use]
    pub fn node(&self, number: usize) -> &Node<'a> {
        &self.list[number]
    }

    /// The attributes of an element.
    #[must_use]
    pub fn attributes_of(&self, number: usize) -> &[Attribute<'a>] {
        let node = &self.list[number];
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
        let mut next = self.list[number].first;
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

/// Whether an element that stands in no entry begins one; a loc without a url around it does.
#[must_use]
pub fn begins_entry(name: &Name<'_>, is_feed: bool) -> bool {
    if is_feed {
        return matches!(name.key, Key::Item | Key::Entry);
    }
    name.role == Role::Entry || is_loc(name)
}

/// Whether an element is the URL of an entry.
#[must_use]
pub fn is_loc(name: &Name<'_>) -> bool {
    name.role == Role::Value && name.key == Key::Loc
}

/// Whether an element may stand inside the one that is open, within an entry.
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

/// Whether an element goes into this container rather than into the one around it.
fn belongs(key: Key, container: Key) -> bool {
    match container {
        Key::Tvshow | Key::Publication => key.is_in(container),
        _ => key != container,
    }
}
