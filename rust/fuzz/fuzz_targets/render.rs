//! What was parsed and rendered parses to the same entries and renders to the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urlset_core::parse;
use urlset_core::validity::uncertain_rows;
use urlset_fuzz::{BASE, check_parsed, rendered, text, values};

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    let entries = parse(&text, Some(BASE), &[]).entries;
    if entries.row() == 0 {
        return;
    }
    // Rows that the writer would inspect and perhaps reject may change once.
    let are_certain = uncertain_rows(&entries, false).is_empty();
    let once = rendered(&entries, false);
    let parsed = parse(&once, None, &[]);
    check_parsed(&once, &parsed);
    if are_certain {
        assert_eq!(parsed.kind, "urlset");
        assert_eq!(values(&entries), values(&parsed.entries), "{once}");
        assert_eq!(rendered(&parsed.entries, false), once);
    }
    let twice = rendered(&parsed.entries, false);
    let reparsed = parse(&twice, None, &[]);
    assert_eq!(values(&parsed.entries), values(&reparsed.entries), "{twice}");
    assert_eq!(rendered(&reparsed.entries, false), twice);

    if uncertain_rows(&entries, true).is_empty() {
        let list = rendered(&entries, true);
        let parsed = parse(&list, None, &[]);
        assert_eq!(parsed.kind, "text", "{list}");
        let urls = |of: &urlset_core::columns::Entries| -> Vec<Vec<u8>> {
            (0..of.row()).filter_map(|row| of.loc.get(row).map(<[u8]>::to_vec)).collect()
        };
        assert_eq!(urls(&entries), urls(&parsed.entries), "{list}");
    }
});
