//! A bare scanner: the upper bound for the speed of sitemap to columns, without any checks.
//!
//! It finds `<`, looks at the tag and copies the text into columns. It checks nothing: no UTF-8,
//! no entities, no namespaces, no nesting, no problems, no line numbers; and it knows only the
//! elements of the documents of `benches/data.py`. Its result is correct for these only.
//!
//! `bare-scanner FILE RUNS SECONDS` prints JSON: the number of entries, and the time of each run.

#![forbid(unsafe_code)]

mod columns;

use std::time::Instant;

use columns::{Columns, Text};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut arg = || args.next().expect("expected FILE RUNS SECONDS");
    let data = std::fs::read(arg()).expect("expected a file that can be read");
    let runs: usize = arg().parse().expect("expected a number of runs");
    let seconds: f64 = arg().parse().expect("expected a number of seconds");
    let warm = scan(&data);
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < runs && (times.is_empty() || begin.elapsed().as_secs_f64() < seconds) {
        let start = Instant::now();
        drop(std::hint::black_box(scan(std::hint::black_box(&data))));
        times.push(format!("{:.9}", start.elapsed().as_secs_f64()));
    }
    println!(
        "{{\"entries\": {}, \"times\": [{}], \"images\": {}, \"videos\": {}, \"news\": {}, \"alternates\": {}}}",
        warm.entries(),
        times.join(", "),
        warm.image[0].len(),
        warm.video[0].len(),
        warm.news[0].count(),
        warm.alternate[1].len(),
    );
}

/// Fills the columns from the document.
fn scan(data: &[u8]) -> Columns {
    let mut columns = Columns::sized(data.len());
    let mut at = 0;
    while let Some(gap) = memchr(b'<', &data[at..]) {
        at += gap;
        let Some(tag) = data.get(at + 1..at + 10) else {
            break;
        };
        at = match tag[0] {
            b'l' if tag[1] == b'o' => text(data, at + 5, &mut columns.loc) + 6,
            b'l' => lastmod(data, at + 9, &mut columns) + 10,
            b'c' => text(data, at + 12, &mut columns.changefreq) + 13,
            b'p' => priority(data, at + 10, &mut columns) + 11,
            b'i' => image(data, at, tag[6], &mut columns),
            b'v' => video(data, at, tag[6], &mut columns),
            b'n' => news(data, at, tag[5], &mut columns),
            b'x' => alternate(data, at + 11, &mut columns),
            b'u' if tag[3] == b'>' => {
                columns.offset.push(at as u64);
                at + 5
            }
            b'/' => close(at, tag, &mut columns),
            _ => at + 1,
        };
    }
    columns
}

/// Finds a byte. The texts are short: inlined SSE2 is 10–20 % faster here than a call to AVX2.
#[inline(always)]
fn memchr(byte: u8, data: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(finder) = memchr::arch::x86_64::sse2::memchr::One::new(byte) {
        return finder.find(data);
    }
    memchr::memchr(byte, data)
}

/// Ends a row, or an item of a list.
fn close(at: usize, tag: &[u8], columns: &mut Columns) -> usize {
    match (tag[1], tag[7]) {
        (b'u', _) if tag[4] == b'>' => columns.end_row(),
        (b'i', b'i') => Columns::end_item(&mut columns.image),
        (b'v', b'v') => Columns::end_item(&mut columns.video),
        _ => {}
    }
    at + 6
}

/// Copies the text that begins at `start`; returns where its closing tag begins.
#[inline(always)]
fn text(data: &[u8], start: usize, column: &mut Text) -> usize {
    let (text, end) = content(data, start);
    column.put(text);
    end
}

/// Finds the text that begins at `start` and where its closing tag begins.
#[inline(always)]
fn content(data: &[u8], start: usize) -> (&[u8], usize) {
    let end = start + memchr(b'<', &data[start..]).unwrap_or(0);
    if end == start && data[start..].starts_with(b"<![CDATA[") {
        let length = memchr::memmem::find(&data[start..], b"]]>").unwrap_or(9);
        return (&data[start + 9..start + length], start + length + 3);
    }
    (&data[start..end], end)
}

