//! Properties that several fuzz targets assert.

use std::borrow::Cow;

use urlset_core::columns::{Entries, TEXT_COLUMNS, Texts};
use urlset_core::render::Renderer;
use urlset_core::{Diagnostic, Parsed};

/// Base of relative URLs.
pub const BASE: &str = "https://example.com/a/sitemap.xml";

/// Returns an input as text. What is not UTF-8 is replaced, so that no input is wasted.
#[must_use]
pub fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// Asserts what is true of the result of any document: positions are inside of it and between
/// characters, diagnostics are in order, columns have a value or null for each row.
///
/// # Panics
///
/// One of them is not true.
pub fn check_parsed(text: &str, parsed: &Parsed) {
    let lines = text.split('\n').count() + text.matches('\r').count();
    for Diagnostic { code, offset, end, detail, .. } in &parsed.diagnostics {
        assert!(offset <= end && *end <= text.len(), "{code} {offset}..{end}");
        assert!(
            text.is_char_boundary(*offset) && text.is_char_boundary(*end),
            "{code} {offset}..{end}"
        );
        assert!(detail.chars().count() <= 81, "{code} {detail:?}");
    }
    assert!(parsed.diagnostics.is_sorted_by_key(|diagnostic| (diagnostic.offset, diagnostic.code)));
    for sitemap in &parsed.sitemaps {
        assert!(!sitemap.loc.is_empty());
        check_position(text, lines, sitemap.offset, sitemap.line);
    }
    let entries = &parsed.entries;
    let rows = entries.row();
    assert_eq!((entries.offset.len(), entries.line.len()), (rows, rows));
    for (offset, line) in entries.offset.iter().zip(&entries.line) {
        check_position(text, lines, *offset, *line);
    }
    check_columns(entries);
}

fn check_position(text: &str, lines: usize, offset: u64, line: u32) {
    let offset = usize::try_from(offset).unwrap();
    assert!(offset < text.len() && text.is_char_boundary(offset), "{offset}");
    assert!((1..=lines).contains(&(line as usize)), "line {line} of {lines}");
}

/// Asserts that each column is one of Arrow: ascending ends inside of the bytes, texts in UTF-8.
///
/// # Panics
///
/// A column is not.
pub fn check_columns(entries: &Entries) {
    let rows = entries.row();
    for column in TEXT_COLUMNS {
        check_texts((column.get)(entries), rows);
    }
    assert_eq!(entries.loc.valid().count(), rows);
    assert!(entries.loc.is_all_null() || (0..rows).all(|row| entries.loc.get(row).is_some()));
    let nested = [
        (&entries.images.list, &entries.images.items.fields[..]),
        (&entries.videos.list, &entries.videos.texts.fields[..]),
        (&entries.alternates.list, &entries.alternates.items.fields[..]),
    ];
    for (list, fields) in nested {
        assert!(list.ends().is_sorted());
        fields.iter().for_each(|texts| check_texts(texts, list.items()));
    }
    let videos = &entries.videos;
    let count = videos.list.items();
    check_texts(&videos.tags.texts, videos.tags.list.items());
    videos
        .prices
        .items
        .fields
        .iter()
        .for_each(|texts| check_texts(texts, videos.prices.list.items()));
    videos.ids.items.fields.iter().for_each(|texts| check_texts(texts, videos.ids.list.items()));
    videos.tvshow.items.fields.iter().for_each(|texts| check_texts(texts, count));
    entries.news.items.fields.iter().for_each(|texts| check_texts(texts, rows));
}

fn check_texts(texts: &Texts, rows: usize) {
    assert!(std::str::from_utf8(texts.bytes()).is_ok());
    assert!(texts.ends().is_sorted() && texts.ends()[0] == 0);
    assert_eq!(usize::try_from(*texts.ends().last().unwrap()).unwrap(), texts.bytes().len());
    assert!(texts.is_all_null() || texts.ends().len() == rows + 1, "{} {rows}", texts.ends().len());
    for row in 0..rows {
        assert_eq!(texts.get(row).is_some(), texts.valid().get(row));
        assert!(texts.get(row).is_none_or(|text| std::str::from_utf8(text).is_ok()));
    }
}

/// Renders all entries as one document.
///
/// # Panics
///
/// The renderer stops early, or its document is not UTF-8.
#[must_use]
pub fn rendered(entries: &Entries, is_text: bool) -> String {
    let mut renderer = Renderer::new(is_text, i64::MAX, i64::MAX, i64::MAX, None);
    assert_eq!(renderer.add(entries, 0, entries.row()), entries.row());
    let (header, body, footer) = renderer.parts("");
    header + std::str::from_utf8(body).unwrap() + footer
}

/// Returns what a reader sees of entries, apart from their positions.
#[must_use]
pub fn values(entries: &Entries) -> Vec<String> {
    (0..entries.row()).map(|row| value(entries, row)).collect()
}

fn value(entries: &Entries, row: usize) -> String {
    let shown =
        |texts: &Texts, row: usize| texts.get(row).map(|text| text.escape_ascii().to_string());
    let fields = |fields: &[Texts], row: usize| -> Vec<Option<String>> {
        fields.iter().map(|texts| shown(texts, row)).collect()
    };
    let texts: Vec<_> =
        TEXT_COLUMNS.iter().map(|column| shown((column.get)(entries), row)).collect();
    let images: Vec<_> = entries
        .images
        .list
        .get(row)
        .map(|item| fields(&entries.images.items.fields, item))
        .collect();
    let alternates: Vec<_> = entries
        .alternates
        .list
        .get(row)
        .map(|item| fields(&entries.alternates.items.fields, item))
        .collect();
    let of_videos = &entries.videos;
    let videos: Vec<_> = of_videos
        .list
        .get(row)
        .map(|video| {
            let tags: Vec<_> = of_videos
                .tags
                .list
                .get(video)
                .map(|item| shown(&of_videos.tags.texts, item))
                .collect();
            let prices: Vec<_> = of_videos
                .prices
                .list
                .get(video)
                .map(|item| fields(&of_videos.prices.items.fields, item))
                .collect();
            let ids: Vec<_> = of_videos
                .ids
                .list
                .get(video)
                .map(|item| fields(&of_videos.ids.items.fields, item))
                .collect();
            let segments: Vec<_> = of_videos
                .content_segments
                .list
                .get(video)
                .map(|item| fields(&of_videos.content_segments.items.fields, item))
                .collect();
            let show = of_videos
                .tvshow
                .valid
                .get(video)
                .then(|| fields(&of_videos.tvshow.items.fields, video));
            (fields(&of_videos.texts.fields, video), tags, prices, ids, segments, show)
        })
        .collect();
    let news = entries.news.valid.get(row).then(|| fields(&entries.news.items.fields, row));
    let numbers = (entries.lastmod.get(row), entries.priority.get(row));
    format!("{texts:?} {numbers:?} {images:?} {alternates:?} {videos:?} {news:?}")
}
