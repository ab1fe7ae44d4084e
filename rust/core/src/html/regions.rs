//! Open elements whose end matters: main content, articles, and what is skipped.

use super::content::Content;
use super::roles::Role;
use super::traits::{Name, Traits};

const MAX_REGIONS: usize = 64;

/// Kind of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RegionKind {
    Main,
    Article,
    Skip,
}

/// An open element; `level` is the number of open ones with its name.
pub(super) struct Region {
    name: OwnName,
    kind: RegionKind,
    begin: usize,
    level: i64,
}

/// A name that is kept.
struct OwnName {
    text: Vec<u8>,
    traits: &'static Traits,
}

impl OwnName {
    fn new(name: &Name<'_>) -> Self {
        Self { text: name.text.to_vec(), traits: name.traits }
    }
}

impl PartialEq<Name<'_>> for OwnName {
    #[inline]
    fn eq(&self, other: &Name<'_>) -> bool {
        Name { text: &self.text, traits: self.traits } == *other
    }
}

/// The open regions. Only the open elements with the name of an open region are counted.
#[derive(Default)]
pub(super) struct Regions {
    open: Vec<Region>,
    watched: Vec<(OwnName, i64)>,
    /// Number of the region that is skipped.
    skipping: Option<usize>,
}

impl Regions {
    /// Returns whether the content is skipped.
    #[inline]
    pub fn is_skipping(&self) -> bool {
        self.skipping.is_some()
    }

    /// Returns whether elements of a name are counted.
    #[inline]
    pub fn has(&self, name: &Name<'_>) -> bool {
        self.watched.iter().any(|(watched, _)| *watched == *name)
    }

    /// Counts an open element if its name is that of a region.
    #[inline]
    pub fn count(&mut self, name: &Name<'_>) {
        if let Some((_, count)) = self.watched.iter_mut().find(|(watched, _)| *watched == *name) {
            *count += 1;
        }
    }

    /// Returns the kind of region that an element opens.
    pub fn kind_of(&self, name: &[u8], role: Option<Role>) -> Option<RegionKind> {
        let role = role.filter(|_| !matches!(name, b"html" | b"body"));
        match (name, role) {
            (b"article", _) => return Some(RegionKind::Article),
            (b"nav", _) => return Some(RegionKind::Skip),
            (b"main", _) | (_, Some(Role::Main)) => return Some(RegionKind::Main),
            _ => {}
        }
        if matches!(name, b"header" | b"footer" | b"aside") || role == Some(Role::Boilerplate) {
            let is_inner = self.open.iter().any(|region| region.kind != RegionKind::Skip);
            return (!is_inner).then_some(RegionKind::Skip);
        }
        role.map(|_| RegionKind::Skip)
    }

    /// Opens a region at the end of the content. The caller counts its element afterwards.
    pub fn enter(&mut self, name: &Name<'_>, kind: RegionKind, content: &Content) {
        if name.traits.is_void || self.open.len() >= MAX_REGIONS {
            return;
        }
        let known = self.watched.iter().find(|(watched, _)| *watched == *name);
        let level = known.map_or(0, |(_, count)| *count);
        if known.is_none() {
            self.watched.push((OwnName::new(name), 0));
        }
        if kind == RegionKind::Skip && self.skipping.is_none() {
            self.skipping = Some(self.open.len());
        }
        self.open.push(Region { name: OwnName::new(name), kind, begin: content.parts(), level });
    }

    /// Processes an end tag of a counted name: closes the region of its element, and all in it.
    pub fn close(&mut self, name: &Name<'_>, content: &mut Content) {
        let Some((_, count)) = self.watched.iter_mut().find(|(watched, _)| *watched == *name)
        else {
            return;
        };
        *count -= 1;
        let count = *count;
        let is_closed = |region: &Region| region.name == *name && region.level >= count;
        if let Some(number) = self.open.iter().position(is_closed) {
            self.leave(number, content);
        }
    }

    /// Closes the open regions from a number on, the innermost first.
    pub fn leave(&mut self, number: usize, content: &mut Content) {
        while self.open.len() > number {
            let Some(region) = self.open.pop() else { return };
            let span = (region.begin, content.parts());
            let is_outer = self.open.iter().all(|other| other.kind != RegionKind::Article);
            if self.skipping == Some(self.open.len()) {
                self.skipping = None;
            } else if self.skipping.is_none() {
                match region.kind {
                    RegionKind::Main => content.main.push(span),
                    RegionKind::Article if is_outer => content.articles.push(span),
                    _ => {}
                }
            }
            if self.open.iter().all(|other| other.name.text != region.name.text) {
                self.watched.retain(|(watched, _)| watched.text != region.name.text);
            }
        }
    }
}
