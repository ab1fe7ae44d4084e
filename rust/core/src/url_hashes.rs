//! Set of URLs that detects duplicates.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::columns::Entries;

/// Hash of 128 bits.
pub type UrlHash = (u64, u64);

/// Returns a hasher with random keys.
#[must_use]
pub fn random_hasher() -> SipHasher13 {
    // The keys of a `RandomState` are private; its hash of anything is as random as they are.
    let [first, second] = [0, 1].map(|number: u64| RandomState::new().hash_one(number));
    SipHasher13::new_with_keys(first, second)
}

/// Set of URLs, stored as hashes of 128 bits (`SipHash` 1-3) with random keys. A billion URLs contain a collision
/// with a probability below 1 in 10^20, and nobody can construct one.
pub struct UrlHashes {
    hasher: SipHasher13,
    hashes: HashSet<UrlHash, BuildHasherDefault<IdentityHasher>>,
}

impl Default for UrlHashes {
    fn default() -> Self {
        Self { hasher: random_hasher(), hashes: HashSet::default() }
    }
}

impl UrlHashes {
    /// Adds the URLs of rows. Returns the rows whose URL was already in the set.
    pub fn add(&mut self, entries: &Entries, start: usize, end: usize) -> Vec<usize> {
        let Self { hasher, hashes } = self;
        hashes.reserve(end.saturating_sub(start));
        let mut is_duplicate = |row: &usize| {
            let loc = entries.loc.get(*row).unwrap_or_default();
            let mut hasher = *hasher;
            hasher.write(loc);
            !hashes.insert(hasher.finish128().as_u64())
        };
        (start..end.min(entries.row())).filter(|row| is_duplicate(row)).collect()
    }
}

/// Hasher for values that are hashes already.
#[derive(Default)]
pub struct IdentityHasher(u64);

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
