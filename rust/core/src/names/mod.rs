//! Resolution of element names to namespace, key and role.

mod key;

use std::rc::Rc;

use crate::codes::{S002, S003, S004, S006, S011, X020};
use crate::context::Context;
use crate::namespaces::{Ns, SITEMAP_NS, XML_NS, namespace, prefix_namespace, uri_of};
use crate::utf8::utf8_or_empty;
use key::role;
pub use key::{Key, KeySet, Role, container_elements, namespace_elements};

/// Resolved name.
#[derive(Clone, Debug)]
pub struct Name<'a> {
    /// Name as written.
    pub raw: &'a [u8],
    /// Namespace.
    pub ns: Ns,
    /// Key of the local name.
    pub key: Key,
    /// Local name, in the case of the protocol.
    pub local: Rc<str>,
    /// Role of elements with this name.
    pub role: Role,
    /// Canonical URI of the namespace.
    pub uri: Option<Rc<str>>,
}

/// Namespace bindings in scope. Two are equal exactly if they are the same object.
#[derive(Clone, Debug, Default)]
pub struct Bindings<'a> {
    /// Pairs of prefix and URI.
    pub list: Vec<(&'a [u8], Rc<str>)>,
}

impl Bindings<'_> {
    /// Returns the URI that a prefix is bound to.
    #[must_use]
    pub fn get(&self, prefix: &[u8]) -> Option<&Rc<str>> {
        self.list.iter().find(|(bound, _)| *bound == prefix).map(|(_, uri)| uri)
    }
}

/// Splits a name at its last colon.
#[must_use]
pub fn split_name(raw: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(b':', raw) {
        Some(colon) => (&raw[..colon], &raw[colon + 1..]),
        None => (&[], raw),
    }
}

/// Number of cached names. Each name has one possible slot, so the table cannot grow and hostile
/// names cannot slow it down.
const CACHE_SIZE: usize = 64;

/// Resolves the names in one root element and reports each problem once.
pub struct Names<'a> {
    /// Whether the root is a feed.
    pub is_feed: bool,
    /// Prefix of the root and its binding.
    pub root: Option<(&'a [u8], Option<Rc<str>>)>,
    bindings: Option<Rc<Bindings<'a>>>,
    cache: Vec<Option<Rc<Name<'a>>>>,
}

impl<'a> Names<'a> {
    /// Creates a resolver for one root element.
    #[must_use]
    pub fn new(is_feed: bool) -> Self {
        Self { is_feed, root: None, bindings: None, cache: vec![None; CACHE_SIZE] }
    }

    /// Resolves a name within the given bindings.
    pub fn resolve(
        &mut self,
        context: &mut Context<'a>,
        raw: &'a [u8],
        bindings: &Rc<Bindings<'a>>,
        start: usize,
        end: usize,
    ) -> Rc<Name<'a>> {
        if !self.bindings.as_ref().is_some_and(|known| Rc::ptr_eq(known, bindings)) {
            self.bindings = Some(Rc::clone(bindings));
            self.cache.fill(None);
        }
        let middle = usize::from(raw[raw.len() / 2]);
        let last = usize::from(raw[raw.len() - 1]);
        let place = (raw.len() * 31 + middle * 7 + last * 3 + usize::from(raw[0])) % CACHE_SIZE;
        if let Some(name) = self.cache[place].as_ref().filter(|name| name.raw == raw) {
            return Rc::clone(name);
        }
        let name = Rc::new(self.resolve_uncached(context, raw, bindings, start, end));
        self.cache[place] = Some(Rc::clone(&name));
        name
    }

    /// Treats the namespace of the root as that of the protocol, whatever it is.
    pub fn set_root(
        &mut self,
        context: &mut Context<'a>,
        raw: &'a [u8],
        bindings: &Bindings<'a>,
        start: usize,
        end: usize,
    ) {
        if self.is_feed {
            return;
        }
        let (prefix, local) = split_name(raw);
        let uri = bindings.get(prefix).filter(|uri| !uri.is_empty()).cloned();
        match &uri {
            Some(uri) => {
                if **uri != *SITEMAP_NS {
                    context.diagnostics.add_once(S003, &[uri.as_bytes()], start, end, uri);
                }
            }
            _ if !prefix.is_empty() => {
                context.diagnostics.add_once(X020, &[prefix], start, end, utf8_or_empty(prefix));
            }
            _ => context.diagnostics.add_once(S002, &[], start, end, utf8_or_empty(local)),
        }
        self.root = Some((prefix, uri));
    }

    fn resolve_uncached(
        &self,
        context: &mut Context<'a>,
        raw: &'a [u8],
        bindings: &Bindings<'a>,
        start: usize,
        end: usize,
    ) -> Name<'a> {
        let (prefix, local) = split_name(raw);
        let lower = local.to_ascii_lowercase();
        if self.is_feed {
            let uri = bindings.get(prefix).cloned();
            if uri.is_none() && !prefix.is_empty() && prefix != b"xml" {
                context.diagnostics.add_once(X020, &[prefix], start, end, utf8_or_empty(prefix));
            }
            let (key, local) = (Key::of(&lower), utf8_or_empty(&lower).into());
            return Name { raw, ns: Ns::Other, key, local, role: Role::Plain, uri };
        }
        let (mut ns, uri) = self.namespace(context, (prefix, local), bindings, start, end);
        let lower_key = Key::of(&lower);
        let mut is_known = lower_key.is_known(ns);
        if is_known && lower != local {
            context.diagnostics.add_once(S006, &[raw], start, end, utf8_or_empty(local));
        }
        if let (Ns::Core, Some(moved), false) = (ns, lower_key.misplaced_extension(), is_known) {
            context.diagnostics.add_once(S011, &[raw], start, end, utf8_or_empty(local));
            (ns, is_known) = (moved, true);
        }
        let key = if is_known { lower_key } else { Key::of(local) };
        let local = utf8_or_empty(if is_known { &lower } else { local }).into();
        Name { raw, ns, key, local, role: role(ns, key), uri }
    }

    fn namespace(
        &self,
        context: &mut Context<'a>,
        (prefix, local): (&[u8], &[u8]),
        bindings: &Bindings<'a>,
        start: usize,
        end: usize,
    ) -> (Ns, Option<Rc<str>>) {
        let xml: Option<Rc<str>> = (prefix == b"xml").then(|| XML_NS.into());
        let uri = xml.as_ref().or_else(|| bindings.get(prefix).filter(|uri| !uri.is_empty()));
        let is_root = matches!(&self.root, Some((p, u)) if *p == prefix && u.as_ref() == uri);
        let Some(uri) = uri.filter(|_| !is_root) else {
            if !is_root && prefix.is_empty() {
                context.diagnostics.add_once(S002, &[], start, end, utf8_or_empty(local));
            }
            if is_root || prefix.is_empty() {
                return (Ns::Core, Some(SITEMAP_NS.into()));
            }
            let ns = prefix_namespace(prefix);
            context.diagnostics.add_once(X020, &[prefix], start, end, utf8_or_empty(prefix));
            return (ns, uri_of(ns).map(Rc::from));
        };
        let ns = namespace(uri.trim_matches([' ', '\t', '\r', '\n']));
        let Some(right) = uri_of(ns) else {
            return (ns, Some(Rc::clone(uri)));
        };
        if **uri != *right {
            let code = if ns == Ns::Core { S003 } else { S004 };
            context.diagnostics.add_once(code, &[uri.as_bytes()], start, end, uri);
        }
        (ns, Some(right.into()))
    }
}
