//! Facts of a page in a file, as far as they need no other engine.

use std::borrow::Cow;

use super::chars::{is_space, push_words};
use super::{Decisions, END, Element, Page, Unusual, scan_closed, scan_well_formed};
use crate::blake2b::{blake2b_128, hexadecimal};
use crate::utf8::utf8;

/// Bytes in which a page says that it is one.
const MAX_PROLOG: usize = 65_536;

/// Personalization of the hash; see `fingerprint_of` in `src/urlset/html/facts.py`.
const PERSON: [u8; 16] = *b"urlset-page-1\0\0\0";

/// Facts of a page in a file.
pub struct FilePage<'t> {
    /// Title, with single blanks.
    pub title: String,
    /// Attribute `lang` of the page.
    pub language: Option<String>,
    /// Description, as the page has it.
    pub description: Option<String>,
    /// Hash of title, description and main content, in hexadecimal.
    pub fingerprint: String,
    /// Elements from which facts are read.
    pub elements: Vec<Element<'t>>,
    /// Texts of JSON-LD scripts.
    pub data: Vec<String>,
}

/// Most bytes of the title of an ordinary page.
const MAX_TITLE: usize = 200;

impl FilePage<'_> {
    /// Returns whether a page has nothing to read facts from, except for a redirect of its readers,
    /// and no word of `error_words` in its title. They are in lower case, and in ASCII.
    #[must_use]
    pub fn is_ordinary(&self, error_words: &[String]) -> bool {
        let is_redirect = match &self.elements[..] {
            [] => true,
            [_] => self.refresh().is_some(),
            _ => false,
        };
        let is_error = |word: &str| error_words.iter().any(|each| each.eq_ignore_ascii_case(word));
        is_redirect
            && self.data.is_empty()
            && self.title.len() <= MAX_TITLE
            && self.title.is_ascii()
            && !self.title.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_error)
    }

    /// Returns the content of the first element if that is a `meta` which only redirects.
    #[must_use]
    pub fn refresh(&self) -> Option<&str> {
        let element = self.elements.first().filter(|element| element.name == "meta")?;
        let kind = attribute(element, "http-equiv")?.trim_matches(is_space);
        let only_redirects = element.attributes.len() == 2 && kind.eq_ignore_ascii_case("refresh");
        attribute(element, "content").filter(|_| only_redirects)
    }
}

/// Returns the facts of a page; None if it is not well-formed UTF-8, or unusual.
///
/// Of a longer page, only the first `max_bytes` are read. With `names`, only elements are returned from which an address, a directive or a date is read:
/// of the `meta` elements those with these names, which are in lower case.
///
/// # Errors
///
/// The error of a decision.
pub fn file_page<D: Decisions>(
    data: &[u8],
    max_bytes: usize,
    origin: &str,
    names: Option<&[String]>,
    decisions: &D,
) -> Result<Option<FilePage<'static>>, D::Error> {
    let is_cut_off = data.len() > max_bytes;
    let data = with_line_feeds(&data[..data.len().min(max_bytes)]);
    let Some(text) = page_text(&data) else { return Ok(None) };
    let whole;
    let page = if is_cut_off {
        whole = closed(text);
        scan_closed(&whole)
    } else {
        scan_well_formed(text)
    };
    let Some(mut page) = facts(page, origin, decisions)? else { return Ok(None) };
    if let Some(names) = names {
        page.elements.retain(|element| is_relevant(element, names));
    }
    let elements = page.elements.into_iter().map(Element::into_owned).collect();
    Ok(Some(FilePage { elements, ..page }))
}

/// Returns the beginning of a page without the tag in which it ends, and closes it.
fn closed(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut end = text.len();
    if let Some(at) = memchr::memrchr2(b'<', b'>', bytes)
        && let [b'<', b'/', letter, ..] | [b'<', letter, ..] = &bytes[at..]
        && letter.is_ascii_alphabetic()
    {
        end = at;
    }
    [&text[..end], END].concat()
}

