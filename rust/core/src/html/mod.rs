//! Scan of the markup of a page: elements of the head, JSON-LD, links, and text of the content.
//!
//! `src/urlset/engine/reference/html/scanner.py` specifies it. What both would read differently,
//! and is rare, is [`Unusual`]: the reference engine reads these pages.

mod anchors;
mod attributes;
mod base_url;
mod chars;
mod content;
mod file;
mod kinds;
mod places;
mod regions;
mod roles;
mod start_tag;
mod traits;
mod unescape;
mod visited;
mod volatile;
mod well_formed;

use std::borrow::Cow;
use std::ops::Range;

use self::attributes::{attribute, attributes};
use self::chars::{char_at, match_word, push_words, space_length};
use self::kinds::Kind;
use self::regions::{RegionKind, Regions};
use self::roles::{Role, role_of, role_of_attributes};
use self::traits::Name;
use self::unescape::unescape;
use self::well_formed::{END, Tokens};
use crate::search::find_near;

pub use self::anchors::{Anchor, anchors, has_scripts};
pub use self::base_url::BaseUrl;
pub use self::content::{Content, Decisions};
pub use self::file::{FilePage, file_page, with_line_feeds};
pub use self::visited::{HeadLinks, VisitedPage, visited_page};
pub use self::well_formed::is_well_formed;

/// Markup that only the reference engine reads.
#[derive(Debug)]
pub struct Unusual;

const MAX_ELEMENTS: usize = 20_000;
const MAX_DATA: usize = 64;
const MAX_NAME: usize = 12; // longer names are not listed

/// A recorded element.
pub struct Element<'t> {
    /// Name in lower case.
    pub name: &'static str,
    /// Names in lower case, and values; the first of a name counts.
    pub attributes: Vec<(Cow<'t, str>, Cow<'t, str>)>,
    /// Whether it is in the head.
    pub in_head: bool,
    /// Whether it is in what is on every page.
    pub in_boilerplate: bool,
}

impl Element<'_> {
    /// Returns the element without references to the text of the page.
    #[must_use]
    pub fn into_owned(self) -> Element<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let attributes =
            self.attributes.into_iter().map(|(name, value)| (own(name), own(value))).collect();
        Element { attributes, ..self }
    }
}

/// A scanned page.
#[derive(Default)]
pub struct Page<'t> {
    /// Title, with single blanks.
    pub title: Option<String>,
    /// Attribute `lang` of the page.
    pub language: Option<String>,
    /// Recorded elements.
    pub elements: Vec<Element<'t>>,
    /// Texts of JSON-LD scripts.
    pub data: Vec<String>,
    /// Text and links of the content.
    pub content: Content,
}

impl Page<'_> {
    /// Returns the page without references to its text.
    #[must_use]
    pub fn into_owned(self) -> Page<'static> {
        let elements = self.elements.into_iter().map(Element::into_owned).collect();
        Page { elements, ..self }
    }
}

/// Scans a page in linear time.
///
/// # Errors
///
/// The page has markup that the reference engine has to read.
pub fn scan(text: &str) -> Result<Page<'_>, Unusual> {
    let mut scanner = Scanner::new(text);
    scanner.scan()?;
    Ok(scanner.finish())
}

/// Scans a page if it is well-formed: as [`scan`], in one pass with [`is_well_formed`].
///
/// # Errors
///
/// The page is not well-formed, or has markup that the reference engine has to read.
pub fn scan_well_formed(text: &str) -> Result<Page<'_>, Unusual> {
    let mut scanner = Scanner::new(text);
    well_formed::read(text, &mut scanner).ok_or(Unusual)?;
    scanner.end_text();
    Ok(scanner.finish())
}

/// Scans the beginning of a page as [`scan_well_formed`], after [`END`] was added to it.
///
/// # Errors
///
/// As [`scan_well_formed`], or the page does not end in its body.
fn scan_closed(text: &str) -> Result<Page<'_>, Unusual> {
    let mut scanner = Scanner::new(text);
    well_formed::read_closed(text, &mut scanner).ok_or(Unusual)?;
    scanner.end_text();
    Ok(scanner.finish())
}

struct Scanner<'t> {
    text: &'t str,
    found: Page<'t>,
    regions: Regions,
    in_head: bool,
    recorded: usize,
    title_from: Option<usize>,
    /// End of the last token: what follows it is text.
    last: usize,
}

