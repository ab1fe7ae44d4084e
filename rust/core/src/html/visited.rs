//! Facts of a page that was visited, as far as they need no other engine.

use super::anchors::{Anchor, anchors, has_scripts};
use super::base_url::BaseUrl;
use super::chars::is_space;
use super::file::{FilePage, attribute, facts, is_relevant, page_text};
use super::{Decisions, Element, scan_well_formed};

/// Links in the head that are read; a page with more is unusual.
const MAX_LINKS: usize = 1_000;

/// Facts of a page that was visited.
pub struct VisitedPage<'t> {
    /// Facts as of a file; its elements are without links in the head.
    pub page: FilePage<'t>,
    /// Links in the head.
    pub head: HeadLinks,
    /// Links as written.
    pub anchors: Vec<Anchor<'t>>,
    /// Whether it has scripts that are run.
    pub has_scripts: bool,
}

/// Links in the head of a page, each once, with absolute URLs.
#[derive(Default)]
pub struct HeadLinks {
    /// Canonical URLs, and whether they are in the head or in the body.
    pub canonicals: Vec<(String, &'static str)>,
    /// Languages and URLs of other versions.
    pub alternates: Vec<(String, String)>,
    /// `next` and `prev` with their URLs, in this order.
    pub pagination: Vec<(&'static str, String)>,
}

/// Returns the facts of a page; None if it is not well-formed UTF-8, or unusual.
///
/// `data` is one of [`with_line_feeds`](super::with_line_feeds).
/// `names` are those of the `meta` elements that are returned, in lower case; `limit` is that of
/// the links.
///
/// # Errors
///
/// The error of a decision.
pub fn visited_page<'t, D: Decisions>(
    data: &'t [u8],
    base: &BaseUrl<'_>,
    origin: &str,
    names: &[String],
    limit: usize,
    decisions: &D,
) -> Result<Option<VisitedPage<'t>>, D::Error> {
    let Some(text) = page_text(data) else { return Ok(None) };
    let Some(page) = facts(scan_well_formed(text), origin, decisions)? else { return Ok(None) };
    Ok(visited(text, page, base, names, limit))
}

fn visited<'t>(
    text: &'t str,
    mut page: FilePage<'t>,
    base: &BaseUrl<'_>,
    names: &[String],
    limit: usize,
) -> Option<VisitedPage<'t>> {
    let head = head_links(&page.elements, base)?;
    page.elements.retain(|element| match element.name {
        "img" if !element.in_boilerplate => true,
        "link" => attribute(element, "itemprop").is_some(),
        _ => is_relevant(element, names),
    });
    Some(VisitedPage {
        page,
        head,
        anchors: anchors(text, limit).ok()?,
        has_scripts: has_scripts(text),
    })
}

/// Returns the links in the head; None if one of them, or the base, is unusual.
fn head_links(elements: &[Element<'_>], base: &BaseUrl<'_>) -> Option<HeadLinks> {
    let mut found = HeadLinks::default();
    let mut before = Vec::new();
    for element in elements {
        match element.name {
            "base" => return None,
            "link" => {}
            _ => continue,
        }
        let Some(rel) = attribute(element, "rel") else { continue };
        if !rel.is_ascii() {
            return None;
        }
        let has = |word: &str| rel.split(is_space).any(|other| other.eq_ignore_ascii_case(word));
        let target = || base.resolve_in_head(attribute(element, "href").unwrap_or_default());
        if has("canonical") {
            add(&mut found.canonicals, (target()?, if element.in_head { "head" } else { "body" }));
        }
        if !element.in_head {
            continue;
        }
        if has("alternate") {
            let language =
                attribute(element, "hreflang").unwrap_or_default().trim_matches(is_space);
            if !language.is_empty() {
                add(&mut found.alternates, (language.to_owned(), target()?));
            }
        }
        if has("next") {
            add(&mut found.pagination, ("next", target()?));
        }
        if has("prev") {
            add(&mut before, ("prev", target()?));
        }
    }
    found.pagination.append(&mut before);
    let count = found.canonicals.len().max(found.alternates.len()).max(found.pagination.len());
    (count <= MAX_LINKS).then_some(found)
}

/// Adds an item to a list that does not have it.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    // A long list is that of an unusual page, so that this takes no quadratic time.
    if list.len() > MAX_LINKS || !list.contains(&item) {
        list.push(item);
    }
}
