//! Any page is scanned: elements, content, links; a limit of links returns the first of them.

#![no_main]

use std::convert::Infallible;
use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use urlset_core::html::{
    BaseUrl, Decisions, Page, anchors, file_page, has_scripts, is_well_formed, scan,
    scan_well_formed, visited_page,
};
use urlset_fuzz::text;

/// Decides that no line is volatile, and that all of a link is stable.
struct Stable;

impl Decisions for Stable {
    type Error = Infallible;

    fn is_volatile(&self, _: &str) -> Result<bool, Infallible> {
        Ok(false)
    }

    fn stable_target(&self, link: &str) -> Result<String, Infallible> {
        Ok(link.to_owned())
    }
}

fn facts(page: &Page<'_>) -> impl PartialEq + Debug {
    let elements = page.elements.iter().map(|element| {
        (element.name, element.attributes.clone(), element.in_head, element.in_boilerplate)
    });
    let Ok(words) = page.content.words("https://example.com", &Stable);
    let elements: Vec<_> = elements.collect();
    (page.title.clone(), page.language.clone(), elements, page.data.clone(), words)
}

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    let _ = has_scripts(&text);
    let origin = "https://example.com";
    for max_bytes in [data.len() / 2, data.len()] {
        let Ok(_) = file_page(data, max_bytes, origin, None, &Stable);
    }
    if let Some(base) = BaseUrl::new("https://example.com/a/b?c", origin) {
        assert!(base.resolve(&text).is_none_or(|url| url.starts_with("https://example.com/")));
        let Ok(_) = visited_page(data, &base, origin, &[], 3, &Stable);
    }
    let scanned = scan(&text);
    match (&scanned, scan_well_formed(&text)) {
        (Ok(page), Ok(same)) => {
            assert!(is_well_formed(&text));
            assert_eq!(facts(page), facts(&same));
        }
        (Ok(_), Err(_)) => assert!(!is_well_formed(&text)),
        (Err(_), same) => assert!(same.is_err()),
    }
    if let Ok(page) = scanned {
        for element in &page.elements {
            let is_lower = |name: &str| !name.bytes().any(|byte| byte.is_ascii_uppercase());
            assert!(is_lower(element.name));
            assert!(element.attributes.iter().all(|(name, _)| is_lower(name)));
        }
        let lines = page.content.lines();
        assert!(lines.split('\n').all(|line| line.trim_end_matches(' ') == line), "{lines:?}");
        let Ok(words) = page.content.words(origin, &Stable);
        assert!(words.contains('\n'));
    }
    if let Ok(all) = anchors(&text, usize::MAX) {
        let some = anchors(&text, 3).unwrap_or_default();
        assert_eq!(some.len(), all.len().min(3));
        assert!(
            some.iter()
                .zip(&all)
                .all(|(one, other)| one.href == other.href && one.rel == other.rel)
        );
    }
});
