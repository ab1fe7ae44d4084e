//! Serialization of extensions without columns to self-contained XML.
//!
//! Namespaces are declared where they are used, values are escaped, comments are dropped. Equal
//! elements give equal text, and parsing that text gives the same text again.

use std::borrow::Cow;

use crate::context::Context;
use crate::escape::escape;
use crate::names::split_name;
use crate::namespaces::{SITEMAP_NS, XML_NS, namespace, uri_of};
use crate::nodes::{Item, Nodes};

/// Prefixes and URIs in scope. The last binding of a prefix counts.
type Scope<'b> = Vec<(&'b [u8], Cow<'b, str>)>;

/// Serializes elements. Those without a namespace in scope are dropped.
#[must_use]
pub fn serialize(context: &Context<'_>, nodes: &Nodes<'_>, numbers: &[usize]) -> Vec<u8> {
    let mut scope: Scope<'_> = vec![(b"", SITEMAP_NS.into()), (b"xml", XML_NS.into())];
    let mut out = Vec::new();
    for number in numbers {
        element(context, nodes, *number, &mut scope, &mut out);
    }
    out
}

fn uri_in_scope<'s>(scope: &'s Scope<'_>, prefix: &[u8]) -> Option<&'s str> {
    scope.iter().rev().find(|(known, _)| *known == prefix).map(|(_, uri)| &**uri)
}

fn element<'b>(
    context: &'b Context<'_>,
    nodes: &'b Nodes<'_>,
    number: usize,
    scope: &mut Scope<'b>,
    out: &mut Vec<u8>,
) {
    let node = nodes.node(number);
    let (prefix, local) = split_name(node.name.raw);
    let Some(uri) =
        node.name.uri.as_deref().filter(|_| is_simple_name(local) && is_simple_prefix(prefix))
    else {
        return;
    };
    let outer = scope.len();
    if uri_in_scope(scope, prefix) != Some(uri) {
        scope.push((prefix, uri.into()));
    }
    let mut attributes = Vec::new();
    for attribute in nodes.attributes_of(number) {
        let (owner, rest) = split_name(attribute.name);
        let Some(value) = attribute.value.get(&context.buffer) else {
            continue;
        };
        let is_declaration = attribute.name == b"xmlns" || attribute.name.starts_with(b"xmlns:");
        if is_declaration || !is_simple_name(rest) || !is_simple_prefix(owner) {
            continue;
        }
        if !owner.is_empty() && owner != b"xml" {
            let Some(uri) = node.bindings.get(owner) else {
                continue;
            };
            let uri = canonical_uri(uri);
            let declared = scope[outer..].iter().find(|(prefix, _)| *prefix == owner);
            if declared.is_some_and(|(_, other)| *other != uri) {
                continue;
            }
            if uri_in_scope(scope, owner) != Some(uri) {
                scope.push((owner, uri.into()));
            }
        }
        attributes.push(b' ');
        attributes.extend_from_slice(attribute.name);
        attributes.extend_from_slice(b"=\"");
        escape(value.as_bytes(), true, &mut attributes);
        attributes.push(b'"');
    }
    out.push(b'<');
    out.extend_from_slice(node.name.raw);
    for (prefix, uri) in &scope[outer..] {
        out.extend_from_slice(if prefix.is_empty() { b" xmlns" } else { b" xmlns:" });
        out.extend_from_slice(prefix);
        out.extend_from_slice(b"=\"");
        escape(uri.as_bytes(), true, out);
        out.push(b'"');
    }
    out.extend_from_slice(&attributes);
    let head = out.len();
    out.push(b'>');
    for item in nodes.items(number) {
        match item {
            Item::Node(child) => element(context, nodes, child, scope, out),
            Item::Text(text) => {
                let text = text.get(&context.buffer).unwrap_or_default();
                escape(text.as_bytes(), false, out);
            }
        }
    }
    if out.len() == head + 1 {
        out.truncate(head);
        out.extend_from_slice(b"/>");
    } else {
        out.extend_from_slice(b"</");
        out.extend_from_slice(node.name.raw);
        out.push(b'>');
    }
    scope.truncate(outer);
}

/// Returns whether a name contains no colon and is not reserved by XML.
fn is_simple_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&b':') && name != b"xmlns"
}

fn is_simple_prefix(prefix: &[u8]) -> bool {
    prefix.is_empty() || is_simple_name(prefix)
}

/// Returns the canonical spelling of a namespace URI.
fn canonical_uri(uri: &str) -> &str {
    uri_of(namespace(uri.trim_matches([' ', '\t', '\r', '\n']))).unwrap_or(uri)
}
