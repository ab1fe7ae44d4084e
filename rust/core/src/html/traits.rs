//! What is known of an element by its name, looked up once for each tag.

use super::kinds::{Kind, end_kind_of, is_in_head, is_raw_text, is_void, kind_of};
use super::places::{Place, is_block, is_limited, is_svg, is_table_part, place_of};

/// What is known of an element by its name.
pub(super) struct Traits {
    /// Number of the name in [`NAMES`]; 0 for another one.
    id: u8,
    pub kind: Kind,
    pub end_kind: Kind,
    /// Where it may be; None if that has rules of its own.
    pub place: Option<Place>,
    pub is_block: bool,
    pub is_in_head: bool,
    /// Whether only few elements may be in it.
    pub is_limited: bool,
    pub is_raw_text: bool,
    pub is_svg: bool,
    pub is_table_part: bool,
    pub is_void: bool,
    /// Whether its end tag may be missing.
    pub may_end: bool,
    /// Which of the elements it is that may not be within themselves; the first one is `p`.
    pub counted: Option<u8>,
}

/// Number of the elements that may not be within themselves.
pub(super) const COUNTED: usize = 4;

impl Traits {
    const fn new(name: &[u8], id: u8) -> Self {
        Self {
            id,
            kind: kind_of(name),
            end_kind: end_kind_of(name),
            place: place_of(name),
            is_block: is_block(name),
            is_in_head: is_in_head(name),
            is_limited: is_limited(name),
            is_raw_text: is_raw_text(name),
            is_svg: is_svg(name),
            is_table_part: is_table_part(name),
            is_void: is_void(name),
            may_end: matches!(name, b"p" | b"li" | b"dt" | b"dd"),
            counted: match name {
                b"p" => Some(0),
                b"a" => Some(1),
                b"button" => Some(2),
                b"form" => Some(3),
                _ => None,
            },
        }
    }

    /// Returns the traits of an element, whose name is in lower case.
    fn of(name: &[u8]) -> &'static Self {
        let id = if name.len() <= WORD { id_of(word(name)) } else { id_of_long(name) };
        match id {
            Some(id) => &TRAITS[usize::from(id)],
            None if place_of(name).is_some() => &CUSTOM,
            None => &UNKNOWN,
        }
    }
}

/// A name in lower case, and what is known of its element.
#[derive(Clone, Copy)]
pub(super) struct Name<'t> {
    pub text: &'t [u8],
    pub traits: &'static Traits,
}

impl<'t> Name<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, traits: Traits::of(text) }
    }

    /// Returns the known name, of letters only, with which a text begins, and its length. `word`
    /// are the first eight bytes, among which must be the one after the name.
    #[inline]
    pub fn starting(text: &'t [u8], word: u64) -> Option<(Self, usize)> {
        const ONES: u64 = u64::from_ne_bytes([1; WORD]);
        const HIGH: u64 = ONES * 0x80;
        // The first byte that is less than `a`. After a sign that is more than `z`, no name is known.
        let others = !((word & !HIGH) + ONES * (0x80 - u64::from(b'a'))) & HIGH | word & HIGH;
        let bits = others.trailing_zeros() & !7;
        let id = id_of(word & 1_u64.checked_shl(bits)?.wrapping_sub(1))?;
        let length = bits as usize / 8;
        Some((Self { text: text.get(..length)?, traits: &TRAITS[usize::from(id)] }, length))
    }
}

impl PartialEq<Name<'_>> for Name<'_> {
    #[inline]
    fn eq(&self, other: &Name<'_>) -> bool {
        self.traits.id == other.traits.id && (self.traits.id != 0 || self.text == other.text)
    }
}

/// Traits of an element that has none, and of one with a dash in its name.
static UNKNOWN: Traits = Traits::new(b"", 0);
static CUSTOM: Traits = Traits::new(b"-", 0);

/// Number of bytes of a word.
const WORD: usize = 8;

/// Names of elements that have traits, the longer ones last. The first one stands for all others.
#[rustfmt::skip]
const NAMES: [&[u8]; COUNT] = [
    b"",
    b"a", b"abbr", b"acronym", b"address", b"animate", b"area", b"article", b"aside", b"audio",
    b"b", b"base", b"bdi", b"bdo", b"big", b"body", b"br", b"button", b"canvas", b"caption",
    b"center", b"circle", b"cite", b"clippath", b"code", b"col", b"colgroup", b"data",
    b"datalist", b"dd", b"defs", b"del", b"desc", b"details", b"dfn", b"dialog", b"div", b"dl",
    b"dt", b"ellipse", b"em", b"embed", b"feblend", b"feflood", b"femerge", b"feoffset",
    b"fieldset", b"figure", b"filter", b"font", b"footer", b"form", b"g", b"h1", b"h2", b"h3",
    b"h4", b"h5", b"h6", b"head", b"header", b"hgroup", b"hr", b"html", b"i", b"iframe", b"image",
    b"img", b"input", b"ins", b"kbd", b"label", b"legend", b"li", b"line", b"link", b"main",
    b"map", b"mark", b"marker", b"mask", b"math", b"menu", b"meta", b"meter", b"nav", b"nobr",
    b"noembed", b"noframes", b"noscript", b"ol", b"optgroup", b"option", b"output", b"p",
    b"param", b"path", b"pattern", b"picture", b"polygon", b"polyline", b"pre", b"progress", b"q",
    b"rect", b"rp", b"rt", b"ruby", b"s", b"samp", b"script", b"section", b"select", b"slot",
    b"small", b"source", b"span", b"stop", b"strike", b"strong", b"style", b"sub", b"summary",
    b"sup", b"svg", b"symbol", b"table", b"tbody", b"td", b"template", b"text", b"textarea",
    b"tfoot", b"th", b"thead", b"time", b"title", b"tr", b"track", b"tspan", b"tt", b"u", b"ul",
    b"use", b"var", b"video", b"wbr", b"xmp", b"animatetransform", b"blockquote",
    b"fecolormatrix", b"fecomposite", b"fedropshadow", b"fegaussianblur", b"femergenode",
    b"figcaption", b"lineargradient", b"radialgradient",
];
const COUNT: usize = 158;

