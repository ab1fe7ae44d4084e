//! Markup from which an HTML parser builds the tree that the tags show.
//!
//! The repair of such a page changes nothing that is read from it: every element has its tags, in
//! the order of HTML, and is closed where it is; values are in quotation marks. The end tags of
//! paragraphs and items may be missing where the next tag breaks the line, too. The page is not
//! repaired then, which takes several times as long as all that follows. What is not certain is not
//! well-formed: elements with rules of their own, such as `select` and `svg`, and rare syntax.

use super::chars::is_space;
use super::kinds::{Kind, is_void, kind_of};
use super::places::{Place, SVG, is_block, is_table_part, place_of};
use super::roles::{has_skipped_name_after, role_of};
use crate::references::html_entity;
use crate::search::find_near;

/// Maximum number of open elements.
const MAX_DEPTH: usize = 256;

/// Maximum number of attributes of an element.
const MAX_ATTRIBUTES: usize = 24;

/// Returns whether a page is well-formed.
#[must_use]
pub fn is_well_formed(text: &str) -> bool {
    let mut page =
        Page { text, at: 0, open: Vec::new(), counts: [0; COUNTED.len()], is_closed: false };
    page.read().is_some()
}

/// Elements that may not be within themselves.
const COUNTED: [&[u8]; 4] = [b"p", b"a", b"button", b"form"];

struct Page<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open<'t>>,
    /// Number of the open elements of each name in [`COUNTED`].
    counts: [usize; COUNTED.len()],
    /// Whether the last start tag has ended its element, in SVG.
    is_closed: bool,
}

/// An open element.
struct Open<'t> {
    name: &'t [u8],
    /// Text of its start tag after the name.
    rest: &'t str,
    /// Whether that has a role; None if it was not examined.
    has_role: Option<bool>,
}

