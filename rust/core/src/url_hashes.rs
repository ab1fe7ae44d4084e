//! The URLs that were written already.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use crate::columns::Entries;

/// A set of URLs, each as a hash of 128 bits under random keys: two URLs have the same one with a
/// chance of less than 1 in 10^20 for a billion URLs, and such a pair cannot be constructed.
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
    /// Adds the URLs of rows; returns the numbers of those rows whose URL was there before.
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

/// A hash that is one already.
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
    fn a_url_is_new_once() {
        let mut entries = Entries::default();
        for loc in [&b"http://a/"[..], b"http://b/", b"http://a/"] {
            entries.commit(loc);
        }
        let mut known = UrlHashes::default();
        assert_eq!(known.add(&entries, 0, 2), Vec::<usize>::new());
        assert_eq!(known.add(&entries, 1, 3), [1, 2]);
    }
}
