//! Set of published rows, to find them among the rows of a source.

use siphasher::sip128::SipHasher13;

use crate::dates::format_instant;
use crate::url_hashes::random_hasher;

/// Row of a sitemap without extensions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// URL.
    pub loc: &'a [u8],
    /// Date as it is written.
    pub lastmod_text: Option<&'a [u8]>,
    /// Date as an instant, if it is not known as text.
    pub lastmod: Option<i64>,
    /// Change frequency.
    pub changefreq: Option<&'a [u8]>,
    /// Priority.
    pub priority: Option<f64>,
}

/// Set of rows, of which it is noted whether they were found. Dates are compared as they are written.
///
/// Stored are 96 bits of a hash (`SipHash` 1-3) with random keys: among a hundred million rows, two have the same
/// ones with a probability below 1 in 10^12, and nobody can construct them.
pub struct KnownRows {
    hasher: SipHasher13,
    slots: Vec<Slot>,
    rows: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    check: u32,
    /// Number of the row, from 1; 0 for an empty slot. The bit [`FOUND`] is set if it was found.
    row: u32,
}

const FOUND: u32 = 1 << 31;

/// Maximum number of rows.
pub const MAX_ROWS: usize = FOUND as usize - 1;

const MIN_SLOTS: usize = 16;

/// Separator of fields; no byte of UTF-8 is equal.
const END: u8 = 0xff;

