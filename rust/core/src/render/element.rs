//! Rendering of an element of an extension.

use crate::escape::escape;

type Text<'b> = Option<&'b [u8]>;

/// Renders an element, unless it has neither text nor attributes.
pub(super) fn element(
    out: &mut Vec<u8>,
    prefix: &str,
    name: &str,
    value: Text<'_>,
    attributes: &[(&str, Text<'_>)],
) {
    if value.is_none() && attributes.iter().all(|(_, text)| text.is_none()) {
        return;
    }
    out.push(b'<');
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(name.as_bytes());
    for (name, text) in attributes {
        let Some(text) = text else { continue };
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"=\"");
        escape(text, true, out);
        out.push(b'"');
    }
    let Some(value) = value else {
        out.extend_from_slice(b"/>");
        return;
    };
    out.push(b'>');
    escape(value, false, out);
    out.extend_from_slice(b"</");
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}