/// Returns the text of a page; None if it is not UTF-8, or does not say that it is a page.
pub(super) fn page_text(data: &[u8]) -> Option<&str> {
    let text = utf8(data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data))?;
    let prolog = &text.as_bytes()[..text.len().min(MAX_PROLOG)];
    let is_start = |at: usize| matches!(prolog.get(at + 5), Some(b' ' | b'\n' | b'>'));
    let mut names = [b"<html", b"<HTML"].into_iter();
    let is_page = names.any(|name| memchr::memmem::find_iter(prolog, name).any(is_start));
    is_page.then_some(text)
}

/// Returns a page with its line ends as a parser reads them: without carriage returns.
#[must_use]
pub fn with_line_feeds(data: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr::memchr(b'\r', data) else { return Cow::Borrowed(data) };
    let mut target = Vec::with_capacity(data.len());
    let mut last = 0;
    loop {
        target.extend_from_slice(&data[last..at]);
        target.push(b'\n');
        last = at + 1 + usize::from(data.get(at + 1) == Some(&b'\n'));
        match memchr::memchr(b'\r', &data[last..]) {
            Some(length) => at = last + length,
            None => break,
        }
    }
    target.extend_from_slice(&data[last..]);
    Cow::Owned(target)
}

/// Returns the facts of a scanned page with all elements; None if it is unusual.
pub(super) fn facts<'t, D: Decisions>(
    page: Result<Page<'t>, Unusual>,
    origin: &str,
    decisions: &D,
) -> Result<Option<FilePage<'t>>, D::Error> {
    let Ok(page) = page else { return Ok(None) };
    let Some(title) = page.title else { return Ok(None) };
    let words = page.content.words(origin, decisions)?;
    let description = description(&page.elements).map(str::to_owned);
    let fingerprint = fingerprint(&title, description.as_deref(), &words);
    let (language, elements, data) = (page.language, page.elements, page.data);
    Ok(Some(FilePage { title, language, description, fingerprint, elements, data }))
}

fn fingerprint(title: &str, description: Option<&str>, words: &str) -> String {
    let mut text = String::with_capacity(title.len() + words.len() + 256);
    text.push_str(title);
    text.push('\n');
    push_words(description.unwrap_or_default(), &mut text);
    text.push('\n');
    text.push_str(words);
    hexadecimal(blake2b_128(text.as_bytes(), PERSON))
}

/// Returns the first description, else the first one of Open Graph.
fn description<'e>(elements: &'e [Element<'_>]) -> Option<&'e str> {
    let named = |wanted: &str| {
        elements.iter().filter(|element| element.name == "meta").find_map(|element| {
            let content = attribute(element, "content")?.trim_matches(is_space);
            let is_wanted = |name: &&str| {
                attribute(element, name)
                    .is_some_and(|value| value.trim_matches(is_space).eq_ignore_ascii_case(wanted))
            };
            (!content.is_empty() && ["name", "property"].iter().any(is_wanted)).then_some(content)
        })
    };
    named("description").or_else(|| named("og:description"))
}

/// Returns whether an address, a directive or a date is read from an element.
pub(super) fn is_relevant(element: &Element<'_>, names: &[String]) -> bool {
    let has = |name: &str, word: &str| {
        attribute(element, name).is_some_and(|value| value.to_lowercase().contains(word))
    };
    let is_named = |name: &str| {
        attribute(element, name).is_some_and(|value| {
            let value = value.trim_matches(is_space).to_lowercase();
            names.contains(&value)
        })
    };
    if attribute(element, "itemprop").is_some() {
        return true;
    }
    match element.name {
        "img" => false,
        "link" => has("rel", "canonical") || attribute(element, "hreflang").is_some(),
        "meta" => has("http-equiv", "refresh") || is_named("name") || is_named("property"),
        _ => true,
    }
}

/// Returns the first value of an attribute.
pub(super) fn attribute<'e>(element: &'e Element<'_>, wanted: &str) -> Option<&'e str> {
    let found = element.attributes.iter().find(|(name, _)| name == wanted)?;
    Some(&found.1)
}