impl KnownRows {
    /// Returns an empty set with space for a number of rows.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        let count = (rows + rows / 2).max(MIN_SLOTS);
        Self { hasher: random_hasher(), slots: vec![Slot::default(); count], rows: 0 }
    }

    /// Adds rows to a group; they are numbered from 0, in order. Returns whether there is space for them.
    pub fn add<'a>(&mut self, rows: impl Iterator<Item = Row<'a>>, group: u32) -> bool {
        for (hash, check) in self.hashes(rows, group) {
            let rows = self.rows as usize + 1;
            if rows > MAX_ROWS || rows + rows / 2 > self.slots.len() {
                return false;
            }
            self.rows += 1;
            let at = self.empty_slot(hash);
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = Slot { hash, check, row: self.rows };
            }
        }
        true
    }

    /// Returns the rows that are not in the group, or that were found before; notes that the others were found.
    pub fn unknown<'a>(&mut self, rows: impl Iterator<Item = Row<'a>>, group: u32) -> Vec<usize> {
        let hashes = self.hashes(rows, group);
        let found = hashes.into_iter().map(|(hash, check)| self.find(hash, check));
        found.enumerate().filter_map(|(row, is_found)| (!is_found).then_some(row)).collect()
    }

    /// Returns the numbers of the rows that were not found, in order.
    #[must_use]
    pub fn not_found(&self) -> Vec<u32> {
        let rest = self.slots.iter().filter(|slot| slot.row > 0 && slot.row & FOUND == 0);
        let mut rows: Vec<u32> = rest.map(|slot| slot.row - 1).collect();
        rows.sort_unstable();
        rows
    }

    fn find(&mut self, hash: u64, check: u32) -> bool {
        let mut at = self.first_slot(hash);
        while let Some(slot) = self.slots.get_mut(at).filter(|slot| slot.row > 0) {
            if slot.hash == hash && slot.check == check && slot.row & FOUND == 0 {
                slot.row |= FOUND;
                return true;
            }
            at = self.next_slot(at);
        }
        false
    }

    fn hashes<'a>(&self, rows: impl Iterator<Item = Row<'a>>, group: u32) -> Vec<(u64, u32)> {
        let mut bytes = Vec::new();
        rows.map(|row| self.hash(row, group, &mut bytes)).collect()
    }

    /// Returns the hash of a row, written to `bytes`: many short writes to a hasher are slower.
    fn hash(&self, row: Row<'_>, group: u32, bytes: &mut Vec<u8>) -> (u64, u32) {
        bytes.clear();
        let mut write = |text: &[u8]| {
            bytes.extend_from_slice(text);
            bytes.push(END);
        };
        write(row.loc);
        if let Some(text) = row.lastmod_text {
            write(text);
        } else if let Some(instant) = row.lastmod {
            write(format_instant(instant).as_bytes());
        }
        write(&[]);
        row.changefreq.into_iter().for_each(&mut write);
        write(&[]);
        if let Some(priority) = row.priority {
            bytes.extend_from_slice(&priority.to_bits().to_le_bytes());
        }
        bytes.extend_from_slice(&group.to_le_bytes());
        let (hash, other) = self.hasher.hash(bytes).as_u64();
        let [check @ .., _, _, _, _] = other.to_le_bytes();
        (hash, u32::from_le_bytes(check))
    }

    fn first_slot(&self, hash: u64) -> usize {
        // The high bits of the product: the share of the hash in its range, as that of the slots.
        usize::try_from((u128::from(hash) * self.slots.len() as u128) >> 64).unwrap_or(0)
    }

    fn next_slot(&self, at: usize) -> usize {
        if at + 1 < self.slots.len() { at + 1 } else { 0 }
    }

    fn empty_slot(&self, hash: u64) -> usize {
        let mut at = self.first_slot(hash);
        while self.slots.get(at).is_some_and(|slot| slot.row > 0) {
            at = self.next_slot(at);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(loc: &'static str, date: Option<&'static str>) -> Row<'static> {
        Row { loc: loc.as_bytes(), lastmod_text: date.map(str::as_bytes), ..Row::default() }
    }

    #[test]
    fn rows_are_found_once() {
        let mut known = KnownRows::with_capacity(2);
        let (one, two) = (row("http://a/", None), row("http://b/", Some("2026-01-01")));
        assert!(known.add([one, two].into_iter(), 1));
        assert_eq!(known.unknown([two, two].into_iter(), 1), [1]);
        assert_eq!(known.not_found(), [0]);
    }

    #[test]
    fn fields_and_groups_differ() {
        let mut known = KnownRows::with_capacity(2);
        let (one, two) = (row("http://a/", Some("2026-01-01")), row("http://a/2", None));
        assert!(known.add([one, two].into_iter(), 1));
        let others = [
            row("http://a/", None),
            row("http://a/2026-01-01", None),
            Row { changefreq: Some(b"2026-01-01"), ..row("http://a/", None) },
            Row { changefreq: Some(b""), ..two },
            Row { lastmod_text: Some(b""), ..two },
            Row { priority: Some(0.0), ..two },
        ];
        assert_eq!(known.unknown(others.into_iter(), 1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(known.unknown([two].into_iter(), 2), [0]);
        assert_eq!(known.not_found(), [0, 1]);
    }

    #[test]
    fn a_date_is_compared_as_it_is_written() {
        let mut known = KnownRows::with_capacity(1);
        assert!(known.add([row("http://a/", Some("1970-01-01T00:00:00Z"))].into_iter(), 0));
        let other = Row { lastmod: Some(0), ..row("http://a/", None) };
        assert_eq!(known.unknown([other].into_iter(), 0), Vec::<usize>::new());
    }

    #[test]
    fn many_rows_are_found() {
        let mut known = KnownRows::with_capacity(5000);
        let locs: Vec<String> = (0..5000).map(|row| format!("http://a/{row}")).collect();
        let rows = |locs: &'static [String]| {
            locs.iter().map(|loc| Row { loc: loc.as_bytes(), ..Row::default() })
        };
        let locs: &'static [String] = locs.leak();
        let (first, second) = locs.split_at(2000);
        assert!(known.add(rows(first), 0));
        assert!(known.add(rows(second), 0));
        assert!(!known.add(rows(locs), 0));
        assert_eq!(
            known.unknown([row("http://a/7", None), row("http://b/7", None)].into_iter(), 0),
            [1]
        );
    }
}
