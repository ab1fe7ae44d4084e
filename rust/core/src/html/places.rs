//! Places of elements: where one may be without a change of the tree that a parser builds.

/// Where an element may be without a change of the tree.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Anywhere,
    /// Anywhere but in a `p`.
    Block,
    /// Only in `svg`.
    Svg,
    /// Only in these parents, and not in a `p`.
    BlockIn(Parents),
    /// Only in these parents.
    In(Parents),
}

/// Elements in which another one may be.
#[derive(Clone, Copy)]
pub(super) enum Parents {
    Lists,
    DefinitionList,
    Table,
    Rows,
    Row,
    Columns,
    Options,
    Select,
}

impl Parents {
    pub fn contain(self, name: &[u8]) -> bool {
        match self {
            Self::Lists => matches!(name, b"ul" | b"ol" | b"menu"),
            Self::DefinitionList => name == b"dl",
            Self::Table => name == b"table",
            Self::Rows => matches!(name, b"table" | b"thead" | b"tbody" | b"tfoot"),
            Self::Row => name == b"tr",
            Self::Columns => matches!(name, b"colgroup" | b"table"),
            Self::Options => matches!(name, b"select" | b"optgroup" | b"datalist"),
            Self::Select => name == b"select",
        }
    }
}

/// Returns whether an element is one of SVG whose end tag may be missing if it ends with a slash.
pub(super) const fn is_svg(name: &[u8]) -> bool {
    match name {
        b"svg" | b"g" | b"path" | b"circle" | b"ellipse" | b"line" | b"polygon" | b"polyline"
        | b"rect" | b"use" | b"defs" | b"symbol" | b"stop" | b"mask" | b"pattern" | b"marker"
        | b"text" | b"tspan" | b"image" | b"animate" | b"filter" => true,
        [b'f', b'e', rest @ ..] => matches!(
            rest,
            b"blend"
                | b"colormatrix"
                | b"composite"
                | b"dropshadow"
                | b"flood"
                | b"gaussianblur"
                | b"merge"
                | b"mergenode"
                | b"offset"
        ),
        _ => matches!(
            name,
            b"clippath" | b"lineargradient" | b"radialgradient" | b"animatetransform"
        ),
    }
}

/// Returns whether an element may contain only parts of a table.
pub(super) const fn is_table_part(name: &[u8]) -> bool {
    matches!(name, b"table" | b"thead" | b"tbody" | b"tfoot" | b"tr" | b"colgroup")
}

/// Returns whether each tag of an element ends a paragraph. Whether a table does depends on the
/// declaration of the page.
pub(super) const fn is_block(name: &[u8]) -> bool {
    matches!(place_of(name), Some(Place::Block)) && !matches!(name, b"legend" | b"table")
}

pub(super) const fn place_of(name: &[u8]) -> Option<Place> {
    Some(match name {
        b"a" | b"abbr" | b"acronym" | b"area" | b"audio" | b"b" | b"bdi" | b"bdo" | b"big"
        | b"br" | b"button" | b"canvas" | b"cite" | b"code" | b"data" | b"datalist" | b"del"
        | b"dfn" | b"em" | b"embed" | b"font" | b"i" | b"iframe" | b"img" | b"input" | b"ins"
        | b"kbd" | b"label" | b"link" | b"map" | b"mark" | b"meta" | b"meter" | b"noscript"
        | b"output" | b"picture" | b"progress" | b"q" | b"s" | b"samp" | b"script" | b"select"
        | b"slot" | b"small" | b"source" | b"span" | b"strike" | b"strong" | b"style" | b"svg"
        | b"sub" | b"sup" | b"template" | b"textarea" | b"time" | b"track" | b"tt" | b"u"
        | b"var" | b"video" | b"wbr" => Place::Anywhere,
        b"address" | b"article" | b"aside" | b"blockquote" | b"center" | b"details" | b"dialog"
        | b"div" | b"dl" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form"
        | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"header" | b"hgroup" | b"hr"
        | b"legend" | b"main" | b"menu" | b"nav" | b"ol" | b"p" | b"pre" | b"section"
        | b"summary" | b"table" | b"ul" => Place::Block,
        b"li" => Place::BlockIn(Parents::Lists),
        b"dt" | b"dd" => Place::BlockIn(Parents::DefinitionList),
        b"caption" | b"colgroup" | b"thead" | b"tbody" | b"tfoot" => Place::BlockIn(Parents::Table),
        b"tr" => Place::BlockIn(Parents::Rows),
        b"td" | b"th" => Place::BlockIn(Parents::Row),
        b"col" => Place::BlockIn(Parents::Columns),
        b"option" => Place::In(Parents::Options),
        b"optgroup" => Place::In(Parents::Select),
        b"title" | b"desc" => Place::Svg,
        _ if is_svg(name) => Place::Svg,
        // Custom elements.
        _ if has_dash(name) && !is_reserved(name) => Place::Anywhere,
        _ => return None,
    })
}

const fn has_dash(name: &[u8]) -> bool {
    match name {
        [b'-', ..] => true,
        [_, rest @ ..] => has_dash(rest),
        [] => false,
    }
}

/// Returns whether a name with a dash is one of SVG or `MathML`.
const fn is_reserved(name: &[u8]) -> bool {
    matches!(name, b"annotation-xml" | b"color-profile" | b"missing-glyph")
        || matches!(name, [b'f', b'o', b'n', b't', b'-', b'f', b'a', b'c', b'e', ..])
}

/// Returns whether [`is_child`] depends on a parent.
pub(super) const fn is_limited(parent: &[u8]) -> bool {
    matches!(parent, b"select" | b"optgroup" | b"option" | b"title" | b"desc")
}

/// Returns whether an element may be in another one, whatever else is open.
pub(super) fn is_child(name: &[u8], parent: &[u8]) -> bool {
    match parent {
        b"select" | b"optgroup" => matches!(name, b"option" | b"optgroup"),
        b"option" | b"title" | b"desc" => false,
        _ => true,
    }
}

/// Names of elements that pages may have in capital letters.
const NAMES: &str = " \
a abbr acronym address animatetransform area article aside b base blockquote body br button caption \
center cite clippath code col colgroup dd del details dfn div dl dt em fecolormatrix fecomposite \
fedropshadow fegaussianblur femerge femergenode feoffset fieldset figcaption figure font footer form \
h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li lineargradient link \
main map menu meta nav noscript ol optgroup option p pre q radialgradient s samp script section \
select small span strike strong style sub summary sup table tbody td textarea tfoot th thead title \
tr tt u ul var ";

/// Returns a name in lower case, if it is one that pages may have in capital letters.
pub(super) fn lower_case(name: &str) -> Option<&'static str> {
    NAMES.split_ascii_whitespace().find(|known| known.eq_ignore_ascii_case(name))
}
