//! Any page is scanned: elements, content, links; a limit of links returns the first of them.

#![no_main]

use std::convert::Infallible;

use libfuzzer_sys::fuzz_target;
use urlset_core::html::{
    BaseUrl, anchors, file_page, has_scripts, is_well_formed, scan, visited_page,
};
use urlset_fuzz::text;

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    let _ = (has_scripts(&text), is_well_formed(&text));
    let origin = "https://example.com";
    let _ = file_page(data, origin, None);
    if let Some(base) = BaseUrl::new("https://example.com/a/b?c", origin) {
        assert!(base.resolve(&text).is_none_or(|url| url.starts_with("https://example.com/")));
        let _ = visited_page(data, &base, origin, &[], 3);
    }
    if let Ok(page) = scan(&text) {
        for element in &page.elements {
            let is_lower = |name: &str| !name.bytes().any(|byte| byte.is_ascii_uppercase());
            assert!(is_lower(element.name));
            assert!(element.attributes.iter().all(|(name, _)| is_lower(name)));
        }
        let lines = page.content.lines();
        assert!(lines.split('\n').all(|line| line.trim_end_matches(' ') == line), "{lines:?}");
        let words: Result<String, Infallible> =
            page.content.words("https://example.com", |_| Ok(false), |link| Ok(link.to_owned()));
        let Ok(words) = words;
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
