//! Fast path: reads entries in their common form directly into the columns, without a tree.
//!
//! An entry with anything unusual fails here without side effects, and the tree reads it instead.
//! The tree remains the only implementation of all other cases.
//!
//! A common entry depends on its text and on the namespaces of the root alone, so that several
//! threads read the entries of a large document (see [`ahead`]).

mod ahead;
mod extensions;
mod run;
mod values;
mod video;

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use crate::context::Context;
use crate::names::Key;
use crate::namespaces::{Ns, uri_of};
use crate::tree::Tree;
use crate::utf8::utf8_or_empty;
use ahead::{AheadThreads, Spare, Window};
use run::{EntryReader, Extensions, Notes, Run, SAMPLE_ENTRIES, Stop};

/// Reader of common entries in one root element.
pub struct FastPath<'a> {
    reader: EntryReader<'a>,
    notes: Notes,
    failures: Failures,
    /// Runs that were read ahead, in order.
    ahead: VecDeque<Run>,
    /// End of what was read ahead.
    ahead_end: usize,
    /// Whether one thread reads this root element.
    is_alone: bool,
    spare: Spare,
}

/// Consecutive entries that are not common.
#[derive(Default)]
struct Failures {
    count: usize,
    /// Number of entries that the tree reads next because of them.
    skips: usize,
}

impl Failures {
    fn add(&mut self) {
        self.count = (self.count + 1).min(8);
        self.skips = self.count - 1;
    }
}

impl<'a> FastPath<'a> {
    /// Creates a reader positioned after the start tag of a root. Returns None for an unusual root
    /// element.
    pub fn new(context: &Context<'a>, tree: &Tree<'a>) -> Option<Self> {
        let root = tree.only_open()?;
        if root.name.raw != b"urlset" || root.name.key != Key::Urlset {
            return None;
        }
        let is_bound =
            |prefix: &[u8], ns| root.bindings.get(prefix).map(|uri| &**uri) == uri_of(ns);
        let extensions = Extensions {
            image: is_bound(b"image", Ns::Image),
            video: is_bound(b"video", Ns::Video),
            news: is_bound(b"news", Ns::News),
            xhtml: is_bound(b"xhtml", Ns::Xhtml),
        };
        Some(Self {
            reader: EntryReader::new(context.bytes, extensions),
            notes: Notes::default(),
            failures: Failures::default(),
            ahead: VecDeque::new(),
            ahead_end: 0,
            is_alone: context.is_read_ahead,
            spare: Spare::default(),
        })
    }

    /// Reads common entries from `at` on. Returns the offset to continue at.
    pub fn read(&mut self, context: &mut Context<'a>, at: usize) -> usize {
        let mut end = at;
        while let Some(start) = self.reader.next_entry(end) {
            let (read_to, is_at_limit) = if start < self.ahead_end {
                self.read_to(context, end, self.ahead_end)
            } else {
                let window = Window::new(start, context.bytes.len(), self.is_alone);
                if window.is_parallel() {
                    context.is_read_ahead = true;
                    self.read_in_threads(context, end, &window)
                } else {
                    self.read_to(context, end, window.end)
                }
            };
            end = read_to;
            if !is_at_limit {
                break;
            }
        }
        end
    }

    /// Reads entries that begin before `limit`. Returns the offset to continue at, and whether the
    /// next entry begins at the limit or later; otherwise the tree continues.
    fn read_to(&mut self, context: &mut Context<'a>, at: usize, limit: usize) -> (usize, bool) {
        let mut end = at;
        while let Some(start) = self.reader.next_entry(end) {
            if start >= limit {
                return (start, true); // not `end`: the space before it may be long
            }
            if let Some(run) = self.run_at(start) {
                end = run.end;
                self.append(context, run);
                self.failures = Failures::default();
                continue;
            }
            if self.failures.skips > 0 {
                self.failures.skips -= 1;
                return (end, false);
            }
            let limit = self.ahead.front().map_or(limit, |run| run.start.min(limit));
            let stop = self.read_entries(context, start, limit);
            if let Some(stopped) = stop.end {
                end = stopped;
                self.failures = Failures::default();
            }
            if stop.is_failure {
                self.failures.add();
                return (end, false);
            }
        }
        (end, false)
    }

    /// Reads a window whose parts other threads read ahead. Returns the same as [`Self::read_to`].
    fn read_in_threads(
        &mut self,
        context: &mut Context<'a>,
        at: usize,
        window: &Window,
    ) -> (usize, bool) {
        let spare = Arc::clone(&self.spare);
        thread::scope(|scope| {
            let threads = AheadThreads::start(scope, window, &self.reader, &spare);
            let (mut end, mut is_at_limit) = (at, true);
            for (part, bounds) in window.parts().enumerate() {
                if let Some(runs) = threads.runs_of(part) {
                    self.ahead.extend(runs);
                }
                (end, is_at_limit) = self.read_to(context, end, bounds.end);
                if !is_at_limit {
                    self.ahead_end = bounds.end;
                    break;
                }
            }
            for (part, runs) in threads.finish() {
                self.ahead.extend(runs);
                self.ahead_end = self.ahead_end.max(window.part(part).end);
            }
            self.ahead.make_contiguous().sort_by_key(|run| run.start);
            (end, is_at_limit)
        })
    }

