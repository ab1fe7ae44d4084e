//! Any text is parsed: its result is inside of it, and everything that reads columns accepts it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urlset_core::canonical_urls::are_canonical;
use urlset_core::parse;
use urlset_core::spans::element_spans;
use urlset_core::url_hashes::UrlHashes;
use urlset_core::validity::uncertain_rows;
use urlset_fuzz::{BASE, check_parsed, text};

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    for base in [None, Some(BASE)] {
        let parsed = parse(&text, base, &[]);
        check_parsed(&text, &parsed);
        let entries = &parsed.entries;
        let rows = entries.row();
        for is_text in [false, true] {
            assert!(uncertain_rows(entries, is_text).iter().all(|row| *row < rows));
        }
        let _ = are_canonical(entries, &["#", "utm_"], true);
        let mut known = UrlHashes::default();
        assert!(known.add(entries, 0, rows).len() <= rows.saturating_sub(1));
        assert_eq!(known.add(entries, 0, rows).len(), rows);
    }
    check_spans(&text);
});

fn check_spans(text: &str) {
    let spans = element_spans(text);
    let count = spans.starts.len();
    assert_eq!(
        [spans.content_starts.len(), spans.content_ends.len(), spans.ends.len()],
        [count; 3]
    );
    assert_eq!([spans.parents.len(), spans.following.len(), spans.names.len()], [count; 3]);
    for row in 0..count {
        let [start, content_start] = [spans.starts[row], spans.content_starts[row]];
        let [content_end, end] = [spans.content_ends[row], spans.ends[row]];
        assert!(start < content_start && content_start <= content_end, "{row}");
        assert!(content_end <= end && end <= text.len(), "{row}");
        assert!(spans.parents[row].is_none_or(|parent| (parent as usize) < row), "{row}");
        assert!((row + 1..=count).contains(&(spans.following[row] as usize)), "{row}");
        assert!((spans.names[row] as usize) < spans.name_table.len(), "{row}");
    }
    assert!(spans.entries.is_sorted() && spans.entries.iter().all(|row| (*row as usize) < count));
}
