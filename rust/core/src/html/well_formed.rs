//! Markup from which an HTML parser builds the tree that the tags show.
//!
//! The repair of such a page changes nothing that is read from it: every element has its tags, in
//! the order of HTML, and is closed where it is; values are in quotation marks. The end tags of
//! paragraphs and items may be missing where the next tag breaks the line, too. The page is not
//! repaired then, which takes several times as long as all that follows. What is not certain is not
//! well-formed: elements with rules of their own, such as `object` and `math`, and rare syntax. Of
//! `select` and `svg`, only the usual content is.

use std::ops::Range;

use super::kinds::Kind;
use super::places::{Parents, Place, is_child};
use super::roles::role_of;
use super::start_tag::{StartTag, is_html_space, is_plain_reference, name_at};
use super::traits::{COUNTED, Name};
use super::{Tag, Unusual};
use crate::search::{Bytes, find_value};

/// Maximum number of open elements.
const MAX_DEPTH: usize = 256;

/// Returns whether a page is well-formed.
#[must_use]
pub fn is_well_formed(text: &str) -> bool {
    read(text, &mut ()).is_some()
}

/// Reads a page and passes on its tokens; returns None as soon as it is not well-formed.
pub(super) fn read<'t>(text: &'t str, tokens: &mut impl Tokens<'t>) -> Option<()> {
    Page::new(text, None, tokens).read()
}

/// What a page is closed with that was cut off; the elements that are open there need no end tags.
pub(super) const END: &str = "</body></html>";

/// Reads a page that was cut off in its body, and then closed with [`END`]; otherwise as [`read`].
pub(super) fn read_closed<'t>(text: &'t str, tokens: &mut impl Tokens<'t>) -> Option<()> {
    Page::new(text, text.len().checked_sub(END.len()), tokens).read()
}