/// A start tag: the text after its name, and its end.
struct Tag<'t, 'k> {
    rest: &'t str,
    end: usize,
    /// Attributes, if they are known.
    known: Option<&'k [(&'t str, &'t str)]>,
    role_in: RoleIn,
}

/// Where the role of a tag is read.
#[derive(Clone, Copy)]
enum RoleIn {
    /// It has none.
    Nothing,
    /// In its attributes, which are known.
    Attributes,
    /// In its text.
    Text,
}

impl<'t> Tag<'t, '_> {
    fn role(&self) -> Result<Option<Role>, Unusual> {
        match (self.role_in, self.known) {
            (RoleIn::Nothing, _) => Ok(None),
            (RoleIn::Attributes, Some(known)) => role_of_attributes(known),
            _ => role_of(self.rest),
        }
    }

    /// Calls a function with name and value of each attribute, as written.
    fn each_attribute(&self, mut call: impl FnMut(&'t str, &'t str)) {
        match self.known {
            Some(known) => known.iter().for_each(|(name, value)| call(name, value)),
            None => attributes(self.rest).for_each(|(name, value)| call(name, value)),
        }
    }
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            found: Page { content: Content::of_page(text.len()), ..Page::default() },
            regions: Regions::default(),
            in_head: true,
            recorded: 0,
            title_from: None,
            last: 0,
        }
    }

    fn scan(&mut self) -> Result<(), Unusual> {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(offset) = find_near(b'<', &bytes[at..]) {
            let begin = at + offset;
            at = begin + 1;
            match &bytes[at..] {
                [b'!', b'-', b'-', ..] => {
                    let end = memchr::memmem::find(&bytes[at + 3..], b"-->");
                    at = end.map_or(text.len(), |length| at + 6 + length);
                    self.pass(begin, at);
                }
                [b'!' | b'?', ..] => {
                    at += 1;
                    self.pass(begin, at);
                }
                [b'/', letter, ..] | [letter, ..] if letter.is_ascii_alphabetic() => {
                    let Some((name, tag)) = tag_at(text, at)? else { continue };
                    self.pass(begin, tag.end);
                    match self.read_tag(name, &tag, begin)? {
                        Some(end) => (at, self.last) = (end, end),
                        None => return Ok(()),
                    }
                }
                _ => {}
            }
        }
        self.end_text();
        Ok(())
    }

    /// Adds the text before a token, and passes the token.
    fn pass(&mut self, begin: usize, end: usize) {
        if begin > self.last && !self.regions.is_skipping() {
            self.found.content.push(&self.text[self.last..begin]);
        }
        self.last = end;
    }

    /// Adds the text after the last token.
    fn end_text(&mut self) {
        if !self.regions.is_skipping() {
            self.found.content.push(&self.text[self.last..]);
        }
    }

    fn finish(mut self) -> Page<'t> {
        self.regions.leave(0, &mut self.found.content);
        self.found
    }

    /// Processes a tag, whose name is as written; returns where the scan continues, or None at the
    /// end of the page.
    fn read_tag(
        &mut self,
        name: &str,
        tag: &Tag<'t, '_>,
        begin: usize,
    ) -> Result<Option<usize>, Unusual> {
        let mut buffer = [0; MAX_NAME];
        let written = name.as_bytes();
        let long;
        let name = if let Some(target) = buffer.get_mut(..written.len()) {
            target.copy_from_slice(written);
            target.make_ascii_lowercase();
            &*target
        } else {
            long = written.to_ascii_lowercase();
            &long[..]
        };
        if let Some(bare) = name.strip_prefix(b"/") {
            self.end_tag(&Name::new(bare), begin);
            return Ok(Some(tag.end));
        }
        let name = Name::new(name);
        if name.traits.kind == Kind::RawText {
            let end = raw_end(self.text, tag.end, name.text);
            let inner = end.map_or("", |(start, _)| &self.text[tag.end..start]);
            self.raw_text(name.text, tag.rest, inner);
            return Ok(end.map(|(_, end)| end));
        }
        self.start_tag(&name, tag)?;
        Ok(Some(tag.end))
    }

    /// Processes a start tag of an element whose content is markup.
    fn start_tag(&mut self, name: &Name<'_>, tag: &Tag<'t, '_>) -> Result<(), Unusual> {
        let kind = name.traits.kind;
        if kind == Kind::Break {
            self.in_head = false;
        }
        if kind == Kind::Record {
            self.record(name, tag)?;
        } else if !self.regions.is_skipping() {
            let role = tag.role()?;
            if kind == Kind::Opening || role.is_some() {
                self.open(name, tag, role);
            }
        }
        self.regions.count(name);
        self.break_line(kind);
        Ok(())
    }

    /// Processes an end tag.
    fn end_tag(&mut self, name: &Name<'_>, begin: usize) {
        if self.regions.has(name) {
            self.regions.close(name, &mut self.found.content);
        } else if name.text == b"title" {
            self.end_title(begin);
        }
        self.break_line(name.traits.end_kind);
    }

    fn break_line(&mut self, kind: Kind) {
        if kind >= Kind::Break && !self.regions.is_skipping() {
            self.found.content.push("\n");
        }
    }

    /// Processes a script or its like, whose name is in lower case.
    fn raw_text(&mut self, name: &[u8], rest: &str, inner: &str) {
        if name == b"script" && self.found.data.len() < MAX_DATA && is_json_ld(rest) {
            self.found.data.push(inner.to_owned());
        }
        if name == b"iframe" {
            self.in_head = false;
        }
    }

    fn open(&mut self, name: &Name<'_>, tag: &Tag<'t, '_>, role: Option<Role>) {
        self.in_head &= name.traits.is_in_head;
        if name.text == b"html" {
            let language = attribute(tag.rest, "lang").map(Cow::into_owned);
            self.found.language = language.filter(|language| !language.is_empty());
        } else if name.text == b"title" && self.in_head && self.title_from.is_none() {
            self.title_from = Some(tag.end);
        }
        if let Some(kind) = self.regions.kind_of(name.text, role) {
            self.regions.enter(name, kind, &self.found.content);
        }
    }

    fn record(&mut self, name: &Name<'_>, tag: &Tag<'t, '_>) -> Result<(), Unusual> {
        let is_skipping = self.regions.is_skipping();
        if self.recorded >= MAX_ELEMENTS || (name.text == b"a" && is_skipping) {
            return Ok(());
        }
        self.recorded += 1;
        self.in_head &= name.traits.is_in_head;
        if matches!(name.text, b"a" | b"img" | b"source") && !is_skipping {
            self.refer(tag);
        }
        let name = match name.text {
            b"a" | b"source" => return Ok(()),
            b"base" => "base",
            b"data" => "data",
            b"img" => "img",
            b"link" => "link",
            b"meta" => "meta",
            _ => "time",
        };
        let mut attributes = Vec::new();
        tag.each_attribute(|name, value| {
            attributes.push((lower_case(name), unescape(value)));
        });
        let in_head = self.in_head;
        self.found.elements.push(Element {
            name,
            attributes,
            in_head,
            in_boilerplate: is_skipping,
        });
        if name == "time" && !is_skipping {
            self.add_time(tag)?;
        }
        Ok(())
    }

    /// Adds the target and the alternative text of a link or an image.
    fn refer(&mut self, tag: &Tag<'t, '_>) {
        let mut values = [None, None, None, None];
        tag.each_attribute(|name, value| {
            let names = ["href", "src", "data-src", "alt"];
            if let Some(at) = names.iter().position(|wanted| name.eq_ignore_ascii_case(wanted)) {
                values[at].get_or_insert(value);
            }
        });
        let [href, source, data_source, alt] = values;
        // Note: a reference may have no characters, such as that to a control character.
        let mut targets = [href, source, data_source].into_iter().flatten().map(unescape);
        if let Some(target) = targets.find(|target| !target.is_empty()) {
            self.found.content.link(&target);
        }
        if let Some(alt) = alt.map(unescape).filter(|alt| !alt.is_empty()) {
            self.found.content.push_escaped(&alt);
        }
    }

    /// Adds `datetime` of a `time` element as text; skips its content then.
    fn add_time(&mut self, tag: &Tag<'t, '_>) -> Result<(), Unusual> {
        if !is_modified(tag.rest)? {
            match attribute(tag.rest, "datetime").filter(|value| !value.is_empty()) {
                Some(value) => self.found.content.push_escaped(&value),
                None => return Ok(()),
            }
        }
        self.regions.enter(&Name::new(b"time"), RegionKind::Skip, &self.found.content);
        Ok(())
    }

    fn end_title(&mut self, begin: usize) {
        if let Some(start) = self.title_from
            && self.found.title.is_none()
        {
            let mut title = String::new();
            push_words(&unescape(&self.text[start..begin]), &mut title);
            self.found.title = Some(title);
            self.found.content.clear(); // the head is not content
        }
    }
}