    /// Returns the run that was read ahead from `start` on. Discards those that begin before.
    fn run_at(&mut self, start: usize) -> Option<Run> {
        while self.ahead.front().is_some_and(|run| run.start < start) {
            self.ahead.pop_front();
        }
        let is_next = self.ahead.front().is_some_and(|run| run.start == start);
        if is_next { self.ahead.pop_front() } else { None }
    }

    /// Reads entries from `start` on that begin before `limit`.
    fn read_entries(&mut self, context: &mut Context<'a>, start: usize, limit: usize) -> Stop {
        let (line, first) = (context.positions.line(start), context.entries.offset.len());
        let Context { entries, positions, bytes, .. } = context;
        self.reader.part = 0..bytes.len();
        let stop = self.reader.read(entries, &mut self.notes, start, line, limit);
        if let Some(end) = stop.end {
            positions.set_line(end, stop.line);
        }
        add_notes(context, &mut self.notes, first);
        stop
    }

    /// Adds the entries of a run that was read ahead, which begins at the current position.
    fn append(&mut self, context: &mut Context<'a>, mut run: Run) {
        let line = context.positions.line(run.start);
        let (first, row) = (context.entries.offset.len(), context.entries.row());
        context.entries.append(&run.entries);
        if (row..context.entries.row()).contains(&SAMPLE_ENTRIES) {
            context.entries.reserve_times(context.bytes.len() / (run.end + 1));
        }
        for own in &mut context.entries.line[first..] {
            *own += line;
        }
        context.positions.set_line(run.end, line + run.lines);
        add_notes(context, &mut run.notes, first);
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(run.entries);
        }
    }
}

/// Adds what was noted of the entries from number `first` on.
fn add_notes(context: &mut Context<'_>, notes: &mut Notes, first: usize) {
    let Context { entries, diagnostics, positions, .. } = context;
    for (code, start, end) in notes.invalid.drain(..) {
        diagnostics.add(code, start, end, utf8_or_empty(&context.bytes[start..end]));
    }
    positions.convert(&mut entries.offset[first..]);
    context.news_count += std::mem::take(&mut notes.news);
}

#[cfg(test)]
mod tests {
    use crate::{Parsed, parse};

    const ROOT: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
        xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\" \
        xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\" \
        xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">";

    fn read(entry: &str) -> Parsed {
        parse(&format!("{ROOT}\n{entry}</urlset>"), None, &[])
    }

    #[test]
    fn fast_path_and_tree_return_the_same() {
        for inside in [
            "<loc>http://a/?b&amp;c</loc><lastmod>2024-01-02</lastmod><changefreq>daily</changefreq>\
             <priority>0.8</priority>",
            "<lastmod>yesterday</lastmod><changefreq>Often</changefreq><priority>9</priority>\
             <loc><![CDATA[http://a/]]></loc>",
            "<loc>http://a/</loc>\n <image:image>\r\n<image:title> a ] é </image:title>\
             <image:loc>http://b/</image:loc></image:image>",
            "<loc>http://a/</loc><xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://b/\"/>\
             <xhtml:link href='http://c/' rel=\"alternate\" media=\"m\" />",
            "<loc>http://a/</loc><video:video><video:title>T</video:title><video:price \
             currency=\"EUR\">1</video:price><video:tvshow><video:show_title>S</video:show_title>\
             </video:tvshow></video:video>",
            "<loc>http://a/</loc><news:news><news:publication><news:name>N</news:name>\
             </news:publication><news:title>T</news:title></news:news>",
        ] {
            let [fast, tree] = ["<url>", "<url >"].map(|tag| read(&format!("{tag}{inside}</url>")));
            assert_eq!(format!("{:?}", fast.entries), format!("{:?}", tree.entries), "{inside}");
            let diagnostics = |parsed: &Parsed, shift| {
                let diagnostic = |diagnostic: &crate::Diagnostic| {
                    (diagnostic.code, diagnostic.offset - shift, diagnostic.end - shift)
                };
                parsed.diagnostics.iter().map(diagnostic).collect::<Vec<_>>()
            };
            assert_eq!(diagnostics(&fast, 0), diagnostics(&tree, 1), "{inside}");
        }
    }

    #[test]
    fn failed_entries_have_no_side_effects() {
        let good = "<url><loc>http://a/</loc></url>";
        let odd = "<url><loc>http://b/</loc><lastmod>2024</lastmod><odd/></url>";
        let parsed = read(&[good, odd, good].concat());
        assert_eq!(parsed.entries.row(), 3);
        assert_eq!(parsed.entries.loc.get(1), Some(&b"http://b/"[..]));
        assert_eq!((parsed.entries.lastmod.get(0), parsed.entries.lastmod.get(2)), (None, None));
        assert_eq!(
            parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
            ["S010"]
        );
    }
}