/// The functions return None as soon as the page is not well-formed.
impl<'t> Page<'t> {
    fn read(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        if memchr::memchr2(b'\r', b'\0', bytes).is_some() {
            return None;
        }
        self.skip_comments()?;
        if self.rest().starts_with(b"<?xml ") {
            self.declaration()?;
        }
        if self.rest().get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype")) {
            self.declaration()?;
        }
        (self.start_tag()? == b"html").then_some(())?;
        self.skip_comments()?;
        (self.start_tag()? == b"head").then_some(())?;
        self.read_head()?;
        self.skip_comments()?;
        (self.start_tag()? == b"body").then_some(())?;
        self.read_body()?;
        self.skip_comments()?;
        self.skip(b"</html>")?;
        self.skip_comments()?;
        self.rest().is_empty().then_some(())
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// Skips white space and comments.
    fn skip_comments(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            self.at += rest.iter().position(|byte| !is_html_space(*byte)).unwrap_or(rest.len());
            if !self.rest().starts_with(b"<!--") {
                return Some(());
            }
            self.comment()?;
        }
    }

    /// Skips a declaration, which must not contain a tag, and what is after it.
    fn declaration(&mut self) -> Option<()> {
        let length = memchr::memchr(b'>', self.rest())?;
        memchr::memchr(b'<', &self.rest()[1..length]).is_none().then_some(())?;
        self.at += length + 1;
        self.skip_comments()
    }

    fn comment(&mut self) -> Option<()> {
        let inner = self.rest().get(4..)?;
        let length = memchr::memmem::find(inner, b"-->")?;
        let is_odd = inner.starts_with(b">")
            || inner.starts_with(b"->")
            || memchr::memmem::find(&inner[..length], b"--!").is_some();
        self.at += 4 + length + 3;
        (!is_odd).then_some(())
    }

    fn read_head(&mut self) -> Option<()> {
        let mut has_title = false;
        loop {
            self.skip_comments()?;
            if self.rest().starts_with(b"</") {
                self.skip(b"</head>")?;
                // Without a title, the text before the head is content.
                return has_title.then_some(());
            }
            match self.start_tag()? {
                b"meta" | b"link" | b"base" => {}
                b"title" if !has_title => {
                    has_title = true;
                    self.text()?;
                    self.skip(b"</title>")?;
                }
                name @ (b"script" | b"style" | b"noscript") => self.raw_text(name)?,
                _ => return None,
            }
        }
    }

    fn read_body(&mut self) -> Option<()> {
        loop {
            self.text()?;
            let rest = self.rest();
            if rest.starts_with(b"<!--") {
                self.comment()?;
            } else if rest.starts_with(b"</") {
                self.at += 2;
                let name = self.name()?;
                self.skip(b">")?;
                // A parser ignores the end tag of a void element, and adds a paragraph without text
                // before the end tag of one that is not open.
                let is_stray =
                    matches!(name, b"wbr" | b"img") || (name == b"p" && self.counts[0] == 0);
                if is_stray && !self.is_in_table() && !self.is_in_svg() {
                    continue;
                }
                if is_block(name) || matches!(name, b"body" | b"li" | b"dt" | b"dd" | b"td" | b"th")
                {
                    while !self.is_innermost(name) && self.may_end() {
                        self.end_without_tag()?;
                    }
                }
                match self.leave() {
                    Some(last) => (last == name).then_some(())?,
                    None => return (name == b"body").then_some(()),
                }
            } else {
                let start = self.at;
                let name = self.start_tag()?;
                self.enter(name, start + 1 + name.len())?;
            }
        }
    }

    /// Removes the innermost open element; returns its name.
    fn leave(&mut self) -> Option<&'t [u8]> {
        let name = self.open.pop()?.name;
        if let Some(number) = COUNTED.iter().position(|counted| *counted == name) {
            self.counts[number] -= 1;
        }
        Some(name)
    }

    fn is_innermost(&self, name: &[u8]) -> bool {
        self.open.last().is_some_and(|open| open.name == name)
    }

    /// Returns whether the end tag of the innermost open element may be missing.
    fn may_end(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.name, b"p" | b"li" | b"dt" | b"dd"))
    }

    /// Ends the innermost open element, whose end tag is missing.
    ///
    /// The scanner finds the end of a region by counting the tags of its name, so that no open
    /// element of this name may be one.
    fn end_without_tag(&mut self) -> Option<()> {
        let name = self.open.last()?.name;
        let mut named = self.open.iter_mut().filter(|open| open.name == name);
        let has_role = named.any(|open| {
            *open.has_role.get_or_insert_with(|| {
                !open.rest.is_empty() && !matches!(role_of(open.rest), Ok(None))
            })
        });
        (!has_role).then(|| self.leave()).map(|_| ())
    }

    /// Ends the elements that a start tag ends.
    fn end_before(&mut self, name: &[u8], rest: &str) -> Option<()> {
        let items: &[&[u8]] = match name {
            b"li" => &[b"li"],
            b"dt" | b"dd" => &[b"dt", b"dd"],
            _ if is_block(name) => &[],
            _ => return Some(()),
        };
        let is_ended = |open: &Open| open.name == b"p" || items.contains(&open.name);
        if !self.open.last().is_some_and(is_ended) {
            return Some(());
        }
        // A link before a region must not become one in it.
        (kind_of(name) == Kind::Break && matches!(role_of(rest), Ok(None))).then_some(())?;
        if self.is_innermost(b"p") {
            self.end_without_tag()?;
        }
        if self.open.last().is_some_and(|open| items.contains(&open.name)) {
            self.end_without_tag()?;
        }
        Some(())
    }

    /// Processes the start tag of an element in the body, whose attributes begin at an offset.
    fn enter(&mut self, name: &'t [u8], rest: usize) -> Option<()> {
        let rest = self.text.get(rest..self.at - 1)?;
        if self.may_end() {
            self.end_before(name, rest)?;
        }
        let parent = self.open.last().map_or(&b"body"[..], |open| open.name);
        let is_in_svg = self.is_in_svg();
        let is_allowed = match place_of(name)? {
            Place::Svg => is_in_svg,
            _ if is_in_svg => false,
            Place::Anywhere => !is_table_part(parent),
            Place::Block => !is_table_part(parent) && self.counts[0] == 0,
            Place::In(parents) => {
                parents.contains(&parent) && (self.counts[0] == 0 || self.is_in_table())
            }
        };
        is_allowed.then_some(())?;
        if name.len() == 2 && name[0] == b'h' && name != b"hr" {
            let is_heading = parent.len() == 2 && parent[0] == b'h';
            (!is_heading).then_some(())?;
        }
        if matches!(name, b"script" | b"style" | b"noscript" | b"iframe") {
            return self.raw_text(name);
        }
        if is_void(name) || self.is_closed {
            return Some(());
        }
        if let Some(number) = COUNTED.iter().position(|counted| *counted == name) {
            (self.counts[number] == 0).then_some(())?;
            self.counts[number] += 1;
        }
        self.open.push(Open { name, rest, has_role: None });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn is_in_table(&self) -> bool {
        self.open.last().is_some_and(|open| is_table_part(open.name))
    }

    fn is_in_svg(&self) -> bool {
        self.open.last().is_some_and(|open| SVG.contains(&open.name))
    }

    /// Skips the content and the end tag of an element whose content is no markup.
    fn raw_text(&mut self, name: &[u8]) -> Option<()> {
        let start = self.at;
        loop {
            let length = memchr::memmem::find(self.rest(), b"</")?;
            let inner = self.at - start + length;
            self.at += length + 2;
            let found = self.rest().get(..name.len())?;
            if found.eq_ignore_ascii_case(name) {
                let inner = &self.text.as_bytes()[start..start + inner];
                (name == found && memchr::memmem::find(inner, b"<!--").is_none()).then_some(())?;
                self.at += name.len();
                return self.skip(b">");
            }
            if !found.is_ascii() {
                return None;
            }
        }
    }

    /// Skips text, whose references must be known. In a table, it must be white space.
    fn text(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = find_near(b'<', rest)?;
        let text = &rest[..length];
        if self.is_in_table() && !text.iter().all(|byte| is_html_space(*byte)) {
            return None;
        }
        for at in memchr::memchr_iter(b'&', text) {
            is_plain_reference(&text[at + 1..], false).then_some(())?;
        }
        self.at += length;
        Some(())
    }

    fn name(&mut self) -> Option<&'t [u8]> {
        let rest = self.rest();
        let is_in_name =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let length = rest.iter().position(|byte| !is_in_name(*byte))?;
        let name = &rest[..length];
        name.first().is_some_and(u8::is_ascii_lowercase).then_some(())?;
        self.at += length;
        Some(name)
    }

    /// Reads a start tag; returns its name.
    fn start_tag(&mut self) -> Option<&'t [u8]> {
        self.skip(b"<")?;
        let name = self.name()?;
        let in_svg = SVG.contains(&name);
        let start = self.at;
        let mut names: [&[u8]; MAX_ATTRIBUTES] = [b""; MAX_ATTRIBUTES];
        let mut count = 0;
        loop {
            let rest = self.rest();
            let spaces = rest.iter().position(|byte| !is_html_space(*byte))?;
            self.at += spaces;
            match rest[spaces] {
                b'>' => {
                    self.at += 1;
                    self.is_closed = false;
                    return Some(name);
                }
                b'/' => {
                    self.skip(b"/>")?;
                    self.is_closed = in_svg;
                    // The end of an element with a role matters.
                    let has_role =
                        in_svg && !matches!(role_of(&self.text[start..self.at - 1]), Ok(None));
                    return (!has_role).then_some(name);
                }
                _ if spaces == 0 => return None,
                _ => {
                    let attribute = self.attribute(in_svg)?;
                    let known = &names[..count];
                    if known.iter().any(|name| name.eq_ignore_ascii_case(attribute)) {
                        return None; // a parser removes the second one
                    }
                    *names.get_mut(count)? = attribute;
                    count += 1;
                }
            }
        }
    }

    /// Reads an attribute; returns its name.
    fn attribute(&mut self, in_svg: bool) -> Option<&'t [u8]> {
        let rest = self.rest();
        let is_in_name = |byte: u8| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || b"-_:.@".contains(&byte)
                || (in_svg && byte.is_ascii_uppercase())
        };
        let length = rest.iter().position(|byte| !is_in_name(*byte))?;
        (length > 0).then_some(())?;
        let name = &rest[..length];
        self.at += length;
        if self.rest().first() != Some(&b'=') {
            let is_end = matches!(self.rest(), [b'>' | b'/' | b' ' | b'\n' | b'\t', ..]);
            return is_end.then_some(name);
        }
        self.at += 1;
        let rest = self.rest();
        let value = if let [quote @ (b'"' | b'\''), inner @ ..] = rest {
            let length = find_near(*quote, inner)?;
            self.at += length + 2;
            &inner[..length]
        } else {
            let is_plain =
                |byte: u8| byte.is_ascii_alphanumeric() || b"-_:./#?&;%+,~!".contains(&byte);
            let length = rest.iter().position(|byte| !is_plain(*byte))?;
            // Only in quotation marks, each word of a class is compared.
            let is_named = |names: &[&[u8]]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
            let has_role = is_named(&[b"role"])
                || (is_named(&[b"class", b"id"]) && has_skipped_name_after(&rest[..length]));
            (length > 0 && !has_role && rest[length - 1] != b'/').then_some(())?;
            self.at += length;
            &rest[..length]
        };
        if memchr::memchr2(b'<', b'>', value).is_some() {
            return None;
        }
        for at in memchr::memchr_iter(b'&', value) {
            is_plain_reference(&value[at + 1..], true).then_some(())?;
        }
        Some(name)
    }
}