impl<'t> Tokens<'t> for Scanner<'t> {
    fn other(&mut self, begin: usize, end: usize) {
        self.pass(begin, end);
    }

    fn start_tag(
        &mut self,
        begin: usize,
        name: &Name<'_>,
        tag: &Tag<'t, '_>,
    ) -> Result<(), Unusual> {
        self.pass(begin, tag.end);
        self.start_tag(name, tag)
    }

    fn end_tag(&mut self, begin: usize, end: usize, name: &Name<'_>) {
        self.pass(begin, end);
        self.end_tag(name, begin);
    }

    fn raw_text(&mut self, range: Range<usize>, name: &Name<'_>, rest: &str, inner: &str) {
        self.pass(range.start, range.end);
        self.raw_text(name.text, rest, inner);
    }
}

fn lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.to_lowercase())
    }
}

/// Returns the name and the tag that begin at an offset, or None if the tag has no end.
fn tag_at(text: &str, at: usize) -> Result<Option<(&str, Tag<'_, '_>)>, Unusual> {
    let bytes = text.as_bytes();
    let length = bytes[at + 1..]
        .iter()
        .position(|byte| matches!(byte, b'\t'..=b'\r' | 0x1c..=0x20 | b'/' | b'<' | b'>' | 0x80..));
    let Some(length) = length else { return Ok(None) };
    let name_end = at + 1 + length;
    if bytes.get(name_end).is_some_and(|byte| *byte >= 0x80) {
        return Err(Unusual);
    }
    let Some(length) = memchr::memchr2(b'<', b'>', &bytes[name_end..]) else { return Ok(None) };
    let end = name_end + length;
    let (name, rest) = (&text[at..name_end], &text[name_end..end]);
    let role_in = if rest.is_empty() { RoleIn::Nothing } else { RoleIn::Text };
    let tag = Tag { rest, end: end + 1, known: None, role_in };
    Ok((bytes[end] == b'>').then_some((name, tag)))
}