/// What is done with the tokens of a page, in their order; what is between them is text.
///
/// `begin` and `end` are the offsets of the token.
pub(super) trait Tokens<'t> {
    /// Processes a comment, or the first two characters of a declaration.
    fn other(&mut self, begin: usize, end: usize);

    /// Processes a start tag, except that of a script or its like.
    fn start_tag(
        &mut self,
        begin: usize,
        name: &Name<'_>,
        tag: &Tag<'t, '_>,
    ) -> Result<(), Unusual>;

    /// Processes an end tag.
    fn end_tag(&mut self, begin: usize, end: usize, name: &Name<'_>);

    /// Processes a script or its like, whose range is from its start tag to its end tag; `rest` is
    /// the text after the name in its start tag.
    fn raw_text(&mut self, range: Range<usize>, name: &Name<'_>, rest: &str, inner: &str);
}

impl<'t> Tokens<'t> for () {
    fn other(&mut self, _: usize, _: usize) {}

    fn start_tag(&mut self, _: usize, _: &Name<'_>, _: &Tag<'t, '_>) -> Result<(), Unusual> {
        Ok(())
    }

    fn end_tag(&mut self, _: usize, _: usize, _: &Name<'_>) {}

    fn raw_text(&mut self, _: Range<usize>, _: &Name<'_>, _: &str, _: &str) {}
}

struct Page<'t, 'k, T> {
    text: &'t str,
    at: usize,
    /// Where the page was cut off; None for a whole page.
    cut: Option<usize>,
    open: Vec<Open<'t>>,
    /// Number of the open elements of each name that is counted.
    counts: [usize; COUNTED],
    /// Whether a text ended in an ampersand and letters, which the next one could complete.
    may_be_reference: bool,
    /// The last start tag.
    tag: StartTag<'t>,
    tokens: &'k mut T,
}

/// An open element.
struct Open<'t> {
    name: Name<'t>,
    /// Text of its start tag after the name.
    rest: &'t str,
    /// Whether that has a role; None if it was not examined.
    has_role: Option<bool>,
}

/// The functions return None as soon as the page is not well-formed.
impl<'t, 'k, T: Tokens<'t>> Page<'t, 'k, T> {
    fn new(text: &'t str, cut: Option<usize>, tokens: &'k mut T) -> Self {
        Self {
            text,
            at: 0,
            cut,
            open: Vec::new(),
            counts: [0; COUNTED],
            may_be_reference: false,
            tag: StartTag::new(),
            tokens,
        }
    }

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
        self.only_start_tag(b"html")?;
        self.skip_comments()?;
        self.only_start_tag(b"head")?;
        self.read_head()?;
        self.skip_comments()?;
        self.only_start_tag(b"body")?;
        self.read_body()?;
        self.skip_comments()?;
        self.only_end_tag(b"html")?;
        self.skip_comments()?;
        self.rest().is_empty().then_some(())
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    fn only_start_tag(&mut self, name: &[u8]) -> Option<()> {
        (self.start_tag()?.text == name).then_some(())?;
        self.pass_start_tag()
    }

    fn only_end_tag(&mut self, name: &[u8]) -> Option<()> {
        let begin = self.at;
        self.skip(b"</")?;
        self.skip(name)?;
        self.skip(b">")?;
        self.tokens.end_tag(begin, self.at, &Name::new(name));
        Some(())
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
        self.tokens.other(self.at, self.at + 2);
        self.at += length + 1;
        self.skip_comments()
    }

    /// Skips a comment; returns its text.
    fn comment_text(&mut self) -> Option<&'t [u8]> {
        let inner = self.rest().get(4..)?;
        let length = memchr::memmem::find(inner, b"-->")?;
        let text = &inner[..length];
        let is_odd = inner.starts_with(b">")
            || inner.starts_with(b"->")
            || memchr::memmem::find(text, b"--!").is_some();
        self.at += 4 + length + 3;
        (!is_odd).then_some(text)
    }

    fn comment(&mut self) -> Option<()> {
        let begin = self.at;
        self.comment_text()?;
        self.tokens.other(begin, self.at);
        Some(())
    }

    fn read_head(&mut self) -> Option<()> {
        let mut has_title = false;
        loop {
            self.skip_comments()?;
            if self.rest().starts_with(b"</") {
                self.only_end_tag(b"head")?;
                // Without a title, the text before the head is content.
                return has_title.then_some(());
            }
            let name = self.start_tag()?;
            match name.text {
                b"meta" | b"link" | b"base" => self.pass_start_tag()?,
                b"title" if !has_title => {
                    has_title = true;
                    self.pass_start_tag()?;
                    self.text()?;
                    self.may_be_reference = false;
                    self.only_end_tag(b"title")?;
                }
                b"script" | b"style" | b"noscript" => self.raw_text(&name)?,
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
            } else if self.cut == Some(self.at) {
                return self.close();
            } else if rest.starts_with(b"</") {
                let begin = self.at;
                self.at += 2;
                let name = self.name()?;
                self.skip(b">")?;
                self.tokens.end_tag(begin, self.at, &name);
                self.may_be_reference &= name.traits.end_kind < Kind::Break;
                if self.is_innermost(&name) {
                    self.leave();
                    continue;
                }
                let text = name.text;
                // A parser ignores the end tag of a void element, and adds a paragraph without text
                // before the end tag of one that is not open.
                let is_stray =
                    matches!(text, b"wbr" | b"img") || (text == b"p" && self.counts[0] == 0);
                if is_stray && !self.is_in_table() && !self.is_in_svg() {
                    continue;
                }
                if name.traits.is_block
                    || matches!(text, b"body" | b"li" | b"dt" | b"dd" | b"td" | b"th")
                {
                    while !self.is_innermost(&name) && self.may_end() {
                        self.end_without_tag()?;
                    }
                }
                match self.leave() {
                    Some(last) => (last == name).then_some(())?,
                    None => return (text == b"body").then_some(()),
                }
            } else {
                self.start_tag()?;
                self.enter()?;
            }
        }
    }

    /// Ends the elements that are open where the page was cut off, and the body.
    fn close(&mut self) -> Option<()> {
        (!self.may_be_reference).then_some(())?;
        while let Some(name) = self.leave() {
            self.tokens.end_tag(self.at, self.at, &name);
        }
        self.only_end_tag(b"body")
    }

    /// Removes the innermost open element; returns its name.
    fn leave(&mut self) -> Option<Name<'t>> {
        let name = self.open.pop()?.name;
        if let Some(number) = name.traits.counted {
            self.counts[usize::from(number)] -= 1;
        }
        Some(name)
    }

    fn is_innermost(&self, name: &Name<'_>) -> bool {
        self.open.last().is_some_and(|open| open.name == *name)
    }

    /// Returns whether the end tag of the innermost open element may be missing.
    fn may_end(&self) -> bool {
        self.open.last().is_some_and(|open| open.name.traits.may_end)
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
    fn end_before(&mut self, name: &Name<'_>, rest: &str) -> Option<()> {
        let items: &[&[u8]] = match name.text {
            b"li" => &[b"li"],
            b"dt" | b"dd" => &[b"dt", b"dd"],
            _ if name.traits.is_block => &[],
            _ => return Some(()),
        };
        let is_ended = |open: &Open| open.name.text == b"p" || items.contains(&open.name.text);
        if !self.open.last().is_some_and(is_ended) {
            return Some(());
        }
        // A link before a region must not become one in it.
        (name.traits.kind == Kind::Break && matches!(role_of(rest), Ok(None))).then_some(())?;
        if self.open.last().is_some_and(|open| open.name.text == b"p") {
            self.end_without_tag()?;
        }
        if self.open.last().is_some_and(|open| items.contains(&open.name.text)) {
            self.end_without_tag()?;
        }
        Some(())
    }

    /// Passes on the last start tag.
    fn pass_start_tag(&mut self) -> Option<()> {
        self.tokens.start_tag(self.tag.begin, &self.tag.name, &self.tag.tag(self.at)).ok()
    }

    /// Processes the start tag of an element in the body.
    fn enter(&mut self) -> Option<()> {
        let (name, rest) = (self.tag.name, self.tag.rest);
        let (text, traits) = (name.text, name.traits);
        if self.may_be_reference {
            // What is in a region may be skipped.
            let kind = traits.kind;
            let is_region = !matches!(kind, Kind::Inline | Kind::Break) || self.tag.may_have_role();
            (!is_region).then_some(())?;
            self.may_be_reference = kind == Kind::Inline;
        }
        if self.may_end() {
            self.end_before(&name, rest)?;
        }
        let parent = self.open.last().map(|open| open.name);
        let is_in_svg = self.is_in_svg();
        let is_in = |parents: Parents| parent.is_some_and(|parent| parents.contain(parent.text));
        let is_allowed = match traits.place? {
            Place::Svg => is_in_svg,
            _ if is_in_svg && text == b"style" => return self.svg_style(),
            _ if is_in_svg => false,
            Place::Anywhere => !self.is_in_table(),
            Place::Block => !self.is_in_table() && self.counts[0] == 0,
            Place::In(parents) => is_in(parents),
            Place::BlockIn(parents) => {
                is_in(parents) && (self.counts[0] == 0 || self.is_in_table())
            }
        };
        is_allowed.then_some(())?;
        if let Some(parent) = parent {
            (!parent.traits.is_limited || is_child(text, parent.text)).then_some(())?;
            let is_heading = |name: &[u8]| name.len() == 2 && name[0] == b'h';
            (!(is_heading(text) && text != b"hr" && is_heading(parent.text))).then_some(())?;
        }
        if traits.is_raw_text {
            return self.raw_text(&name);
        }
        if text == b"template" {
            return self.template();
        }
        self.pass_start_tag()?;
        if text == b"textarea" {
            self.text()?;
            self.may_be_reference = false;
            return self.only_end_tag(text);
        }
        if traits.is_void || self.tag.is_closed {
            return Some(());
        }
        if let Some(number) = traits.counted {
            let count = &mut self.counts[usize::from(number)];
            (*count == 0).then_some(())?;
            *count += 1;
        }
        self.open.push(Open { name, rest, has_role: None });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn is_in_table(&self) -> bool {
        self.open.last().is_some_and(|open| open.name.traits.is_table_part)
    }

    fn is_in_svg(&self) -> bool {
        self.open.last().is_some_and(|open| open.name.traits.is_svg)
    }

    /// Skips the content and the end tag of an element whose content is no markup.
    fn raw_text(&mut self, element: &Name<'_>) -> Option<()> {
        let (start, name) = (self.at, element.text);
        loop {
            let length = memchr::memmem::find(self.rest(), b"</")?;
            let end = self.at + length;
            self.at += length + 2;
            let found = self.rest().get(..name.len())?;
            if found.eq_ignore_ascii_case(name) {
                let inner = &self.text[start..end];
                (!hides_end(name, inner.as_bytes())).then_some(())?;
                self.at += name.len();
                self.skip(b">")?;
                self.tokens.raw_text(self.tag.begin..self.at, element, self.tag.rest, inner);
                return Some(());
            }
            if !found.is_ascii() {
                return None;
            }
        }
    }

    /// Skips a style in SVG, whose content is markup.
    fn svg_style(&mut self) -> Option<()> {
        let start = self.at;
        self.raw_text(&Name::new(b"style"))?;
        let inner = &self.text.as_bytes()[start..self.at - b"</style>".len()];
        memchr::memchr2(b'<', b'&', inner).is_none().then_some(())
    }

    /// Skips the content and the end tag of a template, which are no part of the page.
    fn template(&mut self) -> Option<()> {
        let (begin, start) = (self.tag.begin, self.at);
        let end = loop {
            self.text()?;
            let (at, rest) = (self.at, self.rest());
            if rest.starts_with(b"<!--") {
                // Scanners take the first end tag for the end, in a comment, too.
                memchr::memmem::find(self.comment_text()?, b"</").is_none().then_some(())?;
            } else if rest.starts_with(b"</") {
                self.at += 2;
                let name = self.name()?;
                self.skip(b">")?;
                if name.text == b"template" {
                    break at;
                }
                (!name.text.starts_with(b"template")).then_some(())?;
            } else {
                let name = self.start_tag()?;
                name.traits.place?;
                let is_text = name.traits.is_raw_text
                    || matches!(name.text, b"template" | b"textarea" | b"title");
                (!is_text).then_some(())?;
            }
        };
        self.may_be_reference = false;
        self.tag.read(self.text, begin)?;
        let (range, inner) = (begin..self.at, &self.text[start..end]);
        self.tokens.raw_text(range, &self.tag.name, self.tag.rest, inner);
        Some(())
    }

    /// Skips text, whose references must be known. In a table, it must be white space.
    fn text(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.first() == Some(&b'<') {
            return Some(());
        }
        let find_ampersand = |bytes: Bytes| bytes.equal_to(b'&');
        let (length, has_reference) = find_value(rest, b'<', find_ampersand, |byte| byte == b'&')?;
        let text = &rest[..length];
        if self.is_in_table() && !text.iter().all(|byte| is_html_space(*byte)) {
            return None;
        }
        let is_end = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b';');
        let is_completed = text.first().is_some_and(is_end);
        (!(self.may_be_reference && is_completed)).then_some(())?;
        self.may_be_reference = false;
        if has_reference {
            for at in memchr::memchr_iter(b'&', text) {
                let after = &text[at + 1..];
                is_plain_reference(after, false).then_some(())?;
                self.may_be_reference = after.iter().all(u8::is_ascii_alphanumeric);
            }
        }
        self.at += length;
        Some(())
    }

    fn name(&mut self) -> Option<Name<'t>> {
        let (name, end) = name_at(self.text, self.at)?;
        self.at = end;
        Some(name)
    }

    /// Reads a start tag; returns its name.
    fn start_tag(&mut self) -> Option<Name<'t>> {
        self.at = self.tag.read(self.text, self.at)?;
        Some(self.tag.name)
    }
}

/// Returns whether what looks like the end tag after a raw text may be none. After a comment that
/// begins a script in a script, it is that of the inner one.
fn hides_end(name: &[u8], inner: &[u8]) -> bool {
    name == b"script"
        && memchr::memmem::find(inner, b"<!--").is_some()
        && inner.windows(7).any(|part| part.eq_ignore_ascii_case(b"<script"))
}