/// Number of the first name that is longer than a word.
const FIRST_LONG: usize = 148;

static TRAITS: [Traits; COUNT] = {
    let mut traits = [const { Traits::new(b"", 0) }; COUNT];
    let mut id = 1_u8;
    while (id as usize) < COUNT {
        traits[id as usize] = Traits::new(NAMES[id as usize], id);
        id += 1;
    }
    traits
};

/// The names up to a word, as numbers.
static WORDS: [u64; FIRST_LONG] = {
    let mut words = [0; FIRST_LONG];
    let mut id = 1;
    while id < FIRST_LONG {
        words[id] = word(NAMES[id]);
        id += 1;
    }
    words
};

const SLOT_BITS: u32 = 9;

/// Numbers of these names, each at the first free place from its hash on.
static SLOTS: [u8; 1 << SLOT_BITS] = {
    let mut slots = [0; 1 << SLOT_BITS];
    let mut id = 1_u8;
    while (id as usize) < FIRST_LONG {
        let mut at = slot(word(NAMES[id as usize]));
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = id;
        id += 1;
    }
    slots
};

const fn slot(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOT_BITS)) as usize
}

/// Returns a name of at most eight bytes as a number.
const fn word(name: &[u8]) -> u64 {
    let mut word = 0;
    let mut at = name.len();
    while at > 0 {
        at -= 1;
        word = word << 8 | name[at] as u64;
    }
    word
}

/// Returns the number of a name, which is given as a word.
#[inline]
fn id_of(word: u64) -> Option<u8> {
    let mut at = slot(word);
    loop {
        let id = SLOTS[at];
        if id == 0 {
            return None;
        }
        if WORDS[usize::from(id)] == word {
            return Some(id);
        }
        at = (at + 1) % SLOTS.len();
    }
}

fn id_of_long(name: &[u8]) -> Option<u8> {
    let at = NAMES[FIRST_LONG..].iter().position(|known| *known == name)?;
    u8::try_from(FIRST_LONG + at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_found_and_others_are_not() {
        for (id, name) in NAMES.iter().enumerate().skip(1) {
            assert_eq!(Name::new(name).traits.id as usize, id);
            assert_eq!(name.len() > WORD, id >= FIRST_LONG);
        }
        for name in [&b""[..], b"spa", b"spans", b"blockquotes", b"my-element", b"font-face"] {
            assert_eq!(Name::new(name).traits.id, 0);
        }
        assert!(Name::new(b"my-element").traits.place.is_some());
        assert!(Name::new(b"font-face").traits.place.is_none());
    }

    #[test]
    fn names_in_the_rules_are_known() {
        for rules in [include_str!("kinds.rs"), include_str!("places.rs")] {
            // What is between quotation marks is every second part.
            for name in rules.split('"').skip(1).step_by(2).filter(|name| !name.contains(' ')) {
                let filter = format!("fe{name}");
                let is_known = NAMES
                    .iter()
                    .any(|known| *known == name.as_bytes() || *known == filter.as_bytes());
                assert!(is_known || name.contains('-'), "{name}");
            }
        }
    }

    #[test]
    fn a_name_at_the_start_of_a_text_is_the_same() {
        for name in NAMES.iter().chain([&&b"spans"[..], &&b"my-element"[..], &&b"h7"[..]]) {
            for after in [&b">"[..], b" class", b"/", b"\n", b"{", b"A", b"-", b"1", b"\xff"] {
                let text = [name, after, b"<span>"].concat();
                let Some(start) = text.first_chunk() else { continue };
                if let Some((found, length)) = Name::starting(&text, u64::from_le_bytes(*start)) {
                    let letters = text.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
                    assert_eq!(length, letters);
                    assert_eq!(found.traits.id, Name::new(&text[..letters]).traits.id);
                }
            }
        }
    }

    #[test]
    fn other_names_are_compared_by_their_letters() {
        assert!(Name::new(b"my-element") == Name::new(b"my-element"));
        assert!(Name::new(b"my-element") != Name::new(b"my-elements"));
        assert!(Name::new(b"span") == Name::new(b"span"));
        assert!(Name::new(b"span") != Name::new(b"p"));
    }
}