/// Copies the date as text and as an instant.
#[inline(always)]
fn lastmod(data: &[u8], start: usize, columns: &mut Columns) -> usize {
    let (text, end) = content(data, start);
    columns.lastmod_text.put(text);
    columns.lastmod = instant(text);
    end
}

/// Reads `d.d`, the only form in these documents.
#[inline(always)]
fn priority(data: &[u8], start: usize, columns: &mut Columns) -> usize {
    let (text, end) = content(data, start);
    if let [whole, _, tenth] = *text {
        columns.priority = f32::from(digit(whole) as u8 * 10 + digit(tenth) as u8) / 10.0;
    }
    end
}

fn image(data: &[u8], at: usize, name: u8, columns: &mut Columns) -> usize {
    match name {
        b'l' => text(data, at + 11, &mut columns.image[0]) + 12,
        b'c' => text(data, at + 15, &mut columns.image[1]) + 16,
        b't' => text(data, at + 13, &mut columns.image[2]) + 14,
        _ => at + 13,
    }
}

fn video(data: &[u8], at: usize, name: u8, columns: &mut Columns) -> usize {
    let (column, length) = match (name, data[at + 8]) {
        (b't', b'h') => (0, 13),
        (b't', b'i') => (1, 5),
        (b'd', b'e') => (2, 11),
        (b'c', _) => (3, 11),
        (b'p', b'l') => (4, 10),
        (b'd', _) => (5, 8),
        (b'r', _) => (6, 6),
        (b'v', _) if data[at + 9] == b'e' => (7, 10),
        (b'p', _) => (8, 16),
        (b'f', _) => (9, 15),
        (b't', _) => (10, 3),
        _ => return at + 13,
    };
    text(data, at + 8 + length, &mut columns.video[column]) + 9 + length
}

fn news(data: &[u8], at: usize, name: u8, columns: &mut Columns) -> usize {
    let (column, length) = match (name, data[at + 7]) {
        (b'n', b'a') => (0, 4),
        (b'l', _) => (1, 8),
        (b'p', _) if data[at + 17] == b'_' => (2, 16),
        (b't', _) => (3, 5),
        _ => return at + 11,
    };
    text(data, at + 7 + length, &mut columns.news[column]) + 8 + length
}

/// Copies `hreflang` and `href`; returns where the tag ends.
fn alternate(data: &[u8], start: usize, columns: &mut Columns) -> usize {
    let end = start + memchr(b'>', &data[start..]).unwrap_or(0);
    let mut at = start;
    while let Some(gap) = memchr(b'"', &data[at..end]) {
        let open = at + gap + 1;
        let close = open + memchr(b'"', &data[open..end]).unwrap_or(0);
        match data[open - 3] {
            b'n' => columns.alternate[0].put(&data[open..close]), // hreflang="
            b'e' => columns.alternate[1].put(&data[open..close]), // href="
            _ => {}                                               // rel="
        }
        at = close + 1;
    }
    Columns::end_item(&mut columns.alternate);
    end
}

/// Reads a W3C datetime by position: microseconds since 1970 in UTC.
#[inline(always)]
fn instant(text: &[u8]) -> i64 {
    if text.len() < 10 {
        return 0;
    }
    let two = |at: usize| digit(text[at]) * 10 + digit(text[at + 1]);
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8));
    // Days of the civil calendar: https://howardhinnant.github.io/date_algorithms.html
    let y = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        y / 400 * 146_097 + (y % 400) * 365 + (y % 400) / 4 - (y % 400) / 100 + of_year - 719_468;
    if text.len() < 19 {
        return days * 86_400_000_000;
    }
    let mut seconds = days * 86_400 + two(11) * 3600 + two(14) * 60 + two(17);
    let (mut at, mut micros, mut unit) = (19, 0, 100_000);
    if text.get(19) == Some(&b'.') {
        at += 1;
        while let Some(byte) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            micros += digit(*byte) * unit;
            unit /= 10;
            at += 1;
        }
    }
    if text.len() >= at + 6 {
        let sign = if text[at] == b'-' { 1 } else { -1 };
        seconds += sign * (two(at + 1) * 3600 + two(at + 4) * 60);
    }
    seconds * 1_000_000 + micros
}

#[inline(always)]
fn digit(byte: u8) -> i64 {
    i64::from(byte) - i64::from(b'0')
}
