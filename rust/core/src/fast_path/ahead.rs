//! Threads that read the entries of a large document ahead (see [`super`]).
//!
//! A window of the document is divided into parts, of which the threads take turns. An entry belongs
//! to the part in which its text `<url>` begins. The first of the threads is that of the document: it
//! reads its own parts into the columns of the document, and adds the runs that the others have read
//! when the reading position arrives at their start. A run that begins elsewhere, because `<url>`
//! was in a comment, a CDATA section or another element, is discarded.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope};

use super::run::{EntryReader, Run};
use crate::columns::Entries;
use crate::threads::Processors;

/// Sizes of a part. Each is small enough for its columns to stay in the cache of a processor until
/// they are copied.
const MIN_PART: usize = if cfg!(test) { 64 } else { 512 << 10 };
const MAX_PART: usize = if cfg!(test) { 512 } else { 512 << 10 };

/// Size of a window that one thread reads. Notes on its entries are kept until its end.
const ALONE: usize = 8 << 20;

/// Time that the thread of the document takes to add the entries of another thread, in percent of
/// the time to read them.
const ADDING: usize = 15;

/// Memory of columns whose entries were added.
pub type Spare = Arc<Mutex<Vec<Entries>>>;

/// Section of a document whose parts several threads read.
pub struct Window {
    start: usize,
    pub end: usize,
    /// Size of the parts that the thread of the document reads, and of the others.
    own: usize,
    other: usize,
    processors: Processors,
}

impl Window {
    /// Returns the window from `start` on: the whole rest of a document of `length` bytes, unless
    /// one thread reads it.
    pub fn new(start: usize, length: usize, is_alone: bool) -> Self {
        let rest = length - start;
        let processors = Processors::take(if is_alone { 1 } else { rest / MIN_PART });
        let threads = processors.count();
        if threads == 1 {
            let end = length.min(start + ALONE);
            return Self { start, end, own: end - start, other: 0, processors };
        }
        let round = rest.div_ceil(rest.div_ceil(threads * MAX_PART));
        let weight = 100_usize.saturating_sub(ADDING * (threads - 1)).max(1);
        let own = round * weight / (100 * (threads - 1) + weight);
        let other = (round - own).div_ceil(threads - 1);
        Self { start, end: length, own, other, processors }
    }

    /// Returns whether there are several threads.
    pub fn is_parallel(&self) -> bool {
        self.processors.count() > 1
    }

    /// Returns the bounds of a part. The thread of a part is its number modulo their number.
    pub fn part(&self, number: usize) -> Range<usize> {
        let threads = self.processors.count();
        let at = |number: usize| {
            let (rounds, thread) = (number / threads, number % threads);
            let own = (rounds + usize::from(thread > 0)) * self.own;
            let other = (rounds * (threads - 1) + thread.saturating_sub(1)) * self.other;
            self.end.min(self.start + own + other)
        };
        at(number)..at(number + 1)
    }

    /// Returns the bounds of all parts.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        (0..).map(|number| self.part(number)).take_while(|part| !part.is_empty())
    }
}

/// Threads that read the parts of a window ahead, each at most two parts.
pub struct AheadThreads {
    /// The runs of the parts of each thread, in order, with the number of the part.
    results: Vec<Receiver<(usize, Vec<Run>)>>,
    is_over: Arc<AtomicBool>,
    threads: usize,
}

impl AheadThreads {
    /// Starts the threads. If one cannot be started, its parts are not read ahead.
    pub fn start<'scope, 'a: 'scope>(
        scope: &'scope Scope<'scope, '_>,
        window: &'scope Window,
        reader: &EntryReader<'a>,
        spare: &'scope Spare,
    ) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let threads = window.processors.count();
        let start = |thread: usize| {
            let (sender, results) = sync_channel(1);
            let mut reader = EntryReader::new(reader.cursor.text, reader.extensions);
            let is_over = Arc::clone(&is_over);
            let work = move || {
                for number in (thread..).step_by(threads) {
                    let part = window.part(number);
                    if part.is_empty() || is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let runs = reader.runs(part, &mut || cleared(spare));
                    if sender.send((number, runs)).is_err() {
                        break;
                    }
                }
            };
            Builder::new().spawn_scoped(scope, work).ok().map(|_| results)
        };
        let results = (1..threads).map_while(start).collect();
        Self { results, is_over, threads }
    }

    /// Waits for the runs of a part. Returns None if no other thread reads it.
    pub fn runs_of(&self, part: usize) -> Option<Vec<Run>> {
        let results = self.results.get((part % self.threads).checked_sub(1)?)?;
        results.recv().ok().map(|(_, runs)| runs)
    }

    /// Ends the threads. Returns the runs of the parts that were not asked for.
    pub fn finish(self) -> impl Iterator<Item = (usize, Vec<Run>)> {
        self.is_over.store(true, Ordering::Relaxed);
        self.results.into_iter().flatten()
    }
}

/// Returns empty columns, with memory if some is spare.
fn cleared(spare: &Spare) -> Entries {
    let mut entries = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
    entries.clear();
    entries
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use crate::threads::alone;

    const ROOT: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
        xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">";

    const PIECES: [&str; 22] = [
        "<url><loc>http://a/1</loc></url>",
        "\n  <url>\n    <loc>http://a/2?b&amp;c</loc>\n    <lastmod>2024-01-02</lastmod>\n  </url>",
        "\r\n<url><loc>http://b/3</loc><priority>0.5</priority></url>\r\n",
        "<url><loc>http://b/\u{e9}</loc><changefreq>daily</changefreq></url>\r",
        "<url><lastmod>yesterday</lastmod><priority>9</priority><loc>http://c/</loc></url>",
        "<url><loc>http://c/i</loc><image:image><image:loc>http://c/i.png</image:loc>\
         <image:title>a\nb</image:title></image:image></url>",
        "<url><loc>http://c/n</loc><news:news><news:title>T</news:title></news:news></url>",
        "<url><loc><![CDATA[http://d/<url>]]></loc></url>",
        "<url><loc>http://d/odd</loc><odd/></url>",
        "<url ><loc>http://d/space</loc></url>",
        "<!-- <url><loc>http://hidden/</loc></url> -->",
        "<![CDATA[<url><loc>http://hidden/</loc></url>]]>",
        "<url><loc>http://e/</loc><url><loc>http://inside/</loc></url></url>",
        "<url><loc>http://e/open</loc>",
        "</url>",
        "<url><loc>relative</loc></url>",
        "<url></url>",
        "text",
        "<?pi <url> ?>",
        "\n\n\n                                                                                ",
        "<other><url><loc>http://f/</loc></url></other>",
        "</urlset><urlset>",
    ];

    /// Returns everything that a parse finds.
    fn read(text: &str) -> String {
        let parsed = parse(text, Some("http://base/"), &[]);
        let found = (parsed.kind, &parsed.entries, &parsed.sitemaps, &parsed.diagnostics);
        format!("{found:?} {:?}", parsed.omitted)
    }

    #[test]
    fn threads_read_what_one_thread_reads() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        for document in 0..2_000 {
            // Documents with common entries alone, with few others, and with any.
            let common = [7, 7, PIECES.len()][document % 3];
            let rare = [usize::MAX, 30, 2][document % 3];
            let mut text = ROOT.to_owned();
            for _ in 0..random(200) {
                let odd = random(rare) == 0;
                text += PIECES[random(if odd { PIECES.len() } else { common })];
            }
            text += ["</urlset>", "", "</url></urlset>\n"][random(3)];
            assert_eq!(read(&text), alone(|| read(&text)), "{text}");
        }
    }
}
