//! Set of URLs that detects duplicates.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use crate::columns::Entries;

/// Set of URLs, stored as hashes of 128 bits with random keys. A billion URLs contain a collision
/// with a probability below 1 in 10^20, and nobody can construct one.
pub struct UrlHashes {
    keys: [RandomState; 2],
    hashes: HashSet<(u64, u64), BuildHasherDefault<IdentityHasher>>,
}

impl Default for UrlHashes {
    fn default() -> Self {
        Self { keys: [RandomState::new(), RandomState::new()], hashes: HashSet::default() }
    }
}

impl UrlHashes {
    /// Adds the URLs of rows. Returns the rows whose URL was already in the set.
    pub fn add(&mut self, entries: &Entries, start: usize, end: usize) -> Vec<usize> {
        let Self { keys: [first, second], hashes } = self;
        hashes.reserve(end.saturating_sub(start));
        let mut is_duplicate = |row: &usize| {
            let loc = entries.loc.get(*row).unwrap_or_default();
            !hashes.insert((first.hash_one(loc), second.hash_one(loc)))
        };
        (start..end.min(entries.row())).filter(|row| is_duplicate(row)).collect()
    }
}

/// Hasher for values that are hashes already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 ^= value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_returns_duplicate_rows() {
        let mut entries = Entries::default();
        for loc in [&b"http://a/"[..], b"http://b/", b"http://a/"] {
            entries.commit(loc);
        }
        let mut known = UrlHashes::default();
        assert_eq!(known.add(&entries, 0, 2), Vec::<usize>::new());
        assert_eq!(known.add(&entries, 1, 3), [1, 2]);
    }
}
