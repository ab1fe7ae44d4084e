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
mod unescape;
mod visited;
mod volatile;
mod well_formed;

use std::borrow::Cow;

use self::attributes::{attribute, attributes};
use self::chars::{char_at, match_word, push_words, space_length};
use self::kinds::{Kind, is_in_head, kind_of};
use self::regions::{RegionKind, Regions};
use self::roles::{Role, role_of};
use self::unescape::unescape;
use crate::search::find_near;

pub use self::anchors::{Anchor, anchors, has_scripts};
pub use self::base_url::BaseUrl;
pub use self::content::Content;
pub use self::file::{FilePage, file_page};
pub use self::visited::{HeadLinks, VisitedPage, visited_page};
pub use self::well_formed::is_well_formed;

/// Markup that only the reference engine reads.
#[derive(Debug)]
pub struct Unusual;

const MAX_ELEMENTS: usize = 20_000;
const MAX_DATA: usize = 64;
const MAX_NAME: usize = 12; // longer names are not listed

/// A recorded element.
pub struct Element {
    /// Name in lower case.
    pub name: &'static str,
    /// Names in lower case, and values; the first of a name counts.
    pub attributes: Vec<(String, String)>,
    /// Whether it is in the head.
    pub in_head: bool,
    /// Whether it is in what is on every page.
    pub in_boilerplate: bool,
}

/// A scanned page.
#[derive(Default)]
pub struct Page {
    /// Title, with single blanks.
    pub title: Option<String>,
    /// Attribute `lang` of the page.
    pub language: Option<String>,
    /// Recorded elements.
    pub elements: Vec<Element>,
    /// Texts of JSON-LD scripts.
    pub data: Vec<String>,
    /// Text and links of the content.
    pub content: Content,
}

/// Scans a page in linear time.
///
/// # Errors
///
/// The page has markup that the reference engine has to read.
pub fn scan(text: &str) -> Result<Page, Unusual> {
    let mut scanner = Scanner {
        text,
        found: Page::default(),
        regions: Regions::default(),
        in_head: true,
        recorded: 0,
        title_from: None,
    };
    scanner.scan()?;
    let Scanner { mut found, mut regions, .. } = scanner;
    regions.leave(0, &mut found.content);
    Ok(found)
}

struct Scanner<'t> {
    text: &'t str,
    found: Page,
    regions: Regions,
    in_head: bool,
    recorded: usize,
    title_from: Option<usize>,
}

/// A tag: its name as written, with the slash of an end tag, the text after it, and its end.
struct Tag<'t> {
    name: &'t str,
    rest: &'t str,
    end: usize,
}

impl<'t> Scanner<'t> {
    fn scan(&mut self) -> Result<(), Unusual> {
        let text = self.text;
        let bytes = text.as_bytes();
        let (mut last, mut at) = (0, 0);
        while let Some(offset) = find_near(b'<', &bytes[at..]) {
            let begin = at + offset;
            at = begin + 1;
            let tag = match &bytes[at..] {
                [b'!', b'-', b'-', ..] => {
                    let end = memchr::memmem::find(&bytes[at + 3..], b"-->");
                    at = end.map_or(text.len(), |length| at + 6 + length);
                    None
                }
                [b'!' | b'?', ..] => {
                    at += 1;
                    None
                }
                [b'/', letter, ..] | [letter, ..] if letter.is_ascii_alphabetic() => {
                    let Some(tag) = tag_at(text, at)? else { continue };
                    at = tag.end;
                    Some(tag)
                }
                _ => continue,
            };
            if begin > last && !self.regions.is_skipping() {
                self.found.content.push(&text[last..begin]);
            }
            last = at;
            if let Some(tag) = tag {
                match self.read_tag(&tag, begin)? {
                    Some(end) => (at, last) = (end, end),
                    None => return Ok(()),
                }
            }
        }
        if !self.regions.is_skipping() {
            self.found.content.push(&text[last..]);
        }
        Ok(())
    }

