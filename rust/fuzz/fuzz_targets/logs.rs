//! Any log is aggregated: no request is lost or counted twice, in one block or in two.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use urlset_core::logs::{LogAggregator, LogHit};

fuzz_target!(|data: &[u8]| {
    let middle = data.len() / 2;
    let split = data[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    for keeps_queries in [false, true] {
        let whole = aggregate(&[data], keeps_queries);
        let halves = aggregate(&[&data[..split], &data[split..]], keeps_queries);
        assert_eq!(whole.lines, data.iter().filter(|byte| **byte == b'\n').count());
        assert_eq!(whole.lines, halves.lines);
        assert_eq!(whole.requests, halves.requests);
        assert!(whole.requests <= whole.lines as u64);
    }
});

/// What was found, however it was divided into blocks.
struct Totals {
    lines: usize,
    /// Number of hits and of lines to evaluate.
    requests: u64,
}

fn aggregate(blocks: &[&[u8]], keeps_queries: bool) -> Totals {
    let mut aggregator = LogAggregator::new(keeps_queries);
    let (mut lines, mut requests) = (0, 0);
    let mut paths = BTreeMap::new();
    let mut count = |hits: Vec<LogHit>| -> u64 {
        for hit in &hits {
            let is_page = paths.entry((hit.host.clone(), hit.path.clone())).or_insert(hit.is_page);
            assert_eq!(*is_page, hit.is_page);
            assert!(hit.count > 0);
        }
        hits.iter().map(|hit| hit.count).sum()
    };
    for block in blocks {
        let (hits, rows, line_count) = aggregator.add(block);
        assert!(hits.iter().all(|hit| hit.line < line_count.max(1)));
        assert!(rows.iter().all(|(line, ..)| *line < line_count));
        assert!(rows.is_sorted_by(|one, other| one.0 < other.0));
        lines += line_count;
        requests += count(hits) + rows.len() as u64;
    }
    requests += count(aggregator.finish());
    Totals { lines, requests }
}
