//! Places of elements: where one may be without a change of the tree that a parser builds.

/// Where an element may be without a change of the tree.
pub(super) enum Place {
    Anywhere,
    /// Anywhere but in a `p`.
    Block,
    /// Only in `svg`.
    Svg,
    /// Only in these parents.
    In(&'static [&'static [u8]]),
}

/// Returns whether an element is one of SVG whose end tag may be missing if it ends with a slash,
/// and which has no text.
pub(super) fn is_svg(name: &[u8]) -> bool {
    matches!(
        name,
        b"svg"
            | b"g"
            | b"path"
            | b"circle"
            | b"ellipse"
            | b"line"
            | b"polygon"
            | b"polyline"
            | b"rect"
            | b"use"
    )
}

/// Returns whether an element may contain only parts of a table.
pub(super) fn is_table_part(name: &[u8]) -> bool {
    matches!(name, b"table" | b"thead" | b"tbody" | b"tfoot" | b"tr" | b"colgroup")
}

/// Returns whether each tag of an element ends a paragraph. Whether a table does depends on the
/// declaration of the page.
pub(super) fn is_block(name: &[u8]) -> bool {
    matches!(place_of(name), Some(Place::Block)) && !matches!(name, b"legend" | b"table")
}

pub(super) fn place_of(name: &[u8]) -> Option<Place> {
    Some(match name {
        b"a" | b"abbr" | b"acronym" | b"area" | b"audio" | b"b" | b"bdi" | b"bdo" | b"big"
        | b"br" | b"button" | b"canvas" | b"cite" | b"code" | b"data" | b"del" | b"dfn" | b"em"
        | b"font" | b"i" | b"iframe" | b"img" | b"input" | b"ins" | b"kbd" | b"label" | b"link"
        | b"map" | b"mark" | b"meta" | b"noscript" | b"output" | b"picture" | b"q" | b"s"
        | b"samp" | b"script" | b"small" | b"source" | b"span" | b"strike" | b"strong"
        | b"style" | b"svg" | b"sub" | b"sup" | b"template" | b"time" | b"track" | b"tt" | b"u"
        | b"var" | b"video" | b"wbr" => Place::Anywhere,
        b"address" | b"article" | b"aside" | b"blockquote" | b"center" | b"details" | b"div"
        | b"dl" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"h1" | b"h2"
        | b"h3" | b"h4" | b"h5" | b"h6" | b"header" | b"hr" | b"legend" | b"main" | b"menu"
        | b"nav" | b"ol" | b"p" | b"pre" | b"section" | b"summary" | b"table" | b"ul" => {
            Place::Block
        }
        b"li" => Place::In(&[b"ul", b"ol", b"menu"]),
        b"dt" | b"dd" => Place::In(&[b"dl"]),
        b"caption" | b"colgroup" | b"thead" | b"tbody" | b"tfoot" => Place::In(&[b"table"]),
        b"tr" => Place::In(&[b"table", b"thead", b"tbody", b"tfoot"]),
        b"td" | b"th" => Place::In(&[b"tr"]),
        b"col" => Place::In(&[b"colgroup"]),
        _ if is_svg(name) => Place::Svg,
        // Custom elements.
        _ if name.contains(&b'-') && !is_reserved(name) => Place::Anywhere,
        _ => return None,
    })
}

/// Returns whether a name with a dash is one of SVG or `MathML`.
fn is_reserved(name: &[u8]) -> bool {
    matches!(name, b"annotation-xml" | b"color-profile" | b"missing-glyph")
        || name.starts_with(b"font-face")
}