    /// Processes a tag; returns where the scan continues, or None at the end of the page.
    fn read_tag(&mut self, tag: &Tag<'t>, begin: usize) -> Result<Option<usize>, Unusual> {
        let mut buffer = [0; MAX_NAME];
        let written = tag.name.as_bytes();
        let long;
        let name = if let Some(target) = buffer.get_mut(..written.len()) {
            target.copy_from_slice(written);
            target.make_ascii_lowercase();
            &*target
        } else {
            long = written.to_ascii_lowercase();
            &long[..]
        };
        let kind = kind_of(name);
        if kind == Kind::RawText {
            return Ok(self.skip_raw_text(name, tag));
        }
        if let Some(bare) = name.strip_prefix(b"/") {
            if self.regions.has(bare) {
                self.regions.close(bare, &mut self.found.content);
            } else if bare == b"title" {
                self.end_title(begin);
            }
        } else {
            if kind == Kind::Break {
                self.in_head = false;
            }
            if kind == Kind::Record {
                self.record(name, tag)?;
            } else if !self.regions.is_skipping() {
                let role = if tag.rest.is_empty() { None } else { role_of(tag.rest)? };
                if kind == Kind::Opening || role.is_some() {
                    self.open(name, tag, role);
                }
            }
            self.regions.count(name);
        }
        if kind >= Kind::Break && !self.regions.is_skipping() {
            self.found.content.push("\n");
        }
        Ok(Some(tag.end))
    }

    /// Skips the content of a script or its like; returns the end of its end tag, or None.
    fn skip_raw_text(&mut self, name: &[u8], tag: &Tag<'t>) -> Option<usize> {
        let end = raw_end(self.text, tag.end, name);
        let inner = end.map_or("", |(start, _)| &self.text[tag.end..start]);
        if name == b"script" && self.found.data.len() < MAX_DATA && is_json_ld(tag.rest) {
            self.found.data.push(inner.to_owned());
        }
        if name == b"iframe" {
            self.in_head = false;
        }
        end.map(|(_, end)| end)
    }

    fn open(&mut self, name: &[u8], tag: &Tag<'t>, role: Option<Role>) {
        if self.in_head && !is_in_head(name) {
            self.in_head = false;
        }
        if name == b"html" {
            let language = attribute(tag.rest, "lang").map(Cow::into_owned);
            self.found.language = language.filter(|language| !language.is_empty());
        } else if name == b"title" && self.in_head && self.title_from.is_none() {
            self.title_from = Some(tag.end);
        }
        if let Some(kind) = self.regions.kind_of(name, role) {
            self.regions.enter(name, kind, &self.found.content);
        }
    }

    fn record(&mut self, name: &[u8], tag: &Tag<'t>) -> Result<(), Unusual> {
        let is_skipping = self.regions.is_skipping();
        if self.recorded >= MAX_ELEMENTS || (name == b"a" && is_skipping) {
            return Ok(());
        }
        self.recorded += 1;
        self.in_head &= is_in_head(name);
        if matches!(name, b"a" | b"img" | b"source") && !is_skipping {
            self.refer(tag);
        }
        let name = match name {
            b"a" | b"source" => return Ok(()),
            b"base" => "base",
            b"data" => "data",
            b"img" => "img",
            b"link" => "link",
            b"meta" => "meta",
            _ => "time",
        };
        let attributes = attributes(tag.rest)
            .map(|(name, value)| (name.to_lowercase(), unescape(value).into_owned()))
            .collect();
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
    fn refer(&mut self, tag: &Tag<'t>) {
        let mut values = [None, None, None, None];
        for (name, value) in attributes(tag.rest) {
            let names = ["href", "src", "data-src", "alt"];
            if let Some(at) = names.iter().position(|wanted| name.eq_ignore_ascii_case(wanted)) {
                values[at].get_or_insert(value);
            }
        }
        let [href, source, data_source, alt] = values;
        // Note: a reference may have no characters, such as that to a control character.
        let mut targets = [href, source, data_source].into_iter().flatten().map(unescape);
        if let Some(target) = targets.find(|target| !target.is_empty()) {
            self.found.content.link(target.into_owned());
        }
        if let Some(alt) = alt.map(unescape).filter(|alt| !alt.is_empty()) {
            self.found.content.push_escaped(&alt);
        }
    }

    /// Adds `datetime` of a `time` element as text; skips its content then.
    fn add_time(&mut self, tag: &Tag<'t>) -> Result<(), Unusual> {
        if !is_modified(tag.rest)? {
            match attribute(tag.rest, "datetime").filter(|value| !value.is_empty()) {
                Some(value) => self.found.content.push_escaped(&value),
                None => return Ok(()),
            }
        }
        self.regions.enter(b"time", RegionKind::Skip, &self.found.content);
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

/// Returns the tag whose name begins at an offset, or None if it has no end.
fn tag_at(text: &str, at: usize) -> Result<Option<Tag<'_>>, Unusual> {
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
    let tag = Tag { name: &text[at..name_end], rest: &text[name_end..end], end: end + 1 };
    Ok((bytes[end] == b'>').then_some(tag))
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