/// Returns the start and the end of the end tag of a raw text element, from an offset on.
fn raw_end(text: &str, start: usize, name: &[u8]) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    for offset in memchr::memmem::find_iter(&bytes[start..], b"</") {
        let begin = start + offset;
        let Some(end) = match_word(bytes, begin + 2, name) else { continue };
        let is_end = matches!(bytes.get(end), Some(b'/' | b'>')) || space_length(text, end) > 0;
        if is_end {
            let length = memchr::memchr2(b'<', b'>', &bytes[end..]);
            let end = length.map_or(text.len(), |length| end + length);
            return Some((begin, end + usize::from(bytes.get(end) == Some(&b'>'))));
        }
    }
    None
}

fn is_json_ld(rest: &str) -> bool {
    rest.as_bytes().windows(7).any(|part| part.eq_ignore_ascii_case(b"ld+json"))
}

/// Returns whether the text of a `time` says that it is that of a modification.
fn is_modified(rest: &str) -> Result<bool, Unusual> {
    let bytes = rest.as_bytes();
    for at in (0..bytes.len()).filter(|at| rest.is_char_boundary(*at)) {
        if match_word(bytes, at, b"modified").is_some() {
            return Ok(true);
        }
        let dashed = match_word(bytes, at, b"last").and_then(|end| {
            match_word(bytes, end + usize::from(bytes.get(end) == Some(&b'-')), b"updated")
        });
        let Some(end) = match_word(bytes, at, b"updated").or(dashed) else { continue };
        let before = rest[..at].chars().next_back();
        let neighbours = [before, char_at(rest, end)];
        if neighbours.into_iter().flatten().any(|found| !found.is_ascii()) {
            return Err(Unusual);
        }
        let is_letter = |found: char| found.is_ascii_alphanumeric() || found == '_';
        if !neighbours.into_iter().flatten().any(is_letter) {
            return Ok(true);
        }
    }
    Ok(false)
}
