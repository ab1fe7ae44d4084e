//! The four elements of the protocol (see [`super`]).

use super::run::{EntryReader, EntryState};
use crate::codes::{S019, S020};
use crate::columns::Entries;
use crate::cursor::{Prefix, Span};
use crate::dates::{parse_date, w3c_instant};
use crate::metadata::{changefreq_word, priority_value};
use crate::references::is_doubly_escaped;
use crate::search::Mode;
use crate::urls::{has_space, http_length, is_authority, trim};
use crate::utf8::utf8_or_empty;

/// The tree reads URLs of this length in bytes or more, because it counts characters.
const MAX_LOC: usize = 2_048;

impl EntryReader<'_> {
    /// Reads the content of a `loc` element and its end tag.
    pub(super) fn loc(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        if std::mem::replace(&mut state.has_loc, true) {
            return None;
        }
        let row = entries.row();
        let at = self.cursor.at;
        if let Some(Prefix { rest, length }) = self.cursor.plain(Mode::Url, b"</loc>") {
            self.origin(rest.get(..length)?)?;
            entries.loc.set_start(row, rest, length);
            return (length < MAX_LOC).then_some(());
        }
        self.cursor.at = at;
        let span = self.cursor.text_until(b"</loc>")?;
        if span.end - span.start >= MAX_LOC {
            return None;
        }
        let slice = self.cursor.value(span)?;
        let loc = self.cursor.get(slice);
        let needs_tree =
            |loc: &str| has_space(loc) || trim(loc).len() < loc.len() || loc.contains('\u{fffd}');
        if simdutf8::basic::from_utf8(loc).is_ok_and(needs_tree) || is_doubly_escaped(loc) {
            return None;
        }
        entries.loc.set(row, loc);
        let loc = entries.loc.get(row)?;
        self.origin(loc)
    }

    /// Checks that a URL starts with a valid scheme and authority.
    #[inline]
    fn origin(&mut self, loc: &[u8]) -> Option<()> {
        let ends = |byte: Option<&u8>| byte.is_none_or(|b| matches!(b, b'/' | b'?' | b'#'));
        let is_known = !self.origin.is_empty()
            && begins(loc, &self.origin)
            && ends(loc.get(self.origin.len()));
        if !is_known {
            let scheme = http_length(loc);
            let rest = loc.get(scheme..).filter(|_| scheme > 0)?;
            let length = rest.iter().position(|byte| ends(Some(byte))).unwrap_or(rest.len());
            if !is_authority(simdutf8::basic::from_utf8(&rest[..length]).ok()?) {
                return None;
            }
            self.origin.clear();
            self.origin.extend_from_slice(&loc[..scheme + length]);
        }
        Some(())
    }

    /// Returns the span of a value that needs no decoding and no trimming.
    fn plain(&mut self, end_tag: &[u8]) -> Option<(usize, usize)> {
        let at = self.cursor.at;
        let Span { start, end, .. } = self.cursor.text_until(end_tag)?;
        let text = self.cursor.text.get(start..end)?;
        let is_plain = start == at // not within CDATA, with which the slow path reports a value
            && text.iter().all(|byte| (0x20..0x7f).contains(byte) && *byte != b'&')
            && text.first().is_some_and(|byte| *byte != b' ')
            && text.last() != Some(&b' ')
            && memchr::memmem::find(text, b"]]>").is_none();
        is_plain.then_some((start, end))
    }

    /// Reads the content of a `lastmod` element and its end tag.
    pub(super) fn lastmod(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        if std::mem::replace(&mut state.has_lastmod, true) {
            return None;
        }
        let row = entries.row();
        // The three common lengths. A date does not contain "<".
        for length in [10, 20, 25] {
            let Some(rest) = self.cursor.rest().get(length..) else {
                break;
            };
            if rest.starts_with(b"</lastmod>") {
                let text = &self.cursor.rest()[..length];
                let instant = if is_same(&self.date.0, text) {
                    self.date.1
                } else if let Some(instant) = w3c_instant(text) {
                    self.date.0.clear();
                    self.date.0.extend_from_slice(text);
                    self.date.1 = instant;
                    instant
                } else {
                    break;
                };
                entries.lastmod_text.set_start(row, self.cursor.rest(), length);
                entries.lastmod.set(row, instant);
                self.cursor.at += length + b"</lastmod>".len();
                return Some(());
            }
        }
        let (start, end) = self.plain(b"</lastmod>")?;
        let text = &self.cursor.text[start..end];
        let date = parse_date(utf8_or_empty(text));
        state.invalid[0] = date.code.map(|code| (code, start, end));
        entries.lastmod_text.set(row, text);
        if let Some(instant) = date.instant {
            entries.lastmod.set(row, instant);
        }
        Some(())
    }

    /// Reads the content of a `changefreq` element and its end tag.
    pub(super) fn changefreq(
        &mut self,
        entries: &mut Entries,
        state: &mut EntryState,
    ) -> Option<()> {
        if std::mem::replace(&mut state.has_changefreq, true) {
            return None;
        }
        let word = match self.cursor.rest().first()? {
            b'd' => "daily",
            b'w' => "weekly",
            b'm' => "monthly",
            b'h' => "hourly",
            b'y' => "yearly",
            b'a' => "always",
            _ => "never",
        };
        let start = self.cursor.at;
        if self.cursor.eat(word.as_bytes()) && self.cursor.eat(b"</changefreq>") {
            let (row, rest) = (entries.row(), &self.cursor.text[start..]);
            entries.changefreq.set_start(row, rest, word.len());
            return Some(());
        }
        self.cursor.at = start;
        let (start, end) = self.plain(b"</changefreq>")?;
        let text = &self.cursor.text[start..end];
        let word = changefreq_word(text).map(str::as_bytes);
        if let Some(word) = word {
            entries.changefreq.set(entries.row(), word);
        }
        state.invalid[1] = (word != Some(text)).then_some((S019, start, end));
        Some(())
    }

    /// Reads the content of a `priority` element and its end tag.
    pub(super) fn priority(&mut self, entries: &mut Entries, state: &mut EntryState) -> Option<()> {
        if std::mem::replace(&mut state.has_priority, true) {
            return None;
        }
        if let [whole @ (b'0' | b'1'), b'.', digit @ b'0'..=b'9', rest @ ..] = self.cursor.rest()
            && rest.starts_with(b"</priority>")
            && (*whole == b'0' || *digit == b'0')
        {
            let value = f64::from((whole - b'0') * 10 + (digit - b'0')) / 10.0;
            entries.priority.set(entries.row(), value);
            self.cursor.at += 3 + b"</priority>".len();
            return Some(());
        }
        let (start, end) = self.plain(b"</priority>")?;
        let value = priority_value(utf8_or_empty(&self.cursor.text[start..end]));
        match value {
            Some(value) => entries.priority.set(entries.row(), value),
            None => state.invalid[2] = Some((S020, start, end)),
        }
        Some(())
    }
}

/// Returns whether a text starts with an origin. Most origins have 16 to 32 bytes; two comparisons
/// of fixed size are faster than a call.
#[inline]
fn begins(text: &[u8], origin: &[u8]) -> bool {
    let Some(text) = text.get(..origin.len()) else {
        return false;
    };
    match (origin.first_chunk::<16>(), origin.last_chunk::<16>()) {
        (Some(first), Some(last)) if origin.len() <= 32 => {
            text.first_chunk() == Some(first) && text.last_chunk() == Some(last)
        }
        _ => text == origin,
    }
}

/// Returns whether two dates are equal. Dates usually differ at their end.
#[inline]
fn is_same(known: &[u8], text: &[u8]) -> bool {
    known.last_chunk::<8>() == text.last_chunk() && known == text
}