fn is_html_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c')
}

/// Returns whether a reference means the same character to all parsers.
fn is_plain_reference(text: &[u8], is_in_value: bool) -> bool {
    if let [first, ..] = text
        && is_html_space(*first)
    {
        return true; // an ampersand
    }
    let window = &text[..text.len().min(40)];
    let Some(length) = memchr::memchr(b';', window) else { return false };
    let name = &text[..length];
    if matches!(name, b"amp" | b"lt" | b"gt" | b"quot" | b"apos" | b"nbsp" | b"#39" | b"#x27") {
        return true;
    }
    let (digits, radix) = match name {
        [b'#', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'#', digits @ ..] => (digits, 10),
        _ if is_in_value => return false,
        _ => return std::str::from_utf8(name).is_ok_and(|name| html_entity(name).is_some()),
    };
    let number =
        std::str::from_utf8(digits).ok().and_then(|text| u32::from_str_radix(text, radix).ok());
    let Some(found) = number.and_then(char::from_u32) else { return false };
    let code = u32::from(found);
    // Python removes some characters. In a value, a letter could complete the name of a role.
    let is_plain = if is_in_value {
        found.is_ascii_punctuation()
            && !matches!(found, '-' | '_' | '=' | '\'' | '"' | '&' | '<' | '>')
    } else {
        (!is_space(found) || found == '\u{a0}')
            && !matches!(code, 0..0x20 | 0x7f..0xa0 | 0xfdd0..=0xfdef)
            && code & 0xfffe != 0xfffe
    };
    is_plain && !digits.starts_with(b"+")
}
