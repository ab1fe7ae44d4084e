//! Names of elements, and how their tags are handled.

/// How a tag is handled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Kind {
    /// It does not break the line.
    Inline,
    /// Its attributes are recorded.
    Record,
    /// It breaks the line.
    Break,
    /// It breaks the line, and may open a region.
    Opening,
    /// It breaks the line.
    Closing,
    /// Its content is no markup.
    RawText,
}

/// Returns how a start tag is handled. The name is in lower case.
pub(super) const fn kind_of(name: &[u8]) -> Kind {
    kind(name, false)
}

/// Returns how an end tag is handled. The name is in lower case.
pub(super) const fn end_kind_of(name: &[u8]) -> Kind {
    kind(name, true)
}

const fn kind(name: &[u8], is_end: bool) -> Kind {
    match name {
        b"address" | b"blockquote" | b"br" | b"button" | b"caption" | b"dd" | b"details"
        | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure" | b"form" | b"h1"
        | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"hr" | b"legend" | b"li" | b"ol" | b"option"
        | b"p" | b"picture" | b"pre" | b"section" | b"select" | b"summary" | b"table"
        | b"tbody" | b"td" | b"tfoot" | b"th" | b"thead" | b"tr" | b"ul" => Kind::Break,
        b"a" | b"base" | b"data" | b"img" | b"link" | b"meta" | b"source" | b"time" if !is_end => {
            Kind::Record
        }
        b"a" | b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"cite" | b"code"
        | b"data" | b"del" | b"dfn" | b"em" | b"font" | b"g" | b"i" | b"img" | b"ins" | b"kbd"
        | b"label" | b"mark" | b"math" | b"meter" | b"nobr" | b"output" | b"path" | b"q"
        | b"rp" | b"rt" | b"ruby" | b"s" | b"samp" | b"small" | b"span" | b"strike" | b"strong"
        | b"sub" | b"sup" | b"svg" | b"time" | b"tt" | b"u" | b"use" | b"var" | b"wbr" => {
            Kind::Inline
        }
        _ if !is_end && has_no_markup(name) => Kind::RawText,
        _ if is_end => Kind::Closing,
        _ => Kind::Opening,
    }
}

/// Returns whether the content of an element is no markup.
const fn has_no_markup(name: &[u8]) -> bool {
    is_raw_text(name) || matches!(name, b"template" | b"noembed" | b"noframes" | b"xmp")
}

/// Returns whether the content of an element is skipped as text, also in a well-formed page. Such a page has no `xmp`,
/// `noembed` or `noframes`, and its `template` has markup.
pub(super) const fn is_raw_text(name: &[u8]) -> bool {
    matches!(name, b"script" | b"style" | b"noscript" | b"iframe")
}

/// Returns whether an element may be in the head.
pub(super) const fn is_in_head(name: &[u8]) -> bool {
    matches!(name, b"html" | b"head" | b"base" | b"link" | b"meta" | b"title")
        || has_no_markup(name)
}

/// Returns whether an element has no end tag.
pub(super) const fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}
